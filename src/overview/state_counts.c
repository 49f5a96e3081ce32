// SPDX-License-Identifier: MIT
#include "overview/state_counts.h"

#include <stdlib.h>

#include "base/error.h"
#include "state/number_summary.h"

enum { READ_AT_ONCE = 512, READS_A_QUESTION = 1024 };

static void count_one(struct state_counts *counts, const struct histree_interval *interval)
{
	if (counts->states[interval->quark] < UINT32_MAX)
		counts->states[interval->quark]++;
	if (interval->value.type == HISTREE_CUSTOM)
		counts->kinds[interval->quark] |= HAS_CUSTOM;
	else if (number_summary_takes(&interval->value))
		counts->kinds[interval->quark] |= HAS_NUMBER;
}

static enum histree_status count_all(struct state_counts *counts, struct histree_query *query,
				     const struct overview_progress *progress, struct histree_error *error)
{
	const struct histree_history_info *of = histree_history_info(histree_query_history(query));
	struct histree_interval batch[READ_AT_ONCE];
	const struct histree_region all = { .from = of->start, .to = of->end };
	size_t count = 0;
	enum histree_status status = histree_query_start(query, &all, error);
	double all_states = (double)(of->interval_count + of->null_interval_count) + 1, read = 0;
	for (uint64_t step = 0; status == HISTREE_OK; step++, read += (double)count) {
		if (step % READS_A_QUESTION == 0)
			status = overview_progress_show(progress, read < all_states ? read / all_states : 1, error);
		if (status == HISTREE_OK)
			status = histree_query_read(query, batch, READ_AT_ONCE, &count, error);
		for (size_t i = 0; status == HISTREE_OK && i < count; i++)
			count_one(counts, &batch[i]);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status state_counts_make(struct state_counts *counts, struct histree_query *query,
				      const struct overview_progress *progress, struct histree_error *error)
{
	uint32_t attribute_count = histree_history_info(histree_query_history(query))->attribute_count;
	*counts = (struct state_counts){
		.states = calloc((size_t)attribute_count + 1, sizeof(*counts->states)),
		.kinds = calloc((size_t)attribute_count + 1, sizeof(*counts->kinds)),
		.attribute_count = attribute_count,
	};
	if (counts->states == NULL || counts->kinds == NULL)
		return error_memory(error, "an overview");
	return count_all(counts, query, progress, error);
}

void state_counts_release(struct state_counts *counts)
{
	free(counts->states);
	free(counts->kinds);
	*counts = (struct state_counts){ 0 };
}
