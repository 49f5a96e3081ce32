// SPDX-License-Identifier: MIT
/*
 * vocabulary.c - the words for samples and tracks, as tables.
 */
#include "event/vocabulary.h"

#include <stdint.h>

/* ---- sample vocabulary --------------------------------------------------------------------------------------- */

const char *const sample_field_names[SAMPLE_FIELD_COUNT] = {
	[SAMPLE_STACK] = "sample_stack", [SAMPLE_WEIGHT] = "sample_weight",   [SAMPLE_PID] = "sample_pid",
	[SAMPLE_TID] = "sample_tid",     [SAMPLE_PROCESS] = "sample_process", [SAMPLE_THREAD] = "sample_thread",
};

/* ---- track vocabulary ---------------------------------------------------------------------------------------- */

const char *const track_class_names[TRACK_CLASS_COUNT] = {
	[TRACK_SPAN_BEGIN] = "span_begin",
	[TRACK_SPAN_END] = "span_end",
	[TRACK_SPAN] = "span",
	[TRACK_INSTANT] = "instant",
	[TRACK_COUNTER] = "counter",
	[TRACK_FLOW_BEGIN] = "flow_begin",
	[TRACK_FLOW_STEP] = "flow_step",
	[TRACK_FLOW_END] = "flow_end",
	[TRACK_PROCESS_NAME] = "process_name",
	[TRACK_THREAD_NAME] = "thread_name",
	[TRACK_TRACK_NAME] = "track_name",
};

const char *const track_field_names[TRACK_FIELD_COUNT] = {
	[TRACK_NAME] = "name",
	[TRACK_CATEGORY] = "category",
	[TRACK_PID] = "pid",
	[TRACK_TID] = "tid",
	[TRACK_TRACK] = "track",
	[TRACK_ID] = "id",
	[TRACK_DURATION] = "duration",
	[TRACK_THREAD_DURATION] = "thread_duration",
	[TRACK_THREAD_TIME] = "thread_time",
	[TRACK_SERIES] = "series",
	[TRACK_VALUE] = "value",
	[TRACK_SORT_INDEX] = "sort_index",
	[TRACK_ARGS] = "args",
};
