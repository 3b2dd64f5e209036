/* The light that each lane usually gets, the loss, and how it came: at once or
 * slowly, and whether light is steady since.
 *
 * Learns while nothing is wrong, and hardly from a lane that lost light.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/signature/fec.h"
#include "agent/signature/front.h"
#include "agent/signature/port.h"

struct kept;

#define LIGHT_DROP_DB 0.3f	/* less is no loss */
#define LIGHT_WORSE_DB 1.0f	/* clean plugs hardly differ so much: chosen */

#define LIGHT_SHAKY 2.5f	/* times the steps of a quiet lane: it moves */
#define LOSS_STANDS 48		/* readings, until a slow loss is surely not
				 * light that comes and goes */

/* How light was lost. */
enum fall { FALL_UNCLEAR, FALL_AT_ONCE, FALL_SLOWLY };

/* Did somebody plug just before? A link that fell for a moment may have fallen
 * of the loss. Mended: light came back at once, but for a part of the loss.
 */
enum touch { TOUCH_NONE, TOUCH_UNCLEAR, TOUCH_PLUGGED, TOUCH_MENDED };
#define LIGHT_AWAITS 0x80	/* in touch: another module came, and this lane
				 * was not read yet */

struct light_lane {
	float usual_dbm;		/* NAN until it was read */
	float last_dbm;			/* of the last reading … */
	float now_dbm;			/* … and of the last few */
	float step2;			/* mean square of the steps between
					 * readings without a loss, dB^2 */
	float jump_db;			/* most lost in one reading */
	float settled_db;		/* the loss a few readings later */
	float drift_db;			/* mean of the steps after it settled */
	float shaky2;			/* … their variance: light that fades
					 * evenly is not shaky */
	uint16_t since;			/* readings since it lost light; 0 */
	uint8_t fall;			/* enum fall, as far as it shows; kept
					 * until it shows otherwise */
	uint8_t touch;			/* enum touch; LIGHT_AWAITS */
	bool again;			/* fell in a second step */
};

struct light {
	struct mono t;			/* of the last reading taken in */
	struct mono fell_at;		/* when a lane that had lost nothing
					 * last fell at once; ns 0: never */
	float lost_db, most_db;		/* of the worst lane: over the last few
					 * readings; most since it came back */
	uint16_t readings;		/* learned from */
	uint16_t stood;			/* readings since it was lost */
	uint16_t whole;			/* since none is lost, in 8 s */
	uint8_t returns;		/* times that it came back by itself,
					 * until it was whole for long */
	uint8_t doubted;		/* lanes whose last reading was far off:
					 * the next one tells */
	float errors, errors_before;	/* decades above normal when light was
					 * last whole; a reading earlier */
	struct light_lane lane[PORT_LANES_MAX];
};

/* dBm of picowatts; of none as of one. */
static inline double light_dbm(int64_t pw)
{
	return 10 * fec_log10((double)(pw > 1 ? pw : 1) / 1e9);
}

/* No lane is known yet. */
void light_start(struct light *l);
/* A reading while the link is up; learns only while nothing is wrong. errors:
 * decades above normal, of the last window. True: lost light came back while
 * the link was down, and what each lane has now is usual.
 */
bool light_take(struct light *l, const struct front *f,
		const struct inputs *k, bool quiet, double errors);

/* The link was down, and comes up with far less light than a plug loses that
 * is put in again.
 */
bool light_is_worse(const struct light *l, struct mono up_since);
/* The link was down, and its errors are harmless since: the little light that
 * a plug loses when it is put in again is no loss.
 */
void light_replugged(struct light *l, struct mono up_since);

/* So much light is lost that another module shows it too, if it is the fibre's:
 * no two modules measure alike.
 */
bool light_may_stay(const struct light *l);
/* Another module came: its first reading with the link up is compared with the
 * old one's.
 */
void light_swapped(struct light *l);
/* That reading has not come yet. */
bool light_awaits(const struct light *l);

/* Which lanes lost how much. */
struct light_drop {
	bool known;
	unsigned lanes_known;
	uint8_t lanes;			/* those that lost LIGHT_DROP_DB */
	float worst_db;			/* positive: lost */
	float lost_db[PORT_LANES_MAX];	/* 0 where it is not known */
	uint8_t read;			/* lanes that are known */
	enum fall fall;			/* of most of the loss */
	unsigned stood;			/* readings since it was lost */
	unsigned returns;		/* light that was lost came back by
					 * itself so often */
	enum touch touch;
	bool relaxed;			/* lost at once, and a little of it came
					 * back since */
	float shaky;			/* how much more readings differ since,
					 * on the lanes that lost; 0: too few
					 * readings to tell */
};

/* What each lane lost against its usual level. */
void light_drop(const struct light *l, struct light_drop *ret);

/* What lanes lost slowly since, while others keep what was lost at once: two
 * losses. false: it is one.
 */
bool light_drop_since(const struct light *l, struct light_drop *ret);

/* What is kept over a restart (kept.h). */
extern const struct kept light_kept;
