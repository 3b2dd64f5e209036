/* The applications of a CMIS module: its descriptors, 00h:86 on and 01h:223 on.
 * Each says how many lanes it uses on both sides, and where it may begin.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct view;

#define APPLICATIONS_MAX 15u

struct application {
	uint8_t host_id, media_id;	/* SFF-8024 */
	uint8_t host_lanes, media_lanes;
	/* bit n: may begin at lane n + 1; media: 0 if not read */
	uint8_t host_first, media_first;
};

/* The first descriptor after number, which is updated; begin with 0. False if
 * there is none.
 */
bool application_next(const struct view *v, unsigned *number,
		      struct application *ret);

/* Lanes of a bank that an application may use; all if unknown. */
void application_lanes(const struct view *v, uint32_t *ret_host,
		       uint32_t *ret_media);

/* As text: "400GAUI-8 to 400GBASE-DR4, …", as many as fit in cap. */
void application_list(const struct view *v, char *ret, size_t cap);
