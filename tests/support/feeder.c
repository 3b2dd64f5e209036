/* Stands in for an agent: fills the three rings with records that number
 * themselves, and has the real sender push them, in a child that it makes
 * again when it dies.
 *
 * usage: feeder DIR URL NAME RECORDS PER_SECOND RING_KIB PAD HEARTBEAT_MS
 *
 * RECORDS a stream, PER_SECOND of them (0: at once), events padded with PAD
 * octets. Goes on where the rings in DIR end, so it may be killed, too. Once
 * there is a file DIR/enough, as many as the fullest stream has are all. Writes
 * the sender's pid to DIR/sender.pid, and how many were appended to DIR/full
 * when that is all; ends on SIGTERM.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/event.h"
#include "agent/base/number.h"
#include "agent/base/ring.h"
#include "agent/process/control.h"
#include "agent/record/encode.h"
#include "petrel/log.h"
#include "petrel/platform.h"
#include "petrel/quantity.h"

#define PORTS 16u
#define CHANGE_EVERY 50u	/* events to a change of the dictionary */
#define SLICE_NS (10 * NS_PER_MS)

struct feeder {
	struct process_env env;
	struct ring_set rings;
	struct control *control;
	struct encoder *encoder;
	const char *name;
	uint64_t records, per_second, pad;
	uint32_t version;	/* of the dictionary */
	uint64_t snapshot_wanted;
	uint32_t tick;
	pid_t sender;
	/* One column of one quantity over all ports. */
	uint32_t entity[PORTS];
	uint64_t is_new[PORTS / SAMPLE_BITS + 1];
	int64_t value[PORTS];
	uint8_t quality[PORTS];
	struct group_age group[PORTS];
};

static __attribute__((noreturn)) void die(const char *what, int err)
{
	(void)fprintf(stderr, "feeder: %s: %s\n", what, strerror(-err));
	exit(EXIT_FAILURE);
}

static uint64_t number_of(const char *text)
{
	uint64_t value;

	if (number_parse(text, 0, INT64_MAX, &value) < 0)
		die(text, -EINVAL);
	return value;
}

/* --- records -------------------------------------------------------------- */

static int record_put(void *context, enum stream stream,
		      enum record_kind kind, uint16_t flags,
		      const void *payload, size_t len)
{
	static const uint64_t one = 1;
	struct feeder *f = context;
	int err = ring_append(f->rings.ring[stream], kind, flags, payload,
			      len);

	(void)!write(f->env.record_event_fd, &one, sizeof(one));
	return err;
}

static uint64_t record_sequence(void *context, enum stream stream)
{
	struct feeder *f = context;

	return ring_next(f->rings.ring[stream]);
}

static void dictionary_put(struct feeder *f, bool snapshot)
{
	static const char *const none[ATTRIBUTE_COUNT];
	struct encoder_source source = { 0, "feeder.counters", NS_PER_S };
	struct encoder_entity entities[PORTS + 1];
	struct entity_key keys[PORTS + 1];

	keys[0] = (struct entity_key){ .kind = ENTITY_SWITCH };
	for (unsigned i = 0; i <= PORTS; i++) {
		if (i > 0)
			keys[i] = (struct entity_key){ .kind = ENTITY_PORT,
						       .parent = 1 };
		(void)snprintf(keys[i].name, sizeof(keys[i].name),
			       i > 0 ? "Ethernet%u" : "switch%u",
			       i > 0 ? 4 * (i - 1) : 0);
		entities[i] = (struct encoder_entity){ i + 1, &keys[i], none,
						       false };
	}
	f->version++;
	ring_mark_set(f->rings.ring[STREAM_STATES],
		      RING_MARK_DICTIONARY_VERSION, f->version);
	(void)encoder_dictionary(f->encoder, f->version, snapshot, entities,
				 snapshot ? PORTS + 1 : 1, &source, 1);
}

static void state_put(struct feeder *f)
{
	struct ring *ring = f->rings.ring[STREAM_STATES];
	uint64_t wanted = ring_mark(ring, RING_MARK_SNAPSHOT_WANTED);
	char text[32768];
	size_t pad = f->pad < sizeof(text) ? f->pad : sizeof(text) - 1;

	if (ring_wants_reference(ring) || wanted != f->snapshot_wanted) {
		f->snapshot_wanted = wanted;
		dictionary_put(f, true);
		return;
	}
	if (ring_next(ring) % CHANGE_EVERY == 0) {
		dictionary_put(f, false);
		return;
	}
	memset(text, 'x', pad);
	text[pad] = '\0';
	(void)encoder_event(f->encoder, &(struct event){
		.entity = 2, .what = EVENT_LINK_UP,
		.value = (int64_t)ring_next(ring), .when = clock_mono_now(),
		.text = text });
}

static void finding_put(struct feeder *f)
{
	struct finding x = { .signature = SIGNATURE_LINK_DOWN,
			     .severity = SEVERITY_WARN, .end = END_NEAR,
			     .state = FINDING_RAISED,
			     .action = ACTION_OBSERVE, .drain = DRAIN_NONE,
			     .entity = 2, .subject = "Ethernet0",
			     .confidence = 1, .cause = "made up",
			     .onset = clock_mono_now(),
			     .onset_wall = clock_wall_now() };

	x.when = x.onset;
	x.when_wall = x.onset_wall;
	finding_id_make(f->name, x.subject, x.signature, x.onset_wall, x.id);
	(void)encoder_finding(f->encoder, &x, false);
}

static void batch_put(struct feeder *f)
{
	struct sample_column column = { Q_IF_IN_OCTETS, 0, 0, PORTS, f->entity,
					f->value, f->quality, ++f->tick,
					f->is_new };
	struct group_column group = { 0, PORTS, f->entity, f->group,
				      NULL };
	struct mono now = clock_mono_now();

	for (unsigned i = 0; i < PORTS; i++) {
		sample_mark(f->is_new, i, true);
		f->value[i] += 1000 + i;
		f->group[i].taken = now;
	}
	if (ring_wants_reference(f->rings.ring[STREAM_SAMPLES]))
		encoder_want_reference(f->encoder);
	(void)encoder_batch(f->encoder, now, f->tick, f->version, &column, 1,
			    &group, 1);
}

static bool stream_is_full(const struct feeder *f, enum stream stream)
{
	return ring_next(f->rings.ring[stream]) > f->records;
}

static void enough_look(struct feeder *f)
{
	uint64_t most = 1;

	if (faccessat(f->env.run_dir_fd, "enough", F_OK, 0) < 0)
		return;
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (ring_next(f->rings.ring[i]) - 1 > most)
			most = ring_next(f->rings.ring[i]) - 1;
	if (most < f->records)
		f->records = most;
}

/* Returns false when every stream has its records. */
static bool records_put(struct feeder *f)
{
	bool is_full = true;

	if (!stream_is_full(f, STREAM_STATES))
		state_put(f);
	if (!stream_is_full(f, STREAM_FINDINGS))
		finding_put(f);
	if (!stream_is_full(f, STREAM_SAMPLES))
		batch_put(f);
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		is_full &= stream_is_full(f, i);
	return !is_full;
}

/* --- the sender ----------------------------------------------------------- */

static void file_put(int dir_fd, const char *name, long value)
{
	int fd = openat(dir_fd, "new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			0600);

	if (fd < 0 || dprintf(fd, "%ld\n", value) < 0 || close(fd) < 0 ||
	    renameat(dir_fd, "new", dir_fd, name) < 0)
		die(name, -errno);
}

static void sender_start(struct feeder *f)
{
	pid_t parent = getpid();

	f->sender = fork();
	if (f->sender == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(EXIT_FAILURE);
		_exit(sender_run(&f->env));
	}
	if (f->sender < 0)
		die("fork", -errno);
	file_put(f->env.run_dir_fd, "sender.pid", f->sender);
}

static void sender_keep(struct feeder *f)
{
	int status;

	if (waitpid(f->sender, &status, WNOHANG) == f->sender)
		sender_start(f);
}

/* As the supervisor before the machine goes down, once somebody asks. */
static void end_look(struct feeder *f)
{
	static const uint64_t one = 1;
	struct control_memory *m = &f->control->memory;

	if (faccessat(f->env.run_dir_fd, "end", F_OK, 0) < 0 ||
	    atomic_load(&m->asked) == ROLE_SENDER)
		return;
	atomic_store(&m->asked, ROLE_SENDER);
	(void)!write(f->env.config_event_fd[ROLE_SENDER], &one, sizeof(one));
	while (atomic_load(&m->done) != ROLE_SENDER)
		(void)usleep(1000);
	file_put(f->env.run_dir_fd, "ended", 1);
}

/* --- all of it ------------------------------------------------------------ */

/* urls: one; or some with commas between them, or with + each for all. */
static void config_set(struct feeder *f, char *urls, uint64_t heartbeat_ms)
{
	struct config *c = &f->control->config;

	c->mirror = strchr(urls, '+') != NULL;
	for (unsigned i = 0; urls && i < CONFIG_COLLECTORS_MAX; i++)
		(void)snprintf(c->collector[i], sizeof(c->collector[i]), "%s",
			       strsep(&urls, ",+"));
	c->insecure = true;
	c->window_octets = 512 << 10;
	c->log_level = LOG_PRIORITY_INFO;
	c->heartbeat_ns = (int64_t)heartbeat_ms * NS_PER_MS;
}

/* A spool below this root. */
static void spool_set(struct feeder *f, const char *root)
{
	f->control->config.spool_octets = 64 << 20;
	f->control->config.spool_day_octets = 1 << 30;
	f->env.root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->env.root_fd < 0)
		die(root, -errno);
}

static void env_make(struct feeder *f, const char *dir, uint64_t ring_kib)
{
	struct control_identity who = { .id = "" };
	size_t octets[STREAM_COUNT];
	uint64_t run = 0;
	struct diag d;

	for (unsigned i = 0; i < STREAM_COUNT; i++)
		octets[i] = ring_kib << 10;
	f->env.run_dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->env.run_dir_fd < 0 || getrandom(&run, sizeof(run), 0) < 0)
		die(dir, -errno);
	if (ring_set_open(f->env.run_dir_fd, octets, run, &f->rings, &d) < 0) {
		(void)fprintf(stderr, "feeder: %s\n", d.text);
		exit(EXIT_FAILURE);
	}
	f->control = mmap(NULL, sizeof(*f->control), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (f->control == MAP_FAILED)
		die("mmap", -errno);
	f->env.control = f->control;
	f->env.root_fd = -1;
	f->env.rings = &f->rings;
	(void)snprintf(who.id, sizeof(who.id), "%s", f->name);
	(void)snprintf(who.name, sizeof(who.name), "%s", f->name);
	control_identity_set(f->control, &who);
	f->env.record_event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (unsigned i = 0; i < ROLE_COUNT; i++)
		f->env.config_event_fd[i] = eventfd(0, EFD_CLOEXEC |
						    EFD_NONBLOCK);
}

static void encoder_make(struct feeder *f)
{
	struct encoder_limits limits = { .slots = 1024, .columns = 8,
					 .lists = 8, .entities = PORTS + 1 };
	struct record_sink sink = { f, record_put, record_sequence };
	struct clock_reading now;

	if (encoder_new(&limits, &sink, &f->encoder) < 0)
		die("encoder", -ENOMEM);
	for (unsigned i = 0; i < PORTS; i++)
		f->entity[i] = i + 2;
	f->version = (uint32_t)ring_mark(f->rings.ring[STREAM_STATES],
					 RING_MARK_DICTIONARY_VERSION);
	if (!f->rings.fresh) {
		dictionary_put(f, true);
		return;
	}
	clock_read(&now);
	(void)encoder_run(f->encoder, &(struct encoder_origin){
		.run = f->rings.run, .previous_last = f->rings.previous_last,
		.switch_id = "", .switch_name = f->name,
		.version = PETREL_VERSION, .clock = &now });
	dictionary_put(f, true);
}

int main(int argc, char **argv)
{
	static struct feeder f;
	struct timespec slice = { 0, SLICE_NS };
	struct mono start;
	bool is_full = false, is_told = false;
	uint64_t rounds = 0;

	if (argc != 9 && argc != 10)
		return EXIT_FAILURE;
	log_open("feeder", LOG_TARGET_STDERR, LOG_PRIORITY_INFO);
	f.name = argv[3];
	f.records = number_of(argv[4]);
	f.per_second = number_of(argv[5]);
	f.pad = number_of(argv[7]);
	env_make(&f, argv[1], number_of(argv[6]));
	config_set(&f, argv[2], number_of(argv[8]));
	if (argc == 10)
		spool_set(&f, argv[9]);
	sender_start(&f);
	encoder_make(&f);
	start = clock_mono_now();
	for (;;) {
		uint64_t due = f.per_second == 0 ? UINT64_MAX :
			(uint64_t)mono_diff_ns(clock_mono_now(), start) /
			1000 * f.per_second / 1000000;

		enough_look(&f);
		end_look(&f);
		while (!is_full && rounds < due) {
			is_full = !records_put(&f);
			rounds++;
		}
		if (is_full && !is_told)
			file_put(f.env.run_dir_fd, "full", (long)f.records);
		is_told = is_full;
		sender_keep(&f);
		(void)nanosleep(&slice, NULL);
	}
}
