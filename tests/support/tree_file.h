/* SPDX-License-Identifier: MIT */
/*
 * tree_file.h - a tree made of an array of intervals, and opened again: what most tests of tree/ begin with.
 */
#ifndef SUPPORT_TREE_FILE_H
#define SUPPORT_TREE_FILE_H

#include "support/reference.h"
#include "tree/tree_iter.h"
#include "tree/tree_reader.h"
#include "tree/tree_writer.h"

/* Write and complete a file of nodes without names.  On failure nothing is left. */
enum histree_status tree_file_write(const struct io *io, const char *path, const struct histree_tree_options *asked,
				    const struct reference *history, const struct histree_interval *intervals,
				    struct histree_error *error);

struct tree_file {
	struct block_file *file;
	struct tree_reader *reader;
};

enum histree_status tree_file_open(const struct io *io, const char *path, size_t cache_bytes, struct tree_file *out,
				   struct histree_error *error);
void tree_file_close(struct tree_file *tree);

/* An iterator as something to compare with a reference; the caller frees its `query` with tree_iter_free(). */
enum histree_status tree_file_subject(const struct tree_file *tree, struct subject *out,
				      struct histree_error *error);

#endif
