/* Verbs that do more than ask and show, each in the file of its name. They
 * return the exit code; main.c has the table of them.
 */
#pragma once

struct invocation;

typedef int run_fn(const struct invocation *inv);

run_fn bugreport_run, decode_run, history_run, keygen_run, recorder_run,
       replay_run, report_run, watch_run;
