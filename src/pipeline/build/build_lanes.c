// SPDX-License-Identifier: MIT
#include "pipeline/build/build_lanes.h"

#include <stdlib.h>

#include "base/error.h"

/* ---- who has what ----------------------------------------------------------------------------------------- */

/* Those on the first lane: histories, and what goes by what a history's analysis does. */
static bool is_first(const struct analysis_job *job)
{
	const struct analysis_input_kind *input = registry_input(job->entry);
	return analysis_job_makes_history(job) || (input != NULL && input->is_one);
}

static size_t count_segments(const struct analysis_job *jobs, size_t job_count)
{
	size_t count = 0;
	for (size_t i = 0; i < job_count; i++)
		count += !is_first(&jobs[i]);
	return count;
}

static size_t lane_of(const struct analysis_job *job, size_t segments_before, size_t lane_count, bool has_history)
{
	if (lane_count == 1 || is_first(job))
		return 0;
	return has_history ? 1 + segments_before % (lane_count - 1) : segments_before % lane_count;
}

static void add_job(struct build_lane *lane, struct analysis_job *job)
{
	const struct segment_analysis *segments = job->entry->segments;
	lane->has_choosers |= segments != NULL && segments->wants != NULL;
	lane->jobs[lane->job_count++] = job;
}

enum histree_status build_lanes_plan(struct build_lanes *lanes, struct analysis_job *jobs, size_t job_count,
				     size_t lanes_max, struct table_space *tables,
				     const struct symbol_places *symbols, struct histree_error *error)
{
	size_t segments = count_segments(jobs, job_count), most = segments + (segments < job_count);
	size_t count = lanes_max < most ? lanes_max : most;
	count = count > FEED_READERS_MAX ? FEED_READERS_MAX : count == 0 ? 1 : count;
	lanes->lanes = calloc(count, sizeof(*lanes->lanes));
	lanes->jobs = calloc(job_count + 1, sizeof(struct analysis_job *));
	if (lanes->lanes == NULL || lanes->jobs == NULL)
		return error_memory(error, "the analyses");
	lanes->count = count;
	struct analysis_job **next = lanes->jobs;
	for (size_t number = 0; number < count; number++) {
		struct build_lane *lane = &lanes->lanes[number];
		*lane = (struct build_lane){ .jobs = next, .has_failed = &lanes->has_failed };
		lane->inputs.tables = tables;
		lane->inputs.symbols = symbols;
		for (size_t i = 0, before = 0; i < job_count; i++) {
			if (lane_of(&jobs[i], before, count, segments < job_count) == number)
				add_job(lane, &jobs[i]);
			before += !is_first(&jobs[i]);
		}
		next += lane->job_count;
	}
	return HISTREE_OK;
}

struct analysis_inputs *build_lanes_inputs(struct build_lanes *lanes, const struct analysis_job *job)
{
	for (size_t number = 0; number < lanes->count; number++)
		for (size_t i = 0; i < lanes->lanes[number].job_count; i++)
			if (lanes->lanes[number].jobs[i] == job)
				return &lanes->lanes[number].inputs;
	return &lanes->lanes[0].inputs;
}

/* ---- events ----------------------------------------------------------------------------------------------- */

/* Returns NULL when memory is out. */
static const uint64_t *ask_who_wants(struct build_lane *lane, const struct event_class *class)
{
	uint64_t wanted = 0;
	for (size_t i = 0; i < lane->job_count && i < LANE_CHOOSERS_MAX; i++)
		wanted |= (uint64_t)analysis_job_wants(lane->jobs[i], class) << i;
	return class_table_add(&lane->wanted, class, &wanted, sizeof(wanted));
}

__attribute__((noinline)) static enum histree_status
handle_wanted(struct build_lane *lane, const struct event *event, struct histree_error *error)
{
	const uint64_t *wanted = class_table_find(&lane->wanted, event->class);
	if (wanted == NULL)
		wanted = ask_who_wants(lane, event->class);
	if (wanted == NULL)
		return error_memory(error, "classes of events");
	enum histree_status status = analysis_inputs_begin(&lane->inputs, event, error);
	for (size_t i = 0; i < lane->job_count && status == HISTREE_OK; i++)
		if (i >= LANE_CHOOSERS_MAX || (*wanted >> i & 1) != 0)
			status = analysis_job_handle(lane->jobs[i], event, error);
	return status == HISTREE_OK ? analysis_inputs_end(&lane->inputs, error) : status;
}

static inline enum histree_status handle(struct build_lane *lane, const struct event *event,
					 struct histree_error *error)
{
	if (lane->has_choosers && event->gap == NULL) /* which is for all */
		return handle_wanted(lane, event, error);
	enum histree_status status = analysis_inputs_begin(&lane->inputs, event, error);
	for (size_t i = 0; i < lane->job_count && status == HISTREE_OK; i++)
		status = analysis_job_handle(lane->jobs[i], event, error);
	return status == HISTREE_OK ? analysis_inputs_end(&lane->inputs, error) : status;
}

enum histree_status build_lanes_handle(struct build_lanes *lanes, const struct event *event,
				       struct histree_error *error)
{
	return handle(&lanes->lanes[0], event, error);
}

/*
 * A step: the next batch.  After a failure batches go by, until the building thread, which is told of it, stops the
 * feed.
 */
static bool handle_next(void *context)
{
	struct build_lane *lane = context;
	const struct event_batch *batch = event_feed_look(lane->feed, lane->reader);
	if (batch == NULL)
		return false;
	for (size_t i = 0; i < batch->kept.count && lane->status == HISTREE_OK; i++)
		lane->status = handle(lane, &batch->kept.events[i], &lane->error);
	if (lane->status != HISTREE_OK)
		atomic_store(lane->has_failed, true);
	return event_feed_return(lane->feed, lane->reader);
}

/* What an analysis knows does not depend on who shares its input. */
static void learn_alike(struct build_lanes *lanes)
{
	for (size_t i = 0; i < lanes->count; i++)
		for (size_t other = 0; other < lanes->count; other++)
			analysis_inputs_learn_as(&lanes->lanes[i].inputs, &lanes->lanes[other].inputs);
}

void build_lanes_start(struct build_lanes *lanes, struct event_feed *feed)
{
	learn_alike(lanes);
	for (size_t i = 1; i < lanes->count; i++) {
		struct build_lane *lane = &lanes->lanes[i];
		lane->feed = feed;
		lane->task = (struct crew_task){ .step = handle_next, .context = lane };
		event_feed_add_reader(feed, &lane->task, &lane->reader);
	}
}

enum histree_status build_lanes_join(struct build_lanes *lanes, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 1; i < lanes->count; i++) {
		struct build_lane *lane = &lanes->lanes[i];
		if (lane->feed != NULL)
			event_feed_join(lane->feed, &lane->task);
		if (status == HISTREE_OK && lane->status != HISTREE_OK)
			status = error_set(error, lane->status, "%s", lane->error.message);
	}
	return status;
}

void build_lanes_release(struct build_lanes *lanes)
{
	for (size_t i = 0; i < lanes->count; i++) {
		analysis_inputs_release(&lanes->lanes[i].inputs);
		class_table_release(&lanes->lanes[i].wanted);
	}
	free(lanes->lanes);
	free(lanes->jobs);
	lanes->lanes = NULL;
	lanes->jobs = NULL;
	lanes->count = 0;
}
