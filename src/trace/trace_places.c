// SPDX-License-Identifier: MIT
#include "trace/trace_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/trace_word.h"

bool trace_places_add(struct trace_places *places, const char *given, const char *host)
{
	char *path = realpath(trace_word_path(given), NULL);
	if (path == NULL)
		return true;
	if (!array_reserve(&places->places, &places->capacity, places->count + 1)) {
		free(path);
		return false;
	}
	places->places[places->count++] = (struct trace_place){ path, given, host };
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct trace_place *one = a, *other = b;
	int order = strcmp(one->path, other->path);
	if (order == 0)
		order = strcmp(one->host, other->host);
	return order != 0 ? order : strcmp(one->given, other->given);
}

static const struct trace_place *find(struct trace_places *places, bool of_two_hosts)
{
	if (places->count > 0)
		qsort(places->places, places->count, sizeof(*places->places), compare);
	for (size_t i = 1; i < places->count; i++) {
		const struct trace_place *place = &places->places[i];
		if (strcmp(place[-1].path, place->path) == 0 &&
		    (!of_two_hosts || strcmp(place[-1].host, place->host) != 0))
			return place;
	}
	return NULL;
}

const struct trace_place *trace_places_twice(struct trace_places *places)
{
	return find(places, false);
}

const struct trace_place *trace_places_of_two_hosts(struct trace_places *places)
{
	return find(places, true);
}

void trace_places_release(struct trace_places *places)
{
	for (size_t i = 0; i < places->count; i++)
		free(places->places[i].path);
	free(places->places);
	*places = (struct trace_places){ 0 };
}
