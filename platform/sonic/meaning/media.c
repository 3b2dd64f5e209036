#include "platform/sonic/meaning/media.h"

#include <stdbool.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The first word found, in this order, decides. The tables are written by
 * Python's repr() of whatever the platform knows, so only words are looked for.
 */
static const struct {
	const char *word;
	const char *media;
} words[] = {
	{ "active_copper", "AEC" },	{ "Active copper", "AEC" },
	{ "Copper cable", "DAC" },	{ "passive_copper", "DAC" },
	{ "Passive Cable", "DAC" },	{ "Active Cable", "AOC" },
	{ "active_cable", "AOC" },	{ "AOC", "AOC" },
	{ "RJ45", "BASE-T" },		{ "BASE-T ", "BASE-T" },
	{ "CR8", "DAC" },		{ "CR4", "DAC" },
	{ "CR2", "DAC" },		{ "BASE-CR", "DAC" },
	{ "400ZR", "ZR" },		{ "ZR", "ZR" },
	{ "DR8", "DR8" },		{ "DR4", "DR4" },
	{ "FR8", "FR8" },		{ "FR4", "FR4" },
	{ "LR8", "LR8" },		{ "LR4", "LR4" },
	{ "SR8", "SR8" },		{ "SR4", "SR4" },
	{ "ER4", "ER4" },		{ "PSM4", "PSM4" },
	{ "CWDM4", "CWDM4" },		{ "SR2", "SR2" },
	{ "DR2", "DR2" },		{ "DR", "DR" },
	{ "FR", "FR" },			{ "LR", "LR" },
	{ "SR", "SR" },			{ "ER", "ER" },
};

/* Inside a longer run of capitals it is another word: the LR of XLPPI's
 * neighbours, the ER of POWER.
 */
static bool word_at(const char *text, const char *at, const char *word)
{
	const char *end = at + strlen(word);

	if (!isupper((unsigned char)word[0]) || strchr(word, ' '))
		return true;
	if (at > text && isupper((unsigned char)at[-1]) && at[-1] != 'E')
		return false;
	return !isalnum((unsigned char)*end) || isdigit((unsigned char)*end);
}

static bool text_has(const char *text, const char *word)
{
	const char *at = text;

	while ((at = strstr(at, word))) {
		if (word_at(text, at, word))
			return true;
		at++;
	}
	return false;
}

const char *media_guess(const char text[][ATTRIBUTE_TEXT_MAX])
{
	static const enum module_text places[] = {
		MODULE_TEXT_TECHNOLOGY, MODULE_TEXT_COMPLIANCE,
		MODULE_TEXT_APPLICATIONS, MODULE_TEXT_TYPE,
	};

	for (size_t p = 0; p < COUNT(places); p++)
		for (size_t w = 0; w < COUNT(words); w++)
			if (text_has(text[places[p]], words[w].word))
				return words[w].media;
	return "";
}
