// SPDX-License-Identifier: MIT
/*
 * property_history.c - the same through the public interface: changes into a state system, a file on disk or in
 * memory, queries on the history.  Each attribute and the whole file are compared with what the changes say.
 */
#include "driver.h"
#include "history_case.h"
#include "histree/states.h"
#include "support/history_subject.h"
#include "support/test.h"
#include "tree/tree_shape.h"

enum { QUESTIONS = 40 };

/* ---- comparing ----------------------------------------------------------------------------------------- */

static const char *check_single(struct history_case *test, struct histree_cursor *query,
				const struct reference *reference, struct random *random)
{
	for (int i = 0; i < QUESTIONS && reference->count > 0; i++) {
		const struct histree_interval *some = &reference->sorted[random_below(random, reference->count)];
		histree_time t = random_percent(random, 50) ? some->start : some->end;
		struct histree_interval found;
		struct histree_error error;
		if (histree_query_single(query, some->quark, t, &found, &error) != HISTREE_OK) {
			snprintf(test->fault, sizeof(test->fault), "single: %s", error.message);
			return test->fault;
		}
		if (found.start != some->start || found.end != some->end ||
		    !histree_value_equal(&found.value, &some->value))
			return "a single query found another interval";
	}
	return NULL;
}

/* What was seen of the nodes, by number. */
struct nodes_seen {
	struct histree_node *nodes;
	uint64_t *at_height;
	uint64_t count, bytes_used;
	const char *fault;
};

static bool see_node(void *context, const struct histree_node *node)
{
	struct nodes_seen *seen = context;
	if (node->parent == HISTREE_NO_NODE) {
		seen->fault = seen->count > 0 ? "a second root among the nodes" : NULL;
	} else {
		const struct histree_node *parent = &seen->nodes[node->parent];
		if (parent->bytes == 0 || parent->height <= node->height || parent->child_count == 0)
			seen->fault = "a node before its parent, or of a strange height";
		if (node->start < parent->start || node->end > parent->end)
			seen->fault = "a node that reaches out of its parent";
	}
	if (node->bytes_used > node->bytes || seen->nodes[node->number].bytes != 0)
		seen->fault = "a node that is too full, or was there before";
	seen->nodes[node->number] = *node;
	seen->at_height[node->height]++;
	seen->bytes_used += node->bytes_used;
	seen->count++;
	return seen->fault == NULL;
}

/* The list of nodes is that of the statistics, which were counted while the tree was written. */
static const char *check_nodes(struct histree_history *history)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct nodes_seen seen = { .nodes = calloc(info->node_count, sizeof(*seen.nodes)),
				   .at_height = calloc(info->depth, sizeof(*seen.at_height)),
				   .fault = "out of memory" };
	if (seen.nodes != NULL && seen.at_height != NULL &&
	    histree_history_nodes(history, see_node, &seen, NULL) == HISTREE_OK && seen.fault == NULL &&
	    (seen.count != info->node_count || seen.bytes_used != info->node_bytes_used ||
	     memcmp(seen.at_height, info->nodes_at_height, info->depth * sizeof(*seen.at_height)) != 0))
		seen.fault = "the nodes are not those of the statistics";
	free(seen.nodes);
	free(seen.at_height);
	return seen.fault;
}

static const char *check_history(struct history_case *test, struct histree_history *history,
				 const struct reference *reference)
{
	struct histree_cursor *query;
	struct random random = { test->seed };
	const char *fault = history_compare(history, reference, test->seed, QUESTIONS, test->fault);
	if (fault == NULL)
		fault = check_nodes(history);
	if (fault != NULL)
		return fault;
	if (histree_query_create(history, &query, NULL) != HISTREE_OK)
		return "out of memory";
	fault = check_single(test, query, reference, &random);
	histree_cursor_free(query);
	return fault;
}

static void answers_as_its_changes_say(const void *chosen, uint64_t seed)
{
	const struct workload_kind *kind = chosen;
	static const uint32_t node_sizes[] = { 4 << 10, 64 << 10 };
	struct workload workload;
	assert_true(workload_make(&workload, kind, seed));
	for (size_t shape = 0; tree_variants[shape / 2] != NULL; shape++) {
		struct history_case test = {
			.check = check_history,
			.options = { .variant = tree_variants[shape / 2]->name,
				     .node_size = node_sizes[shape % 2],
				     .fan_out = 7,
				     .nulls = (enum histree_nulls)((seed + shape) % 3) },
			.seed = seed,
		};
		history_case_check(&test, "history", &workload, kind->name);
		test.in_memory = true;
		history_case_check(&test, "history", &workload, kind->name);
	}
	workload_release(&workload);
}

PROPERTIES({ KINDS(workload_kinds), .rounds = 1, .check = answers_as_its_changes_say })
