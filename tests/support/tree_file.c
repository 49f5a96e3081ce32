// SPDX-License-Identifier: MIT
#include "support/tree_file.h"

enum histree_status tree_file_write(const struct io *io, const char *path, const struct histree_tree_options *asked,
				    const struct reference *history, const struct histree_interval *intervals,
				    struct histree_error *error)
{
	struct tree_options options;
	struct block_file *file = NULL;
	struct tree_writer *writer = NULL;
	enum histree_status status = tree_options_resolve(asked, history->start, &options, error);
	if (status == HISTREE_OK)
		status = block_file_create(io, path, options.node_size, &file, error);
	if (status == HISTREE_OK)
		status = tree_writer_create(file, &options, &writer, error);
	size_t added;
	if (status == HISTREE_OK)
		status = tree_writer_add(writer, intervals, history->count, &added, error);
	if (status == HISTREE_OK)
		status = tree_writer_finish(writer, history->end, history->key_count, error);
	if (status == HISTREE_OK)
		status = block_file_complete(file, error);
	tree_writer_free(writer);
	block_file_close(file);
	return status;
}

enum histree_status tree_file_open(const struct io *io, const char *path, size_t cache_bytes, struct tree_file *out,
				   struct histree_error *error)
{
	*out = (struct tree_file){ 0 };
	enum histree_status status = block_file_open(io, path, &out->file, error);
	if (status == HISTREE_OK)
		status = tree_reader_open(out->file, cache_bytes, 0, &out->reader, error);
	if (status != HISTREE_OK)
		tree_file_close(out);
	return status;
}

void tree_file_close(struct tree_file *tree)
{
	tree_reader_close(tree->reader);
	block_file_close(tree->file);
	*tree = (struct tree_file){ 0 };
}

static enum histree_status iter_start(void *query, const struct histree_region *region, struct histree_error *error)
{
	(void)error;
	tree_iter_start(query, region);
	return HISTREE_OK;
}

static enum histree_status iter_next(void *query, struct histree_interval *out, struct histree_error *error)
{
	return tree_iter_next(query, out, error);
}

static struct tree_counts iter_stats(const void *query)
{
	return tree_iter_stats(query);
}

enum histree_status tree_file_subject(const struct tree_file *tree, struct subject *out,
				      struct histree_error *error)
{
	struct tree_iter *iter;
	enum histree_status status = tree_iter_create(tree->reader, &iter, error);
	*out = (struct subject){
		.query = iter,
		.start = iter_start,
		.next = iter_next,
		.stats = iter_stats,
		.node_count = tree->file->block_count,
	};
	return status;
}
