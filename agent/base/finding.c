#include "petrel/finding.h"

#include <string.h>

#include "agent/base/hash.h"
#include "agent/base/names.h"

static const char *const signatures[SIGNATURE_COUNT] = {
	[SIGNATURE_FEC_TREND] = "fec_trend",
	[SIGNATURE_FEC_UNCORRECTABLE] = "fec_uncorrectable",
	[SIGNATURE_CONTAMINATION] = "contamination",
	[SIGNATURE_BENT_FIBRE] = "bent_fibre",
	[SIGNATURE_FAR_LASER] = "far_laser",
	[SIGNATURE_TX_DECAY] = "tx_decay",
	[SIGNATURE_THERMAL_FEC] = "thermal_fec",
	[SIGNATURE_LOOSE_MODULE] = "loose_module",
	[SIGNATURE_COPPER_DEGRADE] = "copper_degrade",
	[SIGNATURE_LANE_IMBALANCE] = "lane_imbalance",
	[SIGNATURE_FLAP_BURST] = "flap_burst",
	[SIGNATURE_LINK_DOWN] = "link_down",
	[SIGNATURE_SHARED_COMPONENT] = "shared_component",
	[SIGNATURE_ENVIRONMENT] = "environment",
	[SIGNATURE_MICROBURST] = "microburst",
	[SIGNATURE_CONGESTION] = "congestion",
	[SIGNATURE_LOSSLESS_DROP] = "lossless_drop",
	[SIGNATURE_PFC_STORM] = "pfc_storm",
	[SIGNATURE_UPLINK_IMBALANCE] = "uplink_imbalance",
	[SIGNATURE_RHYTHM_CHANGE] = "rhythm_change",
	[SIGNATURE_CONFIG_MISMATCH] = "config_mismatch",
	[SIGNATURE_SENSOR_FAULT] = "sensor_fault",
	[SIGNATURE_MODULE_CHANGED] = "module_changed",
	[SIGNATURE_SWITCH_SILENT] = "switch_silent",
};

const char *signature_name(enum signature signature)
{
	return names_get(signatures, SIGNATURE_COUNT, signature);
}

const char *severity_name(enum severity severity)
{
	static const char *const names[SEVERITY_COUNT] = {
		[SEVERITY_WATCH] = "watch",
		[SEVERITY_WARN] = "warn",
		[SEVERITY_CRITICAL] = "critical",
	};

	return names_get(names, SEVERITY_COUNT, severity);
}

const char *finding_state_name(enum finding_state state)
{
	static const char *const names[FINDING_STATE_COUNT] = {
		[FINDING_RAISED] = "raised",
		[FINDING_UPDATED] = "updated",
		[FINDING_CLEARED] = "cleared",
	};

	return names_get(names, FINDING_STATE_COUNT, state);
}

const char *subject_kind_name(enum subject_kind kind)
{
	static const char *const names[SUBJECT_KIND_COUNT] = {
		[SUBJECT_PORT] = "port",
		[SUBJECT_SWITCH] = "switch",
		[SUBJECT_SENSOR] = "sensor",
		[SUBJECT_GROUP] = "group",
		[SUBJECT_ZONE] = "zone",
		[SUBJECT_LANE] = "lane",
		[SUBJECT_QUEUE] = "queue",
	};

	return names_get(names, SUBJECT_KIND_COUNT, kind);
}

const char *fault_end_name(enum fault_end end)
{
	static const char *const names[END_COUNT] = {
		[END_NEAR] = "near",
		[END_FAR] = "far",
		[END_PATH] = "path",
	};

	return names_get(names, END_COUNT, end);
}

const char *drain_name(enum drain drain)
{
	static const char *const names[DRAIN_COUNT] = {
		[DRAIN_NONE] = "none",
		[DRAIN_ADVISE] = "advise",
		[DRAIN_URGE] = "urge",
	};

	return names_get(names, DRAIN_COUNT, drain);
}

const char *watch_name(enum watch watch)
{
	static const char *const names[WATCH_COUNT] = {
		[WATCH_ARMED] = "armed",
		[WATCH_LIMITED] = "limited",
		[WATCH_BLIND] = "blind",
		[WATCH_NA] = "n/a",
	};

	return names_get(names, WATCH_COUNT, watch);
}

static const struct {
	const char *name, *words;
} actions[ACTION_COUNT] = {
	[ACTION_OBSERVE] = { "observe", "watch it; nothing to do yet" },
	[ACTION_CLEAN_NEAR] = { "clean_near",
				"clean the connector at this port" },
	[ACTION_CLEAN_FAR] = { "clean_far",
			       "clean the connector at the peer's port" },
	[ACTION_RESEAT_NEAR] = { "reseat_near",
				 "reseat the module of this port" },
	[ACTION_RESEAT_FAR] = { "reseat_far",
				"reseat the module at the peer" },
	[ACTION_REPLACE_CABLE] = { "replace_cable",
				   "replace the cable or fibre" },
	[ACTION_REPLACE_NEAR] = { "replace_near",
				  "replace the module of this port" },
	[ACTION_REPLACE_FAR] = { "replace_far",
				 "replace the module at the peer" },
	[ACTION_FIX_AIRFLOW] = { "fix_airflow",
				 "check fans, filters and air flow" },
	[ACTION_FIX_CONFIG] = { "fix_config",
				"correct the configuration of both ends" },
	[ACTION_CHECK_PEER] = { "check_peer", "look at the peer's end" },
};

const char *action_name(enum action action)
{
	return (unsigned)action < ACTION_COUNT ? actions[action].name : NULL;
}

/* For signatures that are not about one port. */
static const struct {
	enum signature signature;
	enum action action;
	const char *words;
} shared_words[] = {
	{ SIGNATURE_SHARED_COMPONENT, ACTION_REPLACE_NEAR,
	  "move its links away, then have the line card or switch replaced" },
	{ SIGNATURE_ENVIRONMENT, ACTION_REPLACE_NEAR,
	  "check the supply's power feed, then replace it" },
};

const char *action_words(const struct finding *f, enum action action)
{
	for (size_t i = 0; i < sizeof(shared_words) / sizeof(shared_words[0]);
	     i++)
		if (shared_words[i].signature == f->signature &&
		    shared_words[i].action == action &&
		    f->cause_id != CAUSE_SHARED_MODULE)
			return shared_words[i].words;
	return (unsigned)action < ACTION_COUNT ? actions[action].words : NULL;
}

/* What is done instead; 0: the same. */
static const enum action instead[CONNECTOR_COUNT][ACTION_COUNT] = {
	[CONNECTOR_FIXED] = {
		[ACTION_CLEAN_NEAR] = ACTION_RESEAT_NEAR,
		[ACTION_CLEAN_FAR] = ACTION_RESEAT_FAR,
		[ACTION_REPLACE_NEAR] = ACTION_REPLACE_CABLE,
		[ACTION_REPLACE_FAR] = ACTION_REPLACE_CABLE,
	},
	[CONNECTOR_ONE_FIBRE] = {	/* for a cause in one lane */
		[ACTION_CLEAN_NEAR] = ACTION_RESEAT_NEAR,
		[ACTION_CLEAN_FAR] = ACTION_RESEAT_FAR,
		[ACTION_REPLACE_CABLE] = ACTION_REPLACE_FAR,
	},
	[CONNECTOR_RJ45] = {
		[ACTION_CLEAN_NEAR] = ACTION_RESEAT_NEAR,
		[ACTION_CLEAN_FAR] = ACTION_RESEAT_FAR,
	},
};

/* Dirt takes the light of all wavelengths on a fibre, as the fibre does. */
static enum action action_at(enum connector connector, enum cause_id cause,
			     enum action action)
{
	enum action other = instead[connector][action];

	if (connector == CONNECTOR_ONE_FIBRE && !cause_is_of_lane(cause))
		return action;
	return other ? other : action;
}

static void action_add(struct finding *f, enum action action)
{
	for (unsigned i = 0; i < f->action_count; i++)
		if (f->actions[i] == action)
			return;
	if (f->action_count < FINDING_ACTIONS_MAX)
		f->actions[f->action_count++] = action;
}

/* Nobody waits while frames are lost, if there is something to do. */
static bool cannot_wait(const struct finding *f, enum action action)
{
	return action == ACTION_OBSERVE && f->severity == SEVERITY_CRITICAL;
}

void finding_actions(struct finding *f, enum connector connector)
{
	const enum action *more;
	size_t n = cause_actions(f->cause_id, &more);

	for (size_t i = 0; i < n && cannot_wait(f, f->action); i++)
		f->action = more[i];
	f->action = action_at(connector, f->cause_id, f->action);
	f->action_count = 0;
	action_add(f, f->action);
	for (size_t i = 0; i < n; i++)
		if (!cannot_wait(f, more[i]))
			action_add(f, action_at(connector, f->cause_id,
						more[i]));
}

const char *finding_port(const struct finding *f, const char *after)
{
	const char *next = after ? after + strlen(after) + 1 : f->ports;
	const char *end = f->ports + sizeof(f->ports);

	return f->ports_kept && next < end && *next ? next : NULL;
}

/* Offset at which the next name goes. */
static size_t ports_end(const struct finding *f)
{
	const char *name = finding_port(f, NULL);
	size_t end = 0;

	for (; name; name = finding_port(f, name))
		end = (size_t)(name - f->ports) + strlen(name) + 1;
	return end;
}

static bool port_is_kept(const struct finding *f, const char *name)
{
	const char *kept = finding_port(f, NULL);

	while (kept && strcmp(kept, name) != 0)
		kept = finding_port(f, kept);
	return kept != NULL;
}

void finding_port_add(struct finding *f, const char *name)
{
	size_t octets = strlen(name) + 1, end = ports_end(f);

	if (!name[0] || port_is_kept(f, name))
		return;
	if (f->ports_kept == f->port_count &&
	    f->ports_kept < FINDING_PORTS_MAX &&
	    octets <= sizeof(f->ports) - end) {
		memcpy(f->ports + end, name, octets);
		if (end + octets < sizeof(f->ports))
			f->ports[end + octets] = '\0';
		f->ports_kept++;
	}
	f->port_count++;
}

bool finding_has_port(const struct finding *f, const char *name)
{
	return strcmp(f->subject, name) == 0 || port_is_kept(f, name);
}

void finding_id_make(const char *switch_name, const char *subject,
		     enum signature signature, struct wall onset,
		     char ret[static FINDING_ID_LEN + 1])
{
	static const char base32[] = "abcdefghijklmnopqrstuvwxyz234567";
	uint8_t tail[9] = { (uint8_t)signature };
	uint64_t hash;

	for (unsigned i = 0; i < 8; i++)
		tail[1 + i] = (uint8_t)((uint64_t)onset.ns >> 8 * i);
	/* With the final NULs, so that "ab" + "c" differs from "a" + "bc". */
	hash = hash_octets(0, switch_name, strlen(switch_name) + 1);
	hash = hash_octets(hash, subject, strlen(subject) + 1);
	hash = hash_mix(hash_octets(hash, tail, sizeof(tail)));
	for (unsigned i = 0; i < FINDING_ID_LEN; i++)
		ret[i] = base32[hash >> (64 - 5 * (i + 1)) & 31];
	ret[FINDING_ID_LEN] = '\0';
}
