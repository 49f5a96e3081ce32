// SPDX-License-Identifier: MIT
#include "server/model/kernel_threads.h"

#include <stdlib.h>

#include "base/error.h"

static bool is_wanted(void *context)
{
	return dataset_is_wanted(context);
}

enum histree_status kernel_threads_make(struct dataset *dataset, void **out, struct histree_error *error)
{
	void *kernel;
	*out = NULL;
	enum histree_status status = dataset_view(dataset, kernel_view_make, kernel_view_free, &kernel, error);
	if (status != HISTREE_OK)
		return status;
	struct kernel_threads *threads = calloc(1, sizeof(*threads));
	if (threads == NULL)
		return error_memory(error, "the tree of threads");
	pthread_mutex_init(&threads->cpu_lock, NULL);
	threads->kernel = kernel;
	const struct histree_cancel cancel = { is_wanted, dataset };
	status = histree_control_flow_create(threads->kernel->history, cancel, &threads->flow, error);
	if (status != HISTREE_OK) {
		kernel_threads_free(threads);
		return status;
	}
	threads->list = histree_control_flow_threads(threads->flow, &threads->count);
	threads->kernel->threads = threads;
	*out = threads;
	return HISTREE_OK;
}

void kernel_threads_free(void *context)
{
	struct kernel_threads *threads = context;
	free(threads->cpu_ns);
	pthread_mutex_destroy(&threads->cpu_lock);
	histree_control_flow_free(threads->flow);
	free(threads);
}

/* ---- CPU times --------------------------------------------------------------------------------------- */

static enum histree_status add_up(const struct kernel_threads *threads, int64_t *cpu_ns,
				  struct histree_error *error)
{
	const struct kernel_view *kernel = threads->kernel;
	struct histree_cpu_usage_request request = { .from = kernel->start, .to = kernel->end, .pixels = 1 };
	struct histree_cpu_usage *usage;
	size_t count;
	enum histree_status status = histree_cpu_usage_create(kernel->history, &request, &usage, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_cpu_time *times = histree_cpu_usage_times(usage, &count);
	for (size_t i = 0; i < count; i++) {
		uint32_t thread = histree_control_flow_find(threads->flow, times[i].tid, -1);
		if (thread != HISTREE_NO_INDEX)
			cpu_ns[thread] = times[i].ns;
	}
	histree_cpu_usage_free(usage);
	return HISTREE_OK;
}

enum histree_status kernel_threads_add_up_cpu(struct kernel_threads *threads, struct histree_error *error)
{
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

int64_t kernel_threads_cpu_ns(const struct kernel_threads *threads, uint32_t thread)
{
	const int64_t *cpu_ns = threads->cpu_ns;
	return cpu_ns != NULL ? cpu_ns[thread] : -1;
}
