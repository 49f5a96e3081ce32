// SPDX-License-Identifier: MIT
#include "cli/bench_history.h"

enum histree_status bench_history_init(struct bench_history *bench, struct histree_history *history,
				       struct histree_error *error)
{
	return histree_query_create(history, &bench->query, error);
}

void bench_history_release(struct bench_history *bench)
{
	histree_query_free(bench->query);
	bench->query = NULL;
}

enum { ROOM = 64 };

static enum histree_status ask(void *self, enum bench_shape shape, const struct histree_region *question,
			       struct bench_answer *answer, struct histree_error *error)
{
	struct histree_query *query = ((struct bench_history *)self)->query;
	struct histree_interval found[ROOM];
	size_t count;
	enum histree_status status;
	if (shape == BENCH_SINGLE) {
		status = histree_query_single(query, question->quarks[0], question->from, found, error);
		if (status == HISTREE_OK)
			bench_answer_add(answer, found);
	} else {
		status = histree_query_start(query, question, error);
		while (status == HISTREE_OK &&
		       (status = histree_query_read(query, found, ROOM, &count, error)) == HISTREE_OK)
			for (size_t i = 0; i < count; i++)
				bench_answer_add(answer, &found[i]);
	}
	struct histree_query_stats stats = histree_query_stats(query);
	answer->nodes_visited = stats.nodes_visited;
	answer->nodes_loaded = stats.nodes_loaded;
	return status == HISTREE_END ? HISTREE_OK : status;
}

struct bench_engine bench_history_engine(struct bench_history *bench)
{
	return (struct bench_engine){ .name = "histree", .ask = ask, .self = bench };
}
