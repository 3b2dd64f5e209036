/* Versatile diagnostics of CMIS modules, as xcvrd shows them, and the books of
 * coherent ones (C-CMIS, TRANSCEIVER_PM). Owns what a module keeps of the time
 * between two readings.
 */
#pragma once

struct out;
struct box_port;
struct module_view;
struct vdm_past;

/* The module's own clockwork: takes minima, maxima and means. */
void vdm_watch(struct vdm_past *past, const struct module_view *v);
/* xcvrd reads values, flags and books; the statistics begin anew. */
void vdm_read(struct box_port *p, const struct module_view *v);
/* The limits, once when a module is plugged. */
void vdm_thresholds(const struct box_port *p);
/* Deletes all of it for a port. */
void vdm_delete(struct out *o, const char *port);
