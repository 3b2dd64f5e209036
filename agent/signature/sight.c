#include "agent/signature/sight.h"

#define YOUNG_READINGS 48	/* of a loss: it has no name yet (loss.c) */

enum sight_kind { SIGHT_FLAT, SIGHT_NOT_SINCE, SIGHT_NO_LIGHT_READ,
		  SIGHT_UNSURE, SIGHT_YOUNG, SIGHT_COPPER };

static const struct sight sights[] = {
	[SIGHT_FLAT] = { "received light is steady: receiver, far transmitter "
			 "or reflections, not loss", END_NEAR,
			 ACTION_RESEAT_NEAR, CAUSE_NOT_LOSS },
	[SIGHT_NOT_SINCE] = { "light was not read since, so the cause is not "
			      "known yet", END_PATH, ACTION_OBSERVE,
			      CAUSE_LIGHT_NOT_READ_SINCE },
	[SIGHT_NO_LIGHT_READ] = { "received light is not read, so loss and "
				  "electronics cannot be told apart", END_PATH,
				  ACTION_CHECK_PEER, CAUSE_LIGHT_NOT_READ },
	[SIGHT_UNSURE] = { "received light fell too, and more than one cause fits",
			   END_PATH, ACTION_CLEAN_NEAR,
			   CAUSE_MORE_THAN_ONE_FITS },
	[SIGHT_YOUNG] = { "received light fell too, or comes and goes: more "
			  "readings will tell", END_PATH, ACTION_CLEAN_NEAR,
			  CAUSE_MORE_THAN_ONE_FITS },
	[SIGHT_COPPER] = { "on copper: whether they stay is not known yet",
			   END_PATH, ACTION_OBSERVE, CAUSE_COPPER_WORN },
};

static enum sight_kind kind_of(const struct port_view *v,
			       const struct light_drop *drop,
			       struct mono named_from)
{
	if (v->facts->media_known && !v->facts->optical)
		return SIGHT_COPPER;
	if (!drop->known)
		return SIGHT_NO_LIGHT_READ;
	if (v->light->t.ns < named_from.ns)
		return SIGHT_NOT_SINCE;
	if (drop->lanes == 0)
		return SIGHT_FLAT;
	return drop->stood < YOUNG_READINGS || drop->returns ? SIGHT_YOUNG :
							       SIGHT_UNSURE;
}

const struct sight *sight_of(const struct port_view *v,
			     const struct light_drop *drop,
			     struct mono named_from)
{
	return &sights[kind_of(v, drop, named_from)];
}
