/* What the judge found in its cases, row by row: plain data, which a worker
 * hands its parent as it lies, and which is only counted later. Owns the lists;
 * knows no rule of what is right.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ROW_WORD_MAX 24
#define ROW_CAUSE_MAX 112
#define TELLERS_MAX 8		/* the engine is 0, its peers follow */
#define TELLER_ENGINE 0

/* Under what a row came to be. */
struct setting {
	uint64_t seed;
	uint8_t plant, pace, mix;
	bool hard;
	uint8_t without;	/* bits of enum feed_without */
};

/* One true fault, and what one teller made of it. Names are of enum signature,
 * 0 for none.
 */
struct fault_row {
	struct setting at;
	uint8_t teller;
	char what[ROW_WORD_MAX], law[ROW_WORD_MAX], media[ROW_WORD_MAX];
	char port_name[ROW_WORD_MAX];	/* the first that is struck */
	uint8_t signature;		/* 0: it has no name */
	uint8_t first_name, last_name;	/* last: before the cliff */
	uint32_t names;			/* bit n: signature n was named */
	bool has_effect, found, found_warn;
	bool end_asked, end_right, action_asked, action_right;
	float delay_s, delay_warn_s;	/* from the effect; NAN: never */
	/* Within the case; sudden: nobody could have foreseen it. */
	bool has_cliff, is_sudden;
	bool foretold;			/* by any word before it */
	float lead_share;		/* of onset to cliff; NAN: no warning */
	/* At half of the life from onset to cliff, seconds from there. */
	bool answered;
	float low_s, mid_s, high_s, left_s;	/* high: INFINITY for none */
	/* The second of two faults of one port; signature of the first. */
	bool is_pair, both_named, third_named;
	uint8_t pair_with;
};

/* One finding. */
struct finding_row {
	struct setting at;
	uint8_t teller, port;
	char media[ROW_WORD_MAX], port_name[ROW_WORD_MAX];
	double begin_s;			/* world time */
	uint8_t severity;		/* the worst */
	uint8_t first_name, last_name;
	unsigned renames, words;
	float confidence;
	bool name_right, fits;
	bool is_false;		/* at warn, fits nothing, and not folded */
	char nearby[ROW_WORD_MAX];	/* the benign thing, or "nothing" */
	float nearby_s;			/* since its onset */
	char cause[ROW_CAUSE_MAX];
	/* A cliff was to come within the case, or one of twice its length. */
	bool foretold, due, came, due_later, came_later;
};

/* One benign thing that befell. */
struct benign_row {
	struct setting at;
	char what[ROW_WORD_MAX];
	uint8_t ports;			/* how many are struck */
};

/* How long ports of a medium were watched. */
struct exposure_row {
	struct setting at;
	char media[ROW_WORD_MAX];
	double port_s;
	double readings;
};

/* A share of frames lost that somebody foretold, and the true one then. */
struct loss_row {
	struct setting at;
	uint8_t teller;
	float told_log10, true_log10;
};

/* What could have been foreseen of a cliff. */
struct oracle_row {
	struct setting at;
	char law[ROW_WORD_MAX], media[ROW_WORD_MAX];
	uint8_t signature;
	float foreseen_share;	/* of life left when it first could; NAN */
	float low_s, mid_s, high_s, left_s;	/* at half life */
};

enum row_kind { ROW_FAULT, ROW_FINDING, ROW_EXPOSURE, ROW_LOSS, ROW_ORACLE,
		ROW_BENIGN, ROW_KIND_COUNT };

struct rows {
	struct {
		void *row;
		size_t count, cap;
	} of[ROW_KIND_COUNT];
};

/* Empty lists; rows_fini() releases them. */
void rows_init(struct rows *r);
void rows_fini(struct rows *r);

/* A new row, zeroed, valid until the next; ends the program when there is no
 * memory.
 */
void *rows_add(struct rows *r, enum row_kind kind);

/* The row at that place, of its kind's type; NULL behind the last. */
const void *rows_get(const struct rows *r, enum row_kind kind, size_t i);

/* All rows to a stream, and those of a stream behind the ones that are there.
 * Return -EIO.
 */
int rows_write(const struct rows *r, FILE *out);
int rows_read(struct rows *r, FILE *in);

/* As much of a text as a row's word holds. */
void rows_word(char ret[static ROW_WORD_MAX], const char *text);
