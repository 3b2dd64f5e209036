/* The codes of SFF-8024, and the related codes of CMIS, as words. */
#pragma once

#define CODE_TEXT_MAX 64

enum code_table {
	CODE_FORM_FACTOR,
	CODE_CONNECTOR,
	CODE_TECHNOLOGY,	/* CMIS and SFF-8636: of the transmitter */
	CODE_COMPLIANCE,	/* extended specification */
	CODE_COMPLIANCE_OF_ONE,	/* if different for one lane */
	CODE_HOST,		/* host electrical interface */
	CODE_MEDIA_MMF,		/* media interfaces */
	CODE_MEDIA_SMF,
	CODE_MEDIA_COPPER,
	CODE_MEDIA_ACTIVE,
	CODE_MEDIA_BASE_T,
	CODE_TABLE_COUNT,
};

/* The word, or NULL. */
const char *code_word(enum code_table table, unsigned code);

/* The word; "unknown (68h)" for a code that is not in the table, "vendor's own
 * (c5h)" for a vendor-specific code.
 */
void code_text(enum code_table table, unsigned code,
	       char ret[static CODE_TEXT_MAX]);

/* The table of media interfaces for a type of media (CMIS 00h:85);
 * CODE_TABLE_COUNT, which has no words, if there is none.
 */
enum code_table code_media(int type);

/* The common name: the end of an interface's name (DR4, FR4, SR8 …), or all of
 * it.
 */
const char *code_media_short(const char *name);
