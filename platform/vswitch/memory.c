#include "platform/vswitch/memory.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "petrel/log.h"
#include "platform/sim/eeprom.h"
#include "platform/vswitch/box.h"
#include "platform/vswitch/root.h"

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
	return root_replace(b->root_fd, path, text, strlen(text));
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
	char name[24];
	int rc;

	if (b->root_fd < 0)
		return;
	(void)snprintf(name, sizeof(name), "port%u\n", p->facts.module);
	rc = text_write(b, p, "port_name", name);
	if (rc == 0)
		rc = text_write(b, p, "dev_class", class_of(p->form));
	failure_tell(b, p, rc);
	p->memory_seen = (struct out_seen){ 0 };
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
	if (out_seen_again(&p->memory_seen, octets, len))
		return;
	path_of(p, "eeprom", path);
	failure_tell(b, p, root_replace(b->root_fd, path, octets, len));
}

void memory_remove(struct box *b, const struct box_port *p)
{
	char path[PATH_LEN];

	if (b->root_fd < 0)
		return;
	path_of(p, "eeprom", path);
	(void)unlinkat(b->root_fd, path, 0);	/* it may not be there */
}
