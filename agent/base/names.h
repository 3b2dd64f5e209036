/* One lookup for the words of all enumerations on the wire. */
#pragma once

#include <stddef.h>

/* names[value], NULL outside. */
const char *names_get(const char *const *names, size_t count, unsigned value);

/* The value of a word; -EINVAL. */
int names_parse(const char *const *names, size_t count, const char *word);
