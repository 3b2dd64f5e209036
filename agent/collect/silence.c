#include "agent/collect/silence.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/array.h"
#include "agent/base/hash.h"
#include "agent/collect/entry.h"
#include "agent/collect/fabric.h"
#include "agent/record/encode.h"
#include "petrel/finding.h"
#include "petrel/log.h"

#define NOT_EXPECTED "the switch is no longer expected"
#define TAKE_OVER_NS (60 * NS_PER_S)
#define BACK_NS (10 * NS_PER_S)	/* an agent that was refused tries again */

/* An open finding. */
struct silent {
	char switch_id[SWITCH_NAME_MAX];
	struct finding finding;
};

struct silence {
	struct silence_env env;
	struct mono start, held;
	bool is_taken_over, is_unread;
	struct silent *list;		/* by id of the switch */
	size_t count, cap;
	uint64_t listed;		/* a hash of the switches in the list */
	bool is_due;			/* some may be no longer expected */
	uint64_t sequence;
	struct encoder *encoder;
	const char *of;			/* the current record's switch */
	uint8_t entry[ENTRY_HEADER_LEN + SWITCH_NAME_MAX + RECORD_HEADER_LEN +
		      RECORD_PAYLOAD_MAX];
};

/* Appends a record as an entry of its own. */
static int record_put(void *context, enum stream stream, enum record_kind kind,
		      uint16_t flags, const void *payload, size_t len)
{
	uint8_t body[RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX];
	struct silence *s = context;
	struct writer w = writer_of(body, sizeof(body));
	struct record_header h = { .length = (uint32_t)len, .flags = flags,
				   .stream = (uint8_t)stream,
				   .kind = (uint8_t)kind };
	struct entry e = { .kind = ENTRY_OWN, .run = s->env.run, .body = body };
	int err;

	h.sequence = h.last = s->sequence + 1;
	record_write(&w, &h, payload);
	e.len = w.pos;
	(void)snprintf(e.switch_id, sizeof(e.switch_id), "%s", s->of);
	w = writer_of(s->entry, sizeof(s->entry));
	entry_write(&w, &e);
	if (!writer_ok(&w))
		return -EMSGSIZE;
	err = s->env.append(s->env.context, s->entry, w.pos);
	s->sequence += err == 0;
	return err;
}

static uint64_t record_sequence(void *context, enum stream stream)
{
	(void)stream;
	return ((struct silence *)context)->sequence + 1;
}

int silence_new(const struct silence_env *env, struct clock_reading now,
		struct silence **ret)
{
	static const struct encoder_limits limits = { 1, 1, 1, 1 };
	struct silence *s = calloc(1, sizeof(*s));
	struct record_sink sink = { s, record_put, record_sequence };

	if (!s)
		return -ENOMEM;
	s->env = *env;
	s->start = now.mono;
	if (encoder_new(&limits, &sink, &s->encoder) < 0) {
		silence_free(s);
		return -ENOMEM;
	}
	*ret = s;
	return 0;
}

void silence_free(struct silence *s)
{
	if (!s)
		return;
	encoder_free(s->encoder);
	free(s->list);
	free(s);
}

/* The place of the switch in the list, or where it belongs. */
static size_t silent_place(const struct silence *s, const char *id, bool *is_in)
{
	size_t low = 0, high = s->count;

	*is_in = false;
	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strcmp(id, s->list[middle].switch_id);

		if (order == 0) {
			*is_in = true;
			return middle;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool silent_add(struct silence *s, size_t at, const char *switch_id,
		       const struct finding *f)
{
	struct silent *list = array_room(s->list, &s->cap, s->count + 1,
					 sizeof(*list));

	if (!list)
		return false;
	s->list = list;
	memmove(&list[at + 1], &list[at], (s->count - at) * sizeof(*list));
	list[at].finding = *f;
	(void)snprintf(list[at].switch_id, sizeof(list[at].switch_id), "%s",
		       switch_id);
	s->count++;
	return true;
}

static void silent_remove(struct silence *s, size_t at)
{
	s->count--;
	memmove(&s->list[at], &s->list[at + 1],
		(s->count - at) * sizeof(s->list[0]));
}

/* --- changes -------------------------------------------------------------- */

static int finding_say(struct silence *s, const char *switch_id,
		       const struct finding *f)
{
	int err;

	s->of = switch_id;
	err = encoder_finding(s->encoder, f, false);
	if (err == 0)
		log_warn("collector", "switch=%s %s: %s", f->subject,
			 finding_state_name(f->state), f->cause);
	return err;
}

/* The onset is the time when it was last heard; before the start, as the store
 * has it, and not on this boot's clock if that is younger.
 */
static void onset_set(struct finding *f, const struct silence *s,
		      const struct standing_switch *of)
{
	struct mono since = of->heard.ns ? of->heard : s->start;
	int64_t ago_ns = mono_diff_ns(f->when, since);
	int64_t kept_ns = f->when_wall.ns - of->heard_wall.ns;

	if (!of->heard.ns && of->heard_wall.ns && kept_ns > ago_ns)
		ago_ns = kept_ns;
	f->onset_wall.ns = f->when_wall.ns - ago_ns;
	if (f->when.ns > ago_ns)
		f->onset = mono_after(f->when, -ago_ns);
}

static void silence_begin(struct silence *s, const struct standing_switch *of,
			  const struct clock_reading *now, size_t at)
{
	struct finding f = {
		.signature = SIGNATURE_SWITCH_SILENT,
		.severity = SEVERITY_WARN, .state = FINDING_RAISED,
		.end = END_PATH, .action = ACTION_OBSERVE,
		.drain = DRAIN_NONE, .kind = SUBJECT_SWITCH, .confidence = 1,
		.cause_id = CAUSE_SWITCH_SILENT, .when = now->mono,
		.when_wall = now->wall };

	onset_set(&f, s, of);
	(void)snprintf(f.subject, sizeof(f.subject), "%.*s",
		       (int)sizeof(f.subject) - 1, of->name);
	(void)snprintf(f.cause, sizeof(f.cause), "the switch is not heard: its "
		       "agent, the switch or the path to it is down");
	finding_actions(&f, CONNECTOR_UNKNOWN);
	finding_id_make(of->switch_id, f.subject, f.signature, f.onset_wall,
			f.id);
	if (silent_add(s, at, of->switch_id, &f) &&
	    finding_say(s, of->switch_id, &f) < 0)
		silent_remove(s, at);	/* the next look tries again */
}

static int finding_end(struct silence *s, const struct silent *of,
		       const struct clock_reading *now, const char *cause)
{
	struct finding f = of->finding;

	f.state = FINDING_CLEARED;
	f.when = now->mono;
	f.when_wall = now->wall;
	(void)snprintf(f.cause, sizeof(f.cause), "%s", cause);
	return finding_say(s, of->switch_id, &f);
}

static void silence_end(struct silence *s, size_t at,
			const struct clock_reading *now, const char *cause)
{
	if (finding_end(s, &s->list[at], now, cause) == 0)
		silent_remove(s, at);	/* else the next look tries again */
}

/* --- findings open before the start --------------------------------------- */

static void finding_take(void *context, const struct fabric_switch *of,
			 const struct finding *f)
{
	struct silence *s = context;
	bool is_in;
	size_t at = silent_place(s, of->switch_id, &is_in);

	if (f->signature == SIGNATURE_SWITCH_SILENT && !is_in)
		(void)silent_add(s, at, of->switch_id, f);
}

/* Gives each open finding in the database. */
static int findings_read(struct silence *s, fabric_finding_fn *fn,
			 void *context)
{
	const struct fabric_switch *list;
	struct fabric *f = NULL;
	struct diag d = { "" };
	int err = fabric_open(s->env.database, NULL, &f, &d);

	if (err == 0)
		err = fabric_switches(f, &list, &d);
	if (err >= 0)
		err = fabric_findings(f, NULL, fn, context, &d);
	if (err < 0 && !s->is_unread)
		log_err("collector", "the list of silent switches cannot be "
			"read: %s", d.text);
	s->is_unread = err < 0;
	fabric_close(f);
	return err < 0 ? err : 0;
}

/* Without them, one of a switch that is heard would stay open, and one of a
 * silent switch would be raised twice; the silence of others must not wait for
 * ever.
 */
static bool take_over(struct silence *s, struct mono now)
{
	if (!s->is_taken_over)
		s->is_taken_over = findings_read(s, finding_take, s) == 0 ||
				   mono_diff_ns(now, s->start) >
				   s->env.silent_ns + TAKE_OVER_NS;
	return s->is_taken_over;
}

/* Ends those of switches that no longer exist. */
static void gone_end(struct silence *s, const struct standing_switch *list,
		     size_t count, const struct clock_reading *now)
{
	size_t k = count;

	for (size_t at = s->count; at-- > 0;) {
		const char *id = s->list[at].switch_id;

		while (k > 0 && strcmp(list[k - 1].switch_id, id) > 0)
			k--;
		if (k == 0 || strcmp(list[k - 1].switch_id, id) != 0)
			silence_end(s, at, now, NOT_EXPECTED);
	}
}

/* --- findings of switches that are no longer expected --------------------- */

/* Open findings of switches that are neither in the list nor expected. */
struct left_open {
	const struct silence *s;
	const struct standing_switch *list;
	size_t list_count;
	struct silent *of;
	size_t count, cap;
};

static int id_order(const void *id, const void *member)
{
	return strcmp(id, ((const struct standing_switch *)member)->switch_id);
}

static void left_open_take(void *context, const struct fabric_switch *of,
			   const struct finding *f)
{
	struct left_open *l = context;
	struct silent *list;

	if (f->signature == SIGNATURE_SWITCH_SILENT ||
	    l->s->env.is_expected(l->s->env.context, of->switch_id) ||
	    (l->list_count && bsearch(of->switch_id, l->list, l->list_count,
				      sizeof(*l->list), id_order)))
		return;
	list = array_room(l->of, &l->cap, l->count + 1, sizeof(*list));
	if (!list)
		return;
	l->of = list;
	list[l->count].finding = *f;
	(void)strcpy(list[l->count++].switch_id, of->switch_id);
}

/* Ends them; is_due stays where that fails, for the next look. */
static void left_open_end(struct silence *s, const struct standing_switch *list,
			  size_t count, const struct clock_reading *now)
{
	struct left_open l = { s, list, count, NULL, 0, 0 };

	s->is_due = findings_read(s, left_open_take, &l) < 0;
	for (size_t i = 0; i < l.count && !s->is_due; i++) {
		s->is_due = finding_end(s, &l.of[i], now, NOT_EXPECTED) < 0;
		s->env.ended(s->env.context, l.of[i].switch_id);
	}
	free(l.of);
}

void silence_hold(struct silence *s, struct mono now)
{
	s->held = now;
}

/* Which switches are in the list. */
static uint64_t ids_hash(const struct standing_switch *list, size_t count)
{
	uint64_t h = hash_octets(0, &count, sizeof(count));

	for (size_t i = 0; i < count; i++)
		h = hash_octets(h, list[i].switch_id,
				strlen(list[i].switch_id) + 1);
	return h;
}

void silence_judge(struct silence *s, const struct standing_switch *list,
		   size_t count, const struct clock_reading *now)
{
	uint64_t listed = ids_hash(list, count);
	bool is_held = mono_diff_ns(now->mono, s->held) <
		       s->env.silent_ns + BACK_NS;

	if (mono_diff_ns(now->mono, s->start) < s->env.silent_ns ||
	    !take_over(s, now->mono))
		return;
	gone_end(s, list, count, now);
	s->is_due |= s->listed != listed;
	s->listed = listed;
	if (s->is_due && s->env.is_expected)
		left_open_end(s, list, count, now);
	for (size_t i = 0; i < count; i++) {
		bool is_in;
		size_t at = silent_place(s, list[i].switch_id, &is_in);

		if (is_in && list[i].is_up)
			silence_end(s, at, now, "the switch is heard again");
		else if (!is_in && !list[i].is_up && !is_held)
			silence_begin(s, &list[i], now, at);
	}
}
