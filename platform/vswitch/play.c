#include "platform/vswitch/play.h"

#include "platform/vswitch/chassis.h"
#include "platform/vswitch/links.h"
#include "platform/vswitch/modules.h"
#include "platform/vswitch/rates.h"
#include "platform/vswitch/root.h"
#include "platform/vswitch/settings.h"
#include "platform/vswitch/watchdog.h"

unsigned play_outs(struct play *p, struct out *ret[PLAY_OUTS_MAX])
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->box.asic_count; i++)
		ret[n++] = &p->box.asic[i].out;
	if (p->box.asic_count > 1)
		ret[n++] = p->box.host;
	return n;
}

/* xcvrd goes from module to module, and is round once an interval. */
bool play_modules(struct play *p, struct moment_of_play now, int64_t slice_ns)
{
	int64_t gone_ns = now.mono.ns - p->round_ns + slice_ns;
	double part = (double)gone_ns / (double)p->cadences.modules_ns;
	size_t count = p->box.port_count, until = count;

	if (part < 1)
		until = (size_t)(part * (double)count);
	for (; p->next_module < until; p->next_module++)
		modules_read(&p->box, p->next_module, now.unix_s);
	if (part < 1)
		return false;
	p->next_module = 0;
	/* Rounds keep their times, unless one was missed. */
	p->round_ns += p->cadences.modules_ns;
	if (now.mono.ns - p->round_ns > p->cadences.modules_ns)
		p->round_ns = now.mono.ns;
	return true;
}

/* When the counters were so: at the physics' last step, unless syncd reads more
 * often than there are steps.
 */
static int64_t counted_ns(const struct play *p, enum cadence which,
			  struct moment_of_play now)
{
	const struct box *b = &p->box;
	int64_t period_ns = cadence_ns(&p->cadences, which);
	int64_t step_ns = (int64_t)((double)plant_now_ns(b->plant) / b->speed);

	if ((double)period_ns * b->speed < (double)plant_tick_ns(b->plant))
		return now.mono.ns;
	return b->start.ns + step_ns;
}

static void stamp(struct play *p, enum cadence which,
		  struct moment_of_play now)
{
	groups_stamp(&p->box, which, counted_ns(p, which, now));
}

static void counters_play(struct play *p, struct moment_of_play now)
{
	struct box *b = &p->box;

	stats_ports(b);
	watchdog_play(b);
	rates_ports(b, p->cadences.counters_ns);
	stamp(p, CADENCE_COUNTERS, now);
	p->totals.plays++;
}

void play_counters(struct play *p, struct moment_of_play now)
{
	links_changes(&p->box, now.unix_s);
	modules_presence(&p->box, now.unix_s);
	modules_watch(&p->box);
	counters_play(p, now);
}

void play_queues(struct play *p, struct moment_of_play now)
{
	stats_queues(&p->box);
	if (p->box.has_voqs)
		stats_voqs(&p->box);
	links_phy(&p->box, now.unix_s);
	stamp(p, CADENCE_QUEUES, now);
}

void play_peaks(struct play *p, struct moment_of_play now)
{
	stats_watermarks(&p->box);
	stats_port_drops(&p->box);
	stamp(p, CADENCE_WATERMARKS, now);
}

void play_chassis(struct play *p, struct moment_of_play now)
{
	chassis_play(&p->box, now.unix_s);
}

void play_heat(struct play *p, struct moment_of_play now)
{
	modules_heat(&p->box, now.unix_s);
}

void play_scripts(struct play *p, struct moment_of_play now)
{
	rates_losses(&p->box, now.unix_s);
	stats_period_end(&p->box);
}

void play_maps(struct play *p)
{
	rates_settings(&p->box);
	groups_maps(&p->box);
	if (p->box.has_voqs)
		stats_voq_maps(&p->box);
}

void play_counters_db(struct play *p)
{
	struct moment_of_play now = box_moment();

	box_advance(&p->box, now.mono);
	play_maps(p);
	counters_play(p, now);
	play_queues(p, now);
	play_peaks(p, now);
	rates_losses(&p->box, now.unix_s);
}

void play_flush(struct play *p, enum out_db db)
{
	struct out *outs[PLAY_OUTS_MAX];
	unsigned count = play_outs(p, outs);

	for (unsigned i = 0; i < count; i++)
		out_command(outs[i], db, (const char *const[]){
			"FLUSHDB", NULL });
}

void play_flush_volatile(struct play *p)
{
	static const enum out_db dbs[] = { APPL_DB, COUNTERS_DB,
					   FLEX_COUNTER_DB, STATE_DB };

	for (size_t i = 0; i < sizeof(dbs) / sizeof(dbs[0]); i++)
		play_flush(p, dbs[i]);
}

void play_all(struct play *p)
{
	struct moment_of_play now = box_moment();
	struct box *b = &p->box;

	box_advance(b, now.mono);
	p->started_s = now.unix_s;
	play_flush_volatile(p);
	settings_write(b, now.unix_s);
	watchdog_restart(b);
	groups_settings(b, &p->cadences);
	links_all(b, now.unix_s);
	modules_forget(b);
	modules_presence(b, now.unix_s);
	root_reboot_row(b);
	chassis_start(b);
	chassis_play(b, now.unix_s);
	play_counters_db(p);
	p->next_module = 0;
	p->round_ns = now.mono.ns;
}

void play_port_stop(struct play *p, struct box_port *port)
{
	port->stopped = true;
	groups_forget(port);
	stats_forget(port);
	links_forget(&p->box, port);
	settings_forget(port);
	modules_delete(port);
	port->serial[0] = '\0';
}

void play_port_start(struct play *p, struct box_port *port)
{
	port->stopped = false;
	box_renumber_port(&p->box, port);
	settings_write(&p->box, p->started_s);
	links_all(&p->box, box_moment().unix_s);
	groups_maps(&p->box);
}
