// SPDX-License-Identifier: MIT
/*
 * state_filter.c - filter expressions over states and over the fields of segments: the parts of an expression about
 * attributes and times narrow a selection, or leave a window of a query, and each state or segment of the answer is
 * tested.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/search.h"
#include "filter/filter.h"
#include "histree/attributes.h"
#include "histree/filter.h"
#include "histree/segment_stats.h"
#include "histree/states.h"
#include "query/thread_list.h"
#include "query/thread_pieces.h"

/* ---- state filter -------------------------------------------------------------------------------------------- */

enum { PATH, QUARK, HOST, THREAD, PROCESS, NAME, START, END, DURATION, TYPE, VALUE, LABEL, FIELDS };

static const struct histree_filter_field state_fields[FIELDS] = {
	[PATH] = { "path", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[QUARK] = { "quark", HISTREE_LONG, HISTREE_FILTER_PLAIN },
	[HOST] = { "host", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[THREAD] = { "thread", HISTREE_INT, HISTREE_FILTER_PLAIN },
	[PROCESS] = { "process", HISTREE_INT, HISTREE_FILTER_PLAIN },
	[NAME] = { "name", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[START] = { "start", HISTREE_LONG, HISTREE_FILTER_TIME },
	[END] = { "end", HISTREE_LONG, HISTREE_FILTER_TIME },
	[DURATION] = { "duration", HISTREE_LONG, HISTREE_FILTER_DURATION },
	[TYPE] = { "type", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[VALUE] = { "value", HISTREE_NULL, HISTREE_FILTER_PLAIN },
	[LABEL] = { "label", HISTREE_STRING, HISTREE_FILTER_PLAIN },
};

/* What has threads in the history that is asked: a host, or all of it. */
struct host_threads {
	struct thread_list list;
	const struct histree_thread **sorted; /* by number, then time */
};

/* Whose states an attribute has. */
struct row_owner {
	histree_quark quark;
	size_t host;
	const char *host_name; /* NULL: there is but one host */
	int32_t tid;           /* 0: they are no thread's */
};

struct histree_state_filter {
	struct histree_filter *filter;
	struct histree_selection paths; /* of the last state; nothing is selected */
	struct row_owner owner;         /* likewise */
	bool needs_path, needs_label;
	bool needs_owner;               /* host, thread, or what is said of the thread */
	bool needs_threads;             /* process or name */
	bool names_threads;             /* by these words, rather than a text that is looked for everywhere */
	bool is_of_attributes;          /* the expression says something of paths, quarks, threads or labels */
	const char *host;               /* of a history that is of one host of several; else NULL */
	struct histree_history *kernel; /* that says of threads what its own does not; NULL: nothing */
	struct host_threads *threads;   /* by host; NULL: they were not read */
	size_t host_count;
	histree_time from, to; /* the window of the selection */
};

static void find_thread_words(void *context, const char *name)
{
	bool *names_threads = context;
	*names_threads |=
		strcasecmp(name, state_fields[PROCESS].name) == 0 || strcasecmp(name, state_fields[NAME].name) == 0;
}

static bool needs_any(const struct histree_filter *filter, size_t first, size_t last)
{
	bool needs = false;
	for (size_t field = first; field <= last; field++)
		needs |= histree_filter_needs(filter, field);
	return needs;
}

enum histree_status histree_state_filter_create(struct histree_history *history, const char *text,
						struct histree_state_filter **out, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_filter_scope scope = { state_fields, FIELDS, info->start, info->end };
	*out = NULL;
	struct histree_state_filter *filter = calloc(1, sizeof(*filter));
	if (filter == NULL)
		return error_memory(error, "a filter");
	histree_selection_begin(&filter->paths, history);
	enum histree_status status = histree_filter_create(text, &scope, &filter->filter, error);
	if (status == HISTREE_OK)
		status = histree_filter_names(text, find_thread_words, &filter->names_threads, error);
	if (status != HISTREE_OK) {
		histree_state_filter_free(filter);
		return status;
	}
	filter->owner.quark = HISTREE_ROOT;
	filter->needs_path = histree_filter_needs(filter->filter, PATH);
	filter->needs_label = histree_filter_needs(filter->filter, LABEL);
	filter->needs_owner = needs_any(filter->filter, HOST, NAME);
	filter->needs_threads = needs_any(filter->filter, PROCESS, NAME);
	filter->is_of_attributes = filter->needs_label || needs_any(filter->filter, PATH, NAME);
	*out = filter;
	return HISTREE_OK;
}

void histree_state_filter_free(struct histree_state_filter *filter)
{
	if (filter == NULL)
		return;
	for (size_t i = 0; i < filter->host_count && filter->threads != NULL; i++) {
		thread_list_release(&filter->threads[i].list);
		free(filter->threads[i].sorted);
	}
	free(filter->threads);
	histree_filter_free(filter->filter);
	histree_selection_release(&filter->paths);
	free(filter);
}

bool histree_state_filter_is_of_rows(const struct histree_state_filter *filter)
{
	return !needs_any(filter->filter, START, LABEL);
}

/* ---- whose states they are ------------------------------------------------------------------------------ */

/* A history names its threads, or none of them. */
static bool names_threads(const struct histree_history *history)
{
	struct thread_walk walk;
	bool has_names = false;
	thread_walk_begin(&walk, histree_history_attributes(history));
	while (!has_names && thread_walk_next(&walk))
		has_names = thread_walk_quark(&walk, THREAD_FACT_NAME) != HISTREE_ROOT;
	return has_names;
}

/* The part of a history that is of the host at a place of another one; NULL: it has none. */
static struct histree_history *part_of_host(struct histree_history *history, const struct histree_history *asked,
					    size_t place)
{
	size_t count, asked_count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	const struct histree_history_host *wanted = histree_history_hosts(asked, &asked_count);
	if (hosts == NULL)
		return wanted == NULL || asked_count == 1 ? history : NULL;
	for (size_t i = 0; i < count && wanted != NULL; i++)
		if (strcmp(hosts[i].name, wanted[place].name) == 0)
			return hosts[i].history;
	return NULL;
}

static size_t hosts_of(const struct histree_history *history)
{
	size_t count;
	return histree_history_hosts(history, &count) != NULL ? count : 1;
}

bool histree_state_filter_lacks_threads(const struct histree_state_filter *filter)
{
	struct histree_history *history = filter->paths.history;
	if (!filter->names_threads)
		return false;
	for (size_t host = 0; host < hosts_of(history); host++) {
		const struct histree_history *part = part_of_host(history, history, host);
		if (part != NULL && names_threads(part))
			return false;
	}
	return true;
}

void histree_state_filter_take_threads(struct histree_state_filter *filter, struct histree_history *kernel)
{
	filter->kernel = kernel;
}

void histree_state_filter_call_host(struct histree_state_filter *filter, const char *host)
{
	filter->host = host;
}

static int by_number_and_time(const void *one, const void *other)
{
	const struct histree_thread *const *a = one, *const *b = other;
	if ((*a)->tid != (*b)->tid)
		return (*a)->tid < (*b)->tid ? -1 : 1;
	return ((*a)->from > (*b)->from) - ((*a)->from < (*b)->from);
}

static enum histree_status read_host_threads(struct host_threads *host, struct histree_history *history,
					     struct histree_error *error)
{
	if (history == NULL || !names_threads(history))
		return HISTREE_OK;
	enum histree_status status =
		thread_list_read(&host->list, history, INT64_MIN, INT64_MAX, (struct histree_work){ 0 }, error);
	if (status != HISTREE_OK)
		return status;
	host->sorted = malloc((host->list.count + 1) * sizeof(*host->sorted));
	if (host->sorted == NULL)
		return error_memory(error, "the threads");
	for (size_t i = 0; i < host->list.count; i++)
		host->sorted[i] = &host->list.threads[i];
	qsort(host->sorted, host->list.count, sizeof(*host->sorted), by_number_and_time);
	return HISTREE_OK;
}

/* Reads all threads: a row may have states where its thread did nothing, such as sums that stay. */
static enum histree_status read_threads(struct histree_state_filter *filter, const struct histree_window *window,
					struct histree_error *error)
{
	struct histree_history *const asked = filter->paths.history;
	struct histree_history *const said = filter->kernel != NULL ? filter->kernel : asked;
	enum histree_status status = HISTREE_OK;
	if (!filter->needs_threads || filter->threads != NULL)
		return HISTREE_OK;
	if (filter->kernel == NULL && histree_state_filter_lacks_threads(filter))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "processes and names of threads are in the states of the kernel; these are of "
				 "'%s', which has no more than the numbers of threads",
				 histree_history_info(asked)->provider);
	filter->from = window->from;
	filter->to = window->to;
	filter->host_count = hosts_of(asked);
	filter->threads = calloc(filter->host_count + 1, sizeof(*filter->threads));
	if (filter->threads == NULL)
		return error_memory(error, "the threads");
	for (size_t i = 0; i < filter->host_count && status == HISTREE_OK; i++)
		status = read_host_threads(&filter->threads[i], part_of_host(said, asked, i), error);
	return status;
}

static void find_owner(struct histree_state_filter *filter, histree_quark quark)
{
	size_t count;
	struct histree_history *history = filter->paths.history;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	if (filter->owner.quark == quark)
		return;
	const size_t host = histree_history_host_of(history, quark);
	assert(hosts == NULL || host < count);
	filter->owner = (struct row_owner){
		.quark = quark,
		.host = host,
		.host_name = hosts != NULL ? hosts[host].name : filter->host,
		.tid = histree_attributes_thread(histree_history_attributes(history), quark),
	};
}

/* The threads that had the number of the owner, in the order of time.  Returns how many. */
static size_t find_threads(const struct histree_state_filter *filter, const struct histree_thread *const **threads)
{
	const struct host_threads *host = filter->threads != NULL ? &filter->threads[filter->owner.host] : NULL;
	const int32_t tid = filter->owner.tid;
	if (host == NULL || host->sorted == NULL || tid == 0)
		return 0;
	const size_t count = host->list.count;
	const size_t first = SEARCH(i, 0, count, host->sorted[i]->tid < tid);
	const size_t behind = SEARCH(i, first, count, host->sorted[i]->tid <= tid);
	*threads = (const struct histree_thread *const *)&host->sorted[first];
	return behind - first;
}

static void fill_owner(const struct histree_state_filter *filter, const struct histree_thread *thread,
		       struct histree_value *values)
{
	const struct row_owner *owner = &filter->owner;
	values[HOST] = owner->host_name != NULL ? histree_string(owner->host_name) : histree_null();
	values[THREAD] = owner->tid != 0 ? histree_int(owner->tid) : histree_null();
	values[PROCESS] = thread != NULL && thread->has_process ? histree_int(thread->pid) : histree_null();
	values[NAME] = thread != NULL && *thread->name != '\0' ? histree_string(thread->name) : histree_null();
}

/* ---- the selection -------------------------------------------------------------------------------------- */

static void find_path(void *context, const struct filter_test *test)
{
	const char **path = context;
	if (test->field == PATH && test->operator== FILTER_EQUAL)
		*path = test->text;
}

/* Where no value means more than it says, no label passes a comparison. */
static bool has_words(const struct histree_label_table *table)
{
	for (size_t i = 0; table != NULL && i < table->label_count; i++)
		if (table->labels[i].is_code)
			return true;
	return false;
}

static bool may_have_states(void *context, histree_quark quark, const char *path, size_t size)
{
	struct histree_state_filter *filter = context;
	const struct histree_thread *const *threads = NULL;
	const bool are_known[FIELDS] = { [PATH] = true,
					 [QUARK] = true,
					 [HOST] = true,
					 [THREAD] = true,
					 [PROCESS] = true,
					 [NAME] = true,
					 [LABEL] = filter->needs_label &&
						   !has_words(histree_labels_of(filter->paths.history, quark)) };
	struct histree_value values[FIELDS] = {
		[PATH] = histree_string_n(path, size), [QUARK] = histree_long(quark)
	};
	if (filter->needs_owner)
		find_owner(filter, quark);
	const size_t count = filter->needs_threads ? find_threads(filter, &threads) : 0;
	bool may_pass = false;
	for (size_t i = 0; i < count && !may_pass; i++) {
		fill_owner(filter, threads[i], values);
		may_pass = threads[i]->from <= filter->to && threads[i]->to >= filter->from &&
			   histree_filter_may_pass(filter->filter, values, are_known);
	}
	if (count > 0)
		return may_pass;
	fill_owner(filter, NULL, values);
	return histree_filter_may_pass(filter->filter, values, are_known);
}

enum histree_status histree_state_filter_select(struct histree_state_filter *filter,
						struct histree_selection *selection, struct histree_error *error)
{
	const char *path = NULL;
	enum histree_status status = HISTREE_OK;
	histree_filter_bounds(filter->filter, START, &selection->window.from, &selection->window.to);
	histree_filter_bounds(filter->filter, END, &selection->window.from, &selection->window.to);
	if (!filter->is_of_attributes)
		return HISTREE_OK;
	status = read_threads(filter, &selection->window, error);
	filter_required(filter->filter, find_path, (void *)&path);
	if (status == HISTREE_OK && path != NULL && selection->has_all) {
		histree_selection_none(selection);
		status = histree_selection_add_path(selection, path, error);
	}
	return status == HISTREE_OK ? histree_selection_keep_wanted(selection, may_have_states, filter, error)
				    : status;
}

/* ---- a state -------------------------------------------------------------------------------------------- */

/* The thread that has the number of the owner: of those that had it, the last that had begun. */
static const struct histree_thread *thread_of(const struct histree_state_filter *filter, histree_time time)
{
	const struct histree_thread *const *threads = NULL;
	const size_t count = find_threads(filter, &threads);
	const size_t after = SEARCH(i, 0, count, threads[i]->from <= time);
	return count == 0 ? NULL : threads[after > 0 ? after - 1 : 0];
}

bool histree_state_filter_match(struct histree_state_filter *filter, const struct histree_interval *state)
{
	uint64_t duration = (uint64_t)state->end - (uint64_t)state->start;
	struct histree_value values[FIELDS] = {
		[QUARK] = histree_long(state->quark),
		[START] = histree_long(state->start),
		[END] = histree_long(state->end),
		[DURATION] = histree_long(duration >= INT64_MAX ? INT64_MAX : (int64_t)duration + 1),
		[TYPE] = histree_string(histree_type_name(state->value.type)),
		[VALUE] = state->value,
	};
	if (filter->needs_path) {
		size_t size;
		const char *path = histree_selection_path(&filter->paths, state->quark, &size);
		values[PATH] = path != NULL ? histree_string_n(path, size) : histree_null();
	}
	assert(!filter->names_threads || filter->threads != NULL);
	if (filter->needs_owner) {
		find_owner(filter, state->quark);
		fill_owner(filter, thread_of(filter, state->start), values);
	}
	const char *label = NULL;
	if (filter->needs_label)
		label = histree_label_of(filter->paths.history, state->quark, &state->value);
	values[LABEL] = label != NULL ? histree_string(label) : histree_null();
	return histree_filter_match(filter->filter, values);
}

bool histree_state_filter_may_match_thread(struct histree_state_filter *filter, size_t host, int32_t tid,
					   histree_time time)
{
	const bool are_known[FIELDS] = { [HOST] = true, [THREAD] = true, [PROCESS] = true, [NAME] = true };
	struct histree_value values[FIELDS] = { 0 };
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(filter->paths.history, &count);
	assert(host < (hosts != NULL ? count : 1));
	filter->owner = (struct row_owner){ .quark = HISTREE_ROOT,
					    .host = host,
					    .host_name = hosts != NULL ? hosts[host].name : filter->host,
					    .tid = tid };
	fill_owner(filter, thread_of(filter, time), values);
	return histree_filter_may_pass(filter->filter, values, are_known);
}

/* ---- segment filter ------------------------------------------------------------------------------------------ */

/* The fields of every segment; those of the schema come after them. */
enum { FIELD_START, FIELD_END, FIELD_DURATION, OWN_FIELDS };

static const struct histree_filter_field segment_fields[OWN_FIELDS] = {
	[FIELD_START] = { "start", HISTREE_LONG, HISTREE_FILTER_TIME },
	[FIELD_END] = { "end", HISTREE_LONG, HISTREE_FILTER_TIME },
	[FIELD_DURATION] = { "duration", HISTREE_LONG, HISTREE_FILTER_DURATION },
};

/* The last field of a union of several hosts. */
#define FIELD_HOST "host"
struct histree_segment_filter {
	struct histree_filter *filter;
	size_t content_count;
	size_t host; /* where it is among the fields of the expression; 0: nowhere */
};

enum histree_status histree_segment_filter_create(const struct histree_segment_schema *schema, const char *text,
						  histree_time start, histree_time end,
						  struct histree_segment_filter **out, struct histree_error *error)
{
	*out = NULL;
	if (schema->field_count > HISTREE_SEGMENT_FIELDS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a schema of %zu fields; it may have %d",
				 schema->field_count, HISTREE_SEGMENT_FIELDS_MAX);
	struct histree_filter_field fields[OWN_FIELDS + HISTREE_SEGMENT_FIELDS_MAX];
	memcpy(fields, segment_fields, sizeof(segment_fields));
	for (size_t i = 0; i < schema->field_count; i++)
		fields[OWN_FIELDS + i] = (struct histree_filter_field){ .name = schema->fields[i].name,
									.type = schema->fields[i].type };
	const struct histree_filter_scope scope = {
		.fields = fields, .field_count = OWN_FIELDS + schema->field_count, .start = start, .end = end
	};
	struct histree_segment_filter *filter = malloc(sizeof(*filter));
	if (filter == NULL)
		return error_memory(error, "a filter");
	filter->content_count = schema->field_count;
	const struct histree_segment_field *last =
		schema->field_count > 0 ? &schema->fields[schema->field_count - 1] : NULL;
	bool has_host = last != NULL && last->type == HISTREE_STRING && strcmp(last->name, FIELD_HOST) == 0;
	filter->host = has_host ? OWN_FIELDS + schema->field_count - 1 : 0;
	enum histree_status status = histree_filter_create(text, &scope, &filter->filter, error);
	if (status == HISTREE_OK)
		*out = filter;
	else
		free(filter);
	return status;
}

bool histree_segment_filter_match(const struct histree_segment_filter *filter,
				  const struct histree_segment *segment)
{
	struct histree_value values[OWN_FIELDS + HISTREE_SEGMENT_FIELDS_MAX];
	uint64_t duration = histree_segment_duration(segment);
	values[FIELD_START] = histree_long(segment->start);
	values[FIELD_END] = histree_long(segment->end);
	values[FIELD_DURATION] = histree_long(duration > INT64_MAX ? INT64_MAX : (int64_t)duration);
	for (size_t i = 0; i < filter->content_count; i++)
		values[OWN_FIELDS + i] = segment->content != NULL ? segment->content[i] : histree_null();
	return histree_filter_match(filter->filter, values);
}

static bool pass(void *context, const struct histree_segment *segment)
{
	return histree_segment_filter_match(context, segment);
}

/* Whether the expression may hold for a segment of which no more than this is known. */
static bool wants_host(void *context, const char *host)
{
	const struct histree_segment_filter *filter = context;
	struct histree_value values[OWN_FIELDS + HISTREE_SEGMENT_FIELDS_MAX] = { 0 };
	bool are_known[OWN_FIELDS + HISTREE_SEGMENT_FIELDS_MAX] = { false };
	values[filter->host] = histree_string(host);
	are_known[filter->host] = true;
	return histree_filter_may_pass(filter->filter, values, are_known);
}

void histree_segment_filter_apply(struct histree_segment_filter *filter, struct histree_segment_query *query)
{
	query->filter = pass;
	query->filter_context = filter;
	query->host_filter = filter->host > 0 ? wants_host : NULL;
	query->host_context = filter;
	struct histree_window window = { .from = query->from, .to = query->to };
	histree_filter_bounds(filter->filter, FIELD_START, &window.from, &window.to);
	histree_filter_bounds(filter->filter, FIELD_END, &window.from, &window.to);
	if (!histree_window_fit(&window, query->from, query->to))
		window.to = window.from = query->from; /* nothing can pass, and there is no empty window */
	query->from = window.from;
	query->to = window.to;
}

void histree_segment_filter_free(struct histree_segment_filter *filter)
{
	if (filter == NULL)
		return;
	histree_filter_free(filter->filter);
	free(filter);
}
