#include "platform/bus/fetch_pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_NS NS_PER_S	/* eight transactions of a slow module */
#define SHARES 8		/* of the budget: a module gets one */
#define PLANS_MAX 6u		/* of one job: limits a module that lies */

/* A fetcher and its work; cage NULL: idle. */
struct job {
	struct fetcher *fetcher;
	struct module_cage *cage;
	unsigned parts, plans;
	bool was_refused;		/* the module lacks a page */
	struct module_image image;
	struct module_read read[FETCH_READS_MAX];
	unsigned count, done;
	int64_t bus_ns;
	struct mono begun, overdue;
};

struct fetch_pool {
	struct bus_env env;
	struct module_cage *cage;		/* borrowed */
	size_t count, next;		/* next: first of the next turn */
	int64_t budget_ns;
	int epoll_fd;
	struct fetch_pool_cost cost;
	pid_t lost[FETCH_POOL_LOST_MAX];
	struct job job[FETCH_POOL_FETCHERS];
	struct readings readings;
	struct fetch_answer answer;
};

int fetch_pool_new(const struct bus_env *env, struct module_cage *cage,
		   size_t count, int64_t budget_ns, struct fetch_pool **ret)
{
	struct fetch_pool *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return -ENOMEM;
	c->env = *env;
	c->cage = cage;
	c->count = count;
	c->budget_ns = budget_ns;
	c->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (c->epoll_fd < 0) {
		rc = -errno;
		free(c);
		return rc;
	}
	*ret = c;
	return 0;
}

static void lost_reap(struct fetch_pool *c)
{
	c->cost.lost = 0;
	for (unsigned i = 0; i < FETCH_POOL_LOST_MAX; i++) {
		if (c->lost[i] != 0 &&
		    waitpid(c->lost[i], NULL, WNOHANG) != 0)
			c->lost[i] = 0;
		c->cost.lost += c->lost[i] != 0;
	}
}

/* Ends the process; one that does not exit goes to the lost ones. */
static void fetcher_end(struct fetch_pool *c, struct job *j)
{
	pid_t left = fetcher_free(j->fetcher);

	j->fetcher = NULL;
	for (unsigned i = 0; left != 0 && i < FETCH_POOL_LOST_MAX; i++)
		if (c->lost[i] == 0) {
			c->lost[i] = left;
			return;
		}
}

void fetch_pool_free(struct fetch_pool *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < FETCH_POOL_FETCHERS; i++)
		fetcher_end(c, &c->job[i]);
	for (unsigned i = 0; i < FETCH_POOL_LOST_MAX; i++)
		if (c->lost[i] != 0)	/* killed: usually gone at once */
			(void)waitpid(c->lost[i], NULL, WNOHANG);
	(void)close(c->epoll_fd);	/* no data to lose */
	free(c);
}

/* Starts a fetcher for a job without one; false while too many hang. */
static bool fetcher_start(struct fetch_pool *c, struct job *j)
{
	struct epoll_event readable = { .events = EPOLLIN };

	if (j->fetcher)
		return true;
	lost_reap(c);
	if (c->cost.lost == FETCH_POOL_LOST_MAX ||
	    fetcher_new(&c->env, &j->fetcher) < 0)
		return false;
	if (epoll_ctl(c->epoll_fd, EPOLL_CTL_ADD, fetcher_fd(j->fetcher),
		      &readable) == 0)
		return true;
	fetcher_end(c, j);
	return false;
}

static void job_end(struct job *j)
{
	j->cage->is_busy = false;
	j->cage = NULL;
}

static void job_failed(struct job *j, int err, const char *reason,
		       struct mono now)
{
	cage_failed(j->cage, err, reason, now);
	job_end(j);
}

/* A module that takes more than its share is read less often, so that it does
 * not use up the time of the others.
 */
static void share_count(struct fetch_pool *c, const struct job *j,
			struct mono now)
{
	int64_t share = c->budget_ns / SHARES;

	c->cost.bus_ns += j->bus_ns < share ? j->bus_ns : share;
	if (j->bus_ns > share)
		j->cage->again.ns = now.ns + SHARES * j->bus_ns;
}

/* The uncertainty is half the time that the read took. */
static void job_taken(struct fetch_pool *c, struct job *j, struct mono now)
{
	int64_t half = mono_diff_ns(now, j->begun) / 2;
	struct read_group age = { .taken = { j->begun.ns + half },
				  .uncertainty_ns = half };

	cage_take(j->cage, j->parts, &j->image, &c->readings, &age);
	j->cage->hangs = false;
	share_count(c, j, now);
	job_end(j);
}

static void job_ask(struct fetch_pool *c, struct job *j, struct mono now)
{
	struct fetch_question q = { .cage = j->cage->place->number,
				    .place = j->cage->place->place,
				    .count = j->count - j->done };

	(void)module_image_get(&j->image, 0, MODULE_LOWER, 0, &q.identifier,
			       1);	/* may not be read yet */
	memcpy(q.read, &j->read[j->done], q.count * sizeof(q.read[0]));
	j->overdue.ns = now.ns + ANSWER_NS;
	if (fetcher_ask(j->fetcher, &q) == 0)
		return;
	fetcher_end(c, j);
	job_failed(j, -EIO, "the process that reads modules has died", now);
}

/* Asks for what the decoder lacks; delivers the image once complete. */
static void job_plan(struct fetch_pool *c, struct job *j, struct mono now)
{
	j->done = 0;
	j->count = 0;
	if (!j->was_refused && j->plans++ < PLANS_MAX)
		j->count = (unsigned)module_plan(&j->image, j->parts,
						 c->env.owner, j->read,
						 FETCH_READS_MAX);
	if (j->count == 0)
		job_taken(c, j, now);
	else
		job_ask(c, j, now);
}

static void job_begin(struct fetch_pool *c, struct job *j,
		      struct module_cage *cage, struct mono now)
{
	unsigned parts = cage->due & MODULE_IDENTITY ? MODULE_IDENTITY :
		cage->due;

	cage->due &= ~parts;
	/* PM registers are consistent only while they are frozen. */
	if (!c->env.owner)
		parts &= ~(unsigned)MODULE_PM;
	j->cage = cage;
	j->parts = parts;
	j->plans = 0;
	j->was_refused = false;
	j->bus_ns = 0;
	j->begun = now;
	cage->is_busy = true;
	cage_image(cage, parts, &j->image);
	job_plan(c, j, now);
}

static bool octets_keep(struct fetch_pool *c, struct job *j)
{
	for (unsigned i = 0; i < c->answer.done && j->done < j->count; i++) {
		const struct module_read *r = &j->read[j->done++];

		c->cost.transactions++;
		c->cost.octets += r->len;
		if (module_image_put(&j->image, r->bank, r->page, r->offset,
				     c->answer.octets[i], r->len) < 0)
			return false;
	}
	return true;
}

static void job_answer(struct fetch_pool *c, struct job *j, struct mono now)
{
	const struct fetch_answer *a = &c->answer;

	j->bus_ns += a->bus_ns;
	if (!octets_keep(c, j)) {
		job_failed(j, -ENOSPC, "the module has more pages than "
				       "fit", now);
		return;
	}
	if (a->status == -EOPNOTSUPP && j->image.count > 0) {
		j->done++;	/* no such page: go on without it */
		j->was_refused = true;
	} else if (a->status < 0) {
		job_failed(j, a->status, a->reason, now);
		return;
	}
	if (j->done < j->count)
		job_ask(c, j, now);
	else
		job_plan(c, j, now);
}

static void job_check(struct fetch_pool *c, struct job *j, struct mono now)
{
	int rc = j->fetcher ? fetcher_take(j->fetcher, &c->answer) : -EAGAIN;

	if (rc == 0 && j->cage) {
		job_answer(c, j, now);
		return;
	}
	if (rc == -EPIPE) {
		fetcher_end(c, j);
		if (j->cage)
			job_failed(j, -EIO, "the process that reads modules "
				   "has died", now);
		return;
	}
	if (!j->cage || mono_diff_ns(now, j->overdue) < 0)
		return;
	fetcher_end(c, j);
	j->cage->hangs = true;
	job_failed(j, -ETIMEDOUT, "the module hangs its bus: no answer within "
				  "a second",
		   now);
}

/* The next cage with parts due; NULL if there is none. Only the first fetcher
 * retries cages that hung the last time.
 */
static struct module_cage *cage_next(struct fetch_pool *c, bool is_first,
			      struct mono now)
{
	for (size_t i = 0; i < c->count; i++) {
		struct module_cage *cage = &c->cage[(c->next + i) % c->count];

		if (cage->due == 0 || cage->is_busy ||
		    (cage->hangs && !is_first) ||
		    mono_diff_ns(now, cage->again) < 0)
			continue;
		c->next = (c->next + i + 1) % c->count;
		return cage;
	}
	return NULL;
}

/* A job may end at once, if the module has none of the parts that are due. */
static void job_give(struct fetch_pool *c, struct job *j, struct mono now)
{
	struct module_cage *cage;

	while (!j->cage && c->cost.bus_ns < c->budget_ns) {
		cage = cage_next(c, j == c->job, now);
		if (!cage || !fetcher_start(c, j))
			return;
		job_begin(c, j, cage, now);
	}
}

/* The first fetcher is last: it alone gets the cages that hung. */
static void jobs_give(struct fetch_pool *c, struct mono now)
{
	for (unsigned i = FETCH_POOL_FETCHERS; i-- > 0;)
		job_give(c, &c->job[i], now);
}

static unsigned waiting_count(const struct fetch_pool *c, struct mono now)
{
	unsigned n = 0;

	for (size_t i = 0; i < c->count; i++)
		n += c->cage[i].due != 0 && !c->cage[i].is_busy &&
			mono_diff_ns(now, c->cage[i].again) >= 0;
	return n;
}

void fetch_pool_round(struct fetch_pool *c, struct mono now)
{
	lost_reap(c);
	c->cost.waiting = c->cost.bus_ns < c->budget_ns ? 0 :
		waiting_count(c, now);
	c->cost.bus_ns = 0;
}

void fetch_pool_event(struct fetch_pool *c, struct mono now)
{
	for (unsigned i = 0; i < FETCH_POOL_FETCHERS; i++)
		job_check(c, &c->job[i], now);
	jobs_give(c, now);
}

int fetch_pool_fd(const struct fetch_pool *c)
{
	return c->epoll_fd;
}

struct mono fetch_pool_deadline(const struct fetch_pool *c)
{
	struct mono first = { INT64_MAX };

	for (unsigned i = 0; i < FETCH_POOL_FETCHERS; i++)
		if (c->job[i].cage)
			first = mono_min(first, c->job[i].overdue);
	return first;
}

struct fetch_pool_cost fetch_pool_cost(const struct fetch_pool *c)
{
	return c->cost;
}
