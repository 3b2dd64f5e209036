/* Laws of growth: fits one to the course of a fault since it began, and says
 * when it reaches a level.
 *
 * A law is a shape of time times a size, in decades of the bit error ratio or
 * in decibels of the eye (Q): a straight line, a power of time, an exponential
 * (that speeds up or slows down), a sigmoid, growth that has ended, growth that
 * began after a flat time; and the eye's noise (1/Q^2) as a straight line. The
 * size has a closed form; the bend of the shape and the onset before the first
 * point are found by Gauss-Newton, each with a prior. The evidence for a law is
 * Laplace's approximation: a law that could fit much else counts less.
 */
#pragma once

#include <stdbool.h>

#define GROWTH_POINTS 48
#define GROWTH_NODES 7

enum growth_scale { GROWTH_DECADES, GROWTH_EYE_DB, GROWTH_EYE_NOISE,
		    GROWTH_SCALE_COUNT };

/* The data. Time is a share of the age: 0 at the begin, 1 now. */
struct growth {
	unsigned n;
	double t[GROWTH_POINTS];
	struct growth_seen {		/* on each scale, above normal */
		double y[GROWTH_POINTS];
		double weight[GROWTH_POINTS];	/* decades a unit, squared */
		double goal;		/* the level to reach */
	} seen[GROWTH_SCALE_COUNT];
	double noise;	/* variance of a point, decades^2: a first guess */
};

struct growth_law;

/* One law, fitted. */
struct growth_fit {
	const struct growth_law *law;
	double size, bend[2];
	double rss;		/* decades^2 */
	double doubt;		/* squared deviations from the priors */
	double square, told[3];	/* information on size and bend in the points */
	double size_moves[2];	/* … derivatives of the size by the bends */
	/* With the noise that is known: */
	double noise, of_size;	/* variance of the size, all else known */
	double cov[3];		/* of the bend: 00, 01, 11 */
};

extern const unsigned growth_law_count;

/* False: the law does not fit, or its size is not above 0. */
bool growth_fit(const struct growth *g, unsigned law, struct growth_fit *ret);
/* The point's deviation from the law, in decades or near it. */
double growth_residual(const struct growth *g, const struct growth_fit *f,
		       unsigned point);
/* Sets noise that is better than the first guess. False: the fit is no use. */
bool growth_doubt(struct growth_fit *f, double noise);
/* Log of the evidence, without terms that all laws share. */
double growth_evidence(const struct growth_fit *f);

/* When the goal is reached, over the law's doubt: nodes in steps of 0.7
 * deviations about the best, with weights that sum to one. INFINITY: never.
 */
struct growth_node {
	double t, weight;
};

void growth_reaches(const struct growth *g, const struct growth_fit *f,
		    struct growth_node ret[static GROWTH_NODES]);
