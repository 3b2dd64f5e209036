/* Commands of Redis, formatted for sending. Where there are many, others use
 * their memory as soon as they are sent: they hold more than what they ask for.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "platform/sonic/database.h"
#include "platform/sonic/tables.h"

#define COMMAND_KEY_MAX 128

struct commands {
	char *data;
	size_t len, cap;
	unsigned count;		/* commands in it */
	bool failed;		/* no memory, or a key too long */
};

/* Memory of commands that were sent, for the next. */
#define COMMANDS_SPARE_MAX 16
struct commands_spare {
	struct commands list[COMMANDS_SPARE_MAX];
	unsigned count;
};

/* Begins with memory that is spare, if there is any. */
void commands_begin(struct commands *c, struct commands_spare *spare);
/* Its memory is spare from now on; twice does no harm. */
void commands_end(struct commands *c, struct commands_spare *spare);
/* Releases what is spare. */
void commands_spare_free(struct commands_spare *spare);

/* Empty again; the memory is kept. */
void commands_clear(struct commands *c);
/* Releases the memory too. */
void commands_free(struct commands *c);

/* A command of its words, up to the NULL. */
void commands_add(struct commands *c, const char *const words[]);

/* Reads a table's row: HGETALL, or HMGET of the table's fields. key: what
 * stands behind the separator.
 */
void commands_add_row(struct commands *c, const struct table *t,
		      char separator, const char *key);
