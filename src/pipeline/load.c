// SPDX-License-Identifier: MIT
/*
 * text -> rows -> records, sorted on disk -> intervals, changes or segments -> a store.
 *
 * Nothing is made in the end unless every row was understood.
 */
#include "histree/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/registry.h"
#include "base/error.h"
#include "overview/overview_writer.h"
#include "pipeline/load.h"
#include "pipeline/load_inside.h"
#include "pipeline/publish_clock.h"
#include "store_folder/manifest.h"

/* ---- what the parts share -------------------------------------------------------------------------- */

void load_prefix(const struct load *load, const struct load_place *place)
{
	const char *path = place->file == 0 ? load->options->initial : load->options->files[place->file - 1];
	error_prefix(load->error, "'%.150s', line %" PRIu64, path, place->line);
}

const char *load_analysis(const struct load *load)
{
	if (load->options->analysis != NULL)
		return load->options->analysis;
	return load->kind == LOAD_SEGMENTS ? "segments" : "states";
}

uint32_t load_version(const struct load *load)
{
	const struct registry_entry *known = registry_find(load_analysis(load));
	return known != NULL ? registry_version(known) : 1;
}

/* ---- texts ----------------------------------------------------------------------------------------- */

static void find_columns(struct load *load)
{
	const struct text_table *text = &load->text;
	load->columns = (struct load_columns){
		.path = text_table_column(text, "path"),
		.start = text_table_column(text, "start"),
		.end = text_table_column(text, "end"),
		.time = text_table_column(text, "time"),
		.value = text_table_column(text, "value"),
		.type = text_table_column(text, "type"),
	};
}

/* What rows with these columns are. */
static enum load_kind kind_of(const struct load_columns *columns)
{
	bool has_path = columns->path != TEXT_NO_COLUMN, has_value = columns->value != TEXT_NO_COLUMN;
	bool has_span = columns->start != TEXT_NO_COLUMN && columns->end != TEXT_NO_COLUMN;
	bool has_time = columns->time != TEXT_NO_COLUMN;
	if (has_path && has_value && has_span && !has_time)
		return LOAD_INTERVALS;
	if (has_path && has_value && has_time && !has_span)
		return LOAD_CHANGES;
	return has_span && !has_path && !has_time ? LOAD_SEGMENTS : LOAD_NOTHING;
}

static enum histree_status unknown_kind(struct load *load)
{
	return text_table_fault(&load->text, TEXT_NO_COLUMN, load->error,
				"its columns are none that can be loaded: path, start, end and value are states as "
				"intervals; path, time and value are changes; start and end without a path are "
				"segments ('--columns' names those of a text without a line of names)");
}

static enum histree_status another_kind(struct load *load)
{
	static const char *const names[] = { "nothing", "intervals", "changes", "segments" };
	return text_table_fault(
		&load->text, TEXT_NO_COLUMN, load->error,
		"this text has %s, and the one before it %s: load each kind into a store of its own",
		names[kind_of(&load->columns)], names[load->kind]);
}

/* The columns of a text, once they are known: in JSON with its first row. */
static enum histree_status check_columns(struct load *load)
{
	find_columns(load);
	if (load->file == 0) {
		bool is_complete = load->columns.path != TEXT_NO_COLUMN && load->columns.value != TEXT_NO_COLUMN;
		return is_complete ? HISTREE_OK
				   : text_table_fault(&load->text, TEXT_NO_COLUMN, load->error,
						      "states to begin with have columns path and value, as "
						      "'histree query --at TIME --format tsv' writes them");
	}
	enum load_kind kind = kind_of(&load->columns);
	if (kind == LOAD_NOTHING)
		return unknown_kind(load);
	if (kind != LOAD_CHANGES && load->options->initial != NULL)
		return error_set(load->error, HISTREE_ERR_ARGUMENT,
				 "'%s' has no changes: only a history of changes can begin with other states",
				 load->text.input.path);
	if (load->kind == LOAD_NOTHING)
		load->kind = kind;
	if (load->kind != kind)
		return another_kind(load);
	return HISTREE_OK;
}

static enum histree_status read_rows(struct load *load)
{
	enum histree_status status = HISTREE_OK;
	size_t columns_known = 0;
	for (uint64_t count = 0; status == HISTREE_OK; count++) {
		status = text_table_next(&load->text, load->error);
		if (status != HISTREE_OK)
			break;
		/* A row of JSON may have a column that none had before, such as a type. */
		if (count == 0)
			status = check_columns(load);
		else if (load->text.column_count != columns_known)
			find_columns(load);
		columns_known = load->text.column_count;
		if (status == HISTREE_OK)
			status = load->kind == LOAD_SEGMENTS ? load_segment_row(load) : load_state_row(load);
		load->result.rows++;
		if (status == HISTREE_OK)
			status = load_go_on(load, count);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status read_text(struct load *load, const char *path, size_t number)
{
	const struct histree_load_options *options = load->options;
	load->file = number;
	load->columns_seen = 0;
	enum histree_status status = text_table_open(&load->text, load->io, path, options->format,
						     number > 0 ? options->columns : NULL, load->error);
	if (status != HISTREE_OK)
		return status;
	status = read_rows(load);
	load->result.bytes += load->text.input.at;
	text_table_close(&load->text);
	return status;
}

/* What a history begins with comes first; that it has changes is known only then. */
static enum histree_status read_texts(struct load *load)
{
	const struct histree_load_options *options = load->options;
	enum histree_status status = HISTREE_OK;
	if (options->initial != NULL) {
		load->kind = LOAD_CHANGES;
		status = read_text(load, options->initial, 0);
	}
	for (size_t i = 0; i < options->file_count && status == HISTREE_OK; i++)
		status = read_text(load, options->files[i], i + 1);
	if (status == HISTREE_OK && !load->has_times)
		status = error_set(load->error, HISTREE_ERR_FORMAT, "'%s' has no rows: there is nothing to load",
				   options->files[0]);
	free(load->last_path);
	load->last_path = NULL;
	return status;
}

/* ---- the store ------------------------------------------------------------------------------------- */

static enum histree_status choose_times(struct load *load)
{
	const struct histree_load_options *options = load->options;
	if ((options->has_start || options->has_end) && load->kind == LOAD_SEGMENTS)
		return error_set(load->error, HISTREE_ERR_ARGUMENT,
				 "a segment store has no start and no end but those of its segments");
	if (options->labels != NULL && load->kind == LOAD_SEGMENTS)
		return error_set(load->error, HISTREE_ERR_ARGUMENT,
				 "labels are of states, and a segment store has none");
	if (options->has_start && options->start > load->start)
		return error_set(load->error, HISTREE_ERR_TIME_RANGE,
				 "the first row is of %" PRId64 ", before the start that was asked for, %" PRId64,
				 load->start, options->start);
	if (options->has_end && options->end < load->end)
		return error_set(load->error, HISTREE_ERR_TIME_RANGE,
				 "the last row is of %" PRId64 ", after the end that was asked for, %" PRId64,
				 load->end, options->end);
	if (options->has_end && options->end == INT64_MAX)
		return error_set(load->error, HISTREE_ERR_TIME_RANGE,
				 "a history ends before the last time there is");
	load->start = options->has_start ? options->start : load->start;
	load->end = options->has_end ? options->end : load->end;
	return HISTREE_OK;
}

static enum histree_status make_file(struct load *load, const char *path)
{
	load->phase = LOAD_MAKING;
	if (load->kind == LOAD_SEGMENTS)
		return load_make_segments(load, path);
	const struct overview_options overviews = { .memory_max = load->memory.history,
						    .threads = load->options->tree.threads,
						    .go_on = load_goes_on,
						    .context = load };
	enum histree_status status = load_make_history(load, path);
	record_sort_free(load->sort);
	load->sort = NULL;
	load->phase = LOAD_OVERVIEWS;
	if (status == HISTREE_OK && !load->options->no_overviews)
		status = overviews_write(load->io, path, &overviews, load->error);
	return status;
}

static enum histree_status write_manifest(struct load *load, const char *file, int64_t begun_ns)
{
	uint64_t identity;
	enum histree_status status = store_folder_identify(&load->folder, file, &identity, load->error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_store_history history = { .analysis = load_analysis(load),
						       .analysis_version = load_version(load),
						       .file = file,
						       .identity = identity };
	const struct histree_store_segments segments = { .analysis = load_analysis(load),
							 .analysis_version = load_version(load),
							 .file = file,
							 .identity = identity };
	const struct histree_store_info info = {
		.made_by = "histree " HISTREE_VERSION,
		.histories = &history,
		.history_count = load->kind != LOAD_SEGMENTS,
		.segments = &segments,
		.segments_count = load->kind == LOAD_SEGMENTS,
		.complete = true,
		.start = load->start,
		.end = load->end,
		.build_ns = publish_clock_now() - begun_ns,
	};
	char *path = store_folder_path(&load->folder, MANIFEST_FILE);
	status = path != NULL ? manifest_write(load->io, path, &info, load->error)
			      : error_memory(load->error, "a path");
	free(path);
	return status;
}

static enum histree_status make_store(struct load *load, int64_t begun_ns)
{
	char *path = NULL, *file = NULL;
	enum histree_status status = load_read_labels(load);
	if (status == HISTREE_OK)
		status = read_texts(load);
	if (status == HISTREE_OK)
		status = choose_times(load);
	if (status == HISTREE_OK)
		status = record_sort_finish(load->sort, load->error);
	if (status == HISTREE_OK)
		load->result.sorted_bytes = record_sort_spilled_bytes(load->sort);
	if (status == HISTREE_OK &&
	    (asprintf(&file, "%s.%s", load_analysis(load), load->kind == LOAD_SEGMENTS ? "seg" : "sht") < 0 ||
	     (path = store_folder_path(&load->folder, file)) == NULL))
		status = error_memory(load->error, "a path");
	if (status == HISTREE_OK)
		status = make_file(load, path);
	if (status == HISTREE_OK)
		status = write_manifest(load, file, begun_ns);
	if (status == HISTREE_OK)
		status = store_folder_publish(&load->folder, load->error);
	free(path);
	free(file);
	return status;
}

/* Tables that outgrow memory, and what is sorted, are beside the store's files. */
static enum histree_status load_in_folder(struct load *load, const char *inside)
{
	int64_t begun_ns = publish_clock_now();
	if (!table_space_init(&load->tables, inside, load->memory.tables))
		return error_memory(load->error, "a path");
	attribute_tree_use_space(&load->names, &load->tables);
	load->attribute_table.space = &load->tables;
	enum histree_status status =
		record_sort_create(load->io, inside, load->memory.history, &load->sort, load->error);
	return status == HISTREE_OK ? make_store(load, begun_ns) : status;
}

static enum histree_status run(struct load *load)
{
	const struct histree_load_options *options = load->options;
	enum histree_status status =
		store_folder_begin(&load->folder, load->io, options->store, options->force, false, load->error);
	if (status != HISTREE_OK)
		return status;
	char *inside = store_folder_path(&load->folder, MANIFEST_FILE);
	status = inside != NULL ? load_in_folder(load, inside) : error_memory(load->error, "a path");
	text_table_close(&load->text);
	record_sort_free(load->sort);
	attribute_tree_release(&load->names);
	table_release(&load->attribute_table, load->attributes);
	table_space_release(&load->tables);
	arena_release(&load->field_names);
	free(load->labels);
	free(load->last_path);
	free(inside);
	store_folder_release(&load->folder);
	return status;
}

/* A file in the store has the name. */
static bool is_name(const char *analysis)
{
	return analysis == NULL || (analysis[0] != '\0' && analysis[0] != '.' && strlen(analysis) < 64 &&
				    strchr(analysis, '/') == NULL);
}

enum histree_status pipeline_load(const struct histree_load_options *options, const struct io *io,
				  struct histree_load_result *result, struct histree_error *error)
{
	struct histree_error own;
	if (options->file_count == 0 || options->store == NULL || options->store[0] == '\0')
		return error_set(error, HISTREE_ERR_ARGUMENT, "a load needs a text and a name for the store");
	if (!is_name(options->analysis))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "'%.40s' is no name of an analysis: 1 to 63 bytes without '/', the first no '.'",
				 options->analysis);
	struct load load = {
		.options = options,
		.io = io,
		.error = error != NULL ? error : &own,
		.folder = { .lock = -1 },
		.memory = memory_plan(options->tree.memory_max, 1, 0),
		.text = { .input.file = -1 },
		.last_quark = HISTREE_ROOT,
		.bytes_total = load_bytes_total(options),
	};
	load.memory.segments = load.memory.history;
	attribute_tree_init(&load.names);
	enum histree_status status = run(&load);
	if (result != NULL)
		*result = load.result;
	return status;
}

enum histree_status histree_load(const struct histree_load_options *options, struct histree_load_result *result,
				 struct histree_error *error)
{
	return pipeline_load(options, &io_posix, result, error);
}
