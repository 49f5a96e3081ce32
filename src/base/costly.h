/* SPDX-License-Identifier: MIT */
/*
 * costly.h - assertions that cost more than the few instructions of others.
 *
 * assert() stays on in releases: what it says always holds is looked at where real work is done, and a program that
 * has gone wrong ends instead of writing it down.  All of them together cost a build less than one instruction in
 * a hundred.  What needs a walk or a look-up to be known is asserted by costly_assert(), in builds for development.
 */
#ifndef BASE_COSTLY_H
#define BASE_COSTLY_H

#include <assert.h>

#ifdef HISTREE_RELEASE
enum { COSTLY_ASSERTIONS = 0 };
#else
enum { COSTLY_ASSERTIONS = 1 };
#endif

/* The condition is compiled in both, and evaluated in one. */
#define costly_assert(condition) assert(!COSTLY_ASSERTIONS || (condition))

#endif
