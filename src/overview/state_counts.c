// SPDX-License-Identifier: MIT
#include "overview/state_counts.h"

#include <stdlib.h>

#include "base/error.h"
#include "state/history.h"
#include "state/number_summary.h"
#include "tree/tree_counts.h"

struct counting {
	struct state_counts *counts;
	const struct overview_progress *progress;
	histree_quark first; /* of the host that is counted */
	uint32_t attribute_count;
};

static unsigned kind_of(const struct histree_value *value)
{
	if (value->type == HISTREE_CUSTOM)
		return HAS_CUSTOM;
	return number_summary_takes(value) ? HAS_NUMBER : 0;
}

static void count_states(void *context, histree_quark quark, uint32_t states, unsigned kinds)
{
	const struct counting *counting = context;
	struct state_counts *counts = counting->counts;
	if (quark >= counting->attribute_count) /* of a damaged node */
		return;
	quark += counting->first;
	uint32_t *count = &counts->states[quark];
	*count = states < UINT32_MAX - *count ? *count + states : UINT32_MAX;
	counts->kinds[quark] |= (uint8_t)kinds;
}

static enum histree_status go_on(void *context, double share, struct histree_error *error)
{
	return overview_progress_show(((struct counting *)context)->progress, share, error);
}

enum histree_status state_counts_make(struct state_counts *counts, struct histree_history *history,
				      const struct overview_progress *progress, struct histree_error *error)
{
	uint32_t attribute_count = histree_history_info(history)->attribute_count;
	*counts = (struct state_counts){
		.states = calloc((size_t)attribute_count + 1, sizeof(*counts->states)),
		.kinds = calloc((size_t)attribute_count + 1, sizeof(*counts->kinds)),
		.attribute_count = attribute_count,
	};
	if (counts->states == NULL || counts->kinds == NULL)
		return error_memory(error, "an overview");
	struct counting counting = { counts, progress, 0, attribute_count };
	const struct node_counter counter = { .class_of = kind_of, .count = count_states, .context = &counting };
	size_t host_count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &host_count);
	if (hosts == NULL)
		return tree_count(history_tree(history), &counter, go_on, error);
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < host_count && status == HISTREE_OK; i++) {
		counting.first = hosts[i].folder + 1;
		counting.attribute_count = hosts[i].count;
		if (hosts[i].history != NULL)
			status = tree_count(history_tree(hosts[i].history), &counter, go_on, error);
	}
	return status;
}

void state_counts_release(struct state_counts *counts)
{
	free(counts->states);
	free(counts->kinds);
	*counts = (struct state_counts){ 0 };
}
