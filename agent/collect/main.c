/* petrel-collector: receives records from agents, keeps them, prints them. */
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "agent/base/number.h"
#include "agent/collect/admission.h"
#include "agent/collect/collector.h"
#include "agent/collect/print.h"
#include "agent/collect/sinks.h"
#include "agent/collect/web.h"
#include "agent/seal/enrol.h"
#include "petrel/log.h"
#include "petrel/quantity.h"
#include "petrel/wire.h"

#define CONFIG_DEFAULT "/etc/petrel/collector.conf"

#define ENROL_NS (86400 * NS_PER_S)	/* a token is good for a day */

struct options {
	const char *config, *spool;
	const char *enrol;		/* a switch's id */
	int64_t enrol_ns;		/* 0: default */
	bool check, print, key;
	struct print_options of_print;
};

enum { OPTION_CHECK = 256, OPTION_PRINT, OPTION_FOLLOW, OPTION_STREAM,
       OPTION_KIND, OPTION_SWITCH, OPTION_PORT, OPTION_QUANTITY, OPTION_SINCE,
       OPTION_SPOOL, OPTION_KEY, OPTION_ENROL, OPTION_FOR, OPTION_VERSION };

static const struct option long_options[] = {
	{ "config", required_argument, NULL, 'c' },
	{ "check", no_argument, NULL, OPTION_CHECK },
	{ "print", no_argument, NULL, OPTION_PRINT },
	{ "follow", no_argument, NULL, OPTION_FOLLOW },
	{ "stream", required_argument, NULL, OPTION_STREAM },
	{ "kind", required_argument, NULL, OPTION_KIND },
	{ "switch", required_argument, NULL, OPTION_SWITCH },
	{ "port", required_argument, NULL, OPTION_PORT },
	{ "quantity", required_argument, NULL, OPTION_QUANTITY },
	{ "since", required_argument, NULL, OPTION_SINCE },
	{ "spool", required_argument, NULL, OPTION_SPOOL },
	{ "key", no_argument, NULL, OPTION_KEY },
	{ "enrol", required_argument, NULL, OPTION_ENROL },
	{ "for", required_argument, NULL, OPTION_FOR },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int usage(FILE *out, int status)
{
	(void)fputs("usage: petrel-collector [--config FILE] [--check | "
		    "--key]\n"
		    "       petrel-collector [--config FILE] --enrol ID "
		    "[--for TIME]\n"
		    "       petrel-collector [--config FILE] --print "
		    "[--follow]\n"
		    "           [--stream NAME]... [--kind NAME]... "
		    "[--switch NAME]\n"
		    "           [--port NAME] [--quantity NAME] [--since TIME] "
		    "[--spool DIR]\n"
		    "       petrel-collector --version | --help\n", out);
	return status;
}

static bool stream_want(const char *name, unsigned *streams)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (strcmp(stream_name(i), name) == 0) {
			*streams |= 1u << i;
			return true;
		}
	(void)fprintf(stderr, "petrel-collector: no stream %s; expected",
		      name);
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		(void)fprintf(stderr, " %s", stream_name(i));
	(void)fputc('\n', stderr);
	return false;
}

static bool kind_want(const char *name, unsigned *kinds)
{
	*kinds |= print_kinds(name);
	if (print_kinds(name))
		return true;
	(void)fprintf(stderr, "petrel-collector: no kind %s; expected all",
		      name);
	for (unsigned i = 1; i < RECORD_KIND_COUNT; i++)
		(void)fprintf(stderr, " %s", record_kind_name(i));
	(void)fputc('\n', stderr);
	return false;
}

static bool quantity_want(const char *name, const char **quantity)
{
	const struct quantity_info *info;
	struct diag d;

	*quantity = name;
	if (quantity_parse(name, &info, &d) == 0)
		return true;
	(void)fprintf(stderr, "petrel-collector: %s\n", d.text);
	return false;
}

static bool since_want(const char *age, int64_t *since_wall_ns)
{
	int64_t ns;

	if (number_parse_duration(age, &ns) < 0 || ns <= 0) {
		(void)fprintf(stderr, "petrel-collector: --since %s is not a "
			      "time; expected 30s, 15m, 2h or 7d\n", age);
		return false;
	}
	*since_wall_ns = clock_wall_now().ns - ns;
	return true;
}

/* Options of the filter of --print. */
static bool filter_option(int option, const char *value,
			  struct print_filter *ret)
{
	switch (option) {
	case OPTION_STREAM:
		return stream_want(value, &ret->streams);
	case OPTION_KIND:
		return kind_want(value, &ret->kinds);
	case OPTION_QUANTITY:
		return quantity_want(value, &ret->quantity);
	case OPTION_SINCE:
		return since_want(value, &ret->since_wall_ns);
	case OPTION_SWITCH:
		ret->switch_name = value;
		return true;
	default:
		ret->port = value;
		return true;
	}
}

static bool fits(const struct options *o)
{
	const struct print_filter *f = &o->of_print.filter;
	bool is_told = o->of_print.follow || f->streams || f->kinds ||
		       f->switch_name || f->port || f->quantity ||
		       f->since_wall_ns || o->spool;

	return o->print + o->check + o->key + (o->enrol != NULL) <= 1 &&
	       (o->print || !is_told) && (o->enrol || !o->enrol_ns);
}

/* Options --key, --enrol and --for; false: invalid value. */
static bool key_option(int option, const char *value, struct options *ret)
{
	if (option == OPTION_KEY) {
		ret->key = true;
	} else if (option == OPTION_ENROL) {
		ret->enrol = value;
	} else if (number_parse_duration(value, &ret->enrol_ns) < 0 ||
		   ret->enrol_ns <= 0) {
		(void)fprintf(stderr, "petrel-collector: --for %s is not a "
			      "time; expected 30m, 2h or 7d\n", value);
		return false;
	}
	return true;
}

/* Returns -1 to continue, else the exit status. */
static int options_parse(int argc, char **argv, struct options *ret)
{
	int c, which = 0;	/* -c is the first of the long ones */

	for (; (c = getopt_long(argc, argv, "c:h", long_options, &which)) != -1;
	     which = 0) {
		if (c != '?' && c != 'h' && long_options[which].has_arg &&
		    !optarg[0]) {
			(void)fprintf(stderr, "petrel-collector: --%s needs a "
				      "value, not an empty text\n",
				      long_options[which].name);
			return EX_USAGE;
		}
		switch (c) {
		case 'c':
			ret->config = optarg;
			break;
		case OPTION_CHECK:
			ret->check = true;
			break;
		case OPTION_PRINT:
			ret->print = true;
			break;
		case OPTION_FOLLOW:
			ret->of_print.follow = true;
			break;
		case OPTION_STREAM ... OPTION_SINCE:
			if (!filter_option(c, optarg, &ret->of_print.filter))
				return EX_USAGE;
			break;
		case OPTION_SPOOL:
			ret->spool = optarg;
			break;
		case OPTION_KEY:
		case OPTION_ENROL:
		case OPTION_FOR:
			if (!key_option(c, optarg, ret))
				return EX_USAGE;
			break;
		case OPTION_VERSION:
			(void)puts("petrel-collector " PETREL_VERSION);
			return EX_OK;
		case 'h':
			return usage(stdout, EX_OK);
		default:
			return usage(stderr, EX_USAGE);
		}
	}
	if (optind < argc)
		(void)fprintf(stderr, "petrel-collector: unexpected argument "
			      "'%s'\n", argv[optind]);
	if (optind < argc || !fits(ret))
		return usage(stderr, EX_USAGE);
	return -1;
}

static int failed(const struct diag *d, int status)
{
	(void)fprintf(stderr, "petrel-collector: %s\n", d->text);
	return status;
}

/* --print with --spool needs no configuration. */
static int spool_print(const struct options *o,
		       const struct collector_config *config)
{
	struct diag d;

	(void)signal(SIGPIPE, SIG_DFL);	/* print | head */
	if (print_run(o->spool ? o->spool : config->spool, &o->of_print,
		      stdout, &d) < 0)
		return failed(&d, EX_NOINPUT);
	return EX_OK;
}

/* Prints the public keys, one a line: the collector_key of petrel.conf. */
static int key_print(const struct collector_config *config)
{
	uint8_t secret[KEYS_MAX][NOISE_KEY_LEN];
	struct noise_pair pair;
	char text[KEY_TEXT_SIZE];
	unsigned count;
	struct diag d = { "no libsodium" };

	if (noise_start() < 0 ||
	    admission_keys(config, false, secret, &count, &d) < 0)
		return failed(&d, EX_NOINPUT);
	for (unsigned i = 0; i < count; i++) {
		noise_pair_of(secret[i], &pair);
		key_text(pair.public, text);
		(void)puts(text);
	}
	noise_forget(secret, sizeof(secret));
	noise_forget(&pair, sizeof(pair));
	return EX_OK;
}

static int token_print(const struct options *o,
		       const struct collector_config *config)
{
	int64_t ns = o->enrol_ns ? o->enrol_ns : ENROL_NS;
	struct wall until = { clock_wall_now().ns + ns };
	char token[TOKEN_TEXT_SIZE];
	struct diag d;

	if (enrol_issue(config->enrolment, o->enrol, until, token, &d) < 0)
		return failed(&d, EX_CANTCREAT);
	(void)puts(token);
	return EX_OK;
}

int main(int argc, char **argv)
{
	struct options o = { .config = CONFIG_DEFAULT };
	struct collector_config config = { .insecure = false };
	struct diag d;
	int status = options_parse(argc, argv, &o);

	if (status >= 0)
		return status;
	if (!(o.print && o.spool) &&
	    collector_config_load(o.config, false, &config, &d) < 0)
		return failed(&d, EX_CONFIG);
	if (o.key)
		return key_print(&config);
	if (o.enrol)
		return token_print(&o, &config);
	if (o.check && (collector_files_check(&config, &d) < 0 ||
			admission_check(&config, &d) < 0 ||
			web_check(&config, &d) < 0 ||
			sinks_check(&config, &d) < 0))
		return failed(&d, EX_CONFIG);
	if (o.check) {
		(void)printf("%s: valid\n", o.config);
		return EX_OK;
	}
	if (o.print)
		return spool_print(&o, &config);
	log_open("petrel-collector", log_target_guess(true), config.log_level);
	if (collector_run(&config, o.config, &d) < 0)
		return failed(&d, EX_UNAVAILABLE);
	return EX_OK;
}
