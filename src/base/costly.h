/* SPDX-License-Identifier: MIT */
/*
 * costly.h - assertions that cost more than a few instructions.
 *
 * assert() stays on in releases: an invariant is checked where real work is done, and a program that has gone wrong
 * ends instead of writing wrong data.  All of these together cost a build less than one instruction in a hundred.
 * An assertion that needs a walk or a look-up is a costly_assert(), which only development builds evaluate.
 */
#ifndef BASE_COSTLY_H
#define BASE_COSTLY_H

#include <assert.h>

#ifdef HISTREE_RELEASE
enum { COSTLY_ASSERTIONS = 0 };
#else
enum { COSTLY_ASSERTIONS = 1 };
#endif

/* The condition is compiled in both kinds of build, and evaluated in one. */
#define costly_assert(condition) assert(!COSTLY_ASSERTIONS || (condition))

#endif
