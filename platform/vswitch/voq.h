/* A switch with virtual output queues: one card of a chassis, whose chips send
 * to each other over fabric ports. All that leaves a port waited in a VOQ.
 */
#pragma once

struct box;

/* What CONFIG_DB says of such a switch. */
void voq_settings(struct box *b);
/* Names and ids of VOQs and fabric ports, with the states of the latter. */
void voq_maps(struct box *b);
/* Their counters. */
void voq_play(struct box *b);
