// SPDX-License-Identifier: MIT
/*
 * segment_disk.c - a store on disk, and its side tables, each opened or made when it is first needed.
 *
 * Threads: any number may call.  A table that was handed out stays open as long as the store.
 */
#include "segment/segment_memory.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "base/table.h"
#include "histree/segments.h"
#include "segment/segment_schema.h"
#include "segment/segment_table.h"
#include "segment_tree/segment_writer.h"

enum disk_table_state {
	TABLE_NOT_LOOKED_FOR,
	TABLE_NOT_THERE, /* it may be made */
	TABLE_OPEN,
	TABLE_GIVEN_UP, /* until the store is opened again */
};

struct disk_tables {
	enum histree_segment_tables policy;
	pthread_mutex_t mutex; /* held while a table is made: who needs it too would be no quicker alone */
	enum disk_table_state states[HISTREE_SEGMENT_FIELDS_MAX];
	struct segment_table *tables[HISTREE_SEGMENT_FIELDS_MAX];
	/* Replaced, but cursors may still go through them. */
	struct segment_table **replaced;
	size_t replaced_count, replaced_capacity;
};

struct segment_disk {
	const struct io *io;
	char *path;
	struct block_file *file;
	struct segment_writer *writer; /* until it is finished */
	struct tree_reader *reader;    /* from then on, with all below */
	size_t cache_bytes;
	bool salvages;
	const struct histree_segment_store_info *info; /* of the store */
	struct table_store store;
	struct disk_tables tables;
};

/* ---- disk tables --------------------------------------------------------------------------------------------- */

/* Sorting fewer takes a few milliseconds: no reason to write a file. */
enum { SEGMENTS_MIN = 50000 };

static void open_table(struct disk_tables *tables, const struct table_store *store, size_t field)
{
	enum histree_status status = segment_table_open(store, field, &tables->tables[field], NULL);
	bool is_wrong = status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_INCOMPLETE;
	if (status == HISTREE_OK)
		tables->states[field] = TABLE_OPEN;
	else
		tables->states[field] = status == HISTREE_NOT_FOUND || is_wrong ? TABLE_NOT_THERE : TABLE_GIVEN_UP;
}

static void make_table(struct disk_tables *tables, const struct table_store *store, size_t field)
{
	enum histree_status status = segment_table_make(store, field, NULL);
	if (status == HISTREE_OK)
		open_table(tables, store, field);
	if (tables->states[field] != TABLE_OPEN)
		tables->states[field] = TABLE_GIVEN_UP;
}

/* The table of a field; NULL: do without.  `all`: the query is for all segments, so that making it would pay. */
static const struct segment_table *disk_tables_get(struct disk_tables *tables, const struct table_store *store,
						   size_t field, bool all)
{
	if (tables->policy == HISTREE_TABLES_NEVER || store->segment_count == 0)
		return NULL;
	bool makes = all && tables->policy == HISTREE_TABLES_ON_DEMAND && store->segment_count >= SEGMENTS_MIN;
	pthread_mutex_lock(&tables->mutex);
	if (tables->states[field] == TABLE_NOT_LOOKED_FOR)
		open_table(tables, store, field);
	if (tables->states[field] == TABLE_NOT_THERE && makes)
		make_table(tables, store, field);
	const struct segment_table *table = tables->states[field] == TABLE_OPEN ? tables->tables[field] : NULL;
	pthread_mutex_unlock(&tables->mutex);
	return table;
}

/* ---- disk cursor --------------------------------------------------------------------------------------------- */

enum disk_order { DISK_UNSORTED, DISK_BY_TIME, DISK_BY_FIELD };

struct disk_cursor {
	struct segment_disk *disk;
	enum disk_order order;
	struct segment_scan *scan;
	struct segment_sweep *sweep; /* made when it is first needed, as its queue is large */
	struct table_cursor *ranks;  /* the same */
	size_t field;
	bool counts; /* all segments are asked for, and none was said to be lost */
	uint64_t given;
};

/* The cursor of segment_memory.h. */
static enum histree_status disk_cursor_create(void *body, void **out, struct histree_error *error)
{
	struct segment_disk *disk = body;
	*out = NULL;
	struct disk_cursor *cursor = calloc(1, sizeof(*cursor));
	if (cursor == NULL)
		return error_memory(error, "an iterator");
	cursor->disk = disk;
	enum histree_status status = segment_scan_create(&disk->store.source, &cursor->scan, error);
	if (status != HISTREE_OK) {
		free(cursor);
		return status;
	}
	*out = cursor;
	return HISTREE_OK;
}

static bool asks_for_all(const struct segment_disk *disk, const struct histree_segment_query *query)
{
	return query->from <= disk->info->start && query->to >= disk->info->end;
}

static enum histree_status disk_cursor_start(void *context, const struct histree_segment_query *query,
					     const struct histree_segment_token *resume,
					     struct histree_error *error)
{
	struct disk_cursor *cursor = context;
	struct segment_window window = { .from = query->from, .to = query->to };
	cursor->order = query->order == HISTREE_SEGMENTS_UNSORTED ? DISK_UNSORTED : DISK_BY_TIME;
	cursor->given = 0;
	cursor->counts = asks_for_all(cursor->disk, query) && resume == NULL && !cursor->disk->salvages;
	if (cursor->order == DISK_UNSORTED) {
		segment_scan_start(cursor->scan, window, resume);
		return HISTREE_OK;
	}
	enum histree_status status = HISTREE_OK;
	if (cursor->sweep == NULL)
		status = segment_sweep_create(&cursor->disk->store.source, &cursor->sweep, error);
	if (status != HISTREE_OK)
		return status;
	return segment_sweep_start(cursor->sweep, query->order, query->descending, window, resume, error);
}

static void disk_cursor_choose(void *context, struct segment_choice choice)
{
	struct disk_cursor *cursor = context;
	cursor->counts = false;
	segment_scan_choose(cursor->scan, choice);
}

static enum histree_status disk_cursor_start_field(void *context, const struct histree_segment_query *query,
						   uint64_t rank, struct histree_error *error)
{
	struct disk_cursor *cursor = context;
	struct segment_disk *disk = cursor->disk;
	const struct segment_table *table =
		disk_tables_get(&disk->tables, &disk->store, query->field, asks_for_all(disk, query));
	if (table == NULL || !table_cursor_pays(table, query, disk->info))
		return HISTREE_NOT_FOUND;
	enum histree_status status = HISTREE_OK;
	if (cursor->ranks == NULL)
		status = table_cursor_create(&disk->store, &cursor->ranks, error);
	if (status != HISTREE_OK)
		return status;
	cursor->order = DISK_BY_FIELD;
	cursor->counts = false;
	cursor->field = query->field;
	table_cursor_start(cursor->ranks, table, query, rank);
	return HISTREE_OK;
}

/* What is damaged, the table or the store, sorting will tell. */
static enum histree_status next_of_table(struct disk_cursor *cursor, struct histree_segment *out,
					 struct histree_error *error)
{
	enum histree_status status = table_cursor_next(cursor->ranks, out, error);
	if (status != HISTREE_ERR_FORMAT)
		return status;
	/* It was found to be damaged: it goes. */
	pthread_mutex_lock(&cursor->disk->tables.mutex);
	cursor->disk->tables.states[cursor->field] = TABLE_GIVEN_UP;
	char *path = segment_table_path(&cursor->disk->store, cursor->field);
	if (path != NULL && cursor->disk->tables.policy == HISTREE_TABLES_ON_DEMAND)
		cursor->disk->store.io->unlink(cursor->disk->store.io->context, path);
	free(path);
	pthread_mutex_unlock(&cursor->disk->tables.mutex);
	return HISTREE_NOT_FOUND;
}

static enum histree_status next_of_order(struct disk_cursor *cursor, struct histree_segment *out,
					 struct histree_error *error)
{
	switch (cursor->order) {
	case DISK_UNSORTED:
		return segment_scan_next(cursor->scan, out, error);
	case DISK_BY_TIME:
		return segment_sweep_next(cursor->sweep, out, error);
	case DISK_BY_FIELD:
		break;
	}
	return next_of_table(cursor, out, error);
}

/* Nodes that are all consistent may belong to a store with more or fewer nodes: only the total tells. */
static enum histree_status check_count(const struct disk_cursor *cursor, struct histree_error *error)
{
	const struct segment_disk *disk = cursor->disk;
	if (!cursor->counts || cursor->given == disk->info->segment_count)
		return HISTREE_END;
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': has %llu segments, and says that it has %llu",
			 disk->path, (unsigned long long)cursor->given,
			 (unsigned long long)disk->info->segment_count);
}

static enum histree_status disk_cursor_next(void *context, struct histree_segment *out, struct histree_error *error)
{
	struct disk_cursor *cursor = context;
	enum histree_status status = next_of_order(cursor, out, error);
	assert(status != HISTREE_OK || out->start <= out->end);
	cursor->given += status == HISTREE_OK;
	cursor->counts = cursor->counts && status != HISTREE_PARTIAL;
	return status == HISTREE_END ? check_count(cursor, error) : status;
}

static struct histree_loss disk_cursor_loss(const void *context)
{
	const struct disk_cursor *cursor = context;
	const struct histree_segment_store_info *info = cursor->disk->info;
	struct histree_loss loss = cursor->order == DISK_UNSORTED ? segment_scan_loss(cursor->scan)
								  : segment_sweep_loss(cursor->sweep);
	loss.from = loss.from > info->start ? loss.from : info->start;
	loss.to = loss.to < info->end ? loss.to : info->end;
	return loss;
}

static void disk_cursor_key(const void *context, uint64_t key[2])
{
	const struct disk_cursor *cursor = context;
	if (cursor->order == DISK_BY_TIME) {
		segment_sweep_key(cursor->sweep, key);
	} else if (cursor->order == DISK_UNSORTED) {
		segment_scan_location(cursor->scan, key);
	} else {
		key[0] = table_cursor_rank(cursor->ranks);
		key[1] = 0;
	}
}

static void disk_cursor_stats(const void *context, struct histree_statistics *stats)
{
	const struct disk_cursor *cursor = context;
	if (cursor->order == DISK_BY_TIME)
		segment_sweep_stats(cursor->sweep, stats);
	else if (cursor->order == DISK_UNSORTED)
		segment_scan_stats(cursor->scan, stats);
	else
		table_cursor_stats(cursor->ranks, stats);
}

static void disk_cursor_free(void *context)
{
	struct disk_cursor *cursor = context;
	segment_scan_free(cursor->scan);
	segment_sweep_free(cursor->sweep);
	table_cursor_free(cursor->ranks);
	free(cursor);
}

/* ---- segment disk -------------------------------------------------------------------------------------------- */

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
	struct disk_tables *tables = &disk->tables;
	*tables = (struct disk_tables){ .policy = HISTREE_TABLES_ON_DEMAND };
	pthread_mutex_init(&tables->mutex, NULL);
	return disk;
}

static void disk_free(void *body)
{
	struct segment_disk *disk = body;
	for (size_t field = 0; field < HISTREE_SEGMENT_FIELDS_MAX; field++)
		segment_table_close(disk->tables.tables[field]);
	for (size_t i = 0; i < disk->tables.replaced_count; i++)
		segment_table_close(disk->tables.replaced[i]);
	free(disk->tables.replaced);
	pthread_mutex_destroy(&disk->tables.mutex);
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
	/*
	 * Finishing a store reads it for its overviews, in the order of its nodes, for which this cache is
	 * enough.
	 */
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
	assert(disk->writer != NULL && disk->reader == NULL);
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
		status =
			tree_reader_open(disk->file, disk->cache_bytes,
					 TREE_SEGMENTS | (disk->salvages ? TREE_SALVAGE : 0), &disk->reader, error);
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

struct tree_reader *segment_disk_reader(void *body)
{
	return ((const struct segment_disk *)body)->reader;
}

static enum histree_status disk_make_table(void *body, size_t field, struct histree_error *error)
{
	struct segment_disk *disk = body;
	/* Make the table of a field, and replace an old one. */
	pthread_mutex_lock(&disk->tables.mutex);
	struct segment_table *before = disk->tables.tables[field], *made = NULL;
	enum histree_status status = HISTREE_OK;
	if (!array_reserve(&disk->tables.replaced, &disk->tables.replaced_capacity,
			   disk->tables.replaced_count + 1))
		status = error_memory(error, "a side table");
	if (status == HISTREE_OK)
		status = segment_table_make(&disk->store, field, error);
	if (status == HISTREE_OK)
		status = segment_table_open(&disk->store, field, &made, error);
	if (status == HISTREE_OK) {
		if (before != NULL)
			disk->tables.replaced[disk->tables.replaced_count++] = before;
		disk->tables.tables[field] = made;
		disk->tables.states[field] = TABLE_OPEN;
	}
	pthread_mutex_unlock(&disk->tables.mutex);
	return status == HISTREE_NOT_FOUND
		       ? error_set(error, HISTREE_ERR_IO, "'%s': its side table has gone", disk->store.path)
		       : status;
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
