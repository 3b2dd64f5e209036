/* Builds the ports of a world: media, floors, light, heat, names. */
#pragma once

struct world;

/* Fills row and port of a world whose case, eye and draw are set. */
void b_build(struct world *w);
