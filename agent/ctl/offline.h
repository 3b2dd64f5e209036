/* Answers while the agent is down, from what it left in its rings: headed by
 * since when and why, exit code 3.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "agent/query/answer.h"
#include "local.pb-c.h"

struct past;
struct render_how;
struct screen;
struct verb;

/* The head of such an answer, and what status has of the rings. */
extern const struct answer_shape offline_down, offline_streams;

/* The table of that head: what the rings tell of when it ended, and why, the
 * reason that asking came to.
 */
void offline_head(const struct past *p, struct answer *a, int64_t now_ns,
		  const char *why);

/* Answers a request from what was read of the rings, into an empty answer.
 * Returns an exit code, EXIT_ANSWERED where all is well.
 */
int offline_ask(const struct past *p, const struct verb *verb,
		const Petrel__Request *request, struct answer *a);

/* Answers a verb that can be answered so, from the rings in run_dir.
 * why: what asking came to. Returns the exit code.
 */
int offline_run(const char *run_dir, const struct verb *verb,
		const Petrel__Request *request, const struct screen *screen,
		const struct render_how *how, const char *why);

/* What the petreld that ended last in run_dir said of it, as a sentence; false:
 * it said nothing, as one that was killed.
 */
bool offline_last_words(const char *run_dir, char *ret, size_t cap);
