/* Prints one case of plant B as a trace: PORTS.ndjson, SAMPLES.ndjson and
 * LABELS.ndjson, one object a line, into a folder that is there.
 *
 * usage: plant_b_dump FOLDER SEED fast|slow faults|healthy|two|strange
 *                     easy|hard PORTS SECONDS
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "tests/judge/world.h"

#define EPOCH_NS 1767225600000000000ll	/* the trace's clock: 2026-01-01 */

static const char *const edges[WORLD_EDGE_COUNT] = {
	"high_alarm", "low_alarm", "high_warn", "low_warn",
};

static void number_print(FILE *f, const char *name, double value)
{
	if (isnan(value))
		(void)fprintf(f, ",\"%s\":null", name);
	else
		(void)fprintf(f, ",\"%s\":%.7g", name, value);
}

static void count_print(FILE *f, const char *name, uint64_t value)
{
	(void)fprintf(f, ",\"%s\":%llu", name, (unsigned long long)value);
}

static void list_print(FILE *f, const char *name, const double *x, unsigned n)
{
	(void)fprintf(f, ",\"%s\":[", name);
	for (unsigned i = 0; i < n; i++)
		if (isnan(x[i]))
			(void)fprintf(f, "%snull", i ? "," : "");
		else
			(void)fprintf(f, "%s%.7g", i ? "," : "", x[i]);
	(void)fprintf(f, "]");
}

static void limit_print(FILE *f, const char *what,
			const double x[WORLD_EDGE_COUNT])
{
	for (unsigned i = 0; i < WORLD_EDGE_COUNT; i++) {
		char name[40];

		(void)snprintf(name, sizeof(name), "%s_%s", what, edges[i]);
		number_print(f, name, x[i]);
	}
}

static void port_print(FILE *f, const struct world_port *p)
{
	static const char *const fecs[FEC_MODE_COUNT] = {
		"none", "fc", "rs528", "rs544",
	};

	(void)fprintf(f, "{\"port\":\"%s\",\"media\":\"%s\",\"lanes\":%u,"
		      "\"speed_gbps\":%llu,\"fec\":\"%s\",\"optical\":%s,"
		      "\"zone\":\"%s\",\"cage\":\"%s\",\"counter_bits\":%u",
		      p->name, p->media, p->lanes,
		      (unsigned long long)p->speed_mbps / 1000, fecs[p->fec],
		      p->optical ? "true" : "false", p->zone, p->cage,
		      p->counter_bits);
	if (p->group[0])
		(void)fprintf(f, ",\"group\":\"%s\"", p->group);
	if (p->peer_switch[0])
		(void)fprintf(f, ",\"peer\":{\"switch\":\"%s\",\"port\":\"%s\"}",
			      p->peer_switch, p->peer_port);
	if (p->limits.known) {
		(void)fprintf(f, ",\"thresholds\":{\"is_known\":true");
		limit_print(f, "temp", p->limits.temp_c);
		limit_print(f, "vcc", p->limits.vcc_v);
		limit_print(f, "rx", p->limits.rx_dbm);
		limit_print(f, "tx", p->limits.tx_dbm);
		limit_print(f, "bias", p->limits.bias_ma);
		(void)fprintf(f, "}}\n");
	} else {
		(void)fprintf(f, ",\"thresholds\":null}\n");
	}
}

static void fec_print(FILE *f, const struct world_reading *r)
{
	count_print(f, "fec_corrected_cw", r->fec_corrected_codewords);
	count_print(f, "fec_uncorrectable_cw", r->fec_uncorrectable_codewords);
	count_print(f, "fec_symbol_errors", r->fec_symbol_errors);
	count_print(f, "fec_corrected_bits", r->fec_corrected_bits);
	if (!r->has_bins)
		return;
	(void)fprintf(f, ",\"fec_hist\":[");
	for (unsigned i = 0; i < WORLD_BINS; i++)
		(void)fprintf(f, "%s%llu", i ? "," : "",
			      (unsigned long long)r->fec_bins[i]);
	(void)fprintf(f, "]");
}

static void dom_print(FILE *f, const struct world_port *p,
		      const struct world_reading *r)
{
	(void)fprintf(f, ",\"dom_ts_ns\":%lld",
		      (long long)(EPOCH_NS + r->dom_t_ns));
	number_print(f, "temp_c", r->temp_c);
	number_print(f, "vcc_v", r->vcc_v);
	number_print(f, "vdm_pre_fec_ber", r->ber);
	list_print(f, "rx_dbm", r->rx_dbm, p->lanes);
	list_print(f, "tx_dbm", r->tx_dbm, p->lanes);
	list_print(f, "tx_bias_ma", r->bias_ma, p->lanes);
	list_print(f, "vdm_pre_fec_ber_lane", r->lane_ber, p->lanes);
	list_print(f, "snr_db", r->snr_db, p->lanes);
}

static void reading_print(FILE *f, const struct world_port *p,
			  const struct world_reading *r)
{
	(void)fprintf(f, "{\"ts_ns\":%lld,\"port\":\"%s\",\"oper\":%d,"
		      "\"admin\":%d,\"present\":%d,\"down_reason\":%d,"
		      "\"serial\":\"%s\"",
		      (long long)(EPOCH_NS + r->t_ns), p->name, r->oper_up,
		      r->admin_up, r->present, (int)r->down, r->serial);
	count_print(f, "link_down_count", r->link_down_count);
	fec_print(f, r);
	count_print(f, "in_octets", r->in_octets);
	count_print(f, "out_octets", r->out_octets);
	count_print(f, "in_pkts", r->in_frames);
	count_print(f, "out_pkts", r->out_frames);
	count_print(f, "in_errors", r->in_errors);
	count_print(f, "out_discards", r->out_discards);
	count_print(f, "ecn_marked_pkts", r->ecn_marked_frames);
	count_print(f, "pfc3_rx_frames", r->pfc_rx_frames[3]);
	count_print(f, "pfc3_tx_frames", r->pfc_tx_frames[3]);
	count_print(f, "q3_watermark_bytes", r->queue_peak_octets[3]);
	if (r->has_dom)
		dom_print(f, p, r);
	(void)fprintf(f, "}\n");
}

static void label_print(FILE *f, const struct truth *t)
{
	(void)fprintf(f, "{\"what\":\"%s\",\"law\":\"%s\",\"benign\":%d,"
		      "\"signature\":%d,\"end\":%d,\"action\":%d,"
		      "\"ports\":\"%llx\",\"lanes\":%u,\"onset_s\":%.3f",
		      t->what, t->law, t->benign, (int)t->signature,
		      (int)t->end, (int)t->action,
		      (unsigned long long)t->ports, t->lanes,
		      (double)t->onset_ns / 1e9);
	number_print(f, "effect_s", t->effect_ns == INT64_MAX ? NAN :
		     (double)t->effect_ns / 1e9);
	number_print(f, "cliff_s", t->cliff_ns == INT64_MAX ? NAN :
		     (double)t->cliff_ns / 1e9);
	number_print(f, "cliff_later_s", t->cliff_later_ns == INT64_MAX ? NAN :
		     (double)t->cliff_later_ns / 1e9);
	number_print(f, "end_s", t->end_ns == INT64_MAX ? NAN :
		     (double)t->end_ns / 1e9);
	(void)fprintf(f, "}\n");
}

/* NULL, and said why, where it cannot be written. */
static FILE *file_open(const char *folder, const char *name)
{
	char path[512];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "we");
	if (!f)
		(void)fprintf(stderr, "%s: %s\n", path, strerror(errno));
	return f;
}

static int fixed_print(const char *folder, const struct world *w,
		       unsigned ports)
{
	FILE *f = file_open(folder, "PORTS.ndjson");
	const struct truth *t;
	size_t n = plant_b.truths(w, &t);

	if (!f)
		return 1;
	for (unsigned i = 0; i < ports; i++)
		port_print(f, &plant_b.ports(w)[i]);
	(void)fclose(f);
	f = file_open(folder, "LABELS.ndjson");
	if (!f)
		return 1;
	for (size_t i = 0; i < n; i++)
		label_print(f, &t[i]);
	(void)fclose(f);
	return 0;
}

static void happened_print(FILE *f, const struct world *w)
{
	static const char *const kinds[] = { "fan", "temp", "voltage" };
	static const char *const what[] = { "reload", "counters_cleared",
					    "tsa", "tsb" };
	const struct world_sensor *s;
	const struct world_event *e;
	size_t n = plant_b.events(w, &e);
	long long now_ns = EPOCH_NS + plant_b.now_ns(w);

	for (size_t i = 0; i < n; i++) {
		(void)fprintf(f, "{\"ts_ns\":%lld,\"event\":\"%s\"", now_ns,
			      what[e[i].kind]);
		if (e[i].port != WORLD_ALL_PORTS)
			(void)fprintf(f, ",\"port\":\"%s\"",
				      plant_b.ports(w)[e[i].port].name);
		(void)fprintf(f, "}\n");
	}
	n = plant_b.sensors(w, &s);
	for (size_t i = 0; i < n && now_ns % 60000000000ll == 0; i++) {
		(void)fprintf(f, "{\"ts_ns\":%lld,\"sensor\":\"%s\",\"kind\":"
			      "\"%s\",\"zone\":\"%s\",\"ok\":%d", now_ns,
			      s[i].name, kinds[s[i].kind], s[i].zone, s[i].ok);
		number_print(f, "value", s[i].value);
		number_print(f, "low", s[i].low);
		number_print(f, "high", s[i].high);
		(void)fprintf(f, "}\n");
	}
}

static int play(const char *folder, const struct world_case *c)
{
	struct world_reading r;
	struct world *w;
	FILE *f;
	int failed = plant_b.open(c, &w);

	if (failed < 0) {
		(void)fprintf(stderr, "case: %s\n", strerror(-failed));
		return 1;
	}
	failed = fixed_print(folder, w, c->ports);
	f = failed ? NULL : file_open(folder, "SAMPLES.ndjson");
	while (f && plant_b.next(w)) {
		happened_print(f, w);
		for (unsigned i = 0; i < c->ports; i++)
			if (plant_b.read(w, i, &r))
				reading_print(f, &plant_b.ports(w)[i], &r);
	}
	plant_b.close(w);
	return !f || fclose(f);
}

static int mix_of(const char *word)
{
	static const char *const words[MIX_COUNT] = {
		"faults", "healthy", "two", "strange",
	};

	for (int i = 0; i < MIX_COUNT; i++)
		if (!strcmp(words[i], word))
			return i;
	return MIX_COUNT;		/* which open refuses */
}

int main(int argc, char **argv)
{
	struct world_case c = { 0 };
	uint64_t seed, ports, length_s;

	if (argc != 8 ||
	    number_parse(argv[2], 0, UINT64_MAX, &seed) < 0 ||
	    number_parse(argv[6], 1, WORLD_PORTS_MAX, &ports) < 0 ||
	    number_parse(argv[7], 1, 1u << 30, &length_s) < 0) {
		(void)fprintf(stderr, "usage: plant_b_dump FOLDER SEED fast|slow faults|healthy|two|strange easy|hard PORTS SECONDS\n");
		return 2;
	}
	c.seed = seed;
	c.pace = strcmp(argv[3], "slow") ? PACE_FAST : PACE_SLOW;
	c.mix = (enum world_mix)mix_of(argv[4]);
	c.hard = !strcmp(argv[5], "hard");
	c.ports = (unsigned)ports;
	c.length_ns = (int64_t)length_s * 1000000000ll;
	return play(argv[1], &c);
}
