/* Payloads of all other records: a kind, then octets. */
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "agent/record/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void ports(const struct finding *f)
{
	const char *port = finding_port(f, NULL);
	unsigned n = 0;

	for (; port; port = finding_port(f, port), n++) {
		assert(memchr(port, '\0', (size_t)(f->ports + sizeof(f->ports) -
						   port)));
		assert(strlen(port) < ENTITY_NAME_MAX);
	}
	assert(n == f->ports_kept && n <= FINDING_PORTS_MAX);
	assert(n <= f->port_count);
}

static void finding(const ProtobufCMessage *m)
{
	struct finding f;

	if (finding_of_message((const Petrel__Finding *)m, &f) < 0)
		return;
	assert(strlen(f.id) == FINDING_ID_LEN);
	assert(signature_name(f.signature) && action_name(f.action));
	assert(strlen(f.cause) < sizeof(f.cause));
	assert(f.evidence_count <= FINDING_EVIDENCE_MAX);
	assert(f.action_count <= FINDING_ACTIONS_MAX);
	assert(f.into[0] == '\0' || strlen(f.into) == FINDING_ID_LEN);
	ports(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	ProtobufCMessage *m = NULL;
	int rc;

	if (len == 0)
		return 0;
	rc = record_unpack(data[0], data + 1, len - 1, &m);
	assert(rc == 0 || rc == -EBADMSG || rc == -ENOMEM);
	if (rc == 0 && data[0] == RECORD_FINDING)
		finding(m);
	if (rc == 0)
		record_unpacked_free(m);
	return 0;
}
