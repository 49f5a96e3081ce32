/* SPDX-License-Identifier: MIT */
/*
 * tree_reply.h - the answer to `tree`: headers, and entries one by one.
 *
 * An answer has the members of the entries of all kinds of trees: clients ignore those of the others.
 */
#ifndef SERVER_TSP_TREE_REPLY_H
#define SERVER_TSP_TREE_REPLY_H

#include "server/tsp/output.h"

struct tree_header {
	const char *name, *tooltip; /* name NULL ends a list */
	const char *type;           /* NULL: STRING */
};

/* The members that every entry has; then come the output's own. */
struct tree_entry {
	int64_t id, parent;      /* parent -1: none */
	histree_time start, end; /* end inclusive */
	bool has_data;
	bool is_default; /* shown in a chart that has just been opened */
};

struct tree_source {
	const struct tree_header *headers;
	int auto_expand_level; /* -1: all */
	/* Begin entry `index` with tree_entry_begin(), add labels and what else there is; false: there is none. */
	bool (*entry)(const void *context, size_t index, struct json_writer *json);
	/* Frees the context; NULL if that is the output's view, which the dataset keeps. */
	void (*free)(void *context);
};

/* The answer takes the context where the source can free it. */
void tree_reply(const struct output_call *output, const struct tree_source *source, void *context);

/* Opens the entry's object; the writer of the entry adds members, the first one being `labels`. */
void tree_entry_begin(struct json_writer *json, const struct tree_entry *entry);

/* The member of an entry with but one label. */
void tree_entry_label(struct json_writer *json, const char *text, size_t size);

#endif
