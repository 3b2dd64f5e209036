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

/* With the files that are written, TIER_FILE_OCTETS_MAX, both hold 92 MiB at
 * most; what is written in a day is what is held of its minutes, and of the
 * quarters a thirtieth.
 */
const struct tier_form tier_forms[TIER_COUNT] = {
	[TIER_MINUTE] = { "minutes", MINUTE_NS, 4 * HOUR_NS, DAY_NS,
			  26u << 20 },
	[TIER_QUARTER] = { "quarters", 15 * MINUTE_NS, 2 * DAY_NS, 30 * DAY_NS,
			   54u << 20 },
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
		(void)d->close(d->context, fd);	/* only looked at */
	return size > 0 ? (uint64_t)size : 0;
}

/* What is older than the tier reaches goes. Returns the octets of the rest. */
static int64_t files_drop(const struct tier_writer *w, struct wall now)
{
	const struct tier_form *form = &tier_forms[w->tier];
	const struct disk *d = w->disk;
	uint64_t *began_s = NULL, octets = 0, size;
	int count = tier_list(d, w->dir_fd, w->tier, &began_s);

	for (int i = 0; i < count; i++) {
		/* it ends where the next one begins */
		int64_t end_s = i + 1 < count ? (int64_t)began_s[i + 1] :
				now.ns / NS_PER_S;
		char name[TIER_NAME_MAX];

		tier_file_name(w->tier, began_s[i], name);
		size = file_octets(w, name);
		if ((size == 0 || now.ns / NS_PER_S - end_s >=
				  form->kept_ns / NS_PER_S) &&
		    d->unlink(d->context, w->dir_fd, name) == 0)
			continue;
		octets += size;
	}
	free(began_s);
	return count < 0 ? count : (int64_t)octets;
}

int tier_writer_begin(struct tier_writer *w, struct wall now)
{
	const struct tier_form *form = &tier_forms[w->tier];
	const struct disk *d = w->disk;
	char name[TIER_NAME_MAX];
	int64_t held;

	tier_writer_close(w);
	held = files_drop(w, now);
	if (held < 0)
		return (int)held;
	if ((uint64_t)held >= form->held_octets)
		return -EDQUOT;
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
	       w->octets >= TIER_FILE_OCTETS_MAX - (1u << 20);
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
	if (w->octets + out.pos > TIER_FILE_OCTETS_MAX)
		rc = -EFBIG;
	else
		rc = disk_append(w->disk, w->fd, octets, out.pos);
	if (rc < 0) {
		tier_writer_close(w);
		return rc;
	}
	w->next[stream]++;
	w->octets += out.pos;
	return 0;
}

void tier_writer_close(struct tier_writer *w)
{
	if (w->fd >= 0)
		(void)w->disk->close(w->disk->context, w->fd);
	w->fd = -1;
}

/* --- reading ------------------------------------------------------------- */

bool tier_walk_next(struct tier_walk *w, struct record_header *ret,
		    const uint8_t **ret_payload)
{
	while (w->len - w->at >= RECORD_HEADER_LEN) {
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
