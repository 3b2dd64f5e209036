/* Flags that are raised, as words. */
#include "agent/ctl/decoded_text.h"

#include <stdio.h>
#include <string.h>

#include "platform/module/tables.h"

#define FLAGS_MAX (4 * CELL_TEXT_MAX)

/* lane_rx_power_flag and its edge as words: rx power low alarm. */
static void flag_text(const struct decoded_value *v, char *ret, size_t cap)
{
	const char *edge = decoded_index_name(v->quantity, v->index);
	char name[64], words[32] = "";

	decoded_words(v->quantity->name, "flag", name, sizeof(name));
	if (edge)
		decoded_words(edge, "", words, sizeof(words));
	(void)snprintf(ret, cap, "%s%s%s", name, edge ? " " : "", words);
}

/* What is set and says that something is, or was, not as it should be. */
static bool is_raised(const struct decoded_value *v)
{
	static const enum quantity states[] = {
		Q_LANE_RX_LOS, Q_LANE_TX_FAULT, Q_LANE_TX_DISABLED,
		Q_LANE_RX_DISABLED, Q_LANE_LOOPBACK, Q_MODULE_LOW_POWER,
		Q_LANE_DATA_PATH_DEINIT, Q_LANE_WAVELENGTH_UNLOCKED,
		Q_LANE_TUNING,
	};

	if (v->quantity->unit != UNIT_BOOL || !v->value)
		return false;
	if (strstr(v->quantity->name, "_flag"))
		return true;
	for (size_t i = 0; i < TABLE_COUNT(states); i++) {
		if (v->quantity->id == states[i])
			return true;
	}
	return false;
}

static void flags_text(const struct decoded *d, unsigned lane,
		       char ret[static FLAGS_MAX])
{
	char one[96];
	size_t len = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < d->value_count; i++) {
		if (d->values[i].lane != lane || !is_raised(&d->values[i]))
			continue;
		flag_text(&d->values[i], one, sizeof(one));
		if (len + strlen(one) + 3 > FLAGS_MAX)
			break;
		len += (size_t)snprintf(ret + len, FLAGS_MAX - len, "%s%s",
					len ? ", " : "", one);
	}
}

void decoded_lanes_text(uint32_t lanes, char *ret, size_t cap)
{
	size_t len = (size_t)snprintf(ret, cap, "%s", lanes & (lanes - 1) ?
				      "lanes " : "lane ");
	unsigned from, to;

	for (from = 0; from < 32 && len < cap; from = to + 1) {
		to = from;
		if (!(lanes >> from & 1))
			continue;
		while (to < 31 && lanes >> (to + 1) & 1)
			to++;
		len += (size_t)snprintf(ret + len, cap - len, "%u", from + 1);
		if (to > from && len < cap)
			len += (size_t)snprintf(ret + len, cap - len, "-%u",
						to + 1);
		if (to < 31 && lanes >> (to + 1) && len < cap)
			len += (size_t)snprintf(ret + len, cap - len, ",");
	}
}

static void flags_print(const struct screen *s, const char *of,
			const char *flags, bool *any)
{
	if (!*any)
		(void)fprintf(s->out, "\n  flags\n");
	*any = true;
	(void)fprintf(s->out, "    %-*s", (int)DECODED_LABEL_WIDTH - 2, of);
	if (strlen(of) > DECODED_LABEL_WIDTH - 3)
		(void)fprintf(s->out, "\n%*s", (int)DECODED_LABEL_WIDTH + 2,
			      "");
	screen_wrap(s, DECODED_LABEL_WIDTH + 2, DECODED_LABEL_WIDTH + 2,
		    flags);
}

/* Lanes that have the same flags share a line. */
void decoded_print_flags(const struct screen *s, const struct decoded *d)
{
	char flags[FLAGS_MAX], other[FLAGS_MAX], of[64];
	uint32_t done = 0;
	bool any = false;

	flags_text(d, 0, flags);
	if (flags[0])
		flags_print(s, "module", flags, &any);
	for (unsigned n = 1; n <= MODULE_BANKS_MAX * MODULE_BANK_LANES; n++) {
		flags_text(d, MODULE_PATH + n, flags);
		(void)snprintf(of, sizeof(of), "data path %u", n);
		if (flags[0])
			flags_print(s, of, flags, &any);
	}
	for (unsigned lane = 1; lane <= d->lanes && lane <= 32; lane++) {
		uint32_t same = 0;

		flags_text(d, lane, flags);
		for (unsigned i = lane; flags[0] && i <= d->lanes && i <= 32;
		     i++) {
			flags_text(d, i, other);
			if (strcmp(flags, other) == 0)
				same |= 1u << (i - 1);
		}
		same &= ~done;
		if (!(same >> (lane - 1) & 1))
			continue;
		done |= same;
		decoded_lanes_text(same, of, sizeof(of));
		flags_print(s, of, flags, &any);
	}
}
