/* petrel-vswitch: options, then the player. */
#include <getopt.h>
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

enum { OPTION_SCENARIO = 256, OPTION_ROOT, OPTION_REDIS, OPTION_SPEED,
       OPTION_COUNTERS, OPTION_QUEUES, OPTION_WATERMARKS, OPTION_DOM,
       OPTION_HEAT, OPTION_FOR, OPTION_ASICS, OPTION_TOTALS, OPTION_JOURNAL,
       OPTION_END_ON_LOSS, OPTION_VOQ, OPTION_VERSION };

static const struct option long_options[] = {
	{ "scenario", required_argument, NULL, OPTION_SCENARIO },
	{ "root", required_argument, NULL, OPTION_ROOT },
	{ "redis", required_argument, NULL, OPTION_REDIS },
	{ "speed", required_argument, NULL, OPTION_SPEED },
	{ "counters", required_argument, NULL, OPTION_COUNTERS },
	{ "queues", required_argument, NULL, OPTION_QUEUES },
	{ "watermarks", required_argument, NULL, OPTION_WATERMARKS },
	{ "dom", required_argument, NULL, OPTION_DOM },
	{ "heat", required_argument, NULL, OPTION_HEAT },
	{ "for", required_argument, NULL, OPTION_FOR },
	{ "asics", required_argument, NULL, OPTION_ASICS },
	{ "json-totals", required_argument, NULL, OPTION_TOTALS },
	{ "journal", required_argument, NULL, OPTION_JOURNAL },
	{ "voq", no_argument, NULL, OPTION_VOQ },
	{ "end-on-loss", no_argument, NULL, OPTION_END_ON_LOSS },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int usage(FILE *out, int status)
{
	(void)fputs("usage: petrel-vswitch --root DIR | --redis SOCKET "
		    "[--scenario FILE]\n"
		    "  --root DIR         stands for the switch's /: files, "
		    "and the sockets of redis\n"
		    "  --redis SOCKET     plays into this redis-server\n"
		    "  --scenario FILE    see petrel-scenario(5); default 64 "
		    "healthy ports\n"
		    "  --asics N          chips with databases of their own\n"
		    "  --counters 1s --queues 10s --watermarks 60s --dom 60s\n"
		    "  --heat TIME        modules' temperatures alone, as some "
		    "platforms do\n"
		    "  --speed F          seconds of the scenario a second\n"
		    "  --for TIME         ends by itself\n"
		    "  --voq              a VOQ switch: virtual output queues, "
		    "fabric ports\n"
		    "  --end-on-loss      ends when redis does\n"
		    "  --json-totals FILE what was played, at the end\n"
		    "  --journal FILE     the same after each play, a line each\n"
		    "  --version | --help\n"
		    "commands, by lines of standard input: renumber, flush, "
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

/* False: the option's value is wrong. */
static bool option_take(int option, const char *value,
			struct player_options *o)
{
	switch (option) {
	case OPTION_SCENARIO:
		o->scenario = value;
		return true;
	case OPTION_ROOT:
		o->root = value;
		return true;
	case OPTION_REDIS:
		o->redis = value;
		return true;
	case OPTION_SPEED:
		return speed_parse(value, &o->speed);
	case OPTION_COUNTERS:
		return interval_parse(value, &o->cadences.counters_ns);
	case OPTION_QUEUES:
		return interval_parse(value, &o->cadences.queues_ns);
	case OPTION_WATERMARKS:
		return interval_parse(value, &o->cadences.watermarks_ns);
	case OPTION_DOM:
		return interval_parse(value, &o->cadences.modules_ns);
	case OPTION_HEAT:
		return interval_parse(value, &o->cadences.heat_ns);
	case OPTION_FOR:
		return interval_parse(value, &o->for_ns);
	case OPTION_ASICS:
		return asics_parse(value, &o->asics);
	case OPTION_TOTALS:
		o->totals = value;
		return true;
	case OPTION_JOURNAL:
		o->journal = value;
		return true;
	case OPTION_VOQ:
		o->has_voqs = true;
		return true;
	case OPTION_END_ON_LOSS:
		o->end_on_loss = true;
		return true;
	default:
		return false;
	}
}

static int wrong(const char *option, const char *value)
{
	(void)fprintf(stderr, "petrel-vswitch: --%s '%s' is not right; see "
		      "petrel-vswitch --help\n", option, value);
	return EX_USAGE;
}

/* Returns -1 to go on, else the exit status. */
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
