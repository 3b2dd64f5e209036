/* The reader of the collector's spool, and the ledger behind it: a segment of
 * any octets. What is whole is handed out, nothing is read twice.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/collect/follow.h"
#include "agent/collect/ledger.h"

#define NAME "0000000000000001.seg"

struct folder {
	char path[32];
	int fd;
};

static void folder_make(struct folder *f)
{
	struct folder made = { "/tmp/petrel-fuzz-XXXXXX", -1 };

	if (!mkdtemp(made.path))
		abort();
	made.fd = open(made.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*f = made;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct place begin = { 0, 0 }, before = begin;
	struct mono now = { 0 };
	struct folder folder;
	struct ledger *ledger;
	struct follow *f;
	struct entry e;
	int fd, err;

	folder_make(&folder);
	fd = openat(folder.fd, NAME, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (write(fd, data, size) != (ssize_t)size ||
	    ledger_new(1, &ledger) < 0 ||
	    follow_open(&disk_durable, folder.fd, begin, &f) < 0)
		abort();
	(void)close(fd);
	while ((err = follow_next(f, NULL, &e)) == 0) {
		struct place at = follow_place(f);

		assert(place_is_before(&before, &at));
		before = at;
		(void)ledger_entry(ledger, &e, at, now);
	}
	assert(err == -EAGAIN || err == -EBADMSG);
	follow_close(f);
	ledger_free(ledger);
	(void)unlinkat(folder.fd, NAME, 0);
	(void)close(folder.fd);
	(void)rmdir(folder.path);
	return 0;
}
