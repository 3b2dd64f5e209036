/* Answers while the agent is down, from the rings it left: the head says since
 * when and why it is down; exit code 3.
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

/* The head of such an answer, and the table of rings for status. */
extern const struct answer_shape offline_down, offline_streams;

/* Fills the head's table: when the agent ended and why, according to the rings;
 * why: the reason that asking failed.
 */
void offline_head(const struct past *p, struct answer *a, int64_t now_ns,
		  const char *why);

/* Answers a request from the rings that were read, into an empty answer.
 * Returns an exit code, EXIT_ANSWERED on success.
 */
int offline_ask(const struct past *p, const struct verb *verb,
		const Petrel__Request *request, struct answer *a);

/* Answers a verb that works without the agent, from the rings in run_dir. why:
 * the reason that asking failed. Returns the exit code.
 */
int offline_run(const char *run_dir, const struct verb *verb,
		const Petrel__Request *request, const struct screen *screen,
		const struct render_how *how, const char *why);

/* The last words of the petreld that ended last in run_dir, as a sentence;
 * false: it left none, because it was killed, say.
 */
bool offline_last_words(const char *run_dir, char *ret, size_t cap);
