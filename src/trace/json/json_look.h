/* SPDX-License-Identifier: MIT */
/*
 * json_look.h - whether the first bytes of a file are a trace in the Trace Event Format, or other JSON.
 */
#ifndef TRACE_JSON_JSON_LOOK_H
#define TRACE_JSON_JSON_LOOK_H

#include <stddef.h>

enum json_look {
	LOOK_NO_JSON,
	LOOK_OTHER, /* JSON, but no such trace: rows of events, or anything */
	LOOK_TRACE,
};

enum json_look json_look(const void *bytes, size_t size);

#endif
