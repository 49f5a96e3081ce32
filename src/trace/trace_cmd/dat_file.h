/* SPDX-License-Identifier: MIT */
/*
 * dat_file.h - the parts of a trace.dat before its events, in versions 6 and 7, and the conversion of the times of
 * the kernel's buffer to ns of the day.
 *
 * Blocks are compressed one by one, with zlib or zstd.
 *
 * The head has the layout of pages, descriptions of tracepoints, the clock, the host, and where the pages of each
 * CPU are.
 *
 * Version 6 has that in one row at the beginning (trace-cmd.dat.v6(5)); version 7 has sections, which options point
 * to, and may compress them (trace-cmd.dat.v7(5)).
 */
#ifndef TRACE_TRACE_CMD_DAT_FILE_H
#define TRACE_TRACE_CMD_DAT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "histree/value.h"
#include "trace/trace_source.h"
#include "trace/tracepoint.h"

enum dat_packing {
	DAT_PACKING_NONE,
	DAT_PACKING_ZLIB,
	DAT_PACKING_ZSTD,
	DAT_PACKING_COUNT,
};

/* Returns whether histree was built with what unpacks it. */
bool dat_can_unpack(enum dat_packing packing);

/* Unpack a block.  Returns whether it gave exactly the expected number of bytes. */
bool dat_unpack(enum dat_packing packing, const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size);

/* How the clock of one CPU of a guest differed from the host's at a time of the guest. */
struct dat_sample {
	int64_t time;
	int64_t offset;
	uint64_t scaling; /* times are multiplied by this and divided by 2^fraction */
	uint64_t fraction;
};

struct dat_shift {
	struct dat_sample *samples; /* by time */
	uint32_t count;
};

/* A zeroed one takes ns for ns. */
struct dat_clock {
	struct dat_shift *shifts; /* by CPU */
	uint32_t shift_count;
	bool interpolates;          /* between samples */
	uint32_t multiplier, shift; /* of cycles; 0: they are ns */
	int64_t offset;             /* what is added in the end */
};

/* Returns whether the result is a time. */
bool dat_clock_time(const struct dat_clock *clock, uint32_t cpu, uint64_t stamp, histree_time *out);

/* Linux has 8192 CPUs at most (NR_CPUS). */
enum { DAT_CPUS_MAX = 8192, DAT_PAGE_SIZE_MAX = 8 << 20, DAT_CLOCK_NAME_SIZE = 32 };

/* Where the pages of a CPU are in the file. */
struct dat_cpu {
	uint32_t number;
	uint64_t offset, size;
};

/* A buffer of the kernel: the one that is always there, or an instance, which has a name. */
struct dat_buffer {
	const char *name; /* "" */
	char clock[DAT_CLOCK_NAME_SIZE];
	uint64_t offset; /* of its section, or its table of CPUs */
	uint32_t page_size;
	bool is_packed;
	bool is_lost;         /* an instance whose table of CPUs is cut off or damaged */
	struct dat_cpu *cpus; /* those that have pages */
	uint32_t cpu_count;
};

/* Sections that are read, by the numbers of the options that point to them. */
enum { DAT_SECTION_PAGE, DAT_SECTION_FTRACE, DAT_SECTION_SYSTEMS, DAT_SECTION_COUNT };

struct dat_file {
	const struct io *io;        /* borrowed, as the path is */
	struct trace_window window; /* while it is read */
	const char *path;
	uint64_t size;
	struct tracing_head head;
	bool is_big;
	struct tracing_page page;
	enum dat_packing packing;  /* of sections and pages that are packed */
	struct id_map tracepoints; /* const struct tracepoint *, by its id */
	unsigned zombie_bit;       /* as struct tracing_points has it */
	struct arena memory;
	/* The process of each thread by tid, a uintptr_t; empty where the file says none (an option of GPUVis). */
	struct id_map processes;

	uint64_t sections[DAT_SECTION_COUNT]; /* offsets; 0: absent */
	uint32_t cpu_count;                   /* of the machine */
	struct dat_buffer *buffers;           /* the one without a name first, if it has pages */
	size_t buffer_count, buffer_capacity;
	bool has_text;                        /* of the tracers of latencies */
	char clock_name[DAT_CLOCK_NAME_SIZE]; /* "" where it does not say */
	struct dat_clock clock;
	uint64_t trace_id;
	struct trace_facts facts;
	char machine[TRACE_FACT_SIZE];
	int major, minor; /* of trace-cmd; -1 where it does not say */
};

/*
 * Read all of that.  `file` is zeroed.  Returns HISTREE_ERR_TRACE, with the reason, if the events cannot be
 * understood, or are missing.
 */
enum histree_status dat_file_open(struct dat_file *file, const struct io *io, const char *path,
				  struct histree_error *error);
void dat_file_close(struct dat_file *file);

/* ---- for the parts of it --------------------------------------------------------------------------------- */

#endif
