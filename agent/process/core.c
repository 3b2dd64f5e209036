#include "agent/process/control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "agent/base/loop.h"
#include "agent/base/path.h"
#include "agent/process/capsules.h"
#include "agent/process/detect.h"
#include "agent/process/drivers.h"
#include "agent/process/publisher.h"
#include "agent/process/identity.h"
#include "agent/process/journal.h"
#include "agent/process/own_source.h"
#include "agent/process/remember.h"
#include "agent/process/governor.h"
#include "agent/query/follow.h"
#include "agent/query/health.h"
#include "agent/query/server.h"
#include "agent/query/verbs.h"
#include "agent/sample/relay.h"
#include "petrel/log.h"
#include "platform/registry.h"

/* A switch of 64 ports with eight lanes each, whose modules report all that
 * CMIS has, yields 160,000 values. Memory is allocated as needed.
 */
#define CORE_ENTITIES 65536u
#define CORE_SLOTS (1u << 20)
#define CORE_PORTS DETECT_PORTS_MAX
#define QUOTED_MAX 336u	/* a text of a finding, each octet escaped */

/* The parts of the core: everything between a driver and a ring. */
struct core {
	struct process_env *env;
	struct config config;
	struct loop *loop;
	struct state *state;
	struct sampler *sampler;
	struct relay_reader *relay;
	struct engine *engine;
	struct series *series;
	struct history *history;
	struct detect *detect;
	struct journal *journal;
	struct query_server *server;
	bool source_logged[STATE_SOURCES_MAX];	/* as not fresh */
	struct query_context query;
	struct drivers drivers;
	struct platform_host host[PLATFORM_DRIVERS_MAX]; /* as registry */
	struct own_source own;
	struct finding *open;		/* left by an earlier core */
	struct governor governor;
	uint64_t late_ticks;
	struct publisher publisher;
	struct remember remember;
	struct capsules capsules;
	int show_timer;			/* findings to the switch's tables */
	uint32_t restarts[ROLE_COUNT];
	struct cost cost;
	struct identity identity;
	char host_name[SWITCH_NAME_MAX];
};

/* --- events --- */

/* Puts an event into the rings and the history, and passes it to followers. */
static void event_give(struct core *c, const struct event *e)
{
	journal_event(c->journal, e);
	history_add(c->history, e);
	verbs_events_changed(&c->query);
}

/* An event of Petrel itself. */
static void own_event(struct core *c, enum platform_event what, int64_t value,
		      struct mono now, const char *text)
{
	event_give(c, &(struct event){ .entity = state_switch(c->state),
				       .what = what, .value = value,
				       .when = now, .text = text });
}

/* The restart of one of our processes is an event. */
static void deaths_tell(struct core *c, struct mono now)
{
	for (unsigned r = ROLE_READER; r < ROLE_COUNT; r++) {
		struct control_process *p = &c->env->control->process[r];
		uint32_t restarts = atomic_load(&p->restarts);

		if (restarts != c->restarts[r])
			own_event(c, EVENT_PROCESS_DIED, restarts, now,
				  role_name(r));
		c->restarts[r] = restarts;
	}
}

/* --- who the switch is (C9) --- */

static const char *switch_text(const struct core *c, enum attribute which)
{
	return state_entity(c->state, state_switch(c->state))->attribute[which];
}

/* The owner in the ids of findings: the id once known, else the name. */
static const char *finding_owner(const struct core *c)
{
	return c->identity.is.id[0] ? c->identity.is.id : c->identity.is.name;
}

static void identity_follow(struct core *c, struct mono now)
{
	struct identity_told told = {
		.configured = c->config.name,
		.platform = state_switch_name(c->state),
		.host = c->host_name, .machine_id = c->env->machine_id,
		.serial = switch_text(c, ATTRIBUTE_SERIAL),
		.mac = switch_text(c, ATTRIBUTE_MAC) };

	if (path_is_own_root(c->env->root_fd))
		(void)gethostname(c->host_name, sizeof(c->host_name) - 1);
	if (!identity_take(&c->identity, &told, now))
		return;
	log_notice("core", "switch=%s id=%s", c->identity.is.name,
		   c->identity.is.id[0] ? c->identity.is.id : "unknown");
	control_identity_set(c->env->control, &c->identity.is);
	engine_switch(c->engine, finding_owner(c));
	journal_identity(c->journal);
	journal_flush(c->journal);
}

static void identity_start(struct core *c)
{
	struct control_identity is = { .id = "" };

	(void)control_identity_get(c->env->control, &is);
	(void)snprintf(c->host_name, sizeof(c->host_name), "%s",
		       c->env->host_name);
	identity_init(&c->identity, &is, c->env->kept, clock_mono_now());
}

/* --- input --- */

static void publisher_keep(struct core *c, struct mono now)
{
	const struct finding *open[QUERY_FINDINGS_MAX];
	const char *where = config_option(&c->config, "sonic", "publish");
	size_t count;

	if (!publisher_tend(&c->publisher, where && strstr(where, "eventd"),
			    now))
		return;
	count = query_findings(&c->query, open);
	for (size_t i = 0; i < count; i++)
		publisher_tell(&c->publisher, open[i]);
}

static void tick(void *context, struct mono due, struct mono now,
		 uint64_t skipped)
{
	struct core *c = context;

	c->late_ticks += skipped;
	(void)relay_reader_drain(c->relay);
	detect_tick(c->detect, now, clock_wall_now());
	own_source_give(&c->own, &(struct own_values){
		.control = c->env->control, .rings = c->env->rings,
		.late_ticks = c->late_ticks, .slowed = c->governor.slowed,
		.values = state_values_total(c->state),
		.interval_ns = c->config.interval_ns,
		.query = &c->query }, now);
	cost_tick(&c->cost, c->env->control, state_values_total(c->state),
		  now);
	deaths_tell(c, now);
	journal_tick(c->journal, due);
	verbs_tick(&c->query);
	state_tick(c->state, now);
	publisher_keep(c, now);
	loop_timer_at(c->loop, c->show_timer, (struct mono){ 0 }, 0);
	governor_tick(&c->governor, due, skipped);
}

/* Already in the history: the driver reports it each time it is opened. */
static bool is_told(const struct core *c, const char *text)
{
	const struct history_event *e = history_newest(c->history,
						       EVENT_REBOOTED);

	return e && text && strcmp(e->text, text) == 0;
}

static void state_event(void *context, uint32_t entity,
			enum platform_event what, int64_t value,
			struct mono when, const char *text)
{
	struct core *c = context;
	char room[ENTITY_NAME_MAX];
	struct event e = { .entity = entity, .what = what, .value = value,
			   .when = when, .text = text,
			   .subject = state_subject(c->state, entity, room) };

	if (what == EVENT_REBOOTED && is_told(c, text))
		return;
	event_give(c, &e);
	detect_change(c->detect, &e);
	detect_event(c->detect, entity, what, when, clock_wall_now());
	journal_flush(c->journal);
}

static bool source_fails(enum source_state state)
{
	return state == SOURCE_ABSENT || state == SOURCE_BROKEN ||
	       state == SOURCE_LIMITED;
}

/* Another source gives the same reason: one line is enough. */
static bool reason_was_logged(const struct core *c,
			      const struct state_source *s)
{
	const struct state_source *all;
	size_t n = state_sources(c->state, &all);

	for (size_t i = 0; i < n; i++)
		if (&all[i] != s && source_fails(all[i].state) &&
		    source_reason_is_same(&all[i], s))
			return true;
	return false;
}

static void state_source_changed(void *context, unsigned source,
				 enum source_state was)
{
	struct core *c = context;
	const struct state_source *all;

	(void)state_sources(c->state, &all);
	if (all[source].state != SOURCE_WAITING && c->sampler)
		sampler_ended(c->sampler, source,
			      all[source].state == SOURCE_ABSENT ||
			      all[source].state == SOURCE_BROKEN);
	if (all[source].state == was)
		return;
	if (!source_fails(all[source].state)) {
		if (c->source_logged[source])
			log_notice("source", "name=%s fresh again",
				   all[source].name);
		c->source_logged[source] = false;
	} else if (!reason_was_logged(c, &all[source])) {
		log_warn("source", "name=%s not fresh: %s", all[source].name,
			 all[source].reason);
		c->source_logged[source] = true;
	}
}

static void lanes_text(uint8_t lanes, char ret[static 32])
{
	size_t n = 0;

	ret[0] = '\0';
	for (unsigned i = 0; i < 8; i++)
		if (lanes >> i & 1)
			n += (size_t)snprintf(ret + n, 32 - n, "%s%u",
					      n ? "," : "", i + 1);
}

/* In quotes, where it would not be one word; a quote in it is escaped. */
static const char *quoted(const char *text, bool always,
			  char ret[static QUOTED_MAX])
{
	size_t n = 0;

	if (!always && !strpbrk(text, " \"\\="))
		return text;
	ret[n++] = '"';
	for (; *text && n < QUOTED_MAX - 3; text++) {
		if (strchr("\"\\", *text))
			ret[n++] = '\\';
		ret[n++] = *text;
	}
	ret[n++] = '"';
	ret[n] = '\0';
	return ret;
}

/* One line of fixed form for each change of a finding. */
static void finding_log(const struct finding *f)
{
	char lanes[32], cliff[32] = "-", port[QUOTED_MAX], cause[QUOTED_MAX];

	lanes_text(f->lanes, lanes);
	if (f->cliff.foreseeable)
		(void)snprintf(cliff, sizeof(cliff), "%lld",
			       (long long)f->cliff.mid_s);
	log_notice("finding", "id=%s state=%s severity=%s signature=%s port=%s "
		   "lanes=%s end=%s action=%s drain=%s confidence=%.2f "
		   "cliff_s=%s cause=%s", f->id,
		   finding_state_name(f->state), severity_name(f->severity),
		   signature_name(f->signature),
		   quoted(f->subject, false, port),
		   lanes[0] ? lanes : "-", fault_end_name(f->end),
		   action_name(f->action), drain_name(f->drain),
		   (double)f->confidence, cliff,
		   quoted(f->cause, true, cause));
}

static void finding_changed(void *context, const struct finding *f)
{
	struct core *c = context;

	finding_log(f);
	journal_finding(c->journal, f);
	capsules_finding(&c->capsules, f);
	publisher_tell(&c->publisher, f);
	remember_changed(&c->remember, f->state != FINDING_UPDATED);
	verbs_findings_changed(&c->query);
	loop_timer_at(c->loop, c->show_timer, (struct mono){ 0 }, 0);
}

/* Writes findings to the switch's own tables, if it has such: once all input of
 * a moment is processed, and after each tick.
 */
static void findings_show(void *context, struct mono now, uint64_t skipped)
{
	struct core *c = context;
	const struct finding *open;
	size_t n = engine_findings(c->engine, &open);

	(void)skipped;	/* not periodic */
	sampler_findings(c->sampler, open, n, now);
}

static size_t findings_open(void *context, const struct finding **ret)
{
	struct core *c = context;

	return engine_findings(c->engine, ret);
}

static void relay_ready(void *context, uint32_t events, struct mono now)
{
	struct core *c = context;
	uint64_t count;

	(void)events;	/* only ever readable */
	(void)now;
	if (read(c->env->relay_event_fd, &count, sizeof(count)) < 0)
		return;
	if (relay_reader_drain(c->relay) < 0)
		log_err("core", "corrupt reader ring, reset");
}

static void petrel_changed(struct core *c, const char *item, const char *from,
			   const char *to)
{
	char text[CHANGE_TEXT_MAX];

	change_text(text, item, from, to);
	own_event(c, EVENT_PETREL_CHANGED, 0, clock_mono_now(), text);
}

static void key_changed(void *context, const char *section, const char *key,
			const char *from, const char *to)
{
	char item[CHANGE_TEXT_MAX];

	(void)snprintf(item, sizeof(item), "[%s] %s", section, key);
	petrel_changed(context, item, from, to);
}

/* Another build continues the run of the previous one. */
static void version_tell(struct core *c)
{
	const char *before = c->env->previous_version;

	if (before[0] && strcmp(before, PETREL_VERSION) != 0 &&
	    c->restarts[ROLE_CORE] == 0)
		petrel_changed(c, "version", before, PETREL_VERSION);
}

static void config_ready(void *context, uint32_t events, struct mono now)
{
	struct core *c = context;
	struct config before;
	uint64_t count;

	(void)events;	/* only ever readable */
	if (read(c->env->config_event_fd[ROLE_CORE], &count,
		 sizeof(count)) < 0 ||
	    remember_last(&c->remember, now, clock_wall_now()))
		return;
	before = c->config;
	(void)control_config(c->env->control, &c->config);
	sampler_reload(c->sampler, c->config.interval_ns);
	governor_reload(&c->governor);
	log_least_set(c->config.log_level);
	journal_settle(c->journal, c->config.traffic == TRAFFIC_BOUNDED,
		       c->config.record_ns);
	query_server_share(c->server, c->config.read == READ_ALL);
	verbs_reload_done(&c->query);
	if (atomic_load(&c->env->control->reload_result) == 0)
		own_event(c, EVENT_CONFIG_RELOADED, 0, now, "");
	config_differences(&before, &c->config, key_changed, c);
	journal_flush(c->journal);
}

static void beat(void *context, struct mono now, uint64_t skipped)
{
	struct core *c = context;

	(void)skipped;	/* late ticks are counted elsewhere */
	control_beat(&c->env->control->process[ROLE_CORE], now);
	governor_beat(&c->governor);
	remember_tend(&c->remember, state_port_count(c->state) > 0, now,
		      clock_wall_now());
	identity_follow(c, now);	/* a tick may be 60 s away */
	capsules_step(&c->capsules, now);
	if (!c->drivers.done && now.ns % DRIVERS_RETRY_NS < NS_PER_S)
		drivers_open(&c->drivers);
}

/* --- setup --- */

static int host_get(void *context, const struct platform_driver *driver,
		    unsigned *ret_first, struct platform_host *ret)
{
	struct core *c = context;
	const struct platform_driver *const *all =
		registry_drivers(c->env->drivers);
	unsigned n = 0;
	int rc = 0;

	while (all[n] != driver)
		n++;
	if (!c->host[n].abi)	/* retried: it has its sources already */
		rc = state_driver_add(c->state, driver, ret_first, &c->host[n]);
	*ret = c->host[n];
	return rc;
}

static const struct platform_host *relay_host(void *context, unsigned n)
{
	struct core *c = context;

	return n < PLATFORM_DRIVERS_MAX && c->host[n].abi ? &c->host[n] : NULL;
}

static const char *option_get(void *context, const char *section,
			      const char *key)
{
	struct core *c = context;

	return config_option(&c->config, section, key);
}

static int stages_make(struct core *c)
{
	const struct ring *states = c->env->rings->ring[STREAM_STATES];
	struct state_limits limits = {
		.entities = CORE_ENTITIES, .slots = CORE_SLOTS,
		.first_entity = (uint32_t)ring_mark(states,
						    RING_MARK_NEXT_ENTITY),
		.dictionary_version = (uint32_t)ring_mark(
			states, RING_MARK_DICTIONARY_VERSION) };
	struct state_observer observer = { c, state_event,
					   state_source_changed };
	struct journal_env journal = {
		.rings = c->env->rings, .event_fd = c->env->record_event_fd,
		.identity = &c->identity.is, .slots = CORE_SLOTS,
		.entities = CORE_ENTITIES, .context = c,
		.findings = findings_open };
	unsigned first;
	int rc = state_new(&limits, &observer, &c->state);

	if (rc == 0)
		rc = state_driver_add(c->state, &own_driver, &first,
				      &c->own.host);
	if (rc == 0)
		rc = engine_new(CORE_PORTS, finding_owner(c),
				finding_changed, c, &c->engine);
	if (rc == 0)
		rc = series_new(CORE_PORTS, (size_t)(c->config.history_ns /
						     c->config.interval_ns),
				&c->series);
	if (rc == 0)
		rc = history_new(HISTORY_EVENTS_MAX, &c->history);
	journal.state = c->state;
	if (rc == 0)
		rc = journal_new(&journal, &c->journal);
	if (rc == 0)
		journal_settle(c->journal, c->config.traffic == TRAFFIC_BOUNDED,
			       c->config.record_ns);
	return rc;
}

static int detect_make(struct core *c)
{
	struct detect_env env = { .state = c->state, .engine = c->engine,
				  .series = c->series, .host = &c->own.host,
				  .source = OWN_SIGNATURE };

	journal_past_events(c->env->rings->ring[STREAM_STATES], c->history);
	env.open_count = journal_open_findings(
		c->env->rings->ring[STREAM_FINDINGS], &c->open);
	env.open = c->open;
	return detect_new(&env, &c->detect);
}

static void source_period(void *context, unsigned source, int64_t period_ns)
{
	struct core *c = context;

	state_source_period(c->state, source, period_ns);
}

static int sampler_make(struct core *c)
{
	struct sampler_env env = { .loop = c->loop,
				   .root_fd = c->env->root_fd, .context = c,
				   .host = host_get, .option = option_get,
				   .tick = tick };
	int rc = relay_reader_new(c->env->relay, relay_host, c, &c->relay);

	env.interval_ns = c->config.interval_ns;
	env.period = source_period;
	if (rc == 0)
		rc = sampler_new(&env, &c->sampler);
	governor_init(&c->governor, &(struct governor_env){
		.control = c->env->control, .config = &c->config,
		.sampler = c->sampler, .series = c->series });
	c->drivers = (struct drivers){ .all = c->env->drivers,
				       .sampler = c->sampler,
				       .config = &c->config,
				       .root_fd = c->env->root_fd };
	return rc;
}

static bool port_number(void *context, uint32_t entity, uint32_t *ret)
{
	struct core *c = context;

	return detect_number(c->detect, entity, ret);
}

static int server_make(struct core *c)
{
	struct diag d = { "" };
	struct query_env env = {
		.loop = c->loop, .dir_fd = c->env->run_dir_fd,
		.socket_name = c->config.socket,
		.switch_name = c->identity.is.name,
		.read_all = c->config.read == READ_ALL, .verbs = verb_table,
		.answer = verbs_handle,
		.context = &c->query };
	int rc;

	c->query = (struct query_context){
		.switch_name = c->identity.is.name,
		.switch_id = c->identity.is.id, .version = PETREL_VERSION,
		.state = c->state, .reading = detect_reading(c->detect),
		.engine = c->engine, .series = c->series,
		.history = c->history, .control = c->env->control,
		.rings = c->env->rings,
		.reload_event_fd = c->env->reload_event_fd,
		.drivers_reason = c->drivers.reason,
		.budget = &c->governor.told, .cost = &c->cost,
		.port_number = port_number, .core = c, .clock = clock_read };
	rc = follow_init(&c->query);
	if (rc == 0)
		rc = query_server_new(&env, &c->server, &d);
	if (rc < 0)
		log_err("core", "%s", d.text[0] ? d.text : strerror(-rc));
	c->query.server = c->server;
	c->governor.env.server = c->server;
	return rc;
}

static int core_start(struct core *c)
{
	struct mono now = clock_mono_now();
	int rc = loop_new(96, 64, &c->loop);

	if (rc == 0)
		rc = stages_make(c);
	if (rc < 0)
		return rc;
	c->capsules = (struct capsules){ .state = c->state,
					 .journal = c->journal,
					 .rings = c->env->rings };
	capsules_recall(&c->capsules, now);
	c->remember = (struct remember){ .env = c->env, .engine = c->engine };
	remember_recall(&c->remember, now, clock_wall_now());
	rc = detect_make(c);
	if (rc == 0)
		rc = sampler_make(c);
	if (rc == 0)
		rc = server_make(c);
	if (rc < 0)
		return rc;
	c->show_timer = loop_timer_add(c->loop, (struct mono){ INT64_MAX }, 0,
				       findings_show, c);
	if (c->show_timer < 0)
		return -ENOSPC;
	version_tell(c);
	drivers_open(&c->drivers);
	if (loop_timer_add(c->loop, now, NS_PER_S, beat, c) < 0)
		return -ENOSPC;
	rc = loop_fd_set(c->loop, c->env->relay_event_fd, EPOLLIN, relay_ready,
			 c);
	return rc < 0 ? rc :
	       loop_fd_set(c->loop, c->env->config_event_fd[ROLE_CORE],
			   EPOLLIN, config_ready, c);
}

static void core_end(struct core *c)
{
	publisher_fini(&c->publisher);
	capsules_fini(&c->capsules);
	query_server_free(c->server);
	follow_fini(&c->query);
	sampler_free(c->sampler);
	relay_reader_free(c->relay);
	detect_free(c->detect);
	journal_free(c->journal);
	engine_free(c->engine);
	series_free(c->series);
	history_free(c->history);
	state_free(c->state);
	loop_free(c->loop);
	free(c->open);
}

int core_run(struct process_env *env)
{
	struct core *c = calloc(1, sizeof(*c));
	int rc = -ENOMEM;

	if (!c)
		return EXIT_FAILURE;
	c->env = env;
	(void)control_config(env->control, &c->config);
	log_least_set(c->config.log_level);
	for (unsigned r = 0; r < ROLE_COUNT; r++)
		c->restarts[r] =
			atomic_load(&env->control->process[r].restarts);
	identity_start(c);
	publisher_init(&c->publisher, env->control);
	rc = core_start(c);
	if (rc == 0) {
		atomic_store(&env->control->serving, getpid());
		rc = loop_run(c->loop);
	}
	if (rc < 0)
		log_err("core", "ended: %s", strerror(-rc));
	core_end(c);
	free(c);
	return rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
