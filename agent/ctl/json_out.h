/* Writes the JSON of petrel's answers as it goes: a table of queues has twenty
 * thousand members, and json-c would first build an object for each. One line,
 * no blanks, as json-c writes it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/ctl/out_buffer.h"

struct cell;
struct json_object;

#define JSON_NUMBER_MAX 40
#define CELL_KEY_MAX 96

enum json_kind { JSON_NULL, JSON_BOOL, JSON_SIGNED, JSON_UNSIGNED, JSON_SCALED,
		 JSON_DOUBLE, JSON_TEXT };

struct json_value {
	enum json_kind kind;
	int64_t whole;		/* for all but the last two */
	unsigned digits;	/* scaled: how many after the point */
	double real;
	const char *text;	/* UTF-8 */
};

struct json_out {
	struct out_buffer buffer;	/* no other writer to out meanwhile */
	bool has_before;	/* a comma is needed */
};

/* What every answer begins with (DESIGN.md, section 5). */
struct json_head {
	const char *command;		/* schema petrel/<command>/1 */
	const char *switch_name;	/* NULL: no switch; null in JSON */
	int64_t wall_ns;		/* CLOCK_REALTIME */
	bool complete;			/* ignored with an error */
	int code;			/* exit status */
	const char *error;		/* NULL or "": none */
};

/* Begins an answer: an object, with its head. */
void json_out_open(struct json_out *j, FILE *out, const struct json_head *head);
/* The same on standard output, for an answer that petrel itself makes now. */
void json_out_own(struct json_out *j, const char *command, int code,
		  const char *error);
/* Ends the object and the line. Returns -EIO if it could not be written. */
int json_out_close(struct json_out *j);

/* Prints an answer that is an error and nothing else. */
void json_out_failed(const char *command, int code, const char *error);

/* Begins an object '{' or a list '['; key is NULL in a list and outside. */
void json_out_begin(struct json_out *j, const char *key, char bracket);
/* Ends it, with '}' or ']'. */
void json_out_end(struct json_out *j, char bracket);
/* A member, or an element of a list if key is NULL. */
void json_out_put(struct json_out *j, const char *key,
		  const struct json_value *value);
void json_out_integer(struct json_out *j, const char *key, int64_t value);
void json_out_bool(struct json_out *j, const char *key, bool value);
/* Text from outside is cleaned; NULL is null. */
void json_out_text(struct json_out *j, const char *key, const char *text);
/* A json-c object; NULL is null. */
void json_out_object(struct json_out *j, const char *key,
		     struct json_object *value);

/* A number as text. Decimals have twelve digits: exact for what C3 holds in one
 * of these units. Returns its end.
 */
char *json_number_text(const struct json_value *v,
		       char ret[static JSON_NUMBER_MAX]);

/* One cell of a table as members: how its unit is written (petrel/local.h), and
 * how its key ends. Absent cells are null. The key must be clean.
 */
void json_out_cell(struct json_out *j, const char *key, uint32_t unit,
		   const struct cell *cell);
