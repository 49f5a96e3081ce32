// SPDX-License-Identifier: MIT
#include "base/table_sort.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_BYTES = 512 << 10, LOOK_BYTES = 2 << 20 };

struct sorting {
	struct table_space *space;
	size_t element_size, run; /* elements that are sorted in memory */
	size_t unlooked;          /* bytes that were written since the last look */
	table_compare *compare;
	void *context;
};

static void look(struct sorting *sorting, size_t bytes)
{
	sorting->unlooked += bytes;
	if (sorting->unlooked < LOOK_BYTES)
		return;
	sorting->unlooked = 0;
	table_space_look(sorting->space);
}

static bool is_in_order(const struct sorting *sorting, const uint8_t *last, const uint8_t *next)
{
	return sorting->compare(last, next, sorting->context) <= 0;
}

static void sort_runs(struct sorting *sorting, uint8_t *elements, size_t count)
{
	const size_t size = sorting->element_size;
	for (size_t first = 0; first < count; first += sorting->run) {
		size_t left = count - first, of_run = left < sorting->run ? left : sorting->run, at = 1;
		uint8_t *run = elements + first * size;
		while (at < of_run && is_in_order(sorting, run + (at - 1) * size, run + at * size))
			at++;
		if (at < of_run)
			qsort_r(run, of_run, size, sorting->compare, sorting->context);
		look(sorting, of_run * size);
	}
}

/* Merges [first, middle) and [middle, after) into `to`, which begins with the first. */
static void merge(struct sorting *sorting, const uint8_t *first, const uint8_t *middle, const uint8_t *after,
		  uint8_t *to)
{
	const size_t size = sorting->element_size;
	const uint8_t *one = first, *other = middle;
	while (one < middle && other < after) {
		bool is_one = is_in_order(sorting, one, other);
		memcpy(to, is_one ? one : other, size);
		one += is_one ? size : 0;
		other += is_one ? 0 : size;
		to += size;
		look(sorting, size);
	}
	size_t left = (size_t)(middle - one) + (size_t)(after - other);
	memcpy(to, one < middle ? one : other, left);
	look(sorting, left);
}

/* Merges neighbours of `length` bytes each.  Returns whether any were not in order; else nothing was copied. */
static bool merge_all(struct sorting *sorting, const uint8_t *from, uint8_t *to, size_t length, size_t bytes)
{
	const size_t size = sorting->element_size;
	bool is_done = true;
	for (size_t at = length; at < bytes && is_done; at += length)
		is_done = is_in_order(sorting, from + at - size, from + at);
	for (size_t first = 0; first < bytes && !is_done; first += 2 * length) {
		size_t left = bytes - first, one = left < length ? left : length;
		size_t both = left - one < length ? left : 2 * length;
		const uint8_t *run = from + first;
		if (both > one && is_in_order(sorting, run + one - size, run + one)) {
			memcpy(to + first, run, both);
			look(sorting, both);
		} else {
			merge(sorting, run, run + one, run + both, to + first);
		}
	}
	return !is_done;
}

bool table_sort(struct table_space *space, void *elements, size_t count, size_t element_size,
		table_compare *compare, void *context)
{
	struct sorting sorting = { .space = space,
				   .element_size = element_size,
				   .run = RUN_BYTES / element_size,
				   .compare = compare,
				   .context = context };
	const size_t bytes = count * element_size;
	sort_runs(&sorting, elements, count);
	if (count <= sorting.run)
		return true;
	struct table table = { .space = space };
	uint8_t *spare = table_allocate(&table, bytes), *from = elements, *to = spare;
	if (spare == NULL)
		return false;
	for (size_t length = sorting.run * element_size; length < bytes; length *= 2) {
		if (!merge_all(&sorting, from, to, length, bytes))
			break;
		uint8_t *sorted = to;
		to = from;
		from = sorted;
	}
	for (size_t at = 0; from == spare && at < bytes; at += RUN_BYTES) {
		size_t piece = bytes - at < RUN_BYTES ? bytes - at : RUN_BYTES;
		memcpy((uint8_t *)elements + at, spare + at, piece);
		look(&sorting, piece);
	}
	table_release(&table, spare);
	return true;
}
