/* Lines of a trace, as petrel replay reads them: the first octet says whether
 * it is one of PORTS; of SAMPLES, lines go on through order in time and the
 * detectors.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/ctl/timeline.h"
#include "agent/ctl/trace_read.h"
#include "agent/signature/engine.h"

#define LINES_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_finding(void *context, const struct finding *f)
{
	(void)context;
	if (!f->id[0] || !f->subject[0] || f->severity >= SEVERITY_COUNT ||
	    !f->severity || !signature_name(f->signature))
		abort();
}

static void samples(const char *text, size_t len)
{
	struct timeline line = { 0 };
	struct timeline_port place = { 0 };
	struct port_facts facts = { .name = "E", .lanes = 4, .fec = FEC_RS544,
				    .speed_mbps = 400000 };
	struct trace_sample s;
	struct engine *e;
	struct diag d;
	uint32_t port;

	if (engine_new(1, "fuzz", on_finding, NULL, &e) < 0)
		return;
	if (engine_port(e, &facts, &port) < 0)
		abort();
	for (int i = 0; i < LINES_MAX && len > 0; i++) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		if (trace_sample_read(text, n, &s, &d) == 0 && !s.is_event &&
		    timeline_place(&line, &place, &s) == 0)
			engine_reading(e, port, &s.tick,
				       (struct wall){ s.ts_ns });
		n += end != NULL;
		text += n;
		len -= n;
	}
	engine_free(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct port_facts facts;
	struct diag d;

	if (size == 0)
		return 0;
	if (data[0] == 'P')
		(void)trace_port_read((const char *)data + 1, size - 1, &facts,
				      &d);
	else
		samples((const char *)data + 1, size - 1);
	return 0;
}
