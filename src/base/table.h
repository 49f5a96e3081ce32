/* SPDX-License-Identifier: MIT */
/*
 * table.h - arrays that grow: in memory, or, for those that grow with a trace, in files above a ceiling.
 *
 * An *array* grows by at least half its size each time.
 *
 * A *table* grows with a trace, in memory up to a ceiling and in files above it (docs/design/12-build.md).  Its
 * elements are contiguous and reached by a pointer, like those of an array.  While the tables of a space are small,
 * they come from malloc().  A table that would exceed its share becomes a shared mapping of an unnamed file: the
 * pointer is used in the same way, but pages may leave the process at any time without being lost.
 * table_space_look() releases pages whenever too many are resident.
 *
 * The blocks of the file are allocated before they are touched, so a full disk is noticed when a table grows.
 * Where no such file can be made, tables stay in memory.  Tables of one space may belong to different threads; a
 * table belongs to one thread at a time.
 *
 * *Dense records* are found by numbers 0, 1, 2, ... of which most have one.
 *
 * A table that may be in a file is sorted by passes in the order of memory, with little additional memory.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Make room for `needed` elements.  `array` is the address of the pointer, `capacity` counts elements.  Returns
 * false if memory runs out or the size does not fit a size_t; array and capacity are then unchanged.
 */
bool array_grow(void *array, size_t *capacity, size_t needed, size_t element_size);

/* Nearly all calls find room, so that the question alone is compiled into the caller. */
static inline bool array_reserve_bytes(void *array, size_t *capacity, size_t needed, size_t element_size)
{
	return needed <= *capacity || array_grow(array, capacity, needed, element_size);
}

/* Returns a copy of `count` elements in memory of its own, or NULL if memory runs out or there are no elements. */
void *array_copy_bytes(const void *array, size_t count, size_t element_size);

#define array_copy(array, count) array_copy_bytes((array), (count), sizeof(*(array)))
#define array_reserve(array, capacity, needed) array_reserve_bytes((array), (capacity), (needed), sizeof(**(array)))

struct table_map;

struct table_space {
	char *folder; /* folder in which files are made */
	size_t memory_max;
	pthread_mutex_t mutex;  /* guards what follows */
	size_t in_memory;       /* bytes of tables from malloc() */
	struct table_map *maps; /* of tables in files */
	_Atomic bool has_maps;
	int statm;              /* open file that tells what is resident of the process; -1: not opened */
	size_t others_resident; /* bytes of other files when ours had been let go, or less */
};

/* A table with `space` NULL, or a zeroed one, is always in memory. */
struct table {
	struct table_space *space; /* borrowed */
	struct table_map *map;     /* NULL: in memory */
	size_t bytes;              /* counted as memory */
	/* reached by a hash, or filled anew from its start, so that no page is cold: rather in memory */
	bool is_random;
};

/*
 * Tables may have `memory_max` bytes: three quarters in memory, of which tables that grow at their end may take one
 * quarter at most, and one quarter resident pages of files, which are made in the folder of `path`.  Returns false
 * if memory runs out.
 */
bool table_space_init(struct table_space *space, const char *path, size_t memory_max);

/* All tables of the space must be released before.  A zeroed space holds nothing. */
void table_space_release(struct table_space *space);

/* Returns whether the tables use all the memory that they may, so that a larger table goes to a file. */
bool table_space_is_full(struct table_space *space);

/* Release pages of files if too many are resident.  Costs a few microseconds; does nothing if NULL. */
void table_space_look_at_maps(struct table_space *space);

static inline void table_space_look(struct table_space *space)
{
	if (space != NULL && space->has_maps)
		table_space_look_at_maps(space);
}

/* Returns how many bytes of the files are resident. */
size_t table_space_resident(struct table_space *space);

/*
 * Make room for `needed` elements, as array_reserve() does.  Returns false if memory runs out; everything is then
 * as before.
 */
bool table_grow(struct table *table, void *array, size_t *capacity, size_t needed, size_t element_size);

static inline bool table_reserve_bytes(struct table *table, void *array, size_t *capacity, size_t needed,
				       size_t element_size)
{
	return needed <= *capacity || table_grow(table, array, capacity, needed, element_size);
}

#define table_reserve(table, array, capacity, needed) \
	table_reserve_bytes((table), (array), (capacity), (needed), sizeof(**(array)))

/* Returns `size` zeroed bytes for a table that is empty, or NULL if memory runs out. */
void *table_allocate(struct table *table, size_t size);

/* `array` is that of the table, or NULL; the table keeps its space. */
void table_release(struct table *table, void *array);

/* Records by number, which it does not own; a zeroed one has none. */
struct dense_records {
	void **records; /* NULL: none yet */
	size_t count, capacity;
	struct table table;
};

/* Returns the record of a number; NULL: it has none. */
static inline void *dense_find(const struct dense_records *dense, size_t number)
{
	return number < dense->count ? dense->records[number] : NULL;
}

/* Returns false if memory runs out. */
bool dense_put(struct dense_records *dense, size_t number, void *record);
void dense_release(struct dense_records *dense);

typedef int table_compare(const void *one, const void *other, void *context);

/*
 * Sort `count` elements of a table of `space` by merging runs, each pass in the order of memory; elements already
 * in order are read once.  Needs room for as many elements again, in the same space.  Returns false if memory runs
 * out: the elements are then in an unspecified order.
 */
bool table_sort(struct table_space *space, void *elements, size_t count, size_t element_size,
		table_compare *compare, void *context);

#endif
