// SPDX-License-Identifier: MIT
/*
 * export_database.c - the tables of a database that is exported: states, their attributes, and all segments.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/export_source.h"
#include "cli/export_format.h"

enum { TABLES_MAX = 64, NAME_MAX_SIZE = 128, NOTES_MAX = 6 };

struct database {
	struct export_run *run;
	struct histree_sqlite_table tables[TABLES_MAX];
	struct ArrowArrayStream streams[TABLES_MAX];
	char names[TABLES_MAX][NAME_MAX_SIZE];
	struct histree_segment_store *stores[TABLES_MAX];
	size_t count, store_count;
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

static const struct histree_work cancel = { .go_on = progress_goes_on };

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
		export_columns_open(source, source->history != NULL ? of_states : 0, NULL, &cancel,
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

static enum histree_status add_attributes(struct database *database)
{
	enum histree_status status =
		histree_attributes_arrow(histree_history_attributes(database->run->source->history), NULL,
					 &database->streams[database->count], database->error);
	if (status == HISTREE_OK)
		add_table(database, "attributes", "quark", indexes_of_attributes);
	return status;
}

/* Adds the segments of the same times as the states. */
static enum histree_status add_segments(struct database *database, const char *analysis)
{
	const struct export_source *source = database->run->source;
	const struct histree_history_info *info = histree_history_info(source->history);
	const struct histree_arrow_options options = { .work = cancel };
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
	status = add_attributes(database);
	/* A pattern chooses states: who gives one wants no segments. */
	if (source->target->store == NULL || source->quarks != NULL)
		return status;
	const struct histree_store_info *info = histree_store_info(source->target->store);
	for (size_t i = 0; i < info->segments_count && database->count < TABLES_MAX && status == HISTREE_OK; i++)
		status = add_segments(database, info->segments[i].analysis);
	return status;
}

static enum histree_status write(struct database *database)
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

enum histree_status export_database(struct export_run *run, struct histree_error *error)
{
	struct database *database = calloc(1, sizeof(*database));
	if (database == NULL)
		return error_memory(error, "the tables");
	database->run = run;
	database->error = error;
	enum histree_status status = add_all(database);
	if (status == HISTREE_OK)
		status = write(database);
	else
		for (size_t i = 0; i < database->count; i++)
			database->streams[i].release(&database->streams[i]);
	for (size_t i = 0; i < database->store_count; i++)
		histree_segment_store_close(database->stores[i]);
	free(database);
	return status;
}
