// SPDX-License-Identifier: MIT
#include "support/history_subject.h"
#include "tree/tree_iter.h"

#include <stdio.h>

static enum histree_status query_start(void *query, const struct histree_region *region,
				       struct histree_error *error)
{
	return histree_query_start(query, region, error);
}

static enum histree_status query_next(void *query, struct histree_interval *out, struct histree_error *error)
{
	enum histree_status status = histree_cursor_next(query, error);
	if (status == HISTREE_OK)
		*out = *histree_cursor_interval(query);
	return status;
}

struct tree_counts history_counts(const struct histree_cursor *query)
{
	const struct histree_statistics statistics = histree_cursor_statistics(query);
	return (struct tree_counts){ .nodes_visited = statistics.nodes_visited,
				     .nodes_loaded = statistics.nodes_loaded,
				     .intervals = statistics.rows,
				     .nodes_damaged = histree_cursor_loss(query).nodes };
}

static struct tree_counts query_stats(const void *query)
{
	return history_counts(query);
}

struct subject history_subject(struct histree_cursor *query, const struct histree_history_info *info)
{
	return (struct subject){ .query = query,
				 .start = query_start,
				 .next = query_next,
				 .stats = query_stats,
				 .node_count = info->node_count };
}

static void keep_first_fault(void *context, const char *fault)
{
	char *first = context;
	if (first[0] == '\0')
		snprintf(first, 512, "verify: %.480s", fault);
}

const char *history_compare(struct histree_history *history, const struct reference *reference, uint64_t seed,
			    unsigned questions, char fault[512])
{
	const struct histree_history_info *info = histree_history_info(history);
	struct histree_error error;
	struct answer answer;
	struct histree_cursor *query;
	struct random random = { seed };
	fault[0] = '\0';
	enum histree_status verified = histree_history_verify(history, keep_first_fault, fault, &error);
	/* One that somebody else answers for cannot be verified here. */
	if (verified != HISTREE_OK && verified != HISTREE_ERR_ARGUMENT)
		return fault[0] != '\0' ? fault : "the history could not be verified";
	if (info->interval_count != reference->count || info->attribute_count != reference->key_count ||
	    info->start != reference->start || info->end != reference->end)
		return "the history says other things of itself than it was made of";
	if (!answer_make(&answer, reference))
		return "out of memory";
	const char *found = "out of memory";
	if (histree_query_create(history, &query, &error) == HISTREE_OK) {
		const struct subject subject = history_subject(query, info);
		found = reference_compare_many(reference, &answer, &subject, &random, questions);
		if (found != NULL)
			snprintf(fault, 512, "query: %s", found);
		found = found != NULL ? fault : NULL;
		histree_cursor_free(query);
	}
	answer_release(&answer);
	return found;
}
