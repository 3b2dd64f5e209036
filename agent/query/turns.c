#include "agent/query/turns.h"

#include <stddef.h>
#include <string.h>

static void purse_fill(struct purse *p, int64_t share, int64_t burst_ns,
		       struct mono now)
{
	int64_t gone_ns = mono_diff_ns(now, p->filled);

	if (gone_ns < share)
		return;		/* less than 1 ns more */
	p->filled = now;
	p->ns = gone_ns / share < burst_ns - p->ns ? p->ns + gone_ns / share
						   : burst_ns;
}

/* Until there is something in it again. */
static int64_t purse_wait_ns(const struct purse *p, int64_t share)
{
	return p->ns > 0 ? 0 : (1 - p->ns) * share;
}

static const struct turns_uid *uid_find(const struct turns *t, uid_t uid)
{
	for (unsigned i = 0; i < TURNS_UIDS_MAX; i++)
		if (t->uid[i].used && t->uid[i].uid == uid)
			return &t->uid[i];
	return NULL;
}

/* Its entry; where it has none, the one of who was served longest ago, with a
 * full purse.
 */
static struct turns_uid *uid_take(struct turns *t, uid_t uid, struct mono now)
{
	struct turns_uid *oldest = &t->uid[0];

	for (unsigned i = 0; i < TURNS_UIDS_MAX; i++) {
		struct turns_uid *u = &t->uid[i];

		if (u->used && u->uid == uid)
			return u;
		if (oldest->used && (!u->used ||
				     u->served.ns < oldest->served.ns))
			oldest = u;
	}
	*oldest = (struct turns_uid){ .uid = uid, .used = true,
				      .served = { INT64_MIN },
				      .purse = { TURNS_UID_BURST_NS, now } };
	return oldest;
}

void turns_init(struct turns *t, struct mono now)
{
	memset(t, 0, sizeof(*t));
	t->trusted = (struct purse){ TURNS_TRUSTED_BURST_NS, now };
	t->others = (struct purse){ TURNS_OTHERS_BURST_NS, now };
}

int64_t turns_wait_ns(struct turns *t, const struct turns_asker *a,
		      struct mono now)
{
	struct turns_uid *u;
	int64_t all_ns, own_ns;

	if (a->trusted) {
		purse_fill(&t->trusted, TURNS_TRUSTED_SHARE,
			   TURNS_TRUSTED_BURST_NS, now);
		return purse_wait_ns(&t->trusted, TURNS_TRUSTED_SHARE);
	}
	u = uid_take(t, a->uid, now);
	purse_fill(&t->others, TURNS_OTHERS_SHARE, TURNS_OTHERS_BURST_NS, now);
	purse_fill(&u->purse, TURNS_UID_SHARE, TURNS_UID_BURST_NS, now);
	all_ns = purse_wait_ns(&t->others, TURNS_OTHERS_SHARE);
	own_ns = purse_wait_ns(&u->purse, TURNS_UID_SHARE);
	return own_ns > all_ns ? own_ns : all_ns;
}

static int64_t served_ns(const struct turns *t, uid_t uid)
{
	const struct turns_uid *u = uid_find(t, uid);

	return u ? u->served.ns : INT64_MIN;
}

bool turns_before(const struct turns *t, const struct turns_asker *a,
		  const struct turns_asker *b)
{
	int64_t left, right;

	if (a->trusted != b->trusted)
		return a->trusted;
	left = a->trusted ? 0 : served_ns(t, a->uid);
	right = b->trusted ? 0 : served_ns(t, b->uid);
	return left != right ? left < right : a->number < b->number;
}

void turns_pay(struct turns *t, const struct turns_asker *a, int64_t cost_ns,
	       struct mono now)
{
	struct turns_uid *u;

	if (a->trusted) {
		t->trusted.ns -= cost_ns;
		return;
	}
	u = uid_take(t, a->uid, now);
	u->served = now;
	u->purse.ns -= cost_ns;
	t->others.ns -= cost_ns;
}
