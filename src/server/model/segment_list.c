// SPDX-License-Identifier: MIT
/*
 * segment_list.c - segments as a table that is scrolled and searched: its lines and its columns.
 */
#include "server/model/segment_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/number_text.h"
#include "base/search.h"
#include "histree/segment_stats.h"
#include "histree/segments.h"
#include "server/catalogue/dataset.h"
#include "server/model/state_filter.h"
#include "server/text/json_writer.h"
#include "view/view.h"

/* ---- segment lines ------------------------------------------------------------------------------------------- */

static void put_clock(struct byte_buffer *out, histree_time time)
{
	char text[TIME_TEXT_SIZE];
	byte_buffer_put(out, text, time_format_clock(time, text));
}

/* Times of the day and nanoseconds; null is empty. */
static const char *cell_of(void *context, unsigned column)
{
	struct segment_lines *lines = context;
	const struct histree_segment *segment = &lines->segment;
	struct byte_buffer *text = &lines->text;
	text->size = 0;
	if (column == SEGMENT_START)
		put_clock(text, segment->start);
	else if (column == SEGMENT_END)
		put_clock(text, segment->end);
	else if (column == SEGMENT_DURATION)
		byte_buffer_format(text, "%" PRIu64, histree_segment_duration(segment));
	else if (column < segment_time_column(lines->schema))
		state_value_text(&segment->content[column - SEGMENT_FIELDS], text);
	else
		byte_buffer_format(text, "%" PRId64, segment->start);
	byte_buffer_put_byte(text, '\0');
	return text->failed ? "" : byte_buffer_chars(text);
}

static enum histree_status seek_line(void *context, uint64_t number, struct histree_error *error)
{
	struct segment_lines *lines = context;
	return histree_segment_rows_seek(lines->rows, number, error);
}

static enum histree_status next_line(void *context, struct histree_error *error)
{
	struct segment_lines *lines = context;
	enum histree_status status = histree_cursor_next(lines->rows, error);
	if (status == HISTREE_OK)
		lines->segment = *histree_cursor_segment(lines->rows);
	return status;
}

static enum histree_status find_line(void *context, histree_time time, uint64_t *number,
				     struct histree_error *error)
{
	struct segment_lines *lines = context;
	return histree_segment_rows_find(lines->rows, time, number, error);
}

static const struct line_kind kind_of_lines = {
	.seek = seek_line, .next = next_line, .find = find_line, .cell = cell_of, .turn = 4096
};

/* ---- segment list -------------------------------------------------------------------------------------------- */

/* This is for each store: a screen is a few nodes, a sorted iterator a few MB, and what is more goes to a file. */
enum { CACHE_BYTES = 16 << 20, QUEUE_BYTES = 8 << 20, LISTINGS_MAX = 4 };

struct segment_listing {
	struct segment_listing_key key; /* its filter is a copy */
	struct histree_segment_filter *filter;
	struct histree_cursor *rows; /* NULL: a free slot */
	struct histree_work work;    /* of the request that has them */
	uint64_t used;               /* when, in uses of the list */
};

struct segment_lists {
	struct histree_store *store;
	size_t count;
	struct segment_list lists[];
};

/* ---- stores ---------------------------------------------------------------------------------------------- */

static bool segment_lists_apply(const struct dataset *dataset)
{
	return dataset->segments_count > 0;
}

static enum histree_status segment_lists_make(struct dataset *dataset, void **view, struct histree_error *error)
{
	const struct histree_store_info *info = histree_store_info(dataset->store);
	struct segment_lists *lists = calloc(1, sizeof(*lists) + info->segments_count * sizeof(*lists->lists));
	*view = lists;
	if (lists == NULL)
		return error_memory(error, "lists of segments");
	lists->store = dataset->store;
	for (size_t i = 0; i < info->segments_count; i++) {
		struct segment_list *list = &lists->lists[lists->count++];
		list->analysis = info->segments[i].analysis;
		list->of = dataset->store;
		list->start = info->start;
		list->end = info->end;
		pthread_mutex_init(&list->lock, NULL);
	}
	return HISTREE_OK;
}

static void names_free(struct segment_names *names)
{
	if (names == NULL)
		return;
	histree_segment_stats_free(names->stats);
	for (size_t i = 0; i < names->host_count && names->host_stats != NULL; i++)
		histree_segment_stats_free(names->host_stats[i]);
	free(names->host_stats);
	free(names->sorted);
	free(names);
}

static void listing_clear(struct segment_listing *listing)
{
	histree_cursor_free(listing->rows);
	histree_segment_filter_free(listing->filter);
	free((char *)(uintptr_t)listing->key.filter);
	*listing = (struct segment_listing){ .used = listing->used };
}

static void segment_lists_free(void *view)
{
	struct segment_lists *lists = view;
	for (size_t i = 0; i < lists->count; i++) {
		struct segment_list *list = &lists->lists[i];
		for (size_t k = 0; list->listings != NULL && k < LISTINGS_MAX; k++)
			listing_clear(&list->listings[k]);
		free(list->listings);
		names_free(list->names);
		histree_segment_store_close(list->store);
		pthread_mutex_destroy(&list->lock);
	}
	free(lists);
}

const struct view_kind segment_lists_kind = { segment_lists_apply, segment_lists_make, segment_lists_free };

/* The field that names segments: the text called "name", or else the first text. */
static size_t find_name_field(const struct histree_segment_schema *schema)
{
	size_t found = HISTREE_SEGMENTS_TOGETHER;
	for (size_t i = 0; i < schema->field_count; i++) {
		bool is_text = schema->fields[i].type == HISTREE_STRING;
		if (is_text && strcmp(schema->fields[i].name, "name") == 0)
			return i;
		if (is_text && found == HISTREE_SEGMENTS_TOGETHER)
			found = i;
	}
	return found;
}

static enum histree_status open_list(const struct segment_lists *lists, struct segment_list *list,
				     struct histree_error *error)
{
	/* A server writes nothing next to the stores of others. */
	const struct histree_segment_open_options options = { .cache_bytes = CACHE_BYTES,
							      .queue_bytes = QUEUE_BYTES,
							      .tables = HISTREE_TABLES_AS_THEY_ARE };
	if (list->store != NULL)
		return HISTREE_OK;
	if (list->listings == NULL)
		list->listings = calloc(LISTINGS_MAX, sizeof(*list->listings));
	if (list->listings == NULL)
		return error_memory(error, "lists of segments");
	enum histree_status status =
		histree_store_segments(lists->store, list->analysis, true, &options, &list->store, error);
	if (status != HISTREE_OK)
		return status;
	list->info = histree_segment_store_info(list->store);
	list->name_field = find_name_field(&list->info->schema);
	return HISTREE_OK;
}

enum histree_status segment_list_find(void *view, const char *analysis, struct segment_list **out,
				      struct histree_error *error)
{
	struct segment_lists *lists = view;
	*out = NULL;
	for (size_t i = 0; i < lists->count; i++) {
		struct segment_list *list = &lists->lists[i];
		if (strcmp(list->analysis, analysis) != 0)
			continue;
		pthread_mutex_lock(&list->lock);
		enum histree_status status = open_list(lists, list, error);
		pthread_mutex_unlock(&list->lock);
		if (status == HISTREE_OK)
			*out = list;
		return status;
	}
	return error_set(error, HISTREE_NOT_FOUND, "the store has no segments of '%s'", analysis);
}

enum histree_status segment_list_filter(const struct segment_list *list, const char *text,
					struct histree_segment_filter **out, struct histree_error *error)
{
	*out = NULL;
	if (*text == '\0')
		return HISTREE_OK;
	enum histree_status status =
		histree_segment_filter_create(&list->info->schema, text, list->start, list->end, out, error);
	if (status == HISTREE_OK && histree_segment_filter_lacks_threads(*out)) {
		struct histree_history *kernel = NULL;
		status = histree_store_history(list->of, NULL, true, NULL, &kernel, error);
		if (status == HISTREE_OK)
			status = histree_segment_filter_take_threads(*out, kernel, (struct histree_work){ 0 },
								     error);
		histree_history_close(kernel);
	}
	if (status != HISTREE_OK) {
		histree_segment_filter_free(*out);
		*out = NULL;
	}
	return status;
}

/* ---- statistics ------------------------------------------------------------------------------------------ */

enum histree_status segment_list_stats(const struct segment_list *list, const struct histree_segment_query *query,
				       size_t field, struct histree_work work, struct histree_segment_stats **out,
				       struct histree_error *error)
{
	struct histree_segment_query cancellable = *query;
	cancellable.work = work;
	enum histree_status status = histree_segment_stats_create(list->store, &cancellable, field, out, error);
	return status < 0 ? status : HISTREE_OK; /* also where a damaged node was passed over */
}

/* ---- names ----------------------------------------------------------------------------------------------- */

/* Names are texts or null, which comes first. */
static int compare_names(const struct histree_value *a, const struct histree_value *b)
{
	if (a->type != b->type)
		return a->type == HISTREE_NULL ? -1 : 1;
	if (a->type != HISTREE_STRING)
		return 0;
	return bytes_order(a->bytes, a->size, b->bytes, b->size);
}

static const struct histree_value *name_at(const struct segment_names *names, uint32_t index)
{
	return &histree_segment_stats_group(names->stats, index)->value;
}

static int compare_groups(const void *a, const void *b, void *names)
{
	return compare_names(name_at(names, *(const uint32_t *)a), name_at(names, *(const uint32_t *)b));
}

static bool is_host(void *name, const char *host)
{
	return strcmp(name, host) == 0;
}

static enum histree_status add_hosts(const struct segment_list *list, struct histree_work work,
				     struct segment_names *names, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	names->hosts = histree_segment_store_parts(list->store, &names->host_count);
	names->host_stats = calloc(names->host_count + 1, sizeof(struct histree_segment_stats *));
	if (names->host_stats == NULL)
		return error_memory(error, "names of segments");
	for (size_t i = 0; i < names->host_count && status == HISTREE_OK; i++) {
		struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
		query.host_filter = is_host;
		query.host_context = (void *)(uintptr_t)names->hosts[i].name;
		if (names->hosts[i].store != NULL)
			status = segment_list_stats(list, &query, list->name_field, work, &names->host_stats[i],
						    error);
	}
	return status;
}

static enum histree_status make_names(const struct segment_list *list, struct histree_work work,
				      struct segment_names **out, struct histree_error *error)
{
	const struct histree_segment_query all = HISTREE_SEGMENTS_ALL;
	struct segment_names *names = calloc(1, sizeof(*names));
	*out = NULL;
	if (names == NULL)
		return error_memory(error, "names of segments");
	enum histree_status status = segment_list_stats(list, &all, list->name_field, work, &names->stats, error);
	if (status == HISTREE_OK)
		status = add_hosts(list, work, names, error);
	while (status == HISTREE_OK && histree_segment_stats_group(names->stats, names->count) != NULL)
		names->count++;
	if (status == HISTREE_OK && (names->sorted = calloc(names->count + 1, sizeof(*names->sorted))) == NULL)
		status = error_memory(error, "names of segments");
	if (status != HISTREE_OK) {
		names_free(names);
		return status;
	}
	for (size_t i = 0; i < names->count; i++)
		names->sorted[i] = (uint32_t)i;
	qsort_r(names->sorted, names->count, sizeof(*names->sorted), compare_groups, names);
	*out = names;
	return HISTREE_OK;
}

enum histree_status segment_list_names(struct segment_list *list, struct histree_work work,
				       const struct segment_names **out, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	pthread_mutex_lock(&list->lock);
	if (list->names == NULL)
		status = make_names(list, work, &list->names, error);
	*out = list->names;
	pthread_mutex_unlock(&list->lock);
	return status;
}

size_t segment_names_index(const struct segment_names *names, const struct histree_value *name)
{
	const size_t at = SEARCH(i, 0, names->count, compare_names(name, name_at(names, names->sorted[i])) > 0);
	const bool is_there = at < names->count && compare_names(name, name_at(names, names->sorted[at])) == 0;
	return is_there ? names->sorted[at] : SIZE_MAX;
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

static bool goes_on(void *context)
{
	const struct segment_listing *listing = context;
	return !cancel_asked(&listing->work);
}

static bool is_same(const struct segment_listing_key *a, const struct segment_listing_key *b)
{
	return a->order == b->order && a->field == b->field && a->descending == b->descending &&
	       strcmp(a->filter, b->filter) == 0;
}

static enum histree_status begin_listing(const struct segment_list *list, struct segment_listing *listing,
					 const struct segment_listing_key *key, struct histree_error *error)
{
	listing_clear(listing);
	listing->key = *key;
	listing->key.filter = strdup(key->filter);
	if (listing->key.filter == NULL)
		return error_memory(error, "rows of segments");
	enum histree_status status = segment_list_filter(list, key->filter, &listing->filter, error);
	if (status != HISTREE_OK)
		return status;
	struct histree_segment_rows_options options = { .query = HISTREE_SEGMENTS_ALL,
							.work = { .go_on = goes_on, .context = listing } };
	options.query.order = key->order;
	options.query.field = key->field;
	options.query.descending = key->descending;
	if (listing->filter != NULL)
		histree_segment_filter_apply(listing->filter, &options.query);
	return histree_segment_rows_create(list->store, &options, &listing->rows, error);
}

/* The listing of a key, or the slot of the one that was not used for the longest. */
static struct segment_listing *choose_listing(struct segment_list *list, const struct segment_listing_key *key)
{
	struct segment_listing *chosen = &list->listings[0];
	for (size_t i = 0; i < LISTINGS_MAX; i++) {
		struct segment_listing *listing = &list->listings[i];
		if (listing->rows != NULL && is_same(&listing->key, key))
			return listing;
		if (listing->used < chosen->used)
			chosen = listing;
	}
	return chosen;
}

enum histree_status segment_list_enter(struct segment_list *list, const struct segment_listing_key *key,
				       struct histree_work work, struct segment_lines *lines,
				       struct line_table *out, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	pthread_mutex_lock(&list->lock);
	struct segment_listing *listing = choose_listing(list, key);
	if (listing->rows == NULL || !is_same(&listing->key, key))
		status = begin_listing(list, listing, key, error);
	if (status != HISTREE_OK) {
		pthread_mutex_unlock(&list->lock);
		return status;
	}
	uint64_t last = 0;
	for (size_t i = 0; i < LISTINGS_MAX; i++)
		last = list->listings[i].used > last ? list->listings[i].used : last;
	listing->used = last + 1;
	listing->work = work;
	const struct histree_segment_schema *schema = &list->info->schema;
	*lines = (struct segment_lines){ .schema = schema, .rows = listing->rows };
	*out = (struct line_table){ &kind_of_lines, lines, 0, segment_time_column(schema) + 1 };
	status = histree_segment_rows_count(lines->rows, &out->count, error);
	if (status != HISTREE_OK)
		segment_list_leave(list, lines);
	return status;
}

void segment_list_leave(struct segment_list *list, struct segment_lines *lines)
{
	histree_segment_rows_rest(lines->rows);
	byte_buffer_release(&lines->text);
	pthread_mutex_unlock(&list->lock);
}
