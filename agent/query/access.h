/* Who may ask petreld, where, and when: the query socket's place in its folder,
 * the peer of a connection, and whose question is answered next.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "petrel/clock.h"
#include "petrel/diag.h"

#define PETREL_GROUP "petrel"
#define PEER_GROUP_NONE ((gid_t)-1)

struct query_peer {
	pid_t pid;
	uid_t uid;
	bool in_group;		/* in petrel, by any of its groups */
};

/* The group's number; PEER_GROUP_NONE if this machine has no such group. */
gid_t peer_group(void);

/* Reads the peer from the kernel. Returns 0 or a negative errno. Source:
 * unix(7), SO_PEERCRED; socket(7), SO_PEERGROUPS.
 */
int peer_read(int fd, struct query_peer *ret);

/* Root, group petrel, and the user that the agent runs as: but never user
 * nobody, even though a petreld that root started by hand runs as nobody.
 */
bool peer_is_trusted(const struct query_peer *p);

/* --- the place ----------------------------------------------------------- */

/* A listening socket, and the file it created. */
struct place {
	int fd;			/* -1: none */
	dev_t device;
	ino_t inode;
};

/* Listens as name in dir_fd. If another agent answers on the socket, it is left
 * alone: -EADDRINUSE; a dead one is replaced. Anybody may connect if read_all,
 * else root and group petrel.
 */
int place_take(int dir_fd, const char *name, bool read_all, struct place *ret,
	       struct diag *d);
/* Sets the file's mode: 0666 for everybody, else 0660 and group petrel. Returns
 * a negative errno with d.
 */
int place_share(int dir_fd, const char *name, bool read_all, struct diag *d);
/* Closes it, and removes the file if it is still the one it created. */
void place_leave(struct place *p, int dir_fd, const char *name);

/* --- turns --------------------------------------------------------------- */

/* The cost of answers (C21). There are two classes of askers, each with a share
 * of the core's time: the trusted, and all others. Among the others each uid
 * has a share of its own, and the one served longest ago comes first. A share
 * is a token bucket, called purse: it fills with time up to its limit, an
 * answer takes out what it cost, and an empty purse must wait. A question over
 * its share waits; it is not refused here.
 */
#define TURNS_TRUSTED_SHARE 2	/* of the time: a half */
#define TURNS_OTHERS_SHARE 8	/* an eighth, for all of them */
#define TURNS_UID_SHARE 12
#define TURNS_TRUSTED_BURST_NS (200 * NS_PER_MS)
#define TURNS_OTHERS_BURST_NS (40 * NS_PER_MS)
#define TURNS_UID_BURST_NS (30 * NS_PER_MS)
#define TURNS_UIDS_MAX 32u	/* remembered; longest unserved is evicted */

struct purse {
	int64_t ns;		/* below 0: overspent */
	struct mono filled;
};

/* A uid that was served recently. */
struct turns_uid {
	uid_t uid;
	bool used;		/* this entry is */
	struct mono served;
	struct purse purse;
};

struct turns {
	struct purse trusted, others;
	struct turns_uid uid[TURNS_UIDS_MAX];
};

/* A client that waits. */
struct turns_asker {
	uid_t uid;
	bool trusted;
	uint64_t number;	/* in order of arrival */
};

/* All purses are full. */
void turns_init(struct turns *t, struct mono now);

/* The least time that this asker must wait; 0: it may be served. */
int64_t turns_wait_ns(struct turns *t, const struct turns_asker *a,
		      struct mono now);
/* True if a comes before b, when both may be served. */
bool turns_before(const struct turns *t, const struct turns_asker *a,
		  const struct turns_asker *b);
/* Charges the cost of an answer to its asker. */
void turns_pay(struct turns *t, const struct turns_asker *a, int64_t cost_ns,
	       struct mono now);
