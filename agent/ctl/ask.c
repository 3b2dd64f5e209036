#include "agent/ctl/ask.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/config/config.h"
#include "agent/ctl/client.h"
#include "agent/ctl/command.h"
#include "agent/ctl/offline.h"
#include "agent/ctl/options.h"
#include "agent/ctl/render.h"
#include "agent/query/message.h"
#include "petrel/clock.h"
#include "petrel/local.h"

#define SOCKET_NAME "petrel.sock"
#define RELOAD_TIMEOUT_NS (30 * NS_PER_S)
#define TOP_MAX 1000000u

static void dir_of(const char *path, char *ret, size_t cap)
{
	const char *slash = strrchr(path, '/');

	if (slash)
		(void)snprintf(ret, cap, "%.*s", (int)(slash - path + 1), path);
	else
		(void)snprintf(ret, cap, ".");
}

int ask_place(const struct invocation *inv, struct agent_place *ret,
	      struct diag *d)
{
	const char *file = inv->value[OPTION_CONFIG];
	struct config config;
	int rc;

	if (inv->value[OPTION_SOCKET]) {
		(void)snprintf(ret->socket, sizeof(ret->socket), "%s",
			       inv->value[OPTION_SOCKET]);
		dir_of(ret->socket, ret->run_dir, sizeof(ret->run_dir));
		return 0;
	}
	rc = config_load(NULL, NULL, file ? file : CONFIG_PATH_DEFAULT, !file,
			 &config, d);
	if (rc < 0 && file)
		return rc;
	if (rc < 0) {	/* the agent keeps to the one before; so does this */
		config_guess_run_dir(CONFIG_PATH_DEFAULT, config.run_dir);
		config.socket[0] = '\0';
	}
	(void)snprintf(ret->run_dir, sizeof(ret->run_dir), "%s",
		       config.run_dir);
	(void)snprintf(ret->socket, sizeof(ret->socket), "%s/%s",
		       config.run_dir, config.socket[0] ? config.socket :
							  SOCKET_NAME);
	return 0;
}

int ask_open(const struct agent_place *place, const Petrel__Request *request,
	     struct client **ret, struct diag *d)
{
	struct client *c;
	int rc = client_open(place->socket, &c, d);

	if (rc < 0)
		return rc;
	rc = client_ask(c, request, d);
	if (rc < 0) {
		client_close(c);
		return rc;
	}
	*ret = c;
	return 0;
}

int ask_failed(int err)
{
	if (err == -EACCES || err == -EPERM)
		return EXIT_NOT_PERMITTED;
	return err == -EMSGSIZE ? EXIT_USAGE : EXIT_UNREACHABLE;
}

int ask_file_failed(int err)
{
	switch (err) {
	case -ENOENT:
	case -ENOTDIR:
		return EXIT_NO_SUCH;
	case -EACCES:
	case -EPERM:
	case -EROFS:
		return EXIT_NOT_PERMITTED;
	case -EEXIST:
		return EXIT_USAGE;
	default:
		return EXIT_INCOMPLETE;
	}
}

/* Nobody answers, as against: somebody, and that is wrong. */
static bool agent_is_down(int err)
{
	return err == -ENOENT || err == -ECONNREFUSED || err == -ETIMEDOUT ||
	       err == -EPIPE || err == -ECONNRESET;
}

/* A question under way. */
struct ask {
	const struct invocation *inv;
	struct screen screen;
	struct render_how how;
	struct agent_place place;
	Petrel__Request request;
	char *args[ARGUMENTS_MAX];
	int64_t timeout_ns;
};

/* What all questions have in common. */
static int ask_begin(struct ask *q, const struct invocation *inv,
		     struct diag *d)
{
	const struct command *c = inv->command;

	*q = (struct ask){ .inv = inv, .screen = screen_of(stdout),
			   .timeout_ns = CLIENT_TIMEOUT_NS };
	q->how = (struct render_how){
		.command = c->name, .json = option_given(inv, OPTION_JSON),
		.has_findings = c->has_findings &&
				!option_given(inv, OPTION_BENIGN),
		.lines = option_given(inv, OPTION_FOLLOW) };
	if (option_given(inv, OPTION_WIDE)) {
		q->screen.table_width = SCREEN_UNBOUNDED;
		q->screen.is_wide = true;
	}
	petrel__request__init(&q->request);
	q->request.version = LOCAL_VERSION;
	q->request.follow = q->how.lines;
	q->request.args = q->args;
	if (strcmp(c->verb, "reload") == 0)
		q->timeout_ns = RELOAD_TIMEOUT_NS;
	return ask_place(inv, &q->place, d);
}

/* protobuf-c wants char *; it only reads them. */
static char *borrowed(const char *text)
{
	return (char *)(uintptr_t)text;
}

static void ask_argument(struct ask *q, const char *text)
{
	q->args[q->request.n_args++] = borrowed(text);
}

/* The agent's code; 75 for an answer that is well but cut. */
static int answer_code(const Petrel__Answer *a, int before)
{
	if (a->code)
		return (int)a->code;
	return a->complete ? before : EXIT_INCOMPLETE;
}

/* The agent did answer; main() need not tell this once more. */
static int unwritten(int rc)
{
	(void)fprintf(stderr, "petrel: standard output: %s\n", strerror(-rc));
	clearerr(stdout);
	return EXIT_INCOMPLETE;
}

/* Shows answers until the last. ret_code: of them all. */
static int answers_show(struct ask *q, struct client *c, int *ret_code,
			struct diag *d)
{
	int64_t timeout_ns = q->timeout_ns;
	bool more = true;

	*ret_code = EXIT_ANSWERED;
	while (more) {
		Petrel__Answer *a;
		int rc = client_answer(c, timeout_ns, &a, d);

		if (rc < 0)
			return rc;
		if (!answer_is_sound(a)) {
			answer_unpacked_free(a);
			return diag_set(d, -EBADMSG, "the answer does not hold "
					"together: this is no petreld, or one "
					"of another version");
		}
		*ret_code = answer_code(a, *ret_code);
		more = a->more;
		timeout_ns = -1;	/* the next comes when there is one */
		rc = render(&q->screen, &q->how, a);
		answer_unpacked_free(a);
		if (rc < 0) {
			*ret_code = unwritten(rc);
			return 0;
		}
	}
	return 0;
}

static int ask_online(struct ask *q, int *ret_code, struct diag *d)
{
	struct client *c;
	int rc;

	q->request.verb = borrowed(q->inv->command->verb);
	rc = ask_open(&q->place, &q->request, &c, d);
	if (rc < 0)
		return rc;
	rc = answers_show(q, c, ret_code, d);
	client_close(c);
	return rc;
}

/* An answer that petrel makes itself: that it has none. */
static int failure_show(const struct ask *q, int code, const char *why)
{
	Petrel__Answer a;

	petrel__answer__init(&a);
	a.code = (uint32_t)code;
	a.error = borrowed(why);
	a.wall_ns = clock_wall_now().ns;
	(void)render(&q->screen, &q->how, &a);
	return code;
}

/* After the asking: what it came to, or the rings instead. */
static int ask_finish(struct ask *q, int err, int code, const char *why)
{
	const struct command *c = q->inv->command;
	char words[DIAG_MAX + 96];

	if (err == 0)
		return code;
	if (agent_is_down(err) &&
	    offline_last_words(q->place.run_dir, words, sizeof(words)))
		why = words;
	if (agent_is_down(err) && c->offline && !q->how.lines)
		return offline_run(q->place.run_dir, c, &q->request, &q->screen,
				   &q->how, why);
	return failure_show(q, ask_failed(err), why);
}

/* A command line that cannot be understood is never asked. */
static int usage_failed(const char *why)
{
	(void)fprintf(stderr, "petrel: %s\n", why);
	return EXIT_USAGE;
}

/* What the agent is to do with the rows. */
static int ask_rows(struct ask *q, struct diag *d)
{
	const char *sort = q->inv->value[OPTION_SORT];
	const char *top = q->inv->value[OPTION_TOP];
	uint64_t rows = 0;

	if (top && number_parse(top, 1, TOP_MAX, &rows) < 0)
		return diag_set(d, -EINVAL, "--top '%s'; expected a number of "
				"rows from 1 to %u", top, TOP_MAX);
	q->request.top = (uint32_t)rows;
	q->request.all = option_given(q->inv, OPTION_ALL);
	q->request.benign = option_given(q->inv, OPTION_BENIGN);
	q->request.text = !sort && !q->how.json && !q->screen.is_wide;
	if (sort)
		q->request.sort = borrowed(sort);
	if (q->inv->value[OPTION_ASIC])
		q->request.asic = borrowed(q->inv->value[OPTION_ASIC]);
	return 0;
}

int ask_run(const struct invocation *inv)
{
	struct ask q;
	struct diag d;
	int code = 0, rc;

	if (option_given(inv, OPTION_AFTER) &&
	    !option_given(inv, OPTION_FOLLOW))
		return usage_failed("--after belongs to --follow");
	if (option_given(inv, OPTION_BENIGN) &&
	    (option_given(inv, OPTION_FOLLOW) || inv->argument_count))
		return usage_failed("--benign stands alone: what it lists has "
				    "no identifier");
	if (ask_begin(&q, inv, &d) < 0 || ask_rows(&q, &d) < 0)
		return usage_failed(d.text);
	for (unsigned i = 0; i < inv->argument_count; i++)
		ask_argument(&q, inv->argument[i]);
	if (option_given(inv, OPTION_ORIGIN))
		ask_argument(&q, "origin");
	if (inv->value[OPTION_SINCE] &&
	    number_parse_duration(inv->value[OPTION_SINCE],
				  &q.request.since_ns) < 0)
		return usage_failed("--since wants a time with its unit, as "
				    "15m, 2h or 1d");
	if (inv->value[OPTION_AFTER])
		q.request.after = borrowed(inv->value[OPTION_AFTER]);
	rc = ask_online(&q, &code, &d);
	return ask_finish(&q, rc, code, d.text);
}

int ask_health(const struct invocation *inv)
{
	struct ask q;
	struct diag d;
	int code = 0, rc;

	if (option_given(inv, OPTION_AGENT) && option_given(inv, OPTION_LINKS))
		return usage_failed("health of --links or of --agent, not of "
				    "both");
	if (ask_begin(&q, inv, &d) < 0)
		return usage_failed(d.text);
	ask_argument(&q, option_given(inv, OPTION_AGENT) ? "agent" : "links");
	rc = ask_online(&q, &code, &d);
	if (rc < 0)	/* whoever does not answer is not known to be well */
		return failure_show(&q, rc == -EACCES ? EXIT_NOT_PERMITTED :
						EXIT_AGENT_DOWN, d.text);
	return code;
}
