// SPDX-License-Identifier: MIT
#include "support/history_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "histree/attributes.h"
#include "state/pyramid.h"

enum { GROUPS = 7 };

static enum histree_status name_attributes(struct histree_state_system *system, uint32_t key_count,
					   histree_quark *quarks, struct histree_error *error)
{
	for (uint32_t key = 0; key < key_count; key++) {
		char path[64];
		snprintf(path, sizeof(path), "Group/%u/%u", key % GROUPS, key);
		enum histree_status status =
			histree_state_attribute(system, HISTREE_ROOT, path, &quarks[key], error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

static enum histree_status fill(struct histree_state_system *system, const struct workload *workload,
				histree_quark *quarks, struct histree_error *error)
{
	enum histree_status status = name_attributes(system, workload->key_count, quarks, error);
	for (size_t i = 0; status == HISTREE_OK && i < workload->count; i++)
		status = histree_state_modify(system, workload->changes[i].at, quarks[workload->changes[i].quark],
					      workload->changes[i].value, error);
	return status == HISTREE_OK ? histree_state_close(system, workload->end, error) : status;
}

static struct histree_history_options options_of(const char *path, const struct histree_tree_options *options,
						 const struct workload *workload)
{
	return (struct histree_history_options){
		.path = path, .provider = "test", .provider_version = 7, .start = workload->start, .tree = *options
	};
}

static const struct histree_label status_labels[] = {
	{ .first = INT32_MIN, .last = INT32_MAX, .is_code = true, .style = { "STATUS", "status", 1, 1, 1 } },
};
static const char *const status_patterns[] = { "Group/*/*", NULL };
static const struct histree_label_table statuses = {
	.name = "status", .patterns = status_patterns, .labels = status_labels, .label_count = 1
};

static enum histree_status build(const char *path, const struct histree_tree_options *options,
				 const struct workload *workload, histree_quark *quarks, size_t table_count,
				 struct histree_error *error)
{
	const struct histree_history_options chosen = options_of(path, options, workload);
	struct histree_state_system *system;
	enum histree_status status = histree_state_create(&chosen, &system, error);
	if (status == HISTREE_OK && table_count > 0)
		status = histree_state_labels(system, &statuses, table_count, error);
	if (status == HISTREE_OK)
		status = fill(system, workload, quarks, error);
	histree_state_free(system);
	return status;
}

enum histree_status history_file_build(const char *path, const struct histree_tree_options *options,
				       const struct workload *workload, histree_quark *quarks,
				       struct histree_error *error)
{
	return build(path, options, workload, quarks, 0, error);
}

enum histree_status history_file_build_statuses(const char *path, const struct histree_tree_options *options,
						const struct workload *workload, histree_quark *quarks,
						struct histree_error *error)
{
	return build(path, options, workload, quarks, 1, error);
}

enum histree_status history_in_memory(const struct histree_tree_options *options, const struct workload *workload,
				      histree_quark *quarks, struct histree_history **out,
				      struct histree_error *error)
{
	const struct histree_history_options chosen = options_of(NULL, options, workload);
	struct histree_state_system *system;
	*out = NULL;
	enum histree_status status = histree_state_create_in_memory(&chosen, 0, &system, error);
	if (status == HISTREE_OK)
		status = fill(system, workload, quarks, error);
	if (status == HISTREE_OK)
		status = histree_state_history(system, workload->end, NULL, out, error);
	histree_state_free(system);
	return status;
}

bool history_file_reference(const struct workload *workload, const histree_quark *quarks, struct reference *out)
{
	uint32_t groups = workload->key_count < GROUPS ? workload->key_count : GROUPS;
	uint32_t inner = workload->key_count > 0 ? 1 + groups : 0;
	uint32_t keys = workload->key_count + inner;
	size_t count;
	*out = (struct reference){ 0 };
	struct histree_interval *intervals = workload_intervals(workload, &count);
	struct histree_interval *all =
		intervals == NULL ? NULL : realloc(intervals, (count + inner + 1) * sizeof(*all));
	uint8_t *named = calloc((size_t)keys + 1, 1);
	bool done = false;
	if (all == NULL || named == NULL)
		goto out;
	intervals = all;
	for (uint32_t key = 0; key < workload->key_count; key++)
		named[quarks[key]] = 1;
	for (size_t i = 0; i < count; i++)
		intervals[i].quark = quarks[intervals[i].quark];
	for (uint32_t quark = 0; quark < keys; quark++)
		if (!named[quark])
			intervals[count++] = (struct histree_interval){ .start = workload->start,
									.end = workload->end,
									.quark = quark,
									.value = histree_null() };
	done = reference_make(out, intervals, count, workload->start, workload->end, keys);
out:
	free(named);
	free(intervals);
	return done;
}

void history_files_remove(const char *history_path)
{
	char *path = malloc(pyramid_path_size(history_path));
	unlink(history_path);
	for (unsigned id = 0; path != NULL && id < PYRAMIDS; id++)
		for (uint32_t file = 1; file <= pyramid_files_max(id); file++) {
			pyramid_path(id, history_path, file, path);
			unlink(path);
		}
	free(path);
}
