// SPDX-License-Identifier: MIT
/*
 * build_manifest.c - writes what the manifest says of the trace and of the store.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/monotonic.h"
#include "pipeline/build/build.h"
#include "pipeline/build/slice_run.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"

struct trace_report build_report(const struct build *build)
{
	struct trace_report report = event_stream_report(&build->stream);
	if (build_is_cut(build)) {
		const struct job_slices_counts counts = job_slices_counts(build->jobs[0].slices);
		report.events = counts.events;
		report.bytes_done = (uint64_t)((double)report.bytes_total * counts.share);
	}
	return report;
}

bool build_is_partial(const struct build *build)
{
	return build_report(build).damaged_streams > 0 || build->cut_short != NULL;
}

/*
 * A history of the kernel without a state says what to record, unless programs tell of themselves: texts of ftrace
 * and traces of Perfetto with nothing but that are ones of no kernel.
 */
static bool is_of_programs(const struct build *build, const struct analysis_job *job)
{
	const struct analysis *analysis = job->entry->analysis;
	bool is_empty = analysis != NULL && analysis->is_empty != NULL && analysis->is_empty(job->instance);
	for (size_t i = 0; i < build->job_count && is_empty; i++)
		if (build->jobs[i].entry->analysis == &analysis_tracks &&
		    analysis_job_missing(&build->jobs[i]) == NULL)
			return true;
	return false;
}

bool build_leaves_out(const struct build *build, const struct analysis_job *job)
{
	if (job->is_named || job->instance == NULL)
		return false;
	return is_of_programs(build, job) || (job->entry->if_any && analysis_job_is_empty(job));
}

/* What a kernel could tell is said of a trace that is one of a kernel. */
static bool is_of_a_kernel(const struct build *build)
{
	for (size_t i = 0; i < build->job_count; i++)
		if (build->jobs[i].entry->analysis == &analysis_kernel)
			return !is_of_programs(build, &build->jobs[i]);
	return build_has_already(build, analysis_kernel.name);
}

/* Names of what is left out for want of events that could have been recorded.  Returns how many. */
static size_t list_lacking(const struct build *build, const char **names)
{
	size_t count = 0;
	for (size_t i = 0; i < build->job_count && is_of_a_kernel(build); i++)
		if (build->jobs[i].entry->events != NULL && build_leaves_out(build, &build->jobs[i]))
			names[count++] = registry_name(build->jobs[i].entry);
	return count;
}

/* Returns a sentence without the name of its analysis, or NULL. */
static const char *missing_of(const struct build *build, struct analysis_job *job)
{
	const bool is_silent = build_leaves_out(build, job) && !job->entry->is_of_line;
	const char *missing = is_silent ? NULL : analysis_job_missing(job);
	return missing != NULL ? missing + strlen(registry_name(job->entry)) + strlen(": ") : NULL;
}

/* Whether an analysis before the job says the same. */
static bool is_said_before(const struct build *build, const struct analysis_job *job, const char *sentence)
{
	for (struct analysis_job *before = build->jobs; before < job; before++) {
		const char *other = missing_of(build, before);
		if (other != NULL && strcmp(other, sentence) == 0)
			return true;
	}
	return false;
}

/* Say what several analyses have to say of the trace once, for all of them; *out becomes NULL if it has been. */
static enum histree_status say_once(struct build *build, size_t index, const char **out)
{
	const char *sentence = missing_of(build, &build->jobs[index]);
	size_t size;
	*out = NULL;
	if (sentence == NULL || is_said_before(build, &build->jobs[index], sentence))
		return HISTREE_OK;
	free(build->said[index]);
	build->said[index] = NULL;
	FILE *text = open_memstream(&build->said[index], &size);
	if (text == NULL)
		return error_memory(build->error, "a message");
	fputs(registry_name(build->jobs[index].entry), text);
	for (size_t i = index + 1; i < build->job_count; i++) {
		const char *other = missing_of(build, &build->jobs[i]);
		if (other != NULL && strcmp(other, sentence) == 0)
			fprintf(text, ", %s", registry_name(build->jobs[i].entry));
	}
	fprintf(text, ": %s", sentence);
	if (fclose(text) != 0)
		return error_memory(build->error, "a message");
	*out = build->said[index];
	return HISTREE_OK;
}

/* What is wrong with the trace, as the store keeps it; there is room for all sentences. */
static enum histree_status list_warnings(struct build *build, const struct trace_report *report,
					 const char **warnings, size_t *out)
{
	size_t count = 0;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < report->warning_count; i++)
		warnings[count++] = report->warnings[i];
	if (build->cut_short != NULL)
		warnings[count++] = build->cut_short;
	if (build->cut_depth != NULL)
		warnings[count++] = build->cut_depth;
	if (build->only_events != NULL)
		warnings[count++] = build->only_events;
	if (build->said == NULL && build->job_count > 0)
		build->said = calloc(build->job_count, sizeof(*build->said));
	if (build->said == NULL && build->job_count > 0)
		return error_memory(build->error, "a message");
	for (size_t i = 0; i < build->job_count && status == HISTREE_OK; i++) {
		const char *missing;
		const char *unsure =
			build_leaves_out(build, &build->jobs[i]) ? NULL : analysis_job_unsure(&build->jobs[i]);
		status = say_once(build, i, &missing);
		if (missing != NULL)
			warnings[count++] = missing;
		if (unsure != NULL)
			warnings[count++] = unsure;
	}
	if (event_index_missing(&build->index) != NULL)
		warnings[count++] = event_index_missing(&build->index);
	*out = count;
	return status;
}

/* R-trees are as deep as the memory lets them be: the first history with flatter ones than asked for is named. */
static enum histree_status note_depth(struct build *build, const struct analysis_job *job)
{
	static const struct histree_open_options plain = { .no_overviews = true };
	const struct histree_tree_options *tree = &build->options->tree;
	if (tree->r_depth == 0 || tree->variant == NULL || strcmp(tree->variant, "rsht") != 0 ||
	    build->options->backend != HISTREE_BACKEND_DISK || build->cut_depth != NULL)
		return HISTREE_OK;
	char *path = store_folder_path(&build->folder, job->file);
	struct histree_history *history = NULL;
	if (path == NULL)
		return error_memory(build->error, "a path");
	enum histree_status status = histree_history_open(path, &plain, &history, build->error);
	const uint32_t depth = status == HISTREE_OK ? histree_history_info(history)->r_depth : 0;
	if (status == HISTREE_OK && depth < tree->r_depth &&
	    asprintf(&build->cut_depth,
		     "%s: R-trees have %u levels and not %u, as one of so many has no room in the memory: build it "
		     "with more (--memory)",
		     registry_name(job->entry), depth, tree->r_depth) < 0) {
		build->cut_depth = NULL;
		status = error_memory(build->error, "a message");
	}
	histree_history_close(history);
	free(path);
	return status;
}

enum histree_status build_write_manifest(struct build *build, bool complete, histree_time end)
{
	assert(build->stage == (complete ? STAGE_INDEXED : STAGE_NONE));
	struct trace_report report = build_report(build);
	struct arena joined = { 0 };
	const char **warnings = calloc(report.warning_count + 4 + 2 * build->job_count, sizeof(*warnings));
	struct histree_store_history *histories = calloc(build->job_count + 1, sizeof(*histories));
	struct histree_store_segments *segments = calloc(build->job_count + 1, sizeof(*segments));
	const char **lacking = calloc(build->job_count + 1, sizeof(*lacking));
	size_t history_count = 0, segments_count = 0, warning_count = 0;
	char *path = store_folder_path(&build->folder, MANIFEST_FILE);
	enum histree_status status = HISTREE_ERR_MEMORY;
	if (warnings == NULL || histories == NULL || segments == NULL || lacking == NULL || path == NULL) {
		error_memory(build->error, "the manifest");
		goto out;
	}
	status = HISTREE_OK;
	for (size_t i = 0; status == HISTREE_OK && i < build->job_count; i++) {
		struct analysis_job *job = &build->jobs[i];
		uint64_t identity = 0;
		if (complete && build_leaves_out(build, job)) {
			assert(job->is_dropped);
			continue;
		}
		if (complete || analysis_job_makes_history(job))
			status = store_folder_identify(&build->folder, job->file, &identity, build->error);
		if (status == HISTREE_OK && complete && analysis_job_makes_history(job))
			status = note_depth(build, job);
		if (analysis_job_makes_history(job))
			histories[history_count++] = analysis_job_describe_history(job, identity);
		else if (complete)
			segments[segments_count++] = analysis_job_describe_segments(job, identity);
	}
	if (status == HISTREE_OK)
		status = list_warnings(build, &report, warnings, &warning_count);
	if (status != HISTREE_OK)
		goto out;
	struct histree_store_info info = {
		.made_by = "histree " HISTREE_VERSION,
		.traces = build->options->traces,
		.trace_count = build->options->trace_count,
		.options = build->recipe,
		.histories = histories,
		.history_count = history_count,
		.segments = segments,
		.segments_count = segments_count,
		.index_identity = complete ? build->index_identity : 0,
		.complete = complete,
		.partial = build_is_partial(build),
		.warnings = warnings,
		.warning_count = warning_count,
		.lacking = lacking,
		.lacking_count = complete ? list_lacking(build, lacking) : 0,
		.event_count = report.events,
		.clock_steps_back = report.clock_steps_back,
		.discarded_events = report.discarded_events,
		.discarded_packets = report.discarded_packets,
		.repeated_packets = report.repeated_packets,
		.gap_count = report.gaps,
		.ignores_gaps = build->options->ignore_gaps,
		.null_empty_stacks = build->options->null_empty_stacks,
		.partial_histories = build->options->backend == HISTREE_BACKEND_PARTIAL,
		.checkpoint_events = build->options->checkpoint_events,
		.symbols = build->options->symbols,
		.symbol_count = build->options->symbol_count,
		.no_symbols = build->options->no_symbols,
		.host = build->host->name,
		.clock = build->host->clock,
		.start = build->start,
		.end = end,
		.build_ns = monotonic_ns() - build->begun_ns,
	};
	if (build->old != NULL)
		status = build_join_manifests(build, &info, &joined);
	if (status == HISTREE_OK)
		status = manifest_write(build->io, path, &info, build->error);
out:
	arena_release(&joined);
	free(path);
	free(segments);
	free(histories);
	free(lacking);
	free(warnings);
	return status;
}
