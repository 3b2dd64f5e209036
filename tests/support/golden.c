#include "tests/support/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN "tests/data/wire.golden"

static int digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static size_t unhex(const char *hex, uint8_t *ret, size_t cap)
{
	size_t n = 0;

	for (; digit(hex[0]) >= 0 && digit(hex[1]) >= 0; hex += 2) {
		assert_true(n < cap);
		ret[n++] = (uint8_t)(digit(hex[0]) << 4 | digit(hex[1]));
	}
	return n;
}

size_t golden_read(const char *name, uint8_t *ret, size_t cap)
{
	FILE *file = fopen(GOLDEN, "r");
	size_t line_cap = 0, n = 0, len = strlen(name);
	char *line = NULL;

	if (!file)
		fail_msg("%s cannot be read", GOLDEN);
	while (n == 0 && getline(&line, &line_cap, file) > 0)
		if (strncmp(line, name, len) == 0 && line[len] == ' ')
			n = unhex(line + len + 1, ret, cap);
	free(line);
	fclose(file);
	return n;
}

void golden_assert(const char *name, const void *octets, size_t len)
{
	uint8_t want[4096];
	size_t n = golden_read(name, want, sizeof(want));

	if (n == len && memcmp(want, octets, len) == 0)
		return;
	print_error("is: %s ", name);
	for (size_t i = 0; i < len; i++)
		print_error("%02x", ((const uint8_t *)octets)[i]);
	print_error("\n");
	fail_msg("%s: %s is not what it was", GOLDEN, name);
}
