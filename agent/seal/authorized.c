#include "agent/seal/authorized.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/clean.h"
#include "agent/base/folder.h"
#include "agent/base/number.h"
#include "agent/seal/keys.h"

#define LINE_MAX_OCTETS 512u
#define FILE_OCTETS_MAX ((size_t)AUTHORIZED_MAX * 256)
#define AUTHORIZED_MODE 0640

/* --- one line ------------------------------------------------------------- */

/* "2027-01-31". */
static int date_parse(const char *text, struct wall *ret)
{
	struct tm tm = { .tm_year = 0 };
	uint64_t year, month, day;

	if (strlen(text) != 10 || text[4] != '-' || text[7] != '-' ||
	    number_parse_n(text, 4, 2000, 2199, &year) < 0 ||
	    number_parse_n(text + 5, 2, 1, 12, &month) < 0 ||
	    number_parse_n(text + 8, 2, 1, 31, &day) < 0)
		return -EINVAL;
	tm.tm_year = (int)year - 1900;
	tm.tm_mon = (int)month - 1;
	tm.tm_mday = (int)day;
	ret->ns = (int64_t)timegm(&tm) * NS_PER_S;
	return tm.tm_mday == (int)day ? 0 : -EINVAL;	/* no 31st of June */
}

/* 1 to 63 visible characters, as in a HELLO. */
static bool id_is_good(const char *id)
{
	size_t len = strlen(id);

	for (size_t at = 0, n; at < len; at += n) {
		n = clean_len(id + at);
		if (n == 0)
			return false;
	}
	return len > 0 && len < SWITCH_NAME_MAX;
}

static int option_parse(const char *word, struct authorized_key *k,
			struct diag *d)
{
	if (strncmp(word, "until=", 6) != 0)
		return diag_set(d, -EINVAL, "unknown option '%s'; expected "
				"until=YYYY-MM-DD", word);
	if (date_parse(word + 6, &k->until) < 0)
		return diag_set(d, -EINVAL, "'%s' is not a day; expected "
				"until=YYYY-MM-DD", word);
	return 0;
}

/* Returns 1: an empty line. */
static int line_parse(char *line, struct authorized_key *k, struct diag *d)
{
	char *rest = line;
	const char *key = strtok_r(line, " \t\r", &rest);
	const char *id, *word;
	int err = 0;

	if (!key || key[0] == '#')
		return 1;
	id = strtok_r(NULL, " \t\r", &rest);
	if (key_parse(key, strlen(key), k->key) < 0)
		return diag_set(d, -EINVAL, "'%s' is not a key; expected the "
				"44 characters of base64 that petrel status "
				"shows on the switch", key);
	if (!id || !id_is_good(id))
		return diag_set(d, -EINVAL, "no switch id after the key; "
				"expected KEY ID");
	memcpy(k->switch_id, id, strlen(id) + 1);
	k->until = (struct wall){ INT64_MAX };
	for (word = strtok_r(NULL, " \t\r", &rest);
	     err == 0 && word && word[0] != '#';
	     word = strtok_r(NULL, " \t\r", &rest))
		err = option_parse(word, k, d);
	return err;
}

/* --- the list ------------------------------------------------------------- */

static int key_compare(const void *a, const void *b)
{
	return memcmp(((const struct authorized_key *)a)->key,
		      ((const struct authorized_key *)b)->key, NOISE_KEY_LEN);
}

static int id_compare(const void *a, const void *b)
{
	const struct authorized_key *const *x = a, *const *y = b;

	return strcmp((*x)->switch_id, (*y)->switch_id);
}

static int key_add(struct authorized *a, const struct authorized_key *k,
		   struct diag *d)
{
	struct authorized_key *keys = a->keys;

	if (a->count == AUTHORIZED_MAX)
		return diag_set(d, -E2BIG, "more than %u keys",
				AUTHORIZED_MAX);
	if ((a->count & (a->count - 1)) == 0)	/* full: it grows by doubling */
		keys = realloc(a->keys, 2 * (a->count ? a->count : 1) *
					sizeof(*keys));
	if (!keys)
		return diag_set(d, -ENOMEM, "out of memory");
	a->keys = keys;
	a->keys[a->count++] = *k;
	return 0;
}

static int all_sort(struct authorized *a, struct diag *d)
{
	char text[KEY_TEXT_SIZE];

	if (a->count == 0)
		return 0;
	qsort(a->keys, a->count, sizeof(*a->keys), key_compare);
	for (size_t i = 1; i < a->count; i++)
		if (key_compare(&a->keys[i - 1], &a->keys[i]) == 0) {
			key_text(a->keys[i].key, text);
			return diag_set(d, -EINVAL, "the key %s is there "
					"twice; expected one line for it",
					text);
		}
	a->ids = calloc(a->count, sizeof(*a->ids));
	if (!a->ids)
		return diag_set(d, -ENOMEM, "out of memory");
	for (size_t i = 0; i < a->count; i++)
		a->ids[i] = &a->keys[i];
	qsort(a->ids, a->count, sizeof(*a->ids), id_compare);
	return 0;
}

int authorized_parse(const char *text, size_t len, const char *file,
		     struct authorized *ret, struct diag *d)
{
	struct authorized a = { .count = 0 };
	char line[LINE_MAX_OCTETS];
	struct authorized_key key;
	unsigned number = 0;
	int err = 0;

	for (size_t at = 0, n; at < len && err >= 0; at += n + 1) {
		const char *end = memchr(text + at, '\n', len - at);

		n = end ? (size_t)(end - text) - at : len - at;
		number++;
		if (n >= sizeof(line) || memchr(text + at, '\0', n)) {
			err = diag_set(d, -EINVAL, "the line is too long, or "
				       "has a NUL octet");
			break;
		}
		memcpy(line, text + at, n);
		line[n] = '\0';
		memset(&key, 0, sizeof(key));
		err = line_parse(line, &key, d);
		if (err == 0)
			err = key_add(&a, &key, d);
	}
	if (err < 0)
		(void)diag_prefix(d, err, "%s:%u", file, number);
	else if ((err = all_sort(&a, d)) < 0)
		(void)diag_prefix(d, err, "%s", file);
	if (err < 0)
		authorized_fini(&a);
	else
		*ret = a;
	return err < 0 ? err : 0;
}

int authorized_load(const char *path, struct authorized *ret, struct diag *d)
{
	void *text = NULL;
	size_t len = 0;
	struct stat st;
	int err = 0;

	/* an empty file, or none */
	if (stat(path, &st) < 0 ? errno != ENOENT : st.st_size > 0)
		err = folder_read(AT_FDCWD, path, FILE_OCTETS_MAX, &text, &len);
	if (err < 0)
		return diag_set(d, err, "%s: %s", path, err == -EPERM ?
				"it belongs to another user, or others may "
				"write it; expected mode 0640" :
				strerror(-err));
	err = authorized_parse(text, len, path, ret, d);
	free(text);
	return err;
}

void authorized_fini(struct authorized *a)
{
	free(a->keys);
	free(a->ids);
	*a = (struct authorized){ .count = 0 };
}

const struct authorized_key *
authorized_find(const struct authorized *a,
		const uint8_t key[static NOISE_KEY_LEN])
{
	struct authorized_key wanted;

	memcpy(wanted.key, key, NOISE_KEY_LEN);
	return a->count ? bsearch(&wanted, a->keys, a->count, sizeof(*a->keys),
				  key_compare) : NULL;
}

bool authorized_has_id(const struct authorized *a, const char *switch_id)
{
	struct authorized_key wanted;
	const struct authorized_key *at = &wanted;

	(void)snprintf(wanted.switch_id, sizeof(wanted.switch_id), "%s",
		       switch_id);
	return a->count && bsearch(&at, a->ids, a->count, sizeof(*a->ids),
				   id_compare);
}

int authorized_append(const char *path, const uint8_t key[static NOISE_KEY_LEN],
		      const char *switch_id)
{
	char text[KEY_TEXT_SIZE], line[KEY_TEXT_SIZE + SWITCH_NAME_MAX + 3];
	int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC,
		      AUTHORIZED_MODE);
	char last = '\n';
	struct stat st;
	int len, err = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && st.st_size > 0 &&
	    pread(fd, &last, 1, st.st_size - 1) != 1)
		last = '\0';	/* an extra empty line is harmless */
	key_text(key, text);
	len = snprintf(line, sizeof(line), "%s%s %s\n",
		       last == '\n' ? "" : "\n", text, switch_id);
	errno = ENOSPC;		/* for a partial write */
	if (write(fd, line, (size_t)len) != len || fsync(fd) < 0)
		err = -errno;
	if (close(fd) < 0 && err == 0)
		err = -errno;
	return err;
}
