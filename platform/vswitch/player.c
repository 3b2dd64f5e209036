/* connect -> refuse a real switch -> write everything -> timers -> …
 *
 * A lost connection is retried four times a second; when it is back everything
 * is written again, with new object ids: restarting a redis-server of SONiC
 * restarts orchagent and syncd with it.
 */
#include "platform/vswitch/player.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent/base/loop.h"
#include "petrel/log.h"
#include "platform/vswitch/command_lines.h"
#include "platform/vswitch/groups.h"
#include "platform/vswitch/pace.h"
#include "platform/vswitch/root.h"
#include "platform/vswitch/rows.h"
#include "platform/vswitch/stats.h"

#define RETRY_NS (250 * NS_PER_MS)
#define CHASSIS_NS (60 * NS_PER_S)
#define SCRIPTS_NS (120 * NS_PER_S)	/* frame loss; periodic watermarks */
#define MAPS_AFTER_FLUSH_NS (3 * NS_PER_S)
#define RELOAD_NS (3 * NS_PER_S)
#define SLICES 4			/* in a round over all modules */
#define SLICE_LEAST_NS (10 * NS_PER_MS)
#define FDS_MAX 4
#define TIMERS_MAX 12
#define PIECES 6

/* --- the parts: gathered, not sent --------------------------------------- */

#define PLAY_OUTS_MAX (BOX_ASICS_MAX + 1)

/* All connections, the host's last. Returns their number. */
static unsigned play_outs(struct box *b, struct out *ret[PLAY_OUTS_MAX])
{
	unsigned n = 0;

	for (unsigned i = 0; i < b->asic_count; i++)
		ret[n++] = &b->asic[i].out;
	if (b->asic_count > 1)
		ret[n++] = b->host;
	return n;
}

static void counters_play(struct box *b)
{
	stats_ports(b);
	watchdog_play(b);
	rates_ports(b, b->cadences.counters_ns);
	groups_stamp(b, CADENCE_COUNTERS);
	b->totals.plays++;
}

/* Ports' counters, changed links, plugged and removed modules. */
static void play_counters(struct box *b)
{
	links_changes(b);
	xcvrd_presence(b);
	xcvrd_watch(b);
	counters_play(b);
}

/* Counters of queues and priority groups, and the lanes' signals. */
static void play_queues(struct box *b)
{
	stats_queues(b);
	if (b->has_voqs)
		stats_voqs(b);
	links_phy(b);
	groups_stamp(b, CADENCE_QUEUES);
}

/* Watermarks and drops. */
static void play_peaks(struct box *b)
{
	stats_watermarks(b);
	stats_port_drops(b);
	groups_stamp(b, CADENCE_WATERMARKS);
}

/* Scripts that run every two minutes. */
static void play_scripts(struct box *b)
{
	rates_losses(b);
	stats_period_end(b);
}

static void play_maps(struct box *b)
{
	rates_settings(b);
	groups_maps(b);
	if (b->has_voqs)
		stats_voq_maps(b);
}

/* The contents of COUNTERS_DB, from the start. */
static void play_counters_db(struct box *b)
{
	box_look(b);
	play_maps(b);
	counters_play(b);
	play_queues(b);
	play_peaks(b);
	rates_losses(b);
}

static void play_flush(struct box *b, enum out_db db)
{
	struct out *outs[PLAY_OUTS_MAX];
	unsigned count = play_outs(b, outs);

	for (unsigned i = 0; i < count; i++)
		out_command(outs[i], db, (const char *const[]){
			"FLUSHDB", NULL });
}

/* Empties what a restart of the services clears. */
static void play_flush_volatile(struct box *b)
{
	static const enum out_db dbs[] = { APPL_DB, COUNTERS_DB,
					   FLEX_COUNTER_DB, STATE_DB };

	for (size_t i = 0; i < sizeof(dbs) / sizeof(dbs[0]); i++)
		play_flush(b, dbs[i]);
}

/* Everything, from the start: as after a start of SONiC. */
static void play_all(struct box *b)
{
	box_look(b);
	b->started_s = b->host->now_s;
	play_flush_volatile(b);
	config_db_write(b);
	watchdog_restart(b);
	groups_settings(b);
	links_all(b);
	xcvrd_forget(b);
	xcvrd_presence(b);
	root_reboot_row(b);
	pmon_start(b);
	pmon_play(b);
	play_counters_db(b);
	b->next_module = 0;
	b->round_ns = b->now.ns;
}

/* Removes a port, as in a breakout; the other adds it with new ids. */
static void play_port_stop(struct box *b, struct box_port *port)
{
	port->stopped = true;
	groups_forget(port);
	stats_forget(port);
	links_forget(b, port);
	config_db_forget(port);
	xcvrd_delete(port);
	port->serial[0] = '\0';
}

static void play_port_start(struct box *b, struct box_port *port)
{
	port->stopped = false;
	box_renumber_port(b, port);
	config_db_write(b);
	links_all(b);
	groups_maps(b);
}

/* --- the player ----------------------------------------------------------- */

struct player;

/* A part that is played at its own interval. */
struct piece {
	struct player *player;
	void (*play)(struct box *b);
	struct pace *pace;		/* NULL: not watched */
};

enum wait_for { WAIT_NOTHING, WAIT_MAPS, WAIT_RELOAD };

struct player {
	const struct player_options *options;
	struct box box;
	struct loop *loop;
	struct command_lines control;
	FILE *journal;
	int signal_fd;
	int retry_timer, once_timer;
	enum wait_for waiting;		/* for once_timer */
	bool held;			/* by command */
	bool lost;			/* a connection is missing */
	bool was_booting;
	struct pace counters_pace, modules_pace;
	struct piece piece[PIECES];
	int result;
	struct diag *diag;
};

static void player_end(struct player *p, int result)
{
	p->result = result;
	loop_stop(p->loop);
}

static void player_lose(struct player *p, const struct diag *d)
{
	if (p->options->end_on_loss) {
		diag_write(p->diag, "%s", d->text);
		player_end(p, -EPIPE);
		return;
	}
	if (!p->lost)
		log_warn("redis", "%s; trying again", d->text);
	p->lost = true;
	loop_timer_at(p->loop, p->retry_timer,
		      (struct mono){ loop_now(p->loop).ns + RETRY_NS },
		      RETRY_NS);
}

static void journal_add(struct player *p)
{
	if (!p->journal || stats_totals(p->journal, &p->box) == 0)
		return;
	log_warn("journal", "%s cannot be written", p->options->journal);
	(void)fclose(p->journal);	/* was reported */
	p->journal = NULL;
}

/* Sends everything that was gathered. */
static void player_flush(struct player *p)
{
	struct out *outs[PLAY_OUTS_MAX];
	unsigned count = play_outs(&p->box, outs);

	for (unsigned i = 0; i < count; i++) {
		uint64_t refused = outs[i]->refused;
		struct diag d = { "" };
		int rc = out_send(outs[i], &d);

		if (rc < 0 && (rc != -ENOTCONN || !p->lost))
			player_lose(p, &d);
		if (outs[i]->refused > 0 && refused == 0)
			log_warn("redis", "%s refuses: %s", outs[i]->socket,
				 outs[i]->refusal);
	}
}

static void player_send(struct player *p)
{
	player_flush(p);
	journal_add(p);
}

static void player_fill(struct player *p)
{
	play_all(&p->box);
	player_send(p);
}

/* --- what is due ---------------------------------------------------------- */

static void boot_follow(struct player *p)
{
	struct box *b = &p->box;

	if (b->booting == p->was_booting)
		return;
	p->was_booting = b->booting;
	if (b->booting) {
		log_notice("vswitch", "the switch restarts");
		play_flush_volatile(&p->box);
		player_send(p);
		return;
	}
	root_reboot(b);
	box_counters_keep(b);
	box_renumber(b);
	player_fill(p);
}

/* False: nothing may be played now. */
static bool play_begin(struct player *p)
{
	if (p->held || p->waiting == WAIT_RELOAD) {
		pace_pause(&p->counters_pace);
		pace_pause(&p->modules_pace);
		return false;
	}
	box_look(&p->box);
	boot_follow(p);
	return !p->box.booting;
}

/* Plays a part and sends it, unless playing is stopped. */
static void piece_due(void *context, struct mono now, uint64_t skipped)
{
	const struct piece *piece = context;
	struct player *p = piece->player;

	(void)now;
	(void)skipped;
	if (!play_begin(p))
		return;
	piece->play(&p->box);
	player_send(p);
	if (piece->pace)
		pace_tell(piece->pace, clock_mono_now());
}

/* The interval of slices in xcvrd's round: rows arrive one after the other. */
static int64_t slice_ns(const struct cadences *c)
{
	int64_t slice = c->modules_ns / SLICES;

	slice = slice < c->counters_ns ? slice : c->counters_ns;
	return slice > SLICE_LEAST_NS ? slice : SLICE_LEAST_NS;
}

static void modules_due(void *context, struct mono now, uint64_t skipped)
{
	struct player *p = context;
	bool is_round;

	(void)now;
	(void)skipped;
	if (!play_begin(p))
		return;
	is_round = xcvrd_round(&p->box, slice_ns(&p->box.cadences));
	player_flush(p);
	if (is_round)
		pace_tell(&p->modules_pace, clock_mono_now());
}

static void end_due(void *context, struct mono now, uint64_t skipped)
{
	(void)now;
	(void)skipped;
	player_end(context, 0);
}

/* --- connections ---------------------------------------------------------- */

static int player_connect(struct player *p, struct diag *d)
{
	struct out *outs[PLAY_OUTS_MAX];
	unsigned count = play_outs(&p->box, outs);
	int rc = 0;

	for (unsigned i = 0; i < count && rc == 0; i++) {
		if (out_is_connected(outs[i]))
			continue;
		rc = out_connect(outs[i], d);
		if (rc == 0)
			rc = config_db_check(outs[i], d);
	}
	return rc;
}

static void retry_due(void *context, struct mono now, uint64_t skipped)
{
	struct player *p = context;
	struct diag d = { "" };
	int rc = player_connect(p, &d);

	(void)now;
	(void)skipped;
	if (rc == -EEXIST) {
		diag_write(p->diag, "%s", d.text);
		player_end(p, rc);
	}
	else if (rc < 0)
		player_lose(p, &d);
	if (rc < 0)
		return;
	p->lost = false;
	p->box.totals.connects++;
	loop_timer_stop(p->loop, p->retry_timer);
	log_notice("redis", "connected");
	if (p->box.totals.connects > 1)
		box_renumber(&p->box);
	if (!p->box.booting && p->waiting != WAIT_RELOAD)
		player_fill(p);
}

static void once_due(void *context, struct mono now, uint64_t skipped)
{
	struct player *p = context;
	enum wait_for waiting = p->waiting;

	(void)now;
	(void)skipped;
	p->waiting = WAIT_NOTHING;
	if (waiting == WAIT_RELOAD) {	/* syncd counts from here on */
		box_look(&p->box);
		box_counters_restart(&p->box);
		box_renumber(&p->box);
		player_fill(p);
	} else if (waiting == WAIT_MAPS) {
		play_maps(&p->box);
		player_send(p);
	}
}

static void wait_begin(struct player *p, enum wait_for what, int64_t ns)
{
	p->waiting = what;
	loop_timer_at(p->loop, p->once_timer,
		      (struct mono){ loop_now(p->loop).ns + ns }, 0);
}

/* --- commands ------------------------------------------------------------- */

enum command { DO_RENUMBER, DO_FLUSH, DO_RELOAD, DO_TSA, DO_TSB, DO_STOP_PORT,
	       DO_START_PORT, DO_HOLD, DO_GO, DO_TOTALS, DO_END };

static const struct command_row commands[] = {
	[DO_RENUMBER] = { "renumber", false },
	[DO_FLUSH] = { "flush", false },
	[DO_RELOAD] = { "config reload", false },
	[DO_TSA] = { "TSA", false },	/* traffic-shift-away, … */
	[DO_TSB] = { "TSB", false },	/* … and back */
	[DO_STOP_PORT] = { "stop port", true },
	[DO_START_PORT] = { "start port", true },
	[DO_HOLD] = { "hold", false },
	[DO_GO] = { "go", false },
	[DO_TOTALS] = { "totals", false },
	[DO_END] = { "end", false },
};

static int port_do(struct player *p, bool starts, const char *name,
		   struct diag *d)
{
	const struct box *b = &p->box;
	struct box_port *port = box_find(b, name);

	if (!port)
		return diag_set(d, -ENOENT, "'%s' is not a port; expected one of "
				"%s to %s", name, b->port[0].facts.name,
				b->port[b->port_count - 1].facts.name);
	if (starts)
		play_port_start(&p->box, port);
	else
		play_port_stop(&p->box, port);
	player_send(p);
	return 0;
}

static void renumber(struct player *p)
{
	play_flush(&p->box, COUNTERS_DB);
	box_renumber(&p->box);
	play_counters_db(&p->box);
	player_send(p);
	p->box.totals.renumbered++;
}

/* Rows return with syncd's next poll, the maps when orchagent is told. */
static void flush(struct player *p)
{
	play_flush(&p->box, COUNTERS_DB);
	player_send(p);
	wait_begin(p, WAIT_MAPS, MAPS_AFTER_FLUSH_NS);
	p->box.totals.flushed++;
}

static void reload(struct player *p)
{
	play_flush_volatile(&p->box);
	player_send(p);
	wait_begin(p, WAIT_RELOAD, RELOAD_NS);
	p->box.totals.reloads++;
}

static int command_do(void *context, size_t row, const char *argument,
		      struct diag *d)
{
	struct player *p = context;

	switch ((enum command)row) {
	case DO_RENUMBER:
		renumber(p);
		return 0;
	case DO_FLUSH:
		flush(p);
		return 0;
	case DO_RELOAD:
		reload(p);
		return 0;
	case DO_TSA:
	case DO_TSB:
		config_db_tsa(&p->box, row == DO_TSA);
		player_send(p);
		return 0;
	case DO_STOP_PORT:
	case DO_START_PORT:
		return port_do(p, row == DO_START_PORT, argument, d);
	case DO_HOLD:
	case DO_GO:
		p->held = row == DO_HOLD;
		return 0;
	case DO_TOTALS:
		return stats_totals(stdout, &p->box);
	case DO_END:
		player_end(p, 0);
	}
	return 0;
}

/* --- set-up --------------------------------------------------------------- */

static void signal_come(void *context, uint32_t events, struct mono now)
{
	(void)events;
	(void)now;
	player_end(context, 0);
}

static void stdin_come(void *context, uint32_t events, struct mono now)
{
	struct player *p = context;

	(void)events;
	(void)now;
	if (command_read(&p->control, STDIN_FILENO, stdout) == 0)
		loop_fd_remove(p->loop, STDIN_FILENO);
}

static int signals_open(struct player *p, struct diag *d)
{
	sigset_t set;

	(void)signal(SIGPIPE, SIG_IGN);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	p->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (p->signal_fd < 0)
		return diag_set(d, -errno, "signalfd: %s", strerror(errno));
	return loop_fd_set(p->loop, p->signal_fd, EPOLLIN, signal_come, p);
}

static int timer_every(struct player *p, int64_t period_ns, loop_timer_fn *fn,
		       void *context)
{
	struct mono due = { p->box.start.ns + period_ns };

	return period_ns > 0 ? loop_timer_add(p->loop, due, period_ns, fn,
					      context) : 0;
}

static int timers_open(struct player *p)
{
	const struct cadences *c = &p->options->cadences;
	const struct { int64_t ns; struct piece piece; } rows[PIECES] = {
		{ c->counters_ns, { p, play_counters, &p->counters_pace } },
		{ c->queues_ns, { p, play_queues, NULL } },
		{ c->watermarks_ns, { p, play_peaks, NULL } },
		{ CHASSIS_NS, { p, pmon_play, NULL } },
		{ SCRIPTS_NS, { p, play_scripts, NULL } },
		{ c->heat_ns, { p, xcvrd_heat, NULL } },
	};
	int rc = timer_every(p, slice_ns(c), modules_due, p);

	for (size_t i = 0; i < PIECES && rc >= 0; i++) {
		p->piece[i] = rows[i].piece;
		rc = timer_every(p, rows[i].ns, piece_due, &p->piece[i]);
	}
	if (rc >= 0)
		rc = timer_every(p, p->options->for_ns, end_due, p);
	if (rc < 0)
		return rc;
	p->once_timer = loop_timer_add(p->loop, (struct mono){ INT64_MAX }, 0,
				       once_due, p);
	p->retry_timer = loop_timer_add(p->loop, p->box.start, RETRY_NS,
					retry_due, p);
	return p->once_timer < 0 || p->retry_timer < 0 ? -ENOSPC : 0;
}

static void sockets_name(struct player *p)
{
	const struct player_options *o = p->options;
	struct box *b = &p->box;
	char path[ROOT_PATH_MAX];

	root_socket(o->root ? o->root : "", -1, path);
	out_init(b->host, o->redis ? o->redis : path);
	for (unsigned i = 0; b->asic_count > 1 && i < b->asic_count; i++) {
		root_socket(o->root, (int)i, path);
		out_init(&b->asic[i].out, path);
	}
}

static int player_open(struct player *p, struct diag *d)
{
	const struct player_options *o = p->options;
	int rc = box_open(&p->box, o->scenario, o->asics, d);

	if (rc < 0)
		return rc;
	sockets_name(p);
	p->box.speed = o->speed;
	plant_pace(p->box.plant, o->speed);
	p->box.has_voqs = o->has_voqs;
	p->box.cadences = o->cadences;
	pace_init(&p->counters_pace, "counters", o->cadences.counters_ns);
	pace_init(&p->modules_pace, "modules", o->cadences.modules_ns);
	box_look(&p->box);
	if (o->root && root_open(o->root, &p->box, d) < 0)
		return -EIO;
	root_reboot(&p->box);
	if (o->journal) {
		p->journal = fopen(o->journal, "we");
		if (!p->journal)
			return diag_set(d, -errno, "--journal %s: %s",
					o->journal, strerror(errno));
	}
	if (loop_new(FDS_MAX, TIMERS_MAX, &p->loop) < 0 || timers_open(p) < 0)
		return diag_set(d, -ENOMEM, "no memory for the loop");
	rc = signals_open(p, d);
	command_init(&p->control, commands,
		     sizeof(commands) / sizeof(commands[0]), command_do, p);
	/* A plain file or /dev/null cannot be polled: no commands then. */
	if (rc == 0)
		(void)loop_fd_set(p->loop, STDIN_FILENO, EPOLLIN, stdin_come,
				  p);
	return rc;
}

static void player_close(struct player *p)
{
	if (p->journal)
		(void)fclose(p->journal);	/* each line was flushed */
	loop_free(p->loop);
	if (p->signal_fd >= 0)
		(void)close(p->signal_fd);
	box_close(&p->box);
}

int player_run(const struct player_options *o, struct diag *d)
{
	struct player p = { .options = o, .signal_fd = -1, .diag = d };
	int rc = player_open(&p, d);

	if (rc == 0)
		rc = loop_run(p.loop);
	if (rc == 0)
		rc = p.result;
	if (p.loop) {
		int saved = stats_save(o->totals, &p.box, d);

		rc = rc < 0 ? rc : saved;
		stats_cost(&p.box);
	}
	player_close(&p);
	return rc;
}
