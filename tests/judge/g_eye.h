/* The eye of a receiver: how Q becomes a ratio of wrong bits, and back. */
#pragma once

#include <stdbool.h>

#define G_EYE_Q_MAX 14
#define G_EYE_STEPS 64		/* a Q of one */

/* ln of the ratio, by Q. */
struct g_eyes {
	double ln[2][G_EYE_Q_MAX * G_EYE_STEPS + 2];
};

void g_eyes_fill(struct g_eyes *e);
/* PAM4 and 16QAM: 3/8 erfc(Q/sqrt 2), by Gray's code; else NRZ: 1/2 erfc. */
double g_eyes_ber(const struct g_eyes *e, bool pam4, double q);
/* The Q that gives a ratio. */
double g_eyes_q(const struct g_eyes *e, bool pam4, double ber);
