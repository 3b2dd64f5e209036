/* petrel decode: a module's memory from files, on any machine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/ctl/decoded.h"
#include "agent/ctl/file_octets.h"
#include "agent/ctl/json_out.h"
#include "agent/ctl/options.h"
#include "agent/ctl/runs.h"
#include "petrel/local.h"
#include "platform/module/image_file.h"
#include "platform/module/registers.h"

/* The modules of all ports of a switch, in hex. */
#define FILE_MAX (8u * 1024 * 1024)
#define LABEL_MAX 320

/* An error goes to standard error, and into the JSON. */
static int refuse(const char *file, bool json, const char *why, int code)
{
	if (json)
		(void)decoded_print_json_error(file, code, why);
	return command_failed(code, "%s: %s", file, why);
}

static int decoded_show(struct decoded *d, bool json)
{
	struct diag why = { "" };
	int rc = decoded_fill(d, &why);

	if (rc < 0)
		return refuse(d->file, json, why.text, rc == -ENOMEM ?
			      EXIT_INCOMPLETE : EXIT_BAD_DATA);
	rc = json ? decoded_print_json(d) : decoded_print_text(d);
	if (rc == -ENOMEM)	/* main() checks standard output */
		return command_failed(EXIT_INCOMPLETE, "%s: out of memory",
				      d->file);
	return !d->note.text[0] ? EXIT_ANSWERED :
	       command_failed(EXIT_INCOMPLETE, "%s: %s", d->file,
			      d->note.text);
}

static int part_show(const char *label, const uint8_t *octets, size_t n,
		     bool json, struct decoded *d)
{
	struct diag why = { "" };
	int code;

	*d = (struct decoded){ .file = label };
	if (image_file_parse(octets, n, &d->image, &d->note, &why) < 0)
		code = refuse(label, json, why.text, EXIT_BAD_DATA);
	else
		code = decoded_show(d, json);
	decoded_fini(d);
	return code;
}

/* An error outranks an incomplete result. */
static int worse_of(int worst, int code)
{
	if (code == EXIT_ANSWERED ||
	    (worst != EXIT_ANSWERED && worst != EXIT_INCOMPLETE))
		return worst;
	return code;
}

/* Its first octet could be that of a module. */
static int packed_refuse(const char *file, bool json, const char *program)
{
	struct diag why;

	(void)diag_set(&why, -EBADMSG, "compressed by %s; expected a module's "
		       "memory: %s -dc FILE | petrel decode -", program,
		       program);
	return refuse(file, json, why.text, EXIT_BAD_DATA);
}

static int parts_show(const char *file, const uint8_t *octets, size_t n,
		      bool json, struct decoded *d)
{
	char name[IMAGE_PART_NAME_MAX], label[LABEL_MAX];
	int worst = EXIT_ANSWERED;
	size_t at = 0, len;

	do {
		len = image_file_part(octets, n, at, name);
		(void)snprintf(label, sizeof(label), len < n && name[0] ?
			       "%s, %s" : "%s", file, name);
		worst = worse_of(worst, part_show(label, octets + at, len,
						  json, d));
		at += len;
	} while (at < n);
	return worst;
}

/* PowerShell writes text in two octets a character, with a mark before it.
 * Takes those that are text. Returns the new length.
 */
static size_t text_narrow(uint8_t *octets, size_t n)
{
	size_t len = 0;

	if (n < 2 || octets[0] != 0xff || octets[1] != 0xfe)
		return n;
	for (size_t i = 2; i + 1 < n; i += 2)
		octets[len++] = octets[i + 1] ? '?' : octets[i];
	return len;
}

/* The modules in a file: one, or those of several ports. */
static int file_show(const char *file, bool json, struct decoded *d)
{
	const char *program;
	uint8_t *octets = NULL;
	size_t n = 0;
	int rc = file_octets(file, FILE_MAX, &octets, &n);

	if (rc == -EFBIG)
		return refuse(file, json, "is larger than the memory of all "
			      "modules of a switch", EXIT_BAD_DATA);
	if (rc < 0)
		return refuse(file, json, strerror(-rc), EXIT_NO_SUCH);
	program = file_packed_by(octets, n);
	n = text_narrow(octets, n);
	rc = program ? packed_refuse(file, json, program) :
		       parts_show(file, octets, n, json, d);
	free(octets);
	return rc;
}

/* --- the list of registers ----------------------------------------------- */

static void row_text(void *context, const struct register_row *row)
{
	(void)context;
	(void)printf("%-8s  %-10s  %-34s  %-38s  %-11s  %-16s  %-10s  %-40s  "
		     "%s\n", row->standard, row->page, row->byte, row->name,
		     row->type, row->scale, row->unit, row->gate[0] ?
		     row->gate : "-", row->clause);
}

static void row_json(void *context, const struct register_row *row)
{
	struct json_out *j = context;

	j->has_before = false;
	json_out_begin(j, NULL, '{');
	json_out_text(j, "standard", row->standard);
	json_out_text(j, "name", row->name);
	json_out_text(j, "page", row->page);
	json_out_text(j, "byte", row->byte);
	json_out_text(j, "type", row->type);
	json_out_text(j, "scale", row->scale);
	json_out_text(j, "unit", row->unit);
	json_out_text(j, "gate", row->gate);
	json_out_text(j, "clause", row->clause);
	(void)json_out_close(j);	/* main() checks standard output */
}

static int registers_show(bool json)
{
	static const struct register_row head = {
		"STANDARD", "QUANTITY OR TEXT", "PAGE", "BYTE", "TYPE",
		"SCALE", "UNIT", "ADVERTISED BY", "CLAUSE",
	};
	struct json_out j = { .buffer.out = stdout };

	if (!json)
		row_text(NULL, &head);
	registers_list(json ? row_json : row_text, &j);
	return EXIT_ANSWERED;
}

int decode_run(const struct invocation *inv)
{
	bool json = option_given(inv, OPTION_JSON);
	int worst = EXIT_ANSWERED;
	struct decoded *d;

	if (option_given(inv, OPTION_LIST_REGISTERS) &&
	    inv->argument_count == 0)
		return registers_show(json);
	if (inv->argument_count == 0 ||
	    option_given(inv, OPTION_LIST_REGISTERS))
		return command_failed(EXIT_USAGE, "usage: petrel %s",
				      inv->verb->synopsis);
	d = malloc(sizeof(*d));
	if (!d)
		return command_failed(EXIT_INCOMPLETE, "decode: out of memory");
	for (unsigned i = 0; i < inv->argument_count; i++)
		worst = worse_of(worst, file_show(inv->argument[i], json, d));
	free(d);
	return worst;
}
