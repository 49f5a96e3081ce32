/* SPDX-License-Identifier: MIT */
/*
 * perf_file.h - what a perf.data says before its events: attributes, names, descriptions of tracepoints, whose it
 * is, and its clock.
 *
 * `perf record -o FILE` has the attributes before the records and the rest, as features, behind them; `perf record
 * -o -` writes all of that as records, before the first sample.
 */
#ifndef TRACE_PERF_PERF_FILE_H
#define TRACE_PERF_PERF_FILE_H

#include "base/arena.h"
#include "base/id_map.h"
#include "trace/perf/perf_attribute.h"
#include "trace/perf/perf_images.h"
#include "trace/perf/perf_part.h"
#include "trace/trace_facts.h"
#include "trace/tracepoint.h"

struct perf_file {
	struct perf_part part; /* its own records, and all that it says */
	bool is_big;           /* its numbers begin with the highest byte */
	bool is_pipe;
	bool lacks_features; /* some of what is behind the records cannot be read */
	bool is_in_parts;    /* most records are in other files of its folder */

	struct perf_attribute *attributes;
	const char **names; /* of them; NULL where there is none */
	size_t attribute_count, attribute_capacity, name_capacity;
	struct id_map ids;         /* struct perf_number * of the attribute, by the id in samples */
	struct id_map tracepoints; /* const struct tracepoint *, by its id */
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

/* Add an attribute of so many bytes.  Returns HISTREE_ERR_TRACE if it is none. */
enum histree_status perf_file_add_attribute(struct perf_file *file, const uint8_t *bytes, size_t size,
					    struct histree_error *error);

/* Samples with these ids are of the attribute that was added last. */
enum histree_status perf_file_add_ids(struct perf_file *file, const uint8_t *ids, size_t count,
				      struct histree_error *error);

/* Give a name to an attribute, if there is such a one. */
enum histree_status perf_file_name(struct perf_file *file, size_t attribute, const uint8_t *name, size_t size,
				   struct histree_error *error);

/* Whether anything is learned from a feature. */
bool perf_feature_is_read(uint64_t feature);

/* Learn from a feature; what is cut or malformed in it is not known. */
enum histree_status perf_feature_read(struct perf_file *file, uint64_t feature, const uint8_t *bytes, size_t size,
				      struct histree_error *error);

/* Learn the tracepoints, as perf copied them out of the kernel. */
enum histree_status perf_tracing_read(struct perf_file *file, const uint8_t *bytes, size_t size,
				      struct histree_error *error);

#endif
