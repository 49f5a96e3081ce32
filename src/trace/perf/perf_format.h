/* SPDX-License-Identifier: MIT */
/*
 * perf_format.h - the numbers of perf.data: records, what a sample has, and sections of the file.
 *
 * Sources: include/uapi/linux/perf_event.h (records of the kernel, bits of samples), and of tools/perf
 * Documentation/perf.data-file-format.txt and util/header.h (records of perf itself, sections).
 *
 * A file is in the byte order of the machine that wrote it.
 */
#ifndef TRACE_PERF_PERF_FORMAT_H
#define TRACE_PERF_PERF_FORMAT_H

#include "trace/ordered_bytes.h"

enum perf_record_type {
	PERF_MMAP = 1,
	PERF_LOST = 2,
	PERF_COMM = 3,
	PERF_EXIT = 4,
	PERF_FORK = 7,
	PERF_SAMPLE = 9,
	PERF_MMAP2 = 10,
	PERF_AUX = 11,
	PERF_LOST_SAMPLES = 13,
	/* From here on perf writes them, not the kernel. */
	PERF_HEADER_ATTR = 64,
	PERF_TRACING_DATA = 66,
	PERF_FINISHED_ROUND = 68,
	PERF_AUXTRACE = 71,
	PERF_EVENT_UPDATE = 78,
	PERF_HEADER_FEATURE = 80,
	PERF_COMPRESSED = 81,
	PERF_COMPRESSED2 = 83,
};

/* What a sample has, in the order of the parts that come before the raw data of a tracepoint. */
enum perf_sample_part {
	PERF_HAS_IDENTIFIER = 1 << 16,
	PERF_HAS_IP = 1 << 0,
	PERF_HAS_TID = 1 << 1,
	PERF_HAS_TIME = 1 << 2,
	PERF_HAS_ADDRESS = 1 << 3,
	PERF_HAS_ID = 1 << 6,
	PERF_HAS_STREAM_ID = 1 << 9,
	PERF_HAS_CPU = 1 << 7,
	PERF_HAS_PERIOD = 1 << 8,
	PERF_HAS_READ = 1 << 4,
	PERF_HAS_CALLCHAIN = 1 << 5,
	PERF_HAS_RAW = 1 << 10,
	PERF_HAS_STACK_MEMORY = 1 << 13, /* behind it */
};

enum perf_read_format {
	PERF_READ_TIME_ENABLED = 1 << 0,
	PERF_READ_TIME_RUNNING = 1 << 1,
	PERF_READ_ID = 1 << 2,
	PERF_READ_GROUP = 1 << 3,
	PERF_READ_LOST = 1 << 4,
};

/* Sections behind the records, or records of type PERF_HEADER_FEATURE. */
enum perf_feature {
	PERF_FEATURE_TRACING_DATA = 1,
	PERF_FEATURE_BUILD_IDS = 2,
	PERF_FEATURE_HOSTNAME = 3,
	PERF_FEATURE_KERNEL = 4,
	PERF_FEATURE_MACHINE = 6,
	PERF_FEATURE_EVENTS = 12,
	PERF_FEATURE_SAMPLE_TIME = 21,
	PERF_FEATURE_DIR_FORMAT = 24,
	PERF_FEATURE_COMPRESSED = 27,
	PERF_FEATURE_CLOCK_DATA = 29,
	PERF_FEATURE_COUNT = 256,
};

enum {
	PERF_TYPE_IS_SOFTWARE = 1,        /* of an attribute: its configuration is one of the next two, or others */
	PERF_COUNTS_NOTHING = 9,          /* it is there for records that are no samples */
	PERF_BPF_OUTPUT = 10,             /* what programs in the kernel print */
	PERF_TYPE_IS_TRACEPOINT = 2,      /* of an attribute: its configuration is the id of a tracepoint */
	PERF_UPDATE_NAME = 2,             /* of PERF_EVENT_UPDATE */
	PERF_RECORD_HEAD_SIZE = 8,        /* type, 32 bits; misc, 16; size of all, 16 */
	PERF_MISC_CPU_MODE = 7,           /* bits that say who ran: 1 the kernel, 2 a program, others a guest */
	PERF_MISC_IS_EXEC = 1 << 13,      /* of PERF_COMM: another program begins */
	PERF_MISC_HAS_BUILD_ID = 1 << 14, /* of PERF_MMAP2: in place of device and inode */
	PERF_MISC_HAS_ID_SIZE = 1 << 15,  /* of an entry of PERF_FEATURE_BUILD_IDS: else it is 20 bytes */
	PERF_MISC_LEFT_OUT = 1 << 15,     /* of PERF_LOST_SAMPLES: a filter of the user's (BPF) did not want them */
	PERF_FILE_HEADER_SIZE = 104,
	PERF_PIPE_HEADER_SIZE = 16,
	PERF_ATTRIBUTE_SIZE_MIN = 64, /* of the first version of the kernel's structure */
	PERF_ATTRIBUTE_SIZE_MAX = 4096,
};

#endif
