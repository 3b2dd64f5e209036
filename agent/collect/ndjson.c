/* The sink of records as JSON lines, in a file that rotates or on standard
 * output: the format of petrel-collector --print, as records come. After a kill
 * some lines may appear twice.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/collect/bookmark.h"
#include "agent/collect/line_file.h"
#include "agent/collect/print.h"
#include "agent/collect/sink.h"
#include "petrel/quantity.h"

#define NAME "ndjson"

struct ndjson {
	struct sink_count count;
	int spool_fd;
	struct print_filter filter;
	struct line_file *file;
	struct known *known;
	struct bookmark bookmark;
	unsigned written;	/* lines of the entry at bookmark.at */
};

static void lines_close(void *sink)
{
	struct ndjson *n = sink;

	if (!n)
		return;
	line_file_free(n->file);
	known_free(n->known);
	free(n);
}

static int kinds_read(const char *names, unsigned *ret, struct diag *d)
{
	char text[CONFIG_TEXT_MAX], *rest = text, *name;

	(void)snprintf(text, sizeof(text), "%s", names);
	while ((name = strsep(&rest, ", "))) {
		if (name[0] && !print_kinds(name))
			return diag_set(d, -EINVAL, "kind: no kind '%s'; "
					"expected finding, event, batch or "
					"all", name);
		*ret |= print_kinds(name);
	}
	return 0;
}

static int lines_check(const struct collector_config *config, struct diag *d)
{
	const struct collector_ndjson *c = &config->ndjson;
	const struct quantity_info *info;
	unsigned kinds = 0;
	int err = kinds_read(c->kinds, &kinds, d);

	if (err < 0)
		return collector_fault(config, "Ndjson", "kind", err, d);
	if (c->quantity[0])
		err = quantity_parse(c->quantity, &info, d);
	return err < 0 ? collector_fault(config, "Ndjson", "quantity", err, d) :
			 0;
}

static int lines_open(const struct sink_env *env, void **ret, struct diag *d)
{
	const struct collector_ndjson *c = &env->config->ndjson;
	struct ndjson *n;
	int err;

	if (!c->file[0])
		return 0;
	n = calloc(1, sizeof(*n));
	if (!n)
		return diag_set(d, -ENOMEM, "out of memory");
	n->spool_fd = env->spool_fd;
	n->filter = (struct print_filter){ .is_live = true,
					   .switch_name = c->switch_name,
					   .port = c->port,
					   .quantity = c->quantity };
	err = kinds_read(c->kinds, &n->filter.kinds, d);
	if (err < 0)
		(void)diag_prefix(d, err, "[Ndjson]");
	if (err == 0)
		err = line_file_new(c->file, c->file_octets, &n->file, d);
	if (err < 0) {
		lines_close(n);
		return err;
	}
	bookmark_read(&disk_volatile, env->spool_fd, NAME, &n->bookmark, NULL);
	*ret = n;
	return 0;
}

static struct place lines_begin(void *sink)
{
	struct ndjson *n = sink;

	known_free(n->known);
	n->known = NULL;
	(void)known_new(&n->known);	/* if NULL, entries are refused */
	return n->bookmark.kept;
}

/* An entry on its way. */
struct ndjson_entry {
	struct ndjson *sink;
	struct diag *diag;
	unsigned lines, written;	/* so far; before a failure */
};

static int line_put(void *context, struct json_object *o)
{
	struct ndjson_entry *to = context;
	int err = to->lines < to->written ? 0 :
		  line_file_put(to->sink->file, o, to->diag);

	to->lines += err == 0;
	to->sink->count.applied += err == 0 && to->lines > to->written;
	return err;
}

static int nothing_put(void *context, struct json_object *o)
{
	(void)context;
	(void)o;
	return 0;
}

/* Goes on from here when it is tried again: no line is written twice. */
static void place_take(struct ndjson *n, struct place at, unsigned written)
{
	n->bookmark.at = at;
	n->written = written;
}

/* Entries before its place are read only for names and identities. */
static int lines_entry(void *sink, const struct entry *e, struct place at,
		       struct diag *d)
{
	struct ndjson *n = sink;
	bool is_new = !place_is_before(&at, &n->bookmark.at);
	bool is_first = is_new && !place_is_before(&n->bookmark.at, &at);
	struct ndjson_entry to = { n, d, 0, is_first ? n->written : 0 };
	int err = n->known ? 0 : -ENOMEM;

	if (err == 0)
		err = print_entry(n->known, e, &n->filter, is_new ? line_put :
				  nothing_put, &to);
	if (err < 0 && is_new)
		place_take(n, at, to.lines > to.written ? to.lines :
						      to.written);
	if (err == -ENOMEM)
		(void)diag_set(d, err, "out of memory");
	return err;
}

static int lines_commit(void *sink, struct place at, struct place *ret_kept,
			struct diag *d)
{
	struct ndjson *n = sink;

	if (place_is_before(&n->bookmark.at, &at))
		place_take(n, at, 0);
	/* one segment back: for references and dictionaries */
	if (n->bookmark.at.segment > n->bookmark.kept.segment + 1)
		n->bookmark.kept = (struct place){
			n->bookmark.at.segment - 1, 0 };
	*ret_kept = n->bookmark.kept;
	return bookmark_write(&disk_volatile, n->spool_fd, NAME, &n->bookmark,
			      NULL, d);
}

const struct sink_driver ndjson_driver = {
	.name = NAME, .check = lines_check,
	.open = lines_open, .close = lines_close, .begin = lines_begin,
	.entry = lines_entry, .commit = lines_commit,
};
