/* Modules that do not exist, made octet by octet with values of our own, and
 * a sink that remembers what a decoder said.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "platform/module/module.h"

#define SAID_MAX 16384
#define SAID_FAULTS_MAX 512
#define MODULE_READY_BITS 0x07	/* 00h:3: ModuleReady, no interrupt */

/* OSFP, CMIS 5.0, eight lanes DR8, bias multiplier 2, laser temperature and
 * cooler, VDM of two groups.
 */
void twin_cmis(struct module_image *m);
/* The same with four banks of eight lanes. */
void twin_cmis_banked(struct module_image *m);
/* Adds the reply of CDB command 0100h to a CMIS module: A runs and is
 * committed, B is there, and the factory's.
 */
void twin_cdb(struct module_image *m);
/* Sets the check codes of the command and its reply right. */
void twin_cdb_seal(struct module_image *m);
/* Passive copper: flat memory. */
void twin_cmis_flat(struct module_image *m);
/* C-CMIS: one media lane, tunable, pages 34h and 35h. */
void twin_coherent(struct module_image *m);
/* QSFP28 CWDM4. */
void twin_sff8636(struct module_image *m);
/* SFP+ with internal calibration. */
void twin_sff8472(struct module_image *m);
/* The same, calibrated by its constants. */
void twin_sff8472_external(struct module_image *m);

typedef void twin_make(struct module_image *m);
/* All of the above; a NULL ends them. */
extern twin_make *const twins[];

/* Writes octets; a page that is not there is made whole, of zeroes. */
void twin_put(struct module_image *m, unsigned bank, unsigned page,
	      unsigned offset, const void *octets, size_t n);
/* One octet. */
void twin_u8(struct module_image *m, unsigned bank, unsigned page,
	     unsigned offset, unsigned value);
/* Two octets, big endian. */
void twin_u16(struct module_image *m, unsigned bank, unsigned page,
	      unsigned offset, unsigned value);
/* Sets all checksums of its standard right. */
void twin_seal(struct module_image *m);

struct said_value {
	uint16_t quantity;
	unsigned lane, index;
	int64_t value;
	enum sample_quality quality;
};

struct said_fault {
	char where[32], what[160];
	enum reading_fault kind;
	unsigned parts, lane;
};

struct said {
	size_t count, fault_count;
	struct said_value value[SAID_MAX];
	struct said_fault fault[SAID_FAULTS_MAX];
	char text[ATTRIBUTE_COUNT][ATTRIBUTE_TEXT_MAX];
};

/* A sink that fills s, which is emptied first. */
struct module_sink said_sink(struct said *s);
/* Decodes into s; returns what module_decode() does. */
int said_decode(struct said *s, const struct module_image *m, unsigned parts);
/* The value, or NULL. */
const struct said_value *said_find(const struct said *s, enum quantity q,
				   unsigned lane, unsigned index);
/* How many values of a quantity. */
size_t said_count(const struct said *s, enum quantity q);
/* The sentence about a place, or NULL. */
const char *said_fault(const struct said *s, const char *where);
