/* Plays one instance of a driver for some seconds and prints what it says,
 * one JSON object a line, with the monotonic time at which it was said.
 *
 *   contract_play core|reader SECONDS DRIVER [root=DIR] [key=value …]
 *
 * Exits 1 when the driver broke a promise; the faults are printed too. A line
 * {"ready":true} comes after the first cycle. For system tests.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <json-c/json.h>
#include "agent/base/number.h"
#include "tests/contract/contract_run.h"

#define SECONDS_MAX 3600u
#define TICK_NS NS_PER_S

struct play {
	struct contract_run run;
};

static void line_end(struct json_object *line)
{
	json_object_object_add(line, "at_ns",
			       json_object_new_int64(clock_mono_now().ns));
	(void)puts(json_object_to_json_string_ext(line,
						  JSON_C_TO_STRING_PLAIN));
	(void)fflush(stdout);
	json_object_put(line);
}

static void text_add(struct json_object *line, const char *key,
		     const char *text)
{
	json_object_object_add(line, key,
			       text ? json_object_new_string(text) : NULL);
}

static void number_add(struct json_object *line, const char *key, int64_t n)
{
	json_object_object_add(line, key, json_object_new_int64(n));
}

/* A line that begins with the entity it is about. */
static struct json_object *line_of(const struct play *p, const char *what,
				   uint32_t handle)
{
	const struct recorded_entity *e =
		recording_host_entity(p->run.record, handle);
	struct json_object *line = json_object_new_object();

	text_add(line, "what", what);
	text_add(line, "kind", e ? entity_kind_name(e->key.kind) : NULL);
	text_add(line, "name", e ? e->key.name : NULL);
	number_add(line, "handle", handle);
	return line;
}

static void on_entity(void *context, uint32_t handle, bool gone)
{
	line_end(line_of(context, gone ? "gone" : "entity", handle));
}

static void on_attribute(void *context, uint32_t handle, enum attribute which)
{
	const struct play *p = context;
	struct json_object *line = line_of(p, "attribute", handle);

	text_add(line, "attribute", attribute_name(which));
	text_add(line, "text", recording_host_entity(p->run.record, handle)
				       ->attribute[which]);
	line_end(line);
}

static const char *source_name(const struct play *p, unsigned source)
{
	return p->run.setup->driver->sources[source]->name;
}

static void on_value(void *context, const struct recorded_value *v)
{
	const struct play *p = context;
	struct json_object *line = line_of(p, "value", v->handle);

	text_add(line, "source", source_name(p, v->source));
	text_add(line, "quantity", quantity_find((uint16_t)v->quantity)->name);
	number_add(line, "index", v->index);
	number_add(line, "value", v->value);
	number_add(line, "quality", v->quality);
	number_add(line, "taken_ns", v->age.taken.ns);
	number_add(line, "uncertainty_ns", v->age.uncertainty_ns);
	line_end(line);
}

static void on_event(void *context, uint32_t handle, enum platform_event what,
		     int64_t value, struct mono when, const char *text)
{
	struct json_object *line = line_of(context, "event", handle);

	number_add(line, "event", what);
	number_add(line, "value", value);
	number_add(line, "when_ns", when.ns);
	text_add(line, "text", text);
	line_end(line);
}

static void source_print(const struct play *p, unsigned source, int64_t state,
			 const char *reason)
{
	struct json_object *line = json_object_new_object();

	text_add(line, "what", "source");
	text_add(line, "source", source_name(p, source));
	number_add(line, "state", state);
	text_add(line, "reason", reason);
	line_end(line);
}

static void on_source(void *context, unsigned source, enum source_state state,
		      const char *reason)
{
	source_print(context, source, state, reason);
}

/* Reads each source of this process once; a failed one is a line. */
static void sources_read(struct play *p)
{
	const struct platform_source *const *s = p->run.setup->driver->sources;

	for (unsigned i = 0; s[i]; i++) {
		int rc;

		if (s[i]->blocks != p->run.env.blocking || p->run.waiting[i])
			continue;
		rc = contract_run_read(&p->run, i);
		if (rc < 0 && rc != -EINPROGRESS)
			source_print(p, i, rc, p->run.diag.text);
	}
}

static int faults_print(const struct play *p)
{
	size_t n = recording_host_faults(p->run.record);

	for (size_t i = 0; i < n && i < RECORDING_FAULTS_MAX; i++) {
		struct json_object *line = json_object_new_object();

		text_add(line, "what", "fault");
		text_add(line, "text", recording_host_fault(p->run.record, i));
		line_end(line);
	}
	return n > 0;
}

static int play(struct play *p, int64_t seconds)
{
	struct json_object *line = json_object_new_object();

	(void)contract_run_inventory(&p->run);
	sources_read(p);
	contract_run_wait(&p->run, TICK_NS / 10);
	json_object_object_add(line, "ready", json_object_new_boolean(1));
	line_end(line);
	for (int64_t i = 0; i < seconds; i++) {
		contract_run_wait(&p->run, TICK_NS);
		sources_read(p);
	}
	contract_run_wait(&p->run, TICK_NS / 10);
	return faults_print(p);
}

int main(int argc, char **argv)
{
	const struct recording_limits limits = {
		.blocking = argc > 1 && strcmp(argv[1], "reader") == 0,
	};
	struct contract_setup setup;
	struct play p;
	const struct recording_observer observer = {
		.context = &p, .entity = on_entity, .attribute = on_attribute,
		.value = on_value, .event = on_event, .source = on_source,
	};
	struct diag d = { "expected: core|reader SECONDS DRIVER …" };
	uint64_t seconds;
	int rc = 1;

	if (argc < 4 || number_parse(argv[2], 0, SECONDS_MAX, &seconds) < 0 ||
	    contract_setup_parse(argc - 2, argv + 2, &setup, &d) < 0) {
		(void)fprintf(stderr, "contract_play: %s\n", d.text);
		return 64;
	}
	contract_run_open(&p.run, &setup, &limits, &observer);
	if (p.run.open_result < 0)
		(void)fprintf(stderr, "contract_play: %s\n", p.run.diag.text);
	else
		rc = play(&p, (int64_t)seconds);
	contract_run_close(&p.run);
	return rc;
}
