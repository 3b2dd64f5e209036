#include "platform/sonic/redis/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void commands_clear(struct commands *c)
{
	c->len = 0;
	c->count = 0;
	c->failed = false;
}

void commands_free(struct commands *c)
{
	free(c->data);
	memset(c, 0, sizeof(*c));
}

void commands_add_text(struct commands *c, const char *text, size_t len)
{
	if (c->len + len > c->cap) {
		size_t cap = (c->len + len) / 8 * 9 + 512;
		char *data = realloc(c->data, cap);

		if (!data) {
			c->failed = true;
			return;
		}
		c->data = data;
		c->cap = cap;
	}
	memcpy(c->data + c->len, text, len);
	c->len += len;
}

/* "*2" or "$7" with its line end. */
static void count_add(struct commands *c, char what, size_t count)
{
	char text[24];
	size_t at = sizeof(text);

	text[--at] = '\n';
	text[--at] = '\r';
	do
		text[--at] = (char)('0' + count % 10);
	while ((count /= 10) > 0);
	text[--at] = what;
	commands_add_text(c, text + at, sizeof(text) - at);
}

void commands_word(struct commands *c, const char *word)
{
	count_add(c, '$', strlen(word));
	commands_add_text(c, word, strlen(word));
	commands_add_text(c, "\r\n", 2);
}

void commands_begin(struct commands *c, size_t words)
{
	count_add(c, '*', words);
	c->count++;
}

void commands_add(struct commands *c, const char *const words[])
{
	size_t n = 0;

	while (words[n])
		n++;
	commands_begin(c, n);
	for (size_t i = 0; i < n; i++)
		commands_word(c, words[i]);
}
