/* A host that takes everything and keeps nothing: what a test or a bench wants
 * to hear of, it puts in its place.
 */
#pragma once

#include "petrel/platform.h"

/* Each entity has the handle 1. */
struct platform_host deaf_host(void *context);
