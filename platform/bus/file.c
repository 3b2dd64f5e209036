/* Modules' memory as files: one file of all pages, or a folder of pages.
 *
 * A file of all pages. The offset of an octet, b its address from 0 to 255:
 *
 *   one device (QSFP, CMIS)   lower b; page p: p*128 + b
 *   the same with banks       (bank*256 + p)*128 + b, of pages that have banks
 *   two devices (SFP)         A0h: b; A2h lower: 256 + b; A2h page p:
 *                             256 + p*128 + b
 *
 * Source: SONiC's optoe driver (drivers/misc/eeprom/optoe.c), whose dev_class
 * and max_bank_size are beside its file; elsewhere octet 0 shows the layout.
 *
 * A folder of pages, as NVIDIA's sx_core driver has them, below the module's:
 *
 *   eeprom/pages/0/i2c-0x50/data   256 octets: lower memory and page 0
 *   eeprom/pages/P/data            128 octets: page P, in decimal
 *   eeprom/pages/0/i2c-0x51/data   256 octets: A2h of an SFP
 *
 * It has no banks. Source: sonic-buildimage, platform/mellanox/
 * mlnx-platform-api/sonic_platform/sfp.py.
 */
#include "platform/bus/bus_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/base/number.h"
#include "agent/base/path.h"

#define SELECT_OFFSET 127u	/* page select, in the lower memory */
#define ONES 0xffu
#define A2_BEGIN 256u
#define PAGES_OF_BANK 256u
#define BANKS_MAX 4u
#define NUMBER_LEN 15u
#define PATH_LEN (BUS_WHERE_MAX + 40u)
#define SIBLING_MAX (BUS_WHERE_MAX + 16u)

struct file {
	int root_fd;			/* borrowed */
	const char *where;		/* borrowed */
	bool two_devices, class_known;
	unsigned banks;
};

/* A number in a file beside ours; false if there is none. */
static bool sibling_number(const struct file *f, const char *name,
			   uint64_t *ret)
{
	const char *slash = strrchr(f->where, '/');
	char path[SIBLING_MAX], text[NUMBER_LEN + 1];
	int n;

	if (!slash)
		return false;
	n = snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - f->where),
		     f->where, name);
	return n < (int)sizeof(path) &&
	       path_line(f->root_fd, path, text, sizeof(text)) &&
	       number_parse(text, 0, UINT16_MAX, ret) == 0;
}

static int octets_read(int fd, off_t at, void *ret, size_t n, struct diag *d)
{
	ssize_t got = pread(fd, ret, n, at);

	if (got < 0)
		return diag_set(d, bus_error(errno), "%s", strerror(errno));
	if (got == 0)	/* optoe: flat memory ends here */
		return diag_set(d, -EOPNOTSUPP, "ends before octet %lld",
				(long long)at);
	if ((size_t)got < n)
		return diag_set(d, -ENODATA, "%zd of %zu octets at %lld", got,
				n, (long long)at);
	return 0;
}

/* Without a dev_class, the module's identifier decides. */
static int class_find(struct file *f, int fd, struct diag *d)
{
	uint8_t identifier;
	int rc = 0;

	if (f->class_known)
		return 0;
	rc = octets_read(fd, 0, &identifier, 1, d);
	if (rc < 0)
		return rc;
	f->two_devices = module_standard_by(identifier) == MODULE_SFF8472;
	return 0;
}

static bool has_banks(unsigned page)
{
	return (page >= 0x10 && page <= 0x9e) || (page >= 0xb0 && page <= ONES);
}

static int place_sfp(unsigned bank, unsigned page, unsigned offset,
		     off_t *ret)
{
	bool lower = page == MODULE_LOWER;

	if (bank > 1 || (bank == 0 && !lower && page != 0))
		return -EOPNOTSUPP;
	*ret = (off_t)offset;
	if (bank == 1)
		*ret += A2_BEGIN + (lower ? 0 : page * MODULE_PAGE_LEN);
	return 0;
}

static int place_qsfp(const struct file *f, unsigned bank, unsigned page,
		      unsigned offset, off_t *ret)
{
	if (page == MODULE_LOWER)
		page = 0;
	else if (bank > 0 && (bank >= f->banks || !has_banks(page)))
		return -EOPNOTSUPP;
	*ret = (off_t)(bank * PAGES_OF_BANK + page) * MODULE_PAGE_LEN + offset;
	return 0;
}

/* optoe restores page 0 after each read, and may fail to while the module is
 * busy: the upper memory is then another page. Source: sonic-platform-common
 * pull request 548.
 */
static int page_check(const struct file *f, int fd, unsigned page,
		      struct diag *d)
{
	uint8_t selected;
	int rc;

	if (page != 0 || f->two_devices)
		return 0;
	rc = octets_read(fd, SELECT_OFFSET, &selected, 1, d);
	if (rc == 0 && selected != 0)
		return diag_set(d, -ESTALE, "page %02xh is selected instead of "
				"page 00h", selected);
	return rc;
}

static int file_octets(struct file *f, int fd, const struct module_read *r,
		       void *ret, struct diag *d)
{
	off_t at = 0;
	int rc = class_find(f, fd, d);

	if (rc == 0)
		rc = f->two_devices ?
			place_sfp(r->bank, r->page, r->offset, &at) :
			place_qsfp(f, r->bank, r->page, r->offset, &at);
	if (rc == -EOPNOTSUPP)
		return diag_set(d, rc, "no bank %u of page %02xh", r->bank,
				r->page);
	if (rc == 0)
		rc = page_check(f, fd, r->page, d);
	return rc < 0 ? rc : octets_read(fd, at, ret, r->len, d);
}

/* Opens the file for each read: its creator may replace it. */
static int file_read(void *instance, unsigned bank, unsigned page,
		     unsigned offset, void *ret, size_t n, struct diag *d)
{
	const struct module_read r = { (uint8_t)bank, (uint16_t)page,
				       (uint8_t)offset, (uint8_t)n, 0 };
	struct file *f = instance;
	int fd = path_open(f->root_fd, f->where, O_RDONLY), rc;

	if (fd < 0)
		return path_diag(d, f->root_fd, f->where, fd),
		       bus_error(-fd);
	rc = file_octets(f, fd, &r, ret, d);
	(void)close(fd);	/* only read */
	return rc;
}

static const struct module_bus file_bus = {
	.abi = 1,
	.size = sizeof(struct module_bus),
	.name = "file",
	.read = file_read,
	.close = free,
};

/* The file of the page, and the offset in it; -EOPNOTSUPP. */
static int page_file(const struct file *f, unsigned bank, unsigned page,
		     unsigned offset, char path[static PATH_LEN], off_t *ret)
{
	bool first = page == 0 || page == MODULE_LOWER;

	if (bank > 1 || (bank == 1 && !first))
		return -EOPNOTSUPP;
	*ret = (off_t)offset;
	if (first) {
		(void)snprintf(path, PATH_LEN, "%s/eeprom/pages/0/i2c-0x%u/"
			       "data", f->where, 50 + bank);
		return 0;
	}
	*ret -= MODULE_PAGE_LEN;
	(void)snprintf(path, PATH_LEN, "%s/eeprom/pages/%u/data", f->where,
		       page);
	return 0;
}

static int pages_read(void *instance, unsigned bank, unsigned page,
		      unsigned offset, void *ret, size_t n, struct diag *d)
{
	const struct file *f = instance;
	char path[PATH_LEN];
	ssize_t got;
	off_t at;
	int fd, rc = page_file(f, bank, page, offset, path, &at);

	if (rc < 0)
		return diag_set(d, rc, "%s: no bank %u of page %02xh",
				f->where, bank, page);
	fd = path_open(f->root_fd, path, O_RDONLY);
	if (fd == -ENOENT && page != 0 && page != MODULE_LOWER)
		return diag_set(d, -EOPNOTSUPP, "%s is not there", path);
	if (fd < 0)
		return path_diag(d, f->root_fd, path, fd), bus_error(-fd);
	got = pread(fd, ret, n, at);
	rc = got < 0 ? -errno : 0;
	(void)close(fd);	/* only read */
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

static struct file *file_new(const struct bus_env *env, const char *where,
			     const struct module_bus *table, struct bus *ret,
			     struct diag *d)
{
	struct file *f = calloc(1, sizeof(*f));

	if (!f) {
		(void)diag_set(d, -ENOMEM, "no memory for %s", where);
		return NULL;
	}
	f->root_fd = env->root_fd;
	f->where = where;
	ret->table = table;
	ret->instance = f;
	return f;
}

int bus_pages_open(const struct bus_env *env, const char *where,
		   struct bus *ret, struct diag *d)
{
	return file_new(env, where, &pages_bus, ret, d) ? 0 : -ENOMEM;
}

int bus_file_open(const struct bus_env *env, const char *where,
		  struct bus *ret, struct diag *d)
{
	struct file *f = file_new(env, where, &file_bus, ret, d);
	uint64_t number;

	if (!f)
		return -ENOMEM;
	if (sibling_number(f, "dev_class", &number)) {
		f->class_known = true;
		f->two_devices = number == 2;
	}
	if (sibling_number(f, "max_bank_size", &number))
		f->banks = number < BANKS_MAX ? (unsigned)number : BANKS_MAX;
	return 0;
}
