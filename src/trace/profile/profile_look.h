/* SPDX-License-Identifier: MIT */
/*
 * profile_look.h - whether a file is a profile, told by its first bytes.
 */
#ifndef TRACE_PROFILE_PROFILE_LOOK_H
#define TRACE_PROFILE_PROFILE_LOOK_H

#include <stddef.h>

enum profile_look {
	PROFILE_NONE,
	PROFILE_SPEEDSCOPE,
	PROFILE_V8,
	PROFILE_FIREFOX,
	PROFILE_FOLDED, /* "main;run 10" a line */
};

enum profile_look profile_look(const void *bytes, size_t size);

#endif
