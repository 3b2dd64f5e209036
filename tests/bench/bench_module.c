/* What a module's memory costs: ns per full decode of a CMIS module with VDM
 * in all its slots, and what a steady tick reads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "petrel/clock.h"
#include "tests/support/module_twin.h"

#define ROUNDS 200
#define DECODES 100
#define TARGET_NS 20000
#define TARGET_OCTETS 160
#define TARGET_READS 3
#define MODULES 64
/* An octet on the bus at 400 kHz is 9 clocks; a read sends address, offset,
 * address before its octets.
 */
#define OCTET_NS 22500
#define READ_OCTETS 3
#define READS_MAX 64

static int64_t now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void on_text(void *context, enum attribute which, const char *text)
{
	(void)which;
	(void)text;
	++*(unsigned *)context;
}

static void on_value(void *context, enum quantity quantity, unsigned lane,
		     unsigned index, int64_t value, enum sample_quality quality)
{
	(void)quantity;
	(void)lane;
	(void)index;
	(void)value;
	(void)quality;
	++*(unsigned *)context;
}

static void on_implausible(void *context, const struct module_doubt *doubt)
{
	(void)context;
	(void)doubt;
}

/* Four groups of 64 observables, each with thresholds and flags. */
static void vdm_fill(struct module_image *m)
{
	static const uint8_t types[] = { 5, 6, 7, 9, 11, 13, 15, 17 };

	twin_u8(m, 0, 0x2f, 128, 3);
	for (unsigned i = 0; i < 256; i++) {
		unsigned page = i / 64, at = 128 + 2 * (i % 64);

		twin_u8(m, 0, 0x20 + page, at, i / 8 % 16 << 4 | i % 8);
		twin_u8(m, 0, 0x20 + page, at + 1, types[i / 8 % 8]);
		twin_u16(m, 0, 0x24 + page, at, 0x5000 + i);
		/* high alarm, low alarm, high warning, low warning */
		twin_u16(m, 0, 0x28 + page, at, 0x5100 +
			 (const uint8_t[]){ 3, 0, 2, 1 }[i % 4]);
	}
}

static double decode_ns(const struct module_image *m, unsigned parts,
			unsigned *ret_said)
{
	static double ns[ROUNDS];
	struct module_sink sink = { ret_said, on_text, on_value,
				    on_implausible };
	struct diag d;

	for (unsigned i = 0; i < ROUNDS; i++) {
		int64_t begin = now_ns();

		for (unsigned k = 0; k < DECODES; k++) {
			*ret_said = 0;
			if (module_decode(m, parts, &sink, &d) < 0)
				exit(1);
		}
		ns[i] = (double)(now_ns() - begin) / DECODES;
	}
	qsort(ns, ROUNDS, sizeof(ns[0]), compare);
	return ns[ROUNDS / 2];
}

/* Reads all once, then counts what one more tick reads. */
static void tick_count(const struct module_image *module, unsigned parts,
		       size_t *ret_reads, size_t *ret_octets)
{
	struct module_read reads[READS_MAX];
	struct module_image image = *module;
	uint8_t octets[MODULE_PAGE_LEN];
	size_t n;

	*ret_reads = *ret_octets = 0;
	module_image_forget(&image, parts);
	while ((n = module_plan(&image, parts, false, reads, READS_MAX))) {
		for (size_t i = 0; i < n; i++) {
			const struct module_read *r = &reads[i];

			if (module_image_get(module, r->bank, r->page,
					     r->offset, octets, r->len) < 0 ||
			    module_image_put(&image, r->bank, r->page,
					     r->offset, octets, r->len) < 0)
				exit(1);
			*ret_octets += r->len;
		}
		*ret_reads += n;
	}
}

/* Forgetting what a tick reads and planning for it anew. */
static double plan_ns(const struct module_image *module)
{
	unsigned parts = MODULE_MONITORS | MODULE_STATUS | MODULE_VDM;
	static struct module_image image;
	struct module_read reads[READS_MAX];
	int64_t begin;

	image = *module;
	begin = now_ns();
	for (unsigned i = 0; i < ROUNDS; i++) {
		module_image_forget(&image, parts);
		if (!module_plan(&image, parts, false, reads, READS_MAX))
			exit(1);
	}
	return (double)(now_ns() - begin) / ROUNDS;
}

int main(void)
{
	static struct module_image module;
	size_t reads, octets;
	unsigned said;
	double ns;

	twin_cmis(&module);
	vdm_fill(&module);
	ns = decode_ns(&module, MODULE_ALL_PARTS, &said);
	(void)printf("module: full decode of CMIS with 256 VDM observables: "
		     "%.0f ns, %u values and texts (target %d ns)\n", ns, said,
		     TARGET_NS);
	(void)printf("module: monitors and states alone: %.0f ns\n",
		     decode_ns(&module, MODULE_MONITORS | MODULE_STATUS,
			       &said));
	(void)printf("module: plan of a tick: %.0f ns\n",
		     plan_ns(&module));
	tick_count(&module, MODULE_MONITORS | MODULE_STATUS, &reads, &octets);
	(void)printf("module: steady tick of 8 lanes: %zu octets in %zu "
		     "transactions (target %d in %d)\n", octets, reads,
		     TARGET_OCTETS, TARGET_READS);
	(void)printf("module: bus of %d modules at 400 kHz: %.2f s a tick\n",
		     MODULES, MODULES * (double)(octets + reads * READ_OCTETS) *
		     OCTET_NS / 1e9);
	return ns > TARGET_NS || reads > TARGET_READS ||
	       octets > TARGET_OCTETS;
}
