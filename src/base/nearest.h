/* SPDX-License-Identifier: MIT */
/*
 * nearest.h - guess which known word was meant by an unknown one.
 *
 *	struct nearest nearest = nearest_begin("qurey");
 *	nearest_offer(&nearest, "query");	// each word that would have been right
 *	nearest.word				// "query", or NULL where nothing is near
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *typed;
	size_t typed_size;
	const char *word;  /* the nearest so far */
	unsigned distance; /* a word must be nearer than this */
};

/* `typed` and the words offered are borrowed. */
struct nearest nearest_begin(const char *typed);

void nearest_offer(struct nearest *nearest, const char *word);

#endif
