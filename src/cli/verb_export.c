// SPDX-License-Identifier: MIT
/*
 * verb_export.c - 'histree export': chooses a format and a source and writes the file.
 *
 * A source is the chosen states, segments or events; a format is a row of a table, with the function that writes a
 * source: as a stream of columns, by a walk for viewers, or as tables of a database.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "base/search.h"
#include "cli/attribute_list.h"
#include "cli/picture_file.h"
#include "cli/progress.h"
#include "cli/segment_target.h"
#include "cli/target.h"
#include "cli/thread_lives.h"
#include "cli/thread_words.h"
#include "cli/verb.h"
#include "histree/columns.h"
#include "histree/events.h"
#include "histree/export.h"
#include "histree/filter.h"
#include "histree/states.h"

/* ---- the source ---------------------------------------------------------------------------------------------- */

struct export_choice {
	const struct cli_question *question;
	const char *segments; /* NULL: states, or what the analysis has */
	bool events;
	bool for_viewer; /* names and arrows are wanted, too */
};

struct export_source {
	struct target *target; /* `own`, or that of the segments */
	struct target own;
	histree_time from, to, origin;
	histree_time trace_end; /* of events */

	/* One of the three is not NULL. */
	struct histree_history *history;
	struct histree_segment_store *segments; /* of `chosen` */
	struct histree_events *events;

	struct segment_target chosen;
	histree_quark *quarks; /* ascending; NULL: all */
	size_t quark_count;
	const char *where; /* of states and events; NULL: all of them */
	bool lacks_some;   /* a pattern matched nothing, which was said */

	struct histree_history *names; /* of threads: for viewers, and where the history has none */

	/* For viewers. */
	struct histree_segment_store *wakeups, *flows;
};

/* ---- export columns ------------------------------------------------------------------------------------------ */

static uint64_t rows_of_states(const struct export_source *source)
{
	const struct histree_history_info *info = histree_history_info(source->history);
	double rows = (double)info->interval_count;
	if (source->quarks != NULL)
		rows *= (double)source->quark_count / ((double)info->attribute_count + 1);
	rows *= ((double)source->to - (double)source->from + 1) / ((double)info->end - (double)info->start + 1);
	return (uint64_t)rows;
}

/*
 * Opens a stream of the rows to export, with the columns of a list of names, "path,start,value", or if that is
 * NULL, with those of the bits, 0 for all.  *rows becomes roughly the number of rows.
 */
static enum histree_status export_columns_open(const struct export_source *source, uint64_t columns,
					       const char *names, const struct histree_work *work,
					       struct ArrowArrayStream *out, uint64_t *rows,
					       struct histree_error *error)
{
	const struct histree_arrow_options options = { .columns = columns,
						       .work = *work,
						       .where = source->where,
						       .start = source->origin,
						       .end = source->trace_end,
						       .names = names,
						       .kernel = source->names };
	if (source->segments != NULL) {
		*rows = histree_segment_store_info(source->segments)->segment_count;
		return histree_segments_arrow(source->segments, &source->chosen.query, &options, out, error);
	}
	if (source->events != NULL) {
		*rows = histree_events_count(source->events);
		return histree_events_arrow(source->events, source->from, source->to, &options, out, error);
	}
	const struct histree_region region = {
		.quarks = source->quarks, .quark_count = source->quark_count, .from = source->from, .to = source->to
	};
	*rows = rows_of_states(source);
	return histree_query_arrow(source->history, &region, &options, out, error);
}

/* ---- export source ------------------------------------------------------------------------------------------- */

/* ---- states ----------------------------------------------------------------------------------------------- */

/* Chooses the attributes that the patterns match, or those of threads; all if there is neither. */
static enum cli_exit choose_quarks(struct export_source *source, const struct cli_words *words, const char *threads)
{
	struct attribute_list list = { 0 };
	char *const of_threads[] = { (char *)(uintptr_t)threads };
	if (words->count < 2 && threads == NULL)
		return CLI_OK;
	if (words->count > 1 && threads != NULL)
		return report_exit(CLI_USAGE, "'--thread' and '%s' both choose states: leave one out",
				   words->words[1]);
	enum cli_exit code = thread_words_match(&list, source->target, source->history,
						threads != NULL ? of_threads : words->words + 1,
						threads != NULL ? 1 : words->count - 1, ATTRIBUTES_WITH_STATES);
	source->lacks_some = code == CLI_NOTHING;
	if (code == CLI_NOTHING && list.count > 0)
		code = CLI_OK;
	if (code == CLI_OK && (source->quarks = malloc(list.count * sizeof(*source->quarks))) == NULL)
		code = report_no_memory();
	for (size_t i = 0; i < list.count && code == CLI_OK; i++)
		source->quarks[i] = list.attributes[i].quark;
	if (code == CLI_OK) {
		source->quark_count = list.count;
		qsort(source->quarks, list.count, sizeof(*source->quarks), compare_u32);
	}
	attribute_list_release(&list);
	return code;
}

/* The history of the kernel, which knows of threads; an export can do without. */
static void open_names(struct export_source *source)
{
	if (source->target->store != NULL &&
	    histree_store_history(source->target->store, "kernel", true, NULL, &source->names, NULL) != HISTREE_OK)
		source->names = NULL;
}

static enum cli_exit open_states(struct export_source *source, const char *store, const struct cli_words *words,
				 const struct export_choice *choice)
{
	enum cli_exit code = target_open_history(&source->own, store, choice->question->analysis, &source->history);
	if (code != CLI_OK)
		return code;
	if (choice->question->where != NULL && choice->for_viewer)
		return report_exit(CLI_USAGE,
				   "'--where' chooses states for tables, segments with '-a NAME', and events with "
				   "'--events'; a file for a viewer has all states of an attribute");
	const struct histree_history_info *info = histree_history_info(source->history);
	struct time_span span = time_span_of_history(info);
	source->origin = info->start;
	source->where = choice->question->where;
	if (source->where != NULL && !thread_lives_are_of(source->history))
		open_names(source);
	code = question_range(choice->question, &span, &source->from, &source->to);
	if (code == CLI_OK)
		code = choose_quarks(source, words, choice->question->thread);
	if (code == CLI_OK && choice->for_viewer && strncmp(info->provider, "kernel", strlen("kernel")) == 0)
		source->wakeups = target_segments_if_any(&source->own, "wakeups");
	if (code == CLI_OK && choice->for_viewer && strcmp(info->provider, "tracks") == 0)
		source->flows = target_segments_if_any(&source->own, "track-flows");
	return code;
}

/* ---- segments and events ---------------------------------------------------------------------------------- */

static enum cli_exit open_segments(struct export_source *source, const char *store,
				   const struct export_choice *choice, const char *analysis)
{
	const struct cli_question *question = choice->question;
	source->target = &source->chosen.target;
	enum cli_exit code = segment_target_open(&source->chosen, store, analysis, question);
	if (code != CLI_OK)
		return code;
	source->segments = source->chosen.store;
	/* Segments may reach beyond the trace, and are whole unless a range is given. */
	const struct histree_segment_store_info *info = histree_segment_store_info(source->segments);
	bool has_range = question->from != NULL || question->to != NULL || question->at != NULL;
	source->from = has_range ? source->chosen.query.from : info->start;
	source->to = has_range ? source->chosen.query.to : info->end;
	source->origin = source->chosen.span.start;
	if (choice->for_viewer)
		open_names(source);
	return CLI_OK;
}

/* ---- any of them ------------------------------------------------------------------------------------------ */

/* Opens it.  What failed is reported.  export_source_close() also after failure. */
static enum cli_exit export_source_open(struct export_source *source, const char *store,
					const struct cli_words *words, const struct export_choice *choice)
{
	const char *segments = choice->segments;
	*source = (struct export_source){ .target = &source->own };
	if (segments == NULL && !choice->events && target_is_of_segments(store, choice->question->analysis))
		segments = choice->question->analysis;

	enum cli_exit code = CLI_OK;
	bool has_rows = segments != NULL || choice->events;
	if (has_rows && choice->events && (segments != NULL || choice->question->analysis != NULL))
		code = report_exit(CLI_USAGE, "'--events' writes the events of the trace, '--analysis' what an "
					      "analysis made: choose one");
	else if (choice->events && choice->question->thread != NULL)
		code = report_exit(CLI_USAGE,
				   "'--thread' chooses states or segments to export; events of threads are chosen "
				   "by '--where', as in 'thread == 42' or 'process == vlc'");
	else if (choice->segments != NULL && choice->question->analysis != NULL)
		code = report_exit(CLI_USAGE, "'--segments' is an old name of '--analysis': leave one out");
	else if (has_rows && words->count > 1)
		code = report_exit(CLI_USAGE, "'%s': a PATTERN chooses states, not segments or events",
				   words->words[1]);

	if (code != CLI_OK)
		return code;
	if (segments != NULL)
		return open_segments(source, store, choice, segments);
	if (!choice->events)
		return open_states(source, store, words, choice);
	struct histree_error error = { 0 };
	enum histree_status status = target_open(&source->own, store, &error);
	if (status == HISTREE_OK && source->own.store == NULL)
		return report_exit(
			CLI_INPUT,
			"'%s' is one file; only a store, the folder that 'histree build' makes, has events", store);
	if (status == HISTREE_OK)
		status = histree_events_open(source->own.store, &source->events, &error);
	if (status != HISTREE_OK)
		return report_error(&error);
	const struct histree_store_info *info = histree_store_info(source->own.store);
	const struct time_span span = { .start = info->start, .end = info->end, .what = "trace" };
	source->origin = info->start;
	source->trace_end = info->end;
	source->where = choice->question->where;
	if (choice->for_viewer || source->where != NULL)
		open_names(source);
	return question_range(choice->question, &span, &source->from, &source->to);
}

/* ---- an export that is under way ----------------------------------------------------------------------------- */

struct export_format;

/* An export that is under way. */
struct export_run {
	const struct export_source *source;
	const struct export_format *format;
	const char *store;                   /* as the user called it, or that of the host */
	const char *path;                    /* NULL: standard output */
	const char *column_names;            /* as the user has them, or NULL */
	bool is_compressed, is_uncompressed; /* what --compression said; neither: the default of the format */
	bool is_partitioned, replaces;
	enum histree_partition_slice slice;
	struct progress *progress;
	uint64_t rows; /* that are expected */
	struct histree_export_counts counts;
};

struct export_format {
	const char *name;
	const char *endings[4];
	enum export_place place;
	enum { TAKES_NOTHING, TAKES_COLUMNS = 1, TAKES_COMPRESSION = 2, TAKES_PARTITION = 4, FOR_VIEWER = 8 } takes;
	enum histree_status (*run)(struct export_run *run, struct histree_error *error);
};

/* How many rows there will be is an estimate: the last hundredth is never sure. */
static void show_rows(void *context, const struct histree_progress *now)
{
	struct export_run *run = context;
	struct histree_progress guessed = *now;
	if (now->share < 0)
		guessed.share = (double)now->rows / ((double)run->rows + 1);
	if (now->share < 0 && guessed.share > 0.99)
		guessed.share = 0.99;
	progress_show_share(run->progress, &guessed);
}

/* How a run is seen, and ended by a signal. */
static struct histree_work export_work(struct export_run *run)
{
	return (struct histree_work){ progress_goes_on, run, show_rows };
}

/* ---- a database: states, their attributes, and all segments -------------------------------------------------- */

enum { TABLES_MAX = 64, NAME_MAX_SIZE = 128 };

struct database {
	struct export_run *run;
	struct histree_sqlite_table tables[TABLES_MAX];
	struct ArrowArrayStream streams[TABLES_MAX];
	char names[TABLES_MAX][NAME_MAX_SIZE];
	struct histree_segment_store *stores[TABLES_MAX];
	size_t count, store_count;
	struct histree_work work;
	struct histree_error *error;
};

static const char *const indexes_of_states[] = { "quark, start", "start", NULL };
static const char *const indexes_of_attributes[] = { "path", "parent", NULL };
static const char *const indexes_of_segments[] = { "start", "duration", NULL };
static const char *const indexes_of_events[] = { "time", "name, time", NULL };

/* What cannot be derived from the tables. */
static const char *const views_of_states[] = {
	"named_states AS SELECT a.path, s.* FROM states AS s JOIN attributes AS a USING (quark)",
	NULL,
};

/* The stream of the table is open. */
static void add_table(struct database *database, const char *name, const char *primary_key,
		      const char *const *indexes)
{
	char *own = database->names[database->count];
	snprintf(own, NAME_MAX_SIZE, "%s", name);
	/* In SQL a minus is an operator. */
	for (char *at = own; *at != '\0'; at++)
		if (*at == '-')
			*at = '_';
	database->tables[database->count] = (struct histree_sqlite_table){
		.name = own,
		.stream = &database->streams[database->count],
		.primary_key = primary_key,
		.indexes = indexes,
	};
	database->count++;
}

static enum histree_status add_source(struct database *database)
{
	/* Paths are in the table of attributes, once each. */
	const uint64_t of_states = HISTREE_ARROW_QUARK | HISTREE_ARROW_START | HISTREE_ARROW_END |
				   HISTREE_ARROW_DURATION | HISTREE_ARROW_TYPE | HISTREE_ARROW_VALUE |
				   HISTREE_ARROW_REAL | HISTREE_ARROW_TEXT | HISTREE_ARROW_LABEL;
	struct export_run *run = database->run;
	const struct export_source *source = run->source;
	enum histree_status status =
		export_columns_open(source, source->history != NULL ? of_states : 0, NULL, &database->work,
				    &database->streams[database->count], &run->rows, database->error);
	if (status != HISTREE_OK)
		return status;
	if (source->history != NULL)
		add_table(database, "states", NULL, indexes_of_states);
	else if (source->events != NULL)
		add_table(database, "events", "number", indexes_of_events);
	else
		add_table(database, histree_segment_store_info(source->segments)->schema.provider, NULL,
			  indexes_of_segments);
	return HISTREE_OK;
}

/* Adds the segments of the same times as the states. */
static enum histree_status add_segments(struct database *database, const char *analysis)
{
	const struct export_source *source = database->run->source;
	const struct histree_history_info *info = histree_history_info(source->history);
	const struct histree_arrow_options options = { .work = database->work };
	struct histree_segment_store *store = NULL;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	if (source->from > info->start)
		query.from = source->from;
	if (source->to < info->end)
		query.to = source->to;
	enum histree_status status =
		histree_store_segments(source->target->store, analysis, true, NULL, &store, database->error);
	if (status != HISTREE_OK)
		return status;
	database->stores[database->store_count++] = store;
	status = histree_segments_arrow(store, &query, &options, &database->streams[database->count],
					database->error);
	if (status != HISTREE_OK)
		return status;
	database->run->rows += histree_segment_store_info(store)->segment_count;
	add_table(database, analysis, NULL, indexes_of_segments);
	return HISTREE_OK;
}

static enum histree_status add_all(struct database *database)
{
	const struct export_source *source = database->run->source;
	enum histree_status status = add_source(database);
	if (status != HISTREE_OK || source->history == NULL)
		return status;

	status = histree_attributes_arrow(histree_history_attributes(database->run->source->history), NULL,
					  &database->streams[database->count], database->error);
	if (status == HISTREE_OK)
		add_table(database, "attributes", "quark", indexes_of_attributes);
	/* A pattern chooses states: with a pattern, no segments are wanted. */
	if (source->target->store == NULL || source->quarks != NULL)
		return status;
	const struct histree_store_info *info = histree_store_info(source->target->store);
	for (size_t i = 0; i < info->segments_count && database->count < TABLES_MAX && status == HISTREE_OK; i++)
		status = add_segments(database, info->segments[i].analysis);
	return status;
}

static enum histree_status database_write(struct database *database)
{
	struct export_run *run = database->run;
	const struct export_source *source = run->source;
	char start[32], end[32];
	snprintf(start, sizeof(start), "%" PRId64, source->from);
	snprintf(end, sizeof(end), "%" PRId64, source->to);
	const struct histree_export_note notes[] = {
		{ "made by", histree_version() },
		{ "store", run->store },
		{ "analysis", source->history != NULL ? histree_history_info(source->history)->provider
						      : database->tables[0].name },
		{ "start", start },
		{ "end", end },
	};
	const struct histree_sqlite_options options = {
		.notes = notes,
		.note_count = sizeof(notes) / sizeof(notes[0]),
		.views = source->history != NULL ? views_of_states : NULL,
		.work = export_work(run),
		.counts = &run->counts,
	};
	return histree_export_sqlite(database->tables, database->count, run->path, &options, database->error);
}

static enum histree_status export_database(struct export_run *run, struct histree_error *error)
{
	struct database *database = calloc(1, sizeof(*database));
	if (database == NULL)
		return error_memory(error, "the tables");
	database->run = run;
	database->error = error;
	database->work.go_on = progress_goes_on;
	enum histree_status status = add_all(database);
	if (status == HISTREE_OK)
		status = database_write(database);
	else
		for (size_t i = 0; i < database->count; i++)
			database->streams[i].release(&database->streams[i]);
	for (size_t i = 0; i < database->store_count; i++)
		histree_segment_store_close(database->stores[i]);
	free(database);
	return status;
}

/* ---- viewers ---------------------------------------------------------------------------------------------- */

static enum histree_status run_viewer(struct export_run *run, struct histree_error *error)
{
	const struct export_source *source = run->source;
	const struct histree_viewer_request request = {
		.format = run->format->name[0] == 'c' ? HISTREE_VIEWER_CHROME : HISTREE_VIEWER_PERFETTO,
		.from = source->from,
		.to = source->to,
		.origin = source->origin,
		.history = source->history,
		.quarks = source->quarks,
		.quark_count = source->quark_count,
		.wakeups = source->wakeups,
		.flows = source->flows,
		.names = source->names,
		.segments = source->segments,
		.query = source->segments != NULL ? &source->chosen.query : NULL,
		.events = source->events,
		.where = source->events != NULL ? source->where : NULL,
		.end = source->trace_end,
		.descriptor = STDOUT_FILENO,
		.work = export_work(run),
		.counts = &run->counts,
	};
	return histree_export_viewer(&request, run->path, error);
}

/* ---- columns ---------------------------------------------------------------------------------------------- */

static enum histree_status open_stream(struct export_run *run, struct ArrowArrayStream *stream,
				       struct histree_error *error)
{
	const struct histree_work work = export_work(run);
	return export_columns_open(run->source, 0, run->column_names, &work, stream, &run->rows, error);
}

static enum histree_status run_csv(struct export_run *run, struct histree_error *error)
{
	const struct histree_csv_options options = { .dictionaries_grow = true,
						     .descriptor = STDOUT_FILENO,
						     .work = export_work(run),
						     .counts = &run->counts };
	struct ArrowArrayStream stream;
	enum histree_status status = open_stream(run, &stream, error);
	return status == HISTREE_OK ? histree_export_csv(&stream, run->path, &options, error) : status;
}

static enum histree_status run_ipc(struct export_run *run, struct histree_error *error)
{
	const struct histree_ipc_options options = { .is_stream = strcmp(run->format->name, "arrow-stream") == 0,
						     .is_compressed = run->is_compressed,
						     .descriptor = STDOUT_FILENO,
						     .work = export_work(run),
						     .counts = &run->counts };
	struct ArrowArrayStream stream;
	enum histree_status status = open_stream(run, &stream, error);
	return status == HISTREE_OK ? histree_export_arrow(&stream, run->path, &options, error) : status;
}

static enum histree_status run_parquet(struct export_run *run, struct histree_error *error)
{
	const struct histree_parquet_options options = {
		.compression = run->is_uncompressed ? HISTREE_PARQUET_UNCOMPRESSED
			       : run->is_compressed ? HISTREE_PARQUET_ZSTD
						    : HISTREE_PARQUET_DEFAULT_COMPRESSION,
		.descriptor = STDOUT_FILENO,
		.work = export_work(run),
		.counts = &run->counts,
	};
	const struct export_source *source = run->source;
	const char *analysis = source->history != NULL ? histree_history_info(source->history)->provider
			       : source->segments != NULL
				       ? histree_segment_store_info(source->segments)->schema.provider
				       : "events";
	const struct histree_partition_options partition = {
		.analysis = analysis, .slice = run->slice, .replace = run->replaces, .file = options
	};
	struct ArrowArrayStream stream;
	enum histree_status status = open_stream(run, &stream, error);
	if (status != HISTREE_OK)
		return status;
	return run->is_partitioned ? histree_export_partitions(&stream, run->path, &partition, error)
				   : histree_export_parquet(&stream, run->path, &options, error);
}

/* ---- the table -------------------------------------------------------------------------------------------- */

/* The choices of --format. */
static const char *const export_format_names[] = { "arrow", "arrow-stream", "parquet",  "sqlite",
						   "csv",   "chrome",       "perfetto", NULL };

static const struct export_format formats[] = {
	{ "arrow", { ".arrow", ".feather", ".ipc" }, EXPORT_BINARY, TAKES_COLUMNS | TAKES_COMPRESSION, run_ipc },
	{ "arrow-stream", { ".arrows" }, EXPORT_BINARY, TAKES_COLUMNS | TAKES_COMPRESSION, run_ipc },
	{ "parquet",
	  { ".parquet" },
	  EXPORT_BINARY,
	  TAKES_COLUMNS | TAKES_COMPRESSION | TAKES_PARTITION,
	  run_parquet },
	{ "sqlite", { ".sqlite", ".sqlite3", ".db" }, EXPORT_BY_NAME, TAKES_NOTHING, export_database },
	{ "csv", { ".csv" }, EXPORT_TEXT, TAKES_COLUMNS, run_csv },
	{ "chrome", { ".json" }, EXPORT_TEXT, FOR_VIEWER, run_viewer },
	{ "perfetto", { ".pftrace", ".perfetto-trace", ".perfetto" }, EXPORT_BINARY, FOR_VIEWER, run_viewer },
};

static bool is_meant(const struct export_format *format, const char *name, const char *path)
{
	if (name != NULL)
		return strcmp(name, format->name) == 0;
	for (size_t i = 0; path != NULL && i < sizeof(format->endings) / sizeof(*format->endings); i++)
		if (format->endings[i] != NULL && path_ends_in(path, format->endings[i]))
			return true;
	return false;
}

/* Returns the format of this name or, if that is NULL, of a path's ending; NULL if there is no such format. */
static const struct export_format *export_format_find(const char *name, const char *path)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (is_meant(&formats[i], name, path))
			return &formats[i];
	return NULL;
}

/* ---- the verb ------------------------------------------------------------------------------------------------ */

struct export_options {
	struct cli_question question;
	const char *output, *format, *compression, *partition, *progress, *segments;
	bool events;
	bool force;
};

/* In the order of enum histree_partition_slice. */
static const char *const slices[] = { "hour", "day", "minute", "second", NULL };

static const char *const compressions[] = { "zstd", "none", NULL };

static const struct cli_option options[] = {
	CLI_OPTION_PATH("output", 'o', CLI_TEXT, "OUT", struct export_options, output,
			"write to this file; default: standard output"),
	CLI_OPTION_CHOICE(
		"format", "FORMAT", struct export_options, format, export_format_names,
		"write arrow, arrow-stream, parquet, sqlite, csv, chrome or perfetto; default: what the ending "
		"of "
		"OUT says"),
	{ .name = "segments",
	  .argument = "NAME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct export_options, segments) },
	CLI_OPTION_FLAG("events", 0, struct export_options, events,
			"write the events of the trace instead of states"),
	CLI_OPTION_CHOICE(
		"compression", "HOW", struct export_options, compression, compressions,
		"for parquet, arrow and arrow-stream: compress with zstd, or none; default: zstd for parquet"),
	CLI_OPTION_CHOICE("partition", "SLICE", struct export_options, partition, slices,
			  "for parquet: make a folder OUT with files by analysis and hour, day, minute or second"),
	CLI_OPTION_FORCE(struct export_options, "replace an existing OUT once the new one is complete"),
	CLI_OPTION_PROGRESS(struct export_options),
	{ 0 },
};

/* ---- the verb --------------------------------------------------------------------------------------------- */

static enum cli_exit write_file(struct export_run *run)
{
	struct histree_error error = { 0 };
	progress_catch_signals();
	enum histree_status status = run->format->run(run, &error);
	progress_end(run->progress);
	if (status != HISTREE_OK)
		return progress_outcome(status, run->path != NULL ? "cancelled; there is no new file" : "cancelled",
					&error);
	bool is_states = run->source->history != NULL;
	if (run->counts.loss.nodes == 0)
		return CLI_OK;
	if (is_states && run->source->quarks == NULL)
		host_part_missing(run->source->history);
	return report_exit(CLI_INPUT,
			   "%s damaged, and what is lost is %s; 'histree verify' says what that is, and 'histree "
			   "copy --repair' makes a sound store of the rest",
			   is_states ? "the history is" : "the segments are",
			   is_states ? "shown as unknown" : "missing");
}

/* Checks what does not depend on the store. */
static enum cli_exit export_options_check(const struct export_options *chosen, const struct export_format *format)
{
	if (format == NULL)
		return report_exit(CLI_USAGE,
				   "needs '--format', or '-o OUT' whose ending says it, as in trace.json");
	if (chosen->question.columns != NULL && (format->takes & TAKES_COLUMNS) == 0)
		return report_exit(CLI_USAGE, "'--columns' is for arrow, arrow-stream, parquet and csv, not for %s",
				   format->name);
	if (chosen->compression != NULL && (format->takes & TAKES_COMPRESSION) == 0)
		return report_exit(CLI_USAGE, "'--compression' is for parquet, arrow and arrow-stream, not for %s",
				   format->name);
	if (chosen->partition != NULL && (format->takes & TAKES_PARTITION) == 0)
		return report_exit(CLI_USAGE, "'--partition' is for parquet, not for %s", format->name);
	return export_file_check(chosen->output, chosen->force,
				 chosen->partition != NULL ? EXPORT_TO_FOLDER : format->place);
}

static int verb_export_run(void *said, const struct cli_words *words)
{
	struct export_options *chosen = said;
	struct export_source source;
	if (chosen->partition != NULL && chosen->format == NULL)
		chosen->format = "parquet";
	if (chosen->output != NULL && strcmp(chosen->output, "-") == 0)
		chosen->output = NULL;
	const struct export_format *format = export_format_find(chosen->format, chosen->output);
	enum cli_exit code = export_options_check(chosen, format);
	if (code != CLI_OK)
		return code;
	struct host_store store;
	code = host_store_of_question(&chosen->question, words->words[0], &store);
	if (code != CLI_OK)
		return code;
	struct progress progress = progress_begin(chosen->progress, false);
	struct export_run run = { .source = &source,
				  .format = format,
				  .store = store.path,
				  .path = chosen->output,
				  .column_names = chosen->question.columns,
				  .progress = &progress,
				  .is_partitioned = chosen->partition != NULL,
				  .replaces = chosen->force,
				  .is_compressed = chosen->compression != NULL && chosen->compression[0] == 'z',
				  .is_uncompressed = chosen->compression != NULL && chosen->compression[0] == 'n' };
	if (run.is_partitioned)
		run.slice = (enum histree_partition_slice)cli_choice_number(slices, chosen->partition);
	const struct export_choice choice = { .question = &chosen->question,
					      .segments = chosen->segments,
					      .events = chosen->events,
					      .for_viewer = (format->takes & FOR_VIEWER) != 0 };
	code = export_source_open(&source, store.path, words, &choice);
	if (code == CLI_OK)
		code = write_file(&run);
	if (code == CLI_OK && run.counts.rows == 0 && source.events != NULL && source.where != NULL)
		code = report_no_events(source.where);
	if (code == CLI_OK && (source.lacks_some || run.counts.rows == 0))
		code = CLI_NOTHING;

	histree_events_close(source.events);
	histree_segment_store_close(source.wakeups);
	histree_segment_store_close(source.flows);
	histree_history_close(source.names);
	histree_history_close(source.history);
	if (source.target == &source.own)
		target_close(&source.own);
	else
		segment_target_close(&source.chosen);
	free(source.quarks);
	host_store_release(&store);
	return code;
}

const struct cli_verb verb_export = {
	.name = "export",
	.summary = "write states, segments or events in the formats of other tools",
	.arguments = { "STORE [PATTERN]...", 1, CLI_WORDS_ANY },
	.complete = CLI_COMPLETE_ATTRIBUTE,
	.asks = ASKS_RANGE | ASKS(AT) | ASKS(WHERE) | ASKS(THREAD) | ASKS(COLUMNS) | ASKS(ANALYSIS) | ASKS(HOST),
	.says = { [ASK_HOST] = ", as its own store has it",
		  [ASK_WHERE] = ", as in 'name == vlc && duration > 1ms'",
		  [ASK_COLUMNS] = ", as in 'path,start,value'; for arrow, arrow-stream, parquet and csv",
		  [ASK_ANALYSIS] = ": its states or its segments; default: kernel, or the first history" },
	CLI_OPTIONS(options, struct export_options),
	.run = verb_export_run,
};
