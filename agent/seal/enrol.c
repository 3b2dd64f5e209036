#include "agent/seal/enrol.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "agent/base/folder.h"
#include "agent/base/number.h"

#define TOKEN_OCTETS 24u
#define HASH_OCTETS 20u
#define NAME_SIZE (2 * HASH_OCTETS + 1)
#define FILE_OCTETS_MAX 128u
#define FOLDER_MODE 0750
#define FILE_MODE 0640

static void name_of(const char *token, size_t len, char ret[static NAME_SIZE])
{
	uint8_t hash[HASH_OCTETS];

	(void)crypto_generichash(hash, sizeof(hash), (const uint8_t *)token,
				 len, NULL, 0);
	(void)sodium_bin2hex(ret, NAME_SIZE, hash, sizeof(hash));
}

/* Gives what root creates to the collector's user, who owns the folder. */
static int hand_over(int dir_fd, const char *folder, int fd)
{
	struct stat st;

	if (fstatat(dir_fd, folder, &st, 0) < 0 ||
	    (geteuid() == 0 && fchown(fd, st.st_uid, st.st_gid) < 0))
		return -errno;
	return 0;
}

static int folder_open(const char *folder, struct diag *d)
{
	bool is_made = mkdir(folder, FOLDER_MODE) == 0;
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return diag_set(d, -errno, "%s: %s", folder, strerror(errno));
	if (is_made)
		err = hand_over(fd, "..", fd);
	if (err < 0) {
		(void)close(fd);
		return diag_set(d, err, "%s: %s", folder, strerror(-err));
	}
	return fd;
}

static int file_make(int dir_fd, const char *name, const char *switch_id,
		     struct wall until)
{
	int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			FILE_MODE);
	int err = fd < 0 ? -errno : 0;

	if (err == 0 && dprintf(fd, "%s %" PRId64 "\n", switch_id,
				until.ns / NS_PER_S) < 0)
		err = -errno;
	if (err == 0)
		err = hand_over(dir_fd, ".", fd);
	if (err == 0 && (fsync(fd) < 0 || fsync(dir_fd) < 0))
		err = -errno;
	if (fd >= 0 && close(fd) < 0 && err == 0)
		err = -errno;
	return err;
}

int enrol_issue(const char *folder, const char *switch_id, struct wall until,
		char ret_token[static TOKEN_TEXT_SIZE], struct diag *d)
{
	uint8_t octets[TOKEN_OCTETS];
	char name[NAME_SIZE];
	int fd, err = 0;

	if (!switch_id[0] || strlen(switch_id) >= SWITCH_NAME_MAX ||
	    strpbrk(switch_id, " \t\r\n"))
		return diag_set(d, -EINVAL, "'%s' is not a switch id; expected "
				"the id that petrel status shows", switch_id);
	if (noise_start() < 0 ||
	    getrandom(octets, sizeof(octets), 0) != (ssize_t)sizeof(octets))
		return diag_set(d, -EIO, "no random numbers");
	key_base64(octets, sizeof(octets), ret_token);
	name_of(ret_token, TOKEN_TEXT_SIZE - 1, name);
	fd = folder_open(folder, d);
	if (fd < 0)
		return fd;
	err = file_make(fd, name, switch_id, until);
	(void)close(fd);	/* only used to reach the file */
	return err < 0 ? diag_set(d, err, "%s/%s: %s", folder, name,
				  strerror(-err)) : 0;
}

/* "ID SECONDS\n". */
static int token_parse(const char *text, size_t len, struct wall now,
		       char ret_id[static SWITCH_NAME_MAX])
{
	const char *blank = memchr(text, ' ', len);
	size_t id_len = blank ? (size_t)(blank - text) : 0;
	uint64_t until_s;

	if (id_len == 0 || id_len >= SWITCH_NAME_MAX || text[len - 1] != '\n' ||
	    number_parse_n(blank + 1, len - id_len - 2, 0,
			   INT64_MAX / NS_PER_S, &until_s) < 0)
		return -EBADMSG;
	if ((int64_t)until_s < now.ns / NS_PER_S)
		return -ETIME;
	memcpy(ret_id, text, id_len);
	ret_id[id_len] = '\0';
	return 0;
}

int enrol_take(const char *folder, const char *token, size_t len,
	       struct wall now, char ret_id[static SWITCH_NAME_MAX])
{
	char name[NAME_SIZE], id[SWITCH_NAME_MAX];
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;
	size_t text_len = 0;
	void *text = NULL;

	if (fd < 0)
		return -errno;
	name_of(token, len, name);
	err = folder_read(fd, name, FILE_OCTETS_MAX, &text, &text_len);
	if (err == 0)
		err = token_parse(text, text_len, now, id);
	free(text);
	/* before the key is added: a crash loses a token, not security */
	if (err == 0 && (unlinkat(fd, name, 0) < 0 || fsync(fd) < 0))
		err = -errno;
	(void)close(fd);	/* only used to reach the file */
	if (err == 0)
		memcpy(ret_id, id, sizeof(id));
	return err;
}
