/* What is said of errors that grew while their cause has no name. */
#pragma once

#include "agent/signature/detector.h"

struct sight {
	const char *words;
	enum fault_end end;
	enum action action;
	enum cause_id cause_id;
};

/* By what the light has done; named_from: readings from then on say why. */
const struct sight *sight_of(const struct port_view *v,
			     const struct light_drop *drop,
			     struct mono named_from);
