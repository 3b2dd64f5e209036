/* The state of links: APPL_DB's PORT_TABLE, with STATE_DB's information on it,
 * and the cause if a link is down.
 */
#include "platform/sonic/meaning/tables.h"

#include <stdio.h>
#include <string.h>

#include "petrel/link.h"
#include "petrel/module.h"
#include "platform/sonic/config/switch_changes.h"
#include "platform/sonic/meaning/counters.h"
#include "platform/sonic/meaning/text.h"
#include "platform/sonic/switchdb/cages.h"
#include "platform/sonic/switchdb/namespace.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define ERROR_SLACK_S 5		/* a cause may be recorded before the fall */
#define CHANGE_NS (60 * NS_PER_S)	/* of a setting, and the fall by it */
#define PHY_FRESH_NS (30 * NS_PER_S)	/* of the chip's lanes */
#define FLAGS_FRESH_NS (150 * NS_PER_S)	/* of the module's flags */

enum state_text {
	STATE_TEXT_TRAINING,
	STATE_TEXT_FEC,
	STATE_TEXT_TX_READY,
	STATE_TEXT_SPEED,
	STATE_TEXT_REMOTE_SPEEDS,
};

static const struct field port_appl[] = {
	FIELD_ATTRIBUTE("alias", PORT_TEXT_ALIAS, ATTRIBUTE_ALIAS),
	FIELD_ATTRIBUTE("description", PORT_TEXT_DESCRIPTION,
			ATTRIBUTE_DESCRIPTION),
	FIELD_ATTRIBUTE("role", PORT_TEXT_ROLE, ATTRIBUTE_ROLE),
	FIELD_AS_TEXT("index", PORT_TEXT_INDEX),
	FIELD_AS_TEXT("subport", PORT_TEXT_SUBPORT),
	FIELD_AS_TEXT("lanes", PORT_TEXT_LANES),
	FIELD_AS_TEXT("speed", PORT_TEXT_SPEED),
	FIELD_AS_TEXT("mtu", PORT_TEXT_MTU),
	FIELD_AS_TEXT("fec", PORT_TEXT_FEC),
	FIELD_AS_TEXT("admin_status", PORT_TEXT_ADMIN),
	FIELD_AS_TEXT("oper_status", PORT_TEXT_OPER),
	{ "flap_count", Q_LINK_TRANSITIONS, 0, 0, FIELD_SCALED, 1 },
	FIELD_AS_TEXT("last_down_time", PORT_TEXT_LAST_DOWN),
	FIELD_AS_TEXT("autoneg", PORT_TEXT_AUTONEG),
	{ "link_training", Q_LINK_TRAINING_ASKED, 0, 0, FIELD_BOOL, 1 },
	{ "pfc_asym", Q_PFC_ASYMMETRIC, 0, 0, FIELD_BOOL, 1 },
	{ "system_oper_status", Q_GEARBOX_SYSTEM_OPER_STATUS, 0, 0, FIELD_WORD,
	  WORDS_LINK },
	{ "line_oper_status", Q_GEARBOX_LINE_OPER_STATUS, 0, 0, FIELD_WORD,
	  WORDS_LINK },
	FIELD_ATTRIBUTE("interface_type", PORT_TEXT_INTERFACE_TYPE,
			ATTRIBUTE_INTERFACE_TYPE),
	FIELD_AS_TEXT("core_id", PORT_TEXT_CORE),
};

static const struct field port_state[] = {
	FIELD_AS_TEXT("link_training_status", STATE_TEXT_TRAINING),
	FIELD_AS_TEXT("fec", STATE_TEXT_FEC),
	FIELD_AS_TEXT("host_tx_ready", STATE_TEXT_TX_READY),
	{ "netdev_oper_status", Q_NETDEV_OPER_STATUS, 0, 0, FIELD_WORD,
	  WORDS_LINK },
	FIELD_AS_TEXT("speed", STATE_TEXT_SPEED),
	FIELD_ATTRIBUTE("rmt_adv_speeds", STATE_TEXT_REMOTE_SPEEDS,
			ATTRIBUTE_REMOTE_SPEEDS),
};

/* The order is that of SAI's sai_port_error_status_t. */
#define CAUSES(of)							\
	of("mac_local_fault", 0), of("mac_remote_fault", 1),		\
	of("fec_sync_loss", 2), of("fec_alignment_loss", 3),		\
	of("high_ser_error", 4), of("high_ber_error", 5),		\
	of("crc_rate", 6), of("data_unit_crc_error", 7),		\
	of("data_unit_size", 8), of("data_unit_misalignment_error", 9),	\
	of("code_group_error", 10), of("signal_local_error", 11),	\
	of("no_rx_reachability", 12)
#define CAUSE_TIME(name, n) FIELD_AS_TEXT(name "_time", n)
#define CAUSE_COUNT(name, n)						\
	{ name "_count", Q_DOWN_CAUSE_COUNT, n, 0, FIELD_COUNTER, 1 }

static const struct field port_errors[] = { CAUSES(CAUSE_TIME) };

static const struct field port_causes[] = {
	{ "oper_error_status", Q_DOWN_CAUSE_BITS, 0, 0, FIELD_COUNTER, 1 },
	CAUSES(CAUSE_COUNT),
};

/* TRANSCEIVER_STATUS_SW has a row for each sub-port. */
static const struct field port_xcvr[] = {
	{ "cmis_state", Q_MODULE_XCVR_STATE, 0, 0, FIELD_WORD,
	  WORDS_XCVR_STATE },
	{ "error", Q_MODULE_XCVR_ERROR, 0, 0, FIELD_SENTENCE, 0 },
};

static int64_t number_of(const char *text)
{
	int64_t value;

	return text_number(text, strlen(text), 1, &value) == 0 ? value : -1;
}

static int64_t bool_of(const char *text)
{
	int64_t value;

	return text_bool(text, strlen(text), &value) == 0 ? value : -1;
}

static int64_t oper_of(const char *text)
{
	static const enum oper_status of[] = { OPER_DOWN, OPER_UP };
	int64_t up = bool_of(text);

	if (up >= 0)
		return of[up];
	return text[0] ? OPER_UNKNOWN : -1;
}

/* Can the text of a port's row be used? oper_status is "unknown" otherwise. */
static bool text_means(unsigned slot, const char *text)
{
	switch (slot) {
	case PORT_TEXT_INDEX:
	case PORT_TEXT_SUBPORT:
	case PORT_TEXT_LANES:
		return cages_place_means(slot, text);
	case PORT_TEXT_SPEED:
	case PORT_TEXT_MTU:
		return number_of(text) >= 0;
	case PORT_TEXT_ADMIN:
	case PORT_TEXT_AUTONEG:
		return bool_of(text) >= 0;
	case PORT_TEXT_FEC:
		return fec_mode_parse(text, 0, 0) >= 0;
	default:
		return true;
	}
}

/* Counts texts that mean nothing: what they would say is not known. */
static void texts_settle(struct row *row, const struct field_index *x)
{
	for (unsigned i = 0; i < x->count; i++) {
		const struct field *f = &x->fields[i];
		const char *text = row->text[f->index];

		if (f->form == FIELD_TEXT && text[0] &&
		    !text_means(f->index, text) &&
		    !text_is_absent(text, strlen(text)))
			row_complain(row, f, text, strlen(text));
	}
}

/* Fields with a quantity are passed on unchanged. */
static void numbers_take(struct link_numbers *n, const struct row *row,
			 const struct field_index *x)
{
	n->count = 0;
	for (unsigned i = 0; i < x->count && n->count < LINK_NUMBERS_MAX; i++) {
		if (!row_has(row, i) || row->value[i] < 0)
			continue;
		n->quantity[n->count] = x->fields[i].quantity;
		n->index[n->count] = x->fields[i].index;
		n->value[n->count++] = row->value[i];
	}
}

/* What is unknown for a while has not changed, and what is set back neither. */
static void setting_take(struct port_setting *s, int64_t value, struct mono now)
{
	bool back = s->changed.ns != 0 && value == s->before;

	if (value < 0 || value == s->value)
		return;
	s->changed.ns = s->value < 0 || back ? 0 : now.ns;
	s->before = s->value;
	s->value = value;
}

static void link_take(struct port_link *l, const struct row *row,
		      const struct field_index *x, struct mono now)
{
	l->admin = bool_of(row->text[PORT_TEXT_ADMIN]);
	l->oper = oper_of(row->text[PORT_TEXT_OPER]);
	l->speed_mbps = number_of(row->text[PORT_TEXT_SPEED]);
	l->mtu_octets = number_of(row->text[PORT_TEXT_MTU]);
	l->autoneg = bool_of(row->text[PORT_TEXT_AUTONEG]);
	numbers_take(&l->numbers, row, x);
	text_copy(l->fec, sizeof(l->fec), row->text[PORT_TEXT_FEC],
		  strlen(row->text[PORT_TEXT_FEC]));
	setting_take(&l->set_fec, fec_mode_parse(l->fec, 0, 0), now);
	setting_take(&l->set_mbps, l->speed_mbps, now);
	if (text_utc(row->text[PORT_TEXT_LAST_DOWN],
		     strlen(row->text[PORT_TEXT_LAST_DOWN]),
		     &l->last_down_s) < 0)
		l->last_down_s = 0;
}

/* The next functions keep what they read until ports_end(). */
static void appl_row(struct poll *p, struct run *r, struct object *o,
		     const struct row *row)
{
	o->port->link.in_appl = true;
	o->port->link.seen = p->serial;
	link_take(&o->port->link, row, &r->index, p->asked);
	row_attributes(row, &r->index, r->namespace->host, o->handle, true);
	cages_port_place(&r->namespace->topology, o, row->text, false);
}

/* How far xcvrd has brought up the port's module, and what delays it. */
static void xcvr_row(struct poll *p, struct run *r, struct object *o,
		     const struct row *row)
{
	const struct platform_host *host = r->namespace->host;

	host->attribute(host->context, o->handle, ATTRIBUTE_XCVR_ERROR,
			row->text[0]);
	if (!row_value(row, &r->index, Q_MODULE_XCVR_STATE,
		       &o->port->link.xcvr_state))
		o->port->link.xcvr_state = -1;
	counters_row(p, r, o, row);
}

/* APPL_DB's row, if there is one, is told with its own. */
static void config_note(struct namespace *s, const struct object *o,
			struct row *row)
{
	texts_settle(row, &s->maps.config_index);
	if (row->bad > 0 && !s->maps.rows_wrong[0])
		(void)snprintf(s->maps.rows_wrong, sizeof(s->maps.rows_wrong),
			       "PORT of %s in CONFIG_DB: %s is '%s', not a "
			       "value", o->name, row->bad_field->name,
			       row->bad_text);
}

void ports_config_row(struct namespace *s, struct object *o, struct row *row)
{
	if (o->handle == ENTITY_NONE || row->texts == 0)
		return;
	if (!o->port->link.in_appl) {
		config_note(s, o, row);
		link_take(&o->port->link, row, &s->maps.config_index,
			  (struct mono){ 0 });
		row_attributes(row, &s->maps.config_index, s->host, o->handle,
			       true);
		o->port->link.new_config = true;
	}
	cages_port_place(&s->topology, o, row->text, true);
}

/* Link training, and the FEC in use. */
static void state_row(struct poll *p, struct run *r, struct object *o,
		      const struct row *row)
{
	struct port_link *l = &o->port->link;

	(void)p;
	l->training = quantity_word_value(Q_LINK_TRAINING_STATUS,
					  row->text[STATE_TEXT_TRAINING]);
	l->tx_ready = bool_of(row->text[STATE_TEXT_TX_READY]);
	numbers_take(&l->state_numbers, row, &r->index);
	l->agreed_mbps = number_of(row->text[STATE_TEXT_SPEED]);
	row_attributes(row, &r->index, r->namespace->host, o->handle, true);
	text_copy(l->state_fec, sizeof(l->state_fec),
		  row->text[STATE_TEXT_FEC],
		  strlen(row->text[STATE_TEXT_FEC]));
}

/* The most recent cause, if it belongs to this fall. */
static void error_row(struct poll *p, struct run *r, struct object *o,
		      const struct row *row)
{
	struct port_link *l = &o->port->link;
	int64_t newest_s = l->last_down_s - ERROR_SLACK_S;

	(void)p;
	for (unsigned i = 0; i < r->table->fields.count; i++) {
		const char *text = row->text[i];
		int64_t at_s;

		if (text_utc(text, strlen(text), &at_s) == 0 &&
		    at_s > newest_s) {
			newest_s = at_s;
			l->error_reason = DOWN_MAC_LOCAL_FAULT + i;
		}
	}
}

/* True if a lane of this port has the flag, and the flag was read recently. */
static bool port_flag(const struct poll *p, const struct port *port,
		      uint8_t flags)
{
	const struct cage *c = port->cage;
	unsigned first = 0, count = MODULE_LANES_MAX;

	if (!c || c->flags_at.ns == 0 ||
	    p->asked.ns - c->flags_at.ns > FLAGS_FRESH_NS)
		return false;
	if (port->shares || port->subport > 0) {
		if (port->first_host == 0)
			return false;	/* its own lanes are unknown */
		first = port->first_host - 1;
		count = cages_host_lanes(port);
		if (c->host_lanes && c->media_lanes) {
			first = first * c->media_lanes / c->host_lanes;
			count = count * c->media_lanes / c->host_lanes;
		}
		if (count == 0)
			count = 1;	/* it shares a media lane */
	}
	for (unsigned i = first; i < first + count && i < MODULE_LANES_MAX; i++)
		if (flags >> i & 1)
			return true;
	return false;
}

static bool phy_is_fresh(const struct poll *p, const struct port_link *l)
{
	return l->phy_at.ns != 0 && p->asked.ns - l->phy_at.ns < PHY_FRESH_NS;
}

/* It was changed as the link fell: the peer has it as it was. */
static bool is_changed(const struct port_link *l, const struct port_setting *s)
{
	int64_t apart_ns = l->down.ns - s->changed.ns;

	return l->down.ns != 0 && s->changed.ns != 0 &&
	       apart_ns < CHANGE_NS && apart_ns > -CHANGE_NS;
}

/* Local causes come first: the far end is not to blame for something that is
 * off or missing here.
 */
static int64_t down_reason(const struct poll *p, const struct port *port)
{
	const struct port_link *l = &port->link;
	const struct cage *c = port->cage;

	if (l->admin == 0)
		return DOWN_ADMIN;
	/* xcvrd removes the rows of a module that it cannot use. */
	if (c && c->known && c->module == ENTITY_NONE)
		return l->plugged > 0 ? DOWN_MODULE_STATE : DOWN_NO_MODULE;
	if (c && port_flag(p, port, c->tx_fault))
		return DOWN_TX_FAULT;
	if (l->xcvr_state == XCVR_FAILED)
		return DOWN_MODULE_STATE;
	if (c && port_flag(p, port, c->rx_los))
		return DOWN_RX_LOS;
	if (is_changed(l, &l->set_mbps))
		return DOWN_SPEED_MISMATCH;
	if (is_changed(l, &l->set_fec))
		return DOWN_FEC_MISMATCH;
	if (l->error_reason)
		return l->error_reason;
	if (l->tx_ready == 0)
		return DOWN_TX_DISABLED;
	if (phy_is_fresh(p, l) && l->phy_dark)
		return DOWN_SIGNAL_LOCAL;
	if (phy_is_fresh(p, l) && l->phy_unlocked)
		return DOWN_FEC_ALIGNMENT_LOSS;
	if (l->training == TRAINING_NOT_TRAINED ||
	    l->training == TRAINING_TIMEOUT || l->training == TRAINING_SNR_LOW)
		return DOWN_TRAINING;
	return DOWN_UNKNOWN;
}

/* The speed from autonegotiation, while it is active; else as configured. */
static int64_t speed_of(const struct port_link *l)
{
	if (l->autoneg == 1 && l->oper == OPER_UP && l->agreed_mbps > 0)
		return l->agreed_mbps;
	return l->speed_mbps;
}

/* The mode in use, if STATE_DB has it, else the configured one. */
static int64_t fec_of(const struct port *port)
{
	const struct port_link *l = &port->link;
	const char *word = l->state_fec[0] ? l->state_fec : l->fec;
	int64_t speed = speed_of(l);
	uint64_t mbps = speed > 0 ? (uint64_t)speed : 0;
	int rs = fec_mode_parse("rs", mbps, port->lanes), mode;

	/* The speed of a lane decides which of the two it is. */
	if ((mbps == 0 || port->lanes == 0) && rs != FEC_RS544 &&
	    strcmp(word, "rs") == 0)
		return -1;
	mode = word[0] ? fec_mode_parse(word, mbps, port->lanes) : -1;
	if (mode >= 0 && mode != FEC_AUTO)
		return mode;
	/* Such a link has no other. */
	return rs == FEC_RS544 ? rs : mode < 0 ? -1 : mode;
}

static void link_event(struct poll *p, const struct object *o)
{
	struct port_link *l = &o->port->link;
	const struct platform_host *host = p->namespace->host;

	if (l->oper == l->last_oper || l->oper < 0)
		return;
	if (l->oper == OPER_DOWN)
		l->down = p->asked;
	else		/* the ends agree on what is set now */
		l->set_fec.changed = l->set_mbps.changed = (struct mono){ 0 };
	if (l->last_oper == OPER_UP)
		host->event(host->context, o->handle, EVENT_LINK_DOWN, 0,
			    p->asked, "oper_status of APPL_DB");
	else if (l->last_oper == OPER_DOWN && l->oper == OPER_UP)
		host->event(host->context, o->handle, EVENT_LINK_UP, 0,
			    p->asked, "oper_status of APPL_DB");
	l->last_oper = l->oper;
}

static void numbers_emit(const struct platform_host *host,
			 const struct link_numbers *n)
{
	for (unsigned i = 0; i < n->count; i++)
		host->sample(host->context, (enum quantity)n->quantity[i],
			     n->index[i], n->value[i], QUALITY_GOOD);
}

static void link_emit(struct poll *p, const struct object *o)
{
	const struct platform_host *host = p->namespace->host;
	const struct port_link *l = &o->port->link;
	struct read_group age = { .taken = p->asked };
	int64_t fec = fec_of(o->port);
	const struct {
		enum quantity quantity;
		int64_t value;		/* below 0: absent */
	} samples[] = {
		{ Q_OPER_STATUS, l->oper },
		{ Q_ADMIN_STATUS, l->admin },
		{ Q_SPEED_MBPS, speed_of(l) },
		{ Q_MTU_OCTETS, l->mtu_octets },
		{ Q_FEC_MODE, fec },
		{ Q_LANE_COUNT, o->port->lanes ? (int)o->port->lanes : -1 },
		{ Q_LINK_TRAINING_STATUS, l->training },
		{ Q_AUTONEG_ASKED, l->autoneg },
		{ Q_HOST_TX_READY, l->tx_ready },
		{ Q_DOWN_REASON,
		  l->oper == OPER_DOWN ? down_reason(p, o->port) : -1 },
	};

	host->group(host->context, p->source, o->handle, &age);
	for (size_t i = 0; i < COUNT(samples); i++)
		if (samples[i].value >= 0)
			host->sample(host->context, samples[i].quantity, 0,
				     samples[i].value, QUALITY_GOOD);
	numbers_emit(host, &l->numbers);
	numbers_emit(host, &l->state_numbers);
	if (fec >= 0 && fec != FEC_AUTO)
		host->attribute(host->context, o->handle, ATTRIBUTE_FEC,
				quantity_word(Q_FEC_MODE, fec));
}

static void ports_emit(struct poll *p)
{
	const struct object_set *ports =
		&p->namespace->topology.set[OBJECT_PORT];

	for (size_t i = 0; i < ports->count; i++) {
		struct object *o = &ports->list[i];
		struct port_link *l = &o->port->link;
		bool seen = l->seen == p->serial;

		if (o->handle == ENTITY_NONE || !(seen || l->new_config))
			continue;
		l->new_config = false;
		link_emit(p, o);
		if (seen) {
			link_event(p, o);
			changes_port(p, o);
		}
		/* The row may disappear. */
		l->training = l->tx_ready = l->agreed_mbps = -1;
		l->state_numbers.count = 0;
		l->state_fec[0] = '\0';
	}
}

bool ports_end(struct poll *p)
{
	if (p->namespace->topology.lanes_stale)
		cages_lanes(&p->namespace->topology);
	if (p->phase == POLL_RUNS)
		return true;	/* read the causes of ports that are down */
	ports_emit(p);
	return false;
}

int ports_config_index(struct field_index *ret)
{
	static const struct fields fields = { port_appl, COUNT(port_appl) };

	return field_index_init(ret, &fields);
}

/* Reads causes only for ports that are down and should not be. */
static bool error_wanted(const struct poll *p, struct object *o)
{
	struct port_link *l = &o->port->link;

	l->error_reason = 0;
	return l->seen == p->serial && l->oper == OPER_DOWN && l->admin == 1;
}

static const struct table tables[] = {
	{ ROW("PORT_TABLE", SONIC_PORTS, DATABASE_APPL, OBJECT_PORT),
	  FIELDS(port_appl), .whole = true, .settle = texts_settle,
	  .take = appl_row },
	{ ROW("PORT_TABLE", SONIC_PORTS, DATABASE_STATE, OBJECT_PORT),
	  FIELDS(port_state), .optional = true, .take = state_row },
	{ ROW("PORT_OPERR_TABLE", SONIC_CAUSES, DATABASE_STATE, OBJECT_PORT),
	  FIELDS(port_causes), .sparse = true, .take = counters_row },
	{ ROW("PORT_OPERR_TABLE", SONIC_PORTS, DATABASE_STATE, OBJECT_PORT),
	  FIELDS(port_errors), .whole = true, .late = true,
	  .take = error_row, .wanted = error_wanted },
	{ ROW("TRANSCEIVER_STATUS_SW", SONIC_STATUS, DATABASE_STATE,
	      OBJECT_PORT),
	  FIELDS(port_xcvr), .optional = true, .take = xcvr_row },
	/* Images before 2024-11 keep it in the status table. */
	{ ROW("TRANSCEIVER_STATUS", SONIC_STATUS, DATABASE_STATE, OBJECT_PORT),
	  FIELDS(port_xcvr), .optional = true, .sparse = true,
	  .take = xcvr_row },
};

const struct table_list ports_tables = TABLE_LIST(tables);
