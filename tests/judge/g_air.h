/* Load and heat of plant G's ports, at any time. */
#pragma once

struct world;

/* Share of its line that a port uses, 0 to 1. */
double g_air_load(const struct world *w, unsigned port, double t_s);
/* Air of a zone, without what befalls it. */
double g_air_zone_c(const struct world *w, unsigned zone, double t_s);
/* A port's module, without what befalls it. */
double g_air_module_c(const struct world *w, unsigned port, double t_s);
