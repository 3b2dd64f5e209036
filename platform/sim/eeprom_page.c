#include "platform/sim/eeprom_page.h"

#include <math.h>
#include <string.h>

#define ALL_ONES 65535
#define MOST (ALL_ONES - 1)	/* all ones means no reading */
#define S16_LEAST (-32768.0)
#define S16_MOST 32767.0
#define F16_MANTISSA_BITS 11
#define F16_MANTISSA_MAX 2047.0
#define F16_EXPONENT_BIAS 24

uint8_t *eeprom_page_add(struct eeprom *e, unsigned bank, unsigned page)
{
	struct eeprom_page *p = &e->page[e->count++];

	memset(p, 0, sizeof(*p));
	p->bank = (uint8_t)bank;
	p->page = (uint16_t)page;
	return p->octets;
}

void put_u8(uint8_t *page, unsigned at, unsigned value)
{
	page[at % EEPROM_PAGE_LEN] = (uint8_t)value;
}

void put_u16(uint8_t *page, unsigned at, unsigned value)
{
	put_u8(page, at, value >> 8);
	put_u8(page, at + 1, value & 0xff);
}

void put_text(uint8_t *page, unsigned at, const char *text, size_t len)
{
	size_t n = strlen(text);

	memset(&page[at % EEPROM_PAGE_LEN], ' ', len);
	memcpy(&page[at % EEPROM_PAGE_LEN], text, n < len ? n : len);
}

void put_sum(uint8_t *page, unsigned at, unsigned first, unsigned last)
{
	unsigned sum = 0;

	for (unsigned i = first; i <= last; i++)
		sum += page[i % EEPROM_PAGE_LEN];
	put_u8(page, at, sum);
}

static unsigned steps(double value, double per_unit)
{
	double n = round(value * per_unit);

	return n > MOST ? MOST : n > 0 ? (unsigned)n : 0;
}

unsigned register_temp(double c)
{
	return (unsigned)lround(c * 256) & ALL_ONES;
}

unsigned register_vcc(double v)
{
	return steps(v, 1e4);
}

unsigned register_light(double mw)
{
	return steps(mw, 1e4);
}

unsigned register_light_dbm(double dbm)
{
	return register_light(pow(10, dbm / 10));
}

unsigned register_bias(double ma)
{
	return steps(ma, 500);
}

double register_steps(double value, double step, bool is_signed)
{
	double n = round(value / step);

	return fmin(fmax(n, is_signed ? S16_LEAST : 0),
		    is_signed ? S16_MOST : ALL_ONES);
}

unsigned register_f16(double value)
{
	double exponent, mantissa;

	if (!(value > 0))
		return 0;
	exponent = fmax(ceil(log10(value / F16_MANTISSA_MAX)),
			-F16_EXPONENT_BIAS);
	mantissa = round(value / pow(10, exponent));
	return (unsigned)(exponent + F16_EXPONENT_BIAS) << F16_MANTISSA_BITS |
	       (unsigned)mantissa;
}

double register_f16_value(unsigned octets)
{
	int exponent = (int)(octets >> F16_MANTISSA_BITS);

	return (octets & (unsigned)F16_MANTISSA_MAX) *
	       pow(10, exponent - F16_EXPONENT_BIAS);
}

double dbm_of(double mw)
{
	return mw > 0 ? 10 * log10(mw) : -INFINITY;
}

void put_edges(uint8_t *page, unsigned at,
	       const double edge[PLANT_EDGE_COUNT], unsigned (*to)(double))
{
	for (unsigned i = 0; i < PLANT_EDGE_COUNT; i++)
		put_u16(page, at + 2 * i, to(edge[i]));
}

unsigned edge_bits(double value, const double edge[PLANT_EDGE_COUNT])
{
	return (value > edge[PLANT_HIGH_ALARM]) << 3 |
	       (value < edge[PLANT_LOW_ALARM]) << 2 |
	       (value > edge[PLANT_HIGH_WARN]) << 1 |
	       (value < edge[PLANT_LOW_WARN]);
}

const struct plant_lane *module_lane(const struct eeprom_module *m,
				     unsigned lane)
{
	for (unsigned i = 0; i < m->ports; i++) {
		if (lane < m->facts[i]->media_lanes)
			return &m->state[i]->lane[lane];
		lane -= m->facts[i]->media_lanes;
	}
	return NULL;
}

unsigned module_lanes(const struct eeprom_module *m)
{
	unsigned lanes = 0;

	for (unsigned i = 0; i < m->ports; i++)
		lanes += m->facts[i]->media_lanes;
	return lanes;
}

unsigned module_host_lanes(const struct eeprom_module *m)
{
	unsigned lanes = 0;

	for (unsigned i = 0; i < m->ports; i++)
		lanes += m->facts[i]->lanes;
	return lanes;
}
