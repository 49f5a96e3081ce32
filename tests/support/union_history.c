// SPDX-License-Identifier: MIT
#include "support/union_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/history_file.h"
#include "support/local_source.h"
#include "tree/tree_shape.h"

/* What one host has, and how its names begin: some are numbers, and the order of names is not that of hosts. */
static const char *const names[UNION_HOSTS_MAX] = { "VM1", "7", "a/b", "web.example", "VM0", "07", "\\z" };

struct making {
	struct union_history *made;
	const struct union_wishes *wishes;
	struct random random;
	struct reference references[UNION_HOSTS_MAX]; /* of the shards */
	struct histree_history_part parts[UNION_HOSTS_MAX];
	char *fault;
};

/*
 * Leave no changes to attributes that are always null: two nulls, the second of which took another state's place,
 * are two intervals in nodes and one where lifetimes stand for nulls.
 */
static bool drop_nulls(struct workload *workload)
{
	size_t count, kept = 0;
	struct histree_interval *intervals = workload_intervals(workload, &count);
	bool *has_state = calloc((size_t)workload->key_count + 1, sizeof(*has_state));
	bool done = intervals != NULL && has_state != NULL;
	for (size_t i = 0; done && i < count; i++)
		has_state[intervals[i].quark] |= intervals[i].value.type != HISTREE_NULL;
	for (size_t i = 0; done && i < workload->count; i++)
		if (has_state[workload->changes[i].quark])
			workload->changes[kept++] = workload->changes[i];
	workload->count = done ? kept : workload->count;
	free(intervals);
	free(has_state);
	return done;
}

static bool choose_workload(struct making *making, size_t host)
{
	struct random *random = &making->random;
	size_t kinds = 0;
	while (workload_kinds[kinds].name != NULL)
		kinds++;
	struct workload_kind kind = host == 0 ? *making->wishes->kind : workload_kinds[random_below(random, kinds)];
	if (kind.changes > 200)
		kind.changes = 200 + random_below(random, kind.changes - 200);
	if (host > 0 && kind.key_count > 100)
		kind.key_count /= 7;
	/* Some hosts meet in time, some do not; what is all of time stays so. */
	if (kind.start > INT64_MIN && random_percent(random, 70))
		kind.start += (histree_time)random_below(random, 2000000) - 1000000;
	return workload_make(&making->made->workloads[host], &kind, random_bits(random)) &&
	       drop_nulls(&making->made->workloads[host]);
}

static bool build(struct making *making, size_t host, const struct histree_tree_options *tree,
		  histree_quark *quarks, struct histree_error *error)
{
	const struct union_wishes *wishes = making->wishes;
	const struct workload *workload = &making->made->workloads[host];
	char *path = making->made->paths[host];
	struct histree_history **out = &making->parts[host].history;
	const struct histree_open_options open = { .cache_bytes = wishes->cache_bytes };
	if (wishes->path == NULL || random_percent(&making->random, 25))
		return history_in_memory(tree, workload, quarks, out, error) == HISTREE_OK;
	snprintf(path, UNION_PATH_SIZE, "%s.%zu", wishes->path, host);
	unlink(path);
	return history_file_build(path, tree, workload, quarks, error) == HISTREE_OK &&
	       histree_history_open(path, &open, out, error) == HISTREE_OK;
}

/* Some hosts are answered for by somebody else, as those of other ranks are. */
static bool lend(struct making *making, size_t host, struct histree_error *error)
{
	struct histree_history *history = making->parts[host].history;
	if (!making->wishes->may_lend || random_percent(&making->random, 70))
		return true;
	making->made->lends = true;
	return local_source_make(history, &making->parts[host].history, error) == HISTREE_OK;
}

static bool make_host(struct making *making, size_t host)
{
	static const uint32_t node_sizes[] = { 4 << 10, 16 << 10, 64 << 10 };
	struct random *random = &making->random;
	struct histree_error error = { .message = "out of memory" };
	size_t variants = 0;
	making->parts[host].name = names[host];
	if (making->wishes->may_miss && host > 0 && random_percent(random, 30)) {
		making->parts[host].why = random_percent(random, 70) ? "its disk is gone" : NULL;
		return true;
	}
	while (tree_variants[variants] != NULL)
		variants++;
	const struct histree_tree_options tree = {
		.variant = tree_variants[random_below(random, variants)]->name,
		.node_size = node_sizes[random_below(random, 3)],
		.fan_out = 7,
		.nulls = (enum histree_nulls)random_below(random, 3),
	};
	if (!choose_workload(making, host))
		return false;
	const struct workload *workload = &making->made->workloads[host];
	histree_quark *quarks = calloc((size_t)workload->key_count + 1, sizeof(*quarks));
	bool done = quarks != NULL && build(making, host, &tree, quarks, &error) && lend(making, host, &error) &&
		    history_file_reference(workload, quarks, &making->references[host]);
	if (!done)
		snprintf(making->fault, 512, "host %zu, variant %s: %.400s", host, tree.variant, error.message);
	free(quarks);
	return done;
}

/* ---- what all of them hold -------------------------------------------------------------------------------- */

static struct histree_interval null_of(histree_quark quark, histree_time start, histree_time end)
{
	return (struct histree_interval){ start, end, quark, histree_null() };
}

static bool unite_references(struct making *making)
{
	struct union_history *made = making->made;
	histree_time start = INT64_MAX, end = INT64_MIN;
	size_t room = made->host_count, count = 0;
	for (size_t i = 0; i < made->host_count; i++) {
		const struct reference *one = &making->references[i];
		if (making->parts[i].history == NULL)
			continue;
		start = one->start < start ? one->start : start;
		end = one->end > end ? one->end : end;
		room += one->count + 2 * (size_t)one->key_count;
	}
	/* Some go on before and after their parts, as if there were others. */
	if (random_percent(&making->random, 30)) {
		start -= start > INT64_MIN + 5000 ? 1 + (histree_time)random_below(&making->random, 5000) : 0;
		end += end < INT64_MAX - 5000 ? (histree_time)random_below(&making->random, 5000) : 0;
	}
	struct histree_interval *all = malloc((room + 1) * sizeof(*all));
	if (all == NULL)
		return false;
	histree_quark next = 0;
	for (size_t i = 0; i < made->host_count; i++) {
		const struct reference *one = &making->references[i];
		histree_quark folder = next++;
		if (making->parts[i].why != NULL) {
			made->missing[made->missing_count++] = folder;
			continue;
		}
		all[count++] = null_of(folder, start, end);
		if (making->parts[i].history == NULL)
			continue;
		for (size_t k = 0; k < one->count; k++) {
			all[count] = one->sorted[k];
			all[count++].quark += next;
		}
		for (uint32_t k = 0; k < one->key_count; k++) {
			if (one->start > start)
				all[count++] = null_of(next + k, start, one->start - 1);
			if (one->end < end)
				all[count++] = null_of(next + k, one->end + 1, end);
		}
		next += one->key_count;
	}
	bool done = reference_make(&made->reference, all, count, start, end, next);
	free(all);
	return done;
}

bool union_history_make(struct union_history *made, const struct union_wishes *wishes, char fault[512])
{
	struct making making = { .made = made, .wishes = wishes, .random = { wishes->seed }, .fault = fault };
	struct histree_error error;
	*made = (struct union_history){ .host_count = 1 + random_below(&making.random, UNION_HOSTS_MAX) };
	snprintf(fault, 512, "out of memory");
	bool done = true;
	for (size_t i = 0; i < made->host_count && done; i++)
		done = make_host(&making, i);
	done = done && unite_references(&making);
	if (!done) {
		for (size_t i = 0; i < made->host_count; i++)
			histree_history_close(making.parts[i].history);
	} else if (histree_history_unite_within(making.parts, made->host_count, made->reference.start,
						made->reference.end, &made->history, &error) != HISTREE_OK) {
		snprintf(fault, 512, "%s", error.message);
		done = false;
	}
	for (size_t i = 0; i < made->host_count; i++)
		reference_release(&making.references[i]);
	return done;
}

void union_history_release(struct union_history *made)
{
	histree_history_close(made->history);
	reference_release(&made->reference);
	for (size_t i = 0; i < made->host_count; i++) {
		workload_release(&made->workloads[i]);
		if (made->paths[i][0] != '\0')
			unlink(made->paths[i]);
	}
	*made = (struct union_history){ 0 };
}
