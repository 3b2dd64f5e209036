/* The three rings of a run: taken over whole, or made anew whole. */
#include "agent/base/ring.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/ring_file.h"

#define PAGE 4096u

/* What one ring tells of the run before a new one. An empty ring stands for
 * the run that it names itself: its own has said nothing yet.
 */
struct past {
	uint64_t run;
	uint64_t last[STREAM_COUNT];
	bool has_records;
};

static struct past past_of(const struct ring *r)
{
	struct past p = { .run = r->fixed.previous_run };

	if (ring_next(r) == 1) {
		memcpy(p.last, r->fixed.previous_last, sizeof(p.last));
		return p;
	}
	p.run = r->fixed.run;
	p.last[r->fixed.stream] = ring_next(r) - 1;
	p.has_records = true;
	return p;
}

static uint64_t past_run(const struct past *p, bool has_records)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (p[i].run != 0 && p[i].has_records == has_records)
			return p[i].run;
	return 0;
}

static void past_find(struct ring_set *s)
{
	struct past p[STREAM_COUNT] = { 0 };

	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (s->ring[i])
			p[i] = past_of(s->ring[i]);
	s->previous_run = past_run(p, true);
	if (s->previous_run == 0)
		s->previous_run = past_run(p, false);
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		for (unsigned k = 0; k < STREAM_COUNT; k++)
			if (p[i].run == s->previous_run &&
			    p[i].last[k] > s->previous_last[k])
				s->previous_last[k] = p[i].last[k];
}

void ring_set_close(struct ring_set *s)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		ring_close(s->ring[i]);
		s->ring[i] = NULL;
	}
}

static int take_one(int dir_fd, enum stream stream, struct ring **ret,
		    struct diag *d)
{
	int rc = ring_file_open(dir_fd, stream, false, ret, d);

	if (rc < 0)
		return rc;
	rc = ring_file_verify(*ret, NULL, d);
	if (rc < 0) {
		ring_close(*ret);
		*ret = NULL;
	}
	return rc;
}

/* Opens what is intact. Returns 0 when it is one set; -ENOENT, -EBADMSG when
 * a new run must begin; d then says why. Other errors are no fault of the
 * files.
 */
static int take_over(int dir_fd, struct ring_set *s, struct diag *d)
{
	struct diag why;
	int err = 0;

	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		int rc = take_one(dir_fd, i, &s->ring[i], &why);

		if (rc == 0)
			continue;
		if (rc != -ENOENT && rc != -EBADMSG)
			return diag_set(d, rc, "%s", why.text);
		if (err == 0 || (err == -ENOENT && rc == -EBADMSG))
			err = diag_set(d, rc, "%s", why.text);
	}
	for (unsigned i = 1; err == 0 && i < STREAM_COUNT; i++)
		if (ring_run(s->ring[i]) != ring_run(s->ring[0]))
			err = diag_set(d, -EBADMSG, "%s.ring: of run %016jx, "
				       "but %s.ring of run %016jx",
				       stream_name(i),
				       (uintmax_t)ring_run(s->ring[i]),
				       stream_name(0),
				       (uintmax_t)ring_run(s->ring[0]));
	return err;
}

static int make_all(int dir_fd, const size_t *bytes, struct ring_set *s,
		    struct diag *d)
{
	struct ring_fixed fixed = { .run = s->run,
				    .previous_run = s->previous_run };
	int rc = 0;

	memcpy(fixed.previous_last, s->previous_last,
	       sizeof(fixed.previous_last));
	for (unsigned i = 0; rc == 0 && i < STREAM_COUNT; i++) {
		fixed.stream = i;
		fixed.bytes = (bytes[i] + PAGE - 1) / PAGE * PAGE;
		rc = ring_file_make(dir_fd, &fixed, &s->ring[i], d);
	}
	for (unsigned i = 0; rc == 0 && i < STREAM_COUNT; i++)
		rc = ring_file_publish(dir_fd, i, d);
	if (rc < 0)
		ring_set_close(s);
	return rc;
}

static void remove_all(int dir_fd)
{
	char name[RING_NAME_MAX];

	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		ring_file_name(i, name);
		(void)unlinkat(dir_fd, name, 0);
	}
}

/* Beside the old ones first, so that a kill leaves what they tell; in their
 * place where there is no room for both.
 */
static int begin(int dir_fd, const size_t *bytes, uint64_t new_run,
		 struct ring_set *s, struct diag *d)
{
	struct diag why = { "" };
	int rc;

	past_find(s);
	ring_set_close(s);
	s->run = new_run;
	s->fresh = true;
	rc = make_all(dir_fd, bytes, s, &why);
	if (rc == -ENOSPC || rc == -EDQUOT) {
		remove_all(dir_fd);
		rc = make_all(dir_fd, bytes, s, &why);
	}
	if (rc < 0)
		return diag_set(d, rc, "%s", why.text);
	return 0;
}

int ring_set_open(int dir_fd, const size_t bytes[static STREAM_COUNT],
		  uint64_t new_run, struct ring_set *ret, struct diag *d)
{
	struct ring_set s = { 0 };
	int rc;

	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (bytes[i] < RING_BYTES_MIN || bytes[i] > RING_BYTES_MAX)
			return diag_set(d, -EINVAL, "%s.ring: %zu octets; must "
					"be %u to %u", stream_name(i), bytes[i],
					RING_BYTES_MIN, RING_BYTES_MAX);
	rc = take_over(dir_fd, &s, d);
	if (rc == 0) {
		assert(s.ring[0]);
		s.run = ring_run(s.ring[0]);
		s.previous_run = s.ring[0]->fixed.previous_run;
		memcpy(s.previous_last, s.ring[0]->fixed.previous_last,
		       sizeof(s.previous_last));
	} else if (rc == -ENOENT || rc == -EBADMSG) {
		rc = begin(dir_fd, bytes, new_run, &s, d);
	}
	if (rc < 0) {
		ring_set_close(&s);
		return rc;
	}
	*ret = s;
	return 0;
}

int ring_set_share(int dir_fd, bool all, gid_t group, struct diag *d)
{
	int rc = 0;

	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		int one = ring_file_share(dir_fd, i, all, group, d);

		rc = rc < 0 ? rc : one;
	}
	return rc;
}

int ring_look(int dir_fd, enum stream stream, struct ring **ret,
	      struct diag *d)
{
	return ring_file_open(dir_fd, stream, true, ret, d);
}
