/* SPDX-License-Identifier: MIT */
/*
 * tree_option.h - the options that say how a history tree is made, which the verbs share that make one.
 */
#ifndef CLI_TREE_OPTION_H
#define CLI_TREE_OPTION_H

#include "cli/option.h"
#include "cli/report.h"
#include "histree/history.h"

struct tree_options {
	const char *variant, *prefer, *nulls;
	uint64_t r_depth, r_nodes, node_size, fan_out, memory;
};

/* Their rows in the table of a verb; `at` is the struct tree_options in the verb's own, `of_memory` a help. */
#define CLI_OPTIONS_TREE(type, at, of_memory)                                                                     \
	{ .name = "variant",                                                                                      \
	  .letter = 't',                                                                                          \
	  .argument = "VARIANT",                                                                                  \
	  .kind = CLI_CHOICE,                                                                                     \
	  .member = offsetof(type, at.variant),                                                                   \
	  .choices = tree_option_variants,                                                                        \
	  .help = "use this kind of history tree: cluster, sht, osht, esht, rsht or vrsht; default: cluster" },   \
		CLI_OPTION_CHOICE("prefer", "WHAT", type, at.prefer, tree_option_preferences,                     \
				  "lay a cluster tree out for one kind of use: balance, single (queries of few "  \
				  "attributes), full (queries of all attributes at a time) or space; default: "   \
				  "balance"),                                                                     \
		CLI_OPTION_NUMBER("r-depth", CLI_NUMBER, "N", type, at.r_depth, 2, 16,                            \
				  "give R-trees this many levels: all of them in rsht (default: 2), the deepest " \
				  "in vrsht (default: 4)"),                                                       \
		CLI_OPTION_NUMBER("r-nodes", CLI_NUMBER, "N", type, at.r_nodes, 2, 1000,                          \
				  "in vrsht, let a single query read about N nodes at most: R-trees become as "   \
				  "deep as that needs, up to --r-depth"),                                         \
		CLI_OPTION_NUMBER("node-size", CLI_SIZE, "BYTES", type, at.node_size, 4096, 1024 * 1024,          \
				  "make nodes of this size, a power of two from 4K to 1M; default: 64K, in "      \
				  "cluster 256K"),                                                                \
		CLI_OPTION_NUMBER("fan-out", CLI_NUMBER, "N", type, at.fan_out, 2, 1000,                          \
				  "give a node at most this many children, 2 to 1000; default: 50, in cluster "   \
				  "1000"),                                                                        \
		CLI_OPTION_NUMBER("memory", CLI_SIZE, "BYTES", type, at.memory, 1024 * 1024, UINT64_MAX,          \
				  of_memory),                                                                     \
		CLI_OPTION_CHOICE("nulls", "NULLS", type, at.nulls, tree_option_nulls,                            \
				  "keep the null before the first state of an attribute and that after its last " \
				  "as intervals, or leave-out both; default: leave-out in cluster, keep in the "  \
				  "others")

extern const char *const tree_option_variants[], *const tree_option_preferences[], *const tree_option_nulls[];

/* Fills in what the options say, for the library.  What is wrong with them is reported on standard error. */
enum cli_exit tree_option_read(const struct tree_options *chosen, uint64_t threads,
			       struct histree_tree_options *out);

/*
 * Of the ceiling of a process that builds, what is for buffers and tables (histree-build(1)); 0 for 0.  The
 * program, its libraries, what is read ahead and the sorting of names take the rest.
 */
size_t tree_option_of_process(uint64_t ceiling);

/*
 * Reads from the words of a build what no file says: preference, nulls, R-trees and overviews.  Other words are
 * left alone, and an untrusted manifest may say anything.  NULL: no words.
 */
enum cli_exit tree_option_recall(const char *recipe, struct histree_tree_options *tree, bool *no_overviews);

#endif
