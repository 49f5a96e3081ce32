/* SPDX-License-Identifier: MIT */
/*
 * registry.h - which analyses there are.  A new analysis is one line in registry.c.
 */
#ifndef PIPELINE_REGISTRY_H
#define PIPELINE_REGISTRY_H

#include "analysis/analysis.h"

struct registry_entry {
	const struct analysis *analysis;
	bool by_default; /* whether a build without -a uses it where it applies */
};

/* Ended by an entry without analysis. */
extern const struct registry_entry registry[];

const struct analysis *registry_find(const char *name);

/* "kernel, kernel-2016, ..." for messages. */
void registry_names(char *text, size_t capacity);

#endif
