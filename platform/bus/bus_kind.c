#include "platform/bus/bus_kind.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static const struct kind {
	const char *name;
	int (*open)(const struct bus_env *env, const char *where,
		    struct bus *ret, struct diag *d);
	/* Parts of the file's path before and after where. */
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
		return diag_set(d, -EINVAL, "%u is not a kind of bus",
				(unsigned)place->kind);
	rc = kinds[place->kind].open(env, place->where, &b, d);
	if (rc == 0)
		*ret = b;
	return rc;
}
