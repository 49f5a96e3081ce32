/* SPDX-License-Identifier: MIT */
/*
 * analysis.h - hands events and gaps to one analysis as a build does: through its input.
 *
 * A gap is an event with `gap` set.
 */
#ifndef SUPPORT_ANALYSIS_FEED_H
#define SUPPORT_ANALYSIS_FEED_H

#include "analysis/analysis.h"

static inline enum histree_status feed_create(struct analysis_inputs *inputs, const struct analysis *analysis,
					      struct histree_state_system *system, void **instance,
					      struct histree_error *error)
{
	void *input;
	enum histree_status status = analysis_inputs_get(inputs, analysis->input, &input, error);
	return status == HISTREE_OK ? analysis->create(analysis, system, input, instance, error) : status;
}

static inline enum histree_status feed_event(const struct analysis_inputs *inputs, const struct analysis *analysis,
					     void *instance, const struct event *event, struct histree_error *error)
{
	enum histree_status status = analysis_inputs_begin(inputs, event, error);
	if (status == HISTREE_OK && event->gap == NULL)
		status = analysis->event(instance, event, error);
	else if (status == HISTREE_OK && analysis->gap != NULL)
		status = analysis->gap(instance, event->gap, error);
	return status == HISTREE_OK ? analysis_inputs_end(inputs, error) : status;
}

static inline enum histree_status feed_segments_create(struct analysis_inputs *inputs,
						       const struct segment_analysis *analysis,
						       struct histree_segment_store *store, void **instance,
						       struct histree_error *error)
{
	void *input;
	enum histree_status status = analysis_inputs_get(inputs, analysis->input, &input, error);
	return status == HISTREE_OK ? segment_analysis_create(analysis, store, input, instance, error) : status;
}

/* Several analyses may share the inputs: all of them see the event before it ends. */
static inline enum histree_status feed_segments_event(const struct analysis_inputs *inputs,
						      const struct segment_analysis *const *analyses,
						      void *const *instances, size_t count,
						      const struct event *event, struct histree_error *error)
{
	enum histree_status status = analysis_inputs_begin(inputs, event, error);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		if (event->gap == NULL && analyses[i]->event != NULL)
			status = analyses[i]->event(instances[i], event, error);
		else if (event->gap != NULL && analyses[i]->gap != NULL)
			status = analyses[i]->gap(instances[i], event->gap, error);
	}
	return status == HISTREE_OK ? analysis_inputs_end(inputs, error) : status;
}

#endif
