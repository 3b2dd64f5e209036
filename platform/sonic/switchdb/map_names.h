/* What keys and maps name, and which keys are listed for that. What is
 * implausible is kept, to be told with the sources that read by these names:
 * nobody would find the reason elsewhere. All is read as far as it makes sense.
 */
#pragma once

#include "platform/sonic/switchdb/namespace.h"

/* What KEYS is asked for, of one of the three. */
void map_names_patterns(const struct namespace *s, enum map_query m,
			struct lister *l);
/* Adds what a key names to the lists of the maps. */
void map_names_key(struct namespace *s, enum map_query m, char separator,
		   const char *key, size_t len);
/* Adds a pair, whose name is kept in the maps, to the list of its kind. map:
 * what the map is called, for a text that is no id.
 */
void map_names_pair(struct namespace *s, enum map_query m, const char *map,
		    unsigned kind, const char *text, size_t len);
/* Nobody says which sensors there are: those that are known stay. */
void map_names_keep_sensors(struct namespace *s);

/* Keeps the first thing that is implausible: one id of two names; names without
 * room; too many ports (the last in the order of names are left out).
 */
void map_names_twins(struct maps *m, struct name_list *l);
void map_names_room(struct maps *m, const char *of, const struct name_list *l);
void map_names_ports(struct maps *m, struct name_list *ports);
