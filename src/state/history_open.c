// SPDX-License-Identifier: MIT
/*
 * history_open.c - opens a history with the files beside it: a file and its pyramids, or a history that another
 * process answers; and verifies all of them.
 *
 * The description of a history that another process answers comes from outside, so every size in its bytes is
 * checked.
 */
#include "state/history.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/io.h"
#include "base/table.h"
#include "histree/history.h"
#include "state/attribute_section.h"
#include "state/attributes.h"
#include "state/history_inside.h"
#include "state/history_sections.h"
#include "state/history_union.h"
#include "store/block_file.h"
#include "store/overview_faults.h"
#include "tree/tree_reader.h"

static void tell_of_overviews(struct histree_history *history)
{
	history->has_overviews = true;
	for (unsigned id = 0; id < PYRAMIDS; id++) {
		const struct pyramid *pyramid = &history->pyramids[id];
		for (uint32_t i = 0; i < pyramid->level_count; i++) {
			if (i > 0 && pyramid->levels[i].history == pyramid->levels[i - 1].history)
				continue; /* of one file */
			history->info.overview_count++;
			history->info.overview_bytes += pyramid->levels[i].history->info.file_bytes;
		}
	}
}

/* ---- pyramids beside a history ------------------------------------------------------------------------------- */

static bool is_rows(enum pyramid_id id)
{
	return pyramid_kinds[id].unit == NULL;
}

static char *room_for_path(const char *history, struct histree_error *error)
{
	char *path = malloc(pyramid_path_size(history));
	if (path == NULL)
		error_memory(error, "a path");
	return path;
}

/* What is no such text is not printed again as it was. */
static bool is_pyramid_of(const struct histree_history_info *info, enum pyramid_id id,
			  const struct histree_history_info *of, unsigned *log2)
{
	const bool is_older = is_rows(id) && info->provider_version == 1;
	char again[sizeof(of->provider)];
	uint64_t identity;
	*log2 = 0;
	if ((info->provider_version != pyramid_kinds[id].version && !is_older) || !info->complete ||
	    info->start != of->start || info->end != of->end ||
	    (!is_rows(id) && sscanf(info->provider, "%*s of %" SCNx64 ", by 2^%u", &identity, log2) != 2))
		return false;
	if (is_older) {
		/* They told a history from others by how much it has, and are older than their name. */
		snprintf(again, sizeof(again), "digest of %" PRIu64 " states, %" PRIu64 " bytes",
			 of->interval_count, of->file_bytes);
	} else {
		pyramid_provider(id, of, *log2, again, sizeof(again));
	}
	return strcmp(info->provider, again) == 0;
}

/* ---- the attributes of a file ------------------------------------------------------------------------------ */

static enum histree_status add_entry(struct pyramid_level *level, struct pyramid_entry entry,
				     struct histree_error *error)
{
	if (!array_reserve(&level->entries, &level->capacity, level->count + 1))
		return error_memory(error, "an overview");
	level->entries[level->count++] = entry;
	return HISTREE_OK;
}

/*
 * Attribute L of the root begins a level, and those of L are its children until the next one begins; of rows, the
 * attributes of the root are widths, and all of their children are one level.
 */
static enum histree_status read_entries(struct pyramid *pyramid, enum pyramid_id id,
					struct histree_history *history, uint32_t attribute_count,
					struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(history);
	const struct attribute_source *source = attributes->source;
	const uint32_t first = pyramid->level_count - 1; /* which has the history, and no entries */
	struct attribute_range near = { 0 };
	histree_quark group = HISTREE_ROOT;
	uint32_t groups = 0;
	enum histree_status status = HISTREE_OK;
	for (histree_quark own = 0; own < attributes->count && status == HISTREE_OK; own++) {
		const struct attribute_name name = source->name(attributes, own, &near);
		const histree_quark parent = source->parent(attributes, own, &near);
		struct pyramid_level *level = &pyramid->levels[pyramid->level_count - 1];
		struct pyramid_entry entry = { name.number, own, pyramid->log2 + (groups - 1) * PYRAMID_STEP_LOG2 };
		bool is_one = parent == group && groups > 0;
		if (parent == HISTREE_ROOT && is_rows(id))
			continue;
		if (parent == HISTREE_ROOT && groups < PYRAMID_STEPS_MAX && name.text == NULL &&
		    name.number == groups + 1) {
			pyramid->level_count = first + ++groups;
			pyramid->levels[pyramid->level_count - 1].history = history;
			group = own;
			continue;
		}
		if (is_rows(id)) {
			const struct attribute_name width = source->name(attributes, parent, &near);
			entry.width_log2 = width.number;
			is_one = width.text == NULL && width.number <= PYRAMID_ROWS_WIDTH_LOG2_MAX &&
				 source->parent(attributes, parent, &near) == HISTREE_ROOT;
		}
		if (!is_one || name.text != NULL || name.number >= attribute_count ||
		    (level->count > 0 && name.number <= level->entries[level->count - 1].quark))
			return error_set(error, HISTREE_ERR_FORMAT,
					 "attribute %" PRIu32 " is not one of an overview", own);
		status = add_entry(level, entry, error);
	}
	if (status == HISTREE_OK && !is_rows(id) && groups == 0)
		return error_set(error, HISTREE_ERR_FORMAT, "an overview has no levels");
	return status;
}

static bool has_levels(const struct pyramid *pyramid, enum pyramid_id id)
{
	const struct pyramid_kind *kind = &pyramid_kinds[id];
	return is_rows(id) ||
	       (pyramid->log2 >= kind->log2_min && pyramid->log2 <= kind->log2_max &&
		pyramid->log2 + (pyramid->level_count - 1) * PYRAMID_STEP_LOG2 <= kind->last_log2_max);
}

/* The history becomes the levels that it has, or is closed. */
static enum histree_status take_file(struct pyramid *pyramid, enum pyramid_id id, struct histree_history *history,
				     const char *path, const struct histree_history_info *of,
				     struct histree_error *error)
{
	const uint32_t before = pyramid->level_count;
	enum histree_status status = HISTREE_OK;
	assert(before < PYRAMID_LEVELS_MAX);
	pyramid->levels[pyramid->level_count++].history = history;
	if (!is_pyramid_of(histree_history_info(history), id, of, &pyramid->log2))
		status = error_set(error, HISTREE_ERR_FORMAT, "'%s' is of another history", path);
	if (status == HISTREE_OK && id != PYRAMID_NAMES)
		status = read_entries(pyramid, id, history, of->attribute_count, error);
	if (status == HISTREE_OK && !has_levels(pyramid, id))
		status = error_set(error, HISTREE_ERR_FORMAT, "'%s' has no such levels", path);
	if (status != HISTREE_OK)
		pyramid_drop_levels(pyramid, before);
	return status;
}

static enum histree_status open_overview(struct pyramid *pyramid, enum pyramid_id id, const char *path,
					 const struct histree_history_info *of, size_t cache_bytes,
					 struct histree_error *error)
{
	const struct histree_open_options options = { .cache_bytes = cache_bytes };
	struct block_file *file;
	struct histree_history *history = NULL;
	enum histree_status status = block_file_open(&io_posix, path, &file, error);
	if (status == HISTREE_OK)
		status = history_open_file(file, &options, &history, error);
	return status == HISTREE_OK ? take_file(pyramid, id, history, path, of, error) : status;
}

/* Open that of a history, as far as it has one.  HISTREE_ERR_MEMORY only. */
static enum histree_status pyramid_open(struct pyramid *pyramid, enum pyramid_id id, const char *path,
					const struct histree_history_info *of, size_t cache_bytes,
					struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	char *name = room_for_path(path, error);
	if (name == NULL)
		return HISTREE_ERR_MEMORY;
	for (uint32_t file = 1; file <= pyramid_files_max(id) && status == HISTREE_OK; file++) {
		pyramid_path(id, path, file, name);
		status = open_overview(pyramid, id, name, of, cache_bytes, NULL);
	}
	free(name);
	return status == HISTREE_ERR_MEMORY ? error_memory(error, "an overview") : HISTREE_OK;
}

/* ---- history source ------------------------------------------------------------------------------------------ */

/*
 * A description: its version; info; the sections ATTR, FOLD, LABL and CHRT, each a size and bytes as in a file (0:
 * there is none); how many overviews there are, and the description of each; whether there is an overview of
 * numbers, and its description; the same of sums.  Numbers are varints.  The parts are counted in this order, from
 * 0, the history itself.
 */
enum {
	DESCRIPTION_VERSION = 2,
	/* The overview of numbers, then that of sums, neither of which is used for rows */
	FILES_PART = PYRAMID_LEVELS_MAX + 1,
	DEPTH_MAX = 64,
};

/* ---- writing ---------------------------------------------------------------------------------------------- */

static void add_info(struct byte_buffer *out, const struct histree_history_info *info)
{
	const uint64_t numbers[] = { info->r_depth,
				     info->node_size,
				     info->fan_out,
				     info->provider_version,
				     info->format_version,
				     info->identity,
				     zigzag(info->start),
				     zigzag(info->end),
				     info->complete,
				     info->file_bytes,
				     info->node_count,
				     info->interval_count,
				     info->null_interval_count,
				     info->attribute_count,
				     info->has_lifetimes,
				     info->node_bytes,
				     info->node_bytes_used,
				     info->attribute_bytes,
				     info->partial,
				     info->checkpoint_count,
				     info->checkpoint_bytes };
	byte_buffer_put_string(out, info->variant);
	byte_buffer_put_string(out, info->provider);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		byte_buffer_put_number(out, numbers[i]);
	byte_buffer_put_number(out, info->depth);
	for (uint32_t i = 0; i < info->depth; i++)
		byte_buffer_put_number(out, info->nodes_at_height[i]);
	for (size_t i = 0; i < HISTREE_KEY_RANGE_BUCKETS; i++)
		byte_buffer_put_number(out, info->key_range_nodes[i]);
}

static enum histree_status add_section(struct byte_buffer *out, enum histree_status status, uint8_t *bytes,
				       size_t size)
{
	if (status == HISTREE_OK) {
		byte_buffer_put_number(out, size);
		byte_buffer_put(out, bytes, size);
	}
	free(bytes);
	return status;
}

static enum histree_status describe(const struct histree_history *history, struct byte_buffer *out,
				    struct histree_error *error)
{
	static const uint32_t own[] = { SECTION_ATTRIBUTES, SECTION_FOLDERS };
	const struct pyramid *rows = &history->pyramids[PYRAMID_ROWS];
	enum histree_status status = HISTREE_OK;
	byte_buffer_put_number(out, DESCRIPTION_VERSION);
	add_info(out, &history->info);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]) && status == HISTREE_OK; i++) {
		uint8_t *bytes = NULL;
		size_t size = 0;
		if (block_file_section_size(history->file, own[i]) > 0)
			status = block_file_section(history->file, own[i], &bytes, &size, error);
		status = add_section(out, status, bytes, size);
	}
	for (unsigned i = 0; i < TOLD_SECTIONS && status == HISTREE_OK; i++) {
		uint8_t *bytes = NULL;
		size_t size = 0;
		status = told_read_raw(told_kinds[i], history->file, &bytes, &size, error);
		status = add_section(out, status, bytes, size);
	}
	byte_buffer_put_number(out, rows->level_count);
	for (uint32_t i = 0; i < rows->level_count && status == HISTREE_OK; i++)
		status = describe(rows->levels[i].history, out, error);
	for (unsigned id = PYRAMID_NUMBERS; id <= PYRAMID_SUMS && status == HISTREE_OK; id++) {
		const struct pyramid *pyramid = &history->pyramids[id];
		byte_buffer_put_number(out, pyramid->level_count > 0);
		if (pyramid->level_count > 0)
			status = describe(pyramid->levels[0].history, out, error);
	}
	return status == HISTREE_OK && out->failed ? error_memory(error, "what a history is") : status;
}

enum histree_status histree_history_describe(struct histree_history *history, void **bytes, size_t *size,
					     struct histree_error *error)
{
	struct byte_buffer out = { 0 };
	*bytes = NULL;
	*size = 0;
	if (history->file == NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "only the history of one host, in a file, can be described");
	enum histree_status status = describe(history, &out, error);
	if (status != HISTREE_OK) {
		free(out.bytes);
		return status;
	}
	*bytes = out.bytes;
	*size = out.size;
	return HISTREE_OK;
}

struct histree_history *histree_history_part_of(struct histree_history *history, uint32_t part)
{
	const struct pyramid *pyramid = &history->pyramids[PYRAMID_ROWS];
	uint32_t level = part - 1;
	if (part == 0)
		return history;
	if (part == FILES_PART || part == FILES_PART + 1) {
		pyramid = &history->pyramids[PYRAMID_NUMBERS + (part - FILES_PART)];
		level = 0;
	}
	return level < pyramid->level_count ? pyramid->levels[level].history : NULL;
}

/* ---- reading ---------------------------------------------------------------------------------------------- */

static enum histree_status wrong(const char *what, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_FORMAT, "the description of a history is damaged: %s", what);
}

static void read_name(struct byte_reader *reader, char *room, size_t size)
{
	uint64_t length = read_varint(reader);
	const uint8_t *bytes = length < size ? read_bytes(reader, (size_t)length) : NULL;
	reader->failed |= bytes == NULL;
	if (bytes == NULL)
		return;
	memcpy(room, bytes, (size_t)length);
	room[length] = '\0';
}

static uint32_t read_number(struct byte_reader *reader)
{
	uint64_t number = read_varint(reader);
	reader->failed |= number > UINT32_MAX;
	return (uint32_t)number;
}

static histree_time read_time(struct byte_reader *reader)
{
	return unzigzag(read_varint(reader));
}

static bool read_info(struct histree_history *history, struct byte_reader *reader)
{
	struct histree_history_info *info = &history->info;
	read_name(reader, info->variant, sizeof(info->variant));
	read_name(reader, info->provider, sizeof(info->provider));
	info->r_depth = read_number(reader);
	info->node_size = read_number(reader);
	info->fan_out = read_number(reader);
	info->provider_version = read_number(reader);
	info->format_version = read_number(reader);
	info->identity = read_varint(reader);
	info->start = read_time(reader);
	info->end = read_time(reader);
	info->complete = read_varint(reader) != 0;
	info->file_bytes = read_varint(reader);
	info->node_count = read_varint(reader);
	info->interval_count = read_varint(reader);
	info->null_interval_count = read_varint(reader);
	info->attribute_count = read_number(reader);
	info->has_lifetimes = read_varint(reader) != 0;
	info->node_bytes = read_varint(reader);
	info->node_bytes_used = read_varint(reader);
	info->attribute_bytes = read_varint(reader);
	info->partial = read_varint(reader) != 0;
	info->checkpoint_count = read_varint(reader);
	info->checkpoint_bytes = read_varint(reader);
	info->depth = read_number(reader);
	if (reader->failed || info->depth > DEPTH_MAX || info->start > info->end)
		return false;
	history->nodes_at_height = calloc((size_t)info->depth + 1, sizeof(*history->nodes_at_height));
	for (uint32_t i = 0; history->nodes_at_height != NULL && i < info->depth; i++)
		history->nodes_at_height[i] = read_varint(reader);
	for (size_t i = 0; i < HISTREE_KEY_RANGE_BUCKETS; i++)
		info->key_range_nodes[i] = read_varint(reader);
	info->nodes_at_height = history->nodes_at_height;
	return history->nodes_at_height != NULL && !reader->failed;
}

/* A copy of a section, which the caller frees; NULL and a size of 0: there is no section. */
static bool read_section(struct byte_reader *reader, uint8_t **bytes, size_t *size)
{
	uint64_t length = read_varint(reader);
	const uint8_t *from = length > 0 && !reader->failed ? read_bytes(reader, (size_t)length) : NULL;
	*bytes = NULL;
	*size = 0;
	if (from == NULL)
		return length == 0 && !reader->failed;
	*bytes = malloc((size_t)length);
	if (*bytes == NULL)
		return false;
	memcpy(*bytes, from, (size_t)length);
	*size = (size_t)length;
	return true;
}

static enum histree_status read_sections(struct histree_history *history, struct byte_reader *reader,
					 struct histree_error *error)
{
	struct histree_history_info *info = &history->info;
	struct folder_list *folders = &history->attributes.folders;
	uint8_t *bytes;
	size_t size;
	if (!read_section(reader, &bytes, &size) || bytes == NULL)
		return wrong("its attributes", error);
	enum histree_status status = attribute_view_open(&history->attributes, bytes, size, error);
	if (status != HISTREE_OK)
		return status;
	if (history->attributes.base.count != info->attribute_count)
		return wrong("the number of its attributes", error);
	if (!read_section(reader, &bytes, &size))
		return wrong("its folders", error);
	if (bytes != NULL)
		status = folder_section_decode(bytes, size, info->attribute_count, folders, error);
	free(bytes);
	if (status != HISTREE_OK)
		return status;
	info->folder_count = (uint32_t)folders->count;
	for (unsigned i = 0; i < TOLD_SECTIONS; i++)
		if (!read_section(reader, &history->told->of[i].bytes, &history->told->of[i].size))
			return wrong(i == TOLD_LABELS ? "its labels" : "its charts", error);
	return HISTREE_OK;
}

static enum histree_status history_of_source(const struct histree_history_source *source, uint32_t part,
					     struct byte_reader *reader, struct histree_history **out,
					     struct histree_error *error);

/* The next files of a pyramid whose first file is that part. */
static enum histree_status make_files(struct histree_history *history, enum pyramid_id id, uint32_t part,
				      uint64_t count, struct byte_reader *reader, struct histree_error *error)
{
	struct histree_history_source source = history->source;
	struct histree_history *one;
	enum histree_status status = HISTREE_OK;
	source.free = NULL; /* the history frees the source */
	for (uint64_t i = 0; i < count && status == HISTREE_OK; i++) {
		status = history_of_source(&source, part + (uint32_t)i, reader, &one, error);
		if (status == HISTREE_OK)
			status = take_file(&history->pyramids[id], id, one, "an overview", &history->info, error);
	}
	return status;
}

static enum histree_status make_overviews(struct histree_history *history, struct byte_reader *reader,
					  struct histree_error *error)
{
	const uint64_t count = read_varint(reader);
	if (reader->failed || count > PYRAMID_LEVELS_MAX)
		return wrong("its overviews", error);
	enum histree_status status = make_files(history, PYRAMID_ROWS, 1, count, reader, error);
	for (unsigned i = 0; i < 2 && status == HISTREE_OK; i++) {
		const bool is_there = read_varint(reader) != 0;
		if (reader->failed)
			return wrong("it ends early", error);
		status = make_files(history, PYRAMID_NUMBERS + i, FILES_PART + i, is_there, reader, error);
	}
	return status;
}

static enum histree_status history_of_source(const struct histree_history_source *source, uint32_t part,
					     struct byte_reader *reader, struct histree_history **out,
					     struct histree_error *error)
{
	struct histree_history *history = *out = calloc(1, sizeof(*history));
	if (history == NULL)
		return error_memory(error, "a history");
	attribute_view_init(&history->attributes);
	history->source = *source;
	history->source_part = part;
	history->told = told_slots_create();
	enum histree_status status = HISTREE_OK;
	if (history->told == NULL)
		status = error_memory(error, "a history");
	else if (read_varint(reader) != DESCRIPTION_VERSION || !read_info(history, reader))
		status = wrong("what it is", error);
	if (status == HISTREE_OK)
		status = read_sections(history, reader, error);
	/* An overview has no kind of its own. */
	if (status == HISTREE_OK && part == 0)
		status = make_overviews(history, reader, error);
	else if (status == HISTREE_OK && (read_varint(reader) != 0 || read_varint(reader) != 0 ||
					  read_varint(reader) != 0 || reader->failed))
		status = wrong("an overview has overviews", error);
	if (status == HISTREE_OK)
		return HISTREE_OK;
	history->source.free = NULL; /* the caller does */
	histree_history_close(history);
	*out = NULL;
	return status;
}

enum histree_status histree_history_of_source(const struct histree_history_source *source, const void *description,
					      size_t size, struct histree_history **out,
					      struct histree_error *error)
{
	struct byte_reader reader = byte_reader(description, size);
	enum histree_status status = history_of_source(source, 0, &reader, out, error);
	if (status == HISTREE_OK && byte_reader_left(&reader) > 0) {
		status = wrong("it goes on behind its end", error);
		(*out)->source.free = NULL;
		histree_history_close(*out);
		*out = NULL;
	}
	if (status != HISTREE_OK)
		source->free(source->context);
	else
		tell_of_overviews(*out);
	return status;
}

/* ---- a file -------------------------------------------------------------------------------------------------- */

static bool wants_overviews(const struct histree_history *history, const struct histree_open_options *options)
{
	return history->info.complete && (options == NULL || !(options->salvage || options->no_overviews));
}

/* What overviews are read for is wide, and met once: it needs no more than a few nodes. */
static size_t overview_cache(const struct histree_open_options *options)
{
	enum { SHARE = 256 };
	size_t bytes = options != NULL && options->cache_bytes != 0 ? options->cache_bytes : HISTORY_CACHE_BYTES;
	return bytes / SHARE + 1;
}

enum histree_status histree_history_open(const char *path, const struct histree_open_options *options,
					 struct histree_history **out, struct histree_error *error)
{
	struct block_file *file;
	*out = NULL;
	bool salvage = options != NULL && options->salvage;
	enum histree_status status = salvage ? block_file_salvage(&io_posix, path, &file, error)
					     : block_file_open(&io_posix, path, &file, error);
	if (status == HISTREE_OK)
		status = history_open_file(file, options, out, error);
	if (status == HISTREE_OK && wants_overviews(*out, options)) {
		for (unsigned id = 0; id < PYRAMIDS && status == HISTREE_OK; id++)
			status = pyramid_open(&(*out)->pyramids[id], id, path, &(*out)->info,
					      overview_cache(options), error);
		tell_of_overviews(*out);
	}
	if (status != HISTREE_OK) {
		histree_history_close(*out);
		*out = NULL;
	}
	return status;
}

/* ---- verifying --------------------------------------------------------------------------------------------- */

static enum histree_status verify_overview(enum pyramid_id id, const char *path,
					   const struct histree_history_info *of, struct overview_faults *faults,
					   struct histree_error *error)
{
	enum { CACHE_BYTES = 1 << 20 };
	struct pyramid pyramid = { .level_count = 0 };
	struct histree_error fault = { 0 };
	const uint64_t before = faults->count;
	faults->path = path;
	enum histree_status status = open_overview(&pyramid, id, path, of, CACHE_BYTES, &fault);
	if (status == HISTREE_OK)
		status = history_verify_file(pyramid.levels[0].history, overview_faults_report, faults, &fault);
	pyramid_drop_levels(&pyramid, 0);
	return overview_faults_judge(faults, before, status, &fault, error);
}

/* Read all files of all kinds that are beside a history, whether they can be used or not. */
static enum histree_status pyramids_verify(const char *path, const struct histree_history_info *of,
					   struct overview_faults *faults, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	char *name = room_for_path(path, error);
	if (name == NULL)
		return HISTREE_ERR_MEMORY;
	for (unsigned id = 0; id < PYRAMIDS; id++)
		for (uint32_t file = 1; file <= pyramid_files_max(id) && status == HISTREE_OK; file++) {
			pyramid_path(id, path, file, name);
			if (overview_is_there(&io_posix, name))
				status = verify_overview(id, name, of, faults, error);
		}
	free(name);
	return status;
}

static void ignore_fault(void *context, const char *fault)
{
	(void)context, (void)fault;
}

enum histree_status history_verify_overviews(const struct histree_history *history,
					     void (*report)(void *context, const char *fault), void *context,
					     struct histree_error *error)
{
	struct overview_faults faults = { .report = report, .context = context };
	const char *path = history->file->path;
	enum histree_status status = pyramids_verify(path, &history->info, &faults, error);
	return status == HISTREE_OK ? overview_faults_sum(&faults, path, error) : status;
}

enum histree_status histree_history_verify(struct histree_history *history,
					   void (*report)(void *context, const char *fault), void *context,
					   struct histree_error *error)
{
	report = report != NULL ? report : ignore_fault;
	if (history->hosts != NULL)
		return history_union_check(history->hosts, histree_history_verify, report, context, error);
	if (history->file == NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "the history is where its source is, and can be verified there alone");
	enum histree_status status = history_verify_file(history, report, context, error);
	if (!history->has_overviews || (status != HISTREE_OK && status != HISTREE_ERR_FORMAT))
		return status;
	enum histree_status of_overviews =
		history_verify_overviews(history, report, context, status == HISTREE_OK ? error : NULL);
	return status == HISTREE_OK ? of_overviews : status;
}
