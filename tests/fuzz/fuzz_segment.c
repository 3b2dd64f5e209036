/* The sender's spool opens a segment of any octets: what is whole is read as
 * it stands, and nothing twice.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>

#include "agent/spool/spool.h"
#include "tests/support/sim_disk.h"

#define NAME "0000000000000001.seg"

static struct sim_disk *disk_with(const uint8_t *data, size_t size)
{
	struct sim_disk *d = calloc(1, sizeof(*d));
	int fd;

	assert(d);
	sim_disk_init(d);
	fd = d->disk.open(d, SIM_DISK_FOLDER, NAME, O_WRONLY | O_CREAT, 0600);
	if (disk_append(&d->disk, fd, data, size) < 0)
		abort();
	(void)d->disk.close(d, fd);
	return d;
}

/* Returns how many records were read. */
static unsigned all_read(struct spool *s, const struct spool_run *run,
			 enum stream stream)
{
	static uint8_t record[RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX];
	uint64_t next = 0;
	unsigned n = 0;

	while ((next = spool_from(spool_index(s), run->run, stream,
				  next + 1)) > 0) {
		int len = spool_read(s, run->run, stream, next, record,
				     sizeof(record));
		struct cursor c = cursor_of(record, len < 0 ? 0 : (size_t)len);
		struct record_header h;
		const uint8_t *payload;

		if (len < 0)
			continue;
		assert(record_read(&c, &h, &payload) == 0 &&
		       h.sequence == next && h.stream == stream);
		n++;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct spool_budget budget = { .octets = 0 };
	struct spool_limits limits = { 1 << 20, 1000, 1 << 20, &budget };
	struct sim_disk *d;
	struct spool_run run;
	unsigned records[2] = { 0 };

	if (size > SIM_DISK_OCTETS - 100)
		return 0;
	d = disk_with(data, size);
	for (unsigned i = 0; i < 2; i++) {
		struct spool *s;

		if (spool_open(&d->disk, SIM_DISK_FOLDER, &limits,
			       (struct mono){ 1 }, &s, NULL) < 0)
			abort();
		if (spool_past(spool_index(s), 0, &run))
			for (unsigned k = 0; k < STREAM_COUNT; k++)
				records[i] += all_read(s, &run, k);
		spool_close(s);
	}
	assert(records[0] >= records[1]);
	free(d);
	return 0;
}
