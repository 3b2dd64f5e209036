/* C19: a URL in a message tells no password. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "agent/base/url.h"

static void test_url_is_shown_without_its_user(void **state)
{
	static const char *const becomes[][2] = {
		{ "http://host:80/x", "http://host:80/x" },
		{ "http://host/x@y", "http://host/x@y" },
		{ "http://ops:p@host/x@y", "http://<redacted>@host/x@y" },
		{ "https://ops:p@q@host", "https://<redacted>@host" },
		{ "https://ops@host?a@b", "https://<redacted>@host?a@b" },
		{ "ops:p@host/", "<redacted>@host/" },
		{ "", "" },
	};
	char shown[URL_SHOWN_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(becomes) / sizeof(becomes[0]); i++)
		assert_string_equal(url_shown(becomes[i][0], shown),
				    becomes[i][1]);
}

static void test_url_that_is_long_is_cut(void **state)
{
	char shown[URL_SHOWN_MAX], url[2 * URL_SHOWN_MAX];

	(void)state;
	memset(url, 'x', sizeof(url));
	memcpy(url, "http://a:b@", 11);
	url[sizeof(url) - 1] = '\0';
	assert_int_equal(strlen(url_shown(url, shown)), URL_SHOWN_MAX - 1);
	assert_null(strstr(shown, "a:b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_url_is_shown_without_its_user),
		cmocka_unit_test(test_url_that_is_long_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
