/* SPDX-License-Identifier: MIT */
/*
 * clock_text.h - a clock as histree_clock_read() reads it.
 */
#ifndef CLOCK_CLOCK_TEXT_H
#define CLOCK_CLOCK_TEXT_H

#include "histree/sync.h"

enum { CLOCK_TEXT_SIZE = 64 };

/* Write "OFFSET,SLOPE"; one that was read so is the same when it is read again. */
void clock_text_write(const struct histree_clock *clock, char out[CLOCK_TEXT_SIZE]);

#endif
