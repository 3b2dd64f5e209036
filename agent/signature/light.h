/* What light each lane usually gets, and how much is missing now. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/signature/front.h"
#include "agent/signature/port.h"

struct light {
	uint8_t known;			/* bit n: lane n+1 has a usual level */
	uint16_t readings;
	struct mono t;			/* of the last reading taken in */
	float usual_dbm[PORT_LANES_MAX];
	float now_dbm[PORT_LANES_MAX];
};

/* Which lanes lost how much. */
struct light_drop {
	bool known;
	unsigned lanes_known;
	uint8_t lanes;			/* those that lost LIGHT_DROP_DB */
	float worst_db;			/* positive: lost */
};

#define LIGHT_DROP_DB 0.3f

/* No lane is known. */
void light_start(struct light *l);
/* A reading; learns only while nothing is wrong. */
void light_take(struct light *l, const struct front *f,
		const struct inputs *k, bool quiet);

/* What each lane lost against its usual level. */
void light_drop(const struct light *l, struct light_drop *ret);
