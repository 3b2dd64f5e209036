#include "agent/process/drivers.h"

#include <stdio.h>
#include <string.h>

#include "petrel/log.h"
#include "platform/registry.h"

static bool list_names(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = list; at && *at; at = strchr(at, ',')) {
		at += strspn(at, ", ");
		if (strncmp(at, name, n) == 0 &&
		    (!at[n] || strchr(", ", at[n])))
			return true;
	}
	return false;
}

const char *drivers_option(void *context, const char *key)
{
	const struct driver_options *of = context;

	return config_option(of->config, of->driver, key);
}

/* The driver with the best score; NULL when none detects its switch; diag then
 * has each one's reason.
 */
static const struct platform_driver *best_of(const struct drivers *d,
					     struct diag *diag)
{
	const struct platform_driver *best = NULL;
	int best_score = 0;

	for (const struct platform_driver *const *p = registry_drivers(d->all);
	     *p; p++) {
		struct driver_options options = { d->config, (*p)->name };
		struct platform_env env = {
			.abi = PLATFORM_ABI, .size = sizeof(env),
			.root_fd = d->root_fd, .blocking = d->blocking,
			.option_context = &options,
			.option = drivers_option };
		struct diag why = { "" };
		int score = (*p)->probe ? (*p)->probe(&env, &why) : 0;
		size_t used = strlen(diag->text);

		if (!(*p)->probe)
			continue;

		(void)snprintf(diag->text + used, sizeof(diag->text) - used,
			       "%s%s: %s", used ? "; " : "", (*p)->name,
			       why.text);

		if (score > best_score) {
			best = *p;
			best_score = score;
		}
	}
	return best;
}

/* The chosen driver, or one that is opened along with it. */
static bool is_chosen(const struct platform_driver *best, const char *name)
{
	const char *const *beside = best ? best->beside : NULL;

	if (!best || strcmp(best->name, name) == 0)
		return best != NULL;
	while (beside && *beside && strcmp(*beside, name) != 0)
		beside++;
	return beside && *beside;
}

static bool has_sources(const struct platform_driver *driver, bool blocking)
{
	for (size_t i = 0; driver->sources[i]; i++)
		if (driver->sources[i]->blocks == blocking)
			return true;
	return false;
}

static void driver_open(struct drivers *d, unsigned n,
			const struct platform_driver *driver)
{
	struct diag diag = { "" };

	if (d->opened >> n & 1)
		return;
	if (!has_sources(driver, d->blocking) && d->blocking) {
		d->opened |= 1u << n;
		return;
	}
	if ((d->blocking && registry_load(d->all, n, &diag) < 0) ||
	    sampler_driver_add(d->sampler, registry_drivers(d->all)[n],
			       &diag) < 0) {
		d->done = false;
		if (strcmp(d->reason, diag.text) != 0)
			log_warn("sample", "driver=%s not open: %s",
				 driver->name, diag.text);
		(void)snprintf(d->reason, sizeof(d->reason), "%s", diag.text);
		return;
	}
	log_info("sample", "driver=%s open", driver->name);
	d->opened |= 1u << n;
}

bool drivers_may_open(const struct config *config, const char *name)
{
	return strcmp(config->driver, "auto") == 0 ||
	       list_names(config->driver, name);
}

void drivers_open(struct drivers *d)
{
	const struct platform_driver *const *all = registry_drivers(d->all);
	bool automatic = strcmp(d->config->driver, "auto") == 0;
	const struct platform_driver *best = NULL;
	struct diag diag = { "" };
	unsigned n = 0, wanted = 0;

	d->done = true;
	if (automatic) {
		best = best_of(d, &diag);
		if (!best)
			(void)snprintf(d->reason, sizeof(d->reason),
				       "no switch found: %s", diag.text);
	}
	for (; all[n]; n++) {
		if (automatic ? !is_chosen(best, all[n]->name) :
				!list_names(d->config->driver, all[n]->name))
			continue;
		wanted++;
		driver_open(d, n, all[n]);
	}
	if (wanted == 0)
		d->done = false;
	if (wanted == 0 && !automatic)
		(void)snprintf(d->reason, sizeof(d->reason),
			       "[Platform] driver = %.64s: no such driver",
			       d->config->driver);
	if (d->done)
		d->reason[0] = '\0';
}
