// SPDX-License-Identifier: MIT
/*
 * slice_run_bytes.c - a slice that is read in one process and handed over in another (docs/design/0079).
 *
 * What comes from the other process is checked as what comes from a file is.
 */
#include <stdlib.h>

#include "base/error.h"
#include "pipeline/slice_run.h"

enum { IS_WHOLE = 1, HAS_MORE = 2, IS_INDEXED = 4 };

/* ---- what was read ------------------------------------------------------------------------------------------- */

static void save_positions(const struct trace_position *positions, size_t count, struct saved_bytes *out)
{
	for (size_t i = 0; i < count; i++) {
		saved_put(out, positions[i].packet + 1);
		saved_put(out, positions[i].events);
	}
}

static void load_positions(struct trace_position *positions, size_t count, struct byte_reader *reader)
{
	for (size_t i = 0; i < count; i++) {
		positions[i].packet = read_varint(reader) - 1;
		positions[i].events = read_varint(reader);
	}
}

void slice_run_save_read(struct slice_run *run, struct saved_bytes *out)
{
	const struct analysis_slices *slices = run->source->analysis->slices;
	size_t files = run->source->file_count, begin = out->size;
	saved_put(out, (run->is_whole ? IS_WHOLE : 0) | (run->has_more ? HAS_MORE : 0) |
			       (run->is_indexed ? IS_INDEXED : 0));
	if (!run->is_whole)
		return;
	save_positions(run->begin, files, out);
	save_positions(run->end, files, out);
	saved_put(out, run->events);
	saved_put_signed(out, run->last);
	saved_put(out, run->size.kept);
	if (!run->has_more && slices->failure(run->instance) == NULL)
		slices->save(run->instance, out);
	free(slices->take_keys(run->instance, &run->key_count));
	if (slices->failure(run->instance) == NULL && !out->no_memory)
		return;
	/* It is of no use, which needs no words. */
	if (!out->no_memory)
		out->size = begin;
	saved_put(out, 0);
}

enum histree_status slice_run_load_read(struct slice_run *run, const struct slice_frame *frame,
					struct byte_reader *reader, struct histree_error *error)
{
	const struct analysis_slices *slices = run->source->analysis->slices;
	size_t files = run->source->file_count;
	uint64_t flags = saved_read_below(reader, (IS_WHOLE | HAS_MORE | IS_INDEXED) + 1);
	enum histree_status status = HISTREE_OK;
	if ((flags & IS_WHOLE) != 0) {
		load_positions(run->begin, files, reader);
		load_positions(run->end, files, reader);
		run->events = read_varint(reader);
		run->last = saved_read_signed(reader);
		run->size.kept = (size_t)read_varint(reader);
		run->is_indexed = (flags & IS_INDEXED) != 0;
		run->has_more = (flags & HAS_MORE) != 0;
		if (!reader->failed && !run->has_more)
			status = slices->load(run->instance, frame, reader, error);
		run->size.log = slices->bytes(run->instance);
	}
	if (status == HISTREE_OK && (reader->failed || byte_reader_left(reader) > 0))
		status = error_set(error, HISTREE_ERR_FORMAT, "a slice makes no sense");
	run->is_elsewhere = true;
	run->is_whole = status == HISTREE_OK && (flags & IS_WHOLE) != 0;
	return status;
}

/* ---- what it is to be made with ------------------------------------------------------------------------------ */

/* Keys follow one another mostly: each run of them is its difference to the key before, and how many they are. */
void slice_run_save_keys(const struct slice_run *run, struct saved_bytes *out)
{
	histree_quark next = 0;
	saved_put(out, run->before);
	saved_put(out, run->key_count);
	for (size_t i = 0; i < run->key_count;) {
		size_t count = 1;
		while (i + count < run->key_count && run->keys[i + count] == run->keys[i] + count)
			count++;
		saved_put_signed(out, (int64_t)run->keys[i] - (int64_t)next);
		saved_put(out, count);
		next = run->keys[i] + (histree_quark)count;
		i += count;
	}
}

static void load_keys(struct slice_run *run, struct byte_reader *reader)
{
	uint64_t next = 0;
	for (size_t i = 0; i < run->key_count && !reader->failed;) {
		uint64_t key = next + (uint64_t)saved_read_signed(reader);
		size_t count = (size_t)saved_read_below(reader, run->key_count - i + 1);
		if (count == 0 || key >= COLUMN_KEY_LIMIT || key + count > COLUMN_KEY_LIMIT)
			reader->failed = true;
		for (size_t at = 0; at < count && !reader->failed; at++)
			run->keys[i + at] = (histree_quark)(key + at);
		i += count;
		next = key + count;
	}
}

/* The slice knows how many keys it has: those of another slice are not these. */
enum histree_status slice_run_load_keys(struct slice_run *run, struct byte_reader *reader,
					struct histree_error *error)
{
	run->before = read_varint(reader);
	uint64_t count = read_varint(reader);
	if (reader->failed || count != run->key_count || !run->is_whole)
		return error_set(error, HISTREE_ERR_FORMAT, "the attributes of a slice are not those that it has");
	run->keys = calloc(run->key_count + 1, sizeof(*run->keys));
	if (run->keys == NULL)
		return error_memory(error, "the attributes of a slice");
	load_keys(run, reader);
	if (reader->failed || byte_reader_left(reader) > 0)
		return error_set(error, HISTREE_ERR_FORMAT, "the attributes of a slice make no sense");
	return HISTREE_OK;
}

/* ---- what was made ------------------------------------------------------------------------------------------- */

void slice_run_save_made(const struct slice_run *run, struct saved_bytes *out)
{
	if (run->is_indexed)
		index_part_save(&run->memory->part, out);
	if (run->pack != NULL)
		leaf_pack_save(run->pack, out);
}

enum histree_status slice_run_load_made(struct slice_run *run, struct leaf_pack *pack, struct byte_reader *reader,
					struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	uint64_t limit = 0;
	run->pack = pack;
	for (size_t i = 0; i < run->key_count; i++)
		limit = run->keys[i] >= limit ? (uint64_t)run->keys[i] + 1 : limit;
	slice_run_release_instance(run);
	if (run->is_indexed)
		status = index_part_load(&run->memory->part, run->before, run->events, run->source->file_count,
					 reader, error);
	if (status == HISTREE_OK && pack != NULL)
		status = leaf_pack_load(pack, limit, reader, error);
	if (status == HISTREE_OK && (reader->failed || byte_reader_left(reader) > 0))
		status = error_set(error, HISTREE_ERR_FORMAT, "what was made of a slice makes no sense");
	return status;
}
