// SPDX-License-Identifier: MIT
/*
 * experiment_manifest.c - what a store of several hosts says of them and of itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/time_text.h"
#include "pipeline/experiment_inside.h"
#include "pipeline/hosts_summary.h"
#include "pipeline/publish_clock.h"
#include "store_folder/manifest.h"

/* So that a manifest of many hosts with many warnings is one that can be read; each host has all of its own. */
enum { WARNINGS_MAX = 1000 };

/* What goes into the manifest; lists and strings are in an arena of its own. */
struct summary {
	struct arena arena;
	struct histree_store_info info;
	struct hosts_summary of_hosts;
	const char **traces, **warnings;
	size_t warnings_left_out;
};

static enum histree_status begin_summary(struct summary *summary, const struct histree_experiment *experiment,
					 struct histree_error *error)
{
	struct arena *arena = &summary->arena;
	size_t count = experiment->count;
	struct histree_store_host *hosts =
		arena_allocate(arena, count * sizeof(*hosts), _Alignof(struct histree_store_host));
	summary->warnings = arena_allocate(arena, (experiment->warning_count + WARNINGS_MAX + 1) * sizeof(char *),
					   _Alignof(char *));
	size_t trace_count;
	summary->traces = experiment_traces(experiment, &trace_count);
	if (hosts == NULL || summary->warnings == NULL || summary->traces == NULL)
		return error_memory(error, "the manifest");
	for (size_t i = 0; i < count; i++)
		hosts[i] = (struct histree_store_host){
			.name = experiment->hosts[i].name,
			.trace_count = experiment->hosts[i].path_count,
			.folder = experiment->hosts[i].folder,
			.clock = experiment->hosts[i].clock,
			.neighbour = experiment->hosts[i].neighbour,
			.start = 0,
			.end = -1,
		};
	for (size_t i = 0; i < experiment->warning_count; i++)
		summary->warnings[i] = experiment->warnings[i];
	summary->info = (struct histree_store_info){
		.made_by = "histree " HISTREE_VERSION,
		.options = experiment->recipe,
		.traces = summary->traces,
		.trace_count = trace_count,
		.warnings = summary->warnings,
		.warning_count = experiment->warning_count,
		.ignores_gaps = experiment->options.ignore_gaps,
		.null_empty_stacks = experiment->options.null_empty_stacks,
		.partial_histories = experiment->options.backend == HISTREE_BACKEND_PARTIAL,
		.checkpoint_events = experiment->options.checkpoint_events,
		.symbols = experiment->options.symbols,
		.symbol_count = experiment->options.symbol_count,
		.no_symbols = experiment->options.no_symbols,
	};
	return hosts_summary_begin(&summary->of_hosts, arena, &summary->info, hosts, count, error);
}

static void release_summary(struct summary *summary)
{
	free(summary->traces);
	arena_release(&summary->arena);
}

static enum histree_status write_manifest(struct histree_experiment *experiment, struct summary *summary,
					  struct histree_error *error)
{
	char *path = experiment_path(experiment, MANIFEST_FILE);
	if (path == NULL)
		return error_memory(error, "a path");
	summary->info.build_ns = publish_clock_now() - experiment->begun_ns;
	return manifest_write(experiment->io, path, &summary->info, error);
}

enum histree_status experiment_write_plan(struct histree_experiment *experiment, struct histree_error *error)
{
	struct summary summary = { 0 };
	enum histree_status status = begin_summary(&summary, experiment, error);
	if (status == HISTREE_OK)
		status = write_manifest(experiment, &summary, error);
	release_summary(&summary);
	return status;
}

/* ---- of what was built ----------------------------------------------------------------------------------- */

static enum histree_status add_warnings(struct summary *summary, const char *name,
					const struct histree_store_info *host, size_t room,
					struct histree_error *error)
{
	for (size_t i = 0; i < host->warning_count; i++) {
		if (summary->info.warning_count >= room) {
			summary->warnings_left_out++;
			continue;
		}
		size_t size = strlen("host '': ") + strlen(name) + strlen(host->warnings[i]) + 1;
		char *sentence = arena_allocate(&summary->arena, size, 1);
		if (sentence == NULL)
			return error_memory(error, "the manifest");
		snprintf(sentence, size, "host '%s': %s", name, host->warnings[i]);
		summary->warnings[summary->info.warning_count++] = sentence;
	}
	return HISTREE_OK;
}

static enum histree_status add_host(struct histree_experiment *experiment, struct summary *summary, size_t index,
				    struct histree_error *why, struct histree_error *error)
{
	const struct histree_experiment_host *host = &experiment->hosts[index];
	size_t room = experiment->warning_count + WARNINGS_MAX;
	char *folder = experiment_path(experiment, host->folder);
	char *path = folder != NULL ? arena_allocate(&summary->arena, strlen(folder) + sizeof("/" MANIFEST_FILE), 1)
				    : NULL;
	struct histree_store_info info;
	if (path == NULL)
		return error_memory(error, "a path");
	strcat(strcpy(path, folder), "/" MANIFEST_FILE);
	enum histree_status status = manifest_read(experiment->io, path, &summary->arena, &info, error);
	if (status == HISTREE_NOT_FOUND || (status == HISTREE_OK && !info.complete))
		return error_set(error, HISTREE_ERR_INCOMPLETE,
				 "host '%s' is not built: '%s' cannot be completed without it", host->name,
				 experiment->building);
	if (status != HISTREE_OK)
		return status;
	if (info.partial && !summary->info.partial)
		snprintf(why->message, sizeof(why->message), "host '%s': %s", host->name,
			 info.warning_count > 0 ? info.warnings[0] : "some of its trace could not be read");
	hosts_summary_add(&summary->of_hosts, index, &info);
	/* The names of its files are on disk; its own is not yet. */
	status = io_sync_folder_of(experiment->io, folder, error);
	return status == HISTREE_OK ? add_warnings(summary, host->name, &info, room, error) : status;
}

/* What was asked for by name, and applies to some hosts only, or to none. */
static enum histree_status note_analyses_without_host(const struct histree_experiment *experiment,
						      struct summary *summary, struct histree_error *error)
{
	for (size_t i = 0; experiment->options.analyses != NULL && i < experiment->options.analysis_count; i++) {
		const char *analysis = experiment->options.analyses[i];
		char sentence[160];
		if (hosts_summary_has(&summary->of_hosts, analysis) ||
		    summary->info.warning_count >= experiment->warning_count + WARNINGS_MAX)
			continue;
		snprintf(sentence, sizeof(sentence), "analysis '%s' applies to the traces of no host", analysis);
		const char *copy = arena_copy(&summary->arena, sentence, strlen(sentence));
		if (copy == NULL)
			return error_memory(error, "the manifest");
		summary->warnings[summary->info.warning_count++] = copy;
	}
	return HISTREE_OK;
}

static bool was_recorded(const struct histree_store_host *host)
{
	return host->event_count > 0 && host->start <= host->end;
}

/* Whether another host was recorded at some time at which this one was, or there is none to be compared with. */
static bool meets_another(const struct histree_store_info *info, size_t index)
{
	const struct histree_store_host *host = &info->hosts[index];
	bool is_alone = true;
	for (size_t i = 0; i < info->host_count; i++) {
		const struct histree_store_host *other = &info->hosts[i];
		if (i == index || !was_recorded(other))
			continue;
		if (host->start <= other->end && other->start <= host->end)
			return true;
		is_alone = false;
	}
	return is_alone;
}

static enum histree_status note_apart(struct summary *summary, const struct histree_store_host *host,
				      struct histree_error *error)
{
	char start[TIME_TEXT_SIZE], end[TIME_TEXT_SIZE], sentence[320];
	time_format_date(host->start, start);
	time_format_date(host->end, end);
	snprintf(sentence, sizeof(sentence),
		 "host '%.96s': from %s to %s no other host was recorded; if their clocks differ, '--clock "
		 "HOST=OFFSET' says by how much",
		 host->name, start, end);
	const char *copy = arena_copy(&summary->arena, sentence, strlen(sentence));
	if (copy == NULL)
		return error_memory(error, "the manifest");
	summary->warnings[summary->info.warning_count++] = copy;
	return HISTREE_OK;
}

/*
 * Hosts of different times are rarely what was meant: more often a clock counts from the start of its machine, and
 * nobody said so.  The first host comes last, as it is only told where no other is: of two, both are apart.
 */
static enum histree_status note_hosts_apart(const struct histree_experiment *experiment, struct summary *summary,
					    struct histree_error *error)
{
	const size_t before = summary->info.warning_count, count = summary->info.host_count;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 1; i <= count && status == HISTREE_OK; i++) {
		size_t index = i % count;
		const struct histree_store_host *host = &summary->info.hosts[index];
		bool has_room = summary->info.warning_count < experiment->warning_count + WARNINGS_MAX;
		if (has_room && was_recorded(host) && !meets_another(&summary->info, index) &&
		    (index > 0 || summary->info.warning_count == before))
			status = note_apart(summary, host, error);
	}
	return status;
}

static enum histree_status count_left_out(struct summary *summary, struct histree_error *error)
{
	char sentence[96];
	if (summary->warnings_left_out == 0)
		return HISTREE_OK;
	snprintf(sentence, sizeof(sentence), "and %zu more warnings, which the stores of the hosts have",
		 summary->warnings_left_out);
	const char *copy = arena_copy(&summary->arena, sentence, strlen(sentence));
	if (copy == NULL)
		return error_memory(error, "the manifest");
	summary->warnings[summary->info.warning_count++] = copy;
	return HISTREE_OK;
}

enum histree_status experiment_write_manifest(struct histree_experiment *experiment, bool *is_partial,
					      struct histree_error *why, struct histree_error *error)
{
	struct summary summary = { 0 };
	enum histree_status status = begin_summary(&summary, experiment, error);
	for (size_t i = 0; i < experiment->count && status == HISTREE_OK; i++)
		status = add_host(experiment, &summary, i, why, error);
	if (status == HISTREE_OK)
		status = note_analyses_without_host(experiment, &summary, error);
	if (status == HISTREE_OK)
		status = note_hosts_apart(experiment, &summary, error);
	if (status == HISTREE_OK)
		status = count_left_out(&summary, error);
	summary.info.complete = true;
	if (status == HISTREE_OK)
		status = write_manifest(experiment, &summary, error);
	*is_partial = summary.info.partial;
	release_summary(&summary);
	return status;
}
