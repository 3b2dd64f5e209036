/* The octets of a module on an i2c-dev bus. The only bus that can write: the
 * page select, and only if Petrel owns the modules (C6).
 */
#pragma once

#include "platform/bus/bus.h"

struct i2c_rdwr_ioctl_data;

/* Kernel calls of i2c.c; a test simulates a module with them. */
struct i2c_io {
	/* Claims the address for this descriptor: -EBUSY if a kernel driver has
	 * it.
	 */
	int (*claim)(int fd, unsigned address);
	/* I2C_RDWR: one transfer of several messages. */
	int (*transfer)(int fd, struct i2c_rdwr_ioctl_data *data);
};

/* bus_i2c_open() with other calls. */
int bus_i2c_open_io(const struct bus_env *env, const char *where,
		    const struct i2c_io *io, struct bus *ret, struct diag *d);
