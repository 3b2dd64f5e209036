/* The applications of a CMIS module: its descriptors, 00h:86 on and 01h:223 on.
 * Each says how many lanes it uses on both sides, and where it may begin.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "platform/module/code.h"

struct view;

#define APPLICATIONS_MAX 15u
#define APPLICATION_ACTIVE_SET 206	/* 11h: of each host lane: its
					 * application and data path */

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

/* The descriptor with that number, from 1. */
bool application_get(const struct view *v, unsigned number,
		     struct application *ret);

/* The host lanes behind a media lane of a bank, a bit each, by the active
 * control set: those of its data path, or of several that share it. Of a lane
 * without a data path: as in the first application. Lanes count from 0; 0: none
 * is known.
 * Source: CMIS 5.4 table 8-60 (as public register tables), 00h:86, 11h:206.
 */
uint32_t application_hosts(const struct view *v, unsigned bank, unsigned lane);

/* Lanes of a bank that an application may use; all if unknown. */
void application_lanes(const struct view *v, uint32_t *ret_host,
		       uint32_t *ret_media);

/* As text: "400GAUI-8 to 400GBASE-DR4". */
#define APPLICATION_TEXT_MAX (2 * CODE_TEXT_MAX + 4)
void application_text(const struct view *v, const struct application *a,
		      char ret[static APPLICATION_TEXT_MAX]);

/* All as text: "400GAUI-8 to 400GBASE-DR4, …", as many as fit in cap. */
void application_list(const struct view *v, char *ret, size_t cap);
