#include "agent/base/url.h"

#include <stdio.h>
#include <string.h>

#define REDACTED "<redacted>"

/* A password may have an @ of its own: the last one is before the host. */
const char *url_shown(const char *url, char ret[static URL_SHOWN_MAX])
{
	const char *scheme = strstr(url, "://");
	const char *user = scheme ? scheme + 3 : url;
	const char *at = memrchr(user, '@', strcspn(user, "/?#"));

	(void)snprintf(ret, URL_SHOWN_MAX, "%.*s%s%s", (int)(user - url), url,
		       at ? REDACTED : "", at ? at : user);
	return ret;
}
