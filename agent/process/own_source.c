#include "agent/process/own_source.h"

#include "agent/base/ring.h"
#include "agent/process/control.h"
#include "agent/query/coverage.h"
#include "petrel/finding.h"

#define SEEN_NS (60 * NS_PER_S)

static const struct platform_source self_source = {
	.abi = PLATFORM_ABI, .size = sizeof(self_source), .name = "self",
	.help = "Petrel's own cost", .period_ms = 1000 };
static const struct platform_source signature_source = {
	.abi = PLATFORM_ABI, .size = sizeof(signature_source),
	.name = "signature", .help = "computed from other sources",
	.period_ms = 1000 };
static const struct platform_source *const self_sources[] = {
	[OWN_COST] = &self_source, [OWN_SIGNATURE] = &signature_source,
	NULL };
const struct platform_driver own_driver = {
	.abi = PLATFORM_ABI, .size = sizeof(own_driver), .name = "petrel",
	.sources = self_sources };

/* A source part of its own, for it is computed only once a minute. */
static void seen_give(struct own_source *s, const struct own_values *v,
		      struct mono now)
{
	static const struct { enum quantity quantity; enum watch watch; }
	states[] = {
		{ Q_SELF_ARMED_PORTS, WATCH_ARMED },
		{ Q_SELF_LIMITED_PORTS, WATCH_LIMITED },
		{ Q_SELF_BLIND_PORTS, WATCH_BLIND },
	};
	struct read_group age = { .taken = now, .part = 1 };
	unsigned ports[WATCH_COUNT];

	s->seen = now;
	s->host.group(s->host.context, OWN_COST, ENTITY_NONE, &age);
	for (unsigned n = 1; n < SIGNATURE_SWITCH_SILENT; n++) {
		coverage_ports(v->query, (enum signature)n, ports);
		for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
			s->host.sample(s->host.context, states[i].quantity, n,
				       ports[states[i].watch], QUALITY_GOOD);
	}
}

void own_source_give(struct own_source *s, const struct own_values *v,
		     struct mono now)
{
	const struct platform_host *h = &s->host;
	struct read_group age = { .taken = now };

	if (mono_diff_ns(now, s->given) <
	    self_source.period_ms * NS_PER_MS - v->interval_ns / 2)
		return;
	s->given = now;
	h->group(h->context, OWN_COST, ENTITY_NONE, &age);
	for (unsigned r = 0; r < ROLE_COUNT; r++) {
		const struct control_process *p = &v->control->process[r];

		if (atomic_load(&p->is_off))
			continue;
		h->sample(h->context, Q_SELF_CPU_NS, r,
			  atomic_load(&p->cpu_ns), QUALITY_GOOD);
		h->sample(h->context, Q_SELF_MEMORY_OCTETS, r,
			  atomic_load(&p->memory_octets), QUALITY_GOOD);
	}
	for (unsigned n = 0; n < STREAM_COUNT; n++) {
		const struct ring *ring = v->rings->ring[n];

		h->sample(h->context, Q_SELF_DROPPED_RECORDS, n,
			  (int64_t)ring_dropped(ring), QUALITY_GOOD);
		h->sample(h->context, Q_SELF_QUEUED_RECORDS, n,
			  (int64_t)(ring_next(ring) - 1 - ring_acked(ring, 0)),
			  QUALITY_GOOD);
	}
	h->sample(h->context, Q_SELF_LATE_TICKS, 0, (int64_t)v->late_ticks,
		  QUALITY_GOOD);
	h->sample(h->context, Q_SELF_SLOWED_STEPS, 0, v->slowed,
		  QUALITY_GOOD);
	h->sample(h->context, Q_SELF_VALUES, 0,
		  (int64_t)v->values, QUALITY_GOOD);
	if (mono_diff_ns(now, s->seen) >= SEEN_NS || s->seen.ns == 0)
		seen_give(s, v, now);
	h->source(h->context, OWN_COST, SOURCE_FRESH, 0, NULL);
	h->source(h->context, OWN_SIGNATURE, SOURCE_FRESH, 0, NULL);
}
