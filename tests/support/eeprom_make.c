/* Writes the memory of a scenario's modules at a time into files, laid out as
 * SONiC's optoe driver does: N.bin for the module of the N-th cage, from 0.
 *
 *   eeprom_make SCENARIO SECONDS FOLDER
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "petrel/clock.h"
#include "petrel/plant.h"
#include "platform/sim/eeprom.h"

#define EXIT_USAGE 64
#define SCENARIO_MAX 65536
#define PATH_LEN 512

static int scenario_open(const char *path, struct plant **ret)
{
	static char text[SCENARIO_MAX];
	FILE *f = fopen(path, "re");
	struct diag d = { "no such file" };
	size_t len = 0;
	int rc = -1;

	if (f)
		len = fread(text, 1, sizeof(text), f);
	if (f)
		rc = plant_open(text, len, path, ret, &d);
	if (f)
		(void)fclose(f);
	if (rc < 0)
		(void)fprintf(stderr, "eeprom_make: %s: %s\n", path, d.text);
	return rc;
}

static int module_write(const struct plant *p, size_t port, unsigned number,
			const char *folder)
{
	uint8_t file[EEPROM_FILE_MAX];
	struct eeprom e;
	char path[PATH_LEN];
	size_t len;
	FILE *f;
	int ok;

	if (!eeprom_write_plant(p, port, &e))
		return 0;
	len = eeprom_file(&e, file);
	(void)snprintf(path, sizeof(path), "%s/%u.bin", folder, number);
	f = fopen(path, "we");
	ok = f && fwrite(file, 1, len, f) == len;
	if (f && fclose(f) != 0)
		ok = 0;
	if (!ok)
		perror(path);
	return ok ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct plant *p = NULL;
	struct plant_port_facts f;
	uint64_t seconds;
	int rc = 0;

	if (argc != 4 || number_parse(argv[2], 0, UINT32_MAX, &seconds) < 0) {
		(void)fprintf(stderr, "usage: eeprom_make SCENARIO SECONDS "
			      "FOLDER\n");
		return EXIT_USAGE;
	}
	if (scenario_open(argv[1], &p) < 0)
		return EXIT_FAILURE;
	plant_advance(p, (int64_t)seconds * NS_PER_S);
	for (size_t i = 0; i < plant_port_count(p) && rc == 0; i++) {
		plant_port_facts(p, i, &f);
		if (f.first_lane == 1)
			rc = module_write(p, i, f.module - 1, argv[3]);
	}
	plant_close(p);
	return rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
