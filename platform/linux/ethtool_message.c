#include "platform/linux/ethtool_message.h"

#include <errno.h>
#include <string.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#define LANES_CREDIBLE_MAX 64u

/* The attributes of an answer to a command. Returns -ENOMSG, -EBADMSG. */
static int attributes(struct nlmsghdr *h, uint8_t command, int max,
		      const struct nla_policy *policy, struct nlattr **ret)
{
	struct genlmsghdr head;

	if (!nlmsg_valid_hdr(h, sizeof(head)))
		return -EBADMSG;
	memcpy(&head, nlmsg_data(h), sizeof(head));
	if (head.cmd != command)
		return -ENOMSG;
	return nlmsg_parse(h, GENL_HDRLEN, ret, max, policy) < 0 ? -EBADMSG : 0;
}

static uint32_t u32_of(const struct nlattr *a)
{
	return a ? nla_get_u32(a) : 0;
}

static int u8_of(const struct nlattr *a, int absent)
{
	return a ? nla_get_u8(a) : absent;
}

/* The sum comes first, then the lanes. Source: Linux, net/ethtool/fec.c,
 * fec_stats_recalc(). All ones means that the driver has no such counter.
 */
static bool counter_read(const struct nlattr *a, struct ethtool_counter *ret)
{
	uint64_t value[1 + ETHTOOL_MESSAGE_LANES_MAX];
	size_t len = (size_t)nla_len(a);
	size_t count = len / sizeof(value[0]);

	if (len % sizeof(value[0]) != 0)
		return false;
	if (count > sizeof(value) / sizeof(value[0]))
		count = sizeof(value) / sizeof(value[0]);
	if (count == 0)
		return true;
	memcpy(value, nla_data(a), count * sizeof(value[0]));
	ret->known = value[0] != UINT64_MAX;
	ret->total = value[0];
	ret->lanes = (unsigned)count - 1;
	memcpy(ret->lane, value + 1, ret->lanes * sizeof(value[0]));
	return true;
}

static bool fec_stats_read(struct nlattr *nest, struct ethtool_fec *fec)
{
	struct nlattr *a[ETHTOOL_A_FEC_STAT_MAX + 1];
	const struct {
		int type;
		struct ethtool_counter *into;
	} rows[] = {
		{ ETHTOOL_A_FEC_STAT_CORRECTED, &fec->corrected },
		{ ETHTOOL_A_FEC_STAT_UNCORR, &fec->uncorrectable },
		{ ETHTOOL_A_FEC_STAT_CORR_BITS, &fec->corrected_bits },
	};
	bool ok = nla_parse_nested(a, ETHTOOL_A_FEC_STAT_MAX, nest, NULL) == 0;

	for (size_t i = 0; ok && i < sizeof(rows) / sizeof(rows[0]); i++)
		ok = !a[rows[i].type] ||
		     counter_read(a[rows[i].type], rows[i].into);
	return ok;
}

int ethtool_message_fec(struct nlmsghdr *h, struct ethtool_fec *ret)
{
	static const struct nla_policy policy[ETHTOOL_A_FEC_MAX + 1] = {
		[ETHTOOL_A_FEC_ACTIVE] = { .type = NLA_U32 },
		[ETHTOOL_A_FEC_AUTO] = { .type = NLA_U8 },
	};
	struct nlattr *a[ETHTOOL_A_FEC_MAX + 1];
	struct ethtool_fec fec = { 0 };
	int rc = attributes(h, ETHTOOL_MSG_FEC_GET_REPLY, ETHTOOL_A_FEC_MAX,
			    policy, a);

	if (rc < 0)
		return rc;
	fec.active_bit = u32_of(a[ETHTOOL_A_FEC_ACTIVE]);
	fec.automatic = u8_of(a[ETHTOOL_A_FEC_AUTO], 0) != 0;
	if (a[ETHTOOL_A_FEC_STATS] &&
	    !fec_stats_read(a[ETHTOOL_A_FEC_STATS], &fec))
		return -EBADMSG;
	*ret = fec;
	return 0;
}

int ethtool_message_settings(struct nlmsghdr *h, struct ethtool_settings *ret)
{
	static const struct nla_policy policy[ETHTOOL_A_LINKMODES_MAX + 1] = {
		[ETHTOOL_A_LINKMODES_SPEED] = { .type = NLA_U32 },
		[ETHTOOL_A_LINKMODES_LANES] = { .type = NLA_U32 },
	};
	struct nlattr *a[ETHTOOL_A_LINKMODES_MAX + 1];
	int rc = attributes(h, ETHTOOL_MSG_LINKMODES_GET_REPLY,
			    ETHTOOL_A_LINKMODES_MAX, policy, a);

	if (rc < 0)
		return rc;
	ret->speed_mbps = u32_of(a[ETHTOOL_A_LINKMODES_SPEED]);
	ret->lanes = u32_of(a[ETHTOOL_A_LINKMODES_LANES]);
	if (ret->speed_mbps == (uint32_t)SPEED_UNKNOWN)
		ret->speed_mbps = 0;
	if (ret->lanes > LANES_CREDIBLE_MAX)
		ret->lanes = 0;
	return 0;
}

int ethtool_message_state(struct nlmsghdr *h, struct ethtool_state *ret)
{
	static const struct nla_policy policy[ETHTOOL_A_LINKSTATE_MAX + 1] = {
		[ETHTOOL_A_LINKSTATE_LINK] = { .type = NLA_U8 },
		[ETHTOOL_A_LINKSTATE_EXT_STATE] = { .type = NLA_U8 },
		[ETHTOOL_A_LINKSTATE_EXT_SUBSTATE] = { .type = NLA_U8 },
	};
	struct nlattr *a[ETHTOOL_A_LINKSTATE_MAX + 1];
	int rc = attributes(h, ETHTOOL_MSG_LINKSTATE_GET_REPLY,
			    ETHTOOL_A_LINKSTATE_MAX, policy, a);

	if (rc < 0)
		return rc;
	ret->is_up = u8_of(a[ETHTOOL_A_LINKSTATE_LINK], 0) != 0;
	ret->ext_state = u8_of(a[ETHTOOL_A_LINKSTATE_EXT_STATE], -1);
	ret->ext_substate = u8_of(a[ETHTOOL_A_LINKSTATE_EXT_SUBSTATE], -1);
	return 0;
}

/* An attribute of four octets or of one, which is padded to four. */
struct small_attribute {
	struct nlattr head;
	uint32_t value;
};

static struct small_attribute attribute_u32(uint16_t type, uint32_t value)
{
	return (struct small_attribute){
		{ NLA_HDRLEN + sizeof(value), type }, value };
}

static struct small_attribute attribute_u8(uint16_t type, uint8_t value)
{
	struct small_attribute a = { { NLA_HDRLEN + sizeof(value), type }, 0 };

	memcpy(&a.value, &value, sizeof(value));
	return a;
}

size_t ethtool_message_request(uint8_t command, uint8_t header_attribute,
			       int ifindex, uint32_t flags, void *ret,
			       size_t room)
{
	const struct {
		struct genlmsghdr head;
		struct nlattr nest;
		struct small_attribute index, flags;
	} request = {
		.head = { .cmd = command, .version = ETHTOOL_GENL_VERSION },
		.nest = { sizeof(request) - sizeof(request.head),
			  (uint16_t)(header_attribute | NLA_F_NESTED) },
		.index = attribute_u32(ETHTOOL_A_HEADER_DEV_INDEX,
				       (uint32_t)ifindex),
		.flags = attribute_u32(ETHTOOL_A_HEADER_FLAGS, flags),
	};

	if (room < sizeof(request))
		return 0;
	memcpy(ret, &request, sizeof(request));
	return sizeof(request);
}

size_t ethtool_message_eeprom_request(int ifindex,
				      const struct ethtool_octets *want,
				      void *ret, size_t room)
{
	const struct {
		struct genlmsghdr head;
		struct nlattr nest;
		struct small_attribute index, offset, len, page, bank, address;
	} request = {
		.head = { .cmd = ETHTOOL_MSG_MODULE_EEPROM_GET,
			  .version = ETHTOOL_GENL_VERSION },
		.nest = { NLA_HDRLEN + sizeof(struct small_attribute),
			  ETHTOOL_A_MODULE_EEPROM_HEADER | NLA_F_NESTED },
		.index = attribute_u32(ETHTOOL_A_HEADER_DEV_INDEX,
				       (uint32_t)ifindex),
		.offset = attribute_u32(ETHTOOL_A_MODULE_EEPROM_OFFSET,
					want->offset),
		.len = attribute_u32(ETHTOOL_A_MODULE_EEPROM_LENGTH,
				     want->len),
		.page = attribute_u8(ETHTOOL_A_MODULE_EEPROM_PAGE, want->page),
		.bank = attribute_u8(ETHTOOL_A_MODULE_EEPROM_BANK, want->bank),
		.address = attribute_u8(ETHTOOL_A_MODULE_EEPROM_I2C_ADDRESS,
					want->address),
	};

	if (room < sizeof(request))
		return 0;
	memcpy(ret, &request, sizeof(request));
	return sizeof(request);
}

int ethtool_message_eeprom(struct nlmsghdr *h, void *ret, size_t len)
{
	struct nlattr *a[ETHTOOL_A_MODULE_EEPROM_MAX + 1];
	const struct nlattr *data;
	int rc = attributes(h, ETHTOOL_MSG_MODULE_EEPROM_GET_REPLY,
			    ETHTOOL_A_MODULE_EEPROM_MAX, NULL, a);

	if (rc < 0)
		return rc;
	data = a[ETHTOOL_A_MODULE_EEPROM_DATA];
	if (!data)
		return -EBADMSG;
	if ((size_t)nla_len(data) != len)
		return -ENODATA;
	memcpy(ret, nla_data(data), len);
	return 0;
}

static enum fec_mode rs_mode(const struct ethtool_settings *s, bool *ret_sure)
{
	*ret_sure = s->lanes > 0 || s->speed_mbps >= FEC_KP4_ONLY_MBPS;
	return (enum fec_mode)fec_mode_parse("rs", s->speed_mbps, s->lanes);
}

int ethtool_message_fec_mode(const struct ethtool_fec *fec,
			     const struct ethtool_settings *settings,
			     enum fec_mode *ret, bool *ret_sure)
{
	*ret_sure = true;
	switch (fec->active_bit) {
	case ETHTOOL_LINK_MODE_FEC_NONE_BIT:
		*ret = FEC_NONE;
		return 0;
	case ETHTOOL_LINK_MODE_FEC_BASER_BIT:
		*ret = FEC_FC;
		return 0;
	case ETHTOOL_LINK_MODE_FEC_LLRS_BIT:
		*ret = FEC_RS272;
		return 0;
	case ETHTOOL_LINK_MODE_FEC_RS_BIT:
		*ret = rs_mode(settings, ret_sure);
		return 0;
	default:
		*ret = FEC_AUTO;
		return fec->automatic ? 0 : -ENODATA;
	}
}

/* substate -1: any. States that are not listed mean just "no carrier". Source:
 * linux/ethtool.h, enum ethtool_link_ext_state and its substates.
 */
static const struct ext_row {
	int state, substate;
	enum down_reason reason;
} ext_rows[] = {
	{ ETHTOOL_LINK_EXT_STATE_NO_CABLE, -1, DOWN_NO_MODULE },
	{ ETHTOOL_LINK_EXT_STATE_AUTONEG,
	  ETHTOOL_LINK_EXT_SUBSTATE_AN_FEC_MISMATCH_DURING_OVERRIDE,
	  DOWN_FEC_MISMATCH },
	{ ETHTOOL_LINK_EXT_STATE_AUTONEG,
	  ETHTOOL_LINK_EXT_SUBSTATE_AN_NO_HCD, DOWN_SPEED_MISMATCH },
	{ ETHTOOL_LINK_EXT_STATE_LINK_TRAINING_FAILURE,
	  ETHTOOL_LINK_EXT_SUBSTATE_LT_REMOTE_FAULT, DOWN_MAC_REMOTE_FAULT },
	{ ETHTOOL_LINK_EXT_STATE_LINK_TRAINING_FAILURE, -1, DOWN_TRAINING },
	{ ETHTOOL_LINK_EXT_STATE_LINK_LOGICAL_MISMATCH,
	  ETHTOOL_LINK_EXT_SUBSTATE_LLM_PCS_DID_NOT_ACQUIRE_AM_LOCK,
	  DOWN_FEC_ALIGNMENT_LOSS },
	{ ETHTOOL_LINK_EXT_STATE_LINK_LOGICAL_MISMATCH,
	  ETHTOOL_LINK_EXT_SUBSTATE_LLM_PCS_DID_NOT_GET_ALIGN_STATUS,
	  DOWN_FEC_ALIGNMENT_LOSS },
	{ ETHTOOL_LINK_EXT_STATE_LINK_LOGICAL_MISMATCH,
	  ETHTOOL_LINK_EXT_SUBSTATE_LLM_FC_FEC_IS_NOT_LOCKED,
	  DOWN_FEC_SYNC_LOSS },
	{ ETHTOOL_LINK_EXT_STATE_LINK_LOGICAL_MISMATCH,
	  ETHTOOL_LINK_EXT_SUBSTATE_LLM_RS_FEC_IS_NOT_LOCKED,
	  DOWN_FEC_SYNC_LOSS },
	{ ETHTOOL_LINK_EXT_STATE_BAD_SIGNAL_INTEGRITY,
	  ETHTOOL_LINK_EXT_SUBSTATE_BSI_LARGE_NUMBER_OF_PHYSICAL_ERRORS,
	  DOWN_HIGH_BER },
	{ ETHTOOL_LINK_EXT_STATE_BAD_SIGNAL_INTEGRITY,
	  ETHTOOL_LINK_EXT_SUBSTATE_BSI_SERDES_ALOS, DOWN_SIGNAL_LOCAL },
};

enum down_reason ethtool_message_down_reason(const struct ethtool_state *s)
{
	for (size_t i = 0; i < sizeof(ext_rows) / sizeof(ext_rows[0]); i++) {
		const struct ext_row *row = &ext_rows[i];

		if (row->state == s->ext_state &&
		    (row->substate == -1 || row->substate == s->ext_substate))
			return row->reason;
	}
	return DOWN_NO_CARRIER;
}
