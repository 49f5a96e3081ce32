// SPDX-License-Identifier: MIT
/*
 * history.c - opens a history: a file, whose tree and sections must agree, or one that another process answers.
 *
 * Labels and charts are read at the first question about them. The description of a history that another process
 * answers comes as bytes from outside, so every size in them is checked.
 */
#include "state/history.h"

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
#include "state/pyramid.h"
#include "store/block_file.h"
#include "store/overview_faults.h"
#include "tree/tree_reader.h"

/* ---- history source ------------------------------------------------------------------------------------------ */

/*
 * A description: its version; info; the sections ATTR, FOLD, LABL and CHRT, each a size and bytes as in a file (0:
 * there is none); how many overviews there are, and the description of each; whether there is an overview of
 * numbers, and its description; the same of sums.  Numbers are varints.  The parts are counted in this order, from
 * 0, the history itself.
 */
enum {
	DESCRIPTION_VERSION = 2,
	SECTION_COUNT = 4,
	/* That of numbers, and after it that of sums, which need not be used for rows */
	FILES_PART = PYRAMID_LEVELS_MAX + 1,
	DEPTH_MAX = 64,
};

static const uint32_t sections[SECTION_COUNT] = { SECTION_ATTRIBUTES, SECTION_FOLDERS, SECTION_LABELS,
						  SECTION_CHARTS };

/* ---- writing ---------------------------------------------------------------------------------------------- */

struct description {
	uint8_t *bytes;
	size_t size, capacity;
	bool no_memory;
};

static void add_bytes(struct description *out, const void *bytes, size_t size)
{
	if (out->no_memory || !array_reserve(&out->bytes, &out->capacity, out->size + size + 1)) {
		out->no_memory = true;
		return;
	}
	if (size > 0)
		memcpy(out->bytes + out->size, bytes, size);
	out->size += size;
}

static void add_number(struct description *out, uint64_t number)
{
	uint8_t bytes[VARINT_SIZE_MAX];
	add_bytes(out, bytes, (size_t)(put_varint(bytes, number) - bytes));
}

static void add_text(struct description *out, const char *text)
{
	add_number(out, strlen(text));
	add_bytes(out, text, strlen(text));
}

static void add_info(struct description *out, const struct histree_history_info *info)
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
	add_text(out, info->variant);
	add_text(out, info->provider);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		add_number(out, numbers[i]);
	add_number(out, info->depth);
	for (uint32_t i = 0; i < info->depth; i++)
		add_number(out, info->nodes_at_height[i]);
	for (size_t i = 0; i < HISTREE_KEY_RANGE_BUCKETS; i++)
		add_number(out, info->key_range_nodes[i]);
}

static enum histree_status add_section(struct description *out, const struct block_file *file, uint32_t id,
				       struct histree_error *error)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	enum histree_status status = HISTREE_OK;
	if (id == SECTION_LABELS)
		status = labels_read_raw(file, &bytes, &size, error);
	else if (id == SECTION_CHARTS)
		status = charts_read_raw(file, &bytes, &size, error);
	else if (block_file_section_size(file, id) > 0)
		status = block_file_section(file, id, &bytes, &size, error);
	if (status == HISTREE_OK) {
		add_number(out, size);
		add_bytes(out, bytes, size);
	}
	free(bytes);
	return status;
}

static enum histree_status describe(const struct histree_history *history, struct description *out,
				    struct histree_error *error);

static enum histree_status describe(const struct histree_history *history, struct description *out,
				    struct histree_error *error)
{
	const struct pyramid *rows = &history->pyramids[PYRAMID_ROWS];
	enum histree_status status = HISTREE_OK;
	add_number(out, DESCRIPTION_VERSION);
	add_info(out, &history->info);
	for (size_t i = 0; i < SECTION_COUNT && status == HISTREE_OK; i++)
		status = add_section(out, history->file, sections[i], error);
	add_number(out, rows->level_count);
	for (uint32_t i = 0; i < rows->level_count && status == HISTREE_OK; i++)
		status = describe(rows->levels[i].history, out, error);
	for (unsigned id = PYRAMID_NUMBERS; id <= PYRAMID_SUMS && status == HISTREE_OK; id++) {
		const struct pyramid *pyramid = &history->pyramids[id];
		add_number(out, pyramid->level_count > 0);
		if (pyramid->level_count > 0)
			status = describe(pyramid->levels[0].history, out, error);
	}
	return status == HISTREE_OK && out->no_memory ? error_memory(error, "what a history is") : status;
}

enum histree_status histree_history_describe(struct histree_history *history, void **bytes, size_t *size,
					     struct histree_error *error)
{
	struct description out = { 0 };
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
	if (!read_section(reader, &history->labels->bytes, &history->labels->size))
		return wrong("its labels", error);
	if (!read_section(reader, &history->charts->bytes, &history->charts->size))
		return wrong("its charts", error);
	return HISTREE_OK;
}

static enum histree_status history_of_source(const struct histree_history_source *source, uint32_t part,
					     struct byte_reader *reader, struct histree_history **out,
					     struct histree_error *error);

/* The next files of a pyramid, the first of which is that part. */
static enum histree_status make_files(struct histree_history *history, enum pyramid_id id, uint32_t part,
				      uint64_t count, struct byte_reader *reader, struct histree_error *error)
{
	struct histree_history_source source = history->source;
	struct histree_history *one;
	enum histree_status status = HISTREE_OK;
	source.free = NULL; /* it is that of the history */
	for (uint64_t i = 0; i < count && status == HISTREE_OK; i++) {
		status = history_of_source(&source, part + (uint32_t)i, reader, &one, error);
		if (status == HISTREE_OK)
			status = pyramid_attach(&history->pyramids[id], id, one, &history->info, error);
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
	history->labels = labels_slot_create();
	history->charts = charts_slot_create();
	enum histree_status status = HISTREE_OK;
	if (history->labels == NULL || history->charts == NULL)
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
		history_tell_of_overviews(*out);
	return status;
}

const struct histree_history_source *history_source_of(const struct histree_history *history, uint32_t *part)
{
	*part = history->source_part;
	return history->source.cursor_create != NULL ? &history->source : NULL;
}

/* ---- history ------------------------------------------------------------------------------------------------- */

/* ---- attributes verify --------------------------------------------------------------------------------------- */

uint64_t attributes_verify(const struct histree_attributes *attributes,
			   void (*report)(void *context, const char *fault), void *context)
{
	const struct attribute_source *source = attributes->source;
	struct attribute_range near = { 0 };
	uint64_t faults = 0;
	uint32_t walked = 0;
	char text[120];
	for (histree_quark quark = attributes_next(attributes, HISTREE_ROOT, HISTREE_ROOT, &near);
	     quark != HISTREE_ROOT; quark = attributes_next(attributes, HISTREE_ROOT, quark, &near)) {
		struct attribute_name name = source->name(attributes, quark, &near);
		histree_quark parent = source->parent(attributes, quark, &near);
		bool named = name.text == NULL || name.size > 0;
		if (name.text != NULL) /* as a search for it reads it */
			name = attribute_name(name.text, name.size);
		walked++;
		if (named && source->child(attributes, parent, &name, NULL) == quark)
			continue;
		snprintf(text, sizeof(text), "attribute %" PRIu32 ": %s", quark,
			 named ? "its name does not lead to it" : "it has no name");
		report(context, text);
		faults++;
	}
	if (walked < attributes->count) {
		snprintf(text, sizeof(text), "of %" PRIu32 " attributes only %" PRIu32 " are below one another",
			 attributes->count, walked);
		report(context, text);
		faults++;
	}
	return faults;
}

/* ---- history ------------------------------------------------------------------------------------------------- */

enum { CACHE_BYTES_DEFAULT = 128 << 20 };

static enum histree_status load_attributes(struct histree_history *history, struct histree_error *error)
{
	uint8_t *bytes = NULL;
	size_t size;
	enum histree_status status = block_file_section(history->file, SECTION_ATTRIBUTES, &bytes, &size, error);
	if (status != HISTREE_OK)
		return status;
	status = attribute_view_open(&history->attributes, bytes, size, error);
	uint32_t key_count = history->reader->shape.key_count;
	if (status == HISTREE_OK && history->attributes.base.count != key_count)
		status = error_set(error, HISTREE_ERR_FORMAT,
				   "%" PRIu32 " attributes, but the tree was made for %" PRIu32,
				   history->attributes.base.count, key_count);
	if (status != HISTREE_OK) {
		error_prefix(error, "'%s': section ATTR", history->file->path);
		return status;
	}
	history->info.attribute_count = history->attributes.base.count;
	history->info.attribute_bytes = size;
	return HISTREE_OK;
}

static enum histree_status load_folders(struct histree_history *history, struct histree_error *error)
{
	struct folder_list *folders = &history->attributes.folders;
	enum histree_status status =
		folder_section_load(history->file, history->attributes.base.count, folders, error);
	history->info.folder_count = (uint32_t)folders->count;
	return status;
}

static enum histree_status load_provider(struct histree_history *history, struct histree_error *error)
{
	uint8_t *bytes = NULL;
	size_t size;
	enum histree_status status = block_file_section(history->file, SECTION_PROVIDER, &bytes, &size, error);
	if (status != HISTREE_OK)
		return status;
	struct provider provider;
	status = provider_section_load(&provider, bytes, size, error);
	free(bytes);
	if (status != HISTREE_OK) {
		error_prefix(error, "'%s': section PROV", history->file->path);
		return status;
	}
	_Static_assert(sizeof(history->info.provider) == sizeof(provider.name), "one name, one size");
	memcpy(history->info.provider, provider.name, sizeof(provider.name));
	history->info.provider_version = provider.version;
	return HISTREE_OK;
}

static enum histree_status load_partial(struct histree_history *history, struct histree_error *error)
{
	uint8_t *bytes = NULL;
	size_t size;
	if (!history->reader->shape.is_partial)
		return HISTREE_OK;
	enum histree_status status = block_file_section(history->file, SECTION_PARTIAL, &bytes, &size, error);
	if (status != HISTREE_OK)
		return status;
	status = partial_section_decode(bytes, size, history->info.start, history->info.attribute_count,
					&history->partial, error);
	if (status != HISTREE_OK)
		error_prefix(error, "'%s': section PART", history->file->path);
	history->info.partial = true;
	history->info.checkpoint_count = history->partial.checkpoint_count;
	history->info.checkpoint_bytes = size;
	return status;
}

/* Whether something is damaged that a salvaged history can do without. */
static bool is_lost(enum histree_status status, bool salvage)
{
	return salvage && (status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_IO);
}

static enum histree_status add_numbers(struct attribute_tree *tree, uint32_t count, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < count && status == HISTREE_OK; i++) {
		char name[16];
		histree_quark quark;
		int size = snprintf(name, sizeof(name), "?%" PRIu32, i);
		status = attribute_tree_add(tree, HISTREE_ROOT, name, (size_t)size, &quark, error);
	}
	return status;
}

/*
 * A salvaged history is there to be written anew, so all of its names must be valid.  Others are checked as they
 * are asked for.
 */
static enum histree_status check_names(struct histree_history *history, struct histree_error *error)
{
	struct attribute_tree tree;
	enum histree_status status = attribute_copy_to_tree(&history->attributes.base, &tree, error);
	if (status == HISTREE_OK)
		attribute_tree_release(&tree);
	history->lost_names = status == HISTREE_ERR_FORMAT;
	return status;
}

/* Make names in place of lost ones. */
static enum histree_status make_names(struct histree_history *history, struct histree_error *error)
{
	uint32_t count = history->reader->shape.key_count;
	if (count > ATTRIBUTE_COUNT_MAX)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': %" PRIu32 " attributes: too many",
				 history->file->path, count);
	struct attribute_tree tree;
	attribute_tree_init(&tree);
	attribute_view_release(&history->attributes);
	enum histree_status status = add_numbers(&tree, count, error);
	if (status == HISTREE_OK)
		status = attribute_copy_to_view(&tree, &history->attributes, error);
	attribute_tree_release(&tree);
	history->info.attribute_count = history->attributes.base.count;
	return status;
}

enum histree_status history_open_file(struct block_file *file, const struct histree_open_options *options,
				      struct histree_history **out, struct histree_error *error)
{
	*out = NULL;
	size_t cache_bytes = options == NULL ? 0 : options->cache_bytes;
	bool salvage = options != NULL && options->salvage;
	if (cache_bytes == 0)
		cache_bytes = CACHE_BYTES_DEFAULT;
	struct histree_history *history = calloc(1, sizeof(*history));
	if (history == NULL) {
		block_file_close(file);
		return error_memory(error, "a history");
	}
	attribute_view_init(&history->attributes);
	history->file = file;
	history->labels = labels_slot_create();
	history->charts = charts_slot_create();
	bool has_slots = history->labels != NULL && history->charts != NULL;
	enum histree_status status =
		!has_slots ? error_memory(error, "a history")
		: salvage  ? tree_reader_open(file, cache_bytes, TREE_SALVAGE, &history->reader, error)
			   : tree_reader_open(file, cache_bytes, 0, &history->reader, error);
	if (status == HISTREE_OK) {
		tree_reader_info(history->reader, &history->info);
		history->info.complete = !history->file->is_tail;
		history->info.identity = block_file_identity(history->file);
		status = load_attributes(history, error);
	}
	if (status == HISTREE_OK && salvage)
		status = check_names(history, error);
	if (history->reader != NULL && is_lost(status, salvage))
		status = make_names(history, error);
	if (status == HISTREE_OK) {
		status = load_folders(history, error);
		if (is_lost(status, salvage)) /* then they are attributes that are null */
			status = HISTREE_OK;
	}
	if (status == HISTREE_OK)
		status = load_provider(history, error);
	if (history->reader != NULL && is_lost(status, salvage))
		status = HISTREE_OK;
	if (status == HISTREE_OK)
		status = load_partial(history, error);
	if (status != HISTREE_OK) {
		histree_history_close(history);
		return status;
	}
	*out = history;
	return HISTREE_OK;
}

static bool wants_overviews(const struct histree_history *history, const struct histree_open_options *options)
{
	return history->info.complete && (options == NULL || !(options->salvage || options->no_overviews));
}

void history_tell_of_overviews(struct histree_history *history)
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

/* What overviews are read for is wide, and met once: it needs no more than a few nodes. */
static size_t overview_cache(const struct histree_open_options *options)
{
	enum { SHARE = 256 };
	size_t bytes = options != NULL && options->cache_bytes != 0 ? options->cache_bytes : CACHE_BYTES_DEFAULT;
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
		history_tell_of_overviews(*out);
	}
	if (status != HISTREE_OK) {
		histree_history_close(*out);
		*out = NULL;
	}
	return status;
}

void histree_history_close(struct histree_history *history)
{
	if (history == NULL)
		return;
	history_union_free(history->hosts);
	for (unsigned id = 0; id < PYRAMIDS; id++)
		pyramid_close(&history->pyramids[id]);
	if (history->slices.free != NULL)
		history->slices.free(history->slices.context);
	partial_section_release(&history->partial);
	labels_slot_free(history->labels);
	charts_slot_free(history->charts);
	tree_reader_close(history->reader);
	block_file_close(history->file);
	attribute_view_release(&history->attributes);
	free(history->nodes_at_height);
	if (history->source.free != NULL)
		history->source.free(history->source.context);
	free(history);
}

const struct histree_history_info *histree_history_info(const struct histree_history *history)
{
	return &history->info;
}

const struct histree_attributes *histree_history_attributes(const struct histree_history *history)
{
	return history->hosts != NULL ? &history->hosts->attributes : &history->attributes.base;
}

struct tree_reader *history_tree(struct histree_history *history)
{
	return history->reader;
}

const char *history_path(const struct histree_history *history)
{
	return history->file != NULL ? history->file->path : "";
}

const struct history_union *history_union_of(const struct histree_history *history)
{
	return history->hosts;
}

const struct histree_history *history_of_host(const struct histree_history *history, histree_quark *quark)
{
	if (history->hosts == NULL)
		return history;
	const struct histree_history_host *host =
		&history->hosts->hosts[history_union_host(history->hosts, *quark)];
	bool is_in = *quark - host->folder - 1 < host->count;
	*quark -= host->folder + 1;
	return is_in ? host->history : NULL;
}

struct block_file *history_file(const struct histree_history *history)
{
	return history->file;
}

struct labels_slot *history_labels_slot(const struct histree_history *history)
{
	return history->labels;
}

struct charts_slot *history_charts_slot(const struct histree_history *history)
{
	return history->charts;
}

const struct pyramid *history_pyramid(const struct histree_history *history, enum pyramid_id id)
{
	return &history->pyramids[id];
}

const struct partial_section *history_partial(const struct histree_history *history)
{
	return history->info.partial && history->hosts == NULL ? &history->partial : NULL;
}

void history_attach_slices(struct histree_history *history, const struct history_slices *slices)
{
	history->slices = *slices;
}

const struct history_slices *history_slices(const struct histree_history *history)
{
	return history->slices.hold != NULL ? &history->slices : NULL;
}

struct section_faults {
	void (*report)(void *context, const char *fault);
	void *context;
	uint64_t count;
};

static void report_section(void *context, const char *fault)
{
	struct section_faults *faults = context;
	faults->count++;
	faults->report(faults->context, fault);
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
	enum histree_status status = pyramids_verify(&io_posix, path, &history->info, &faults, error);
	return status == HISTREE_OK ? overview_faults_sum(&faults, path, error) : status;
}

/* Each slice is made again; that it is what was built, its sum says. */
static enum histree_status verify_slices(const struct histree_history *history, struct section_faults *faults,
					 struct histree_error *error)
{
	const struct history_slices *slices = history_slices(history);
	for (size_t i = 0; slices != NULL && i < history->partial.checkpoint_count; i++) {
		const struct state_slice *slice;
		char fault[sizeof(error->message) + 32];
		struct histree_error refusal = { 0 };
		enum histree_status status = slices->hold(slices->context, i, &slice, &refusal);
		if (status == HISTREE_ERR_MEMORY)
			return error_set(error, status, "%s", refusal.message);
		if (status == HISTREE_OK) {
			slices->release(slices->context, slice);
			continue;
		}
		snprintf(fault, sizeof(fault), "slice %zu: %s", i, refusal.message);
		report_section(faults, fault);
		if (status != HISTREE_ERR_FORMAT) /* the trace is another one, or gone */
			break;
	}
	return HISTREE_OK;
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
	struct section_faults faults = { .report = report, .context = context };
	enum histree_status status = block_file_check(history->file, report_section, &faults, error);
	if (status != HISTREE_OK)
		return status;
	if (history->lost_names)
		report_section(&faults, "section ATTR: its checksum is right, but its names contradict each other");
	faults.count += attributes_verify(&history->attributes.base, report, context);
	status = labels_verify(history->file, report_section, &faults, error);
	if (status == HISTREE_OK)
		status = charts_verify(history->file, report_section, &faults, error);
	if (status == HISTREE_OK)
		status = tree_verify(history->reader, report, context, error);
	if (status == HISTREE_OK)
		status = verify_slices(history, &faults, error);
	if (status == HISTREE_OK && faults.count > 0)
		status = error_set(error, HISTREE_ERR_FORMAT, "'%s': %" PRIu64 " fault%s outside the nodes",
				   history->file->path, faults.count, faults.count == 1 ? "" : "s");
	bool goes_on = status == HISTREE_OK || status == HISTREE_ERR_FORMAT;
	if (!history->has_overviews || !goes_on)
		return status;
	enum histree_status of_overviews =
		history_verify_overviews(history, report, context, status == HISTREE_OK ? error : NULL);
	return status == HISTREE_OK ? of_overviews : status;
}

enum histree_status histree_history_nodes(struct histree_history *history,
					  bool (*visit)(void *context, const struct histree_node *node),
					  void *context, struct histree_error *error)
{
	if (history->hosts != NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a history of several hosts has a tree for each of them; open the store of one "
				 "host, which is a folder inside that of all");
	if (history->reader == NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT, "the nodes of the history are where its source is");
	return tree_nodes(history->reader, visit, context, error);
}
