#include "agent/history/tier_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/number.h"
#include "petrel/cursor.h"

#define MINUTE_NS (60 * NS_PER_S)
#define HOUR_NS (60 * MINUTE_NS)
#define DAY_NS (24 * HOUR_NS)
#define FILES_MAX 4096

#define FILE_SHARE 4u		/* a file is at most such a part of its tier */
/* Room for one more file is kept free, so 27 MiB of minutes stay: a busy day.
 * Older versions wrote up to TIER_FILE_OCTETS_MAX.
 */
#define FILE_MOST (5u << 20)
#define FILE_ROOM (1u << 20)	/* for a file's begin, and a row */

const struct tier_form tier_forms[TIER_COUNT] = {
	[TIER_MINUTE] = { "minutes", MINUTE_NS, 4 * HOUR_NS, DAY_NS, 4, 11 },
	[TIER_QUARTER] = { "quarters", 15 * MINUTE_NS, 2 * DAY_NS, 30 * DAY_NS,
			   8, 12 },
};

void tier_file_name(enum tier tier, uint64_t began_s,
		    char ret[static TIER_NAME_MAX])
{
	(void)snprintf(ret, TIER_NAME_MAX, "%s-%012llu.rec",
		       tier_forms[tier].name, (unsigned long long)began_s);
}

/* --- which there are ----------------------------------------------------- */

struct tier_names {
	enum tier tier;
	uint64_t *began_s;
	int count;
	int rc;
};

static void name_take(void *to, const char *name)
{
	struct tier_names *n = to;
	size_t len = strlen(tier_forms[n->tier].name);
	char again[TIER_NAME_MAX];
	uint64_t began_s, *more;

	if (strncmp(name, tier_forms[n->tier].name, len) != 0 ||
	    name[len] != '-' ||
	    number_parse_n(name + len + 1, strcspn(name + len + 1, "."), 0,
			   INT64_MAX / NS_PER_S, &began_s) < 0)
		return;
	tier_file_name(n->tier, began_s, again);
	if (strcmp(again, name) != 0 || n->count == FILES_MAX)
		return;
	more = reallocarray(n->began_s, (size_t)n->count + 1, sizeof(*more));
	if (!more) {
		n->rc = -ENOMEM;
		return;
	}
	n->began_s = more;
	n->began_s[n->count++] = began_s;
}

static int second_order(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

int tier_list(const struct disk *d, int dir_fd, enum tier tier,
	      uint64_t **ret)
{
	struct tier_names n = { .tier = tier };
	int rc = d->list(d->context, dir_fd, name_take, &n);

	if (rc == 0)
		rc = n.rc;
	if (rc < 0) {
		free(n.began_s);
		return rc;
	}
	if (n.count > 1)
		qsort(n.began_s, (size_t)n.count, sizeof(*n.began_s),
		      second_order);
	*ret = n.began_s;
	return n.count;
}

/* --- writing ------------------------------------------------------------- */

static uint64_t file_octets(const struct tier_writer *w, const char *name)
{
	const struct disk *d = w->disk;
	int fd = d->open(d->context, w->dir_fd, name, O_RDONLY, 0);
	int64_t size = fd < 0 ? 0 : d->size(d->context, fd);

	if (fd >= 0)
		(void)d->close(d->context, fd);	/* only read */
	return size > 0 ? (uint64_t)size : 0;
}

int tier_writer_held(const struct tier_writer *w, uint64_t since_s,
		     struct tier_held *ret)
{
	uint64_t *began_s = NULL;
	int count = tier_list(w->disk, w->dir_fd, w->tier, &began_s);

	*ret = (struct tier_held){ .began_s = count > 0 ? began_s[0] : 0 };
	for (int i = 0; i < count; i++) {
		char name[TIER_NAME_MAX];
		uint64_t octets;

		tier_file_name(w->tier, began_s[i], name);
		octets = file_octets(w, name);
		ret->octets += octets;
		ret->since_octets += began_s[i] >= since_s ? octets : 0;
	}
	free(began_s);
	return count < 0 ? count : 0;
}

/* The tier's share of the octets that may be held. */
static uint64_t held_most(const struct tier_writer *w)
{
	return w->budget->held_octets / 12 * tier_forms[w->tier].held_twelfths;
}

static uint64_t file_most(const struct tier_writer *w)
{
	uint64_t share = held_most(w) / FILE_SHARE;

	return share < FILE_MOST ? share : FILE_MOST;
}

/* Removes files that are older than the tier's span, and then the oldest until
 * there is room for another file.
 */
static int files_drop(struct tier_writer *w, struct wall now)
{
	const struct tier_form *form = &tier_forms[w->tier];
	const struct disk *d = w->disk;
	uint64_t *began_s = NULL, size;
	struct tier_held held;
	int rc = tier_writer_held(w, 0, &held);
	int count = rc < 0 ? rc : tier_list(d, w->dir_fd, w->tier, &began_s);

	w->is_short = false;
	for (int i = 0; i < count; i++) {
		/* it ends where the next one begins */
		int64_t end_s = i + 1 < count ? (int64_t)began_s[i + 1] :
				now.ns / NS_PER_S;
		bool is_old = now.ns / NS_PER_S - end_s >=
			      form->kept_ns / NS_PER_S;
		char name[TIER_NAME_MAX];

		tier_file_name(w->tier, began_s[i], name);
		size = file_octets(w, name);
		if ((size == 0 || is_old ||
		     held.octets + file_most(w) > held_most(w)) &&
		    d->unlink(d->context, w->dir_fd, name) == 0) {
			held.octets -= size;
			w->is_short |= size > 0 && !is_old;
		}
	}
	free(began_s);
	if (count < 0)
		return count;
	return held.octets + file_most(w) > held_most(w) ? -EDQUOT : 0;
}

/* May so many more octets be written today? */
static bool day_has_room(const struct tier_writer *w, uint64_t octets)
{
	const struct tier_budget *b = w->budget;

	return b->written + octets <=
	       b->day_octets / 12 * tier_forms[w->tier].day_twelfths;
}

int tier_writer_begin(struct tier_writer *w, struct wall now)
{
	const struct disk *d = w->disk;
	char name[TIER_NAME_MAX];
	int rc;

	tier_writer_close(w);
	if (!day_has_room(w, FILE_ROOM))
		return -EDQUOT;
	rc = files_drop(w, now);
	if (rc < 0)
		return rc;
	w->began_s = (uint64_t)(now.ns / NS_PER_S);
	tier_file_name(w->tier, w->began_s, name);
	w->fd = d->open(d->context, w->dir_fd, name,
			O_WRONLY | O_CREAT | O_EXCL | O_APPEND, w->mode);
	w->octets = 0;
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		w->next[i] = 1;
	return w->fd < 0 ? w->fd : 0;
}

bool tier_writer_is_due(const struct tier_writer *w, struct wall now)
{
	int64_t age_s = now.ns / NS_PER_S - (int64_t)w->began_s;

	return w->fd < 0 || age_s < 0 ||
	       age_s >= tier_forms[w->tier].file_ns / NS_PER_S ||
	       w->octets >= file_most(w) - FILE_ROOM;
}

int tier_writer_put(struct tier_writer *w, enum stream stream,
		    enum record_kind kind, uint16_t flags,
		    const void *payload, size_t len)
{
	uint8_t octets[RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX];
	struct writer out = writer_of(octets, sizeof(octets));
	struct record_header h = { .length = (uint32_t)len,
				   .stream = (uint8_t)stream,
				   .kind = (uint8_t)kind, .flags = flags,
				   .sequence = w->next[stream],
				   .last = w->next[stream] };
	int rc;

	if (w->fd < 0)
		return -EBADF;
	record_write(&out, &h, payload);
	if (!writer_ok(&out))
		return -EMSGSIZE;
	if (!day_has_room(w, out.pos))
		rc = -EDQUOT;
	else if (w->octets + out.pos > file_most(w))
		rc = -EFBIG;
	else
		rc = disk_append(w->disk, w->fd, octets, out.pos);
	if (rc < 0) {
		tier_writer_close(w);
		return rc;
	}
	w->next[stream]++;
	w->octets += out.pos;
	w->budget->written += out.pos;
	return 0;
}

void tier_writer_close(struct tier_writer *w)
{
	if (w->fd >= 0)
		(void)w->disk->close(w->disk->context, w->fd);
	w->fd = -1;
}

/* --- reading ------------------------------------------------------------- */

struct tier_walk tier_walk_of(const uint8_t *octets, size_t len)
{
	return (struct tier_walk){ .octets = octets, .len = len, .fd = -1 };
}

struct tier_walk tier_walk_file(int fd, uint8_t *room)
{
	struct tier_walk w = { .octets = room, .room = room, .fd = fd };

	if (lseek(fd, 0, SEEK_SET) < 0) {
		w.err = -errno;
		w.fd = -1;
	}
	return w;
}

/* Afterwards any record that begins here is complete, if it is in the file. */
static void walk_fill(struct tier_walk *w)
{
	size_t left = w->len - w->at;

	if (left > 0)
		memmove(w->room, w->room + w->at, left);
	w->at = 0;
	w->len = left;
	while (w->fd >= 0 && w->len < TIER_WALK_ROOM) {
		ssize_t n = read(w->fd, w->room + w->len,
				 TIER_WALK_ROOM - w->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			w->err = n < 0 ? -errno : 0;
			w->fd = -1;
		}
		w->len += n > 0 ? (size_t)n : 0;
	}
}

/* Octets from here on; enough for any record unless the file ends. */
static size_t walk_left(struct tier_walk *w)
{
	if (w->fd >= 0 && w->len - w->at < RECORD_MAX)
		walk_fill(w);
	return w->len - w->at;
}

bool tier_walk_next(struct tier_walk *w, struct record_header *ret,
		    const uint8_t **ret_payload)
{
	while (walk_left(w) >= RECORD_HEADER_LEN) {
		struct cursor c = cursor_of(w->octets + w->at,
					    w->len - w->at);

		if (record_read(&c, ret, ret_payload) == 0) {
			w->at += RECORD_HEADER_LEN + ret->length;
			return true;
		}
		w->at++;
		w->damaged++;
	}
	w->damaged += w->len - w->at;
	w->at = w->len;
	return false;
}
