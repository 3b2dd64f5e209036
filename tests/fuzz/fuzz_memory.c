/* What the detectors remember: any octets are read or refused, and ports that
 * took them up are read on.
 */
#include <libdeflate.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/signature/memory.h"
#include "tests/support/port_play.h"

#define CRC_LEN 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Octets with the checksum that they should have: else nothing gets past it. */
static uint8_t *sealed(const uint8_t *data, size_t len)
{
	uint8_t *octets = malloc(len + 1);
	uint32_t crc;

	if (!octets)
		abort();
	memcpy(octets, data, len);
	if (len < CRC_LEN)
		return octets;
	crc = libdeflate_crc32(0, octets, len - CRC_LEN);
	for (unsigned i = 0; i < CRC_LEN; i++)
		octets[len - 1 - i] = (uint8_t)(crc >> 8 * i);
	return octets;
}

static void sensor_play(struct play *p)
{
	const struct sensor_facts facts = { .name = "fan1",
					    .kind = SENSOR_FAN };
	const struct sensor_reading r = { .value = 0, .low = 1, .high = 1e5 };
	uint32_t n;

	if (engine_sensor(p->engine, &facts, &n) == 0)
		engine_sensor_reading(p->engine, n, &r, p->k.t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct mono now = { 100000 * NS_PER_S };
	static const struct wall wall = { 1767325200 * NS_PER_S };
	uint8_t *octets = sealed(data, len);
	static uint8_t again[1 << 18];
	struct recalled recalled;
	const char *why;
	struct play p;

	play_init(&p, 10);
	(void)snprintf(p.facts.group, sizeof(p.facts.group), "core0");
	if (engine_recall(p.engine, octets, len, now, wall, &why) == 0) {
		if (engine_port(p.engine, &p.facts, &p.port) < 0)
			abort();
		sensor_play(&p);
		play_for(&p, 60);
		p.log_ber = -4.5;
		play_for(&p, 60);
		play_drop(&p, 20);
		play_for(&p, 60);
		engine_recalled(p.engine, &recalled);
		if (memory_size(p.engine) > sizeof(again) ||
		    memory_write(p.engine, now, wall, again,
				 sizeof(again)) < 0)
			abort();
	}
	play_fini(&p);
	free(octets);
	return 0;
}
