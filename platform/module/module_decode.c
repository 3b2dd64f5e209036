/* Passes on what an image has, register by register, and what a module
 * describes as text: names, codes as words, and what follows from several
 * registers.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/module/application.h"
#include "platform/module/cdb.h"
#include "platform/module/code.h"
#include "platform/module/coherent.h"
#include "platform/module/register_field.h"
#include "platform/module/media.h"
#include "platform/module/module.h"
#include "platform/module/survey.h"
#include "platform/module/vdm.h"

_Static_assert(CODE_TEXT_MAX <= ATTRIBUTE_TEXT_MAX, "a code's word fits");

/* Printable ASCII stays; higher octets are Latin-1, as seen in real modules;
 * the rest becomes '?'. Blanks and NULs at the end are dropped.
 */
static void make_ascii(const uint8_t *octets, size_t len, char *ret)
{
	size_t out = 0;

	while (len && (octets[len - 1] == ' ' || !octets[len - 1]))
		len--;
	for (size_t i = 0; i < len; i++) {
		uint8_t c = octets[i];

		if (c >= 0xa0) {
			ret[out++] = (char)(0xc0 | c >> 6);
			ret[out++] = (char)(0x80 | (c & 0x3f));
		} else {
			ret[out++] = c >= ' ' && c < 0x7f ? (char)c : '?';
		}
	}
	ret[out] = '\0';
}

static unsigned two_digits(const char *t)
{
	return (unsigned)(t[0] - '0') * 10 + (unsigned)(t[1] - '0');
}

/* YYMMDD of this century: is there such a day? */
static bool is_date(const char *code)
{
	static const uint8_t days[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31,
					30, 31 };
	unsigned month, day;

	if (strspn(code, "0123456789") < 6)
		return false;
	month = two_digits(code + 2);
	day = two_digits(code + 4);
	return month >= 1 && month <= 12 && day >= 1 &&
	       day <= days[month - 1] &&
	       (month != 2 || day < 29 || two_digits(code) % 4 == 0);
}

/* 2025-01-12, and the lot code if any. An invalid date stays as it is. */
static void make_date(const uint8_t *octets, size_t len, char *ret)
{
	char code[2 * 8 + 1] = "";

	make_ascii(octets, len, code);
	if (!is_date(code)) {
		(void)snprintf(ret, ATTRIBUTE_TEXT_MAX, "%s", code);
		return;
	}
	(void)snprintf(ret, ATTRIBUTE_TEXT_MAX, "20%.2s-%.2s-%.2s%s%s", code,
		       code + 2, code + 4, code[6] ? " " : "", code + 6);
}

/* Revision codes of SFF-8636 00h:1 and SFF-8472 A0h:94. */
static const char *const sff8636_revisions[] = {
	"SFF-8436", "SFF-8436 rev 4.8", "SFF-8436 rev 4.8",
	"SFF-8636 rev 1.3", "SFF-8636 rev 1.4", "SFF-8636 rev 1.5",
	"SFF-8636 rev 2.0", "SFF-8636 rev 2.5 to 2.7",
	"SFF-8636 rev 2.8 or later",
};
static const char *const sff8472_revisions[] = {
	"SFF-8472 without diagnostics", "SFF-8472 rev 9.3",
	"SFF-8472 rev 9.5", "SFF-8472 rev 10.2", "SFF-8472 rev 10.4",
	"SFF-8472 rev 11.0", "SFF-8472 rev 11.3", "SFF-8472 rev 11.4",
	"SFF-8472 rev 12.3", "SFF-8472 rev 12.4",
};

static void make_standard(const struct view *v, unsigned revision, char *ret)
{
	if (v->standard == MODULE_CMIS)
		(void)snprintf(ret, ATTRIBUTE_TEXT_MAX, "CMIS %u.%u",
			       revision >> 4, revision & 0xf);
	else if (v->standard == MODULE_SFF8636)
		(void)snprintf(ret, ATTRIBUTE_TEXT_MAX, "%s",
			       revision < TABLE_COUNT(sff8636_revisions) ?
			       sff8636_revisions[revision] : "SFF-8636");
	else
		(void)snprintf(ret, ATTRIBUTE_TEXT_MAX, "%s",
			       revision < TABLE_COUNT(sff8472_revisions) ?
			       sff8472_revisions[revision] : "SFF-8472");
}

/* In decimetres: six bits and one of four multipliers. */
static unsigned multiplied_length(unsigned octet)
{
	static const unsigned decimetres[] = { 1, 10, 100, 1000 };

	return (octet & 0x3fu) * decimetres[octet >> 6];
}

/* In decimetres. The next octet of an SFP's cable (SFF-8472 12.4) is finer and
 * goes further; one that contradicts the metres is of another meaning.
 */
static unsigned sfp_length(const struct view *v, unsigned metres)
{
	int next = view_octet(v, A0_LOWER, 19);
	unsigned length = next > 0 ? multiplied_length((unsigned)next) : 0;
	bool is_open = metres == 0 || metres == 0xff;

	if (length && (is_open || (length + 10 > metres * 10 &&
				   length < metres * 10 + 10)))
		return length;
	return metres * 10;
}

/* Metres. SFF-8636 and SFF-8472: the octet is a length only for a cable, else
 * the reach over some fibre.
 */
static void make_length(const struct view *v, unsigned octet, char *ret)
{
	unsigned length = octet * 10u;

	if (v->standard == MODULE_CMIS)
		length = multiplied_length(octet);
	else if (media_cable(v) == CABLE_UNKNOWN ||
		 media_cable(v) == CABLE_OPTICS ||
		 media_cable(v) == CABLE_BASE_T)
		return;
	else if (v->standard == MODULE_SFF8472)
		length = sfp_length(v, octet);
	if (length % 10)
		(void)snprintf(ret, ATTRIBUTE_TEXT_MAX, "%u.%u", length / 10,
			       length % 10);
	else if (length)
		(void)snprintf(ret, ATTRIBUTE_TEXT_MAX, "%u", length / 10);
}

/* Fills ret, of ATTRIBUTE_TEXT_MAX; leaves it empty if there is no text. */
static void make_text(const struct view *v, const struct text_field *t,
		      const uint8_t *octets, char *ret)
{
	bool is_cmis = v->standard == MODULE_CMIS;
	const char *word;

	switch ((enum text_form)t->form) {
	case TEXT_ASCII:
		make_ascii(octets, t->len, ret);
		return;
	case TEXT_OUI:
		if (octets[0] || octets[1] || octets[2])
			(void)snprintf(ret, ATTRIBUTE_TEXT_MAX,
				       "%02x-%02x-%02x", octets[0], octets[1],
				       octets[2]);
		return;
	case TEXT_DATE:
		make_date(octets, t->len, ret);
		return;
	case TEXT_VERSION:
		if (octets[0] || octets[1])
			(void)snprintf(ret, ATTRIBUTE_TEXT_MAX, "%u.%u",
				       octets[0], octets[1]);
		return;
	case TEXT_STANDARD:
		make_standard(v, octets[0], ret);
		return;
	case TEXT_FORM_FACTOR:
		code_text(CODE_FORM_FACTOR, octets[0], ret);
		return;
	case TEXT_CONNECTOR:
		if (octets[0])
			code_text(CODE_CONNECTOR, octets[0], ret);
		return;
	case TEXT_TECHNOLOGY:
		code_text(CODE_TECHNOLOGY, v->standard == MODULE_SFF8636 ?
			  octets[0] >> 4u : octets[0], ret);
		return;
	case TEXT_MEDIA:
		media_name(v, ret, ATTRIBUTE_TEXT_MAX);
		return;
	case TEXT_CABLE:
		word = cable_word(media_cable(v));
		(void)snprintf(ret, ATTRIBUTE_TEXT_MAX, "%s", word ? word : "");
		return;
	case TEXT_LENGTH:
		make_length(v, octets[0], ret);
		return;
	case TEXT_APPLICATIONS:
		(is_cmis ? application_list : media_compliance)(
			v, ret, ATTRIBUTE_TEXT_MAX);
		return;
	case TEXT_FIRMWARE_IMAGES:
		cdb_text(v, ret, ATTRIBUTE_TEXT_MAX);
		return;
	case TEXT_FORM_COUNT:
		return;
	}
}

/* All ones mean nothing: nobody drove the bus. */
static bool is_idle_bus(const uint8_t *octets, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (octets[i] != 0xff)
			return false;
	}
	return n > 1;
}

/* Passes on a text of the table, if there is one. */
static void text_decode(const struct text_field *t, const struct view *v,
			const struct module_sink *sink)
{
	const uint8_t *octets = view_octets(v, t->place, t->byte, t->len);
	char text[ATTRIBUTE_TEXT_MAX] = "", where[32];

	if (!octets)
		return;
	/* CDB's page may hold anything before the first command */
	if (t->form != TEXT_FIRMWARE_IMAGES && is_idle_bus(octets, t->len)) {
		view_where(v, t->place, t->byte, where, sizeof(where));
		sink->implausible(sink->context, &(struct module_doubt){
			FAULT_ALL_ONES, MODULE_IDENTITY, 0, where,
			"all ones, as on an undriven bus" });
		return;
	}
	make_text(v, t, octets, text);
	if (text[0])
		sink->text(sink->context, (enum attribute)t->attribute, text);
}

int module_decode(const struct module_image *m, unsigned parts,
		  const struct module_sink *sink, struct diag *d)
{
	const struct module_tables *t;
	uint8_t identifier;
	struct view v;

	if (module_image_get(m, 0, MODULE_LOWER, 0, &identifier, 1) < 0)
		return diag_set(d, -ENODATA, "octet 0 of the lower memory, the "
				"type, was not read");
	if (module_standard_of(m) == MODULE_UNKNOWN)
		return diag_set(d, -EOPNOTSUPP, "type 00h:0 is 0x%02x; "
				"expected SFP (0x01 to 0x03, 0x0b), QSFP "
				"(0x0c, 0x0d, 0x11, 0x17) or CMIS (0x18 to "
				"0x1b, 0x1e to 0x25, 0x80)",
				identifier);
	survey(&v, m);
	t = tables_of(v.standard);
	survey_check(&v, parts, sink);
	for (size_t i = 0; parts & MODULE_IDENTITY && i < t->text_count; i++)
		text_decode(&t->texts[i], &v, sink);
	for (size_t i = 0; i < t->field_count; i++) {
		if (t->fields[i].part & parts)
			field_decode(&t->fields[i], &v, sink);
	}
	if (v.standard != MODULE_SFF8472)
		vdm_decode(&v, parts, sink);
	if (v.standard == MODULE_CMIS)
		coherent_decode(&v, parts, sink);
	return 0;
}
