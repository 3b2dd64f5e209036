#include "platform/registry.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/folder.h"
#include "agent/base/path.h"
#include "platform/driver.h"
#include "platform/driver_file.h"

#define FILE_OCTETS_MAX (64u << 10)
#define SUFFIX ".driver"

static const struct platform_driver *const built_in[] = {
	&sonic_driver,
	&linux_driver,
	&sim_driver,
	&module_driver,
	NULL,
};

struct registry {
	int folder_fd;			/* -1: none */
	const struct platform_driver *driver[PLATFORM_DRIVERS_MAX + 1];
	struct driver_file *outside[PLATFORM_DRIVERS_MAX];	/* by number */
	struct platform_driver loaded[PLATFORM_DRIVERS_MAX];
	unsigned count;
};

const struct platform_driver *const *registry_built_in(void)
{
	return built_in;
}

const struct platform_driver *registry_find(const char *name)
{
	unsigned n = 0;

	while (built_in[n] && strcmp(built_in[n]->name, name) != 0)
		n++;
	return built_in[n];
}

static int is_driver_file(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot && dot > e->d_name && strcmp(dot, SUFFIX) == 0;
}

static int outside_add(struct registry *r, const char *file, struct diag *d)
{
	struct driver_file *f;
	void *text;
	size_t len;
	int rc;

	if (r->count == PLATFORM_DRIVERS_MAX)
		return diag_set(d, -ENOSPC, "more than %d drivers",
				PLATFORM_DRIVERS_MAX);
	rc = folder_read(r->folder_fd, file, FILE_OCTETS_MAX, &text, &len);
	if (rc < 0)
		return diag_set(d, rc, "%s: %s", file, strerror(-rc));
	rc = driver_file_new(file, strlen(file) - strlen(SUFFIX), text, len,
			     &f, d);
	free(text);
	for (unsigned n = 0; rc == 0 && n < r->count; n++)
		if (strcmp(r->driver[n]->name, f->driver.name) == 0) {
			rc = diag_set(d, -EEXIST, "%s: there is already a "
				      "driver with that name", file);
			driver_file_free(f);
		}
	if (rc == 0) {
		r->outside[r->count] = f;
		r->driver[r->count++] = &f->driver;
	}
	return rc;
}

/* Sorted by name, so that numbers are the same in all processes. */
static void outside_find(struct registry *r, struct diag *d)
{
	struct dirent **entries = NULL;
	int n = scandirat(r->folder_fd, ".", &entries, is_driver_file,
			  alphasort);

	for (int i = 0; i < n; i++) {
		struct diag why;
		int rc = outside_add(r, entries[i]->d_name, &why);

		if (rc < 0 && !d->text[0])
			(void)diag_set(d, rc, REGISTRY_FOLDER "/%s", why.text);
		free(entries[i]);
	}
	free(entries);
}

int registry_new(int root_fd, struct registry **ret, struct diag *d)
{
	struct registry *r = calloc(1, sizeof(*r));

	d->text[0] = '\0';
	if (!r)
		return diag_set(d, -ENOMEM, "no memory for the drivers");
	for (; built_in[r->count]; r->count++)
		r->driver[r->count] = built_in[r->count];
	r->folder_fd = root_fd < 0 ? -1 :
		       path_open(root_fd, REGISTRY_FOLDER,
				 O_RDONLY | O_DIRECTORY);
	if (r->folder_fd >= 0 &&
	    folder_check(r->folder_fd, REGISTRY_FOLDER, d) == 0)
		outside_find(r, d);
	*ret = r;
	return 0;
}

void registry_free(struct registry *r)
{
	if (!r)
		return;
	for (unsigned n = 0; n < r->count; n++)
		driver_file_free(r->outside[n]);
	if (r->folder_fd >= 0)
		(void)close(r->folder_fd);
	free(r);
}

const struct platform_driver *const *registry_drivers(const struct registry *r)
{
	return r->driver;
}

/* Does the code agree with what the core was told? */
static bool is_as_told(const struct platform_driver *code,
		       const struct platform_driver *told)
{
	size_t n = 0;

	if (!code->open || !code->close || !code->sources ||
	    strcmp(code->name, told->name) != 0)
		return false;
	for (; code->sources[n] && told->sources[n]; n++)
		if (strcmp(code->sources[n]->name, told->sources[n]->name) !=
			    0 ||
		    !code->sources[n]->blocks)
			return false;
	return !code->sources[n] && !told->sources[n];
}

static int code_take(struct registry *r, unsigned n,
		     const struct platform_driver *code, struct diag *d)
{
	struct platform_driver *to = &r->loaded[n];

	if (!code || code->abi != PLATFORM_ABI)
		return diag_set(d, -ELIBBAD, "%s.so: no petrel_driver of "
				"version %u of the driver interface",
				r->driver[n]->name, PLATFORM_ABI);
	/* A driver built before a hook was added is shorter. */
	memcpy(to, code, code->size < sizeof(*to) ? code->size : sizeof(*to));
	if (!is_as_told(to, r->driver[n]))
		return diag_set(d, -ELIBBAD, "%s.so: its name and sources "
				"differ from those of %s" SUFFIX ", or do not block",
				r->driver[n]->name, r->driver[n]->name);
	to->options = r->driver[n]->options;
	r->driver[n] = to;
	return 0;
}

int registry_load(struct registry *r, unsigned n, struct diag *d)
{
	char name[PATH_REASON_MAX], path[64];
	void *library = NULL;
	int fd, rc;

	if (!r->outside[n] || r->driver[n] == &r->loaded[n])
		return 0;
	(void)snprintf(name, sizeof(name), "%.64s.so", r->driver[n]->name);
	fd = openat(r->folder_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return diag_set(d, -errno, "%s: %s", name, strerror(errno));
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rc = folder_check(fd, name, d);
	if (rc == 0)
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (rc == 0 && !library)
		rc = diag_set(d, -ELIBBAD, "%s: %s", name, dlerror());
	(void)close(fd);	/* it is mapped */
	return rc < 0 ? rc : code_take(r, n, dlsym(library, "petrel_driver"),
				       d);
}
