/* One line per change of state: subject first, values as key=value.
 *
 * Under the journal (or a terminal, or a pipe) lines go to standard error,
 * with the priority as "<n>" if the reader understands it; otherwise to
 * syslog(3). Never per sample; the caller limits repeats, because it knows what
 * a change is.
 */
#pragma once

#include <stdbool.h>

enum log_priority {	/* the numbers of syslog(3) */
	LOG_PRIORITY_ERR = 3,
	LOG_PRIORITY_WARNING = 4,
	LOG_PRIORITY_NOTICE = 5,
	LOG_PRIORITY_INFO = 6,
	LOG_PRIORITY_DEBUG = 7,
};

enum log_target { LOG_TARGET_STDERR, LOG_TARGET_JOURNAL, LOG_TARGET_SYSLOG };

/* Once, before the first line; program is kept by reference. */
void log_open(const char *program, enum log_target target,
	      enum log_priority least);

/* Sets the least priority that is written from now on. */
void log_least_set(enum log_priority least);

/* Where this process logs to: journal, terminal or syslog. */
enum log_target log_target_guess(bool foreground);

/* True if a line of this priority would be written. */
bool log_is_on(enum log_priority priority);

/* Writes "subject: text". */
void log_write(enum log_priority priority, const char *subject,
	       const char *format, ...) __attribute__((format(printf, 3, 4)));

#define log_at(priority, ...)						\
	do {								\
		if (log_is_on(priority))				\
			log_write(priority, __VA_ARGS__);		\
	} while (0)
#define log_err(...)	log_at(LOG_PRIORITY_ERR, __VA_ARGS__)
#define log_warn(...)	log_at(LOG_PRIORITY_WARNING, __VA_ARGS__)
#define log_notice(...)	log_at(LOG_PRIORITY_NOTICE, __VA_ARGS__)
#define log_info(...)	log_at(LOG_PRIORITY_INFO, __VA_ARGS__)
#define log_debug(...)	log_at(LOG_PRIORITY_DEBUG, __VA_ARGS__)
