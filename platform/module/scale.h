/* Raw numbers to units, in whole numbers. */
#pragma once

#include <stdint.h>

/* raw * mul / div, rounded half away from zero; 0 stands for 1. */
int64_t scale_number(int64_t raw, int64_t mul, int64_t div);
