// SPDX-License-Identifier: MIT
#include "base/nearest.h"

#include <string.h>

/* Longer words are not compared. */
enum { WORD_SIZE_MAX = 31 };

struct nearest nearest_begin(const char *typed)
{
	size_t size = strlen(typed);
	/* One slip in three letters, at least one: "a" is not a misspelt "ls". */
	return (struct nearest){ .typed = typed, .typed_size = size, .distance = (unsigned)(size + 2) / 3 + 1 };
}

static unsigned min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * How many letters must be added, dropped, changed or swapped with their neighbour (optimal string alignment):
 * row i of the table holds the distances of the first i letters of `a` to each beginning of `b`.
 */
static unsigned distance_of(const char *a, size_t a_size, const char *b, size_t b_size)
{
	unsigned table[WORD_SIZE_MAX + 1][WORD_SIZE_MAX + 1];
	for (unsigned j = 0; j <= b_size; j++)
		table[0][j] = j;
	for (unsigned i = 1; i <= a_size; i++) {
		table[i][0] = i;
		for (unsigned j = 1; j <= b_size; j++) {
			unsigned change = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			table[i][j] = min(change, min(table[i - 1][j], table[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1);
		}
	}
	return table[a_size][b_size];
}

void nearest_offer(struct nearest *nearest, const char *word)
{
	size_t size = strlen(word);
	if (size > WORD_SIZE_MAX || nearest->typed_size > WORD_SIZE_MAX)
		return;
	unsigned distance = distance_of(nearest->typed, nearest->typed_size, word, size);
	if (distance < nearest->distance && distance < size) {
		nearest->distance = distance;
		nearest->word = word;
	}
}
