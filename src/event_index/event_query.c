// SPDX-License-Identifier: MIT
/*
 * event_query.c - the events of a range that pass an expression: types and hosts that the expression excludes are
 * skipped without decoding, the others are tested event by event.
 *
 * Where the caller has a history of the kernel, `thread`, `process` and `name` are those of the thread that had the
 * CPU of an event.  A switch is an event of two threads, and passes by either.
 */
#include "histree/events.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/cursor.h"
#include "base/error.h"
#include "event_index/event_owner.h"
#include "event_index/events.h"
#include "filter/filter.h"
#include "histree/filter.h"
#include "query/thread_facts.h"

/*
 * What every event has comes first among the fields of an expression, the host only where there are several; then
 * the paths that it names.
 */
enum { NUMBER, TIME, CPU, TYPE, HOST, OWN_FIELDS_MAX, FIELDS_MAX = OWN_FIELDS_MAX + 64 };

struct event_query {
	struct histree_cursor cursor;
	struct histree_event event; /* read last */
	const struct histree_events *events;
	struct histree_cursor *reader;
	struct histree_filter *filter; /* NULL: none */
	struct histree_filter_field fields[FIELDS_MAX];
	size_t own_count, field_count;
	bool is_met[FIELDS_MAX]; /* an event had a value there */
	struct arena names;      /* of the paths */
	bool has_memory;         /* false after a name could not be kept in memory */
	bool *is_host_ruled;     /* the expression excludes all events of this host; NULL: there is one host */
	bool *is_type_ruled;     /* likewise for a type; NULL: the expression names no type */
	struct histree_window numbers, times;
	struct histree_work work;
	bool names_type; /* the expression does */
	/* Among the fields, what is said of threads; SIZE_MAX: not in the expression */
	size_t thread_fields[THREAD_FIELDS];
	struct event_owners owners; /* of no host: nobody says which thread had a CPU */
	struct thread_facts facts;  /* of no host: they were not asked for */
	struct histree_history *kernel;
	uint64_t step; /* of events that were read */
	bool is_over;
	bool is_asked; /* for each field once */
};

/* ---- expressions ----------------------------------------------------------------------------------------- */

static void add_name(void *context, const char *name)
{
	struct event_query *query = context;
	query->names_type = query->names_type || strcasecmp(name, query->fields[TYPE].name) == 0;
	for (size_t i = 0; i < query->field_count; i++)
		if (strcmp(query->fields[i].name, name) == 0 ||
		    (i < query->own_count && strcasecmp(query->fields[i].name, name) == 0))
			return;
	if (query->field_count == FIELDS_MAX)
		return;
	for (size_t i = 0; i < THREAD_FIELDS; i++)
		if (strcasecmp(name, thread_field_names[i]) == 0)
			query->thread_fields[i] = query->field_count;
	const char *copy = arena_copy(&query->names, name, strlen(name));
	if (copy == NULL)
		query->has_memory = false;
	else
		query->fields[query->field_count++] =
			(struct histree_filter_field){ .name = copy, .type = HISTREE_NULL };
}

/*
 * Events of these hosts, or types, are tested without decoding their fields: the value of `field` is known for
 * them, and is one of `names`, which are `stride` bytes apart.
 */
static enum histree_status rule_out(const struct event_query *query, size_t field, const char *const *names,
				    size_t stride, size_t count, bool **ruled, struct histree_error *error)
{
	bool are_known[FIELDS_MAX] = { false };
	are_known[field] = true;
	*ruled = calloc(count + 1, sizeof(**ruled));
	if (*ruled == NULL)
		return error_memory(error, "an expression");
	for (size_t i = 0; i < count; i++) {
		struct histree_value values[FIELDS_MAX] = { [HOST] = histree_null() };
		values[field] = histree_string(*(const char *const *)((const char *)names + i * stride));
		(*ruled)[i] = !histree_filter_may_pass(query->filter, values, are_known);
	}
	return HISTREE_OK;
}

/* What paths an expression names is found in its text first. */
static enum histree_status compile(struct event_query *query, const char *where, histree_time start,
				   histree_time end, struct histree_error *error)
{
	static const struct histree_filter_field own[OWN_FIELDS_MAX] = {
		[NUMBER] = { .name = "number", .type = HISTREE_LONG },
		[TIME] = { .name = "time", .type = HISTREE_LONG, .unit = HISTREE_FILTER_TIME },
		[CPU] = { .name = "cpu", .type = HISTREE_LONG },
		[TYPE] = { .name = "type", .type = HISTREE_STRING },
		[HOST] = { .name = "host", .type = HISTREE_STRING },
	};
	memcpy(query->fields, own, sizeof(own));
	query->own_count = query->field_count = query->events->hosts != NULL ? OWN_FIELDS_MAX : HOST;
	query->has_memory = true;
	enum histree_status status = histree_filter_names(where, add_name, query, error);
	if (status == HISTREE_OK && !query->has_memory)
		status = error_memory(error, "an expression");
	const struct histree_filter_scope scope = { query->fields, query->field_count, start, end };
	if (status == HISTREE_OK)
		status = histree_filter_create(where, &scope, &query->filter, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_events *events = query->events;
	if (query->names_type)
		status = rule_out(query, TYPE, (const char *const *)events->index.types, sizeof(char *),
				  events->index.type_count, &query->is_type_ruled, error);
	if (status == HISTREE_OK && events->hosts != NULL)
		status = rule_out(query, HOST, &events->hosts[0].name, sizeof(events->hosts[0]), events->host_count,
				  &query->is_host_ruled, error);
	return status;
}

static enum histree_status next_event(struct histree_cursor *cursor, struct histree_error *error);
static void free_query(struct histree_cursor *cursor);

static const struct cursor_kind kind_of_events = {
	.rows = CURSOR_EVENTS,
	.next = next_event,
	.free = free_query,
};

static struct event_query *query_of(struct histree_cursor *cursor)
{
	assert(cursor->kind == &kind_of_events);
	return (struct event_query *)cursor;
}

enum histree_status histree_event_query_create(const struct histree_events *events, struct histree_cursor *reader,
					       const char *where, histree_time start, histree_time end,
					       struct histree_cursor **out, struct histree_error *error)
{
	*out = NULL;
	struct event_query *query = calloc(1, sizeof(*query));
	if (query == NULL)
		return error_memory(error, "a query of events");
	query->cursor = (struct histree_cursor){ .kind = &kind_of_events, .row = &query->event };
	query->events = events;
	query->reader = reader;
	query->is_over = true;                                            /* until it is started */
	memset(query->thread_fields, 0xff, sizeof(query->thread_fields)); /* SIZE_MAX */
	enum histree_status status = where != NULL ? compile(query, where, start, end, error) : HISTREE_OK;
	if (status == HISTREE_OK)
		*out = &query->cursor;
	else
		free_query(&query->cursor);
	return status;
}

static void free_query(struct histree_cursor *cursor)
{
	struct event_query *query = query_of(cursor);
	histree_filter_free(query->filter);
	arena_release(&query->names);
	free(query->is_host_ruled);
	free(query->is_type_ruled);
	event_owners_release(&query->owners);
	thread_facts_release(&query->facts);
	free(query);
}

/* ---- threads --------------------------------------------------------------------------------------------- */

bool histree_event_query_names_threads(const struct histree_cursor *cursor)
{
	const struct event_query *query = (const struct event_query *)cursor;
	assert(cursor->kind == &kind_of_events);
	for (size_t i = 0; i < THREAD_FIELDS; i++)
		if (query->thread_fields[i] != SIZE_MAX)
			return true;
	return false;
}

static enum histree_status read_facts(struct event_query *query, struct histree_error *error)
{
	size_t count;
	const struct histree_event_host *hosts = histree_events_hosts(query->events, &count);
	return thread_facts_read(&query->facts, query->kernel, hosts != NULL ? &hosts[0].name : NULL,
				 sizeof(*hosts), count, query->work, error);
}

enum histree_status histree_event_query_take_threads(struct histree_cursor *cursor, struct histree_history *kernel,
						     struct histree_error *error)
{
	struct event_query *query = query_of(cursor);
	query->kernel = kernel;
	event_owners_release(&query->owners);
	enum histree_status status = event_owners_begin(&query->owners, query->events, kernel, error);
	if (status == HISTREE_OK && query->filter != NULL && query->facts.hosts == NULL &&
	    thread_facts_are_named(query->filter, query->thread_fields))
		status = read_facts(query, error);
	return status;
}

/* By a switch, one thread leaves the CPU at the moment at which the next one has it. */
static bool is_switch(const struct event_query *query, const struct histree_event *event)
{
	const char *type = query->events->index.types[event->type];
	return strcmp(type, "sched_switch") == 0 || strcmp(type, "sched:sched_switch") == 0;
}

static int32_t thread_at(struct event_query *query, const struct histree_event *event, histree_time time)
{
	return event_owners_thread(&query->owners, event->host, event->cpu, time);
}

enum histree_status histree_event_query_owner(struct histree_cursor *cursor, struct histree_event_owner *out,
					      struct histree_error *error)
{
	struct event_query *query = query_of(cursor);
	const struct histree_event *event = &query->event;
	struct histree_value values[THREAD_FIELDS], others[THREAD_FIELDS];
	*out = (struct histree_event_owner){ .tid = thread_at(query, event, event->time) };
	out->left = is_switch(query, event) && event->time > INT64_MIN ? thread_at(query, event, event->time - 1)
								       : out->tid;
	out->pid = -1;
	if (out->tid <= 0 || query->kernel == NULL)
		return HISTREE_OK;
	if (query->facts.hosts == NULL) {
		const enum histree_status status = read_facts(query, error);
		if (status != HISTREE_OK)
			return status;
	}
	const struct thread_owner owner = { .host = event->host, .tid = out->tid };
	thread_facts_fill(&query->facts, &owner, thread_facts_find(&query->facts, &owner, event->time), event->time,
			  values, others);
	if (values[THREAD_FIELD_PROCESS].type == HISTREE_INT)
		out->pid = values[THREAD_FIELD_PROCESS].int32;
	out->name = values[THREAD_FIELD_NAME];
	out->process = others[THREAD_FIELD_PROCESS];
	return HISTREE_OK;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

static bool is_none(const struct histree_window *window)
{
	return window->is_empty || window->from > window->to;
}

enum histree_status histree_event_query_start(struct histree_cursor *cursor,
					      const struct histree_event_range *range, struct histree_error *error)
{
	struct event_query *query = query_of(cursor);
	uint64_t found = 0, count = query->events->index.event_count;
	query->numbers = range->numbers;
	query->times = range->times;
	if (query->filter != NULL) {
		histree_filter_bounds(query->filter, NUMBER, &query->numbers.from, &query->numbers.to);
		histree_filter_bounds(query->filter, TIME, &query->times.from, &query->times.to);
	}
	query->is_over = is_none(&query->numbers) || is_none(&query->times) || count == 0 ||
			 !histree_window_fit(&query->numbers, 0, (int64_t)count - 1);
	if (query->is_over)
		return HISTREE_OK;
	/* Even if clocks step back, no event before the first one at or after a time is in range. */
	enum histree_status status =
		query->times.from > INT64_MIN
			? histree_event_reader_find(query->reader, query->times.from, &found, error)
			: HISTREE_OK;
	uint64_t first = (uint64_t)query->numbers.from;
	return status == HISTREE_OK ? histree_event_reader_seek(query->reader, found > first ? found : first, error)
				    : status;
}

/* An event that has a field of that name itself passes by that, too. */
static bool passes_by_thread(struct event_query *query, const struct histree_event *event, int32_t tid,
			     const struct histree_value *own, const struct histree_value *own_others)
{
	struct histree_value values[FIELDS_MAX], others[FIELDS_MAX], facts[THREAD_FIELDS], names[THREAD_FIELDS];
	const struct thread_owner owner = { .host = event->host, .tid = tid > 0 ? tid : 0 };
	const struct histree_thread *thread = thread_facts_find(&query->facts, &owner, event->time);
	memcpy(values, own, query->field_count * sizeof(*values));
	memcpy(others, own_others, query->field_count * sizeof(*others));
	thread_facts_fill(&query->facts, &owner, thread, event->time, facts, names);
	for (size_t i = 0; i < THREAD_FIELDS; i++) {
		const size_t field = query->thread_fields[i];
		if (field == SIZE_MAX || facts[i].type == HISTREE_NULL)
			continue;
		query->is_met[field] = true;
		others[field] = values[field].type == HISTREE_NULL ? names[i] : facts[i];
		if (values[field].type == HISTREE_NULL)
			values[field] = facts[i];
	}
	return filter_match_either(query->filter, values, others);
}

static bool passes_by_threads(struct event_query *query, const struct histree_event *event,
			      const struct histree_value *values, const struct histree_value *others)
{
	if (passes_by_thread(query, event, thread_at(query, event, event->time), values, others))
		return true;
	return is_switch(query, event) && event->time > INT64_MIN &&
	       passes_by_thread(query, event, thread_at(query, event, event->time - 1), values, others);
}

static bool passes(struct event_query *query, const struct histree_event *event)
{
	struct histree_value values[FIELDS_MAX], others[FIELDS_MAX];
	if (event->time < query->times.from || event->time > query->times.to)
		return false;
	if (query->filter == NULL)
		return true;
	if ((query->is_host_ruled != NULL && query->is_host_ruled[event->host]) ||
	    (query->is_type_ruled != NULL && query->is_type_ruled[event->type]))
		return false;
	values[NUMBER] = histree_long((int64_t)event->number);
	values[TIME] = histree_long(event->time);
	values[CPU] = event->cpu < 0 ? histree_null() : histree_long(event->cpu);
	values[TYPE] = histree_string(query->events->index.types[event->type]);
	if (query->own_count > HOST)
		values[HOST] = histree_string(query->events->hosts[event->host].name);
	for (size_t i = 0; i < query->own_count; i++)
		others[i] = histree_null();
	/* Where others read the events, an answer is gone once something else is asked for the first time. */
	for (size_t i = query->own_count; i < query->field_count && !query->is_asked; i++)
		(void)event_reader_value(query->reader, query->fields[i].name, &values[i], &others[i]);
	query->is_asked = true;
	for (size_t i = query->own_count; i < query->field_count; i++)
		if (event_reader_value(query->reader, query->fields[i].name, &values[i], &others[i]) != HISTREE_OK)
			values[i] = others[i] = histree_null();
		else
			query->is_met[i] = true;
	return query->owners.hosts != NULL ? passes_by_threads(query, event, values, others)
					   : filter_match_either(query->filter, values, others);
}

const char *histree_event_query_absent(const struct histree_cursor *cursor)
{
	const struct event_query *query = (const struct event_query *)cursor;
	assert(cursor->kind == &kind_of_events);
	for (size_t i = query->own_count; i < query->field_count; i++)
		if (!query->is_met[i])
			return query->fields[i].name;
	return NULL;
}

bool histree_event_query_one_type(const struct histree_cursor *cursor, uint32_t *type)
{
	const struct event_query *query = (const struct event_query *)cursor;
	assert(cursor->kind == &kind_of_events);
	uint32_t count = 0;
	for (uint32_t i = 0; i < query->events->index.type_count && query->is_type_ruled != NULL; i++)
		if (!query->is_type_ruled[i]) {
			*type = i;
			count++;
		}
	return count == 1;
}

void histree_event_query_set_cancel(struct histree_cursor *cursor, struct histree_work work)
{
	query_of(cursor)->work = work;
}

static enum histree_status next_event(struct histree_cursor *cursor, struct histree_error *error)
{
	struct event_query *query = query_of(cursor);
	struct histree_event *out = &query->event;
	while (!query->is_over) {
		enum histree_status status = cancel_check(&query->work, query->step++, error);
		if (status == HISTREE_OK) {
			status = histree_cursor_next(query->reader, error);
			if (status == HISTREE_OK)
				*out = *histree_cursor_event(query->reader);
		}
		if (status != HISTREE_OK)
			return status;
		bool is_late = out->time > query->times.to && query->events->are_in_order;
		query->is_over = is_late || (int64_t)out->number >= query->numbers.to;
		if (!is_late && passes(query, out))
			return HISTREE_OK;
	}
	return HISTREE_END;
}

bool histree_events_are_in_order(const struct histree_events *events)
{
	return events->are_in_order;
}
