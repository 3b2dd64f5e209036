/* Modules as xcvrd shows them in STATE_DB: identity, for every sub-port;
 * readings, only for the first sub-port of a cage. And their memory, as files
 * below the switch's root in the place of SONiC's optoe driver: these and
 * STATE_DB show the same moment.
 */
#include "platform/vswitch/rows.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "petrel/log.h"
#include "platform/sim/eeprom.h"
#include "platform/vswitch/box.h"
#include "platform/vswitch/module_view.h"
#include "platform/vswitch/root.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define FOLDER "sys/bus/i2c/devices"
#define PATH_LEN 512

/* Tables of a port's module, except those of flags and VDM. */
static const char *const tables[] = {
	"TRANSCEIVER_INFO", "TRANSCEIVER_FIRMWARE_INFO",
	"TRANSCEIVER_DOM_SENSOR", "TRANSCEIVER_DOM_THRESHOLD",
	"TRANSCEIVER_STATUS", "TRANSCEIVER_DOM_TEMPERATURE",
};

/* --- memory, as in optoe: FOLDER/N-0050/eeprom for cage N ----------------- */

/* optoe's dev_class: one device, two, CMIS. */
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

static void memory_enter(struct box *b, struct box_port *p)
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

/* Writes the module's present memory; port: the first of its cage. Creating a
 * new file each time would be most of the cost of 512 modules.
 */
static void memory_write(struct box *b, size_t port)
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

static void memory_remove(struct box *b, const struct box_port *p)
{
	char path[PATH_LEN];

	if (b->root_fd < 0)
		return;
	path_of(p, "eeprom", path);
	(void)unlinkat(b->root_fd, path, 0);	/* it may not exist */
}

/* --- xcvrd ---------------------------------------------------------------- */

void xcvrd_delete(const struct box_port *p)
{
	for (size_t i = 0; i < COUNT(tables); i++)
		out_delete(p->out, STATE_DB, tables[i], p->facts.name);
	flags_delete(p->out, p->facts.name);
	vdm_delete(p->out, p->facts.name);
}

/* None of the rows exists any more. */
static void rows_forget(struct box_port *p)
{
	memset(p->flags, 0, sizeof(*p->flags));
	memset(p->seen, 0, sizeof(p->seen));
	p->serial[0] = '\0';
}

static void module_leave(struct box *b, struct box_port *p)
{
	xcvrd_delete(p);
	module_software_row(p, false);
	memset(&p->vdm, 0, sizeof(p->vdm));
	rows_forget(p);
	if (box_is_first(p))
		memory_remove(b, p);
}

static void module_enter(struct box *b, struct box_port *p)
{
	memcpy(p->serial, p->now.serial, sizeof(p->serial));
	module_info_row(p);
	module_software_row(p, true);
	if (!box_is_first(p))
		return;
	memory_enter(b, p);
	module_threshold_row(p);
	if (p->form == FORM_CMIS)
		vdm_thresholds(p);
	xcvrd_read(b, (size_t)(p - b->port));
}

/* A second after a link changed, xcvrd reads the flags of its cage again. */
static void flags_follow(struct box *b, struct box_port *p)
{
	struct box_port *first = p - (p->subport ? p->subport - 1 : 0);
	struct module_view v;

	if (p->flags_due == 0 || --p->flags_due > 0 || !p->now.present ||
	    first->stopped)
		return;
	module_view(b, (size_t)(first - b->port), &v);
	module_flag_rows(first, &v);
}

void xcvrd_presence(struct box *b)
{
	for (size_t i = 0; i < b->port_count; i++) {
		struct box_port *p = &b->port[i];

		flags_follow(b, p);
		if (p->stopped || strcmp(p->serial, p->now.serial) == 0)
			continue;
		if (p->serial[0])
			module_leave(b, p);
		if (p->now.present)
			module_enter(b, p);
	}
}

void xcvrd_forget(struct box *b)
{
	for (size_t i = 0; i < b->port_count; i++) {
		struct box_port *p = &b->port[i];

		p->vdm.is_posted = false;
		rows_forget(p);
	}
}

void xcvrd_watch(struct box *b)
{
	for (size_t i = 0; i < b->port_count; i++) {
		struct box_port *p = &b->port[i];
		struct module_view v;

		if (!box_is_first(p) || p->form != FORM_CMIS ||
		    !p->now.present)
			continue;
		module_view(b, i, &v);
		vdm_watch(&p->vdm, &v);
	}
}

void xcvrd_heat(struct box *b)
{
	for (struct box_port *p = NULL; (p = box_next(b, p));) {
		struct out *o = p->out;
		struct module_view v;

		if (!box_is_first(p) || !p->now.present || module_is_mute(p))
			continue;
		module_view(b, (size_t)(p - b->port), &v);
		out_row(o, STATE_DB, "TRANSCEIVER_DOM_TEMPERATURE",
			p->facts.name);
		out_rounded(o, "temperature", v.temp_c, 3);
		out_updated(o);
		out_row_end(o);
	}
}

void xcvrd_read(struct box *b, size_t port)
{
	struct box_port *p = &b->port[port];
	struct module_view v;

	if (!box_is_first(p) || p->stopped || !p->now.present)
		return;
	module_view(b, port, &v);
	memory_write(b, port);
	module_sensor_row(p, &v);
	module_status_row(p, &v);
	module_flag_rows(p, &v);
	if (p->form == FORM_CMIS)
		vdm_read(p, &v);
}

/* One module after the other, one round per interval. */
bool xcvrd_round(struct box *b, int64_t slice_ns)
{
	int64_t now_ns = b->now.ns;
	int64_t gone_ns = now_ns - b->round_ns + slice_ns;
	double part = (double)gone_ns / (double)b->cadences.modules_ns;
	size_t count = b->port_count, until = count;

	if (part < 1)
		until = (size_t)(part * (double)count);
	for (; b->next_module < until; b->next_module++)
		xcvrd_read(b, b->next_module);
	if (part < 1)
		return false;
	b->next_module = 0;
	/* Rounds keep their schedule, unless one was missed. */
	b->round_ns += b->cadences.modules_ns;
	if (now_ns - b->round_ns > b->cadences.modules_ns)
		b->round_ns = now_ns;
	return true;
}
