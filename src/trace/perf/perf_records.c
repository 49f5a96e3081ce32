// SPDX-License-Identifier: MIT
#include "trace/perf/perf_records.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"

/* The size of a record has 16 bits. */
enum { RECORD_SIZE_MAX = 65535, PLAIN_SIZE = 4 * 65536 };

enum histree_status perf_records_init(struct perf_records *records, struct perf_part *part, size_t window_size,
				      uint64_t at, struct histree_error *error)
{
	*records = (struct perf_records){ .part = part, .window_size = window_size, .at = at };
	if (records->window_size <= RECORD_SIZE_MAX)
		records->window_size = RECORD_SIZE_MAX + 1;
	return part->is_compressed ? perf_unpack_create(&records->unpack, error) : HISTREE_OK;
}

void perf_records_release(struct perf_records *records)
{
	perf_unpack_free(records->unpack);
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

/* Returns so many bytes of the file, from where the next record is on, if the window has them. */
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
		enum histree_status status = perf_unpack_create(&records->unpack, error);
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
		size_t came = perf_unpack(records->unpack, records->packed, records->packed_size,
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

/* perf writes records at multiples of 8. */
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
