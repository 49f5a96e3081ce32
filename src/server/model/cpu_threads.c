// SPDX-License-Identifier: MIT
/*
 * cpu_threads.c - who had the CPUs, for the page and for the protocol: by thread and over time.
 */
#include "server/model/cpu_threads.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/table.h"
#include "server/model/kernel_rows.h"
#include "view/view.h"

/* ---- threads --------------------------------------------------------------------------------------------- */

enum histree_status cpu_threads_put(struct cpu_threads *threads, const struct cpu_thread *one,
				    struct histree_error *error)
{
	if (!array_reserve(&threads->list, &threads->capacity, threads->count + 1))
		return error_memory(error, "the threads");
	threads->list[threads->count++] = *one;
	return HISTREE_OK;
}

void cpu_threads_release(struct cpu_threads *threads)
{
	free(threads->list);
}

int cpu_threads_compare(const void *one, const void *other)
{
	const struct cpu_thread *a = one, *b = other;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	const struct kernel_threads *threads = a->host->view;
	const struct histree_thread *first = &threads->list[a->own], *second = &threads->list[b->own];
	if (first->tid != second->tid)
		return first->tid < second->tid ? -1 : 1;
	return (first->life > second->life) - (first->life < second->life);
}

/* A line for each thread that ran, also for each of those that had one number. */
static enum histree_status add_times(struct cpu_threads *threads, const struct host_view *host,
				     const struct histree_cpu_usage *usage, struct histree_error *error)
{
	size_t count;
	const struct kernel_threads *known = host->view;
	const size_t first = threads->count;
	const struct histree_cpu_time *times = histree_cpu_usage_times(usage, &count);
	for (size_t i = 0; i < count; i++)
		threads->total += times[i].ns;
	int64_t *ns = calloc((size_t)known->count + 1, sizeof(*ns));
	if (ns == NULL)
		return error_memory(error, "the threads");
	enum histree_status status = histree_cpu_usage_by_thread(usage, known->flow, ns, error);
	for (uint32_t i = 0; i < known->count && status == HISTREE_OK; i++)
		if (ns[i] > 0)
			status = cpu_threads_put(threads, &(struct cpu_thread){ host, i, ns[i] }, error);
	free(ns);
	if (threads->count > first)
		qsort(threads->list + first, threads->count - first, sizeof(*threads->list), cpu_threads_compare);
	return status;
}

enum histree_status cpu_threads_add(struct cpu_threads *threads, const struct host_view *host, histree_time from,
				    histree_time to, struct histree_work work, struct histree_error *error)
{
	struct histree_cpu_usage *usage = NULL;
	if (host->view == NULL)
		return HISTREE_OK;
	const struct kernel_view *view = ((const struct kernel_threads *)host->view)->kernel;
	struct histree_cpu_usage_request request = {
		.from = from > view->start ? from : view->start,
		.to = to < view->end ? to : view->end,
		.pixels = 1,
		.work = work,
	};
	if (request.from > request.to)
		return HISTREE_OK;
	enum histree_status status = histree_cpu_usage_create(view->history, &request, &usage, error);
	if (status == HISTREE_OK)
		status = add_times(threads, host, usage, error);
	if (status == HISTREE_OK) {
		const double width = (double)(request.to - request.from) + 1;
		threads->unknown += (int64_t)(histree_cpu_usage_unknown(usage)[0] / 100 * width + 0.5);
	}
	histree_cpu_usage_free(usage);
	return status;
}

void cpu_thread_name(const struct cpu_thread *thread, struct byte_buffer *name)
{
	if (thread->host->name != NULL)
		byte_buffer_put_chars(name, thread->host->name);
	if (thread->own == HISTREE_NO_INDEX)
		return;
	const struct kernel_threads *threads = thread->host->view;
	const struct histree_thread *known = &threads->list[thread->own];
	byte_buffer_format(name, "%s%s (%d)", thread->host->name != NULL ? " " : "", known->name, known->tid);
}

/* ---- curves ---------------------------------------------------------------------------------------------- */

static void add_up(double *sum, const double *more, uint32_t pixels)
{
	for (uint32_t i = 0; i < pixels; i++)
		sum[i] += more[i];
}

/* Returns whether the answer needs what a host did. */
static bool is_needed(const struct cpu_curves *curves, const struct host_view *host, bool with_all)
{
	bool is_needed = with_all || host->name == NULL;
	for (size_t i = 0; i < curves->count && !is_needed; i++)
		is_needed = curves->chosen[i].host == host;
	return is_needed && host->view != NULL;
}

enum histree_status cpu_curves_add(struct cpu_curves *curves, const struct host_view *host, bool with_all,
				   struct histree_work work, struct histree_error *error)
{
	size_t of_thread[CPU_CURVES_MAX];
	int32_t tids[CPU_CURVES_MAX];
	struct histree_row_life lives[CPU_CURVES_MAX];
	struct histree_cpu_usage *usage = NULL;
	assert(curves->count <= CPU_CURVES_MAX);
	if (!is_needed(curves, host, with_all))
		return HISTREE_OK;
	const struct kernel_threads *threads = host->view;
	struct histree_cpu_usage_request request = {
		.from = curves->from,
		.to = curves->to,
		.pixels = curves->pixels,
		.tids = tids,
		.lives = lives,
		.work = work,
	};
	for (size_t i = 0; i < curves->count; i++) {
		if (curves->chosen[i].host != host || curves->chosen[i].own == HISTREE_NO_INDEX)
			continue;
		const struct histree_thread *thread = &threads->list[curves->chosen[i].own];
		tids[request.tid_count] = thread->tid;
		lives[request.tid_count] = (struct histree_row_life){ thread->from, thread->to };
		of_thread[request.tid_count++] = i;
	}
	request.no_times = request.tid_count == 0;
	enum histree_status status = histree_cpu_usage_create(threads->kernel->history, &request, &usage, error);
	if (status != HISTREE_OK)
		return status;
	const double *all = histree_cpu_usage_curve(usage, HISTREE_NO_INDEX);
	add_up(curves->total, all, curves->pixels);
	add_up(curves->unknown, histree_cpu_usage_unknown(usage), curves->pixels);
	for (uint32_t i = 0; i < request.tid_count; i++)
		add_up(curves->values + of_thread[i] * curves->pixels, histree_cpu_usage_curve(usage, i),
		       curves->pixels);
	for (size_t i = 0; i < curves->count; i++)
		if (curves->chosen[i].host == host && curves->chosen[i].own == HISTREE_NO_INDEX)
			add_up(curves->values + i * curves->pixels, all, curves->pixels);
	histree_cpu_usage_free(usage);
	return HISTREE_OK;
}

void cpu_curves_others(const struct cpu_curves *curves, double *out)
{
	for (uint32_t k = 0; k < curves->pixels; k++) {
		out[k] = curves->total[k];
		for (size_t i = 0; i < curves->count; i++)
			if (curves->chosen[i].own != HISTREE_NO_INDEX)
				out[k] -= curves->values[i * curves->pixels + k];
		out[k] = out[k] > 0 ? out[k] : 0; /* of sums of fractions, which round */
	}
}

uint32_t cpu_count(const struct host_rows *rows)
{
	uint32_t count = 0;
	for (size_t i = 0; i < rows->host_count; i++) {
		const struct kernel_threads *threads = rows->hosts[i].view;
		for (uint32_t k = 0; threads != NULL && k < threads->kernel->resource_count; k++)
			count += threads->kernel->resource_list[k].kind == HISTREE_RESOURCE_CURRENT_THREAD;
	}
	return count;
}
