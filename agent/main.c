/* petreld: options, then the supervisor. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "agent/base/path.h"
#include "agent/base/ring.h"
#include "agent/process/control.h"
#include "agent/process/exporter.h"
#include "agent/process/home.h"
#include "agent/process/own_key.h"
#include "agent/process/remember.h"
#include "agent/process/rights.h"
#include "agent/process/settings.h"
#include "agent/process/supervisor.h"
#include "agent/sample/relay.h"
#include "petrel/local.h"
#include "petrel/log.h"
#include "platform/registry.h"

#define EXIT_CONFIG 78		/* EX_CONFIG of sysexits.h */
#define LARGE_OCTETS (64 * 1024)
#define STEP_OCTETS (16 * 1024)

struct start_options {
	const char *config_path, *root;
	bool config_given, foreground, check;
	struct registry *drivers;
	struct config_keys *keys;
};

static void usage(FILE *out)
{
	fputs("usage: petreld [--config FILE] [--root DIR] [--foreground] "
	      "[--check]\n"
	      "       petreld --version | --help\n"
	      "  --config FILE  default " CONFIG_PATH_DEFAULT "\n"
	      "  --root DIR     stands for the switch's /\n"
	      "  --foreground   stay attached, log to standard error\n"
	      "  --check        read the configuration, say what is wrong, "
	      "end\n", out);
}

/* Returns -1 to go on, else the exit status. */
static int options_parse(int argc, char **argv, struct start_options *ret)
{
	static const struct option longs[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "root", required_argument, NULL, 'r' },
		{ "foreground", no_argument, NULL, 'f' },
		{ "check", no_argument, NULL, 'k' },
		{ "version", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct start_options o = { .config_path = CONFIG_PATH_DEFAULT,
				   .root = "/" };
	int c;

	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		if ((c == 'c' || c == 'r') && !optarg[0]) {
			fprintf(stderr, "petreld: --%s needs %s, not an empty "
				"text\n", c == 'c' ? "config" : "root",
				c == 'c' ? "FILE" : "DIR");
			return EXIT_USAGE;
		}
		if (c == 'c') {
			o.config_path = optarg;
			o.config_given = true;
		} else if (c == 'r') {
			o.root = optarg;
		} else if (c == 'f') {
			o.foreground = true;
		} else if (c == 'k') {
			o.check = true;
		} else if (c == 'v') {
			puts("petreld " PETREL_VERSION);
			return EXIT_SUCCESS;
		} else {
			usage(c == 'h' ? stdout : stderr);
			return c == 'h' ? EXIT_SUCCESS : EXIT_USAGE;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "petreld: unexpected argument '%s'\n",
			argv[optind]);
		return EXIT_USAGE;
	}
	*ret = o;
	return -1;
}

/* Memory that parent and children share; it goes with the last of them. */
static void *shared_make(size_t size)
{
	void *m = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return m == MAP_FAILED ? NULL : m;
}

static int env_make(struct process_env *env, const struct config *c,
		    struct diag *d)
{
	int fds[3 + ROLE_COUNT];

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		fds[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (fds[i] < 0)
			return diag_set(d, -errno, "eventfd: %s",
					strerror(errno));
	}
	env->relay_event_fd = fds[0];
	env->record_event_fd = fds[1];
	env->reload_event_fd = fds[2];
	memcpy(env->config_event_fd, fds + 3, sizeof(env->config_event_fd));
	env->control = shared_make(sizeof(*env->control));
	env->relay = shared_make(relay_memory_size());
	if (!env->control || !env->relay)
		return diag_set(d, -ENOMEM, "no memory to share");
	relay_memory_init(env->relay);
	memcpy(&env->control->config, c, sizeof(*c));
	memcpy(&env->control->wanted, c, sizeof(*c));
	return 0;
}

static int rings_open(const struct config *c, int run_dir_fd,
		      struct ring_set *ret, struct diag *d)
{
	const size_t bytes[STREAM_COUNT] = {
		[STREAM_FINDINGS] = c->findings_ring_octets,
		[STREAM_STATES] = c->states_ring_octets,
		[STREAM_SAMPLES] = c->samples_ring_octets,
	};
	uint64_t run = 0;
	int rc;

	while (run == 0)
		if (getrandom(&run, sizeof(run), 0) != sizeof(run))
			return diag_set(d, -errno, "getrandom: %s",
					strerror(errno));
	d->text[0] = '\0';
	rc = ring_set_open(run_dir_fd, bytes, run, ret, d);
	if (rc < 0)
		return diag_prefix(d, rc, "[Agent] run_dir = %s", c->run_dir);
	if (ret->fresh)
		log_notice("supervisor", "run=%016llx begins%s%s",
			   (unsigned long long)ret->run,
			   d->text[0] ? ": " : "", d->text);
	else
		log_notice("supervisor", "run=%016llx continues",
			   (unsigned long long)ret->run);
	return 0;
}

/* What CONFIG_DB adds to the files, where there is one; a fault in it is told
 * in the status, and the files stand alone.
 */
static struct settings *settings_add(const struct start_options *o,
				     struct config *c, struct diag *refused)
{
	int root_fd = open(o->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct settings *s = NULL;

	if (root_fd < 0 || settings_open(root_fd, c, &s) < 0)
		return NULL;	/* home_open() tells of the root */
	settings_wait(s);
	(void)settings_tend(s, clock_mono_now());	/* it is taken here */
	if (settings_config(s, o->keys, o->config_path, !o->config_given, c,
			    refused) < 0)
		log_err("petreld", "without CONFIG_DB: %s", refused->text);
	return s;
}

/* What an earlier petreld made as root is handed over, then root given up. */
static int rights_settle(const struct start_options *o, const struct home *home,
			 const struct config *c, struct rights *ret,
			 struct diag *d)
{
	int fd, rc = rights_find(c, o->drivers, home->root_fd, ret, d);

	if (rc == 0)
		rc = rights_hand_over(ret, home->run_dir_fd, c->run_dir, d);
	fd = rc < 0 || !ret->was_root ? -1 :
	     path_open(home->root_fd, HOME_STATE_DIR, O_RDONLY | O_DIRECTORY);
	if (fd >= 0) {
		rc = rights_hand_over(ret, fd, HOME_STATE_DIR, d);
		(void)close(fd);	/* it was only handed over */
	}
	return rc < 0 ? rc : rights_confine_supervisor(ret, d);
}

/* Who the switch is, as far as it is known before anybody asked it. */
static void identity_recalled(struct control *control, const struct config *c,
			      struct home *home)
{
	const char *name = c->name[0] ? c->name :
			   home->is.name[0] ? home->is.name : home->host_name;
	char text[SWITCH_NAME_MAX];

	(void)snprintf(text, sizeof(text), "%.*s", (int)sizeof(text) - 1, name);
	memcpy(home->is.name, text, sizeof(text));
	control_identity_set(control, &home->is);
}

static void ended(const struct start_options *o, const char *run_dir,
		  const char *how, const char *why)
{
	struct diag d;

	(void)diag_set(&d, 0, "%s%s", how, why);
	home_last_words(o->root, run_dir, d.text);
}

static int run(const struct start_options *o, struct config *c)
{
	struct rights rights;
	struct ring_set rings;
	struct home home = { .root_fd = -1, .run_dir_fd = -1, .lock_fd = -1 };
	struct diag refused = { "" };
	struct settings *settings = settings_add(o, c, &refused);
	struct process_env env = { .rings = &rings, .drivers = o->drivers };
	struct diag d = { "" };
	int rc = home_open(o->root, c, &home, &d);

	if (rc == 0 && !o->foreground && daemon(0, 0) < 0)
		rc = diag_set(&d, -errno, "daemon: %s", strerror(errno));
	if (rc == 0)
		rc = rights_settle(o, &home, c, &rights, &d);
	if (rc == 0)
		rc = env_make(&env, c, &d);
	if (rc == 0)
		rc = rings_open(c, home.run_dir_fd, &rings, &d);
	if (rc == 0 && home_share(home.run_dir_fd, c, &d) < 0)
		log_warn("petreld", "%s", d.text);	/* root alone reads */
	if (rc < 0) {
		log_err("petreld", "%s", d.text);
		settings_close(settings);
		home_close(&home);
		ended(o, c->run_dir, "because it could not start: ", d.text);
		return EXIT_FAILURE;
	}
	env.rights = &rights;
	env.root_fd = home.root_fd;
	env.run_dir_fd = home.run_dir_fd;
	env.lock_fd = home.lock_fd;
	env.host_name = home.host_name;
	env.machine_id = home.machine_id;
	env.kept = &home.kept;
	identity_recalled(env.control, c, &home);
	env.previous_version = home.previous_version;
	atomic_store(&env.control->run, rings.run);
	control_text_set(&env.control->refused, refused.text);
	remember_begin(&env);
	rc = supervisor_run(&env, o->config_path, !o->config_given, settings);
	settings_close(settings);
	ring_set_close(&rings);
	home_close(&home);
	ended(o, c->run_dir, "because it was told to stop", "");
	return rc;
}

/* The manager has the status, the log the line; who asks has neither. */
static int config_refused(const struct start_options *o, const struct diag *d)
{
	char run_dir[CONFIG_TEXT_MAX];

	fprintf(stderr, "petreld: %s\n", d->text);
	if (o->check)
		return EXIT_CONFIG;
	config_guess_run_dir(o->config_path, run_dir);
	ended(o, run_dir, "because of its configuration: ", d->text);
	return EXIT_CONFIG;
}

/* What petreld starts with, and every file that it names. */
static int check(const struct start_options *o, const struct config *c)
{
	int root_fd = open(o->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct diag d = { "" };
	int rc = root_fd < 0 ? diag_set(&d, -errno, "--root %s: %s", o->root,
					strerror(errno)) :
			       config_files_check(c, root_fd, &d);
	struct own_key key;

	if (rc == 0)
		rc = exporter_check(c, root_fd, &d);
	if (rc == 0 && c->collector_key[0][0])
		rc = own_key_load(root_fd, c, false, &key, &d);
	explicit_bzero(&key, sizeof(key));
	if (root_fd >= 0)
		(void)close(root_fd);
	return rc < 0 ? config_refused(o, &d) : EXIT_SUCCESS;
}

/* What drivers there are, and with them which keys. *left_out: what is wrong
 * with one from outside.
 */
static int drivers_find(struct start_options *o, struct diag *left_out,
			struct diag *d)
{
	int root_fd = open(o->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = registry_new(root_fd, &o->drivers, left_out);

	if (root_fd >= 0)
		(void)close(root_fd);
	if (rc < 0)
		return diag_set(d, rc, "%s", left_out->text);
	return config_keys_new(registry_drivers(o->drivers), &o->keys, d);
}

/* What is freed goes back to the system: large pieces have pages of their own,
 * whatever was freed before, as the heap has no room for them, and threads have
 * no heaps of their own.
 */
static void memory_set(void)
{
	(void)mallopt(M_MMAP_THRESHOLD, LARGE_OCTETS);
	(void)mallopt(M_TRIM_THRESHOLD, LARGE_OCTETS);
	(void)mallopt(M_TOP_PAD, STEP_OCTETS);
	(void)mallopt(M_ARENA_MAX, 1);
}

/* With the drivers that there are: checks, or runs. */
static int start(struct start_options *o)
{
	struct diag d = { "" }, left_out = { "" };
	struct config c = { .log_level = LOG_PRIORITY_INFO };
	int rc = drivers_find(o, &left_out, &d);

	if (rc >= 0)
		rc = config_load(o->keys, NULL, o->config_path,
				 !o->config_given, &c, &d);
	log_open("petreld", log_target_guess(o->foreground || rc < 0 ||
					     o->check), c.log_level);
	if (rc < 0)
		return config_refused(o, &d);
	if (o->check && left_out.text[0])
		return config_refused(o, &left_out);
	if (o->check)
		return check(o, &c);
	if (left_out.text[0])
		log_warn("petreld", "driver skipped: %s", left_out.text);
	return run(o, &c);
}

int main(int argc, char **argv)
{
	struct start_options o;
	int rc = options_parse(argc, argv, &o);

	if (rc >= 0)
		return rc;
	memory_set();
	rc = start(&o);
	config_keys_free(o.keys);
	registry_free(o.drivers);
	return rc;
}
