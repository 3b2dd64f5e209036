/* link_down: the link is down and configuration wants it up; and the one
 * cause that the sources show.
 *
 * Said at once as "watch"; "warn" when it does not come back. A module that
 * is being swapped, and a switch that is starting or reloading, get more time:
 * there a link that is down for a while is work, not a fault. A port that was
 * never up and has neither module nor peer is not in use, and no finding.
 */
#include "agent/signature/detector.h"

#include <stdio.h>
#include <string.h>

#include "agent/signature/kept.h"

#define NEVER_UP "; not seen up so far"
#define GRACE_NS (10 * NS_PER_S)
#define TRAINING_NS (30 * NS_PER_S)	/* two attempts or three: chosen */
#define ASIDE_NS (600 * NS_PER_S)	/* told by another finding */
#define WORK_NS (1800 * NS_PER_S)	/* a swap or a restart here */
/* Where somebody may be working at the far end: a switch restarts in minutes, a
 * server in a quarter of an hour, or in most of an hour with new firmware.
 * After that somebody should look. If nothing comes from the far end, it may be
 * switched off: servers are repaired far more often than links, and that takes
 * a shift. Then the next shift should look. But ports that fall together are
 * rather down for what they share here, and a switch with other links up is not
 * off.
 */
#define STAYS_NS (900 * NS_PER_S)	/* of nearly all restarts */
#define RESTART_NS (3600 * NS_PER_S)
#define AWAY_NS (43200 * NS_PER_S)
#define RACK_NS (14400 * NS_PER_S)	/* for what took many links down */
#define TOGETHER_LEAST 4u	/* links: practically never by chance */
#define SWAP_RECENT_NS (600 * NS_PER_S)
#define LOW_DB 3.0f			/* less light than usual, but light */
#define DEAD_PW 1000000			/* -30 dBm: a laser is dead, or off … */
#define SENDS_PW 100000000		/* … while another sends -10 or more */

enum shown {
	SHOWN_NO_MODULE, SHOWN_TX_FAULT, SHOWN_TX_DEAD, SHOWN_TX_DARK,
	SHOWN_TX_OFF,
	SHOWN_RX_PART, SHOWN_RX_DARK, SHOWN_RX_LOW, SHOWN_REASON, SHOWN_RX_FINE,
	SHOWN_RX_LIT, SHOWN_NOTHING,
};

struct link_down {
	enum severity severity;
	struct mono since;	/* it is down, and wanted up */
	bool restart;		/* of the peer: it would look the same … */
	bool off;		/* … and so would a peer that is off */
	bool shares;		/* ports fell that share its component */
	bool work;		/* seen as a swap or a restart */
	uint16_t together;	/* links that fell with it, and itself */
	bool was_up;		/* ever, also before a restart of the agent */
	bool aside;		/* likely no fault of this link, and not down
				 * for longer than that takes; an empty cage is
				 * told in any case */
	uint16_t peer_ports;	/* links to its peer that fell with it */
	bool trains;		/* it is being trained */
};

/* There is nothing to reseat; somebody may be about to insert another. */
#define NO_MODULE "no module in the cage", END_NEAR, ACTION_REPLACE_NEAR, \
		  CAUSE_NO_MODULE

/* For each reason that the switch gives. */
static const struct down_cause reasons[DOWN_REASON_COUNT] = {
	[DOWN_NO_MODULE] = { NO_MODULE },
	[DOWN_RX_LOS] = { "no light from the far end", END_PATH,
			  ACTION_CHECK_PEER, CAUSE_NO_LIGHT },
	[DOWN_TX_FAULT] = { "the transmitter of this module reports a fault",
			    END_NEAR, ACTION_REPLACE_NEAR, CAUSE_TX_FAULT },
	[DOWN_TX_DISABLED] = { "the transmitter is switched off at this end",
			       END_NEAR, ACTION_FIX_CONFIG, CAUSE_TX_DISABLED },
	[DOWN_NO_CARRIER] = { "no carrier", END_PATH, ACTION_CHECK_PEER,
			      CAUSE_NO_CARRIER },
	[DOWN_TRAINING] = { "link training does not finish", END_PATH,
			    ACTION_REPLACE_CABLE, CAUSE_TRAINING },
	[DOWN_MODULE_STATE] = { "the module does not start: its state machine "
				"failed", END_NEAR, ACTION_RESEAT_NEAR,
				CAUSE_MODULE_STATE_FAILED },
	[DOWN_FEC_MISMATCH] = { "the two ends use different FEC", END_PATH,
				ACTION_FIX_CONFIG, CAUSE_FEC_MISMATCH },
	[DOWN_SPEED_MISMATCH] = { "the two ends use different speeds", END_PATH,
				  ACTION_FIX_CONFIG, CAUSE_SPEED_MISMATCH },
	[DOWN_MAC_LOCAL_FAULT] = { "local fault: nothing usable is received",
				   END_PATH, ACTION_CHECK_PEER,
				   CAUSE_LOCAL_FAULT },
	[DOWN_MAC_REMOTE_FAULT] = { "remote fault: the peer does not receive "
				    "this port", END_PATH, ACTION_CHECK_PEER,
				    CAUSE_REMOTE_FAULT },
	[DOWN_FEC_SYNC_LOSS] = { "FEC lost codeword lock", END_PATH,
				 ACTION_CHECK_PEER, CAUSE_FEC_SYNC_LOST },
	[DOWN_FEC_ALIGNMENT_LOSS] = { "FEC lanes are not aligned", END_PATH,
				      ACTION_CHECK_PEER,
				      CAUSE_FEC_NOT_ALIGNED },
	[DOWN_HIGH_SER] = { "too many symbol errors", END_PATH,
			    ACTION_CLEAN_NEAR, CAUSE_SYMBOL_ERRORS },
	[DOWN_HIGH_BER] = { "too many bit errors", END_PATH,
			    ACTION_CLEAN_NEAR, CAUSE_BIT_ERRORS },
	[DOWN_CRC_RATE] = { "too many frames with a wrong checksum", END_PATH,
			    ACTION_CLEAN_NEAR, CAUSE_FRAME_CHECKSUMS },
	[DOWN_DATA_UNIT_CRC] = { "cells with wrong checksums", END_PATH,
				 ACTION_CHECK_PEER, CAUSE_CELL_CHECKSUMS },
	[DOWN_DATA_UNIT_SIZE] = { "cells of a wrong size", END_PATH,
				  ACTION_CHECK_PEER, CAUSE_CELL_SIZE },
	[DOWN_DATA_UNIT_MISALIGNMENT] = { "cells out of step", END_PATH,
					  ACTION_CHECK_PEER,
					  CAUSE_CELLS_OUT_OF_STEP },
	[DOWN_CODE_GROUP] = { "invalid code groups", END_PATH,
			      ACTION_CHECK_PEER, CAUSE_CODE_GROUPS },
	[DOWN_SIGNAL_LOCAL] = { "no usable signal at this end", END_PATH,
				ACTION_CHECK_PEER, CAUSE_NO_SIGNAL },
	[DOWN_NO_RX_REACHABILITY] = { "the far end is not reachable", END_FAR,
				      ACTION_CHECK_PEER,
				      CAUSE_FAR_END_UNREACHABLE },
};

static const struct down_cause shown_causes[] = {
	[SHOWN_NO_MODULE] = { NO_MODULE },
	[SHOWN_TX_FAULT] = { "the transmitter of this module reports a fault",
			     END_NEAR, ACTION_REPLACE_NEAR, CAUSE_TX_FAULT },
	[SHOWN_TX_DEAD] = { "a laser of this module sends nothing, others do",
			    END_NEAR, ACTION_REPLACE_NEAR, CAUSE_TX_FAULT },
	[SHOWN_TX_DARK] = { "this module sends no light any more, though its "
			    "laser gets current", END_NEAR, ACTION_REPLACE_NEAR,
			    CAUSE_TX_FAULT },
	[SHOWN_TX_OFF] = { "the transmitter is switched off at this end",
			   END_NEAR, ACTION_FIX_CONFIG, CAUSE_TX_DISABLED },
	/* A peer that restarts or is off darkens all. */
	[SHOWN_RX_PART] = { "no light on some lanes from the far end", END_PATH,
			    ACTION_CLEAN_NEAR, CAUSE_NO_LIGHT },
	[SHOWN_RX_DARK] = { "no light from the far end", END_PATH,
			    ACTION_CHECK_PEER, CAUSE_NO_LIGHT },
	[SHOWN_RX_LOW] = { "less light than usual from the far end", END_PATH,
			   ACTION_CLEAN_NEAR, CAUSE_LOW_LIGHT },
	[SHOWN_RX_FINE] = { "light from the far end is as usual: check the "
			    "peer, its configuration or training", END_FAR,
			    ACTION_CHECK_PEER, CAUSE_LIGHT_AS_USUAL },
	[SHOWN_RX_LIT] = { "light comes from the far end: check the peer, its "
			   "configuration or training", END_FAR,
			   ACTION_CHECK_PEER, CAUSE_LIGHT_AS_USUAL },
	[SHOWN_NOTHING] = { "no source shows why", END_PATH,
			    ACTION_CHECK_PEER, CAUSE_NOT_SHOWN },
};

/* The module was read since the link fell, and its readings can be trusted:
 * older light is from before.
 */
static bool optics_are_new(const struct port_view *v)
{
	return v->front->dom_t.ns >= v->front->down_since.ns &&
	       !v->cadence->unsound;
}

static unsigned lanes_flagged(const struct inputs *k, enum input f)
{
	unsigned lanes = 0;

	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		if (inputs_has(k, f + i) && k->value[f + i])
			lanes |= 1u << i;
	return lanes;
}

static unsigned lanes_low(const struct port_view *v)
{
	const struct port_thresholds *limits = &v->facts->thresholds;
	bool has_limits = port_has_light_limits(limits);
	unsigned lanes = 0;

	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		int64_t pw = v->tick->value[INPUT_RX_PW + i];
		double dbm;

		if (!(inputs_has(v->tick, INPUT_RX_PW + i)))
			continue;
		dbm = light_dbm(pw);
		if (v->light->lane[i].usual_dbm - dbm > (double)LOW_DB ||
		    (has_limits && pw < limits->rx_pw[LOW_ALARM]))
			lanes |= 1u << i;
	}
	return lanes;
}

static enum down_reason reason_of(const struct inputs *k)
{
	enum down_reason reason = inputs_down_reason(k);

	return reasons[reason].words ? reason : DOWN_UNKNOWN;
}

/* Lanes that send nothing while others send; or all of a module that has sent
 * before, with a current that those that are switched off do not get.
 */
static unsigned lanes_dead(const struct port_view *v, bool *ret_all)
{
	const struct inputs *k = v->tick;
	unsigned dead = 0, send = 0;

	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		int64_t pw = k->value[INPUT_TX_PW + i];

		if (!inputs_has(k, INPUT_TX_PW + i))
			continue;
		dead |= (pw < DEAD_PW ? 1u : 0) << i;
		send |= (pw > SENDS_PW ? 1u : 0) << i;
	}
	*ret_all = dead && dead == inputs_lanes(k, INPUT_TX_PW);
	return send || (*ret_all && v->front->has_sent &&
			lanes_flagged(k, INPUT_BIAS_UA)) ? dead : 0;
}

/* A module that has reported a current before reports none on any lane. */
static bool laser_is_off(const struct port_view *v)
{
	unsigned read = inputs_lanes(v->tick, INPUT_BIAS_UA);

	return v->front->has_bias && read &&
	       !(read & lanes_flagged(v->tick, INPUT_BIAS_UA));
}

static enum shown light_shows(const struct port_view *v)
{
	if (!inputs_lanes(v->tick, INPUT_RX_PW))
		return SHOWN_NOTHING;
	return v->front->was_up ? SHOWN_RX_FINE : SHOWN_RX_LIT;
}

/* What the optics show; what explains most comes first. */
static enum shown optics_show(const struct port_view *v, unsigned *ret_lanes)
{
	unsigned lit = inputs_lanes(v->tick, INPUT_RX_PW);
	bool all;

	*ret_lanes = lanes_flagged(v->tick, INPUT_TX_FAULT);
	if (*ret_lanes)
		return SHOWN_TX_FAULT;
	*ret_lanes = lanes_dead(v, &all);
	if (*ret_lanes)
		return all ? SHOWN_TX_DARK : SHOWN_TX_DEAD;
	if (laser_is_off(v))
		return SHOWN_TX_OFF;
	*ret_lanes = lanes_flagged(v->tick, INPUT_RX_LOS) |
		     front_lanes_dark(v->facts, v->tick);
	if (*ret_lanes)
		return lit & ~*ret_lanes ? SHOWN_RX_PART : SHOWN_RX_DARK;
	*ret_lanes = lanes_low(v);
	return *ret_lanes ? SHOWN_RX_LOW : light_shows(v);
}

static enum shown what_shows(const struct port_view *v, unsigned *ret_lanes)
{
	enum shown shown = SHOWN_NOTHING;

	*ret_lanes = 0;
	if (v->front->module_absent)
		return SHOWN_NO_MODULE;
	if (optics_are_new(v))
		shown = optics_show(v, ret_lanes);
	if (shown == SHOWN_TX_FAULT)
		return shown;
	/* A module that does not start has its laser off, and may not read. */
	if (reason_of(v->tick) == DOWN_MODULE_STATE)
		return SHOWN_REASON;
	if (shown < SHOWN_REASON)
		return shown;
	return reason_of(v->tick) != DOWN_UNKNOWN ? SHOWN_REASON : shown;
}

static bool is_in_use(const struct link_down *l, const struct port_view *v)
{
	bool module = v->front->serial[0] ||
		      (inputs_has(v->tick, INPUT_PRESENT) &&
		       v->tick->value[INPUT_PRESENT]);

	return l->was_up || module || v->facts->peer_switch[0];
}

static bool is_work(const struct port_view *v)
{
	const struct front *f = v->front;
	int64_t swap = f->absent_at.ns > f->changed_at.ns ? f->absent_at.ns
							  : f->changed_at.ns;

	return f->module_absent || v->site->context ||
	       f->t.ns < v->site->shaken_until.ns ||
	       (swap != INT64_MIN && f->t.ns - swap < SWAP_RECENT_NS);
}

static bool is_of_laser(enum shown shown)
{
	return shown == SHOWN_TX_FAULT || shown == SHOWN_TX_DEAD ||
	       shown == SHOWN_TX_DARK;
}

bool link_down_is_of_laser(const struct port_view *v)
{
	const struct front *f = v->front;
	unsigned lanes;

	return (f->link == LINK_IS_DOWN || f->dom_t.ns < f->turned_at.ns) &&
	       optics_are_new(v) && is_of_laser(optics_show(v, &lanes));
}

/* This end does not send, or the peer does not receive it. Until somebody who
 * works here is done, that may be his work.
 */
bool link_down_is_apart(const struct port_view *v)
{
	enum down_reason reason = reason_of(v->tick);
	unsigned lanes;
	enum shown shown = what_shows(v, &lanes);

	if (shown == SHOWN_NO_MODULE || is_work(v))
		return false;
	if (shown == SHOWN_REASON && reason == DOWN_MAC_REMOTE_FAULT)
		return v->ber->code && v->ber->lost_codewords <= 0 &&
		       v->ber->log_ber < v->ber->code->safe_log_ber;
	return is_of_laser(shown) || shown == SHOWN_TX_OFF ||
	       (shown == SHOWN_REASON && (reasons[reason].end == END_NEAR ||
		reasons[reason].action == ACTION_FIX_CONFIG));
}

static bool many_fell(const struct link_down *l)
{
	return l->together >= TOGETHER_LEAST;
}

/* It is likely down for a reason outside of this link. */
static bool is_elsewhere(const struct link_down *l)
{
	return l->work || l->peer_ports || many_fell(l);
}

/* All links to its peer fell, and fewer to others: many that fell to more than
 * one switch at once have something here in common, or a rack.
 */
static bool is_of_peer(const struct link_down *l)
{
	return l->peer_ports &&
	       !(many_fell(l) && l->together >= 2 * l->peer_ports);
}

static bool link_is_aside(const void *mine)
{
	const struct link_down *l = mine;

	return l->aside;
}

/* A restart elsewhere would look the same: did others fall too? */
static enum company link_company(const void *mine)
{
	const struct link_down *l = mine;

	if (!l->restart)
		return COMPANY_NONE;
	if (many_fell(l))
		return COMPANY_MANY;
	return l->peer_ports ? COMPANY_PEER : COMPANY_PERHAPS;
}

static const struct down_cause peer_cause = {
	"the switch at the other end is down or restarting", END_FAR,
	ACTION_CHECK_PEER, CAUSE_PEER_DOWN
};

/* Loss of signal on copper. */
static const struct down_cause copper_cause = {
	"no signal from the far end", END_PATH, ACTION_CHECK_PEER,
	CAUSE_NO_SIGNAL
};

/* The peer is there, and its light too. */
static const struct down_cause lone_cause = {
	"light comes from the far end, but the link does not lock: compare FEC "
	"and speed of both ends", END_FAR, ACTION_CHECK_PEER,
	CAUSE_LIGHT_AS_USUAL
};

const struct down_cause *link_down_cause(const struct port_facts *facts,
					 enum down_reason reason)
{
	if (reason == DOWN_RX_LOS && port_is_copper(facts))
		return &copper_cause;
	return reasons[reason].words ? &reasons[reason] : NULL;
}

static bool is_lost_signal(enum shown shown, enum down_reason reason)
{
	return shown == SHOWN_RX_DARK ||
	       (shown == SHOWN_REASON && reason == DOWN_RX_LOS);
}

static const struct down_cause *cause_of(const struct link_down *l,
					 const struct port_view *v,
					 enum shown shown)
{
	enum down_reason reason = reason_of(v->tick);

	if (is_of_peer(l) && shown != SHOWN_NO_MODULE)
		return &peer_cause;
	if (port_is_copper(v->facts) &&
	    is_lost_signal(shown, reason))
		return &copper_cause;
	if (v->peer_stays && (shown == SHOWN_RX_FINE || shown == SHOWN_RX_LIT))
		return &lone_cause;
	return shown == SHOWN_REASON ? &reasons[reason] : &shown_causes[shown];
}

/* Would a restart look the same? Of the peer, or of this module, whose laser is
 * off until it is ready.
 */
static bool may_be_restart(const struct link_down *l,
			   const struct port_view *v)
{
	unsigned lanes;
	enum shown shown = what_shows(v, &lanes);

	return shown == SHOWN_TX_OFF ||
	       cause_of(l, v, shown)->action == ACTION_CHECK_PEER;
}

/* Nothing shows that the peer has power: no light, and it tells nothing. */
static bool may_be_off(const struct link_down *l, const struct port_view *v)
{
	return !l->shares && v->front->far_light != FAR_LIGHT_THERE &&
	       reason_of(v->tick) != DOWN_MAC_REMOTE_FAULT;
}

/* How long it may be down before somebody should look. At one fall a link and
 * year, two of 64 fall together once in thirty years: even two get more time.
 * alone: another link to its peer is up. Then the peer did not restart, but
 * somebody may be at work on this link, or have shut that port of a host.
 */
static int64_t grace_ns(const struct link_down *l, const struct port_view *v,
			bool alone)
{
	if (l->off && (alone || l->restart))
		return alone && port_is_of_fabric(v->facts) ? RACK_NS : AWAY_NS;
	if (l->peer_ports || many_fell(l))
		return RACK_NS;
	if (alone || l->restart)
		return l->together ? RACK_NS : RESTART_NS;
	if (l->work)
		return WORK_NS;
	return l->trains ? TRAINING_NS : GRACE_NS;
}

static enum severity link_judge(void *mine, const struct port_view *v)
{
	struct link_down *l = mine;
	const struct front *f = v->front;
	int64_t down_ns;
	bool may, alone;

	l->was_up |= f->was_up;
	if (f->admin_down)
		l->since = f->t;	/* not wanted up until now */
	if (f->link != LINK_IS_DOWN || f->admin_down || !is_in_use(l, v)) {
		l->severity = SEVERITY_NONE;
		l->work = l->aside = l->shares = false;
		l->peer_ports = l->together = 0;
		return SEVERITY_NONE;
	}
	if (f->down_since.ns > l->since.ns)
		l->since = f->down_since;
	down_ns = mono_diff_ns(f->t, l->since);
	l->work |= is_work(v);
	if (v->peer_stays)
		l->peer_ports = 0;	/* it is back, all but this link */
	if (v->peer_ports > l->peer_ports)
		l->peer_ports = (uint16_t)v->peer_ports;
	if (v->fell_together > l->together)
		l->together = (uint16_t)v->fell_together;
	l->shares |= v->shares_fell;
	if (v->peer_stays && v->fell_known && down_ns >= STAYS_NS &&
	    2 * v->fell_together < l->together) {
		l->together = 0;	/* most came back without it */
		l->shares = false;
	}
	may = may_be_restart(l, v);
	alone = may && v->peer_stays && !many_fell(l) && !laser_is_off(v);
	l->restart = may && !alone;
	l->off = may_be_off(l, v);
	l->trains = reason_of(v->tick) == DOWN_TRAINING;
	l->severity = SEVERITY_WATCH;
	if (l->was_up && down_ns >= grace_ns(l, v, alone))
		l->severity = SEVERITY_WARN;
	l->aside = l->severity == SEVERITY_WATCH && !f->module_absent &&
		   (is_elsewhere(l) || (may && down_ns < ASIDE_NS));
	return l->severity;
}

static bool is_empty(const struct port_view *v)
{
	return v->front->module_absent || reason_of(v->tick) == DOWN_NO_MODULE;
}

/* Names the others that fell with it. */
static void together_tell(const struct link_down *l, bool is_peer,
			  unsigned cage_ports, char *ret, size_t cap)
{
	ret[0] = '\0';
	if (is_peer)
		(void)snprintf(ret, cap, ": all %u links to it fell at once",
			       l->peer_ports);
	else if (many_fell(l))
		(void)snprintf(ret, cap, "; %u links fell at once",
			       l->together);
	else if (cage_ports > 1)
		(void)snprintf(ret, cap, "; %u ports of the cage fell together",
			       cage_ports);
}

/* How sure it is a fault, and this cause. Published failures are one link in a
 * hundred a year (Alibaba HPN: 0.057 % a month), while each server and switch
 * restarts a few times a year. A fault that this end shows is no restart.
 */
static float sure_of(const struct link_down *l, enum shown shown)
{
	if (l->severity == SEVERITY_WARN)
		return shown == SHOWN_NOTHING ? 0.6f : 0.9f;
	if (is_elsewhere(l))
		return 0.02f;
	return l->restart ? 0.05f : 0.2f;
}

/* For how long, once that says something: few steps, as each is an update. */
static const char *long_words(const struct down_cause *c, int64_t down_ns)
{
	static const struct {
		int64_t least_ns;
		const char *words;
	} rows[] = {
		{ AWAY_NS, "; down for over 12 hours" },
		{ RESTART_NS, "; down for over an hour" },
		{ STAYS_NS, "; down for over 15 minutes" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (c->action == ACTION_CHECK_PEER &&
		    down_ns >= rows[i].least_ns)
			return rows[i].words;
	return "";
}

/* Another explanation, while it is likely; or what excludes it. */
static const char *perhaps_words(const struct link_down *l,
				 const struct port_view *v,
				 const struct down_cause *c, int64_t down_ns)
{
	bool is_watch = l->severity == SEVERITY_WATCH;

	if (l->work && is_watch)
		return c != &peer_cause ? "; during a swap or restart" : "";
	if (is_elsewhere(l) || !l->was_up || c->action != ACTION_CHECK_PEER)
		return "";
	if (v->peer_stays)
		return c->id == CAUSE_NO_LIGHT || c->id == CAUSE_NO_SIGNAL ?
		       "; another link to that peer is up: its port is shut, "
		       "the cable pulled or its module dead" :
		       "; another link to that peer is up";
	if (!is_watch)
		return "";
	if (down_ns < STAYS_NS)
		return "; perhaps a restart there";
	return l->off && down_ns >= RESTART_NS ?
	       "; the peer may be switched off" : "";
}

static void link_describe(const void *mine, const struct port_view *v,
			  struct finding *f)
{
	const struct link_down *l = mine;
	unsigned lanes;
	enum shown shown = what_shows(v, &lanes);
	enum down_reason reason = reason_of(v->tick);
	char ports[64] = "";
	const struct down_cause *c = cause_of(l, v, shown);
	int64_t down_ns = mono_diff_ns(v->front->t, l->since);

	f->end = c->end;
	f->action = is_empty(v) && l->severity == SEVERITY_WATCH ?
		    ACTION_OBSERVE : c->action;
	f->cause_id = c->id;
	f->drain = DRAIN_NONE;	/* nothing flows there */
	f->lanes = (uint8_t)lanes;
	f->confidence = sure_of(l, shown);
	f->onset = l->since;
	together_tell(l, c == &peer_cause, v->cage_ports, ports,
		      sizeof(ports));
	(void)snprintf(f->cause, sizeof(f->cause), "%s%s%s%s%s", c->words,
		       ports, long_words(c, down_ns),
		       perhaps_words(l, v, c, down_ns),
		       l->was_up ? "" : NEVER_UP);
	evidence_add(f, "down_s", (double)down_ns / 1e9);
	if (reason != DOWN_UNKNOWN)
		evidence_add(f, "down_reason", reason);
	if (v->cage_ports > 1)
		evidence_add(f, "cage_ports", v->cage_ports);
	if (l->peer_ports)
		evidence_add(f, "peer_ports", l->peer_ports);
	if (many_fell(l))
		evidence_add(f, "links_together", l->together);
	evidence_add(f, "flaps_24h", front_drops_24h(v->front));
}

/* It is up, or admin down. */
static void link_held(struct finding *f)
{
	char *never = strstr(f->cause, NEVER_UP);

	if (never)
		*never = '\0';
}

/* Without NEVER_UP in the finding, the earlier run has seen the link up. */
static void link_restore(void *mine, struct ber *ber, const struct finding *f)
{
	struct link_down *l = mine;

	(void)ber;
	l->was_up = strstr(f->cause, NEVER_UP) == NULL;
}

static const struct need_row link_needs[] = {
	{ NEED_LINK, true, "the link's state is not read",
	  "operational state of the port" },
	{ NEED_DOWN_CAUSE, false, "no source says why a link is down: only "
	  "light and module are checked",
	  "a driver that gives the reason, or loss-of-signal flags" },
};

static const struct kept_field link_down_fields[] = {
	KEEP_TO(struct link_down, severity, SEVERITY_COUNT - 1),
	KEEP(struct link_down, since),
	KEEP(struct link_down, restart),
	KEEP(struct link_down, off),
	KEEP(struct link_down, shares),
	KEEP(struct link_down, work),
	KEEP(struct link_down, together),
	KEEP(struct link_down, was_up),
	KEEP(struct link_down, aside),
	KEEP(struct link_down, peer_ports),
	KEEP(struct link_down, trains),
};

static const struct kept link_down_kept =
	KEPT_TABLE(struct link_down, "link_down", link_down_fields);

const struct detector link_down_detector = {
	.signature = SIGNATURE_LINK_DOWN,
	.state_size = sizeof(struct link_down),
	.kept = &link_down_kept,
	.hold_ns = 30 * NS_PER_S,
	.of_link = true,
	.of_falls = true,
	.wakes = WAKE_LINK,
	.needs = link_needs,
	.need_count = sizeof(link_needs) / sizeof(link_needs[0]),
	.judge = link_judge,
	.describe = link_describe,
	.is_aside = link_is_aside,
	.company = link_company,
	.held = link_held,
	.restore = link_restore,
};
