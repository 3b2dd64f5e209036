#include "platform/sonic/hft/hft_labels.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"

#define LABELS_MAX UINT16_MAX

/* The next of a list joined by commas, without blanks; false at its end. */
static bool item_next(const char **at, const char *end, const char **ret,
		      size_t *ret_len)
{
	const char *stop;

	if (*at > end)
		return false;
	stop = memchr(*at, ',', (size_t)(end - *at));
	if (!stop)
		stop = end;
	*ret = *at;
	*at = stop + 1;
	while (*ret < stop && **ret == ' ')
		(*ret)++;
	while (stop > *ret && stop[-1] == ' ')
		stop--;
	*ret_len = (size_t)(stop - *ret);
	return true;
}

static size_t items_count(const struct hft_octets *o)
{
	size_t n = o->len > 0;

	for (size_t i = 0; i < o->len; i++)
		n += o->data[i] == ',';
	return n;
}

static int label_order(const void *a, const void *b)
{
	const struct hft_label *x = a, *y = b;

	return x->label < y->label ? -1 : x->label > y->label;
}

/* One name with its id, or with its place where there are no ids. */
static int label_parse(struct hft_label *to, const char *name, size_t name_len,
		       const char *id, size_t id_len)
{
	uint64_t label = to->label;

	if (name_len == 0 || name_len >= sizeof(to->name) ||
	    memchr(name, '\0', name_len) ||
	    (id && number_parse_n(id, id_len, 0, LABELS_MAX, &label) < 0))
		return -EINVAL;
	memcpy(to->name, name, name_len);
	to->label = (uint16_t)label;
	return 0;
}

static int labels_fill(const struct hft_octets *names,
		       const struct hft_octets *ids, struct hft_labels *l)
{
	const char *name = names->data, *id = ids->data, *at, *id_at = NULL;
	size_t len, id_len = 0;

	while (item_next(&name, names->data + names->len, &at, &len)) {
		struct hft_label *to = &l->list[l->count];

		if (ids->len > 0 &&
		    !item_next(&id, ids->data + ids->len, &id_at, &id_len))
			return -EINVAL;
		to->label = (uint16_t)(l->count + 1);
		if (label_parse(to, at, len, id_at, id_len) < 0)
			return -EINVAL;
		l->count++;
	}
	qsort(l->list, l->count, sizeof(*l->list), label_order);
	for (size_t i = 1; i < l->count; i++)
		if (l->list[i].label == l->list[i - 1].label)
			return -EINVAL;
	return 0;
}

int hft_labels_parse(const struct hft_octets *names,
		     const struct hft_octets *ids, struct hft_labels *ret,
		     struct diag *d)
{
	size_t count = items_count(names);
	struct hft_labels l = { 0 };
	int rc = -EINVAL;

	if (count == 0 && ids->len == 0) {
		*ret = l;
		return 0;
	}
	l.list = calloc(count ? count : 1, sizeof(*l.list));
	if (!l.list)
		return diag_set(d, -ENOMEM, "no memory for object_names");
	if (count > 0 && count <= LABELS_MAX &&
	    (ids->len == 0 || items_count(ids) == count))
		rc = labels_fill(names, ids, &l);
	if (rc < 0) {
		free(l.list);
		return diag_set(d, rc, "object_names has %zu names, object_ids "
				"%zu; expected a number of its own for each",
				count, items_count(ids));
	}
	*ret = l;
	return 0;
}
