#include "platform/module/text.h"

#include <stdio.h>
#include <string.h>

#include "platform/module/application.h"
#include "platform/module/cdb.h"
#include "platform/module/code.h"
#include "platform/module/media.h"

/* Fills ret, of ATTRIBUTE_TEXT_MAX; leaves it empty when there is no text. */
typedef void text_make(const struct view *v, const struct text_field *t,
		       const uint8_t *octets, char *ret);

/* Printable ASCII stays; what is above it is Latin-1, as people have found it
 * in modules; the rest becomes '?'. Blanks and NULs at the end go.
 */
static void make_ascii(const struct view *v, const struct text_field *t,
		       const uint8_t *octets, char *ret)
{
	size_t len = t->len, out = 0;

	(void)v;
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

static void make_oui(const struct view *v, const struct text_field *t,
		     const uint8_t *octets, char *ret)
{
	(void)v;
	(void)t;
	if (octets[0] || octets[1] || octets[2])
		(void)snprintf(ret, ATTRIBUTE_TEXT_MAX, "%02x-%02x-%02x",
			       octets[0], octets[1], octets[2]);
}

/* 2025-01-12, and the lot when there is one. What is no date stays as it is. */
static void make_date(const struct view *v, const struct text_field *t,
		      const uint8_t *octets, char *ret)
{
	char code[2 * 8 + 1] = "";

	make_ascii(v, t, octets, code);
	if (strspn(code, "0123456789") < 6) {
		(void)snprintf(ret, ATTRIBUTE_TEXT_MAX, "%s", code);
		return;
	}
	(void)snprintf(ret, ATTRIBUTE_TEXT_MAX, "20%.2s-%.2s-%.2s%s%s", code,
		       code + 2, code + 4, code[6] ? " " : "", code + 6);
}

static void make_version(const struct view *v, const struct text_field *t,
			 const uint8_t *octets, char *ret)
{
	(void)v;
	(void)t;
	if (octets[0] || octets[1])
		(void)snprintf(ret, ATTRIBUTE_TEXT_MAX, "%u.%u", octets[0],
			       octets[1]);
}

/* SFF-8636 00h:1 and SFF-8472 A0h:94 count revisions. */
static const char *const sff8636_revisions[] = {
	"SFF-8436", "SFF-8436 rev 4.8", "SFF-8436 rev 4.8",
	"SFF-8636 rev 1.3", "SFF-8636 rev 1.4", "SFF-8636 rev 1.5",
	"SFF-8636 rev 2.0", "SFF-8636 rev 2.5", "SFF-8636 rev 2.8",
};
static const char *const sff8472_revisions[] = {
	"SFF-8472 without diagnostics", "SFF-8472 rev 9.3",
	"SFF-8472 rev 9.5", "SFF-8472 rev 10.2", "SFF-8472 rev 10.4",
	"SFF-8472 rev 11.0", "SFF-8472 rev 11.3", "SFF-8472 rev 11.4",
	"SFF-8472 rev 12.3", "SFF-8472 rev 12.4",
};

static void make_standard(const struct view *v, const struct text_field *t,
			  const uint8_t *octets, char *ret)
{
	unsigned revision = octets[0];

	(void)t;
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

static void make_code(enum code_table table, unsigned code, char *ret)
{
	_Static_assert(CODE_TEXT_MAX <= ATTRIBUTE_TEXT_MAX, "it fits");

	code_text(table, code, ret);
}

static void make_form_factor(const struct view *v, const struct text_field *t,
			     const uint8_t *octets, char *ret)
{
	(void)v;
	(void)t;
	make_code(CODE_FORM_FACTOR, octets[0], ret);
}

static void make_connector(const struct view *v, const struct text_field *t,
			   const uint8_t *octets, char *ret)
{
	(void)v;
	(void)t;
	if (octets[0])
		make_code(CODE_CONNECTOR, octets[0], ret);
}

static void make_technology(const struct view *v, const struct text_field *t,
			    const uint8_t *octets, char *ret)
{
	(void)t;
	make_code(CODE_TECHNOLOGY, v->standard == MODULE_SFF8636 ?
		  octets[0] >> 4u : octets[0], ret);
}

static void make_media(const struct view *v, const struct text_field *t,
		       const uint8_t *octets, char *ret)
{
	(void)t;
	(void)octets;
	media_name(v, ret, ATTRIBUTE_TEXT_MAX);
}

static void make_cable(const struct view *v, const struct text_field *t,
		       const uint8_t *octets, char *ret)
{
	const char *word = cable_word(media_cable(v));

	(void)t;
	(void)octets;
	(void)snprintf(ret, ATTRIBUTE_TEXT_MAX, "%s", word ? word : "");
}

/* Metres. CMIS: six bits and one of four multipliers. The others: an octet,
 * which is a length only of a cable, else the reach over some fibre.
 */
static void make_length(const struct view *v, const struct text_field *t,
			const uint8_t *octets, char *ret)
{
	static const unsigned decimetres[] = { 1, 10, 100, 1000 };
	unsigned length = octets[0] * 10u;

	(void)t;
	if (v->standard == MODULE_CMIS)
		length = (octets[0] & 0x3fu) * decimetres[octets[0] >> 6];
	else if (media_cable(v) == CABLE_OPTICS ||
		 media_cable(v) == CABLE_BASE_T)
		return;
	if (length % 10)
		(void)snprintf(ret, ATTRIBUTE_TEXT_MAX, "%u.%u", length / 10,
			       length % 10);
	else if (length)
		(void)snprintf(ret, ATTRIBUTE_TEXT_MAX, "%u", length / 10);
}

static void make_applications(const struct view *v,
			      const struct text_field *t,
			      const uint8_t *octets, char *ret)
{
	(void)t;
	(void)octets;
	if (v->standard == MODULE_CMIS)
		application_list(v, ret, ATTRIBUTE_TEXT_MAX);
	else
		media_compliance(v, ret, ATTRIBUTE_TEXT_MAX);
}

static void make_firmware_images(const struct view *v,
				 const struct text_field *t,
				 const uint8_t *octets, char *ret)
{
	(void)t;
	(void)octets;
	cdb_text(v, ret, ATTRIBUTE_TEXT_MAX);
}

static text_make *const makers[TEXT_FORM_COUNT] = {
	[TEXT_ASCII] = make_ascii,
	[TEXT_OUI] = make_oui,
	[TEXT_DATE] = make_date,
	[TEXT_VERSION] = make_version,
	[TEXT_STANDARD] = make_standard,
	[TEXT_FORM_FACTOR] = make_form_factor,
	[TEXT_CONNECTOR] = make_connector,
	[TEXT_TECHNOLOGY] = make_technology,
	[TEXT_MEDIA] = make_media,
	[TEXT_CABLE] = make_cable,
	[TEXT_LENGTH] = make_length,
	[TEXT_APPLICATIONS] = make_applications,
	[TEXT_FIRMWARE_IMAGES] = make_firmware_images,
};

/* All ones say as little as no octets: nobody drove the bus. */
static bool is_idle_bus(const uint8_t *octets, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (octets[i] != 0xff)
			return false;
	}
	return n > 1;
}

void text_decode(const struct text_field *t, const struct view *v,
		 const struct module_sink *sink)
{
	const uint8_t *octets = view_octets(v, t->place, t->byte, t->len);
	char text[ATTRIBUTE_TEXT_MAX] = "", where[32];

	if (!octets)
		return;
	/* before the first command anything may stand on CDB's page */
	if (t->form != TEXT_FIRMWARE_IMAGES && is_idle_bus(octets, t->len)) {
		view_where(v, t->place, t->byte, where, sizeof(where));
		sink->implausible(sink->context, &(struct module_doubt){
			FAULT_ALL_ONES, MODULE_IDENTITY, 0, where,
			"all ones, as a bus that nobody drives" });
		return;
	}
	makers[t->form](v, t, octets, text);
	if (text[0])
		sink->text(sink->context, (enum attribute)t->attribute, text);
}
