/*   nlctrl? -> join its "notify" -> family? --(there)--> join its group: up
 *                                      ^ |                     |
 *                          NEWFAMILY --+ +--(not there)        |
 *                              ^-----------------DELFAMILY <---+
 */
#include "platform/sonic/hft/hft_netlink.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#define CONTROL_FAMILY "nlctrl"
#define CONTROL_GROUP "notify"
#define CONTROL_PER_WAKE 64u
#define TEST_GROUPS 31u
#define NETNS_FOLDER "var/run/netns"
#define NETNS_PATH_MAX 128

/* ---- messages of nlctrl ---- */

/* One group of the nest: its id if it is the one. */
static uint32_t group_read(struct nlattr *nest, const char *group)
{
	static const struct nla_policy policy[CTRL_ATTR_MCAST_GRP_MAX + 1] = {
		[CTRL_ATTR_MCAST_GRP_NAME] = { .type = NLA_STRING },
		[CTRL_ATTR_MCAST_GRP_ID] = { .type = NLA_U32 },
	};
	struct nlattr *a[CTRL_ATTR_MCAST_GRP_MAX + 1];

	if (nla_parse_nested(a, CTRL_ATTR_MCAST_GRP_MAX, nest, policy) < 0 ||
	    !a[CTRL_ATTR_MCAST_GRP_NAME] || !a[CTRL_ATTR_MCAST_GRP_ID] ||
	    nla_strcmp(a[CTRL_ATTR_MCAST_GRP_NAME], group) != 0)
		return 0;
	return nla_get_u32(a[CTRL_ATTR_MCAST_GRP_ID]);
}

int hft_family_parse(struct nlmsghdr *h, const char *group,
		     struct hft_family *ret)
{
	static const struct nla_policy policy[CTRL_ATTR_MAX + 1] = {
		[CTRL_ATTR_FAMILY_NAME] = { .type = NLA_STRING,
					    .minlen = 2,
					    .maxlen = HFT_NAME_MAX },
		[CTRL_ATTR_FAMILY_ID] = { .type = NLA_U16 },
	};
	struct nlattr *a[CTRL_ATTR_MAX + 1], *one;
	const struct genlmsghdr *g;
	struct hft_family f = { 0 };
	int left;

	if (h->nlmsg_type != GENL_ID_CTRL ||
	    nlmsg_parse(h, GENL_HDRLEN, a, CTRL_ATTR_MAX, policy) < 0 ||
	    !a[CTRL_ATTR_FAMILY_NAME])
		return -EBADMSG;
	g = nlmsg_data(h);
	f.command = g->cmd;
	(void)nla_strlcpy(f.name, a[CTRL_ATTR_FAMILY_NAME], sizeof(f.name));
	if (!f.name[0])
		return -EBADMSG;
	if (a[CTRL_ATTR_FAMILY_ID])
		f.id = nla_get_u16(a[CTRL_ATTR_FAMILY_ID]);
	if (a[CTRL_ATTR_MCAST_GROUPS])
		nla_for_each_nested(one, a[CTRL_ATTR_MCAST_GROUPS], left)
			if (f.group_id == 0)
				f.group_id = group_read(one, group);
	*ret = f;
	return 0;
}

/* ---- another network namespace ---- */

/* Enters a namespace to open a socket there, which stays in it. Namespaces are
 * named as in `ip netns`; SONiC makes one for each of several ASICs. Needs
 * CAP_SYS_ADMIN; the namespace is the thread's: no other thread sees it.
 */

/* False if it is not the name of a namespace. */
static bool path_make(char path[static NETNS_PATH_MAX], const char *name)
{
	int n = snprintf(path, NETNS_PATH_MAX, NETNS_FOLDER "/%s", name);

	return n < NETNS_PATH_MAX && name[0] && name[0] != '.' &&
	       !strchr(name, '/');
}

/* Tests the way back before going there. */
static int go(int home, int there)
{
	if (setns(home, CLONE_NEWNET) < 0 || setns(there, CLONE_NEWNET) < 0)
		return -errno;
	return 0;
}

/* *ret_home: the thread's own, to leave for; -1: it stayed there. Returns
 * -ENOENT if there is no such namespace, -EPERM without the capability, another
 * negative errno; the thread stays where it was then.
 */
static int netns_enter(const struct hft_netlink_env *env, int *ret_home)
{
	char path[NETNS_PATH_MAX];
	int there, home, rc;

	*ret_home = -1;
	if (!env->netns[0])
		return 0;
	if (!path_make(path, env->netns))
		return -EINVAL;
	/* SONiC's are links to /proc/PID/ns/net, outside the root. */
	there = openat(env->root_fd, path, O_RDONLY | O_CLOEXEC);
	if (there < 0)
		return -errno;
	home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	rc = home < 0 ? -errno : go(home, there);
	close(there);
	if (rc == 0)
		*ret_home = home;
	else if (home >= 0)
		close(home);
	return rc;
}

static void netns_leave(int home)
{
	int rc;

	if (home < 0)
		return;
	rc = setns(home, CLONE_NEWNET);
	assert(rc == 0);	/* it went the other way a moment ago */
	(void)rc;
	close(home);
}

/* Distinguishes a namespace from a later one of the same name; 0: there is
 * none, or it is not readable.
 */
static uint64_t netns_identity(const struct hft_netlink_env *env)
{
	char path[NETNS_PATH_MAX];
	struct stat st;

	if (!path_make(path, env->netns) ||
	    fstatat(env->root_fd, path, &st, 0) < 0)
		return 0;
	return (uint64_t)st.st_dev << 32 ^ st.st_ino;
}

/* ---- following the family ---- */

static int family_ask(struct hft_netlink *n, const char *name)
{
	struct {
		struct genlmsghdr g;
		struct nlattr a;
		char name[HFT_NAME_MAX];
	} body = {
		.g = { .cmd = CTRL_CMD_GETFAMILY, .version = 1 },
		.a = { .nla_type = CTRL_ATTR_FAMILY_NAME },
	};
	size_t len = strlen(name) + 1;

	assert(len <= sizeof(body.name));
	memcpy(body.name, name, len);
	body.a.nla_len = (uint16_t)(NLA_HDRLEN + len);
	return netlink_ask(&n->control, GENL_ID_CTRL, 0, &body,
			   GENL_HDRLEN + NLA_HDRLEN + NLA_ALIGN(len));
}

static void family_gone(struct hft_netlink *n, int error)
{
	netlink_close(&n->data);
	n->error = error;
	n->asked = true;
}

static void family_come(struct hft_netlink *n, const struct hft_family *f)
{
	int home;

	n->asked = true;
	if (hft_netlink_is_up(n) && n->family_id == f->id)
		return;
	netlink_close(&n->data);
	n->family_id = f->id;
	n->error = netns_enter(&n->env, &home);
	if (n->error == 0)
		n->error = netlink_open(&n->data, NETLINK_GENERIC,
					(int)f->group_id, n->env.epoll_fd);
	netns_leave(home);
	if (n->error == 0)
		n->room = netlink_room(&n->data, HFT_ROOM_OCTETS);
	else
		n->data = (struct netlink){ .fd = -1 };
}

static void control_message(void *context, struct nlmsghdr *h)
{
	struct hft_netlink *n = context;
	struct hft_family f;

	if (h->nlmsg_type == NLMSG_ERROR) {
		if (h->nlmsg_seq == n->control.seq && netlink_status(h) < 0)
			family_gone(n, netlink_status(h));
		return;
	}
	if (hft_family_parse(h, CONTROL_GROUP, &f) < 0)
		return;
	if (strcmp(f.name, CONTROL_FAMILY) == 0 && !n->asked) {
		/* Without its notifications, the family is looked up once. */
		if (f.group_id != 0)
			(void)netlink_join(&n->control, (int)f.group_id);
		n->error = family_ask(n, n->env.family);
		return;
	}
	if (strcmp(f.name, n->env.family) != 0 ||
	    hft_family_parse(h, n->env.group, &f) < 0)
		return;
	if (f.command == CTRL_CMD_DELFAMILY)
		family_gone(n, -ENOENT);
	else if (f.command == CTRL_CMD_NEWFAMILY && f.group_id != 0)
		family_come(n, &f);
	else if (f.command == CTRL_CMD_NEWFAMILY)
		family_gone(n, -EADDRNOTAVAIL);	/* a family without the group */
	else if (f.command == CTRL_CMD_NEWMCAST_GRP)
		n->error = family_ask(n, n->env.family);
}

static void control_take(struct hft_netlink *n)
{
	int rc = 1;

	if (!n->control.sock)
		return;
	for (unsigned i = 0; i < CONTROL_PER_WAKE && rc != 0; i++) {
		rc = netlink_receive(&n->control, control_message, n);
		if (rc == -ENOBUFS)	/* a notification was lost */
			(void)family_ask(n, n->env.family);
		else if (rc < 0)
			return;
	}
}

/* ---- the stream ---- */

struct delivery {
	struct hft_netlink *n;
	hft_payload_fn *fn;
	void *context;
};

static void data_message(void *context, struct nlmsghdr *h)
{
	const struct delivery *d = context;
	struct hft_netlink *n = d->n;

	if (h->nlmsg_type == NLMSG_OVERRUN)
		n->overruns++;
	if (h->nlmsg_type < NLMSG_MIN_TYPE ||
	    (n->family_id != 0 && h->nlmsg_type != n->family_id))
		return;
	if (nlmsg_datalen(h) < (int)GENL_HDRLEN) {
		n->bad_frames++;
		return;
	}
	d->fn(d->context, (const char *)nlmsg_data(h) + GENL_HDRLEN,
	      (size_t)nlmsg_datalen(h) - GENL_HDRLEN);
}

static void data_take(struct hft_netlink *n, hft_payload_fn *fn, void *context)
{
	struct delivery d = { n, fn, context };
	size_t octets = 0;
	int rc = 1;

	for (unsigned i = 0; i < HFT_WAKE_DATAGRAMS && rc != 0 &&
			     octets < HFT_WAKE_OCTETS; i++) {
		rc = netlink_fit(&n->data, HFT_DATAGRAM_MAX);
		octets += rc > 0 ? (size_t)rc : 0;
		if (rc > 0)
			rc = netlink_receive(&n->data, data_message, &d);
		if (rc == -ENOBUFS) {
			n->overruns++;
		} else if (rc == -EMSGSIZE) {
			n->too_long++;
		} else if (rc < 0) {
			family_gone(n, rc);
			return;
		}
	}
	n->bad_frames += n->data.ragged;
	n->data.ragged = 0;
}

/* ---- life ---- */

static int test_open(struct hft_netlink *n)
{
	int rc;

	n->asked = true;
	rc = netlink_open_at(&n->data, NETLINK_USERSOCK, n->env.test_port,
			     n->env.epoll_fd);
	if (rc < 0)
		return rc;
	n->data.any_sender = true;
	n->room = netlink_room(&n->data, HFT_ROOM_OCTETS);
	/* Needs a capability; without it, only data sent to the port arrive. */
	(void)netlink_join(&n->data, (int)(1 + n->env.test_port % TEST_GROUPS));
	return 0;
}

static int sockets_open(struct hft_netlink *n)
{
	int home, rc;

	n->netns_identity = netns_identity(&n->env);
	n->netns_error = netns_enter(&n->env, &home);
	if (n->netns_error < 0)
		return 0;
	if (n->env.test_port != 0)
		rc = test_open(n);
	else
		rc = netlink_open_at(&n->control, NETLINK_GENERIC, 0,
				     n->env.epoll_fd);
	netns_leave(home);
	if (rc == 0 && n->env.test_port == 0)
		rc = family_ask(n, CONTROL_FAMILY);
	return rc;
}

int hft_netlink_open(struct hft_netlink *n, const struct hft_netlink_env *env)
{
	*n = (struct hft_netlink){ .env = *env };
	return sockets_open(n);
}

void hft_netlink_follow(struct hft_netlink *n)
{
	if (!n->env.netns[0] ||
	    (n->netns_error == 0 &&
	     netns_identity(&n->env) == n->netns_identity))
		return;
	hft_netlink_close(n);
	n->asked = false;
	n->error = sockets_open(n);
}

void hft_netlink_close(struct hft_netlink *n)
{
	netlink_close(&n->control);
	netlink_close(&n->data);
}

bool hft_netlink_is_up(const struct hft_netlink *n)
{
	return n->data.sock != NULL;
}

void hft_netlink_take(struct hft_netlink *n, hft_payload_fn *fn, void *context)
{
	control_take(n);
	if (hft_netlink_is_up(n))
		data_take(n, fn, context);
}
