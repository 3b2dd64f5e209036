/* Who may ask petreld, where, and when: the query socket's place in its folder,
 * who stands at the other end of a connection, and whose question is answered
 * next.
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
	gid_t gid;
	bool in_group;		/* of group petrel, by any of its groups */
};

/* The group's number; PEER_GROUP_NONE where this machine has none. */
gid_t peer_group(void);

/* As the kernel knows it. Returns 0 or a negative errno.
 * Source: unix(7), SO_PEERCRED; socket(7), SO_PEERGROUPS.
 */
int peer_read(int fd, struct query_peer *ret);

/* Root, group petrel, and whoever the agent itself runs as: but nobody is not
 * somebody, though a petreld that root started by hand runs as that.
 */
bool peer_is_trusted(const struct query_peer *p);

/* --- the place ----------------------------------------------------------- */

/* A listening socket: what it is called and which file it made. */
struct place {
	int fd;			/* -1: none */
	dev_t device;
	ino_t inode;
};

/* Listens as name in dir_fd. A socket that another agent answers on stays:
 * -EADDRINUSE; a dead one is replaced. Anybody may connect when read_all, else
 * root and group petrel.
 */
int place_take(int dir_fd, const char *name, bool read_all, struct place *ret,
	       struct diag *d);
/* The file's mode from now on: 0666 for everybody, else 0660 and group petrel.
 * Returns a negative errno with d.
 */
int place_share(int dir_fd, const char *name, bool read_all, struct diag *d);
/* Closes it, and removes the file if it is still the one that was made. */
void place_leave(struct place *p, int dir_fd, const char *name);

/* --- turns --------------------------------------------------------------- */

/* What answers may cost (C21). Two classes of those who ask, each with a share
 * of the core's time: the trusted, and all others. Of the others each uid has a
 * share of its own, and who was served longest ago comes first. A share is a
 * purse: it fills with time up to its bound, an answer takes out what it cost,
 * and nobody is served from an empty one. What is over the share waits; it is
 * not refused here.
 */
#define TURNS_TRUSTED_SHARE 2	/* of the time: a half */
#define TURNS_OTHERS_SHARE 8	/* an eighth, for all of them */
#define TURNS_UID_SHARE 12
#define TURNS_TRUSTED_BURST_NS (200 * NS_PER_MS)
#define TURNS_OTHERS_BURST_NS (40 * NS_PER_MS)
#define TURNS_UID_BURST_NS (30 * NS_PER_MS)
#define TURNS_UIDS_MAX 32u	/* remembered; served longest ago goes */

struct purse {
	int64_t ns;		/* below 0: spent ahead */
	struct mono filled;
};

/* A uid that was served lately. */
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

/* Somebody who waits. */
struct turns_asker {
	uid_t uid;
	bool trusted;
	uint64_t number;	/* in order of coming */
};

/* All purses are full. */
void turns_init(struct turns *t, struct mono now);

/* How long this one has to wait at least; 0: he may be served. */
int64_t turns_wait_ns(struct turns *t, const struct turns_asker *a,
		      struct mono now);
/* True when a comes before b, of two that may be served. */
bool turns_before(const struct turns *t, const struct turns_asker *a,
		  const struct turns_asker *b);
/* His answer took so long. */
void turns_pay(struct turns *t, const struct turns_asker *a, int64_t cost_ns,
	       struct mono now);
