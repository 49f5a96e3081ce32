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
#include "filter/filter.h"
#include "histree/attributes.h"
#include "histree/filter.h"
#include "histree/segment_stats.h"
#include "histree/states.h"
#include "item/value.h"
#include "query/thread_facts.h"
#include "state/attributes.h"

/* ---- state filter -------------------------------------------------------------------------------------------- */

enum { PATH, QUARK, HOST, THREAD, PROCESS, NAME, START, END, DURATION, TYPE, VALUE, LABEL, FIELDS };

static const struct histree_filter_field state_fields[FIELDS] = {
	[PATH] = { "path", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[QUARK] = { "quark", HISTREE_LONG, HISTREE_FILTER_PLAIN },
	[HOST] = { "host", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[THREAD] = { "thread", HISTREE_NULL, HISTREE_FILTER_PLAIN },
	[PROCESS] = { "process", HISTREE_NULL, HISTREE_FILTER_PLAIN },
	[NAME] = { "name", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[START] = { "start", HISTREE_LONG, HISTREE_FILTER_TIME },
	[END] = { "end", HISTREE_LONG, HISTREE_FILTER_TIME },
	[DURATION] = { "duration", HISTREE_LONG, HISTREE_FILTER_DURATION },
	[TYPE] = { "type", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[VALUE] = { "value", HISTREE_NULL, HISTREE_FILTER_PLAIN },
	[LABEL] = { "label", HISTREE_STRING, HISTREE_FILTER_PLAIN },
};

/* Whose states an attribute has. */
struct row_owner {
	histree_quark quark;
	const char *host_name; /* NULL: there is but one host */
	struct thread_owner thread;
};

struct histree_state_filter {
	struct histree_filter *filter;
	struct histree_selection paths; /* of the last state; nothing is selected */
	struct row_owner owner;         /* likewise */
	bool needs_path, needs_label;
	bool needs_owner;               /* host, thread, or what is said of the thread */
	bool needs_threads;             /* what is said of the thread */
	bool names_threads;             /* rather than a text that is looked for everywhere */
	bool is_of_attributes;          /* the expression says something of paths, quarks, threads or labels */
	const char *host;               /* of a history that is of one host of several; else NULL */
	struct histree_history *kernel; /* that says of threads what its own does not; NULL: nothing */
	struct thread_facts facts;      /* of no host: they were not read */
	histree_time from, to;          /* the window of the selection */
};

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
	if (status != HISTREE_OK) {
		histree_state_filter_free(filter);
		return status;
	}
	filter->owner.quark = HISTREE_ROOT;
	filter->needs_path = histree_filter_needs(filter->filter, PATH);
	filter->needs_label = histree_filter_needs(filter->filter, LABEL);
	filter->names_threads =
		thread_facts_are_named(filter->filter, (const size_t[THREAD_FIELDS]){ THREAD, PROCESS, NAME });
	filter->needs_owner = needs_any(filter->filter, HOST, NAME);
	filter->needs_threads = filter->names_threads || needs_any(filter->filter, PROCESS, NAME);
	filter->is_of_attributes = filter->needs_label || needs_any(filter->filter, PATH, NAME);
	*out = filter;
	return HISTREE_OK;
}

void histree_state_filter_free(struct histree_state_filter *filter)
{
	if (filter == NULL)
		return;
	thread_facts_release(&filter->facts);
	histree_filter_free(filter->filter);
	histree_selection_release(&filter->paths);
	free(filter);
}

bool histree_state_filter_is_of_rows(const struct histree_state_filter *filter)
{
	return !needs_any(filter->filter, START, LABEL);
}

/* ---- whose states they are ------------------------------------------------------------------------------ */

bool histree_state_filter_lacks_threads(const struct histree_state_filter *filter)
{
	return filter->names_threads && !thread_facts_are_in(filter->paths.history);
}

void histree_state_filter_take_threads(struct histree_state_filter *filter, struct histree_history *kernel)
{
	filter->kernel = kernel;
}

void histree_state_filter_call_host(struct histree_state_filter *filter, const char *host)
{
	filter->host = host;
}

/* Reads all threads: a row may have states where its thread did nothing, such as sums that stay. */
static enum histree_status read_threads(struct histree_state_filter *filter, const struct histree_window *window,
					struct histree_error *error)
{
	struct histree_history *const asked = filter->paths.history;
	const bool lacks_threads = histree_state_filter_lacks_threads(filter);
	struct histree_history *const said = lacks_threads && filter->kernel != NULL ? filter->kernel : asked;
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(asked, &count);
	if (!filter->needs_threads || filter->facts.hosts != NULL)
		return HISTREE_OK;
	if (filter->kernel == NULL && lacks_threads)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "processes and names of threads are in the states of the kernel; these are of "
				 "'%s', which has no more than the numbers of threads",
				 histree_history_info(asked)->provider);
	filter->from = window->from;
	filter->to = window->to;
	return thread_facts_read(&filter->facts, said, hosts != NULL ? &hosts[0].name : NULL, sizeof(*hosts), count,
				 (struct histree_work){ 0 }, error);
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
		.host_name = hosts != NULL ? hosts[host].name : filter->host,
		.thread = { .host = host,
			    .tid = histree_attributes_thread(histree_history_attributes(history), quark),
			    .is_of_spans = strcmp(histree_history_info(history)->provider, "tracks") == 0 },
	};
	if (filter->owner.thread.is_of_spans)
		filter->owner.thread.pid = attributes_process(histree_history_attributes(history), quark);
}

/* A text that stands alone is looked for in what the fields are, and in no other names of these. */
static void fill_owner(const struct histree_state_filter *filter, const struct histree_thread *thread,
		       histree_time time, struct histree_value *values, struct histree_value *others)
{
	const struct row_owner *owner = &filter->owner;
	values[HOST] = owner->host_name != NULL ? histree_string(owner->host_name) : histree_null();
	thread_facts_fill(&filter->facts, &owner->thread, thread, time, values + THREAD,
			  filter->names_threads ? others + THREAD : NULL);
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
	struct histree_value others[FIELDS] = { 0 };
	if (filter->needs_owner)
		find_owner(filter, quark);
	const size_t count =
		filter->needs_threads ? thread_facts_of(&filter->facts, &filter->owner.thread, &threads) : 0;
	bool may_pass = false;
	for (size_t i = 0; i < count && !may_pass; i++) {
		fill_owner(filter, threads[i], threads[i]->from, values, others);
		may_pass = threads[i]->from <= filter->to && threads[i]->to >= filter->from &&
			   filter_may_pass_either(filter->filter, values, others, are_known);
	}
	if (count > 0)
		return may_pass;
	fill_owner(filter, NULL, INT64_MIN, values, others);
	return filter_may_pass_either(filter->filter, values, others, are_known);
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
	struct histree_value others[FIELDS] = { 0 };
	assert(!filter->names_threads || filter->facts.hosts != NULL);
	if (filter->needs_owner) {
		find_owner(filter, state->quark);
		fill_owner(filter, thread_facts_find(&filter->facts, &filter->owner.thread, state->start),
			   state->start, values, others);
	}
	const char *label = NULL;
	if (filter->needs_label)
		label = histree_label_of(filter->paths.history, state->quark, &state->value);
	values[LABEL] = label != NULL ? histree_string(label) : histree_null();
	return filter_match_either(filter->filter, values, others);
}

bool histree_state_filter_may_match_thread(struct histree_state_filter *filter, size_t host, int32_t pid,
					   int32_t tid, histree_time time)
{
	const bool are_known[FIELDS] = { [HOST] = true, [THREAD] = true, [PROCESS] = true, [NAME] = true };
	struct histree_value values[FIELDS] = { 0 }, others[FIELDS] = { 0 };
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(filter->paths.history, &count);
	assert(host < (hosts != NULL ? count : 1));
	filter->owner = (struct row_owner){
		.quark = HISTREE_ROOT,
		.host_name = hosts != NULL ? hosts[host].name : filter->host,
		.thread = { .host = host, .is_of_spans = pid != 0, .pid = pid, .tid = tid },
	};
	fill_owner(filter, thread_facts_find(&filter->facts, &filter->owner.thread, time), time, values, others);
	return filter_may_pass_either(filter->filter, values, others, are_known);
}

/* ---- segment filter ------------------------------------------------------------------------------------------ */

/* The fields of every segment; those of the schema come after them, and then what is said of their threads. */
enum { FIELD_START, FIELD_END, FIELD_DURATION, OWN_FIELDS };

enum { SEGMENT_FIELDS_MAX = OWN_FIELDS + HISTREE_SEGMENT_FIELDS_MAX + THREAD_FIELDS };

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

	/* Whose they are: where the numbers are among the fields of the schema; SIZE_MAX: nowhere. */
	size_t tid, pid;
	size_t thread_fields
		[THREAD_FIELDS]; /* among those of the expression; SIZE_MAX: the schema has its own `name` */
	bool is_of_spans;
	bool names_threads;        /* the expression has one of them */
	bool needs_threads;        /* it says more of them than the segments do */
	bool lacks_threads;        /* so it does, or what it says may be meant of their numbers */
	struct thread_facts facts; /* of no host: they were not read */
	const char **hosts;        /* those of the facts; the names follow */
	size_t host_count;
};

static size_t find_number(const struct histree_segment_schema *schema, const char *name)
{
	for (size_t i = 0; i < schema->field_count; i++)
		if (strcmp(schema->fields[i].name, name) == 0 &&
		    (schema->fields[i].type == HISTREE_INT || schema->fields[i].type == HISTREE_LONG))
			return i;
	return SIZE_MAX;
}

/* A field of the schema that is called so stays what it is; `thread` and `process` have their numbers as well. */
static void add_thread_fields(struct histree_segment_filter *filter, const struct histree_segment_schema *schema,
			      struct histree_filter_field *fields, size_t *count)
{
	filter->tid = find_number(schema, "tid");
	filter->pid = find_number(schema, "pid");
	filter->is_of_spans = schema->provider != NULL && (strcmp(schema->provider, "track-spans") == 0 ||
							   strcmp(schema->provider, "track-instants") == 0);
	for (size_t i = 0; i < THREAD_FIELDS; i++) {
		size_t at = 0;
		while (at < schema->field_count && strcasecmp(schema->fields[at].name, thread_field_names[i]) != 0)
			at++;
		filter->thread_fields[i] = SIZE_MAX;
		if (filter->tid == SIZE_MAX || (at < schema->field_count && i == THREAD_FIELD_NAME))
			continue;
		filter->thread_fields[i] = at < schema->field_count ? OWN_FIELDS + at : (*count)++;
		fields[filter->thread_fields[i]] =
			(struct histree_filter_field){ .name = thread_field_names[i], .type = HISTREE_NULL };
	}
}

/* What the segments say of their threads themselves needs nobody else. */
static bool needs_threads(const struct histree_segment_filter *filter)
{
	size_t fields[THREAD_FIELDS];
	const size_t first = OWN_FIELDS + filter->content_count; /* behind those of the schema */
	memcpy(fields, filter->thread_fields, sizeof(fields));
	if (fields[THREAD_FIELD_THREAD] < first)
		fields[THREAD_FIELD_THREAD] = SIZE_MAX;
	if (fields[THREAD_FIELD_PROCESS] < first)
		fields[THREAD_FIELD_PROCESS] = SIZE_MAX;
	return thread_facts_are_named(filter->filter, fields);
}

/* A number that is compared with the text of a process may be that of the process, where it is known. */
static bool asks_for_process(const struct histree_segment_filter *filter)
{
	const size_t process = filter->thread_fields[THREAD_FIELD_PROCESS];
	bool asks = false;
	if (process < OWN_FIELDS + filter->content_count && filter->pid == SIZE_MAX)
		for (size_t i = 0; i < filter->filter->test_count; i++)
			asks |= filter->filter->tests[i].field == process && filter->filter->tests[i].has_integer;
	return asks;
}

enum histree_status histree_segment_filter_create(const struct histree_segment_schema *schema, const char *text,
						  histree_time start, histree_time end,
						  struct histree_segment_filter **out, struct histree_error *error)
{
	*out = NULL;
	if (schema->field_count > HISTREE_SEGMENT_FIELDS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a schema of %zu fields; it may have %d",
				 schema->field_count, HISTREE_SEGMENT_FIELDS_MAX);
	struct histree_filter_field fields[SEGMENT_FIELDS_MAX];
	memcpy(fields, segment_fields, sizeof(segment_fields));
	for (size_t i = 0; i < schema->field_count; i++)
		fields[OWN_FIELDS + i] = (struct histree_filter_field){ .name = schema->fields[i].name,
									.type = schema->fields[i].type };
	struct histree_filter_scope scope = {
		.fields = fields, .field_count = OWN_FIELDS + schema->field_count, .start = start, .end = end
	};
	struct histree_segment_filter *filter = calloc(1, sizeof(*filter));
	if (filter == NULL)
		return error_memory(error, "a filter");
	filter->content_count = schema->field_count;
	const struct histree_segment_field *last =
		schema->field_count > 0 ? &schema->fields[schema->field_count - 1] : NULL;
	bool has_host = last != NULL && last->type == HISTREE_STRING && strcmp(last->name, FIELD_HOST) == 0;
	filter->host = has_host ? OWN_FIELDS + schema->field_count - 1 : 0;
	add_thread_fields(filter, schema, fields, &scope.field_count);
	enum histree_status status = histree_filter_create(text, &scope, &filter->filter, error);
	if (status == HISTREE_OK) {
		for (size_t i = 0; i < THREAD_FIELDS; i++)
			filter->names_threads |= filter->thread_fields[i] != SIZE_MAX &&
						 histree_filter_needs(filter->filter, filter->thread_fields[i]);
		filter->needs_threads = needs_threads(filter);
		filter->lacks_threads = filter->needs_threads || asks_for_process(filter);
		*out = filter;
	} else {
		free(filter);
	}
	return status;
}

bool histree_segment_filter_lacks_threads(const struct histree_segment_filter *filter)
{
	return filter->lacks_threads && filter->facts.hosts == NULL;
}

enum histree_status histree_segment_filter_take_threads(struct histree_segment_filter *filter,
							struct histree_history *kernel, struct histree_work work,
							struct histree_error *error)
{
	size_t count, size = 0;
	if (!histree_segment_filter_lacks_threads(filter))
		return HISTREE_OK;
	if (kernel == NULL || !thread_facts_are_in(kernel))
		return error_set(
			error, HISTREE_ERR_ARGUMENT,
			"names and processes of threads are in the states of the kernel, which are missing "
			"here; 'histree add STORE kernel' makes them");
	/* To the kernel, the number of a thread is enough, and it may not know of which process that is. */
	if (histree_thread_analysis_is(histree_history_info(kernel)->provider))
		filter->is_of_spans = false;
	const struct histree_history_host *hosts = histree_history_hosts(kernel, &count);
	for (size_t i = 0; i < count && hosts != NULL; i++)
		size += strlen(hosts[i].name) + 1;
	filter->hosts = malloc((count + 1) * sizeof(*filter->hosts) + size);
	if (filter->hosts == NULL)
		return error_memory(error, "the threads");
	filter->host_count = count;
	char *next = (char *)(filter->hosts + count + 1);
	for (size_t i = 0; i < count && hosts != NULL; i++) {
		filter->hosts[i] = next;
		next = stpcpy(next, hosts[i].name) + 1;
	}
	return thread_facts_read(&filter->facts, kernel, hosts != NULL ? filter->hosts : NULL,
				 sizeof(*filter->hosts), count, work, error);
}

static int32_t number_of(const struct histree_segment *segment, size_t field)
{
	if (field == SIZE_MAX)
		return 0;
	const int64_t number = histree_value_integer(&segment->content[field]);
	return number == (int32_t)number ? (int32_t)number : 0;
}

static size_t host_of(const struct histree_segment_filter *filter, const struct histree_segment *segment)
{
	const struct histree_value *name = filter->host > 0 ? &segment->content[filter->host - OWN_FIELDS] : NULL;
	size_t host = 0;
	while (host < filter->host_count && name != NULL && !value_is_text(name, filter->hosts[host]))
		host++;
	return host;
}

/* Where the schema has a field of that name, what is known besides is its second value. */
static void fill_threads(const struct histree_segment_filter *filter, const struct histree_segment *segment,
			 struct histree_value *values, struct histree_value *others)
{
	struct histree_value facts[THREAD_FIELDS], names[THREAD_FIELDS];
	const struct thread_owner owner = { .host = host_of(filter, segment),
					    .tid = number_of(segment, filter->tid),
					    .pid = filter->is_of_spans ? number_of(segment, filter->pid) : 0,
					    .is_of_spans = filter->is_of_spans };
	thread_facts_fill(&filter->facts, &owner, thread_facts_find(&filter->facts, &owner, segment->start),
			  segment->start, facts, names);
	if (filter->pid != SIZE_MAX)
		facts[THREAD_FIELD_PROCESS] = segment->content[filter->pid];
	for (size_t i = 0; i < THREAD_FIELDS; i++) {
		const size_t field = filter->thread_fields[i];
		const bool is_own = field < OWN_FIELDS + filter->content_count;
		if (field == SIZE_MAX)
			continue;
		others[field] = is_own && values[field].type != HISTREE_NULL ? facts[i] : names[i];
		if (!is_own || values[field].type == HISTREE_NULL)
			values[field] = facts[i];
	}
}

bool histree_segment_filter_match(const struct histree_segment_filter *filter,
				  const struct histree_segment *segment)
{
	struct histree_value values[SEGMENT_FIELDS_MAX], others[SEGMENT_FIELDS_MAX] = { 0 };
	uint64_t duration = histree_segment_duration(segment);
	assert(!filter->needs_threads || filter->facts.hosts != NULL);
	values[FIELD_START] = histree_long(segment->start);
	values[FIELD_END] = histree_long(segment->end);
	values[FIELD_DURATION] = histree_long(duration > INT64_MAX ? INT64_MAX : (int64_t)duration);
	for (size_t i = 0; i < filter->content_count; i++)
		values[OWN_FIELDS + i] = segment->content != NULL ? segment->content[i] : histree_null();
	for (size_t i = OWN_FIELDS + filter->content_count; i < SEGMENT_FIELDS_MAX; i++)
		values[i] = histree_null();
	if (filter->names_threads && segment->content != NULL)
		fill_threads(filter, segment, values, others);
	return filter_match_either(filter->filter, values, filter->names_threads ? others : NULL);
}

static bool pass(void *context, const struct histree_segment *segment)
{
	return histree_segment_filter_match(context, segment);
}

/* Whether the expression may hold for a segment of which no more than this is known. */
static bool wants_host(void *context, const char *host)
{
	const struct histree_segment_filter *filter = context;
	struct histree_value values[SEGMENT_FIELDS_MAX] = { 0 };
	bool are_known[SEGMENT_FIELDS_MAX] = { false };
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
	thread_facts_release(&filter->facts);
	free(filter->hosts);
	free(filter);
}
