// SPDX-License-Identifier: MIT
/*
 * build_choice.c - chooses the analyses of a build.
 */
#include <stdio.h>
#include <string.h>

#include "analysis/registry.h"
#include "base/error.h"
#include "base/table.h"
#include "pipeline/build/build.h"
#include "pipeline/build/slice_worker.h"

/* Returns HISTREE_NOT_FOUND if the analysis applies to none of the traces; to which ones goes to the job. */
static enum histree_status find_traces(const struct build *build, struct analysis_job *job)
{
	enum histree_status status = HISTREE_OK;
	bool any = false;
	for (size_t i = 0; i < trace_count(build->stream.trace) && status == HISTREE_OK; i++) {
		bool applies = false;
		status = analysis_job_meet(job, trace_at(build->stream.trace, i), &applies, build->error);
		any = any || applies;
	}
	return status == HISTREE_OK && !any ? HISTREE_NOT_FOUND : status;
}

/* Segments are kept in a store, and in memory there is one history. */
static enum histree_status check_backend(const struct build *build, const struct registry_entry *entry)
{
	if (build_makes_store(build->options))
		return HISTREE_OK;
	if (entry->analysis == NULL)
		return error_set(
			build->error, HISTREE_ERR_ARGUMENT,
			"analysis '%s' makes segments, which are kept in a store: build it with the disk or the "
			"partial backend",
			registry_name(entry));
	if (build->options->backend == HISTREE_BACKEND_MEMORY && build->job_count > 0)
		return error_set(build->error, HISTREE_ERR_ARGUMENT,
				 "a build in memory is of one analysis: choose '%s' or '%s'",
				 registry_name(build->jobs[0].entry), registry_name(entry));
	return HISTREE_OK;
}

/* Returns HISTREE_NOT_FOUND if the analysis does not apply. */
static enum histree_status add_job(struct build *build, const struct registry_entry *entry)
{
	for (size_t i = 0; i < build->job_count; i++)
		if (build->jobs[i].entry == entry)
			return HISTREE_OK;
	if (!array_reserve(&build->jobs, &build->jobs_capacity, build->job_count + 1))
		return error_memory(build->error, "an analysis");
	struct analysis_job *job = &build->jobs[build->job_count];
	enum histree_status status = analysis_job_init(job, entry, build->error);
	if (status != HISTREE_OK)
		return status;
	status = find_traces(build, job);
	if (status == HISTREE_OK)
		status = check_backend(build, entry);
	if (status != HISTREE_OK) {
		analysis_job_release(job);
		return status;
	}
	build->job_count++;
	return HISTREE_OK;
}

static bool is_default_here(const struct build *build, const struct registry_entry *entry)
{
	for (size_t i = 0; i < trace_count(build->stream.trace); i++)
		if (registry_is_default(entry, trace_at(build->stream.trace, i)))
			return true;
	return false;
}

/*
 * "all" leaves out what a build cannot make, unless nothing else is left: segments without a store, histories that
 * cannot begin in the middle beside partial ones, and, in memory, more than a single history.  Analyses for which
 * the trace may have something are chosen by what the trace is known to contain.
 */
static bool can_be_had(const struct build *build, const struct registry_entry *entry)
{
	const struct analysis *analysis = entry->analysis;
	if (!build_makes_store(build->options))
		return analysis != NULL && !entry->if_any;
	if (entry->if_any && build->job_count == 0 && build->old == NULL)
		return false;
	return build->options->backend != HISTREE_BACKEND_PARTIAL || analysis == NULL || analysis->save != NULL ||
	       build->job_count == 0;
}

/* Whether a name of the options leaves this one out of all: "-futex". */
static bool is_left_out_by_name(const struct build *build, const struct registry_entry *entry)
{
	for (size_t i = 0; i < build->options->analysis_count; i++)
		if (build->options->analyses[i][0] == '-' &&
		    strcmp(build->options->analyses[i] + 1, registry_name(entry)) == 0)
			return true;
	return false;
}

/* All that apply to the trace and are no variants of others. */
static enum histree_status choose_all(struct build *build)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; registry_at(i) != NULL && status >= 0; i++) {
		const struct registry_entry *entry = registry_at(i);
		if (is_default_here(build, entry) && can_be_had(build, entry) &&
		    !is_left_out_by_name(build, entry) && !build_knows_already(build, registry_name(entry)))
			status = add_job(build, entry);
	}
	return status < 0 ? status : HISTREE_OK;
}

static enum histree_status does_not_apply(struct build *build, const struct registry_entry *entry)
{
	const struct event_trace *trace = trace_at(build->stream.trace, 0);
	return error_set(build->error, HISTREE_ERR_ARGUMENT,
			 "analysis '%s' needs %s; this one is by tracer \"%s\", of domain \"%s\"",
			 registry_name(entry), registry_needs(entry), trace->tracer_name, trace->domain);
}

/*
 * Nobody knows what the events mean, but they can be read: a store has them and their index, and says what it
 * lacks.  In memory there would be nothing.
 */
static enum histree_status none_applies(struct build *build)
{
	const struct event_trace *trace = trace_at(build->stream.trace, 0);
	char needs[320];
	registry_default_needs(needs, sizeof(needs));
	if (!build_makes_store(build->options))
		return error_set(build->error, HISTREE_ERR_TRACE,
				 "no analysis applies to '%s', by tracer \"%s\", of domain \"%s\": %s",
				 build->options->traces[0], trace->tracer_name, trace->domain, needs);
	if (asprintf(&build->only_events,
		     "no analysis applies to '%s', which is by tracer \"%s\", of domain \"%s\": the store has "
		     "its events, for 'histree events', 'sql' and 'export --events', and no states; %s%s",
		     build->options->traces[0], trace->tracer_name, trace->domain, needs,
		     trace->kernel_words == EVENT_NO_KERNEL
			     ? ""
			     : "; its sched_switch is that of a kernel: '-a kernel' takes it for a trace of one") >=
	    0)
		return HISTREE_OK;
	build->only_events = NULL;
	return error_memory(build->error, "a message");
}

static enum histree_status is_there_already(struct build *build, const char *name)
{
	return error_set(build->error, HISTREE_ERR_EXISTS,
			 "'%s' already has '%s'; 'histree copy --rebuild' makes all of it again", build->old->path,
			 name);
}

/* The analysis `name`, which is kept even where it has nothing to say.  `is_last` of the names. */
static enum histree_status add_named(struct build *build, const char *name, bool is_last)
{
	const struct registry_entry *entry = registry_find(name);
	if (entry == NULL) {
		char names[1024];
		registry_names(names, sizeof(names));
		return error_set(build->error, HISTREE_ERR_ARGUMENT, "there is no analysis '%s'; there are %s",
				 name, names);
	}
	if (build_has_already(build, name))
		return build->host->is_one_of_many ? HISTREE_OK : is_there_already(build, name);
	enum histree_status status = add_job(build, entry);
	for (size_t i = 0; i < build->job_count && status == HISTREE_OK; i++)
		build->jobs[i].is_named |= build->jobs[i].entry == entry;
	/* Of several hosts, one need not have all that others have. */
	bool may_lack = build->host->is_one_of_many && (build->job_count > 0 || !is_last || build->options->add);
	return status == HISTREE_NOT_FOUND && !may_lack ? does_not_apply(build, entry) : status;
}

/* "kernel", or "all" and then "kernel-tc", or "-futex", which chooses all except that one. */
static enum histree_status choose_named(struct build *build)
{
	const char *const *names = build->options->analyses;
	const size_t count = build->options->analysis_count;
	enum histree_status status = HISTREE_OK;
	bool has_all = false;
	for (size_t i = 0; i < count; i++)
		has_all |= strcmp(names[i], "all") == 0;
	if (has_all)
		status = choose_all(build);
	for (size_t i = 0; i < count && status >= 0; i++) {
		if (names[i][0] == '-' && (!has_all || registry_find(names[i] + 1) == NULL))
			return error_set(build->error, HISTREE_ERR_ARGUMENT,
					 "'%s' leaves an analysis out of all: 'all,-futex'", names[i]);
		if (names[i][0] != '-' && strcmp(names[i], "all") != 0)
			status = add_named(build, names[i], i + 1 == count);
	}
	return status >= 0 && has_all && build->job_count == 0 && build->old == NULL ? none_applies(build)
	       : status < 0                                                          ? status
										     : HISTREE_OK;
}

static enum histree_status choose_applicable(struct build *build)
{
	enum histree_status status = choose_all(build);
	return status == HISTREE_OK && build->job_count == 0 ? none_applies(build) : status;
}

/* Of the analyses in files, those that apply and are not there already; of a build without others, one at least. */
static enum histree_status choose_defined(struct build *build)
{
	const struct registry_entry *lacking = NULL, *known = NULL;
	for (size_t i = 0; i < build->definitions.count; i++) {
		size_t count;
		const struct registry_entry *entries =
			program_analysis_entries(build->definitions.analyses[i], &count);
		for (size_t at = 0; at < count; at++) {
			if (build_has_already(build, registry_name(&entries[at]))) {
				known = &entries[at];
				continue;
			}
			enum histree_status status = add_job(build, &entries[at]);
			if (status < 0)
				return status;
			lacking = status == HISTREE_NOT_FOUND ? &entries[at] : lacking;
		}
	}
	if (known != NULL && build->job_count == 0 && !build->host->is_one_of_many)
		return is_there_already(build, registry_name(known));
	if (build->job_count > 0 || build->old != NULL)
		return HISTREE_OK;
	return lacking != NULL ? does_not_apply(build, lacking)
			       : error_set(build->error, HISTREE_ERR_ARGUMENT,
					   "'%s': defines no analysis, only views of others",
					   build->options->definitions[0]);
}

/*
 * Events that are read ahead cannot be cut any more, so that this is decided before the first of them is there, by
 * what was asked for.
 */
uint32_t build_choose_slices(const struct build *build)
{
	const struct histree_build_options *options = build->options;
	const struct trace *trace = build->stream.trace;
	if (options->slices > 0)
		return options->slices;
	const bool is_seen_before_its_end = options->resume || options->publish_ns != 0;
	if (options->backend != HISTREE_BACKEND_DISK || options->add || is_seen_before_its_end ||
	    build->host->is_one_of_many || options->analysis_count != 1 || options->definition_count > 0)
		return 0;
	const struct registry_entry *entry = registry_find(options->analyses[0]);
	if (entry == NULL || entry->analysis == NULL || entry->analysis->slices == NULL)
		return 0;
	const uint32_t threads = slice_threads(options->threads, trace_bytes(trace));
	return threads > 0 && job_slices_can_cut(trace, 0) ? threads : 0;
}

enum histree_status build_choose_analyses(struct build *build)
{
	enum histree_status status = HISTREE_OK;
	if (build->options->analyses != NULL)
		status = choose_named(build);
	else if (build->options->definition_count == 0)
		status = choose_applicable(build);
	if (status == HISTREE_OK && build->options->definition_count > 0)
		status = choose_defined(build);
	if (status == HISTREE_OK && build->old != NULL && build->job_count == 0 && !build->host->is_one_of_many)
		return error_set(build->error, HISTREE_ERR_EXISTS, "'%s' already has all that applies to its trace",
				 build->old->path);
	if (status != HISTREE_OK)
		return status;

	/* Slices are for analyses that can be cut; the others do not mind. */
	bool can_cut = build->options->slices == 0 ||
		       (build->job_count == 0 && build->options->slice_post == NULL); /* there is nothing to cut */
	for (size_t i = 0; i < build->job_count && !can_cut; i++) {
		const struct analysis *analysis = build->jobs[i].entry->analysis;
		can_cut = analysis != NULL && analysis->slices != NULL;
	}
	if (can_cut)
		return HISTREE_OK;
	if (build->options->slice_post != NULL) {
		slice_post_refuse(build->options->slice_post, "no analysis was asked for that can be cut in time");
		return HISTREE_OK;
	}
	return error_set(build->error, HISTREE_ERR_ARGUMENT,
			 "analysis '%s' needs the trace from its beginning to its end; only 'kernel' can be cut: "
			 "build it without slices",
			 registry_name(build->jobs[0].entry));
}
