#include "agent/ctl/pseudonym.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LEN_MAX 64

enum kind { KIND_HOST, KIND_ADDRESS };

struct pseudonym {
	char text[NAME_LEN_MAX];
	enum kind kind;
	unsigned number;	/* 0: never replaced yet */
};

struct pseudonyms {
	size_t count, replaced;
	unsigned next[2];	/* by kind */
	struct pseudonym list[PSEUDONYMS_MAX];
};

int pseudonyms_new(struct pseudonyms **ret)
{
	struct pseudonyms *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	*ret = p;
	return 0;
}

void pseudonyms_free(struct pseudonyms *p)
{
	free(p);
}

size_t pseudonyms_count(const struct pseudonyms *p)
{
	return p->replaced;
}

/* The one of that text, made when it is new; NULL when all are taken. */
static struct pseudonym *find(struct pseudonyms *p, enum kind kind,
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

void pseudonyms_hide(struct pseudonyms *p, const char *name)
{
	size_t len = strlen(name);

	if (len > 1)
		(void)find(p, KIND_HOST, name, len);
}

static void put(struct pseudonyms *p, struct pseudonym *n, FILE *out)
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

/* The longest hidden name that stands there as a word of its own. */
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

/* An address that stands there; not those that mean this machine, or none. */
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
	/* What ends a sentence, or stands before a port, belongs to neither. */
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

int pseudonyms_put(struct pseudonyms *p, const char *text, size_t len,
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
			n = used ? find(p, KIND_ADDRESS, text + i, used) : NULL;
		}
		if (used)
			put(p, n, out);
		else
			(void)fputc(text[i], out);
		i += used ? used : 1;
	}
	return ferror(out) ? -EIO : 0;
}
