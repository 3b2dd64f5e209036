/* Enumerations as SONiC writes them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum words {
	WORDS_MODULE_STATE,
	WORDS_MODULE_FAULT,
	WORDS_DATA_PATH,
	WORDS_LANE_CONFIG,
	WORDS_XCVR_STATE,
	WORDS_STORM,		/* PFC watchdog's; 1: stormed */
	WORDS_OPER,		/* enum oper_status */
	WORDS_LINK,		/* the same; any other word: unknown */
	WORDS_LEAK,		/* Yes No */
	WORDS_CARD,		/* enum card_state */
	WORDS_LEAK_SENSOR,	/* Good Fault */
	WORDS_COUNT,
};

/* Returns -ENODATA for a word of absence, -EINVAL for one that we do not know.
 */
int words_parse(enum words which, const char *text, size_t len, int64_t *ret);
