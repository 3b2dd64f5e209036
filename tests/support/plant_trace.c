/* Writes labelled traces straight from the plant, for judging detectors:
 *
 *   plant_trace SCENARIO DURATION [DT [DIR]]
 *
 * makes PORTS.ndjson, SAMPLES.ndjson (the format of petrel replay) and
 * LABELS.ndjson in DIR: a line for each planted fault and port that it
 * strikes, with the time from which the port loses a codeword an hour
 * (cliff_ns; null: never).
 */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "agent/base/number.h"
#include "petrel/clock.h"
#include "petrel/plant.h"
#include "platform/sim/codewords.h"
#include "tests/support/measure.h"

#define EPOCH_NS INT64_C(1767225600000000000)
#define HIST_BINS 16
#define CLIFF_HZ (1.0 / 3600)
#define SCENARIO_OCTETS_MAX (1u << 20)

typedef struct json_object json;

struct trace {
	struct plant *plant;
	size_t ports;
	struct plant_port_facts *facts;
	int64_t *cliff_ns;	/* by fault and port; -1 not yet */
	FILE *samples;
};

static void add_int(json *o, const char *key, int64_t value)
{
	json_object_object_add(o, key, json_object_new_int64(value));
}

static void add_count(json *o, const char *key, uint64_t value)
{
	json_object_object_add(o, key, json_object_new_uint64(value));
}

static void add_text(json *o, const char *key, const char *value)
{
	json_object_object_add(o, key, json_object_new_string(value));
}

/* A number as a person would write it, not 17 digits of it. */
static json *number(double value, int digits)
{
	char text[40];

	if (!isfinite(value))
		return NULL;
	(void)snprintf(text, sizeof(text), "%.*g", digits, value);
	return json_object_new_double_s(value, text);
}

static void add_number(json *o, const char *key, double value, int digits)
{
	json_object_object_add(o, key, number(value, digits));
}

static void line_put(FILE *out, json *o)
{
	fputs(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN), out);
	fputc('\n', out);
	json_object_put(o);
}

static void add_edges(json *o, const char *what,
		      const double edge[PLANT_EDGE_COUNT])
{
	static const char *const names[PLANT_EDGE_COUNT] = {
		[PLANT_HIGH_ALARM] = "high_alarm",
		[PLANT_LOW_ALARM] = "low_alarm",
		[PLANT_HIGH_WARN] = "high_warn",
		[PLANT_LOW_WARN] = "low_warn",
	};
	char key[40];

	for (int i = 0; i < PLANT_EDGE_COUNT; i++) {
		(void)snprintf(key, sizeof(key), "%s_%s", what, names[i]);
		add_number(o, key, edge[i], 6);
	}
}

static json *limits_json(const struct plant_port_facts *f)
{
	json *o;

	if (!f->optical)
		return NULL;
	o = json_object_new_object();
	add_edges(o, "temp", f->limits.temp_c);
	add_edges(o, "vcc", f->limits.vcc_v);
	add_edges(o, "rx", f->limits.rx_dbm);
	add_edges(o, "tx", f->limits.tx_dbm);
	add_edges(o, "bias", f->limits.bias_ma);
	return o;
}

static void port_put(FILE *out, const struct plant_port_facts *f)
{
	json *o = json_object_new_object(), *peer = json_object_new_object();

	add_text(o, "port", f->name);
	add_text(o, "media", f->media);
	add_int(o, "lanes", f->media_lanes);
	if (f->lanes != f->media_lanes)
		add_int(o, "lanes_host", f->lanes);
	add_int(o, "speed_gbps", (int64_t)(f->speed_bps / 1000000000));
	add_text(o, "fec", f->fec);
	add_text(o, "group", f->group);
	add_count(o, "q_buffer_bytes", f->queue_buffer_octets);
	json_object_object_add(o, "optical",
			       json_object_new_boolean(f->optical));
	json_object_object_add(o, "thresholds", limits_json(f));
	add_text(peer, "switch", f->peer_switch);
	add_text(peer, "port", f->peer_port);
	json_object_object_add(o, "peer", peer);
	line_put(out, o);
}

static double dbm(int64_t pw)
{
	/* A module that sees no light says 0.1 uW at least. */
	return pw > 0 ? number_dbm(pw) : -40;
}

static void add_optics(json *o, const struct measure *m, unsigned lanes)
{
	json *rx = json_object_new_array(), *tx = json_object_new_array();
	json *bias = json_object_new_array();

	for (unsigned i = 0; i < lanes; i++) {
		const struct measure_lane *l = &m->lane[i];

		json_object_array_add(rx, number(dbm(l->rx_pw), 6));
		json_object_array_add(tx, number(dbm(l->tx_pw), 6));
		json_object_array_add(bias, number((double)l->bias_ua / 1000,
						   6));
	}
	json_object_object_add(o, "tx_dbm", tx);
	json_object_object_add(o, "tx_bias_ma", bias);
	json_object_object_add(o, "rx_dbm", rx);
}

static void add_vdm(json *o, const struct measure *m, unsigned lanes)
{
	json *each = json_object_new_array();
	double sum = 0;

	for (unsigned i = 0; i < lanes; i++) {
		double ber = (double)m->lane[i].ber_e18 / 1e18;

		sum += ber;
		json_object_array_add(each, number(ber, 4));
	}
	add_number(o, "vdm_pre_fec_ber", sum / lanes, 4);
	json_object_object_add(o, "vdm_pre_fec_ber_lane", each);
}

static void add_dom(json *o, const struct plant_port_facts *f,
		    const struct plant_port *p)
{
	struct measure m;

	if (!f->monitored || !p->present)
		return;
	measure_module(p, f->media_lanes, &m);
	add_int(o, "dom_ts_ns", EPOCH_NS + p->dom_ns);
	add_number(o, "temp_c", (double)m.temp_mc / 1000, 6);
	add_number(o, "vcc_v", (double)m.vcc_uv / 1e6, 6);
	if (f->optical)
		add_optics(o, &m, f->media_lanes);
	if (f->optical && !m.garbage)
		add_vdm(o, &m, f->media_lanes);
}

static void add_fec(json *o, const struct plant_port_facts *f,
		    const struct plant_port *p)
{
	json *hist;

	if (!code_find(f->fec))
		return;
	add_count(o, "fec_corrected_cw", p->fec_corrected_codewords);
	add_count(o, "fec_uncorrectable_cw", p->fec_uncorrectable_codewords);
	add_count(o, "fec_symbol_errors", p->fec_symbol_errors);
	add_count(o, "fec_corrected_bits", p->fec_corrected_bits);
	hist = json_object_new_array();
	for (unsigned i = 0; i < HIST_BINS; i++)
		json_object_array_add(hist,
				      json_object_new_uint64(p->fec_bins[i]));
	json_object_object_add(o, "fec_hist", hist);
}

static void add_traffic(json *o, const struct plant_port_facts *f,
			const struct plant_port *p)
{
	uint64_t marked = 0;
	char key[32];

	add_count(o, "in_octets", p->in_octets);
	add_count(o, "out_octets", p->out_octets);
	add_count(o, "in_pkts", p->in_frames);
	add_count(o, "out_pkts", p->out_frames);
	add_count(o, "in_errors", p->in_errors);
	add_count(o, "out_discards", p->out_discards);
	for (unsigned i = 0; i < f->queues; i++)
		marked += p->queue[i].ecn_marked_frames;
	add_count(o, "ecn_marked_pkts", marked);
	add_count(o, "pfc3_rx_frames", p->priority[3].pfc_rx_frames);
	add_count(o, "pfc3_tx_frames", p->priority[3].pfc_tx_frames);
	add_count(o, "pfc3_rx_pause_us", p->priority[3].pfc_rx_pause_us);
	for (unsigned i = 0; i < f->queues; i += 3) {
		(void)snprintf(key, sizeof(key), "q%u_watermark_bytes", i);
		add_count(o, key, p->queue[i].peak_octets);
	}
}

static const char *down_word(enum plant_down down)
{
	static const char *const words[PLANT_DOWN_COUNT] = {
		[PLANT_DOWN_ADMIN] = "admin",
		[PLANT_DOWN_NO_MODULE] = "no_module",
		[PLANT_DOWN_NO_LIGHT] = "rx_los",
		[PLANT_DOWN_REMOTE] = "mac_remote_fault",
		[PLANT_DOWN_HIGH_BER] = "high_ber",
		[PLANT_DOWN_STARTING] = "unknown",
	};

	return words[down];
}

static void sample_put(const struct trace *t, size_t port,
		       const struct plant_port *p, int64_t now_ns)
{
	const struct plant_port_facts *f = &t->facts[port];
	json *o = json_object_new_object();

	add_int(o, "ts_ns", EPOCH_NS + now_ns);
	add_text(o, "port", f->name);
	add_int(o, "oper", p->oper_up);
	add_int(o, "admin", p->admin_up);
	add_int(o, "present", p->present);
	if (p->present)
		add_text(o, "serial", p->serial);
	if (!p->oper_up)
		add_text(o, "down_reason", down_word(p->down));
	add_count(o, "link_down_count", p->link_down_count);
	add_fec(o, f, p);
	add_dom(o, f, p);
	add_traffic(o, f, p);
	line_put(t->samples, o);
}

static double losses_hz(const struct plant_port_facts *f,
			const struct plant_port *p)
{
	const struct code *c = code_find(f->fec);
	double chance[PLANT_FEC_BINS], ber = 0;

	/* A coherent module's light is not what the port's code corrects. */
	if (!c || !p->oper_up || f->coherent)
		return 0;
	for (unsigned i = 0; i < f->lanes; i++)
		ber += p->lane[i].pre_fec_ber / f->lanes;
	return code_rate(c, f->speed_bps) *
		code_distribution(c, code_symbol_error(ber), chance);
}

static void cliffs_note(struct trace *t, size_t port,
			const struct plant_port *p, int64_t now_ns)
{
	struct plant_fault fault;

	if (losses_hz(&t->facts[port], p) < CLIFF_HZ)
		return;
	for (size_t n = 0; n < plant_fault_count(t->plant); n++) {
		int64_t *cliff = &t->cliff_ns[n * t->ports + port];

		plant_fault(t->plant, n, &fault);
		if (*cliff < 0 && plant_fault_lanes(t->plant, n, port) &&
		    fault.start_ns <= now_ns && fault.end_ns >= now_ns)
			*cliff = now_ns;
	}
}

static void tick(struct trace *t, int64_t now_ns)
{
	struct plant_port p;

	plant_advance(t->plant, now_ns);
	for (size_t i = 0; i < t->ports; i++) {
		plant_port(t->plant, i, &p);
		cliffs_note(t, i, &p, now_ns);
		if (p.counters_readable)
			sample_put(t, i, &p, now_ns);
	}
}

static void add_time(json *o, const char *key, int64_t ns)
{
	json_object_object_add(o, key, ns < 0 || ns == INT64_MAX ? NULL :
			       json_object_new_int64(EPOCH_NS + ns));
}

static void label_put(FILE *out, const struct trace *t, size_t n, size_t port)
{
	uint8_t lanes = plant_fault_lanes(t->plant, n, port);
	json *o = json_object_new_object(), *list = json_object_new_array();
	const struct plant_fault_info *rows;
	struct plant_fault f;
	size_t count;

	plant_fault(t->plant, n, &f);
	rows = plant_faults(&count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(rows[i].name, f.fault) == 0)
			json_object_object_add(o, "benign",
				json_object_new_boolean(rows[i].benign));
	add_text(o, "port", t->facts[port].name);
	add_text(o, "fault", f.fault);
	add_time(o, "start_ns", f.start_ns);
	add_time(o, "end_ns", f.end_ns);
	add_time(o, "cliff_ns", t->cliff_ns[n * t->ports + port]);
	for (unsigned i = 0; i < PLANT_LANES_MAX; i++)
		if (lanes >> i & 1)
			json_object_array_add(list,
				json_object_new_int((int)i + 1));
	json_object_object_add(o, "lanes", list);
	add_text(o, "line", f.line);
	line_put(out, o);
}

static FILE *file_make(const char *dir, const char *name)
{
	char path[512];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	return f;
}

static void file_done(FILE *f)
{
	if (ferror(f) || fclose(f) != 0) {
		fprintf(stderr, "cannot write the trace: %s\n",
			strerror(errno));
		exit(1);
	}
}

static struct plant *plant_of(const char *path)
{
	char *text = malloc(SCENARIO_OCTETS_MAX + 1);
	FILE *f = fopen(path, "re");
	struct plant *p;
	struct diag d;
	size_t len;

	if (!f || !text) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(66);
	}
	len = fread(text, 1, SCENARIO_OCTETS_MAX + 1, f);
	(void)fclose(f);
	if (plant_open(text, len, path, &p, &d) < 0) {
		fprintf(stderr, "%s\n", d.text);
		exit(65);
	}
	free(text);
	return p;
}

static void trace_write(struct trace *t, int64_t duration_ns, int64_t dt_ns,
			const char *dir)
{
	FILE *ports = file_make(dir, "PORTS.ndjson"), *labels;

	for (size_t i = 0; i < t->ports; i++) {
		plant_port_facts(t->plant, i, &t->facts[i]);
		port_put(ports, &t->facts[i]);
	}
	file_done(ports);
	t->samples = file_make(dir, "SAMPLES.ndjson");
	for (int64_t now = 0; now <= duration_ns; now += dt_ns)
		tick(t, now);
	file_done(t->samples);
	labels = file_make(dir, "LABELS.ndjson");
	for (size_t n = 0; n < plant_fault_count(t->plant); n++)
		for (size_t i = 0; i < t->ports; i++)
			if (plant_fault_lanes(t->plant, n, i))
				label_put(labels, t, n, i);
	file_done(labels);
}

int main(int argc, char **argv)
{
	struct trace t = { 0 };
	int64_t duration_ns = 0, dt_ns = NS_PER_S;
	size_t cliffs;

	if (argc < 3 || argc > 5 ||
	    number_parse_duration(argv[2], &duration_ns) < 0 ||
	    (argc > 3 && number_parse_duration(argv[3], &dt_ns) < 0) ||
	    dt_ns <= 0) {
		fprintf(stderr, "usage: plant_trace SCENARIO DURATION [DT "
			"[DIR]]\n");
		return 64;
	}
	t.plant = plant_of(argv[1]);
	t.ports = plant_port_count(t.plant);
	cliffs = t.ports * plant_fault_count(t.plant);
	t.facts = calloc(t.ports, sizeof(*t.facts));
	t.cliff_ns = malloc((cliffs + 1) * sizeof(*t.cliff_ns));
	if (!t.facts || !t.cliff_ns)
		return 71;
	memset(t.cliff_ns, 0xff, cliffs * sizeof(*t.cliff_ns));
	trace_write(&t, duration_ns, dt_ns, argc > 4 ? argv[4] : ".");
	free(t.facts);
	free(t.cliff_ns);
	plant_close(t.plant);
	return 0;
}
