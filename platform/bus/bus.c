#include "platform/bus/bus.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "platform/bus/access_log.h"

#define SPACE_LEN (2 * MODULE_PAGE_LEN)

static const struct kind {
	const char *name;
	int (*open)(const struct bus_env *env, const char *where,
		    struct bus *ret, struct diag *d);
	/* Of the file: what stands before where and behind it. */
	const char *before, *behind;
	int want;
} kinds[BUS_KIND_COUNT] = {
	[BUS_FILE] = { "file", bus_file_open, "", "", R_OK },
	[BUS_PAGES] = { "pages", bus_pages_open, "", "/eeprom/pages/0/data",
			R_OK },
	[BUS_ETHTOOL] = { "ethtool", bus_ethtool_open, "", "", 0 },
	[BUS_I2C] = { "i2c", bus_i2c_open, "/dev/i2c-", "", R_OK | W_OK },
};

int bus_file_of(const struct bus_place *place,
		char ret[static BUS_FILE_PATH_MAX])
{
	const struct kind *k = &kinds[place->kind];

	(void)snprintf(ret, BUS_FILE_PATH_MAX, "%s%s%s", k->before,
		       place->where, k->behind);
	return k->want;
}

const char *bus_kind_name(enum bus_kind kind)
{
	return (unsigned)kind < BUS_KIND_COUNT ? kinds[kind].name : NULL;
}

int bus_open(const struct bus_env *env, const struct bus_place *place,
	     struct bus *ret, struct diag *d)
{
	struct bus b = { .env = *env, .where = place->where };
	int rc;

	if ((unsigned)place->kind >= BUS_KIND_COUNT)
		return diag_set(d, -EINVAL, "%u is no kind of bus",
				(unsigned)place->kind);
	rc = kinds[place->kind].open(env, place->where, &b, d);
	if (rc == 0)
		*ret = b;
	return rc;
}

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
		return diag_set(d, -EINVAL, "%u octets from %u of page %02xh "
				"do not lie within it", r->len, r->offset,
				r->page);
	access_log_put(b->env.log, &a);
	return b->table->read(b->instance, r->bank, r->page, r->offset, ret,
			      r->len, d);
}

/* A module that is not there does not acknowledge its address, for which
 * adapters have three names.
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
