/* The way of a frame through three threads:
 *
 *   this one:  transport -> intake -> store (write) --+
 *   sync:                                             fdatasync --+
 *   this one:  ACK <----------------------------------------------+
 *   feeds:                 store (read, up to what is synced) -> the sinks
 *
 * During a sync the next group gathers, so that one sync serves all frames that
 * came meanwhile. The spool itself is the queue of the sinks.
 *
 * If a write or sync of the spool fails, the state of unsynced entries is
 * unknown: they are taken back, nothing is accepted, and each second it is
 * tried again; agents then see the same as after a restart.
 */
#include "agent/collect/collector.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent/base/loop.h"
#include "agent/base/notify.h"
#include "agent/collect/admission.h"
#include "agent/collect/commit.h"
#include "agent/collect/complaints.h"
#include "agent/collect/database.h"
#include "agent/collect/intake.h"
#include "agent/collect/known.h"
#include "agent/collect/peers.h"
#include "agent/collect/silence.h"
#include "agent/collect/sinks.h"
#include "agent/collect/standing.h"
#include "agent/collect/web.h"
#include "agent/collect/web_metrics.h"
#include "agent/push/transport.h"
#include "petrel/log.h"

#define FRAMES_PER_WAKE 512
#define COUNTS_MAX 1400u
#define STATUS_S 10		/* for the service manager */
#define DISK_HUNG_NS (3 * NS_PER_S)	/* a sync of this length is logged */

struct collector {
	const struct collector_config *config;	/* borrowed */
	struct notify notify;
	const char *path;
	struct loop *loop;
	struct transport *transport;
	struct peers *peers;
	struct admission *admission;
	struct ledger *ledger;
	struct commit *commit;
	struct intake *intake;
	struct database *database;
	struct known *known;
	struct sinks *sinks;
	struct standing *standing;
	struct silence *silence;
	struct web *web;		/* NULL: no HTTP */
	int64_t silent_ns;
	bool spool_is_full;
	char spool_fault[INTAKE_FAULT_MAX];	/* empty: it is writable */
	int signal_fd;
	struct complaints complaints;
	unsigned seconds;
	uint8_t frame[WIRE_FRAME_MAX];
};

static void spool_fails(struct collector *c, int err, const char *what)
{
	if (!c->spool_fault[0])
		log_err("collector", "%s: %s; no records are accepted until it "
				     "works",
			what, strerror(-err));
	(void)snprintf(c->spool_fault, sizeof(c->spool_fault), "%s: %s", what,
		       strerror(-err));
	intake_stop(c->intake, c->spool_fault);
}

static void complain(void *context, const char *who, const char *what)
{
	complaints_add(&((struct collector *)context)->complaints, who, what);
}

static int entry_append(void *context, const void *entry, size_t len,
			struct place *ret_at)
{
	struct collector *c = context;
	struct store *store = commit_store(c->commit);
	int err = c->spool_fault[0] ? -EIO :
		  store_append(store, entry, len, ret_at);

	if (err == -ENOSPC) {	/* the sinks may have freed some */
		(void)store_trim(store, sinks_segment(c->sinks));
		err = store_append(store, entry, len, ret_at);
	}
	c->spool_is_full = err == -ENOSPC;
	if (err < 0 && err != -ENOSPC && !c->spool_fault[0])
		spool_fails(c, err, "the spool cannot be written");
	return err;
}

/* Records of the collector itself. */
static int own_append(void *context, const void *entry, size_t len)
{
	struct collector *c = context;
	struct place at;
	int err = entry_append(c, entry, len, &at);

	if (err == 0)
		intake_appended(c->intake);
	return err;
}

static void answer_send(void *context, const struct transport_peer *peer,
			const void *frame, size_t len)
{
	struct collector *c = context;

	/* lost if the peer does not read: it will ask again */
	(void)transport_send(c->transport, peer, frame, len);
}

/* Group commit: during a sync the next group gathers. */
static void group_commit(struct collector *c, struct mono now)
{
	int err;

	if (c->spool_fault[0] || commit_is_busy(c->commit) ||
	    !intake_sync_begin(c->intake))
		return;
	err = commit_begin(c->commit, now);
	if (err < 0)
		spool_fails(c, err, "the spool cannot continue");
}

static void frames_arrived(void *context, uint32_t events, struct mono now)
{
	struct collector *c = context;

	(void)events;	/* only ever readable */
	for (unsigned i = 0; i < FRAMES_PER_WAKE; i++) {
		struct transport_peer peer;
		int n = transport_receive(c->transport, &peer, c->frame,
					  sizeof(c->frame));

		if (n == -EAGAIN || n == -EIO)
			break;
		if (n < 0)
			intake_dropped(c->intake, "a frame that is too long, "
					"or has too many hops");
		else
			intake_frame(c->intake, &peer, c->frame, (size_t)n,
				     now);
	}
	group_commit(c, now);
}

static void sync_ended(void *context, uint32_t events, struct mono now)
{
	struct collector *c = context;
	struct place end;
	int err = commit_take(c->commit, &end);

	(void)events;	/* only ever readable */
	if (err == -EAGAIN)
		return;
	if (err < 0) {		/* the state of the disk is unknown */
		spool_fails(c, err, "the spool cannot be synced");
		return;
	}
	intake_sync_done(c->intake);
	sinks_allow(c->sinks, end);
	(void)store_trim(commit_store(c->commit), sinks_segment(c->sinks));
	group_commit(c, now);
}

/* One line per sink; one that is down or behind is reported. */
static void sinks_print(struct collector *c, FILE *out)
{
	struct sink_figures f;
	uint64_t unreadable = 0;

	for (unsigned i = 0; sinks_figures(c->sinks, i, &f); i++) {
		(void)fprintf(out, " %s=%" PRIu64, f.name, f.count.applied);
		unreadable += f.count.unreadable;
		if (f.count.misnumbered)
			(void)fprintf(out, " %s_misnumbered=%" PRIu64, f.name,
				      f.count.misnumbered);
		if (f.count.refused)
			(void)fprintf(out, " %s_refused=%" PRIu64, f.name,
				      f.count.refused);
		if (f.is_down)
			(void)fprintf(out, " %s_lag_s=%" PRId64, f.name,
				      f.lag_ns / NS_PER_S);
	}
	(void)fprintf(out, " unreadable=%" PRIu64, unreadable);
}

/* All counts in one line. */
static void counts_print(struct collector *c, char *text, size_t cap)
{
	struct peers_count p = { .connections = 0 };
	struct responder_count s = { .handshakes = 0 };
	struct intake_count i;
	FILE *out = fmemopen(text, cap, "w");

	text[0] = '\0';
	if (!out)
		return;
	intake_count(c->intake, &i);
	if (c->peers)
		peers_count(c->peers, &p);
	if (admission_responder(c->admission))
		responder_count(admission_responder(c->admission), &s);
	(void)fprintf(out, "runs=%zu frames=%" PRIu64 " records=%" PRIu64
		      " repeats=%" PRIu64 " holes=%" PRIu64 " need_states=%"
		      PRIu64 " gaps=%" PRIu64 " unknown_kinds=%" PRIu64
		      " garbage=%" PRIu64 " damaged=%"
		      PRIu64 " refused=%" PRIu64 " unknown_sessions=%" PRIu64
		      " same_id=%" PRIu64
		      " forgotten_runs=%" PRIu64 " connections=%" PRIu32
		      " closed_idle=%" PRIu64 " closed_excess=%" PRIu64
		      " spool_octets=%" PRIu64 " handshakes=%" PRIu64
		      " unauthorized=%" PRIu64 " excess_handshakes=%" PRIu64,
		      ledger_count(c->ledger), i.frames, i.records, i.repeats,
		      i.holes, i.need_states, i.gaps, i.unknown,
		      i.garbage, i.damaged, i.refused, i.unknown_sessions,
		      i.same_id, ledger_forgotten(c->ledger), p.connections,
		      p.idle, p.excess, store_octets(commit_store(c->commit)),
		      s.handshakes, s.unauthorized, s.excess);
	sinks_print(c, out);
	(void)fclose(out);
}

static void counts_tell(struct collector *c)
{
	char text[COUNTS_MAX];

	counts_print(c, text, sizeof(text));
	log_notice("collector", "%s", text);
}

/* What systemctl status shows. */
static void counts_notify(struct collector *c)
{
	char line[COUNTS_MAX + 8] = "STATUS=";

	counts_print(c, line + 7, sizeof(line) - 7);
	notify_send(&c->notify, line);
}

static void reload(struct collector *c)
{
	struct collector_config config;
	struct diag d;

	if (collector_config_load(c->path, false, &config, &d) < 0) {
		log_err("collector", "reload refused: %s", d.text);
		return;
	}
	log_open("petrel-collector", log_target_guess(true),
		 config.log_level);
	if (admission_reload(c->admission, &config, &d) < 0)
		log_err("collector", "reload refused: %s", d.text);
	else
		log_notice("collector", "reloaded [Log] level, keys and "
			   "authorised switches; other keys need a restart");
	web_reload(c->web);
}

static void signal_arrived(void *context, uint32_t events, struct mono now)
{
	struct collector *c = context;
	struct signalfd_siginfo info;

	(void)events;	/* only ever readable */
	(void)now;
	if (read(c->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGHUP)
		reload(c);
	else if (info.ssi_signo == SIGUSR1)
		counts_tell(c);
	else
		loop_stop(c->loop);
}

/* Why nothing is kept now; "": it is. */
static void trouble_say(struct collector *c, struct mono now, char *ret,
			size_t cap)
{
	int64_t busy_ns = commit_busy_ns(c->commit, now);

	if (busy_ns >= DISK_HUNG_NS)
		(void)snprintf(ret, cap, "the disk of the spool has not "
			       "answered for %" PRId64 " s",
			       busy_ns / NS_PER_S);
	else
		(void)snprintf(ret, cap, "%s", c->spool_is_full ?
			       "the spool is full" : c->spool_fault);
}

/* The status of each switch, and of the collector. */
static void standing_tend(struct collector *c, struct mono now)
{
	struct web_health health = {
		.said = now, .is_full = c->spool_is_full,
		.spool_octets = store_octets(commit_store(c->commit)),
		.spool_octets_max = c->config->spool_octets };
	struct standing_switch *list;
	struct peers_count p = { .connections = 0 };
	struct clock_reading clock;
	struct intake_count i;
	size_t count;

	clock_read(&clock);
	trouble_say(c, now, health.trouble, sizeof(health.trouble));
	if (health.trouble[0])
		silence_hold(c->silence, now);
	standing_look(c->standing, c->ledger, &clock, c->silent_ns);
	list = standing_all(c->standing, &count);
	if (list)
		silence_judge(c->silence, list, count, &clock);
	free(list);
	intake_count(c->intake, &i);
	if (c->peers)
		peers_count(c->peers, &p);
	health.records = i.records;
	health.gaps = i.gaps;
	health.refused = i.refused;
	health.same_id = i.same_id;
	health.connections = p.connections;
	web_health_set(c->web, &health);
	group_commit(c, now);
}

/* False for a switch that must be sealed but is on no list. */
static bool switch_is_expected(void *context, const char *switch_id)
{
	const struct collector *c = context;
	const struct responder *sealed = admission_responder(c->admission);

	return c->config->insecure || !sealed ||
	       responder_has_id(sealed, switch_id);
}

static void switch_ended(void *context, const char *switch_id)
{
	ledger_states_lost(((struct collector *)context)->ledger, switch_id);
}

static int silence_start(struct collector *c)
{
	struct silence_env env = { .database = c->config->database,
				   .run = admission_random(NULL),
				   .silent_ns = c->silent_ns,
				   .context = c, .append = own_append,
				   .is_expected = switch_is_expected,
				   .ended = switch_ended };
	struct clock_reading now;
	struct silence *fresh;
	int err;

	clock_read(&now);
	err = silence_new(&env, now, &fresh);
	if (err < 0)
		return err;
	silence_free(c->silence);
	c->silence = fresh;
	return 0;
}

/* As after a restart, except for state that does not depend on the spool. */
static void spool_mend(struct collector *c)
{
	struct diag d = { "" };
	int err;

	if (!c->spool_fault[0] || commit_is_busy(c->commit))
		return;
	err = commit_mend(c->commit, &d);
	if (err == 0)
		err = silence_start(c);
	if (err < 0) {		/* the reason may have changed */
		spool_fails(c, err, "the spool cannot be written");
		return;
	}
	c->spool_fault[0] = '\0';
	silence_hold(c->silence, clock_mono_now());
	intake_begin_anew(c->intake);
	log_notice("collector", "the spool can be written again");
}

static void second_passed(void *context, struct mono now, uint64_t skipped)
{
	struct collector *c = context;

	/* It stood still for longer than a heartbeat: nobody was heard. */
	if ((int64_t)skipped * NS_PER_S > c->silent_ns / 3)
		silence_hold(c->silence, now);
	notify_send(&c->notify, "WATCHDOG=1");
	complaints_second(&c->complaints);
	if (c->seconds++ % STATUS_S == 0)
		counts_notify(c);
	if (c->peers)
		peers_tend(c->peers, NULL);
	admission_tend(c->admission);
	spool_mend(c);
	standing_tend(c, now);
	(void)store_trim(commit_store(c->commit), sinks_segment(c->sinks));
}

static int signals_open(void)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGHUP);
	(void)sigaddset(&set, SIGUSR1);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int spool_start(struct collector *c,
		       const struct collector_config *config, struct diag *d)
{
	struct commit_env env = { .config = config, .ledger = c->ledger };
	struct sink_env sinks = { .config = config, .known = c->known,
				  .database = c->database,
				  .standing = c->standing };
	int err = database_cursor(c->database, &env.database_from, d);

	if (err == 0)
		err = database_seen(c->database, c->standing, d);
	if (err == 0)
		err = commit_open(&env, &c->commit, d);
	if (err < 0)
		return err;
	sinks.spool_fd = store_dir_fd(commit_store(c->commit));
	sinks.end = store_end(commit_store(c->commit));
	sinks.database_from = env.database_from;
	sinks.known_from = env.known_from;
	err = sinks_open(&sinks, &c->sinks, d);
	if (err == 0)
		sinks_allow(c->sinks, sinks.end);
	return err;
}

static int parts_make(struct collector *c, bool takes_clear, struct diag *d)
{
	struct intake_env intake = { .ledger = c->ledger, .context = c,
				     .append = entry_append,
				     .answer = answer_send,
				     .complain = complain,
				     .random = admission_random,
				     .sealed =
					admission_responder(c->admission),
				     .takes_clear = takes_clear };
	int err = intake_new(&intake, &c->intake);

	if (err == 0)
		err = loop_new(8, 2, &c->loop);
	if (err == 0)
		err = loop_fd_set(c->loop, commit_event_fd(c->commit),
				  EPOLLIN, sync_ended, c);
	if (err == 0)
		err = loop_fd_set(c->loop, c->signal_fd, EPOLLIN,
				  signal_arrived, c);
	if (err == 0)
		err = loop_timer_add(c->loop, clock_mono_now(), NS_PER_S,
				     second_passed, c);
	return err < 0 ? diag_set(d, err, "cannot start: %s", strerror(-err)) :
			 0;
}

/* Outputs other than sinks. If HTTP cannot start, records are still taken. */
static int tellers_make(struct collector *c,
			const struct collector_config *config, struct diag *d)
{
	struct web_env web = { .config = config, .known = c->known,
			       .sinks = c->sinks };
	struct diag why;

	c->silent_ns = config->silent_ns;
	if (silence_start(c) < 0)
		return diag_set(d, -ENOMEM, "out of memory");
	standing_expect(c->standing, switch_is_expected, c);
	web.standing = c->standing;
	if (web_open(&web, &c->web, &why) < 0)
		log_err("collector", "no HTTP: %s", why.text);
	return 0;
}

static int listen_begin(struct collector *c, const char *url, struct diag *d)
{
	int err = transport_bind(url, &c->transport, d);

	if (err == 0)
		err = peers_new(url, &c->peers, d);
	if (err < 0)
		return err;
	peers_tend(c->peers, NULL);
	err = loop_fd_set(c->loop, transport_fd(c->transport), EPOLLIN,
			  frames_arrived, c);
	return err < 0 ? diag_set(d, err, "%s: %s", url, strerror(-err)) : 0;
}

static int collector_start(struct collector *c,
			   const struct collector_config *config,
			   struct diag *d)
{
	int err;

	c->signal_fd = signals_open();	/* before the threads */
	if (c->signal_fd < 0)
		return diag_set(d, c->signal_fd, "signals: %s",
				strerror(-c->signal_fd));
	err = admission_open(config, &c->admission, d);
	if (err == 0)
		err = database_open(config->database, &c->database, d);
	if (err < 0)
		return err;
	if (ledger_new(admission_random(NULL), &c->ledger) < 0 ||
	    known_new(&c->known) < 0 || standing_new(&c->standing) < 0)
		return diag_set(d, -ENOMEM, "out of memory");
	err = spool_start(c, config, d);
	if (err == 0)
		err = parts_make(c, config->insecure, d);
	if (err == 0)
		err = tellers_make(c, config, d);
	return err < 0 ? err : listen_begin(c, config->listen, d);
}

/* Of the last moment; what the database's thread kept is seconds old. */
static void seen_keep(struct collector *c)
{
	struct diag d = { "" };
	struct clock_reading now;

	if (!c->sinks)
		return;
	clock_read(&now);
	standing_look(c->standing, c->ledger, &now, c->silent_ns);
	database_back(c->database);
	if (database_seen_keep(c->database, c->standing, &d) < 0)
		log_err("collector", "when switches were seen is not kept: %s",
			d.text);
}

/* Closes the inputs first: no frame is accepted that cannot be kept. */
static void collector_end(struct collector *c)
{
	transport_close(c->transport);
	peers_free(c->peers);
	web_close(c->web);
	silence_free(c->silence);
	sinks_close(c->sinks);
	seen_keep(c);
	standing_free(c->standing);
	intake_free(c->intake);
	admission_close(c->admission);
	commit_close(c->commit);
	ledger_free(c->ledger);
	known_free(c->known);
	database_close(c->database);
	loop_free(c->loop);
	if (c->signal_fd >= 0)
		(void)close(c->signal_fd);
	free(c);
}

int collector_run(const struct collector_config *config, const char *path,
		  struct diag *d)
{
	struct collector *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return diag_set(d, -ENOMEM, "out of memory");
	c->config = config;
	c->path = path;
	c->signal_fd = -1;
	notify_init(&c->notify);
	err = collector_start(c, config, d);
	if (err == 0) {
		log_notice("collector", "listen=%s spool=%s database=%s "
			   "insecure=%s http_port=%u", config->listen,
			   config->spool, config->database,
			   config->insecure ? "yes" : "no", web_port(c->web));
		notify_send(&c->notify, "READY=1");
		err = loop_run(c->loop);
		notify_send(&c->notify, "STOPPING=1");
		if (err < 0)
			(void)diag_set(d, err, "ended: %s", strerror(-err));
		counts_tell(c);
	}
	notify_fini(&c->notify);
	collector_end(c);
	return err;
}
