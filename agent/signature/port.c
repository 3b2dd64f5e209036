#include "agent/signature/port.h"

#include <ctype.h>
#include <strings.h>

/* A word of a medium's name, such as CR4 of "400GBASE-CR4". T is the last one,
 * as of "10GBASE-T".
 */
static bool word_is_copper(const char *word, size_t len)
{
	static const char *const copper[] = { "CR", "KR", "copper", "T" };

	for (size_t i = 0; i < sizeof(copper) / sizeof(copper[0]); i++) {
		size_t n = strlen(copper[i]);

		if (len >= n && strncasecmp(word, copper[i], n) == 0 &&
		    strspn(word + n, "0123456789") >= len - n &&
		    (n > 1 || !word[len]))
			return true;
	}
	return false;
}

/* Ethernet8, Ethernet1/1, swp3, et-0/0/1; hosts have eth0, ens1f0, mlx5_0. */
bool port_is_of_fabric(const struct port_facts *facts)
{
	static const char *const names[] = { "Ethernet", "swp" };
	const char *port = facts->peer_port;

	if (facts->peer != PEER_UNKNOWN)
		return facts->peer == PEER_SWITCH;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(port, names[i], strlen(names[i])) == 0 &&
		    isdigit((unsigned char)port[strlen(names[i])]))
			return true;
	return strchr(port, '/') != NULL;
}

bool port_media_is_copper(const char *media)
{
	static const char apart[] = " -_/.,";

	if (strcasestr(media, "DAC") || strcasestr(media, "ACC") ||
	    strcasestr(media, "AEC"))
		return true;
	while (*media) {
		size_t len = strcspn(media, apart);

		if (word_is_copper(media, len))
			return true;
		media += len;
		media += strspn(media, apart);
	}
	return false;
}

bool port_has_light_limits(const struct port_thresholds *t)
{
	return t->known && t->rx_pw[LOW_ALARM] > 0 &&
	       t->rx_pw[LOW_ALARM] <= t->rx_pw[LOW_WARN] &&
	       t->rx_pw[LOW_WARN] < t->rx_pw[HIGH_WARN] &&
	       t->rx_pw[HIGH_WARN] <= t->rx_pw[HIGH_ALARM];
}
