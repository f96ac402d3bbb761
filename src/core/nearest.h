/* The nearest of some names to a mistyped one, for "try:". */
#pragma once

#include "core/base.h"

/* Insertions, deletions, substitutions and swaps of neighbours that make b of a; names above 127 characters
 * are cut. */
int UnrNearestDistance(const char *a, const char *b);
/* Takes candidate as the nearest so far if it is nearer; start with *nearest NULL. */
void UnrNearestOffer(const char *word, const char *candidate, const char **nearest);
