/* Lists the keys of a database that fit patterns. KEYS looks at each key there
 * is and holds Redis up meanwhile, so how many there are is asked first: a
 * larger database is not listed. Nothing else in the driver says KEYS.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "platform/sonic/redis/channel.h"
#include "platform/sonic/redis/resp.h"

#define LISTER_KEYS_MAX 20000	/* of a database that may be listed */
#define LISTER_PATTERNS_MAX 16
#define LISTER_PATTERN_MAX 64

struct lister;

struct lister_ops {
	/* A key that fits. */
	void (*key)(struct lister *l, const char *key, size_t len);
	/* All came: 0. Else there is a reason: -E2BIG too many keys, -EPROTO
	 * Redis refused, or answered something else, -ENODATA it did not answer
	 * or does not yet. The lister may be asked again from here.
	 */
	void (*done)(struct lister *l, int rc);
};

/* Plain data of whoever asks; it must stay where it is until done(). */
struct lister {
	const struct lister_ops *ops;
	void *context;
	struct channel *channel;	/* borrowed */
	struct redis_query query;
	struct commands commands;
	struct mono asked;
	long long most;
	unsigned patterns;
	char pattern[LISTER_PATTERNS_MAX][LISTER_PATTERN_MAX];
	bool sizing;			/* how many there are is asked */
	int rc;
	char reason[SOURCE_REASON_MAX];
};

/* No pattern yet. */
void lister_begin(struct lister *l, const struct lister_ops *ops,
		  void *context);
/* A pattern, as KEYS takes it. */
void lister_add(struct lister *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* most: keys of a database that is listed. The channel must be ready; done() is
 * called later. Returns -ENOMEM, and it is not.
 */
int lister_ask(struct lister *l, struct channel *c, long long most,
	       struct mono now);
/* Releases its memory. */
void lister_fini(struct lister *l);
