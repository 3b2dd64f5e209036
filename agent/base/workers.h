/* Jobs that several processors share, for a program that answers once: those
 * that wait for nothing but memory and files.
 */
#pragma once

#define WORKERS_MAX 4u

/* The n-th job; no two of one worker run at once. */
typedef void worker_fn(void *context, unsigned worker, unsigned n);

/* How many there are for so many jobs: at least one, and no more than
 * processors.
 */
unsigned workers_count(unsigned jobs);

/* Does each job once, the first ones first, and returns when all are done. The
 * caller is worker 0; where no thread can be had it does what is left.
 */
void workers_run(unsigned workers, unsigned jobs, worker_fn *fn,
		 void *context);
