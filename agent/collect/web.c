#include "agent/collect/web.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "agent/base/number.h"
#include "agent/collect/fabric_answer.h"
#include "agent/collect/sinks.h"
#include "agent/collect/web_metrics.h"
#include "agent/ctl/render.h"
#include "agent/http/http_place.h"
#include "agent/http/http_server.h"
#include "agent/query/answer.h"
#include "agent/query/exposition.h"
#include "agent/query/verbs.h"
#include "petrel/local.h"
#include "petrel/log.h"

#define API_PREFIX "/api/v1/"
#define API_PACKED "application/x-protobuf"
#define ROWS_MAX 1000000u
#define ANSWER_OCTETS (32u << 20)
#define HEALTH_OLD_NS (10 * NS_PER_S)	/* then the intake hangs */

struct web {
	struct http_server *server;
	struct fabric_desk desk;
	struct answer *all;
	struct sinks *sinks;
	int wake_fd;
	bool has_thread;
	pthread_t thread;
	pthread_mutex_t mutex;
	/* Under it: */
	struct web_health health;
	bool stop, reload;
};

static struct web_health health_get(struct web *w)
{
	struct web_health health;

	(void)pthread_mutex_lock(&w->mutex);
	health = w->health;
	(void)pthread_mutex_unlock(&w->mutex);
	return health;
}

/* --- answers -------------------------------------------------------------- */

static bool is_alive(const struct web_health *h)
{
	return mono_diff_ns(clock_mono_now(), h->said) < HEALTH_OLD_NS;
}

/* Why nothing is accepted; NULL: it is. */
static const char *trouble(const struct web_health *h)
{
	if (!is_alive(h))
		return "the collector hangs";
	return h->trouble[0] ? h->trouble : NULL;
}

/* The only value of an argument; "": absent. */
static const char *value_of(const struct http_request *rq, const char *name)
{
	const char *value = "";

	return http_request_values(rq, name, &value, 1) ? value : "";
}

/* A misspelt filter must not select all switches. */
static int arguments_check(const struct http_request *rq, struct answer *a)
{
	static const char *const names[] = { "arg", "switch", "sort", "top",
					     "limit", "since", "asic", "all",
					     NULL };
	const char *other = http_request_other(rq, names), *value = "";

	if (other)
		return answer_error(a, EXIT_USAGE, "no argument '%.32s'; "
				    "expected arg, switch, sort, top, limit, "
				    "since, asic or all", other);
	for (size_t i = 1; names[i]; i++)
		if (http_request_values(rq, names[i], &value, 1) > 1)
			return answer_error(a, EXIT_USAGE, "%s is given more "
					    "than once; only arg may be "
					    "repeated",
					    names[i]);
	value = value_of(rq, "all");
	if (value[0] && strcmp(value, "1") != 0 && strcmp(value, "0") != 0)
		return answer_error(a, EXIT_USAGE, "all=%.32s; expected 0 or "
				    "1", value);
	return EXIT_ANSWERED;
}

/* protobuf-c wants char * but only reads. */
static char *borrowed(const char *text)
{
	return (char *)(uintptr_t)text;
}

/* A request from a URL's arguments. Returns 0 or an exit code, explained in a.
 */
static int request_of(const struct http_request *rq,
		      const char *args[static ARGUMENTS_MAX],
		      Petrel__Request *ret, struct answer *a)
{
	const char *top = value_of(rq, "top"), *since = value_of(rq, "since");
	const char *limit = value_of(rq, "limit");
	uint64_t rows = 0;

	petrel__request__init(ret);
	ret->version = LOCAL_VERSION;
	ret->verb = borrowed(http_request_path(rq));
	ret->sort = borrowed(value_of(rq, "sort"));
	ret->asic = borrowed(value_of(rq, "asic"));
	ret->all = strcmp(value_of(rq, "all"), "1") == 0;
	ret->n_args = http_request_values(rq, "arg", args, ARGUMENTS_MAX);
	ret->args = (char **)(uintptr_t)args;
	if (ret->n_args > ARGUMENTS_MAX)
		return answer_error(a, EXIT_USAGE, "%zu arguments; at most %u",
				    ret->n_args, ARGUMENTS_MAX);
	if (limit[0])
		top = limit;
	if (top[0] && number_parse(top, 1, ROWS_MAX, &rows) < 0)
		return answer_error(a, EXIT_USAGE, "%s=%.32s; expected a "
				    "number of rows from 1 to %u", limit[0] ?
				    "limit" : "top", top, ROWS_MAX);
	if (since[0] && number_parse_duration(since, &ret->since_ns) < 0)
		return answer_error(a, EXIT_USAGE, "since=%.32s; expected a "
				    "time with its unit, such as 2h", since);
	ret->top = (uint32_t)rows;
	return EXIT_ANSWERED;
}

static unsigned status_of(unsigned code)
{
	switch (code) {
	case EXIT_ANSWERED:
		return 200;
	case EXIT_USAGE:
		return 400;
	case EXIT_NO_SUCH:
		return 404;
	default:
		return 503;
	}
}

static void packed_write(FILE *out, const Petrel__Answer *m)
{
	size_t len = petrel__answer__get_packed_size(m);
	uint8_t *octets = malloc(len ? len : 1);

	if (octets)
		(void)fwrite(octets, petrel__answer__pack(m, octets), 1, out);
	free(octets);
}

/* After the prefix comes a verb, with the arguments and the answer of petrel's:
 * as JSON, or packed as petrel itself requests it.
 */
static unsigned page_api(void *context, const struct http_request *rq,
			 FILE *out, const char **ret_type)
{
	struct web *w = context;
	struct answer *a = w->all;
	const char *accept = http_request_field(rq, "Accept");
	const struct verb *verb = verb_find(verb_table, http_request_path(rq));
	struct render_how how = { .command = verb ? verb->name : "none",
				  .json = true,
				  .has_findings = verb && verb->has_findings };
	const char *args[ARGUMENTS_MAX];
	struct web_health h = health_get(w);
	const Petrel__Answer *m;
	Petrel__Request request;
	unsigned status;
	int code;

	answer_clear(a);
	answer_head(a, "", clock_wall_now().ns);
	code = arguments_check(rq, a);
	if (code == EXIT_ANSWERED)
		code = request_of(rq, args, &request, a);
	if (code == EXIT_ANSWERED)
		code = fabric_answer(&w->desk, &request,
				     value_of(rq, "switch"), a);
	if (code == EXIT_ANSWERED && trouble(&h))
		answer_note(a, "the collector keeps no records: %s",
			    trouble(&h));
	else if (code == EXIT_INCOMPLETE && trouble(&h))
		code = answer_error(a, code, "%s", trouble(&h));
	answer_message(a)->code = (uint32_t)code;
	m = answer_message(a);
	if (accept && strcmp(accept, API_PACKED) == 0) {
		*ret_type = API_PACKED;
		packed_write(out, m);
	} else {
		*ret_type = HTTP_TYPE_JSON;
		(void)render_json(out, &how, m);	/* the server looks */
	}
	status = status_of(m->code);
	answer_release(a);
	answer_release(w->desk.one);
	return status;
}

/* --- status --------------------------------------------------------------- */

static unsigned page_healthz(void *context, const struct http_request *rq,
			     FILE *out, const char **ret_type)
{
	struct web_health h = health_get(context);

	(void)rq;
	(void)ret_type;
	(void)fprintf(out, "%s\n", trouble(&h) ? trouble(&h) : "fine");
	return is_alive(&h) ? 200 : 503;
}

/* Records are accepted, and each sink makes progress. */
static unsigned page_readyz(void *context, const struct http_request *rq,
			    FILE *out, const char **ret_type)
{
	struct web *w = context;
	struct web_health h = health_get(w);
	struct sink_figures f;
	unsigned status = 200;

	(void)rq;
	(void)ret_type;
	if (trouble(&h)) {
		(void)fprintf(out, "%s\n", trouble(&h));
		status = 503;
	}
	for (unsigned i = 0; sinks_figures(w->sinks, i, &f); i++)
		if (f.is_down) {
			(void)fprintf(out, "sink %s is down\n", f.name);
			status = 503;
		}
	if (status == 200)
		(void)fputs("ready\n", out);
	return status;
}

static unsigned page_metrics(void *context, const struct http_request *rq,
			     FILE *out, const char **ret_type)
{
	enum exposition how =
		exposition_accepted(http_request_field(rq, "Accept"));
	struct web *w = context;
	struct web_health h = health_get(w);
	struct diag d;
	int err = web_metrics(&w->desk, &h, w->sinks, w->all, &d);

	*ret_type = exposition_type(how);
	if (err < 0)		/* its own figures are sent anyway */
		answer_message(w->all)->complete = false;
	err = exposition_write(out, how, answer_message(w->all),
			       WEB_METRICS_MAX);
	answer_release(w->all);
	return err < 0 ? 503 : 200;
}

static const struct http_page pages[] = {
	{ "/metrics", page_metrics, false },
	{ "/healthz", page_healthz, true },
	{ "/readyz", page_readyz, true },
	{ API_PREFIX, page_api, false },
	{ NULL, NULL, false },
};

/* --- the thread ----------------------------------------------------------- */

static void reload_do(struct web *w)
{
	struct diag d;

	if (http_server_reload(w->server, &d) < 0)
		log_err("collector", "HTTP: reload refused: %s", d.text);
	else
		log_notice("collector", "HTTP: files reloaded");
}

/* Handles requests to the thread; false: to end. */
static bool asked(struct web *w)
{
	bool stop, reload;
	uint64_t count;

	(void)!read(w->wake_fd, &count, sizeof(count));	/* or there was none */
	(void)pthread_mutex_lock(&w->mutex);
	stop = w->stop;
	reload = w->reload;
	w->reload = false;
	(void)pthread_mutex_unlock(&w->mutex);
	if (reload && !stop)
		reload_do(w);
	return !stop;
}

static void *web_thread(void *context)
{
	struct web *w = context;
	int wait_ms = 0;

	while (asked(w)) {
		struct pollfd fds[2] = {
			{ http_server_fd(w->server), POLLIN, 0 },
			{ w->wake_fd, POLLIN, 0 },
		};

		(void)poll(fds, 2, wait_ms);	/* a signal wakes it as well */
		wait_ms = http_server_run(w->server, clock_mono_now());
	}
	return NULL;
}

static struct http_settings settings_of(const struct collector_config *c)
{
	return (struct http_settings){
		.listen = c->http_listen, .vrf = c->http_vrf,
		.cert_file = c->http_cert, .key_file = c->http_key,
		.token_file = c->http_token };
}

int web_check(const struct collector_config *config, struct diag *d)
{
	struct http_settings settings = settings_of(config);
	const char *key;
	int err;

	if (!config->http_listen[0])
		return 0;
	err = http_server_check(&settings, &key, d);
	return err < 0 ? collector_fault(config, "HTTP", key, err, d) : 0;
}

static int web_start(struct web *w, const struct web_env *env, struct diag *d)
{
	struct http_settings settings = settings_of(env->config);
	int err = http_server_open(&settings, pages, w, &w->server, d);

	if (err < 0)
		return diag_prefix(d, err, "[HTTP]");
	err = fabric_open(env->config->database, env->known, &w->desk.fabric,
			  d);
	if (err < 0)
		return err;
	w->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->wake_fd < 0 ||
	    answer_new(ANSWER_OCTETS, &w->all) < 0 ||
	    answer_new(ANSWER_OCTETS, &w->desk.one) < 0)
		return diag_set(d, -ENOMEM, "out of memory");
	err = -pthread_create(&w->thread, NULL, web_thread, w);
	if (err < 0)
		return diag_set(d, err, "cannot start a thread: %s",
				strerror(-err));
	w->has_thread = true;
	return 0;
}

int web_open(const struct web_env *env, struct web **ret, struct diag *d)
{
	struct web *w;
	int err;

	*ret = NULL;
	if (!env->config->http_listen[0])
		return 0;
	w = calloc(1, sizeof(*w));
	if (!w)
		return diag_set(d, -ENOMEM, "out of memory");
	w->wake_fd = -1;
	w->sinks = env->sinks;
	w->desk.standing = env->standing;
	w->health.said = clock_mono_now();
	(void)pthread_mutex_init(&w->mutex, NULL);
	err = web_start(w, env, d);
	if (err < 0) {
		web_close(w);
		return err;
	}
	*ret = w;
	return 0;
}

/* Wakes the thread to read what the mutex protects. */
static void wake(const struct web *w)
{
	(void)eventfd_write(w->wake_fd, 1);	/* full: already awake */
}

void web_close(struct web *w)
{
	if (!w)
		return;
	if (w->has_thread) {
		(void)pthread_mutex_lock(&w->mutex);
		w->stop = true;
		(void)pthread_mutex_unlock(&w->mutex);
		wake(w);
		(void)pthread_join(w->thread, NULL);
	}
	http_server_close(w->server);
	fabric_close(w->desk.fabric);
	answer_free(w->desk.one);
	answer_free(w->all);
	(void)pthread_mutex_destroy(&w->mutex);
	if (w->wake_fd >= 0)
		(void)close(w->wake_fd);
	free(w);
}

void web_health_set(struct web *w, const struct web_health *health)
{
	if (!w)
		return;
	(void)pthread_mutex_lock(&w->mutex);
	w->health = *health;
	(void)pthread_mutex_unlock(&w->mutex);
}

void web_reload(struct web *w)
{
	if (!w)
		return;
	(void)pthread_mutex_lock(&w->mutex);
	w->reload = true;
	(void)pthread_mutex_unlock(&w->mutex);
	wake(w);
}

unsigned web_port(const struct web *w)
{
	return w ? http_server_port(w->server) : 0;
}
