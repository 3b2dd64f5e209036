#include "agent/ctl/offline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/clean.h"
#include "agent/base/joined.h"
#include "agent/base/number.h"
#include "agent/ctl/cell.h"
#include "agent/ctl/past.h"
#include "agent/ctl/render.h"
#include "agent/query/server.h"
#include "agent/query/verbs.h"
#include "petrel/local.h"

const struct answer_shape offline_down = {
	"agent_down", .single = true, .columns = {
	{ "since", "agent down since", CELL_WALL_NS },
	{ "down", "down for", CELL_AGE_NS },
	{ "why", "why", CELL_TEXT },
	{ "last_death", "last death", CELL_TEXT },
	{ "damage", "damage", CELL_TEXT },
	{ .key = NULL },
} };

/* A missing ring is not damaged: a new agent has none. */
static bool is_damaged(const struct past_stream *s)
{
	return s->damaged || s->err == -EBADMSG;
}

/* The damage of each ring, and what it means for the answer. */
static void damage_cell(const struct past *p, struct answer *a)
{
	char text[STREAM_COUNT * DIAG_MAX] = "";

	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (is_damaged(&p->stream[i]))
			joined_add(text, sizeof(text), "; ", "%s",
				   p->stream[i].why);
	if (text[0])
		joined_add(text, sizeof(text), "; ",
			   "only what is before it is shown");
	answer_text_if(a, text);
}

static bool past_is_damaged(const struct past *p)
{
	bool any = false;

	for (unsigned i = 0; i < STREAM_COUNT; i++)
		any = any || is_damaged(&p->stream[i]);
	return any;
}

/* Down since the newest batch in the rings. */
void offline_head(const struct past *p, struct answer *a, int64_t now_ns,
		  const char *why)
{
	struct wall since = past_wall(p, p->last);
	bool is_known = p->last.ns && since.ns;

	answer_table(a, &offline_down);
	answer_row(a);
	answer_known(a, is_known, since.ns);
	answer_known(a, is_known && since.ns <= now_ns, now_ns - since.ns);
	answer_text(a, why);
	answer_text_if(a, p->death);
	damage_cell(p, a);
}

const struct answer_shape offline_streams = { "streams", .columns = {
	{ "stream", "STREAM", CELL_TEXT },
	{ "last", "LAST RECORD", CELL_UNSIGNED },
	{ "queued", "NOT ACKNOWLEDGED", CELL_UNSIGNED },
	{ "held", "IN THE RING", CELL_UNSIGNED },
	{ "ring", "RING", CELL_OCTETS },
	{ "dropped", "DROPPED", CELL_UNSIGNED },
	{ "reason", "REASON", CELL_TEXT },
	{ .key = NULL },
} };

/* The row of a ring that cannot be read has the reason. */
static void stream_row(struct answer *a, enum stream stream,
		       const struct past_stream *s)
{
	answer_row(a);
	answer_text(a, stream_name(stream));
	if (s->err < 0) {
		for (unsigned i = 0; i < 5; i++)
			answer_absent(a);
		answer_text(a, s->why);
		return;
	}
	answer_integer(a, (int64_t)(s->next - 1));
	answer_integer(a, (int64_t)(s->next - 1 - s->acked));
	answer_integer(a, (int64_t)(s->next - s->first));
	answer_integer(a, (int64_t)s->octets);
	answer_integer(a, (int64_t)s->dropped);
	answer_text(a, s->damaged ? s->why : NULL);
}

/* The same code as the agent's makes the tables; status, as far as the rings
 * have it.
 */
int offline_ask(const struct past *p, const struct verb *verb,
		const Petrel__Request *request, struct answer *a)
{
	struct query_context ctx = {
		.switch_name = p->switch_name, .version = p->version,
		.state = p->state, .findings = p->findings,
		.finding_count = p->finding_count,
		.history = p->history, .clock = clock_read,
		.core = (void *)(uintptr_t)p,
	};
	struct query q = { .ctx = &ctx, .request = request, .a = a };

	if (strcmp(verb->name, "status") != 0)
		return verb_answer(verb, &q);
	query_begin(&q);
	answer_table(a, &offline_streams);
	for (int s = 0; s < STREAM_COUNT; s++)
		stream_row(a, (enum stream)s, &p->stream[s]);
	return EXIT_ANSWERED;
}

/* The head's table first, then the command's own. */
static void answers_render(const struct screen *screen,
			   const struct render_how *how, struct answer *head,
			   struct answer *a)
{
	Petrel__Answer *h = answer_message(head), *m = answer_message(a);
	Petrel__Table *tables[16];
	size_t n = 0;

	tables[n++] = h->tables[0];
	for (size_t i = 0; i < m->n_tables && n < 16; i++)
		tables[n++] = m->tables[i];
	m->tables = tables;
	m->n_tables = n;
	(void)render(screen, how, m);	/* main() checks it */
}

/* Makes and shows the answer; returns its exit code. */
static int offline_answer(const struct past *p, const struct verb *verb,
			  const Petrel__Request *request,
			  const struct screen *screen,
			  const struct render_how *how, const char *why)
{
	struct answer *a = NULL, *head = NULL;
	int code = EXIT_INCOMPLETE;

	if (answer_new(QUERY_ANSWER_OCTETS, &a) == 0 &&
	    answer_new(QUERY_ANSWER_OCTETS / 64, &head) == 0) {
		offline_head(p, head, clock_wall_now().ns, why);
		code = offline_ask(p, verb, request, a);
		if (past_is_damaged(p))
			answer_message(a)->complete = false;
		if (code == EXIT_ANSWERED)
			code = past_is_damaged(p) ? EXIT_INCOMPLETE :
						    EXIT_AGENT_DOWN;
		answer_message(a)->code = (uint32_t)code;
		answers_render(screen, how, head, a);
	}
	answer_free(a);
	answer_free(head);
	return code;
}

/* Neither agent nor rings: shows only why. */
static int offline_empty(const struct screen *screen,
			 const struct render_how *how, const char *why,
			 const char *rings)
{
	struct answer *a;

	if (answer_new(QUERY_ANSWER_OCTETS / 64, &a) < 0)
		return EXIT_UNREACHABLE;
	answer_head(a, "", clock_wall_now().ns);
	(void)answer_error(a, EXIT_UNREACHABLE, "%s; and %s", why,
			   rings);
	(void)render(screen, how, answer_message(a));
	answer_free(a);
	return EXIT_UNREACHABLE;
}

bool offline_last_words(const char *run_dir, char *ret, size_t cap)
{
	char text[DIAG_MAX + 32], clean[DIAG_MAX + 32], when[48], *why;
	int dir_fd = open(run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = dir_fd < 0 ? -1 :
		 openat(dir_fd, LOCAL_LAST_WORDS,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	uint64_t ns;

	if (dir_fd >= 0)
		(void)close(dir_fd);
	if (fd >= 0)
		(void)close(fd);
	text[n > 0 ? n : 0] = '\0';
	why = strchr(text, '\n');
	if (!why)
		return false;
	*why++ = '\0';
	why[strcspn(why, "\n")] = '\0';
	if (number_parse(text, 0, INT64_MAX, &ns) < 0)
		return false;
	clean_text(clean, sizeof(clean), why);
	wall_text((int64_t)ns, when, sizeof(when));
	(void)snprintf(ret, cap, "petreld ended at %s, %s", when, clean);
	return true;
}

int offline_run(const char *run_dir, const struct verb *verb,
		const Petrel__Request *request, const struct screen *screen,
		const struct render_how *how, const char *why)
{
	struct diag d;
	struct past p;
	int code;

	if (past_open(run_dir, &p, &d) < 0)
		return offline_empty(screen, how, why, d.text);
	code = offline_answer(&p, verb, request, screen, how, why);
	past_fini(&p);
	return code;
}
