/* Of a certificate only its validity is read (RFC 5280, section 4.1):
 *
 *	Certificate	SEQUENCE { tbs, ... }
 *	tbs		SEQUENCE { [0] version?, serial INTEGER,
 *			signature SEQUENCE, issuer SEQUENCE, validity, ... }
 *	validity	SEQUENCE { notBefore, notAfter }: UTCTime YYMMDDhhmmssZ
 *			or GeneralizedTime YYYYMMDDhhmmssZ
 */
#include "agent/http/certificate.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sodium.h>

#include "agent/base/number.h"
#include "petrel/cursor.h"

#define BEGIN "-----BEGIN CERTIFICATE-----"
#define END "-----END CERTIFICATE-----"
#define DATE_MAX 16

enum der { DER_INTEGER = 0x02, DER_UTC_TIME = 0x17, DER_TIME = 0x18,
	   DER_SEQUENCE = 0x30, DER_VERSION = 0xa0 };

struct validity {
	int64_t from_s, to_s;
};

/* The content of the next element; *ret_tag says which it is. */
static struct cursor der_next(struct cursor *c, uint8_t *ret_tag)
{
	size_t len;

	*ret_tag = cursor_u8(c);
	len = cursor_u8(c);
	if (len > 0x80) {
		unsigned octets = len & 0x7f;

		if (octets > sizeof(uint32_t))
			cursor_fail(c);
		for (len = 0; octets > 0 && cursor_ok(c); octets--)
			len = len << 8 | cursor_u8(c);
	}
	return cursor_sub(c, len);
}

/* The content of an element that must be this one. */
static struct cursor der_of(struct cursor *c, uint8_t tag)
{
	uint8_t found;
	struct cursor inner = der_next(c, &found);

	if (found != tag)
		cursor_fail(&inner);
	return inner;
}

static int two_digits(const uint8_t *at)
{
	uint64_t n;
	char text[3] = { (char)at[0], (char)at[1], '\0' };

	return number_parse(text, 0, 99, &n) < 0 ? -1 : (int)n;
}

/* Seconds since 1970; years before 50 of a UTCTime are of this century. */
static int64_t time_read(struct cursor *c)
{
	uint8_t tag;
	struct cursor text = der_next(c, &tag);
	size_t digits = tag == DER_TIME ? 14 : 12;
	const uint8_t *at = cursor_bytes(&text, digits);
	int part[7] = { 0 };		/* century to second */
	struct tm tm = { .tm_isdst = 0 };

	for (size_t i = 0; at && i < digits / 2; i++)
		part[i + 7 - digits / 2] = two_digits(at + 2 * i);
	for (size_t i = 0; i < 7; i++)
		if (part[i] < 0)
			at = NULL;
	if (!at || (tag != DER_TIME && tag != DER_UTC_TIME)) {
		cursor_fail(c);
		return 0;
	}
	if (tag == DER_UTC_TIME)
		part[0] = part[1] < 50 ? 20 : 19;
	tm.tm_year = part[0] * 100 + part[1] - 1900;
	tm.tm_mon = part[2] - 1;
	tm.tm_mday = part[3];
	tm.tm_hour = part[4];
	tm.tm_min = part[5];
	tm.tm_sec = part[6];
	return timegm(&tm);
}

static int validity_read(const uint8_t *der, size_t len, struct validity *ret)
{
	struct cursor file = cursor_of(der, len), tbs, times;
	struct validity v;
	uint8_t tag;

	tbs = der_of(&file, DER_SEQUENCE);
	tbs = der_of(&tbs, DER_SEQUENCE);
	(void)der_next(&tbs, &tag);
	if (tag == DER_VERSION)
		(void)der_of(&tbs, DER_INTEGER);	/* serial */
	(void)der_of(&tbs, DER_SEQUENCE);	/* signature */
	(void)der_of(&tbs, DER_SEQUENCE);	/* issuer */
	times = der_of(&tbs, DER_SEQUENCE);
	v.from_s = time_read(&times);
	v.to_s = time_read(&times);
	if (!cursor_ok(&times))
		return -EINVAL;
	*ret = v;
	return 0;
}

/* The next certificate of a text, which *at moves behind. Returns -ENODATA when
 * there is none; -EINVAL.
 */
static int pem_next(const char **at, struct validity *ret)
{
	const char *begin = strstr(*at, BEGIN), *end;
	uint8_t *der;
	size_t len;
	int err = -EINVAL;

	if (!begin)
		return -ENODATA;
	begin += strlen(BEGIN);
	end = strstr(begin, END);
	*at = end ? end + strlen(END) : begin + strlen(begin);
	if (!end)
		return -EINVAL;
	der = malloc((size_t)(end - begin) + 1);
	if (!der)
		return -ENOMEM;
	if (sodium_base642bin(der, (size_t)(end - begin), begin,
			      (size_t)(end - begin), "\r\n \t", &len, NULL,
			      sodium_base64_VARIANT_ORIGINAL) == 0)
		err = validity_read(der, len, ret);
	free(der);
	return err;
}

static int validity_judge(const struct validity *v, struct wall now,
			  struct diag *d)
{
	int64_t now_s = now.ns / NS_PER_S;
	bool is_over = now_s > v->to_s;
	time_t when = is_over ? v->to_s : v->from_s;
	char date[DATE_MAX];
	struct tm tm;

	if (!is_over && now_s >= v->from_s)
		return 0;
	(void)gmtime_r(&when, &tm);
	(void)strftime(date, sizeof(date), "%Y-%m-%d", &tm);
	return diag_set(d, -EINVAL, is_over ? "the certificate expired on %s; "
			"expected one that is valid" : "the certificate is "
			"valid from %s on; expected one that is valid now",
			date);
}

static int none_set(int err, struct diag *d)
{
	return diag_set(d, -EINVAL, err == -ENODATA ? "there is no "
			"certificate in it; expected one in PEM" :
			"a certificate in it cannot be read; expected PEM");
}

int certificate_check(const char *pem, struct wall now, struct diag *d)
{
	struct validity v;
	int err = pem_next(&pem, &v);

	return err < 0 ? none_set(err, d) : validity_judge(&v, now, d);
}

int certificates_check(const char *pem, struct wall now, struct diag *d)
{
	struct validity v;
	bool is_any = false, is_valid = false;
	int err;

	while ((err = pem_next(&pem, &v)) == 0) {
		is_any = true;
		is_valid |= validity_judge(&v, now, d) == 0;
	}
	if (err != -ENODATA || !is_any)
		return none_set(err, d);
	return is_valid ? 0 : -EINVAL;
}
