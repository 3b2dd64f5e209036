#include "agent/query/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"

#define DIGITS "0123456789"
#define BLANKS " \t\r\n"

/* prefix digits '-' digits [ '/' digits ], in parts. */
struct range_text {
	size_t prefix_len, first_len, last_len, step_len;
	const char *first, *last, *step;
};

/* False if the item does not have that form: then it is a name. */
static bool range_split(const char *item, size_t len, struct range_text *ret)
{
	const char *dash = memrchr(item, '-', len), *end = item + len;
	struct range_text r = { 0 };

	if (!dash || dash == item)
		return false;
	r.first = dash;
	while (r.first > item && r.first[-1] >= '0' && r.first[-1] <= '9')
		r.first--;
	r.first_len = (size_t)(dash - r.first);
	r.prefix_len = (size_t)(r.first - item);
	r.last = dash + 1;
	r.last_len = strspn(r.last, DIGITS);
	r.step = r.last + r.last_len;
	if (r.step < end && *r.step == '/') {
		r.step++;
		r.step_len = strspn(r.step, DIGITS);
	}
	if (!r.first_len || !r.last_len || r.step + r.step_len != end ||
	    (r.step[-1] == '/' && !r.step_len))
		return false;
	*ret = r;
	return true;
}

/* At least least: a range that ends before it begins is an error. */
static int number_take(const char *text, size_t len, uint32_t least,
		       uint32_t *ret)
{
	uint64_t value;
	int rc = number_parse_n(text, len, least, PATTERN_NUMBER_MAX, &value);

	if (rc == 0)
		*ret = (uint32_t)value;
	return rc;
}

static int item_range(const struct range_text *r, struct pattern_item *item)
{
	item->is_range = true;
	item->step = 1;
	if (number_take(r->first, r->first_len, 0, &item->first) < 0 ||
	    number_take(r->last, r->last_len, item->first, &item->last) < 0 ||
	    (r->step_len &&
	     number_take(r->step, r->step_len, 1, &item->step) < 0))
		return -EINVAL;
	return 0;
}

/* The prefix of the item before: up to its last digits. */
static void prefix_of(const struct pattern *p, char ret[ENTITY_NAME_MAX])
{
	size_t len;

	ret[0] = '\0';
	if (p->count == 0)
		return;
	(void)snprintf(ret, ENTITY_NAME_MAX, "%s", p->item[p->count - 1].name);
	if (p->item[p->count - 1].is_range)
		return;
	len = strlen(ret);
	while (len && ret[len - 1] >= '0' && ret[len - 1] <= '9')
		len--;
	ret[len] = '\0';
}

/* One item without the blanks around it. */
static int item_parse(const struct pattern *p, const char *text, size_t len,
		      struct pattern_item *ret)
{
	struct pattern_item item = { .is_range = false };
	char prefix[ENTITY_NAME_MAX];
	struct range_text r;
	bool is_range = range_split(text, len, &r);
	size_t own_len = is_range ? r.prefix_len : len;
	bool has_prefix = is_range ? own_len > 0 : strspn(text, DIGITS) < len;
	int n;

	if (len == 0 || own_len >= ENTITY_NAME_MAX)
		return -EINVAL;
	prefix_of(p, prefix);
	n = snprintf(item.name, sizeof(item.name), "%s%.*s",
		     has_prefix ? "" : prefix, (int)own_len, text);
	if (n >= (int)sizeof(item.name))
		return -EINVAL;
	if (is_range && item_range(&r, &item) < 0)
		return -EINVAL;
	*ret = item;
	return 0;
}

int pattern_parse(const char *text, struct pattern *ret, struct diag *d)
{
	struct pattern p = { .count = 0 };

	while (*text) {
		size_t begin = strspn(text, BLANKS);
		size_t end = strcspn(text, ","), len = end;

		while (len > begin && strchr(BLANKS, text[len - 1]))
			len--;
		if (p.count == PATTERN_ITEMS_MAX)
			return diag_set(d, -EINVAL, "more than %d items in a "
					"port pattern", PATTERN_ITEMS_MAX);
		if (item_parse(&p, text + begin, len - begin,
			       &p.item[p.count]) < 0)
			return diag_set(d, -EINVAL, "'%.*s' names no ports; "
					"expected a list such as "
					"Ethernet8,16-32/4",
					(int)(len - begin), text + begin);
		p.count++;
		text += end;
		if (*text == ',' && *++text == '\0')
			return diag_set(d, -EINVAL, "the port pattern ends in "
					"a comma");
	}
	*ret = p;
	return 0;
}

/* Numbers in names have no leading zeros. */
static bool range_matches(const struct pattern_item *item, const char *name)
{
	size_t prefix = strlen(item->name), digits;
	uint64_t number;

	if (strncasecmp(name, item->name, prefix) != 0)
		return false;
	name += prefix;
	digits = strspn(name, DIGITS);
	if (digits == 0 || name[digits] || (name[0] == '0' && digits > 1) ||
	    number_parse_n(name, digits, item->first, item->last, &number) < 0)
		return false;
	return (number - item->first) % item->step == 0;
}

bool pattern_item_matches(const struct pattern_item *item, const char *name)
{
	return item->is_range ? range_matches(item, name) :
				strcasecmp(item->name, name) == 0;
}

bool pattern_matches(const struct pattern *p, const char *name)
{
	for (unsigned i = 0; i < p->count; i++)
		if (pattern_item_matches(&p->item[i], name))
			return true;
	return false;
}
