// SPDX-License-Identifier: MIT
/*
 * experiment.c - a build of several hosts from its beginning to its end, and the entry to a build of one.
 *
 * Each host is built as if it were alone, into a store of its own inside STORE.building, which is an incomplete
 * store once the clocks are known.  Complete hosts are kept whatever happens; the manifest that declares the store
 * complete comes last (docs/design/13-hosts.md).  The files of a host depend on its traces, its clock, the options
 * and the number of hosts; not on what is built at the same time, nor on the process that builds it.
 *
 * Several hosts are built at the same time, the largest first.  Each reports its progress in its own slot; the
 * calling thread reports the sum to its caller.
 */
#include "pipeline/hosts/experiment.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/crew.h"
#include "base/error.h"
#include "base/io.h"
#include "base/monotonic.h"
#include "base/number_text.h"
#include "histree/build.h"
#include "pipeline/build/build.h"
#include "pipeline/build/leftover.h"
#include "pipeline/build_plan.h"
#include "pipeline/hosts_summary.h"
#include "pipeline/side_by_side.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"
#include "trace/trace_list.h"

static char *experiment_path(struct histree_experiment *experiment, const char *name);

/* ---- what is there --------------------------------------------------------------------------------------- */

/* Whether the description of a store matches what this host is to become. */
static bool is_meant(const struct histree_experiment *experiment, const struct histree_experiment_host *host,
		     const struct histree_store_info *info)
{
	bool is_same = info->host_count == 0 && info->host != NULL && strcmp(info->host, host->name) == 0 &&
		       info->options != NULL && strcmp(info->options, experiment->host_recipe) == 0 &&
		       info->trace_count == host->path_count;
	for (size_t i = 0; is_same && i < host->path_count; i++)
		is_same = leftover_is_same_trace(info->traces[i], host->paths[i]);
	return is_same && (!experiment->has_clocks || host_clock_is_same(info->clock, host->clock));
}

/* Whether there is such a store in a folder of STORE.building, complete or not as is wanted. */
static bool is_there(const struct histree_experiment *experiment, const struct histree_experiment_host *host,
		     const char *suffix, bool complete)
{
	struct arena arena = { 0 };
	struct histree_store_info info;
	char *path = NULL;
	bool found = asprintf(&path, "%s/%s%s/" MANIFEST_FILE, experiment->building, host->folder, suffix) >= 0 &&
		     manifest_read(experiment->io, path, &arena, &info, NULL) == HISTREE_OK &&
		     is_meant(experiment, host, &info) && (info.complete || !complete);
	free(path);
	arena_release(&arena);
	return found;
}

/* See whether a host need not be built again; one whose clock is not known yet need not be for its clock. */
static void look_at_host(struct histree_experiment *experiment, size_t index)
{
	struct histree_experiment_host *host = &experiment->hosts[index];
	host->is_built = is_there(experiment, host, "", true);
}

/* ---- building -------------------------------------------------------------------------------------------- */

/* `threads` and `memory`: of this host alone. */
static enum histree_status experiment_build_host(struct histree_experiment *experiment, size_t index,
						 uint32_t threads, const struct memory_share *memory,
						 const struct histree_work *work, struct histree_error *error)
{
	struct histree_experiment_host *host = &experiment->hosts[index];
	struct histree_build_options options = experiment->options;
	struct build_host of = {
		.name = host->name,
		.clock = host->clock,
		.is_one_of_many = true,
		.tables_max = memory->tables,
	};
	char *store = NULL, *old = NULL;
	if (host->is_built)
		return HISTREE_OK;
	enum histree_status status = hosts_folder_make(experiment->io, experiment->building, error);
	if (status == HISTREE_OK && asprintf(&store, "%s/%s", experiment->building, host->folder) < 0)
		status = error_memory(error, "a path");
	if (status == HISTREE_OK && options.add && asprintf(&old, "%s/%s", options.store, host->folder) < 0)
		status = error_memory(error, "a path");
	if (status != HISTREE_OK) {
		free(store);
		return status;
	}
	of.old_store = old;
	options.traces = host->paths;
	options.trace_count = host->path_count;
	options.store = store;
	options.force = true;
	options.resume = experiment->options.resume && is_there(experiment, host, ".building", false);
	options.host_count = options.clock_count = 0;
	options.no_clocks = false;
	options.reference = NULL;
	options.threads = threads;
	options.tree.threads = 0;
	options.tree.memory_max = memory->memory_max;
	options.work = work != NULL ? *work : (struct histree_work){ 0 };
	status = build_one_host(&options, experiment->io, &of, error);
	host->is_built = status == HISTREE_OK || status == HISTREE_PARTIAL;
	if (status != HISTREE_OK && status != HISTREE_ERR_CANCELLED)
		error_prefix(error, "host '%s'", host->name);
	free(store);
	free(old);
	return status;
}

enum histree_status histree_experiment_build_host(struct histree_experiment *experiment, size_t host,
						  const struct histree_work *work, struct histree_error *error)
{
	if (host >= experiment->count)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there are %zu hosts, and no host number %zu",
				 experiment->count, host);
	uint32_t threads = experiment->options.threads;
	const struct memory_share alone =
		memory_share(experiment->options.tree.memory_max, experiment->count, 1, 0);
	return experiment_build_host(experiment, host, threads != 0 ? threads : 1, &alone, work, error);
}

/* ---- several hosts side by side ------------------------------------------------------------------------------ */

struct host_crew {
	struct side_by_side side; /* whose mutex guards the last three */
	struct histree_experiment *experiment;
	uint32_t threads_each;
	struct memory_share memory; /* of each */
	size_t *order;              /* of hosts that are to be built */
	size_t order_count, done;
	struct histree_progress *slots; /* by host */
	const char *latest;             /* the host that was begun last */
};

struct task {
	struct host_crew *crew;
	size_t host;
};

static void note_progress(void *context, const struct histree_progress *progress)
{
	const struct task *task = context;
	pthread_mutex_lock(&task->crew->side.mutex);
	task->crew->slots[task->host] = *progress;
	pthread_mutex_unlock(&task->crew->side.mutex);
}

static bool goes_on(void *context)
{
	const struct task *task = context;
	return side_by_side_goes_on(&task->crew->side);
}

static enum histree_status build_next(void *context, size_t piece, struct histree_error *error)
{
	struct host_crew *crew = context;
	struct task task = { crew, crew->order[piece] };
	const struct histree_experiment_host *host = &crew->experiment->hosts[task.host];
	const struct histree_work work = { goes_on, &task, note_progress };
	pthread_mutex_lock(&crew->side.mutex);
	crew->latest = host->name;
	pthread_mutex_unlock(&crew->side.mutex);
	enum histree_status status =
		experiment_build_host(crew->experiment, task.host, crew->threads_each, &crew->memory, &work, error);
	pthread_mutex_lock(&crew->side.mutex);
	crew->done++;
	crew->slots[task.host].bytes = crew->slots[task.host].bytes_total = host->bytes;
	pthread_mutex_unlock(&crew->side.mutex);
	return status;
}

/* The sum of all hosts. */
static struct histree_progress sum_up(struct host_crew *crew)
{
	const struct histree_experiment *experiment = crew->experiment;
	pthread_mutex_lock(&crew->side.mutex);
	struct histree_progress sum = {
		.elapsed_ns = monotonic_ns() - experiment->begun_ns,
		.host = crew->latest,
		.hosts_done = experiment->count - crew->order_count + crew->done,
		.host_count = experiment->count,
	};
	for (size_t i = 0; i < experiment->count; i++) {
		uint64_t bytes = experiment->hosts[i].bytes;
		const struct histree_progress *slot = &crew->slots[i];
		double share = slot->bytes_total > 0 ? (double)slot->bytes / (double)slot->bytes_total : 0;
		sum.bytes_total += bytes;
		sum.bytes += (uint64_t)((double)bytes * share);
		sum.rows += slot->rows;
	}
	pthread_mutex_unlock(&crew->side.mutex);
	sum.share = sum.bytes_total > 0 ? (double)sum.bytes / (double)sum.bytes_total : -1;
	return sum;
}

/* Tell the caller and ask. */
static enum histree_status meet_caller(void *context, struct histree_error *error)
{
	struct host_crew *crew = context;
	const struct histree_work *work = &crew->experiment->options.work;
	const struct histree_progress sum = sum_up(crew);
	if (work->progress != NULL)
		work->progress(work->context, &sum);
	return cancel_asked(work) ? error_set(error, HISTREE_ERR_CANCELLED, "cancelled") : HISTREE_OK;
}

/* ---- the plan -------------------------------------------------------------------------------------------- */

/* The largest first: what is left at the end is small.  Of two equal ones, the first. */
static void order_hosts(struct host_crew *crew)
{
	const struct histree_experiment_host *hosts = crew->experiment->hosts;
	for (size_t i = 0; i < crew->experiment->count; i++) {
		crew->slots[i].bytes_total = hosts[i].bytes;
		if (hosts[i].is_built) {
			crew->slots[i].bytes = hosts[i].bytes;
			continue;
		}
		size_t at = crew->order_count++;
		for (; at > 0 && hosts[crew->order[at - 1]].bytes < hosts[i].bytes; at--)
			crew->order[at] = crew->order[at - 1];
		crew->order[at] = i;
	}
}

static uint32_t threads_of(const struct histree_experiment *experiment)
{
	uint32_t threads = experiment->options.threads != 0 ? experiment->options.threads : processors_count();
	return threads < SIDE_BY_SIDE_MAX ? threads : SIDE_BY_SIDE_MAX;
}

/* Returns the bytes of memory of the machine, used or not; UINT64_MAX if the system does not tell. */
static uint64_t machine_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
}

static enum histree_status build_all(struct histree_experiment *experiment, struct histree_error *error)
{
	struct host_crew crew = { .experiment = experiment };
	crew.order = calloc(experiment->count, sizeof(*crew.order));
	crew.slots = calloc(experiment->count, sizeof(*crew.slots));
	enum histree_status status = HISTREE_OK;
	if (crew.order == NULL || crew.slots == NULL) {
		status = error_memory(error, "the hosts of a build");
		goto out;
	}
	order_hosts(&crew);
	uint32_t threads = threads_of(experiment);
	uint32_t left = crew.order_count < threads ? (uint32_t)crew.order_count : threads;
	crew.memory = memory_share(experiment->options.tree.memory_max, experiment->count, left, machine_memory());
	crew.threads_each = threads / crew.memory.side_by_side;
	crew.side = (struct side_by_side){ .count = crew.order_count,
					   .threads = left > 0 ? crew.memory.side_by_side : 0,
					   .work = build_next,
					   .meet = meet_caller,
					   .context = &crew };
	status = side_by_side_run(&crew.side, error);
out:
	free(crew.order);
	free(crew.slots);
	return status;
}

/* A failed build is no loss of the hosts that are complete: say where they are, and how to do without this one. */
static void say_what_is_kept(const struct histree_experiment *experiment, struct histree_error *error)
{
	size_t length = strlen(error->message), built = 0;
	for (size_t i = 0; i < experiment->count; i++)
		built += experiment->hosts[i].is_built;
	if (built > 0)
		snprintf(error->message + length, sizeof(error->message) - length,
			 "; '%s' keeps %zu of %zu hosts, and --resume goes on with them, with this host or without "
			 "its "
			 "traces",
			 experiment->building, built, experiment->count);
}

/* ---- the manifest ---------------------------------------------------------------------------------------- */

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
	summary->info.build_ns = monotonic_ns() - experiment->begun_ns;
	return manifest_write(experiment->io, path, &summary->info, error);
}

enum histree_status histree_experiment_find_clocks(struct histree_experiment *experiment,
						   struct histree_error *error)
{
	if (!experiment->owns)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "clocks are found by who owns the folder of the store");
	if (experiment->is_complete)
		return HISTREE_OK;
	enum histree_status status =
		experiment->has_clocks ? HISTREE_OK : experiment_find_clocks(experiment, error);
	experiment->has_clocks = status == HISTREE_OK;
	for (size_t i = 0; i < experiment->count && status == HISTREE_OK; i++)
		look_at_host(experiment, i);
	if (status != HISTREE_OK)
		return status;

	/* Write that hosts and clocks are known, and nothing else yet. */
	struct summary summary = { 0 };
	status = begin_summary(&summary, experiment, error);
	if (status == HISTREE_OK)
		status = write_manifest(experiment, &summary, error);
	release_summary(&summary);
	return status;
}

void histree_experiment_set_clock(struct histree_experiment *experiment, size_t host,
				  const struct histree_clock *clock)
{
	experiment_set_clock(experiment, host, clock);
	experiment->has_clocks = true;
	look_at_host(experiment, host);
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
		if (hosts_summary_has(&summary->of_hosts, analysis) || analysis[0] == '-' ||
		    strcmp(analysis, "all") == 0 ||
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

/* Whether this host was recorded at the same time as another one, or there is none to compare it with. */
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

/* All hosts are built.  *is_partial: some of their traces could not be read; *why has the first of it. */
static enum histree_status experiment_write_manifest(struct histree_experiment *experiment, bool *is_partial,
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

/* ---- a copy of the options ------------------------------------------------------------------------------- */

static bool copy_text(struct arena *arena, const char **text)
{
	if (*text != NULL)
		*text = arena_copy(arena, *text, strlen(*text));
	return *text != NULL;
}

static bool copy_texts(struct arena *arena, const char *const **texts, size_t count)
{
	const char **copy = arena_allocate(arena, (count + 1) * sizeof(*copy), _Alignof(char *));
	for (size_t i = 0; copy != NULL && i < count; i++) {
		copy[i] = (*texts)[i];
		if (!copy_text(arena, &copy[i]))
			return false;
	}
	*texts = copy;
	return copy != NULL;
}

static bool copy_hosts(struct arena *arena, struct histree_build_options *options)
{
	struct histree_build_host *hosts = arena_allocate(arena, (options->host_count + 1) * sizeof(*hosts),
							  _Alignof(struct histree_build_host));
	struct histree_build_clock *clocks = arena_allocate(arena, (options->clock_count + 1) * sizeof(*clocks),
							    _Alignof(struct histree_build_clock));
	bool is_copied = hosts != NULL && clocks != NULL;
	for (size_t i = 0; is_copied && i < options->host_count; i++) {
		hosts[i] = options->hosts[i];
		is_copied = copy_text(arena, &hosts[i].name) && copy_text(arena, &hosts[i].path);
	}
	for (size_t i = 0; is_copied && i < options->clock_count; i++) {
		clocks[i] = options->clocks[i];
		is_copied = copy_text(arena, &clocks[i].host) &&
			    (clocks[i].neighbour == NULL || copy_text(arena, &clocks[i].neighbour));
	}
	options->hosts = hosts;
	options->clocks = clocks;
	return is_copied;
}

static bool copy_options(struct histree_experiment *experiment, const struct histree_build_options *from)
{
	struct arena *arena = &experiment->arena;
	struct histree_build_options *options = &experiment->options;
	*options = *from;
	return (from->store == NULL || copy_text(arena, &options->store)) &&
	       (from->reference == NULL || copy_text(arena, &options->reference)) &&
	       (from->tree.variant == NULL || copy_text(arena, &options->tree.variant)) &&
	       copy_texts(arena, &options->traces, from->trace_count) &&
	       (from->analyses == NULL || copy_texts(arena, &options->analyses, from->analysis_count)) &&
	       (from->definitions == NULL || copy_texts(arena, &options->definitions, from->definition_count)) &&
	       copy_hosts(arena, options);
}

/* The experiment is released by histree_experiment_free() also after failure. */
static enum histree_status experiment_init(const struct histree_build_options *options, const struct io *io,
					   struct histree_experiment **out, struct histree_error *error)
{
	struct histree_experiment *experiment = calloc(1, sizeof(*experiment));
	*out = experiment;
	if (experiment == NULL)
		return error_memory(error, "the hosts of a build");
	experiment->io = io;
	experiment->folder.lock = -1;
	experiment->begun_ns = monotonic_ns();
	return copy_options(experiment, options) ? HISTREE_OK : error_memory(error, "the options of a build");
}

/* ---- what was there before ------------------------------------------------------------------------------- */

static bool has_hosts(const struct histree_experiment *experiment, const struct histree_store_info *info)
{
	bool are_same = info->host_count == experiment->count;
	for (size_t i = 0; are_same && i < experiment->count; i++)
		are_same = strcmp(info->hosts[i].name, experiment->hosts[i].name) == 0;
	return are_same;
}

static enum histree_status has_traces(const struct histree_experiment *experiment,
				      const struct histree_store_info *info, bool *out, struct histree_error *error)
{
	size_t count;
	const char **traces = experiment_traces(experiment, &count);
	if (traces == NULL)
		return error_memory(error, "the hosts of traces");
	*out = info->trace_count == count;
	for (size_t i = 0; *out && i < count; i++)
		*out = leftover_is_same_trace(info->traces[i], traces[i]);
	free(traces);
	return HISTREE_OK;
}

/* The clocks that an earlier build of the same traces has found are those of this one. */
static enum histree_status take_clocks(struct histree_experiment *experiment, const struct histree_store_info *info,
				       struct histree_error *error)
{
	for (size_t i = 0; i < experiment->count; i++) {
		struct histree_experiment_host *host = &experiment->hosts[i];
		host->neighbour = info->hosts[i].neighbour;
		if (info->hosts[i].clock == NULL)
			continue;
		experiment->clocks[i] = *info->hosts[i].clock;
		host->clock = &experiment->clocks[i];
	}
	experiment->has_clocks = true;
	experiment->warnings =
		arena_allocate(&experiment->arena, (info->warning_count + 1) * sizeof(char *), _Alignof(char *));
	if (experiment->warnings == NULL)
		return error_memory(error, "clocks");
	/* While a store of several hosts is not complete, its warnings are those about clocks. */
	for (size_t i = 0; i < info->warning_count && !info->complete; i++) {
		const char *warning = arena_copy(&experiment->arena, info->warnings[i], strlen(info->warnings[i]));
		if (warning == NULL)
			return error_memory(error, "clocks");
		experiment->warnings[experiment->warning_count++] = warning;
	}
	return HISTREE_OK;
}

static enum histree_status check_leftover(struct histree_experiment *experiment,
					  const struct histree_store_info *info, struct histree_error *error)
{
	bool are_same = false;
	if (info->host_count == 0)
		return error_set(
			error, HISTREE_ERR_EXISTS,
			"'%s' was begun as a store of one host, and the traces are of %zu: --force without "
			"--resume begins again",
			experiment->building, experiment->count);
	enum histree_status status = leftover_check_options(&experiment->folder, info, experiment->recipe, error);
	if (status == HISTREE_OK)
		status = has_traces(experiment, info, &are_same, error);
	if (status != HISTREE_OK)
		return status;
	are_same = are_same && has_hosts(experiment, info);
	if (info->complete && !are_same)
		return error_set(
			error, HISTREE_ERR_EXISTS,
			"'%s' is complete and of other traces: --resume with those gives it its name, --force "
			"without --resume begins again",
			experiment->building);
	experiment->is_complete = info->complete;
	return are_same ? take_clocks(experiment, info, error) : HISTREE_OK;
}

static enum histree_status look_at_leftover(struct histree_experiment *experiment, struct histree_error *error)
{
	struct arena arena = { 0 };
	struct histree_store_info info;
	enum histree_status status = HISTREE_OK;
	char *path = experiment_path(experiment, MANIFEST_FILE);
	if (path == NULL)
		return error_memory(error, "a path");
	/* A host that cannot be read is treated as missing, but its neighbours are not affected. */
	if (manifest_read(experiment->io, path, &arena, &info, NULL) == HISTREE_OK)
		status = check_leftover(experiment, &info, error);
	arena_release(&arena);
	return status;
}

/* Hosts that were asked for once, and are not now. */
static enum histree_status leave_out_others(struct histree_experiment *experiment, struct histree_error *error)
{
	const char **folders = calloc(experiment->count, sizeof(*folders));
	if (folders == NULL)
		return error_memory(error, "the hosts of a build");
	for (size_t i = 0; i < experiment->count; i++)
		folders[i] = experiment->hosts[i].folder;
	folder_remove_other_hosts(experiment->io, experiment->building, folders, experiment->count);
	free(folders);
	return HISTREE_OK;
}

static enum histree_status own_folder(struct histree_experiment *experiment, struct histree_error *error)
{
	const struct histree_build_options *options = &experiment->options;
	enum histree_status status = store_folder_begin(&experiment->folder, experiment->io, options->store,
							options->force, options->resume, error);
	if (status != HISTREE_OK)
		return status;
	experiment->owns = true;
	if (experiment->folder.keep)
		status = look_at_leftover(experiment, error);
	if (status == HISTREE_OK && !experiment->is_complete)
		status = leave_out_others(experiment, error);
	return status;
}

/* Returns STORE.building/NAME in the arena; NULL if memory runs out. */
static char *experiment_path(struct histree_experiment *experiment, const char *name)
{
	size_t size = strlen(experiment->building) + 1 + strlen(name);
	char *path = arena_allocate(&experiment->arena, size + 1, 1);
	if (path != NULL) {
		strcpy(path, experiment->building);
		strcat(strcat(path, "/"), name);
	}
	return path;
}

static enum histree_status make_recipes(struct histree_experiment *experiment, struct histree_error *error)
{
	struct histree_build_options of_host = experiment->options;
	of_host.clock_count = 0;
	of_host.no_clocks = false;
	of_host.reference = NULL;
	enum histree_status status = build_recipe(&experiment->options, &experiment->recipe, error);
	return status == HISTREE_OK ? build_recipe(&of_host, &experiment->host_recipe, error) : status;
}

/* With a plan of several hosts: take hold of the folder, and look what is in it. */
static enum histree_status experiment_begin(struct histree_experiment *experiment, bool own,
					    struct histree_error *error)
{
	experiment->building = store_folder_building(experiment->options.store);
	if (experiment->building == NULL)
		return error_memory(error, "a path");
	enum histree_status status = make_recipes(experiment, error);
	if (status == HISTREE_OK && own)
		status = own_folder(experiment, error);
	for (size_t i = 0; i < experiment->count && status == HISTREE_OK; i++)
		look_at_host(experiment, i);
	return status;
}

/* ---- the steps ------------------------------------------------------------------------------------------- */

enum histree_status histree_experiment_open(const struct histree_build_options *options, bool own,
					    struct histree_experiment **out, struct histree_error *error)
{
	struct histree_experiment *experiment = NULL;
	*out = NULL;
	if (options->store == NULL || options->store[0] == '\0' || options->trace_count + options->host_count == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a build needs a trace and a name for the store");
	enum histree_status status = experiment_init(options, &io_posix, &experiment, error);
	if (status == HISTREE_OK)
		status = experiment_plan(experiment, error);
	if (status == HISTREE_OK && experiment->count < 2)
		status = error_set(error, HISTREE_NOT_FOUND, "all traces are of one host");
	if (status == HISTREE_OK)
		status = experiment_begin(experiment, own, error);
	if (status == HISTREE_OK)
		*out = experiment;
	else
		histree_experiment_free(experiment);
	return status;
}

const struct histree_experiment_host *histree_experiment_hosts(const struct histree_experiment *experiment,
							       size_t *count)
{
	*count = experiment->count;
	return experiment->hosts;
}

enum histree_status histree_experiment_complete(struct histree_experiment *experiment, struct histree_error *error)
{
	bool is_partial = false;
	struct histree_error why = { 0 };
	enum histree_status status = HISTREE_OK;
	if (!experiment->owns)
		return error_set(error, HISTREE_ERR_ARGUMENT, "the store is completed by who owns its folder");
	if (!experiment->is_complete)
		status = experiment_write_manifest(experiment, &is_partial, &why, error);
	if (status == HISTREE_OK)
		status = store_folder_publish(&experiment->folder, error);
	if (status != HISTREE_OK || !is_partial)
		return status;
	return error_set(error, HISTREE_PARTIAL, "%s", why.message);
}

/* A host that was published before its build ended is worth something too. */
static bool has_something(struct histree_experiment *experiment)
{
	for (size_t i = 0; i < experiment->count; i++) {
		if (experiment->hosts[i].is_built)
			return true;
		char *path = experiment_path(experiment, experiment->hosts[i].folder);
		struct histree_store *store = NULL;
		enum histree_status status = path != NULL ? histree_store_open(path, &store, NULL) : HISTREE_OK;
		histree_store_close(store);
		if (status == HISTREE_OK)
			return true;
	}
	return false;
}

void histree_experiment_free(struct histree_experiment *experiment)
{
	if (experiment == NULL)
		return;
	if (experiment->owns) {
		experiment->folder.keep =
			!experiment->options.add && (experiment->folder.keep || has_something(experiment));
		store_folder_release(&experiment->folder);
	}
	trace_groups_release(&experiment->groups);
	free(experiment->building);
	free(experiment->recipe);
	free(experiment->host_recipe);
	arena_release(&experiment->arena);
	free(experiment);
}

/* ---- a build, of one host or of several ----------------------------------------------------------------- */

/* One host that was named, or whose clock was given. */
static enum histree_status build_named(struct histree_experiment *experiment, struct histree_error *error)
{
	struct histree_build_options options = experiment->options;
	const struct histree_experiment_host *host = &experiment->hosts[0];
	const struct build_host of = {
		.name = experiment->groups.groups[0].is_named || options.clock_count > 0 ? host->name : NULL,
		.clock = experiment_given_clock(experiment, host->name),
	};
	options.traces = host->paths;
	options.trace_count = host->path_count;
	options.host_count = 0;
	options.reference = NULL;
	options.no_clocks = false;
	return build_one_host(&options, experiment->io, &of, error);
}

static enum histree_status build_several(struct histree_experiment *experiment, struct histree_error *error)
{
	enum histree_status status = experiment_begin(experiment, true, error);
	if (status != HISTREE_OK)
		return status;

	/*
	 * Find the clocks, and build all hosts that are not built yet, several at a time.  Only the calling thread
	 * calls back the caller.
	 */
	status = histree_experiment_find_clocks(experiment, error);
	if (status == HISTREE_OK && !experiment->is_complete)
		status = build_all(experiment, error);
	if (status < 0 && status != HISTREE_ERR_CANCELLED)
		say_what_is_kept(experiment, error);
	return status < 0 ? status : histree_experiment_complete(experiment, error);
}

enum histree_status pipeline_build(const struct histree_build_options *options, const struct io *io,
				   struct histree_error *error)
{
	static const struct build_host nameless = { 0 };
	struct histree_experiment *experiment = NULL;
	struct histree_error message = { 0 };
	bool has_name = options->store != NULL && options->store[0] != '\0';
	bool needs_name = options->backend == HISTREE_BACKEND_DISK || options->backend == HISTREE_BACKEND_PARTIAL;
	struct histree_build_options wanted = *options;
	if (options->trace_count + options->host_count == 0 || (needs_name && !has_name))
		return error_set(error, HISTREE_ERR_ARGUMENT, "a build needs a trace and a name for the store");
	if (options->add && (options->force || options->resume || !needs_name || options->slices > 0))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "analyses are added to a store that is there and complete, without slices");
	wanted.force |= options->add; /* the new one takes the place of the old one */
	options = &wanted;
	enum histree_status status = experiment_init(options, io, &experiment, &message);
	if (status == HISTREE_OK)
		status = experiment_plan(experiment, &message);
	if (status == HISTREE_OK && experiment->count == 0)
		status = build_one_host(options, io, &nameless, &message);
	else if (status == HISTREE_OK)
		status = experiment->count == 1 ? build_named(experiment, &message)
						: build_several(experiment, &message);
	histree_experiment_free(experiment);
	if (error != NULL && status != HISTREE_OK)
		*error = message;
	return status;
}

enum histree_status histree_build(const struct histree_build_options *options, struct histree_error *error)
{
	return pipeline_build(options, &io_posix, error);
}

bool histree_is_trace(const char *path)
{
	return trace_is_at(path);
}

enum histree_status histree_build_check(const char *const *traces, size_t trace_count, struct histree_error *error)
{
	return trace_hosts_check_paths(traces, trace_count, error);
}
