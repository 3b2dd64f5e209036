/* C11: keys as text and in files, the list of who is authorised, tokens. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/seal/authorized.h"
#include "agent/seal/enrol.h"
#include "agent/seal/keys.h"

#define ONE "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
#define TWO "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
#define DAY_NS (86400 * NS_PER_S)

static const char *const folders[] = { "etc/petrel", "var/lib/petrel", NULL };

struct bed {
	char path[64], file[96], list[96], tokens[96];
	struct key_place place;
	struct diag d;
};

static int bed_make(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	(void)strcpy(b->path, "/tmp/petrel-keys-XXXXXX");
	assert_non_null(mkdtemp(b->path));
	(void)snprintf(b->file, sizeof(b->file), "%s/one.key", b->path);
	(void)snprintf(b->list, sizeof(b->list), "%s/list", b->path);
	(void)snprintf(b->tokens, sizeof(b->tokens), "%s/tokens", b->path);
	b->place = (struct key_place){
		.root_fd = open(b->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.configured = "", .name = "switch.key", .folders = folders };
	(void)unsetenv("CREDENTIALS_DIRECTORY");
	*state = b;
	return 0;
}

static int bed_end(void **state)
{
	struct bed *b = *state;
	char command[96];

	(void)close(b->place.root_fd);
	(void)snprintf(command, sizeof(command), "rm -r %s", b->path);
	assert_int_equal(system(command), 0);
	free(b);
	return 0;
}

static void put(struct bed *b, const char *name, const char *text, mode_t mode)
{
	int fd = openat(b->place.root_fd, name, O_WRONLY | O_CREAT | O_TRUNC |
			O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(close(fd), 0);
}

static int keys(struct bed *b, unsigned *ret_count)
{
	uint8_t key[KEYS_MAX][NOISE_KEY_LEN];

	return keys_read(&b->place, key, ret_count, &b->d);
}

/* RFC 4648, section 10. */
static void test_base64_is_the_usual_one(void **state)
{
	char text[16];

	(void)state;
	key_base64((const uint8_t *)"foobar", 6, text);
	assert_string_equal(text, "Zm9vYmFy");
	key_base64((const uint8_t *)"fooba", 5, text);
	assert_string_equal(text, "Zm9vYmE=");
	key_base64((const uint8_t *)"foob", 4, text);
	assert_string_equal(text, "Zm9vYg==");
}

static void test_a_key_has_one_spelling(void **state)
{
	uint8_t key[NOISE_KEY_LEN], other[NOISE_KEY_LEN];
	char text[KEY_TEXT_SIZE];

	(void)state;
	for (unsigned i = 0; i < NOISE_KEY_LEN; i++)
		key[i] = (uint8_t)(i * 37 + 5);
	key_text(key, text);
	assert_int_equal(strlen(text), 44);
	assert_int_equal(key_parse(text, 44, other), 0);
	assert_memory_equal(key, other, NOISE_KEY_LEN);
	for (size_t n = 0; n < 44; n++)
		assert_int_equal(key_parse(text, n, other), -EINVAL);
	for (size_t at = 0; at < 44; at++) {
		char was = text[at];

		text[at] = at == 43 ? 'A' : '!';
		assert_int_equal(key_parse(text, 44, other), -EINVAL);
		text[at] = '\0';
		assert_int_equal(key_parse(text, 44, other), -EINVAL);
		text[at] = '=';
		assert_int_equal(key_parse(text, 44, other),
				 at == 43 ? 0 : -EINVAL);
		text[at] = was;
	}
	(void)strcpy(text, ONE);
	text[42] = 'B';		/* the same octets, spelt otherwise */
	assert_int_equal(key_parse(text, 44, other), -EINVAL);
}

static void test_a_file_is_its_owners_alone(void **state)
{
	struct bed *b = *state;
	unsigned count = 0;

	b->place.configured = "/one.key";
	assert_int_equal(keys(b, &count), -ENOENT);
	put(b, "one.key", ONE "\n", 0600);
	assert_int_equal(keys(b, &count), 0);
	assert_int_equal(count, 1);
	put(b, "one.key", ONE "\n", 0640);
	assert_int_equal(keys(b, &count), -EPERM);
	assert_string_equal(b->d.text, "/one.key has mode 0640; expected 0600");
	put(b, "one.key", ONE "\n", 0604);
	assert_int_equal(keys(b, &count), -EPERM);
	put(b, "one.key", ONE "\n", 0400);
	assert_int_equal(keys(b, &count), 0);
	if (geteuid() != 0)
		return;
	put(b, "one.key", ONE "\n", 0604);
	assert_int_equal(chmod(b->path, 0755), 0);
	assert_int_equal(chown(b->file, 1, 1), 0);
	assert_int_equal(seteuid(2), 0);
	assert_int_equal(keys(b, &count), -EPERM);
	assert_int_equal(seteuid(0), 0);
	assert_non_null(strstr(b->d.text, "belongs to uid 1; expected"));
}

static void test_a_file_says_what_is_wrong_in_it(void **state)
{
	static const struct {
		const char *text;
		int err;
		const char *word;
	} cases[] = {
		{ "# mine\n\n  " ONE " \r\n" TWO, 0, NULL },
		{ ONE "\n" TWO "\n" ONE "\n", -EINVAL, "/one.key:3: a third" },
		{ "# nothing\n", -EINVAL, "/one.key:1: no key" },
		{ "", -EINVAL, "/one.key:1: no key" },
		{ ONE "\nhello\n", -EINVAL, "/one.key:2: not a key" },
	};
	struct bed *b = *state;
	unsigned count = 0;

	b->place.configured = "/one.key";
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put(b, "one.key", cases[i].text, 0600);
		assert_int_equal(keys(b, &count), cases[i].err);
		if (cases[i].word)
			assert_non_null(strstr(b->d.text, cases[i].word));
	}
	assert_int_equal(count, 2);
}

static void test_a_key_is_looked_for_in_order(void **state)
{
	struct bed *b = *state;
	unsigned count = 0;

	assert_int_equal(keys(b, &count), -ENOENT);
	(void)mkdirat(b->place.root_fd, "var", 0755);
	(void)mkdirat(b->place.root_fd, "var/lib", 0755);
	(void)mkdirat(b->place.root_fd, "var/lib/petrel", 0755);
	put(b, "var/lib/petrel/switch.key", ONE, 0600);
	assert_int_equal(keys(b, &count), 0);
	(void)mkdirat(b->place.root_fd, "etc", 0755);
	(void)mkdirat(b->place.root_fd, "etc/petrel", 0755);
	put(b, "etc/petrel/switch.key", "no", 0600);
	assert_int_equal(keys(b, &count), -EINVAL);
	put(b, "switch.key", ONE "\n" TWO, 0444);	/* the manager's */
	assert_int_equal(setenv("CREDENTIALS_DIRECTORY", b->path, 1), 0);
	assert_int_equal(keys(b, &count), 0);
	assert_int_equal(count, 2);
	(void)unsetenv("CREDENTIALS_DIRECTORY");
}

static void test_a_new_key_replaces_none(void **state)
{
	struct bed *b = *state;
	uint8_t key[NOISE_KEY_LEN], read[KEYS_MAX][NOISE_KEY_LEN];
	unsigned count;
	struct stat st;

	(void)umask(0);
	assert_int_equal(key_file_make(b->place.root_fd, "one.key", key,
				       &b->d), 0);
	assert_int_equal(stat(b->file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	b->place.configured = "/one.key";
	assert_int_equal(keys_read(&b->place, read, &count, &b->d), 0);
	assert_memory_equal(read[0], key, NOISE_KEY_LEN);
	assert_int_equal(key_file_make(b->place.root_fd, "one.key", key,
				       &b->d), -EEXIST);
}

/* --- who is authorised ---------------------------------------------------- */

static int parse(const char *text, struct authorized *ret, struct diag *d)
{
	return authorized_parse(text, strlen(text), "list", ret, d);
}

static void test_a_list_says_what_is_wrong_in_it(void **state)
{
	static const struct {
		const char *text, *word;
	} cases[] = {
		{ "hello sw1\n", "list:1: 'hello' is not a key" },
		{ "\n" ONE "\n", "list:2: no switch id after the key" },
		{ ONE " sw1 from=x\n", "list:1: unknown option 'from=x'" },
		{ ONE " sw1 until=2027-02-30\n", "is not a day" },
		{ ONE " sw1 until=2027-2-3\n", "is not a day" },
		{ ONE " sw1\n" ONE " sw2\n", "is there twice" },
	};
	struct authorized a;
	struct diag d;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].text, &a, &d), -EINVAL);
		if (!strstr(d.text, cases[i].word))
			fail_msg("%s", d.text);
	}
}

static void test_a_list_is_found_by_key_and_id(void **state)
{
	uint8_t key[NOISE_KEY_LEN] = { 1 };
	const struct authorized_key *found;
	struct authorized a;
	struct diag d;

	(void)state;
	assert_int_equal(parse("# who\n" TWO " sw1 # new\n" ONE
			       "\tsw1 until=1970-01-02\r\n", &a, &d), -EINVAL);
	assert_int_equal(parse("# who\n" TWO " sw1 # new\n" ONE
			       "\tsw1 until=2001-01-01\r\n", &a, &d), 0);
	found = authorized_find(&a, key);
	assert_non_null(found);
	assert_string_equal(found->switch_id, "sw1");
	assert_true(found->until.ns == INT64_C(978307200) * NS_PER_S);
	key[0] = 2;
	assert_true(authorized_find(&a, key)->until.ns == INT64_MAX);
	key[0] = 3;
	assert_null(authorized_find(&a, key));
	assert_true(authorized_has_id(&a, "sw1"));
	assert_false(authorized_has_id(&a, "sw2"));
	authorized_fini(&a);
	assert_false(authorized_has_id(&a, "sw1"));
}

static void test_a_list_that_others_may_write_is_refused(void **state)
{
	struct bed *b = *state;
	struct authorized a;

	assert_int_equal(authorized_load(b->list, &a, &b->d), 0);
	assert_int_equal(a.count, 0);
	put(b, "list", ONE " sw1", 0660);
	assert_int_equal(authorized_load(b->list, &a, &b->d), -EPERM);
	put(b, "list", ONE " sw1", 0644);
	assert_int_equal(authorized_load(b->list, &a, &b->d), 0);
	authorized_fini(&a);
}

static void test_a_line_is_appended(void **state)
{
	struct bed *b = *state;
	uint8_t key[NOISE_KEY_LEN] = { 2 };
	struct authorized a;

	put(b, "list", ONE " sw1", 0640);	/* no end of line */
	assert_int_equal(authorized_append(b->list, key, "sw2"), 0);
	key[0] = 3;
	assert_int_equal(authorized_append(b->list, key, "sw3"), 0);
	assert_int_equal(authorized_load(b->list, &a, &b->d), 0);
	assert_int_equal(a.count, 3);
	assert_string_equal(authorized_find(&a, key)->switch_id, "sw3");
	authorized_fini(&a);
}

/* --- tokens --------------------------------------------------------------- */

static void test_c11_a_token_is_taken_once(void **state)
{
	struct bed *b = *state;
	struct wall now = { INT64_C(1798761600) * NS_PER_S };
	struct wall until = { now.ns + DAY_NS };
	char token[TOKEN_TEXT_SIZE], other[TOKEN_TEXT_SIZE];
	char id[SWITCH_NAME_MAX] = "";

	assert_int_equal(enrol_issue(b->tokens, "sw1", until, token, &b->d), 0);
	assert_int_equal(enrol_issue(b->tokens, "sw2", until, other, &b->d), 0);
	assert_int_equal(strlen(token), 32);
	assert_string_not_equal(token, other);
	assert_int_equal(enrol_take(b->tokens, "no", 2, now, id), -ENOENT);
	assert_int_equal(enrol_take(b->tokens, token, 32, now, id), 0);
	assert_string_equal(id, "sw1");
	assert_int_equal(enrol_take(b->tokens, token, 32, now, id), -ENOENT);
	until.ns += NS_PER_S;
	assert_int_equal(enrol_take(b->tokens, other, 32, until, id), -ETIME);
	assert_int_equal(enrol_take(b->tokens, other, 32, now, id), 0);
	assert_string_equal(id, "sw2");
	assert_int_equal(enrol_issue(b->tokens, "two words", until, token,
				     &b->d), -EINVAL);
}

/* Who may not remove it could not use it up. */
static void test_root_makes_a_token_for_the_folders_owner(void **state)
{
	struct bed *b = *state;
	struct wall until = { INT64_MAX };
	char token[TOKEN_TEXT_SIZE], id[SWITCH_NAME_MAX];
	struct stat st;

	if (geteuid() != 0)
		return;
	assert_int_equal(chown(b->path, 3, 3), 0);
	assert_int_equal(enrol_issue(b->tokens, "sw1", until, token, &b->d), 0);
	assert_int_equal(stat(b->tokens, &st), 0);
	assert_int_equal(st.st_uid, 3);
	assert_int_equal(seteuid(3), 0);
	assert_int_equal(enrol_take(b->tokens, token, 32, (struct wall){ 0 },
				    id), 0);
	assert_int_equal(seteuid(0), 0);
}

static void test_a_token_is_read_from_a_file(void **state)
{
	struct bed *b = *state;
	char token[TOKEN_TEXT_SIZE];

	b->place.configured = "/token";
	put(b, "token", "0123456789abcdef0123456789abcdef\n", 0600);
	assert_int_equal(token_read(&b->place, token, &b->d), 0);
	assert_string_equal(token, "0123456789abcdef0123456789abcdef");
	put(b, "token", "short\n", 0600);
	assert_int_equal(token_read(&b->place, token, &b->d), -EINVAL);
	put(b, "token", "0123456789abcdef0123456789abcdef\n", 0644);
	assert_int_equal(token_read(&b->place, token, &b->d), -EPERM);
}

#define BED(test) cmocka_unit_test_setup_teardown(test, bed_make, bed_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base64_is_the_usual_one),
		cmocka_unit_test(test_a_key_has_one_spelling),
		BED(test_a_file_is_its_owners_alone),
		BED(test_a_file_says_what_is_wrong_in_it),
		BED(test_a_key_is_looked_for_in_order),
		BED(test_a_new_key_replaces_none),
		cmocka_unit_test(test_a_list_says_what_is_wrong_in_it),
		cmocka_unit_test(test_a_list_is_found_by_key_and_id),
		BED(test_a_list_that_others_may_write_is_refused),
		BED(test_a_line_is_appended),
		BED(test_c11_a_token_is_taken_once),
		BED(test_root_makes_a_token_for_the_folders_owner),
		BED(test_a_token_is_read_from_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
