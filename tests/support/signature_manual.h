/* The items of petrel-signatures(7), made from the rows of words.c. */
#pragma once

#include <stdio.h>

void signature_manual(FILE *out);
/* The causes, each with what helps, from cause.c. */
void cause_manual(FILE *out);
/* … and those of what is no fault. */
void benign_manual(FILE *out);
