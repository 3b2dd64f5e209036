#include "platform/module/application.h"

#include <string.h>

#include "platform/module/code.h"
#include "platform/module/view.h"

#define DESCRIPTOR_LEN 4
#define LOWER_COUNT 8u		/* of these are in the lower memory */
#define HOST_ID_END 0xff
#define ALL_LANES 0xffu
#define ID_400GAUI_16 0x10
#define ID_1600GAUI_16_S 0x55
#define ID_1600GAUI_16_L 0x56

static const uint8_t *descriptor(const struct view *v, unsigned number)
{
	if (number <= LOWER_COUNT)
		return view_octets(v, LOWER, 86 + (number - 1) *
				   DESCRIPTOR_LEN, DESCRIPTOR_LEN);
	return view_octets(v, PAGE(0x01), 223 + (number - 1 - LOWER_COUNT) *
			   DESCRIPTOR_LEN, DESCRIPTOR_LEN);
}

/* A count of 0: the host interface's code says how many lanes it has; 16 do not
 * fit. SFF-8024 table 4-5.
 */
static uint8_t hosts_told(unsigned count, unsigned id)
{
	bool is_of_sixteen = id == ID_400GAUI_16 || id == ID_1600GAUI_16_S ||
			     id == ID_1600GAUI_16_L;

	return (uint8_t)(!count && is_of_sixteen ? 16 : count);
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
		.host_lanes = hosts_told(octets[2] >> 4, octets[0]),
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

bool application_get(const struct view *v, unsigned number,
		     struct application *ret)
{
	unsigned at = number - 1;

	return number && application_next(v, &at, ret) && at == number;
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

/* --- host lanes of a media lane ------------------------------------------- */

/* The bit that has n set bits below it, as a mask; 0: there are fewer. */
static uint32_t bit_nth(uint32_t bits, unsigned n)
{
	while (n-- && bits)
		bits &= bits - 1;
	return bits & (0 - bits);
}

static unsigned bits_below(uint32_t bits, unsigned bit)
{
	return (unsigned)__builtin_popcount(bits & ((1u << bit) - 1));
}

/* The first media lane of the instance that begins at host lane first, as a
 * mask. Instances have the same order on both sides. Where the media side has
 * fewer beginnings, several share one, as four of 100GAUI-2 do on the carrier
 * of a multiplexer; unless the module has media lanes for each of them.
 */
static uint32_t media_first(const struct view *v, const struct application *a,
			    unsigned first)
{
	unsigned hosts = (unsigned)__builtin_popcount(a->host_first);
	unsigned media = (unsigned)__builtin_popcount(a->media_first);
	unsigned lanes = (unsigned)__builtin_popcount(v->media_lanes);
	unsigned n = bits_below(a->host_first, first);

	if (!media || (media < hosts && hosts * a->media_lanes <= lanes))
		return bit_nth(ALL_LANES, n * a->media_lanes);
	return bit_nth(a->media_first, media < hosts ? n * media / hosts : n);
}

/* The host lanes of a data path that are behind a media lane: lane by lane if
 * its application has as many on both sides, else all of them. Some modules
 * number several instances as one data path.
 */
static uint32_t hosts_behind(const struct view *v, const struct application *a,
			     uint32_t path, unsigned lane)
{
	unsigned hosts = a->host_lanes, media = a->media_lanes, n;
	unsigned lanes = (unsigned)__builtin_popcount(path);
	uint32_t first = path ? media_first(v, a, (unsigned)
					    __builtin_ctz(path)) : 0;
	uint32_t behind = 0;

	if (!first || !hosts || !media || 1u << lane < first)
		return 0;
	n = lane - (unsigned)__builtin_ctz(first);
	if (n / media >= (lanes > hosts ? lanes / hosts : 1))
		return 0;
	if (hosts == media)
		return bit_nth(path, n);
	for (unsigned i = 0; i < hosts; i++)
		behind |= bit_nth(path, n / media * hosts + i);
	return behind;
}

/* Where no data path is active: as in the module's first application. */
static uint32_t hosts_by_default(const struct view *v, unsigned lane)
{
	struct application a;
	uint32_t hosts = 0;

	if (!application_get(v, 1, &a))
		return 1u << lane;
	for (unsigned i = 0; i < MODULE_BANK_LANES; i++)
		if (a.host_first >> i & 1)
			hosts |= hosts_behind(v, &a,
					      lanes_from(1u << i,
							 a.host_lanes), lane);
	return hosts;
}

uint32_t application_hosts(const struct view *v, unsigned bank, unsigned lane)
{
	uint32_t path[MODULE_BANK_LANES] = { 0 }, active = 0, hosts = 0;
	unsigned number[MODULE_BANK_LANES] = { 0 };
	struct application a;

	for (unsigned i = 0; i < MODULE_BANK_LANES; i++) {
		int octet = view_octet(v, PLACE(bank, 0x11),
				       APPLICATION_ACTIVE_SET + i);

		if (octet < 0 || !(octet >> 4))
			continue;
		path[octet >> 1 & 7] |= 1u << i;
		number[octet >> 1 & 7] = (unsigned)octet >> 4;
		active |= 1u << i;
	}
	for (unsigned i = 0; i < MODULE_BANK_LANES; i++)
		hosts |= path[i] && application_get(v, number[i], &a) ?
			 hosts_behind(v, &a, path[i], lane) :
			 path[i] & 1u << lane;	/* it is not advertised */
	return hosts ? hosts : hosts_by_default(v, lane) & ~active;
}

void application_text(const struct view *v, const struct application *a,
		      char ret[static APPLICATION_TEXT_MAX])
{
	char host[CODE_TEXT_MAX], media[CODE_TEXT_MAX];

	code_text(CODE_HOST, a->host_id, host);
	code_text(code_media(view_octet(v, LOWER, 85)), a->media_id, media);
	(void)stpcpy(stpcpy(stpcpy(ret, host), " to "), media);
}

void application_list(const struct view *v, char *ret, size_t cap)
{
	char one[2 + APPLICATION_TEXT_MAX] = ", ";
	struct application a;
	size_t len = 0;

	ret[0] = '\0';
	for (unsigned n = 0; application_next(v, &n, &a);) {
		const char *text = len ? one : one + 2;

		application_text(v, &a, one + 2);
		if (len + strlen(text) >= cap)
			break;
		len = (size_t)(stpcpy(ret + len, text) - ret);
	}
}
