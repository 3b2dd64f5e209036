#include "agent/signature/loss.h"

#define LEAST_DB 0.15		/* below this none is sure … */
#define SURE_DB 0.5		/* … and from here on there is one */
#define FIT_DECADES 0.45	/* of the errors, by the loss; noise of both */

const struct need_row loss_needs[LOSS_NEEDS] = {
	{ NEED_BER, true, "errors are not counted: light alone is not judged "
	  "yet", "FEC counters of the port" },
	{ NEED_LIGHT, true, "received light is not read", "a module with DOM" },
};

const char loss_limit[] = "it is told when errors grow with it: a loss of "
			  "light without errors is not told yet";

bool loss_applies(const struct port_facts *facts, const char **ret_why)
{
	if (!facts->media_known || facts->optical)
		return true;
	*ret_why = "copper has no light";
	return false;
}

/* Causes that lose light nearly all show a drop, others seldom; and a loss that
 * does not make the errors is not their cause. Shares are chosen.
 */
bool loss_weigh(const struct measures *m, double *ret_nats)
{
	double sure = loss_sure(m), miss;

	if (m->copper)
		return false;
	if (!m->has_light)
		return true;
	miss = (m->raw - m->explained) / FIT_DECADES;
	*ret_nats += (1 - sure) * nats_of(.04, .96) +
		     sure * nats_held(nats_of(.95, .04) + 1 - miss * miss / 2);
	return true;
}

bool loss_is_of_some(const struct measures *m)
{
	return (unsigned)__builtin_popcount(m->drop.lanes) <
	       m->drop.lanes_known;
}

double loss_sure(const struct measures *m)
{
	double sure = ((double)m->drop.worst_db - LEAST_DB) /
		      (SURE_DB - LEAST_DB);

	return !m->has_light || sure < 0 ? 0 : sure > 1 ? 1 : sure;
}

double loss_fall(const struct measures *m, struct fall_shares mine,
		 struct fall_shares others)
{
	switch (m->drop.fall) {
	case FALL_AT_ONCE:
		return nats_of(mine.at_once, others.at_once);
	case FALL_SLOWLY:
		return nats_of(mine.slowly, others.slowly);
	case FALL_UNCLEAR:
		break;
	}
	return 0;
}
