/* The parameters of a QSFP (SFF-8636 pages 20h and 21h) that CMIS took over
 * into its VDM: SNR, level transition, bit and frame errors of each lane.
 */
#pragma once

#include "platform/module/module.h"

struct view;

#define PARAMS 24u
#define PARAMS_PAGE 0x20u
#define PARAMS_SETS_PAGE 0x21u
#define PARAMS_FLAGS 128u	/* of two each: reading clears them */
#define PARAMS_VALUES 152u	/* two octets each, as what they are */
#define PARAMS_KINDS 200u
#define PARAMS_SETS 128u	/* of thresholds, on their own page */

/* The type that an observable of CMIS has there; 0: none. */
unsigned params_type(unsigned observable);

/* Hands over what of them belongs to parts: MODULE_VDM, MODULE_VDM_THRESHOLDS,
 * MODULE_FLAGS.
 */
void params_decode(const struct view *v, unsigned parts,
		   const struct module_sink *sink);
