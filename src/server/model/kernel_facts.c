// SPDX-License-Identifier: MIT
#include "server/model/kernel_facts.h"

#include "server/model/kernel_threads.h"

static const struct histree_thread *thread_of(const struct fact_request *request)
{
	const struct kernel_threads *threads = request->view;
	return &threads->list[request->row];
}

static const struct histree_resource *resource_of(const struct fact_request *request)
{
	const struct kernel_view *view = request->view;
	return &view->resource_list[request->row];
}

static struct histree_value known_number(int32_t number)
{
	return number >= 0 ? histree_int(number) : histree_null();
}

/* ---- threads --------------------------------------------------------------------------------------------- */

static struct histree_value tid(const struct fact_request *request)
{
	return known_number(thread_of(request)->tid);
}

static struct histree_value pid(const struct fact_request *request)
{
	return known_number(thread_of(request)->pid);
}

static struct histree_value ppid(const struct fact_request *request)
{
	return known_number(thread_of(request)->ppid);
}

static struct histree_value program(const struct fact_request *request)
{
	return histree_string(thread_of(request)->name);
}

static struct histree_value of_thread(const struct fact_request *request, const char *attribute)
{
	const struct kernel_threads *threads = request->view;
	struct histree_place place;
	if (!histree_thread_place(histree_history_attributes(threads->kernel->history), thread_of(request)->node,
				  attribute, &place))
		return histree_null();
	struct histree_value value = state_fact_attribute(request, place.quark);
	return histree_value_part(&value, place.part);
}

static struct histree_value cpu(const struct fact_request *request)
{
	return of_thread(request, "Current_cpu_rq");
}

static struct histree_value system_call(const struct fact_request *request)
{
	return of_thread(request, "System_call");
}

static struct histree_value priority(const struct fact_request *request)
{
	return of_thread(request, "Prio");
}

const struct state_fact kernel_thread_facts[] = {
	{ "TID", tid },           { "PID", pid }, { "PTID", ppid },
	{ "Exec_Name", program }, { "CPU", cpu }, { "System call", system_call },
	{ "Priority", priority }, { 0 },
};

/* ---- resources ------------------------------------------------------------------------------------------- */

static struct histree_value resource_cpu(const struct fact_request *request)
{
	return known_number(resource_of(request)->cpu);
}

static struct histree_value resource_name(const struct fact_request *request)
{
	return histree_string(resource_of(request)->name);
}

/* The tid of the thread that had the CPU. */
static struct histree_value resource_tid(const struct fact_request *request)
{
	const struct kernel_view *view = request->view;
	const struct histree_resource *asked = resource_of(request);
	for (uint32_t i = 0; asked->cpu >= 0 && i < view->resource_count; i++) {
		const struct histree_resource *resource = &view->resource_list[i];
		if (resource->kind == HISTREE_RESOURCE_CURRENT_THREAD && resource->cpu == asked->cpu)
			return state_fact_attribute(request, resource->quark);
	}
	return histree_null();
}

const struct state_fact kernel_resource_facts[] = {
	{ "CPU", resource_cpu },
	{ "Resource", resource_name },
	{ "TID", resource_tid },
	{ 0 },
};
