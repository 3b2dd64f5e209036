/* Content of an alert: a finding as Alertmanager takes it, without its end. */
#pragma once

#include <stdint.h>
#include "petrel/finding.h"

struct json_object;
struct statement_set;

/* The switch of a finding. */
struct alert_switch {
	const char *id, *name;
	struct statement_set *stored;	/* its location */
};

/* {"labels":…,"annotations":…,"startsAt":…}; former: of the alert that
 * continues, or NULL.
 */
struct json_object *alert_content(const struct alert_switch *of,
				  const struct finding *f,
				  struct json_object *former);
/* The same with the switch's present name; NULL: it has that already, with or
 * without the id, or no memory. of->name: as it is shown now.
 */
struct json_object *alert_renamed(struct json_object *content,
				  const struct alert_switch *of,
				  const char *name);
/* A text of an object, "" without; borrowed. */
const char *alert_member(struct json_object *o, const char *key);
/* The labels that identify it, as text; borrowed. */
const char *alert_labels(struct json_object *content);

#define ALERT_TIME_MAX 32
void alert_time(int64_t wall_ns, char ret[static ALERT_TIME_MAX]);
