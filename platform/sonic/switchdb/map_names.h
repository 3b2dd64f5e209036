/* The names in keys and maps, and the keys to list for them. Implausible ones
 * are noted and reported with the sources that read by these names, as nobody
 * would look for the reason elsewhere. Everything that makes sense is used.
 */
#pragma once

#include "platform/sonic/switchdb/namespace.h"

/* The patterns for KEYS, for one of the three. */
void map_names_patterns(const struct namespace *s, enum map_query m,
			struct lister *l);
/* Adds the name in a key to the lists of the maps. */
void map_names_key(struct namespace *s, enum map_query m, char separator,
		   const char *key, size_t len);
/* Adds a pair, whose name is kept in the maps, to the list of its kind. map:
 * the name of the map, for a text that is not an id.
 */
void map_names_pair(struct namespace *s, enum map_query m, const char *map,
		    unsigned kind, const char *text, size_t len);
/* Adds the name of a sensor, made to fit if it is long. */
void map_names_sensor(struct namespace *s, struct name_list *to,
		      const char *name, size_t len);
/* The name as it stands in a key. */
const char *map_names_full(const struct namespace *s, const char *name);
/* The sensors could not be listed: keeps those that are known. */
void map_names_keep_sensors(struct namespace *s);

/* Notes the first implausible thing: one id of two names; names without room;
 * too many ports (the last by name are dropped).
 */
void map_names_twins(struct maps *m, struct name_list *l);
void map_names_room(char note[static SOURCE_REASON_MAX], const char *of,
		    size_t most, const struct name_list *l);
void map_names_ports(struct maps *m, struct name_list *ports);
