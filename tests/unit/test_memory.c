/* What the detectors remember over a restart, as octets: every field is there,
 * what is torn or cannot be is refused, and what is not known is left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <libdeflate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/signature/memory.h"
#include "agent/signature/recall.h"
#include "agent/signature/wide.h"
#include "tests/support/port_play.h"
#include "tests/support/quick.h"

#define TABLES_MAX 64
#define ROW_MAX 8192
#define OCTETS_MAX 65536
#define VERSION_AT 8		/* recall.h */

/* Tables reachable from what is written, each once. */
static size_t tables_add(const struct kept **all, size_t n,
			 const struct kept *t)
{
	for (size_t i = 0; i < n; i++)
		if (all[i] == t)
			return n;
	assert_true(n < TABLES_MAX);
	all[n++] = t;
	for (size_t i = 0; i < t->fields; i++)
		if (t->field[i].kind == KEPT_PART)
			n = tables_add(all, n, t->field[i].part);
	return n;
}

static size_t tables_all(const struct kept **all)
{
	size_t n = 0;

	for (size_t i = 0; recall_kept(i); i++)
		n = tables_add(all, n, recall_kept(i));
	return n;
}

static char *file_read(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 1 << 17);

	assert_non_null(f);
	assert_non_null(text);
	assert_true(fread(text, 1, (1 << 17) - 1, f) > 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* The body of a struct's declaration without its comments, from any file of
 * the detectors; to be freed.
 */
static char *struct_text(const char *name)
{
	static const char *const patterns[] = { "agent/signature/*.[ch]",
						"agent/base/counter.h",
						"include/petrel/finding.h" };
	char head[64], *ret = NULL;
	glob_t files;

	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(glob(patterns[i], i ? GLOB_APPEND : 0, NULL,
				      &files), 0);
	(void)snprintf(head, sizeof(head), "\nstruct %s {", name);
	for (size_t i = 0; i < files.gl_pathc && !ret; i++) {
		char *text = file_read(files.gl_pathv[i]);
		char *at = strstr(text, head), *from, *to;

		if (at) {
			at += strlen(head);
			*strstr(at, "\n}") = '\0';
			while ((from = strstr(at, "/*"))) {
				to = strstr(from, "*/") + 2;
				memmove(from, to, strlen(to) + 1);
			}
			ret = strdup(at);
		}
		free(text);
	}
	globfree(&files);
	return ret;
}

static bool has_field(const struct kept *t, const char *name)
{
	for (size_t i = 0; i < t->fields; i++)
		if (strcmp(t->field[i].name, name) == 0)
			return true;
	return false;
}

/* The last word of a declarator, before its bounds. */
static const char *declared(char *d)
{
	char *end = strchr(d, '['), *begin;

	end = end ? end : d + strlen(d);
	while (end > d && !(isalnum((unsigned char)end[-1]) || end[-1] == '_'))
		end--;
	*end = '\0';
	begin = end;
	while (begin > d && (isalnum((unsigned char)begin[-1]) ||
			     begin[-1] == '_'))
		begin--;
	return begin;
}

static unsigned fields_missing(const struct kept *t, char *text)
{
	char *line_end, *part_end, *line, *part;
	unsigned missing = 0;

	for (line = strtok_r(text, ";", &line_end); line;
	     line = strtok_r(NULL, ";", &line_end))
		for (part = strtok_r(line, ",", &part_end); part;
		     part = strtok_r(NULL, ",", &part_end)) {
			const char *name = declared(part);

			if (!name[0] || has_field(t, name))
				continue;
			printf("# %s.%s is neither kept nor left out\n",
			       t->name, name);
			missing++;
		}
	return missing;
}

/* Names of structs that are not their tables'. */
static const char *struct_of(const struct kept *t)
{
	static const char *const other[][2] = {
		{ "slot", "life_slot" }, { "port", "engine_port" },
	};

	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (strcmp(t->name, other[i][0]) == 0)
			return other[i][1];
	return t->name;
}

static void test_every_field_is_kept_or_left_out_for_a_reason(void **state)
{
	const struct kept *all[TABLES_MAX];
	size_t n = tables_all(all);
	unsigned missing = 0;

	(void)state;
	assert_true(n > 20);
	for (size_t i = 0; i < n; i++) {
		char *text;

		/* Of the engine itself two fields are all that lasts; and
		 * module_changed has no state.
		 */
		if (strcmp(all[i]->name, "engine") == 0 || !all[i]->fields)
			continue;
		text = struct_text(struct_of(all[i]));
		if (!text)
			fail_msg("no struct %s", struct_of(all[i]));
		missing += fields_missing(all[i], text);
		free(text);
		for (size_t k = 0; k < all[i]->fields; k++)
			assert_true(all[i]->field[k].kind != KEPT_NOT ||
				    all[i]->field[k].why_not[0]);
	}
	/* struct engine_port ends with the detectors' states. */
	assert_int_equal(missing, 1);
}

/* Something in each field that may stand there. */
static void field_fill(void *context, const struct kept_at *at)
{
	const struct kept_field *f = at->field;
	const int64_t time_ns = f->kind == KEPT_SPAN ? 7 : 5 * NS_PER_S;
	const double number = f->most > 0 && f->most < 2 ? .5 : 1.5;
	const float real = (float)number;
	const uint64_t one = 1;

	for (unsigned i = 0; i < at->count; i++) {
		char *to = (char *)context + at->offset + i * at->stride;

		if (f->kind == KEPT_FLOAT)
			memcpy(to, &real, sizeof(real));
		else if (f->kind == KEPT_NUMBER)
			memcpy(to, &number, sizeof(number));
		else if (f->kind == KEPT_TEXT)
			memcpy(to, "abc", 4);
		else if (f->kind == KEPT_UNSIGNED)
			memcpy(to, &one, f->width);
		else
			memcpy(to, &time_ns, sizeof(time_ns));
	}
}

struct columns {
	struct kept_column at[512];
	size_t n;
};

static void columns_read(struct columns *c, const void *octets, size_t len,
			 const struct kept *t)
{
	struct cursor shape = cursor_of(octets, len);

	c->n = cursor_varint(&shape);
	assert_true(c->n <= 512);
	for (size_t i = 0; i < c->n; i++)
		kept_column_read(&shape, t, &c->at[i]);
	assert_true(cursor_ok(&shape));
	assert_int_equal(cursor_left(&shape), 0);
}

static void test_each_table_comes_back_as_it_was(void **state)
{
	static const struct mono now = { 100 * NS_PER_S };
	static const struct kept_clock clock = { { 100 * NS_PER_S }, 0 };
	static uint8_t octets[OCTETS_MAX];
	static struct columns c;
	const struct kept *all[TABLES_MAX];
	size_t n = tables_all(all);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct writer w = writer_of(octets, sizeof(octets));
		char *from = calloc(1, all[i]->size + 8);
		char *to = calloc(1, all[i]->size + 8);
		struct cursor row;

		assert_true(from && to);
		kept_each(all[i], field_fill, from);
		kept_shape_write(&w, all[i]);
		assert_true(w.pos <= kept_shape_most(all[i]));
		columns_read(&c, octets, w.pos, all[i]);
		w = writer_of(octets, kept_row_most(all[i]));
		kept_row_write(&w, all[i], from, now);
		assert_true(writer_ok(&w));
		row = cursor_of(octets, w.pos);
		assert_true(kept_row_read(&row, c.at, c.n, &clock, to));
		assert_int_equal(cursor_left(&row), 0);
		assert_memory_equal(from, to, all[i]->size);
		free(from);
		free(to);
	}
}

static void test_times_that_mean_never_stay_never(void **state)
{
	static const struct kept_clock clock = { { -400 * NS_PER_S }, 300 };
	struct heat h = { .usual_c = NAN, .now_c = NAN }, heat;
	struct ber b = { .t = { INT64_MIN }, .since = { INT64_MIN },
			 .cusum.since = { 90 * NS_PER_S } }, ber;
	struct cadence c = { .came = { 99 * NS_PER_S } }, cadence;
	const struct {
		const struct kept *t;
		const void *from;
		void *to;
	} rows[] = { { &heat_kept, &h, &heat }, { &ber_kept, &b, &ber },
		     { &cadence_kept, &c, &cadence } };
	static uint8_t octets[ROW_MAX];
	static struct columns col;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct writer w = writer_of(octets, sizeof(octets));
		struct cursor row;

		kept_shape_write(&w, rows[i].t);
		columns_read(&col, octets, w.pos, rows[i].t);
		w = writer_of(octets, sizeof(octets));
		kept_row_write(&w, rows[i].t, rows[i].from,
			       (struct mono){ 100 * NS_PER_S });
		row = cursor_of(octets, w.pos);
		assert_true(kept_row_read(&row, col.at, col.n, &clock,
					  rows[i].to));
	}
	assert_int_equal(heat.t.ns, 0);
	assert_true(isnan(heat.usual_c));
	assert_true(ber.t.ns == INT64_MIN && ber.since.ns == INT64_MIN);
	assert_int_equal(ber.cusum.since.ns, -410 * NS_PER_S);
	assert_int_equal(cadence.came.ns, -401 * NS_PER_S + 300);
}

/* A port that was watched for a while, and its engine's memory. */
struct bed {
	struct play before, after;
	uint8_t octets[OCTETS_MAX];
	size_t len;
	const char *why;
	struct recalled recalled;
};

static struct mono now_of(const struct play *p)
{
	return (struct mono){ (int64_t)(p->t_s * 1e9) };
}

static struct wall wall_of(const struct play *p)
{
	return (struct wall){ (int64_t)((1767225600 + p->t_s) * 1e9) };
}

static int set_up(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	play_init(&b->before, 10);
	play_for(&b->before, 4000);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *b = *state;

	play_fini(&b->before);
	if (b->after.engine)
		play_fini(&b->after);
	free(b);
	return 0;
}

static struct engine_port *port_of(const struct play *p)
{
	return p->engine->ports[p->port];
}

static void remember(struct bed *b)
{
	ssize_t len = memory_write(b->before.engine, now_of(&b->before),
				   wall_of(&b->before), b->octets,
				   sizeof(b->octets));

	assert_true(len > 0);
	assert_true((size_t)len <= memory_size(b->before.engine));
	b->len = (size_t)len;
}

/* Another engine takes it up; it is asked once more for the port, for it knew
 * that before.
 */
static int recall_later(struct bed *b, double gap_s)
{
	struct play *p = &b->after;
	int rc;

	play_init(p, 10);
	p->facts = b->before.facts;
	p->bits = b->before.bits;
	p->clean = b->before.clean;
	p->corrected = b->before.corrected;
	p->t_s = b->before.t_s + gap_s;
	rc = engine_recall(p->engine, b->octets, b->len, now_of(p), wall_of(p),
			   &b->why);
	assert_int_equal(engine_port(p->engine, &p->facts, &p->port), 0);
	engine_recalled(p->engine, &b->recalled);
	return rc;
}

static int recall(struct bed *b)
{
	return recall_later(b, 0);
}

static unsigned words_of(const struct play *p, enum finding_state state)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->count; i++)
		n += p->said[i].state == state;
	return n;
}

static void seal(struct bed *b)
{
	struct writer w = writer_of(b->octets + b->len - 4, 4);

	writer_be32(&w, libdeflate_crc32(0, b->octets, b->len - 4));
}

static void test_what_is_normal_is_known_at_once(void **state)
{
	struct bed *b = *state;
	struct wall wall;

	remember(b);
	assert_int_equal(memory_check(b->octets, b->len, &wall, &b->why), 0);
	assert_int_equal(wall.ns, wall_of(&b->before).ns);
	assert_int_equal(recall(b), 0);
	assert_int_equal(b->recalled.ports, 1);
	assert_int_equal(b->recalled.taken, 1);
	assert_int_equal(b->recalled.waiting, 0);
	assert_true(ber_learned(&port_of(&b->after)->ber));
	assert_true(port_of(&b->after)->ber.baseline.mean ==
		    port_of(&b->before)->ber.baseline.mean);
}

/* What is no fault is still listed after a restart, with its age. */
static void test_what_was_benign_is_still_listed(void **state)
{
	struct bed *b = *state;
	const struct benign *was, *is;
	size_t n;

	engine_event(b->before.engine, b->before.port, ENGINE_COUNTERS_CLEARED,
		     now_of(&b->before), wall_of(&b->before));
	play_for(&b->before, 60);
	n = engine_benign(b->before.engine, &was);
	assert_true(n > 0);
	remember(b);
	assert_int_equal(recall_later(b, 100), 0);
	assert_int_equal(engine_benign(b->after.engine, &is), n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(is[i].subject, was[i].subject);
		assert_int_equal(is[i].id, was[i].id);
		assert_int_equal(is[i].symptom, was[i].symptom);
		assert_true(is[i].since.ns == was[i].since.ns);
		assert_true(is[i].size == was[i].size);
	}
	b->before.engine->benigns.count = BENIGN_MAX + 1;
	remember(b);
	play_fini(&b->after);
	assert_int_equal(recall(b), 0);
	assert_int_equal(engine_benign(b->after.engine, &is), 0);
}

static void test_torn_anywhere_is_refused(void **state)
{
	struct bed *b = *state;
	struct wall wall;

	remember(b);
	for (size_t len = 0; len < b->len; len++) {
		b->why = NULL;
		assert_int_equal(memory_check(b->octets, len, &wall, &b->why),
				 -EBADMSG);
		assert_non_null(b->why);
	}
	for (size_t i = 0; i < b->len; i++) {
		b->octets[i] ^= 0x10;
		assert_true(memory_check(b->octets, b->len, &wall, &b->why) <
			    0);
		b->octets[i] ^= 0x10;
	}
	b->len--;
	assert_int_equal(recall(b), -EBADMSG);
	assert_int_equal(b->recalled.taken, 0);
}

/* Also where somebody made the checksum right. */
static void test_lengths_are_looked_at(void **state)
{
	struct bed *b = *state;
	size_t whole;
	struct wall wall;

	remember(b);
	whole = b->len;
	for (b->len = 40; b->len < whole; b->len += quick(7, 97)) {
		uint8_t keep[4];

		memcpy(keep, b->octets + b->len - 4, 4);
		seal(b);
		assert_int_equal(memory_check(b->octets, b->len, &wall,
					      &b->why), -EBADMSG);
		memcpy(b->octets + b->len - 4, keep, 4);
	}
}

static void test_another_version_is_told_as_that(void **state)
{
	struct bed *b = *state;

	remember(b);
	b->octets[VERSION_AT + 3]++;
	seal(b);
	assert_int_equal(recall(b), -EPROTONOSUPPORT);
	assert_string_equal(b->why, "another version");
}

static void test_too_little_room(void **state)
{
	struct bed *b = *state;
	size_t room, step = quick(1, 61);

	remember(b);
	for (room = (b->len - 1) % step; room < b->len; room += step)
		assert_int_equal(memory_write(b->before.engine,
					      now_of(&b->before),
					      wall_of(&b->before), b->octets,
					      room), -ENOSPC);
}

static void test_another_module_is_learned_anew(void **state)
{
	struct bed *b = *state;

	remember(b);
	assert_int_equal(recall(b), 0);
	(void)snprintf(b->after.k.serial, sizeof(b->after.k.serial), "SN2");
	play_once(&b->after);
	engine_recalled(b->after.engine, &b->recalled);
	assert_int_equal(b->recalled.other_module, 1);
	assert_false(ber_learned(&port_of(&b->after)->ber));
	assert_int_equal(play_said(&b->after, SIGNATURE_MODULE_CHANGED,
				   FINDING_RAISED), 1);
}

/* What hits a port may be the air of its zone, or that of all zones. */
static void test_air_that_hits_a_port_is_known(void **state)
{
	struct bed *b = *state;
	static const char *const names[] = { "z0", "" };

	for (size_t i = 0; i < 2; i++) {
		struct play *p = &b->before;

		(void)snprintf(p->facts.zone, sizeof(p->facts.zone), "z0");
		assert_int_equal(engine_port(p->engine, &p->facts, &p->port),
				 0);
		port_of(p)->part_of = wide_find(&p->engine->airs, names[i]);
		assert_non_null(port_of(p)->part_of);
		remember(b);
		if (i)
			play_fini(&b->after);
		assert_int_equal(recall(b), 0);
		assert_string_equal(port_of(&b->after)->part_of->name,
				    names[i]);
	}
}

static void test_the_same_module_goes_on(void **state)
{
	struct bed *b = *state;

	remember(b);
	assert_int_equal(recall(b), 0);
	play_for(&b->after, 100);
	engine_recalled(b->after.engine, &b->recalled);
	assert_int_equal(b->recalled.other_module, 0);
	assert_int_equal(b->after.count, 0);
}

static void test_at_another_speed_errors_are_learned_anew(void **state)
{
	struct bed *b = *state;

	port_of(&b->before)->front.drops_by_hour[0] = 5;
	remember(b);
	b->before.facts.speed_mbps = 200000;
	assert_int_equal(recall(b), 0);
	assert_int_equal(b->recalled.taken, 1);
	assert_false(ber_learned(&port_of(&b->after)->ber));
	assert_int_equal(front_drops_24h(&port_of(&b->after)->front), 5);
}

/* It is told a moment later: until then nothing is lost. */
static void test_a_speed_that_is_not_known_yet_is_waited_for(void **state)
{
	struct bed *b = *state;

	remember(b);
	b->before.facts.speed_mbps = 0;
	assert_int_equal(recall(b), 0);
	assert_int_equal(b->recalled.waiting, 1);
	play_for(&b->after, 30);
	b->after.facts.speed_mbps = 400000;
	assert_int_equal(engine_port(b->after.engine, &b->after.facts,
				     &b->after.port), 0);
	engine_recalled(b->after.engine, &b->recalled);
	assert_int_equal(b->recalled.taken, 1);
	assert_true(ber_learned(&port_of(&b->after)->ber));
}

/* The name of a field that this build does not have. */
static void test_an_unknown_field_is_left_out(void **state)
{
	struct bed *b = *state;
	uint8_t *at;

	port_of(&b->before)->ber.anchor_left = 3;
	remember(b);
	at = memmem(b->octets, b->len, "ber.anchor_left", 15);
	assert_non_null(at);
	at[4] = 'x';
	seal(b);
	assert_int_equal(recall(b), 0);
	assert_int_equal(b->recalled.taken, 1);
	assert_int_equal(port_of(&b->after)->ber.anchor_left, 0);
	assert_true(ber_learned(&port_of(&b->after)->ber));
}

/* A field of another kind: only that is left out. */
static void test_a_field_of_another_kind_is_left_out(void **state)
{
	struct bed *b = *state;
	uint8_t *at;

	port_of(&b->before)->ber.source_missed = 3;
	remember(b);
	at = memmem(b->octets, b->len, "ber.source_missed", 17);
	assert_non_null(at);
	at[17] = KEPT_SPAN;	/* a number, too */
	seal(b);
	assert_int_equal(recall(b), 0);
	assert_int_equal(b->recalled.taken, 1);
	assert_int_equal(port_of(&b->after)->ber.source_missed, 0);
	assert_true(ber_learned(&port_of(&b->after)->ber));
}

static void not_sane(struct bed *b)
{
	remember(b);
	assert_int_equal(recall(b), 0);
	assert_int_equal(b->recalled.not_sane, 1);
	assert_int_equal(b->recalled.taken, 0);
	assert_false(ber_learned(&port_of(&b->after)->ber));
	play_for(&b->after, 200);
	assert_true(ber_learned(&port_of(&b->after)->ber));
}

static void test_a_count_that_cannot_be_is_refused(void **state)
{
	struct bed *b = *state;

	port_of(&b->before)->ber.windows = 1000;
	not_sane(b);
}

static void test_a_word_that_cannot_be_is_refused(void **state)
{
	struct bed *b = *state;

	port_of(&b->before)->front.link = (enum link_is)7;
	not_sane(b);
}

static void test_a_time_to_come_is_refused(void **state)
{
	struct bed *b = *state;

	port_of(&b->before)->front.t.ns += 2 * 86400 * NS_PER_S;
	not_sane(b);
}

static void test_a_time_that_always_is_is_never_never(void **state)
{
	struct bed *b = *state;

	port_of(&b->before)->front.t.ns = INT64_MIN;
	not_sane(b);
}

static void test_text_that_hurts_a_terminal_is_refused(void **state)
{
	struct bed *b = *state;

	port_of(&b->before)->front.serial[0] = '\033';
	not_sane(b);
}

/* A restart in a fault must not make it what is normal. */
static void test_a_fault_is_not_learned(void **state)
{
	struct bed *b = *state;
	float normal = port_of(&b->before)->ber.baseline.mean;

	play_ramp(&b->before, 3000, -5.2);
	assert_true(b->before.count > 0);
	remember(b);
	assert_int_equal(recall(b), 0);
	assert_int_equal(engine_restore(b->after.engine,
					&b->before.said[b->before.count - 1]),
			 0);
	b->after.log_ber = -5.2;
	play_for(&b->after, 7200);
	assert_true(fabsf(port_of(&b->after)->ber.baseline.mean - normal) <
		    .1f);
	for (unsigned i = 0; i < b->after.count; i++)
		assert_string_equal(b->after.said[i].id,
				    b->before.said[0].id);
}

/* The finding is younger than memory: what was normal is what memory says. */
static void test_an_older_memory_knows_what_is_normal(void **state)
{
	struct bed *b = *state;
	struct baseline normal;

	remember(b);
	normal = port_of(&b->before)->ber.baseline;
	play_ramp(&b->before, 3000, -5.2);
	assert_true(b->before.count > 0);
	assert_int_equal(recall(b), 0);
	assert_int_equal(engine_restore(b->after.engine,
					&b->before.said[b->before.count - 1]),
			 0);
	assert_memory_equal(&port_of(&b->after)->ber.baseline, &normal,
			    sizeof(normal));
	b->after.log_ber = -5.2;
	play_for(&b->after, 600);
	assert_int_equal(words_of(&b->after, FINDING_RAISED), 0);
	assert_int_equal(words_of(&b->after, FINDING_CLEARED), 0);
}

/* A fault that is not seen any more is held while somebody looks: time without
 * an agent is no time that it was quiet.
 */
static void test_nobody_saw_that_it_was_quiet(void **state)
{
	struct bed *b = *state;

	play_ramp(&b->before, 3000, -5.2);
	b->before.log_ber = -7;
	play_for(&b->before, 200);
	assert_int_equal(words_of(&b->before, FINDING_CLEARED), 0);
	remember(b);
	assert_int_equal(recall_later(b, 900), 0);
	assert_int_equal(engine_restore(b->after.engine,
					&b->before.said[b->before.count - 1]),
			 0);
	play_for(&b->after, 200);
	assert_int_equal(words_of(&b->after, FINDING_CLEARED), 0);
	play_for(&b->after, 400);
	assert_int_equal(words_of(&b->after, FINDING_CLEARED), 1);
}

/* What the finding's evidence tells is less than what the detector knew. */
static void test_a_detector_goes_on_where_it_was(void **state)
{
	struct bed *b = *state;
	const struct engine *e = b->before.engine;
	size_t n = 0;

	while (e->table[n]->signature != SIGNATURE_FLAP_BURST)
		n++;
	for (unsigned i = 0; i < 6; i++) {
		play_drop(&b->before, 10);
		play_for(&b->before, 10);
	}
	assert_non_null(play_last(&b->before, SIGNATURE_FLAP_BURST));
	remember(b);
	assert_int_equal(recall(b), 0);
	assert_int_equal(engine_restore(b->after.engine,
			 play_last(&b->before, SIGNATURE_FLAP_BURST)), 0);
	assert_memory_equal((char *)port_of(&b->after)->state + e->offset[n],
			    (char *)port_of(&b->before)->state + e->offset[n],
			    e->table[n]->state_size);
}

/* Its clock begins anew: times are of this boot, and that the link was down
 * until the switch was up is no fall.
 */
static void test_a_reboot_is_no_fall(void **state)
{
	struct bed *b = *state;
	struct finding f = { .signature = SIGNATURE_LINK_DOWN,
			     .subject = "Ethernet8", .id = "AAAA" };
	const struct finding *open;
	const struct mono booted = { 100 * NS_PER_S };
	struct wall wall = wall_of(&b->before);

	remember(b);
	play_init(&b->after, 10);
	wall.ns += 200 * NS_PER_S;
	assert_int_equal(engine_recall(b->after.engine, b->octets, b->len,
				       booted, wall, &b->why), 0);
	assert_int_equal(engine_port(b->after.engine, &b->after.facts,
				     &b->after.port), 0);
	f.onset_wall.ns = f.when_wall.ns = wall.ns - 500 * NS_PER_S;
	assert_int_equal(engine_restore(b->after.engine, &f), 0);
	assert_int_equal(engine_findings(b->after.engine, &open), 1);
	assert_int_equal(open->onset.ns, -400 * NS_PER_S);
	b->after.t_s = 110;
	b->after.up = false;
	play_for(&b->after, 10);
	b->after.up = true;
	play_for(&b->after, 10);
	assert_int_equal(front_drops_24h(&port_of(&b->after)->front), 0);
	assert_true(port_of(&b->after)->front.seen[NEED_SERIAL].ns > 0);
}

/* Of one clock that went on, a link that is down afterwards did fall. */
static void test_a_fall_in_the_gap_is_counted(void **state)
{
	struct bed *b = *state;

	remember(b);
	assert_int_equal(recall(b), 0);
	play_drop(&b->after, 20);
	assert_int_equal(front_drops_24h(&port_of(&b->after)->front), 1);
}

static void test_what_does_not_fit_together_is_begun_anew(void **state)
{
	struct bed *b = *state;

	port_of(&b->before)->ber.cusum.sum = 5;
	port_of(&b->before)->ber.cusum.since.ns = INT64_MIN;
	remember(b);
	assert_int_equal(recall(b), 0);
	assert_false(ber_learned(&port_of(&b->after)->ber));
}

static void test_memory_that_nobody_asks_for_goes(void **state)
{
	struct bed *b = *state;

	remember(b);
	(void)snprintf(b->before.facts.name, 8, "other");
	assert_int_equal(recall(b), 0);
	assert_non_null(b->after.engine->recall);
	play_for(&b->after, 700);
	assert_null(b->after.engine->recall);
}

#define test_in_bed(t) cmocka_unit_test_setup_teardown(t, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_every_field_is_kept_or_left_out_for_a_reason),
		cmocka_unit_test(test_each_table_comes_back_as_it_was),
		cmocka_unit_test(test_times_that_mean_never_stay_never),
		test_in_bed(test_what_is_normal_is_known_at_once),
		test_in_bed(test_what_was_benign_is_still_listed),
		test_in_bed(test_torn_anywhere_is_refused),
		test_in_bed(test_lengths_are_looked_at),
		test_in_bed(test_another_version_is_told_as_that),
		test_in_bed(test_too_little_room),
		test_in_bed(test_another_module_is_learned_anew),
		test_in_bed(test_air_that_hits_a_port_is_known),
		test_in_bed(test_the_same_module_goes_on),
		test_in_bed(test_at_another_speed_errors_are_learned_anew),
		test_in_bed(
			test_a_speed_that_is_not_known_yet_is_waited_for),
		test_in_bed(test_an_unknown_field_is_left_out),
		test_in_bed(test_a_field_of_another_kind_is_left_out),
		test_in_bed(test_a_count_that_cannot_be_is_refused),
		test_in_bed(test_a_word_that_cannot_be_is_refused),
		test_in_bed(test_a_time_to_come_is_refused),
		test_in_bed(test_a_time_that_always_is_is_never_never),
		test_in_bed(test_text_that_hurts_a_terminal_is_refused),
		test_in_bed(test_a_fault_is_not_learned),
		test_in_bed(test_an_older_memory_knows_what_is_normal),
		test_in_bed(test_nobody_saw_that_it_was_quiet),
		test_in_bed(test_a_detector_goes_on_where_it_was),
		test_in_bed(test_a_reboot_is_no_fall),
		test_in_bed(test_a_fall_in_the_gap_is_counted),
		test_in_bed(test_what_does_not_fit_together_is_begun_anew),
		test_in_bed(test_memory_that_nobody_asks_for_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
