/* A file of all pages. Where an octet stands, b its address from 0 to 255:
 *
 *   one device (QSFP, CMIS)   lower b; page p: p*128 + b
 *   the same with banks       (bank*256 + p)*128 + b, of pages that have banks
 *   two devices (SFP)         A0h: b; A2h lower: 256 + b; A2h page p:
 *                             256 + p*128 + b
 *
 * Source: SONiC's optoe driver (drivers/misc/eeprom/optoe.c), whose dev_class
 * and max_bank_size stand beside its file; elsewhere octet 0 tells which.
 */
#include "platform/bus/bus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/base/number.h"
#include "agent/base/path.h"

#define SELECT_OFFSET 127u	/* page select, in the lower memory */
#define IDENTIFIER_SFP 0x03u	/* SFF-8024 table 4-1 */
#define ONES 0xffu
#define A2_BEGIN 256u
#define PAGES_OF_BANK 256u
#define BANKS_MAX 4u
#define NUMBER_LEN 15u
#define SIBLING_MAX (BUS_WHERE_MAX + 16u)

struct file {
	int root_fd;			/* borrowed */
	const char *where;		/* borrowed */
	bool two_devices, class_known;
	unsigned banks;
};

/* A number in a file beside ours; false where there is none. */
static bool sibling_number(const struct file *f, const char *name,
			   uint64_t *ret)
{
	const char *slash = strrchr(f->where, '/');
	char path[SIBLING_MAX], *text;
	size_t len;
	int n;
	bool ok;

	if (!slash)
		return false;
	n = snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - f->where),
		     f->where, name);
	if (n >= (int)sizeof(path) ||
	    path_read(f->root_fd, path, NUMBER_LEN, &text, &len) < 0)
		return false;
	ok = number_parse_n(text, strcspn(text, "\n"), 0, UINT16_MAX,
			    ret) == 0;
	free(text);
	return ok;
}

static int octets_read(int fd, off_t at, void *ret, size_t n, struct diag *d)
{
	ssize_t got = pread(fd, ret, n, at);

	if (got < 0)
		return diag_set(d, bus_error(errno), "%s", strerror(errno));
	if (got == 0)	/* optoe: a flat memory has no more */
		return diag_set(d, -EOPNOTSUPP, "ends before octet %lld",
				(long long)at);
	if ((size_t)got < n)
		return diag_set(d, -ENODATA, "%zd of %zu octets at %lld", got,
				n, (long long)at);
	return 0;
}

/* Where no dev_class says it, what the module says it is. */
static int class_find(struct file *f, int fd, struct diag *d)
{
	uint8_t identifier;
	int rc = 0;

	if (f->class_known)
		return 0;
	rc = octets_read(fd, 0, &identifier, 1, d);
	if (rc < 0)
		return rc;
	f->two_devices = identifier == IDENTIFIER_SFP;
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

/* optoe puts page 0 back after each read, and may fail in that while the
 * module is busy: then what stands in the upper half is another page. Source:
 * sonic-platform-common pull request 548.
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
		return diag_set(d, -ESTALE, "page %02xh is selected where page "
				"00h was asked for", selected);
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

/* Opened for each read: whoever makes the file may put another in its place.
 */
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
	(void)close(fd);	/* it was only read */
	return rc;
}

static const struct module_bus file_bus = {
	.abi = 1,
	.size = sizeof(struct module_bus),
	.name = "file",
	.read = file_read,
	.close = free,
};

int bus_file_open(const struct bus_env *env, const char *where,
		  struct bus *ret, struct diag *d)
{
	struct file *f = calloc(1, sizeof(*f));
	uint64_t number;

	if (!f)
		return diag_set(d, -ENOMEM, "no memory for %s", where);
	f->root_fd = env->root_fd;
	f->where = where;
	if (sibling_number(f, "dev_class", &number)) {
		f->class_known = true;
		f->two_devices = number == 2;
	}
	if (sibling_number(f, "max_bank_size", &number))
		f->banks = number < BANKS_MAX ? (unsigned)number : BANKS_MAX;
	ret->table = &file_bus;
	ret->instance = f;
	return 0;
}
