/* SPDX-License-Identifier: MIT */
/*
 * inlined.h - functions of another file, for inlined.c.
 */
#ifndef SYMBOLS_INLINED_H
#define SYMBOLS_INLINED_H

struct from_struct {
	int number;
};

static inline __attribute__((always_inline)) int use_struct(const struct from_struct *of)
{
	return of->number * 5;
}

static inline __attribute__((always_inline)) int from_header(int x)
{
	const struct from_struct made = { x };
	return use_struct(&made) + x % 7;
}

#endif
