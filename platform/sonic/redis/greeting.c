#include "platform/sonic/redis/greeting.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/path.h"

/* Appends a command of two words. */
static void greeting_add(struct greeting *g, const char *command,
			 const char *word, size_t len)
{
	int n = snprintf(g->text + g->len, sizeof(g->text) - g->len,
			 "*2\r\n$%zu\r\n%s\r\n$%zu\r\n%.*s\r\n",
			 strlen(command), command, len, (int)len, word);

	g->len += (size_t)n;	/* GREETING_MAX has room for all */
	g->count++;
}

static int password_add(int root_fd, const char *path, struct greeting *g)
{
	size_t len;
	char *text;
	int rc = path_read(root_fd, path, GREETING_PASSWORD_MAX, &text, &len);

	if (rc < 0)
		return rc;
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		len--;
	if (len > 0 && !memchr(text, '\0', len))
		greeting_add(g, "AUTH", text, len);
	else
		rc = -ENODATA;
	explicit_bzero(text, len);
	free(text);
	return rc;
}

int greeting_write(int root_fd, const struct database *database,
		   struct greeting *ret, struct diag *d)
{
	char id[12];
	int rc = 0, n = snprintf(id, sizeof(id), "%u", database->id);

	ret->len = ret->count = 0;
	if (database->password[0])
		rc = password_add(root_fd, database->password, ret);
	if (rc == -ENODATA)
		return diag_set(d, rc, "password %s: it is empty",
				database->password);
	if (rc < 0)
		return diag_prefix(d, path_diag(d, root_fd, database->password,
						rc), "password");
	greeting_add(ret, "SELECT", id, (size_t)n);
	return 0;
}

void greeting_forget(struct greeting *g)
{
	explicit_bzero(g->text, g->len);
	g->len = 0;
}
