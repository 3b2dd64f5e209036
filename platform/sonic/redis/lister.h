/* Lists the keys of a database that match patterns. KEYS visits every key and
 * blocks Redis meanwhile, so the number of keys is read first: a larger
 * database is not listed. Nothing else in the driver uses KEYS.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "platform/sonic/redis/channel.h"

#define LISTER_KEYS_MAX 20000	/* in a database that may be listed */
#define LISTER_PATTERNS_MAX 16
#define LISTER_PATTERN_MAX 64

struct lister;

struct lister_ops {
	/* A key that matches. */
	void (*key)(struct lister *l, const char *key, size_t len);
	/* 0: all have arrived. Else there is a reason: -E2BIG too many keys,
	 * -EPROTO Redis rejected it or sent a wrong reply, -ENODATA it did not
	 * answer or cannot yet. The lister may be used again from here.
	 */
	void (*done)(struct lister *l, int rc);
};

/* Plain data of the caller; it must stay where it is until done(). */
struct lister {
	const struct lister_ops *ops;
	void *context;
	struct channel *channel;	/* borrowed */
	struct redis_query query;
	struct mono asked;
	long long most;
	unsigned patterns;
	char pattern[LISTER_PATTERNS_MAX][LISTER_PATTERN_MAX];
	bool sizing;			/* the number of keys is being read */
	int rc;
	char reason[SOURCE_REASON_MAX];
};

/* Begins without a pattern. */
void lister_begin(struct lister *l, const struct lister_ops *ops,
		  void *context);
/* A pattern, as KEYS takes it. */
void lister_add(struct lister *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* most: largest number of keys to list. done() is called later, or at once if
 * the channel is not ready.
 */
void lister_ask(struct lister *l, struct channel *c, long long most,
		struct mono now);
