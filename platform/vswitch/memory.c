#include "platform/vswitch/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "petrel/log.h"
#include "platform/sim/eeprom.h"
#include "platform/vswitch/box.h"

#define FOLDER "sys/bus/i2c/devices"
#define PATH_LEN 512

/* Of optoe: one device, two, CMIS. */
static const char *class_of(enum module_form form)
{
	switch (form) {
	case FORM_SFP:
		return "2\n";
	case FORM_CMIS:
	case FORM_CMIS_COPPER:
		return "3\n";
	default:
		return "1\n";
	}
}

static int folders_make(int root_fd, const char *path)
{
	char part[PATH_LEN];

	for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
		(void)snprintf(part, sizeof(part), "%.*s", (int)(at - path),
			       path);
		if (mkdirat(root_fd, part, 0755) < 0 && errno != EEXIST)
			return -errno;
	}
	return 0;
}

/* Whole or not at all: who reads it meanwhile has the one before. */
static int file_replace(int root_fd, const char *path, const void *data,
			size_t len)
{
	char new[PATH_LEN + 8];
	int fd, rc;

	(void)snprintf(new, sizeof(new), "%s.new", path);
	fd = openat(root_fd, new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		    0644);
	if (fd < 0)
		return -errno;
	rc = write(fd, data, len) == (ssize_t)len ? 0 : -EIO;
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && renameat(root_fd, new, root_fd, path) < 0)
		rc = -errno;
	return rc;
}

static void path_of(const struct box_port *p, const char *name,
		    char ret[static PATH_LEN])
{
	(void)snprintf(ret, PATH_LEN, FOLDER "/%u-0050/%s", p->facts.module,
		       name);
}

static int text_write(const struct box *b, const struct box_port *p,
		      const char *name, const char *text)
{
	char path[PATH_LEN];

	path_of(p, name, path);
	return file_replace(b->root_fd, path, text, strlen(text));
}

static void failure_tell(struct box *b, const struct box_port *p, int rc)
{
	if (rc < 0 && !b->memory_failed)
		log_warn("modules", "cage=%u memory cannot be written: %s",
			 p->facts.module, strerror(-rc));
	b->memory_failed = rc < 0;
}

void memory_enter(struct box *b, struct box_port *p)
{
	char path[PATH_LEN], name[24];
	int rc;

	if (b->root_fd < 0)
		return;
	(void)snprintf(name, sizeof(name), "port%u\n", p->facts.module);
	path_of(p, "eeprom", path);
	rc = folders_make(b->root_fd, path);
	if (rc == 0)
		rc = text_write(b, p, "port_name", name);
	if (rc == 0)
		rc = text_write(b, p, "dev_class", class_of(p->form));
	failure_tell(b, p, rc);
	p->memory_seen = (struct seen){ 0 };
}

/* Another file each time would be most of what 512 modules cost. */
void memory_write(struct box *b, size_t port)
{
	struct box_port *p = &b->port[port];
	uint8_t octets[EEPROM_FILE_MAX];
	char path[PATH_LEN];
	struct eeprom e;
	size_t len;

	if (b->root_fd < 0 || !eeprom_write_plant(b->plant, port, &e))
		return;
	len = eeprom_file(&e, octets);
	if (seen_again(&p->memory_seen, octets, len))
		return;
	path_of(p, "eeprom", path);
	failure_tell(b, p, file_replace(b->root_fd, path, octets, len));
}

void memory_remove(struct box *b, const struct box_port *p)
{
	char path[PATH_LEN];

	if (b->root_fd < 0)
		return;
	path_of(p, "eeprom", path);
	(void)unlinkat(b->root_fd, path, 0);	/* it may not be there */
}
