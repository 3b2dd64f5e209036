#include "tests/support/text_judge.h"

#include <locale.h>
#include <string.h>
#include <wchar.h>

/* By the C library, in its own UTF-8 locale, which is made once: that takes
 * files of the machine.
 */
bool text_is_clean(const char *text)
{
	static locale_t utf8;
	locale_t before;
	mbstate_t state;
	bool clean = true;
	size_t left = strlen(text);

	if (utf8 == (locale_t)0)
		utf8 = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
	if (utf8 == (locale_t)0)
		return false;
	before = uselocale(utf8);
	memset(&state, 0, sizeof(state));
	while (clean && left > 0) {
		wchar_t c;
		size_t n = mbrtowc(&c, text, left, &state);

		clean = n > 0 && n <= left && c >= 0x20 &&
			!(c >= 0x7f && c < 0xa0) && c != 0x61c &&
			!wcschr(L"\u200e\u200f\u2028\u2029\u202a\u202b\u202c"
				L"\u202d\u202e\u2066\u2067\u2068\u2069", c);
		text += clean ? n : 0;
		left -= clean ? n : 0;
	}
	(void)uselocale(before);
	return clean;
}
