// SPDX-License-Identifier: MIT
#include "overview/state_counts.h"

#include "base/error.h"
#include "state/history.h"
#include "state/number_summary.h"
#include "tree/tree_counts.h"

enum { MEMORY_DEFAULT = 64 << 20, SHARE = 4 };

struct counting {
	struct state_counts *counts;
	const struct overview_progress *progress;
	histree_quark first; /* of the host that is counted */
	uint32_t attribute_count;
	bool is_shared; /* several threads count */
};

static unsigned kind_of(const struct histree_value *value)
{
	if (value->type == HISTREE_CUSTOM)
		return HAS_CUSTOM;
	return number_summary_takes(value) ? HAS_NUMBER : 0;
}

/* Another thread may count states of the same attribute. */
static void add_shared(uint32_t *count, uint8_t *kinds_of, uint32_t states, uint8_t kinds)
{
	uint32_t had = __atomic_load_n(count, __ATOMIC_RELAXED), sum;
	do
		sum = states < UINT32_MAX - had ? had + states : UINT32_MAX;
	while (!__atomic_compare_exchange_n(count, &had, sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	if ((__atomic_load_n(kinds_of, __ATOMIC_RELAXED) & kinds) != kinds)
		__atomic_fetch_or(kinds_of, kinds, __ATOMIC_RELAXED);
}

static void count_states(void *context, histree_quark quark, uint32_t states, unsigned kinds)
{
	const struct counting *counting = context;
	struct state_counts *counts = counting->counts;
	if (quark >= counting->attribute_count) /* of a damaged node */
		return;
	quark += counting->first;
	if (counting->is_shared) { /* the caller's thread looks at the tables, see go_on() */
		add_shared(&counts->states[quark], &counts->kinds[quark], states, (uint8_t)kinds);
		return;
	}
	state_counts_pass(counts, quark);
	uint32_t *count = &counts->states[quark];
	*count = states < UINT32_MAX - *count ? *count + states : UINT32_MAX;
	counts->kinds[quark] |= (uint8_t)kinds;
}

static enum histree_status go_on(void *context, double share, struct histree_error *error)
{
	const struct counting *counting = context;
	table_space_look(counting->counts->of_states.space);
	return overview_progress_show(counting->progress, share, error);
}

static bool make_tables(struct state_counts *counts, const char *path, size_t memory_max)
{
	const size_t count = (size_t)counts->attribute_count + 1;
	/* Most is for the windows and trees that come after: counts are read in order, also from a file. */
	if (!table_space_init(&counts->space, path, (memory_max != 0 ? memory_max : MEMORY_DEFAULT) / SHARE))
		return false;
	counts->of_states.space = counts->of_kinds.space = &counts->space;
	counts->states = table_allocate(&counts->of_states, count * sizeof(*counts->states));
	counts->kinds = table_allocate(&counts->of_kinds, count * sizeof(*counts->kinds));
	return counts->states != NULL && counts->kinds != NULL;
}

enum histree_status state_counts_make(struct state_counts *counts, struct histree_history *history,
				      const struct overview_options *options,
				      const struct overview_progress *progress, struct histree_error *error)
{
	uint32_t attribute_count = histree_history_info(history)->attribute_count;
	*counts = (struct state_counts){ .attribute_count = attribute_count };
	if (!make_tables(counts, history_path(history), options->memory_max))
		return error_memory(error, "an overview");
	struct counting counting = {
		.counts = counts,
		.progress = progress,
		.attribute_count = attribute_count,
		.is_shared = options->crew != NULL && options->threads > 1,
	};
	const struct node_counter counter = { .class_of = kind_of, .count = count_states, .context = &counting };
	size_t host_count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &host_count);
	if (hosts == NULL)
		return tree_count(history_tree(history), &counter, options->crew, options->threads, go_on, error);
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < host_count && status == HISTREE_OK; i++) {
		counting.first = hosts[i].folder + 1;
		counting.attribute_count = hosts[i].count;
		if (hosts[i].history != NULL)
			status = tree_count(history_tree(hosts[i].history), &counter, options->crew,
					    options->threads, go_on, error);
	}
	return status;
}

void state_counts_release(struct state_counts *counts)
{
	table_release(&counts->of_states, counts->states);
	table_release(&counts->of_kinds, counts->kinds);
	table_space_release(&counts->space);
	*counts = (struct state_counts){ 0 };
}
