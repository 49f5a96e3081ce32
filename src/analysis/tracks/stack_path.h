/* SPDX-License-Identifier: MIT */
/*
 * stack_path.h - the path of a stack in the history `tracks`, for analyses that make none themselves.
 */
#ifndef ANALYSIS_TRACKS_STACK_PATH_H
#define ANALYSIS_TRACKS_STACK_PATH_H

#include "analysis/tracks/track_places.h"

/* A buffer that is used again; a zeroed one is empty. */
struct stack_path {
	char *bytes;
	size_t size, capacity;
};

/*
 * Write the escaped path of the stack that an event is on, "Processes/1/7/CallStack".  It is empty if the event is
 * on a track that shares lanes and has none, as nothing is open there.  Returns false when memory is out.
 */
bool stack_path_write(struct stack_path *path, struct track_places *places, const struct track_words *event);

void stack_path_release(struct stack_path *path);

#endif
