/* Page 9Fh holds a command and, once 00h:37 says that it is done, its reply:
 *
 *   128 command   130 length on other pages   132 length here   133 check code
 *   134 length of the reply   135 its check code   136 the reply
 *
 * The reply of 0100h, by its octets:
 *
 *   0 states   1 which are given   2 image A   38 image B   74 factory
 *
 * and each image begins with major, minor and build. A check code is the
 * complement of the sum. CMIS 4.0 table 9-16, from NVIDIA's open kernel modules
 * (cci_cmis.h); SONiC api/public/cmis.py, cmisCDB.py and HPE's Cassini tools
 * (cmis_cdb.h) agree on it, on the header and on the status.
 */
#include "platform/module/cdb.h"

#include <stdio.h>

#include "petrel/cursor.h"

#define PAGE_9F PAGE(0x9f)
#define HEAD 128u
#define HEAD_LEN 8u
#define REPLY (HEAD + HEAD_LEN)
#define REPLY_MAX 120u
#define GET_FIRMWARE_INFO 0x0100u
#define SUCCESS 1		/* neither busy nor failed */
#define ACTIVE_FIRMWARE 39u	/* of lower memory: major, minor */
#define VERSION_LEN 4u

/* State bits of an image. */
#define IS_RUNNING 1u
#define IS_COMMITTED 2u
#define IS_EMPTY 4u

static const struct {
	const char *name;
	uint8_t at;		/* in the reply */
	uint8_t state_shift;	/* 8: no state bits */
} slots[CDB_SLOT_COUNT] = {
	[CDB_A] = { "A", 2, 0 },
	[CDB_B] = { "B", 38, 4 },
	[CDB_FACTORY] = { "factory", 74, 8 },
};

const char *cdb_slot_name(enum cdb_slot slot)
{
	return slots[slot].name;
}

static uint8_t check_code(const uint8_t *octets, unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += octets[i];
	return (uint8_t)~sum;
}

/* The reply; NULL if it is missing, incomplete or of another command. A command
 * with a body may find the reply in its place, which makes its check code
 * useless; this command has no body.
 */
static const uint8_t *reply_get(const struct view *v, unsigned *ret_len)
{
	const uint8_t *octets = view_octets(v, PAGE_9F, HEAD, HEAD_LEN);
	unsigned command, beyond, here, code, len, reply_code;
	struct cursor c;

	if (!octets || !(v->gates & GATE_CDB) ||
	    view_octet(v, LOWER, CDB_STATUS) != SUCCESS)
		return NULL;
	c = cursor_of(octets, HEAD_LEN);
	command = cursor_be16(&c);
	beyond = cursor_be16(&c);
	here = cursor_u8(&c);
	code = cursor_u8(&c);
	len = cursor_u8(&c);
	reply_code = cursor_u8(&c);
	if (command != GET_FIRMWARE_INFO || beyond || here ||
	    code != check_code(octets, 5) || len < 2 || len > REPLY_MAX)
		return NULL;
	octets = view_octets(v, PAGE_9F, REPLY, len);
	if (!octets || reply_code != check_code(octets, len))
		return NULL;
	*ret_len = len;
	return octets;
}

static struct cdb_image image_get(const uint8_t *reply, unsigned len,
				  enum cdb_slot slot)
{
	unsigned at = slots[slot].at;
	unsigned state = (unsigned)reply[0] >> slots[slot].state_shift;
	struct cdb_image image = {
		.is_empty = state & IS_EMPTY,
		.is_running = state & IS_RUNNING,
		.is_committed = state & IS_COMMITTED,
	};

	image.is_told = image.is_empty || (reply[1] >> slot & 1 &&
					   len >= at + VERSION_LEN);
	if (image.is_told && !image.is_empty) {
		image.major = reply[at];
		image.minor = reply[at + 1];
		image.build = (uint16_t)view_be16(reply + at + 2);
	}
	return image;
}

/* Does the lower memory show this version as the running one? */
static bool is_of_now(const struct view *v, const struct cdb_image *image)
{
	const uint8_t *active = view_octets(v, LOWER, ACTIVE_FIRMWARE, 2);

	return !image->is_told || !image->is_running || !active ||
	       (!active[0] && !active[1]) ||
	       (active[0] == image->major && active[1] == image->minor);
}

bool cdb_images(const struct view *v,
		struct cdb_image ret[static CDB_SLOT_COUNT])
{
	unsigned len;
	const uint8_t *reply = reply_get(v, &len);
	bool any = false;

	for (unsigned i = 0; reply && i < CDB_SLOT_COUNT; i++) {
		ret[i] = image_get(reply, len, (enum cdb_slot)i);
		any |= ret[i].is_told;
		if (!is_of_now(v, &ret[i]))
			return false;
	}
	return any;
}

bool cdb_is_silent(const struct view *v)
{
	struct cdb_image images[CDB_SLOT_COUNT];

	return v->gates & GATE_CDB && !cdb_images(v, images);
}

void cdb_version(const struct cdb_image *image, char ret[static 16])
{
	ret[0] = '\0';
	if (!image->is_empty)
		(void)snprintf(ret, 16, "%u.%u.%u", image->major, image->minor,
			       image->build);
}

void cdb_text(const struct view *v, char *ret, size_t cap)
{
	struct cdb_image images[CDB_SLOT_COUNT];
	bool is_there = cdb_images(v, images);
	size_t len = 0;

	ret[0] = '\0';
	for (unsigned i = 0; is_there && i < CDB_SLOT_COUNT; i++) {
		const struct cdb_image *m = &images[i];
		char version[16];

		if (!m->is_told || len >= cap)
			continue;
		cdb_version(m, version);
		len += (size_t)snprintf(ret + len, cap - len, "%s%s %s%s%s",
					len ? ", " : "", slots[i].name,
					m->is_empty ? "empty" : version,
					m->is_running ? " running" : "",
					m->is_committed ? " committed" : "");
	}
}
