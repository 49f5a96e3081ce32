// SPDX-License-Identifier: MIT
/*
 * pyramid_cells.c - the cells of pyramids: what they are, how they are added, and their bytes.
 *
 * Adding summaries of numbers is exact, so that they can be added in any order with the same result.
 *
 * The bytes of a cell of calls:
 *
 * 	how many texts; of each its size and its bytes, in their order
 * 	how many rows; of each, in their order:
 * 		CPU: 0 none, 1 unknown, else 2 more than its zigzag
 * 		status: 0 unknown, else 1 more than its zigzag; twice that, and 1 more if it is of idle loops
 * 		system call: 0 none, 1 unknown, else 2 more than the number of a text
 * 		ns, states that begin, calls
 *
 * and of a cell of owners: how many rows; of each
 * 		thread: as 32 bits with an inverted sign; after the first row, less that of the row before and 1
 * 		ns, states that begin
 *
 * All numbers are varints.
 */
#include "state/pyramid_cells.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/exact_sum.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/status.h"
#include "histree/value.h"

/* ---- number summary ------------------------------------------------------------------------------------------ */

/*
 * The first byte: the types of the least and the greatest number, 0 if there is no number, and which sums follow.
 */
enum { TYPE_MASK = 3, MAX_SHIFT = 2, HAS_REAL = 1 << 4, HAS_LEAST = 1 << 5, HAS_MOST = 1 << 6, FLAGS_END = 1 << 7 };

/* ---- numbers --------------------------------------------------------------------------------------------- */

bool number_summary_takes(const struct histree_value *value)
{
	return value->type == HISTREE_INT || value->type == HISTREE_LONG ||
	       (value->type == HISTREE_DOUBLE && !isnan(value->real));
}

static bool is_whole(const struct histree_value *value)
{
	return value->type != HISTREE_DOUBLE;
}

static int64_t whole_of(const struct histree_value *value)
{
	return value->type == HISTREE_INT ? value->int32 : value->int64;
}

static int compare_real(double a, double b)
{
	if (a == 0 && b == 0)
		return (signbit(a) == 0) - (signbit(b) == 0);
	return (a > b) - (a < b);
}

static int compare_mixed(int64_t whole, double real)
{
	const double end = 9223372036854775808.0;
	if (real >= end)
		return -1;
	if (real < -end)
		return 1;
	int64_t truncated = (int64_t)real;
	if (whole != truncated)
		return whole < truncated ? -1 : 1;
	/* What was cut off is exact: there is some only where doubles are finer than 1. */
	double rest = real - (double)truncated;
	return (rest < 0) - (rest > 0);
}

int number_compare(const struct histree_value *a, const struct histree_value *b)
{
	int order;
	if (is_whole(a) && is_whole(b))
		order = (whole_of(a) > whole_of(b)) - (whole_of(a) < whole_of(b));
	else if (is_whole(a))
		order = compare_mixed(whole_of(a), b->real);
	else if (is_whole(b))
		order = -compare_mixed(whole_of(b), a->real);
	else
		order = compare_real(a->real, b->real);
	return order != 0 ? order : (a->type > b->type) - (a->type < b->type);
}

/* ---- adding ---------------------------------------------------------------------------------------------- */

static void add_real(struct number_summary *summary, double number, wide_uint ns)
{
	summary->has_real = true;
	if (isinf(number)) {
		*(number < 0 ? &summary->has_least : &summary->has_most) = true;
		return;
	}
	uint64_t most = ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
	exact_sum_add(&summary->real, number, most);
	if (ns > most)
		exact_sum_add(&summary->real, number, (uint64_t)(ns - most));
}

/* A forged summary may be of more time than there is. */
static void add_whole(struct number_summary *summary, wide_int sum)
{
	summary->whole = (wide_int)((wide_uint)summary->whole + (wide_uint)sum);
}

static void widen(struct number_summary *summary, const struct histree_value *min, const struct histree_value *max)
{
	if (summary->states == 0 || number_compare(min, &summary->min) < 0)
		summary->min = *min;
	if (summary->states == 0 || number_compare(max, &summary->max) > 0)
		summary->max = *max;
}

/* The common case: an int after ints. */
static bool widen_ints(struct number_summary *summary, const struct histree_value *value)
{
	if (value->type != HISTREE_INT || summary->states == 0 || summary->min.type != HISTREE_INT ||
	    summary->max.type != HISTREE_INT)
		return false;
	if (value->int32 < summary->min.int32)
		summary->min = *value;
	if (value->int32 > summary->max.int32)
		summary->max = *value;
	return true;
}

void number_summary_add(struct number_summary *summary, const struct histree_value *value, wide_uint ns)
{
	const bool is_after_ints = widen_ints(summary, value);
	if (!is_after_ints && !number_summary_takes(value)) {
		*(value->type == HISTREE_UNKNOWN ? &summary->unknown_ns : &summary->other_ns) += ns;
		return;
	}
	if (!is_after_ints)
		widen(summary, value, value);
	summary->states++;
	summary->number_ns += ns;
	if (is_after_ints)
		add_whole(summary, (wide_int)value->int32 * (wide_int)ns);
	else if (is_whole(value))
		add_whole(summary, (wide_int)whole_of(value) * (wide_int)ns);
	else
		add_real(summary, value->real, ns);
}

void number_summary_add_summary(struct number_summary *summary, const struct number_summary *other)
{
	summary->unknown_ns += other->unknown_ns;
	summary->other_ns += other->other_ns;
	if (other->states == 0)
		return;
	widen(summary, &other->min, &other->max);
	summary->states += other->states;
	summary->number_ns += other->number_ns;
	add_whole(summary, other->whole);
	if (other->has_real)
		exact_sum_add_sum(&summary->real, &other->real);
	summary->has_real = summary->has_real || other->has_real;
	summary->has_least = summary->has_least || other->has_least;
	summary->has_most = summary->has_most || other->has_most;
}

double number_summary_mean(const struct number_summary *summary)
{
	if (summary->has_least && summary->has_most)
		return NAN;
	if (summary->has_least || summary->has_most)
		return summary->has_most ? INFINITY : -INFINITY;
	if (summary->number_ns == 0)
		return 0;
	struct exact_sum sum = summary->real;
	exact_sum_add_whole(&sum, summary->whole);
	return exact_sum_mean(&sum, summary->number_ns);
}

/* ---- bytes ----------------------------------------------------------------------------------------------- */

/* What the sum of whole numbers is kept as a difference to: nothing less can be, unless doubles are among them. */
static wide_int base_of(const struct number_summary *summary)
{
	if (summary->states == 0 || summary->has_real)
		return 0;
	return (wide_int)whole_of(&summary->min) * (wide_int)summary->number_ns;
}

static uint8_t *put_number(uint8_t *at, const struct histree_value *number)
{
	if (is_whole(number))
		return put_varint(at, zigzag(whole_of(number)));
	uint64_t bits;
	memcpy(&bits, &number->real, sizeof(bits));
	put_le64(at, bits);
	return at + sizeof(bits);
}

static uint8_t *put_wide(uint8_t *at, wide_uint number)
{
	uint8_t *size = at++;
	for (*size = 0; number != 0; number >>= 8, ++*size)
		*at++ = (uint8_t)number;
	return at;
}

size_t number_summary_put(const struct number_summary *summary, uint8_t room[NUMBER_SUMMARY_SIZE_MAX])
{
	uint8_t *at = room;
	assert(summary->unknown_ns <= UINT64_MAX && summary->other_ns <= UINT64_MAX);
	assert(summary->states == 0 || number_compare(&summary->min, &summary->max) <= 0);
	assert(summary->number_ns >= summary->states);
	*at++ = (uint8_t)((unsigned)summary->min.type | (unsigned)summary->max.type << MAX_SHIFT |
			  (summary->has_real ? HAS_REAL : 0) | (summary->has_least ? HAS_LEAST : 0) |
			  (summary->has_most ? HAS_MOST : 0));
	at = put_varint(at, (uint64_t)summary->unknown_ns);
	at = put_varint(at, (uint64_t)summary->other_ns);
	if (summary->states == 0)
		return (size_t)(at - room);
	at = put_varint(at, summary->states);
	at = put_number(at, &summary->min);
	if (is_whole(&summary->min) && is_whole(&summary->max))
		at = put_varint(at, (uint64_t)whole_of(&summary->max) - (uint64_t)whole_of(&summary->min));
	else
		at = put_number(at, &summary->max);
	at = put_wide(at, (wide_uint)summary->whole - (wide_uint)base_of(summary));
	if (summary->has_real)
		at += exact_sum_put(&summary->real, at);
	assert((size_t)(at - room) <= NUMBER_SUMMARY_SIZE_MAX);
	return (size_t)(at - room);
}

static struct histree_value make_whole(unsigned type, int64_t number)
{
	return type == HISTREE_INT ? histree_int((int32_t)number) : histree_long(number);
}

static bool fits(unsigned type, int64_t number)
{
	return type != HISTREE_INT || (number >= INT32_MIN && number <= INT32_MAX);
}

/* With `least`, the number is stored as its difference to that; NULL: as it is. */
static bool get_number(struct byte_reader *reader, unsigned type, const struct histree_value *least,
		       struct histree_value *out)
{
	if (type == HISTREE_DOUBLE) {
		uint64_t bits = read_le64(reader);
		double real;
		memcpy(&real, &bits, sizeof(real));
		*out = histree_double(real);
		return !reader->failed && !isnan(real);
	}
	uint64_t number = read_varint(reader);
	int64_t whole = least != NULL ? (int64_t)((uint64_t)whole_of(least) + number) : unzigzag(number);
	*out = make_whole(type, whole);
	return !reader->failed && fits(type, whole) && (least == NULL || whole >= whole_of(least));
}

static bool get_wide(struct byte_reader *reader, wide_uint *out)
{
	const uint8_t *size = read_bytes(reader, 1);
	const uint8_t *bytes = size != NULL && *size <= sizeof(*out) ? read_bytes(reader, *size) : NULL;
	*out = 0;
	for (size_t i = bytes != NULL ? *size : 0; i-- > 0;)
		*out = *out << 8 | bytes[i];
	return bytes != NULL;
}

static bool get_sums(struct number_summary *summary, struct byte_reader *reader)
{
	wide_uint more;
	if (!get_wide(reader, &more))
		return false;
	if (!summary->has_real) {
		uint64_t span = (uint64_t)whole_of(&summary->max) - (uint64_t)whole_of(&summary->min);
		if (more > (wide_uint)span * summary->number_ns)
			return false;
	}
	summary->whole = (wide_int)((wide_uint)base_of(summary) + more);
	if (!summary->has_real)
		return true;
	size_t size = exact_sum_get(&summary->real, reader->at, byte_reader_left(reader));
	return size > 0 && read_bytes(reader, size) != NULL;
}

/* What must hold for doubles: some are infinite just if the least or the greatest is. */
static bool is_consistent(const struct number_summary *summary)
{
	const struct histree_value *min = &summary->min, *max = &summary->max;
	bool has_real = !is_whole(min) || !is_whole(max);
	bool least = !is_whole(min) && isinf(min->real) && min->real < 0;
	bool most = !is_whole(max) && isinf(max->real) && max->real > 0;
	if ((has_real && !summary->has_real) || least != summary->has_least || most != summary->has_most ||
	    number_compare(min, max) > 0)
		return false;
	return summary->states > 0 && summary->number_ns >= summary->states;
}

bool number_summary_get(struct number_summary *summary, wide_uint ns, const uint8_t *bytes, size_t size)
{
	struct byte_reader reader = byte_reader(bytes, size);
	const uint8_t *flags = read_bytes(&reader, 1);
	*summary = (struct number_summary){ 0 };
	summary->unknown_ns = read_varint(&reader);
	summary->other_ns = read_varint(&reader);
	wide_uint others = summary->unknown_ns + summary->other_ns;
	if (flags == NULL || reader.failed || *flags >= FLAGS_END || others > ns)
		return false;
	summary->number_ns = ns - others;
	unsigned least = *flags & TYPE_MASK, most = *flags >> MAX_SHIFT & TYPE_MASK;
	if (*flags == 0)
		return summary->number_ns == 0 && byte_reader_left(&reader) == 0;
	summary->has_real = (*flags & HAS_REAL) != 0;
	summary->has_least = (*flags & HAS_LEAST) != 0;
	summary->has_most = (*flags & HAS_MOST) != 0;
	if (least == 0 || most == 0)
		return false;
	summary->states = read_varint(&reader);
	if (!get_number(&reader, least, NULL, &summary->min))
		return false;
	bool is_difference = least != HISTREE_DOUBLE && most != HISTREE_DOUBLE;
	return get_number(&reader, most, is_difference ? &summary->min : NULL, &summary->max) &&
	       is_consistent(summary) && get_sums(summary, &reader) && byte_reader_left(&reader) == 0;
}

/* ---- state sum ----------------------------------------------------------------------------------------------- */

bool state_sum_add(struct state_sum *sum, const struct state_sum_part *part)
{
	uint32_t i = 0;
	while (i < sum->count &&
	       (sum->parts[i].value != part->value || sum->parts[i].is_unknown != part->is_unknown))
		i++;
	assert(sum->count <= STATE_SUM_VALUES_MAX);
	if (i == STATE_SUM_VALUES_MAX)
		return false;
	if (i == sum->count)
		sum->parts[sum->count++] =
			(struct state_sum_part){ .value = part->value, .is_unknown = part->is_unknown };
	sum->parts[i].ns += part->ns;
	sum->parts[i].begins += part->begins;
	return true;
}

bool state_sum_add_sum(struct state_sum *sum, const struct state_sum *other)
{
	for (uint32_t i = 0; i < other->count; i++)
		if (!state_sum_add(sum, &other->parts[i]))
			return false;
	return true;
}

bool state_sum_is_constant(const struct state_sum *sum, uint64_t ns)
{
	return sum->count == 0 || (sum->count == 1 && sum->parts[0].ns == ns && sum->parts[0].begins == 0);
}

/* ---- as bytes ----------------------------------------------------------------------------------------------- */

/* How many values; of each: twice the value, zigzag, plus 2, or 1 for unknown; its ns; how many states begin. */
size_t state_sum_put(const struct state_sum *sum, uint8_t room[STATE_SUM_SIZE_MAX])
{
	assert(sum->count > 0 && sum->count <= STATE_SUM_VALUES_MAX);
	uint8_t *at = put_varint(room, sum->count);
	for (uint32_t i = 0; i < sum->count; i++) {
		const struct state_sum_part *part = &sum->parts[i];
		assert(part->ns > 0 && part->begins <= part->ns);
		at = put_varint(at, part->is_unknown ? 1 : 2 * (zigzag(part->value) + 1));
		at = put_varint(at, part->ns);
		at = put_varint(at, part->begins);
	}
	assert((size_t)(at - room) <= STATE_SUM_SIZE_MAX);
	return (size_t)(at - room);
}

static bool get_part(struct byte_reader *reader, struct state_sum_part *part)
{
	uint64_t code = read_varint(reader);
	part->is_unknown = code == 1;
	int64_t value = part->is_unknown ? 0 : unzigzag(code / 2 - 1);
	part->ns = read_varint(reader);
	part->begins = read_varint(reader);
	part->value = (int32_t)value;
	return !reader->failed && (part->is_unknown || (code >= 2 && code % 2 == 0)) && value == part->value &&
	       part->ns > 0 && part->begins <= part->ns;
}

bool state_sum_get(struct state_sum *sum, uint64_t ns, const uint8_t *bytes, size_t size)
{
	struct byte_reader reader = byte_reader(bytes, size);
	uint64_t count = read_varint(&reader), left = ns;
	*sum = (struct state_sum){ 0 };
	if (reader.failed || count == 0 || count > STATE_SUM_VALUES_MAX)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct state_sum_part part;
		if (!get_part(&reader, &part) || part.ns > left || !state_sum_add(sum, &part))
			return false;
		left -= part.ns;
	}
	return byte_reader_left(&reader) == 0 && sum->count == count;
}

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
	assert(cell->by_key.count == cell->count);
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

/* What a row is ordered by: its CPU, or owner, and the rest of it. */
struct placed {
	uint64_t first, second;
};

enum { ROW_NUMBERS = 6 /* of a row, at most */ };

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

COMPARE(by_text, struct named, BY_ORDER(bytes_order(a->text, a->size, b->text, b->size)))

static bool is_before(const struct placed *a, const struct placed *b)
{
	return a->first != b->first ? a->first < b->first : a->second < b->second;
}

/* The texts that rows name, each once, in the order of texts; and by number of a text, what it is called. */
struct naming {
	struct named *named;
	size_t count;
	uint32_t *codes;
};

enum { FIRST_TEXT = 2 /* after nothing and what is not known */ };

/* Returns false without memory. */
static bool name_texts(const struct cube_cell *cell, const struct intern *texts, struct naming *naming)
{
	naming->named = malloc((cell->count + 1) * sizeof(*naming->named));
	naming->codes = calloc((size_t)texts->count + 1, sizeof(*naming->codes));
	if (naming->named == NULL || naming->codes == NULL)
		return false;
	for (size_t i = 0; i < cell->count; i++) {
		const int32_t call = cell->rows[i].key.system_call;
		if (call < 0 || naming->codes[call] != 0)
			continue;
		struct named *named = &naming->named[naming->count++];
		named->number = call;
		named->text = intern_get(texts, (uint32_t)call, &named->size);
		naming->codes[call] = FIRST_TEXT;
	}
	if (naming->count > 1)
		qsort(naming->named, naming->count, sizeof(*naming->named), by_text);
	for (size_t i = 0; i < naming->count; i++)
		naming->codes[naming->named[i].number] = FIRST_TEXT + (uint32_t)i;
	return true;
}

/* What it is ordered by is what is written of it. */
static struct placed place_of(const struct cube_key *key, enum cube_part part, const struct naming *naming)
{
	const int32_t call = key->system_call;
	if (part == CUBE_OF_OWNERS)
		return (struct placed){ .first = code_of_owner(key->had_by) };
	return (struct placed){ .first = code_of_cpu(key->cpu),
				.second = code_of_status(key) << 24 |
					  (call >= 0 ? naming->codes[call] : call == USE_NOT_KNOWN) };
}

/* Sort the rows by their places: by what is second, and those again by what is first.  False without memory. */
static bool sort_rows(const struct placed *places, size_t count, struct keyed_index **order)
{
	struct keyed_index *sorted = *order = malloc((count + 1) * sizeof(*sorted));
	struct keyed_index *spare = malloc((count + 1) * sizeof(*spare));
	const bool has_room = sorted != NULL && spare != NULL;
	for (size_t i = 0; i < count && has_room; i++)
		sorted[i] = (struct keyed_index){ places[i].second, (uint32_t)i };
	if (has_room)
		radix_sort(sorted, spare, count);
	for (size_t i = 0; i < count && has_room; i++)
		sorted[i].key = places[sorted[i].index].first;
	if (has_room)
		radix_sort(sorted, spare, count);
	free(spare);
	return has_room;
}

/* A row at a place, behind another one if there is one.  Returns false without memory. */
static bool put_row(struct byte_buffer *saved, enum cube_part part, const struct cube_row *row,
		    const struct placed *place, const struct placed *before)
{
	if (!array_reserve(&saved->bytes, &saved->capacity, saved->size + ROW_NUMBERS * VARINT_SIZE_MAX))
		return false;
	uint8_t *at = saved->bytes + saved->size;
	if (part == CUBE_OF_OWNERS) {
		at = put_varint(at, before != NULL ? place->first - before->first - 1 : place->first);
	} else {
		at = put_varint(at, place->first);
		at = put_varint(at, place->second >> 24);
		at = put_varint(at, place->second & ((1 << 24) - 1));
	}
	at = put_varint(at, row->ns);
	at = put_varint(at, row->begins);
	if (part == CUBE_OF_CALLS)
		at = put_varint(at, row->calls);
	saved->size = (size_t)(at - saved->bytes);
	return true;
}

void cube_cell_put(struct cube_cell *cell, enum cube_part part, const struct intern *texts,
		   struct byte_buffer *saved)
{
	struct naming naming = { 0 };
	struct keyed_index *order = NULL;
	if (cell->count == 0)
		return;
	struct placed *places = malloc(cell->count * sizeof(*places));
	bool has_room = places != NULL;
	if (has_room && part == CUBE_OF_CALLS)
		has_room = name_texts(cell, texts, &naming);
	for (size_t i = 0; i < cell->count && has_room; i++)
		places[i] = place_of(&cell->rows[i].key, part, &naming);
	has_room = has_room && sort_rows(places, cell->count, &order);
	if (has_room && part == CUBE_OF_CALLS)
		byte_buffer_put_number(saved, naming.count);
	for (size_t i = 0; i < naming.count && has_room; i++)
		byte_buffer_put_text(saved, naming.named[i].text, naming.named[i].size);
	if (has_room)
		byte_buffer_put_number(saved, cell->count);
	for (size_t i = 0; i < cell->count && has_room; i++) {
		const uint32_t row = order[i].index;
		const struct placed *before = i > 0 ? &places[order[i - 1].index] : NULL;
		has_room = put_row(saved, part, &cell->rows[row], &places[row], before);
	}
	saved->failed |= !has_room;
	free(naming.named);
	free(naming.codes);
	free(places);
	free(order);
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
	const size_t count = byte_reader_count(&getting->reader, 1);
	const char *before = NULL;
	size_t before_size = 0;
	getting->texts = malloc((count + 1) * sizeof(*getting->texts));
	if (getting->texts == NULL)
		return HISTREE_ERR_MEMORY;
	for (size_t i = 0; i < count; i++) {
		size_t size;
		const char *text = byte_reader_text(&getting->reader, &size);
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
	if (!has_key || getting->reader.failed || (!is_first && !is_before(&getting->before, &place)) ||
	    row->ns == 0 || row->ns > getting->ns_left || row->begins > row->ns || row->calls > row->ns ||
	    (row->calls > 0 && row->key.system_call == USE_NOTHING))
		return false;
	getting->ns_left -= row->ns;
	getting->before = place;
	return true;
}

static enum histree_status get_rows(struct getting *getting, struct cube_cell *cell, enum cube_part part)
{
	const size_t count = byte_reader_count(&getting->reader, part == CUBE_OF_OWNERS ? 3 : 6);
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
