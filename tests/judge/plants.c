#include "tests/judge/plants.h"

/* A plant whose source is not in the tree is NULL to the linker. */
extern const struct plant_model plant_a __attribute__((weak));
extern const struct plant_model plant_b __attribute__((weak));
extern const struct plant_model plant_c __attribute__((weak));
extern const struct plant_model plant_d __attribute__((weak));
extern const struct plant_model plant_e __attribute__((weak));
extern const struct plant_model plant_f __attribute__((weak));
extern const struct plant_model plant_g __attribute__((weak));

static const struct {
	const char *word;
	const struct plant_model *model;
} rows[] = {
	{ "a", &plant_a },
	{ "b", &plant_b },
	{ "c", &plant_c },
	{ "d", &plant_d },
	{ "e", &plant_e },
	{ "f", &plant_f },
	{ "g", &plant_g },
	{ "tiny", &plant_tiny },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

const struct plant_model *plants_get(size_t number)
{
	return number < ROWS ? rows[number].model : NULL;
}

const char *plants_word(size_t number)
{
	return number < ROWS ? rows[number].word : NULL;
}
