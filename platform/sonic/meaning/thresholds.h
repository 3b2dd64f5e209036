/* What a queue's peak is to be held against: how much memory its buffer
 * profile lets it take, and where its WRED profile begins to mark; the same of
 * priority groups. CONFIG_DB ties them by name:
 *
 *   BUFFER_QUEUE|Ethernet0|3-4 profile -> BUFFER_PROFILE|egress_lossless
 *   QUEUE|Ethernet0|3 wred_profile ----> WRED_PROFILE|AZURE_LOSSLESS
 *
 * Its rows are kept by following_read.c: nothing is read for this. Where the
 * buffer model computes a profile, CONFIG_DB names none, and nothing is told.
 */
#pragma once

struct namespace;

/* Tells what follows from rows of CONFIG_DB, when they changed, or were all
 * read: limits of queues and groups, and what the peers are.
 */
void thresholds_give(struct namespace *s);
