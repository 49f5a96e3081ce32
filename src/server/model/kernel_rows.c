// SPDX-License-Identifier: MIT
/*
 * kernel_rows.c - the threads, CPUs and interrupts of a kernel as rows: their attributes, names and facts; and the
 * arrows between them.
 */
#include "server/model/kernel_rows.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/number_text.h"
#include "base/table.h"
#include "histree/segments.h"
#include "histree/states.h"
#include "server/catalogue/dataset.h"
#include "server/model/row_model.h"
#include "server/model/state_filter.h"
#include "server/text/json_writer.h"
#include "view/view.h"

/* ---- kernel view ------------------------------------------------------------------------------------------- */

struct histree_history *kernel_view_history(const struct dataset *dataset)
{
	struct histree_history *history = NULL;
	const char *analysis;
	for (size_t i = 0; history == NULL && (analysis = histree_thread_analysis(i)) != NULL; i++)
		history = dataset_history(dataset, analysis);
	return history;
}

bool kernel_view_applies(const struct dataset *dataset)
{
	return kernel_view_history(dataset) != NULL;
}

enum { NODES_AT_ONCE = 4096 };

static enum histree_status list_nodes(struct kernel_view *view, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(view->history);
	histree_quark group, last = HISTREE_ROOT;
	size_t capacity = 0, found;
	if (histree_attributes_find(attributes, HISTREE_ROOT, "Threads", &group) != HISTREE_OK)
		return HISTREE_OK;
	do {
		if (!array_reserve(&view->nodes, &capacity, view->node_count + (size_t)NODES_AT_ONCE))
			return error_memory(error, "the threads");
		histree_quark *room = view->nodes + view->node_count;
		found = histree_attributes_children(attributes, group, last, room, NODES_AT_ONCE);
		view->node_count += (uint32_t)found;
		last = found > 0 ? room[found - 1] : HISTREE_ROOT;
	} while (found == NODES_AT_ONCE);
	return HISTREE_OK;
}

static void kernel_view_free(void *context)
{
	struct kernel_view *view = context;
	free(view->nodes);
	histree_segment_store_close(view->wakeups);
	histree_resources_free(view->resources);
	free(view);
}

static enum histree_status kernel_view_make(struct dataset *dataset, void **out, struct histree_error *error)
{
	*out = NULL;
	struct kernel_view *view = calloc(1, sizeof(*view));
	if (view == NULL)
		return error_memory(error, "a view");
	view->history = kernel_view_history(dataset);
	view->start = histree_history_info(view->history)->start;
	view->end = histree_history_info(view->history)->end;
	view->shown_from = dataset->whole != NULL ? dataset_start(dataset) : view->start;
	enum histree_status status = histree_resources_create(view->history, &view->resources, error);
	if (status == HISTREE_OK)
		status = list_nodes(view, error);
	if (status != HISTREE_OK) {
		kernel_view_free(view);
		return status;
	}
	/* States can be shown without them. */
	if (histree_store_segments(dataset->store, "wakeups", false, NULL, &view->wakeups, NULL) != HISTREE_OK)
		view->wakeups = NULL;
	view->resource_list = histree_resources_list(view->resources, &view->resource_count);
	*out = view;
	return HISTREE_OK;
}

/* ---- values ------------------------------------------------------------------------------------------------ */

/* Gets the last value of an attribute that is not null; returns false without one, or without the attribute. */
static bool kernel_view_last_value(const struct kernel_view *view, struct histree_cursor *query,
				   histree_quark quark, struct histree_value *out)
{
	struct histree_interval last;
	if (quark == HISTREE_ROOT || histree_query_single(query, quark, view->end, &last, NULL) != HISTREE_OK)
		return false;
	if (last.value.type == HISTREE_NULL && last.start > view->start &&
	    histree_query_single(query, quark, last.start - 1, &last, NULL) != HISTREE_OK)
		return false;
	*out = last.value;
	return last.value.type != HISTREE_NULL;
}

/* ---- who was where ----------------------------------------------------------------------------------------- */

/*
 * Of the CPUs in turn, the first whose number or thread is the one wanted, -1 for the other; its thread and number
 * at *tid and *cpu.
 */
static bool find_current(const struct kernel_view *view, histree_time at, int32_t *tid, int32_t *cpu)
{
	struct histree_cursor *query;
	struct histree_interval who;
	bool found = false;
	if (histree_query_create(view->history, &query, NULL) != HISTREE_OK)
		return false;
	for (uint32_t i = 0; i < view->resource_count && !found; i++) {
		const struct histree_resource *resource = &view->resource_list[i];
		if (resource->kind != HISTREE_RESOURCE_CURRENT_THREAD || (*cpu >= 0 && resource->cpu != *cpu))
			continue;
		const bool is_known = histree_query_single(query, resource->quark, at, &who, NULL) == HISTREE_OK &&
				      who.value.type == HISTREE_INT;
		const int32_t current = is_known ? who.value.int32 : -1;
		found = *cpu >= 0 || current == *tid;
		if (found) {
			*tid = current;
			*cpu = resource->cpu;
		}
	}
	histree_cursor_free(query);
	return found;
}

/* ---- kernel threads ---------------------------------------------------------------------------------------- */

static bool is_wanted(void *context)
{
	return dataset_is_wanted(context);
}

static void kernel_threads_free(void *context)
{
	struct kernel_threads *threads = context;
	free(threads->cpu_ns);
	pthread_mutex_destroy(&threads->cpu_lock);
	histree_control_flow_free(threads->flow);
	free(threads);
}

static enum histree_status kernel_threads_make(struct dataset *dataset, void **out, struct histree_error *error)
{
	void *kernel;
	*out = NULL;
	enum histree_status status = dataset_view(dataset, &row_model_resources.own, &kernel, error);
	if (status != HISTREE_OK)
		return status;
	struct kernel_threads *threads = calloc(1, sizeof(*threads));
	if (threads == NULL)
		return error_memory(error, "the tree of threads");
	pthread_mutex_init(&threads->cpu_lock, NULL);
	threads->kernel = kernel;
	const struct histree_work work = { .go_on = is_wanted, .context = dataset };
	status = histree_control_flow_create(threads->kernel->history, work, &threads->flow, error);
	if (status != HISTREE_OK) {
		kernel_threads_free(threads);
		return status;
	}
	threads->list = histree_control_flow_threads(threads->flow, &threads->count);
	threads->kernel->threads = threads;
	*out = threads;
	return HISTREE_OK;
}

/* ---- CPU times --------------------------------------------------------------------------------------------- */

static enum histree_status add_up(const struct kernel_threads *threads, int64_t *cpu_ns,
				  struct histree_error *error)
{
	const struct kernel_view *kernel = threads->kernel;
	struct histree_cpu_usage_request request = { .from = kernel->start, .to = kernel->end, .pixels = 1 };
	struct histree_cpu_usage *usage;
	enum histree_status status = histree_cpu_usage_create(kernel->history, &request, &usage, error);
	if (status != HISTREE_OK)
		return status;
	status = histree_cpu_usage_by_thread(usage, threads->flow, cpu_ns, error);
	histree_cpu_usage_free(usage);
	return status;
}

/* -1: the times have not been added up yet. */
static int64_t kernel_threads_cpu_ns(const struct kernel_threads *threads, uint32_t thread)
{
	const int64_t *cpu_ns = threads->cpu_ns;
	return cpu_ns != NULL ? cpu_ns[thread] : -1;
}

/* ---- kernel text ------------------------------------------------------------------------------------------- */

/*
 * Adds the last name that a thread has from a time on: one that is used again has none for a while before it is
 * another's (query/thread_list.c).
 */
static void put_last_name(struct histree_cursor *query, histree_quark quark, histree_time at, histree_time end,
			  struct byte_buffer *text)
{
	enum { NAMES_MAX = 256 };
	const size_t before = text->size;
	struct histree_interval name;
	for (int i = 0; i < NAMES_MAX && histree_query_single(query, quark, at, &name, NULL) == HISTREE_OK &&
			name.value.type == HISTREE_STRING;
	     i++) {
		text->size = before;
		byte_buffer_put(text, name.value.bytes, name.value.size);
		if (name.end >= end)
			break;
		at = name.end + 1;
	}
}

/* From the history. */
static void put_asked(const struct kernel_view *view, int32_t tid, histree_time at, struct byte_buffer *text)
{
	char path[64];
	histree_quark quark;
	struct histree_value name;
	struct histree_cursor *query;
	snprintf(path, sizeof(path), "Threads/%d/Exec_name", tid);
	if (histree_attributes_find(histree_history_attributes(view->history), HISTREE_ROOT, path, &quark) !=
		    HISTREE_OK ||
	    histree_query_create(view->history, &query, NULL) != HISTREE_OK)
		return;
	const size_t before = text->size;
	put_last_name(query, quark, at, view->end, text);
	if (text->size == before && kernel_view_last_value(view, query, quark, &name) &&
	    name.type == HISTREE_STRING)
		byte_buffer_put(text, name.bytes, name.size);
	histree_cursor_free(query);
}

void kernel_thread_label(const struct kernel_view *view, int32_t tid, histree_time at, struct byte_buffer *text)
{
	const struct kernel_threads *threads = view->threads;
	size_t before = text->size;
	if (tid == 0)
		return;
	if (threads != NULL) {
		uint32_t index = histree_control_flow_find_at(threads->flow, tid, -1, at);
		if (index != HISTREE_NO_INDEX)
			byte_buffer_put_chars(text, threads->list[index].name);
	} else {
		put_asked(view, tid, at, text);
	}
	byte_buffer_format(text, text->size > before ? " (%d)" : "%d", tid);
}

static void kernel_thread_text(const void *view, const struct histree_label_table *table,
			       const struct histree_value *value, histree_time at, struct byte_buffer *text)
{
	(void)view, (void)at;
	const struct histree_style *style = histree_style_of(table, value);
	if (style != NULL)
		byte_buffer_put_chars(text, style->name);
}

static void kernel_resource_text(const void *view, const struct histree_label_table *table,
				 const struct histree_value *value, histree_time at, struct byte_buffer *text)
{
	enum histree_meaning meaning = table != NULL ? table->meaning : HISTREE_MEANS_ANYTHING;
	if (meaning == HISTREE_MEANS_TID && value->type == HISTREE_INT)
		kernel_thread_label(view, value->int32, at, text);
	else if (meaning == HISTREE_MEANS_IRQ && value->type == HISTREE_INT)
		byte_buffer_format(text, "CPU %d", value->int32);
	else if (meaning == HISTREE_MEANS_FREQUENCY && value->type == HISTREE_LONG)
		byte_buffer_format(text, "%.3f GHz", (double)value->int64 / 1e9);
}

/* ---- kernel facts ------------------------------------------------------------------------------------------ */

static struct histree_value known_number(int32_t number)
{
	return number >= 0 ? histree_int(number) : histree_null();
}

enum thread_fact {
	THREAD_TID,
	THREAD_PID,
	THREAD_PTID,
	THREAD_NAME,
	THREAD_CPU,
	THREAD_CALL,
	THREAD_PRIORITY,
	THREAD_FACTS,
};

static const struct state_fact kernel_thread_facts[THREAD_FACTS + 1] = {
	[THREAD_TID] = { "TID", FACT_OF_ROWS },
	[THREAD_PID] = { "PID", FACT_OF_ROWS },
	[THREAD_PTID] = { "PTID", FACT_OF_ROWS },
	[THREAD_NAME] = { "Exec_Name", FACT_OF_ROWS },
	[THREAD_CPU] = { "CPU", FACT_OF_STATES },
	[THREAD_CALL] = { "System call", FACT_OF_STATES },
	[THREAD_PRIORITY] = { "Priority", FACT_OF_STATES },
};

/* What the list of threads says, or an attribute of the thread at the time of the state. */
static struct histree_value kernel_thread_fact(const struct fact_request *request, size_t fact)
{
	static const char *const attributes[] = {
		[THREAD_CPU] = "Current_cpu_rq", [THREAD_CALL] = "System_call", [THREAD_PRIORITY] = "Prio"
	};
	const struct kernel_threads *threads = request->facts->view;
	const struct histree_thread *thread = &threads->list[request->facts->row];
	struct histree_place place;
	switch (fact) {
	case THREAD_TID:
		return known_number(thread->tid);
	case THREAD_PID:
		return known_number(thread->has_process ? thread->pid : -1);
	case THREAD_PTID:
		return known_number(thread->ppid);
	case THREAD_NAME:
		return histree_string(thread->name);
	default:
		break;
	}
	if (!histree_thread_place(histree_history_attributes(threads->kernel->history), thread->node,
				  attributes[fact], &place))
		return histree_null();
	const struct histree_value value = state_fact_attribute(request, place.quark);
	return histree_value_part(&value, place.part);
}

static const struct state_fact kernel_resource_facts[] = {
	{ "CPU", FACT_OF_SOME_ROWS },
	{ "Resource", FACT_NOT_SHOWN },
	{ "TID", FACT_OF_STATES },
	{ 0 },
};

/* The tid is that of the thread that had the CPU. */
static struct histree_value kernel_resource_fact(const struct fact_request *request, size_t fact)
{
	const struct kernel_view *view = request->facts->view;
	const struct histree_resource *asked = &view->resource_list[request->facts->row];
	if (fact == 0)
		return known_number(asked->cpu);
	if (fact == 1)
		return histree_string(asked->name);
	for (uint32_t i = 0; asked->cpu >= 0 && i < view->resource_count; i++) {
		const struct histree_resource *resource = &view->resource_list[i];
		if (resource->kind == HISTREE_RESOURCE_CURRENT_THREAD && resource->cpu == asked->cpu)
			return state_fact_attribute(request, resource->quark);
	}
	return histree_null();
}

/* ---- the rows of threads ----------------------------------------------------------------------------------- */

/* Idle loops have words of their own. */
static const struct histree_label_table *words_of(const struct histree_history *history,
						  const struct histree_thread *thread)
{
	const struct histree_label_table *own =
		thread->tid == HISTREE_IDLE_TID ? histree_labels_of(history, thread->status) : NULL;
	return own != NULL ? own : histree_labels_for(history, HISTREE_MEANS_THREAD_STATUS);
}

static void threads_facts(const void *context, uint32_t row, struct row_facts *out)
{
	const struct kernel_threads *threads = context;
	const struct histree_thread *thread = &threads->list[row];
	*out = (struct row_facts){
		.history = threads->kernel->history,
		.quark = thread->status,
		.label = thread->system_call,
		.table = words_of(threads->kernel->history, thread),
		.depth = thread->depth,
		.descendants = thread->descendants,
		.parent = thread->parent,
		.life = { thread->from, thread->to },
		.seen = { thread->first, thread->last },
	};
}

static void threads_label(const void *context, uint32_t row, struct byte_buffer *text)
{
	const struct kernel_threads *threads = context;
	byte_buffer_put_chars(text, threads->list[row].name);
}

static void threads_describe(const void *context, uint32_t row, struct json_writer *json)
{
	const struct kernel_threads *threads = context;
	const struct histree_thread *thread = &threads->list[row];
	json_int_member(json, "tid", thread->tid);
	if (thread->has_process)
		json_int_member(json, "pid", thread->pid);
	json_int_member(json, "ppid", thread->ppid);
	if (thread->first <= thread->last) {
		json_int_member(json, "first", thread->first - threads->kernel->shown_from);
		json_int_member(json, "last", thread->last - threads->kernel->shown_from);
	}
	int64_t cpu_ns = kernel_threads_cpu_ns(threads, row);
	if (cpu_ns >= 0)
		json_int_member(json, "cpu", cpu_ns);
}

static enum row_match threads_matches(const void *context, uint32_t row, const char *text)
{
	const struct kernel_threads *threads = context;
	const struct histree_thread *thread = &threads->list[row];
	char tid[16];
	const int size = snprintf(tid, sizeof(tid), "%d", thread->tid);
	const enum row_match by_name = row_text_match(thread->name, strlen(thread->name), text);
	const enum row_match by_number = row_text_match(tid, (size_t)size, text);
	return by_name > by_number ? by_name : by_number;
}

/* Finds the row of the thread that had a CPU, which may be its idle one. */
static uint32_t threads_find(const void *context, const struct row_wanted *wanted)
{
	const struct kernel_threads *threads = context;
	int32_t tid = wanted->tid, cpu = wanted->cpu;
	const bool is_known =
		tid >= 0 || (cpu >= 0 && find_current(threads->kernel, wanted->at, &tid, &cpu) && tid >= 0);
	return is_known ? histree_control_flow_find_at(threads->flow, tid, wanted->cpu, wanted->at)
			: HISTREE_NO_INDEX;
}

static enum histree_status threads_prepare(void *view, enum row_sort sort, struct histree_error *error)
{
	if (sort != ROW_SORT_CPU)
		return HISTREE_OK;

	/* Costs a look at every switch of the history, so it is done once; others wait. */
	struct kernel_threads *threads = view;
	enum histree_status status = HISTREE_OK;
	pthread_mutex_lock(&threads->cpu_lock);
	if (threads->cpu_ns == NULL) {
		int64_t *cpu_ns = calloc((size_t)threads->count + 1, sizeof(*cpu_ns));
		status = cpu_ns != NULL ? add_up(threads, cpu_ns, error) : error_memory(error, "CPU times");
		if (status == HISTREE_OK)
			threads->cpu_ns = cpu_ns;
		else
			free(cpu_ns);
	}
	pthread_mutex_unlock(&threads->cpu_lock);
	return status;
}

/* The first letters decide; names that begin alike stay in the order of the tree. */
static uint64_t name_key(const char *name)
{
	uint64_t key = 0;
	for (int i = 0; i < 8; i++) {
		key = key << 8 | (unsigned char)*name;
		name += *name != '\0';
	}
	return key;
}

static uint64_t threads_sort_key(const void *context, uint32_t row, enum row_sort sort)
{
	const struct kernel_threads *threads = context;
	const struct histree_thread *thread = &threads->list[row];
	switch (sort) {
	case ROW_SORT_TID:
		return (uint64_t)((int64_t)thread->tid - INT32_MIN);
	case ROW_SORT_NAME:
		return name_key(thread->name);
	case ROW_SORT_FIRST:
		return (uint64_t)thread->first - (uint64_t)threads->kernel->shown_from;
	case ROW_SORT_CPU: /* most first */
		return (uint64_t)(INT64_MAX - kernel_threads_cpu_ns(threads, row));
	case ROW_SORT_TREE:
	case ROW_SORT_ACTIVE: /* threads_activity() */
	case ROW_SORT_COUNT:
		break;
	}
	return row;
}

/* The row of the main thread of its process; those of a kernel are of one, as the first of them made the others. */
static uint32_t group_of_thread(const struct kernel_threads *threads, uint32_t row)
{
	enum { KTHREADD = 2 };
	const struct histree_thread *thread = &threads->list[row];
	const int32_t main_tid = thread->ppid == KTHREADD ? KTHREADD : thread->pid;
	if (thread->tid <= 0 || main_tid == thread->tid)
		return row;
	const uint32_t found = histree_control_flow_find_at(threads->flow, main_tid, -1, thread->first);
	return found != HISTREE_NO_INDEX ? found : row;
}

/* What a part of the states of a thread adds; statuses as histree-states(7) has them. */
static void add_activity(struct row_activity *activity, const struct histree_value *status, uint64_t ns)
{
	enum { RUNS = 2, RUNS_A_CALL, IS_INTERRUPTED, WAITS_FOR_A_CPU };
	if (status->type != HISTREE_INT)
		return;
	if (status->int32 >= RUNS && status->int32 <= IS_INTERRUPTED)
		activity->ran_ns += ns;
	else if (status->int32 == WAITS_FOR_A_CPU)
		activity->waited_ns += ns;
}

/* Of a thread that had its number in a part of the range only: others share its attribute. */
static enum histree_status read_life(struct histree_cursor *query, const struct histree_thread *thread,
				     histree_time from, histree_time to, struct row_activity *activity,
				     struct histree_error *error)
{
	from = thread->from > from ? thread->from : from;
	to = thread->to < to ? thread->to : to;
	if (from > to)
		return HISTREE_OK;
	const struct histree_region region = {
		.quarks = &thread->status, .quark_count = 1, .from = from, .to = to
	};
	enum histree_status status = histree_query_start(query, &region, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(query, error)) == HISTREE_OK) {
		const struct histree_interval *state = histree_cursor_interval(query);
		const histree_time start = state->start > from ? state->start : from;
		const histree_time end = state->end < to ? state->end : to;
		add_activity(activity, &state->value, (uint64_t)end - (uint64_t)start + 1);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/*
 * The attributes of threads that had their numbers all the time, ascending, and the row of each.  Where one is
 * among them is counted: 64 attributes a word, and before each word how many there are.
 */
struct whole_threads {
	histree_quark first, *quarks;
	uint32_t *rows;
	size_t count;
	uint64_t *are_there;
	uint32_t *before;
};

static bool had_number(const struct histree_thread *thread, histree_time from, histree_time to)
{
	return thread->from <= from && thread->to >= to;
}

static bool has_activity(const struct histree_thread *thread)
{
	return thread->tid != 0 && thread->status != HISTREE_ROOT; /* an idle loop did nothing */
}

static size_t whole_place(const struct whole_threads *whole, histree_quark quark)
{
	const size_t at = quark - whole->first;
	const uint64_t below = (UINT64_C(1) << at % 64) - 1;
	return whole->before[at / 64] + (size_t)__builtin_popcountll(whole->are_there[at / 64] & below);
}

static enum histree_status find_whole(const struct kernel_threads *threads, histree_time from, histree_time to,
				      struct whole_threads *out, struct histree_error *error)
{
	histree_quark last = 0;
	out->first = UINT32_MAX;
	for (uint32_t row = 0; row < threads->count; row++) {
		const histree_quark quark = threads->list[row].status;
		out->first = quark < out->first ? quark : out->first;
		last = quark > last ? quark : last;
	}
	const size_t words = threads->count > 0 ? (size_t)(last - out->first) / 64 + 1 : 0;
	out->are_there = calloc(words + 1, sizeof(*out->are_there));
	out->before = calloc(words + 1, sizeof(*out->before));
	out->quarks = malloc(((size_t)threads->count + 1) * sizeof(*out->quarks));
	out->rows = malloc(((size_t)threads->count + 1) * sizeof(*out->rows));
	if (out->are_there == NULL || out->before == NULL || out->quarks == NULL || out->rows == NULL)
		return error_memory(error, "what rows did");
	for (uint32_t row = 0; row < threads->count; row++) {
		const struct histree_thread *thread = &threads->list[row];
		const size_t at = thread->status - out->first;
		if (has_activity(thread) && had_number(thread, from, to))
			out->are_there[at / 64] |= UINT64_C(1) << at % 64;
	}
	for (size_t word = 0; word < words; word++) {
		out->before[word] = (uint32_t)out->count;
		out->count += (size_t)__builtin_popcountll(out->are_there[word]);
	}
	assert(out->count <= threads->count);
	for (uint32_t row = 0; row < threads->count; row++) {
		const struct histree_thread *thread = &threads->list[row];
		if (!has_activity(thread) || !had_number(thread, from, to))
			continue;
		const size_t place = whole_place(out, thread->status);
		out->quarks[place] = thread->status;
		out->rows[place] = row;
	}
	return HISTREE_OK;
}

/* The numbers of `histree top`, without its list of rows, which takes 200 bytes a thread. */
static enum histree_status add_up_statuses(const struct kernel_threads *threads, histree_time from, histree_time to,
					   struct row_activity *activity, struct histree_error *error)
{
	struct histree_cursor *times = NULL, *query = NULL;
	struct whole_threads whole = { 0 };
	enum histree_status status = find_whole(threads, from, to, &whole, error);
	const struct histree_region region = {
		.quarks = whole.quarks, .quark_count = whole.count, .from = from, .to = to
	};
	if (status == HISTREE_OK)
		status = histree_time_in_state_create(threads->kernel->history, &times, error);
	if (status == HISTREE_OK)
		status = histree_time_in_state_start(times, &region, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(times, error)) == HISTREE_OK) {
		const struct histree_state_time *part = histree_cursor_state_time(times);
		add_activity(&activity[whole.rows[whole_place(&whole, part->quark)]], &part->value, part->ns);
	}
	histree_cursor_free(times);
	free(whole.quarks);
	free(whole.rows);
	free(whole.are_there);
	free(whole.before);
	if (status == HISTREE_END)
		status = histree_query_create(threads->kernel->history, &query, error);
	for (uint32_t row = 0; row < threads->count && status == HISTREE_OK; row++) {
		const struct histree_thread *thread = &threads->list[row];
		if (has_activity(thread) && !had_number(thread, from, to))
			status = read_life(query, thread, from, to, &activity[row], error);
	}
	histree_cursor_free(query);
	return status;
}

/* Blocked and idle threads did nothing. */
static enum histree_status threads_activity(const void *context, histree_time from, histree_time to,
					    struct row_activity *activity, struct histree_error *error)
{
	const struct kernel_threads *threads = context;
	const struct kernel_view *kernel = threads->kernel;
	for (uint32_t row = 0; row < threads->count; row++)
		activity[row].group = group_of_thread(threads, row);
	from = from > kernel->start ? from : kernel->start;
	to = to < kernel->end ? to : kernel->end;
	return from <= to ? add_up_statuses(threads, from, to, activity, error) : HISTREE_OK;
}

static enum histree_status make_of_threads(const void *context, const struct arrow_range *range,
					   struct histree_arrows **out, struct histree_error *error)
{
	const struct kernel_view *view = context;
	struct histree_arrows_request request = { .history = view->history,
						  .resources = view->resources,
						  .flow = view->threads->flow,
						  .wakeups = view->wakeups };
	return arrow_model_within(&request, range, out, error);
}

static bool rows_of_threads(const void *context, const struct histree_arrow *arrow, uint32_t *from, uint32_t *to)
{
	const struct kernel_view *view = context;
	if (arrow->kind == HISTREE_ARROW_MIGRATION)
		return false;
	*from = histree_control_flow_find_at(view->threads->flow, arrow->from, -1, arrow->start);
	*to = histree_control_flow_find_at(view->threads->flow, arrow->to, -1, arrow->end);
	return *from != HISTREE_NO_INDEX && *to != HISTREE_NO_INDEX;
}

static void name_of_thread(const void *context, uint32_t row, struct byte_buffer *name)
{
	const struct kernel_view *view = context;
	const struct histree_thread *thread = &view->threads->list[row];
	kernel_thread_label(view, thread->tid, thread->from, name);
}

/* Threads have switches, forks and wake-ups, resources migrations; the view is a struct kernel_view. */
static const struct arrow_model arrows_of_threads = { make_of_threads, rows_of_threads, name_of_thread, NULL };

static void threads_arrows(const void *context, struct arrow_source *out)
{
	const struct kernel_threads *threads = context;
	*out = (struct arrow_source){ .model = &arrows_of_threads, .view = threads->kernel };
}

const struct row_model row_model_threads = {
	.name = "control-flow",
	.title = "Control Flow",
	.own = { kernel_view_applies, kernel_threads_make, kernel_threads_free },
	.has_arrows = kernel_view_applies,
	.history = kernel_view_history,
	.count = offsetof(struct kernel_threads, count),
	.facts = threads_facts,
	.label = threads_label,
	.describe = threads_describe,
	.matches = threads_matches,
	.find = threads_find,
	.arrows = threads_arrows,
	.prepare = threads_prepare,
	.sort_key = threads_sort_key,
	.activity = threads_activity,
	.text = kernel_thread_text,
	.kind = { kernel_thread_facts, kernel_thread_fact, NULL },
	.early = &row_model_early_threads,
};

/* ---- the rows of resources --------------------------------------------------------------------------------- */

/* What is below a resource follows it at once. */
static uint32_t descendants(const struct kernel_view *view, uint32_t row)
{
	uint32_t next = row + 1;
	while (next < view->resource_count && view->resource_list[next].parent == row)
		next++;
	return next - row - 1;
}

static void resources_facts(const void *context, uint32_t row, struct row_facts *out)
{
	const struct kernel_view *view = context;
	const struct histree_resource *resource = &view->resource_list[row];
	*out = (struct row_facts){
		.history = view->history,
		.quark = resource->quark,
		.label = HISTREE_ROOT,
		.table = histree_labels_for(view->history, histree_resource_meaning(resource->kind)),
		.depth = resource->parent != HISTREE_NO_INDEX,
		.descendants = descendants(view, row),
		.parent = resource->parent,
	};
}

static void resources_label(const void *context, uint32_t row, struct byte_buffer *text)
{
	const struct kernel_view *view = context;
	byte_buffer_put_chars(text, view->resource_list[row].name);
}

static void resources_describe(const void *context, uint32_t row, struct json_writer *json)
{
	const struct kernel_view *view = context;
	if (view->resource_list[row].cpu >= 0)
		json_int_member(json, "onCpu", view->resource_list[row].cpu);
}

/* The row of a CPU's status. */
static uint32_t find_cpu(const struct kernel_view *view, int32_t cpu)
{
	for (uint32_t i = 0; i < view->resource_count; i++)
		if (view->resource_list[i].kind == HISTREE_RESOURCE_CPU && view->resource_list[i].cpu == cpu)
			return i;
	return HISTREE_NO_INDEX;
}

/* Finds the row of the CPU that a thread had. */
static uint32_t resources_find(const void *context, const struct row_wanted *wanted)
{
	const struct kernel_view *view = context;
	int32_t tid = wanted->tid, cpu = wanted->cpu;
	const bool is_known = cpu >= 0 || (tid > 0 && find_current(view, wanted->at, &tid, &cpu));
	return is_known ? find_cpu(view, cpu) : HISTREE_NO_INDEX;
}

static enum histree_status make_of_resources(const void *context, const struct arrow_range *range,
					     struct histree_arrows **out, struct histree_error *error)
{
	const struct kernel_view *view = context;
	struct histree_arrows_request request = { .history = view->history, .resources = view->resources };
	return arrow_model_within(&request, range, out, error);
}

static bool rows_of_resources(const void *view, const struct histree_arrow *arrow, uint32_t *from, uint32_t *to)
{
	if (arrow->kind != HISTREE_ARROW_MIGRATION)
		return false;
	*from = find_cpu(view, arrow->from);
	*to = find_cpu(view, arrow->to);
	return *from != HISTREE_NO_INDEX && *to != HISTREE_NO_INDEX;
}

static void name_of_resource(const void *context, uint32_t row, struct byte_buffer *name)
{
	const struct kernel_view *view = context;
	byte_buffer_put_chars(name, view->resource_list[row].name);
}

static const struct arrow_model arrows_of_resources = { make_of_resources, rows_of_resources, name_of_resource,
							NULL };

static void resources_arrows(const void *view, struct arrow_source *out)
{
	*out = (struct arrow_source){ .model = &arrows_of_resources, .view = view };
}

const struct row_model row_model_resources = {
	.name = "resources",
	.title = "Resources",
	.own = { kernel_view_applies, kernel_view_make, kernel_view_free },
	.has_arrows = kernel_view_applies,
	.history = kernel_view_history,
	.count = offsetof(struct kernel_view, resource_count),
	.facts = resources_facts,
	.label = resources_label,
	.describe = resources_describe,
	.find = resources_find,
	.arrows = resources_arrows,
	.text = kernel_resource_text,
	.kind = { kernel_resource_facts, kernel_resource_fact, kernel_resource_text },
};

/* ---- early rows -------------------------------------------------------------------------------------------- */

/*
 * The threads in the order of their attributes, which is that in which they were first seen.  What is said of a
 * thread is looked up when it is shown: three queries at one time each.
 */

/* HISTREE_ROOT: not found. */
static histree_quark child_of(const struct kernel_view *view, uint32_t row, const char *name)
{
	histree_quark child;
	if (histree_attributes_child(histree_history_attributes(view->history), view->nodes[row], name,
				     strlen(name), &child) != HISTREE_OK)
		return HISTREE_ROOT;
	return child;
}

static void early_facts(const void *context, uint32_t row, struct row_facts *out)
{
	const struct kernel_view *view = context;
	histree_quark status = child_of(view, row, "Status");
	*out = (struct row_facts){
		.history = view->history,
		.quark = status != HISTREE_ROOT ? status : view->nodes[row],
		.label = child_of(view, row, "System_call"),
		.table = histree_labels_for(view->history, HISTREE_MEANS_THREAD_STATUS),
	};
}

static void early_describe(const void *context, uint32_t row, struct json_writer *json)
{
	const struct kernel_view *view = context;
	struct histree_cursor *query;
	struct histree_value value;
	struct byte_buffer name = { 0 };
	uint64_t tid;
	attribute_name_put(histree_history_attributes(view->history), view->nodes[row], &name);
	byte_buffer_put_byte(&name, '\0');
	if (!name.failed && number_parse(byte_buffer_chars(&name), &tid) && tid <= INT32_MAX)
		json_int_member(json, "tid", (int64_t)tid);
	byte_buffer_release(&name);
	if (histree_query_create(view->history, &query, NULL) != HISTREE_OK)
		return;
	if (kernel_view_last_value(view, query, child_of(view, row, "Exec_name"), &value) &&
	    value.type == HISTREE_STRING)
		json_string_member(json, "name", value.bytes, value.size);
	struct histree_place place;
	if (histree_thread_place(histree_history_attributes(view->history), view->nodes[row], "PPID", &place) &&
	    kernel_view_last_value(view, query, place.quark, &value))
		value = histree_value_part(&value, place.part);
	else
		value = histree_null();
	if (value.type == HISTREE_INT)
		json_int_member(json, "ppid", value.int32);
	histree_cursor_free(query);
}

static enum row_match early_matches(const void *context, uint32_t row, const char *text)
{
	(void)context;
	(void)row;
	return *text == '\0' ? ROW_CONTAINS : ROW_MATCHES_NOT;
}

const struct row_model row_model_early_threads = {
	.name = "early threads",
	.own = { kernel_view_applies, kernel_view_make, kernel_view_free },
	.count = offsetof(struct kernel_view, node_count),
	.facts = early_facts,
	.describe = early_describe,
	.matches = early_matches,
	.text = kernel_thread_text,
};
