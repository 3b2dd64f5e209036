#include "platform/module/media.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/names.h"
#include "platform/module/application.h"
#include "platform/module/code.h"
#include "platform/module/register_tables.h"

/* SFF-8024 table 4-3, connectors */
#define OPTICAL_PIGTAIL 0x0b
#define COPPER_PIGTAIL 0x21
#define CONNECTOR_RJ45 0x22
#define NOT_SEPARABLE 0x23

static const char *const cables[] = {
	[CABLE_OPTICS] = "optics",
	[CABLE_PASSIVE_COPPER] = "passive copper",
	[CABLE_ACTIVE_COPPER] = "active copper",
	[CABLE_ACTIVE_OPTICAL] = "active optical cable",
	[CABLE_BASE_T] = "BASE-T",
};

const char *cable_word(enum cable cable)
{
	return names_get(cables, TABLE_COUNT(cables), cable);
}

/* What a laser sends that an active cable has, in nm. */
#define WAVELENGTH_LEAST 800
#define WAVELENGTH_MOST 1700

/* Transmitter technologies 0Ah to 0Fh are copper, the first two of them
 * passive; 0Fh and 12h to 14h are linear active copper.
 */
static enum cable cable_by_technology(int technology)
{
	if (technology < 0)
		return CABLE_UNKNOWN;
	if (technology == 0x0a || technology == 0x0b)
		return CABLE_PASSIVE_COPPER;
	if ((technology >= 0x0c && technology <= 0x0f) || technology >= 0x12)
		return CABLE_ACTIVE_COPPER;
	return CABLE_OPTICS;
}

/* By the type of media, 00h:85; the technology distinguishes active cables.
 * A linear one may say that it is passive: its applications are the same.
 */
static enum cable cmis_cable(const struct view *v)
{
	static const enum cable types[] = {
		CABLE_UNKNOWN, CABLE_OPTICS, CABLE_OPTICS,
		CABLE_PASSIVE_COPPER, CABLE_ACTIVE_OPTICAL, CABLE_BASE_T,
	};
	int type = view_octet(v, LOWER, 85);
	int technology = view_octet(v, PAGE(0x00), 212);

	if (type < 0 || type >= (int)TABLE_COUNT(types))
		return CABLE_UNKNOWN;
	if ((types[type] == CABLE_ACTIVE_OPTICAL ||
	     types[type] == CABLE_PASSIVE_COPPER) &&
	    cable_by_technology(technology) == CABLE_ACTIVE_COPPER)
		return CABLE_ACTIVE_COPPER;
	return types[type];
}

/* The cable that an extended compliance code implies, if any. */
static enum cable cable_by_compliance(int code)
{
	static const uint8_t cables_of[] = {
		[0x01] = CABLE_ACTIVE_OPTICAL, [0x08] = CABLE_ACTIVE_COPPER,
		[0x0b] = CABLE_PASSIVE_COPPER, [0x0c] = CABLE_PASSIVE_COPPER,
		[0x0d] = CABLE_PASSIVE_COPPER,
		[0x16] = CABLE_BASE_T, [0x18] = CABLE_ACTIVE_OPTICAL,
		[0x19] = CABLE_ACTIVE_COPPER, [0x1c] = CABLE_BASE_T,
		[0x1d] = CABLE_BASE_T, [0x1e] = CABLE_BASE_T,
		[0x30] = CABLE_ACTIVE_COPPER, [0x31] = CABLE_ACTIVE_OPTICAL,
		[0x32] = CABLE_ACTIVE_COPPER, [0x33] = CABLE_ACTIVE_OPTICAL,
		[0x3f] = CABLE_PASSIVE_COPPER, [0x40] = CABLE_PASSIVE_COPPER,
	};

	return code >= 0 && code < (int)TABLE_COUNT(cables_of) ?
	       (enum cable)cables_of[code] : CABLE_UNKNOWN;
}

static enum cable sff8636_cable(const struct view *v)
{
	int technology = view_octet(v, PAGE(0x00), 147);
	enum cable cable = CABLE_UNKNOWN;

	if (technology >= 0)
		cable = cable_by_technology(technology >> 4);
	/* optics that cannot be unplugged are a cable, whatever else it says */
	if (cable == CABLE_OPTICS &&
	    (cable_by_compliance(view_octet(v, PAGE(0x00), 192)) ==
	     CABLE_ACTIVE_OPTICAL ||
	     view_octet(v, PAGE(0x00), 130) == NOT_SEPARABLE))
		return CABLE_ACTIVE_OPTICAL;
	return cable;
}

/* An active cable may be optical: it ends in fibre, or not in copper while
 * A0h:60 is a wavelength, whose low octet an active copper cable leaves zero.
 */
static bool sff8472_sends_light(const struct view *v)
{
	const uint8_t *at = view_octets(v, A0_LOWER, 60, 2);
	unsigned nm = at && at[1] ? view_be16(at) : 0;
	int connector = view_octet(v, A0_LOWER, 2);

	return connector == OPTICAL_PIGTAIL ||
	       (connector != COPPER_PIGTAIL && nm >= WAVELENGTH_LEAST &&
		nm <= WAVELENGTH_MOST);
}

/* A0h:8, bits 2 and 3; of the active cables the extended code marks the optical
 * ones, if it is set. A passive one may lack its bit. If 1000BASE-T is all it
 * has, it is copper whatever the connector says.
 */
static enum cable sff8472_cable(const struct view *v)
{
	int technology = view_octet(v, A0_LOWER, 8);
	int ethernet_1g = view_octet(v, A0_LOWER, 6);
	int connector = view_octet(v, A0_LOWER, 2);
	enum cable cable = cable_by_compliance(view_octet(v, A0_LOWER, 36));

	if (technology < 0)
		return CABLE_UNKNOWN;
	if (technology & 0x04)
		return CABLE_PASSIVE_COPPER;
	if (cable == CABLE_ACTIVE_OPTICAL)
		return cable;
	if (technology & 0x08)
		return cable == CABLE_UNKNOWN && sff8472_sends_light(v) ?
		       CABLE_ACTIVE_OPTICAL : CABLE_ACTIVE_COPPER;
	if (cable == CABLE_UNKNOWN && connector == COPPER_PIGTAIL)
		return CABLE_PASSIVE_COPPER;
	if (cable == CABLE_UNKNOWN &&
	    (connector == CONNECTOR_RJ45 ||
	     (ethernet_1g >= 0 && (ethernet_1g & 0x0f) == 0x08)))
		return CABLE_BASE_T;
	return cable == CABLE_UNKNOWN ? CABLE_OPTICS : cable;
}

enum cable media_cable(const struct view *v)
{
	switch (v->standard) {
	case MODULE_CMIS:
		return cmis_cable(v);
	case MODULE_SFF8636:
		return sff8636_cable(v);
	default:
		return sff8472_cable(v);
	}
}

/* Bits of a compliance octet as words, the extended code first. */
struct compliance_bit {
	uint8_t mask;
	const char *name;
};

static const struct compliance_bit ethernet_40g[] = {	/* 00h:131 */
	{ 0x01, "40G AOC" }, { 0x02, "40GBASE-LR4" }, { 0x04, "40GBASE-SR4" },
	{ 0x08, "40GBASE-CR4" }, { 0x10, "10GBASE-SR" },
	{ 0x20, "10GBASE-LR" }, { 0x40, "10GBASE-LRM" },
};
static const struct compliance_bit ethernet_10g[] = {	/* A0h:3 */
	{ 0x10, "10GBASE-SR" }, { 0x20, "10GBASE-LR" },
	{ 0x40, "10GBASE-LRM" }, { 0x80, "10GBASE-ER" },
};
static const struct compliance_bit ethernet_1g[] = {	/* A0h:6 */
	{ 0x01, "1000BASE-SX" }, { 0x02, "1000BASE-LX" },
	{ 0x04, "1000BASE-CX" }, { 0x08, "1000BASE-T" },
	{ 0x10, "100BASE-LX" }, { 0x20, "100BASE-FX" }, { 0x40, "BASE-BX10" },
	{ 0x80, "BASE-PX" },
};

/* A0h:10, 00h:138; modules for Ethernet have some of them too. */
static const struct compliance_bit fibre_channel[] = {
	{ 0x08, "32GFC" }, { 0x20, "16GFC" }, { 0x80, "10GFC" },
	{ 0x40, "8GFC" }, { 0x10, "4GFC" }, { 0x04, "2GFC" }, { 0x01, "1GFC" },
};

static void name_add(char *ret, size_t cap, const char *name)
{
	size_t len = strlen(ret);

	(void)snprintf(ret + len, cap - len, "%s%s", len ? ", " : "", name);
}

static void bits_add(const struct compliance_bit *bits, size_t count,
		     int octet, char *ret, size_t cap)
{
	for (size_t i = 0; octet > 0 && i < count; i++) {
		if (octet & bits[i].mask)
			name_add(ret, cap, bits[i].name);
	}
}

/* The extended code, and the table with its words: some codes have another
 * meaning for one lane.
 */
static int compliance_code(const struct view *v, enum code_table *ret)
{
	bool is_sfp = v->standard == MODULE_SFF8472;
	int code = is_sfp ? view_octet(v, A0_LOWER, 36) :
			    view_octet(v, PAGE(0x00), 192);

	*ret = is_sfp && code_word(CODE_COMPLIANCE_OF_ONE, (unsigned)code) ?
	       CODE_COMPLIANCE_OF_ONE : CODE_COMPLIANCE;
	return code;
}

void media_compliance(const struct view *v, char *ret, size_t cap)
{
	bool is_sfp = v->standard == MODULE_SFF8472;
	char word[CODE_TEXT_MAX];
	enum code_table table;
	int code = compliance_code(v, &table);

	ret[0] = '\0';
	if (code > 0) {
		code_text(table, (unsigned)code, word);
		name_add(ret, cap, word);
	}
	if (is_sfp) {
		bits_add(ethernet_10g, TABLE_COUNT(ethernet_10g),
			 view_octet(v, A0_LOWER, 3), ret, cap);
		bits_add(ethernet_1g, TABLE_COUNT(ethernet_1g),
			 view_octet(v, A0_LOWER, 6), ret, cap);
	} else {
		bits_add(ethernet_40g, TABLE_COUNT(ethernet_40g),
			 view_octet(v, PAGE(0x00), 131), ret, cap);
	}
	if (!ret[0])
		bits_add(fibre_channel, TABLE_COUNT(fibre_channel),
			 is_sfp ? view_octet(v, A0_LOWER, 10) :
				  view_octet(v, PAGE(0x00), 138), ret, cap);
}

/* The first name among the compliance codes; empty if it has none. */
static void compliance_first(const struct view *v, char *ret, size_t cap)
{
	enum code_table table;
	int code = compliance_code(v, &table);
	char *end;

	ret[0] = '\0';
	if (code > 0 && !code_word(table, (unsigned)code))
		return;
	media_compliance(v, ret, cap);
	ret[strcspn(ret, ",")] = '\0';
	end = strstr(ret, " or ");
	if (end)
		*end = '\0';
}

/* The common name of its first application or compliance code. */
static void optics_name(const struct view *v, char *ret, size_t cap)
{
	char name[ATTRIBUTE_TEXT_MAX] = "";
	const char *word = NULL;
	struct application a;
	unsigned number = 0;

	if (v->standard != MODULE_CMIS) {
		compliance_first(v, name, sizeof(name));
		word = name;
	} else if (application_next(v, &number, &a)) {
		word = code_word(code_media(view_octet(v, LOWER, 85)),
				 a.media_id);
	}
	(void)snprintf(ret, cap, "%s",
		       word && word[0] ? code_media_short(word) : "");
}

/* Active copper without a retimer, which is another product. */
static bool is_linear(const struct view *v)
{
	int technology = v->standard == MODULE_CMIS ?
			 view_octet(v, PAGE(0x00), 212) :
			 v->standard == MODULE_SFF8636 ?
			 view_octet(v, PAGE(0x00), 147) >> 4 : 0;

	return technology == 0x0f ||
	       (technology >= 0x12 && technology <= 0x14);
}

void media_name(const struct view *v, char *ret, size_t cap)
{
	static const char *const words[] = {
		[CABLE_PASSIVE_COPPER] = "DAC", [CABLE_ACTIVE_COPPER] = "AEC",
		[CABLE_ACTIVE_OPTICAL] = "AOC", [CABLE_BASE_T] = "BASE-T",
	};
	enum cable cable = media_cable(v);
	const char *word = cable == CABLE_ACTIVE_COPPER && is_linear(v) ?
			   "ACC" : names_get(words, TABLE_COUNT(words), cable);

	if (word)
		(void)snprintf(ret, cap, "%s", word);
	else
		optics_name(v, ret, cap);
	if (view_octet(v, PAGE(0x00), 212) == 0x10 &&
	    v->standard == MODULE_CMIS)
		(void)snprintf(ret, cap, "ZR");
}
