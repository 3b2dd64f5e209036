#include "agent/base/event.h"

#include <string.h>

#include "agent/base/clean.h"
#include "agent/base/names.h"
#include "petrel/platform.h"

const char *platform_event_name(enum platform_event what)
{
	static const char *const names[PLATFORM_EVENT_COUNT] = {
		[EVENT_LINK_UP] = "link_up",
		[EVENT_LINK_DOWN] = "link_down",
		[EVENT_MODULE_INSERTED] = "module_inserted",
		[EVENT_MODULE_REMOVED] = "module_removed",
		[EVENT_COUNTERS_CLEARED] = "counters_cleared",
		[EVENT_SOURCE_RESTARTED] = "source_restarted",
		[EVENT_OVERRUN] = "overrun",
		[EVENT_CONFIG_RELOADED] = "config_reloaded",
		[EVENT_PROCESS_DIED] = "process_died",
		[EVENT_FIRMWARE_CHANGED] = "firmware_changed",
		[EVENT_PORT_CHANGED] = "port_changed",
		[EVENT_SETTING_CHANGED] = "setting_changed",
		[EVENT_SETTINGS_RELOADED] = "settings_reloaded",
		[EVENT_SERVICE_RESTARTED] = "service_restarted",
		[EVENT_REBOOTED] = "rebooted",
		[EVENT_BGP_CHANGED] = "bgp_changed",
		[EVENT_TSA_CHANGED] = "tsa_changed",
		[EVENT_NEIGHBOR_CHANGED] = "neighbor_changed",
		[EVENT_PETREL_CHANGED] = "petrel_changed",
		[EVENT_CARD_CHANGED] = "card_changed",
	};

	return names_get(names, PLATFORM_EVENT_COUNT, what);
}

/* How much of each part to keep so that all fit: shortens the longest. */
static void fit(size_t len[3], size_t room)
{
	while (len[0] + len[1] + len[2] > room) {
		size_t longest = len[1] > len[0] ? 1 : 0;

		if (len[2] > len[longest])
			longest = 2;
		len[longest]--;
	}
}

static char *put(char *at, const char *text, size_t len)
{
	clean_text(at, len + 1, text);
	return at + strlen(at);
}

void change_text(char ret[CHANGE_TEXT_MAX], const char *item, const char *from,
		 const char *to)
{
	const char *part[3] = { item ? item : "", from ? from : "",
				to ? to : "" };
	size_t len[3] = { strlen(part[0]), strlen(part[1]), strlen(part[2]) };

	fit(len, CHANGE_TEXT_MAX - 3);
	ret = put(ret, part[0], len[0]);
	*ret++ = '\t';
	ret = put(ret, part[1], len[1]);
	*ret++ = '\t';
	ret = put(ret, part[2], len[2]);
	*ret = '\0';
}

/* Copies text up to a tab; returns the text after the tab, or NULL. */
static const char *part_take(const char *text, char ret[CHANGE_TEXT_MAX])
{
	size_t len = text ? strcspn(text, "\t") : 0;
	size_t keep = len < CHANGE_TEXT_MAX ? len : CHANGE_TEXT_MAX - 1;

	if (keep > 0)
		memcpy(ret, text, keep);
	ret[keep] = '\0';
	return text && text[len] != '\0' ? text + len + 1 : NULL;
}

void change_parse(const char *text, struct event_change *ret)
{
	text = part_take(text, ret->item);
	text = part_take(text, ret->from);
	(void)part_take(text, ret->to);
}

void event_text_clean(char *to, size_t cap, unsigned what, const char *text)
{
	unsigned tabs = what >= EVENT_FIRST_CHANGE ? 2 : 0;
	size_t len = text ? strlen(text) : 0;

	for (; tabs > 0 && len > 0 && memchr(text, '\t', len); tabs--) {
		size_t part = strcspn(text, "\t"), n;

		clean_octets(to, cap, text, part);
		n = strlen(to);
		text += part + 1;
		len -= part + 1;
		if (n + 1 >= cap)
			return;
		to[n] = '\t';
		to += n + 1;
		cap -= n + 1;
	}
	clean_octets(to, cap, text ? text : "", len);
}
