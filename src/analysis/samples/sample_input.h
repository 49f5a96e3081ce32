/* SPDX-License-Identifier: MIT */
/*
 * sample_input.h - the input of analyses of samples (docs/design/10-program-analyses.md): the stack of each
 * sample, looked up once for all analyses.
 *
 * A recording of perf gives the thread and the addresses of a sample; earlier events give the binaries that are
 * mapped there, and symbols of these give the functions (sample_processes.h).  Samples of other recorders have
 * functions by name (event.h).  Addresses of the kernel have names if a table of its symbols was given; else all of
 * it is one frame, "[kernel]".
 *
 * All stacks are one tree: each node is a frame below its caller's node.  A numbered stack of a trace is read once,
 * with its callers up to a known one.  A malformed file may make a stack its own caller, or have endless callers:
 * repeated callers, and those beyond SAMPLE_FRAMES_MAX, are left out.
 *
 * Names of processes and threads come from samples with names or from tracks.  A thread is identified by its
 * process and its number, because different name spaces use the same numbers.
 */
#ifndef ANALYSIS_SAMPLES_SAMPLE_INPUT_H
#define ANALYSIS_SAMPLES_SAMPLE_INPUT_H

#include "analysis/analysis.h"
#include "analysis/samples/sample_processes.h"
#include "base/arena.h"
#include "base/hash_index.h"
#include "event/event.h"
#include "histree/value.h"

/* A zeroed one is empty. */
struct said_names {
	struct intern keys, texts;
	uint32_t *names; /* texts, by number of the key */
	size_t capacity;
	struct table table; /* of `names` */
};

#define STACK_NONE UINT32_MAX

struct stack_node {
	uint32_t parent; /* a smaller number, or STACK_NONE */
	uint32_t frame;
	histree_time first, last; /* of the samples that end here; of all below it after stack_tree_finish() */
	uint64_t samples;         /* that end here */
};

/* A zeroed one is empty. */
struct stack_tree {
	struct stack_node *nodes; /* by number */
	uint32_t count;
	size_t capacity;
	struct table table; /* of the nodes */
	struct hash_index by_frame;
};

/* Of a stack; sysctl kernel.perf_event_max_stack is 127, and what is inlined comes to that. */
enum { SAMPLE_FRAMES_MAX = 4096 };

/* What is known of the stacks of one trace. */
struct named_table {
	uint32_t *nodes;                                   /* by number of the stack */
	uint32_t *frames;                                  /* by number of the frame */
	uint16_t *depths;                                  /* by number of the stack */
	struct table node_table, frame_table, depth_table; /* of these */
};

/* A zeroed one is empty. */
struct named_stacks {
	struct frame_names *names; /* borrowed, as is the tree */
	struct stack_tree *tree;
	struct named_table *tables; /* by id of the trace */
	size_t table_count, table_capacity;
	struct table_space *space; /* borrowed; may be NULL */
	uint32_t *path;            /* from a stack up to its callers */
	size_t path_capacity;
	char *line; /* of a text, terminated where its parts end */
	size_t line_capacity;
};

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

/* What another event of its group counted since the group was read before. */
struct sample_count {
	const char *event;
	int64_t count;
};

enum { SAMPLE_COUNTS_MAX = 16 };

struct sample_input {
	struct sample sample;
	struct sample_count counts[SAMPLE_COUNTS_MAX]; /* of the sample */
	size_t count_count;
	struct id_map readings; /* int64_t for each counter, by group */
	struct arena reading_memory;
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

#endif
