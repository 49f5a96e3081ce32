// SPDX-License-Identifier: MIT
/*
 * cube_cell.c - the bytes of a cell of calls:
 *
 *	how many texts; of each its size and its bytes, in their order
 *	how many rows; of each, in their order:
 *		CPU: 0 none, 1 unknown, else 2 more than its zigzag
 *		status: 0 unknown, else 1 more than its zigzag; twice that, and 1 more if it is of idle loops
 *		system call: 0 none, 1 unknown, else 2 more than the number of a text
 *		ns, states that begin, calls
 *
 * and of a cell of owners: how many rows; of each
 *		thread: as 32 bits with an inverted sign; after the first row, less that of the row before and 1
 *		ns, states that begin
 *
 * All numbers are varints.
 */
#include "state/cube_cell.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/bytes.h"

/* ---- rows --------------------------------------------------------------------------------------------------- */

static bool has_key(const void *rows, uint32_t number, const void *key)
{
	return cube_key_is_same(&((const struct cube_row *)rows)[number].key, key);
}

static uint64_t hash_of_row(const void *rows, uint32_t number)
{
	return cube_key_hash(&((const struct cube_row *)rows)[number].key);
}

bool cube_cell_add(struct cube_cell *cell, const struct cube_row *row)
{
	const uint64_t hash = cube_key_hash(&row->key);
	uint32_t at = hash_index_find(&cell->by_key, hash, has_key, cell->rows, &row->key);
	if (at == HASH_INDEX_NONE) {
		if (cell->count >= UINT32_MAX - 1 ||
		    !array_reserve(&cell->rows, &cell->capacity, cell->count + 1) ||
		    !hash_index_reserve(&cell->by_key, cell->count + 1, hash_of_row, cell->rows))
			return false;
		at = (uint32_t)cell->count++;
		cell->rows[at] = (struct cube_row){ .key = row->key };
		hash_index_add(&cell->by_key, hash, at);
	}
	cell->rows[at].ns += row->ns;
	cell->rows[at].begins += row->begins;
	cell->rows[at].calls += row->calls;
	return true;
}

void cube_cell_clear(struct cube_cell *cell)
{
	cell->count = 0;
	hash_index_clear(&cell->by_key);
}

void cube_cell_release(struct cube_cell *cell)
{
	free(cell->rows);
	hash_index_release(&cell->by_key);
	*cell = (struct cube_cell){ 0 };
}

/* ---- as bytes ----------------------------------------------------------------------------------------------- */

/* A text of the cell. */
struct named {
	const char *text;
	size_t size;
	int32_t number;
};

/* A row by the number that it is ordered by, after its CPU. */
struct placed {
	uint64_t first, second;
	uint32_t row;
};

static uint64_t code_of_cpu(int32_t cpu)
{
	return cpu == USE_NOTHING ? 0 : cpu == USE_NOT_KNOWN ? 1 : zigzag(cpu) + 2;
}

static uint64_t code_of_status(const struct cube_key *key)
{
	return 2 * (key->status == USE_NOT_KNOWN ? 0 : zigzag(key->status) + 1) + key->is_idle;
}

static uint32_t code_of_owner(int32_t owner)
{
	return (uint32_t)owner ^ UINT32_C(0x80000000);
}

static int by_text(const void *one, const void *other)
{
	const struct named *a = one, *b = other;
	const int order = memcmp(a->text, b->text, a->size < b->size ? a->size : b->size);
	return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static int by_number(const void *one, const void *other)
{
	const int32_t a = ((const struct named *)one)->number, b = ((const struct named *)other)->number;
	return (a > b) - (a < b);
}

static int by_place(const void *one, const void *other)
{
	const struct placed *a = one, *b = other;
	const int order = (a->first > b->first) - (a->first < b->first);
	return order != 0 ? order : (a->second > b->second) - (a->second < b->second);
}

/* The texts that the rows name, each once, in the order of texts. */
static bool name_texts(const struct cube_cell *cell, const struct intern *texts, struct named **out, size_t *count)
{
	struct named *named = *out = malloc((cell->count + 1) * sizeof(*named));
	size_t used = 0, kept = 0;
	if (named == NULL)
		return false;
	for (size_t i = 0; i < cell->count; i++)
		if (cell->rows[i].key.system_call >= 0)
			named[used++].number = cell->rows[i].key.system_call;
	if (used > 1)
		qsort(named, used, sizeof(*named), by_number);
	for (size_t i = 0; i < used; i++)
		if (i == 0 || named[i].number != named[kept - 1].number)
			named[kept++].number = named[i].number;
	for (size_t i = 0; i < kept; i++)
		named[i].text = intern_get(texts, (uint32_t)named[i].number, &named[i].size);
	if (kept > 1)
		qsort(named, kept, sizeof(*named), by_text);
	*count = kept;
	return true;
}

static uint64_t code_of_call(int32_t call, const struct named *named, size_t count)
{
	size_t at = 0;
	if (call < 0)
		return call == USE_NOT_KNOWN;
	while (at < count && named[at].number != call)
		at++;
	return at + 2;
}

/* What it is ordered by is what is written of it. */
static struct placed place_of(const struct cube_key *key, enum cube_part part, const struct named *named,
			      size_t count)
{
	if (part == CUBE_OF_OWNERS)
		return (struct placed){ .first = code_of_owner(key->had_by) };
	return (struct placed){ .first = code_of_cpu(key->cpu),
				.second =
					code_of_status(key) << 24 | code_of_call(key->system_call, named, count) };
}

static void put_row(const struct cube_row *row, const struct placed *place, const struct placed *before,
		    enum cube_part part, struct saved_bytes *saved)
{
	if (part == CUBE_OF_OWNERS) {
		saved_put(saved, before != NULL ? place->first - before->first - 1 : place->first);
	} else {
		saved_put(saved, place->first);
		saved_put(saved, place->second >> 24);
		saved_put(saved, place->second & ((1 << 24) - 1));
	}
	saved_put(saved, row->ns);
	saved_put(saved, row->begins);
	if (part == CUBE_OF_CALLS)
		saved_put(saved, row->calls);
}

void cube_cell_put(struct cube_cell *cell, enum cube_part part, const struct intern *texts,
		   struct saved_bytes *saved)
{
	struct named *named = NULL;
	size_t named_count = 0;
	if (cell->count == 0)
		return;
	struct placed *places = malloc(cell->count * sizeof(*places));
	if (places == NULL || (part == CUBE_OF_CALLS && !name_texts(cell, texts, &named, &named_count))) {
		saved->no_memory = true;
	} else {
		for (size_t i = 0; i < cell->count; i++) {
			places[i] = place_of(&cell->rows[i].key, part, named, named_count);
			places[i].row = (uint32_t)i;
		}
		qsort(places, cell->count, sizeof(*places), by_place);
		if (part == CUBE_OF_CALLS)
			saved_put(saved, named_count);
		for (size_t i = 0; i < named_count; i++)
			saved_put_text(saved, named[i].text, named[i].size);
		saved_put(saved, cell->count);
		for (size_t i = 0; i < cell->count; i++)
			put_row(&cell->rows[places[i].row], &places[i], i > 0 ? &places[i - 1] : NULL, part, saved);
	}
	free(named);
	free(places);
}

/* ---- from bytes --------------------------------------------------------------------------------------------- */

/* What is read of a cell, and what its rows may say. */
struct getting {
	struct byte_reader reader;
	int32_t *texts; /* their numbers */
	size_t text_count;
	uint64_t ns_left;
	struct placed before;
};

/* The ints that a zigzag stands for. */
static bool read_int(uint64_t code, int32_t *out)
{
	const int64_t number = unzigzag(code);
	*out = (int32_t)number;
	return number == (int32_t)number && *out != USE_NOTHING && *out != USE_NOT_KNOWN;
}

static enum histree_status get_texts(struct getting *getting, struct intern *texts)
{
	const size_t count = saved_read_count(&getting->reader, 1);
	const char *before = NULL;
	size_t before_size = 0;
	getting->texts = malloc((count + 1) * sizeof(*getting->texts));
	if (getting->texts == NULL)
		return HISTREE_ERR_MEMORY;
	for (size_t i = 0; i < count; i++) {
		size_t size;
		const char *text = saved_read_text(&getting->reader, &size);
		const struct named one = { before, before_size, 0 }, other = { text, size, 0 };
		if (getting->reader.failed || (i > 0 && by_text(&one, &other) >= 0))
			return HISTREE_ERR_FORMAT;
		const uint32_t number = intern_add(texts, text, size);
		if (number == INTERN_NONE || number > INT32_MAX)
			return HISTREE_ERR_MEMORY;
		getting->texts[getting->text_count++] = (int32_t)number;
		before = text;
		before_size = size;
	}
	return HISTREE_OK;
}

static bool get_key_of_calls(struct getting *getting, struct cube_key *key, struct placed *place)
{
	const uint64_t cpu = read_varint(&getting->reader), status = read_varint(&getting->reader);
	const uint64_t call = read_varint(&getting->reader);
	*key = (struct cube_key){ .status = USE_NOT_KNOWN,
				  .cpu = cpu == 0 ? USE_NOTHING : USE_NOT_KNOWN,
				  .system_call = call == 0 ? USE_NOTHING : USE_NOT_KNOWN,
				  .had_by = USE_NOTHING,
				  .is_idle = status % 2 != 0 };
	*place = (struct placed){ .first = cpu, .second = status << 24 | call };
	if (getting->reader.failed || status >> 40 != 0 ||
	    (status / 2 > 0 && !read_int(status / 2 - 1, &key->status)) ||
	    (cpu >= 2 && !read_int(cpu - 2, &key->cpu)) || (call >= 2 && call - 2 >= getting->text_count))
		return false;
	if (call >= 2)
		key->system_call = getting->texts[call - 2];
	return true;
}

static bool get_key_of_owners(struct getting *getting, bool is_first, struct cube_key *key, struct placed *place)
{
	const uint64_t after = read_varint(&getting->reader);
	const uint64_t code = is_first ? after : getting->before.first + 1 + after;
	*place = (struct placed){ .first = code };
	*key = (struct cube_key){ .cpu = USE_NOTHING,
				  .system_call = USE_NOTHING,
				  .had_by = (int32_t)((uint32_t)code ^ UINT32_C(0x80000000)) };
	return !getting->reader.failed && after <= UINT32_MAX && code <= UINT32_MAX && key->had_by != USE_NOTHING;
}

static bool get_row(struct getting *getting, enum cube_part part, bool is_first, struct cube_row *row)
{
	struct placed place;
	*row = (struct cube_row){ 0 };
	const bool has_key = part == CUBE_OF_OWNERS ? get_key_of_owners(getting, is_first, &row->key, &place)
						    : get_key_of_calls(getting, &row->key, &place);
	row->ns = read_varint(&getting->reader);
	row->begins = read_varint(&getting->reader);
	row->calls = part == CUBE_OF_CALLS ? read_varint(&getting->reader) : 0;
	if (!has_key || getting->reader.failed || (!is_first && by_place(&getting->before, &place) >= 0) ||
	    row->ns == 0 || row->ns > getting->ns_left || row->begins > row->ns || row->calls > row->ns ||
	    (row->calls > 0 && row->key.system_call == USE_NOTHING))
		return false;
	getting->ns_left -= row->ns;
	getting->before = place;
	return true;
}

static enum histree_status get_rows(struct getting *getting, struct cube_cell *cell, enum cube_part part)
{
	const size_t count = saved_read_count(&getting->reader, part == CUBE_OF_OWNERS ? 3 : 6);
	if (getting->reader.failed || count == 0)
		return HISTREE_ERR_FORMAT;
	for (size_t i = 0; i < count; i++) {
		struct cube_row row;
		if (!get_row(getting, part, i == 0, &row))
			return HISTREE_ERR_FORMAT;
		if (!cube_cell_add(cell, &row))
			return HISTREE_ERR_MEMORY;
	}
	return byte_reader_left(&getting->reader) == 0 ? HISTREE_OK : HISTREE_ERR_FORMAT;
}

enum histree_status cube_cell_get(struct cube_cell *cell, enum cube_part part, struct intern *texts, uint64_t ns,
				  uint32_t threads_max, const uint8_t *bytes, size_t size)
{
	const bool is_too_much = threads_max > 0 && ns > UINT64_MAX / threads_max;
	struct getting getting = {
		.reader = byte_reader(bytes, size),
		.ns_left = is_too_much ? UINT64_MAX : ns * threads_max,
	};
	enum histree_status status = part == CUBE_OF_CALLS ? get_texts(&getting, texts) : HISTREE_OK;
	if (status == HISTREE_OK)
		status = get_rows(&getting, cell, part);
	free(getting.texts);
	return status;
}
