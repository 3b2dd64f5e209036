/* C8: what a detector reports, in plain data.
 *
 * One fault is one finding: a symptom is folded into its cause. The numbers of
 * all enumerations are on the wire: never changed, never used again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/cause.h"
#include "petrel/clock.h"
#include "petrel/entity.h"

#define FINDING_ID_LEN 12	/* base-32, any unique prefix will do */
#define FINDING_EVIDENCE_MAX 12
#define FINDING_CHANGES_MAX 8
#define FINDING_PORTS_MAX 64
#define FINDING_PORTS_OCTETS 768	/* of their names, each with its NUL */
#define FINDING_NO_UPPER_BOUND INT64_MAX

enum signature {
	SIGNATURE_FEC_TREND = 1,
	SIGNATURE_FEC_UNCORRECTABLE,
	SIGNATURE_CONTAMINATION,
	SIGNATURE_BENT_FIBRE,
	SIGNATURE_FAR_LASER,
	SIGNATURE_TX_DECAY,
	SIGNATURE_THERMAL_FEC,
	SIGNATURE_LOOSE_MODULE,
	SIGNATURE_COPPER_DEGRADE,
	SIGNATURE_LANE_IMBALANCE,
	SIGNATURE_FLAP_BURST,
	SIGNATURE_LINK_DOWN,
	SIGNATURE_SHARED_COMPONENT,
	SIGNATURE_ENVIRONMENT,
	SIGNATURE_MICROBURST,
	SIGNATURE_CONGESTION,
	SIGNATURE_LOSSLESS_DROP,
	SIGNATURE_PFC_STORM,
	SIGNATURE_UPLINK_IMBALANCE,
	SIGNATURE_RHYTHM_CHANGE,
	SIGNATURE_CONFIG_MISMATCH,
	SIGNATURE_SENSOR_FAULT,
	SIGNATURE_MODULE_CHANGED,
	SIGNATURE_SWITCH_SILENT,	/* the collector's */
	SIGNATURE_COUNT,
};

enum severity { SEVERITY_WATCH = 1, SEVERITY_WARN, SEVERITY_CRITICAL,
		SEVERITY_COUNT };
enum finding_state { FINDING_RAISED = 1, FINDING_UPDATED, FINDING_CLEARED,
		     FINDING_STATE_COUNT };
enum fault_end { END_NEAR = 1, END_FAR, END_PATH, END_COUNT };
/* The kind of thing that a finding is about. */
enum subject_kind { SUBJECT_PORT = 1, SUBJECT_SWITCH, SUBJECT_SENSOR,
		    SUBJECT_GROUP,	/* what several ports share */
		    SUBJECT_ZONE,	/* of air */
		    SUBJECT_LANE, SUBJECT_QUEUE, SUBJECT_KIND_COUNT };
enum drain { DRAIN_NONE = 1, DRAIN_ADVISE, DRAIN_URGE, DRAIN_COUNT };

enum watch {	/* whether a signature can see a port at all */
	WATCH_ARMED = 1,
	WATCH_LIMITED,	/* sees some of it; why says what is missing */
	WATCH_BLIND,	/* cannot see it; why says what would arm it */
	WATCH_NA,	/* does not apply: optics on copper */
	WATCH_COUNT,
};

/* One measured fact behind a finding; name carries its unit. */
struct evidence {
	char name[40];		/* snake_case with unit: rx_drop_mdb */
	double value;
};

/* Seconds until the cliff, 90 % interval. high may be
 * FINDING_NO_UPPER_BOUND. All 0: it has come.
 */
struct cliff {
	bool foreseeable;
	int64_t low_s, mid_s, high_s;
};

struct finding {
	char id[FINDING_ID_LEN + 1];
	enum signature signature;
	enum signature was;		/* earlier one; 0: never changed */
	enum severity severity;
	enum finding_state state;
	enum fault_end end;
	enum action action;
	enum drain drain;
	uint32_t entity;		/* id; 0 in a replay */
	char subject[ENTITY_NAME_MAX];	/* Ethernet8 */
	enum subject_kind kind;		/* of the subject; 0: unknown */
	/* The ports that are part of it, in the order in which they were hit.
	 * The names that fit are kept (finding_port()); port_count counts all.
	 */
	unsigned port_count, ports_kept;
	char ports[FINDING_PORTS_OCTETS];
	uint8_t lanes;			/* bit n: lane n+1 */
	float confidence;		/* 0 to 1 */
	char cause[160];		/* one sentence for people */
	enum cause_id cause_id;		/* the same for programs; 0: none. It
					 * stays when the sentence says how the
					 * finding ended */
	/* Actions that help, in order; the first is action. */
	unsigned action_count;
	enum action actions[FINDING_ACTIONS_MAX];
	char into[FINDING_ID_LEN + 1];	/* cleared, now part of that finding;
					 * "": it is not */
	struct mono onset, when;	/* when: of this change of state */
	struct wall onset_wall, when_wall;
	struct cliff cliff;
	unsigned evidence_count;
	struct evidence evidence[FINDING_EVIDENCE_MAX];
	unsigned change_count;		/* in the 15 minutes before onset */
	char change[FINDING_CHANGES_MAX][96];
};

/* The word, such as fec_trend. This and the words below are lower-case, fixed
 * (DESIGN C8), and NULL outside their enumeration.
 */
const char *signature_name(enum signature signature);
/* watch warn critical */
const char *severity_name(enum severity severity);
/* raised updated cleared */
const char *finding_state_name(enum finding_state state);
/* port switch sensor group zone lane queue */
const char *subject_kind_name(enum subject_kind kind);
/* near far path */
const char *fault_end_name(enum fault_end end);
/* none advise urge */
const char *drain_name(enum drain drain);
/* Such as clean_near; action_words() gives the sentence. */
const char *action_name(enum action action);
/* armed limited blind n/a */
const char *watch_name(enum watch watch);

/* What the engineer should do, as a sentence with its object: for a group, the
 * part that its ports share.
 */
const char *action_words(const struct finding *f, enum action action);

/* Appends the actions that help with the cause; action stays first. What cannot
 * be done at this connector becomes what can, action too: where there is
 * nothing to clean, reseat; a cable is replaced with the modules fixed to it;
 * one wavelength alone is weak by a module, not by dirt or by the cable. What
 * is critical does not wait where another action is known.
 */
void finding_actions(struct finding *f, enum connector connector);

/* Adds a port; once a name does not fit, it and all later ones are only
 * counted. Call it once for each port.
 */
void finding_port_add(struct finding *f, const char *name);
/* The name of the port after that one; the first for NULL. NULL at the end. */
const char *finding_port(const struct finding *f, const char *after);
/* True if the port is the subject or one of the names that fitted. */
bool finding_has_port(const struct finding *f, const char *name);


/* Twelve base-32 characters from what identifies a finding: the switch, the
 * subject, the signature and the wall time of its onset. The same on every
 * machine and build, so a restart or a failover keeps it.
 */
void finding_id_make(const char *switch_name, const char *subject,
		     enum signature signature, struct wall onset,
		     char ret[static FINDING_ID_LEN + 1]);
