// SPDX-License-Identifier: MIT
/*
 * verb_add.c - adds to a store what it lacks, from the traces that its manifest names and as it was built (thesis
 * 6.3); or builds all of it again, for `copy --rebuild`.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/trace_word.h"
#include "cli/progress.h"
#include "cli/target.h"
#include "cli/tree_option.h"
#include "cli/verb.h"
#include "cli/verb_copy.h"
#include "histree/build.h"

static const struct cli_option add_options[] = {
	CLI_OPTION_PATH("trace", 0, CLI_TEXTS, "TRACE", struct rebuild_options, traces,
			"read the trace that the store was made from here, because it was moved"),
	CLI_OPTIONS_REBUILD(struct rebuild_options, ),
	CLI_OPTION_PROGRESS(struct rebuild_options),
	{ 0 },
};

/* ---- what it was made of --------------------------------------------------------------------------------- */

static bool is_there(const char *path)
{
	struct stat facts;
	return stat(path, &facts) == 0;
}

/*
 * A path as the manifest has it, from here or from the folder that the store is in; of a trace, behind the word
 * that says its format.  Returns NULL if it is at neither place; the caller frees it.
 */
static char *find_path(const char *store, const char *word, const char *path)
{
	if (is_there(path))
		return strdup(word);
	const char *slash = strrchr(store, '/');
	char *beside = NULL;
	if (path[0] == '/' || slash == NULL ||
	    asprintf(&beside, "%.*s%.*s/%s", (int)(path - word), word, (int)(slash - store), store, path) < 0)
		return NULL;
	if (is_there(beside + (path - word)))
		return beside;
	free(beside);
	return NULL;
}

struct found_paths {
	char **paths;
	size_t count;
};

static void found_paths_release(struct found_paths *found)
{
	for (size_t i = 0; i < found->count; i++)
		free(found->paths[i]);
	free(found->paths);
}

/* Those of the command line, or of the manifest.  found_paths_release() also after failure. */
static enum cli_exit find_traces(const struct target *target, const char *const *named, size_t named_count,
				 bool adds, struct found_paths *traces)
{
	const struct histree_store_info *info = histree_store_info(target->store);
	size_t count = named_count > 0 ? named_count : info->trace_count;
	traces->paths = calloc(count + 1, sizeof(*traces->paths));
	if (traces->paths == NULL)
		return report_no_memory();
	for (; traces->count < count; traces->count++) {
		const char *name = named_count > 0 ? named[traces->count] : info->traces[traces->count];
		char *path = named_count > 0 ? strdup(name) : find_path(target->path, name, trace_word_path(name));
		if (path == NULL)
			return report_exit(CLI_INPUT,
					   "'%s' was built from '%s', which is not there; say where it is: "
					   "'histree %s %s %s'",
					   target->path, name, adds ? "add" : "copy --rebuild", target->path,
					   adds ? "ANALYSIS... --trace TRACE" : "TRACE...");
		traces->paths[traces->count] = path;
	}
	if (count == 0)
		return report_exit(CLI_INPUT, "'%s' does not say which trace it was built from: name it",
				   target->path);
	return CLI_OK;
}

/* Where names of functions were looked for.  found_paths_release() also after failure. */
static enum cli_exit find_symbols(const struct target *target, struct found_paths *symbols)
{
	const struct histree_store_info *info = histree_store_info(target->store);
	symbols->paths = calloc(info->symbol_count + 1, sizeof(*symbols->paths));
	if (symbols->paths == NULL)
		return report_no_memory();
	for (; symbols->count < info->symbol_count; symbols->count++) {
		const char *name = info->symbols[symbols->count];
		char *path = find_path(target->path, name, name);
		if (path == NULL)
			return report_exit(
				CLI_INPUT,
				"'%s' has names of functions from '%s', which is not there; say where it "
				"is with '--symbols', or '--symbols none'",
				target->path, name);
		symbols->paths[symbols->count] = path;
	}
	return CLI_OK;
}

static bool is_own(const char *name)
{
	struct histree_analysis_info analysis;
	for (size_t i = 0; histree_analysis(i, &analysis); i++)
		if (strcmp(analysis.name, name) == 0)
			return true;
	return false;
}

/* What a file defined takes that file again. */
static enum cli_exit check_definitions(const struct histree_store_info *info, const struct rebuild_options *chosen)
{
	const char *lacking = NULL;
	for (size_t i = 0; i < info->history_count; i++)
		lacking = is_own(info->histories[i].analysis) ? lacking : info->histories[i].analysis;
	for (size_t i = 0; i < info->segments_count; i++)
		lacking = is_own(info->segments[i].analysis) ? lacking : info->segments[i].analysis;
	if (lacking == NULL || chosen->definitions.count > 0)
		return CLI_OK;
	return report_exit(CLI_USAGE, "histree has no analysis '%s': name the file that defines it with '-x FILE'",
			   lacking);
}

/* The names of what is in the store and histree's own, which the caller frees. */
static const char **list_analyses(const struct histree_store_info *info, size_t *count)
{
	const char **names = calloc(info->history_count + info->segments_count + 1, sizeof(*names));
	*count = 0;
	for (size_t i = 0; names != NULL && i < info->history_count; i++)
		if (is_own(info->histories[i].analysis))
			names[(*count)++] = info->histories[i].analysis;
	for (size_t i = 0; names != NULL && i < info->segments_count; i++)
		if (is_own(info->segments[i].analysis))
			names[(*count)++] = info->segments[i].analysis;
	return names;
}

/* The names of the command line, after the store; the caller frees the list. */
static const char **list_added(const struct cli_words *words, size_t *count)
{
	const char **names = calloc(words->count + 1, sizeof(*names));
	*count = words->count - 1;
	for (size_t i = 0; names != NULL && i < *count; i++)
		names[i] = words->words[1 + i];
	return names;
}

/* The tree of the first history, which is that of all.  What cannot be read gets the default. */
static struct histree_tree_options tree_of(const struct target *target, char variant[16])
{
	struct histree_tree_options tree = { 0 };
	struct histree_history *history;
	if (histree_store_info(target->store)->history_count == 0 ||
	    target_salvage(target, histree_store_info(target->store)->histories[0].analysis, &history, NULL) !=
		    HISTREE_OK)
		return tree;
	const struct histree_history_info *info = histree_history_info(history);
	memcpy(variant, info->variant, sizeof(info->variant));
	tree = (struct histree_tree_options){ .variant = variant,
					      .node_size = info->node_size,
					      .fan_out = info->fan_out,
					      .nulls = info->has_lifetimes ? HISTREE_NULLS_LEFT_OUT
									   : HISTREE_NULLS_KEPT,
					      .r_depth = strcmp(variant, "rsht") == 0 ? info->r_depth : 0 };
	histree_history_close(history);
	return tree;
}

/* ---- hosts and clocks -------------------------------------------------------------------------------------- */

static void keep_clock(struct host_choice *kept, const char *host, const struct histree_clock *clock,
		       const char *neighbour)
{
	if (clock != NULL)
		kept->clocks[kept->clock_count++] = (struct histree_build_clock){ host, *clock, neighbour };
}

/*
 * Keeps those that the store was built with, so that they are the same again, if the traces are as many as the
 * manifest lists: then it says which is whose.  Others say it themselves.
 */
static bool keep_hosts(struct host_choice *kept, const struct histree_store_info *info,
		       const struct found_paths *traces)
{
	kept->hosts = calloc(traces->count + 1, sizeof(*kept->hosts));
	kept->clocks = calloc(info->host_count + 1, sizeof(*kept->clocks));
	if (kept->hosts == NULL || kept->clocks == NULL)
		return false;
	bool is_known = traces->count == info->trace_count && (info->host_count > 0 || info->host != NULL);
	size_t host = 0, left = info->host_count > 0 ? info->hosts[0].trace_count : SIZE_MAX;
	for (size_t i = 0; is_known && i < traces->count; i++) {
		while (left == 0)
			left = info->hosts[++host].trace_count;
		left--;
		kept->hosts[kept->host_count++] =
			(struct histree_build_host){ info->host_count > 0 ? info->hosts[host].name : info->host,
						     traces->paths[i] };
	}
	if (is_known && info->host_count == 0)
		keep_clock(kept, info->host, info->clock, NULL);
	for (size_t i = 0; i < info->host_count; i++) {
		const struct histree_store_host *one = &info->hosts[i];
		keep_clock(kept, one->name, one->clock,
			   one->neighbour != i ? info->hosts[one->neighbour].name : NULL);
		kept->no_clocks = kept->no_clocks || one->clock == NULL;
		if (one->clock != NULL && one->clock->quality == HISTREE_CLOCK_REFERENCE && i > 0)
			kept->reference = one->name;
	}
	return true;
}

/* ---- built again ----------------------------------------------------------------------------------------- */

/* What the store warns of now, and did not before. */
static void report_new_warnings(const struct histree_store_info *before, const char *path)
{
	struct histree_store *store;
	if (histree_store_open(path, &store, NULL) < 0)
		return;
	const struct histree_store_info *now = histree_store_info(store);
	for (size_t i = 0, at; i < now->warning_count; i++) {
		for (at = 0; at < before->warning_count; at++)
			if (strcmp(now->warnings[i], before->warnings[at]) == 0)
				break;
		if (at == before->warning_count)
			report("warning: %s", now->warnings[i]);
	}
	histree_store_close(store);
}

static enum cli_exit report_build(enum histree_status status, const char *store, const char *what, bool quiet,
				  const struct histree_error *error)
{
	if (status == HISTREE_ERR_CANCELLED) {
		report("cancelled; '%s' is as it was", store);
		progress_raise_signal();
		return CLI_INPUT;
	}
	if (status == HISTREE_PARTIAL) /* as it was before */
		return report_exit(CLI_INPUT, "'%s' is partial: %s", store, error->message);
	if (status != HISTREE_OK)
		return report_error(error);
	if (!quiet)
		report("'%s' %s", store, what);
	return CLI_OK;
}

/* Where names of functions are looked for: as the command line says, or as it was. */
struct symbol_choice {
	const char *const *paths;
	size_t count;
	bool none;
};

static struct symbol_choice choose_symbols(const struct histree_store_info *info,
					   const struct rebuild_options *chosen, const struct found_paths *symbols)
{
	const struct cli_texts *said = &chosen->symbols;
	if (said->count == 0)
		return (struct symbol_choice){ (const char *const *)symbols->paths, symbols->count,
					       info->no_symbols };
	if (said->count == 1 && strcmp(said->texts[0], "none") == 0)
		return (struct symbol_choice){ .none = true };
	return (struct symbol_choice){ said->texts, said->count, false };
}

/* All that it has, or these analyses, which are added to it. */
static enum cli_exit rebuild(const struct target *target, const struct found_paths *traces,
			     const struct found_paths *symbols, const struct rebuild_options *chosen,
			     const struct cli_words *added)
{
	const struct histree_store_info *info = histree_store_info(target->store);
	char variant[sizeof(((struct histree_history_info *)0)->variant)];
	struct histree_tree_options tree = tree_of(target, variant);
	bool no_overviews = false;
	size_t count = 0;
	enum cli_exit code = added == NULL ? check_definitions(info, chosen) : CLI_OK;
	if (code == CLI_OK)
		code = tree_option_recall(info->options, &tree, &no_overviews);
	const char **analyses = code != CLI_OK  ? NULL
				: added == NULL ? list_analyses(info, &count)
						: list_added(added, &count);
	struct host_choice kept = { 0 };
	if (analyses == NULL || !keep_hosts(&kept, info, traces)) {
		host_choice_release(&kept);
		free(analyses);
		return code != CLI_OK ? code : report_no_memory();
	}
	const struct symbol_choice names = choose_symbols(info, chosen, symbols);
	struct progress progress = progress_begin(chosen->progress, chosen->quiet);
	const struct histree_build_options wanted = {
		.traces = (const char *const *)traces->paths,
		.trace_count = kept.host_count > 0 ? 0 : traces->count,
		.hosts = kept.hosts,
		.host_count = kept.host_count,
		.clocks = kept.clocks,
		.clock_count = kept.clock_count,
		.no_clocks = kept.no_clocks,
		.reference = kept.reference,
		.store = target->path,
		.analyses = count > 0 || chosen->definitions.count > 0 ? analyses : NULL,
		.analysis_count = count,
		.definitions = chosen->definitions.texts,
		.definition_count = chosen->definitions.count,
		.symbols = names.paths,
		.symbol_count = names.count,
		.no_symbols = names.none,
		.force = added == NULL,
		.add = added != NULL,
		.ignore_gaps = info->ignores_gaps,
		.null_empty_stacks = info->null_empty_stacks,
		.no_overviews = no_overviews,
		.backend = info->partial_histories ? HISTREE_BACKEND_PARTIAL : HISTREE_BACKEND_DISK,
		.checkpoint_events = info->checkpoint_events,
		.tree = tree,
		.work = { progress_goes_on, &progress, progress_show },
	};
	struct histree_error error = { 0 };
	progress_catch_signals();
	enum histree_status status = histree_build(&wanted, &error);
	progress_end(&progress);
	host_choice_release(&kept);
	free(analyses);
	if (status == HISTREE_OK && added != NULL)
		report_new_warnings(info, target->path);
	return report_build(status, target->path, added == NULL ? "was built again" : "has more analyses",
			    chosen->quiet, &error);
}

static int run_either(struct rebuild_options *chosen, const struct cli_words *words, bool adds)
{
	int status;
	const char *const *named = adds ? chosen->traces.texts : (const char *const *)words->words + 1;
	const size_t named_count = adds ? chosen->traces.count : words->count - 1;
	struct target target;
	struct found_paths traces = { 0 }, symbols = { 0 };
	struct histree_error error = { 0 };
	if (target_open(&target, words->words[0], &error) != HISTREE_OK)
		status = report_error(&error);
	else if (target.store == NULL)
		status = report_exit(CLI_USAGE, "'%s' is one file: only a store knows its trace", target.path);
	else
		status = find_traces(&target, named, named_count, adds, &traces);
	if (status == CLI_OK && chosen->symbols.count == 0)
		status = find_symbols(&target, &symbols);
	if (status == CLI_OK)
		status = rebuild(&target, &traces, &symbols, chosen, adds ? words : NULL);
	found_paths_release(&traces);
	found_paths_release(&symbols);
	target_close(&target);
	cli_texts_release(&chosen->traces);
	cli_texts_release(&chosen->definitions);
	cli_texts_release(&chosen->symbols);
	return status;
}

int copy_rebuild_run(void *said, const struct cli_words *words)
{
	struct copy_options *chosen = said;
	chosen->again.progress = chosen->progress;
	return run_either(&chosen->again, words, false);
}

static int add_run(void *said, const struct cli_words *words)
{
	return run_either(said, words, true);
}

enum cli_exit add_pair(const char *store, const char *pair)
{
	struct rebuild_options chosen = { .quiet = true, .definitions.texts = malloc(sizeof(pair)) };
	char *path = strdup(store);
	int status = CLI_INTERNAL;
	if (path == NULL || chosen.definitions.texts == NULL) {
		cli_texts_release(&chosen.definitions);
		status = report_no_memory();
	} else {
		chosen.definitions.texts[chosen.definitions.count++] = pair;
		status = run_either(&chosen, &(struct cli_words){ .words = &path, .count = 1 }, true);
	}
	free(path);
	return (enum cli_exit)status;
}

const struct cli_verb verb_add = {
	.name = "add",
	.summary = "add analyses to a store, from the trace that it was made from",
	.arguments = { "STORE [ANALYSIS]...", 1, CLI_WORDS_ANY },
	.complete = CLI_COMPLETE_NEW_ANALYSES,
	CLI_OPTIONS(add_options, struct rebuild_options),
	.run = add_run,
};
