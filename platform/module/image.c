#include "platform/module/module.h"

#include <errno.h>
#include <string.h>

#include "platform/module/page_bits.h"

#define HALF MODULE_PAGE_LEN

/* Its index in the image; the image's count if it was not read. */
static unsigned page_find(const struct module_image *m, unsigned bank,
			  unsigned page)
{
	unsigned i = 0;

	while (i < m->count &&
	       (m->page[i].bank != bank || m->page[i].page != page))
		i++;
	return i;
}

/* The first octet's index in its page; false if the range crosses the page. */
static bool range_in_page(unsigned page, unsigned offset, size_t n,
			  unsigned *ret)
{
	unsigned first = page == MODULE_LOWER ? 0 : HALF;

	if (offset < first || offset - first > HALF ||
	    n > HALF - (offset - first))
		return false;
	*ret = offset - first;
	return true;
}

int module_image_get(const struct module_image *m, unsigned bank,
		     unsigned page, unsigned offset, void *ret, size_t n)
{
	unsigned index = page_find(m, bank, page), at;
	const struct module_page *p = &m->page[index];

	if (index == m->count || !range_in_page(page, offset, n, &at))
		return -ENODATA;
	if (!page_bits_have(p->have, page_bits_range(at, (unsigned)n)))
		return -ENODATA;
	memcpy(ret, p->octets + at, n);
	return 0;
}

int module_image_put(struct module_image *m, unsigned bank, unsigned page,
		     unsigned offset, const void *octets, size_t n)
{
	unsigned index = page_find(m, bank, page), at;
	struct module_page *p = &m->page[index];

	if (bank > UINT8_MAX || page > MODULE_LOWER ||
	    !range_in_page(page, offset, n, &at))
		return -EINVAL;
	if (index >= MODULE_PAGES_MAX)
		return -ENOSPC;
	if (index == m->count) {
		m->count++;
		*p = (struct module_page){ .bank = (uint8_t)bank,
					   .page = (uint16_t)page };
	}
	memcpy(p->octets + at, octets, n);
	page_bits_add(p->have, page_bits_range(at, (unsigned)n));
	return 0;
}

/* SFF-8024, identifiers. 0Dh to 11h without 0Eh to 10h are QSFPs; octet 1 shows
 * whether SFF-8436 or SFF-8636, and the fields are the same.
 */
static const struct {
	uint8_t identifier;
	enum module_standard standard;
} identifiers[] = {
	{ 0x01, MODULE_SFF8472 },	/* GBIC */
	{ 0x02, MODULE_SFF8472 },	/* soldered, and some sticks of PON */
	{ 0x03, MODULE_SFF8472 },	/* SFP to SFP56 */
	{ 0x0b, MODULE_SFF8472 },	/* DWDM-SFP */
	{ 0x0c, MODULE_SFF8636 },	/* QSFP */
	{ 0x0d, MODULE_SFF8636 },	/* QSFP+ */
	{ 0x11, MODULE_SFF8636 },	/* QSFP28, QSFP56 */
	{ 0x17, MODULE_SFF8636 },	/* microQSFP */
	{ 0x18, MODULE_CMIS },		/* QSFP-DD */
	{ 0x19, MODULE_CMIS },		/* OSFP */
	{ 0x1a, MODULE_CMIS },		/* SFP-DD */
	{ 0x1b, MODULE_CMIS },		/* DSFP */
	{ 0x1e, MODULE_CMIS },		/* QSFP with CMIS, QSFP112 */
	{ 0x1f, MODULE_CMIS },		/* SFP-DD with CMIS */
	{ 0x20, MODULE_CMIS },		/* SFP with CMIS */
	{ 0x21, MODULE_CMIS },		/* OSFP-XD */
	{ 0x22, MODULE_CMIS },		/* ELSFP */
	{ 0x23, MODULE_CMIS },		/* CDFP for PCIe: x4, x8, x16 */
	{ 0x24, MODULE_CMIS },
	{ 0x25, MODULE_CMIS },
	{ 0x80, MODULE_CMIS },		/* co-packaged */
};

#define IDENTIFIERS (sizeof(identifiers) / sizeof(identifiers[0]))

enum module_standard module_standard_by(uint8_t identifier)
{
	for (size_t i = 0; i < IDENTIFIERS; i++) {
		if (identifiers[i].identifier == identifier)
			return identifiers[i].standard;
	}
	return MODULE_UNKNOWN;
}

enum module_standard module_standard_of(const struct module_image *m)
{
	uint8_t identifier;

	if (module_image_get(m, 0, MODULE_LOWER, 0, &identifier, 1) < 0)
		return MODULE_UNKNOWN;
	return module_standard_by(identifier);
}
