// SPDX-License-Identifier: MIT
/*
 * state_memory.c - a history in memory: the file of one, written where files are in memory.
 *
 * So it is the same tree, node for node, with the same answers; its intervals take some bytes each, as on disk,
 * where a sorted array of them would take forty (docs/design/0030-backends.md).
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory_files.h"
#include "histree/backend.h"
#include "state/history.h"
#include "state/state_file.h"
#include "state/state_system.h"
#include "store/block_file.h"

struct state_memory {
	const struct io *io;
	char *path;
	struct interval_sink file; /* the sink of the history file */
	struct table_space tables; /* which never goes to files */
};

static enum histree_status memory_add(void *context, const struct histree_interval *interval,
				      struct histree_error *error)
{
	const struct state_memory *memory = context;
	return memory->file.add(memory->file.context, interval, error);
}

static enum histree_status memory_add_many(void *context, const struct histree_interval *intervals, size_t count,
					   size_t *added, struct histree_error *error)
{
	const struct state_memory *memory = context;
	return memory->file.add_many(memory->file.context, intervals, count, added, error);
}

static enum histree_status memory_set_section(void *context, enum told_section section, const void *bytes,
					      size_t size, struct histree_error *error)
{
	const struct state_memory *memory = context;
	return memory->file.set_section(memory->file.context, section, bytes, size, error);
}

static void memory_closing(void *context, histree_time end)
{
	const struct state_memory *memory = context;
	memory->file.closing(memory->file.context, end);
}

static enum histree_status memory_finish(void *context, const struct attribute_tree *attributes, histree_time end,
					 struct histree_error *error)
{
	const struct state_memory *memory = context;
	return memory->file.finish(memory->file.context, attributes, end, error);
}

static enum histree_status memory_branch(void *context, bool publish, struct interval_sink *out,
					 struct histree_error *error)
{
	const struct state_memory *memory = context;
	return memory->file.branch(memory->file.context, publish, out, error);
}

static enum histree_status memory_history(void *context, const struct histree_open_options *options,
					  struct histree_history **out, struct histree_error *error)
{
	const struct state_memory *memory = context;
	struct block_file *file;
	enum histree_status status = block_file_open(memory->io, memory->path, &file, error);
	return status == HISTREE_OK ? history_open_file(file, options, out, error) : status;
}

static void memory_free(void *context)
{
	struct state_memory *memory = context;
	if (memory->file.free != NULL)
		memory->file.free(memory->file.context);
	if (memory->io != NULL)
		memory_files_leave(memory->io);
	table_space_release(&memory->tables);
	free(memory->path);
	free(memory);
}

static enum histree_status create_file(struct state_memory *memory, const struct histree_history_options *options,
				       uint64_t bytes_max, struct histree_error *error)
{
	struct histree_history_options in_memory = *options;
	memory->path = strdup(options->path != NULL && options->path[0] != '\0' ? options->path : "memory");
	memory->io = memory_files_create(bytes_max == 0 ? UINT64_MAX : bytes_max);
	if (memory->path == NULL || memory->io == NULL ||
	    !table_space_init(&memory->tables, memory->path, SIZE_MAX))
		return error_memory(error, "a history");
	in_memory.path = memory->path;
	const struct state_shared shared = { .tables = &memory->tables };
	return state_file_sink(memory->io, &in_memory, &shared, &memory->file, error);
}

enum histree_status histree_state_create_in_memory(const struct histree_history_options *options,
						   uint64_t bytes_max, struct histree_state_system **out,
						   struct histree_error *error)
{
	*out = NULL;
	if (options->resume)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there is nothing in memory to resume");
	struct state_memory *memory = calloc(1, sizeof(*memory));
	if (memory == NULL)
		return error_memory(error, "a history");
	enum histree_status status = create_file(memory, options, bytes_max, error);
	if (status == HISTREE_OK) {
		const struct interval_sink sink = {
			.tables = &memory->tables,
			.add = memory_add,
			.add_many = memory_add_many,
			.set_section = memory_set_section,
			.closing = memory_closing,
			.finish = memory_finish,
			.branch = memory_branch,
			.open = memory_history,
			.free = memory_free,
			.context = memory,
			.value_size_max = memory->file.value_size_max,
		};
		status = state_system_create(options->start, &sink, out, error);
	}
	if (status != HISTREE_OK)
		memory_free(memory);
	else
		(*out)->null_empty_stacks = options->null_empty_stacks;
	return status;
}
