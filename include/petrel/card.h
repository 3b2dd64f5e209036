/* The cards of a chassis. The numbers are on the wire: never changed, never
 * used again.
 */
#pragma once

enum card_state {	/* Q_CARD_STATE */
	CARD_EMPTY = 0,		/* nothing is in the slot */
	CARD_OFFLINE = 1,	/* shut down, or it does not answer */
	CARD_POWERED_DOWN = 2,	/* by a policy: too hot, or not enough power */
	CARD_PRESENT = 3,	/* has power, is not ready yet */
	CARD_FAULT = 4,		/* has power, does not become ready */
	CARD_ONLINE = 5,
	CARD_STATE_COUNT,
};
