/* JSON as text, written as it comes: a table of queues has twenty thousand
 * members, for which json-c would build as many objects first. One line, no
 * blanks, as json-c writes it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/ctl/spout.h"

struct json_object;

#define JSON_NUMBER_MAX 40

enum json_kind { JSON_NULL, JSON_BOOL, JSON_SIGNED, JSON_UNSIGNED, JSON_SCALED,
		 JSON_DOUBLE, JSON_TEXT };

struct json_value {
	enum json_kind kind;
	int64_t whole;		/* of all but the last two */
	unsigned digits;	/* scaled: so many of them behind the point */
	double real;
	const char *text;	/* UTF-8 */
};

struct json_out {
	struct spout spout;	/* nobody else writes there meanwhile */
	bool has_before;	/* a comma is due */
};

/* Gives the stream what was written so far. */
void json_out_flush(struct json_out *j);

/* Begins an object '{' or a list '['; key is NULL in a list and outside. */
void json_out_begin(struct json_out *j, const char *key, char bracket);
/* Ends it, with '}' or ']'. */
void json_out_end(struct json_out *j, char bracket);
/* A member, or where key is NULL a place in a list. */
void json_out_put(struct json_out *j, const char *key,
		  const struct json_value *value);
/* The same of what json-c holds; NULL is null. */
void json_out_object(struct json_out *j, const char *key,
		     struct json_object *value);

/* A number's text. Decimals have twelve digits: exact for what C3 holds in one
 * of these units.
 */
void json_number_text(const struct json_value *v,
		      char ret[static JSON_NUMBER_MAX]);
