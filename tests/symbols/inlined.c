// SPDX-License-Identifier: MIT
/*
 * inlined.c - functions within functions, for check_inlined.py: several levels, in loops and in branches, with more
 * than one call of each, in parts that lie apart, and recursion of which a part is inlined.  It is not run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inlined.h"

volatile int sink;

static inline __attribute__((always_inline)) int innermost(int x)
{
	sink += x;
	return sink * 3;
}

static inline __attribute__((always_inline)) int middle(int x)
{
	int sum = innermost(x);
	for (int i = 0; i < x; i++)
		sum += innermost(i) ^ from_header(i);
	return sum;
}

/* Whatever is unlikely lies elsewhere: a function of two ranges. */
static inline __attribute__((always_inline)) int checked(int x)
{
	if (__builtin_expect(x < 0, 0)) {
		fprintf(stderr, "%d is below 0\n", x);
		sink = middle(-x);
		abort();
	}
	return middle(x) + 1;
}

__attribute__((noinline)) int outer(int x)
{
	int a = checked(x);
	int b = checked(x + 1);
	return a + b;
}

static int recursive(int n)
{
	return n < 2 ? innermost(n) : recursive(n - 1) + recursive(n - 2);
}

/* The last thing that it does is a call from which nothing returns. */
__attribute__((noinline, noreturn)) void leave(int code)
{
	static const struct from_struct last = { 7 };
	sink = from_header(code) + use_struct(&last);
	exit(code != 0);
}

#define TEN(what) what what what what what what what what what what

/* Nobody calls it.  Where the linker leaves it out, it is said to be at 0, and so long that others are in it. */
void left_out(void)
{
	TEN(TEN(sink += from_header(sink);))
	TEN(TEN(sink -= innermost(sink);))
}

static int by_address(const void *one, const void *other)
{
	return middle(*(const int *)one) - middle(*(const int *)other);
}

#ifndef __clang__
/* A function in another one is no part of its code. */
__attribute__((noinline)) static int nested(int n, int factor)
{
	__attribute__((noinline)) int by_factor(int x)
	{
		return innermost(x * factor) - middle(x);
	}
	return by_factor(n) + by_factor(n + 1);
}
#endif

int main(int count, char **words)
{
	int numbers[64];
	for (int i = 0; i < 64; i++)
		numbers[i] = i * count & 15;
	qsort(numbers, 64, sizeof(*numbers), by_address);
	int sum = outer(numbers[3]) + recursive(12);
#ifndef __clang__
	sum += nested(numbers[5], count);
#endif
	{
		int nested = checked(count);
		if (nested > 3) {
			int deeper = innermost(nested);
			sum += deeper + (int)strlen(words[0]);
		}
	}
	sink += sum;
	leave(0);
}
