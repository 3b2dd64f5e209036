/* Commands to one redis-server: gathered, sent as one pipeline, the answers
 * read and counted. Owns the connection; blocks for at most OUT_TIMEOUT_S.
 *
 *   out_row(o, COUNTERS_DB, "COUNTERS", oid);
 *   out_text(o, "SAI_PORT_STAT_IF_IN_OCTETS", "17");
 *   out_row_end(o);
 *   … out_send(o, &diag);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "platform/sonic/redis/resp.h"
#include "platform/vswitch/value_text.h"

#define OUT_TIMEOUT_S 5

/* The numbers of SONiC's database_config.json. */
enum out_db {
	APPL_DB = 0,
	ASIC_DB = 1,
	COUNTERS_DB = 2,
	CONFIG_DB = 4,
	FLEX_COUNTER_DB = 5,
	STATE_DB = 6,
	OUT_DB_COUNT,
};

struct redisContext;

/* Recognises content that is the same as last time: xcvrd writes complete rows
 * each time, even if nothing changed.
 */
struct out_seen {
	uint64_t hash;		/* 0: nothing yet */
};

/* Compares with the last time, and remembers the content. */
bool out_seen_again(struct out_seen *s, const void *data, size_t len);

struct out {
	struct redisContext *redis;	/* owned; NULL: not connected */
	int dir_fd;			/* of the socket's folder; owned */
	char socket[256];		/* for messages */
	const char *socket_name;	/* the part in dir_fd */
	int db;				/* selected by what was gathered */
	int64_t now_s;			/* wall clock, of gathered rows */
	struct commands commands, row;
	unsigned fields;
	size_t row_head;	/* of the row: command and key */
	uint64_t sent, refused;		/* commands; those with an error */
	char refusal[128];		/* text of the last error */
};

/* path: the redis-server's unix socket. Does not connect yet. */
void out_init(struct out *o, const char *path);
/* Ends the connection; what was gathered is lost. */
void out_fini(struct out *o);

/* Connects, with nothing gathered. Returns a negative errno with the reason. */
int out_connect(struct out *o, struct diag *d);
/* True if the last out_connect() still holds. */
bool out_is_connected(const struct out *o);

/* Begins an HSET of TABLE<separator>name, or of TABLE if name is NULL. */
void out_row(struct out *o, enum out_db db, const char *table,
	     const char *name);
/* The same for COUNTERS_DB and an object's id: TABLE:oid:0x1000000000012. */
void out_row_oid(struct out *o, const char *table, uint64_t oid);
/* Ends it; a row without fields is not sent. */
void out_row_end(struct out *o);

/* Ends a row of xcvrd with its last_update_time. If the row is the same as last
 * time only that is sent.
 */
void out_row_end_timed(struct out *o, struct out_seen *seen);

/* A field of the row, as text, … */
void out_text(struct out *o, const char *field, const char *value);
/* … formatted, … */
void out_format(struct out *o, const char *field, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* … an object's id, … */
void out_oid(struct out *o, const char *field, uint64_t oid);
/* … unsigned decimal, … */
void out_u64(struct out *o, const char *field, uint64_t value);
/* … Python's str(float("{:.Nf}".format(value))), … */
void out_rounded(struct out *o, const char *field, double value,
		 unsigned decimals);
/* … Python's str(float), … */
void out_repr(struct out *o, const char *field, double value);
/* … a Lua number, … */
void out_lua(struct out *o, const char *field, double value);
/* … True or False, … */
void out_bool(struct out *o, const char *field, bool value);
/* … and a time as xcvrd writes it; 0 is "never". */
void out_time(struct out *o, const char *field, int64_t unix_s);
/* The update time of xcvrd's rows: now. */
void out_updated(struct out *o);
/* A time in another form; never 0. */
void out_date(struct out *o, const char *field, enum text_date form,
	      int64_t unix_s);

/* A field's name from its form: # is replaced by the number, of one digit. */
void out_numbered(const char *form, unsigned number, char *ret, size_t cap);

/* Fields and their texts; pairs end with a field of NULL. */
struct out_pair { const char *field, *value; };
void out_fields(struct out *o, const struct out_pair *pairs);
/* A whole row of them. */
void out_pairs(struct out *o, enum out_db db, const char *table,
	       const char *name, const struct out_pair *pairs);

/* Deletes a row. */
void out_delete(struct out *o, enum out_db db, const char *table,
		const char *name);
/* An object's id as text: "oid:0x1000000000012". */
#define OUT_OID_MAX 24
void out_oid_text(uint64_t oid, char ret[OUT_OID_MAX]);
/* Any other command; words end with NULL. */
void out_command(struct out *o, enum out_db db, const char *const *words);

/* Sends what was gathered and reads all answers. Error answers are counted in
 * refused, and are not a failure. Returns -ENOTCONN, -EIO (the connection is
 * lost and closed), -ENOMEM.
 */
int out_send(struct out *o, struct diag *d);

/* Reads one field, with nothing gathered: its text, "" if there is none.
 * Returns a negative errno.
 */
int out_ask(struct out *o, enum out_db db, const char *key, const char *field,
	    char *ret, size_t cap, struct diag *d);
