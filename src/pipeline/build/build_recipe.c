// SPDX-License-Identifier: MIT
#include "pipeline/build/build_recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/definition/definition_files.h"
#include "analysis/registry.h"
#include "base/error.h"
#include "clock/clock_transform.h"
#include "tree/tree_shape.h"

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

/* In one order, however they were named. */
static void put_analyses(FILE *text, const struct histree_build_options *options)
{
	const char *before = "-a ";
	for (size_t i = 0; options->analyses != NULL && registry_at(i) != NULL; i++) {
		const char *name = registry_name(registry_at(i));
		if (!is_named(options, name))
			continue;
		fprintf(text, "%s%s", before, name);
		before = ",";
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

static void put_tree(FILE *text, const struct tree_options *tree)
{
	fprintf(text, "-t %s --node-size %u --fan-out %u", tree->variant->name, tree->node_size, tree->fan_out);
	if (tree->r_depth > 0)
		fprintf(text, " --r-depth %u", tree->r_depth);
	if (tree->r_nodes > 0)
		fprintf(text, " --r-nodes %u", tree->r_nodes);
	if (tree->prefer != HISTREE_PREFER_BALANCE)
		fprintf(text, " --prefer %s", preferences[tree->prefer]);
	if (tree->leaves_out_nulls != tree->variant->leaves_out_nulls)
		fprintf(text, " --nulls %s", tree->leaves_out_nulls ? "leave-out" : "keep");
}

/* Where names of functions come from; what is there, nobody compares. */
static void put_symbols(FILE *text, const struct histree_build_options *options)
{
	for (size_t i = 0; i < options->symbol_count; i++)
		fprintf(text, " --symbols %s", options->symbols[i]);
	if (options->no_symbols)
		fputs(" --symbols none", text);
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
	put_tree(text, &tree);
	if (options->segments && options->analyses == NULL)
		fputs(" with segments", text);
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
	put_symbols(text, options);
	put_clocks(text, options);
	bool failed = ferror(text) != 0;
	if (fclose(text) == 0 && !failed && status == HISTREE_OK)
		return HISTREE_OK;
	free(*out);
	*out = NULL;
	return status != HISTREE_OK ? status : error_memory(error, "the options of a build");
}
