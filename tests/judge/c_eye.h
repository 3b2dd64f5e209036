/* From light and noise to bit errors of a lane, and from them to codewords. */
#pragma once

#include "tests/judge/c_media.h"

/* A receiver: how far its signal lies over what it needs, and what its noise
 * is made of there. The shares add up to 1.
 */
struct c_eye {
	double margin_db;
	double hiss, shot, beat;
	double q_least, ber_share;
	bool is_electric;		/* decibels of amplitude */
};

/* What is wrong with it now. */
struct c_strain {
	double lost_db;			/* less signal */
	double hiss;			/* more noise of its own, a share */
	double beat;			/* more noise that beats with it */
	double shut_db;			/* the eye, with all its light */
	double fade_db;			/* of the signal, deviation */
};

double c_eye_ber(const struct c_eye *e, const struct c_strain *s);

/* Errors of the codewords of a port: events of a Poisson process, each of them
 * a run of symbols of geometric length (Polya and Aeppli's distribution).
 */
struct c_code {
	unsigned symbols, mends;
	double bits_an_error;		/* in a symbol that is wrong */
};

struct c_hits {
	double events, run;		/* a codeword; chance of one more */
};

/* FEC_RS528 or FEC_RS544. */
const struct c_code *c_code_of(enum fec_mode mode);
struct c_hits c_code_hits(const struct c_code *code, double mean_ber,
			  double run);
/* The chance of each count of wrong symbols below n. */
void c_code_chances(const struct c_hits *h, double *p, unsigned n);
/* Share of codewords beyond mending. */
double c_code_loss(const struct c_code *code, const struct c_hits *h);
/* Of codewords that each have a Poisson number of such a mean. */
double c_code_burst_loss(const struct c_code *code, double mean);
/* 400ZR's concatenated code, of its line's bit errors. */
double c_code_line_loss(double ber);
