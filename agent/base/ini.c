#include "agent/base/ini.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "agent/base/clean.h"

#define MARK "\xef\xbb\xbf"	/* some editors begin a file of UTF-8 with it */

int ini_text_check(const char *text, struct diag *d)
{
	while (*text) {
		size_t len = *text == '\t' ? 1 : clean_len(text);

		if (len == 0)
			return diag_set(d, -EINVAL, "octet 0x%02x is not "
					"UTF-8, or is a control character",
					(uint8_t)*text);
		text += len;
	}
	return 0;
}

static char *trimmed(char *text)
{
	size_t n;

	text += strspn(text, " \t");
	for (n = strlen(text); n > 0 && strchr(" \t\r", text[n - 1]); n--)
		text[n - 1] = '\0';
	return text;
}

/* One line, copied and NUL-terminated. */
static int line_parse(char *line, unsigned number, char *section,
		      const struct ini_taker *to, struct diag *d)
{
	char *text = trimmed(line), *equals;
	size_t n = strlen(text);

	if (!text[0] || text[0] == '#' || text[0] == ';')
		return 0;
	if (ini_text_check(text, d) < 0)
		return -EINVAL;
	if (text[0] == '[') {
		if (n < 3 || text[n - 1] != ']')
			return diag_set(d, -EINVAL,
					"'%s': expected [Section]", text);
		text[n - 1] = '\0';
		(void)strcpy(section, text + 1);
		return to->heading(to->context, section, d);
	}
	equals = strchr(text, '=');
	if (!equals)
		return diag_set(d, -EINVAL,
				"'%s': expected key = value", text);
	if (!section[0])
		return diag_set(d, -EINVAL,
				"'%s' is before any [Section]", text);
	*equals = '\0';
	return to->value(to->context, section, trimmed(text),
			 trimmed(equals + 1), number, d);
}

int ini_read(const char *text, size_t len, const char *file,
	     const struct ini_taker *to, struct diag *d)
{
	char line[INI_LINE_MAX], section[INI_LINE_MAX] = "";
	unsigned number = 0;
	size_t pos = len >= strlen(MARK) && memcmp(text, MARK, strlen(MARK)) ==
		     0 ? strlen(MARK) : 0;

	while (pos < len) {
		const char *end = memchr(text + pos, '\n', len - pos);
		size_t n = end ? (size_t)(end - text) - pos : len - pos;
		int rc;

		number++;
		if (n >= sizeof(line))
			return diag_set(d, -EINVAL, "%s:%u: the line has %zu "
					"octets; expected at most %zu", file,
					number, n, sizeof(line) - 1);
		if (memchr(text + pos, '\0', n))
			return diag_set(d, -EINVAL, "%s:%u: the line has a NUL "
					"octet; expected text", file, number);
		memcpy(line, text + pos, n);
		line[n] = '\0';
		rc = line_parse(line, number, section, to, d);
		if (rc < 0)
			return diag_prefix(d, rc, "%s:%u", file, number);
		pos += n + 1;
	}
	return 0;
}
