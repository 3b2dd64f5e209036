/* The answers of ethtool netlink about one interface.
 *
 * Reads one generic netlink message; keeps nothing. Source: Linux,
 * Documentation/networking/ethtool-netlink.rst.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/link.h"

#define ETHTOOL_MESSAGE_LANES_MAX 8u

struct nlmsghdr;

/* A counter as the kernel gives it: the sum, and by lane if known. */
struct ethtool_counter {
	bool known;
	uint64_t total;
	unsigned lanes;			/* how many of lane[] */
	uint64_t lane[ETHTOOL_MESSAGE_LANES_MAX];
};

struct ethtool_fec {
	uint32_t active_bit;		/* ETHTOOL_LINK_MODE_FEC_…; 0 unknown */
	bool automatic;
	struct ethtool_counter corrected, uncorrectable;	/* blocks */
	struct ethtool_counter corrected_bits;
};

struct ethtool_settings {
	uint32_t speed_mbps;		/* 0 unknown */
	uint32_t lanes;			/* 0 unknown */
};

struct ethtool_state {
	bool is_up;
	int ext_state, ext_substate;	/* ETHTOOL_LINK_EXT_…; -1 none */
};

/* The answer to ETHTOOL_MSG_FEC_GET. Returns 0, -ENOMSG for an answer to
 * another question, -EBADMSG if the message is malformed.
 */
int ethtool_message_fec(struct nlmsghdr *h, struct ethtool_fec *ret);

/* The same for ETHTOOL_MSG_LINKMODES_GET. */
int ethtool_message_settings(struct nlmsghdr *h, struct ethtool_settings *ret);

/* The same for ETHTOOL_MSG_LINKSTATE_GET. */
int ethtool_message_state(struct nlmsghdr *h, struct ethtool_state *ret);

/* The body of a request about one interface: command is ETHTOOL_MSG_…_GET,
 * flags ETHTOOL_FLAG_…. Returns its length; room 64 is enough.
 */
size_t ethtool_message_request(uint8_t command, uint8_t header_attribute,
			       int ifindex, uint32_t flags, void *ret,
			       size_t room);

/* Octets of a module's memory that do not cross a page: length from offset (0
 * to 127 lower, 128 to 255 the page).
 */
struct ethtool_octets {
	uint8_t address;		/* on its bus: 50h, 51h */
	uint8_t bank, page, offset, len;
};

/* The body of an ETHTOOL_MSG_MODULE_EEPROM_GET; room 96 is enough. */
size_t ethtool_message_eeprom_request(int ifindex,
				      const struct ethtool_octets *want,
				      void *ret, size_t room);

/* Its answer: len octets into ret. Returns 0, -ENOMSG, -EBADMSG; -ENODATA for
 * another number of octets.
 */
int ethtool_message_eeprom(struct nlmsghdr *h, void *ret, size_t len);

/* The mode in use. "RS" of ethtool is two codes: from 50 Gb/s a lane on it is
 * RS(544,514). *ret_sure: false if the lanes are unknown and the speed alone
 * decided. Returns -ENODATA if no mode is in use yet.
 */
int ethtool_message_fec_mode(const struct ethtool_fec *fec,
			     const struct ethtool_settings *settings,
			     enum fec_mode *ret, bool *ret_sure);

/* Why the link is down; DOWN_NO_CARRIER if the kernel gives no other reason. */
enum down_reason ethtool_message_down_reason(const struct ethtool_state *s);
