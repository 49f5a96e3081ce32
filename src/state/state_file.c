// SPDX-License-Identifier: MIT
/*
 * state_file.c - the history file as the sink of a state system: a tree of intervals, then the sections ATTR and
 * PROV beside those of the tree.
 */
#include <stdlib.h>

#include "base/error.h"
#include "state/attribute_section.h"
#include "state/provider_section.h"
#include "state/state_file.h"
#include "state/state_system.h"
#include "store/block_file.h"
#include "tree/tree_writer.h"

struct state_file {
	struct block_file *file;
	struct tree_writer *writer;
	struct provider provider;
};

static enum histree_status file_add(void *context, const struct histree_interval *interval,
				    struct histree_error *error)
{
	struct state_file *state_file = context;
	return tree_writer_add(state_file->writer, interval, error);
}

static void file_closing(void *context, histree_time end)
{
	struct state_file *state_file = context;
	tree_writer_close_at(state_file->writer, end);
}

static enum histree_status write_section(void *context, const void *bytes, size_t size, struct histree_error *error)
{
	return block_file_section_write(context, bytes, size, error);
}

static enum histree_status save_attributes(struct block_file *file, const struct attribute_tree *attributes,
					   struct histree_error *error)
{
	const struct section_sink sink = { .write = write_section, .context = file };
	enum histree_status status = block_file_section_begin(file, SECTION_ATTRIBUTES, error);
	if (status == HISTREE_OK)
		status = attribute_section_save(attributes, &sink, error);
	if (status == HISTREE_OK)
		block_file_section_end(file);
	return status;
}

static enum histree_status save_provider(struct block_file *file, const struct provider *provider,
					 struct histree_error *error)
{
	uint8_t bytes[PROVIDER_SECTION_SIZE_MAX];
	size_t size = provider_section_save(provider, bytes);
	enum histree_status status = block_file_section_begin(file, SECTION_PROVIDER, error);
	if (status == HISTREE_OK)
		status = block_file_section_write(file, bytes, size, error);
	if (status == HISTREE_OK)
		block_file_section_end(file);
	return status;
}

static enum histree_status file_finish(void *context, const struct attribute_tree *attributes, histree_time end,
				       struct histree_error *error)
{
	struct state_file *state_file = context;
	uint32_t count = attributes->base.count;
	enum histree_status status = tree_writer_finish(state_file->writer, end, count, error);
	if (status == HISTREE_OK)
		status = save_attributes(state_file->file, attributes, error);
	if (status == HISTREE_OK)
		status = save_provider(state_file->file, &state_file->provider, error);
	if (status == HISTREE_OK)
		status = block_file_complete(state_file->file, error);
	return status;
}

static void file_free(void *context)
{
	struct state_file *state_file = context;
	tree_writer_free(state_file->writer);
	block_file_close(state_file->file);
	free(state_file);
}

enum histree_status state_file_create(const struct io *io, const struct histree_history_options *options,
				      struct histree_state_system **out, struct histree_error *error)
{
	*out = NULL;
	if (options->path == NULL || options->path[0] == '\0')
		return error_set(error, HISTREE_ERR_ARGUMENT, "a history needs the path of the file to make");
	struct tree_options tree_options;
	struct provider provider;
	enum histree_status status = tree_options_resolve(&options->tree, options->start, &tree_options, error);
	if (status == HISTREE_OK)
		status = provider_init(&provider, options->provider, options->provider_version, error);
	if (status != HISTREE_OK)
		return status;

	struct state_file *state_file = malloc(sizeof(*state_file));
	if (state_file == NULL)
		return error_memory(error, "a history file");
	*state_file = (struct state_file){ .provider = provider };
	status = block_file_create(io, options->path, tree_options.node_size, &state_file->file, error);
	if (status != HISTREE_OK)
		goto out;
	status = tree_writer_create(state_file->file, &tree_options, &state_file->writer, error);
	if (status != HISTREE_OK)
		goto out;
	const struct interval_sink sink = {
		.add = file_add,
		.closing = file_closing,
		.finish = file_finish,
		.free = file_free,
		.context = state_file,
		.value_size_max = tree_writer_value_size_max(state_file->writer),
	};
	status = state_system_create(options->start, &sink, out, error);
out:
	if (status != HISTREE_OK)
		file_free(state_file);
	return status;
}

enum histree_status histree_state_create(const struct histree_history_options *options,
					 struct histree_state_system **out, struct histree_error *error)
{
	return state_file_create(&io_posix, options, out, error);
}
