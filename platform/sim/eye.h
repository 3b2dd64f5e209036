/* From the opening of the eye to bit errors, and back.
 *
 * Q is half the distance between neighbouring levels over the noise.
 */
#pragma once

#include <stdbool.h>

/* Four levels with Gray code, as PAM4: 3/8 erfc(Q/sqrt 2); two levels, as
 * NRZ: 1/2 erfc(Q/sqrt 2).
 */
double eye_ber(bool four_levels, double q);

/* The Q that gives a BER above 0; 0 where that is the worst or more. */
double eye_q(bool four_levels, double ber);

/* Signal to noise ratio in dB of mean power over noise. */
double eye_snr_db(bool four_levels, double q);
