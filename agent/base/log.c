#include "petrel/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>
#include <unistd.h>

/* The only state that all stages share: where log lines go. Set at the start;
 * the least priority changes with each reload.
 */
static struct {
	enum log_target target;
	enum log_priority least;
	const char *program;
} log_state = { LOG_TARGET_STDERR, LOG_PRIORITY_INFO, "petrel" };

void log_open(const char *program, enum log_target target,
	      enum log_priority least)
{
	log_state.program = program;
	log_state.target = target;
	log_state.least = least;
	if (target == LOG_TARGET_SYSLOG)
		openlog(program, LOG_PID | LOG_NDELAY, LOG_DAEMON);
}

void log_least_set(enum log_priority least)
{
	log_state.least = least;
}

enum log_target log_target_guess(bool foreground)
{
	if (getenv("JOURNAL_STREAM"))
		return LOG_TARGET_JOURNAL;
	return foreground ? LOG_TARGET_STDERR : LOG_TARGET_SYSLOG;
}

bool log_is_on(enum log_priority priority)
{
	return priority <= log_state.least;
}

void log_write(enum log_priority priority, const char *subject,
	       const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (log_state.target == LOG_TARGET_SYSLOG)
		syslog((int)priority, "%s: %s", subject, text);
	else if (log_state.target == LOG_TARGET_JOURNAL)
		dprintf(STDERR_FILENO, "<%d>%s: %s\n", (int)priority, subject,
			text);
	else
		dprintf(STDERR_FILENO, "%s[%d]: %s: %s\n", log_state.program,
			(int)getpid(), subject, text);
}
