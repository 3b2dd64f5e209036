#include "platform/module/application.h"

#include <string.h>

#include "platform/module/code.h"
#include "platform/module/view.h"

#define DESCRIPTOR_LEN 4
#define LOWER_COUNT 8u		/* of these are in the lower memory */
#define HOST_ID_END 0xff
#define ALL_LANES 0xffu

static const uint8_t *descriptor(const struct view *v, unsigned number)
{
	if (number <= LOWER_COUNT)
		return view_octets(v, LOWER, 86 + (number - 1) *
				   DESCRIPTOR_LEN, DESCRIPTOR_LEN);
	return view_octets(v, PAGE(0x01), 223 + (number - 1 - LOWER_COUNT) *
			   DESCRIPTOR_LEN, DESCRIPTOR_LEN);
}

/* SFF-8024 table 4-5: FFh ends the list; 00h is undefined: an application that
 * is not offered, but others may follow.
 */
bool application_next(const struct view *v, unsigned *number,
		      struct application *ret)
{
	const uint8_t *octets;
	int media;

	do {
		if (*number >= APPLICATIONS_MAX)
			return false;
		octets = descriptor(v, ++*number);
		if (!octets || octets[0] == HOST_ID_END)
			return false;
	} while (!octets[0]);
	media = view_octet(v, PAGE(0x01), 176 + *number - 1);
	*ret = (struct application){
		.host_id = octets[0],
		.media_id = octets[1],
		.host_lanes = octets[2] >> 4,
		.media_lanes = octets[2] & 0xf,
		.host_first = octets[3],
		.media_first = media < 0 ? 0 : (uint8_t)media,
	};
	return true;
}

/* count lanes from each lane whose bit is set in first. */
static uint32_t lanes_from(unsigned first, unsigned count)
{
	uint32_t lanes = 0;

	for (unsigned i = 0; i < MODULE_BANK_LANES; i++) {
		if (first >> i & 1)
			lanes |= ((1u << count) - 1) << i;
	}
	return lanes & ALL_LANES;
}

/* 00h:210 lists media lanes that the module does not have; if it lists them
 * all, it is ignored.
 */
void application_lanes(const struct view *v, uint32_t *ret_host,
		       uint32_t *ret_media)
{
	int missing = view_octet(v, PAGE(0x00), 210);
	uint32_t host = 0, media = 0;
	struct application a;

	for (unsigned n = 0; application_next(v, &n, &a);) {
		host |= lanes_from(a.host_first, a.host_lanes);
		media |= lanes_from(a.media_first, a.media_lanes);
	}
	media = media ? media : ALL_LANES;
	if (missing > 0 && (media & ~(uint32_t)missing))
		media &= ~(uint32_t)missing;
	*ret_host = host ? host : ALL_LANES;
	*ret_media = media;
}

void application_list(const struct view *v, char *ret, size_t cap)
{
	int type = view_octet(v, LOWER, 85);
	char host[CODE_TEXT_MAX], media[CODE_TEXT_MAX];
	char one[2 * CODE_TEXT_MAX + 8], *end;
	struct application a;
	size_t len = 0;

	ret[0] = '\0';
	for (unsigned n = 0; application_next(v, &n, &a);) {
		code_text(CODE_HOST, a.host_id, host);
		code_text(code_media(type), a.media_id, media);
		end = stpcpy(stpcpy(one, len ? ", " : ""), host);
		end = stpcpy(stpcpy(end, " to "), media);
		if (len + (size_t)(end - one) >= cap)
			break;
		memcpy(ret + len, one, (size_t)(end - one) + 1);
		len += (size_t)(end - one);
	}
}
