#include "platform/sim/where.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "agent/base/number.h"

#define NUMBER_LIMIT 1000000u

static int number_take(const char **text, uint64_t *ret)
{
	size_t len = strspn(*text, "0123456789");
	int rc = number_parse_n(*text, len, 0, NUMBER_LIMIT, ret);

	*text += len;
	return rc;
}

static int no_pattern(const char *item, struct diag *d)
{
	return diag_set(d, -EINVAL, "'%s' is no port; expected %s8, %s0-28/4, "
			"a list of these with commas, or all", item,
			WHERE_PREFIX, WHERE_PREFIX);
}

static int port_set(uint64_t number, const struct where_switch *w,
		    uint64_t ports[FAULT_PORTS_MAX / 64], struct diag *d)
{
	uint64_t port = number / w->step;

	if (number % w->step != 0 || port >= w->count)
		return diag_set(d, -EINVAL, "%s%u is no port of this switch, "
				"which has %s0 to %s%u in steps of %u",
				WHERE_PREFIX, (unsigned)number, WHERE_PREFIX,
				WHERE_PREFIX, (w->count - 1) * w->step,
				w->step);
	ports[port / 64] |= UINT64_C(1) << (port % 64);
	return 0;
}

/* Ethernet0-28/4: from, to, by. */
static int item_parse(const char *item, const struct where_switch *w,
		      uint64_t ports[FAULT_PORTS_MAX / 64], struct diag *d)
{
	const char *p = item + strlen(WHERE_PREFIX);
	uint64_t first, last, by = w->step;
	int rc = 0;

	if (strncmp(item, WHERE_PREFIX, strlen(WHERE_PREFIX)) != 0 ||
	    number_take(&p, &first) < 0)
		return no_pattern(item, d);
	last = first;
	if (*p == '-') {
		p++;
		if (number_take(&p, &last) < 0 || last < first)
			return no_pattern(item, d);
		if (*p == '/') {
			p++;
			if (number_take(&p, &by) < 0 || by == 0)
				return no_pattern(item, d);
		}
	}
	if (*p != '\0')
		return no_pattern(item, d);
	for (uint64_t n = first; n <= last && rc == 0; n += by)
		rc = port_set(n, w, ports, d);
	return rc;
}

/* Cuts ".LANE" off the text. */
static int lane_take(char *text, const struct where_switch *w,
		     unsigned *ret_lane, struct diag *d)
{
	char *dot = strrchr(text, '.');
	uint64_t lane;

	*ret_lane = 0;
	if (!dot)
		return 0;
	if (number_parse(dot + 1, 1, w->lanes, &lane) < 0)
		return diag_set(d, -EINVAL, "'%s' names no lane; expected .1 "
				"to .%u", text, w->lanes);
	*ret_lane = (unsigned)lane;
	*dot = '\0';
	return 0;
}

int where_parse(const char *text, const struct where_switch *w,
		uint64_t ports[FAULT_PORTS_MAX / 64], unsigned *ret_lane,
		struct diag *d)
{
	char copy[FAULT_WHERE_MAX], *rest = copy, *item;
	int rc;

	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return diag_set(d, -EINVAL, "'%s' is too long; a port pattern "
				"has at most %zu characters", text,
				sizeof(copy) - 1);
	memset(ports, 0, FAULT_PORTS_MAX / 8);
	rc = lane_take(copy, w, ret_lane, d);
	if (rc < 0)
		return rc;
	if (strcmp(copy, "all") == 0) {
		for (unsigned n = 0; n < w->count && rc == 0; n++)
			rc = port_set((uint64_t)n * w->step, w, ports, d);
		return rc;
	}
	while (rc == 0 && (item = strsep(&rest, ",")))
		rc = item_parse(item, w, ports, d);
	return rc;
}
