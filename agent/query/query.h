/* A question under way: what the answer is made from, the verb, the table that
 * is being filled, and its row.
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

/* What is given up to keep to the budgets (C15). */
struct query_budget {
	char text[240];		/* a sentence; "": nothing */
	bool is_lost;		/* all of it, and it is not enough */
};

/* What answers are made from: the core fills it once, petrel a part of it from
 * the rings when the agent is down. All pointers are borrowed.
 */
struct query_context {
	const char *switch_name, *switch_id, *version;	/* id "": unknown */
	const struct state *state;
	struct port_reading *reading;	/* NULL: the agent is down */
	const struct engine *engine;	/* NULL: the agent is down, and then */
	const struct finding *findings;	/* these are the open ones */
	size_t finding_count;
	const struct history *history;	/* of events */
	const struct series *series;	/* NULL: no history */
	struct control *control;
	struct ring_set *rings;
	int reload_event_fd;
	/* Why no driver is open; "" or NULL: one is. */
	const char *drivers_reason;
	const struct query_budget *budget;	/* NULL: nobody keeps one */
	const struct cost *cost;		/* NULL: nobody counts it */
	/* The number that engine and series know a port by; false: none yet. */
	bool (*port_number)(void *core, uint32_t entity, uint32_t *ret);
	void *core;
	void (*clock)(struct clock_reading *ret);	/* clock_read */
	bool is_far;			/* a collector answers: no engine */
	struct query_server *server;	/* as soon as there is one */
	struct waiting_room *waiting;	/* verbs_init() makes it */
};

/* Which entity of a row a column is of. */
enum of { OF_ROW, OF_PORT, OF_MODULE, OF_PRIORITY, OF_COUNT };

/* Ports that a request names (port_choice.h). */
struct port_choice {
	struct pattern pattern;	/* of no item: all ports */
	uint32_t asic;		/* ENTITY_NONE: of all */
};

struct query {
	struct query_context *ctx;
	struct query_client *client;	/* NULL: no agent; petrel answers */
	const Petrel__Request *request;
	struct answer *a;
	const struct verb *verb;
	struct clock_reading now;
	struct port_choice wanted;	/* ports and ASIC; all of them */
	size_t known;			/* entities that tables looked at */
	struct {
		size_t idle, unread;	/* rows that were left out */
		const char *things;
	} folded;
	/* The table, its row, its cell. */
	const struct answer_shape *shape;
	const struct answer_column *column;
	uint32_t of[OF_COUNT];	/* ENTITY_NONE: the row has none such */
	struct mono oldest;	/* of all values that the row was given */
	const void *own;	/* what the table's own functions want */
	const void *row;	/* a struct, of which its columns are members */
	/* Of rows that are ports. */
	const struct port_facts *facts;
	const struct engine_view *view;
};

/* Reads the clocks of this answer, and gives the answer its head. */
void query_begin(struct query *q);

#define QUERY_FINDINGS_MAX 1024u

/* Findings that are not cleared, worst first. Returns how many of the open
 * ones are in ret.
 */
size_t query_findings(const struct query_context *ctx,
		      const struct finding *ret[static QUERY_FINDINGS_MAX]);
/* Is the port, by its entity and its name, part of the open finding? */
bool query_is_part(const struct query_context *ctx, const struct finding *f,
		   uint32_t port, const char *name);
/* The worst severity of the open findings that it is part of; 0: none. */
unsigned query_worst(const struct query_context *ctx, uint32_t port,
		     const char *name);
/* What the engine worked out for a port; all absent when it knows it not. */
void query_view(const struct query_context *ctx, uint32_t port,
		struct engine_view *ret);
/* The next entity of that kind (ENTITY_KIND_COUNT: of any) that is there, from
 * *at on, which begins with 0; NULL behind the last.
 */
const struct inventory_entity *query_next(const struct query_context *ctx,
					  unsigned kind, size_t *at);
/* Text of an entity, or NULL. */
const char *query_attribute(const struct query_context *ctx, uint32_t entity,
			    unsigned attribute);
/* The ASIC that an entity is of, or NULL: there is one only. */
const char *query_asic(const struct query_context *ctx, uint32_t entity);
/* Name of an entity, with its ASIC where it takes that to tell two ports apart;
 * or "".
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

/* When petrel adds sparklines to the text of an answer: never, with --wide,
 * with one argument.
 */
enum sparks_when { SPARKS_NEVER, SPARKS_WIDE, SPARKS_ONE };

/* What a collector answers: not at all, of one switch, of all of them. */
enum reach { REACH_NONE, REACH_ONE, REACH_ALL };

struct verb {
	const char *name;		/* NULL ends the table */
	const char *synopsis;		/* words and options behind petrel */
	const char *help;		/* one line */
	uint64_t options;		/* OPTION_BITs of its own */
	unsigned arguments_min, arguments_max;
	bool takes_ports;		/* as arguments: q->wanted */
	bool changes;			/* for root and group petrel; logged */
	bool offline;			/* answered from the rings, too */
	enum sparks_when sparks;
	enum reach reach;		/* of a collector */
	bool by_petrel;			/* from files alone: nobody is asked */
	bool takes_quantity;		/* among its words */
	int unanswered;			/* exit code when nobody answers; 0:
					 * what the failure says
					 */
	const char *words;		/* arguments that may be completed */
	/* So may the first words of what this verb prints; NULL: no. */
	const char *words_of;
	/* For petrel bugreport, which takes along what the verb prints as JSON:
	 * its argument, "" for none; NULL: not taken along.
	 */
	const char *report;
	const char *sort;		/* column, where none is asked for */
	const char *noun;		/* "no sensor is known"; NULL: silent */
	/* Fills the answer and returns an exit code, or QUERY_LATER. NULL: all
	 * its tables are filled; with none, petrel does it without the agent.
	 */
	int (*answer)(struct query *q);
	const struct answer_shape *tables[VERB_TABLES_MAX];
	bool has_findings;		/* and the list of them */
};

/* The row of a name, NULL: none. */
const struct verb *verb_find(const struct verb *table, const char *name);
/* "; nearest is ports", or "" where none is near. */
#define VERB_NEAREST_MAX 64
void verb_nearest(const struct verb *table, const char *name,
		  char ret[static VERB_NEAREST_MAX]);
/* petreld answers it. */
bool verb_is_asked(const struct verb *v);
