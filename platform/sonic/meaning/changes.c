#include "platform/sonic/meaning/changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/event.h"
#include "agent/base/path.h"
#include "petrel/link.h"
#include "platform/sonic/switchdb/document.h"
#include "platform/sonic/switchdb/namespace.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define REBOOT_PATH "/host/reboot-cause/previous-reboot-cause.json"

static void change_tell(const struct namespace *s, uint32_t handle,
			enum platform_event what, struct mono when,
			const char *item, const char *from, const char *to)
{
	char text[CHANGE_TEXT_MAX];

	change_text(text, item, from, to);
	s->host->event(s->host->context, handle, what, 0, when, text);
}

/* "400000", or "" for what is not known. */
static const char *number_text(int64_t value, char text[24])
{
	(void)snprintf(text, 24, "%lld", (long long)value);
	return value < 0 ? "" : text;
}

static const char *admin_text(int64_t value, char text[24])
{
	(void)snprintf(text, 24, "%s", value ? "up" : "down");
	return value < 0 ? "" : text;
}

void changes_port(struct poll *p, const struct object *o)
{
	struct port_link *l = &o->port->link;
	const struct port_said now = { .known = true, .number = {
		[SAID_SPEED] = l->speed_mbps, [SAID_MTU] = l->mtu_octets,
		[SAID_ADMIN] = l->admin, [SAID_LANES] = o->port->lanes } };
	static const struct {
		const char *item;
		const char *(*text)(int64_t value, char text[24]);
	} rows[SAID_COUNT] = {
		[SAID_SPEED] = { "speed", number_text },
		[SAID_MTU] = { "mtu", number_text },
		[SAID_ADMIN] = { "admin", admin_text },
		[SAID_LANES] = { "lanes", number_text },
	};
	const char *fec = l->state_fec[0] ? l->state_fec : l->fec;
	char from[24], to[24];

	for (unsigned i = 0; l->said.known && i < SAID_COUNT; i++)
		if (l->said.number[i] != now.number[i])
			change_tell(p->namespace, o->handle, EVENT_PORT_CHANGED,
				    p->asked, rows[i].item,
				    rows[i].text(l->said.number[i], from),
				    rows[i].text(now.number[i], to));
	if (l->said.known && strcmp(l->said.fec, fec) != 0)
		change_tell(p->namespace, o->handle, EVENT_PORT_CHANGED,
			    p->asked, "fec", l->said.fec, fec);
	memcpy(l->said.number, now.number, sizeof(now.number));
	(void)snprintf(l->said.fec, sizeof(l->said.fec), "%s", fec);
	l->said.known = true;
}

void changes_firmware(const struct namespace *s, struct cage *c,
		      const char *version, struct mono when)
{
	if (c->firmware[0] && version[0] && strcmp(c->firmware, version) != 0)
		change_tell(s, c->module, EVENT_FIRMWARE_CHANGED, when,
			    "firmware", c->firmware, version);
	if (version[0])
		(void)snprintf(c->firmware, sizeof(c->firmware), "%.31s",
			       version);
}

void changes_service(const struct namespace *s, const char *name,
		     const char *how, struct mono when)
{
	change_tell(s, s->topology.parent, EVENT_SERVICE_RESTARTED, when, name,
		    "", how);
}

/* "warm-reboot (admin, Fri Oct  9 04:51:47 UTC 2020)". */
static void cause_write(struct json_object *root, char text[static 128])
{
	const char *user = document_text(root, "user");
	const char *when = document_text(root, "time");
	bool by = user[0] && strcmp(user, "N/A") != 0;
	bool at = when[0] && strcmp(when, "N/A") != 0;

	(void)snprintf(text, 128, "%.60s%s%.20s%s%.32s%s",
		       document_text(root, "cause"), by || at ? " (" : "",
		       by ? user : "", by && at ? ", " : "", at ? when : "",
		       by || at ? ")" : "");
}

void changes_reboot(const struct namespace *s)
{
	/* The monotonic clock began with this boot. */
	static const struct mono boot = { 1 };
	struct json_object *root = NULL;
	char *json, text[128];
	size_t len;

	if (path_read(s->root_fd, REBOOT_PATH, DOCUMENT_OCTETS_MAX, &json,
		      &len) < 0)
		return;		/* not every image writes it */
	if (document_parse(json, len, &root, NULL) == 0 &&
	    document_text(root, "cause")[0]) {
		cause_write(root, text);
		change_tell(s, ENTITY_NONE, EVENT_REBOOTED, boot,
			    document_text(root, "gen_time"), "", text);
	}
	json_object_put(root);
	free(json);
}
