/* SPDX-License-Identifier: MIT */
/*
 * clock_transform.h - what a clock makes of a time and of another clock, in numbers and as text.
 *
 * Transforms of time one after the other.
 *
 * A clock as histree_clock_read() reads it.
 */
#ifndef CLOCK_CLOCK_TRANSFORM_H
#define CLOCK_CLOCK_TRANSFORM_H

#include "histree/sync.h"

/* Returns the transform of the one and then the other: their errors add up, the worse quality is that of both. */
struct histree_clock clock_compose(const struct histree_clock *first, const struct histree_clock *then);

/* Returns the transform the other way round. */
struct histree_clock clock_invert(const struct histree_clock *clock);

enum { CLOCK_TEXT_SIZE = 64 };

/* Write "OFFSET,SLOPE"; one that was read so is the same when it is read again. */
void clock_text_write(const struct histree_clock *clock, char out[CLOCK_TEXT_SIZE]);

#endif
