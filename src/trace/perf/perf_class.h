/* SPDX-License-Identifier: MIT */
/*
 * perf_class.h - classes of events, by the names that `perf data convert --to-ctf --all` gives them and their
 * fields, so that an analysis sees no difference.
 *
 * A tracepoint is "SYSTEM:NAME".  Its fields are those that perf adds to a sample (perf_ip, perf_tid, perf_pid,
 * perf_id, perf_stream_id, perf_period) and then those of its description.
 *
 * Samples that are not tracepoints also have perf_mode (PERF_MISC_CPU_MODE), and perf_period even if it is the same
 * for all, which conversions omit; with call chains, all have perf_callchain.  Mapped binaries also have len, pgoff
 * and build_id, and perf_comm has exec.
 *
 * Of a switch that perf itself records, perf_switch has the fields of the kernel's that the record has: no names
 * and no priorities, and as prev_state that the thread could run on, that it is dead, or else that it sleeps. A
 * record of a recording of some programs says of one thread that it leaves its CPU (perf_leave), or comes to one
 * (perf_come).
 *
 * Samples that read a group of counters (perf record -e '{cycles,instructions}:S') have a field for each event,
 * such as perf_read_cycles, which conversions omit: its count so far; the fields of other groups are absent.  If
 * recorded, perf_time_enabled and perf_time_running are the ns for which the group was enabled and for which it
 * counted: perf multiplexes groups if the processor has too few counters.
 */
#ifndef TRACE_PERF_PERF_CLASS_H
#define TRACE_PERF_PERF_CLASS_H

#include "event/event.h"
#include "trace/perf/perf_file.h"
#include "trace/switch_records.h"

enum perf_place {
	PERF_IN_RECORD,
	PERF_IN_RAW,
	PERF_IN_CHAIN,     /* the call chain: an array */
	PERF_IN_MODE,      /* who ran, by the head of the record: PERF_MISC_CPU_MODE */
	PERF_IS_EXEC,      /* of COMM: whether another program begins */
	PERF_BUILD_ID,     /* of MMAP and MMAP2: bytes */
	PERF_FIXED_PERIOD, /* of the attribute */
	PERF_OWN_PID,      /* of a switch: the thread that leaves its CPU, or comes to it, */
	PERF_OWN_TID,
	PERF_LEFT_AS, /* and as what it leaves */
	PERF_IN_GROUP,
	PERF_TIME_ENABLED,
	PERF_TIME_RUNNING,
};

struct perf_field {
	struct tracepoint_field place; /* in the record or the raw data */
	enum perf_place where;
	uint32_t counter; /* in the group: the number of its attribute */
};

struct perf_class {
	struct event_class class;
	const struct perf_file *file;
	const struct perf_attribute *attribute; /* of its samples; NULL: its records are no samples */
	const struct perf_field *fields;
};

/* What the handle of an event of perf is. */
struct perf_event {
	const uint8_t *record;
	uint32_t record_size; /* without trailers */
	bool is_big;
	bool has_looked; /* for the raw data */
	uint32_t raw_size;
	const uint8_t *raw;        /* NULL: no raw data */
	struct switch_record turn; /* of a switch */
	int32_t own_pid;
};

/* Records that are no samples. */
enum perf_side {
	PERF_SIDE_COMM,
	PERF_SIDE_EXIT,
	PERF_SIDE_FORK,
	PERF_SIDE_MMAP,
	PERF_SIDE_MMAP2,
	PERF_SIDE_SWITCH, /* from one thread to another */
	PERF_SIDE_LEAVE,  /* a thread leaves a CPU, for whom and which is not said */
	PERF_SIDE_COME,
	PERF_SIDE_COUNT,
};

/* Returns what a record is by its type and the bits of its head; PERF_SIDE_COUNT: no event. */
enum perf_side perf_side_of(uint32_t record_type, uint16_t misc);

/* Returns the class of the samples of an attribute; NULL when memory runs out.  It lives as long as the file. */
struct perf_class *perf_class_of_samples(struct perf_file *file, size_t attribute, const struct event_trace *trace,
					 uint32_t id);
struct perf_class *perf_class_of_side(struct perf_file *file, enum perf_side side, const struct event_trace *trace,
				      uint32_t id);

/* The functions of struct event_trace. */
bool perf_event_int(const struct event *event, uint32_t field, int64_t *out);
bool perf_event_string(const struct event *event, uint32_t field, const char **text, size_t *size);
bool perf_event_visit(const struct event *event, uint32_t field, event_visitor visitor, void *context);

#endif
