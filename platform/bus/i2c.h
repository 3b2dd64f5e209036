/* The octets of a module on an i2c-dev bus; the one way that can write: the
 * page select, and only where Petrel owns the modules (C6).
 */
#pragma once

#include "platform/bus/bus.h"

struct i2c_rdwr_ioctl_data;

/* What i2c.c asks of the kernel; a test plays a module with it. */
struct i2c_io {
	/* Takes the address for this descriptor: -EBUSY where a driver of the
	 * kernel has it.
	 */
	int (*claim)(int fd, unsigned address);
	/* I2C_RDWR: one transfer of several messages. */
	int (*transfer)(int fd, struct i2c_rdwr_ioctl_data *data);
};

/* bus_i2c_open() with another kernel. */
int bus_i2c_open_io(const struct bus_env *env, const char *where,
		    const struct i2c_io *io, struct bus *ret, struct diag *d);
