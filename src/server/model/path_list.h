/* SPDX-License-Identifier: MIT */
/*
 * path_list.h - the critical path of a thread in a range, by our own rules (histree/critical_path.h), thinned to
 * what a chart can show.
 *
 * Of the steps shorter than a pixel, one of each kind is kept for a pixel.  Sums include all steps.
 */
#ifndef SERVER_MODEL_PATH_LIST_H
#define SERVER_MODEL_PATH_LIST_H

#include "base/hash_index.h"
#include "histree/attributes.h"
#include "histree/critical_path.h"
#include "server/catalogue/dataset.h"
#include "server/text/json_writer.h"

/* A thread on the path. */
struct path_place {
	size_t host; /* in histree_history_hosts() of the graph; 0: it is of one */
	int32_t tid;
	histree_time life; /* of those on a path: since when it has had the number */
	size_t next;       /* that had it, too, plus one; 0: none */
};

struct path_request {
	struct path_place thread;
	histree_time from, to; /* both inclusive */
	uint32_t pixels;
	struct histree_work work;
};

struct path_list {
	struct histree_history *history; /* of the graph */
	struct histree_cursor *path;
	struct histree_path_step *steps;
	size_t step_count, step_capacity;
	struct path_place *places; /* in the order in which the path comes to them */
	size_t place_count, place_capacity;
	struct id_map known; /* their numbers plus one, by host and tid */
	uint64_t own_ns[HISTREE_GRAPH_STATE_COUNT], others_ns[HISTREE_GRAPH_STATE_COUNT];
	bool is_all; /* false: it ends before the range does, as it is too long to be walked while a client waits */
};

/* Returns whether there is a graph. */
bool path_list_applies(const struct dataset *dataset);
struct histree_history *path_list_history(const struct dataset *dataset);

/* Reads TID or HOST/TID of a dataset; returns false if the graph has no such thread. */
bool path_list_thread(const struct dataset *dataset, const char *text, struct path_place *out);

/*
 * Walks the path.  A thread that is not in the graph in that range has no steps.  Release the list even after
 * failure.
 */
enum histree_status path_list_make(struct path_list *list, const struct dataset *dataset,
				   const struct path_request *request, struct histree_error *error);
void path_list_release(struct path_list *list);

/* Returns which of the places a thread is, at a time; list->place_count if it is at none. */
size_t path_list_place(const struct path_list *list, size_t host, int32_t tid, histree_time time);

/* Adds what a thread is called: "bash", "(idle)". */
void path_list_name(const struct path_list *list, const struct path_place *place, struct byte_buffer *name);

/* Returns the name of the host of a place, NULL if there is but one. */
const char *path_list_host(const struct path_list *list, const struct path_place *place);

/* Returns the styles of states; NULL: the history has none. */
const struct histree_label_table *path_list_table(const struct histree_history *history);
const struct histree_style *path_list_style(const struct histree_label_table *table,
					    enum histree_graph_state state);

#endif
