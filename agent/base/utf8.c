#include "agent/base/utf8.h"

size_t utf8_len(const unsigned char *t)
{
	size_t len = t[0] < 0x80 ? 1 : t[0] >> 5 == 6 ? 2 :
		     t[0] >> 4 == 14 ? 3 : t[0] >> 3 == 30 ? 4 : 0;

	if (len == 1)
		return t[0] >= 0x20 && t[0] != 0x7f;
	if (len == 2 && (t[0] < 0xc2 || (t[0] == 0xc2 && t[1] < 0xa0)))
		return 0;	/* overlong, and C1 controls */
	for (size_t i = 1; i < len; i++)
		if (t[i] >> 6 != 2)
			return 0;
	if ((t[0] == 0xe0 && t[1] < 0xa0) || (t[0] == 0xf0 && t[1] < 0x90) ||
	    (t[0] == 0xed && t[1] > 0x9f) || t[0] > 0xf4)
		return 0;
	return len;
}
