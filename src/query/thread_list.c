// SPDX-License-Identifier: MIT
/*
 * thread_list.c - reads the threads of a history: numbers, names, parents, lives.
 *
 * All threads are read from the attributes of the history; for a narrow range, only those that had a status in it.
 * What they are called and whose they are is in a file of its own, beside a long history (thread_names.h).
 * A reused number becomes one thread for each life.
 */
#include "query/thread_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/states.h"
#include "query/thread_names.h"
#include "query/thread_pieces.h"
#include "state/attributes.h"

/* ---- whose threads ------------------------------------------------------------------------------------------- */

const char *histree_thread_analysis(size_t index)
{
	static const char *const analyses[] = { "kernel", "kernel-compact", "kernel-tc", "kernel-2016" };
	return index < sizeof(analyses) / sizeof(*analyses) ? analyses[index] : NULL;
}

bool histree_thread_analysis_is(const char *analysis)
{
	const char *name;
	for (size_t i = 0; (name = histree_thread_analysis(i)) != NULL; i++)
		if (strcmp(name, analysis) == 0)
			return true;
	return false;
}

bool histree_thread_analysis_names(const char *analysis)
{
	return histree_thread_analysis_is(analysis) || strcmp(analysis, "tracks") == 0;
}

/* ---- thread list --------------------------------------------------------------------------------------------- */

/* Whose attribute a quark is: thread * 5 + which fact, so that an answer finds its thread without a search. */
enum { OWNER_KINDS = THREAD_FACT_STATUS + 1 };

#define NO_OWNER UINT32_MAX
/* An attribute that is null at the end of the history, and until when it may have been something else. */
struct ended {
	histree_quark quark;
	histree_time last;
};

struct reading {
	struct thread_list *list;
	struct histree_history *history;
	const struct histree_attributes *attributes;
	const struct histree_history_info *info;
	const struct histree_work *work;
	uint32_t *owners; /* by quark */
	/* By thread: when the last of its facts of each kind began, and its last status. */
	histree_time (*since)[OWNER_KINDS];
	histree_quark *asked;
	size_t asked_count;
	struct ended *ended;
	size_t ended_count;
	bool is_damaged;       /* what they were is not known */
	bool *lived;           /* by thread, in the range that is asked for */
	bool *reused;          /* by thread: its number may have been another's, before or after it */
	histree_time from, to; /* the range */
	struct histree_cursor *query;
	struct thread_names names;  /* of them, beside the history */
	bool asks_names;            /* what is in `asked` are facts of these */
	histree_quark *asked_names; /* what these are in the file */
};

/* ---- which there are -------------------------------------------------------------------------------------- */

/* Of what it was, nothing is known yet. */
static enum histree_status add_thread(struct reading *reading, const struct thread_walk *walk,
				      struct histree_error *error)
{
	struct thread_list *list = reading->list;
	if (list->count >= UINT32_MAX / OWNER_KINDS - 1 ||
	    !array_reserve(&list->threads, &list->capacity, list->count + 1))
		return error_memory(error, "the threads");
	const uint32_t index = (uint32_t)list->count;
	for (uint32_t fact = 0; fact < OWNER_KINDS; fact++) {
		const histree_quark quark = thread_walk_quark(walk, fact);
		if (quark != HISTREE_ROOT)
			reading->owners[quark] = index * OWNER_KINDS + fact;
	}
	list->threads[list->count++] = (struct histree_thread){
		.node = walk->node,
		.status = thread_walk_quark(walk, THREAD_FACT_STATUS),
		.system_call = thread_walk_quark(walk, THREAD_FACT_CALL),
		.tid = walk->tid,
		.pid = walk->tid,
		.has_process = walk->tid == 0 || !thread_pids_are_told(reading->info),
		.cpu = walk->cpu,
		.name = "",
		.ppid = -1,
		.ppid_since = INT64_MIN,
		.last_status = -1,
		.first = INT64_MAX,
		.last = INT64_MIN,
		.from = reading->info->start,
		.to = reading->info->end,
	};
	return HISTREE_OK;
}

/* ---- what they were --------------------------------------------------------------------------------------- */

static void take_pid(struct histree_thread *thread, int32_t pid)
{
	thread->pid = pid;
	thread->has_process = true;
}

static void take_process(const struct histree_interval *interval, struct histree_thread *thread)
{
	struct histree_value ppid = histree_value_part(&interval->value, HISTREE_FIRST_PART);
	struct histree_value pid = histree_value_part(&interval->value, HISTREE_SECOND_PART);
	if (pid.type == HISTREE_INT)
		take_pid(thread, pid.int32);
	if (ppid.type == HISTREE_INT) {
		thread->ppid = ppid.int32;
		thread->ppid_since = interval->start;
	}
}

/* It begins after the history, and ends before it: between two lives the name is null so. */
static bool is_inside(const struct histree_history_info *info, const struct histree_interval *interval)
{
	return interval->start > info->start && interval->end < info->end;
}

static enum histree_status take_fact(struct reading *reading, const struct histree_interval *interval,
				     struct histree_error *error)
{
	uint32_t owner = reading->owners[interval->quark], index = owner / OWNER_KINDS, fact = owner % OWNER_KINDS;
	struct histree_thread *thread = &reading->list->threads[index];
	if (fact == THREAD_FACT_NAME && interval->value.type == HISTREE_NULL)
		reading->reused[index] |= is_inside(reading->info, interval);
	if (interval->value.type == HISTREE_NULL || interval->start < reading->since[index][fact])
		return HISTREE_OK;
	reading->since[index][fact] = interval->start;
	if (fact == THREAD_FACT_NAME && interval->value.type == HISTREE_STRING) {
		uint32_t id = intern_add(&reading->list->names, interval->value.bytes, interval->value.size);
		if (id == INTERN_NONE)
			return error_memory(error, "the names of threads");
		size_t size;
		thread->name = intern_get(&reading->list->names, id, &size);
	} else if (fact == THREAD_FACT_PID && interval->value.type == HISTREE_INT) {
		take_pid(thread, interval->value.int32);
	} else if (fact == THREAD_FACT_PROCESS) {
		take_process(interval, thread);
	} else if (fact == THREAD_FACT_PPID && interval->value.type == HISTREE_INT) {
		thread->ppid = interval->value.int32;
		thread->ppid_since = interval->start;
	}
	return HISTREE_OK;
}

/* The state of an attribute at a time: from where it is read sooner. */
static enum histree_status query_one(struct reading *reading, histree_quark quark, histree_time time,
				     struct histree_interval *out, struct histree_error *error)
{
	struct thread_names *names = &reading->names;
	const histree_quark own = names->cursor != NULL ? thread_names_find(names, quark) : HISTREE_ROOT;
	if (own == HISTREE_ROOT)
		return histree_query_single(reading->query, quark, time, out, error);
	const enum histree_status status = histree_query_single(names->cursor, own, time, out, error);
	out->quark = quark;
	return thread_names_judge(names, status);
}

/* The last state of an attribute at this time or before that is not null; the first one if all are. */
static enum histree_status find_last(struct reading *reading, histree_time from, histree_quark quark,
				     histree_time time, struct histree_interval *last, struct histree_error *error)
{
	enum histree_status status = query_one(reading, quark, time, last, error);
	while (status == HISTREE_OK && last->value.type == HISTREE_NULL && last->start > from)
		status = query_one(reading, quark, last->start - 1, last, error);
	return status;
}

/* What is null at the end of the history is looked for before that. */
static enum histree_status take_fact_at_end(struct reading *reading, const struct histree_interval *interval,
					    struct histree_error *error)
{
	uint32_t owner = reading->owners[interval->quark];
	if (owner % OWNER_KINDS == THREAD_FACT_NAME)
		reading->reused[owner / OWNER_KINDS] |= interval->start > reading->info->start;
	if (interval->value.type == HISTREE_UNKNOWN)
		reading->is_damaged = true;
	else if (interval->value.type != HISTREE_NULL)
		return take_fact(reading, interval, error);
	else if (interval->start > reading->info->start)
		reading->ended[reading->ended_count++] = (struct ended){ interval->quark, interval->start - 1 };
	return HISTREE_OK;
}

static enum histree_status take_last_fact(struct reading *reading, const struct ended *ended,
					  struct histree_error *error)
{
	struct histree_interval interval;
	enum histree_status status =
		find_last(reading, reading->info->start, ended->quark, ended->last, &interval, error);
	if (status == HISTREE_OK && interval.value.type == HISTREE_UNKNOWN)
		reading->is_damaged = true;
	else if (status == HISTREE_OK)
		status = take_fact(reading, &interval, error);
	return status;
}

/* Null states at the two ends of the history say when the thread was first seen, and when it was gone. */
static enum histree_status take_status(struct reading *reading, const struct histree_interval *interval,
				       struct histree_error *error)
{
	(void)error;
	const struct histree_history_info *info = reading->info;
	uint32_t owner = reading->owners[interval->quark];
	struct histree_thread *thread = &reading->list->threads[owner / OWNER_KINDS];
	bool is_null = interval->value.type == HISTREE_NULL;
	if (interval->start == info->start && !(is_null && interval->end == info->end))
		thread->first = is_null ? interval->end + 1 : info->start;
	if (interval->end == info->end && !(is_null && interval->start == info->start)) {
		thread->last = is_null ? interval->start - 1 : info->end;
		reading->since[owner / OWNER_KINDS][THREAD_FACT_STATUS] = interval->start;
		if (interval->value.type == HISTREE_INT)
			thread->last_status = interval->value.int32;
	}
	return HISTREE_OK;
}

/* Puts the quarks of some owners, which are ascending, into `asked`. */
static void choose(struct reading *reading, bool status)
{
	reading->asked_count = 0;
	reading->asks_names = !status && reading->names.cursor != NULL;
	for (histree_quark quark = 0; quark < reading->info->attribute_count; quark++) {
		uint32_t owner = reading->owners[quark];
		if (owner != NO_OWNER && (owner % OWNER_KINDS == THREAD_FACT_STATUS) == status)
			reading->asked[reading->asked_count++] = quark;
	}
}

typedef enum histree_status taker(struct reading *reading, const struct histree_interval *interval,
				  struct histree_error *error);

/* What is asked for is in the file of names, by its own numbers; both ascend. */
static bool find_asked_names(struct reading *reading)
{
	const struct thread_names *names = &reading->names;
	size_t at = 0;
	for (size_t i = 0; i < reading->asked_count; i++) {
		while (at < names->count && names->quarks[at] < reading->asked[i])
			at++;
		if (at == names->count || names->quarks[at] != reading->asked[i])
			return false;
		reading->asked_names[i] = (histree_quark)at + 1;
	}
	return true;
}

static enum histree_status ask(struct reading *reading, struct histree_region region, taker *take,
			       struct histree_error *error)
{
	struct thread_names *names = reading->asks_names ? &reading->names : NULL;
	struct histree_cursor *query = names != NULL ? names->cursor : reading->query;
	struct histree_interval interval;
	region.quarks = names != NULL ? reading->asked_names : reading->asked;
	region.quark_count = reading->asked_count;
	if (names != NULL && !find_asked_names(reading)) {
		names->is_wrong = true;
		return HISTREE_ERR_FORMAT;
	}
	enum histree_status status = histree_query_start(query, &region, error);
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		status = cancel_or_next(reading->work, step, query, error);
		if (status == HISTREE_OK)
			interval = *histree_cursor_interval(query);
		if (status == HISTREE_OK && names != NULL)
			interval.quark = names->quarks[interval.quark - 1];
		if (status == HISTREE_OK)
			status = take(reading, &interval, error);
	}
	if (names != NULL)
		status = thread_names_judge(names, status);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- of a narrow range ------------------------------------------------------------------------------------ */

/*
 * To find the threads that lived in a range, its states of all statuses are read.  For the names of all threads,
 * each leaf of the history would be read, as threads begin everywhere.
 */
enum { NARROW = 16 /* of the history's time */, FEW = 4 /* of all threads */ };

static bool is_narrow(const struct histree_history_info *info, histree_time from, histree_time to)
{
	return from <= to &&
	       ((uint64_t)to - (uint64_t)from) < ((uint64_t)info->end - (uint64_t)info->start) / NARROW;
}

static enum histree_status take_life(struct reading *reading, const struct histree_interval *interval,
				     struct histree_error *error)
{
	(void)error;
	if (interval->value.type != HISTREE_NULL)
		reading->lived[reading->owners[interval->quark] / OWNER_KINDS] = true;
	return HISTREE_OK;
}

/* Takes the others out of the list. */
static enum histree_status keep_who_lived(struct reading *reading, histree_time from, histree_time to,
					  struct histree_error *error)
{
	struct thread_list *list = reading->list;
	uint32_t *places = malloc((list->count + 1) * sizeof(*places)), kept = 0;
	reading->lived = calloc(list->count + 1, sizeof(*reading->lived));
	enum histree_status status = HISTREE_OK;
	if (places == NULL || reading->lived == NULL)
		status = error_memory(error, "the threads");
	choose(reading, true);
	if (status == HISTREE_OK)
		status = ask(reading, (struct histree_region){ .from = from, .to = to }, take_life, error);
	for (size_t i = 0; i < list->count && status == HISTREE_OK; i++)
		if (reading->lived[i]) {
			list->threads[kept] = list->threads[i];
			places[i] = kept++;
		}
	for (size_t quark = 0; quark < reading->info->attribute_count && status == HISTREE_OK; quark++) {
		const uint32_t owner = reading->owners[quark], index = owner / OWNER_KINDS;
		if (owner != NO_OWNER)
			reading->owners[quark] = reading->lived[index]
							 ? places[index] * OWNER_KINDS + owner % OWNER_KINDS
							 : NO_OWNER;
	}
	if (status == HISTREE_OK)
		list->count = kept;
	free(places);
	return status;
}

/* Facts of few threads: those at the end of the history, and of what has ended before, the last ones. */
static enum histree_status look_up_facts(struct reading *reading, struct histree_error *error)
{
	reading->ended = malloc((reading->asked_count + 1) * sizeof(*reading->ended));
	if (reading->ended == NULL)
		return error_memory(error, "the threads");
	enum histree_status status =
		ask(reading, (struct histree_region){ .times = &reading->info->end, .time_count = 1 },
		    take_fact_at_end, error);
	for (size_t i = 0; i < reading->ended_count && status == HISTREE_OK; i++) {
		status = cancel_check(reading->work, i, error);
		if (status == HISTREE_OK)
			status = take_last_fact(reading, &reading->ended[i], error);
	}
	return status;
}

/*
 * A pair of parent and process is another one as soon as the process is known, which may be long after the thread
 * was made: the parent is the same from the first of such pairs on.
 */
static enum histree_status find_parent_since(struct reading *reading, histree_quark quark,
					     struct histree_thread *thread, struct histree_error *error)
{
	struct histree_interval before;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && thread->ppid_since > reading->info->start) {
		status = query_one(reading, quark, thread->ppid_since - 1, &before, error);
		if (status != HISTREE_OK)
			break;
		struct histree_value ppid = histree_value_part(&before.value, HISTREE_FIRST_PART);
		if (ppid.type != HISTREE_INT || ppid.int32 != thread->ppid)
			break;
		thread->ppid_since = before.start;
	}
	return status;
}

/* ---- numbers that were used again -------------------------------------------------------------------------- */

/*
 * A thread has a name from when it is made, or first seen, and all that is said of it is null when it is gone
 * (analysis/kernel/kernel_threads.c).  So a null of the name between others, which begins when the thread is gone,
 * or when it is not known what it does, parts two lives.  It belongs to the later one, which may wait for its first
 * switch.
 */
struct life {
	histree_time from, to;
};

/* The quarks that say of a thread when it lived. */
struct life_quarks {
	histree_quark name, status;
};

static bool is_null(const struct histree_interval *interval)
{
	return interval->value.type == HISTREE_NULL;
}

static enum histree_status parts_lives(struct reading *reading, const struct life_quarks *quarks,
				       const struct histree_interval *name, bool *out, struct histree_error *error)
{
	struct histree_interval does;
	*out = false;
	if (!is_null(name) || !is_inside(reading->info, name))
		return HISTREE_OK;
	enum histree_status status = query_one(reading, quarks->status, name->start, &does, error);
	*out = status == HISTREE_OK && (is_null(&does) || does.value.type == HISTREE_UNKNOWN);
	return status;
}

/* Behind what cannot be read nothing is looked for: it may be as short as a nanosecond, time after time. */
static bool is_damaged(const struct histree_interval *interval)
{
	return interval->value.type == HISTREE_UNKNOWN;
}

/* The beginning of the life that goes on, or is about to begin, at a time. */
static enum histree_status find_beginning(struct reading *reading, const struct life_quarks *quarks,
					  histree_time time, histree_time *from, struct histree_error *error)
{
	struct histree_interval interval = { .start = time + 1, .value = histree_null() };
	enum histree_status status = HISTREE_OK;
	bool is_found = false;
	while (status == HISTREE_OK && !is_found && !is_damaged(&interval) &&
	       interval.start > reading->info->start) {
		status = query_one(reading, quarks->name, interval.start - 1, &interval, error);
		if (status == HISTREE_OK)
			status = parts_lives(reading, quarks, &interval, &is_found, error);
	}
	*from = is_found ? interval.start : reading->info->start;
	return status;
}

/* The end of the life that begins there. */
static enum histree_status find_end(struct reading *reading, const struct life_quarks *quarks, struct life *life,
				    struct histree_error *error)
{
	struct histree_interval interval;
	enum histree_status status = query_one(reading, quarks->name, life->from, &interval, error);
	bool is_found = false;
	while (status == HISTREE_OK && !is_found && !is_damaged(&interval) && interval.end < reading->info->end) {
		status = query_one(reading, quarks->name, interval.end + 1, &interval, error);
		if (status == HISTREE_OK)
			status = parts_lives(reading, quarks, &interval, &is_found, error);
	}
	life->to = is_found ? interval.start - 1 : reading->info->end;
	return status;
}

/* The last state of a life that is not null; else one that is. */
static enum histree_status last_in_life(struct reading *reading, const struct life *life, histree_quark quark,
					struct histree_interval *last, struct histree_error *error)
{
	*last = (struct histree_interval){ .value = histree_null() };
	if (quark == HISTREE_ROOT)
		return HISTREE_OK;
	enum histree_status status = find_last(reading, life->from, quark, life->to, last, error);
	if (status == HISTREE_OK && last->start < life->from && last->end < life->from)
		last->value = histree_null();
	return status;
}

static enum histree_status take_life_name(struct reading *reading, const struct histree_interval *interval,
					  struct histree_thread *thread, struct histree_error *error)
{
	size_t size;
	thread->name = "";
	if (interval->value.type != HISTREE_STRING)
		return HISTREE_OK;
	uint32_t id = intern_add(&reading->list->names, interval->value.bytes, interval->value.size);
	if (id == INTERN_NONE)
		return error_memory(error, "the names of threads");
	thread->name = intern_get(&reading->list->names, id, &size);
	return HISTREE_OK;
}

static enum histree_status take_life_process(struct reading *reading, const struct life *life,
					     const histree_quark *facts, struct histree_thread *thread,
					     struct histree_error *error)
{
	struct histree_interval interval;
	thread->pid = thread->tid;
	thread->has_process = !thread_pids_are_told(reading->info);
	thread->ppid = -1;
	thread->ppid_since = INT64_MIN;
	enum histree_status status = last_in_life(reading, life, facts[THREAD_FACT_PROCESS], &interval, error);
	if (status == HISTREE_OK)
		take_process(&interval, thread);
	if (status == HISTREE_OK && thread->ppid_since != INT64_MIN)
		status = find_parent_since(reading, facts[THREAD_FACT_PROCESS], thread, error);
	if (status == HISTREE_OK)
		status = last_in_life(reading, life, facts[THREAD_FACT_PID], &interval, error);
	if (status == HISTREE_OK && interval.value.type == HISTREE_INT)
		take_pid(thread, interval.value.int32);
	if (status == HISTREE_OK)
		status = last_in_life(reading, life, facts[THREAD_FACT_PPID], &interval, error);
	if (status == HISTREE_OK && interval.value.type == HISTREE_INT) {
		thread->ppid = interval.value.int32;
		thread->ppid_since = interval.start;
	}
	return status;
}

/* When it had a status. */
static enum histree_status take_life_times(struct reading *reading, const struct life *life,
					   struct histree_thread *thread, struct histree_error *error)
{
	struct histree_interval first, last;
	enum histree_status status = query_one(reading, thread->status, life->from, &first, error);
	if (status == HISTREE_OK)
		status = last_in_life(reading, life, thread->status, &last, error);
	if (status != HISTREE_OK)
		return status;
	thread->first = !is_null(&first) ? life->from : first.end < life->to ? first.end + 1 : INT64_MAX;
	thread->last = is_null(&last) ? INT64_MIN : last.end < life->to ? last.end : life->to;
	thread->has_changed = thread->first <= thread->last && last.start > thread->first;
	thread->last_status =
		life->to == reading->info->end && thread->last == life->to && last.value.type == HISTREE_INT
			? last.value.int32
			: -1;
	return HISTREE_OK;
}

/* The lives of the range: the thread of the list is the first of them, and others are added. */
static enum histree_status add_lives(struct reading *reading, size_t index, const histree_quark *facts,
				     struct histree_error *error)
{
	struct thread_list *list = reading->list;
	const struct histree_thread number = list->threads[index];
	const struct life_quarks quarks = { facts[THREAD_FACT_NAME], number.status };
	struct life life = { 0 };
	enum histree_status status = find_beginning(reading, &quarks, reading->from, &life.from, error);
	for (int32_t count = 0; status == HISTREE_OK; count++) {
		status = find_end(reading, &quarks, &life, error);
		if (status != HISTREE_OK || (life.from == number.from && life.to == number.to))
			return status;
		if (count > 0 && (list->count >= UINT32_MAX / OWNER_KINDS - 1 ||
				  !array_reserve(&list->threads, &list->capacity, list->count + 1)))
			return error_memory(error, "the threads");
		struct histree_thread *thread = &list->threads[count == 0 ? index : list->count++];
		*thread = number;
		thread->life = count;
		struct histree_interval name;
		thread->from = life.from;
		thread->to = life.to;
		status = last_in_life(reading, &life, facts[THREAD_FACT_NAME], &name, error);
		if (status == HISTREE_OK)
			status = take_life_name(reading, &name, thread, error);
		if (status == HISTREE_OK)
			status = take_life_process(reading, &life, facts, thread, error);
		status = status == HISTREE_OK ? take_life_times(reading, &life, thread, error) : status;
		if (life.to >= reading->to || life.to == reading->info->end)
			break;
		life.from = life.to + 1;
	}
	return status;
}

static enum histree_status part_lives(struct reading *reading, struct histree_error *error)
{
	const size_t count = reading->list->count;
	enum histree_status status = HISTREE_OK;
	histree_quark(*facts)[OWNER_KINDS] = calloc(count + 1, sizeof(*facts));
	if (facts == NULL)
		return error_memory(error, "the threads");
	for (size_t i = 0; i < count; i++)
		for (int kind = 0; kind < OWNER_KINDS; kind++)
			facts[i][kind] = HISTREE_ROOT;
	for (histree_quark quark = 0; quark < reading->info->attribute_count; quark++)
		if (reading->owners[quark] != NO_OWNER)
			facts[reading->owners[quark] / OWNER_KINDS][reading->owners[quark] % OWNER_KINDS] = quark;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		status = cancel_check(reading->work, i, error);
		if (status == HISTREE_OK && reading->reused[i] && facts[i][THREAD_FACT_NAME] != HISTREE_ROOT)
			status = add_lives(reading, i, facts[i], error);
	}
	free(facts);
	return status;
}

/* ----------------------------------------------------------------------------------------------------------- */

static enum histree_status read_ends(struct reading *reading, struct histree_error *error)
{
	const struct histree_history_info *info = reading->info;
	const histree_time ends[] = { info->start, info->end };
	choose(reading, true);
	enum histree_status status =
		ask(reading, (struct histree_region){ .times = ends, .time_count = 2 }, take_status, error);
	for (size_t i = 0; i < reading->list->count; i++) {
		struct histree_thread *thread = &reading->list->threads[i];
		thread->has_changed =
			thread->first <= thread->last && reading->since[i][THREAD_FACT_STATUS] != thread->first;
	}
	return status;
}

static enum histree_status make_room(struct reading *reading, struct histree_error *error)
{
	size_t count = reading->list->count;
	reading->since = malloc((count + 1) * sizeof(*reading->since));
	reading->reused = calloc(count + 1, sizeof(*reading->reused));
	if (reading->since == NULL || reading->reused == NULL)
		return error_memory(error, "the threads");
	for (size_t i = 0; i < count; i++)
		for (int kind = 0; kind < OWNER_KINDS; kind++)
			reading->since[i][kind] = INT64_MIN;
	return HISTREE_OK;
}

static enum histree_status read_all(struct reading *reading, histree_time from, histree_time to,
				    struct histree_error *error)
{
	struct thread_walk walk;
	enum histree_status status = HISTREE_OK;
	thread_walk_begin(&walk, reading->attributes);
	while (status == HISTREE_OK && thread_walk_next(&walk))
		status = add_thread(reading, &walk, error);
	const size_t count = reading->list->count;
	reading->asked = malloc((count * OWNER_KINDS + 1) * sizeof(*reading->asked));
	reading->asked_names = malloc((reading->names.count + 1) * sizeof(*reading->asked_names));
	if (status == HISTREE_OK && (reading->asked == NULL || reading->asked_names == NULL))
		status = error_memory(error, "the threads");
	if (status == HISTREE_OK)
		status = histree_query_create(reading->history, &reading->query, error);
	from = from > reading->info->start ? from : reading->info->start;
	to = to < reading->info->end ? to : reading->info->end;
	reading->from = is_narrow(reading->info, from, to) ? from : reading->info->start;
	reading->to = is_narrow(reading->info, from, to) ? to : reading->info->end;
	if (status == HISTREE_OK && is_narrow(reading->info, from, to))
		status = keep_who_lived(reading, from, to, error);
	if (status == HISTREE_OK)
		status = make_room(reading, error);
	if (status == HISTREE_OK) {
		const bool are_few = reading->list->count < count / FEW;
		const struct histree_history_info *info = reading->info;
		choose(reading, false);
		status = are_few ? look_up_facts(reading, error) : HISTREE_OK;
		status = status != HISTREE_OK || (are_few && !reading->is_damaged)
				 ? status
				 : ask(reading, (struct histree_region){ .from = info->start, .to = info->end },
				       take_fact, error);
	}
	if (status == HISTREE_OK)
		status = read_ends(reading, error);
	if (status == HISTREE_OK) {
		/* Of the threads that cannot have been made when their pair began. */
		status = HISTREE_OK;
		for (histree_quark quark = 0; quark < reading->info->attribute_count && status == HISTREE_OK;
		     quark++) {
			uint32_t owner = reading->owners[quark];
			if (owner == NO_OWNER || owner % OWNER_KINDS != THREAD_FACT_PROCESS)
				continue;
			struct histree_thread *thread = &reading->list->threads[owner / OWNER_KINDS];
			status = cancel_check(reading->work, quark, error);
			if (status == HISTREE_OK && thread->first < thread->ppid_since)
				status = find_parent_since(reading, quark, thread, error);
		}
	}
	reading->list->number_count = reading->list->count;
	bool are_any = false;
	for (size_t i = 0; i < reading->list->count && status == HISTREE_OK && !are_any; i++)
		are_any = reading->reused[i];
	return are_any ? part_lives(reading, error) : status;
}

/* ---- of a trace of spans ------------------------------------------------------------------------------------ */

/* Processes/<pid>/<tid>, or Threads/<tid> without a process; its state is the name of the thread. */
static enum histree_status add_track(struct reading *reading, histree_quark node, int32_t pid,
				     struct histree_error *error)
{
	struct thread_list *list = reading->list;
	const struct histree_history_info *info = reading->info;
	const int32_t tid = histree_attributes_thread(reading->attributes, node);
	struct histree_interval name;
	if (tid == 0)
		return HISTREE_OK;
	if (!array_reserve(&list->threads, &list->capacity, list->count + 1))
		return error_memory(error, "the threads");
	enum histree_status status = find_last(reading, info->start, node, info->end, &name, error);
	if (status != HISTREE_OK)
		return status;
	struct histree_thread *thread = &list->threads[list->count++];
	*thread = (struct histree_thread){ .node = node,
					   .status = HISTREE_ROOT,
					   .tid = tid,
					   .pid = pid,
					   .has_process = pid != 0,
					   .cpu = -1,
					   .ppid = -1,
					   .ppid_since = INT64_MIN,
					   .last_status = -1,
					   .first = INT64_MAX,
					   .last = INT64_MIN,
					   .from = info->start,
					   .to = info->end };
	return take_life_name(reading, &name, thread, error);
}

/* What is right below an attribute, and a thread. */
static enum histree_status add_tracks(struct reading *reading, histree_quark above, int32_t pid,
				      struct histree_error *error)
{
	const struct histree_attributes *attributes = reading->attributes;
	enum histree_status status = HISTREE_OK;
	for (histree_quark thread = histree_attributes_first_child(attributes, above);
	     thread != HISTREE_ROOT && status == HISTREE_OK;
	     thread = histree_attributes_next_sibling(attributes, thread)) {
		status = cancel_check(reading->work, thread, error);
		if (status == HISTREE_OK)
			status = add_track(reading, thread, pid, error);
	}
	return status;
}

COMPARE(by_pid, struct span_process, BY(pid))

static enum histree_status add_process(struct reading *reading, histree_quark process, int32_t pid,
				       struct histree_error *error)
{
	struct thread_list *list = reading->list;
	const struct histree_history_info *info = reading->info;
	struct histree_interval state;
	struct histree_thread named;
	if (!array_reserve(&list->processes, &list->process_capacity, list->process_count + 1))
		return error_memory(error, "the processes");
	enum histree_status status = find_last(reading, info->start, process, info->end, &state, error);
	if (status == HISTREE_OK)
		status = take_life_name(reading, &state, &named, error);
	if (status == HISTREE_OK)
		list->processes[list->process_count++] = (struct span_process){ pid, named.name };
	return status;
}

static enum histree_status read_tracks(struct reading *reading, struct histree_error *error)
{
	const struct histree_attributes *attributes = reading->attributes;
	histree_quark top, process;
	enum histree_status status = histree_query_create(reading->history, &reading->query, error);
	if (status == HISTREE_OK &&
	    histree_attributes_find(attributes, HISTREE_ROOT, "Threads", &top) == HISTREE_OK)
		status = add_tracks(reading, top, 0, error);
	if (status == HISTREE_OK &&
	    histree_attributes_find(attributes, HISTREE_ROOT, "Processes", &top) == HISTREE_OK)
		for (process = histree_attributes_first_child(attributes, top);
		     process != HISTREE_ROOT && status == HISTREE_OK;
		     process = histree_attributes_next_sibling(attributes, process)) {
			const int32_t pid = attributes_process(attributes, process);
			status = add_process(reading, process, pid, error);
			if (status == HISTREE_OK)
				status = add_tracks(reading, process, pid, error);
		}
	if (reading->list->process_count > 0)
		qsort(reading->list->processes, reading->list->process_count, sizeof(struct span_process), by_pid);
	reading->list->number_count = reading->list->count;
	return status;
}

/* ------------------------------------------------------------------------------------------------------------ */

/* *is_wrong: the file of names has led astray, and what is read is nothing. */
static enum histree_status read_list(struct thread_list *list, struct histree_history *history, histree_time from,
				     histree_time to, struct histree_work work, bool *is_wrong,
				     struct histree_error *error)
{
	struct reading reading = {
		.list = list,
		.history = history,
		.attributes = histree_history_attributes(history),
		.info = histree_history_info(history),
		.work = &work,
	};
	size_t attribute_count = reading.info->attribute_count;
	reading.owners = malloc((attribute_count + 1) * sizeof(*reading.owners));
	if (reading.owners == NULL)
		return error_memory(error, "the threads");
	memset(reading.owners, 0xff, attribute_count * sizeof(*reading.owners)); /* NO_OWNER */
	enum histree_status status = *is_wrong ? HISTREE_OK : thread_names_open(&reading.names, history, error);
	if (status == HISTREE_OK)
		status = strcmp(reading.info->provider, "tracks") == 0 ? read_tracks(&reading, error)
								       : read_all(&reading, from, to, error);
	*is_wrong = reading.names.is_wrong;
	histree_cursor_free(reading.query);
	thread_names_release(&reading.names);
	free(reading.owners);
	free(reading.since);
	free(reading.asked);
	free(reading.asked_names);
	free(reading.ended);
	free(reading.lived);
	free(reading.reused);
	return status;
}

enum histree_status thread_list_read(struct thread_list *list, struct histree_history *history, histree_time from,
				     histree_time to, struct histree_work work, struct histree_error *error)
{
	bool is_wrong = false;
	enum histree_status status = read_list(list, history, from, to, work, &is_wrong, error);
	if (!is_wrong)
		return status;
	list->count = list->number_count = list->process_count = 0;
	return read_list(list, history, from, to, work, &is_wrong, error);
}

static enum histree_status read_name(struct reading *reading, histree_quark node, struct histree_thread *thread,
				     bool *are_several, struct histree_error *error)
{
	struct life life;
	struct life_quarks quarks;
	struct histree_interval last;
	if (histree_attributes_find(reading->attributes, node, thread_fact_name(THREAD_FACT_NAME), &quarks.name) !=
	    HISTREE_OK)
		return HISTREE_OK;
	if (histree_attributes_find(reading->attributes, node, thread_fact_name(THREAD_FACT_STATUS),
				    &quarks.status) != HISTREE_OK)
		quarks.status = node;
	enum histree_status status = histree_query_create(reading->history, &reading->query, error);
	if (status == HISTREE_OK) {
		/*
		 * The life that goes on when the range begins, or is about to; and whether the next one has begun
		 * in it.
		 */
		status = find_beginning(reading, &quarks, reading->from, &life.from, error);
		if (status == HISTREE_OK)
			status = find_end(reading, &quarks, &life, error);
		*are_several = status == HISTREE_OK && life.to < reading->to;
	}
	if (status == HISTREE_OK)
		status = last_in_life(reading, &life, quarks.name, &last, error);
	if (status == HISTREE_OK)
		status = take_life_name(reading, &last, thread, error);
	histree_cursor_free(reading->query);
	return status;
}

enum histree_status thread_list_name(struct histree_history *history, int32_t tid, histree_time from,
				     histree_time to, struct intern *names, const char **out, bool *are_several,
				     struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct thread_list list = { .names = *names };
	struct histree_thread thread = { .name = "" };
	struct reading reading = {
		.list = &list,
		.history = history,
		.attributes = histree_history_attributes(history),
		.info = info,
		.from = from < info->start ? info->start
			: from > info->end ? info->end
					   : from,
		.to = to > info->end ? info->end : to,
	};
	histree_quark node;
	char path[64];
	snprintf(path, sizeof(path), "Threads/%" PRId32, tid);
	*out = "";
	*are_several = false;
	if (histree_attributes_find(reading.attributes, HISTREE_ROOT, path, &node) != HISTREE_OK)
		return HISTREE_OK;
	enum histree_status status = read_name(&reading, node, &thread, are_several, error);
	*names = list.names;
	*out = thread.name;
	return status;
}

void thread_list_release(struct thread_list *list)
{
	free(list->threads);
	free(list->processes);
	intern_release(&list->names);
	*list = (struct thread_list){ 0 };
}
