#include "agent/ctl/screen.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/base/number.h"

#define WIDTH_MIN 40u
#define WIDTH_MAX 1000u
#define WRAP_ROOM_MIN 20u	/* text is never narrower than this */

static unsigned terminal_width(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static bool is_pipe(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* 0: unknown. Limits the width to WIDTH_MIN and WIDTH_MAX. */
static unsigned width_of(FILE *out)
{
	const char *columns = getenv("COLUMNS");
	unsigned width = terminal_width(fileno(out));
	uint64_t value;

	if (width == 0 && columns &&
	    number_parse(columns, 1, UINT32_MAX, &value) == 0)
		width = (unsigned)value;
	if (width == 0 && is_pipe(fileno(out)))
		width = terminal_width(STDERR_FILENO);
	if (width > WIDTH_MAX)
		width = WIDTH_MAX;
	return width > 0 && width < WIDTH_MIN ? WIDTH_MIN : width;
}

/* Reads the environment in the order of setlocale(3): the terminal may know
 * UTF-8 even if the locale is not installed here.
 */
static bool locale_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;

	for (size_t i = 0; i < 3 && (!value || !value[0]); i++)
		value = getenv(names[i]);
	return value && (strcasestr(value, "UTF-8") ||
			 strcasestr(value, "utf8"));
}

struct screen screen_of(FILE *out)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");

	unsigned width = width_of(out);

	return (struct screen){
		.out = out, .err = stderr,
		.width = width ? width : SCREEN_WIDTH_DEFAULT,
		.table_width = width ? width : isatty(fileno(out)) ?
			       SCREEN_WIDTH_DEFAULT : SCREEN_UNBOUNDED,
		.colour = isatty(fileno(out)) &&
			  (!no_colour || !no_colour[0]) &&
			  term && strcmp(term, "dumb") != 0,
		.is_plain = !locale_is_utf8() ||
			    (term && strcmp(term, "linux") == 0),
	};
}

const char *screen_tint_code(enum tint tint)
{
	static const char *const codes[TINT_COUNT] = {
		[TINT_NONE] = "",
		[TINT_HEAD] = "\033[1m",
		[TINT_FAINT] = "\033[2m",
		[TINT_WATCH] = "\033[36m",
		[TINT_WARN] = "\033[33m",
		[TINT_CRITICAL] = "\033[1;31m",
	};

	return codes[tint];
}

void screen_tint(const struct screen *s, enum tint tint)
{
	if (s->colour)
		(void)fputs(screen_tint_code(tint), s->out);
}

void screen_plain(const struct screen *s, enum tint tint)
{
	if (s->colour && tint != TINT_NONE)
		(void)fputs(SCREEN_PLAIN_CODE, s->out);
}

/* Octets of text that fit in room columns, up to the last blank if any. */
static size_t line_len(const char *text, size_t room)
{
	size_t columns = 0, blank = 0, i;

	for (i = 0; text[i]; i++) {
		if (((unsigned char)text[i] & 0xc0) == 0x80)
			continue;
		if (text[i] == ' ')
			blank = i;
		if (columns++ == room)
			return blank ? blank : i;
	}
	return i;
}

void screen_wrap(const struct screen *s, unsigned at, unsigned indent,
		 const char *text)
{
	unsigned used = at > indent ? at : indent;
	size_t room = s->width > used + WRAP_ROOM_MIN ? s->width - used :
							WRAP_ROOM_MIN;

	(void)fprintf(s->out, "%*s", (int)(used - at), "");
	for (;;) {
		size_t len = line_len(text, room);

		(void)fprintf(s->out, "%.*s\n", (int)len, text);
		text += len;
		text += strspn(text, " ");
		if (!*text)
			return;
		room = s->width > indent + WRAP_ROOM_MIN ? s->width - indent :
							   WRAP_ROOM_MIN;
		(void)fprintf(s->out, "%*s", (int)indent, "");
	}
}
