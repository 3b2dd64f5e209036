#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "petrel/plant.h"

#define SCENARIO_OCTETS_MAX (1u << 20)

/* Reads a whole file of at most cap octets. */
static ssize_t file_read(const char *path, char *text, size_t cap)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = 1;

	if (fd < 0)
		return -errno;
	while (len < cap && n > 0) {
		n = read(fd, text + len, cap - len);
		len += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		n = -errno;
	(void)close(fd);	/* it was only read */
	return n < 0 ? n : (ssize_t)len;
}

int plant_open_file(const char *path, struct plant **ret, struct diag *d)
{
	/* One octet over the limit tells a file that is too long. */
	char *text = malloc(SCENARIO_OCTETS_MAX + 1);
	ssize_t len;
	int rc;

	if (!text)
		return diag_set(d, -ENOMEM, "%s: no memory", path);
	len = file_read(path, text, SCENARIO_OCTETS_MAX + 1);
	rc = len < 0 ? diag_set(d, (int)len, "%s: %s", path,
				strerror((int)-len)) :
		       plant_open(text, (size_t)len, path, ret, d);
	free(text);
	return rc;
}
