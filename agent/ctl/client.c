#include "agent/ctl/client.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/base/number.h"
#include "agent/config/config.h"
#include "agent/ctl/offline.h"
#include "agent/ctl/options.h"
#include "agent/ctl/remote.h"
#include "agent/ctl/render.h"
#include "agent/query/message.h"
#include "petrel/clock.h"
#include "petrel/local.h"

#define SOCKET_NAME "petrel.sock"
#define RELOAD_TIMEOUT_NS (30 * NS_PER_S)
#define TOP_MAX 1000000u

int ask_place(const struct invocation *inv, struct agent_place *ret,
	      struct diag *d)
{
	const char *file = inv->value[OPTION_CONFIG], *slash;
	struct config config;
	int rc;

	if (inv->value[OPTION_SOCKET]) {
		(void)snprintf(ret->socket, sizeof(ret->socket), "%s",
			       inv->value[OPTION_SOCKET]);
		slash = strrchr(ret->socket, '/');
		(void)snprintf(ret->run_dir, sizeof(ret->run_dir), "%.*s",
			       slash ? (int)(slash + 1 - ret->socket) : 1,
			       slash ? ret->socket : ".");
		return 0;
	}
	rc = config_load(NULL, NULL, file ? file : CONFIG_PATH_DEFAULT, !file,
			 &config, d);
	if (rc < 0 && file)
		return rc;
	if (rc < 0) {	/* the agent keeps its old one: guess its folder */
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

/* --- the connection ------------------------------------------------------- */

struct client {
	int fd;
	uint8_t head[MESSAGE_HEAD_LEN];
	uint8_t *body;			/* of the current answer; owned */
};

/* Says what each errno of connect(2) means here. */
static int connect_words(int err, const char *socket, struct diag *d)
{
	switch (err) {
	case ENOENT:
		return diag_set(d, -err, "%s: no such socket: petreld is not "
				"running, or uses another one", socket);
	case ECONNREFUSED:
		return diag_set(d, -err, "%s: no process listens on this "
				"socket: petreld is not running", socket);
	case EACCES:
		return diag_set(d, -err, "%s: you may not query this agent; "
				"root and group petrel may", socket);
	default:
		return diag_set(d, -err, "%s: %s", socket, strerror(err));
	}
}

/* Connects c->fd to the socket. */
static int client_connect(struct client *c, const char *socket_path,
			  struct diag *d)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(socket_path) >= sizeof(address.sun_path))
		return diag_set(d, -ENAMETOOLONG, "%s: the path of a socket "
				"has at most %zu octets", socket_path,
				sizeof(address.sun_path) - 1);
	memcpy(address.sun_path, socket_path, strlen(socket_path) + 1);
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&address,
				 sizeof(address)) < 0)
		return connect_words(errno, socket_path, d);
	return 0;
}

/* Sends the one request of this connection. */
static int client_ask(struct client *c, const Petrel__Request *request,
		      struct diag *d)
{
	uint8_t *data;
	size_t len, sent = 0;
	int rc = message_pack(&request->base, LOCAL_REQUEST_MAX, &data, &len);

	if (rc < 0)
		return diag_set(d, rc, "the request is too long: at most %u "
				"octets", LOCAL_REQUEST_MAX);
	while (rc == 0 && sent < len) {
		ssize_t n = send(c->fd, data + sent, len - sent, MSG_NOSIGNAL);

		if (n >= 0)
			sent += (size_t)n;
		else if (errno != EINTR)
			rc = diag_set(d, -errno, "the agent does not accept "
				      "the request: %s", strerror(errno));
	}
	free(data);
	return rc;
}

int client_open(const struct agent_place *place,
		const Petrel__Request *request, struct client **ret,
		struct diag *d)
{
	struct client *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return diag_set(d, -ENOMEM, "no memory");
	c->fd = -1;
	rc = client_connect(c, place->socket, d);
	if (rc == 0)
		rc = client_ask(c, request, d);
	if (rc < 0) {
		client_close(c);
		return rc;
	}
	*ret = c;
	return 0;
}

void client_close(struct client *c)
{
	if (!c)
		return;
	if (c->fd >= 0)
		(void)close(c->fd);
	free(c->body);
	free(c);
}

int client_fd(const struct client *c)
{
	return c->fd;
}

/* Reads all of len, or says why not; times out as the socket does. */
static int read_whole(const struct client *c, uint8_t *ret, size_t len,
		      struct diag *d)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = recv(c->fd, ret + got, len - got, 0);

		if (n == 0)
			return diag_set(d, -EPIPE, "the agent closed the "
					"connection before the answer was "
					"complete");
		if (n < 0 && errno == EAGAIN)
			return diag_set(d, -ETIMEDOUT, "the agent does not "
					"answer: its core hangs");
		if (n < 0 && errno != EINTR)
			return diag_set(d, -EPIPE, "the agent closed the "
					"connection: %s", strerror(errno));
		got += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Checks that an answer is consistent; frees it if not. */
static int answer_sound(Petrel__Answer *a, struct diag *d)
{
	if (answer_is_sound(a))
		return 0;
	answer_unpacked_free(a);
	return diag_set(d, -EBADMSG, "the answer is inconsistent: this is not "
			"petreld, or one of another version");
}

int client_answer(struct client *c, int64_t timeout_ns, Petrel__Answer **ret,
		  struct diag *d)
{
	struct timeval wait = { .tv_sec = 0 };	/* no timeout */
	uint32_t len;
	int rc;

	if (timeout_ns >= 0)
		wait = (struct timeval){ .tv_sec = timeout_ns / NS_PER_S,
					 .tv_usec = timeout_ns % NS_PER_S /
							1000 };
	(void)setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	rc = read_whole(c, c->head, sizeof(c->head), d);
	if (rc < 0)
		return rc;
	len = message_length(c->head);
	if (len > LOCAL_ANSWER_MAX)
		return diag_set(d, -EBADMSG, "an answer of %u octets; at most "
				"%u: this is not petreld", len,
				LOCAL_ANSWER_MAX);
	free(c->body);
	c->body = malloc(len ? len : 1);
	if (!c->body)
		return diag_set(d, -ENOMEM, "no memory");
	rc = read_whole(c, c->body, len, d);
	if (rc < 0)
		return rc;
	if (answer_unpack(c->body, len, ret) < 0)
		return diag_set(d, -EBADMSG, "%u octets are not an answer: "
				"this is not petreld, or one of another "
				"version", len);
	if ((*ret)->version == LOCAL_VERSION)
		return answer_sound(*ret, d);
	rc = diag_set(d, -EPROTO, "petreld uses version %u of the query "
		      "format, and petrel " PETREL_VERSION " reads "
		      "version %u: install the same petrel",
		      (*ret)->version ? (*ret)->version : 1, LOCAL_VERSION);
	answer_unpacked_free(*ret);
	return rc;
}

/* --- questions ------------------------------------------------------------ */

void ask_request(Petrel__Request *ret, const char *verb, char **args, size_t n)
{
	petrel__request__init(ret);
	ret->version = LOCAL_VERSION;
	ret->verb = ask_word(verb);
	ret->args = args;
	ret->n_args = n;
}

bool ask_runs(const struct agent_place *place, struct diag *d)
{
	Petrel__Request request;
	struct client *c;
	int rc;

	ask_request(&request, "version", NULL, 0);
	rc = client_open(place, &request, &c, d);
	if (rc == 0)
		client_close(c);
	else if (offline_last_words(place->run_dir, d->text, sizeof(d->text)))
		return false;
	return rc == 0 || rc == -EACCES;
}

int ask_end_fd(bool hangs_up)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	if (hangs_up)
		(void)sigaddset(&set, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
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

/* Nobody answers, as opposed to an agent whose answer is wrong. */
static bool agent_is_down(int err)
{
	return err == -ENOENT || err == -ECONNREFUSED || err == -ETIMEDOUT ||
	       err == -EPIPE || err == -ECONNRESET;
}

void ask_why_down(const struct agent_place *place, int err, struct diag *d)
{
	if (agent_is_down(err))
		(void)offline_last_words(place->run_dir, d->text,
					 sizeof(d->text));
}

char *ask_word(const char *text)
{
	return (char *)(uintptr_t)(text ? text : "");
}

/* How the answer is shown, and where the agent is. */
static int ask_begin(struct ask *q, const struct invocation *inv,
		     struct diag *d)
{
	const struct verb *v = inv->verb;

	*q = (struct ask){ .verb = v, .screen = screen_of(stdout),
			   .timeout_ns = v->changes ? RELOAD_TIMEOUT_NS :
						      CLIENT_TIMEOUT_NS };
	q->how = (struct render_how){
		.command = v->name, .json = option_given(inv, OPTION_JSON),
		.has_findings = v->has_findings &&
				!option_given(inv, OPTION_BENIGN),
		.lines = option_given(inv, OPTION_FOLLOW) };
	q->far = (struct remote_place){ inv->value[OPTION_COLLECTOR],
					inv->value[OPTION_SWITCH],
					inv->value[OPTION_TOKEN_FILE] };
	if (option_given(inv, OPTION_WIDE)) {
		q->screen.table_width = SCREEN_UNBOUNDED;
		q->screen.is_wide = true;
	}
	if ((v->sparks == SPARKS_WIDE && option_given(inv, OPTION_WIDE)) ||
	    (v->sparks == SPARKS_ONE && inv->argument_count == 1))
		q->how.sparks_of = q->far.url || q->how.json || q->how.lines ?
				   NULL : q->place.run_dir;
	return ask_place(inv, &q->place, d);
}

/* Words, and options that the agent takes as words. */
static void arguments_make(struct ask *q, const struct invocation *inv)
{
	Petrel__Request *r = &q->request;

	for (unsigned i = 0; i < inv->argument_count; i++)
		r->args[r->n_args++] = ask_word(inv->argument[i]);
	if (option_given(inv, OPTION_ORIGIN))
		r->args[r->n_args++] = ask_word("origin");
	if (option_given(inv, OPTION_AGENT))
		r->args[r->n_args++] = ask_word("agent");
}

static int request_make(struct ask *q, const struct invocation *inv,
			struct diag *d)
{
	const char *const *value = inv->value;
	const char *top = value[OPTION_TOP];
	Petrel__Request *r = &q->request;
	uint64_t rows = 0;

	ask_request(r, inv->verb->name, q->args, 0);
	r->follow = q->how.lines;
	r->all = option_given(inv, OPTION_ALL);
	r->benign = option_given(inv, OPTION_BENIGN);
	r->text = !value[OPTION_SORT] && !q->how.json && !q->screen.is_wide;
	r->sort = ask_word(value[OPTION_SORT]);
	r->asic = ask_word(value[OPTION_ASIC]);
	r->after = ask_word(value[OPTION_AFTER]);
	arguments_make(q, inv);
	if (top && number_parse(top, 1, TOP_MAX, &rows) < 0)
		return diag_set(d, -EINVAL, "--top '%s'; expected a number of "
				"rows from 1 to %u", top, TOP_MAX);
	r->top = (uint32_t)rows;
	return option_duration(inv, OPTION_SINCE, &r->since_ns, d);
}

int ask_once(const struct agent_place *place, const Petrel__Request *request,
	     Petrel__Answer **ret, struct diag *d)
{
	struct client *c;
	int rc = client_open(place, request, &c, d);

	if (rc < 0)
		return rc;
	rc = client_answer(c, CLIENT_TIMEOUT_NS, ret, d);
	client_close(c);
	return rc;
}

/* Shows an answer, and frees it. */
static int answer_print(const struct ask *q, Petrel__Answer *a, int *ret_code,
			bool *ret_more)
{
	int rc;

	if (a->code)
		*ret_code = (int)a->code;
	else if (!a->complete)	/* a sound but truncated answer */
		*ret_code = EXIT_INCOMPLETE;
	*ret_more = a->more;
	rc = render(&q->screen, &q->how, a);
	answer_unpacked_free(a);
	return rc;
}

int ask_answer(const struct ask *q, struct client *c, int64_t timeout_ns,
	       int *ret_code, bool *ret_more, struct diag *d)
{
	Petrel__Answer *a;
	int rc = client_answer(c, timeout_ns, &a, d);

	return rc < 0 ? rc : answer_print(q, a, ret_code, ret_more);
}

/* Shows answers until the last. ret_code: for all of them. */
static int answers_show(const struct ask *q, struct client *c, int *ret_code,
			struct diag *d)
{
	int64_t timeout_ns = q->timeout_ns;
	bool more = true;

	while (more) {
		int rc = ask_answer(q, c, timeout_ns, ret_code, &more, d);

		if (rc < 0)
			return rc;
		timeout_ns = -1;	/* the next may take any time */
	}
	return 0;
}

/* The only answer of a collector. */
static int ask_far(const struct ask *q, int *ret_code, struct diag *d)
{
	Petrel__Answer *a;
	bool more;
	int rc = remote_ask(&q->far, &q->request, &a, d);

	if (rc == 0)
		rc = answer_sound(a, d);
	if (rc == 0)
		rc = answer_print(q, a, ret_code, &more);
	return rc;
}

static int ask_online(const struct ask *q, int *ret_code, struct diag *d)
{
	struct client *c;
	int rc;

	*ret_code = EXIT_ANSWERED;
	if (q->far.url) {
		rc = ask_far(q, ret_code, d);
	} else {
		rc = client_open(&q->place, &q->request, &c, d);
		if (rc < 0)
			return rc;
		rc = answers_show(q, c, ret_code, d);
		client_close(c);
	}
	if (rc != -EIO)
		return rc;
	clearerr(stdout);	/* main() need not report this again */
	*ret_code = output_failed();
	return 0;
}

int ask_error_show(const struct ask *q, int code, const char *why)
{
	Petrel__Answer a;

	petrel__answer__init(&a);
	a.code = (uint32_t)code;
	a.error = ask_word(why);
	a.wall_ns = clock_wall_now().ns;
	(void)render(&q->screen, &q->how, &a);
	return code;
}

int ask_unanswered(const struct ask *q, int err, const char *why)
{
	const struct verb *v = q->verb;
	char words[DIAG_MAX + 96];
	int code;

	if (q->far.url)		/* -ENOENT: the file of the token */
		return ask_error_show(q, err == -EINVAL ? EXIT_USAGE :
				      err == -ENOENT ? EXIT_NO_SUCH :
				      ask_failed(err), why);
	if (agent_is_down(err) &&
	    offline_last_words(q->place.run_dir, words, sizeof(words)))
		why = words;
	if (agent_is_down(err) && v->offline && !q->how.lines)
		return offline_run(q->place.run_dir, v, &q->request, &q->screen,
				   &q->how, why);
	code = ask_failed(err);
	return ask_error_show(q, v->unanswered && code != EXIT_NOT_PERMITTED ?
			      v->unanswered : code, why);
}

/* Options that exclude each other, or need another; NULL: no clash. */
static const char *options_clash(const struct invocation *inv)
{
	if (option_given(inv, OPTION_AFTER) &&
	    !option_given(inv, OPTION_FOLLOW))
		return "--after needs --follow";
	if (option_given(inv, OPTION_BENIGN) &&
	    (option_given(inv, OPTION_FOLLOW) || inv->argument_count))
		return "--benign takes no identifier: what it lists has none";
	if (option_given(inv, OPTION_CSV) && option_given(inv, OPTION_JSON))
		return "--csv and --json exclude each other";
	if (option_given(inv, OPTION_AGENT) && option_given(inv, OPTION_LINKS))
		return "--links and --agent exclude each other";
	if ((option_given(inv, OPTION_SWITCH) ||
	     option_given(inv, OPTION_TOKEN_FILE)) &&
	    !option_given(inv, OPTION_COLLECTOR))
		return "--switch and --token-file need --collector";
	if (option_given(inv, OPTION_COLLECTOR) &&
	    (option_given(inv, OPTION_SOCKET) ||
	     option_given(inv, OPTION_FOLLOW) ||
	     option_given(inv, OPTION_BENIGN)))
		return "--collector excludes --socket, --follow and --benign";
	return NULL;
}

int ask_make(struct ask *q, const struct invocation *inv, struct diag *d)
{
	const char *why = options_clash(inv);
	int rc = why ? diag_set(d, -EINVAL, "%s", why) : ask_begin(q, inv, d);

	return rc < 0 ? rc : request_make(q, inv, d);
}

/* A command line that petrel doesn't understand is not sent. */
int ask_run(const struct invocation *inv)
{
	struct ask q;
	struct diag d;
	int code = 0, rc;

	if (ask_make(&q, inv, &d) < 0)
		return command_failed(EXIT_USAGE, "%s", d.text);
	rc = ask_online(&q, &code, &d);
	return rc < 0 ? ask_unanswered(&q, rc, d.text) : code;
}
