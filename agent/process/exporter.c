#include "agent/process/exporter.h"

#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/ctl/client.h"
#include "agent/ctl/metrics_file.h"
#include "agent/http/http_server.h"
#include "agent/process/control.h"
#include "agent/query/exposition.h"
#include "agent/query/message.h"
#include "petrel/log.h"

#define ANSWER_AGE_NS NS_PER_S		/* how long an answer is reused */
#define RETRY_NS NS_PER_S
#define CORE_SILENT_NS (15 * NS_PER_S)
#define WAIT_MS 1000

/* Memory kept from one scrape to the next: new pages would take longer than
 * making the text.
 */
#define KEPT_OCTETS (4 << 20)
#define IN_HEAP_OCTETS (2 << 20)	/* what is larger is given back */
#define HEAP_STEP_OCTETS (256 << 10)

#define STATUS_OK 200u
#define STATUS_FAILED 500u
#define STATUS_UNAVAILABLE 503u

/* --- settings ------------------------------------------------------------ */

/* Paths of the files below the root, as the kernel resolves them. */
struct exporter_files {
	char cert[CONFIG_TEXT_MAX + 32], key[CONFIG_TEXT_MAX + 32];
	char token[CONFIG_TEXT_MAX + 32];
};

static const char *below_root(int root_fd, const char *path, char *ret,
			      size_t cap)
{
	ret[0] = '\0';
	if (path[0])
		(void)snprintf(ret, cap, "/proc/self/fd/%d/%s", root_fd, path);
	return ret;
}

static struct http_settings settings_of(const struct config *c, int root_fd,
					struct exporter_files *f)
{
	return (struct http_settings){
		.listen = c->metrics_listen, .vrf = c->metrics_vrf,
		.cert_file = below_root(root_fd, c->metrics_cert, f->cert,
					sizeof(f->cert)),
		.key_file = below_root(root_fd, c->metrics_key, f->key,
				       sizeof(f->key)),
		.token_file = below_root(root_fd, c->metrics_token, f->token,
					 sizeof(f->token)),
		.anybody = c->metrics_anybody };
}

int exporter_check(const struct config *c, int root_fd, struct diag *d)
{
	struct exporter_files files;
	struct http_settings settings = settings_of(c, root_fd, &files);
	const char *key;
	int rc = c->metrics_listen[0] ? http_server_check(&settings, &key, d) :
					0;

	return rc < 0 ? config_fault(c, "Metrics", key, rc, d) : 0;
}

/* --- pages --------------------------------------------------------------- */

struct exporter {
	struct process_env *env;
	struct config config;
	struct agent_place place;	/* of the query socket */
	struct http_server *server;	/* NULL: cannot listen now */
	struct mono retry, beat;
	Petrel__Answer *answer;		/* the newest; NULL: no answer */
	struct mono asked;		/* ns 0: never */
};

static void answer_renew(struct exporter *e)
{
	struct diag d;

	if (e->asked.ns &&
	    mono_diff_ns(clock_mono_now(), e->asked) < ANSWER_AGE_NS)
		return;
	answer_unpacked_free(e->answer);
	e->answer = NULL;
	if (metrics_ask(&e->place, (enum metric_profile)
			e->config.metrics_profile, &e->answer, &d) < 0)
		log_debug("exporter", "%s", d.text);
	e->asked = clock_mono_now();
}

static unsigned metrics_page(void *context, const struct http_request *rq,
			     FILE *out, const char **ret_type)
{
	struct exporter *e = context;
	enum exposition how = exposition_accepted(
		http_request_field(rq, "Accept"));
	unsigned bound = metric_bound((enum metric_profile)
				      e->config.metrics_profile);

	answer_renew(e);
	if (e->answer && e->answer->code) {
		(void)fprintf(out, "%s\n", e->answer->error);
		return STATUS_UNAVAILABLE;
	}
	*ret_type = exposition_type(how);
	return exposition_write(out, how, e->answer, bound) < 0 ?
	       STATUS_FAILED : STATUS_OK;
}

static unsigned health_page(void *context, const struct http_request *rq,
			    FILE *out, const char **ret_type)
{
	const struct exporter *e = context;
	int64_t beat = atomic_load(
		&e->env->control->process[ROLE_CORE].heartbeat_ns);
	bool is_well = clock_mono_now().ns - beat < CORE_SILENT_NS;

	(void)rq;		/* the same for all requests */
	(void)ret_type;		/* text is the default */
	(void)fputs(is_well ? "ok\n" : "the core does not answer\n", out);
	return is_well ? STATUS_OK : STATUS_UNAVAILABLE;
}

static const struct http_page pages[] = {
	{ "/metrics", metrics_page, false },
	{ "/healthz", health_page, true },
	{ .path = NULL },
};

/* --- the process --------------------------------------------------------- */

static void server_failed(struct exporter *e, const struct diag *d)
{
	char before[DIAG_MAX];

	if (!control_exporter_fault(e->env->control, before) ||
	    strcmp(before, d->text) != 0)
		log_err("exporter", "%s", d->text);
	control_text_set(&e->env->control->exporter.fault, d->text);
}

static void server_open(struct exporter *e, struct mono now)
{
	struct exporter_files files;
	struct http_settings settings = settings_of(&e->config,
						    e->env->root_fd, &files);
	struct diag d;

	e->retry.ns = now.ns + RETRY_NS;
	if (http_server_open(&settings, pages, e, &e->server, &d) < 0) {
		server_failed(e, &d);
		return;
	}
	control_text_set(&e->env->control->exporter.fault, "");
	log_notice("exporter", "listen=%s port=%u", settings.listen,
		   http_server_port(e->server));
}

/* Rereads the files for the same address; their content may have changed. */
static void server_renew(struct exporter *e, const struct config *was)
{
	const struct config *is = &e->config;
	struct diag d;

	e->asked.ns = 0;	/* profile may differ */
	if (e->server && strcmp(was->metrics_listen, is->metrics_listen) == 0 &&
	    strcmp(was->metrics_vrf, is->metrics_vrf) == 0 &&
	    strcmp(was->metrics_cert, is->metrics_cert) == 0 &&
	    strcmp(was->metrics_key, is->metrics_key) == 0 &&
	    strcmp(was->metrics_token, is->metrics_token) == 0 &&
	    was->metrics_anybody == is->metrics_anybody &&
	    http_server_reload(e->server, &d) == 0)
		return;
	http_server_close(e->server);
	e->server = NULL;
	e->retry.ns = 0;
}

static void config_take(struct exporter *e)
{
	struct config was = e->config;

	(void)control_config(e->env->control, &e->config);
	log_least_set(e->config.log_level);
	(void)snprintf(e->place.socket, sizeof(e->place.socket),
		       "/proc/self/fd/%d/%s", e->env->run_dir_fd,
		       e->config.socket);
	server_renew(e, &was);
}

static void counts_tell(const struct exporter *e)
{
	struct control_exporter *to = &e->env->control->exporter;
	struct http_count count;

	http_server_count(e->server, &count);
	atomic_store(&to->requests, count.requests);
	atomic_store(&to->refused, count.refused);
	atomic_store(&to->overdue, count.overdue);
	atomic_store(&to->connections, count.connections);
}

static void beat(struct exporter *e, struct mono now)
{
	if (mono_diff_ns(now, e->beat) < NS_PER_S)
		return;
	e->beat = now;
	control_beat(&e->env->control->process[ROLE_EXPORTER], now);
	if (e->server)
		counts_tell(e);
}

static void turn(struct exporter *e)
{
	struct mono now = clock_mono_now();
	struct pollfd fds[2] = {
		{ e->env->config_event_fd[ROLE_EXPORTER], POLLIN, 0 },
		{ -1, POLLIN, 0 },
	};
	int wait_ms = WAIT_MS;
	uint64_t count;

	beat(e, now);
	if (!e->server && now.ns >= e->retry.ns)
		server_open(e, now);
	if (e->server) {
		wait_ms = http_server_run(e->server, now);
		fds[1].fd = http_server_fd(e->server);
	}
	(void)poll(fds, 2, wait_ms);
	if (fds[0].revents && read(fds[0].fd, &count, sizeof(count)) > 0)
		config_take(e);
}

static void memory_set(void)
{
	(void)mallopt(M_MMAP_THRESHOLD, IN_HEAP_OCTETS);
	(void)mallopt(M_TRIM_THRESHOLD, KEPT_OCTETS);
	(void)mallopt(M_TOP_PAD, HEAP_STEP_OCTETS);
}

int exporter_run(struct process_env *env)
{
	struct exporter *e = calloc(1, sizeof(*e));

	if (!e)
		return EXIT_FAILURE;
	e->env = env;
	memory_set();
	config_take(e);
	while (e->config.metrics_listen[0])
		turn(e);
	http_server_close(e->server);
	answer_unpacked_free(e->answer);
	free(e);
	return EXIT_SUCCESS;
}
