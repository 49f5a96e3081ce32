// SPDX-License-Identifier: MIT
#include "analysis/tracks/stack_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

/* Of names that are no text of the trace: at most "Processes/", two numbers, "Async", a lane and "CallStack". */
enum { PLAIN_SIZE_MAX = 128 };

static void put_owner(struct stack_path *path, const struct track_place *place)
{
	if (place->has_pid)
		path->size += (size_t)sprintf(path->bytes + path->size, "Processes/%" PRId64 "/", place->pid);
	else if (place->has_tid)
		path->size += (size_t)sprintf(path->bytes + path->size, "Threads/");
	if (place->has_tid)
		path->size += (size_t)sprintf(path->bytes + path->size, "%" PRId64 "/", place->tid);
}

static void put_lane(struct stack_path *path, const struct track_place *place)
{
	path->size += (size_t)sprintf(path->bytes + path->size, "Async/");
	for (size_t i = 0; i < place->group_size; i++) {
		if (place->group[i] == '/' || place->group[i] == '\\')
			path->bytes[path->size++] = '\\';
		path->bytes[path->size++] = place->group[i];
	}
	path->size += (size_t)sprintf(path->bytes + path->size, "/%" PRIu32 "/", place->lane + 1);
}

bool stack_path_write(struct stack_path *path, struct track_places *places, const struct track_words *event)
{
	const struct track *track = track_places_track(places, event);
	path->size = 0;
	if (track == NULL)
		return false;
	if (track->place == NULL && track->id != NULL)
		return true;
	const struct track_place own = {
		.has_pid = track->has_pid, .has_tid = track->has_tid, .pid = track->pid, .tid = track->tid
	};
	const struct track_place *place = track->place != NULL ? track->place : &own;
	if (!array_reserve(&path->bytes, &path->capacity, PLAIN_SIZE_MAX + 2 * place->group_size))
		return false;
	put_owner(path, place);
	if (place->group != NULL)
		put_lane(path, place);
	path->size += (size_t)sprintf(path->bytes + path->size, "CallStack");
	return true;
}

void stack_path_release(struct stack_path *path)
{
	free(path->bytes);
	*path = (struct stack_path){ 0 };
}
