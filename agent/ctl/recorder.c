/* petrel record: writes what the agent sees as a trace, PORTS.ndjson and
 * SAMPLES.ndjson, until the time is over or the user interrupts it.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/ctl/client.h"
#include "agent/ctl/json_out.h"
#include "agent/ctl/options.h"
#include "agent/ctl/past.h"
#include "agent/ctl/redact.h"
#include "agent/ctl/runs.h"
#include "agent/query/message.h"
#include "agent/query/pattern.h"
#include "agent/query/server.h"
#include "agent/query/verbs.h"
#include "agent/state/port_reading.h"
#include "petrel/clock.h"
#include "petrel/local.h"

#define DURATION_DEFAULT_NS (600 * NS_PER_S)
#define DIR_MODE 0755
#define FILE_MODE 0644

/* The two files of a trace, and their folder; open if not NULL, not below 0. */
struct recording {
	int dir_fd;
	FILE *ports, *samples;
	uint64_t port_lines, sample_lines;
	struct redact *redact;		/* NULL: no redaction; owned */
};

/* Fails if the file exists: an old trace is never overwritten. */
static int file_new(int dir_fd, const char *name, FILE **ret, struct diag *d)
{
	int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			FILE_MODE), err;

	*ret = fd < 0 ? NULL : fdopen(fd, "w");
	if (*ret)
		return 0;
	err = errno;
	if (fd >= 0)
		(void)close(fd);
	return diag_set(d, -err, "%s: %s", name, err == EEXIST ?
			"exists already; give an empty folder" :
			strerror(err));
}

/* Returns an error of either file. */
static int recording_close(struct recording *r)
{
	int rc = 0;

	if (r->ports && fclose(r->ports) != 0)
		rc = -errno;
	if (r->samples && fclose(r->samples) != 0)
		rc = -errno;
	return rc;
}

/* The caller closes what is open, whatever is returned. */
static int recording_open(const char *dir, struct recording *r, struct diag *d)
{
	int rc;

	if (mkdir(dir, DIR_MODE) < 0 && errno != EEXIST)
		return diag_set(d, -errno, "%s: %s", dir, strerror(errno));
	r->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->dir_fd < 0)
		return diag_set(d, -errno, "%s: %s", dir, strerror(errno));
	rc = file_new(r->dir_fd, "PORTS.ndjson", &r->ports, d);
	if (rc == 0)
		rc = file_new(r->dir_fd, "SAMPLES.ndjson", &r->samples, d);
	return rc < 0 ? diag_prefix(d, rc, "%s", dir) : 0;
}

/* Removes the files if empty, so that the folder can be used again. */
static void recording_forget(const struct recording *r)
{
	if (!r->samples || r->port_lines + r->sample_lines > 0)
		return;
	(void)unlinkat(r->dir_fd, "PORTS.ndjson", 0);	/* it was ours */
	(void)unlinkat(r->dir_fd, "SAMPLES.ndjson", 0);
}

/* Writes ports or samples, as the cursor says; flushes, so that a kill loses at
 * most the current line.
 */
static int lines_write(struct recording *r, const Petrel__Answer *a)
{
	bool ports = strcmp(a->cursor, LOCAL_CURSOR_PORTS) == 0;
	FILE *f = ports ? r->ports : r->samples;

	assert(f);	/* recording_open() made both */
	for (size_t i = 0; i < a->n_lines; i++) {
		const char *line = a->lines[i];

		if ((r->redact ? redact_text(r->redact, line, strlen(line), f) :
				 fputs(line, f)) < 0 || fputc('\n', f) < 0)
			return -EIO;
	}
	*(ports ? &r->port_lines : &r->sample_lines) += a->n_lines;
	return fflush(f) == 0 ? 0 : -EIO;
}

/* True when there is an answer to read before the end, and no interrupt. */
static bool answer_comes(const struct client *c, int signal_fd,
			 struct mono end)
{
	struct pollfd p[2] = { { .fd = client_fd(c), .events = POLLIN },
			       { .fd = signal_fd, .events = POLLIN } };
	int64_t left = mono_diff_ns(end, clock_mono_now());
	int64_t ms = (left + NS_PER_MS - 1) / NS_PER_MS;

	if (left <= 0 || poll(p, 2, ms > INT_MAX ? INT_MAX : (int)ms) <= 0)
		return false;
	return p[0].revents && !p[1].revents;
}

/* Takes one answer of the agent; returns an exit code. */
static int answer_take(struct client *c, struct recording *r, struct diag *d)
{
	Petrel__Answer *a;
	int rc = client_answer(c, CLIENT_TIMEOUT_NS, &a, d), code;

	if (rc < 0)
		return rc == -EPIPE ? EXIT_INCOMPLETE : ask_failed(rc);
	code = (int)a->code;
	if (code)
		(void)diag_set(d, 0, "%s", a->error);
	else if (lines_write(r, a) < 0)
		code = diag_set(d, EXIT_INCOMPLETE, "cannot write the trace: "
				"%s", strerror(errno));
	answer_unpacked_free(a);
	return code;
}

/* Takes answers until the time is over. Returns an exit code. */
static int record_until(struct client *c, struct recording *r,
			struct mono end, struct diag *d)
{
	int signal_fd = ask_end_fd(false), code = EXIT_ANSWERED;

	if (signal_fd < 0)
		return diag_set(d, EXIT_INCOMPLETE, "no signalfd: %s",
				strerror(errno));
	while (code == EXIT_ANSWERED && answer_comes(c, signal_fd, end))
		code = answer_take(c, r, d);
	(void)close(signal_fd);
	return code;
}

/* Reports what was written; nothing if no folder was made. */
static void recording_tell(const struct invocation *inv,
			   const struct recording *r, int code,
			   const char *error)
{
	struct json_out j;

	if (r->samples && (r->sample_lines || !error) &&
	    !option_given(inv, OPTION_JSON))
		(void)fprintf(stderr, "petrel: %llu port%s, %llu sample%s in "
			      "%s\n", (unsigned long long)r->port_lines,
			      r->port_lines == 1 ? "" : "s",
			      (unsigned long long)r->sample_lines,
			      r->sample_lines == 1 ? "" : "s",
			      inv->value[OPTION_OUT]);
	if (!option_given(inv, OPTION_JSON))
		return;
	json_out_own(&j, inv->verb->name, code, error);
	json_out_text(&j, "folder", inv->value[OPTION_OUT]);
	json_out_integer(&j, "ports", (int64_t)r->port_lines);
	json_out_integer(&j, "samples", (int64_t)r->sample_lines);
	(void)json_out_close(&j);	/* main() checks standard output */
}

/* Asks for the trace and takes it until the time is over. */
static int record_run(const struct invocation *inv, int64_t duration_ns,
		      struct recording *r, struct diag *d)
{
	char *args[1] = { ask_word(inv->value[OPTION_PORTS]) };
	Petrel__Request request;
	struct agent_place place;
	struct client *c;
	int rc = ask_place(inv, &place, d), code;

	if (rc < 0)
		return EXIT_USAGE;
	ask_request(&request, inv->verb->name, args,
		    option_given(inv, OPTION_PORTS));
	request.follow = true;
	rc = client_open(&place, &request, &c, d);
	if (rc < 0) {
		ask_why_down(&place, rc, d);
		return ask_failed(rc);
	}
	rc = recording_open(inv->value[OPTION_OUT], r, d);
	if (rc < 0) {
		client_close(c);
		return ask_file_failed(rc);
	}
	code = record_until(c, r, (struct mono){ clock_mono_now().ns +
						 duration_ns }, d);
	client_close(c);
	return code;
}

/* --- the past ------------------------------------------------------------ */

/* A replay of the rings. */
struct replayed {
	struct query query;
	struct query_context context;
	struct recording *recording;
};

/* Writes the lines of each batch. */
static int batch_write(void *context, struct past *p)
{
	struct replayed *m = context;
	int rc = 0;

	if (!m->context.reading) {
		m->context.state = p->state;
		rc = port_reading_new(p->state, &m->context.reading);
	}
	if (rc < 0)
		return rc;
	m->query.now = (struct clock_reading){ .mono = p->last,
					       .wall = past_wall(p, p->last) };
	answer_clear(m->query.a);
	verbs_trace_tick(&m->query);
	return lines_write(m->recording, answer_message(m->query.a));
}

/* Replays through m all that the rings have of the time. */
static int rings_replay(const char *run_dir, int64_t last_ns,
			struct replayed *m, struct diag *d)
{
	int dir_fd = open(run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;
	struct wall from = { clock_wall_now().ns - last_ns };
	struct past past;

	if (dir_fd < 0)
		return diag_set(d, -errno, "no rings in %s: %s", run_dir,
				strerror(errno));
	rc = past_read(dir_fd, false, &past, d);
	if (rc < 0)
		(void)diag_prefix(d, rc, "no rings in %s", run_dir);
	if (rc == 0) {
		if (m->recording->redact)
			redact_inventory(m->recording->redact,
					 past.switch_name, past.state,
					 past.history);
		past_fini(&past);
		rc = past_play(dir_fd, from, batch_write, m, &past, d);
	}
	(void)close(dir_fd);	/* only read */
	if (rc < 0)
		return rc;
	answer_clear(m->query.a);
	m->context.state = past.state;
	verbs_trace_ports(&m->query);
	rc = lines_write(m->recording, answer_message(m->query.a));
	past_fini(&past);
	return rc;
}

/* Returns an exit code. */
static int record_last(const struct invocation *inv, int64_t last_ns,
		       struct recording *r, struct diag *d)
{
	const char *ports = inv->value[OPTION_PORTS];
	struct replayed m = { .recording = r };
	struct agent_place place;
	int rc = ask_place(inv, &place, d);

	if (rc < 0)
		return EXIT_USAGE;
	m.query.ctx = &m.context;
	rc = answer_new(QUERY_ANSWER_OCTETS, &m.query.a);
	if (rc == 0)
		rc = choice_parse(ports ? ports : "", &m.query.wanted, d);
	if (rc == 0)
		rc = recording_open(inv->value[OPTION_OUT], r, d);
	if (rc == 0 && option_given(inv, OPTION_REDACT))
		rc = redact_new(true, &r->redact);
	if (rc == 0)
		rc = rings_replay(place.run_dir, last_ns, &m, d);
	port_reading_free(m.context.reading);
	answer_free(m.query.a);
	if (rc == 0 && ports && r->port_lines == 0) {
		r->sample_lines = 0;	/* only sensors: not asked for */
		return diag_set(d, EXIT_NO_SUCH, "no port matches '%s'", ports);
	}
	if (rc == 0 && r->port_lines + r->sample_lines == 0)
		return diag_set(d, EXIT_NO_SUCH, "the rings in %s are empty",
				place.run_dir);
	return rc == 0 ? EXIT_ANSWERED : ask_file_failed(rc);
}

int recorder_run(const struct invocation *inv)
{
	const char *ports = inv->value[OPTION_PORTS];
	int64_t duration_ns = DURATION_DEFAULT_NS, last_ns = 0;
	struct recording r = { .dir_fd = -1 };
	struct pattern p;
	struct diag d = { "" };
	int code;

	if (!option_given(inv, OPTION_OUT))
		return command_failed(EXIT_USAGE, "record needs -o DIR");
	if (option_duration(inv, OPTION_FOR, &duration_ns, &d) < 0 ||
	    option_duration(inv, OPTION_LAST, &last_ns, &d) < 0)
		return command_failed(EXIT_USAGE, "%s", d.text);
	if (option_given(inv, OPTION_FOR) && option_given(inv, OPTION_LAST))
		return command_failed(EXIT_USAGE, "--for and --last exclude "
				      "each other");
	if (option_given(inv, OPTION_REDACT) && !option_given(inv, OPTION_LAST))
		return command_failed(EXIT_USAGE, "--redact needs --last");
	if (ports && pattern_parse(ports, &p, &d) < 0)
		return command_failed(EXIT_USAGE, "%s", d.text);
	code = last_ns ? record_last(inv, last_ns, &r, &d) :
			 record_run(inv, duration_ns, &r, &d);
	if (recording_close(&r) < 0 && code == EXIT_ANSWERED)
		code = diag_set(&d, EXIT_INCOMPLETE, "cannot write the trace");
	if (code != EXIT_ANSWERED)
		recording_forget(&r);
	if (r.dir_fd >= 0)
		(void)close(r.dir_fd);	/* only looked up in */
	redact_free(r.redact);	/* NULL without --redact */
	recording_tell(inv, &r, code, code == EXIT_ANSWERED ? NULL : d.text);
	return code == EXIT_ANSWERED ? code :
	       command_failed(code, "%s", d.text);
}
