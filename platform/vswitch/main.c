/* petrel-vswitch: options, then the player. */
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "agent/base/number.h"
#include "petrel/clock.h"
#include "petrel/log.h"
#include "platform/vswitch/box.h"
#include "platform/vswitch/player.h"

#define SPEED_SCALE 1000000u
#define SPEED_MAX 10000
#define INTERVAL_MIN_NS (10 * NS_PER_MS)

#define KIND_MASK 0xf000
#define TO(kind, field) \
	NULL, OPTION_##kind | (int)offsetof(struct player_options, field)

/* The type of an option's value, and its place in the options. */
enum option_kind { OPTION_TEXT = 0x1000, OPTION_INTERVAL = 0x2000,
		   OPTION_SPEED = 0x3000, OPTION_ASICS = 0x4000,
		   OPTION_FLAG = 0x5000, OPTION_VERSION = 0x6000 };

static const struct option long_options[] = {
	{ "scenario", required_argument, TO(TEXT, scenario) },
	{ "root", required_argument, TO(TEXT, root) },
	{ "redis", required_argument, TO(TEXT, redis) },
	{ "speed", required_argument, TO(SPEED, speed) },
	{ "counters", required_argument, TO(INTERVAL, cadences.counters_ns) },
	{ "queues", required_argument, TO(INTERVAL, cadences.queues_ns) },
	{ "watermarks", required_argument,
	  TO(INTERVAL, cadences.watermarks_ns) },
	{ "dom", required_argument, TO(INTERVAL, cadences.modules_ns) },
	{ "heat", required_argument, TO(INTERVAL, cadences.heat_ns) },
	{ "for", required_argument, TO(INTERVAL, for_ns) },
	{ "asics", required_argument, TO(ASICS, asics) },
	{ "json-totals", required_argument, TO(TEXT, totals) },
	{ "journal", required_argument, TO(TEXT, journal) },
	{ "voq", no_argument, TO(FLAG, has_voqs) },
	{ "end-on-loss", no_argument, TO(FLAG, end_on_loss) },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int usage(FILE *out, int status)
{
	(void)fputs("usage: petrel-vswitch --root DIR | --redis SOCKET "
		    "[--scenario FILE]\n"
		    "  --root DIR         a folder as the switch's /: its "
		    "files and the sockets of redis\n"
		    "  --redis SOCKET     the redis-server to write to\n"
		    "  --scenario FILE    see petrel-scenario(5); default 64 "
		    "healthy ports\n"
		    "  --asics N          ASICs, each with its own databases\n"
		    "  --counters 1s --queues 10s --watermarks 60s --dom 60s\n"
		    "                     how often each is written\n"
		    "  --heat TIME        how often module temperatures alone "
		    "are written\n"
		    "  --speed F          seconds of the scenario per second\n"
		    "  --for TIME         stop after this time\n"
		    "  --voq              a VOQ switch: virtual output queues, "
		    "fabric ports\n"
		    "  --end-on-loss      stop when redis stops\n"
		    "  --json-totals FILE write all totals at the end\n"
		    "  --journal FILE     write them after each update, one "
		    "line each\n"
		    "  --version | --help\n"
		    "commands, as lines of standard input: renumber, flush, "
		    "config reload,\n  TSA, TSB, stop port PORT, start port "
		    "PORT, hold, go, totals, end\n", out);
	return status;
}

static bool speed_parse(const char *text, double *ret)
{
	int64_t scaled;

	if (number_parse_scaled(text, strlen(text), SPEED_SCALE, &scaled) < 0 ||
	    scaled <= 0 || scaled > (int64_t)SPEED_MAX * SPEED_SCALE)
		return false;
	*ret = (double)scaled / SPEED_SCALE;
	return true;
}

static bool interval_parse(const char *text, int64_t *ret)
{
	return number_parse_duration(text, ret) == 0 && *ret >= INTERVAL_MIN_NS;
}

static bool asics_parse(const char *text, unsigned *ret)
{
	uint64_t value;

	if (number_parse(text, 1, BOX_ASICS_MAX, &value) < 0)
		return false;
	*ret = (unsigned)value;
	return true;
}

/* False if the option's value is wrong. */
static bool option_take(int option, const char *value, struct player_options *o)
{
	void *field = (char *)o + (option & ~KIND_MASK);

	switch (option & KIND_MASK) {
	case OPTION_INTERVAL:
		return interval_parse(value, field);
	case OPTION_SPEED:
		return speed_parse(value, field);
	case OPTION_ASICS:
		return asics_parse(value, field);
	case OPTION_FLAG:
		*(bool *)field = true;
		return true;
	default:
		*(const char **)field = value;
		return true;
	}
}

static int wrong(const char *option, const char *value)
{
	(void)fprintf(stderr, "petrel-vswitch: --%s '%s' is not valid; see "
		      "petrel-vswitch --help\n", option, value);
	return EX_USAGE;
}

/* Returns -1 to continue, else the exit status. */
static int options_parse(int argc, char **argv, struct player_options *o)
{
	int c, index = 0;

	while ((c = getopt_long(argc, argv, "h", long_options, &index)) != -1) {
		if (c == OPTION_VERSION) {
			(void)puts("petrel-vswitch " PETREL_VERSION);
			return EX_OK;
		}
		if (c == 'h' || c == '?')
			return usage(c == 'h' ? stdout : stderr,
				     c == 'h' ? EX_OK : EX_USAGE);
		if (!option_take(c, optarg, o))
			return wrong(long_options[index].name, optarg);
	}
	if (optind < argc)
		(void)fprintf(stderr, "petrel-vswitch: unexpected argument "
			      "'%s'\n", argv[optind]);
	if (optind < argc || (!o->root && !o->redis) ||
	    (o->asics > 1 && !o->root))
		return usage(stderr, EX_USAGE);
	return -1;
}

int main(int argc, char **argv)
{
	struct player_options o = {
		.cadences = {
			.counters_ns = NS_PER_S,
			.queues_ns = 10 * NS_PER_S,
			.watermarks_ns = 60 * NS_PER_S,
			.modules_ns = 60 * NS_PER_S,
		},
		.speed = 1,
		.asics = 1,
	};
	struct diag d = { "" };
	int status = options_parse(argc, argv, &o);

	if (status >= 0)
		return status;
	log_open("petrel-vswitch", log_target_guess(true), LOG_PRIORITY_INFO);
	if (player_run(&o, &d) == 0)
		return EX_OK;
	(void)fprintf(stderr, "petrel-vswitch: %s\n", d.text);
	return EX_UNAVAILABLE;
}
