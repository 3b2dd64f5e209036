#include "platform/bus/bus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/hash.h"

#define SPACE_LEN (2 * MODULE_PAGE_LEN)

void bus_close(struct bus *b)
{
	if (b->table && b->table->close)
		b->table->close(b->instance);
	*b = (struct bus){ 0 };
}

/* The lower memory is octets 0 to 127, a page 128 to 255. */
static bool is_within_page(const struct module_read *r)
{
	unsigned begin = r->page == MODULE_LOWER ? 0 : MODULE_PAGE_LEN;
	unsigned end = begin + MODULE_PAGE_LEN;

	return r->len > 0 && r->offset >= begin &&
	       (unsigned)r->offset + r->len <= end && end <= SPACE_LEN;
}

int bus_read(const struct bus *b, const struct module_read *r, void *ret,
	     struct diag *d)
{
	const struct access a = { "read", b->table->name, b->env.owner,
				  b->identifier, r, b->where };

	if (!is_within_page(r))
		return diag_set(d, -EINVAL, "%u octets from %u exceed page "
				"%02xh", r->len, r->offset,
				r->page);
	access_log_put(b->env.log, &a);
	return b->table->read(b->instance, r->bank, r->page, r->offset, ret,
			      r->len, d);
}

/* A missing module does not acknowledge its address; adapters report that as
 * one of three errors.
 */
int bus_error(int err)
{
	static const struct {
		int err, means;
	} rows[] = {
		{ ENXIO, -ENXIO }, { EREMOTEIO, -ENXIO }, { ENODEV, -ENXIO },
		{ ENOENT, -ENXIO }, { ETIMEDOUT, -ETIMEDOUT },
		{ EOPNOTSUPP, -EOPNOTSUPP }, { EACCES, -EACCES },
		{ EPERM, -EACCES }, { ENOMEM, -ENOMEM },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].err == err)
			return rows[i].means;
	return -EIO;
}

/* --- the access log ------------------------------------------------------- */

#define SEEN_MAX 1024u		/* of one process; later ones are all logged */
#define LINE_MAX_LEN 320

struct access_log {
	int fd;
	unsigned count;
	uint64_t seen[SEEN_MAX];
};

struct access_log *access_log_open(void)
{
	const char *path = getenv("PETREL_ACCESS_LOG");
	struct access_log *log;
	int fd;

	if (!path || path[0] == '\0')
		return NULL;
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return NULL;
	log = calloc(1, sizeof(*log));
	if (!log)
		(void)close(fd);	/* nothing was written */
	else
		log->fd = fd;
	return log;
}

void access_log_close(struct access_log *log)
{
	if (!log)
		return;
	(void)close(log->fd);	/* each line was written at once */
	free(log);
}

static bool was_seen(struct access_log *log, uint64_t hash)
{
	for (unsigned i = 0; i < log->count; i++)
		if (log->seen[i] == hash)
			return true;
	if (log->count < SEEN_MAX)
		log->seen[log->count++] = hash;
	return false;
}

void access_log_put(struct access_log *log, const struct access *a)
{
	const struct module_read *r = a->read;
	char line[LINE_MAX_LEN], page[8] = "lower";
	int n;

	if (!log)
		return;
	if (r->page != MODULE_LOWER)
		(void)snprintf(page, sizeof(page), "%02xh", r->page);
	n = snprintf(line, sizeof(line), "%s %s owner=%s type=%02xh bank=%u "
		     "page=%s offset=%u len=%u at=%s\n", a->what, a->bus,
		     a->owner ? "yes" : "no", a->identifier, r->bank, page,
		     r->offset, r->len, a->where);
	/* A line stands for one access of one place. */
	if (n <= 0 || n >= (int)sizeof(line) ||
	    was_seen(log, hash_octets(0, line, (size_t)n)))
		return;
	if (write(log->fd, line, (size_t)n) != n)
		log->count = 0;		/* log again what was lost */
}
