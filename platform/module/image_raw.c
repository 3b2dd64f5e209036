#include "platform/module/image_raw.h"

#include <errno.h>
#include <stdio.h>

#include "platform/module/register_tables.h"
#include "platform/module/view.h"

#define HALF MODULE_PAGE_LEN
#define SFP_A2 256u		/* offset of A2h */
#define PAGE_COUNT 256u		/* of one bank */
#define DEVICE (2 * HALF)
#define A0_DIAGNOSTICS 92u
#define HAS_A2 0x40u
#define A2_CHECKSUM 95u
#define BANK_SELECT 126u
#define PAGE_SELECT 127u
#define BANKED_FROM 0x10u	/* pages below it have no banks */

bool image_page_is_known(unsigned bank, unsigned page)
{
	if (bank >= MODULE_BANKS_MAX)
		return false;
	if (page == MODULE_LOWER || page <= 0x04)
		return bank <= 1;	/* an SFP's A2h is bank 1 */
	if (page == 0x2f || (page >= 0x33 && page <= 0x35) || page == 0x3a ||
	    page == 0x42 || page == 0x9f)
		return bank == 0;
	return (page >= 0x10 && page <= 0x14) || page == 0x1a || page == 0x1b ||
	       (page >= 0x20 && page <= 0x2c);
}

/* Lower memory first, then the pages in order; each bank repeats all of them,
 * as in optoe's file.
 */
static unsigned place_paged(size_t half)
{
	unsigned bank, page;

	if (half == 0)
		return LOWER;
	bank = (unsigned)((half - 1) / PAGE_COUNT);
	page = (unsigned)((half - 1) % PAGE_COUNT);
	return PLACE(bank, page);
}

/* A0h, then A2h with its pages. */
static unsigned place_sfp(size_t half)
{
	static const uint16_t places[] = {
		A0_LOWER, A0_UPPER, A2_LOWER, A2_UPPER,
	};

	return half < sizeof(places) / sizeof(places[0]) ? places[half] :
	       PLACE(1, (unsigned)(half - SFP_A2 / HALF - 1));
}

static bool is_above(const uint8_t *high, const uint8_t *low)
{
	return (int16_t)view_be16(high) > (int16_t)view_be16(low);
}

/* RouterOS leaves out A0h's upper half: there A2h follows at once, which its
 * checksum shows, and alarms of temperature that are in order.
 */
static bool has_a2_next(const uint8_t *octets, size_t n)
{
	const uint8_t *a2 = octets + HALF;
	unsigned sum = 0;

	if (n != DEVICE || !(octets[A0_DIAGNOSTICS] & HAS_A2) ||
	    !is_above(a2, a2 + 2) || !is_above(a2 + 4, a2 + 6))
		return false;
	for (unsigned i = 0; i < A2_CHECKSUM; i++)
		sum += a2[i];
	return (sum & 0xff) == a2[A2_CHECKSUM];
}

/* Page 00h begins with octet 0 again; with a like one some modules do, and so
 * may any other page: then the checksum decides, which is first in its table.
 */
static bool is_page_0(const uint8_t octets[static DEVICE])
{
	enum module_standard standard = module_standard_by(octets[0]);
	const struct checksum_row *row = tables_of(standard)->checksums;
	unsigned sum = 0;

	if (octets[HALF] == octets[0] || !row)
		return true;
	for (unsigned i = row->from; i <= row->to; i++)
		sum += octets[i];
	return module_standard_by(octets[HALF]) == standard &&
	       (sum & 0xff) == octets[row->at];
}

/* What a driver prints is page 00h, even if another is selected. */
void image_raw_selected(const uint8_t octets[static DEVICE], unsigned *ret_bank,
			unsigned *ret_page)
{
	bool is_selected = octets[PAGE_SELECT] && !is_page_0(octets);
	bool is_banked = is_selected && octets[PAGE_SELECT] >= BANKED_FROM &&
			 octets[BANK_SELECT] < MODULE_BANKS_MAX;

	*ret_page = is_selected ? octets[PAGE_SELECT] : 0;
	*ret_bank = is_banked ? octets[BANK_SELECT] : 0;
}

/* Notes what a half that ends early lacks. */
static void note_short(unsigned place, size_t n, bool is_sfp,
		       struct diag *ret_note)
{
	bool is_lower = place_page(place) == MODULE_LOWER;
	unsigned first = n % HALF + (is_lower ? 0 : HALF), last;
	char of[24];

	if (is_sfp)
		(void)snprintf(of, sizeof(of), "%s", place_bank(place) ? "A2h" :
			       "A0h");
	else if (is_lower)
		(void)snprintf(of, sizeof(of), "the lower memory");
	else
		(void)snprintf(of, sizeof(of), "page %02xh",
			       place_page(place));
	last = is_lower ? HALF - 1 : 2 * HALF - 1;
	if (first == last)
		diag_write(ret_note, "lacks the last octet of %s", of);
	else
		diag_write(ret_note, "ends after octet %zu, within %s: octets "
			   "%u to %u of it are missing", n, of, first, last);
}

static void half_put(struct module_image *m, unsigned place,
		     const uint8_t *octets, size_t n, bool is_sfp)
{
	unsigned bank = place_bank(place), page = place_page(place);
	bool is_lower = page == MODULE_LOWER;

	if ((bank == 0 || is_sfp || page >= 0x10) &&
	    image_page_is_known(bank, page))
		(void)module_image_put(m, bank, page, is_lower ? 0 : HALF,
				       octets, n);
}

int image_raw_parse(const uint8_t *octets, size_t n, struct module_image *ret,
		    struct diag *ret_note, struct diag *d)
{
	unsigned bank, page;
	bool is_sfp, skips;

	ret_note->text[0] = '\0';
	ret->count = 0;
	if (n == 0)
		return diag_set(d, -EBADMSG, "is empty; expected at least the "
				"128 octets of the lower memory");
	if (n > IMAGE_FILE_MAX)
		return diag_set(d, -E2BIG, "holds %zu octets; a module's "
				"memory has at most %u", n, IMAGE_FILE_MAX);
	(void)module_image_put(ret, 0, MODULE_LOWER, 0, octets, 1);
	is_sfp = module_standard_of(ret) == MODULE_SFF8472;
	skips = is_sfp && has_a2_next(octets, n);
	if (!is_sfp && n == DEVICE) {
		image_raw_selected(octets, &bank, &page);
		half_put(ret, LOWER, octets, HALF, false);
		half_put(ret, PLACE(bank, page), octets + HALF, HALF, false);
		return 0;
	}
	for (size_t half = 0; half * HALF < n; half++) {
		size_t left = n - half * HALF;

		half_put(ret, is_sfp ? place_sfp(half + (skips && half)) :
				       place_paged(half),
			 octets + half * HALF, left < HALF ? left : HALF,
			 is_sfp);
		if (left < HALF)
			note_short(is_sfp ? place_sfp(half) : place_paged(half),
				   n, is_sfp, ret_note);
	}
	return 0;
}

void image_raw_forget(struct module_image *m, size_t at)
{
	unsigned place = module_standard_of(m) == MODULE_SFF8472 ?
			 place_sfp(at / HALF) : place_paged(at / HALF);
	unsigned octet = at % HALF;

	for (unsigned i = 0; i < m->count; i++) {
		struct module_page *p = &m->page[i];

		if (PLACE(p->bank, p->page) == place)
			p->have[octet / 64] &= ~(UINT64_C(1) << octet % 64);
	}
}
