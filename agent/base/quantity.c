#include "petrel/quantity.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/names.h"
#include "petrel/diag.h"

static const struct quantity_info quantities[] = {
#define QUANTITY(id_, symbol_, name_, unit_, scope_, kind_, speed_, help_) \
	{ .id = (id_), .unit = (unit_), .scope = (scope_), .kind = (kind_), \
	  .speed = (speed_), .name = (name_), .help = (help_) },
#include "petrel/quantity.def"
#undef QUANTITY
};

#define QUANTITY_COUNT (sizeof(quantities) / sizeof(quantities[0]))

const char *quantity_unit_name(enum quantity_unit unit)
{
	static const char *const names[UNIT_COUNT] = {
		[UNIT_NONE] = "",
		[UNIT_FRAMES] = "frames",
		[UNIT_OCTETS] = "octets",
		[UNIT_BITS] = "bits",
		[UNIT_CODEWORDS] = "codewords",
		[UNIT_SYMBOLS] = "symbols",
		[UNIT_EVENTS] = "events",
		[UNIT_MBPS] = "mbps",
		[UNIT_OCTETS_PER_S] = "octets_per_s",
		[UNIT_PW] = "pw",
		[UNIT_UA] = "ua",
		[UNIT_UV] = "uv",
		[UNIT_MC] = "mc",
		[UNIT_MDB] = "mdb",
		[UNIT_E18] = "e18",
		[UNIT_NS] = "ns",
		[UNIT_US] = "us",
		[UNIT_RPM] = "rpm",
		[UNIT_UW] = "uw",
		[UNIT_PPM] = "ppm",
		[UNIT_LOG10_MILLI] = "log10_milli",
		[UNIT_BOOL] = "bool",
		[UNIT_ENUM] = "enum",
		[UNIT_PM] = "pm",
		[UNIT_MHZ] = "mhz",
		[UNIT_GHZ] = "ghz",
		[UNIT_FS] = "fs",
		[UNIT_FS2] = "fs2",
		[UNIT_PS_PER_NM] = "ps_per_nm",
		[UNIT_KRAD_PER_S] = "krad_per_s",
		[UNIT_MS] = "ms",
		[UNIT_FRAMES_PER_S] = "frames_per_s",
		[UNIT_CELLS] = "cells",
		[UNIT_BITS_SET] = "bits_set",
		[UNIT_M] = "m",
	};

	return (unsigned)unit < UNIT_COUNT ? names[unit] : NULL;
}

/* Rows are in the order of their ids; a test checks that. */
const struct quantity_info *quantity_find(uint16_t id)
{
	size_t low = 0, high = QUANTITY_COUNT;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (quantities[mid].id == id)
			return &quantities[mid];
		if (quantities[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

const struct quantity_info *quantity_find_name(const char *name)
{
	for (size_t i = 0; i < QUANTITY_COUNT; i++)
		if (strcmp(quantities[i].name, name) == 0)
			return &quantities[i];
	return NULL;
}

int quantity_parse(const char *name, const struct quantity_info **ret,
		   struct diag *d)
{
	const char *names[QUANTITY_COUNT], *near;
	const struct quantity_info *q = quantity_find_name(name);

	if (q) {
		*ret = q;
		return 0;
	}
	for (size_t i = 0; i < QUANTITY_COUNT; i++)
		names[i] = quantities[i].name;
	near = nearest_name(name, names, QUANTITY_COUNT);
	return diag_set(d, -EINVAL, "no quantity '%.64s'%s%s; petrel show "
			"lists those of an entity", name,
			near ? "; nearest is " : "", near ? near : "");
}

bool quantity_is_indexed(const struct quantity_info *q)
{
	return strcasestr(q->help, "index") != NULL;
}

/* Finds where the words begin in "Index 0 to 3: high alarm, low alarm, …". */
static const char *index_list(const struct quantity_info *q)
{
	const char *at = strcasestr(q->help, "index 0 to ");

	at = at ? at + strcspn(at, ":,.;(") : NULL;
	return at && at[0] == ':' && at[1] == ' ' ? at + 2 : NULL;
}

void quantity_index_words(const struct quantity_info *q, unsigned index,
			  char *ret, size_t cap)
{
	const char *at = index_list(q);

	for (unsigned i = 0; at && i < index; i++) {
		at += strcspn(at, ",(");
		at = *at == ',' ? at + 2 : NULL;
	}
	ret[0] = '\0';
	if (at)
		(void)snprintf(ret, cap, "%.*s", (int)strcspn(at, ",("), at);
	else if (quantity_is_indexed(q))
		(void)snprintf(ret, cap, "[%u]", index);
	for (size_t n = strlen(ret); n && ret[n - 1] == ' '; n--)
		ret[n - 1] = '\0';
}

/* The index of id in a list; n: not in it. */
static size_t place_in(const uint16_t *ids, size_t n, uint16_t id)
{
	size_t i = 0;

	while (i < n && ids[i] != id)
		i++;
	return i;
}

#define IS_AMONG(list, id)                                                    \
	(place_in(list, sizeof(list) / sizeof((list)[0]), id) <               \
	 sizeof(list) / sizeof((list)[0]))

bool quantity_is_unsigned(const struct quantity_info *q)
{
	return q->kind == KIND_COUNTER || q->kind == KIND_PEAK;
}

bool quantity_is_traffic(uint16_t id)
{
	static const uint16_t traffic[] = {
		Q_IF_IN_OCTETS, Q_IF_IN_UCAST_FRAMES, Q_IF_IN_NON_UCAST_FRAMES,
		Q_IF_IN_MULTICAST_FRAMES, Q_IF_IN_BROADCAST_FRAMES,
		Q_IF_OUT_OCTETS, Q_IF_OUT_UCAST_FRAMES,
		Q_IF_OUT_NON_UCAST_FRAMES, Q_IF_OUT_MULTICAST_FRAMES,
		Q_IF_OUT_BROADCAST_FRAMES, Q_IF_IN_FRAMES, Q_IF_OUT_FRAMES,
		Q_IP_IN_RECEIVES, Q_IP_IN_UCAST_FRAMES,
		Q_ETHER_STATS_TX_NO_ERRORS, Q_ETHER_IN_SIZE_FRAMES,
		Q_ETHER_OUT_SIZE_FRAMES, Q_FABRIC_IN_OCTETS,
		Q_FABRIC_OUT_OCTETS, Q_FABRIC_IN_CELLS, Q_FABRIC_OUT_CELLS,
		Q_QUEUE_FRAMES, Q_QUEUE_OCTETS, Q_PG_FRAMES, Q_PG_OCTETS,
	};

	return IS_AMONG(traffic, id);
}

bool quantity_is_fill(uint16_t id)
{
	static const uint16_t fill[] = {
		Q_QUEUE_OCCUPANCY_OCTETS, Q_QUEUE_WATERMARK_OCTETS,
		Q_QUEUE_SHARED_OCCUPANCY_OCTETS, Q_QUEUE_WATERMARK_TOTAL_OCTETS,
		Q_PG_OCCUPANCY_OCTETS, Q_PG_WATERMARK_OCTETS,
		Q_PG_SHARED_OCCUPANCY_OCTETS, Q_PG_SHARED_WATERMARK_OCTETS,
		Q_PG_XOFF_OCCUPANCY_OCTETS, Q_PG_XOFF_WATERMARK_OCTETS,
		Q_POOL_OCCUPANCY_OCTETS, Q_POOL_WATERMARK_OCTETS,
	};

	return IS_AMONG(fill, id);
}

static const uint16_t kept[] = {
#define QUANTITY(...)
#define KEPT(symbol) Q_##symbol,
#include "petrel/quantity.def"
#undef QUANTITY
};

bool quantity_is_kept(uint16_t id)
{
	return IS_AMONG(kept, id);
}

unsigned quantity_kept_rank(uint16_t id)
{
	return (unsigned)place_in(kept, sizeof(kept) / sizeof(kept[0]), id);
}

const struct quantity_info *quantity_table(size_t *ret_count)
{
	*ret_count = QUANTITY_COUNT;
	return quantities;
}

bool quantity_fits(const struct quantity_info *q, enum entity_kind kind)
{
	bool is_vdm = (q->id >= 0x0a00 && q->id < 0x0d00) ||
		      q->id == Q_LANE_SNR_MDB ||
		      q->id == Q_LANE_PRE_FEC_BER_E18;

	return q->scope == kind ||
	       (is_vdm && (kind == ENTITY_DATA_PATH || kind == ENTITY_MODULE));
}
