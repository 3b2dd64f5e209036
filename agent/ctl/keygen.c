/* petrel keygen: writes a secret key to a new file and shows its public key.
 * Only this file loads libsodium, so that no other command waits for it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "agent/ctl/client.h"
#include "agent/ctl/json_out.h"
#include "agent/ctl/options.h"
#include "agent/ctl/runs.h"
#include "agent/seal/keys.h"
#include "petrel/local.h"

#define SODIUM_LIBRARY "libsodium.so.23"

struct sodium {
	void *library;
	int (*init)(void);
	int (*scalarmult_base)(unsigned char *q, const unsigned char *n);
};

static int sodium_open(struct sodium *s, struct diag *d)
{
	s->library = dlopen(SODIUM_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!s->library)
		return diag_set(d, -ENOENT, "%s", dlerror());
	*(void **)&s->init = dlsym(s->library, "sodium_init");
	*(void **)&s->scalarmult_base =
		dlsym(s->library, "crypto_scalarmult_base");
	if (!s->init || !s->scalarmult_base || s->init() < 0)
		return diag_set(d, -EIO, SODIUM_LIBRARY " cannot be used");
	return 0;
}

static int key_make(const char *path, char ret[static KEY_TEXT_SIZE],
		    struct diag *d)
{
	struct sodium s;
	uint8_t secret[NOISE_KEY_LEN], public[NOISE_KEY_LEN];
	int rc = sodium_open(&s, d);	/* not closed: the process ends */

	if (rc == 0)
		rc = key_file_make(AT_FDCWD, path, secret, d);
	if (rc < 0)
		return rc;
	(void)s.scalarmult_base(public, secret);	/* cannot fail */
	key_text(public, ret);
	explicit_bzero(secret, sizeof(secret));
	return 0;
}

int keygen_run(const struct invocation *inv)
{
	char text[KEY_TEXT_SIZE];
	struct json_out j;
	struct diag d;
	int rc = key_make(inv->argument[0], text, &d);

	if (rc < 0) {
		if (option_given(inv, OPTION_JSON))
			json_out_failed("keygen", ask_file_failed(rc), d.text);
		return command_failed(ask_file_failed(rc), "keygen: %s",
				      d.text);
	}
	if (!option_given(inv, OPTION_JSON)) {
		(void)puts(text);
		return EXIT_ANSWERED;
	}
	json_out_own(&j, "keygen", EXIT_ANSWERED, NULL);
	json_out_text(&j, "key", text);
	(void)json_out_close(&j);	/* main() checks standard output */
	return EXIT_ANSWERED;
}
