#include "agent/signature/detector.h"

#include <stdio.h>

size_t detectors(const struct detector *const **ret)
{
	static const struct detector *const table[] = {
		&loose_module_detector,
		&fec_trend_detector,
		&light_loss_detector,
		&fec_uncorrectable_detector,
		&tx_decay_detector,
		&lane_apart_detector,
		&sensor_fault_detector,
		&module_changed_detector,
		&flap_burst_detector,
		&link_down_detector,
	};

	*ret = table;
	return sizeof(table) / sizeof(table[0]);
}

void evidence_add(struct finding *f, const char *name, double value)
{
	struct evidence *e;

	if (f->evidence_count == FINDING_EVIDENCE_MAX)
		return;
	e = &f->evidence[f->evidence_count++];
	(void)snprintf(e->name, sizeof(e->name), "%s", name);
	e->value = value;
}
