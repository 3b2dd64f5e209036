/* Commands of Redis, formatted for sending. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMMAND_KEY_MAX 128

struct commands {
	char *data;
	size_t len, cap;
	unsigned count;		/* commands in it */
	bool failed;		/* no memory, or a key too long */
};

/* Empty again; the memory is kept. */
void commands_clear(struct commands *c);
/* Releases the memory too. */
void commands_free(struct commands *c);

/* Octets of commands that are formatted already. */
void commands_add_text(struct commands *c, const char *text, size_t len);

/* A command of its words, up to the NULL. */
void commands_add(struct commands *c, const char *const words[]);

/* The beginning of a command of so many words, which follow. */
void commands_begin(struct commands *c, size_t words);
void commands_word(struct commands *c, const char *word);
