#include "agent/base/option.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/base/url.h"

#define FACTOR_SCALE 1000000
#define PORT_MAX 65535
#define HOST_MAX 253u
#define LABEL_MAX 63u
#define HOST_OCTETS "-_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" \
	"abcdefghijklmnopqrstuvwxyz"

static int refuse(const struct option_key *k, const char *value,
		  const char *expected, struct diag *d)
{
	return diag_set(d, -EINVAL, "%s = %s: expected %s", k->key, value,
			expected);
}

struct unit {
	uint64_t size;
	const char *name;
};

/* units: the largest first; the last has size 1. */
static void whole_text(uint64_t value, const struct unit *unit,
		       char ret[static OPTION_TEXT_MAX])
{
	while (unit->size > 1 && (value == 0 || value % unit->size != 0))
		unit++;
	(void)snprintf(ret, OPTION_TEXT_MAX, "%llu%s",
		       (unsigned long long)(value / unit->size), unit->name);
}

void option_time_text(int64_t ns, char ret[static OPTION_TEXT_MAX])
{
	static const struct unit units[] = {
		{ 86400000, "d" }, { 3600000, "h" }, { 60000, "m" },
		{ 1000, "s" }, { 1, "ms" },
	};

	whole_text((uint64_t)ns / 1000000, units, ret);
}

void option_size_text(int64_t octets, char ret[static OPTION_TEXT_MAX])
{
	static const struct unit units[] = {
		{ 1u << 30, "G" }, { 1u << 20, "M" }, { 1u << 10, "K" },
		{ 1, "" },
	};

	whole_text((uint64_t)octets, units, ret);
}

static int judge_bool(const struct option_key *k, const char *value,
		      struct diag *d)
{
	if (strcmp(value, "yes") == 0 || strcmp(value, "no") == 0)
		return 0;
	return refuse(k, value, "yes or no", d);
}

static int judge_range(const struct option_key *k, const char *value,
		       struct diag *d)
{
	bool is_time = k->form == OPTION_DURATION;
	char least[OPTION_TEXT_MAX], most[OPTION_TEXT_MAX];
	uint64_t octets = 0;
	int64_t n = 0;

	if (is_time && number_parse_duration(value, &n) < 0)
		return refuse(k, value, "a time with a unit, such as 500ms, "
			      "10s, 15m, 2h or 1d", d);
	if (!is_time && number_parse_size(value, INT64_MAX, &octets) < 0)
		return refuse(k, value, "a size, such as 65536, 64K, 12M or "
			      "1G", d);
	n += (int64_t)octets;
	if (n >= k->min && n <= k->max)
		return 0;
	(is_time ? option_time_text : option_size_text)(k->min, least);
	(is_time ? option_time_text : option_size_text)(k->max, most);
	return diag_set(d, -EINVAL, "%s = %s: expected %.16s to %.16s", k->key,
			value, least, most);
}

static int judge_number(const struct option_key *k, const char *value,
			struct diag *d)
{
	uint64_t number;

	if (number_parse(value, (uint64_t)k->min, (uint64_t)k->max,
			 &number) == 0)
		return 0;
	return diag_set(d, -EINVAL, "%s = %s: expected a number from %lld to "
			"%lld", k->key, value, (long long)k->min,
			(long long)k->max);
}

static int judge_factor(const struct option_key *k, const char *value,
			struct diag *d)
{
	int64_t scaled;

	if (number_parse_scaled(value, strlen(value), FACTOR_SCALE,
				&scaled) == 0 &&
	    scaled > 0 && scaled <= k->max * FACTOR_SCALE)
		return 0;
	return diag_set(d, -EINVAL, "%s = %s: expected a number above 0, up "
			"to %lld", k->key, value, (long long)k->max);
}

static int word_find(const struct option_key *k, const char *text, size_t len)
{
	for (size_t i = 0; i < k->word_count; i++)
		if (k->words[i] && strlen(k->words[i]) == len &&
		    memcmp(k->words[i], text, len) == 0)
			return (int)i;
	return -ENOENT;
}

int option_word(const struct option_key *k, const char *value)
{
	return word_find(k, value, strlen(value));
}

/* what: text before the list of words. */
static int words_refuse(const struct option_key *k, const char *value,
			const char *what, const char *behind, struct diag *d)
{
	char all[128] = "";

	for (size_t i = 0; i < k->word_count; i++)
		if (k->words[i])
			(void)snprintf(all + strlen(all),
				       sizeof(all) - strlen(all), "%s%s",
				       all[0] ? ", " : "", k->words[i]);
	return diag_set(d, -EINVAL, "%s = %s: expected %s of %s%s", k->key,
			value, what, all, behind);
}

static int judge_word(const struct option_key *k, const char *value,
		      struct diag *d)
{
	return option_word(k, value) >= 0 ? 0 :
	       words_refuse(k, value, "one", "", d);
}

static int judge_list(const struct option_key *k, const char *value,
		      struct diag *d)
{
	bool may_be_auto = k->form == OPTION_AUTO_OR_LIST;
	size_t count = 0, n;

	if (may_be_auto && (strcmp(value, "auto") == 0 || !k->words))
		return 0;	/* without words any list is valid */
	for (const char *at = value + strspn(value, ", "); *at;
	     at += n + strspn(at + n, ", ")) {
		n = strcspn(at, ", ");
		if (word_find(k, at, n) < 0)
			count = k->word_count;	/* one more than allowed */
		count++;
	}
	if (count > 0 && count <= k->word_count)
		return 0;
	return words_refuse(k, value, may_be_auto ?
			    "auto, or one or more" : "one or more",
			    ", joined by commas", d);
}

static int judge_path(const struct option_key *k, const char *value,
		      struct diag *d)
{
	return value[0] == '/' ? 0 :
				 refuse(k, value, "an absolute path", d);
}

static int judge_name(const struct option_key *k, const char *value,
		      struct diag *d)
{
	return value[0] && !strchr(value, '/') ? 0 :
		refuse(k, value, "a name without /", d);
}

/* An address in brackets, with or without a zone; or one of IPv4; or a name
 * after RFC 1123, with _ as well, which some networks have.
 */
static bool is_host(const char *text, size_t len)
{
	char host[HOST_MAX + 1];
	struct in6_addr octets;

	if (len == 0 || len > HOST_MAX)
		return false;
	memcpy(host, text, len);
	host[len] = '\0';
	if (host[0] == '[') {
		host[1 + strcspn(host + 1, "%]")] = '\0';
		return text[len - 1] == ']' &&
		       inet_pton(AF_INET6, host + 1, &octets) == 1;
	}
	if (strspn(host, "0123456789.") == len)
		return inet_pton(AF_INET, host, &octets) == 1;
	for (const char *at = host; *at;) {
		size_t label = strcspn(at, ".");

		if (label == 0 || label > LABEL_MAX || *at == '-' ||
		    at[label - 1] == '-' || strspn(at, HOST_OCTETS) < label)
			return false;
		at += label + (at[label] == '.');
	}
	return true;
}

/* HOST:PORT; split at the last colon, for IPv6 has more of them. */
static bool is_host_port(const char *text)
{
	const char *colon = strrchr(text, ':');
	uint64_t port;

	return colon && number_parse(colon + 1, 1, PORT_MAX, &port) == 0 &&
	       (is_host(text, (size_t)(colon - text)) ||
		(colon - text == 1 && text[0] == '*'));
}

/* Of a URL after its scheme: [USER@]HOST[:PORT][/...]. */
static bool is_authority(const char *text)
{
	size_t len = strcspn(text, "/?#");
	const char *at = memrchr(text, '@', len);
	char host[HOST_MAX + 8];

	if (at)
		len -= (size_t)(at + 1 - text);
	text = at ? at + 1 : text;
	if (len >= sizeof(host))
		return false;
	memcpy(host, text, len);
	host[len] = '\0';
	return is_host(host, len) || (host[0] != '*' && is_host_port(host));
}

static int judge_url(const struct option_key *k, const char *value,
		     struct diag *d)
{
	if (strncmp(value, "tcp://", 6) == 0 && is_host_port(value + 6))
		return 0;
	if (strncmp(value, "ipc://", 6) == 0 && value[6])
		return 0;
	return refuse(k, value, "tcp://HOST:PORT, such as tcp://192.0.2.1:4717",
		      d);
}

static int judge_http_url(const struct option_key *k, const char *value,
			  struct diag *d)
{
	size_t scheme = strncmp(value, "https://", 8) == 0 ? 8 :
			strncmp(value, "http://", 7) == 0 ? 7 : 0;
	char shown[URL_SHOWN_MAX];

	if (scheme && is_authority(value + scheme) &&
	    !strpbrk(value, " \t\"<>\\"))
		return 0;
	return refuse(k, url_shown(value, shown), "http:// or https:// with a "
		      "host, such as http://192.0.2.1:8428/api/v1/write", d);
}

int option_family(const char *text)
{
	const char *host = strstr(text, "://");
	size_t len = strlen(text);
	char address[INET6_ADDRSTRLEN];
	struct in6_addr octets;

	if (host) {
		text = host + 3 + strspn(host + 3, "[");
		len = text[-1] == '[' ? strcspn(text, "]") : strcspn(text, ":");
	}
	if (len >= sizeof(address))
		return 0;
	memcpy(address, text, len);
	address[len] = '\0';
	if (inet_pton(AF_INET, address, &octets) == 1)
		return AF_INET;
	return inet_pton(AF_INET6, address, &octets) == 1 ? AF_INET6 : 0;
}

static int judge_address(const struct option_key *k, const char *value,
			 struct diag *d)
{
	return option_family(value) && !strchr(value, '/') ? 0 :
	       refuse(k, value, "an IP address", d);
}

/* The kernel's rules for a device name. */
static int judge_device(const struct option_key *k, const char *value,
			struct diag *d)
{
	if (strlen(value) < IFNAMSIZ && strcmp(value, ".") != 0 &&
	    strcmp(value, "..") != 0 && !strpbrk(value, "/: \t"))
		return 0;
	return refuse(k, value, "the name of a VRF or an interface, of at most "
		      "15 characters", d);
}

int option_judge(const struct option_key *k, const char *value,
		 struct diag *d)
{
	static int (*const judges[OPTION_FORM_COUNT])(
		const struct option_key *, const char *, struct diag *) = {
		[OPTION_BOOL] = judge_bool,
		[OPTION_DURATION] = judge_range,
		[OPTION_SIZE] = judge_range,
		[OPTION_NUMBER] = judge_number,
		[OPTION_FACTOR] = judge_factor,
		[OPTION_WORD] = judge_word,
		[OPTION_LIST] = judge_list,
		[OPTION_AUTO_OR_LIST] = judge_list,
		[OPTION_PATH] = judge_path,
		[OPTION_NAME] = judge_name,
		[OPTION_URL] = judge_url,
		[OPTION_HTTP_URL] = judge_http_url,
		[OPTION_DEVICE] = judge_device,
		[OPTION_ADDRESS] = judge_address,
	};
	bool may_be_empty = !k->value || !k->value[0];

	if (strlen(value) >= OPTION_TEXT_MAX)
		return diag_set(d, -EINVAL, "%s is longer than %d octets",
				k->key, OPTION_TEXT_MAX - 1);
	if (!judges[k->form] || (may_be_empty && !value[0]))
		return 0;
	return judges[k->form](k, value, d);
}
