/* What a detector is: a row of the table in detector.c and one file.
 *
 * A detector keeps its state of a port in memory that the engine gives it,
 * looks at the readings that concern it, and says how bad the fault is. life.c
 * makes that a finding, and holds, changes and ends it; no detector knows of
 * that, nor of another detector.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/signature/ber.h"
#include "agent/signature/cadence.h"
#include "agent/signature/front.h"
#include "agent/signature/lane_usual.h"
#include "agent/signature/load.h"
#include "agent/signature/light.h"
#include "agent/signature/port.h"
#include "petrel/finding.h"

struct kept;

/* What goes on around the port. */
struct site {
	struct mono shaken_until;	/* many ports fell at once, or a reload:
					 * a link down needs no other cause */
	struct mono reload_until;	/* the same, for a reload alone */
	unsigned context;		/* bits of enum engine_context */
	/* What most ports do, so that it is no fault of one (site.h). */
	float heat_k;			/* modules above usual */
	float excess;			/* decades of errors above normal */
	int64_t module_age_ns;		/* of the modules' last readings, beyond
					 * the usual lag … */
	int64_t module_lag_ns;		/* … of a source that is slow */
	float missed;			/* share of modules' readings; NAN */
	float still_s;			/* since their readings changed */
	bool has_lag;
};

/* A port after a reading was taken in; all borrowed. */
struct port_view {
	const struct port_facts *facts;
	const struct inputs *tick;
	const struct front *front;
	const struct ber *ber;
	const struct light *light;
	const struct lane_usual *lanes;
	const struct load *traffic;
	const struct cadence *cadence;
	const struct site *site;
	float heat_k;		/* its module above usual, less the heat of
				 * most modules; NAN */
	float heat_sd_k;	/* how much that varies */
	float siblings_log_ber;	/* usual of ports of its kind; NAN */
	enum signature errors_named;	/* name of the open finding of errors
					 * that grew; 0: there is none … */
	bool errors_looked;		/* … whose cause was looked for … */
	bool errors_by_light;		/* … and is one that takes light */
	unsigned cage_ports;	/* ports of its cage that fell with it, and
				 * itself: for a detector with company() */
	unsigned cage_fell;	/* the same, up again or not; 0: it did not fall
				 * of late */
	unsigned peer_ports;	/* all that lead to its peer, when all of them
				 * fell at once, a moment ago; else 0 */
	bool peer_stays;	/* it is down, and another link to its peer is
				 * up, all the time or for long */
	bool shares_fell;	/* ports fell with it that share its cage, or
				 * all that share its component */
	unsigned bursts_together; /* ports of more than its module that lost
				 * codewords in bursts at the same moment, and
				 * itself; 0: not many, against all */
	bool fell_known;	/* which links fell with it was looked at */
	unsigned fell_together;	/* links that fell with it a moment ago, and
				 * share no component that is known */
};

#define SEVERITY_NONE ((enum severity)0)

/* What a detector needs of the readings, and what to say without it. */
struct need_row {
	enum need need;
	bool required;			/* blind without it; else limited */
	const char *why, *arm;		/* arm: what would arm it */
	enum need_of { NEED_OF_ANY, NEED_OF_FEC, NEED_OF_BARE } of;
					/* which ports, by their FEC */
};

/* News in a reading for which a detector is asked: bits. */
enum wake {
	WAKE_WINDOW = 1,	/* a window of errors closed */
	WAKE_MODULE = 2,	/* it was read, or should have been */
	WAKE_LINK = 4,		/* it fell or rose, or is down */
	WAKE_COUNT = 8,		/* combinations of the bits */
};

/* Did the port's trouble hit others too, by what this port shows? */
enum company {
	COMPANY_NONE,		/* it is this port's own */
	COMPANY_PERHAPS,
	COMPANY_PEER,		/* all links to its peer: one fault */
	COMPANY_MANY,		/* many links, whatever their peers */
};

struct detector {
	enum signature signature;
	size_t state_size;		/* octets a port, at most STATE_MAX */
	const struct kept *kept;	/* what of it is kept (kept.h) */
	int64_t hold_ns;		/* quiet for so long before it clears */
	bool of_errors;			/* open: the BER baseline is frozen */
	bool of_link;			/* not raised in a reboot (context.h) */
	bool of_falls;			/* nor while traffic is shifted away */
	bool of_module;			/* ends when another module comes */
	bool of_cage;			/* all ports of a module show it */
	bool of_bursts;			/* of errors, on many ports at once */
	bool is_early;			/* errors of that name come of it */
	uint8_t wakes;			/* bits of enum wake that it needs */
	const struct need_row *needs;
	size_t need_count;
	/* Does it apply at all? NULL: always. *ret_why: static text. */
	bool (*applies)(const struct port_facts *facts, const char **ret_why);
	/* A new port or module; mine was zeroed. May be NULL. */
	void (*start)(void *mine, const struct port_facts *facts);
	/* A reading that brought news, or each one (ask.h). Returns how bad
	 * it is, SEVERITY_NONE: no fault.
	 */
	enum severity (*judge)(void *mine, const struct port_view *v);
	/* Fills end, action, drain, lanes, confidence, cause, onset (ns 0:
	 * now), cliff and evidence. Not called for each reading.
	 */
	void (*describe)(const void *mine, const struct port_view *v,
			 struct finding *f);
	/* True when it reports nothing but some of its state runs out with
	 * time: then each reading asks it. May be NULL.
	 */
	bool (*waits)(const void *mine);
	/* What it reports is likely no fault of this port, or part of another:
	 * it goes into another open finding of the port, if there is one. May
	 * be NULL.
	 */
	bool (*is_aside)(const void *mine);
	/* The trouble may have hit other ports: those that fell together
	 * report it once (together.h). May be NULL.
	 */
	enum company (*company)(const void *mine);
	/* What it looks for came and went more than once of late, and when it
	 * last did. When ports that share a component have that together, it is
	 * one fault (shared_component.h). May be NULL.
	 */
	bool (*spells)(const void *mine, const struct ber *b, struct mono now,
		       struct mono *ret_last);
	/* Another finding told what it reports, or would have, and is over: so
	 * is that. May be NULL.
	 */
	void (*told)(void *mine);
	/* True once when the level of errors that it reported is normal from
	 * now on; log10, at the module's mean temperature. May be NULL.
	 */
	bool (*settles)(void *mine, double *ret_level);
	/* The fault is not seen any more, and its finding is held: takes back
	 * words that are no longer true. May be NULL.
	 */
	void (*held)(struct finding *f);
	/* Another module came, and light that the fibre lost may still be
	 * lost: forgets what only the old one showed. NULL: what it reports
	 * ends with the module in any case.
	 */
	void (*swapped)(void *mine);
	/* A finding from before a restart. May be NULL. */
	void (*restore)(void *mine, struct ber *ber, const struct finding *f);
};

#define DETECTOR_STATE_MAX 1024

extern const struct detector fec_trend_detector;
extern const struct detector fec_uncorrectable_detector;
extern const struct detector flap_burst_detector;
extern const struct detector lane_apart_detector;
extern const struct detector light_loss_detector;
extern const struct detector link_down_detector;
/* Words, end and first action for a reason that the switch gives why the link
 * is down; NULL: it says nothing.
 */
struct down_cause {
	const char *words;
	enum fault_end end;
	enum action action;
	enum cause_id id;
};

const struct down_cause *link_down_cause(const struct port_facts *facts,
					 enum down_reason reason);
/* The link is down for what shows elsewhere than in what it receives. */
bool link_down_is_apart(const struct port_view *v);
/* It is down because a laser of this module sends nothing; or was, and the
 * module was not read since.
 */
bool link_down_is_of_laser(const struct port_view *v);
extern const struct detector loose_module_detector;
extern const struct detector module_changed_detector;
extern const struct detector overheat_detector;
/* So much warmer than usual that its cooling must be at fault. */
bool overheat_is_much(const struct port_view *v);
/* Writes how warm it is, where that makes its errors; returns ret. */
const char *overheat_words(const struct port_view *v, char *ret, size_t cap);
extern const struct detector sensor_fault_detector;
extern const struct detector tx_decay_detector;

/* All detectors of this build; causes come before their symptoms. */
size_t detectors(const struct detector *const **ret);

/* Adds one measured fact; it is dropped when there is no room. */
void evidence_add(struct finding *f, const char *name, double value);
/* The value of a fact; NULL: the finding has none of that name. */
const double *evidence_find(const struct finding *f, const char *name);

/* Whether a detector or a hypothesis can see a port: its needs against what the
 * readings have shown. Silence must never pass for health.
 */
struct watched {
	const struct need_row *needs;
	size_t need_count;
	bool (*applies)(const struct port_facts *facts, const char **ret_why);
};

/* As engine_watch(), at that time. */
enum watch watch_of(const struct watched *w, const struct port_facts *facts,
		    const struct front *f, struct mono now,
		    const char **ret_why, const char **ret_arm);
