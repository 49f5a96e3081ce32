// SPDX-License-Identifier: MIT
/*
 * The store on disk: a file with a tree of segments and the section SEGM.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "segment/segment_memory.h"
#include "segment/segment_schema.h"
#include "tree/segment_iter.h"
#include "tree/segment_writer.h"

enum {
	NODE_SIZE_DEFAULT = 64 << 10,
	NODE_SIZE_MIN = 4 << 10,
	NODE_SIZE_MAX = 1 << 20,
	CACHE_BYTES_DEFAULT = 48 << 20,
};

struct segment_disk {
	const struct io *io;
	char *path;
	struct block_file *file;
	struct segment_writer *writer; /* until it is finished */
	struct tree_reader *reader;    /* from then on */
	size_t cache_bytes, queue_bytes;
	const struct histree_segment_field *fields;
	size_t field_count;
};

static struct segment_disk *new_disk(const struct io *io, const char *path, size_t queue_bytes,
				     struct histree_error *error)
{
	struct segment_disk *disk = calloc(1, sizeof(*disk));
	if (disk == NULL || (disk->path = strdup(path)) == NULL) {
		free(disk);
		error_memory(error, "a segment store");
		return NULL;
	}
	disk->io = io;
	disk->cache_bytes = CACHE_BYTES_DEFAULT;
	disk->queue_bytes = queue_bytes;
	return disk;
}

static void disk_free(void *body)
{
	struct segment_disk *disk = body;
	segment_writer_free(disk->writer);
	tree_reader_close(disk->reader);
	block_file_close(disk->file);
	free(disk->path);
	free(disk);
}

enum histree_status segment_disk_create(const struct io *io, const struct histree_segment_store_options *options,
					const struct histree_segment_schema *schema, size_t queue_bytes, void **out,
					struct histree_error *error)
{
	*out = NULL;
	if (options->path == NULL || options->path[0] == '\0')
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a segment store on disk needs the path of the file to make");
	uint32_t node_size = options->node_size > 0 ? options->node_size : NODE_SIZE_DEFAULT;
	if (node_size < NODE_SIZE_MIN || node_size > NODE_SIZE_MAX || (node_size & (node_size - 1)) != 0)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "nodes of %u bytes: the size must be a power of two from %d to %d", node_size,
				 NODE_SIZE_MIN, NODE_SIZE_MAX);
	struct segment_disk *disk = new_disk(io, options->path, queue_bytes, error);
	if (disk == NULL)
		return HISTREE_ERR_MEMORY;
	disk->fields = schema->fields;
	disk->field_count = schema->field_count;
	enum histree_status status = block_file_create(io, options->path, node_size, &disk->file, error);
	if (status == HISTREE_OK)
		status = segment_writer_create(disk->file, schema->fields, schema->field_count, options->memory_max,
					       &disk->writer, error);
	if (status != HISTREE_OK) {
		disk_free(disk);
		return status;
	}
	*out = disk;
	return HISTREE_OK;
}

static enum histree_status disk_add(void *body, const struct histree_segment *segment, struct histree_error *error)
{
	struct segment_disk *disk = body;
	return segment_writer_add(disk->writer, segment, error);
}

/* ---- a finished file ---------------------------------------------------------------------------- */

/* Open the file for reading and say what it is. */
static enum histree_status open_reader(struct segment_disk *disk, struct histree_segment_store_info *info,
				       struct histree_error *error)
{
	enum histree_status status = block_file_open(disk->io, disk->path, &disk->file, error);
	if (status == HISTREE_OK)
		status = tree_reader_open_segments(disk->file, disk->cache_bytes, &disk->reader, error);
	if (status != HISTREE_OK)
		return status;
	struct histree_history_info tree = { 0 };
	tree_reader_info(disk->reader, &tree);
	info->segment_count = tree.interval_count;
	info->node_size = tree.node_size;
	info->depth = tree.depth;
	info->format_version = tree.format_version;
	info->node_count = tree.node_count;
	info->node_bytes = tree.node_bytes;
	info->file_bytes = tree.file_bytes;
	return HISTREE_OK;
}

static enum histree_status disk_finish(void *body, struct histree_segment_store_info *info,
				       struct histree_error *error)
{
	struct segment_disk *disk = body;
	enum histree_status status = segment_writer_finish(disk->writer, error);
	if (status == HISTREE_OK)
		status = segment_schema_write(info, disk->file, error);
	if (status == HISTREE_OK)
		status = block_file_complete(disk->file, error);
	if (status != HISTREE_OK)
		return status;
	segment_writer_free(disk->writer);
	disk->writer = NULL;
	block_file_close(disk->file);
	disk->file = NULL;
	status = open_reader(disk, info, error);
	if (status != HISTREE_OK) /* as for all that fails: no file */
		disk->io->unlink(disk->io->context, disk->path);
	return status;
}

enum histree_status segment_disk_open(const struct io *io, const char *path, size_t cache_bytes, size_t queue_bytes,
				      struct histree_segment_store_info *info, void **out,
				      struct histree_error *error)
{
	*out = NULL;
	struct segment_disk *disk = new_disk(io, path, queue_bytes, error);
	if (disk == NULL)
		return HISTREE_ERR_MEMORY;
	if (cache_bytes > 0)
		disk->cache_bytes = cache_bytes;
	enum histree_status status = open_reader(disk, info, error);
	if (status == HISTREE_OK)
		status = segment_schema_read(disk->file, info, error);
	if (status != HISTREE_OK) {
		disk_free(disk);
		return status;
	}
	disk->fields = info->schema.fields;
	disk->field_count = info->schema.field_count;
	*out = disk;
	return HISTREE_OK;
}

/* ---- cursors ------------------------------------------------------------------------------------ */

/* One of the two iterators of a tree is in use. */
struct disk_cursor {
	struct segment_source source;
	struct segment_scan *scan;
	struct segment_sweep *sweep; /* made when it is first needed: its queue is large */
	bool sweeps;
};

static enum histree_status cursor_create(void *body, void **out, struct histree_error *error)
{
	struct segment_disk *disk = body;
	*out = NULL;
	struct disk_cursor *cursor = calloc(1, sizeof(*cursor));
	if (cursor == NULL)
		return error_memory(error, "an iterator");
	cursor->source = (struct segment_source){
		.reader = disk->reader,
		.fields = disk->fields,
		.field_count = disk->field_count,
		.io = disk->io,
		.path = disk->path,
		.queue_bytes = disk->queue_bytes,
	};
	enum histree_status status = segment_scan_create(&cursor->source, &cursor->scan, error);
	if (status != HISTREE_OK) {
		free(cursor);
		return status;
	}
	*out = cursor;
	return HISTREE_OK;
}

static enum histree_status cursor_start(void *context, const struct histree_segment_query *query,
					const struct histree_segment_token *resume, struct histree_error *error)
{
	struct disk_cursor *cursor = context;
	struct segment_window window = { .from = query->from, .to = query->to };
	cursor->sweeps = query->order != HISTREE_SEGMENTS_UNSORTED;
	if (!cursor->sweeps) {
		segment_scan_start(cursor->scan, window, resume);
		return HISTREE_OK;
	}
	enum histree_status status = HISTREE_OK;
	if (cursor->sweep == NULL)
		status = segment_sweep_create(&cursor->source, &cursor->sweep, error);
	if (status != HISTREE_OK)
		return status;
	return segment_sweep_start(cursor->sweep, query->order, query->descending, window, resume, error);
}

static enum histree_status cursor_next(void *context, struct histree_segment *out, struct histree_error *error)
{
	struct disk_cursor *cursor = context;
	return cursor->sweeps ? segment_sweep_next(cursor->sweep, out, error)
			      : segment_scan_next(cursor->scan, out, error);
}

static void cursor_key(const void *context, uint64_t key[2])
{
	const struct disk_cursor *cursor = context;
	if (cursor->sweeps)
		segment_sweep_key(cursor->sweep, key);
	else
		segment_scan_place(cursor->scan, key);
}

static void cursor_stats(const void *context, struct histree_segment_iter_stats *stats)
{
	const struct disk_cursor *cursor = context;
	if (cursor->sweeps)
		segment_sweep_stats(cursor->sweep, stats);
	else
		segment_scan_stats(cursor->scan, stats);
}

static void cursor_free(void *context)
{
	struct disk_cursor *cursor = context;
	segment_scan_free(cursor->scan);
	segment_sweep_free(cursor->sweep);
	free(cursor);
}

/* ---- verifying ----------------------------------------------------------------------------------- */

/* That every content can be read is known only here, where its types are. */
static enum histree_status check_contents(struct segment_disk *disk, struct histree_segment_store_info *found,
					  struct histree_error *error)
{
	void *cursor;
	struct histree_segment segment;
	enum histree_status status = cursor_create(disk, &cursor, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_segment_query all = HISTREE_SEGMENTS_ALL;
	status = cursor_start(cursor, &all, NULL, error);
	while (status == HISTREE_OK && (status = cursor_next(cursor, &segment, error)) == HISTREE_OK)
		segment_info_include(found, &segment);
	cursor_free(cursor);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* Faults of the header and of sections, for which copies may stand in. */
struct section_faults {
	void (*report)(void *context, const char *fault);
	void *context;
	unsigned count;
};

static void report_section(void *context, const char *fault)
{
	struct section_faults *faults = context;
	faults->count++;
	faults->report(faults->context, fault);
}

static enum histree_status disk_verify(void *body, const struct histree_segment_store_info *info,
				       void (*report)(void *context, const char *fault), void *context,
				       struct histree_error *error)
{
	struct segment_disk *disk = body;
	struct histree_segment_store_info found = { 0 };
	struct section_faults faults = { .report = report, .context = context };
	struct histree_error fault;
	enum histree_status status = block_file_check(disk->file, report_section, &faults, error);
	if (status == HISTREE_OK)
		status = tree_verify(disk->reader, report, context, error);
	if (status != HISTREE_OK)
		return status;
	status = check_contents(disk, &found, &fault);
	if (status == HISTREE_OK &&
	    (found.start != info->start || found.end != info->end || found.duration_min != info->duration_min ||
	     found.duration_max != info->duration_max))
		status = error_set(&fault, HISTREE_ERR_FORMAT,
				   "its section SEGM has other extents than its segments");
	if (status == HISTREE_ERR_FORMAT) {
		report(context, fault.message);
		return error_set(error, status, "'%s': 1 fault", disk->path);
	}
	if (status == HISTREE_OK && faults.count > 0)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': %u fault%s outside the nodes", disk->path,
				 faults.count, faults.count == 1 ? "" : "s");
	return status == HISTREE_OK ? HISTREE_OK : error_set(error, status, "%s", fault.message);
}

const struct segment_backend segment_backend_disk = {
	.add = disk_add,
	.finish = disk_finish,
	.verify = disk_verify,
	.free = disk_free,
	.cursor_create = cursor_create,
	.cursor_start = cursor_start,
	.cursor_next = cursor_next,
	.cursor_key = cursor_key,
	.cursor_stats = cursor_stats,
	.cursor_free = cursor_free,
};
