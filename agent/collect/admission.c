#include "agent/collect/admission.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "agent/seal/enrol.h"
#include "petrel/log.h"

#define STATE_DIR "/var/lib/petrel-collector"
#define KEY_NAME "collector.key"

struct admission {
	char authorized[CONFIG_TEXT_MAX], enrolment[CONFIG_TEXT_MAX];
	struct responder *responder;	/* NULL: no key */
	bool is_open;			/* sealing is set up at start */
};

uint64_t admission_random(void *context)
{
	uint64_t value = 0;

	(void)context;
	while (getrandom(&value, sizeof(value), 0) != (ssize_t)sizeof(value))
		;	/* only a signal cuts it short */
	return value;
}

int admission_keys(const struct collector_config *config, bool makes,
		   uint8_t ret[static KEYS_MAX][NOISE_KEY_LEN],
		   unsigned *ret_count, struct diag *d)
{
	static const char *const folders[] = { "/etc/petrel", STATE_DIR, NULL };
	int root_fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct key_place place = { root_fd, config->key_file, KEY_NAME,
				   folders };
	int err = keys_read(&place, ret, ret_count, d);

	if (root_fd >= 0)
		(void)close(root_fd);
	if (err != -ENOENT || config->key_file[0] || !makes)
		return err;
	err = key_file_make(AT_FDCWD, STATE_DIR "/" KEY_NAME, ret[0], d);
	if (err == 0)
		*ret_count = 1;
	return err;
}

static int list_load(struct admission *a, struct diag *d)
{
	struct authorized list;
	int err = authorized_load(a->authorized, &list, d);

	if (err < 0)
		return err;
	err = responder_authorize(a->responder, &list);
	if (err < 0) {
		authorized_fini(&list);
		return diag_set(d, err, "%s: %s", a->authorized,
				strerror(-err));
	}
	return 0;
}

/* A line that cannot be appended must not use up the token. */
static int enrol(void *context, const char *token, size_t len,
		 const uint8_t key[static NOISE_KEY_LEN])
{
	struct admission *a = context;
	char id[SWITCH_NAME_MAX], text[KEY_TEXT_SIZE];
	struct diag d;
	int err = 0;

	if (access(a->authorized, F_OK) == 0 &&
	    access(a->authorized, W_OK) < 0)
		err = -errno;
	if (err == 0)
		err = enrol_take(a->enrolment, token, len, clock_wall_now(),
				 id);
	if (err == -ENOENT || err == -ETIME)
		return err;
	if (err == 0)
		err = authorized_append(a->authorized, key, id);
	if (err < 0) {
		log_err("collector", "cannot enrol a switch: %s: %s",
			a->authorized, strerror(-err));
		return -EIO;
	}
	key_text(key, text);
	log_notice("collector", "switch=%s enrolled key=%s", id, text);
	if (list_load(a, &d) < 0) {
		log_err("collector", "%s", d.text);
		return -EIO;
	}
	return 0;
}

static void own_tell(uint8_t secret[static KEYS_MAX][NOISE_KEY_LEN],
		     unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct noise_pair pair;
		char text[KEY_TEXT_SIZE];

		noise_pair_of(secret[i], &pair);
		key_text(pair.public, text);
		log_notice("collector", "collector_key=%s", text);
		noise_forget(&pair, sizeof(pair));
	}
}

/* The new list before the new keys: both are taken over, or neither. */
static int files_load(struct admission *a,
		      uint8_t secret[static KEYS_MAX][NOISE_KEY_LEN],
		      unsigned count, struct diag *d)
{
	struct responder_env env = { .context = a, .enrol = enrol,
				     .random = admission_random };
	int err = a->responder ? 0 : responder_new(&env, &a->responder);

	if (err < 0)
		return diag_set(d, err, "sealing: %s", strerror(-err));
	err = list_load(a, d);
	if (err < 0)
		return err;
	responder_keys(a->responder, secret, count);
	own_tell(secret, count);
	return 0;
}

int admission_reload(struct admission *a, const struct collector_config *config,
		     struct diag *d)
{
	uint8_t secret[KEYS_MAX][NOISE_KEY_LEN];
	unsigned count = 0;
	int err = admission_keys(config, !config->insecure, secret, &count, d);

	if (!a->responder && (a->is_open || (err == -ENOENT &&
					     config->insecure &&
					     !config->key_file[0])))
		err = 0;
	else if (err == 0)
		err = files_load(a, secret, count, d);
	explicit_bzero(secret, sizeof(secret));
	return err;
}

int admission_open(const struct collector_config *config,
		   struct admission **ret, struct diag *d)
{
	struct admission *a = calloc(1, sizeof(*a));
	int err;

	if (!a)
		return diag_set(d, -ENOMEM, "out of memory");
	memcpy(a->authorized, config->authorized, sizeof(a->authorized));
	memcpy(a->enrolment, config->enrolment, sizeof(a->enrolment));
	err = admission_reload(a, config, d);
	a->is_open = true;
	if (err < 0)
		admission_close(a);
	else
		*ret = a;
	return err;
}

void admission_close(struct admission *a)
{
	if (!a)
		return;
	responder_free(a->responder);
	free(a);
}

void admission_tend(struct admission *a)
{
	if (a->responder)
		responder_expire(a->responder, clock_wall_now());
}

struct responder *admission_responder(const struct admission *a)
{
	return a->responder;
}

int admission_check(const struct collector_config *config, struct diag *d)
{
	uint8_t secret[KEYS_MAX][NOISE_KEY_LEN];
	struct authorized list = { .count = 0 };
	unsigned count;
	int err = admission_keys(config, false, secret, &count, d);

	explicit_bzero(secret, sizeof(secret));
	if (err == -ENOENT && !config->key_file[0])
		err = 0;	/* created at the start, or not needed */
	if (err < 0)
		return collector_fault(config, "Collector", "key_file", err, d);
	err = authorized_load(config->authorized, &list, d);
	authorized_fini(&list);
	return err < 0 ? collector_fault(config, "Collector",
					 "authorized_switches", err, d) : 0;
}
