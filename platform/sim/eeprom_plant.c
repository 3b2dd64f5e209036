#include "platform/sim/eeprom.h"

bool eeprom_write_plant(const struct plant *p, size_t port, struct eeprom *ret)
{
	struct plant_port_facts facts[EEPROM_PORTS_MAX];
	struct plant_port state[EEPROM_PORTS_MAX];
	struct plant_coherent coherent;
	struct eeprom_module m = { 0 };

	for (size_t i = port; i < plant_port_count(p) &&
	     m.ports < EEPROM_PORTS_MAX; i++) {
		plant_port_facts(p, i, &facts[m.ports]);
		if (facts[m.ports].module != facts[0].module)
			break;
		plant_port(p, i, &state[m.ports]);
		m.facts[m.ports] = &facts[m.ports];
		m.state[m.ports] = &state[m.ports];
		m.ports++;
	}
	if (m.ports == 0 || !state[0].present)
		return false;
	if (plant_coherent(p, port, &coherent))
		m.coherent = &coherent;
	eeprom_write(&m, ret);
	return true;
}
