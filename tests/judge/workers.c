#include "tests/judge/workers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/judge/plants.h"

void tasks_add(struct tasks *t, unsigned plant, const struct world_case *at)
{
	if (t->count == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 64;
		t->task = realloc(t->task, t->cap * sizeof(*t->task));
		if (!t->task)
			abort();
	}
	t->task[t->count++] = (struct task){ plant, *at };
}

void tasks_fini(struct tasks *t)
{
	free(t->task);
}

/* What one worker of so many plays. */
static int share_run(const struct tasks *t, const struct trial_options *o,
		     unsigned worker, unsigned workers, struct rows *rows)
{
	struct trial *trial = NULL;
	int rc = trial_new(o, &trial);

	for (size_t i = worker; rc == 0 && i < t->count; i += workers) {
		const struct task *task = &t->task[i];

		rc = trial_run(trial, task->plant, plants_get(task->plant),
			       &task->at, rows);
		if (rc < 0)
			(void)fprintf(stderr, "judge: plant %s, seed %llu: %s\n",
				      plants_word(task->plant),
				      (unsigned long long)task->at.seed,
				      strerror(-rc));
	}
	trial_free(trial);
	return rc;
}

static pid_t worker_start(const struct tasks *t, const struct trial_options *o,
			  unsigned worker, unsigned workers, FILE *out)
{
	pid_t child = fork();
	struct rows rows;
	int rc;

	if (child != 0)
		return child;
	rows_init(&rows);
	rc = share_run(t, o, worker, workers, &rows);
	if (rc == 0)
		rc = rows_write(&rows, out);
	_exit(rc ? 1 : 0);
}

static int worker_end(pid_t child, FILE *out, struct rows *rows)
{
	int status = 0;

	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != 0)
		return -EIO;
	rewind(out);
	return rows_read(rows, out);
}

int tasks_run(const struct tasks *t, const struct trial_options *options,
	      unsigned workers, struct rows *rows)
{
	FILE *out[WORKERS_MAX];
	pid_t child[WORKERS_MAX];
	int rc = 0;

	for (unsigned i = 0; i < workers; i++) {
		out[i] = tmpfile();
		child[i] = out[i] ? worker_start(t, options, i, workers, out[i])
				  : -1;
	}
	for (unsigned i = 0; i < workers; i++) {
		if (child[i] < 0 || worker_end(child[i], out[i], rows) < 0)
			rc = -EIO;
		if (out[i])
			(void)fclose(out[i]);	/* scratch */
	}
	return rc;
}
