/* Which object a label of a template stands for: the lists object_names and
 * object_ids of a session's row.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "platform/sonic/switchdb/topology.h"

/* A value of the database, which may hold any octet. */
struct hft_octets {
	char *data;
	size_t len, cap;
};

/* Which object a label stands for: what a session's row says. */
struct hft_label {
	uint16_t label;
	char name[OBJECT_NAME_MAX];	/* Ethernet0, Ethernet0|3, a pool */
};

struct hft_labels {
	struct hft_label *list;		/* in order of the labels */
	size_t count;
};

/* Which label is which object, in order of labels. The list is the caller's
 * to free. Returns -ENOMEM, or -EINVAL with d where names and ids do not match.
 */
int hft_labels_parse(const struct hft_octets *names,
		     const struct hft_octets *ids, struct hft_labels *ret,
		     struct diag *d);
