/* A stand-in for the events of SONiC's libswsscommon: writes what is published
 * to the file that PETREL_EVENTS names, a line an event.
 * PETREL_EVENTS_FAIL: how it fails instead (init, publish, hang, die).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct param {
	const char *name, *val;
};

struct data {
	const char *tag;
	struct param *params;
	int count;
};

void *events_init_publisher_wrap(const char *source);
int event_publish_wrap(void *handle, const struct data *data);

static int fails(const char *how)
{
	const char *asked = getenv("PETREL_EVENTS_FAIL");

	return asked && strcmp(asked, how) == 0;
}

void *events_init_publisher_wrap(const char *source)
{
	return fails("init") ? NULL : strdup(source);
}

int event_publish_wrap(void *handle, const struct data *data)
{
	const char *path = getenv("PETREL_EVENTS");
	FILE *f = path ? fopen(path, "a") : NULL;

	if (fails("publish") || !f)
		return -22;
	if (fails("hang"))
		(void)pause();
	if (fails("die"))
		abort();
	(void)fprintf(f, "%s:%s", (const char *)handle, data->tag);
	for (int i = 0; i < data->count; i++)
		(void)fprintf(f, "\t%s=%s", data->params[i].name,
			      data->params[i].val);
	(void)fputc('\n', f);
	(void)fclose(f);
	return 0;
}
