// SPDX-License-Identifier: MIT
/*
 * The store on disk: a file with a tree of segments and the section SEGM.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "segment/segment_disk.h"
#include "segment/segment_memory.h"
#include "segment/segment_schema.h"

enum {
	NODE_SIZE_DEFAULT = 64 << 10,
	NODE_SIZE_MIN = 4 << 10,
	NODE_SIZE_MAX = 1 << 20,
	CACHE_BYTES_DEFAULT = 48 << 20,
};

static struct segment_disk *new_disk(const struct io *io, const char *path,
				     const struct histree_segment_store_info *info, size_t queue_bytes,
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
	disk->info = info;
	disk->store.source.queue_bytes = queue_bytes;
	disk_tables_init(&disk->tables, HISTREE_TABLES_ON_DEMAND);
	return disk;
}

static void disk_free(void *body)
{
	struct segment_disk *disk = body;
	disk_tables_release(&disk->tables);
	segment_writer_free(disk->writer);
	tree_reader_close(disk->reader);
	block_file_close(disk->file);
	free(disk->path);
	free(disk);
}

enum histree_status segment_disk_create(const struct io *io, const struct histree_segment_store_options *options,
					const struct histree_segment_store_info *info, size_t queue_bytes,
					void **out, struct histree_error *error)
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
	struct segment_disk *disk = new_disk(io, options->path, info, queue_bytes, error);
	if (disk == NULL)
		return HISTREE_ERR_MEMORY;
	/* Whoever finishes a store reads it for its overviews, in the order of its nodes. */
	if (options->memory_max > 0 && options->memory_max < CACHE_BYTES_DEFAULT / 2)
		disk->cache_bytes = 2 * options->memory_max;
	const struct histree_segment_schema *schema = &info->schema;
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
	enum histree_status status = disk->salvages ? block_file_salvage(disk->io, disk->path, &disk->file, error)
						    : block_file_open(disk->io, disk->path, &disk->file, error);
	if (status == HISTREE_OK)
		status = tree_reader_open_segments(disk->file, disk->cache_bytes, disk->salvages, &disk->reader,
						   error);
	if (status != HISTREE_OK)
		return status;
	struct histree_history_info tree = { 0 };
	tree_reader_info(disk->reader, &tree);
	info->segment_count = tree.interval_count;
	info->node_size = tree.node_size;
	info->depth = tree.depth;
	info->format_version = tree.format_version;
	info->identity = block_file_identity(disk->file);
	info->node_count = tree.node_count;
	info->node_bytes = tree.node_bytes;
	info->file_bytes = tree.file_bytes;
	return HISTREE_OK;
}

/* What side tables are made from, once the schema is there too. */
static void know_store(struct segment_disk *disk)
{
	struct table_store *store = &disk->store;
	store->io = disk->io;
	store->path = disk->path;
	store->file = disk->file;
	store->segment_count = disk->info->segment_count;
	store->source = (struct segment_source){
		.reader = disk->reader,
		.fields = disk->info->schema.fields,
		.field_count = disk->info->schema.field_count,
		.io = disk->io,
		.path = disk->path,
		.queue_bytes = store->source.queue_bytes,
	};
	store->room = (struct segment_room){ .io = disk->io,
					     .neighbour = disk->path,
					     .bytes = store->source.queue_bytes };
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
	know_store(disk);
	return status;
}

enum histree_status segment_disk_open(const struct io *io, const char *path,
				      const struct histree_segment_open_options *options, size_t queue_bytes,
				      struct histree_segment_store_info *info, void **out,
				      struct histree_error *error)
{
	*out = NULL;
	struct segment_disk *disk = new_disk(io, path, info, queue_bytes, error);
	if (disk == NULL)
		return HISTREE_ERR_MEMORY;
	if (options->cache_bytes > 0)
		disk->cache_bytes = options->cache_bytes;
	disk->tables.policy = options->tables;
	disk->salvages = options->salvage;
	enum histree_status status = open_reader(disk, info, error);
	if (status == HISTREE_OK)
		status = segment_schema_read(disk->file, info, error);
	if (status != HISTREE_OK) {
		disk_free(disk);
		return status;
	}
	know_store(disk);
	*out = disk;
	return HISTREE_OK;
}

void segment_disk_limit_queue(void *body, size_t bytes)
{
	struct segment_disk *disk = body;
	if (bytes < disk->store.source.queue_bytes)
		disk->store.source.queue_bytes = disk->store.room.bytes = bytes;
}

void segment_disk_share_cache(void *body, void *with)
{
	const struct segment_disk *disk = body, *other = with;
	tree_reader_share_cache(disk->reader, other->reader);
}

static enum histree_status disk_make_table(void *body, size_t field, struct histree_error *error)
{
	struct segment_disk *disk = body;
	return disk_tables_make(&disk->tables, &disk->store, field, error);
}

/* ---- verifying ----------------------------------------------------------------------------------- */

/* That every content can be read is known only here, where its types are. */
static enum histree_status check_contents(struct segment_disk *disk, struct histree_segment_store_info *found,
					  struct histree_error *error)
{
	void *cursor;
	struct histree_segment segment;
	enum histree_status status = disk_cursor_create(disk, &cursor, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_segment_query all = HISTREE_SEGMENTS_ALL;
	status = disk_cursor_start(cursor, &all, NULL, error);
	while (status == HISTREE_OK && (status = disk_cursor_next(cursor, &segment, error)) == HISTREE_OK)
		segment_info_include(found, &segment);
	disk_cursor_free(cursor);
	if (status == HISTREE_PARTIAL)
		return error_set(error, HISTREE_ERR_FORMAT, "a node that was sound can no longer be read");
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* Each that is there; returns how many are wrong. */
static unsigned check_tables(struct segment_disk *disk, void (*report)(void *context, const char *fault),
			     void *context, enum histree_status *status, struct histree_error *error)
{
	unsigned faults = 0;
	if (disk->tables.policy == HISTREE_TABLES_NEVER)
		return 0;
	for (size_t field = 0; field < disk->info->schema.field_count && *status == HISTREE_OK; field++) {
		struct histree_error fault;
		enum histree_status found = segment_table_verify(&disk->store, field, &fault);
		if (found == HISTREE_ERR_FORMAT || found == HISTREE_ERR_INCOMPLETE ||
		    found == HISTREE_ERR_VERSION) {
			report(context, fault.message);
			faults++;
		} else if (found != HISTREE_OK) {
			*status = error_set(error, found, "%s", fault.message);
		}
	}
	return faults;
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
	if (status != HISTREE_OK)
		return error_set(error, status, "%s", fault.message);
	faults.count += check_tables(disk, report, context, &status, error);
	if (status == HISTREE_OK && faults.count > 0)
		status = error_set(error, HISTREE_ERR_FORMAT, "'%s': %u fault%s outside the nodes", disk->path,
				   faults.count, faults.count == 1 ? "" : "s");
	return status;
}

const struct segment_backend segment_backend_disk = {
	.add = disk_add,
	.finish = disk_finish,
	.verify = disk_verify,
	.free = disk_free,
	.make_table = disk_make_table,
	.cursor_create = disk_cursor_create,
	.cursor_start = disk_cursor_start,
	.cursor_choose = disk_cursor_choose,
	.cursor_start_field = disk_cursor_start_field,
	.cursor_next = disk_cursor_next,
	.cursor_loss = disk_cursor_loss,
	.cursor_key = disk_cursor_key,
	.cursor_stats = disk_cursor_stats,
	.cursor_free = disk_cursor_free,
};
