#include "agent/record/json.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>

#define EXACT_MAX (INT64_C(1) << 53)
#define KEY_MAX 96

/* Objects are built by functions that return whether all could be added: NULL
 * from json-c means out of memory, unless null is meant.
 */
static bool add(struct json_object *o, const char *key,
		struct json_object *value)
{
	if (value && json_object_object_add(o, key, value) == 0)
		return true;
	json_object_put(value);
	return false;
}

static bool add_text(struct json_object *o, const char *key, const char *text)
{
	return add(o, key, json_object_new_string(text ? text : "unknown"));
}

void json_add_text(struct json_object *o, const char *key, const char *text)
{
	if (text)
		(void)add_text(o, key, text);
}

void json_add_text_if(struct json_object *o, const char *key, const char *text)
{
	if (text && text[0])
		(void)add_text(o, key, text);
}

static bool add_twin(struct json_object *o, const char *key, const char *text)
{
	char twin[KEY_MAX];

	(void)snprintf(twin, sizeof(twin), "%s_str", key);
	return add_text(o, twin, text);
}

/* Right after the value, or after other members. */
static bool add_twin_of(struct json_object *o, const char *key, int64_t value)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRId64, value);
	return (value < EXACT_MAX && value > -EXACT_MAX) ||
	       add_twin(o, key, text);
}

bool json_add_integer(struct json_object *o, const char *key, int64_t value)
{
	return add(o, key, json_object_new_int64(value)) &&
	       add_twin_of(o, key, value);
}

bool json_add_unsigned(struct json_object *o, const char *key, uint64_t value)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRIu64, value);
	return add(o, key, json_object_new_uint64(value)) &&
	       (value < (uint64_t)EXACT_MAX || add_twin(o, key, text));
}

/* Six digits: readable, and the same on every machine. */
static bool add_number(struct json_object *o, const char *key, double value)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%.6g", value);
	if (!(value - value == 0))	/* JSON has no infinity */
		return json_object_object_add(o, key, NULL) == 0;
	return add(o, key, json_object_new_double_s(value, text));
}

static struct json_object *lanes_json(uint8_t lanes)
{
	struct json_object *a = json_object_new_array();

	for (int i = 0; a && i < PORT_LANES_MAX; i++)
		if (lanes >> i & 1 &&
		    json_object_array_add(a, json_object_new_int(i + 1)) < 0) {
			json_object_put(a);
			return NULL;
		}
	return a;
}

static bool add_cliff(struct json_object *o, const struct cliff *c)
{
	struct json_object *value;
	bool ok;

	if (!c->foreseeable)
		return json_object_object_add(o, "cliff_s", NULL) == 0;
	value = json_object_new_object();
	if (!value)
		return false;
	ok = json_add_integer(value, "low", c->low_s) &&
	     json_add_integer(value, "mid", c->mid_s);
	if (c->high_s == FINDING_NO_UPPER_BOUND)
		ok = ok && json_object_object_add(value, "high", NULL) == 0;
	else
		ok = ok && json_add_integer(value, "high", c->high_s);
	return add(o, "cliff_s", value) && ok;
}

static bool add_evidence(struct json_object *o, const struct finding *f)
{
	struct json_object *value = json_object_new_object();
	bool ok = value != NULL;

	for (unsigned i = 0; ok && i < f->evidence_count; i++)
		ok = add_number(value, f->evidence[i].name,
				f->evidence[i].value);
	return add(o, "evidence", value) && ok;
}

static bool add_changes(struct json_object *o, const struct finding *f)
{
	struct json_object *a = json_object_new_array();
	bool ok = a != NULL;

	for (unsigned i = 0; ok && i < f->change_count; i++)
		ok = json_object_array_add(
			a, json_object_new_string(f->change[i])) == 0;
	return add(o, "changes", a) && ok;
}

/* Its first port; its subject if it hit no port. */
static const char *first_port(const struct finding *f)
{
	const char *port = finding_port(f, NULL);

	return port ? port : f->subject;
}

static bool add_ports(struct json_object *o, const struct finding *f)
{
	struct json_object *a = json_object_new_array();
	const char *port = finding_port(f, NULL);
	bool ok = a != NULL;

	for (; ok && port; port = finding_port(f, port))
		ok = json_object_array_add(a, json_object_new_string(port)) ==
		     0;
	return add(o, "ports", a) && ok &&
	       json_add_integer(o, "port_count", f->port_count);
}

static bool add_actions(struct json_object *o, const struct finding *f)
{
	struct json_object *a = json_object_new_array();
	bool ok = a != NULL;

	for (unsigned i = 0; ok && i < f->action_count; i++)
		ok = json_object_array_add(a, json_object_new_string(
			action_name(f->actions[i]))) == 0;
	return add(o, "actions", a) && ok;
}

/* Members added in later versions come last. */
static bool add_later(struct json_object *o, const struct finding *f)
{
	return add_text(o, "subject", f->subject) &&
	       (!f->kind ||
		add_text(o, "subject_kind", subject_kind_name(f->kind))) &&
	       add_ports(o, f) &&
	       (!f->cause_id ||
		add_text(o, "cause_id", cause_name(f->cause_id))) &&
	       add_actions(o, f) &&
	       (!f->into[0] || add_text(o, "into", f->into));
}

/* The first members have the order that readers were promised: the time's twin
 * comes after them.
 */
struct json_object *finding_json(const struct finding *f)
{
	struct json_object *o = json_object_new_object();
	bool ok;

	if (!o)
		return NULL;
	ok = add(o, "ts_ns", json_object_new_int64(f->when_wall.ns)) &&
	     add_text(o, "port", first_port(f)) &&
	     add_text(o, "signature", signature_name(f->signature)) &&
	     add_text(o, "severity", severity_name(f->severity)) &&
	     add_text(o, "state", finding_state_name(f->state)) &&
	     add_text(o, "id", f->id) &&
	     add(o, "lanes", lanes_json(f->lanes)) &&
	     add_text(o, "cause", f->cause) &&
	     add_number(o, "confidence", (double)f->confidence) &&
	     add_text(o, "end", fault_end_name(f->end)) &&
	     add_text(o, "action", action_name(f->action)) &&
	     add_cliff(o, &f->cliff) && add_evidence(o, f) &&
	     add_text(o, "drain", drain_name(f->drain)) &&
	     (!f->was || add_text(o, "was", signature_name(f->was))) &&
	     json_add_integer(o, "onset_ns", f->onset_wall.ns) &&
	     add_text(o, "action_words", action_words(f, f->action)) &&
	     add_changes(o, f) &&
	     add_twin_of(o, "ts_ns", f->when_wall.ns) && add_later(o, f);
	if (ok)
		return o;
	json_object_put(o);
	return NULL;
}

const char *json_line_text(struct json_object *o)
{
	return json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

int json_line(FILE *out, struct json_object *o)
{
	const char *text = json_line_text(o);

	if (!text || fputs(text, out) < 0 || fputc('\n', out) < 0)
		return -EIO;
	return 0;
}
