#include "tests/support/module_twin.h"

#include <stdio.h>
#include <string.h>

#include "platform/module/register_tables.h"

void twin_put(struct module_image *m, unsigned bank, unsigned page,
	      unsigned offset, const void *octets, size_t n)
{
	uint8_t blank[MODULE_PAGE_LEN] = { 0 }, first;
	unsigned begin = page == MODULE_LOWER ? 0 : MODULE_PAGE_LEN;

	if (module_image_get(m, bank, page, begin, &first, 1) < 0)
		(void)module_image_put(m, bank, page, begin, blank,
				       sizeof(blank));
	(void)module_image_put(m, bank, page, offset, octets, n);
}

void twin_u8(struct module_image *m, unsigned bank, unsigned page,
	     unsigned offset, unsigned value)
{
	uint8_t octet = (uint8_t)value;

	twin_put(m, bank, page, offset, &octet, 1);
}

void twin_u16(struct module_image *m, unsigned bank, unsigned page,
	      unsigned offset, unsigned value)
{
	uint8_t octets[2] = { (uint8_t)(value >> 8), (uint8_t)value };

	twin_put(m, bank, page, offset, octets, sizeof(octets));
}

static void put_text(struct module_image *m, unsigned page, unsigned offset,
		     size_t n, const char *text)
{
	char padded[32];

	memset(padded, ' ', sizeof(padded));
	memcpy(padded, text, strlen(text));
	twin_put(m, 0, page, offset, padded, n);
}

static void put_edges(struct module_image *m, unsigned bank, unsigned page,
		      unsigned offset, const int16_t edges[4])
{
	for (unsigned i = 0; i < 4; i++)
		twin_u16(m, bank, page, offset + 2 * i, (uint16_t)edges[i]);
}

void twin_seal(struct module_image *m)
{
	const struct module_tables *t = tables_of(module_standard_of(m));

	for (size_t i = 0; i < t->checksum_count; i++) {
		const struct checksum_row *c = &t->checksums[i];
		unsigned bank = place_bank(c->place);
		unsigned page = place_page(c->place);
		unsigned sum = 0;
		uint8_t octet = 0;

		for (unsigned at = c->from; at <= c->to; at++) {
			if (module_image_get(m, bank, page, at, &octet, 1) < 0)
				break;
			sum += octet;
		}
		if (module_image_get(m, bank, page, c->at, &octet, 1) == 0)
			twin_u8(m, bank, page, c->at, sum & 0xff);
	}
}

/* --- CMIS ---------------------------------------------------------------- */

static void cmis_identity(struct module_image *m)
{
	static const uint8_t oui[] = { 0x02, 0x50, 0x54 };

	put_text(m, 0x00, 129, 16, "PETREL WORKS");
	twin_put(m, 0, 0x00, 145, oui, sizeof(oui));
	put_text(m, 0x00, 148, 16, "PW-800G-DR8");
	put_text(m, 0x00, 164, 2, "1A");
	put_text(m, 0x00, 166, 16, "PW0000000042");
	put_text(m, 0x00, 182, 8, "250831");
	twin_u8(m, 0, 0x00, 128, 0x19);
	twin_u8(m, 0, 0x00, 200, 7u << 5);
	twin_u8(m, 0, 0x00, 201, 64);		/* 16 W */
	twin_u8(m, 0, 0x00, 203, 0x28);		/* MPO 1x16 */
	twin_u8(m, 0, 0x00, 212, 0x06);		/* 1310 nm EML */
}

static void cmis_lower(struct module_image *m)
{
	/* 800GAUI-8-S to 800GBASE-DR8; 100GAUI-1-S to 100GBASE-DR */
	static const uint8_t applications[] = {
		0x02, 0x51, 0x56, 0x88, 0x01, 0x4b, 0x14, 0x11, 0xff, 0xff,
	};

	twin_u8(m, 0, MODULE_LOWER, 0, 0x19);
	twin_u8(m, 0, MODULE_LOWER, 1, 0x50);
	twin_u8(m, 0, MODULE_LOWER, 3, MODULE_READY_BITS);
	twin_u16(m, 0, MODULE_LOWER, 14, 0x2d80);	/* 45.5 C */
	twin_u16(m, 0, MODULE_LOWER, 16, 33012);	/* 3.3012 V */
	twin_u16(m, 0, MODULE_LOWER, 18, (uint16_t)-3277);	/* TEC */
	twin_u16(m, 0, MODULE_LOWER, 20, 0x3440);	/* laser 52.25 C */
	twin_u8(m, 0, MODULE_LOWER, 39, 2);
	twin_u8(m, 0, MODULE_LOWER, 40, 11);
	twin_put(m, 0, MODULE_LOWER, 85, applications, sizeof(applications));
}

static void cmis_advertising(struct module_image *m)
{
	twin_u8(m, 0, 0x01, 128, 2);
	twin_u8(m, 0, 0x01, 129, 10);
	twin_u8(m, 0, 0x01, 130, 3);
	twin_u16(m, 0, 0x01, 138, 26220);	/* 1311 nm */
	twin_u8(m, 0, 0x01, 142, 0x60);		/* VDM, 13h, one bank */
	twin_u8(m, 0, 0x01, 145, 0x01);		/* aux 1 TEC, aux 2 laser */
	twin_u8(m, 0, 0x01, 155, 0x02);
	twin_u8(m, 0, 0x01, 156, 0x02);
	twin_u8(m, 0, 0x01, 157, 0x0f);
	twin_u8(m, 0, 0x01, 158, 0x06);
	twin_u8(m, 0, 0x01, 159, 0x0f);		/* temp, Vcc, aux 1, aux 2 */
	twin_u8(m, 0, 0x01, 160, 0x0f);		/* all three, bias times 2 */
	twin_u8(m, 0, 0x01, 161, 0x01);		/* CDR towards the fibre */
	twin_u8(m, 0, 0x01, 176, 0x01);
	twin_u8(m, 0, 0x01, 177, 0xff);
}

static void cmis_thresholds(struct module_image *m)
{
	put_edges(m, 0, 0x02, 128, (int16_t[]){ 0x4b00, -0x500, 0x4600, 0 });
	put_edges(m, 0, 0x02, 136, (int16_t[]){ (int16_t)36300, 29700,
						(int16_t)34650, 31350 });
	put_edges(m, 0, 0x02, 144, (int16_t[]){ 32767, -32767, 29490,
						-29490 });
	put_edges(m, 0, 0x02, 152, (int16_t[]){ 0x4600, 0x1e00, 0x4100,
						0x2300 });
	put_edges(m, 0, 0x02, 176, (int16_t[]){ (int16_t)39811, 3631, 25119,
						5754 });
	put_edges(m, 0, 0x02, 184, (int16_t[]){ (int16_t)32500, 8750, 31250,
						10000 });
	put_edges(m, 0, 0x02, 192, (int16_t[]){ (int16_t)44668, 1148,
						(int16_t)35481, 1445 });
}

/* Lane n of a bank: powers and bias that tell which it is. */
static void cmis_lanes(struct module_image *m, unsigned bank)
{
	for (unsigned i = 0; i < 8; i++) {
		twin_u16(m, bank, 0x11, 154 + 2 * i,
			 12000 + 100 * bank + i);
		twin_u16(m, bank, 0x11, 170 + 2 * i,
			 20000 + 100 * bank + i);
		twin_u16(m, bank, 0x11, 186 + 2 * i,
			 8000 + 100 * bank + i);
		twin_u8(m, bank, 0x11, 206 + i, 0x10);
	}
	for (unsigned i = 0; i < 4; i++) {
		twin_u8(m, bank, 0x11, 128 + i, 0x44);
		twin_u8(m, bank, 0x11, 202 + i, 0x11);
	}
	twin_u8(m, bank, 0x11, 132, 0xff);
	twin_u8(m, bank, 0x11, 133, 0xff);
	twin_u8(m, bank, 0x11, 221, 0x7f);	/* CDRs: not Tx 8 */
	twin_u8(m, bank, 0x11, 147, 0x04);	/* Rx LOS of lane 3 */
	twin_u8(m, bank, 0x11, 150, 0x04);	/* and its low alarm */
	twin_u8(m, bank, 0x10, 130, 0x80);	/* Tx 8 disabled */
	twin_u8(m, bank, 0x13, 180, 0x00);
	twin_u8(m, bank, 0x14, 128, 0x00);
}

static void vdm_put(struct module_image *m, unsigned bank, unsigned slot,
		    unsigned set, unsigned lane, unsigned type, unsigned raw)
{
	twin_u8(m, bank, 0x20 + slot / 64, 128 + 2 * (slot % 64),
		set << 4 | lane);
	twin_u8(m, bank, 0x20 + slot / 64, 129 + 2 * (slot % 64), type);
	twin_u16(m, bank, 0x24 + slot / 64, 128 + 2 * (slot % 64), raw);
}

/* Group 1: eSNR, pre-FEC BER and LTP of each lane. Group 2: the module's. */
static void cmis_vdm(struct module_image *m, unsigned bank)
{
	for (unsigned i = 0; i < 8; i++) {
		vdm_put(m, bank, i, 0, i, 5, 0x1500 + i);
		vdm_put(m, bank, 8 + i, 1, i, 15, 12u << 11 | (300 + i));
		vdm_put(m, bank, 16 + i, 2, i, 7, 0x2000 + i);
	}
	vdm_put(m, bank, 64, 0, 15, 3, (uint16_t)-25);
	vdm_put(m, bank, 65, 1, 0, 4, 0x2980);
	vdm_put(m, bank, 66, 0, 0, 200, 0x1234);	/* nobody knows 200 */
	put_edges(m, bank, 0x28, 128, (int16_t[]){ 0x2000, 0x0e00, 0x1e00,
						   0x1000 });
	put_edges(m, bank, 0x28, 136,
		  (int16_t[]){ (int16_t)(20 << 11 | 240), 0,
			       (int16_t)(19 << 11 | 100), 0 });
	put_edges(m, bank, 0x29, 128, (int16_t[]){ 100, -100, 80, -80 });
	twin_u8(m, bank, 0x2c, 128, 0x28);	/* slot 0: LW, slot 1: LA */
	twin_u8(m, 0, 0x2f, 128, 1);		/* two groups */
}

static void cmis_common(struct module_image *m)
{
	memset(m, 0, sizeof(*m));
	cmis_lower(m);
	cmis_identity(m);
	cmis_advertising(m);
	cmis_thresholds(m);
}

void twin_cmis(struct module_image *m)
{
	cmis_common(m);
	cmis_lanes(m, 0);
	cmis_vdm(m, 0);
	twin_seal(m);
}

void twin_cmis_banked(struct module_image *m)
{
	cmis_common(m);
	twin_u8(m, 0, 0x01, 142, 0x62);
	for (unsigned bank = 0; bank < 4; bank++) {
		cmis_lanes(m, bank);
		cmis_vdm(m, bank);
	}
	twin_seal(m);
}

static uint8_t cdb_code(const struct module_image *m, unsigned from, unsigned n)
{
	uint8_t octets[MODULE_PAGE_LEN], sum = 0;

	if (module_image_get(m, 0, 0x9f, from, octets, n) < 0)
		return 0;
	for (unsigned i = 0; i < n; i++)
		sum = (uint8_t)(sum + octets[i]);
	return (uint8_t)~sum;
}

void twin_cdb_seal(struct module_image *m)
{
	uint8_t len = 0;

	(void)module_image_get(m, 0, 0x9f, 134, &len, 1);
	twin_u8(m, 0, 0x9f, 133, cdb_code(m, 128, 5));
	twin_u8(m, 0, 0x9f, 135, cdb_code(m, 136, len));
}

void twin_cdb(struct module_image *m)
{
	twin_u8(m, 0, 0x01, 163, 0x40);		/* one instance */
	twin_u8(m, 0, MODULE_LOWER, 37, 0x01);
	twin_u16(m, 0, 0x9f, 128, 0x0100);
	twin_u8(m, 0, 0x9f, 134, 110);
	twin_u16(m, 0, 0x9f, 136, 0x0307);
	twin_u16(m, 0, 0x9f, 138, 0x020b);	/* 2.11.3, as 00h:39 */
	twin_u16(m, 0, 0x9f, 140, 3);
	twin_u16(m, 0, 0x9f, 174, 0x020a);
	twin_u16(m, 0, 0x9f, 176, 300);
	twin_u16(m, 0, 0x9f, 210, 0x0100);
	twin_u16(m, 0, 0x9f, 212, 7);
	twin_cdb_seal(m);
	twin_seal(m);
}

void twin_cmis_flat(struct module_image *m)
{
	static const uint8_t application[] = {
		0x03, 0x1d, 0x01, 0x88, 0x01, 0xff,
	};

	memset(m, 0, sizeof(*m));
	twin_u8(m, 0, MODULE_LOWER, 0, 0x18);
	twin_u8(m, 0, MODULE_LOWER, 1, 0x40);
	twin_u8(m, 0, MODULE_LOWER, 2, 0x80);
	twin_u8(m, 0, MODULE_LOWER, 3, MODULE_READY_BITS);
	twin_put(m, 0, MODULE_LOWER, 85, application, sizeof(application));
	cmis_identity(m);
	twin_u8(m, 0, 0x00, 202, 0x43);		/* 3 times 1 m */
	twin_u8(m, 0, 0x00, 203, 0x23);
	twin_u8(m, 0, 0x00, 212, 0x0a);
	twin_seal(m);
}

void twin_coherent(struct module_image *m)
{
	cmis_common(m);
	cmis_lanes(m, 0);
	cmis_vdm(m, 0);
	twin_u8(m, 0, 0x00, 210, 0xfe);		/* one media lane */
	twin_u8(m, 0, 0x00, 212, 0x10);
	twin_u8(m, 0, 0x01, 155, 0x42);
	twin_u8(m, 0, 0x04, 128, 0x80);		/* 75 GHz */
	twin_u8(m, 0, 0x04, 129, 0x80);		/* fine tuning */
	twin_u8(m, 0, 0x04, 196, 0x80);		/* and power */
	twin_u16(m, 0, 0x04, 158, (uint16_t)-72);
	twin_u16(m, 0, 0x04, 160, 120);
	twin_u16(m, 0, 0x04, 198, (uint16_t)-1000);	/* -10 dBm */
	twin_u16(m, 0, 0x04, 200, 0);
	twin_u8(m, 0, 0x12, 128, 0x70);		/* 75 GHz */
	twin_u16(m, 0, 0x12, 136, 6);
	twin_u16(m, 0, 0x12, 168, 193250000u >> 16);
	twin_u16(m, 0, 0x12, 170, 193250000u & 0xffff);
	twin_u16(m, 0, 0x12, 200, (uint16_t)-300);
	twin_u8(m, 0, 0x12, 222, 0x01);
	twin_u16(m, 0, 0x34, 130, 0x0100);	/* 2^40 bits */
	twin_u16(m, 0, 0x34, 146, 0x0000);
	twin_u16(m, 0, 0x34, 148, 0x4000);	/* 2^30 of them wrong */
	twin_u16(m, 0, 0x35, 130, 0x07d0);	/* 2000 ps/nm */
	twin_u16(m, 0, 0x35, 158, 338);		/* OSNR 33.8 dB */
	twin_u16(m, 0, 0x35, 182, (uint16_t)-200);
	twin_seal(m);
}

/* --- SFF ----------------------------------------------------------------- */

void twin_sff8636(struct module_image *m)
{
	memset(m, 0, sizeof(*m));
	twin_u8(m, 0, MODULE_LOWER, 0, 0x11);
	twin_u8(m, 0, MODULE_LOWER, 1, 0x08);
	twin_u8(m, 0, MODULE_LOWER, 3, 0x81);	/* Tx LOS 4, Rx LOS 1 */
	twin_u8(m, 0, MODULE_LOWER, 6, 0x40);	/* temperature low alarm */
	twin_u8(m, 0, MODULE_LOWER, 9, 0x41);	/* Rx 1 LA, Rx 2 LW */
	twin_u8(m, 0, MODULE_LOWER, 10, 0x20);	/* Rx 3 HW */
	twin_u16(m, 0, MODULE_LOWER, 22, 0x1f40);	/* 31.25 C */
	twin_u16(m, 0, MODULE_LOWER, 26, 32890);
	for (unsigned i = 0; i < 4; i++) {
		twin_u16(m, 0, MODULE_LOWER, 34 + 2 * i, 5000 + i);
		twin_u16(m, 0, MODULE_LOWER, 42 + 2 * i, 17500 + i);
		twin_u16(m, 0, MODULE_LOWER, 50 + 2 * i, 9000 + i);
	}
	twin_u8(m, 0, MODULE_LOWER, 86, 0x02);
	twin_u8(m, 0, MODULE_LOWER, 98, 0xf3);
	twin_u8(m, 0, 0x00, 128, 0x11);
	twin_u8(m, 0, 0x00, 129, 0xcd);		/* class 5, both CDRs */
	twin_u8(m, 0, 0x00, 130, 0x07);
	twin_u8(m, 0, 0x00, 140, 0xff);
	twin_u8(m, 0, 0x00, 147, 0x40);		/* 1310 nm DFB */
	put_text(m, 0x00, 148, 16, "PETREL WORKS");
	put_text(m, 0x00, 168, 16, "PW-100G-CWDM4");
	put_text(m, 0x00, 184, 2, "B");
	twin_u16(m, 0, 0x00, 186, 26200);	/* 1310 nm */
	twin_u8(m, 0, 0x00, 192, 0x06);
	twin_u8(m, 0, 0x00, 194, 0x34);
	twin_u8(m, 0, 0x00, 195, 0x1a);
	put_text(m, 0x00, 196, 16, "PW0000000043");
	put_text(m, 0x00, 212, 8, "240229A1");
	twin_u8(m, 0, 0x00, 220, 0x3c);
	twin_u8(m, 0, 0x00, 222, 103);		/* 25.75 Gb/s */
	put_edges(m, 0, 0x03, 128, (int16_t[]){ 0x4b00, -0x500, 0x4600, 0 });
	put_edges(m, 0, 0x03, 176, (int16_t[]){ 22387, 1023, 17783, 1288 });
	twin_seal(m);
}

static void sff8472_common(struct module_image *m)
{
	memset(m, 0, sizeof(*m));
	twin_u8(m, 0, MODULE_LOWER, 0, 0x03);
	twin_u8(m, 0, MODULE_LOWER, 1, 0x04);
	twin_u8(m, 0, MODULE_LOWER, 2, 0x07);
	twin_u8(m, 0, MODULE_LOWER, 3, 0x10);	/* 10GBASE-SR */
	twin_u8(m, 0, MODULE_LOWER, 12, 103);
	put_text(m, MODULE_LOWER, 20, 16, "PETREL WORKS");
	put_text(m, MODULE_LOWER, 40, 16, "PW-10G-SR");
	twin_u16(m, 0, MODULE_LOWER, 60, 850);
	put_text(m, MODULE_LOWER, 68, 16, "PW0000000044");
	put_text(m, MODULE_LOWER, 84, 8, "230405");
	twin_u8(m, 0, MODULE_LOWER, 92, 0x68);
	twin_u8(m, 0, MODULE_LOWER, 93, 0xf0);
	twin_u8(m, 0, MODULE_LOWER, 94, 0x08);
	put_edges(m, 1, MODULE_LOWER, 0, (int16_t[]){ 0x4e00, -0xd00, 0x4900,
						      -0x800 });
	put_edges(m, 1, MODULE_LOWER, 32, (int16_t[]){ 10000, 100, 7943,
						       158 });
	twin_u16(m, 1, MODULE_LOWER, 96, 0x1b80);	/* 27.5 C */
	twin_u16(m, 1, MODULE_LOWER, 98, 33100);
	twin_u16(m, 1, MODULE_LOWER, 100, 3500);
	twin_u16(m, 1, MODULE_LOWER, 102, 6000);
	twin_u16(m, 1, MODULE_LOWER, 104, 5500);
	twin_u8(m, 1, MODULE_LOWER, 110, 0x82);	/* Tx disabled, Rx LOS */
	twin_u8(m, 1, MODULE_LOWER, 112, 0x42);	/* temp LA, Tx power HA */
	twin_u8(m, 1, MODULE_LOWER, 117, 0x40);	/* Rx power LW */
}

void twin_sff8472(struct module_image *m)
{
	sff8472_common(m);
	twin_seal(m);
}

void twin_sff8472_external(struct module_image *m)
{
	/* 2.0 count^2 + 0.5 count + 10, as floats, the 4th power first */
	static const uint8_t rx[] = {
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x40, 0x00, 0x00, 0x00, 0x3f, 0x00, 0x00, 0x00,
		0x41, 0x20, 0x00, 0x00,
	};
	/* slope 2.5 and offset 40; 1.0, -20; 0.5, -256; 1.0, 100 */
	static const uint16_t lines[] = {
		0x0280, 40, 0x0100, (uint16_t)-20, 0x0080, (uint16_t)-256,
		0x0100, 100,
	};

	sff8472_common(m);
	twin_u8(m, 0, MODULE_LOWER, 92, 0x58);
	twin_put(m, 1, MODULE_LOWER, 56, rx, sizeof(rx));
	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		twin_u16(m, 1, MODULE_LOWER, 76 + 2 * i, lines[i]);
	twin_u16(m, 1, MODULE_LOWER, 104, 50);
	twin_seal(m);
}

twin_make *const twins[] = {
	twin_cmis, twin_cmis_banked, twin_cmis_flat, twin_coherent,
	twin_sff8636, twin_sff8472, twin_sff8472_external, NULL,
};

/* --- what was said ------------------------------------------------------- */

static void on_text(void *context, enum attribute which, const char *text)
{
	struct said *s = context;

	(void)snprintf(s->text[which], ATTRIBUTE_TEXT_MAX, "%s", text);
}

static void on_value(void *context, enum quantity quantity, unsigned lane,
		     unsigned index, int64_t value, enum sample_quality quality)
{
	struct said *s = context;

	if (s->count < SAID_MAX)
		s->value[s->count++] = (struct said_value){
			(uint16_t)quantity, lane, index, value, quality };
}

static void on_implausible(void *context, const struct module_doubt *doubt)
{
	struct said *s = context;
	struct said_fault *f;

	if (s->fault_count >= SAID_FAULTS_MAX)
		return;
	f = &s->fault[s->fault_count++];
	f->kind = doubt->fault;
	f->parts = doubt->parts;
	f->lane = doubt->lane;
	(void)snprintf(f->where, sizeof(f->where), "%s", doubt->where);
	(void)snprintf(f->what, sizeof(f->what), "%s", doubt->what);
}

struct module_sink said_sink(struct said *s)
{
	s->count = s->fault_count = 0;
	memset(s->text, 0, sizeof(s->text));
	return (struct module_sink){ s, on_text, on_value, on_implausible };
}

int said_decode(struct said *s, const struct module_image *m, unsigned parts)
{
	struct module_sink sink = said_sink(s);
	struct diag d;

	return module_decode(m, parts, &sink, &d);
}

const struct said_value *said_find(const struct said *s, enum quantity q,
				   unsigned lane, unsigned index)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct said_value *v = &s->value[i];

		if (v->quantity == q && v->lane == lane && v->index == index)
			return v;
	}
	return NULL;
}

size_t said_count(const struct said *s, enum quantity q)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++)
		n += s->value[i].quantity == q;
	return n;
}

const char *said_fault(const struct said *s, const char *where)
{
	for (size_t i = 0; i < s->fault_count; i++) {
		if (strcmp(s->fault[i].where, where) == 0)
			return s->fault[i].what;
	}
	return NULL;
}
