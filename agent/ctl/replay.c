/* petrel replay: the agent's own detectors over a recorded trace.
 *
 *   petrel replay [--ports PORTS.ndjson] [--config FILE] [--json] SAMPLES|-
 *
 * Prints one line for each change of a finding; with --json one object
 * (DESIGN.md, section 5). A line that cannot be read is reported on standard
 * error with its number and skipped.
 */
#include <errno.h>
#include <json-c/json.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/config/config.h"
#include "agent/ctl/file_octets.h"
#include "agent/ctl/finding_text.h"
#include "agent/ctl/options.h"
#include "agent/ctl/runs.h"
#include "agent/ctl/timeline.h"
#include "agent/ctl/trace_read.h"
#include "agent/record/json.h"
#include "agent/signature/engine.h"
#include "petrel/local.h"

#define PORTS_MAX 4096
#define TOLD_MAX 20		/* bad lines reported individually */
#define YEAR_NS (365 * 86400 * NS_PER_S)
#define SWITCH_NAME "replay"

/* One port of the trace. */
struct replay_port {
	uint32_t engine;		/* its number in the engine */
	uint32_t tick;			/* the last one it was in */
	struct timeline_port time;
	struct port_facts facts;
};

struct replay {
	struct engine *engine;
	struct timeline time;
	struct replay_port *ports;
	size_t count;
	struct hsearch_data names;	/* to ports */
	uint32_t tick;			/* number of the current one */
	uint32_t sensor, sensor_tick;	/* the last one read, and its tick */
	struct mono tick_began;
	struct mono now;
	struct wall wall;
	bool json;
	uint64_t bad, taken;		/* taken: of the current file */
	const char *file;
	struct trace_sample sample;
	struct port_facts facts;
};

static void print_text(const struct finding *f)
{
	time_t s = (time_t)(f->when_wall.ns / NS_PER_S);
	char when[32] = "?", cliff[128], where[FINDING_WHERE_MAX];
	struct tm tm;

	if (gmtime_r(&s, &tm))
		(void)strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%SZ", &tm);
	cliff_text(&f->cliff, cliff, sizeof(cliff));
	finding_where(f, where, sizeof(where));
	(void)printf("%s %-12s %-8s %-8s %s %s: %s%s%s%s%s\n", when, where,
		     finding_state_name(f->state), severity_name(f->severity),
		     signature_name(f->signature), f->id, f->cause,
		     cliff[0] ? "; " : "", cliff, f->into[0] ? "" : "; ",
		     f->into[0] ? "" : action_words(f, f->action));
}

static void on_finding(void *context, const struct finding *f)
{
	const struct replay *r = context;
	struct json_object *o;

	if (!r->json) {
		print_text(f);
		return;
	}
	o = finding_json(f);
	if (o)
		(void)json_line(stdout, o); /* main() checks it */
	json_object_put(o);
}

/* NULL: it is not known yet. */
static struct replay_port *port_find(struct replay *r, const char *name)
{
	ENTRY key, *found;

	key.key = (char *)(uintptr_t)name;	/* it is only read */
	key.data = NULL;
	return hsearch_r(key, FIND, &found, &r->names) ? found->data : NULL;
}

/* ret: NULL, or takes the port. */
static int port_add(struct replay *r, const struct port_facts *facts,
		    struct replay_port **ret, struct diag *d)
{
	struct replay_port *p = port_find(r, facts->name);
	ENTRY entry, *entered;
	uint32_t number;

	if (engine_port(r->engine, facts, &number) < 0 ||
	    (!p && r->count == PORTS_MAX))
		return diag_set(d, -ENOSPC, "port %s exceeds the limit of %d "
				"ports", facts->name, PORTS_MAX);
	if (!p) {
		p = &r->ports[r->count++];
		memcpy(p->facts.name, facts->name, sizeof(facts->name));
		entry = (ENTRY){ .key = p->facts.name, .data = p };
		(void)hsearch_r(entry, ENTER, &entered, &r->names);
	}
	p->engine = number;
	p->facts = *facts;	/* if repeated, the newer */
	if (ret)
		*ret = p;
	return 0;
}

static bool counts_errors(const struct trace_sample *s)
{
	return s->histogram_seen ||
	       inputs_has(&s->tick, INPUT_FEC_CORRECTED_BITS) ||
	       inputs_has(&s->tick, INPUT_FEC_SYMBOL_ERRORS) ||
	       inputs_has(&s->tick, INPUT_FEC_CORRECTED_CW);
}

/* By the speed of a lane, where it is known. */
static enum fec_mode fec_guess(const struct port_facts *f)
{
	if (!f->lanes || !f->speed_mbps)
		return FEC_RS544;
	return (enum fec_mode)fec_mode_parse("rs", f->speed_mbps, f->lanes);
}

/* Adds what PORTS leaves open and a sample shows. Returns whether it did. */
static bool facts_complete(struct port_facts *f, const struct trace_sample *s)
{
	bool has_lanes = !f->lanes && s->lanes_seen;
	bool has_media = !f->media_known && s->lanes_seen;
	bool has_fec = f->fec == FEC_AUTO && counts_errors(s);

	if (has_lanes)
		f->lanes = s->lanes_seen;
	if (has_media)
		f->optical = f->media_known = true;
	if (has_fec)
		f->fec = fec_guess(f);
	return has_lanes || has_media || has_fec;
}

static int port_get(struct replay *r, struct replay_port **ret,
		    struct diag *d)
{
	struct replay_port *p = port_find(r, r->sample.port);
	struct port_facts *f = p ? &p->facts : &r->facts;

	*ret = p;
	if (!p) {
		*f = (struct port_facts){ .counter_bits = 64, .fec = FEC_AUTO };
		memcpy(f->name, r->sample.port, sizeof(f->name));
	}
	if (!facts_complete(f, &r->sample) && p)
		return 0;
	return port_add(r, f, ret, d);
}

static int event_take(struct replay *r, struct diag *d)
{
	struct mono t = { r->sample.ts_ns + r->time.offset_ns };
	struct wall wall = { r->sample.ts_ns };
	uint32_t port = ENGINE_ALL_PORTS;
	struct replay_port *p;
	int rc;

	if (r->sample.port[0]) {
		rc = port_get(r, &p, d);
		if (rc)
			return rc;
		port = p->engine;
	}
	if (r->sample.event < ENGINE_EVENT_COUNT)
		engine_event(r->engine, port, r->sample.event, t, wall);
	return 0;
}

/* Ends a tick; the next one begins with a reading of time t. */
static void tick_end(struct replay *r, struct mono t)
{
	engine_tick(r->engine, r->now, r->wall);
	r->tick++;
	r->tick_began = t;
}

/* Sensors are numbered in the order they appear: one that is not above the last
 * begins the next tick, unless a port already did.
 */
static int sensor_take(struct replay *r, struct diag *d)
{
	struct mono t = { r->sample.ts_ns + r->time.offset_ns };
	uint32_t n;
	int rc;

	if (r->sample.sensor.kind == SENSOR_KIND_COUNT)
		return 0;	/* a kind that is newer than this program */
	rc = engine_sensor(r->engine, &r->sample.sensor, &n);
	if (rc < 0)
		return diag_set(d, rc, "sensor %s: %s", r->sample.sensor.name,
				strerror(-rc));
	if (r->sensor_tick == r->tick && n <= r->sensor)
		tick_end(r, t);
	r->sensor = n;
	r->sensor_tick = r->tick;
	if (t.ns > r->now.ns) {
		r->now = t;
		r->wall.ns = r->sample.ts_ns;
	}
	engine_sensor_reading(r->engine, n, &r->sample.shown, t);
	return 0;
}

/* A port that is seen again begins the next tick, and so does more than half of
 * its period: samples may be missing, so neither alone is enough.
 */
static void tick_follow(struct replay *r, struct replay_port *p)
{
	struct mono t = r->sample.tick.t;

	if (p->tick == r->tick ||
	    (p->time.period_ns > 0 &&
	     mono_diff_ns(t, r->tick_began) > p->time.period_ns / 2))
		tick_end(r, t);
	p->tick = r->tick;
}

static int sample_take(struct replay *r, struct diag *d)
{
	struct replay_port *p;
	int rc = port_get(r, &p, d);

	if (rc)
		return rc;
	if (timeline_place(&r->time, &p->time, &r->sample) < 0)
		return 0;	/* repeated or late: counters lose nothing */
	tick_follow(r, p);
	r->now = r->sample.tick.t;
	r->wall.ns = r->sample.ts_ns;
	engine_reading(r->engine, p->engine, &r->sample.tick, r->wall);
	return 0;
}

static int sample_line(struct replay *r, const char *line, size_t len,
		       struct diag *d)
{
	int rc = trace_sample_read(line, len, &r->sample, d);

	if (rc < 0)
		return rc;
	if (r->sample.sensor.name[0])
		return sensor_take(r, d);
	return r->sample.is_event ? event_take(r, d) : sample_take(r, d);
}

static int port_line(struct replay *r, const char *line, size_t len,
		     struct diag *d)
{
	int rc = trace_port_read(line, len, &r->facts, d);

	return rc < 0 ? rc : port_add(r, &r->facts, NULL, d);
}

static void tell_bad(struct replay *r, uint64_t number, const struct diag *d)
{
	if (r->bad++ < TOLD_MAX)
		(void)fprintf(stderr, "petrel replay: %s:%llu: %s; skipped\n",
			      r->file, (unsigned long long)number, d->text);
	else if (r->bad == TOLD_MAX + 1)
		(void)fprintf(stderr, "petrel replay: %s: further bad lines are "
			      "only counted\n", r->file);
}

typedef int take_fn(struct replay *r, const char *line, size_t len,
		    struct diag *d);

static void line_take(struct replay *r, take_fn *take, const char *line,
		      size_t len, uint64_t number)
{
	static const char mark[] = "\xef\xbb\xbf";	/* byte order mark */
	struct diag d;
	int rc;

	if (number == 1 && strncmp(line, mark, sizeof(mark) - 1) == 0) {
		line += sizeof(mark) - 1;
		len -= sizeof(mark) - 1;
	}
	if (len == 0 || strspn(line, " \t\r\n") >= len)
		return;
	rc = len > TRACE_LINE_MAX ?
	     diag_set(&d, -EMSGSIZE, "%zu octets; at most %u", len,
		      TRACE_LINE_MAX) :
	     take(r, line, len, &d);
	if (rc < 0)
		tell_bad(r, number, &d);
	else
		r->taken++;
}

/* Passes each line of a file to take. Returns 0, or an exit code with d. */
static int lines_read(struct replay *r, FILE *in, take_fn *take,
		      struct diag *d)
{
	const char *program = NULL;
	char *line = NULL;
	size_t cap = 0;
	uint64_t number = 0;
	ssize_t len;
	int rc = 0;

	errno = 0;
	while (!program && (len = getline(&line, &cap, in)) >= 0) {
		program = number++ ? NULL : file_packed_by(line,
								(size_t)len);
		if (!program)
			line_take(r, take, line, (size_t)len, number);
		errno = 0;
	}
	if (program)
		rc = diag_set(d, EXIT_BAD_DATA, "compressed by %s; expected "
			      "lines of JSON: %s -dc FILE | petrel replay -",
			      program, program);
	else if (ferror(in))
		rc = diag_set(d, EXIT_NO_SUCH, "%s", strerror(errno));
	free(line);
	return rc;
}

static int file_read(struct replay *r, const char *path, take_fn *take)
{
	bool is_stdin = strcmp(path, "-") == 0;
	FILE *in = is_stdin ? stdin : fopen(path, "re");
	struct diag d;
	int rc;

	r->file = file_label(path);
	if (!in) {
		(void)fprintf(stderr, "petrel replay: %s: %s\n", path,
			      strerror(errno));
		return EXIT_NO_SUCH;
	}
	r->taken = 0;
	rc = lines_read(r, in, take, &d);
	if (!is_stdin)
		(void)fclose(in);	/* it was only read */
	if (rc)
		(void)fprintf(stderr, "petrel replay: %s: %s\n", r->file,
			      d.text);
	return rc;
}

/* The switch's name is part of the findings' ids. */
static int switch_name(const char *config, char *ret, size_t cap)
{
	struct config c;
	struct diag d;

	(void)snprintf(ret, cap, "%s", SWITCH_NAME);
	if (!config)
		return 0;
	if (config_load(NULL, NULL, config, false, &c, &d) < 0) {
		(void)fprintf(stderr, "petrel replay: %s\n", d.text);
		return EXIT_USAGE;
	}
	if (c.name[0])
		(void)snprintf(ret, cap, "%.*s", (int)cap - 1, c.name);
	return 0;
}

static int trace_play(struct replay *r, const struct invocation *inv)
{
	uint64_t unused;
	int rc = 0;

	if (option_given(inv, OPTION_PORTS))
		rc = file_read(r, inv->value[OPTION_PORTS], port_line);
	if (rc == 0 && option_given(inv, OPTION_PORTS) && r->taken == 0)
		(void)fprintf(stderr, "petrel replay: %s: no ports\n", r->file);
	if (rc == 0)
		rc = file_read(r, inv->argument[0], sample_line);
	unused = r->time.late + r->time.repeated;
	if (rc == 0 && r->taken == 0) {
		(void)fprintf(stderr, "petrel replay: %s: no samples\n",
			      r->file);
		rc = EXIT_BAD_DATA;	/* silence would mean: no fault */
	}
	if (r->wall.ns > 0 && r->wall.ns < YEAR_NS)
		(void)fprintf(stderr, "petrel replay: %s: its time is in 1970; "
			      "expected ns since 1970 in ts_ns\n", r->file);
	if (unused > r->taken / 2)
		(void)fprintf(stderr, "petrel replay: %s: %llu of %llu lines "
			      "are not used: their time is not after that of "
			      "the previous line of their port\n", r->file,
			      (unsigned long long)unused,
			      (unsigned long long)r->taken);
	if (r->bad == 0)
		return rc;
	(void)fprintf(stderr, "petrel replay: %llu line%s could not be read\n",
		      (unsigned long long)r->bad, r->bad == 1 ? "" : "s");
	return rc ? rc : EXIT_INCOMPLETE;
}

int replay_run(const struct invocation *inv)
{
	char name[ENTITY_NAME_MAX];
	struct replay *r;
	int rc = switch_name(inv->value[OPTION_CONFIG], name, sizeof(name));

	if (rc)
		return rc;
	r = calloc(1, sizeof(*r));
	if (r)
		r->ports = calloc(PORTS_MAX, sizeof(*r->ports));
	if (!r || !r->ports || !hcreate_r(2 * PORTS_MAX, &r->names) ||
	    engine_new(PORTS_MAX, name, on_finding, r, &r->engine) < 0) {
		(void)fputs("petrel replay: out of memory\n", stderr);
		rc = EXIT_INCOMPLETE;
	} else {
		r->json = option_given(inv, OPTION_JSON);
		r->tick = 1;
		rc = trace_play(r, inv);
		engine_free(r->engine);
	}
	if (r) {
		hdestroy_r(&r->names);
		free(r->ports);
	}
	free(r);
	return rc;
}
