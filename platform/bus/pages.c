/* A folder of pages, as NVIDIA's sx_core driver has them, below the module's:
 *
 *   eeprom/pages/0/i2c-0x50/data   256 octets: lower memory and page 0
 *   eeprom/pages/P/data            128 octets: page P, in decimal
 *   eeprom/pages/0/i2c-0x51/data   256 octets: A2h of an SFP
 *
 * It has no banks. Source: sonic-buildimage, platform/mellanox/
 * mlnx-platform-api/sonic_platform/sfp.py.
 */
#include "platform/bus/bus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/base/path.h"

#define PATH_LEN (BUS_WHERE_MAX + 40u)

struct pages {
	int root_fd;		/* borrowed */
	const char *where;	/* borrowed */
};

/* The file that has it, and where in it; -EOPNOTSUPP. */
static int page_place(const struct pages *p, unsigned bank, unsigned page,
		      unsigned offset, char path[static PATH_LEN], off_t *ret)
{
	bool first = page == 0 || page == MODULE_LOWER;

	if (bank > 1 || (bank == 1 && !first))
		return -EOPNOTSUPP;
	*ret = (off_t)offset;
	if (first) {
		(void)snprintf(path, PATH_LEN, "%s/eeprom/pages/0/i2c-0x%u/"
			       "data", p->where, 50 + bank);
		return 0;
	}
	*ret -= MODULE_PAGE_LEN;
	(void)snprintf(path, PATH_LEN, "%s/eeprom/pages/%u/data", p->where,
		       page);
	return 0;
}

static int pages_read(void *instance, unsigned bank, unsigned page,
		      unsigned offset, void *ret, size_t n, struct diag *d)
{
	const struct pages *p = instance;
	char path[PATH_LEN];
	ssize_t got;
	off_t at;
	int fd, rc = page_place(p, bank, page, offset, path, &at);

	if (rc < 0)
		return diag_set(d, rc, "%s: no bank %u of page %02xh",
				p->where, bank, page);
	fd = path_open(p->root_fd, path, O_RDONLY);
	if (fd == -ENOENT && page != 0 && page != MODULE_LOWER)
		return diag_set(d, -EOPNOTSUPP, "%s is not there", path);
	if (fd < 0)
		return path_diag(d, p->root_fd, path, fd), bus_error(-fd);
	got = pread(fd, ret, n, at);
	rc = got < 0 ? -errno : 0;
	(void)close(fd);	/* it was only read */
	if (rc < 0)
		return diag_set(d, bus_error(-rc), "%s: %s", path,
				strerror(-rc));
	if ((size_t)got < n)
		return diag_set(d, -ENODATA, "%s: %zd of %zu octets at %lld",
				path, got, n, (long long)at);
	return 0;
}

static const struct module_bus pages_bus = {
	.abi = 1,
	.size = sizeof(struct module_bus),
	.name = "pages",
	.read = pages_read,
	.close = free,
};

int bus_pages_open(const struct bus_env *env, const char *where,
		   struct bus *ret, struct diag *d)
{
	struct pages *p = calloc(1, sizeof(*p));

	if (!p)
		return diag_set(d, -ENOMEM, "no memory for %s", where);
	p->root_fd = env->root_fd;
	p->where = where;
	ret->table = &pages_bus;
	ret->instance = p;
	return 0;
}
