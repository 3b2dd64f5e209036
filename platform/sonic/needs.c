#include "platform/sonic/needs.h"

#include <unistd.h>

#include "platform/sonic/switchdb/database.h"
#include "platform/sonic/hft/hft_settings.h"
#include "platform/sonic/switchdb/database_global.h"

struct needs {
	void *context;
	void (*path)(void *context, const char *path, int want, bool blocks);
};

static void tell(const struct needs *n, const char *path, int want)
{
	if (path && path[0])
		n->path(n->context, path, want, false);
}

/* Of one instance's file; where it is not there yet, the usual socket. */
static void databases_tell(const struct needs *n, int root_fd,
			   const char *config, const char *usual)
{
	struct databases d;

	tell(n, config, R_OK);
	if (databases_read(root_fd, config, &d, NULL) < 0) {
		tell(n, usual, W_OK);
		return;
	}
	for (unsigned i = 0; i < DATABASE_COUNT; i++) {
		if (!d.of[i].known)
			continue;
		tell(n, d.of[i].socket, W_OK);
		tell(n, d.of[i].password, R_OK);
	}
}

void needs_tell(const struct platform_env *env, void *context,
		void (*path)(void *context, const char *path, int want,
			     bool blocks))
{
	const struct needs n = { context, path };
	const char *socket = env->option(env->option_context, "redis");
	struct database_global found = { .count = 0 };

	tell(&n, HFT_CONSTANTS_PATH, R_OK);
	tell(&n, env->option(env->option_context, "hft_ids"), R_OK);
	if (socket) {
		tell(&n, socket, W_OK);
		return;
	}
	databases_tell(&n, env->root_fd, DATABASE_CONFIG_PATH,
		       DATABASE_SOCKET_DEFAULT);
	tell(&n, DATABASE_GLOBAL_PATH, R_OK);
	if (database_global_read(env->root_fd, &found, NULL) < 0)
		return;
	for (size_t i = 0; i < found.count; i++)
		databases_tell(&n, env->root_fd, found.of[i].config, NULL);
}
