#include "platform/vswitch/reboot.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "petrel/log.h"
#include "platform/vswitch/box.h"
#include "platform/vswitch/root.h"

#define PLACE "host/reboot-cause/previous-reboot-cause.json"
#define CAUSE "reboot"
#define USER "admin"
#define TEXT_MAX 40

/* As its name in STATE_DB, and as date(1) wrote it when it was asked for. */
static void times_of(const struct box *b, char name[TEXT_MAX],
		     char asked[TEXT_MAX])
{
	time_t at = (time_t)b->boot_s;
	struct tm utc;

	(void)gmtime_r(&at, &utc);
	(void)strftime(name, TEXT_MAX, "%Y_%m_%d_%H_%M_%S", &utc);
	(void)strftime(asked, TEXT_MAX, "%a %b %e %I:%M:%S %p UTC %Y", &utc);
}

void reboot_note(struct box *b, int64_t unix_s)
{
	char name[TEXT_MAX], asked[TEXT_MAX], text[256];
	int rc;

	b->boot_s = unix_s;
	if (b->root_fd < 0)
		return;
	times_of(b, name, asked);
	(void)snprintf(text, sizeof(text), "{\"gen_time\": \"%s\", \"cause\": "
		       "\"" CAUSE "\", \"user\": \"" USER "\", \"time\": "
		       "\"%s\", \"comment\": \"N/A\"}\n", name, asked);
	rc = root_replace(b->root_fd, PLACE, text, strlen(text));
	if (rc < 0)
		log_warn("vswitch", PLACE " cannot be written: %s",
			 strerror(-rc));
}

void reboot_row(struct box *b)
{
	char name[TEXT_MAX], asked[TEXT_MAX];

	times_of(b, name, asked);
	out_row(b->host, STATE_DB, "REBOOT_CAUSE", name);
	out_text(b->host, "cause", CAUSE);
	out_text(b->host, "time", asked);
	out_text(b->host, "user", USER);
	out_text(b->host, "comment", "N/A");
	out_row_end(b->host);
}
