/* Hex as text: a module's memory in blocks, or as one stretch. */
#pragma once

#include <stddef.h>
#include "petrel/diag.h"

struct module_image;

/* As image_file_parse(), whose comment shows the blocks. */
int image_text_parse(const char *text, size_t n, struct module_image *ret,
		     struct diag *ret_note, struct diag *d);
