#include "platform/sonic/publish.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ROW_TABLE "PETREL_FINDING"
#define LIST_KEY "PETREL_AGENT|findings"
#define VALUE_MAX 256
#define EVIDENCE_TEXT_MAX 640
#define PORTS_TEXT_MAX (FINDING_PORTS_OCTETS + 1)
#define NOT_KNOWN "N/A"			/* as in SONiC */

static void state_tell(struct publish *p, enum source_state state,
		       const char *reason)
{
	if (p->told == state && strcmp(p->reason, reason ? reason : "") == 0)
		return;
	p->told = state;
	(void)snprintf(p->reason, sizeof(p->reason), "%s",
		       reason ? reason : "");
	p->host->source(p->host->context, p->source, state, 0, reason);
}

/* --- the list of ids in STATE_DB ------------------------------------------ */

static int id_name(struct redis_query *q, const char *text, size_t len,
		   unsigned position)
{
	struct publish *p = q->context;
	struct publish_row *row = p->row + p->count;

	(void)position;
	if (len == 0 || len > FINDING_ID_LEN || p->count == PUBLISH_MAX)
		return -1;
	memset(row, 0, sizeof(*row));
	memcpy(row->id, text, len);
	p->count++;
	return -1;	/* the severity is not needed here */
}

static bool list_reply(struct redis_query *q, const struct reply *r)
{
	char why[SOURCE_REASON_MAX];

	(void)snprintf(why, sizeof(why), "%s: %.95s", LIST_KEY, reply_wrong(r));
	if (r->kind != REPLY_ARRAY)
		state_tell(q->context, SOURCE_BROKEN, why);
	return r->kind == REPLY_ARRAY;
}

static void list_done(struct redis_query *q, const char *reason)
{
	struct publish *p = q->context;

	p->busy = false;
	p->listed = !reason && p->told != SOURCE_BROKEN;
	if (reason)
		state_tell(p, SOURCE_ABSENT, reason);
}

static void list_write(struct redis_query *q, struct commands *to)
{
	(void)q;
	commands_add(to, (const char *const[]){ "HGETALL", LIST_KEY, NULL });
}

static const struct query_ops list_ops = {
	.write = list_write, .name = id_name, .value = query_skip_value,
	.reply = list_reply, .done = list_done,
};

static void list_ask(struct publish *p, struct mono now)
{
	p->busy = true;
	p->count = 0;
	p->connects = p->channel.connects;
	p->verify.ns = now.ns + PUBLISH_VERIFY_NS;
	if (p->told == SOURCE_BROKEN)
		p->told = SOURCE_IDLE;	/* a new attempt, a new answer */
	p->query = (struct redis_query){ .ops = &list_ops, .context = p,
					 .count = 1, .pairs = true };
	channel_ask(&p->channel, &p->query, now);
}

/* --- the contents of a row ------------------------------------------------ */

static void wall_text(struct wall when, char ret[static VALUE_MAX])
{
	time_t s = (time_t)(when.ns / NS_PER_S);
	struct tm tm;

	if (when.ns <= 0 || !gmtime_r(&s, &tm) ||
	    strftime(ret, VALUE_MAX, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		(void)strcpy(ret, NOT_KNOWN);
}

static void seconds_text(const struct cliff *c, int64_t s,
			 char ret[static VALUE_MAX])
{
	if (!c->foreseeable || s == FINDING_NO_UPPER_BOUND)
		(void)strcpy(ret, NOT_KNOWN);
	else
		(void)snprintf(ret, VALUE_MAX, "%" PRId64, s);
}

/* Items of a list, each but the first after a separator; only whole ones. */
static void list_add(char *ret, size_t cap, char separator, const char *format,
		     ...) __attribute__((format(printf, 4, 5)));

static void list_add(char *ret, size_t cap, char separator, const char *format,
		     ...)
{
	size_t len = strlen(ret), at = len;
	va_list args;
	int more;

	if (len > 0 && len + 1 < cap)
		ret[at++] = separator;
	va_start(args, format);
	more = vsnprintf(ret + at, cap - at, format, args);
	va_end(args);
	if (more < 0 || at + (size_t)more >= cap)
		ret[len] = '\0';
}

static void lanes_text(uint8_t lanes, char ret[static VALUE_MAX])
{
	ret[0] = '\0';
	for (unsigned i = 0; i < 8; i++)
		if (lanes >> i & 1)
			list_add(ret, VALUE_MAX, ',', "%u", i + 1);
}

static void evidence_text(const struct finding *f,
			  char ret[static EVIDENCE_TEXT_MAX])
{
	ret[0] = '\0';
	for (unsigned i = 0; i < f->evidence_count; i++)
		list_add(ret, EVIDENCE_TEXT_MAX, ' ', "%s=%.4g",
			 f->evidence[i].name, f->evidence[i].value);
}

static void ports_text(const struct finding *f,
		       char ret[static PORTS_TEXT_MAX])
{
	const char *port = finding_port(f, NULL);

	ret[0] = '\0';
	for (; port; port = finding_port(f, port))
		list_add(ret, PORTS_TEXT_MAX, ',', "%s", port);
}

static void actions_text(const struct finding *f, char ret[static VALUE_MAX])
{
	ret[0] = '\0';
	for (unsigned i = 0; i < f->action_count; i++)
		list_add(ret, VALUE_MAX, ',', "%s", action_name(f->actions[i]));
}

static const char *or_not_known(const char *word)
{
	return word && word[0] ? word : NOT_KNOWN;
}

static void row_write(struct commands *c, const char *key,
		      const struct finding *f)
{
	char lanes[VALUE_MAX], since[VALUE_MAX], updated[VALUE_MAX];
	char confidence[VALUE_MAX], low[VALUE_MAX], mid[VALUE_MAX];
	char high[VALUE_MAX], evidence[EVIDENCE_TEXT_MAX];
	char ports[PORTS_TEXT_MAX], actions[VALUE_MAX];

	lanes_text(f->lanes, lanes);
	wall_text(f->onset_wall, since);
	wall_text(f->when_wall, updated);
	(void)snprintf(confidence, sizeof(confidence), "%.2f",
		       (double)f->confidence);
	seconds_text(&f->cliff, f->cliff.low_s, low);
	seconds_text(&f->cliff, f->cliff.mid_s, mid);
	seconds_text(&f->cliff, f->cliff.high_s, high);
	evidence_text(f, evidence);
	ports_text(f, ports);
	actions_text(f, actions);
	commands_add(c, (const char *const[]){
		"HSET", key, "id", f->id, "subject", f->subject,
		"signature", or_not_known(signature_name(f->signature)),
		"severity", or_not_known(severity_name(f->severity)),
		"state", or_not_known(finding_state_name(f->state)),
		"lanes", or_not_known(lanes),
		"end", or_not_known(fault_end_name(f->end)),
		"action", or_not_known(action_name(f->action)),
		"action_text", or_not_known(action_words(f, f->action)),
		"drain", or_not_known(drain_name(f->drain)),
		"confidence", confidence, "cause", or_not_known(f->cause),
		"evidence", or_not_known(evidence), "since", since,
		"updated", updated, "cliff_low_s", low, "cliff_mid_s", mid,
		"cliff_high_s", high,
		"subject_kind", or_not_known(subject_kind_name(f->kind)),
		"ports", or_not_known(ports),
		"cause_id", or_not_known(cause_name(f->cause_id)),
		"actions", or_not_known(actions), NULL });
}

/* --- updating STATE_DB ---------------------------------------------------- */

static void key_make(const char *id, char ret[static COMMAND_KEY_MAX])
{
	(void)snprintf(ret, COMMAND_KEY_MAX, ROW_TABLE "|%s", id);
}

static struct publish_row *row_find(struct publish *p, const char *id)
{
	for (unsigned i = 0; i < p->count; i++)
		if (strcmp(p->row[i].id, id) == 0)
			return &p->row[i];
	return NULL;
}

static struct publish_row *row_add(struct publish *p, const char *id)
{
	struct publish_row *row = p->row + p->count;

	if (p->count == PUBLISH_MAX)
		return NULL;
	memset(row, 0, sizeof(*row));
	(void)snprintf(row->id, sizeof(row->id), "%s", id);
	p->count++;
	return row;
}

/* The list first, so that rows are found again whatever happens in between. */
static void open_write(struct publish *p, const struct finding *f)
{
	struct publish_row *row = row_find(p, f->id);
	char key[COMMAND_KEY_MAX];

	if (!row)
		row = row_add(p, f->id);
	if (!row)
		return;
	row->open = true;
	if (row->when_ns == f->when.ns)
		return;
	row->when_ns = f->when.ns;
	key_make(f->id, key);
	commands_add(&p->commands, (const char *const[]){
		"HSET", LIST_KEY, f->id,
		or_not_known(severity_name(f->severity)), NULL });
	row_write(&p->commands, key, f);
}

static void cleared_remove(struct publish *p)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < p->count; i++) {
		char key[COMMAND_KEY_MAX];

		if (p->row[i].open) {
			p->row[kept] = p->row[i];
			p->row[kept++].open = false;
			continue;
		}
		key_make(p->row[i].id, key);
		commands_add(&p->commands,
			     (const char *const[]){ "DEL", key, NULL });
		commands_add(&p->commands, (const char *const[]){
			"HDEL", LIST_KEY, p->row[i].id, NULL });
	}
	p->count = kept;
}

static void changes_done(struct redis_query *q, const char *reason)
{
	struct publish *p = q->context;

	p->busy = false;
	if (reason)
		state_tell(p, SOURCE_ABSENT, reason);
	if (reason || p->told == SOURCE_BROKEN)
		p->listed = false;	/* unknown what was written */
	else
		state_tell(p, SOURCE_FRESH, NULL);
}

/* HSET, DEL and HDEL: the number of changes. */
static bool change_reply(struct redis_query *q, const struct reply *r)
{
	if (r->kind != REPLY_INTEGER)
		state_tell(q->context, SOURCE_BROKEN, reply_wrong(r));
	return r->kind == REPLY_INTEGER;
}

static const struct query_ops change_ops = {
	.reply = change_reply,
	.done = changes_done,
};

static void changes_write(struct publish *p, const struct finding *open,
			  size_t count, struct mono now)
{
	commands_clear(&p->commands);
	for (size_t i = 0; i < count; i++)
		open_write(p, &open[i]);
	cleared_remove(p);
	if (p->commands.failed) {
		p->listed = false;
		return;
	}
	if (count > PUBLISH_MAX)
		state_tell(p, SOURCE_BROKEN,
			   "more findings than rows: some are not in STATE_DB");
	else if (p->commands.count == 0)
		state_tell(p, SOURCE_FRESH, NULL);
	if (p->commands.count == 0)
		return;
	p->busy = true;
	p->query = (struct redis_query){ .ops = &change_ops, .context = p,
					 .commands = p->commands.data,
					 .len = p->commands.len,
					 .count = p->commands.count };
	channel_ask(&p->channel, &p->query, now);
}

void publish_init(struct publish *p, const struct platform_host *host,
		  unsigned source, int root_fd, int epoll_fd,
		  const char *socket)
{
	p->host = host;
	p->source = source;
	p->root_fd = root_fd;
	p->socket = socket;
	p->told = SOURCE_IDLE;
	channel_init(&p->channel, "STATE_DB", root_fd, epoll_fd);
}

void publish_fini(struct publish *p)
{
	channel_fini(&p->channel);
	commands_free(&p->commands);
}

void publish_show(struct publish *p, bool wanted, const struct finding *open,
		  size_t count, struct mono now)
{
	struct diag d = { "" };

	p->wanted |= wanted;	/* then also later, to remove rows */
	if (!p->wanted) {
		state_tell(p, SOURCE_UNSUPPORTED,
			   "[Sonic] publish does not name state_db");
		return;
	}
	if (p->busy)
		return;
	channel_follow(&p->channel, DATABASE_STATE, p->socket);
	if (channel_ready(&p->channel, now, &d) < 0) {
		p->listed = false;
		state_tell(p, SOURCE_ABSENT, d.text);
		return;
	}
	if (!p->listed || p->connects != p->channel.connects ||
	    now.ns >= p->verify.ns)
		list_ask(p, now);
	else
		changes_write(p, open, wanted ? count : 0, now);
}
