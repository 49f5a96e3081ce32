// SPDX-License-Identifier: MIT
/*
 * api_nodes.c - the tree on disk: each node with its position in a picture, as `histree draw --view tree` has it.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/real_bytes.h"
#include "server/api/api.h"
#include "server/api/page_request.h"

enum { NODE_SIZE = 56, NODES_PER_STEP = 1024, WIDTH_MAX = 30000, WIDTH_USUAL = 1200 };

static const double WIDER = 1.1;

struct nodes {
	struct dataset *dataset; /* held */
	const char *host;        /* whose tree it is; NULL: there is but one */
	const struct histree_history_info *info;
	struct histree_tree_layout *layout;
	const struct histree_layout_node *nodes;
	uint32_t count, next;
	double width; /* of the picture */
};

static void nodes_free(void *state)
{
	struct nodes *nodes = state;
	histree_tree_layout_free(nodes->layout);
	dataset_release(nodes->dataset);
	free(nodes);
}

static void put_node(uint8_t *at, const struct histree_layout_node *placed, histree_time start)
{
	const struct histree_node *node = &placed->node;
	put_le_double(at, (double)((uint64_t)node->start - (uint64_t)start));
	put_le_double(at + 8, (double)((uint64_t)node->end - (uint64_t)start));
	put_le_float(at + 16, (float)placed->x);
	put_le_float(at + 20, (float)placed->y);
	put_le32(at + 24, node->number);
	put_le32(at + 28, placed->parent);
	put_le32(at + 32, node->height);
	put_le32(at + 36, node->child_count);
	put_le32(at + 40, node->key_min);
	put_le32(at + 44, node->key_max);
	put_le32(at + 48, node->interval_count);
	put_le32(at + 52, node->is_damaged ? UINT32_MAX : node->bytes_used);
}

static void write_levels(const struct nodes *nodes, struct json_writer *json)
{
	uint32_t count;
	const struct histree_node_level *levels = histree_tree_layout_levels(nodes->layout, &count);
	json_key(json, "levels");
	json_begin_array(json);
	for (uint32_t i = 0; i < count; i++) {
		json_begin_object(json);
		json_int_member(json, "rows", levels[i].rows);
		json_int_member(json, "lines", levels[i].lines);
		json_key(json, "size");
		json_put_real(json, levels[i].size);
		json_key(json, "distance");
		json_put_real(json, levels[i].distance);
		json_key(json, "top");
		json_put_real(json, levels[i].top);
		json_key(json, "bottom");
		json_put_real(json, levels[i].bottom);
		json_end(json);
	}
	json_end(json);
}

/* Those that can be read. */
static void write_hosts(const struct nodes *nodes, struct json_writer *json)
{
	json_text_member(json, "host", nodes->host);
	json_key(json, "hosts");
	json_begin_array(json);
	for (size_t i = 0; i < nodes->dataset->host_count; i++)
		if (nodes->dataset->hosts[i].own != NULL)
			json_put_text(json, nodes->dataset->hosts[i].name);
	json_end(json);
}

static void write_end(const struct nodes *nodes, struct json_writer *json)
{
	const struct histree_store_info *store = histree_store_info(nodes->dataset->store);
	json_begin_object(json);
	json_text_member(json, "analysis", nodes->info->provider);
	json_text_member(json, "variant", nodes->info->variant);
	json_int_member(json, "nodeSize", nodes->info->node_size);
	json_int_member(json, "depth", nodes->info->depth);
	json_int_member(json, "intervals", (int64_t)nodes->info->interval_count);
	json_key(json, "width");
	json_put_real(json, nodes->width);
	json_key(json, "analyses");
	json_begin_array(json);
	for (size_t i = 0; i < nodes->dataset->history_count; i++)
		json_put_string(json, store->histories[i].analysis, strlen(store->histories[i].analysis));
	json_end(json);
	if (nodes->host != NULL)
		write_hosts(nodes, json);
	write_levels(nodes, json);
	json_end(json);
}

static enum histree_status nodes_next(void *state, struct json_writer *json, struct histree_error *error)
{
	struct nodes *nodes = state;
	uint32_t left = nodes->count - nodes->next, count = left < NODES_PER_STEP ? left : NODES_PER_STEP;
	char *room = piece_room(json->piece, (size_t)count * NODE_SIZE);
	if (room == NULL)
		return error_memory(error, "nodes");
	for (uint32_t i = 0; i < count; i++)
		put_node((uint8_t *)room + (size_t)i * NODE_SIZE, &nodes->nodes[nodes->next + i],
			 nodes->info->start);
	json->piece->size += (size_t)count * NODE_SIZE;
	nodes->next += count;
	if (nodes->next < nodes->count)
		return HISTREE_OK;
	write_end(nodes, json);
	return HISTREE_END;
}

/* ---- the request ------------------------------------------------------------------------------------- */

static bool has_wall(const struct histree_node_level *levels, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (levels[i].rows > 1)
			return true;
	return false;
}

/*
 * Walls become lower in a wider picture: it has the shape of `width` x `height` in the end, as far as they allow.
 */
static void fit_shape(struct nodes *nodes, double width, double height)
{
	uint32_t count;
	const struct histree_node_level *levels = histree_tree_layout_levels(nodes->layout, &count);
	while (nodes->width * WIDER <= WIDTH_MAX && has_wall(levels, count) &&
	       levels[0].bottom * width > nodes->width * height) {
		nodes->width *= WIDER;
		histree_tree_layout_arrange(nodes->layout,
					    &(struct histree_tree_layout_options){ .width = nodes->width });
	}
}

/* The analysis that is named, or the first, of the host that is named, or the first one that has it. */
static struct histree_history *look_for_history(const struct dataset *dataset, const char *analysis,
						const char *name, const char **host)
{
	struct histree_history *found = NULL;
	analysis = *analysis != '\0' ? analysis : dataset->analyses[0];
	*host = NULL;
	if (dataset->host_count == 0)
		return dataset_history(dataset, analysis);
	for (size_t i = 0; i < dataset->host_count && found == NULL; i++) {
		const struct dataset_host *one = &dataset->hosts[i];
		if (one->own == NULL || (*name != '\0' && strcmp(one->name, name) != 0))
			continue;
		found = dataset_history(one->own, analysis);
		*host = one->name;
	}
	return found;
}

/* Returns false if it has answered. */
static bool find_history(const struct call *call, struct nodes *nodes, struct histree_history **out)
{
	*out = nodes->dataset->history_count > 0 ? look_for_history(nodes->dataset, page_text(call, "analysis"),
								    page_text(call, "host"), &nodes->host)
						 : NULL;
	if (*out == NULL)
		reply_error(call->reply, HTTP_NOT_FOUND, "there is no such analysis");
	return *out != NULL;
}

void api_nodes(struct call *call)
{
	struct histree_history *history;
	struct histree_error error = { 0 };
	int64_t width, height;
	struct nodes *nodes = calloc(1, sizeof(*nodes));
	if (nodes == NULL) {
		reply_error(call->reply, HTTP_SERVER_ERROR, "out of memory");
		return;
	}
	if (!page_dataset(call, &nodes->dataset) || !find_history(call, nodes, &history) ||
	    !page_number(call, "width", 100, WIDTH_MAX, WIDTH_USUAL, &width) ||
	    !page_number(call, "height", 0, WIDTH_MAX, 0, &height)) {
		nodes_free(nodes);
		return;
	}
	nodes->width = (double)width;
	const struct histree_tree_layout_options options = { .width = nodes->width };
	if (histree_tree_layout_create(history, &options, reply_cancel(call->reply), &nodes->layout, &error) !=
	    HISTREE_OK) {
		reply_failure(call->reply, &error);
		nodes_free(nodes);
		return;
	}
	if (height > 0)
		fit_shape(nodes, (double)width, (double)height);
	uint8_t count[4];
	nodes->info = histree_history_info(history);
	nodes->nodes = histree_tree_layout_nodes(nodes->layout, &nodes->count);
	put_le32(count, nodes->count);
	call->reply->content_type = "application/octet-stream";
	piece_put(&call->reply->piece, "HTN1", 4);
	piece_put(&call->reply->piece, count, sizeof(count));
	reply_steps(call->reply, &(struct reply_steps){ nodes_next, nodes_free, nodes });
}
