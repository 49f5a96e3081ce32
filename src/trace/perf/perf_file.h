/* SPDX-License-Identifier: MIT */
/*
 * perf_file.h - the parts of a perf.data other than its events: attributes, names, descriptions of tracepoints, its
 * host and its clock; and where its records are.
 *
 * `perf record -o FILE` has the attributes before the records and the rest, as features, after them; `perf record
 * -o -` writes all of that as records, before the first sample.
 *
 * `perf record --threads` writes a folder: the file "data" is like a perf.data, with only perf's own records, and
 * data.0 and so on have only the records of one buffer each, that of a CPU, in the order in which the kernel wrote
 * them, without rounds.  Sources: of Linux tools/perf Documentation/perf.data-directory-format.txt and
 * builtin-record.c.
 *
 * The records MMAP and MMAP2 say which binaries are mapped where, with their build ids; mappings that existed when
 * perf began are in records without a time.
 *
 * The numbers of the format: records, what a sample has, and sections of the file.
 *
 * Sources: include/uapi/linux/perf_event.h (records of the kernel, bits of samples), and of tools/perf
 * Documentation/perf.data-file-format.txt and util/header.h (records of perf itself, sections).
 *
 * A file is in the byte order of the machine that wrote it.
 */
#ifndef TRACE_PERF_PERF_FILE_H
#define TRACE_PERF_PERF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "event/event.h"
#include "histree/status.h"
#include "trace/trace_bytes.h"
#include "trace/trace_source.h"
#include "trace/tracepoint.h"

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
	PERF_SWITCH = 14,
	PERF_SWITCH_CPU_WIDE = 15,
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
	PERF_MISC_IS_OUT = 1 << 13,       /* of PERF_SWITCH...: the thread leaves its CPU, */
	PERF_MISC_IS_PREEMPT = 1 << 14,   /* and could run on */
	PERF_MISC_HAS_BUILD_ID = 1 << 14, /* of PERF_MMAP2: in place of device and inode */
	PERF_MISC_HAS_ID_SIZE = 1 << 15,  /* of an entry of PERF_FEATURE_BUILD_IDS: else it is 20 bytes */
	PERF_MISC_LEFT_OUT = 1 << 15,     /* of PERF_LOST_SAMPLES: a filter of the user's (BPF) did not want them */
	PERF_FILE_HEADER_SIZE = 104,
	PERF_PIPE_HEADER_SIZE = 16,
	PERF_ATTRIBUTE_SIZE_MIN = 64, /* of the first version of the kernel's structure */
	PERF_ATTRIBUTE_SIZE_MAX = 4096,
};

/* More are of no machine; what is beyond is left out. */
enum { PERF_IMAGES_MAX = 1 << 20, PERF_BUILD_ID_MAX = 20 };

struct perf_id_bytes {
	uint8_t bytes[PERF_BUILD_ID_MAX];
	uint8_t size;
};

/* A zeroed one is empty. */
struct perf_images {
	struct event_images before; /* of the time before perf began */
	struct event_image *images; /* its, growing */
	struct event_thread_name *names;
	struct event_parent *parents;
	size_t image_capacity, name_capacity, parent_capacity;
	struct intern texts;
	/* Build ids by path, which perf writes when it ends. */
	struct intern paths;
	struct perf_id_bytes *ids; /* by number of the path */
	size_t id_capacity;
};

/* Take a record of the time before perf began, if it says an image, a name or a parent.  False: memory runs out. */
bool perf_images_take(struct perf_images *images, const uint8_t *record, size_t size, bool is_big);

/*
 * Returns the build id of the file in an MMAP or MMAP2 record, and its size; NULL if it is not known.  It is
 * borrowed from the record or the images.
 */
const uint8_t *perf_images_build_id(const struct perf_images *images, const uint8_t *record, size_t size,
				    bool is_big, size_t *id_size);

/* All records were taken.  False: memory runs out. */
bool perf_images_end(struct perf_images *images);

/* Offsets are from the start of the record; 0: the sample has no such part. */
struct perf_attribute {
	uint32_t type;
	uint64_t config;
	uint64_t sample_type; /* bits of enum perf_sample_part */
	uint64_t read_format;
	uint64_t fixed_period; /* of each sample; 0: it varies */
	bool has_trailers;     /* records that are no samples end with the parts that say when and where */
	bool has_switches;     /* there are such records of switches (perf record --switch-events) */
	uint16_t identifier, ip, tid, time, id, stream_id, cpu, period;
	uint16_t body; /* where the parts of fixed size end */
	/* In trailers: bytes from the end of the record. */
	uint16_t trailer_size, trailer_time, trailer_id, trailer_cpu, trailer_tid;
};

/* The counters of a group that a sample read: pairs of a value and an id, among others. */
struct perf_group {
	const uint8_t *enabled,
		*running;      /* ns so far: since it was begun, and what of it it counted; NULL: not said */
	const uint8_t *values; /* the first value; its id follows */
	uint64_t count;
	size_t stride;
};

/* Whether samples have such a group, with ids. */
static inline bool perf_attribute_reads_group(const struct perf_attribute *attribute)
{
	return (attribute->sample_type & PERF_HAS_READ) != 0 && (attribute->read_format & PERF_READ_GROUP) != 0 &&
	       (attribute->read_format & PERF_READ_ID) != 0;
}

/* Returns the group of a sample of such an attribute; of no counters if the sample is shorter than it says. */
struct perf_group perf_attribute_group(const struct perf_attribute *attribute, const uint8_t *record,
				       size_t record_size, bool is_big);

/*
 * Returns the call chain of a sample, numbers of 64 bits from the innermost on, and how many; NULL if it has no
 * chain, or is shorter than it says.
 */
const uint8_t *perf_attribute_chain(const struct perf_attribute *attribute, const uint8_t *record,
				    size_t record_size, bool is_big, uint64_t *count);

/* Whether its samples say where a program was: those of tracepoints with call chains, and all others. */
bool perf_attribute_samples(const struct perf_attribute *attribute);

/*
 * Returns the raw data of a sample, those of the tracepoint, and their size; NULL if the sample has no raw data
 * or is shorter than it says.
 */
const uint8_t *perf_attribute_raw(const struct perf_attribute *attribute, const uint8_t *record, size_t record_size,
				  bool is_big, uint32_t *size);

struct perf_part {
	struct trace_window window;
	char *path;          /* its own; NULL: the window has that of another */
	uint64_t size;       /* of the file */
	uint64_t begin, end; /* of the records, in the file */
	bool is_big;         /* its numbers begin with the highest byte */
	bool is_cut;         /* it ends before its records do */
	bool is_compressed;  /* some records are inside others */
};

/* The parts of a folder.  A zeroed one is empty. */
struct perf_parts {
	struct perf_part *parts; /* data.0 and so on */
	size_t count;
};

/*
 * Find the parts beside a file "data".  Returns HISTREE_ERR_TRACE if there are none; HISTREE_ERR_IO, also if a
 * part before others is missing; HISTREE_ERR_MEMORY.
 */
enum histree_status perf_parts_find(struct perf_parts *parts, const struct io *io, const char *data, bool is_big,
				    struct histree_error *error);
void perf_parts_release(struct perf_parts *parts);

struct perf_file {
	struct perf_part part; /* its own records, and all that it says */
	bool is_big;           /* its numbers begin with the highest byte */
	bool is_pipe;
	bool lacks_features; /* some of what is behind the records cannot be read */
	bool is_in_parts;    /* most records are in other files of its folder */
	bool tells_switches; /* by records of perf's own, and not by events of the kernel */

	struct perf_attribute *attributes;
	const char **names; /* of them; NULL where a name is missing */
	size_t attribute_count, attribute_capacity, name_capacity;
	struct id_map ids;         /* struct perf_number * of the attribute, by the id in samples */
	struct id_map tracepoints; /* const struct tracepoint *, by its id */
	unsigned zombie_bit;       /* as struct tracing_points has it */
	struct arena memory;
	struct perf_images images; /* of the time before perf began, once the records were walked */

	struct trace_facts facts;
	char machine[TRACE_FACT_SIZE];
	bool has_wall;        /* the clock of the day is known */
	int64_t wall;         /* its time when the clock of the samples was 0 */
	uint64_t first, last; /* of the samples, by their clock; 0: not known */
};

/* In an id_map, which has no place for numbers. */
struct perf_number {
	uint32_t number;
};

/*
 * Read all of that.  `file` is zeroed.  Returns HISTREE_ERR_TRACE, with the reason, if the records cannot be
 * understood.
 */
enum histree_status perf_file_open(struct perf_file *file, const struct io *io, const char *path,
				   struct histree_error *error);
void perf_file_close(struct perf_file *file);

/* Returns a time of the clock of samples as one of the day, or of that clock where the day is not known. */
bool perf_file_time(const struct perf_file *file, uint64_t clock, histree_time *out);

/* ---- for the parts of it --------------------------------------------------------------------------------- */

#endif
