// SPDX-License-Identifier: MIT
#include "view/thread_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "histree/query.h"
#include "view/attribute_names.h"
#include "view/cancel.h"

/* What is read of a thread beside its status, and what the attribute is called. */
enum fact { FACT_NAME, FACT_PID, FACT_PPID, FACT_COUNT };
static const char *const fact_names[FACT_COUNT] = { "Exec_name", "PID", "PPID" };

/* Whose attribute a quark is: thread * 4 + what, so that an answer finds its thread without a search. */
enum { OWNER_STATUS = FACT_COUNT, OWNER_KINDS };
#define NO_OWNER UINT32_MAX

struct reading {
	struct thread_list *list;
	struct histree_history *history;
	const struct histree_attributes *attributes;
	const struct histree_history_info *info;
	const struct histree_cancel *cancel;
	uint32_t *owners;                  /* by quark */
	histree_time (*since)[FACT_COUNT]; /* by thread: when the fact that it has began; the last one counts */
	histree_quark *asked;
	size_t asked_count;
	struct histree_query *query;
};

/* ---- names of attributes ---------------------------------------------------------------------------------- */

/* "42", "-1", and "0_3" for the idle thread of CPU 3. */
static bool parse_thread(const char *name, size_t size, struct histree_thread *thread)
{
	size_t rest = attribute_name_number(name, size, &thread->tid);
	thread->cpu = -1;
	if (rest == 0)
		return false;
	if (rest == size)
		return true;
	return thread->tid == 0 && name[rest] == '_' && rest + 1 < size &&
	       attribute_name_number(name + rest + 1, size - rest - 1, &thread->cpu) == size - rest - 1;
}

static void find_attributes(struct reading *reading, struct histree_thread *thread, uint32_t index)
{
	const struct histree_attributes *attributes = reading->attributes;
	for (histree_quark child = histree_attributes_first_child(attributes, thread->node); child != HISTREE_ROOT;
	     child = histree_attributes_next_sibling(attributes, child)) {
		size_t size;
		const char *name = histree_attributes_name(attributes, child, &size);
		if (attribute_name_is(name, size, "System_call"))
			thread->system_call = child;
		else if (attribute_name_is(name, size, "Status"))
			thread->status = child;
		for (uint32_t fact = 0; fact < FACT_COUNT; fact++)
			if (attribute_name_is(name, size, fact_names[fact]))
				reading->owners[child] = index * OWNER_KINDS + fact;
	}
	reading->owners[thread->status] = index * OWNER_KINDS + OWNER_STATUS;
}

static enum histree_status find_threads(struct reading *reading, struct histree_error *error)
{
	struct thread_list *list = reading->list;
	histree_quark group;
	if (histree_attributes_find(reading->attributes, HISTREE_ROOT, "Threads", &group) != HISTREE_OK)
		return HISTREE_OK;
	for (histree_quark node = histree_attributes_first_child(reading->attributes, group); node != HISTREE_ROOT;
	     node = histree_attributes_next_sibling(reading->attributes, node)) {
		struct histree_thread thread = {
			.name = "",
			.ppid = -1,
			.ppid_since = INT64_MIN,
			.last_status = -1,
			.birth = INT64_MAX,
			.death = INT64_MIN,
			.node = node,
			.status = node,
			.system_call = HISTREE_ROOT,
		};
		size_t size;
		const char *name = histree_attributes_name(reading->attributes, node, &size);
		if (!parse_thread(name, size, &thread))
			continue;
		if (list->count >= UINT32_MAX / OWNER_KINDS - 1 ||
		    !array_reserve(&list->threads, &list->capacity, list->count + 1))
			return error_memory(error, "the threads");
		thread.pid = thread.tid;
		find_attributes(reading, &thread, (uint32_t)list->count);
		list->threads[list->count++] = thread;
	}
	return HISTREE_OK;
}

/* ---- what they were --------------------------------------------------------------------------------------- */

static enum histree_status take_fact(struct reading *reading, const struct histree_interval *interval,
				     struct histree_error *error)
{
	uint32_t owner = reading->owners[interval->quark], index = owner / OWNER_KINDS, fact = owner % OWNER_KINDS;
	struct histree_thread *thread = &reading->list->threads[index];
	if (interval->value.type == HISTREE_NULL || interval->start < reading->since[index][fact])
		return HISTREE_OK;
	reading->since[index][fact] = interval->start;
	if (fact == FACT_NAME && interval->value.type == HISTREE_STRING) {
		uint32_t id = intern_add(&reading->list->names, interval->value.bytes, interval->value.size);
		if (id == INTERN_NONE)
			return error_memory(error, "the names of threads");
		size_t size;
		thread->name = intern_get(&reading->list->names, id, &size);
	} else if (fact == FACT_PID && interval->value.type == HISTREE_INT) {
		thread->pid = interval->value.int32;
	} else if (fact == FACT_PPID && interval->value.type == HISTREE_INT) {
		thread->ppid = interval->value.int32;
		thread->ppid_since = interval->start;
	}
	return HISTREE_OK;
}

/* Of the states at the two ends of the history, null ones say when the thread was born, and when it was gone. */
static enum histree_status take_status(struct reading *reading, const struct histree_interval *interval,
				       struct histree_error *error)
{
	(void)error;
	const struct histree_history_info *info = reading->info;
	struct histree_thread *thread = &reading->list->threads[reading->owners[interval->quark] / OWNER_KINDS];
	bool is_null = interval->value.type == HISTREE_NULL;
	if (interval->start == info->start && !(is_null && interval->end == info->end))
		thread->birth = is_null ? interval->end + 1 : info->start;
	if (interval->end == info->end && !(is_null && interval->start == info->start)) {
		thread->death = is_null ? interval->start - 1 : info->end;
		if (interval->value.type == HISTREE_INT)
			thread->last_status = interval->value.int32;
	}
	return HISTREE_OK;
}

/* Put the quarks of some owners, which are ascending, into `asked`. */
static void choose(struct reading *reading, bool status)
{
	reading->asked_count = 0;
	for (histree_quark quark = 0; quark < reading->info->attribute_count; quark++) {
		uint32_t owner = reading->owners[quark];
		if (owner != NO_OWNER && (owner % OWNER_KINDS == OWNER_STATUS) == status)
			reading->asked[reading->asked_count++] = quark;
	}
}

typedef enum histree_status taker(struct reading *reading, const struct histree_interval *interval,
				  struct histree_error *error);

static enum histree_status ask(struct reading *reading, struct histree_region region, taker *take,
			       struct histree_error *error)
{
	struct histree_interval interval;
	region.quarks = reading->asked;
	region.quark_count = reading->asked_count;
	enum histree_status status = histree_query_start(reading->query, &region, error);
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		status = cancel_check(reading->cancel, step, error);
		if (status == HISTREE_OK)
			status = histree_query_next(reading->query, &interval, error);
		if (status == HISTREE_OK)
			status = take(reading, &interval, error);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status read_states(struct reading *reading, struct histree_error *error)
{
	const struct histree_history_info *info = reading->info;
	const histree_time ends[] = { info->start, info->end };
	choose(reading, false);
	enum histree_status status =
		ask(reading, (struct histree_region){ .from = info->start, .to = info->end }, take_fact, error);
	if (status != HISTREE_OK)
		return status;
	choose(reading, true);
	return ask(reading, (struct histree_region){ .times = ends, .time_count = 2 }, take_status, error);
}

/* ----------------------------------------------------------------------------------------------------------- */

static enum histree_status make_room(struct reading *reading, struct histree_error *error)
{
	size_t count = reading->list->count;
	reading->since = malloc((count + 1) * sizeof(*reading->since));
	reading->asked = malloc((count * OWNER_KINDS + 1) * sizeof(*reading->asked));
	if (reading->since == NULL || reading->asked == NULL)
		return error_memory(error, "the threads");
	for (size_t i = 0; i < count; i++)
		for (int fact = 0; fact < FACT_COUNT; fact++)
			reading->since[i][fact] = INT64_MIN;
	return HISTREE_OK;
}

enum histree_status thread_list_read(struct thread_list *list, struct histree_history *history,
				     struct histree_cancel cancel, struct histree_error *error)
{
	struct reading reading = {
		.list = list,
		.history = history,
		.attributes = histree_history_attributes(history),
		.info = histree_history_info(history),
		.cancel = &cancel,
	};
	size_t attribute_count = reading.info->attribute_count;
	reading.owners = malloc((attribute_count + 1) * sizeof(*reading.owners));
	if (reading.owners == NULL)
		return error_memory(error, "the threads");
	memset(reading.owners, 0xff, attribute_count * sizeof(*reading.owners)); /* NO_OWNER */
	enum histree_status status = find_threads(&reading, error);
	if (status == HISTREE_OK)
		status = make_room(&reading, error);
	if (status == HISTREE_OK)
		status = histree_query_create(history, &reading.query, error);
	if (status == HISTREE_OK)
		status = read_states(&reading, error);
	histree_query_free(reading.query);
	free(reading.owners);
	free(reading.since);
	free(reading.asked);
	return status;
}

void thread_list_release(struct thread_list *list)
{
	free(list->threads);
	intern_release(&list->names);
	*list = (struct thread_list){ 0 };
}
