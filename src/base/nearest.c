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

void nearest_offer(struct nearest *nearest, const char *word)
{
	size_t size = strlen(word);
	if (size > WORD_SIZE_MAX || nearest->typed_size > WORD_SIZE_MAX)
		return;
	/*
	 * How many letters must be added, dropped, changed or swapped with their neighbour (optimal string
	 * alignment): row i of the table holds the distances of the first i letters of `a` to each beginning of
	 * `b`.
	 */
	unsigned table[WORD_SIZE_MAX + 1][WORD_SIZE_MAX + 1];
	for (unsigned j = 0; j <= size; j++)
		table[0][j] = j;
	for (unsigned i = 1; i <= nearest->typed_size; i++) {
		table[i][0] = i;
		for (unsigned j = 1; j <= size; j++) {
			unsigned change = table[i - 1][j - 1] + (nearest->typed[i - 1] != word[j - 1]);
			table[i][j] = min(change, min(table[i - 1][j], table[i][j - 1]) + 1);
			if (i > 1 && j > 1 && nearest->typed[i - 1] == word[j - 2] &&
			    nearest->typed[i - 2] == word[j - 1])
				table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1);
		}
	}
	unsigned distance = table[nearest->typed_size][size];
	if (distance < nearest->distance && distance < size) {
		nearest->distance = distance;
		nearest->word = word;
	}
}
