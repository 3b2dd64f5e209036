/* A transaction of the owner, each line one I2C_RDWR:
 *
 *   S addr W 126 bank page P               bank and page, unless already 0
 *   S addr W offset Sr addr R octets… P
 *   S addr W 126 0 0 P                     back to 0, as it was found
 *
 * Without ownership only the middle one is used, for the lower memory. Bank and
 * page are written in one go and take effect together (CMIS 5.2, 8.2.15).
 */
#include "platform/bus/i2c.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <sys/ioctl.h>
#include "agent/base/number.h"
#include "agent/base/path.h"
#include "platform/bus/bus_kind.h"

#define ADDRESS_A0 0x50u
#define ADDRESS_A2 0x51u	/* of an SFP: bank 1 of the image */
#define SELECT_OFFSET 126u
#define BUS_NUMBER_MAX 4095u
#define PATH_LEN 32

struct i2c {
	const struct i2c_io *io;
	struct bus_env env;
	const char *where;		/* borrowed */
	char path[PATH_LEN];
};

static int kernel_claim(int fd, unsigned address)
{
	return ioctl(fd, I2C_SLAVE, (unsigned long)address) < 0 ? -errno : 0;
}

static int kernel_transfer(int fd, struct i2c_rdwr_ioctl_data *data)
{
	return ioctl(fd, I2C_RDWR, data) < 0 ? -errno : 0;
}

static const struct i2c_io kernel = { kernel_claim, kernel_transfer };

static int octets_read(const struct i2c *i, int fd, unsigned address,
		       unsigned offset, void *ret, size_t n)
{
	uint8_t at = (uint8_t)offset;
	struct i2c_msg message[] = {
		{ .addr = (uint16_t)address, .len = 1, .buf = &at },
		{ .addr = (uint16_t)address, .flags = I2C_M_RD,
		  .len = (uint16_t)n, .buf = ret },
	};
	struct i2c_rdwr_ioctl_data data = { message, 2 };

	return i->io->transfer(fd, &data);
}

static int page_select(const struct i2c *i, int fd, unsigned address,
		       uint8_t bank, uint8_t page)
{
	const struct module_read r = { bank, page, SELECT_OFFSET, 2, 0 };
	const struct access a = { "write", "i2c", i->env.owner, 0, &r,
				  i->where };
	uint8_t octets[] = { SELECT_OFFSET, bank, page };
	struct i2c_msg message = { .addr = (uint16_t)address,
				   .len = sizeof(octets), .buf = octets };
	struct i2c_rdwr_ioctl_data data = { &message, 1 };

	access_log_put(i->env.log, &a);
	return i->io->transfer(fd, &data);
}

/* The page to select, and the octet of the page select. */
static int page_read(const struct i2c *i, int fd, unsigned address,
		     const struct module_read *r, void *ret, struct diag *d)
{
	uint8_t now[2] = { 0 };
	int rc = page_select(i, fd, address, r->bank, (uint8_t)r->page), back;

	if (rc == 0)
		rc = octets_read(i, fd, address, SELECT_OFFSET, now, 2);
	if (rc == 0 && now[1] != r->page)
		rc = -ESTALE;
	if (rc == 0)
		rc = octets_read(i, fd, address, r->offset, ret, r->len);
	back = page_select(i, fd, address, 0, 0);
	if (rc == -ESTALE)
		return diag_set(d, rc, "i2c-%s: page %02xh was selected, but "
				"the module stays at %02xh", i->where, r->page,
				now[1]);
	return rc < 0 ? rc : back;
}

static int module_octets(const struct i2c *i, int fd,
			 const struct module_read *r, void *ret,
			 struct diag *d)
{
	struct module_read wanted = *r;
	uint8_t identifier;
	int rc;

	if (r->page == MODULE_LOWER && r->bank == 0)
		return octets_read(i, fd, ADDRESS_A0, r->offset, ret, r->len);
	rc = octets_read(i, fd, ADDRESS_A0, 0, &identifier, 1);
	if (rc < 0)
		return rc;
	if (module_standard_by(identifier) != MODULE_SFF8472)
		return page_read(i, fd, ADDRESS_A0, &wanted, ret, d);
	if (r->bank == 0)	/* A0h has no pages */
		return r->page != 0 ? -EOPNOTSUPP :
			octets_read(i, fd, ADDRESS_A0, r->offset, ret, r->len);
	wanted.bank = 0;
	return r->page == MODULE_LOWER ?
		octets_read(i, fd, ADDRESS_A2, r->offset, ret, r->len) :
		page_read(i, fd, ADDRESS_A2, &wanted, ret, d);
}

/* Only the owner knows which page is in the upper memory. */
static bool is_forbidden(const struct i2c *i, const struct module_read *r)
{
	return r->page != MODULE_LOWER && !i->env.owner;
}

static int i2c_read(void *instance, unsigned bank, unsigned page,
		    unsigned offset, void *ret, size_t n, struct diag *d)
{
	const struct module_read r = { (uint8_t)bank, (uint16_t)page,
				       (uint8_t)offset, (uint8_t)n, 0 };
	const struct i2c *i = instance;
	int fd, rc;

	if (is_forbidden(i, &r))
		return diag_set(d, -EOPNOTSUPP, "i2c-%s: page %02xh needs a "
				"page select, which is written with [Module] "
				"owner = yes only", i->where, page);
	fd = path_open(i->env.root_fd, i->path, O_RDWR);
	if (fd < 0)
		return path_diag(d, i->env.root_fd, i->path, fd),
		       bus_error(-fd);
	rc = i->io->claim(fd, ADDRESS_A0);
	if (rc == -EBUSY)
		rc = diag_set(d, -EACCES, "i2c-%s: a kernel driver uses this "
			      "module; read it through the driver's file",
			      i->where);
	else if (rc == 0)
		rc = module_octets(i, fd, &r, ret, d);
	(void)close(fd);	/* each transfer returned its result */
	if (rc == 0 || rc == -EACCES || rc == -ESTALE)
		return rc;
	return diag_set(d, bus_error(-rc), "i2c-%s: %s", i->where,
			strerror(-rc));
}

static const struct module_bus i2c_bus = {
	.abi = 1,
	.size = sizeof(struct module_bus),
	.name = "i2c",
	.read = i2c_read,
	.close = free,
};

int bus_i2c_open_io(const struct bus_env *env, const char *where,
		    const struct i2c_io *io, struct bus *ret, struct diag *d)
{
	struct i2c *i;
	uint64_t number;

	if (number_parse(where, 0, BUS_NUMBER_MAX, &number) < 0)
		return diag_set(d, -EINVAL, "'%s' is not an i2c bus; expected "
				"its number, as in /dev/i2c-12", where);
	i = calloc(1, sizeof(*i));
	if (!i)
		return diag_set(d, -ENOMEM, "no memory for i2c-%s", where);
	i->io = io;
	i->env = *env;
	i->where = where;
	(void)snprintf(i->path, sizeof(i->path), "/dev/i2c-%u",
		       (unsigned)number);
	ret->table = &i2c_bus;
	ret->instance = i;
	return 0;
}

int bus_i2c_open(const struct bus_env *env, const char *where,
		 struct bus *ret, struct diag *d)
{
	return bus_i2c_open_io(env, where, &kernel, ret, d);
}
