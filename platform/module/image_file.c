#include "platform/module/image_file.h"

#include <stdio.h>
#include <string.h>

#include "platform/module/image_head.h"
#include "platform/module/image_raw.h"
#include "platform/module/image_text.h"
#include "platform/module/module.h"

#define LINE_PROBE 256u		/* octets of a line with a command */
#define TEXT_PROBE 512u		/* octets to tell text from memory by */

/* Windows marks text as UTF-8. */
static size_t mark_len(const uint8_t *octets, size_t n)
{
	return n > 3 && memcmp(octets, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* Control characters other than white space mean raw memory: octet 0 is one. */
static bool is_text(const uint8_t *octets, size_t n)
{
	size_t mark = mark_len(octets, n);

	octets += mark;
	n -= mark;
	for (size_t i = 0; i < n; i++) {
		if (octets[i] < ' ' && octets[i] != '\n' &&
		    octets[i] != '\r' && octets[i] != '\t')
			return false;
	}
	return n > 0 && octets[0] < 0x80;
}

/* The port of a command that prints a module's memory. */
static bool command_name(const char *line, size_t len,
			 char ret[static IMAGE_PART_NAME_MAX])
{
	char text[LINE_PROBE], port[IMAGE_PART_NAME_MAX - 8];

	(void)snprintf(text, sizeof(text), "%.*s",
		       (int)(len < sizeof(text) ? len : sizeof(text) - 1),
		       line);
	if (image_head_port(text, port, sizeof(port)) < 0)
		return false;
	(void)snprintf(ret, IMAGE_PART_NAME_MAX, "port %s", port);
	return true;
}

/* The name after sfputil's words on a line, without the page; false if the
 * words are not there.
 */
static bool part_name(const char *line, size_t len,
		      char ret[static IMAGE_PART_NAME_MAX])
{
	static const char words[] = "EEPROM hexdump for ";
	const char *at = memmem(line, len, words, sizeof(words) - 1), *page;

	if (!at)
		return command_name(line, len, ret);
	at += sizeof(words) - 1;
	len -= (size_t)(at - line);
	page = memmem(at, len, " page ", 6);
	len = page ? (size_t)(page - at) : len;
	while (len && (at[len - 1] == '\r' || at[len - 1] == ' '))
		len--;
	(void)snprintf(ret, IMAGE_PART_NAME_MAX, "%.*s", (int)len, at);
	return true;
}

size_t image_file_part(const uint8_t *octets, size_t n, size_t from,
		       char ret_name[static IMAGE_PART_NAME_MAX])
{
	bool has_lines = is_text(octets, n < TEXT_PROBE ? n : TEXT_PROBE);
	char name[IMAGE_PART_NAME_MAX];
	size_t at = from;

	ret_name[0] = '\0';
	while (has_lines && at < n) {
		const char *line = (const char *)octets + at;
		const char *end = memchr(line, '\n', n - at);
		size_t len = end ? (size_t)(end - line) : n - at;

		if (part_name(line, len, name)) {
			if (ret_name[0] && strcmp(name, ret_name) != 0)
				return at - from;
			memcpy(ret_name, name, sizeof(name));
		}
		at += len + (end != NULL);
	}
	return n - from;
}

/* Page 00h names the vendor and the type: report if it is missing. */
static void note_nameless(const struct module_image *m, struct diag *ret_note)
{
	enum module_standard standard = module_standard_of(m);

	if (standard == MODULE_UNKNOWN || standard == MODULE_SFF8472)
		return;
	for (unsigned i = 0; i < m->count; i++) {
		if (m->page[i].bank == 0 && m->page[i].page == 0)
			return;
	}
	diag_write(ret_note, "lacks page 00h, which describes the module");
}

int image_file_parse(const uint8_t *octets, size_t n,
		     struct module_image *ret, struct diag *ret_note,
		     struct diag *d)
{
	size_t mark = mark_len(octets, n);
	int rc;

	ret_note->text[0] = '\0';
	if (is_text(octets, n))
		rc = image_text_parse((const char *)octets + mark, n - mark,
				      ret, ret_note, d);
	else
		rc = image_raw_parse(octets, n, ret, ret_note, d);
	if (rc == 0 && !ret_note->text[0])
		note_nameless(ret, ret_note);
	return rc;
}
