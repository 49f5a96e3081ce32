// SPDX-License-Identifier: MIT
#include "server/arrows.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "histree/query.h"
#include "server/parameters.h"

/* A time that a thread had the CPU. */
struct stay {
	histree_time start, end;
	int32_t tid;
};

struct arrows {
	struct dataset *dataset; /* held */
	const struct kernel_view *view;
	int64_t (*entry_of)(const void *view, int32_t cpu, int32_t tid);
	struct parameter_times times;
	struct histree_query *query;
	uint32_t resource; /* the next to be looked at */
	struct stay *stays;
	size_t stay_count, stays_capacity;
};

static void arrows_free(void *state)
{
	struct arrows *arrows = state;
	histree_query_free(arrows->query);
	parameter_times_release(&arrows->times);
	dataset_release(arrows->dataset);
	free(arrows->stays);
	free(arrows);
}

static int compare_stays(const void *a, const void *b)
{
	const struct stay *first = a, *second = b;
	return (first->start > second->start) - (first->start < second->start);
}

/*
 * Who had the CPU at each of the times, and in between where the times are so close that nothing can be.  A 2D
 * query over times costs what is seen; one over the range would cost every switch.
 */
static enum histree_status read_stays(struct arrows *arrows, histree_quark quark, struct histree_error *error)
{
	struct parameter_times times =
		parameter_times_within(&arrows->times, arrows->view->start, arrows->view->end);
	struct histree_region region = {
		.quarks = &quark,
		.quark_count = 1,
		.times = times.times,
		.time_count = times.count,
	};
	struct histree_interval interval;
	enum histree_status status = histree_query_start(arrows->query, &region, error);
	arrows->stay_count = 0;
	while (status == HISTREE_OK &&
	       (status = histree_query_next(arrows->query, &interval, error)) == HISTREE_OK) {
		if (interval.value.type != HISTREE_INT)
			continue;
		if (!array_reserve(&arrows->stays, &arrows->stays_capacity, arrows->stay_count + 1))
			return error_memory(error, "arrows");
		arrows->stays[arrows->stay_count++] =
			(struct stay){ interval.start, interval.end, interval.value.int32 };
	}
	if (status != HISTREE_END)
		return status;
	if (arrows->stay_count > 0)
		qsort(arrows->stays, arrows->stay_count, sizeof(*arrows->stays), compare_stays);
	return HISTREE_OK;
}

static void write_arrow(struct arrows *arrows, const struct histree_resource *cpu, const struct stay *from,
			const struct stay *to, struct json_writer *json)
{
	int64_t source = arrows->entry_of(arrows->view, cpu->cpu, from->tid);
	int64_t target = arrows->entry_of(arrows->view, cpu->cpu, to->tid);
	if (source < 0 || target < 0)
		return;
	json_begin_object(json);
	json_int_member(json, "sourceId", source);
	json_int_member(json, "targetId", target);
	json_int_member(json, "start", from->end + 1);
	json_int_member(json, "end", to->start);
	json_end(json);
}

/* The next CPU. */
static enum histree_status arrows_next(void *state, struct json_writer *json, struct histree_error *error)
{
	struct arrows *arrows = state;
	const struct kernel_view *view = arrows->view;
	while (arrows->resource < view->resource_count &&
	       view->resource_list[arrows->resource].kind != HISTREE_RESOURCE_CURRENT_THREAD)
		arrows->resource++;
	if (arrows->resource == view->resource_count)
		return HISTREE_END;
	const struct histree_resource *cpu = &view->resource_list[arrows->resource++];
	enum histree_status status = read_stays(arrows, cpu->quark, error);
	const struct stay *before = NULL;
	for (size_t i = 0; i < arrows->stay_count && status == HISTREE_OK; i++) {
		const struct stay *stay = &arrows->stays[i];
		if (stay->tid == 0)
			continue; /* idle: the arrow goes over it */
		if (before != NULL)
			write_arrow(arrows, cpu, before, stay, json);
		before = stay;
	}
	return status;
}

void arrows_reply(const struct output_call *output, const struct kernel_view *view,
		  int64_t (*entry_of)(const void *view, int32_t cpu, int32_t tid))
{
	struct reply *reply = output->call->reply;
	struct histree_error error = { 0 };
	struct arrows *arrows = calloc(1, sizeof(*arrows));
	if (arrows == NULL) {
		reply_error(reply, HTTP_SERVER_ERROR, "out of memory");
		return;
	}
	arrows->dataset = dataset_hold(output->dataset);
	arrows->view = view;
	arrows->entry_of = entry_of;
	if (!parameters_times(output->call, &arrows->times)) {
		arrows_free(arrows);
		return;
	}
	if (histree_query_create(view->history, &arrows->query, &error) != HISTREE_OK) {
		reply_failure(reply, &error);
		arrows_free(arrows);
		return;
	}
	reply_envelope(reply);
	json_begin_array(&reply->json);
	reply_steps(reply, &(struct reply_steps){ arrows_next, arrows_free, arrows });
}
