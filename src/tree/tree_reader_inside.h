/* SPDX-License-Identifier: MIT */
/*
 * tree_reader_inside.h - the body of a reader, for the files of tree/ that walk the nodes.
 */
#ifndef TREE_TREE_READER_INSIDE_H
#define TREE_TREE_READER_INSIDE_H

#include "node/node_view.h"
#include "store/node_cache.h"
#include "tree/lives_view.h"
#include "tree/tree_reader.h"
#include "tree/tree_shape.h"

/* Constant after opening but for the cache, which guards itself. */
struct tree_reader {
	const struct block_file *file; /* borrowed */
	struct tree_shape shape;
	struct tree_statistics statistics;
	struct lives_view lives; /* of a cluster tree: one a key; else none */
	struct node_cache *cache;
};

#endif
