// SPDX-License-Identifier: MIT
/*
 * table.c - arrays that grow: in memory, or, for those that grow with a trace, in files above a ceiling.
 */
#include "base/table.h"

#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- array --------------------------------------------------------------------------------------------------- */

enum { ELEMENTS_MIN = 16, SMALL_BYTES = 64 << 10 };

/* Small arrays grow by more, so that most of what they cost is not being copied. */
static size_t grown_capacity(size_t capacity, size_t needed, size_t element_size)
{
	size_t wanted = capacity < SMALL_BYTES / element_size ? capacity * 4 : capacity + capacity / 2;
	wanted = wanted > needed ? wanted : needed;
	return wanted > ELEMENTS_MIN ? wanted : ELEMENTS_MIN;
}

bool array_grow(void *array, size_t *capacity, size_t needed, size_t element_size)
{
	assert(needed > *capacity);
	const size_t wanted = grown_capacity(*capacity, needed, element_size);
	if (wanted > SIZE_MAX / element_size)
		return false;
	assert(wanted >= needed);

	void *old;
	memcpy(&old, array, sizeof(old));
	void *grown = realloc(old, wanted * element_size);
	if (grown == NULL)
		return false;
	memcpy(array, &grown, sizeof(grown));
	*capacity = wanted;
	return true;
}

void *array_copy_bytes(const void *array, size_t count, size_t element_size)
{
	void *copy = count > 0 ? reallocarray(NULL, count, element_size) : NULL;
	if (copy != NULL)
		memcpy(copy, array, count * element_size);
	return copy;
}

/* ---- table --------------------------------------------------------------------------------------------------- */

enum {
	MAP_BYTES_MIN = 256 << 10, /* smaller tables are always in memory */
	COPY_BYTES = 4 << 20,      /* between two measurements of what is resident */
};

struct table_map {
	struct table_map *before, *after;
	uint8_t *bytes;
	size_t size;
	int file;
};

/* ---- the space ------------------------------------------------------------------------------------------ */

bool table_space_init(struct table_space *space, const char *path, size_t memory_max)
{
	const char *slash = strrchr(path, '/');
	*space = (struct table_space){ .memory_max = memory_max, .statm = -1 };
	space->folder = slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
	pthread_mutex_init(&space->mutex, NULL);
	return space->folder != NULL;
}

void table_space_release(struct table_space *space)
{
	if (space->folder == NULL)
		return;
	assert(space->maps == NULL && space->in_memory == 0);
	if (space->statm >= 0)
		close(space->statm);
	free(space->folder);
	pthread_mutex_destroy(&space->mutex);
	*space = (struct table_space){ .statm = -1 };
}

/*
 * Returns the size of all tables together up to which one of this kind stays in memory.  Tables that grow at their
 * end are cold except for that end, and are the first to go to files.
 */
static size_t memory_share(const struct table_space *space, bool is_random)
{
	return space->memory_max / 4 * (is_random ? 3 : 1);
}

bool table_space_is_full(struct table_space *space)
{
	if (space == NULL)
		return false;
	pthread_mutex_lock(&space->mutex);
	bool is_full = space->in_memory + MAP_BYTES_MIN > memory_share(space, false);
	pthread_mutex_unlock(&space->mutex);
	return is_full;
}

/* Returns how many bytes of mapped files are resident in the process; 0 if the system does not tell. */
static size_t resident_bytes(struct table_space *space)
{
	char text[128] = "";
	unsigned long long all, resident, shared;
	if (space->statm < 0) /* when it is first needed */
		space->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	if (pread(space->statm, text, sizeof(text) - 1, 0) <= 0 ||
	    sscanf(text, "%llu %llu %llu", &all, &resident, &shared) != 3)
		return 0;
	return (size_t)shared * (size_t)sysconf(_SC_PAGESIZE);
}

/* From the word that the system keeps for each page, which takes milliseconds. */
size_t table_space_resident(struct table_space *space)
{
	enum { WORDS = 4096 };
	uint64_t words[WORDS];
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t resident = 0;
	pthread_mutex_lock(&space->mutex);
	const int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	for (const struct table_map *map = space->maps; map != NULL; map = map->after)
		for (size_t at = 0; at * page < map->size; at += WORDS) {
			const size_t left = (map->size + page - 1) / page - at;
			const off_t offset = (off_t)(((uintptr_t)map->bytes / page + at) * sizeof(*words));
			const ssize_t got =
				pread(file, words, (left < WORDS ? left : WORDS) * sizeof(*words), offset);
			for (ssize_t i = 0; i < got / (ssize_t)sizeof(*words); i++)
				resident += (words[i] >> 63) * page;
		}
	if (file >= 0)
		close(file);
	pthread_mutex_unlock(&space->mutex);
	return resident;
}

/*
 * Only a total over all files is cheap, and others, such as traces, come and go.  But ours are known when all of
 * them are let go: what is resident then is the others'.
 */
void table_space_look_at_maps(struct table_space *space)
{
	pthread_mutex_lock(&space->mutex);
	size_t resident = resident_bytes(space);
	if (resident < space->others_resident)
		space->others_resident = resident;
	if (resident - space->others_resident > space->memory_max / 4) {
		for (struct table_map *map = space->maps; map != NULL; map = map->after)
			madvise(map->bytes, map->size, MADV_DONTNEED);
		space->others_resident = resident_bytes(space);
	}
	pthread_mutex_unlock(&space->mutex);
}

/* Count a table that now takes `bytes` of memory.  Returns false if that exceeds its share, unless it `must`. */
static bool take_memory(struct table *table, size_t bytes, bool must)
{
	struct table_space *space = table->space;
	if (space == NULL)
		return true;
	pthread_mutex_lock(&space->mutex);
	size_t others = space->in_memory - table->bytes;
	bool taken = must || bytes < MAP_BYTES_MIN || others + bytes <= memory_share(space, table->is_random);
	if (taken) {
		space->in_memory = others + bytes;
		table->bytes = bytes;
	}
	pthread_mutex_unlock(&space->mutex);
	return taken;
}

/* ---- maps ----------------------------------------------------------------------------------------------- */

/* Returns a file without a name, or -1. */
static int open_nameless(const char *folder)
{
	char path[4096];
	int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (file >= 0 || snprintf(path, sizeof(path), "%s/table.XXXXXX", folder) >= (int)sizeof(path))
		return file;
	file = mkostemp(path, O_CLOEXEC);
	if (file >= 0)
		unlink(path);
	return file;
}

static void release_map(struct table *table)
{
	struct table_space *space = table->space;
	struct table_map *map = table->map;
	pthread_mutex_lock(&space->mutex);
	if (map->before != NULL)
		map->before->after = map->after;
	else
		space->maps = map->after;
	if (map->after != NULL)
		map->after->before = map->before;
	space->has_maps = space->maps != NULL;
	pthread_mutex_unlock(&space->mutex);
	munmap(map->bytes, map->size);
	close(map->file);
	free(map);
	table->map = NULL;
}

/* Returns false if a file of this size cannot be made. */
static bool make_map(struct table *table, size_t size)
{
	struct table_map *map = calloc(1, sizeof(*map));
	if (map == NULL)
		return false;
	map->size = size;
	map->file = open_nameless(table->space->folder);
	if (map->file >= 0 && fallocate(map->file, 0, 0, (off_t)size) == 0) {
		void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, map->file, 0);
		if (bytes != MAP_FAILED) {
			map->bytes = bytes;
			table->map = map;
			pthread_mutex_lock(&table->space->mutex);
			map->after = table->space->maps;
			if (map->after != NULL)
				map->after->before = map;
			table->space->maps = map;
			table->space->has_maps = true;
			pthread_mutex_unlock(&table->space->mutex);
			return true;
		}
	}
	if (map->file >= 0)
		close(map->file);
	free(map);
	return false;
}

static bool grow_map(struct table *table, size_t size)
{
	struct table_map *map = table->map;
	if (fallocate(map->file, 0, 0, (off_t)size) != 0)
		return false;
	pthread_mutex_lock(&table->space->mutex);
	void *bytes = mremap(map->bytes, map->size, size, MREMAP_MAYMOVE);
	if (bytes != MAP_FAILED) {
		map->bytes = bytes;
		map->size = size;
	}
	pthread_mutex_unlock(&table->space->mutex);
	return bytes != MAP_FAILED;
}

/* ---- tables --------------------------------------------------------------------------------------------- */

static void copy_in_pieces(struct table_space *space, uint8_t *to, const uint8_t *from, size_t size)
{
	for (size_t done = 0; done < size; done += COPY_BYTES) {
		memcpy(to + done, from + done, size - done < COPY_BYTES ? size - done : COPY_BYTES);
		table_space_look(space);
	}
}

/* Move a table from memory to a file.  It does not come back unless the disk is full. */
static void *move_to_map(struct table *table, void *old, size_t old_size, size_t size)
{
	if (!make_map(table, size))
		return NULL;
	copy_in_pieces(table->space, table->map->bytes, old, old_size);
	free(old);
	take_memory(table, 0, true);
	return table->map->bytes;
}

static void *move_to_memory(struct table *table, const void *old, size_t old_size, size_t size)
{
	void *bytes = malloc(size);
	if (bytes == NULL)
		return NULL;
	memcpy(bytes, old, old_size);
	release_map(table);
	take_memory(table, size, true);
	return bytes;
}

static void *grow_in_memory(struct table *table, void *old, size_t old_size, size_t size)
{
	void *grown = realloc(old, size);
	take_memory(table, grown != NULL ? size : old_size, true);
	return grown;
}

static void *grow(struct table *table, void *old, size_t old_size, size_t size)
{
	if (table->map != NULL)
		return grow_map(table, size) ? table->map->bytes : move_to_memory(table, old, old_size, size);
	void *grown = NULL;
	if (!take_memory(table, size, false))
		grown = move_to_map(table, old, old_size, size);
	return grown != NULL ? grown : grow_in_memory(table, old, old_size, size);
}

bool table_grow(struct table *table, void *array, size_t *capacity, size_t needed, size_t element_size)
{
	assert(needed > *capacity);
	if (table->space == NULL)
		return array_grow(array, capacity, needed, element_size);
	const size_t wanted = grown_capacity(*capacity, needed, element_size);
	if (wanted > (SIZE_MAX >> 1) / element_size)
		return false;
	void *old;
	memcpy(&old, array, sizeof(old));
	void *grown = grow(table, old, *capacity * element_size, wanted * element_size);
	if (grown == NULL)
		return false;
	memcpy(array, &grown, sizeof(grown));
	*capacity = wanted;
	return true;
}

void *table_allocate(struct table *table, size_t size)
{
	assert(table->map == NULL && table->bytes == 0);
	if (!take_memory(table, size, false) && make_map(table, size))
		return table->map->bytes;
	void *bytes = calloc(1, size);
	take_memory(table, bytes != NULL ? size : 0, true);
	return bytes;
}

void table_release(struct table *table, void *array)
{
	if (table->map != NULL)
		release_map(table);
	else
		free(array);
	if (table->space != NULL)
		take_memory(table, 0, true);
}

/* ---- dense records ----------------------------------------------------------------------------------------- */

bool dense_put(struct dense_records *dense, size_t number, void *record)
{
	if (!table_reserve(&dense->table, &dense->records, &dense->capacity, number + 1))
		return false;
	while (dense->count <= number)
		dense->records[dense->count++] = NULL;
	dense->records[number] = record;
	return true;
}

void dense_release(struct dense_records *dense)
{
	table_release(&dense->table, dense->records);
	*dense = (struct dense_records){ 0 };
}

/* ---- table sort ---------------------------------------------------------------------------------------------- */

enum { RUN_BYTES = 512 << 10, LOOK_BYTES = 2 << 20 };

struct sorting {
	struct table_space *space;
	size_t element_size, run; /* elements that are sorted in memory */
	size_t unlooked;          /* bytes written since the last measurement */
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

/* Merges [first, middle) and [middle, after) into `to`; `to` begins where the first of them goes. */
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
