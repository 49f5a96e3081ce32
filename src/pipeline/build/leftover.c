// SPDX-License-Identifier: MIT
/*
 * leftover.c - what a build that was cut off left in its folder, and the options of a build as words.
 */
#include "pipeline/build/leftover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/definition/definition_files.h"
#include "analysis/registry.h"
#include "base/arena.h"
#include "base/error.h"
#include "clock/clock.h"
#include "histree/build.h"
#include "histree/store.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"
#include "tree/tree_shape.h"

/* ---- build recipe -------------------------------------------------------------------------------------------- */

static const char *const preferences[] = {
	[HISTREE_PREFER_SINGLE] = "single",
	[HISTREE_PREFER_FULL] = "full",
	[HISTREE_PREFER_SPACE] = "space",
};

static bool is_named(const struct histree_build_options *options, const char *name)
{
	for (size_t i = 0; i < options->analysis_count; i++)
		if (strcmp(options->analyses[i], name) == 0)
			return true;
	return false;
}

static const char *put_if_named(FILE *text, const struct histree_build_options *options, const char *name,
				const char *before)
{
	if (!is_named(options, name))
		return before;
	fprintf(text, "%s%s", before, name);
	return ",";
}

/* In one order, however they were named. */
static void put_analyses(FILE *text, const struct histree_build_options *options)
{
	if (options->analyses == NULL)
		return;
	const char *before = put_if_named(text, options, "all", "-a ");
	for (size_t i = 0; registry_at(i) != NULL; i++) {
		char left_out[64];
		snprintf(left_out, sizeof(left_out), "-%s", registry_name(registry_at(i)));
		before = put_if_named(text, options, left_out + 1, before);
		before = put_if_named(text, options, left_out, before);
	}
	if (before[0] == ',')
		fputc(' ', text);
}

/* What they define, whatever their files are called. */
static enum histree_status put_definitions(FILE *text, const struct histree_build_options *options,
					   struct histree_error *error)
{
	struct definitions definitions = { 0 };
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < options->definition_count && status == HISTREE_OK; i++)
		status = definition_files_read(&definitions, options->definitions[i], error);
	for (size_t i = 0; i < definitions.count && status == HISTREE_OK; i++) {
		size_t count;
		const struct registry_entry *entry = program_analysis_entries(definitions.analyses[i], &count);
		fprintf(text, "-x %s:%u ", registry_name(entry), registry_version(entry));
	}
	definitions_release(&definitions);
	return status;
}

/* Clocks that were found are those of the packets, which the traces have. */
static void put_clocks(FILE *text, const struct histree_build_options *options)
{
	if (options->no_clocks)
		fputs(" --clock none", text);
	for (size_t i = 0; i < options->clock_count; i++) {
		char clock[CLOCK_TEXT_SIZE];
		if (options->clocks[i].clock.quality != HISTREE_CLOCK_GIVEN)
			continue;
		clock_text_write(&options->clocks[i].clock, clock);
		fprintf(text, " --clock %s=%s", options->clocks[i].host, clock);
	}
	if (options->reference != NULL)
		fprintf(text, " --reference %s", options->reference);
}

enum histree_status build_recipe(const struct histree_build_options *options, char **out,
				 struct histree_error *error)
{
	struct tree_options tree;
	size_t size;
	*out = NULL;
	enum histree_status status = tree_options_resolve(&options->tree, 0, &tree, error);
	if (status != HISTREE_OK)
		return status;
	FILE *text = open_memstream(out, &size);
	if (text == NULL)
		return error_memory(error, "the options of a build");
	put_analyses(text, options);
	status = put_definitions(text, options, error);
	fprintf(text, "-t %s --node-size %u --fan-out %u", tree.variant->name, tree.node_size, tree.fan_out);
	if (tree.r_depth > 0)
		fprintf(text, " --r-depth %u", tree.r_depth);
	if (tree.r_nodes > 0)
		fprintf(text, " --r-nodes %u", tree.r_nodes);
	if (tree.prefer != HISTREE_PREFER_BALANCE)
		fprintf(text, " --prefer %s", preferences[tree.prefer]);
	if (tree.leaves_out_nulls != tree.variant->leaves_out_nulls)
		fprintf(text, " --nulls %s", tree.leaves_out_nulls ? "leave-out" : "keep");
	if (options->ignore_gaps)
		fputs(" --gaps=ignore", text);
	if (options->null_empty_stacks)
		fputs(" --empty-stacks=null", text);
	if (options->backend == HISTREE_BACKEND_PARTIAL)
		fputs(" --backend partial", text);
	if (options->backend == HISTREE_BACKEND_PARTIAL && options->checkpoint_events != 0)
		fprintf(text, " --checkpoint-events %llu", (unsigned long long)options->checkpoint_events);
	if (options->no_overviews)
		fputs(" --no-overviews", text);

	/* Where names of functions come from; what is there, nobody compares. */
	for (size_t i = 0; i < options->symbol_count; i++)
		fprintf(text, " --symbols %s", options->symbols[i]);
	if (options->no_symbols)
		fputs(" --symbols none", text);
	put_clocks(text, options);
	bool failed = ferror(text) != 0;
	if (fclose(text) == 0 && !failed && status == HISTREE_OK)
		return HISTREE_OK;
	free(*out);
	*out = NULL;
	return status != HISTREE_OK ? status : error_memory(error, "the options of a build");
}

/* ---- leftover ------------------------------------------------------------------------------------------------ */

/* Whether two paths lead to one trace, as far as that can be told now. */
bool leftover_is_same_trace(const char *one, const char *other)
{
	if (strcmp(one, other) == 0)
		return true;
	char *a = realpath(one, NULL), *b = realpath(other, NULL);
	bool same = a != NULL && b != NULL && strcmp(a, b) == 0;
	free(a);
	free(b);
	return same;
}

static const char *other_trace(const struct histree_store_info *info, const struct histree_build_options *options)
{
	for (size_t i = 0; i < options->trace_count; i++)
		if (i >= info->trace_count || !leftover_is_same_trace(info->traces[i], options->traces[i]))
			return options->traces[i];
	return info->trace_count > options->trace_count ? info->traces[options->trace_count] : NULL;
}

/* A store that is complete is not made again: it must be the one that is asked for. */
static enum histree_status check_same(const struct store_folder *folder, const struct histree_store_info *info,
				      const struct histree_build_options *options, const char *recipe,
				      struct histree_error *error)
{
	const char *trace = other_trace(info, options);
	if (trace != NULL)
		return error_set(error, HISTREE_ERR_EXISTS,
				 "'%s' is complete and of other traces ('%s' is not the same): --resume with "
				 "those gives it its name, --force without --resume begins again",
				 folder->building, trace);
	/* Older stores do not say their options. */
	if (info->options == NULL || strcmp(info->options, recipe) == 0)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_EXISTS,
			 "'%s' is complete and was made with '%s', not with '%s': --resume with those options "
			 "gives it its name, --force without --resume begins again",
			 folder->building, info->options, recipe);
}

/* Each of them is gone on with as what it was begun as. */
static enum histree_status check_one_host(const struct store_folder *folder, const struct histree_store_info *info,
					  struct histree_error *error)
{
	if (info->host_count == 0)
		return HISTREE_OK;
	return error_set(
		error, HISTREE_ERR_EXISTS,
		"'%s' was begun as a store of %zu hosts, and the traces are of one: --resume with all of them "
		"goes on with it, --force without --resume begins again",
		folder->building, info->host_count);
}

enum histree_status leftover_check_options(const struct store_folder *folder, const struct histree_store_info *info,
					   const char *recipe, struct histree_error *error)
{
	if (info->options == NULL || strcmp(info->options, recipe) == 0)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_EXISTS,
			 "'%s' was begun with '%s', not with '%s': --resume with those options goes on with it, "
			 "--force without --resume begins again",
			 folder->building, info->options, recipe);
}

static enum histree_status forget_identities(const struct store_folder *folder, const char *path,
					     const struct histree_store_info *read, struct histree_error *error)
{
	struct histree_store_info info = *read;
	struct histree_store_history *histories = calloc(info.history_count + 1, sizeof(*histories));
	if (histories == NULL)
		return error_memory(error, "the manifest");
	for (size_t i = 0; i < info.history_count; i++) {
		histories[i] = info.histories[i];
		histories[i].identity = 0;
	}
	info.histories = histories;
	enum histree_status status = manifest_write(folder->io, path, &info, error);
	free(histories);
	return status;
}

enum histree_status leftover_look(const struct store_folder *folder, const struct histree_build_options *options,
				  const char *recipe, struct leftover *out, struct histree_error *error)
{
	*out = (struct leftover){ .end = INT64_MIN };
	if (!folder->keep)
		return HISTREE_OK;
	struct arena arena = { 0 };
	struct histree_store_info info;
	char *path = store_folder_path(folder, MANIFEST_FILE);
	enum histree_status status = HISTREE_OK;
	if (path == NULL)
		status = error_memory(error, "a path");
	else if (manifest_read(folder->io, path, &arena, &info, NULL) == HISTREE_OK) {
		*out = (struct leftover){ .end = info.end, .is_complete = info.complete };
		status = check_one_host(folder, &info, error);
		if (status == HISTREE_OK)
			status = info.complete ? check_same(folder, &info, options, recipe, error)
					       : leftover_check_options(folder, &info, recipe, error);
		if (status == HISTREE_OK && !info.complete)
			status = forget_identities(folder, path, &info, error);
	}
	arena_release(&arena);
	free(path);
	return status;
}
