/* A question in progress: what the answer is made from, the verb, the table
 * being filled, and its row.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/query/answer.h"
#include "agent/query/pattern.h"
#include "agent/state/state.h"
#include "local.pb-c.h"
#include "petrel/clock.h"
#include "petrel/finding.h"
#include "petrel/quantity.h"

struct answer;
struct answer_column;
struct answer_shape;
struct control;
struct cost;
struct engine;
struct engine_view;
struct history;
struct port_facts;
struct query_client;
struct query_server;
struct port_reading;
struct ring_set;
struct series;
struct verb;
struct waiting_room;

/* What Petrel gives up to keep within its budgets (C15). */
struct query_budget {
	char text[240];		/* a sentence; "": nothing given up */
	bool is_lost;		/* all is given up, and still over budget */
};

/* What answers are made from: the core fills it once, petrel a part of it from
 * the rings if the agent is down. All pointers are borrowed.
 */
struct query_context {
	const char *switch_name, *switch_id, *version;	/* id "": unknown */
	const struct state *state;
	struct port_reading *reading;	/* NULL: the agent is down */
	const struct engine *engine;	/* NULL: the agent is down, and */
	const struct finding *findings;	/* then these are the open ones */
	size_t finding_count;
	const struct history *history;	/* of events */
	const struct series *series;	/* NULL: no history */
	struct control *control;
	struct ring_set *rings;
	int reload_event_fd;
	/* Why no driver is open; "" or NULL: one is open. */
	const char *drivers_reason;
	const struct query_budget *budget;	/* NULL: there is no budget */
	const struct cost *cost;		/* NULL: cost is not counted */
	/* The port's number in engine and series; false: none yet. */
	bool (*port_number)(void *core, uint32_t entity, uint32_t *ret);
	void *core;
	void (*clock)(struct clock_reading *ret);	/* clock_read */
	bool is_far;			/* a collector answers: no engine */
	struct query_server *server;	/* once there is one */
	struct waiting_room *waiting;	/* follow_init() makes it */
};

/* The entity of a row that a column shows: a lane's row also has the host lane
 * behind it, and what counts its BER; or a member of its struct.
 */
enum of { OF_ROW, OF_PORT, OF_MODULE, OF_PRIORITY, OF_HOST, OF_PATH, OF_COUNT,
	  OF_MEMBER = OF_COUNT };

/* Ports that a request names (port_choice.h). */
struct port_choice {
	struct pattern pattern;	/* no items: all ports */
	uint32_t asic;		/* ENTITY_NONE: all */
};

struct query {
	struct query_context *ctx;
	struct query_client *client;	/* NULL: no agent; petrel answers */
	const Petrel__Request *request;
	struct answer *a;
	const struct verb *verb;
	struct clock_reading now;
	struct port_choice wanted;	/* default: all */
	size_t known;			/* entities that tables examined */
	struct {
		size_t idle, unread;	/* rows left out */
		const char *things;
	} folded;
	/* The table, its row, its cell. */
	const struct answer_shape *shape;
	const struct answer_column *column;
	uint32_t of[OF_COUNT];	/* ENTITY_NONE: the row has none */
	struct mono oldest;	/* of all values in the row */
	const void *own;	/* for the table's own functions */
	const void *row;	/* the struct that has columns as members */
	/* For rows that are ports. */
	const struct port_facts *facts;
	const struct engine_view *view;
};

/* Notes that no such thing is known, and where an agent that runs says why. */
void query_note_none(struct query *q, const char *noun);
/* Reads the clocks for this answer, and sets its head. */
void query_begin(struct query *q);

#define QUERY_FINDINGS_MAX 1024u

/* The open findings, worst first. Returns how many of them are in ret. */
size_t query_findings(const struct query_context *ctx,
		      const struct finding *ret[static QUERY_FINDINGS_MAX]);
/* Whether the port, by its entity and its name, is part of the open finding. */
bool query_is_part(const struct query_context *ctx, const struct finding *f,
		   uint32_t port, const char *name);
/* The worst severity of the open findings that the port is part of; 0: none. */
unsigned query_worst(const struct query_context *ctx, uint32_t port,
		     const char *name);
/* What the engine computed for a port; all absent if the port is unknown. */
void query_view(const struct query_context *ctx, uint32_t port,
		struct engine_view *ret);
/* The next existing entity of that kind (ENTITY_KIND_COUNT: any), from *at on,
 * which begins with 0; NULL after the last.
 */
const struct inventory_entity *query_next(const struct query_context *ctx,
					  unsigned kind, size_t *at);
/* Text of an entity, or NULL. */
const char *query_attribute(const struct query_context *ctx, uint32_t entity,
			    unsigned attribute);
/* The newest reading, of index 0; otherwise if there is none. */
int64_t query_value(const struct query_context *ctx, uint32_t entity,
		    enum quantity quantity, int64_t otherwise);
/* The ASIC of an entity, or NULL: there is only one. */
const char *query_asic(const struct query_context *ctx, uint32_t entity);
/* The name of an entity, with its ASIC if two ports have the same name; or "".
 */
const char *query_name(const struct query_context *ctx, uint32_t entity);
/* up, dn, ad (shut by configuration); NULL unknown. */
const char *query_link_mark(const struct query_context *ctx, uint32_t port);

/* --- verbs --------------------------------------------------------------- */

#define ARGUMENTS_MAX 256
#define VERB_TABLES_MAX 8

enum option {
	OPTION_SOCKET, OPTION_CONFIG, OPTION_JSON, OPTION_HELP,
	OPTION_FOLLOW, OPTION_AFTER, OPTION_LINKS, OPTION_AGENT,
	OPTION_PORTS, OPTION_FOR, OPTION_OUT, OPTION_COMPLETION,
	OPTION_VERSION, OPTION_SORT, OPTION_TOP, OPTION_ALL, OPTION_WIDE,
	OPTION_ANONYMISE, OPTION_LIST_REGISTERS,
	OPTION_SINCE, OPTION_ORIGIN, OPTION_ASIC, OPTION_BENIGN,
	OPTION_PROFILE, OPTION_OPENMETRICS,
	OPTION_COLLECTOR, OPTION_SWITCH, OPTION_TOKEN_FILE,
	OPTION_CSV, OPTION_LAST, OPTION_REDACT,
	OPTION_STREAM, OPTION_QUANTITY,
	OPTION_COUNT,
};

#define OPTION_BIT(option) (UINT64_C(1) << (option))

/* When petrel adds sparklines to an answer in text: never, with --wide, with
 * one argument.
 */
enum sparks_when { SPARKS_NEVER, SPARKS_WIDE, SPARKS_ONE };

/* What a collector answers: nothing, for one switch, for all of them. */
enum reach { REACH_NONE, REACH_ONE, REACH_ALL };

typedef int answer_fn(struct query *q);

struct verb {
	const char *name;		/* NULL ends the table */
	const char *synopsis;		/* words and its own options */
	const char *help;		/* one line */
	uint64_t hidden;		/* OPTION_BITs that it also takes */
	unsigned arguments_min, arguments_max;
	bool takes_ports;		/* as arguments: sets q->wanted */
	bool changes;			/* needs root or group petrel; logged */
	bool offline;			/* the rings can answer it, too */
	enum sparks_when sparks;
	enum reach reach;		/* on a collector */
	bool by_petrel;			/* from files: no agent needed */
	bool takes_quantity;		/* among its words */
	int unanswered;			/* exit code if nobody answers; 0: the
					 * failure's own
					 */
	const char *words;		/* arguments offered for completion */
	/* So are the first words of this verb's output; NULL: none. */
	const char *words_of;
	/* For petrel bugreport, which includes the verb's output as JSON: its
	 * argument, "" for none; NULL: not included.
	 */
	const char *report;
	/* For people alone: the commands whose JSON is what it shows. NULL: it
	 * takes --json.
	 */
	const char *json_of;
	const char *sort;		/* default column */
	const char *noun;		/* "no sensor is known"; NULL: silent */
	/* Fills the answer and returns an exit code, or QUERY_LATER. NULL:
	 * fills all its tables; if it has none, petrel runs it without the
	 * agent.
	 */
	answer_fn *answer;
	const struct answer_shape *tables[VERB_TABLES_MAX];
	bool has_findings;		/* and the list of them */
};

/* The row with that name, NULL: none. */
const struct verb *verb_find(const struct verb *table, const char *name);
/* "; nearest is ports", or "" if none is similar. */
#define VERB_NEAREST_MAX 64
void verb_nearest(const struct verb *table, const char *name,
		  char ret[static VERB_NEAREST_MAX]);
/* Whether its synopsis has that option, as --sort. */
bool verb_takes(const struct verb *v, const char *option);
/* Whether petreld answers it. */
bool verb_is_asked(const struct verb *v);
