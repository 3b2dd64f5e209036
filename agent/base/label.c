#include "agent/base/label.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MAC_OCTETS 6

/* All letters and digits are the same: 000000, XXXXXX, ---. */
static bool is_one_letter(const char *text)
{
	char first = '\0';

	for (; *text; text++) {
		if (!isalnum((unsigned char)*text))
			continue;
		if (first && *text != first)
			return false;
		first = *text;
	}
	return true;
}

/* Placeholders of SMBIOS, ONIE and platform code for a missing number. */
static bool is_placeholder(const char *text)
{
	static const char *const words[] = {
		"To be filled by O.E.M.", "Not Specified", "Not Available",
		"Not Applicable", "Not Present", "Not Provided", "None", "N/A",
		"NA", "Null", "Nil", "Unknown", "Undefined", "Undefined.",
		"Invalid", "Default", "Default string", "Empty", "TBD", "Serial",
		"Serial Number", "System Serial Number",
		"Chassis Serial Number", "Base Board Serial Number", "OEM",
		"O.E.M.", "0123456789", "123456789", "1234567890", "12345678",
		"1234567", "123456", "12345",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(text, words[i]) == 0)
			return true;
	return is_one_letter(text);
}

void label_serial(const char *text, char ret[static LABEL_SERIAL_MAX])
{
	size_t n;

	ret[0] = '\0';
	if (!text)
		return;
	text += strspn(text, " \t\r\n");
	n = strlen(text);
	while (n > 0 && isspace((unsigned char)text[n - 1]))
		n--;
	if (n == 0 || n >= LABEL_SERIAL_MAX)
		return;
	(void)snprintf(ret, LABEL_SERIAL_MAX, "%.*s", (int)n, text);
	for (size_t i = 0; i < n; i++)
		if (ret[i] < ' ' || ret[i] > '~')
			ret[0] = '\0';
	if (is_placeholder(ret))
		ret[0] = '\0';
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

	return at ? (int)(at - digits) : -1;
}

void label_mac(const char *text, char ret[static LABEL_MAC_MAX])
{
	uint8_t octet[MAC_OCTETS];
	unsigned sum = 0;

	ret[0] = '\0';
	for (unsigned i = 0; text && i < MAC_OCTETS; i++, text += 3) {
		int high = hex_digit(text[0]);
		int low = high < 0 ? -1 : hex_digit(text[1]);

		if (low < 0 || (i + 1 < MAC_OCTETS && text[2] != ':' &&
				text[2] != '-'))
			return;
		octet[i] = (uint8_t)(high << 4 | low);
		sum += octet[i];
	}
	if (!text || sum == 0 || octet[0] & 1)	/* unset; a group address */
		return;
	(void)snprintf(ret, LABEL_MAC_MAX, "%02x:%02x:%02x:%02x:%02x:%02x",
		       octet[0], octet[1], octet[2], octet[3], octet[4],
		       octet[5]);
}
