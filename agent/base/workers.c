#include "agent/base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

struct shared {
	worker_fn *fn;
	void *context;
	unsigned jobs;
	atomic_uint next;		/* next job to take */
};

struct job_worker {
	struct shared *shared;
	pthread_t thread;
	unsigned number;
	bool is_running;
};

unsigned workers_count(unsigned jobs)
{
	unsigned count = 1;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		count = (unsigned)CPU_COUNT(&set);
	if (count > WORKERS_MAX)
		count = WORKERS_MAX;
	return count < jobs ? count : jobs ? jobs : 1;
}

static void *work(void *context)
{
	struct job_worker *w = context;
	struct shared *s = w->shared;
	unsigned n;

	while ((n = atomic_fetch_add(&s->next, 1)) < s->jobs)
		s->fn(s->context, w->number, n);
	return NULL;
}

void workers_run(unsigned workers, unsigned jobs, worker_fn *fn, void *context)
{
	struct shared shared = { .fn = fn, .context = context, .jobs = jobs };
	struct job_worker worker[WORKERS_MAX] = { { .shared = &shared } };

	for (unsigned i = 1; i < workers; i++) {
		worker[i] = (struct job_worker){ .shared = &shared,
						 .number = i };
		worker[i].is_running = pthread_create(&worker[i].thread, NULL,
						      work, &worker[i]) == 0;
	}
	(void)work(&worker[0]);
	for (unsigned i = 1; i < workers; i++)
		if (worker[i].is_running)
			(void)pthread_join(worker[i].thread, NULL);
}
