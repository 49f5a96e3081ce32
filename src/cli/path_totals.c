// SPDX-License-Identifier: MIT
#include "cli/path_totals.h"

#include <stdlib.h>

#include "base/array.h"

static int by_thread(const void *one, const void *other)
{
	const struct path_total *a = one, *b = other;
	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->state < b->state ? -1 : a->state > b->state;
}

static int by_time(const void *one, const void *other)
{
	const struct path_total *a = one, *b = other;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return by_thread(one, other);
}

/* Those of one thread and state become one; so there are no more than there are such pairs, twice. */
static void merge(struct path_totals *totals)
{
	size_t kept = 0;
	if (totals->count > 0)
		qsort(totals->all, totals->count, sizeof(*totals->all), by_thread);
	for (size_t i = 0; i < totals->count; i++) {
		struct path_total *next = &totals->all[i];
		if (kept > 0 && by_thread(&totals->all[kept - 1], next) == 0) {
			totals->all[kept - 1].ns += next->ns;
			totals->all[kept - 1].steps += next->steps;
		} else {
			totals->all[kept++] = *next;
		}
	}
	totals->count = kept;
}

bool path_totals_add(struct path_totals *totals, const struct path_total *one)
{
	if (totals->count == totals->capacity && totals->count > 0)
		merge(totals);
	if (totals->count * 2 >= totals->capacity &&
	    !array_reserve(&totals->all, &totals->capacity, totals->count * 2 + 1024))
		return false;
	totals->all[totals->count++] = *one;
	totals->ns += one->ns;
	return true;
}

void path_totals_sort(struct path_totals *totals)
{
	merge(totals);
	if (totals->count > 0)
		qsort(totals->all, totals->count, sizeof(*totals->all), by_time);
}

void path_totals_clear(struct path_totals *totals)
{
	totals->count = 0;
	totals->ns = 0;
}

void path_totals_release(struct path_totals *totals)
{
	free(totals->all);
	*totals = (struct path_totals){ 0 };
}
