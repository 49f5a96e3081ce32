/* SPDX-License-Identifier: MIT */
/*
 * build_lanes.h - the analyses of a build, on one lane or several that look at the same events.
 *
 * Analyses that share an input (analysis_inputs.h) are on one lane, or have an input each.  The first lane is the
 * building thread's: it has all histories, which are published together.  The others have those that make segments:
 * tasks of a crew, which take their events from a feed; without a feed there is one lane.
 */
#ifndef PIPELINE_BUILD_BUILD_LANES_H
#define PIPELINE_BUILD_BUILD_LANES_H

#include <stdatomic.h>

#include "analysis/class_table.h"
#include "pipeline/build/analysis_job.h"
#include "trace/event_feed.h"

/* Of the jobs of a lane, one bit each; what comes after them wants all. */
enum { LANE_CHOOSERS_MAX = 64 };

struct build_lane {
	struct analysis_inputs inputs;
	struct analysis_job **jobs;
	size_t job_count;
	bool has_choosers;         /* some do not want all classes */
	struct class_table wanted; /* by whom: uint64_t */
	struct event_feed *feed;
	unsigned reader;
	struct crew_task task;
	enum histree_status status;
	struct histree_error error;
	_Atomic bool *has_failed; /* of the lanes */
};

/* Zeroed ones are none. */
struct build_lanes {
	struct build_lane *lanes;
	size_t count;
	struct analysis_job **jobs; /* of all lanes */
	_Atomic bool has_failed;    /* one but the first */
};

/* Give each job a lane, so many lanes at most.  The jobs stay where they are. */
enum histree_status build_lanes_plan(struct build_lanes *lanes, struct analysis_job *jobs, size_t job_count,
				     size_t lanes_max, struct table_space *tables,
				     const struct symbol_places *symbols, struct histree_error *error);

/* Returns the inputs of the lane of a job. */
struct analysis_inputs *build_lanes_inputs(struct build_lanes *lanes, const struct analysis_job *job);

/* Have the lanes but the first read from a feed, of which the caller has its first batch. */
void build_lanes_start(struct build_lanes *lanes, struct event_feed *feed);

/* Hand an event to the analyses of the first lane. */
enum histree_status build_lanes_handle(struct build_lanes *lanes, const struct event *event,
				       struct histree_error *error);

/* Wait until all lanes have come to the end of the feed.  Returns what the first of them failed with. */
enum histree_status build_lanes_join(struct build_lanes *lanes, struct histree_error *error);

/* The analyses are freed before, and the lanes were waited for. */
void build_lanes_release(struct build_lanes *lanes);

#endif
