#include "agent/config/form.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"

#define FACTOR_SCALE 1000000
#define PORT_MAX 65535

static int refuse(const struct config_key *k, const char *value,
		  const char *expected, struct diag *d)
{
	return diag_set(d, -EINVAL, "%s = %s: expected %s", k->key, value,
			expected);
}

struct unit {
	uint64_t size;
	const char *name;
};

/* units: the largest first, ends with size 1. */
static void whole_text(uint64_t value, const struct unit *unit,
		       char ret[static CONFIG_TEXT_MAX])
{
	while (unit->size > 1 && (value == 0 || value % unit->size != 0))
		unit++;
	(void)snprintf(ret, CONFIG_TEXT_MAX, "%llu%s",
		       (unsigned long long)(value / unit->size), unit->name);
}

void form_time_text(int64_t ns, char ret[static CONFIG_TEXT_MAX])
{
	static const struct unit units[] = {
		{ 86400000, "d" }, { 3600000, "h" }, { 60000, "m" },
		{ 1000, "s" }, { 1, "ms" },
	};

	whole_text((uint64_t)ns / 1000000, units, ret);
}

void form_size_text(uint64_t octets, char ret[static CONFIG_TEXT_MAX])
{
	static const struct unit units[] = {
		{ 1u << 30, "G" }, { 1u << 20, "M" }, { 1u << 10, "K" },
		{ 1, "" },
	};

	whole_text(octets, units, ret);
}

int form_bool(const struct config_key *k, const char *value, struct diag *d)
{
	if (strcmp(value, "yes") == 0 || strcmp(value, "no") == 0)
		return 0;
	return refuse(k, value, "yes or no", d);
}

int form_duration(const struct config_key *k, const char *value,
		  struct diag *d)
{
	char least[CONFIG_TEXT_MAX], most[CONFIG_TEXT_MAX];
	int64_t ns;

	if (number_parse_duration(value, &ns) < 0)
		return refuse(k, value, "a time with its unit, as 500ms, 10s, "
			      "15m, 2h or 1d", d);
	if (ns >= k->min && ns <= k->max)
		return 0;
	form_time_text(k->min, least);
	form_time_text(k->max, most);
	return diag_set(d, -EINVAL, "%s = %s: expected %.16s to %.16s", k->key,
			value, least, most);
}

int form_size(const struct config_key *k, const char *value, struct diag *d)
{
	char least[CONFIG_TEXT_MAX], most[CONFIG_TEXT_MAX];
	uint64_t octets;

	if (number_parse_size(value, INT64_MAX, &octets) < 0)
		return refuse(k, value, "a size, as 65536, 64K, 12M or 1G", d);
	if (octets >= (uint64_t)k->min && octets <= (uint64_t)k->max)
		return 0;
	form_size_text((uint64_t)k->min, least);
	form_size_text((uint64_t)k->max, most);
	return diag_set(d, -EINVAL, "%s = %s: expected %.16s to %.16s", k->key,
			value, least, most);
}

int form_number(const struct config_key *k, const char *value, struct diag *d)
{
	uint64_t number;

	if (number_parse(value, (uint64_t)k->min, (uint64_t)k->max,
			 &number) == 0)
		return 0;
	return diag_set(d, -EINVAL, "%s = %s: expected a number from %lld to "
			"%lld", k->key, value, (long long)k->min,
			(long long)k->max);
}

int form_factor(const struct config_key *k, const char *value, struct diag *d)
{
	int64_t scaled;

	if (number_parse_scaled(value, strlen(value), FACTOR_SCALE,
				&scaled) == 0 &&
	    scaled > 0 && scaled <= k->max * FACTOR_SCALE)
		return 0;
	return diag_set(d, -EINVAL, "%s = %s: expected a number above 0, up "
			"to %lld", k->key, value, (long long)k->max);
}

static bool is_word(const struct config_key *k, const char *text, size_t len)
{
	for (size_t i = 0; i < k->word_count; i++)
		if (strlen(k->words[i]) == len &&
		    memcmp(k->words[i], text, len) == 0)
			return true;
	return false;
}

/* otherwise: what would be right besides. */
static int list_judge(const struct config_key *k, const char *value,
		      const char *otherwise, struct diag *d)
{
	size_t count = 0, n;
	char all[128] = "";

	for (const char *at = value + strspn(value, ", "); *at;
	     at += n + strspn(at + n, ", ")) {
		n = strcspn(at, ", ");
		if (!is_word(k, at, n))
			count = k->word_count;	/* more than there are */
		count++;
	}
	if (count > 0 && count <= k->word_count)
		return 0;
	for (size_t i = 0; i < k->word_count; i++)
		(void)snprintf(all + strlen(all), sizeof(all) - strlen(all),
			       "%s%s", i ? ", " : "", k->words[i]);
	return diag_set(d, -EINVAL, "%s = %s: expected %sone or more of %s, "
			"joined by commas", k->key, value, otherwise, all);
}

int form_list(const struct config_key *k, const char *value, struct diag *d)
{
	return list_judge(k, value, "", d);
}

int form_auto_or_list(const struct config_key *k, const char *value,
		      struct diag *d)
{
	if (strcmp(value, "auto") == 0)
		return 0;
	return list_judge(k, value, "auto, or ", d);
}

int form_absolute(const struct config_key *k, const char *value,
		  struct diag *d)
{
	return value[0] == '/' ? 0 :
				 refuse(k, value, "an absolute path", d);
}

int form_name(const struct config_key *k, const char *value, struct diag *d)
{
	return value[0] && !strchr(value, '/') ? 0 :
		refuse(k, value, "a name without /", d);
}

/* HOST:PORT; the last colon counts, IPv6 has more of them. */
static bool is_host_port(const char *text)
{
	const char *colon = strrchr(text, ':');
	bool bracket = text[0] == '[';
	uint64_t port;

	if (!colon || colon == text || strpbrk(text, "/ ;") ||
	    number_parse(colon + 1, 1, PORT_MAX, &port) < 0)
		return false;
	if (bracket)
		return colon[-1] == ']' && colon - text > 2;
	return memchr(text, ':', (size_t)(colon - text)) == NULL;
}

int form_url(const struct config_key *k, const char *value, struct diag *d)
{
	if (strncmp(value, "tcp://", 6) == 0 && is_host_port(value + 6))
		return 0;
	if (strncmp(value, "ipc://", 6) == 0 && value[6])
		return 0;
	return refuse(k, value, "tcp://HOST:PORT, as tcp://192.0.2.1:4717",
		      d);
}
