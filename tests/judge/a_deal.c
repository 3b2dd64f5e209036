#include "tests/judge/a_deal.h"

#include <errno.h>
#include <stdlib.h>
#include "petrel/clock.h"
#include "tests/judge/a_noise.h"

enum { DRAW_DEAL = 0xb01 };

#define FAULTY_SHARE 0.4	/* of the ports; benign changes fill to half */
#define TWICE_SHARE 0.3
#define WIDE_PORTS 66.0		/* a zone and a group less often below */
#define GROUP_LEAST 3
#define GROUP_MOST 5
#define SHORT_S (12 * 3600.0)
#define DAY_S 86400.0
#define PORT_EVERY_DAYS 20.0	/* further benign changes */
#define SWITCH_EVERY_DAYS 10.0
#define TRIES 40
#define HEALED_SHARE 0.12

struct deal {
	const struct world_case *c;
	const struct a_port *port;
	struct a_hand *hand;
	struct a_setting setting;
	struct draw draw;
	uint64_t busy;
	bool failed;			/* no memory */
};

static unsigned below(struct deal *d, size_t n)
{
	return (unsigned)(draw_u64(&d->draw) % n);
}

static unsigned busy_count(const struct deal *d)
{
	return (unsigned)__builtin_popcountll(d->busy);
}

static int64_t at_share(const struct deal *d, double share)
{
	return (int64_t)(share * (double)d->c->length_ns);
}

static uint64_t all_ports(const struct deal *d)
{
	return d->c->ports >= 64 ? UINT64_MAX :
		(UINT64_C(1) << d->c->ports) - 1;
}

static uint64_t scope_of(const struct deal *d, const struct a_kind *k,
			 const struct a_port *p)
{
	switch (k->scope) {
	case A_CAGE:
		return p->cage;
	case A_PEER:
		return p->peer;
	case A_GROUP:
		return p->group;
	case A_ZONE:
		return p->zone;
	case A_SWITCH:
		return all_ports(d);
	default:
		return UINT64_C(1) << p->number;
	}
}

/* Of a group some of those that can be struck. */
static uint64_t group_thin(struct deal *d, const struct a_kind *k,
			   uint64_t ports)
{
	unsigned most = GROUP_LEAST +
		below(d, GROUP_MOST - GROUP_LEAST + 1), left;

	for (unsigned i = 0; i < d->c->ports; i++)
		if ((d->port[i].is & k->needs) != k->needs)
			ports &= ~(UINT64_C(1) << i);
	ports &= ~d->busy;
	left = (unsigned)__builtin_popcountll(ports);
	for (; left > most; left--)
		ports &= ports - 1;
	return left >= GROUP_LEAST ? ports : 0;
}

/* The ports that a kind would strike with that one; 0: it cannot. */
static uint64_t ports_for(struct deal *d, const struct a_kind *k,
			  const struct a_port *p, uint64_t taken)
{
	uint64_t ports = scope_of(d, k, p);

	if (k->scope == A_GROUP)
		ports = group_thin(d, k, ports);
	if ((p->is & k->needs) != k->needs && k->scope != A_GROUP)
		return 0;
	if (k->scope == A_SWITCH)
		return ports;
	if (ports & d->busy & ~taken)
		return 0;
	if (busy_count(d) + (unsigned)__builtin_popcountll(ports & ~d->busy) >
	    d->c->ports / 2)
		return 0;
	return ports;
}

static const struct a_port *first_of(const struct deal *d, uint64_t ports)
{
	return &d->port[__builtin_ctzll(ports)];
}

/* Somebody mends it before the case is over. Heat would not go at once, and
 * what takes another module would change the serial number.
 */
static bool can_heal(const struct a_deed *d)
{
	if (d->kind->signature == 0)
		return false;
	switch (d->kind->signature) {
	case SIGNATURE_THERMAL_FEC:
	case SIGNATURE_ENVIRONMENT:
	case SIGNATURE_TX_DECAY:
	case SIGNATURE_LANE_IMBALANCE:
		return false;
	default:
		return d->end_ns == INT64_MAX;
	}
}

static void add(struct deal *d, const struct a_kind *k, uint64_t ports,
		int64_t onset_ns)
{
	struct a_hand *h = d->hand;
	struct a_deed *deed;

	if (h->count == h->room) {
		size_t room = h->room ? 2 * h->room : 32;
		void *more = reallocarray(h->deed, room, sizeof(*h->deed));

		if (!more) {
			d->failed = true;
			return;
		}
		h->deed = more;
		h->room = room;
	}
	deed = &h->deed[h->count++];
	*deed = (struct a_deed){ .kind = k, .ports = ports,
				 .onset_ns = onset_ns, .end_ns = INT64_MAX,
				 .key = draw_u64(&d->draw) };
	k->draw(deed, first_of(d, ports), &d->setting, &d->draw);
	if (draw_unit(&d->draw) < HEALED_SHARE && can_heal(deed))
		a_deed_last(deed, d->setting.length_s *
			    draw_between(&d->draw, 0.1, 0.4));
	if (k->scope != A_SWITCH)
		d->busy |= ports;
}

/* Strikes a port that it fits; whether there was one. */
static bool place(struct deal *d, const struct a_kind *k, int64_t onset_ns)
{
	unsigned start = below(d, d->c->ports);

	for (unsigned i = 0; i < d->c->ports; i++) {
		const struct a_port *p =
			&d->port[(start + i) % d->c->ports];
		uint64_t ports = ports_for(d, k, p, 0);

		if (ports) {
			add(d, k, ports, onset_ns);
			return true;
		}
	}
	return false;
}

static int64_t onset_draw(struct deal *d, enum signature signature)
{
	double share = draw_between(&d->draw, 0.15, 0.6);

	/* What was so from the beginning. */
	return signature == SIGNATURE_LANE_IMBALANCE ? 0 : at_share(d, share);
}

/* One of the rows of a name, the others in turn where it fits nowhere. */
static bool signature_place(struct deal *d, enum signature signature)
{
	int64_t onset = onset_draw(d, signature);
	const struct a_kind *rows;
	size_t count, first = 0, n = 0, start;

	rows = a_faults(&count);
	while (rows[first].signature != signature)
		first++;
	while (first + n < count && rows[first + n].signature == signature)
		n++;
	start = below(d, n);
	for (size_t i = 0; i < n; i++)
		if (place(d, &rows[first + (start + i) % n], onset))
			return true;
	return false;
}

static void signatures_shuffle(struct deal *d,
			       enum signature deck[SIGNATURE_COUNT],
			       size_t *ret_count)
{
	bool has[SIGNATURE_COUNT] = { false };
	const struct a_kind *rows;
	size_t count, n = 0;

	rows = a_faults(&count);
	for (size_t i = 0; i < count; i++)
		has[rows[i].signature] = true;
	has[SIGNATURE_ENVIRONMENT] = false;	/* dealt apart */
	has[SIGNATURE_SHARED_COMPONENT] = false;
	for (unsigned s = 1; s < SIGNATURE_COUNT; s++)
		if (has[s])
			deck[n++] = (enum signature)s;
	for (size_t i = n - 1; i > 0; i--) {
		size_t k = below(d, i + 1);
		enum signature swap = deck[i];

		deck[i] = deck[k];
		deck[k] = swap;
	}
	*ret_count = n;
}

/* What needs a whole zone or group comes first, while there is one. */
static void faults_deal(struct deal *d)
{
	enum signature deck[SIGNATURE_COUNT];
	double wide = d->c->ports / WIDE_PORTS;
	size_t count, in_vain = 0;

	signatures_shuffle(d, deck, &count);
	if (draw_unit(&d->draw) < wide)
		(void)signature_place(d, SIGNATURE_ENVIRONMENT);
	if (draw_unit(&d->draw) < wide)
		(void)signature_place(d, SIGNATURE_SHARED_COMPONENT);
	for (size_t i = 0; in_vain < count &&
	     busy_count(d) < FAULTY_SHARE * d->c->ports; i++)
		in_vain = signature_place(d, deck[i % count]) ? 0 :
			in_vain + 1;
}

static void stranges_deal(struct deal *d)
{
	const struct a_kind *rows;
	size_t count, start, in_vain = 0;

	rows = a_stranges(&count);
	start = below(d, count);
	for (size_t i = start; in_vain < count &&
	     busy_count(d) < FAULTY_SHARE * d->c->ports; i++)
		in_vain = place(d, &rows[i % count], onset_draw(d, 0)) ? 0 :
			in_vain + 1;
}

/* Whether a link goes on with it, so that another fault can be seen. */
static bool goes_on(const struct a_kind *k)
{
	return (k->scope == A_PORT || k->scope == A_CAGE) &&
		k->signature != SIGNATURE_LINK_DOWN &&
		k->signature != SIGNATURE_MODULE_CHANGED;
}

static bool is_second(const struct a_kind *first, const struct a_kind *k)
{
	return k->signature != first->signature &&
		k->signature != SIGNATURE_LANE_IMBALANCE &&
		k->signature != SIGNATURE_MODULE_CHANGED &&
		(k->scope == A_PORT || k->scope == A_CAGE);
}

/* A row of a name; each name as often. */
static const struct a_kind *fault_draw(struct deal *d)
{
	const struct a_kind *rows, *k;
	size_t count, alike;

	rows = a_faults(&count);
	do {
		k = &rows[below(d, count)];
		alike = 0;
		for (size_t i = 0; i < count; i++)
			alike += rows[i].signature == k->signature;
	} while (below(d, alike) != 0);
	return k;
}

/* Two of different names on one port. */
static void two_place(struct deal *d)
{
	const struct a_kind *first = fault_draw(d), *second = fault_draw(d);
	const struct a_port *p = &d->port[below(d, d->c->ports)];
	int64_t onset = at_share(d, draw_between(&d->draw, 0.1, 0.4));
	uint64_t ports;

	if (!goes_on(first) || !is_second(first, second) ||
	    d->busy & p->cage || (p->is & second->needs) != second->needs)
		return;
	ports = ports_for(d, first, p, 0);
	if (!ports)
		return;
	add(d, first, ports, first->signature == SIGNATURE_LANE_IMBALANCE ?
	    0 : onset);
	ports = scope_of(d, second, p);
	add(d, second, ports,
	    onset + at_share(d, draw_between(&d->draw, 0.1, 0.5)));
}

static void twos_deal(struct deal *d)
{
	for (unsigned i = 0; i < TRIES * d->c->ports &&
	     busy_count(d) < TWICE_SHARE * d->c->ports; i++)
		two_place(d);
}

static int64_t any_time(struct deal *d)
{
	return at_share(d, draw_between(&d->draw, 0.05, 0.95));
}

/* Rows of benign changes of ports come first, then those of switches. */
static const struct a_kind *benign_rows(bool of_switch, size_t *ret_count)
{
	const struct a_kind *rows;
	size_t count, first = 0;

	rows = a_benigns(&count);
	while (rows[first].scope != A_SWITCH)
		first++;
	*ret_count = of_switch ? count - first : first;
	return of_switch ? &rows[first] : rows;
}

/* Benign changes of ports, until half of the ports are struck. */
static void benigns_deal(struct deal *d)
{
	const struct a_kind *rows;
	size_t count, start, in_vain = 0;

	rows = benign_rows(false, &count);
	start = below(d, count);
	for (size_t i = start; in_vain < count; i++)
		in_vain = place(d, &rows[i % count], any_time(d)) ? 0 :
			in_vain + 1;
}

/* More of them on ports that had one, as the case is long. */
static void benigns_repeat(struct deal *d)
{
	double days = d->setting.length_s / DAY_S;
	size_t struck = d->hand->count;

	for (size_t i = 0; i < struck; i++) {
		struct a_deed first = d->hand->deed[i];
		uint64_t n = draw_poisson(&d->draw, days / PORT_EVERY_DAYS);

		if (first.kind->scope == A_SWITCH || first.onset_ns == 0)
			continue;
		for (uint64_t k = 0; k < n && !d->failed; k++)
			add(d, first.kind, first.ports, any_time(d));
	}
}

/* What befalls the whole switch: count kinds, one after the other. */
static void switch_deal(struct deal *d, uint64_t count)
{
	const struct a_kind *rows;
	size_t kinds, at;

	rows = benign_rows(true, &kinds);
	at = below(d, kinds);
	for (; count > 0 && !d->failed; at++, count--)
		add(d, &rows[at % kinds], all_ports(d), any_time(d));
}

static int by_onset(const void *a, const void *b)
{
	const struct a_deed *x = a, *y = b;

	if (x->onset_ns != y->onset_ns)
		return x->onset_ns < y->onset_ns ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

static void mix_deal(struct deal *d)
{
	double length_s = d->setting.length_s;
	bool is_long = length_s > SHORT_S;

	switch (d->c->mix) {
	case MIX_FAULTS:
		faults_deal(d);
		benigns_deal(d);
		break;
	case MIX_TWO:
		twos_deal(d);
		break;
	case MIX_STRANGE:
		stranges_deal(d);
		benigns_deal(d);
		break;
	default:
		benigns_deal(d);
		benigns_repeat(d);
		switch_deal(d, (is_long ? 9 : 4) +
			    draw_poisson(&d->draw, length_s / DAY_S /
					 SWITCH_EVERY_DAYS));
		return;
	}
	switch_deal(d, below(d, 3) + draw_poisson(&d->draw, length_s / DAY_S /
						  SWITCH_EVERY_DAYS));
}

int a_deal(const struct world_case *c, const struct a_port *port,
	   struct a_hand *ret)
{
	struct deal d = {
		.c = c, .port = port, .hand = ret,
		.setting = {
			.c = c,
			.length_s = (double)c->length_ns / (double)NS_PER_S,
			.tick_s = c->pace == PACE_SLOW ? 60 : 1,
			.slow = c->pace == PACE_SLOW,
		},
	};

	*ret = (struct a_hand){ 0 };
	draw_init(&d.draw, draw_key(c->seed, DRAW_DEAL, c->mix, c->hard));
	mix_deal(&d);
	if (d.failed) {
		a_hand_fini(ret);
		return -ENOMEM;
	}
	if (ret->count > 0)
		qsort(ret->deed, ret->count, sizeof(*ret->deed), by_onset);
	return 0;
}

void a_hand_fini(struct a_hand *h)
{
	free(h->deed);
	*h = (struct a_hand){ 0 };
}
