/* petrel-registers(7): what belongs between its marks. */
#pragma once

#include <stdio.h>

/* The items of one standard: "CMIS", "SFF-8636", "SFF-8472". */
void register_manual(FILE *out, const char *standard);
