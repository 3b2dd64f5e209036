#include "agent/process/own_key.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/path.h"
#include "agent/process/home.h"

#define KEY_NAME "switch.key"

static const char *const folders[] = { "/etc/petrel", "/" HOME_STATE_DIR,
				       NULL };

static int key_make(int root_fd, uint8_t ret[static NOISE_KEY_LEN],
		    struct diag *d)
{
	int fd = path_open(root_fd, HOME_STATE_DIR, O_RDONLY | O_DIRECTORY);
	int rc;

	if (fd < 0)
		return diag_set(d, fd, "no key, and none can be created in "
				"/%s: %s; expected a key_file from petrel "
				"keygen", HOME_STATE_DIR, strerror(-fd));
	rc = key_file_make(fd, KEY_NAME, ret, d);
	(void)close(fd);	/* only used to reach the file */
	return rc < 0 ? diag_prefix(d, rc, "/%s", HOME_STATE_DIR) : 0;
}

int own_key_load(int root_fd, const struct config *c, bool makes,
		 struct own_key *ret, struct diag *d)
{
	struct key_place key = { root_fd, c->key_file, KEY_NAME, folders };
	struct key_place token = { root_fd, c->token_file, "enrol.token",
				   folders };
	uint8_t secret[KEYS_MAX][NOISE_KEY_LEN] = { { 0 } };
	unsigned count = 1;
	int rc = keys_read(&key, secret, &count, d);

	if (rc == -ENOENT && !c->key_file[0])
		rc = makes ? key_make(root_fd, secret[0], d) : 0;
	if (rc == 0 && count > 1)
		rc = diag_set(d, -EINVAL, "two keys of this switch; expected "
			      "one: to change it, list both keys at the "
			      "collector");
	if (rc == 0) {
		memset(ret, 0, sizeof(*ret));
		rc = token_read(&token, ret->token, d);
		if (rc == -ENOENT && !c->token_file[0])
			rc = 0;
	}
	if (rc == 0 && noise_start() == 0)
		noise_pair_of(secret[0], &ret->pair);
	explicit_bzero(secret, sizeof(secret));
	return rc;
}
