/* From light and noise to bit errors: the eye of a receiver. */
#pragma once

#define B_EYE_POINTS 2561

/* Errors by 20 log10(Q), tabled; natural logarithms. */
struct b_eye {
	double ln_ber[B_EYE_POINTS];
};

/* How the noise of a receiver divides at its usual light; the sum is 1. What
 * goes with the signal itself (relative intensity noise, reflections, a far
 * transmitter's own noise) is flat: less light does not change its share.
 */
struct b_noise {
	double thermal, shot, flat;
};

void b_eye_init(struct b_eye *eye);
/* Bit error ratio at 20 log10(Q). */
double b_eye_ber(const struct b_eye *eye, double q_db);
/* The 20 log10(Q) that gives log10 of a bit error ratio. */
double b_eye_q_db(const struct b_eye *eye, double log_ber);

/* Noise on top, as a share of the usual, that costs the eye so much. */
double b_noise_for(double penalty_db);

/* What is lost of 20 log10(Q) by a loss of light and by noise that came on
 * top, in shares of the usual noise. All are 0 or more but the loss.
 */
double b_noise_penalty_db(const struct b_noise *noise, double loss_db,
			  double more_thermal, double more_flat);
