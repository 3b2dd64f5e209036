/* Each line goes through a table of rules: at each octet the first rule that
 * finds a secret says how much to keep and how much to cut. Then, to anonymise,
 * names and addresses are replaced.
 */
#include "agent/ctl/redact.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/state/history.h"
#include "agent/state/state.h"
#include "petrel/platform.h"

#define REDACTED "<redacted>"
#define PEM_BEGIN "-----BEGIN "
#define PEM_END "-----END "
#define PEM_PRIVATE "PRIVATE KEY"
#define NAME_LEN_MAX ATTRIBUTE_TEXT_MAX
#define PSEUDONYMS_MAX 4096

enum kind { KIND_HOST, KIND_ADDRESS };

struct pseudonym {
	char text[NAME_LEN_MAX];
	enum kind kind;
	unsigned number;	/* 0: not used yet */
};

/* Names of switches and addresses; each is always replaced by the same word:
 * host-1, address-2. If the list is full, further ones become "other".
 */
struct pseudonyms {
	size_t count, replaced;
	unsigned next[2];	/* by kind */
	struct pseudonym list[PSEUDONYMS_MAX];
};

struct redact {
	struct pseudonyms *pseudonyms;	/* NULL: keep names */
	bool in_key;			/* between the lines of a key */
	size_t secrets;
};

/* One line, without its newline. */
struct redact_line {
	const char *text;
	size_t len;
};

/* Keep stays octets, then cut goes octets. */
struct taken {
	size_t stays, goes;
};

int redact_new(bool anonymise, struct redact **ret)
{
	struct redact *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	if (anonymise && !(r->pseudonyms = calloc(1, sizeof(*r->pseudonyms)))) {
		free(r);
		return -ENOMEM;
	}
	*ret = r;
	return 0;
}

void redact_free(struct redact *r)
{
	if (!r)
		return;
	free(r->pseudonyms);
	free(r);
}

/* --- reading a line ------------------------------------------------------ */

/* NUL after the end. */
static char at(const struct redact_line *l, size_t i)
{
	return i < l->len ? l->text[i] : '\0';
}

static bool begins(const struct redact_line *l, size_t i, const char *word)
{
	size_t len = strlen(word);

	return i + len <= l->len && strncasecmp(l->text + i, word, len) == 0;
}

/* Where the word is from i on; the line's length if it is not found. */
static size_t find(const struct redact_line *l, size_t i, const char *word)
{
	while (i < l->len && !begins(l, i, word))
		i++;
	return i;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static size_t skip_blanks(const struct redact_line *l, size_t i)
{
	while (is_blank(at(l, i)))
		i++;
	return i;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* The next of these octets, or the line's end. */
static size_t find_any(const struct redact_line *l, size_t i,
		       const char *octets)
{
	while (i < l->len && !strchr(octets, l->text[i]))
		i++;
	return i;
}

/* After an opening quote: the position of the closing one. */
static size_t quote_end(const struct redact_line *l, size_t i, char quote)
{
	while (i < l->len && l->text[i] != quote)
		i += l->text[i] == '\\' ? 2 : 1;
	return i < l->len ? i : l->len;
}

/* After an opening bracket: the position of the closing one. */
static size_t bracket_end(const struct redact_line *l, size_t i)
{
	unsigned depth = 1;

	for (; i < l->len; i++) {
		depth += l->text[i] == '{' || l->text[i] == '[';
		depth -= l->text[i] == '}' || l->text[i] == ']';
		if (depth == 0)
			return i;
	}
	return l->len;
}

/* --- rules --------------------------------------------------------------- */

/* A whole key in one line, its newlines as \n; else the rest of the line. */
static bool rule_key(const struct redact_line *l, size_t i, struct taken *ret)
{
	size_t end;

	if (!begins(l, i, PEM_BEGIN) || find(l, i, PEM_PRIVATE) == l->len)
		return false;
	end = find(l, i, PEM_END);
	*ret = (struct taken){ 0, end - i };
	return true;
}

/* The end of the value that begins at i. */
static size_t value_end(const struct redact_line *l, size_t i, char separator)
{
	char c = at(l, i);

	if (c == '\\' && is_quote(at(l, i + 1)))	/* JSON within JSON */
		return find(l, i + 2, "\\");
	if (is_quote(c))
		return quote_end(l, i + 1, c);
	if (c == '{' || c == '[')
		return bracket_end(l, i + 1);
	return find_any(l, i, separator == ':' ? ",}\"" : "\"");
}

/* Skips from the word over the rest of its name, quotes, blanks and one : or =
 * to the value. 0 if there is no value.
 */
static size_t value_begin(const struct redact_line *l, size_t i,
			  char *ret_separator)
{
	size_t before;

	while (isalnum((unsigned char)at(l, i)) || at(l, i) == '_' ||
	       at(l, i) == '-')
		i++;
	before = i;
	if (at(l, i) == '\\')
		i++;
	if (is_quote(at(l, i)))
		i++;
	i = skip_blanks(l, i);
	*ret_separator = at(l, i);
	if (*ret_separator == ':' || *ret_separator == '=')
		return skip_blanks(l, i + 1);
	return is_blank(at(l, before)) ? i : 0;
}

/* password = x, "token": "x", snmp-server community x. */
static bool rule_word(const struct redact_line *l, size_t i, struct taken *ret)
{
	static const char *const words[] = {
		"password", "passwd", "passphrase", "passkey", "secret",
		"private_key", "private-key", "privatekey", "priv_key",
		"pre_shared_key", "pre-shared-key", "presharedkey", "psk",
		"auth_key", "authkey", "auth-key", "api_key", "apikey",
		"token", "credential", "community", "communities",
	};
	char separator;

	for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
		size_t begin, end;

		if (!begins(l, i, words[w]))
			continue;
		begin = value_begin(l, i + strlen(words[w]), &separator);
		if (begin == 0 || begin >= l->len)
			return false;
		end = value_end(l, begin, separator);
		if (at(l, begin) == '\\' && is_quote(at(l, begin + 1)))
			begin += 2;
		else if (is_quote(at(l, begin)))
			begin++;
		*ret = (struct taken){ begin - i, end > begin ? end - begin :
								0 };
		return ret->goes > 0;
	}
	return false;
}

/* From a prefix up to one of some octets: in CONFIG_DB the key
 * SNMP_COMMUNITY|name is itself the secret.
 */
static bool rule_plain(const struct redact_line *l, size_t i,
		       struct taken *ret)
{
	static const char *const words[][2] = {
		{ "SNMP_COMMUNITY|", " \t\"',:|\\" },
		{ "authorization:", "\"'" }, { "bearer ", "\"'" },
		{ "cookie:", "\"'" },
	};

	for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
		size_t begin = i + strlen(words[w][0]);

		if (!begins(l, i, words[w][0]))
			continue;
		*ret = (struct taken){ begin - i, find_any(l, begin,
							   words[w][1]) -
						  begin };
		return ret->goes > 0;
	}
	return false;
}

/* scheme://user:password@host; the password may have an @ of its own. */
static bool rule_url(const struct redact_line *l, size_t i, struct taken *ret)
{
	size_t end;

	if (!begins(l, i, "://"))
		return false;
	end = find_any(l, i + 3, "/ \t\"'<>");
	while (end > i + 3 && at(l, end) != '@')
		end--;
	if (at(l, end) != '@')
		return false;
	*ret = (struct taken){ 3, end - i - 3 };
	return ret->goes > 0;
}

/* $6$salt$hash of crypt(5). */
static bool rule_hash(const struct redact_line *l, size_t i, struct taken *ret)
{
	size_t id, end;

	if (at(l, i) != '$')
		return false;
	for (id = i + 1; id - i <= 3 && isalnum((unsigned char)at(l, id));)
		id++;
	if (id == i + 1 || at(l, id) != '$')
		return false;
	end = find_any(l, id + 1, " \t\"':,");
	*ret = (struct taken){ 0, end - i };
	return memchr(l->text + id + 1, '$', end - id - 1) != NULL;
}

static bool (*const rules[])(const struct redact_line *l, size_t i,
			     struct taken *ret) = {
	rule_key, rule_plain, rule_word, rule_url, rule_hash,
};

/* --- names and addresses ------------------------------------------------- */

/* Finds the text's pseudonym, or adds one; NULL if the list is full. */
static struct pseudonym *pseudonym_find(struct pseudonyms *p, enum kind kind,
					const char *text, size_t len)
{
	struct pseudonym *n;

	for (size_t i = 0; i < p->count; i++)
		if (p->list[i].kind == kind &&
		    strlen(p->list[i].text) == len &&
		    strncasecmp(p->list[i].text, text, len) == 0)
			return &p->list[i];
	if (p->count == PSEUDONYMS_MAX || len >= NAME_LEN_MAX)
		return NULL;
	n = &p->list[p->count++];
	n->kind = kind;
	memcpy(n->text, text, len);
	return n;
}

static void pseudonym_put(struct pseudonyms *p, struct pseudonym *n, FILE *out)
{
	static const char *const words[] = { "host", "address" };

	if (!n) {
		(void)fputs("other", out);
		return;
	}
	if (n->number == 0) {
		n->number = ++p->next[n->kind];
		p->replaced++;
	}
	(void)fprintf(out, "%s-%u", words[n->kind], n->number);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* The longest hidden name at text that is a whole word. */
static struct pseudonym *name_at(struct pseudonyms *p, const char *text,
				 size_t len, size_t *ret_len)
{
	struct pseudonym *best = NULL;

	*ret_len = 0;
	for (size_t i = 0; i < p->count; i++) {
		size_t n = strlen(p->list[i].text);

		if (p->list[i].kind != KIND_HOST || n <= *ret_len || n > len ||
		    strncasecmp(p->list[i].text, text, n) != 0 ||
		    (n < len && is_word(text[n])))
			continue;
		best = &p->list[i];
		*ret_len = n;
	}
	return best;
}

/* Two hexadecimal digits six times, with colons. */
static bool is_mac(const char *text)
{
	for (size_t i = 0; i < 17; i++)
		if (i % 3 == 2 ? text[i] != ':' :
				 !isxdigit((unsigned char)text[i]))
			return false;
	return text[17] == '\0';
}

/* Length of an address at text, unless it is loopback or unspecified. */
static size_t address_at(const char *text, size_t len)
{
	static const char *const plain[] = { "127.0.0.1", "0.0.0.0", "::1",
					     "::" };
	char copy[INET6_ADDRSTRLEN] = "", octets[16];
	size_t n = 0;

	while (n < len && n < sizeof(copy) - 1 &&
	       (isxdigit((unsigned char)text[n]) || text[n] == ':' ||
		text[n] == '.')) {
		copy[n] = text[n];
		n++;
	}
	/* The dot that ends a sentence, or a port, is not part of it. */
	while (n && copy[n - 1] == '.')
		n--;
	for (; n; n = (size_t)(strrchr(copy, ':') - copy)) {
		copy[n] = '\0';
		if (inet_pton(AF_INET, copy, octets) == 1 ||
		    inet_pton(AF_INET6, copy, octets) == 1 || is_mac(copy))
			break;
		if (!strrchr(copy, ':'))
			return 0;
	}
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (strcmp(copy, plain[i]) == 0)
			return 0;
	return n && (n == len || !is_word(text[n])) ? n : 0;
}

/* A text with its names, IPv4, IPv6 and MAC addresses replaced. */
static void pseudonyms_put(struct pseudonyms *p, const char *text, size_t len,
			   FILE *out)
{
	for (size_t i = 0; i < len;) {
		bool begins = i == 0 || !is_word(text[i - 1]);
		struct pseudonym *n = NULL;
		size_t used = 0;

		if (begins)
			n = name_at(p, text + i, len - i, &used);
		if (begins && !n) {
			used = address_at(text + i, len - i);
			n = used ? pseudonym_find(p, KIND_ADDRESS, text + i,
						  used) : NULL;
		}
		if (used)
			pseudonym_put(p, n, out);
		else
			(void)fputc(text[i], out);
		i += used ? used : 1;
	}
}

void redact_name(struct redact *r, const char *name)
{
	if (r->pseudonyms && strlen(name) > 1)
		(void)pseudonym_find(r->pseudonyms, KIND_HOST, name,
				     strlen(name));
}

/* The serial number of a module, or the old and new peer of a port. */
static void event_names(struct redact *r, const struct history_event *e)
{
	struct event_change c;

	if (e->what == EVENT_MODULE_INSERTED || e->what == EVENT_MODULE_REMOVED)
		redact_name(r, e->text);
	if (e->what != EVENT_NEIGHBOR_CHANGED)
		return;
	change_parse(e->text, &c);
	c.from[strcspn(c.from, ":")] = '\0';
	c.to[strcspn(c.to, ":")] = '\0';
	redact_name(r, c.from);
	redact_name(r, c.to);
}

void redact_inventory(struct redact *r, const char *switch_name,
		      const struct state *state, const struct history *history)
{
	static const enum attribute hidden[] = {
		ATTRIBUTE_SERIAL, ATTRIBUTE_PEER_SWITCH,
		ATTRIBUTE_EXPECTED_PEER_SWITCH, ATTRIBUTE_DESCRIPTION,
	};
	const struct inventory_entity *e;
	size_t n = state ? state_entities(state, &e) : 0;

	redact_name(r, switch_name);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(hidden) / sizeof(hidden[0]); k++)
			if (e[i].id && e[i].attribute[hidden[k]])
				redact_name(r, e[i].attribute[hidden[k]]);
	for (uint64_t i = history ? history_first(history) : 0;
	     history && i < history_next(history); i++)
		event_names(r, history_get(history, i));
}

size_t redact_secrets(const struct redact *r)
{
	return r->secrets;
}

size_t redact_names(const struct redact *r)
{
	return r->pseudonyms ? r->pseudonyms->replaced : 0;
}

/* --- a text -------------------------------------------------------------- */

static bool secret_at(const struct redact_line *l, size_t i, struct taken *ret)
{
	for (size_t r = 0; r < sizeof(rules) / sizeof(rules[0]); r++)
		if (rules[r](l, i, ret))
			return true;
	return false;
}

static void secrets_cut(struct redact *r, const struct redact_line *l,
			FILE *out)
{
	struct taken t;

	for (size_t i = 0; i < l->len;) {
		if (!secret_at(l, i, &t)) {
			(void)fputc(l->text[i++], out);
			continue;
		}
		(void)fwrite(l->text + i, 1, t.stays, out);
		(void)fputs(REDACTED, out);
		r->secrets++;
		i += t.stays + t.goes;
	}
}

/* Leaves out all lines of a key. */
static void line_put(struct redact *r, const struct redact_line *l, FILE *out)
{
	size_t key = find(l, 0, PEM_BEGIN);
	bool begins_key = find(l, key, PEM_PRIVATE) < l->len;

	if (!r->in_key)
		secrets_cut(r, l, out);
	if (begins_key)
		r->in_key = true;
	if (r->in_key && find(l, begins_key ? key : 0, PEM_END) < l->len)
		r->in_key = false;
}

/* Then replaces names and addresses in the rest. */
static int line_redact(struct redact *r, const struct redact_line *l, FILE *out)
{
	struct redact_line kept = { .len = 0 };
	char *text = NULL;
	FILE *f = open_memstream(&text, &kept.len);

	if (!f)
		return -errno;
	line_put(r, l, f);
	if (fclose(f) != 0) {
		free(text);
		return -ENOMEM;
	}
	if (r->pseudonyms)
		pseudonyms_put(r->pseudonyms, text, kept.len, out);
	else
		(void)fwrite(text, 1, kept.len, out);
	free(text);
	return 0;
}

int redact_text(struct redact *r, const char *text, size_t len, FILE *out)
{
	int rc = 0;

	r->in_key = false;
	while (len && rc == 0) {
		const char *end = memchr(text, '\n', len);
		struct redact_line l = { text,
					 end ? (size_t)(end - text) : len };

		rc = line_redact(r, &l, out);
		if (end)
			(void)fputc('\n', out);
		len -= l.len + (end != NULL);
		text += l.len + (end != NULL);
	}
	return rc < 0 ? rc : ferror(out) ? -EIO : 0;
}
