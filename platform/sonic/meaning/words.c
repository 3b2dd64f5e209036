#include "platform/sonic/meaning/words.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "petrel/card.h"
#include "petrel/link.h"
#include "petrel/module.h"
#include "platform/sonic/meaning/text.h"

#define WORD_MAX 48

static int storm_parse(const char *word)
{
	if (strcmp(word, "stormed") == 0)
		return 1;
	return strcmp(word, "operational") == 0 ? 0 : -EINVAL;
}

static int oper_parse(const char *word)
{
	if (strcmp(word, "up") == 0)
		return OPER_UP;
	return strcmp(word, "down") == 0 ? OPER_DOWN : -EINVAL;
}

static int link_parse(const char *word)
{
	int status = oper_parse(word);

	return status < 0 ? OPER_UNKNOWN : status;
}

static int leak_parse(const char *word)
{
	if (strcmp(word, "Yes") == 0)
		return 1;
	return strcmp(word, "No") == 0 ? 0 : -EINVAL;
}

/* As ModuleBase of sonic-platform-common has them. */
static int card_parse(const char *word)
{
	static const char *const states[CARD_STATE_COUNT] = {
		[CARD_EMPTY] = "Empty",
		[CARD_OFFLINE] = "Offline",
		[CARD_POWERED_DOWN] = "PoweredDown",
		[CARD_PRESENT] = "Present",
		[CARD_FAULT] = "Fault",
		[CARD_ONLINE] = "Online",
	};

	for (int i = 0; i < CARD_STATE_COUNT; i++)
		if (strcmp(word, states[i]) == 0)
			return i;
	return -EINVAL;
}

static int leak_sensor_parse(const char *word)
{
	if (strcmp(word, "Good") == 0)
		return 1;
	return strcmp(word, "Fault") == 0 ? 0 : -EINVAL;
}

int words_parse(enum words which, const char *text, size_t len, int64_t *ret)
{
	static int (*const parsers[WORDS_COUNT])(const char *word) = {
		[WORDS_MODULE_STATE] = module_state_parse,
		[WORDS_MODULE_FAULT] = module_fault_cause_parse,
		[WORDS_DATA_PATH] = data_path_state_parse,
		[WORDS_LANE_CONFIG] = lane_config_status_parse,
		[WORDS_XCVR_STATE] = xcvr_state_parse,
		[WORDS_STORM] = storm_parse,
		[WORDS_OPER] = oper_parse,
		[WORDS_LINK] = link_parse,
		[WORDS_LEAK] = leak_parse,
		[WORDS_CARD] = card_parse,
		[WORDS_LEAK_SENSOR] = leak_sensor_parse,
	};
	char word[WORD_MAX];
	int value;

	assert(which < WORDS_COUNT);
	text_copy(word, sizeof(word), text, len);
	value = word[0] ? parsers[which](word) : -EINVAL;
	if (value < 0)
		return text_is_absent(word, strlen(word)) ? -ENODATA : value;
	*ret = value;
	return 0;
}
