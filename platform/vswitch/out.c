#include "platform/vswitch/out.h"

#include <errno.h>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/hash.h"

#define KEY_MAX 256
#define NO_DB (-1)

static const char separators[OUT_DB_COUNT] = {
	[APPL_DB] = ':',	 [ASIC_DB] = ':', [COUNTERS_DB] = ':',
	[CONFIG_DB] = '|',	 [FLEX_COUNTER_DB] = ':',
	[STATE_DB] = '|',
};

void out_init(struct out *o, const char *path)
{
	const char *slash;

	memset(o, 0, sizeof(*o));
	o->dir_fd = -1;
	o->db = NO_DB;
	(void)snprintf(o->socket, sizeof(o->socket), "%s", path);
	slash = strrchr(o->socket, '/');
	o->socket_name = slash ? slash + 1 : o->socket;
}

/* Only ends the connection. */
static void out_disconnect(struct out *o)
{
	if (o->redis)
		redisFree(o->redis);
	if (o->dir_fd >= 0)
		(void)close(o->dir_fd);		/* only a place */
	o->redis = NULL;
	o->dir_fd = -1;
	commands_clear(&o->commands);
	o->fields = 0;
	o->db = NO_DB;
}

void out_fini(struct out *o)
{
	out_disconnect(o);
	commands_free(&o->commands);
	commands_free(&o->row);
}

bool out_is_connected(const struct out *o)
{
	return o->redis != NULL;
}

/* By the folder's descriptor: sun_path is short, paths may be long. */
static int place_open(struct out *o, char *path, size_t cap)
{
	char folder[sizeof(o->socket)] = ".";
	size_t len = (size_t)(o->socket_name - o->socket);

	if (len > 0)
		(void)snprintf(folder, sizeof(folder), "%.*s", (int)len,
			       o->socket);
	o->dir_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (o->dir_fd < 0)
		return -errno;
	(void)snprintf(path, cap, "/proc/self/fd/%d/%s", o->dir_fd,
		       o->socket_name);
	return 0;
}

int out_connect(struct out *o, struct diag *d)
{
	static const struct timeval timeout = { .tv_sec = OUT_TIMEOUT_S };
	char path[300];
	int rc;

	out_disconnect(o);
	rc = place_open(o, path, sizeof(path));
	if (rc < 0)
		return diag_set(d, rc, "%s: %s", o->socket, strerror(-rc));
	o->redis = redisConnectUnixWithTimeout(path, timeout);
	if (!o->redis)
		return diag_set(d, -ENOMEM, "%s: no memory", o->socket);
	if (o->redis->err || redisSetTimeout(o->redis, timeout) != REDIS_OK) {
		diag_write(d, "%s: %s", o->socket, o->redis->errstr);
		out_disconnect(o);
		return -ENOTCONN;
	}
	return 0;
}

/* --- gathering ------------------------------------------------------------ */

static void db_select(struct out *o, enum out_db db)
{
	char number[TEXT_VALUE_MAX];

	if (o->db == (int)db)
		return;
	o->db = (int)db;
	(void)text_u64(db, number);
	commands_add(&o->commands,
		     (const char *const[]){ "SELECT", number, NULL });
}

static void key_make(enum out_db db, const char *table, const char *name,
		     char key[KEY_MAX])
{
	if (name)
		(void)snprintf(key, KEY_MAX, "%s%c%s", table, separators[db],
			       name);
	else
		(void)snprintf(key, KEY_MAX, "%s", table);
}

void out_row(struct out *o, enum out_db db, const char *table, const char *name)
{
	char key[KEY_MAX];

	key_make(db, table, name, key);
	db_select(o, db);
	commands_clear(&o->row);
	o->fields = 0;
	commands_word(&o->row, "HSET");
	commands_word(&o->row, key);
	o->row_head = o->row.len;
}

void out_oid_text(uint64_t oid, char ret[OUT_OID_MAX])
{
	(void)snprintf(ret, OUT_OID_MAX, "oid:0x%llx",
		       (unsigned long long)oid);
}

void out_row_oid(struct out *o, const char *table, uint64_t oid)
{
	char name[OUT_OID_MAX];

	out_oid_text(oid, name);
	out_row(o, COUNTERS_DB, table, name);
}

void out_row_end(struct out *o)
{
	if (o->fields == 0)
		return;
	commands_begin(&o->commands, 2 + 2 * (size_t)o->fields);
	commands_add_text(&o->commands, o->row.data, o->row.len);
	o->commands.failed |= o->row.failed;
}

bool out_seen_again(struct out_seen *s, const void *data, size_t len)
{
	uint64_t hash = hash_octets(0, data, len);
	bool again = hash == s->hash;

	s->hash = hash;
	return again;
}

void out_row_end_timed(struct out *o, struct out_seen *seen)
{
	if (out_seen_again(seen, o->row.data + o->row_head,
			   o->row.len - o->row_head)) {
		o->row.len = o->row_head;
		o->fields = 0;
	}
	out_updated(o);
	out_row_end(o);
}

void out_text(struct out *o, const char *field, const char *value)
{
	commands_word(&o->row, field);
	commands_word(&o->row, value);
	o->fields++;
}

void out_format(struct out *o, const char *field, const char *format, ...)
{
	char text[KEY_MAX];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	out_text(o, field, text);
}

void out_oid(struct out *o, const char *field, uint64_t oid)
{
	char text[OUT_OID_MAX];

	out_oid_text(oid, text);
	out_text(o, field, text);
}

void out_u64(struct out *o, const char *field, uint64_t value)
{
	char text[TEXT_VALUE_MAX];

	(void)text_u64(value, text);
	out_text(o, field, text);
}

void out_rounded(struct out *o, const char *field, double value,
		 unsigned decimals)
{
	char text[TEXT_VALUE_MAX];

	text_rounded(value, decimals, text);
	out_text(o, field, text);
}

void out_repr(struct out *o, const char *field, double value)
{
	char text[TEXT_VALUE_MAX];

	number_repr(value, text);
	out_text(o, field, text);
}

void out_lua(struct out *o, const char *field, double value)
{
	char text[TEXT_VALUE_MAX];

	text_lua(value, text);
	out_text(o, field, text);
}

void out_bool(struct out *o, const char *field, bool value)
{
	out_text(o, field, text_bool(value));
}

void out_time(struct out *o, const char *field, int64_t unix_s)
{
	if (unix_s > 0)
		out_date(o, field, DATE_C, unix_s);
	else
		out_text(o, field, "never");
}

void out_updated(struct out *o)
{
	out_time(o, "last_update_time", o->now_s);
}

void out_date(struct out *o, const char *field, enum text_date form,
	      int64_t unix_s)
{
	char text[TEXT_VALUE_MAX];

	text_date(unix_s, form, text);
	out_text(o, field, text);
}

void out_numbered(const char *form, unsigned number, char *ret, size_t cap)
{
	size_t len = strnlen(form, cap - 1);
	char *sign;

	memcpy(ret, form, len);
	ret[len] = '\0';
	sign = memchr(ret, '#', len);
	if (sign)
		*sign = (char)('0' + number % 10);
}

void out_fields(struct out *o, const struct out_pair *pairs)
{
	for (; pairs->field; pairs++)
		out_text(o, pairs->field, pairs->value);
}

void out_pairs(struct out *o, enum out_db db, const char *table,
	       const char *name, const struct out_pair *pairs)
{
	out_row(o, db, table, name);
	out_fields(o, pairs);
	out_row_end(o);
}

void out_command(struct out *o, enum out_db db, const char *const *words)
{
	db_select(o, db);
	commands_add(&o->commands, words);
}

void out_delete(struct out *o, enum out_db db, const char *table,
		const char *name)
{
	char key[KEY_MAX];

	key_make(db, table, name, key);
	out_command(o, db, (const char *const[]){ "DEL", key, NULL });
}

/* --- sending -------------------------------------------------------------- */

static int lost(struct out *o, struct diag *d)
{
	diag_write(d, "%s: %s", o->socket, o->redis->errstr[0] ?
		   o->redis->errstr : strerror(errno));
	out_disconnect(o);
	return -EIO;
}

static void answer_take(struct out *o, const redisReply *r)
{
	o->sent++;
	if (r->type != REDIS_REPLY_ERROR)
		return;
	o->refused++;
	(void)snprintf(o->refusal, sizeof(o->refusal), "%.*s", (int)r->len,
		       r->str);
}

/* hiredis sends its buffer when the first answer is read. */
static int answers_read(struct out *o, unsigned count, struct diag *d)
{
	for (unsigned i = 0; i < count; i++) {
		void *reply;

		if (redisGetReply(o->redis, &reply) != REDIS_OK)
			return lost(o, d);
		answer_take(o, reply);
		freeReplyObject(reply);
	}
	return 0;
}

int out_send(struct out *o, struct diag *d)
{
	unsigned count = o->commands.count;
	int rc = 0;

	if (!o->redis)
		rc = diag_set(d, -ENOTCONN, "%s: not connected", o->socket);
	else if (o->commands.failed || (count > 0 &&
		 redisAppendFormattedCommand(o->redis, o->commands.data,
					     o->commands.len) != REDIS_OK))
		rc = diag_set(d, -ENOMEM, "%s: no memory for %zu octets of "
			      "commands", o->socket, o->commands.len);
	if (rc == -ENOMEM)
		out_disconnect(o);
	commands_clear(&o->commands);
	return rc < 0 ? rc : answers_read(o, count, d);
}

int out_ask(struct out *o, enum out_db db, const char *key, const char *field,
	    char *ret, size_t cap, struct diag *d)
{
	redisReply *r = NULL;
	int rc;

	db_select(o, db);
	rc = out_send(o, d);
	if (rc < 0)
		return rc;
	r = redisCommand(o->redis, "HGET %s %s", key, field);
	if (!r)
		return lost(o, d);
	(void)snprintf(ret, cap, "%s", r->type == REDIS_REPLY_STRING ?
		       r->str : "");
	freeReplyObject(r);
	return 0;
}
