// SPDX-License-Identifier: MIT
/*
 * verb_build.c - 'histree build': options become a request, which is built here, and its outcome is reported.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/nearest.h"
#include "base/number_text.h"
#include "base/table.h"
#include "base/trace_word.h"
#include "cli/build_request.h"
#include "cli/picture_file.h"
#include "cli/progress.h"
#include "cli/target.h"
#include "cli/verb.h"
#include "histree/build.h"

enum { WARNINGS_SHOWN = 10 };

static const char *const gaps[] = { "unknown", "ignore", NULL };

static const char *const backends[] = {
	[HISTREE_BACKEND_DISK] = "disk",
	[HISTREE_BACKEND_PARTIAL] = "partial",
	[HISTREE_BACKEND_MEMORY] = "memory",
	[HISTREE_BACKEND_NULL] = "null",
	NULL,
};

static const char *const empty_stacks[] = { "zero", "null", NULL };

static const struct cli_option options[] = {
	CLI_OPTION_PATH("output", 'o', CLI_PLACE, "STORE", struct build_options, output,
			"make this folder; default: NAME.histree here, where NAME is that of the first trace"),
	{ .name = "analysis",
	  .letter = 'a',
	  .argument = "ANALYSIS",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct build_options, analysis),
	  .complete = CLI_COMPLETE_ANALYSES,
	  .help = "run these analyses, separated by commas; 'all' means those that apply to the trace, "
		  "'all,-futex' means all except futex; default: all" },
	CLI_OPTION_PATH(
		"symbols", 0, CLI_TEXTS, "PLACE", struct build_options, symbols,
		"look for names of functions in this folder, as if it were the root of the machine that was "
		"traced, "
		"or in this table of addresses and names, as nm prints it; none: look nowhere; default: a table "
		"beside the folder of the trace, and the binaries of this machine, if they are those of the "
		"trace"),
	CLI_OPTION_PATH("define", 'x', CLI_TEXTS, "FILE", struct build_options, definitions,
			"run only the analyses that FILE, or the files of a folder, define, such as XML of Trace "
			"Compass, and those that '-a' names"),
	CLI_OPTION_PAIR(struct build_options, ),
	CLI_OPTION_TEXT(
		"map", "MAP", struct build_options, map,
		"the traces are tables of text, and these columns are the parts of an event, as in "
		"time=ts,unit=us,name=event,cpu=core,tid=thread; default: time, name, cpu, and fields by their "
		"names"),
	CLI_OPTIONS_HOST(struct build_options, hosts),
	CLI_OPTION_CHOICE("backend", "WHERE", struct build_options, backend, backends,
			  "keep histories on disk; or keep partial ones there, which read the trace again to "
			  "answer; or make no store, and say how large a history in memory is (memory) or only how "
			  "long a build takes (null); default: disk"),
	CLI_OPTION_NUMBER(
		"checkpoint-events", CLI_NUMBER, "N", struct build_options, checkpoint_events, 1, INT64_MAX,
		"put a checkpoint into partial histories every N events: fewer make them smaller, and answers "
		"slower; default: 50000"),
	CLI_OPTIONS_TREE(struct build_options, tree,
			 "use at most this much memory, 86M or more; what does not fit goes to disk; default: 224M "
			 "for each host that is being built"),
	CLI_OPTION_NUMBER("threads", CLI_NUMBER, "N", struct build_options, threads, 1, 1024,
			  "keep about N processors busy: reading, analyses, sorting and writing run in parallel; "
			  "1: one thread does everything. From 6 on, a long trace is cut in time for '-a kernel' "
			  "alone, with the same states. One thread reads and analyses a live trace or a partial "
			  "history; default: all processors"),
	/* For who works on the code: the build chooses (build_choose_slices()). */
	CLI_OPTION_NUMBER("slices", CLI_NUMBER, "N", struct build_options, slices, 1, 64, NULL),
	CLI_OPTION_NUMBER("slice-events", CLI_NUMBER, "N", struct build_options, slice_events, 16, INT64_MAX, NULL),
	CLI_OPTION_FORCE(struct build_options, "replace an existing store once the new one is complete"),
	CLI_OPTION_FLAG("resume", 0, struct build_options, resume,
			"continue an interrupted build of the same traces"),
	CLI_OPTION_CHOICE("gaps", "HOW", struct build_options, gaps, gaps,
			  "after lost events, make states in doubt unknown, or ignore the loss; default: unknown"),
	CLI_OPTION_CHOICE("empty-stacks", "HOW", struct build_options, empty_stacks, empty_stacks,
			  "give a stack that was emptied the depth zero, or make it null; default: zero"),
	CLI_OPTION_NUMBER(
		"publish", CLI_DURATION, "NS", struct build_options, publish, 1, INT64_MAX,
		"publish what was read every NS: others can see it, and it survives a crash; default: after three "
		"seconds, for a live trace after one, then so often that it takes 3 % of the time"),
	CLI_OPTION_FLAG("no-overviews", 0, struct build_options, no_overviews,
			"make no overviews of long histories and many segments: this saves time and disk space, "
			"but views of a whole long trace are slow"),
	CLI_OPTION_PROGRESS(struct build_options),
	CLI_OPTION_FLAG("quiet", 'q', struct build_options, quiet,
			"print only errors, and warnings if the store is partial"),
	{ 0 },
};

/* ---- analyses --------------------------------------------------------------------------------------- */

/* "none" stands for no place at all. */
static bool has_no_symbols(const struct build_options *chosen)
{
	return chosen->symbols.count == 1 && strcmp(chosen->symbols.texts[0], "none") == 0;
}

static enum cli_exit check_analysis(const char *name)
{
	struct nearest nearest = nearest_begin(name);
	struct histree_analysis_info analysis;
	for (size_t i = 0; histree_analysis(i, &analysis); i++) {
		if (strcmp(analysis.name, name) == 0)
			return CLI_OK;
		nearest_offer(&nearest, analysis.name);
	}
	const char *shipped;
	for (size_t i = 0; (shipped = histree_analysis_shipped(i)) != NULL; i++)
		if (strcmp(shipped, name) == 0)
			return report_exit(CLI_USAGE, "'%s' is an analysis in histree's language: '-x %s' makes it",
					   name, name);
	if (nearest.word != NULL)
		return report_exit(CLI_USAGE,
				   "unknown analysis '%s'; the nearest is '%s'; see 'histree info --analyses'",
				   name, nearest.word);
	return report_exit(CLI_USAGE, "unknown analysis '%s'; see 'histree info --analyses'", name);
}

static enum cli_exit read_analyses(struct build_request *request, const char *option)
{
	if (option == NULL)
		return CLI_OK;
	request->analyses = strdup(option);
	if (request->analyses == NULL)
		return report_no_memory();
	char *rest = request->analyses;
	for (char *name; (name = strsep(&rest, ",")) != NULL;) {
		enum cli_exit code = strcmp(name, "all") == 0 ? CLI_OK : check_analysis(name + (name[0] == '-'));
		if (code != CLI_OK)
			return code;
		if (!array_reserve(&request->names, &request->name_capacity, request->name_count + 1))
			return report_no_memory();
		request->names[request->name_count++] = name;
	}
	return CLI_OK;
}

/* ---- traces ------------------------------------------------------------------------------------------- */

/* The traces with the map of the command line, as the library takes them. */
static enum cli_exit read_traces(struct build_request *request, const char *map, const struct cli_words *words)
{
	request->traces = calloc(words->count + 1, sizeof(*request->traces));
	if (request->traces == NULL)
		return report_no_memory();
	if (map != NULL && strchr(map, ':') != NULL)
		return report_exit(CLI_USAGE, "'--map': '%s' has a colon, which no name in a map can have", map);
	for (; request->trace_count < words->count; request->trace_count++) {
		const char *word = words->words[request->trace_count];
		char *made = NULL;
		if (map == NULL)
			made = strdup(word);
		else if (asprintf(&made, TRACE_WORD_TEXT "%s:%s", map, word) < 0)
			made = NULL;
		if (made == NULL)
			return report_no_memory();
		request->traces[request->trace_count] = made;
	}
	return CLI_OK;
}

/* ---- the store ---------------------------------------------------------------------------------------- */

/* Returns the last component of a path; "." and ".." are the folders that they mean.  NULL if there is no name. */
static char *name_of(const char *path)
{
	char *name = path_last(path);
	if (name == NULL || strncmp(name, "..", strlen(name)) != 0)
		return name;
	free(name);
	char *real = realpath(path, NULL);
	char *slash = real != NULL ? strrchr(real, '/') : NULL;
	name = slash != NULL && slash[1] != '\0' ? strdup(slash + 1) : NULL;
	free(real);
	return name;
}

enum cli_exit build_store_path(const char *option, const char *trace, char **path)
{
	if (option != NULL) {
		*path = strdup(option);
		return *path != NULL ? CLI_OK : report_no_memory();
	}
	char *name = name_of(trace);
	if (name == NULL)
		return report_exit(CLI_USAGE,
				   "'%s' has no name that the store could take; choose one with '--output'", trace);
	if (asprintf(path, "%s.histree", name) < 0)
		*path = NULL;
	free(name);
	return *path != NULL ? CLI_OK : report_no_memory();
}

static enum cli_exit report_summary(struct histree_store *store)
{
	const struct histree_store_info *info = histree_store_info(store);
	uint64_t intervals = 0, bytes = 0;
	for (size_t i = 0; i < info->history_count; i++) {
		struct histree_history *history;
		struct histree_error error = { 0 };
		if (histree_store_history(store, info->histories[i].analysis, false, NULL, &history, &error) !=
		    HISTREE_OK)
			return report_error(&error);
		intervals += histree_history_info(history)->interval_count;
		bytes += histree_history_info(history)->file_bytes;
		histree_history_close(history);
	}
	char size[NUMBER_TEXT_SIZE], time[TIME_TEXT_SIZE];
	number_format_size(bytes, size);
	time_format_duration((uint64_t)info->build_ns, time);
	report("'%s': %" PRIu64 " events, %" PRIu64 " intervals, %s, %s", info->path, info->event_count, intervals,
	       size, time);
	return CLI_OK;
}

enum cli_exit build_report_store(const char *path, bool is_partial, bool is_quiet)
{
	struct histree_store *store = NULL;
	struct histree_error error = { 0 };
	if (histree_store_open(path, &store, &error) != HISTREE_OK)
		return report_error(&error);
	enum cli_exit code = is_quiet ? CLI_OK : report_summary(store);
	if (is_partial || !is_quiet) {
		/* A trace that lost much has a warning for each time: a few show what it is about. */
		const struct histree_store_info *info = histree_store_info(store);
		size_t shown = info->partial || info->warning_count <= WARNINGS_SHOWN ? info->warning_count
										      : WARNINGS_SHOWN;
		for (size_t i = 0; i < shown; i++)
			report("warning: %s", info->warnings[i]);
		if (shown < info->warning_count)
			report("and %zu more warnings; 'histree info' has all of them",
			       info->warning_count - shown);
		if (info->partial)
			report("'%s' is partial: some of the trace could not be read", info->path);
	}
	if (!is_quiet && histree_store_info(store)->lacks != NULL)
		report("%s", histree_store_info(store)->lacks);
	histree_store_close(store);
	return is_partial && code == CLI_OK ? CLI_INPUT : code;
}

/* ---- build -------------------------------------------------------------------------------------------- */

static enum histree_backend_kind backend_of(const struct build_options *chosen)
{
	return chosen->backend != NULL ? (enum histree_backend_kind)cli_choice_number(backends, chosen->backend)
				       : HISTREE_BACKEND_DISK;
}

/* What makes no sense with a backend. */
static enum cli_exit check_backend(const struct build_options *chosen)
{
	enum histree_backend_kind kind = backend_of(chosen);
	bool makes_store = kind == HISTREE_BACKEND_DISK || kind == HISTREE_BACKEND_PARTIAL;
	if (kind != HISTREE_BACKEND_PARTIAL && chosen->checkpoint_events != 0)
		return report_exit(CLI_USAGE,
				   "only partial histories have checkpoints: '--checkpoint-events' goes with "
				   "'--backend partial'");
	if (kind != HISTREE_BACKEND_DISK && (chosen->resume || chosen->publish != 0))
		return report_exit(CLI_USAGE, "'--%s' goes with '--backend disk'",
				   chosen->resume ? "resume" : "publish");
	if (chosen->slices == 0 && chosen->slice_events != 0)
		return report_exit(CLI_USAGE, "'--slice-events' goes with '--slices'");
	if (chosen->slices != 0 && (chosen->resume || chosen->publish != 0))
		return report_exit(
			CLI_USAGE,
			"a build in slices shows nothing before its end: '--%s' cannot be combined with '--slices'",
			chosen->resume ? "resume" : "publish");
	if (!makes_store && (chosen->output != NULL || chosen->force))
		return report_exit(CLI_USAGE, "'--backend %s' makes no store, so '--%s' does not apply",
				   chosen->backend, chosen->output != NULL ? "output" : "force");
	return CLI_OK;
}

/* A build of several hosts keeps those that are complete, and each host what it has published. */
static const char *what_is_left(const char *path)
{
	struct histree_store *store = NULL;
	struct histree_error error;
	char *building = NULL;
	const char *left = "";
	if (path != NULL && asprintf(&building, "%s.building", path) >= 0 &&
	    histree_store_open(building, &store, &error) == HISTREE_OK)
		left = histree_store_info(store)->host_count > 0
			       ? ", but '--resume' goes on with what there is of its hosts"
			       : ", but '--resume' goes on with what was published";
	histree_store_close(store);
	free(building);
	return left;
}

int build_here(const struct build_options *chosen, const struct build_request *request)
{
	struct progress progress = progress_begin(chosen->progress, chosen->quiet);
	struct histree_build_result result = { 0 };
	struct histree_build_options wanted = request->wanted;
	struct histree_error error = { 0 };
	wanted.result = &result;
	wanted.work = (struct histree_work){ progress_goes_on, &progress, progress_show };
	progress_catch_signals();
	enum histree_status status = histree_build(&wanted, &error);
	progress_end(&progress);
	if (status == HISTREE_ERR_CANCELLED) {
		histree_history_close(result.history);
		report("cancelled; there is no new store%s", what_is_left(request->store));
		progress_raise_signal();
		return CLI_INPUT;
	}
	if (status != HISTREE_OK && status != HISTREE_PARTIAL)
		return report_error(&error);
	if (request->store == NULL) {
		/* Reports what a build without a store made. */
		const bool is_partial = status == HISTREE_PARTIAL;
		char size[NUMBER_TEXT_SIZE], time[TIME_TEXT_SIZE];
		number_format_size(result.bytes, size);
		time_format_duration((uint64_t)result.build_ns, time);
		histree_history_close(result.history);
		if (!chosen->quiet)
			report("no store: %" PRIu64 " events, %" PRIu64 " attributes, %" PRIu64
			       " intervals%s%s, %s",
			       result.events, result.attributes, result.intervals,
			       result.history != NULL ? ", " : "", result.history != NULL ? size : "", time);
		if (is_partial)
			report("warning: %s", error.message);
		return is_partial ? CLI_INPUT : CLI_OK;
	}
	return build_report_store(request->store, status == HISTREE_PARTIAL, chosen->quiet);
}

/* ---- the request -------------------------------------------------------------------------------------- */

static void fill(struct build_request *request, const struct build_options *chosen,
		 const struct histree_tree_options *tree)
{
	const struct host_choice *hosts = &request->hosts;
	request->wanted = (struct histree_build_options){
		.traces = (const char *const *)request->traces,
		.trace_count = request->trace_count,
		.hosts = hosts->hosts,
		.host_count = hosts->host_count,
		.clocks = hosts->clocks,
		.clock_count = hosts->clock_count,
		.no_clocks = hosts->no_clocks,
		.reference = chosen->hosts.reference,
		.store = request->store,
		.analyses = request->names,
		.analysis_count = request->name_count,
		.definitions = chosen->definitions.texts,
		.definition_count = chosen->definitions.count,
		.symbols = chosen->symbols.texts,
		.symbol_count = has_no_symbols(chosen) ? 0 : chosen->symbols.count,
		.no_symbols = has_no_symbols(chosen),
		.backend = backend_of(chosen),
		.checkpoint_events = chosen->checkpoint_events,
		.force = chosen->force,
		.resume = chosen->resume,
		.ignore_gaps = chosen->gaps != NULL && strcmp(chosen->gaps, "ignore") == 0,
		.null_empty_stacks = chosen->empty_stacks != NULL && strcmp(chosen->empty_stacks, "null") == 0,
		.no_overviews = chosen->no_overviews,
		.keep_cancelled = true,
		.publish_ns = (int64_t)chosen->publish,
		.threads = (uint32_t)chosen->threads,
		.slices = (uint32_t)chosen->slices,
		.slice_events = chosen->slice_events,
		.tree = *tree,
	};
}

enum cli_exit build_request_read(struct build_request *request, const struct build_options *chosen,
				 const struct cli_words *words)
{
	struct histree_tree_options tree;
	struct host_choice *hosts = &request->hosts;
	*request = (struct build_request){ 0 };
	enum cli_exit code = tree_option_read(&chosen->tree, 0, &tree);
	tree.memory_max = tree_option_of_process(chosen->tree.memory);
	if (code == CLI_OK)
		code = read_analyses(request, chosen->analysis);
	if (code == CLI_OK)
		code = check_backend(chosen);
	if (code == CLI_OK && words->count == 0 && chosen->hosts.hosts.count == 0)
		code = report_exit(CLI_USAGE, "'build' needs TRACE...; see '%s build --help'", report_program());
	if (code == CLI_OK)
		code = read_traces(request, chosen->map, words);
	if (code == CLI_OK)
		code = host_choice_read(hosts, &chosen->hosts, chosen->map);
	if (code == CLI_OK && backend_of(chosen) <= HISTREE_BACKEND_PARTIAL)
		code = build_store_path(chosen->output,
					trace_word_path(words->count > 0 ? words->words[0] : hosts->hosts[0].path),
					&request->store);
	if (code == CLI_OK)
		fill(request, chosen, &tree);
	return code;
}

void build_request_release(struct build_request *request, struct build_options *chosen)
{
	for (size_t i = 0; i < request->trace_count; i++)
		free(request->traces[i]);
	free(request->traces);
	free((void *)request->names);
	free(request->analyses);
	free(request->store);
	host_choice_release(&request->hosts);
	cli_texts_release(&chosen->definitions);
	cli_texts_release(&chosen->symbols);
	cli_texts_release(&chosen->hosts.hosts);
	cli_texts_release(&chosen->hosts.clocks);
}

static int build_run(void *said, const struct cli_words *words)
{
	struct build_options *chosen = said;
	struct build_request request;
	int status = build_request_read(&request, chosen, words);
	if (status == CLI_OK)
		status = build_here(chosen, &request);
	build_request_release(&request, chosen);
	return status;
}

const struct cli_verb verb_build = {
	.heading = "Make stores",
	.name = "build",
	.summary = "read a trace once and make a store of its states",
	.arguments = { "TRACE...", 0, CLI_WORDS_ANY },
	.complete = CLI_COMPLETE_PATH,
	CLI_OPTIONS(options, struct build_options),
	.run = build_run,
};
