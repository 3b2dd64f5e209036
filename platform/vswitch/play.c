#include "platform/vswitch/play.h"

#include "platform/vswitch/root.h"
#include "platform/vswitch/rows.h"

unsigned play_outs(struct play *p, struct out *ret[PLAY_OUTS_MAX])
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->box.asic_count; i++)
		ret[n++] = &p->box.asic[i].out;
	if (p->box.asic_count > 1)
		ret[n++] = p->box.host;
	return n;
}

/* xcvrd reads one module after the other, one round per interval. */
bool play_modules(struct play *p, int64_t slice_ns)
{
	int64_t now_ns = p->box.now.ns;
	int64_t gone_ns = now_ns - p->round_ns + slice_ns;
	double part = (double)gone_ns / (double)p->cadences.modules_ns;
	size_t count = p->box.port_count, until = count;

	if (part < 1)
		until = (size_t)(part * (double)count);
	for (; p->next_module < until; p->next_module++)
		xcvrd_read(&p->box, p->next_module);
	if (part < 1)
		return false;
	p->next_module = 0;
	/* Rounds keep their schedule, unless one was missed. */
	p->round_ns += p->cadences.modules_ns;
	if (now_ns - p->round_ns > p->cadences.modules_ns)
		p->round_ns = now_ns;
	return true;
}

/* The time of the counters: the last step of the physics, unless syncd reads
 * more often than there are steps.
 */
static int64_t counted_ns(const struct play *p, enum cadence which)
{
	const struct box *b = &p->box;
	int64_t period_ns = cadence_ns(&p->cadences, which);
	int64_t step_ns = (int64_t)((double)plant_now_ns(b->plant) / b->speed);

	if ((double)period_ns * b->speed < (double)plant_tick_ns(b->plant))
		return b->now.ns;
	return b->start.ns + step_ns;
}

static void stamp(struct play *p, enum cadence which)
{
	groups_stamp(&p->box, which, counted_ns(p, which));
}

static void counters_play(struct play *p)
{
	struct box *b = &p->box;

	stats_ports(b);
	watchdog_play(b);
	rates_ports(b, p->cadences.counters_ns);
	stamp(p, CADENCE_COUNTERS);
	p->totals.plays++;
}

void play_counters(struct play *p)
{
	links_changes(&p->box);
	xcvrd_presence(&p->box);
	xcvrd_watch(&p->box);
	counters_play(p);
}

void play_queues(struct play *p)
{
	stats_queues(&p->box);
	if (p->box.has_voqs)
		stats_voqs(&p->box);
	links_phy(&p->box);
	stamp(p, CADENCE_QUEUES);
}

void play_peaks(struct play *p)
{
	stats_watermarks(&p->box);
	stats_port_drops(&p->box);
	stamp(p, CADENCE_WATERMARKS);
}

void play_chassis(struct play *p)
{
	pmon_play(&p->box);
}

void play_heat(struct play *p)
{
	xcvrd_heat(&p->box);
}

void play_scripts(struct play *p)
{
	rates_losses(&p->box);
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
	box_look(&p->box);
	play_maps(p);
	counters_play(p);
	play_queues(p);
	play_peaks(p);
	rates_losses(&p->box);
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
	struct box *b = &p->box;

	box_look(b);
	b->started_s = b->host->now_s;
	play_flush_volatile(p);
	config_db_write(b);
	watchdog_restart(b);
	groups_settings(b, &p->cadences);
	links_all(b);
	xcvrd_forget(b);
	xcvrd_presence(b);
	root_reboot_row(b);
	pmon_start(b);
	pmon_play(b);
	play_counters_db(p);
	p->next_module = 0;
	p->round_ns = b->now.ns;
}

void play_port_stop(struct play *p, struct box_port *port)
{
	port->stopped = true;
	groups_forget(port);
	stats_forget(port);
	links_forget(&p->box, port);
	config_db_forget(port);
	xcvrd_delete(port);
	port->serial[0] = '\0';
}

void play_port_start(struct play *p, struct box_port *port)
{
	port->stopped = false;
	box_renumber_port(&p->box, port);
	config_db_write(&p->box);
	links_all(&p->box);
	groups_maps(&p->box);
}
