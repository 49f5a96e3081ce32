// SPDX-License-Identifier: MIT
/*
 * thread_facts.c - the threads of a history by host, number and time; and what they are in an expression.
 */
#include "query/thread_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "histree/states.h"
#include "query/thread_pieces.h"

const char *const thread_field_names[THREAD_FIELDS] = { "thread", "process", "name" };

/* A host, or all that there is. */
struct thread_facts_of_host {
	struct thread_list list;
	const struct histree_thread **sorted; /* by number, then time; NULL: nothing is known */
};

/* ---- reading --------------------------------------------------------------------------------------------- */

/* The part of a history that is of a host; NULL: it has none.  Without a name, it is the one host. */
static struct histree_history *part_of_host(struct histree_history *history, const char *host, size_t asked)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	if (hosts == NULL)
		return asked == 1 ? history : NULL;
	for (size_t i = 0; i < count && host != NULL; i++)
		if (strcmp(hosts[i].name, host) == 0)
			return hosts[i].history;
	return NULL;
}

/* A history names its threads, or none of them. */
static bool names_threads(const struct histree_history *history)
{
	struct thread_walk walk;
	bool has_names = histree_thread_analysis_names(histree_history_info(history)->provider);
	thread_walk_begin(&walk, histree_history_attributes(history));
	while (!has_names && thread_walk_next(&walk))
		has_names = thread_walk_quark(&walk, THREAD_FACT_NAME) != HISTREE_ROOT;
	return has_names;
}

bool thread_facts_are_in(const struct histree_history *history)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	if (hosts == NULL)
		return names_threads(history);
	for (size_t i = 0; i < count; i++)
		if (hosts[i].history != NULL && names_threads(hosts[i].history))
			return true;
	return false;
}

/* Last, as all threads of a trace of spans begin with it, by process. */
COMPARE_POINTERS(by_number_and_time, struct histree_thread, BY(tid) BY(from) BY(pid))

static enum histree_status read_host(struct thread_facts_of_host *host, struct histree_history *history,
				     struct histree_work work, struct histree_error *error)
{
	if (history == NULL || !names_threads(history))
		return HISTREE_OK;
	enum histree_status status = thread_list_read(&host->list, history, INT64_MIN, INT64_MAX, work, error);
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

enum histree_status thread_facts_read(struct thread_facts *facts, struct histree_history *history,
				      const char *const *names, size_t stride, size_t host_count,
				      struct histree_work work, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	const size_t count = names != NULL ? host_count : 1;
	*facts = (struct thread_facts){ .hosts = calloc(count + 1, sizeof(*facts->hosts)), .host_count = count };
	if (facts->hosts == NULL)
		return error_memory(error, "the threads");
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		const char *name = names != NULL ? *(const char *const *)((const char *)names + i * stride) : NULL;
		status = read_host(&facts->hosts[i], part_of_host(history, name, count), work, error);
	}
	return status;
}

void thread_facts_release(struct thread_facts *facts)
{
	for (size_t i = 0; i < facts->host_count && facts->hosts != NULL; i++) {
		thread_list_release(&facts->hosts[i].list);
		free(facts->hosts[i].sorted);
	}
	free(facts->hosts);
	*facts = (struct thread_facts){ 0 };
}

/* ---- finding --------------------------------------------------------------------------------------------- */

size_t thread_facts_of(const struct thread_facts *facts, const struct thread_owner *owner,
		       const struct histree_thread *const **threads)
{
	const struct thread_facts_of_host *host =
		facts->hosts != NULL && owner->host < facts->host_count ? &facts->hosts[owner->host] : NULL;
	if (host == NULL || host->sorted == NULL || owner->tid == 0)
		return 0;
	const size_t count = host->list.count;
	size_t first = SEARCH(i, 0, count, host->sorted[i]->tid < owner->tid);
	size_t behind = SEARCH(i, first, count, host->sorted[i]->tid <= owner->tid);
	if (owner->is_of_spans) {
		first = SEARCH(i, first, behind, host->sorted[i]->pid < owner->pid);
		behind = SEARCH(i, first, behind, host->sorted[i]->pid <= owner->pid);
	}
	*threads = (const struct histree_thread *const *)&host->sorted[first];
	return behind - first;
}

const struct histree_thread *thread_facts_find(const struct thread_facts *facts, const struct thread_owner *owner,
					       histree_time time)
{
	const struct histree_thread *const *threads = NULL;
	const size_t count = thread_facts_of(facts, owner, &threads);
	const size_t after = SEARCH(i, 0, count, threads[i]->from <= time);
	return count == 0 ? NULL : threads[after > 0 ? after - 1 : 0];
}

/* ---- in expressions -------------------------------------------------------------------------------------- */

static struct histree_value name_of(const struct histree_thread *thread)
{
	return thread != NULL && *thread->name != '\0' ? histree_string(thread->name) : histree_null();
}

/* What a trace of spans calls a process, which need not have threads. */
static struct histree_value name_of_span_process(const struct thread_facts *facts, const struct thread_owner *owner)
{
	if (facts->hosts == NULL || owner->host >= facts->host_count)
		return histree_null();
	const struct thread_list *list = &facts->hosts[owner->host].list;
	const size_t at = SEARCH(i, 0, list->process_count, list->processes[i].pid < owner->pid);
	const bool is_known = at < list->process_count && list->processes[at].pid == owner->pid;
	return is_known && *list->processes[at].name != '\0' ? histree_string(list->processes[at].name)
							     : histree_null();
}

/* A process is called what its first thread is, whose number it has. */
static struct histree_value name_of_process(const struct thread_facts *facts, const struct thread_owner *owner,
					    const struct histree_thread *thread, histree_time time)
{
	const struct thread_owner first = { .host = owner->host, .tid = thread != NULL ? thread->pid : 0 };
	if (owner->is_of_spans && owner->pid != 0)
		return name_of_span_process(facts, owner);
	if (thread == NULL || !thread->has_process || owner->is_of_spans)
		return histree_null();
	return name_of(thread->pid == thread->tid ? thread : thread_facts_find(facts, &first, time));
}

void thread_facts_fill(const struct thread_facts *facts, const struct thread_owner *owner,
		       const struct histree_thread *thread, histree_time time, struct histree_value *values,
		       struct histree_value *others)
{
	values[THREAD_FIELD_THREAD] = owner->tid != 0 ? histree_int(owner->tid) : histree_null();
	values[THREAD_FIELD_PROCESS] = owner->is_of_spans && owner->pid != 0   ? histree_int(owner->pid)
				       : thread != NULL && thread->has_process ? histree_int(thread->pid)
									       : histree_null();
	values[THREAD_FIELD_NAME] = name_of(thread);
	if (others == NULL)
		return;
	others[THREAD_FIELD_THREAD] = values[THREAD_FIELD_NAME];
	others[THREAD_FIELD_PROCESS] = name_of_process(facts, owner, thread, time);
	others[THREAD_FIELD_NAME] = histree_null();
}

/* The number of a thread is known without them. */
bool thread_facts_are_named(const struct histree_filter *filter, const size_t fields[THREAD_FIELDS])
{
	for (size_t i = 0; i < filter->test_count; i++) {
		const size_t field = filter->tests[i].field;
		if (field == FILTER_ANY_FIELD) /* a text that is looked for everywhere is not of threads */
			continue;
		if (field == fields[THREAD_FIELD_PROCESS] || field == fields[THREAD_FIELD_NAME])
			return true;
	}
	return fields[THREAD_FIELD_THREAD] != SIZE_MAX && filter_compares_text(filter, fields[THREAD_FIELD_THREAD]);
}
