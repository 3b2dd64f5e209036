#include "platform/sim/fault_table.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#define KEY_TEXT_MAX 64u
#define YEAR_S (365.0 * 86400)

static const struct fault_key_info keys[FAULT_KEY_COUNT] = {
	[KEY_FOR] = { "for", VALUE_DURATION, 0.001, INFINITY,
		      "how long it lasts" },
	[KEY_RAMP] = { "ramp", VALUE_DURATION, 0, YEAR_S,
		       "how long it takes to grow to its full size" },
	[KEY_LOSS] = { "loss", VALUE_DB, 0.01, 40, "optical loss" },
	[KEY_LANES] = { "lanes", VALUE_COUNT, 1, PLANT_LANES_MAX,
			"how many lanes, where no lane is named" },
	[KEY_TO] = { "to", VALUE_BER, 1e-12, 0.1,
		     "pre-FEC BER of the lane at the end of the ramp" },
	[KEY_BIAS] = { "bias", VALUE_SHARE, 0, 3, "growth of the bias" },
	[KEY_RISE] = { "rise", VALUE_KELVIN, 0.1, 60, "rise of temperature" },
	[KEY_COUNT] = { "count", VALUE_COUNT, 1, 100000, "how many times" },
	[KEY_EVERY] = { "every", VALUE_DURATION, 0.01, YEAR_S,
			"time from one to the next" },
	[KEY_LAST] = { "last", VALUE_DURATION, 0.001, 86400,
		       "how long each one lasts" },
	[KEY_DECADES] = { "decades", VALUE_NUMBER, 0.1, 8,
			  "rise of the BER, in powers of ten" },
	[KEY_REASON] = { "reason", VALUE_WORD, 0, 0, "why the link is down" },
	[KEY_GAP] = { "gap", VALUE_DURATION, 0.001, 86400,
		      "how long it is absent" },
	[KEY_SHARE] = { "share", VALUE_SHARE, 0.0001, 1,
			"share of the readings, frames or time affected" },
	[KEY_RATE] = { "rate", VALUE_NUMBER, 0.0001, 1e6, "events a second" },
	[KEY_TAIL] = { "tail", VALUE_SHARE, 0, 0.95,
		       "chance that a burst takes one more symbol" },
	[KEY_PEAK] = { "peak", VALUE_SHARE, 0.01, 1, "share of the port's "
						     "buffer" },
	[KEY_PRIORITY] = { "priority", VALUE_COUNT, 0, PLANT_PRIORITIES - 1,
			   "PFC priority" },
	[KEY_DROOP] = { "droop", VALUE_MILLIVOLT, 0, 500,
			"fall of the module's supply" },
	[KEY_BITS] = { "bits", VALUE_WORD, 0, 0, "width of the counters" },
	[KEY_LEFT] = { "left", VALUE_DURATION, 0, 86400,
		       "time to the wrap at the present rate" },
	[KEY_LOAD] = { "load", VALUE_SHARE, 0, 0.98, "share of the line rate" },
	[KEY_SWING] = { "swing", VALUE_KELVIN, 0, 30, "half the peak-to-peak "
						      "value" },
	[KEY_PERIOD] = { "period", VALUE_DURATION, 1, YEAR_S,
			 "length of one cycle" },
};

static const struct plant_fault_info rows[FAULT_COUNT] = {
	[FAULT_FEC_GROWTH] = { "fec_growth",
		"to=3e-4 lanes=8 ramp=10m for=always",
		"Noise in the receiver grows, without loss of light", false },
	[FAULT_COPPER_GROWTH] = { "copper_growth",
		"to=3e-4 lanes=8 ramp=10m for=always",
		"A copper cable's contacts or shields degrade", false },
	[FAULT_DIRTY] = { "dirty", "loss=3dB lanes=1 ramp=0s for=always",
		"Dirt on a connector dims one lane or a few", false },
	[FAULT_BEND] = { "bend", "loss=3dB ramp=0s for=always",
		"A bent fibre dims all lanes, more at longer wavelengths, and "
		"is unsteady", false },
	[FAULT_TX_DECAY] = { "tx_decay",
		"bias=40% loss=1dB lanes=1 ramp=1h for=always",
		"The near laser wears out: more bias, less light; the far end "
		"sees the errors", false },
	[FAULT_FAR_DECAY] = { "far_decay",
		"loss=3dB lanes=1 ramp=1h for=always",
		"The far laser wears out: less light here", false },
	[FAULT_HOT] = { "hot", "rise=20K ramp=5m for=always",
		"The module overheats", false },
	[FAULT_FAN] = { "fan", "rise=8K ramp=3m for=always",
		"A fan stops and the air around the ports warms up",
		false },
	[FAULT_LOOSE] = { "loose", "every=5m last=10s decades=3 for=always",
		"A badly seated module: spikes of errors that clear by "
		"themselves and lose codewords, often with bus failures",
		false },
	[FAULT_BURST] = { "burst", "rate=50 tail=75% for=always",
		"Bursts of symbol errors within single codewords", false },
	[FAULT_GROUP] = { "group", "droop=60mV decades=2 ramp=0s for=always",
		"The supply of a component that the ports share droops",
		false },
	[FAULT_FLAP] = { "flap", "count=5 every=10s last=1s",
		"The link falls and returns, and its light is normal",
		false },
	[FAULT_DOWN] = { "down", "reason=light|remote for=always",
		"The link is down: no light comes, or the far end reports a "
		"fault", false },
	[FAULT_SHUT] = { "shut", "for=always",
		"The port is shut by configuration", true },
	[FAULT_PULL] = { "pull", "for=always",
		"The module is out of its cage", false },
	[FAULT_SWAP] = { "swap", "gap=20s",
		"Another module takes the place of this one", true },
	[FAULT_BAD_DOM] = { "bad_dom", "share=100% for=always",
		"The module's bus reads all ones", false },
	[FAULT_FREEZE_DOM] = { "freeze_dom", "for=always",
		"The module's readings are not updated", false },
	[FAULT_MICROBURST] = { "microburst", "rate=2 peak=60% for=always",
		"Short bursts fill the lossless queue", false },
	[FAULT_ECN] = { "ecn", "share=5% for=always",
		"Lasting congestion: this share of frames is ECN-marked",
		false },
	[FAULT_PFC_STORM] = { "pfc_storm", "priority=3 share=90% for=always",
		"The neighbour pauses a priority for this share of time",
		false },
	[FAULT_MISSING] = { "missing", "share=100% for=always",
		"Counters do not answer", true },
	[FAULT_RESET_COUNTERS] = { "reset_counters", "",
		"Counters begin again from 0", true },
	[FAULT_WRAP] = { "wrap", "bits=64|32 left=30s",
		"Counters jump to just before their wrap", true },
	[FAULT_LOAD_PHASE] = { "load_phase", "load=90% ramp=0s for=always",
		"The job changes its load, which warms the modules", true },
	[FAULT_DIURNAL] = { "diurnal", "swing=4K period=24h for=always",
		"The room's temperature swings more", true },
	[FAULT_REBOOT] = { "reboot", "gap=1m",
		"The ports restart: links down, then counters from 0", true },
};

static const struct fault_nature natures[FAULT_COUNT] = {
	[FAULT_COPPER_GROWTH] = { .needs = NEEDS_COPPER },
	[FAULT_DIRTY] = { .needs = NEEDS_LIGHT },
	[FAULT_BEND] = { .needs = NEEDS_LIGHT },
	[FAULT_TX_DECAY] = { .needs = NEEDS_LIGHT },
	[FAULT_FAR_DECAY] = { .needs = NEEDS_LIGHT },
	[FAULT_HOT] = { .needs = NEEDS_MODULE, .of_module = true },
	[FAULT_GROUP] = { .of_module = true },
	[FAULT_FLAP] = { .counts = true },
	[FAULT_PULL] = { .of_module = true },
	[FAULT_SWAP] = { .of_module = true },
	[FAULT_BAD_DOM] = { .needs = NEEDS_MODULE, .of_module = true },
	[FAULT_FREEZE_DOM] = { .needs = NEEDS_MODULE, .of_module = true },
	[FAULT_RESET_COUNTERS] = { .at_once = true },
	[FAULT_WRAP] = { .at_once = true },
};

const struct plant_fault_info *plant_faults(size_t *ret_count)
{
	*ret_count = FAULT_COUNT;
	return rows;
}

const struct fault_nature *fault_nature(enum fault_kind kind)
{
	return &natures[kind];
}

const struct fault_key_info *fault_key_info(enum fault_key key)
{
	return &keys[key];
}

int fault_find(const char *name, struct diag *d)
{
	struct value_nearest nearest = { .word = name };

	for (int i = 0; i < FAULT_COUNT; i++) {
		if (strcmp(rows[i].name, name) == 0)
			return i;
		value_offer(&nearest, rows[i].name);
	}
	return diag_set(d, -EINVAL, "'%s' is not a fault; did you mean '%s'?",
			name, nearest.best);
}

static int key_find(const char *name, size_t len)
{
	for (int i = 0; i < FAULT_KEY_COUNT; i++)
		if (strlen(keys[i].name) == len &&
		    memcmp(keys[i].name, name, len) == 0)
			return i;
	return -ENOENT;
}

/* The next "key=default" of a row's text; false at its end. The default goes to
 * ret_text (a list of words as a whole), the key to *ret_key.
 */
static bool row_next(const char **text, enum fault_key *ret_key,
		     char ret_text[static KEY_TEXT_MAX])
{
	const char *word = *text + strspn(*text, " ");
	size_t len = strcspn(word, " "), name = strcspn(word, "=");
	int key;

	if (len == 0)
		return false;
	key = key_find(word, name);
	assert(key >= 0 && name < len && len - name <= KEY_TEXT_MAX);
	memcpy(ret_text, word + name + 1, len - name - 1);
	ret_text[len - name - 1] = '\0';
	*ret_key = (enum fault_key)key;
	*text = word + len;
	return true;
}

void fault_defaults(enum fault_kind kind, double value[FAULT_KEY_COUNT])
{
	const char *text = rows[kind].keys;
	char written[KEY_TEXT_MAX];
	enum fault_key key;

	memset(value, 0, FAULT_KEY_COUNT * sizeof(value[0]));
	value[KEY_FOR] = INFINITY;
	while (row_next(&text, &key, written)) {
		const struct fault_key_info *k = &keys[key];

		/* The default of a list of words is its first word, value 0. */
		if (k->unit != VALUE_WORD &&
		    value_parse(k->name, k->unit, written, k->min, k->max,
				&value[key], NULL) < 0)
			assert(!"a default of the fault table is no value");
	}
}

static int key_unknown(enum fault_kind kind, const char *name, struct diag *d)
{
	const char *text = rows[kind].keys;
	struct value_nearest nearest = { .word = name };
	char written[KEY_TEXT_MAX];
	enum fault_key key;

	while (row_next(&text, &key, written))
		value_offer(&nearest, keys[key].name);
	if (!nearest.best)
		return diag_set(d, -EINVAL, "'%s' takes no keys; found '%s'",
				rows[kind].name, name);
	return diag_set(d, -EINVAL, "'%s' has no key '%s'; did you mean '%s'? "
			"(%s)", rows[kind].name, name, nearest.best,
			rows[kind].keys);
}

int fault_key_parse(enum fault_kind kind, const char *word,
		    double value[FAULT_KEY_COUNT], struct diag *d)
{
	const char *text = rows[kind].keys;
	size_t len = strcspn(word, "=");
	char name[KEY_TEXT_MAX], written[KEY_TEXT_MAX];
	enum fault_key key;

	if (word[len] == '\0' || len == 0 || len >= sizeof(name))
		return diag_set(d, -EINVAL, "'%s' is not key=value", word);
	memcpy(name, word, len);
	name[len] = '\0';
	while (row_next(&text, &key, written)) {
		const struct fault_key_info *k = &keys[key];

		if (strcmp(k->name, name) != 0)
			continue;
		if (k->unit == VALUE_WORD)
			return value_parse_word(name, written, word + len + 1,
						&value[key], d);
		return value_parse(name, k->unit, word + len + 1, k->min,
				   k->max, &value[key], d);
	}
	return key_unknown(kind, name, d);
}
