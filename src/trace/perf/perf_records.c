// SPDX-License-Identifier: MIT
/*
 * perf_records.c - the records of a part of a recording of perf, and their entries in the order of time.
 */
#include "trace/perf/perf_records.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "base/table.h"
#include "trace/perf/perf_class.h"

/* ---- perf stamp ---------------------------------------------------------------------------------------------- */

static uint16_t cpu_number(uint32_t cpu)
{
	return cpu < PERF_NO_CPU ? (uint16_t)cpu : PERF_NO_CPU;
}

/* The attribute that has the id at an offset; NULL: none. */
static const struct perf_number *perf_number_find(const struct perf_file *file, const struct perf_record *record,
						  size_t offset)
{
	static const struct perf_number first = { 0 };
	if (file->attribute_count == 1)
		return &first;
	if (offset == 0 || offset > record->size - 8)
		return NULL;
	return id_map_find(&file->ids, ordered_u64(record->bytes + offset, file->is_big));
}

bool perf_stamp_of_sample(const struct perf_file *file, const struct perf_record *record, struct perf_stamp *out)
{
	const struct perf_attribute *first = &file->attributes[0];
	const struct perf_number *number =
		perf_number_find(file, record, first->identifier != 0 ? first->identifier : first->id);
	if (number == NULL)
		return false;
	const struct perf_attribute *attribute = &file->attributes[number->number];
	if (record->size < attribute->body)
		return false;
	*out = (struct perf_stamp){ .cpu = PERF_NO_CPU, .attribute = (uint16_t)number->number };
	if (attribute->cpu != 0)
		out->cpu = cpu_number(ordered_u32(record->bytes + attribute->cpu, file->is_big));
	out->has_time =
		perf_file_time(file, ordered_u64(record->bytes + attribute->time, file->is_big), &out->time);
	return out->has_time;
}

struct perf_stamp perf_stamp_of_side(const struct perf_file *file, const struct perf_record *record)
{
	const struct perf_attribute *first = &file->attributes[0], *attribute = first;
	struct perf_stamp stamp = { .cpu = PERF_NO_CPU, .pid = -1, .tid = -1 };
	if (first->trailer_id != 0 && first->trailer_id <= record->size) {
		const struct perf_number *number = perf_number_find(file, record, record->size - first->trailer_id);
		attribute = number == NULL ? first : &file->attributes[number->number];
	}
	if (!attribute->has_trailers || attribute->trailer_size + (size_t)PERF_RECORD_HEAD_SIZE > record->size)
		return stamp;
	const uint8_t *end = record->bytes + record->size;
	if (attribute->trailer_cpu != 0)
		stamp.cpu = cpu_number(ordered_u32(end - attribute->trailer_cpu, file->is_big));
	if (attribute->trailer_tid != 0) {
		stamp.pid = (int32_t)ordered_u32(end - attribute->trailer_tid, file->is_big);
		stamp.tid = (int32_t)ordered_u32(end - attribute->trailer_tid + 4, file->is_big);
	}
	if (attribute->trailer_time != 0) {
		uint64_t clock = ordered_u64(end - attribute->trailer_time, file->is_big);
		stamp.has_time = clock != 0 && perf_file_time(file, clock, &stamp.time);
	}
	return stamp;
}

/* ---- perf records -------------------------------------------------------------------------------------------- */

/* The size of a record has 16 bits. */
enum { RECORD_SIZE_MAX = 65535, PLAIN_SIZE = 4 * 65536 };

/* All compressed records of a file are one stream of zstd (perf record -z), cut into records. */
static enum histree_status begin_unpacking(struct perf_records *records, struct histree_error *error)
{
	if (!zstd_is_there)
		return error_set(error, HISTREE_ERR_TRACE,
				 "its records are compressed (perf record -z), and this histree was built without "
				 "zstd; build "
				 "it with libzstd (Debian: libzstd-dev), or record without -z");
	records->unpack = zstd_stream_create();
	return records->unpack == NULL ? error_memory(error, "compressed records") : HISTREE_OK;
}

enum histree_status perf_records_init(struct perf_records *records, struct perf_part *part, size_t window_size,
				      uint64_t at, struct histree_error *error)
{
	*records = (struct perf_records){ .part = part, .window_size = window_size, .at = at };
	if (records->window_size <= RECORD_SIZE_MAX)
		records->window_size = RECORD_SIZE_MAX + 1;
	return part->is_compressed ? begin_unpacking(records, error) : HISTREE_OK;
}

void perf_records_release(struct perf_records *records)
{
	zstd_stream_free(records->unpack);
	free(records->packed);
	free(records->plain);
	records->unpack = NULL;
	records->packed = records->plain = NULL;
}

/* ---- records of the file --------------------------------------------------------------------------------- */

static enum histree_status broken(const struct perf_records *records, const char *why, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_TRACE, "at offset %" PRIu64 " %s", records->at, why);
}

/* Returns `size` bytes of the file from the next record on, if the window has them. */
static inline const uint8_t *seen(const struct perf_records *records, uint64_t size)
{
	const struct trace_window *window = &records->part->window;
	uint64_t skipped = records->at - window->offset;
	bool is_there = records->at >= window->offset && skipped <= window->count &&
			size <= window->count - skipped && size <= records->part->end - records->at;
	return is_there ? window->bytes + skipped : NULL;
}

/* Have them; *out is NULL if the file does not. */
static enum histree_status see(struct perf_records *records, uint64_t size, const uint8_t **out,
			       struct histree_error *error)
{
	uint64_t left = records->part->end - records->at;
	*out = seen(records, size);
	if (*out != NULL || size > left)
		return HISTREE_OK;
	size_t wanted = left < records->window_size ? (size_t)left : records->window_size;
	enum histree_status status = trace_window_move(&records->part->window, records->at, wanted, error);
	if (status == HISTREE_ERR_IO)
		return error_set(error, HISTREE_ERR_IO, "at offset %" PRIu64 " the file cannot be read any more",
				 records->at);
	*out = seen(records, size);
	return status;
}

/* Returns how many bytes follow a record that are not of its own size. */
static uint64_t bytes_behind(const struct perf_part *part, const struct perf_record *record)
{
	if (record->type == PERF_AUXTRACE && record->size >= 16)
		return ordered_u64(record->bytes + 8, part->is_big);
	if (record->type == PERF_TRACING_DATA && record->size >= 12)
		return (ordered_u32(record->bytes + 8, part->is_big) + UINT64_C(7)) / 8 * 8;
	return 0;
}

static enum histree_status next_of_file(struct perf_records *records, struct perf_record *out,
					struct histree_error *error)
{
	const struct perf_part *part = records->part;
	const uint8_t *bytes;
	if (records->at >= part->end)
		return HISTREE_END;
	records->last = records->at;
	enum histree_status status = see(records, PERF_RECORD_HEAD_SIZE, &bytes, error);
	if (status != HISTREE_OK)
		return status;
	uint16_t size = bytes == NULL ? 0 : ordered_u16(bytes + 6, part->is_big);
	if (bytes != NULL && size < PERF_RECORD_HEAD_SIZE)
		return broken(records, "there is no record", error);
	if (bytes != NULL)
		status = see(records, size, &bytes, error);
	if (status != HISTREE_OK)
		return status;
	if (bytes == NULL)
		return broken(records, "a record is longer than the rest of the records", error);
	*out = (struct perf_record){ .bytes = bytes, .size = size, .type = ordered_u32(bytes, part->is_big) };
	uint64_t more = bytes_behind(part, out);
	if (more > part->end - records->at - size)
		return broken(records, "a record has more behind it than there is", error);
	records->at += size + more;
	return HISTREE_OK;
}

/* ---- compressed records ---------------------------------------------------------------------------------- */

/* Keep the stream's next bytes. */
static enum histree_status take_packed(struct perf_records *records, const struct perf_record *record,
				       struct histree_error *error)
{
	size_t head = PERF_RECORD_HEAD_SIZE, size = record->size - head;
	records->part->is_compressed = true; /* a file that was cut does not say so before */
	if (records->unpack == NULL) {
		enum histree_status status = begin_unpacking(records, error);
		if (status != HISTREE_OK)
			return status;
	}
	if (records->plain == NULL) {
		uint8_t *packed = malloc(RECORD_SIZE_MAX), *plain = malloc(PLAIN_SIZE);
		if (packed == NULL || plain == NULL) {
			free(packed);
			free(plain);
			return error_memory(error, "compressed records");
		}
		records->packed = packed;
		records->plain = plain;
	}
	if (record->type == PERF_COMPRESSED2) { /* it is filled up, and says how much of it counts */
		uint64_t said = size < 8 ? UINT64_MAX : ordered_u64(record->bytes + head, records->part->is_big);
		head += 8;
		if (size < 8 || said > size - 8)
			return broken(records, "a compressed record is shorter than it says", error);
		size = (size_t)said;
	}
	memcpy(records->packed, record->bytes + head, size);
	records->packed_size = size;
	records->packed_used = 0;
	return HISTREE_OK;
}

/* A record may begin in one compressed record and end in the next.  HISTREE_END: that one is needed. */
static enum histree_status next_of_packed(struct perf_records *records, struct perf_record *out,
					  struct histree_error *error)
{
	bool is_big = records->part->is_big;
	for (;;) {
		const uint8_t *bytes = records->plain + records->plain_at;
		size_t left = records->plain_size - records->plain_at;
		size_t size = left < PERF_RECORD_HEAD_SIZE ? 0 : ordered_u16(bytes + 6, is_big);
		if (left >= PERF_RECORD_HEAD_SIZE && size < PERF_RECORD_HEAD_SIZE)
			return broken(records, "there is no record in what is compressed before", error);
		if (size > 0 && size <= left) {
			*out = (struct perf_record){ .bytes = bytes,
						     .size = size,
						     .type = ordered_u32(bytes, is_big) };
			records->plain_at += size;
			if (out->type == PERF_COMPRESSED || out->type == PERF_COMPRESSED2 ||
			    bytes_behind(records->part, out) > 0)
				return broken(records, "what is compressed before holds what cannot be in it",
					      error);
			return HISTREE_OK;
		}
		if (left > 0 && records->plain_at > 0)
			memmove(records->plain, bytes, left);
		records->plain_at = 0;
		records->plain_size = left;
		const size_t used = records->packed_used;
		size_t came = zstd_stream_unpack(records->unpack, records->packed, records->packed_size,
						 &records->packed_used, records->plain + left, PLAIN_SIZE - left);
		if (came == SIZE_MAX)
			return broken(records, "what is compressed before cannot be unpacked", error);
		if (!unpack_limit_count(&records->limit, records->packed_used - used, came))
			return broken(records,
				      "what is compressed before " UNPACK_IS_TOO_MUCH " ('perf inject' does)",
				      error);
		records->plain_size += came;
		if (came == 0)
			return HISTREE_END;
	}
}

enum histree_status perf_records_next(struct perf_records *records, struct perf_record *out,
				      struct histree_error *error)
{
	for (;;) {
		enum histree_status status =
			records->packed_size > 0 ? next_of_packed(records, out, error) : HISTREE_END;
		if (status != HISTREE_END)
			return status;
		records->packed_size = 0;
		status = next_of_file(records, out, error);
		if (status != HISTREE_OK || (out->type != PERF_COMPRESSED && out->type != PERF_COMPRESSED2))
			return status;
		status = take_packed(records, out, error);
		if (status != HISTREE_OK)
			return status;
	}
}

/* ---- behind damage --------------------------------------------------------------------------------------- */

enum histree_status perf_records_resume(struct perf_records *records, struct histree_error *error)
{
	static const uint8_t ends[2][PERF_RECORD_HEAD_SIZE] = { { PERF_FINISHED_ROUND, 0, 0, 0, 0, 0, 8, 0 },
								{ 0, 0, 0, PERF_FINISHED_ROUND, 0, 0, 0, 8 } };
	const struct perf_part *part = records->part;
	const uint8_t *bytes;
	if (records->unpack != NULL) /* each part of the stream needs those before it */
		return HISTREE_END;
	uint64_t base = part->begin % 8;
	records->at = records->last + 8 - (records->last - base) % 8;
	for (; records->at < part->end; records->at += 8) {
		enum histree_status status = see(records, PERF_RECORD_HEAD_SIZE, &bytes, error);
		if (status != HISTREE_OK) {
			records->at = part->end;
			return status;
		}
		if (bytes == NULL)
			break;
		if (memcmp(bytes, ends[part->is_big], PERF_RECORD_HEAD_SIZE) == 0)
			return HISTREE_OK;
	}
	records->at = part->end;
	return HISTREE_END;
}

/* ---- perf rounds --------------------------------------------------------------------------------------------- */

/* An entry depends on the rounds before the last two. */
enum { ROUNDS_BEFORE = 2 };

static struct perf_round *round_of(struct perf_rounds *rounds, uint64_t number)
{
	return &rounds->known[number % PERF_ROUNDS_KNOWN];
}

void perf_rounds_begin(struct perf_rounds *rounds, uint64_t offset)
{
	uint64_t number = rounds->begun++;
	*round_of(rounds, number) = (struct perf_round){ .offset = offset };
	rounds->alive[number % PERF_ROUNDS_ALIVE].size = 0;
	rounds->added_count = 0;
}

size_t perf_rounds_size(const struct perf_rounds *rounds)
{
	/* Until they are merged, entries are in two arrays and a third. */
	return rounds->alive[(rounds->begun - 1) % PERF_ROUNDS_ALIVE].size +
	       3 * rounds->added_count * sizeof(*rounds->added);
}

bool perf_rounds_add(struct perf_rounds *rounds, struct perf_entry entry, const void *record, size_t size,
		     bool counts)
{
	uint64_t number = rounds->begun - 1, slot = number % PERF_ROUNDS_ALIVE;
	struct perf_round *round = round_of(rounds, number);
	uint8_t **bytes = &rounds->alive[slot].bytes;
	size_t begin = rounds->alive[slot].size;
	bool has_room =
		begin + size + 8 <= rounds->alive[slot].capacity && rounds->added_count < rounds->added_capacity;
	if (!has_room && (!array_reserve(bytes, &rounds->alive[slot].capacity, begin + size + 8) ||
			  !array_reserve(&rounds->added, &rounds->added_capacity, rounds->added_count + 1)))
		return false;
	if (size > 0)
		memcpy(*bytes + begin, record, size);
	rounds->alive[slot].size = begin + (size + 7) / 8 * 8;
	entry.place = (uint32_t)slot << 30 | (uint32_t)(begin / 8);
	rounds->added[rounds->added_count++] = entry;
	round->count += counts;
	if (!round->has_latest || entry.time > round->latest) {
		round->has_latest = true;
		round->latest = entry.time;
	}
	return true;
}

/* ---- order ----------------------------------------------------------------------------------------------- */

static inline bool is_before(const struct perf_entry *a, const struct perf_entry *b)
{
	return a->time != b->time ? a->time < b->time : a->cpu < b->cpu;
}

/* Returns how many entries from the first on are in order. */
static size_t run_length(const struct perf_entry *entries, size_t count)
{
	size_t length = count > 0;
	while (length < count && !is_before(&entries[length], &entries[length - 1]))
		length++;
	return length;
}

/* Of two that are equal, that of the first comes first. */
static void merge(const struct perf_entry *first, size_t first_count, const struct perf_entry *second,
		  size_t second_count, struct perf_entry *out)
{
	const struct perf_entry *first_end = first + first_count, *second_end = second + second_count;
	while (first < first_end && second < second_end)
		*out++ = is_before(second, first) ? *second++ : *first++;
	memcpy(out, first, (size_t)(first_end - first) * sizeof(*out));
	memcpy(out + (first_end - first), second, (size_t)(second_end - second) * sizeof(*out));
}

static bool sort_added(struct perf_rounds *rounds)
{
	size_t count = rounds->added_count;
	while (run_length(rounds->added, count) < count) {
		if (!array_reserve(&rounds->scratch, &rounds->scratch_capacity, count))
			return false;
		struct perf_entry *from = rounds->added;
		size_t capacity = rounds->added_capacity;
		/* What is in order already, such as the entries of one CPU, is merged with what follows it. */
		for (size_t at = 0; at < count;) {
			size_t first = run_length(from + at, count - at);
			size_t second = run_length(from + at + first, count - at - first);
			merge(from + at, first, from + at + first, second, rounds->scratch + at);
			at += first + second;
		}
		rounds->added = rounds->scratch;
		rounds->added_capacity = rounds->scratch_capacity;
		rounds->scratch = from;
		rounds->scratch_capacity = capacity;
	}
	return true;
}

bool perf_rounds_end(struct perf_rounds *rounds, bool is_last)
{
	uint64_t number = rounds->begun - 1;
	rounds->has_limit = is_last;
	rounds->limit = INT64_MAX;
	if (!is_last && number >= 1) {
		const struct perf_round *before = round_of(rounds, number - 1);
		rounds->has_limit = before->has_latest;
		rounds->limit = before->latest;
	}
	if (!sort_added(rounds))
		return false;
	size_t left = rounds->count - rounds->next, count = left + rounds->added_count;
	if (!array_reserve(&rounds->scratch, &rounds->scratch_capacity, count + 1))
		return false;
	if (left > 0)
		merge(rounds->pending + rounds->next, left, rounds->added, rounds->added_count, rounds->scratch);
	else if (rounds->added_count > 0)
		memcpy(rounds->scratch, rounds->added, rounds->added_count * sizeof(*rounds->added));
	struct perf_entry *entries = rounds->pending;
	size_t capacity = rounds->capacity;
	rounds->pending = rounds->scratch;
	rounds->capacity = rounds->scratch_capacity;
	rounds->scratch = entries;
	rounds->scratch_capacity = capacity;
	rounds->next = 0;
	rounds->count = count;
	return true;
}

const struct perf_entry *perf_rounds_peek(const struct perf_rounds *rounds)
{
	if (!rounds->has_limit || rounds->next == rounds->count)
		return NULL;
	const struct perf_entry *entry = &rounds->pending[rounds->next];
	return entry->time <= rounds->limit ? entry : NULL;
}

void perf_rounds_take(struct perf_rounds *rounds, bool counts)
{
	/* The last round that has this slot. */
	uint64_t slot = rounds->pending[rounds->next++].place >> 30, last = rounds->begun - 1;
	uint64_t back = (last - slot) % PERF_ROUNDS_ALIVE;
	assert(back <= last);
	round_of(rounds, last - back)->emitted += counts;
}

uint64_t perf_rounds_base(const struct perf_rounds *rounds, uint64_t *before)
{
	uint64_t last = rounds->begun - 1, first = last < ROUNDS_BEFORE ? 0 : last - ROUNDS_BEFORE;
	*before = 0;
	for (uint64_t number = first; number <= last; number++)
		*before += rounds->known[number % PERF_ROUNDS_KNOWN].emitted;
	return rounds->known[first % PERF_ROUNDS_KNOWN].offset;
}

void perf_rounds_release(struct perf_rounds *rounds)
{
	for (size_t i = 0; i < PERF_ROUNDS_ALIVE; i++)
		free(rounds->alive[i].bytes);
	free(rounds->pending);
	free(rounds->added);
	free(rounds->scratch);
	*rounds = (struct perf_rounds){ 0 };
}
