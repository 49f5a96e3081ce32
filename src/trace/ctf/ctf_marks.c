// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf_marks.h"

#include <stdlib.h>

#include "base/array.h"

static struct ctf_packet_marks *marks_of(struct ctf_marks *marks, uint64_t packet)
{
	struct ctf_packet_marks *found = id_map_find(&marks->packets, packet);
	if (found != NULL)
		return found;
	found = calloc(1, sizeof(*found));
	if (found != NULL && id_map_add(&marks->packets, packet, found))
		return found;
	free(found);
	return NULL;
}

void ctf_marks_add(struct ctf_marks *marks, uint64_t packet, struct ctf_mark mark)
{
	if (marks->count == CTF_MARKS_MAX)
		ctf_marks_release(marks);
	struct ctf_packet_marks *of = marks_of(marks, packet);
	if (of == NULL || !array_reserve(&of->marks, &of->capacity, of->count + 1))
		return;
	of->marks[of->count++] = mark;
	marks->count++;
}

size_t ctf_marks_find(const struct ctf_marks *marks, uint64_t packet, uint64_t event, struct ctf_mark *out,
		      uint64_t *event_of_mark)
{
	const struct ctf_packet_marks *of = id_map_find(&marks->packets, packet);
	uint64_t number = event / CTF_EVENTS_PER_MARK;
	*event_of_mark = 0;
	if (of == NULL)
		return 0;
	if (number > of->count)
		number = of->count;
	if (number > 0) {
		*out = of->marks[number - 1];
		*event_of_mark = number * CTF_EVENTS_PER_MARK;
	}
	return of->count;
}

void ctf_marks_release(struct ctf_marks *marks)
{
	for (size_t i = 0; i < marks->packets.count; i++) {
		struct ctf_packet_marks *of = marks->packets.entries[i].record;
		free(of->marks);
		free(of);
	}
	id_map_release(&marks->packets);
	*marks = (struct ctf_marks){ 0 };
}
