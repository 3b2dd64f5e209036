/* A pluggable module's memory, and its meaning: SFF-8472, SFF-8436/8636 and
 * CMIS 3 to 5. Nothing here does I/O: a bus (petrel/module_bus.h) fetches what
 * the plan asks for into an image, and the decoder reads the image.
 *
 * Pages are 128 octets. The lower memory is page MODULE_LOWER of bank 0. An
 * SFP's two devices are banks: 0 is A0h, 1 is A2h, each with a lower memory and
 * pages; page 0 is its upper half.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "petrel/entity.h"
#include "petrel/module.h"
#include "petrel/module_bus.h"
#include "petrel/quantity.h"
#include "petrel/sample.h"

#define MODULE_PAGES_MAX 104	/* of one image */

enum module_standard {		/* SFF-8024 table 4-1, octet 0 */
	MODULE_UNKNOWN,
	MODULE_SFF8472,
	MODULE_SFF8636,		/* and SFF-8436 */
	MODULE_CMIS,
};

struct module_page {
	uint8_t bank;
	uint16_t page;		/* a number, or MODULE_LOWER */
	uint64_t have[2];	/* bit n: octet n was read */
	uint8_t octets[MODULE_PAGE_LEN];
};

/* The octets read from one module; pages in order of arrival. */
struct module_image {
	unsigned count;
	struct module_page page[MODULE_PAGES_MAX];
};

/* Parts of a module's memory that change at their own pace. */
enum module_part {
	MODULE_IDENTITY = 1 << 0,	/* and applications */
	MODULE_THRESHOLDS = 1 << 1,
	MODULE_MONITORS = 1 << 2,	/* temperature, power, bias */
	MODULE_STATUS = 1 << 3,		/* states of data paths and lanes */
	MODULE_FLAGS = 1 << 4,		/* latched: for the owner only (C6) */
	MODULE_VDM = 1 << 5,		/* current values */
	MODULE_VDM_THRESHOLDS = 1 << 6,
	MODULE_PM = 1 << 7,		/* coherent; frozen by the owner only */
	MODULE_CONTROLS = 1 << 8,	/* the host's settings and the module's
					 * state: change rarely */
	MODULE_ALL_PARTS = (1 << 9) - 1,
};

/* One transaction: octets of one page. offset as for module_bus.read(). */
struct module_read {
	uint8_t bank;
	uint16_t page;		/* a number, or MODULE_LOWER */
	uint8_t offset, len;
	uint8_t clears;		/* 1: reading clears latched flags there */
};

/* Something implausible: a checksum, a page that did not switch, all ones. */
struct module_doubt {
	enum reading_fault fault;
	unsigned parts;		/* enum module_part: what it affects */
	unsigned lane;		/* 0: the module itself, or all of it; as in the
				 * sink */
	const char *where;	/* "11h:186" */
	const char *what;	/* a sentence */
};

/* A data path is reported as this plus its first host lane. */
#define MODULE_PATH 64u

/* Where decoded things go. lane 0 is the module, else from 1; from MODULE_PATH
 * on it is a data path.
 */
struct module_sink {
	void *context;
	void (*text)(void *context, enum attribute which, const char *text);
	void (*value)(void *context, enum quantity quantity, unsigned lane,
		      unsigned index, int64_t value,
		      enum sample_quality quality);
	/* Never also given as a value. */
	void (*implausible)(void *context, const struct module_doubt *doubt);
};

/* Octets of an image, or -ENODATA if one of them was not read. offset: 0 to 127
 * of MODULE_LOWER, 128 to 255 of a page.
 */
int module_image_get(const struct module_image *m, unsigned bank,
		     unsigned page, unsigned offset, void *ret, size_t n);
/* Keeps octets that were read; -ENOSPC. */
int module_image_put(struct module_image *m, unsigned bank, unsigned page,
		     unsigned offset, const void *octets, size_t n);

/* Drops the octets of parts, so that the plan asks for them again. Keeps
 * identity and what the module advertises, unless parts include them.
 */
void module_image_forget(struct module_image *m, unsigned parts);

/* By octet 0; MODULE_UNKNOWN for an unknown identifier. */
enum module_standard module_standard_of(const struct module_image *m);

/* That of an identifier, octet 0. */
enum module_standard module_standard_by(uint8_t identifier);

/* What to read next so that parts can be decoded, given what the image has
 * already (octet 0 first, then what it advertises), in the fewest transactions.
 * owner: latched flags may be read (C6). Returns how many; 0: none.
 */
size_t module_plan(const struct module_image *m, unsigned parts, bool owner,
		   struct module_read *ret, size_t max);

/* Passes on everything that the image has for these parts. Returns 0; -ENODATA
 * if even octet 0 is missing; -EOPNOTSUPP with d for an unknown type.
 */
int module_decode(const struct module_image *m, unsigned parts,
		  const struct module_sink *sink, struct diag *d);
