/* Splits jobs among several processors, for a program that runs once: jobs that
 * wait for nothing but memory and files.
 */
#pragma once

#define WORKERS_MAX 4u

/* Runs the n-th job; no two of one worker run at once. */
typedef void worker_fn(void *context, unsigned worker, unsigned n);

/* The number of workers for so many jobs: at least one, and no more than
 * processors.
 */
unsigned workers_count(unsigned jobs);

/* Runs each job once, in order of start, and returns when all are done. The
 * caller is worker 0; if no thread can be created it runs the rest itself.
 */
void workers_run(unsigned workers, unsigned jobs, worker_fn *fn,
		 void *context);
