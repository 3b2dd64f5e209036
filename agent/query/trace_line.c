/* One port and one reading in the words of the trace format. */
#include "agent/query/trace.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>

#include "agent/base/number.h"

#define DECIMALS "%.9g"		/* finer than any source of these values */
#define DARK_DBM (-40.0)	/* what modules say when there is no light */

/* Out of memory leaves a member out, never a wrong one in. */
static void put(struct json_object *o, const char *key, struct json_object *v)
{
	(void)json_object_object_add(o, key, v);
}

static struct json_object *decimal(double value)
{
	struct json_object *o = json_object_new_double(value);

	if (o)
		json_object_set_serializer(o, json_object_double_to_json_string,
					   (void *)(uintptr_t)DECIMALS, NULL);
	return o;
}

static double unit_plain(int64_t value)
{
	return (double)value;
}

static double unit_c(int64_t mc)
{
	return (double)mc / 1e3;
}

static double unit_v(int64_t uv)
{
	return (double)uv / 1e6;
}

static double unit_ma(int64_t ua)
{
	return (double)ua / 1e3;
}

/* The format has no word for no light: what modules say stands for it. */
static double unit_dbm(int64_t pw)
{
	return pw > 0 ? number_dbm(pw) : DARK_DBM;
}

static double unit_ratio(int64_t e18)
{
	return (double)e18 / 1e18;
}

static double unit_db(int64_t mdb)
{
	return (double)mdb / 1e3;
}

/* --- PORTS --------------------------------------------------------------- */

/* Four keys of one limit, as the format names them. */
static void thresholds_put(struct json_object *o, const char *what,
			   const int64_t edge[THRESHOLD_EDGE_COUNT],
			   double (*unit)(int64_t))
{
	static const char *const edges[THRESHOLD_EDGE_COUNT] = {
		[HIGH_ALARM] = "high_alarm", [LOW_ALARM] = "low_alarm",
		[HIGH_WARN] = "high_warn", [LOW_WARN] = "low_warn",
	};
	char key[40];

	for (unsigned i = 0; i < THRESHOLD_EDGE_COUNT; i++) {
		(void)snprintf(key, sizeof(key), "%s_%s", what, edges[i]);
		put(o, key, decimal(unit(edge[i])));
	}
}

/* null where the module told none: copper, or not yet read. */
static struct json_object *thresholds(const struct port_thresholds *t)
{
	struct json_object *o;

	if (!t->known)
		return NULL;
	o = json_object_new_object();
	thresholds_put(o, "temp", t->temp_mc, unit_c);
	thresholds_put(o, "vcc", t->vcc_uv, unit_v);
	thresholds_put(o, "rx", t->rx_pw, unit_dbm);
	thresholds_put(o, "tx", t->tx_pw, unit_dbm);
	thresholds_put(o, "bias", t->bias_ua, unit_ma);
	return o;
}

static void put_text(struct json_object *o, const char *key, const char *text)
{
	if (text[0])
		put(o, key, json_object_new_string(text));
}

/* {"switch":…,"port":…}, as far as LLDP or the configuration tells. */
static void peer_put(struct json_object *o, const struct port_facts *f)
{
	struct json_object *peer;

	if (!f->peer_switch[0] && !f->peer_port[0])
		return;
	peer = json_object_new_object();
	put_text(peer, "switch", f->peer_switch);
	put_text(peer, "port", f->peer_port);
	put(o, "peer", peer);
}

struct json_object *trace_port(const struct port_facts *f)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	put(o, "port", json_object_new_string(f->name));
	put_text(o, "media", f->media);
	if (f->lanes)
		put(o, "lanes", json_object_new_int((int32_t)f->lanes));
	if (f->speed_mbps)
		put(o, "speed_gbps", f->speed_mbps % 1000 == 0 ?
		    json_object_new_int64((int64_t)f->speed_mbps / 1000) :
		    decimal((double)f->speed_mbps / 1000));
	put(o, "fec", json_object_new_string(fec_mode_name(f->fec)));
	put_text(o, "group", f->group);
	put_text(o, "cage", f->cage);
	if (f->queue_buffer_octets)
		put(o, "q_buffer_bytes", json_object_new_int64(
			(int64_t)f->queue_buffer_octets));
	if (f->media_known)
		put(o, "optical", json_object_new_boolean(f->optical));
	if (f->counter_bits && f->counter_bits != 64)
		put(o, "counter_bits",
		    json_object_new_int((int32_t)f->counter_bits));
	put(o, "thresholds", thresholds(&f->thresholds));
	peer_put(o, f);
	return o;
}

/* --- SAMPLES ------------------------------------------------------------- */

/* Counters and flags that go out as they are. */
static const struct {
	enum port_feature feature;
	const char *key;
} integers[] = {
	{ PORT_ADMIN, "admin" },
	{ PORT_PRESENT, "present" },
	{ PORT_LINK_DOWN_COUNT, "link_down_count" },
	{ PORT_FEC_CORRECTED_CW, "fec_corrected_cw" },
	{ PORT_FEC_UNCORRECTABLE_CW, "fec_uncorrectable_cw" },
	{ PORT_FEC_SYMBOL_ERRORS, "fec_symbol_errors" },
	{ PORT_FEC_CORRECTED_BITS, "fec_corrected_bits" },
	{ PORT_IN_OCTETS, "in_octets" },
	{ PORT_OUT_OCTETS, "out_octets" },
	{ PORT_IN_FRAMES, "in_pkts" },
	{ PORT_OUT_FRAMES, "out_pkts" },
	{ PORT_IN_ERRORS, "in_errors" },
	{ PORT_IN_DISCARDS, "in_discards" },
	{ PORT_OUT_DISCARDS, "out_discards" },
	{ PORT_ECN_MARKED, "ecn_marked_pkts" },
};

/* One key a priority or queue, its number in the middle. */
static const struct {
	enum port_feature first;
	unsigned count;
	const char *before, *behind;
} families[] = {
	{ PORT_PFC_RX_0, PORT_PRIORITIES, "pfc", "_rx_frames" },
	{ PORT_PFC_TX_0, PORT_PRIORITIES, "pfc", "_tx_frames" },
	{ PORT_PFC_PAUSE_US_0, PORT_PRIORITIES, "pfc", "_rx_pause_us" },
	{ PORT_QUEUE_PEAK_0, PORT_QUEUES, "q", "_watermark_bytes" },
	{ PORT_READING_FAULTS_0, READING_OF_COUNT, "reading_faults", "" },
};

/* One list a quantity, one value a lane. */
static const struct {
	enum lane_feature feature;
	const char *key;
	double (*unit)(int64_t);
} lane_lists[] = {
	{ LANE_TX_PW, "tx_dbm", unit_dbm },
	{ LANE_BIAS_UA, "tx_bias_ma", unit_ma },
	{ LANE_RX_PW, "rx_dbm", unit_dbm },
	{ LANE_BER_E18, "vdm_pre_fec_ber_lane", unit_ratio },
	{ LANE_SNR_MDB, "snr_db", unit_db },
	{ LANE_READING_FAULTS, "lane_reading_faults", unit_plain },
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Counters are 64-bit patterns: never negative in the trace. */
static void integer_put(struct json_object *o, const char *key,
			const struct port_tick *t, enum port_feature f)
{
	if (port_has(t, f))
		put(o, key, json_object_new_uint64((uint64_t)t->value[f]));
}

static void families_put(struct json_object *o, const struct port_tick *t)
{
	char key[40];

	for (size_t i = 0; i < COUNT_OF(families); i++)
		for (unsigned n = 0; n < families[i].count; n++) {
			(void)snprintf(key, sizeof(key), "%s%u%s",
				       families[i].before, n,
				       families[i].behind);
			integer_put(o, key, t, families[i].first + n);
		}
}

/* The bins up to the last one that was read; what is missing is null. */
static void histogram_put(struct json_object *o, const struct port_tick *t)
{
	struct json_object *list;
	unsigned count = PORT_FEC_BINS;

	while (count && !port_has(t, PORT_FEC_BIN_0 + count - 1))
		count--;
	if (!count)
		return;
	list = json_object_new_array();
	for (unsigned i = 0; i < count; i++)
		(void)json_object_array_add(list,
			port_has(t, PORT_FEC_BIN_0 + i) ?
			json_object_new_uint64(
				(uint64_t)t->value[PORT_FEC_BIN_0 + i]) : NULL);
	put(o, "fec_hist", list);
}

/* The lanes up to the last that was read; what is missing is null. */
static void lanes_put(struct json_object *o, const struct port_tick *t,
		      const char *key, enum lane_feature f,
		      double (*unit)(int64_t))
{
	struct json_object *list;
	unsigned count = PORT_LANES_MAX;

	while (count && !(t->lane_valid[f] >> (count - 1) & 1))
		count--;
	if (!count)
		return;
	list = json_object_new_array();
	for (unsigned i = 0; i < count; i++) {
		bool is_valid = t->lane_valid[f] >> i & 1;

		(void)json_object_array_add(
			list, is_valid ? decimal(unit(t->lane[f][i])) : NULL);
	}
	put(o, key, list);
}

/* What came from the module, with the module's own time. */
static void dom_put(struct json_object *o, const struct port_tick *t,
		    struct wall dom_when)
{
	if (t->dom_t.ns)
		put(o, "dom_ts_ns", json_object_new_int64(dom_when.ns));
	if (port_has(t, PORT_TEMP_MC))
		put(o, "temp_c", decimal(unit_c(t->value[PORT_TEMP_MC])));
	if (port_has(t, PORT_VCC_UV))
		put(o, "vcc_v", decimal(unit_v(t->value[PORT_VCC_UV])));
	for (size_t i = 0; i < COUNT_OF(lane_lists); i++)
		lanes_put(o, t, lane_lists[i].key, lane_lists[i].feature,
			  lane_lists[i].unit);
	if (port_has(t, PORT_VDM_BER_E18))
		put(o, "vdm_pre_fec_ber",
		    decimal(unit_ratio(t->value[PORT_VDM_BER_E18])));
}

struct json_object *trace_sample(const char *port, const struct port_tick *t,
				 struct wall when, struct wall dom_when)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	put(o, "ts_ns", json_object_new_int64(when.ns));
	put(o, "port", json_object_new_string(port));
	if (port_has(t, PORT_OPER))
		put(o, "oper", json_object_new_int(t->value[PORT_OPER] ==
						   OPER_UP));
	put_text(o, "serial", t->serial);
	for (size_t i = 0; i < COUNT_OF(integers); i++)
		integer_put(o, integers[i].key, t, integers[i].feature);
	if (port_has(t, PORT_DOWN_REASON) &&
	    t->value[PORT_DOWN_REASON] != DOWN_UNKNOWN)
		put(o, "down_reason", json_object_new_string(down_reason_name(
			(enum down_reason)t->value[PORT_DOWN_REASON])));
	histogram_put(o, t);
	dom_put(o, t, dom_when);
	families_put(o, t);
	return o;
}
