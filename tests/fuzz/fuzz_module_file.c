/* Files with a module's memory: any octets are taken or refused; what is taken
 * is decoded.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include "platform/module/image_file.h"
#include "platform/module/module.h"

static void on_text(void *context, enum attribute which, const char *text)
{
	(void)context;
	(void)which;
	(void)text;
}

static void on_value(void *context, enum quantity quantity, unsigned lane,
		     unsigned index, int64_t value, enum sample_quality quality)
{
	(void)context;
	(void)quantity;
	(void)lane;
	(void)index;
	(void)value;
	(void)quality;
}

static void on_implausible(void *context, const struct module_doubt *doubt)
{
	(void)context;
	(void)doubt;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void part_take(const uint8_t *data, size_t len)
{
	struct module_sink sink = { NULL, on_text, on_value, on_implausible };
	struct module_image image;
	struct diag note, d = { "" };
	int rc = image_file_parse(data, len, &image, &note, &d);

	if (rc < 0 && !d.text[0])
		abort();	/* a refusal without a reason */
	if (rc == 0)
		(void)module_decode(&image, MODULE_ALL_PARTS, &sink, &d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char name[IMAGE_PART_NAME_MAX];
	size_t at = 0, n;

	do {
		n = image_file_part(data, len, at, name);
		if (n > len - at || (n == 0 && at < len))
			abort();	/* leaves the file, or never ends */
		part_take(data + at, n);
		at += n;
	} while (at < len);
	return 0;
}
