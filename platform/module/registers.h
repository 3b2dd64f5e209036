/* The tables as a list for people: each quantity, threshold, flag and text
 * with the register that it comes from. The command, the manual's page and the
 * tests print the same rows.
 */
#pragma once

#define REGISTER_TEXT_MAX 64

struct register_row {
	const char *standard;
	const char *name;		/* of the quantity or attribute */
	char page[REGISTER_TEXT_MAX];	/* 00h, A2h, 24h to 27h */
	char byte[REGISTER_TEXT_MAX];	/* 154 + 2 per lane; bits */
	char type[REGISTER_TEXT_MAX];
	char scale[REGISTER_TEXT_MAX];	/* raw to unit */
	const char *unit;
	char gate[2 * REGISTER_TEXT_MAX]; /* what advertises it, or "" */
	const char *clause;
};

typedef void register_each(void *context, const struct register_row *row);

/* Calls each() for all rows, standard by standard, in the tables' order. */
void registers_list(register_each *each, void *context);
