/* Reads and checks the text of a scenario, statement by statement. The grammar
 * is in petrel/plant.h and petrel-scenario(5).
 */
#pragma once

#include <stddef.h>
#include "petrel/diag.h"

struct scenario;

#define SCENARIO_OCTETS_MAX (1u << 20)
#define SCENARIO_FAULTS_MAX 4096u

/* Reads text; d names file, line and nearest word. -EINVAL, -EFBIG, -ENOMEM.
 */
int scenario_read(const char *text, size_t len, const char *file,
		  struct scenario **ret, struct diag *d);
