// SPDX-License-Identifier: MIT
/*
 * tree_options.c - checks the options of a tree and fills in the defaults of its variant.  A wrong combination is
 * refused with a sentence; later code relies on resolved options.
 */
#include "tree/tree_options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "store/block_file.h"
#include "tree/batch.h"

enum {
	NODE_SIZE_DEFAULT = 64 << 10,
	FAN_OUT_DEFAULT = 50,
	FAN_OUT_MIN = 2,
	FAN_OUT_MAX = 1000,
	R_DEPTH_MIN = 2,
	R_DEPTH_MAX = 16,
	R_NODES_MIN = 2,
	R_NODES_MAX = 1000,
	MEMORY_DEFAULT = 64 << 20,
	MEMORY_MIN = 1 << 20,
};

static const char variant_default[] = "cluster";

static uint32_t first_set(uint32_t asked, uint32_t of_variant, uint32_t of_all)
{
	return asked != 0 ? asked : of_variant != 0 ? of_variant : of_all;
}

static uint32_t default_node_size(const struct histree_tree_options *asked, const struct tree_variant *variant)
{
	bool has_preference = variant->leaves == LEAVES_OF_COLUMNS && asked->prefer > HISTREE_PREFER_BALANCE &&
			      asked->prefer <= HISTREE_PREFER_SPACE;
	uint32_t preferred = has_preference ? batch_length_of(asked->prefer)->node_size : 0;
	return first_set(preferred, variant->node_size_default, NODE_SIZE_DEFAULT);
}

static enum histree_status unknown_variant(const char *name, struct histree_error *error)
{
	char names[128] = "";
	for (size_t i = 0; tree_variants[i] != NULL; i++) {
		size_t length = strlen(names);
		snprintf(names + length, sizeof(names) - length, "%s%s", i == 0 ? "" : ", ",
			 tree_variants[i]->name);
	}
	return error_set(error, HISTREE_ERR_ARGUMENT, "there is no tree variant '%s'; there are %s", name, names);
}

static enum histree_status check_r_trees(const struct histree_tree_options *asked, const struct tree_options *out,
					 struct histree_error *error)
{
	const struct tree_variant *variant = out->variant;
	bool has_r_trees = variant->r_depth_default != 0;
	if (!has_r_trees && asked->r_depth != 0)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "variant '%s' has no R-tree depth; rsht and vrsht have", variant->name);
	if (asked->r_nodes != 0 && !variant->r_grows)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "variant '%s' does not fit its depth to queries; vrsht does", variant->name);
	if (asked->r_nodes != 0 && (asked->r_nodes < R_NODES_MIN || asked->r_nodes > R_NODES_MAX))
		return error_set(error, HISTREE_ERR_ARGUMENT, "%u nodes for a single query: it may be %d to %d",
				 asked->r_nodes, R_NODES_MIN, R_NODES_MAX);
	if (has_r_trees && (out->r_depth < R_DEPTH_MIN || out->r_depth > R_DEPTH_MAX))
		return error_set(error, HISTREE_ERR_ARGUMENT, "an R-tree of %u levels: it may have %d to %d",
				 out->r_depth, R_DEPTH_MIN, R_DEPTH_MAX);
	return HISTREE_OK;
}

static enum histree_status check_nodes(const struct tree_options *out, struct histree_error *error)
{
	if (out->node_size < BLOCK_SIZE_MIN || out->node_size > BLOCK_SIZE_MAX ||
	    (out->node_size & (out->node_size - 1)) != 0)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a node size of %u bytes: it must be a power of two from %d to %d", out->node_size,
				 BLOCK_SIZE_MIN, BLOCK_SIZE_MAX);
	if (out->fan_out < FAN_OUT_MIN || out->fan_out > FAN_OUT_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a fan-out of %u: it may be %d to %d", out->fan_out,
				 FAN_OUT_MIN, FAN_OUT_MAX);
	return HISTREE_OK;
}

static enum histree_status check_buffers(const struct histree_tree_options *asked, const struct tree_options *out,
					 struct histree_error *error)
{
	const struct tree_variant *variant = out->variant;
	if (asked->prefer < HISTREE_PREFER_BALANCE || asked->prefer > HISTREE_PREFER_SPACE)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there is no preference %d", (int)asked->prefer);
	if (asked->prefer != HISTREE_PREFER_BALANCE && variant->leaves != LEAVES_OF_COLUMNS)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "variant '%s' is what the papers say, without preferences; cluster has them",
				 variant->name);
	if (out->threads > variant->threads_max)
		return error_set(error, HISTREE_ERR_ARGUMENT, "variant '%s' has work for %u threads, not for %u",
				 variant->name, variant->threads_max, out->threads);
	if (out->memory_max < MEMORY_MIN)
		return error_set(error, HISTREE_ERR_ARGUMENT, "%zu bytes of memory: at least %d are needed",
				 out->memory_max, MEMORY_MIN);
	return HISTREE_OK;
}

uint32_t tree_options_threads(const struct histree_tree_options *asked, uint32_t threads)
{
	const struct tree_variant *variant =
		tree_variant_by_name(asked->variant != NULL ? asked->variant : variant_default);
	if (asked->threads != 0)
		return asked->threads;
	return variant != NULL && threads > variant->threads_max ? variant->threads_max : threads;
}

enum histree_status tree_options_resolve(const struct histree_tree_options *asked, histree_time start,
					 struct tree_options *out, struct histree_error *error)
{
	const char *name = asked->variant != NULL ? asked->variant : variant_default;
	const struct tree_variant *variant = tree_variant_by_name(name);
	if (variant == NULL)
		return unknown_variant(name, error);
	*out = (struct tree_options){
		.variant = variant,
		.r_depth = asked->r_depth != 0 ? asked->r_depth : variant->r_depth_default,
		.node_size = asked->node_size != 0 ? asked->node_size : default_node_size(asked, variant),
		.fan_out = first_set(asked->fan_out, variant->fan_out_default, FAN_OUT_DEFAULT),
		.leaves_out_nulls = asked->nulls == HISTREE_NULLS_OF_VARIANT
					    ? variant->leaves_out_nulls
					    : asked->nulls == HISTREE_NULLS_LEFT_OUT,
		.r_nodes = asked->r_nodes,
		.prefer = asked->prefer,
		.start = start,
	};
	out->memory_max = asked->memory_max != 0         ? asked->memory_max
			  : variant->memory_default != 0 ? variant->memory_default
							 : MEMORY_DEFAULT;
	bool has_processors = sysconf(_SC_NPROCESSORS_ONLN) > 1;
	out->threads = asked->threads != 0 ? asked->threads : has_processors ? variant->threads_max - 1 : 1;
	enum histree_status status = check_r_trees(asked, out, error);
	if (status == HISTREE_OK)
		status = check_nodes(out, error);
	if (status == HISTREE_OK)
		status = check_buffers(asked, out, error);
	return status;
}
