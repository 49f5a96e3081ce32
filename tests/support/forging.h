/* SPDX-License-Identifier: MIT */
/*
 * forging.h - files as somebody makes them who knows their format, and means harm: fields are changed to what they
 * should not be, parts are put in the place of others, and all checksums are made right.
 *
 * What is forged is as random as the random numbers, and the same for the same seed.
 */
#ifndef SUPPORT_FORGING_H
#define SUPPORT_FORGING_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"

/* A file in memory, which may become shorter. */
struct forged {
	struct random *random;
	uint8_t *bytes;
	size_t size;
	char what[200]; /* was done, in words */
};

/* Flip some bits, or cut the end off; no checksum is made right. */
void forge_damage(struct forged *file);

/* A file of blocks: a history, a segment store, a side table, a tail. */
void forge_blocks(struct forged *file);

/* An index of events. */
void forge_index(struct forged *file);

/* A text of JSON; there is room for twice its bytes. */
void forge_json(struct forged *file);

#endif
