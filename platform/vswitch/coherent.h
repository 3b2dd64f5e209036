/* What xcvrd shows of a coherent (C-CMIS) module beyond what it shows of all:
 * fields in the rows of others, and TRANSCEIVER_PM, the books of its interval.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/plant.h"

struct flag_row;
struct out;
struct out_seen;

/* Fields of TRANSCEIVER_INFO, of TRANSCEIVER_DOM_SENSOR, … */
void coherent_info_fields(struct out *o);
void coherent_sensor_fields(struct out *o, const struct plant_coherent *c);
/* … of TRANSCEIVER_STATUS, and of TRANSCEIVER_STATUS_FLAG. */
void coherent_status_fields(struct out *o);
void coherent_flags(struct flag_row *r);

/* The row of TRANSCEIVER_PM. */
void coherent_pm_row(struct out *o, const char *port,
		     const struct plant_coherent *c, struct out_seen *seen,
		     int64_t unix_s);
/* Takes it out. */
void coherent_delete(struct out *o, const char *port);

/* A value as a register of 16 bits holds it and Python makes a number of it
 * again: steps times their size, with what binary fractions do to that.
 */
double coherent_register(double value, double step, bool is_signed);
