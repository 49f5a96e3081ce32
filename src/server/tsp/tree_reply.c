// SPDX-License-Identifier: MIT
#include "server/tsp/tree_reply.h"

#include <stdlib.h>

struct tree {
	struct dataset *dataset; /* held */
	void *context;
	const struct tree_source *source;
	size_t next;
};

static void tree_free(void *state)
{
	struct tree *tree = state;
	if (tree->source->free != NULL)
		tree->source->free(tree->context);
	dataset_release(tree->dataset);
	free(tree);
}

void tree_entry_begin(struct json_writer *json, const struct tree_entry *entry)
{
	json_begin_object(json);
	json_int_member(json, "id", entry->id);
	json_int_member(json, "parentId", entry->parent);
	json_int_member(json, "start", entry->start);
	json_int_member(json, "end", entry->end + 1);
	json_bool_member(json, "hasData", entry->has_data);
	if (entry->is_default)
		json_bool_member(json, "isDefault", true);
}

void tree_entry_label(struct json_writer *json, const char *text, size_t size)
{
	json_key(json, "labels");
	json_begin_array(json);
	json_put_string(json, text, size);
	json_end(json);
}

static void write_headers(struct json_writer *json, const struct tree_header *headers)
{
	json_key(json, "headers");
	json_begin_array(json);
	for (; headers->name != NULL; headers++) {
		json_begin_object(json);
		json_text_member(json, "name", headers->name);
		json_text_member(json, "tooltip", headers->tooltip);
		json_text_member(json, "dataType", headers->type != NULL ? headers->type : "STRING");
		json_end(json);
	}
	json_end(json);
}

static enum histree_status tree_next(void *state, struct json_writer *json, struct histree_error *error)
{
	(void)error;
	struct tree *tree = state;
	while (json->piece->size < PIECE_SIZE) {
		if (!tree->source->entry(tree->context, tree->next++, json))
			return HISTREE_END;
		json_end(json);
	}
	return HISTREE_OK;
}

void tree_reply(const struct output_call *output, const struct tree_source *source, void *context)
{
	struct reply *reply = output->call->reply;
	struct json_writer *json = &reply->json;
	struct tree *tree = malloc(sizeof(*tree));
	if (tree == NULL) {
		if (source->free != NULL)
			source->free(context);
		reply_error(reply, HTTP_SERVER_ERROR, "out of memory");
		return;
	}
	*tree = (struct tree){ dataset_hold(output->dataset), context, source, 0 };
	reply_envelope(reply);
	json_begin_object(json);
	write_headers(json, source->headers);
	if (source->auto_expand_level >= 0)
		json_int_member(json, "autoExpandLevel", source->auto_expand_level);
	json_key(json, "entries");
	json_begin_array(json);
	reply_steps(reply, &(struct reply_steps){ tree_next, tree_free, tree });
}
