/* SPDX-License-Identifier: MIT */
/*
 * sample_input.h - the input of analyses of samples (docs/design/0084-samples.md): which stack each one has.
 *
 * A recording of perf says of a sample who ran and at which addresses; which binaries lie there the events before
 * say (sample_processes.h), which functions these are their symbols (frame_names.h).  A stack is a node of one
 * tree.  Of other recorders, samples have functions by name (event/sample_vocabulary.h).
 *
 * Of the kernel, addresses have names if a table of its symbols was given; else all of it is one frame, "[kernel]".
 */
#ifndef ANALYSIS_SAMPLES_SAMPLE_INPUT_H
#define ANALYSIS_SAMPLES_SAMPLE_INPUT_H

#include "analysis/analysis_inputs.h"
#include "analysis/samples/named_stacks.h"
#include "analysis/samples/said_names.h"
#include "analysis/samples/sample_processes.h"

/* Who ran. */
enum sample_mode { MODE_UNKNOWN, MODE_KERNEL, MODE_PROGRAM, MODE_HYPERVISOR, MODE_GUEST };

struct sample_address {
	uint64_t address;
	enum sample_mode mode;
	bool is_call; /* it returns to here: the call is before */
};

/* The current event, if it is a sample. */
struct sample {
	bool is_there;
	uint32_t stack; /* its node in the tree */
	bool has_pid, has_tid, has_period;
	int64_t pid, tid, period;
	const char *process, *thread; /* names; NULL: not known */
};

struct sample_input {
	struct sample sample;
	struct frame_names names;
	struct sample_processes processes;
	struct stack_tree tree;
	struct named_stacks named;
	struct said_names said; /* of threads and processes, by samples with names and by tracks */
	struct class_table bindings;
	struct table_space *space;
	struct sample_address *addresses; /* of the sample, innermost first */
	size_t address_count, address_capacity;
	enum sample_mode mode; /* of the addresses that come next */
	bool is_first;         /* the next one is the first of its mode */
	bool is_out_of_memory;
	uint64_t samples, with_callers, in_kernel;
	bool has_addresses; /* there are samples whose functions had to be found */
};

extern const struct analysis_input_kind sample_input_kind;

/* Whether a trace has samples. */
bool sample_input_applies(const struct event_trace *trace);

/* Writes a sentence about what the trace lacks, or about functions without names, or "". */
void sample_input_missing(const struct sample_input *input, char *text, size_t size);

#endif
