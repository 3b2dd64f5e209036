/* Reed-Solomon codewords: how many symbols of each are wrong.
 *
 * Errors come in clumps where a decision-feedback equaliser carries one on: a
 * clump grows by one symbol more with a chance, chain. Clumps are Poisson, so
 * the count is Polya-Aeppli's.
 * Source: IEEE 802.3 clauses 91 and 119; PAM4 with DFE: IEEE 802.3bj/bs tasks.
 */
#pragma once

#include <stdint.h>
#include "petrel/link.h"
#include "tests/judge/world.h"

/* Codewords in a second. */
double g_codes_rate(enum fec_mode fec, uint64_t speed_mbps);
/* So many wrong symbols can be mended. */
unsigned g_codes_mends(enum fec_mode fec);
/* Share of codewords that have 0 to 15 wrong symbols, and more. */
void g_codes_shares(enum fec_mode fec, double ber, double chain,
		    double ret[static WORLD_BINS]);
/* Share of codewords that cannot be mended. */
double g_codes_loss(enum fec_mode fec, double ber, double chain);
/* The same of a coherent line's concatenated code (OIF 400ZR). */
double g_codes_line_loss(double log_ber);
