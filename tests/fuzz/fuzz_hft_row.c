/* What else high-frequency telemetry reads of others. The first octet says as
 * what the rest is taken: names and numbers of labels (parted by a NUL), a file
 * of SAI's numbers, a constants.yml, a message of nlctrl.
 */
#include <assert.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include "platform/sonic/hft/hft_settings.h"
#include "platform/sonic/hft/hft_template.h"
#include "platform/sonic/hft/hft_netlink.h"

#define MESSAGE_MAX 4096u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct hft_octets octets_of(const uint8_t *data, size_t len)
{
	struct hft_octets o = { .data = malloc(len ? len : 1), .len = len };

	assert(o.data);
	if (len > 0)
		memcpy(o.data, data, len);
	return o;
}

static void labels_fuzz(const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, 0, size);
	size_t first = nul ? (size_t)(nul - data) : size;
	struct hft_octets names = octets_of(data, first);
	struct hft_octets ids = octets_of(nul ? nul + 1 : data,
					  nul ? size - first - 1 : 0);
	struct hft_labels l = { NULL, 0 };

	if (hft_labels_parse(&names, &ids, &l, NULL) == 0)
		for (size_t i = 0; i < l.count; i++)
			assert(strnlen(l.list[i].name, OBJECT_NAME_MAX) <
				       OBJECT_NAME_MAX &&
			       (i == 0 || l.list[i - 1].label <
						  l.list[i].label));
	free(l.list);
	free(names.data);
	free(ids.data);
}

static void ids_fuzz(const uint8_t *data, size_t size)
{
	struct hft_ids *ids = NULL;
	struct diag d;

	if (hft_ids_new(AT_FDCWD, NULL, &ids, NULL) == 0)
		(void)hft_ids_parse(ids, (const char *)data, size, &d);
	hft_ids_free(ids);
}

static void constants_fuzz(const uint8_t *data, size_t size)
{
	struct hft_settings s = { "sonic_stel", "ipfix", NULL, 0 };
	struct diag d;

	(void)hft_constants_parse((const char *)data, size, &s, &d);
	assert(memchr(s.family, 0, sizeof(s.family)) && s.family[0]);
	assert(memchr(s.group, 0, sizeof(s.group)) && s.group[0]);
}

static void family_fuzz(const uint8_t *data, size_t size)
{
	size_t len = size < MESSAGE_MAX ? size : MESSAGE_MAX;
	struct nlmsghdr *h = malloc(NLMSG_HDRLEN + len);
	struct hft_family f;

	assert(h);
	*h = (struct nlmsghdr){ .nlmsg_len = (uint32_t)(NLMSG_HDRLEN + len),
				.nlmsg_type = GENL_ID_CTRL };
	memcpy((char *)h + NLMSG_HDRLEN, data, len);
	if (hft_family_parse(h, "ipfix", &f) == 0)
		assert(memchr(f.name, 0, sizeof(f.name)) && f.name[0]);
	free(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const takes[])(const uint8_t *, size_t) = {
		labels_fuzz, ids_fuzz, constants_fuzz, family_fuzz,
	};

	if (size > 0)
		takes[data[0] % 4](data + 1, size - 1);
	return 0;
}
