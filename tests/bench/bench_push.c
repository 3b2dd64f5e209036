/* Durable, acknowledged frames a second: petrel-collector against a bare loop
 * that takes raw REQ/REP frames, writes them, syncs a group and acknowledges
 * it. The same client, interleaved pairs, 1 KiB frames of one record.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/push/transport.h"
#include "petrel/clock.h"

#define PAIRS 10
#define MEASURE_NS (NS_PER_S)
#define WINDOW 512u
#define PAYLOAD 944u		/* with header and envelope 1000 octets */
#define GROUP_MAX 512u

static void nap(void)
{
	struct timespec t = { 0, 50000 };

	(void)nanosleep(&t, NULL);
}

/* --- the floor ------------------------------------------------------------ */

static void frame_answer(struct transport *t, const struct transport_peer *peer,
			 enum frame_kind kind, uint64_t states)
{
	uint8_t frame[64];
	struct writer w = writer_of(frame, sizeof(frame));
	struct positions p = { { 0, states, 0 } };

	struct writer body = writer_of(frame + ENVELOPE_LEN,
				       sizeof(frame) - ENVELOPE_LEN);

	positions_write(&body, &p);
	if (kind == FRAME_ACK)
		writer_u8(&body, ACK_DURABLE);
	envelope_write(&w, &(struct envelope){
				.version = WIRE_VERSION, .kind = (uint8_t)kind,
				.session = 1, .length = (uint32_t)body.pos },
		       body.data);
	w.pos += body.pos;
	(void)transport_send(t, peer, frame, w.pos);
}

static void floor_run(const char *url, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	static uint8_t frame[WIRE_FRAME_MAX];
	struct transport_peer peer;
	struct transport *t;
	uint64_t kept = 0;

	if (fd < 0 || transport_bind(url, &t, NULL) < 0)
		_exit(EXIT_FAILURE);
	for (;;) {
		unsigned group = 0;
		int n = 0;

		while (group < GROUP_MAX) {
			n = transport_receive(t, &peer, frame, sizeof(frame));
			if (n < 0)
				break;
			if (frame[5] == FRAME_HELLO) {
				frame_answer(t, &peer, FRAME_WELCOME, 0);
				continue;
			}
			if (write(fd, frame, (size_t)n) != n)
				_exit(EXIT_FAILURE);
			group++;
		}
		kept += group;
		if (group > 0 && fdatasync(fd) == 0)
			frame_answer(t, &peer, FRAME_ACK, kept);
		else
			nap();
	}
}

/* --- the client ----------------------------------------------------------- */

static size_t data_make(uint64_t session, uint64_t sequence, uint8_t *frame,
			size_t cap)
{
	static const uint8_t payload[PAYLOAD];
	struct writer w = writer_of(frame, cap);
	struct record_header h = { .length = PAYLOAD,
				   .stream = STREAM_STATES,
				   .kind = RECORD_CAPSULE,
				   .sequence = sequence, .last = sequence };

	struct writer body = writer_of(frame + ENVELOPE_LEN,
				       cap - ENVELOPE_LEN);

	record_write(&body, &h, payload);
	envelope_write(&w, &(struct envelope){
				.version = WIRE_VERSION, .kind = FRAME_DATA,
				.session = session,
				.length = (uint32_t)body.pos }, body.data);
	return w.pos + body.pos;
}

static void hello_say(struct transport *t)
{
	uint8_t frame[64];
	struct writer w = writer_of(frame, sizeof(frame));
	struct writer body = writer_of(frame + ENVELOPE_LEN,
				       sizeof(frame) - ENVELOPE_LEN);

	writer_be64(&body, 7);
	writer_u8(&body, 5);
	writer_bytes(&body, "bench", 5);
	writer_be64(&body, 0);
	writer_u8(&body, 5);
	writer_bytes(&body, "bench", 5);
	envelope_write(&w, &(struct envelope){
				.version = WIRE_VERSION, .kind = FRAME_HELLO,
				.length = (uint32_t)body.pos }, body.data);
	while (transport_send(t, NULL, frame, w.pos + body.pos) < 0)
		nap();
}

/* What came: the session of a WELCOME, or what an ACK says is durable. */
static void answers_take(struct transport *t, uint64_t *session,
			 uint64_t *acked)
{
	uint8_t frame[1024];
	int n;

	while ((n = transport_receive(t, NULL, frame, sizeof(frame))) >= 0) {
		struct cursor c = cursor_of(frame, (size_t)n);
		struct positions p;
		struct envelope e;

		if (envelope_read(&c, &e) < 0 || positions_read(&c, &p) < 0)
			continue;
		*session = e.session;
		if (p.last[STREAM_STATES] > *acked)
			*acked = p.last[STREAM_STATES];
	}
}

static double client_run(const char *url)
{
	uint64_t session = 0, acked = 0, sent = 0, at_start;
	uint8_t frame[2048];
	struct transport *t;
	struct mono start;

	if (transport_connect(url, NULL, &t, NULL) < 0)
		return 0;
	hello_say(t);
	while (session == 0) {
		answers_take(t, &session, &acked);
		nap();
	}
	start = clock_mono_now();
	at_start = acked;
	while (mono_diff_ns(clock_mono_now(), start) < MEASURE_NS) {
		bool full = sent - acked >= WINDOW;

		if (!full) {
			size_t len = data_make(session, sent + 1, frame,
					       sizeof(frame));

			full = transport_send(t, NULL, frame, len) < 0;
			sent += !full;
		}
		answers_take(t, &session, &acked);
		if (full)
			nap();
	}
	return (double)(acked - at_start) * NS_PER_S /
	       (double)mono_diff_ns(clock_mono_now(), start);
}

/* --- both, in turn -------------------------------------------------------- */

static pid_t server_start(bool is_floor, const char *dir, const char *url,
			  const char *conf)
{
	const char *build = getenv("PETREL_BUILD");
	char path[256];
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (is_floor) {
		(void)snprintf(path, sizeof(path), "%s/floor", dir);
		floor_run(url, path);
	}
	(void)snprintf(path, sizeof(path), "%s/petrel-collector",
		       build ? build : "build");
	(void)execl(path, path, "--config", conf, (char *)NULL);
	_exit(EXIT_FAILURE);
}

static double measure(bool is_floor, const char *dir, unsigned round)
{
	char url[128], conf[128], command[192];
	pid_t server, client;
	double rate = 0;
	FILE *f;
	int ends[2];

	(void)snprintf(url, sizeof(url), "ipc://%s/socket%u%d", dir, round,
		       is_floor);
	(void)snprintf(conf, sizeof(conf), "%s/conf", dir);
	f = fopen(conf, "we");
	if (!f || pipe2(ends, O_CLOEXEC) < 0)
		exit(EXIT_FAILURE);
	(void)fprintf(f, "[Collector]\nlisten = %s\nspool = %s/spool%u\n"
		      "database = %s/db%u\ninsecure = yes\n[HTTP]\nlisten =\n"
		      "[Log]\nlevel = error\n", url, dir, round, dir, round);
	(void)fclose(f);
	server = server_start(is_floor, dir, url, conf);
	client = fork();
	if (client == 0) {	/* nanomsg lives in no process that forks */
		rate = client_run(url);
		(void)!write(ends[1], &rate, sizeof(rate));
		_exit(EXIT_SUCCESS);
	}
	(void)!read(ends[0], &rate, sizeof(rate));
	(void)waitpid(client, NULL, 0);
	(void)kill(server, SIGKILL);
	(void)waitpid(server, NULL, 0);
	(void)close(ends[0]);
	(void)close(ends[1]);
	(void)snprintf(command, sizeof(command), "%s/floor", dir);
	(void)unlink(command);
	return rate;
}

static int rate_compare(const void *a, const void *b)
{
	double x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

static double median(double *values, unsigned n)
{
	qsort(values, n, sizeof(*values), rate_compare);
	return n % 2 ? values[n / 2] :
		       (values[n / 2 - 1] + values[n / 2]) / 2;
}

int main(void)
{
	double collector[PAIRS], bare[PAIRS], ratio[PAIRS];
	char dir[] = "/tmp/petrel-bench-XXXXXX", command[64];

	if (!mkdtemp(dir))
		return EXIT_FAILURE;
	for (unsigned i = 0; i < PAIRS; i++) {
		bare[i] = measure(true, dir, i);
		collector[i] = measure(false, dir, i);
		ratio[i] = bare[i] > 0 ? collector[i] / bare[i] : 0;
	}
	(void)snprintf(command, sizeof(command), "rm -r %s", dir);
	(void)!system(command);
	printf("push: durable acknowledged 1 KiB frames/s, window %u, median "
	       "of %d pairs: collector %.0f, bare loop %.0f, ratio %.2f "
	       "(reach >= 0.7)\n", WINDOW, PAIRS, median(collector, PAIRS),
	       median(bare, PAIRS), median(ratio, PAIRS));
	return EXIT_SUCCESS;
}
