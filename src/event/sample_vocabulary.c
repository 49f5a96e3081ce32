// SPDX-License-Identifier: MIT
#include "event/sample_vocabulary.h"

const char *const sample_field_names[SAMPLE_FIELD_COUNT] = {
	[SAMPLE_STACK] = "sample_stack", [SAMPLE_WEIGHT] = "sample_weight",   [SAMPLE_PID] = "sample_pid",
	[SAMPLE_TID] = "sample_tid",     [SAMPLE_PROCESS] = "sample_process", [SAMPLE_THREAD] = "sample_thread",
};
