#include "agent/process/collectors.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/ring.h"
#include "agent/seal/initiator.h"
#include "petrel/log.h"

int collectors_init(struct collectors *c, struct process_env *env,
		    struct loop *loop,
		    void (*moved)(void *context, struct mono now),
		    void *context)
{
	int rc = 0;

	*c = (struct collectors){ .env = env };
	for (unsigned i = 0; i < CONFIG_COLLECTORS_MAX && rc == 0; i++) {
		rc = uplink_init(&c->way[i].live, loop, c->frame, moved,
				 context);
		if (rc == 0)
			rc = uplink_init(&c->way[i].past, loop, c->frame,
					 moved, context);
	}
	return rc;
}

static unsigned named_count(const struct config *c)
{
	unsigned n = 0;

	while (n < CONFIG_COLLECTORS_MAX && c->collector[n][0])
		n++;
	return n;
}

/* The number in the configuration of the way's present collector. */
static unsigned number_of(const struct collectors *c, unsigned way)
{
	return c->config->mirror ? way : c->turn;
}

static const char *url_of(const struct collectors *c, unsigned way)
{
	return c->config->collector[number_of(c, way)];
}

/* Sets up sealing for a way's uplink: each has an initiator of its own. */
static int sealing_begin(const struct collectors *c, unsigned way,
			 struct push_env *env, struct diag *d)
{
	const char *text = c->config->collector_key[number_of(c, way)];
	uint8_t collector[NOISE_KEY_LEN];
	int err;

	if (!text[0])
		text = c->config->collector_key[0];
	if (!text[0])
		return 0;
	(void)key_parse(text, strlen(text), collector);	/* it was checked */
	err = initiator_new(&c->key->pair, collector, c->key->token,
			    &env->sealed);
	return err < 0 ? diag_set(d, err, "sealing: %s", strerror(-err)) : 0;
}

static struct egress egress_of(const struct config *c, unsigned number)
{
	struct egress by = { .dscp = (unsigned)c->dscp };

	(void)snprintf(by.vrf, sizeof(by.vrf), "%s", config_vrf(c, number));
	(void)snprintf(by.source, sizeof(by.source), "%s",
		       config_source(c, number));
	return by;
}

static int way_open(const struct collectors *c, unsigned way, struct uplink *u,
		    struct push_env *env, struct diag *d)
{
	int err = sealing_begin(c, way, env, d);
	struct egress by = egress_of(c->config, number_of(c, way));

	return err < 0 ? err : uplink_open(u, url_of(c, way), &by, env, d);
}

static struct push_env push_env_of(const struct collectors *c, unsigned way)
{
	return (struct push_env){ .reader = way, .spool = c->spool,
				  .switch_name = c->switch_name,
				  .switch_id = c->switch_id,
				  .window_octets = c->config->window_octets,
				  .rate_octets = c->config->rate_octets,
				  .heartbeat_ns = c->config->heartbeat_ns };
}

static void live_open(struct collectors *c, unsigned way)
{
	struct push_env env = push_env_of(c, way);
	struct diag d;

	env.rings = c->env->rings;
	if (way_open(c, way, &c->way[way].live, &env, &d) < 0)
		log_err("push", "%s", d.text);
}

void collectors_open(struct collectors *c, const struct config *config,
		     struct spool_view *spool, const char *switch_name,
		     const char *switch_id, const struct own_key *key,
		     struct mono now)
{
	unsigned named = named_count(config);

	c->config = config;
	c->spool = spool;
	c->switch_name = switch_name;
	c->switch_id = switch_id;
	c->key = key;
	c->turn = 0;
	c->since = now;
	c->count = config->mirror || named == 0 ? named : 1;
	for (unsigned i = 0; i < c->count; i++)
		live_open(c, i);
}

static void way_close(struct collector_way *w)
{
	uplink_close(&w->live);
	uplink_close(&w->past);
	w->past_run = 0;
	memset(&w->past_held, 0, sizeof(w->past_held));
}

void collectors_close(struct collectors *c)
{
	for (unsigned i = 0; i < CONFIG_COLLECTORS_MAX; i++)
		way_close(&c->way[i]);
	c->count = 0;
}

void collectors_run(struct collectors *c, struct mono now)
{
	for (unsigned i = 0; i < c->count; i++)
		uplink_run(&c->way[i].live, now);
}

void collectors_run_past(struct collectors *c, struct mono now)
{
	for (unsigned i = 0; i < c->count; i++)
		uplink_run(&c->way[i].past, now);
}

/* --- runs before this one ------------------------------------------------- */

static void past_begin(struct collectors *c, unsigned way,
		       const struct spool_run *run, struct mono now)
{
	struct collector_way *w = &c->way[way];
	struct push_env env = push_env_of(c, way);
	struct diag d;

	env.run = *run;
	w->past_run = run->run;
	memset(&w->past_held, 0, sizeof(w->past_held));
	if (way_open(c, way, &w->past, &env, &d) < 0)
		log_err("push", "%s", d.text);
	else
		log_info("push", "peer=%s run=%016llx continues from the spool",
			 w->past.url, (unsigned long long)run->run);
	uplink_run(&w->past, now);
}

/* Notes what the collector holds of the past run. */
static void past_look(struct collector_way *w, bool is_connected)
{
	struct push_status status;

	uplink_status(&w->past, &status);
	if (status.connected)
		w->past_held = status.acked;
	if (status.connected && !status.owes)
		w->past_held = (struct positions){ { UINT64_MAX, UINT64_MAX,
						     UINT64_MAX } };
	if (!is_connected || (status.connected && !status.owes))
		uplink_close(&w->past);
}

static bool has_all(const struct collector_way *w, uint64_t run)
{
	return w->past_run == run &&
	       w->past_held.last[STREAM_FINDINGS] == UINT64_MAX;
}

static void lower(struct positions *p, const struct positions *other)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (other->last[i] < p->last[i])
			p->last[i] = other->last[i];
}

/* Sends the oldest past run; drops what all collectors hold of it. */
static void past_tend(struct collectors *c, struct mono now)
{
	static const struct positions none;
	struct positions held = { { UINT64_MAX, UINT64_MAX, UINT64_MAX } };
	struct spool_run run;

	if (c->count == 0 ||
	    !spool_view_past(c->spool, c->env->rings->run, &run))
		return;
	for (unsigned i = 0; i < c->count; i++) {
		struct collector_way *w = &c->way[i];
		struct push_status live;

		uplink_status(&w->live, &live);
		if (uplink_is_open(&w->past))
			past_look(w, live.connected);
		else if (live.connected && !has_all(w, run.run))
			past_begin(c, i, &run, now);
		lower(&held, w->past_run == run.run ? &w->past_held : &none);
	}
	spool_view_ack(c->spool, run.run, &held);
}

/* --- turns ---------------------------------------------------------------- */

/* Without mirror: the next collector takes over if this one does not answer. */
static void turn_tend(struct collectors *c, struct mono now)
{
	unsigned named = c->count ? named_count(c->config) : 0;
	struct push_status status;

	if (named < 2 || c->config->mirror)
		return;
	uplink_status(&c->way[0].live, &status);
	if (status.connected)
		c->since = now;
	if (mono_diff_ns(now, c->since) <
	    COLLECTORS_OVER_HEARTBEATS * c->config->heartbeat_ns)
		return;
	c->turn = (c->turn + 1) % named;
	c->since = now;
	way_close(&c->way[0]);
	live_open(c, 0);
	log_notice("push", "peer=%s takes over", url_of(c, 0));
	uplink_run(&c->way[0].live, now);
}

void collectors_tend(struct collectors *c, struct mono now)
{
	for (unsigned i = 0; i < c->count; i++) {
		uplink_tend(&c->way[i].live);
		uplink_tend(&c->way[i].past);
	}
	turn_tend(c, now);
	past_tend(c, now);
}

/* --- status --------------------------------------------------------------- */

struct positions collectors_held(const struct collectors *c)
{
	struct positions held;

	for (unsigned i = 0; i < STREAM_COUNT; i++)
		held.last[i] = ring_acked(c->env->rings->ring[i], 0);
	for (unsigned way = 1; way < c->count; way++)
		for (unsigned i = 0; i < STREAM_COUNT; i++) {
			uint64_t acked = ring_acked(c->env->rings->ring[i],
						    way);

			if (acked < held.last[i])
				held.last[i] = acked;
		}
	return held;
}

static void status_add(struct push_status *to, const struct push_status *s,
		       const char *url)
{
	if (to->connected && !s->connected)
		(void)snprintf(to->reason, sizeof(to->reason), "%.50s: %.100s",
			       url, s->reason);
	to->connected &= s->connected;
	to->sealed &= s->sealed;
	if (s->last_ack.ns < to->last_ack.ns)
		to->last_ack = s->last_ack;
	if (s->progress.ns < to->progress.ns)
		to->progress = s->progress;
	to->sent_records += s->sent_records;
	to->sent_octets += s->sent_octets;
	to->gap_records += s->gap_records;
	to->renewals += s->renewals;
	to->damaged += s->damaged;
}

bool collectors_one(const struct collectors *c, unsigned number,
		    struct push_status *ret)
{
	for (unsigned way = 0; way < c->count; way++)
		if (number_of(c, way) == number) {
			uplink_status(&c->way[way].live, ret);
			return true;
		}
	return false;
}

bool collectors_status(const struct collectors *c, struct push_status *ret)
{
	struct push_status s;

	uplink_status(&c->way[0].live, ret);
	if (c->count < 2)
		return c->count == 1 && uplink_is_open(&c->way[0].live);
	*ret = (struct push_status){ .connected = true, .sealed = true,
				     .last_ack = { INT64_MAX },
				     .progress = { INT64_MAX } };
	for (unsigned i = 0; i < c->count; i++) {
		uplink_status(&c->way[i].live, &s);
		status_add(ret, &s, url_of(c, i));
	}
	return true;
}
