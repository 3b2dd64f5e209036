/* The child that Prometheus scrapes (C21): it runs only while [Metrics] listen
 * is set, has no capability, uses the query socket as petrel does, and is the
 * only one to load an HTTP library. An answer of the core is reused for a
 * second, however many ask.
 */
#pragma once

#include "petrel/diag.h"

struct config;

/* Whether [Metrics] can be served, its files included. Returns a negative errno
 * with d.
 */
int exporter_check(const struct config *c, int root_fd, struct diag *d);
