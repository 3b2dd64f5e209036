#include "petrel/finding.h"

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

int signature_parse(const char *word)
{
	return names_parse(signatures, SIGNATURE_COUNT, word);
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

const char *action_name(enum action action)
{
	static const char *const names[ACTION_COUNT] = {
		[ACTION_OBSERVE] = "observe",
		[ACTION_CLEAN_NEAR] = "clean_near",
		[ACTION_CLEAN_FAR] = "clean_far",
		[ACTION_RESEAT_NEAR] = "reseat_near",
		[ACTION_RESEAT_FAR] = "reseat_far",
		[ACTION_REPLACE_CABLE] = "replace_cable",
		[ACTION_REPLACE_NEAR] = "replace_near",
		[ACTION_REPLACE_FAR] = "replace_far",
		[ACTION_FIX_AIRFLOW] = "fix_airflow",
		[ACTION_FIX_CONFIG] = "fix_config",
		[ACTION_CHECK_PEER] = "check_peer",
	};

	return names_get(names, ACTION_COUNT, action);
}

/* Of what is not a port's own. */
static const struct {
	enum signature signature;
	enum action action;
	const char *words;
} shared_words[] = {
	{ SIGNATURE_SHARED_COMPONENT, ACTION_REPLACE_NEAR,
	  "move its links away, then have the line card or switch replaced" },
	{ SIGNATURE_ENVIRONMENT, ACTION_REPLACE_NEAR,
	  "check the feed of the supply, then replace it" },
};

const char *action_words(const struct finding *f)
{
	static const char *const words[ACTION_COUNT] = {
		[ACTION_OBSERVE] = "watch it; nothing to do yet",
		[ACTION_CLEAN_NEAR] = "clean the connector at this port",
		[ACTION_CLEAN_FAR] = "clean the connector at the peer's port",
		[ACTION_RESEAT_NEAR] = "reseat the module of this port",
		[ACTION_RESEAT_FAR] = "reseat the module at the peer",
		[ACTION_REPLACE_CABLE] = "replace the cable or fibre",
		[ACTION_REPLACE_NEAR] = "replace the module of this port",
		[ACTION_REPLACE_FAR] = "replace the module at the peer",
		[ACTION_FIX_AIRFLOW] = "check fans, filters and air flow",
		[ACTION_FIX_CONFIG] = "correct the configuration of both ends",
		[ACTION_CHECK_PEER] = "look at the peer's end",
	};

	for (size_t i = 0; i < sizeof(shared_words) / sizeof(shared_words[0]);
	     i++)
		if (shared_words[i].signature == f->signature &&
		    shared_words[i].action == f->action)
			return shared_words[i].words;
	return names_get(words, ACTION_COUNT, f->action);
}

#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static uint64_t hash_octet(uint64_t hash, unsigned octet)
{
	return (hash ^ (octet & 0xff)) * FNV_PRIME;
}

/* The text and its end, so that "ab" + "c" is not "a" + "bc". */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = hash_octet(hash, (unsigned char)*text);
	return hash_octet(hash, 0);
}

/* Spreads what FNV leaves in the low bits (splitmix64's finalizer). */
static uint64_t hash_finish(uint64_t h)
{
	h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
	return h ^ h >> 31;
}

void finding_id_make(const char *switch_name, const char *subject,
		     enum signature signature, struct wall onset,
		     char ret[static FINDING_ID_LEN + 1])
{
	static const char base32[] = "abcdefghijklmnopqrstuvwxyz234567";
	uint64_t onset_ns = (uint64_t)onset.ns;
	uint64_t hash = FNV_OFFSET;

	hash = hash_text(hash, switch_name);
	hash = hash_text(hash, subject);
	hash = hash_octet(hash, signature);
	for (unsigned i = 0; i < 8; i++)
		hash = hash_octet(hash, (unsigned)(onset_ns >> 8 * i));
	hash = hash_finish(hash);
	for (unsigned i = 0; i < FINDING_ID_LEN; i++)
		ret[i] = base32[hash >> (64 - 5 * (i + 1)) & 31];
	ret[FINDING_ID_LEN] = '\0';
}
