/* Scenario files: any octets are read or refused; what is read is played for
 * some steps.
 */
#include <stddef.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/plant.h"

#define STEPS 5
#define PORTS_MOST 64	/* a large switch takes long and finds no more */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct plant_fault fault;
	struct plant_sensor sensor;
	struct plant_port port;
	struct plant *p = NULL;
	struct diag d;

	if (plant_open((const char *)data, len, "fuzz", &p, &d) < 0)
		return 0;
	for (size_t i = 0; i < plant_fault_count(p); i++)
		plant_fault(p, i, &fault);
	if (plant_port_count(p) <= PORTS_MOST)
		plant_advance(p, STEPS * plant_tick_ns(p));
	for (size_t i = 0; i < plant_port_count(p); i++)
		plant_port(p, i, &port);
	plant_sensor(p, 0, &sensor);
	plant_close(p);
	return 0;
}
