/* SPDX-License-Identifier: MIT */
/*
 * table.h - arrays that grow: in memory, or with a trace, in files above a ceiling.
 *
 * An *array* grows by at least half its size each time.
 *
 * A *table* grows with a trace, in memory up to a ceiling and in files above it (docs/design/12-build.md).
 *
 * Its elements lie one after the other and are reached by a pointer, as those of an array.  While the tables of a
 * space are small they are from malloc().  A table that would make them larger than their share becomes a shared
 * mapping of a file without a name: the same pointer, but its pages may leave the process at any time without
 * being lost.  table_space_look() lets them go whenever too many are resident.
 *
 * The file has its blocks before they are touched, so that a full disk is found when a table grows.  Where there
 * can be no such file, tables stay in memory.
 *
 * Tables of one space may belong to different threads; a table belongs to one at a time.
 *
 * A table that may be in a file is sorted in the order of memory and little of it.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Make room for `needed` elements.  `array` is the address of the pointer, `capacity` counts elements.  Returns
 * false if memory is out or the size does not fit a size_t; array and capacity are then as before.
 */
bool array_reserve_bytes(void *array, size_t *capacity, size_t needed, size_t element_size);

/* Returns a copy of `count` elements in memory of its own, or NULL if memory is out or there are no elements. */
void *array_copy_bytes(const void *array, size_t count, size_t element_size);

#define array_copy(array, count) array_copy_bytes((array), (count), sizeof(*(array)))
#define array_reserve(array, capacity, needed) array_reserve_bytes((array), (capacity), (needed), sizeof(**(array)))

struct table_map;

struct table_space {
	char *folder; /* where files are made */
	size_t memory_max;
	pthread_mutex_t mutex;  /* of what follows */
	size_t in_memory;       /* bytes of tables from malloc() */
	struct table_map *maps; /* of those in files */
	_Atomic bool has_maps;
	int statm, pagemap;     /* say what is resident of the process and of a map; -1: not opened */
	size_t others_resident; /* bytes of other files, as they were counted last */
};

/* A table with `space` NULL, or a zeroed one, is always in memory. */
struct table {
	struct table_space *space; /* borrowed */
	struct table_map *map;     /* NULL: in memory */
	size_t bytes;              /* that it counts for in memory */
	bool is_random;            /* reached by a hash, each page as often as any other: rather in memory */
};

/*
 * Tables may have `memory_max` bytes: three quarters of them in memory, of which those that grow at their end fill
 * one at most, and a quarter resident pages of files, which are made in the folder of `path`.  Returns false if
 * memory is out.
 */
bool table_space_init(struct table_space *space, const char *path, size_t memory_max);

/* All tables of the space are released before.  A zeroed space has nothing. */
void table_space_release(struct table_space *space);

/* Returns whether tables have all the memory that they may have, so that a larger one goes to a file. */
bool table_space_is_full(struct table_space *space);

/* Let pages of files go if too many are resident.  Costs a few microseconds; NULL: nothing. */
void table_space_look_at_maps(struct table_space *space);

static inline void table_space_look(struct table_space *space)
{
	if (space != NULL && space->has_maps)
		table_space_look_at_maps(space);
}

/* Returns how many bytes of the files are resident. */
size_t table_space_resident(struct table_space *space);

/*
 * Make room for `needed` elements, as array_reserve() does.  Returns false if memory is out; everything is then as
 * before.
 */
bool table_reserve_bytes(struct table *table, void *array, size_t *capacity, size_t needed, size_t element_size);

#define table_reserve(table, array, capacity, needed) \
	table_reserve_bytes((table), (array), (capacity), (needed), sizeof(**(array)))

/* Returns `size` bytes of zeros for a table that is empty, or NULL if memory is out. */
void *table_allocate(struct table *table, size_t size);

/* The array is that of the table, or NULL; the table keeps its space. */
void table_release(struct table *table, void *array);

typedef int table_compare(const void *one, const void *other, void *context);

/*
 * Sort `count` elements of a table of `space` by runs that are merged, each pass in the order of memory; what is in
 * order already is read once.  Takes room for as many elements, in the same space.  Returns false if memory is out:
 * the elements are then in some order.
 */
bool table_sort(struct table_space *space, void *elements, size_t count, size_t element_size,
		table_compare *compare, void *context);

#endif
