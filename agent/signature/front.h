/* The first step for each reading: turns raw counters and gauges of one port
 * into steps, edges and plausible optics.
 *
 * Repeated and older readings go no further. A module's reading that cannot
 * be true (a hung bus, all ones) never reaches a detector; it is counted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/base/counter.h"
#include "agent/signature/port.h"
#include "petrel/clock.h"

struct kept;

#define FRONT_SETTLE_NS (30 * NS_PER_S)	/* after a drop: not looked at */
#define FRONT_JUST_FELL_NS (15 * NS_PER_S)
#define FRONT_STAYS_NS (60 * NS_PER_S)	/* down so long: no short fall */
#define FRONT_HOURS 24

/* What detectors need, and when it was last seen. */
enum need {
	NEED_LINK,		/* operational state */
	NEED_LINK_COUNT,	/* the driver's count of drops */
	NEED_BER,
	NEED_TEMP,
	NEED_LIGHT,		/* received power */
	NEED_BIAS,		/* lasers' current and power */
	NEED_LOST,		/* uncorrectable codewords */
	NEED_SERIAL,		/* of the module */
	NEED_DOWN_CAUSE,	/* a reason, or loss-of-signal flags */
	NEED_BASELINE,		/* what is normal has been learned */
	NEED_COUNT,
};

enum link_is { LINK_IS_UNKNOWN, LINK_IS_DOWN, LINK_IS_UP };

/* The light from the far end of a link that is down, or was a moment ago; only
 * from readings of the module since the link fell.
 */
enum far_light { FAR_LIGHT_UNREAD, FAR_LIGHT_NONE, FAR_LIGHT_THERE };

/* What each reading looks at comes first, as it costs cache lines. */
struct front {
	/* Of the newest reading. */
	struct mono t;
	int64_t dt_ns;		/* since the one before; 0 at the first */
	unsigned drops;		/* falling edges in it, not by admin */
	bool rose;
	bool module_changed;	/* another one than before */
	bool blinked;		/* it is back, and nobody had it out */
	bool dom_good;		/* a new, believable reading of the module */
	/* Kept. */
	bool started, was_up, admin_down, module_absent;
	bool errors_counted;	/* read, perhaps not measured yet: NEED_BER */
	enum link_is link;
	unsigned edges_uncounted;	/* seen before the driver's count */
	uint32_t dom_bad;	/* readings refused */
	uint8_t far_light;	/* enum far_light */
	bool has_bias;		/* the module has reported bias current … */
	bool has_sent;		/* … and light that it sends */
	bool awaits_new;	/* another module came, not yet read */
	bool unlit;		/* copper: no light comes */
	bool dom_same;		/* the newest reading is as the one before */
	uint16_t dom_sum;	/* of all values of the last reading */
	int64_t period_ns;	/* usual time between readings */
	struct mono quiet_from;
	struct mono hour;	/* begin of the present one */
	struct counter down_count;
	struct mono seen[NEED_COUNT];	/* ns INT64_MIN: never */
	char serial[24];
	float temp_c;		/* last believable; NAN */
	float temp_doubted_c;	/* a jump that is not yet confirmed; NAN */
	struct mono dom_t;	/* of the last believable reading */
	struct mono down_since;
	struct mono turned_at;	/* up or down; ns INT64_MIN: not seen */
	struct mono out_from;	/* the last reading before the module was last
				 * missing … */
	struct mono absent_at;	/* … and the last in which it was, for so long
				 * that somebody may have taken it out */
	struct mono changed_at;	/* another module came; ns INT64_MIN: never */
	uint16_t drops_by_hour[FRONT_HOURS];	/* the present one first */
};

/* A port of which nothing was read yet. */
void front_start(struct front *f);

/* Returns false when the reading is no newer than the one before. */
bool front_take(struct front *f, const struct inputs *k);

/* Lanes without light, by the module's limit where it is known: bits. */
unsigned front_lanes_dark(const struct port_facts *facts,
			  const struct inputs *k);
/* The link went down, and stays so; a fall that ends is not told each time. */
static inline bool front_stays_down(const struct front *f)
{
	return f->link == LINK_IS_DOWN && !f->admin_down &&
	       mono_diff_ns(f->t, f->down_since) > FRONT_STAYS_NS;
}

/* An interval that ends with this reading is free of drops and their
 * aftermath.
 */
static inline bool front_settled_for(const struct front *f, int64_t ns)
{
	return f->link != LINK_IS_DOWN && f->t.ns - ns >= f->quiet_from.ns;
}

/* … that since the reading before. */
static inline bool front_settled(const struct front *f)
{
	return front_settled_for(f, f->dt_ns);
}

/* The link fell or rose, or it fell just now and the module was read: light
 * that came, or did not, tells nothing any more once the link is up.
 */
static inline bool front_turned(const struct front *f)
{
	return f->drops || f->rose ||
	       (f->link == LINK_IS_DOWN && f->dom_good &&
		f->t.ns - f->down_since.ns < FRONT_JUST_FELL_NS);
}

#define FRONT_WARM_UP_NS (1800 * NS_PER_S)	/* a new module, from cold */

/* Another module came so short ago that its temperature is not its usual one.
 */
static inline bool front_warms_up(const struct front *f)
{
	return f->changed_at.ns != INT64_MIN &&
	       f->t.ns - f->changed_at.ns < FRONT_WARM_UP_NS;
}

#define FRONT_RESEAT_NS (10 * NS_PER_S)	/* nobody reseats a module faster */

/* The link came up, and while it was down the module was out of its cage: it
 * has a new contact. One that opens for a moment also looks as if it were out.
 */
static inline bool front_reseated(const struct front *f)
{
	return f->rose && f->absent_at.ns >= f->down_since.ns &&
	       mono_diff_ns(f->t, f->down_since) >= FRONT_RESEAT_NS;
}

/* Part of front_light_take(): the link is down, or was a moment ago. */
void front_light_read(struct front *f, const struct port_facts *facts,
		      const struct inputs *k);

/* After front_take(): into far_light. */
static inline void front_light_take(struct front *f,
				    const struct port_facts *facts,
				    const struct inputs *k)
{
	if (front_settled(f))
		f->far_light = FAR_LIGHT_UNREAD;
	else
		front_light_read(f, facts, k);
}

/* Module temperature, NAN when not read for ten minutes. */
double front_temp_c(const struct front *f);

/* Falling edges of the last hours, the present one included, to FRONT_HOURS. */
unsigned front_drops_in(const struct front *f, unsigned hours);

/* … of the last day. */
static inline unsigned front_drops_24h(const struct front *f)
{
	return front_drops_in(f, FRONT_HOURS);
}

/* Another module is said to be in the cage: what it is, is not read yet. */
void front_swapped(struct front *f);

/* The counters will restart: somebody cleared them. */
void front_counters_cleared(struct front *f);
/* The switch restarted: that the link was down meanwhile is no fall. */
void front_restarted(struct front *f);

/* What is kept over a restart (kept.h). */
extern const struct kept front_kept, counter_kept;
