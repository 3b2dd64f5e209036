/* C14: a key of the configuration, declared by the module that reads it:
 * petreld declares its own keys, each driver those of its section. The form of
 * a value is data, so that a wrong one is rejected with its line, before any
 * code of a driver runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTION_TEXT_MAX 192

/* The forms from bool on are words of *.driver files; see petreld(8). */
enum option_form {
	OPTION_TEXT,
	OPTION_BOOL,		/* yes no */
	OPTION_DURATION,	/* 500ms 10s 15m 2h 1d; min to max ns */
	OPTION_SIZE,		/* 64K 12M; min to max octets */
	OPTION_NUMBER,		/* a whole number, min to max */
	OPTION_FACTOR,		/* a decimal above 0, up to max */
	OPTION_WORD,		/* one of words */
	OPTION_LIST,		/* one or more of words, joined by commas */
	OPTION_AUTO_OR_LIST,	/* the word auto by itself, or such a list */
	OPTION_PATH,		/* begins with / */
	OPTION_NAME,		/* of a file, without / */
	OPTION_URL,		/* tcp://HOST:PORT, HOST a name, an address,
				 * [an IPv6 address] or *; or ipc://PATH */
	OPTION_HTTP_URL,	/* http://HOST[:PORT][/PATH], or https:// */
	OPTION_FILE,		/* exists, as the process sees it */
	OPTION_FILE_BELOW_ROOT,	/* exists below the switch's "/" */
	OPTION_DEVICE,		/* name of a network interface, or a VRF */
	OPTION_ADDRESS,		/* IPv4 or IPv6, in figures */
	OPTION_FORM_COUNT,
};

struct option_key {
	const char *key;
	enum option_form form;
	int64_t min, max;
	const char *value;	/* default, as written; NULL or "": none, and
				 * then the option may be empty */
	const char *help;
	const char *const *words;	/* NULL if there are no words */
	size_t word_count;
	bool at_start;		/* a change takes effect at the next start */
	bool is_read;		/* a path: the file must exist */
};
