#include "agent/process/identity.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/label.h"

static void text_set(char ret[static SWITCH_NAME_MAX], const char *text)
{
	(void)snprintf(ret, SWITCH_NAME_MAX, "%.*s", (int)SWITCH_NAME_MAX - 1,
		       text);
}

void identity_init(struct identity *i, const struct control_identity *is,
		   const struct control_identity *kept, struct mono now)
{
	memset(i, 0, sizeof(*i));
	memcpy(&i->is, is, sizeof(i->is));
	memcpy(&i->kept, kept, sizeof(i->kept));
	text_set(i->platform, is->name);
	i->began = now;
}

static bool agree(const char *a, const char *b)
{
	return a[0] && strcmp(a, b) == 0;
}

/* Both are known, and they differ. */
static bool differ(const char *a, const char *b)
{
	return a[0] && b[0] && strcmp(a, b) != 0;
}

/* A number recorded with the kept id matches: the same chassis, with another
 * board, or read in another way. An id kept without any always matches.
 */
static bool kept_is_ours(const struct control_identity *kept,
			 const struct control_identity *is)
{
	return agree(kept->serial, is->serial) || agree(kept->mac, is->mac) ||
	       (!kept->serial[0] && !kept->mac[0]);
}

static bool kept_is_anothers(const struct control_identity *kept,
			     const struct control_identity *is)
{
	return !kept_is_ours(kept, is) && (differ(kept->serial, is->serial) ||
					   differ(kept->mac, is->mac));
}

/* The wait for a better source is over. */
static bool is_time(const struct identity *i, struct mono now)
{
	return mono_diff_ns(now, i->began) >= IDENTITY_WAIT_NS ||
	       (i->is.mac[0] &&
		mono_diff_ns(now, i->mac_since) >= IDENTITY_MAC_NS);
}

/* The best id known now; "" while a better one may come. */
static const char *id_of(const struct identity *i,
			 const struct identity_told *told, bool is_time)
{
	if (i->is.serial[0] || !is_time)
		return i->is.serial;
	if (i->is.mac[0])
		return i->is.mac;
	return told->machine_id && told->machine_id[0] ? told->machine_id :
							 i->is.name;
}

static void id_choose(struct identity *i, const struct identity_told *told,
		      struct mono now)
{
	bool late = is_time(i, now);

	if (i->kept.id[0] && late && kept_is_anothers(&i->kept, &i->is))
		i->kept.id[0] = '\0';
	if (!i->kept.id[0])
		text_set(i->is.id, id_of(i, told, late));
	else if (late || kept_is_ours(&i->kept, &i->is))
		text_set(i->is.id, i->kept.id);
}

/* The platform's last name applies while it reports none; the name that an
 * earlier core recorded applies until this one has had time to learn it.
 */
static const char *name_now(const struct identity *i,
			    const struct identity_told *told, struct mono now)
{
	if (told->configured && told->configured[0])
		return told->configured;
	if (i->platform[0] &&
	    (i->platform_spoke ||
	     mono_diff_ns(now, i->began) < IDENTITY_WAIT_NS))
		return i->platform;
	return told->host && told->host[0] ? told->host : i->is.name;
}

static bool name_take(struct identity *i, const struct identity_told *told,
		      struct mono now)
{
	char before[SWITCH_NAME_MAX];
	const char *name;

	if (told->platform && told->platform[0]) {
		text_set(i->platform, told->platform);
		i->platform_spoke = true;
	}
	memcpy(before, i->is.name, sizeof(before));
	if (told->configured && told->configured[0] && !i->platform_spoke)
		i->platform[0] = '\0';	/* may be the configured one */
	name = name_now(i, told, now);
	if (name != i->is.name)
		text_set(i->is.name, name);
	return strcmp(before, i->is.name) != 0;
}

bool identity_take(struct identity *i, const struct identity_told *told,
		   struct mono now)
{
	bool renamed = name_take(i, told, now);

	if (i->is.id[0])
		return renamed;
	if (!i->is.mac[0])
		i->mac_since = now;
	label_serial(told->serial, i->is.serial);
	label_mac(told->mac, i->is.mac);
	id_choose(i, told, now);
	return renamed || i->is.id[0];
}
