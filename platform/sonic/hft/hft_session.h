/* The sessions of high-frequency telemetry in STATE_DB: the labels of objects,
 * and the templates that the chip made from them.
 *
 * Read only while there is a stream to decode: the list of rows seldom (KEYS,
 * and not in a large database), the rows every second, and both at once after
 * data without a template. Values are binary: they are taken with their
 * length. While the database does not answer, or its answer is malformed, the
 * known sessions stay in force.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "platform/sonic/hft/hft_template.h"
#include "platform/sonic/switchdb/namespace.h"

#define HFT_SESSIONS_MAX 64u
#define HFT_SESSION_KEY_MAX 96
#define HFT_SESSION_VALUE_MAX (1u << 20)	/* octets of one field */
#define HFT_LIST_NS (60 * NS_PER_S)
#define HFT_ROWS_NS (900 * NS_PER_MS)	/* each tick of a second */
#define HFT_HURRY_MIN_NS (200 * NS_PER_MS)	/* for unannounced data, … */
#define HFT_HURRY_MAX_NS (30 * NS_PER_S)	/* doubled up to this */

/* The fields of a row, in the order of the request. */
enum hft_row_field {
	HFT_ROW_STATUS,		/* stream_status */
	HFT_ROW_NAMES,		/* object_names */
	HFT_ROW_IDS,		/* object_ids */
	HFT_ROW_CONFIG,		/* session_config */
	HFT_ROW_FIELDS,
};

struct hft_session {
	char key[HFT_SESSION_KEY_MAX];	/* the whole key */
	bool enabled;
	bool changed;			/* since hft_sessions_take() */
	struct hft_octets row[HFT_ROW_FIELDS];
	char fault[SOURCE_REASON_MAX];	/* its fault; set by the taker */
};

struct hft_sessions {
	struct namespace *namespace;
	struct hft_session list[HFT_SESSIONS_MAX];	/* by their numbers */
	size_t count;
	struct lister lister;
	struct redis_query query;
	struct hft_octets incoming[HFT_ROW_FIELDS];
	unsigned step;			/* of the request; 0: none under way */
	bool hurry;			/* data without a template arrived */
	int64_t hurry_ns;		/* until the next hurried one */
	bool known;			/* asked and answered at least once */
	struct mono listed, asked;
	char reason[SOURCE_REASON_MAX];	/* the fault; "": none */
};

/* s must stay where it is, like the namespace. */
void hft_sessions_init(struct hft_sessions *s, struct namespace *namespace);
/* Releases the rows. */
void hft_sessions_fini(struct hft_sessions *s);

/* Asks if due. Returns -ENODATA with d if the database is down. */
int hft_sessions_ask(struct hft_sessions *s, struct mono now, struct diag *d);

/* The next session whose row changed since it was last taken; NULL: none. */
struct hft_session *hft_sessions_take(struct hft_sessions *s);
