/* SPDX-License-Identifier: MIT */
/*
 * perfetto_readings.h - what the data sources of Perfetto read off a system from time to time, in the words of
 * event.h: memory, processor times, disks, batteries, power rails, GPUs, logs, and frames of Android.
 *
 * A number that is read again and again is a counter: of a process under the names that Perfetto's own tables have
 * ("mem.rss"), else with a series for each number of one kind ("meminfo", "MemFree").  Kilobytes become bytes;
 * other numbers are as they are in the trace, and those that the system counts since it started go on from there.
 * Lines of a log are instants of their threads.  Frames, and stages of a GPU, are spans of tracks of their own.
 */
#ifndef TRACE_PERFETTO_PERFETTO_READINGS_H
#define TRACE_PERFETTO_PERFETTO_READINGS_H

#include "trace/packed/packed_source.h"
#include "trace/perfetto/perfetto_packets.h"

/* A zeroed one, whose first three members are set, has read nothing. */
struct perfetto_readings {
	struct packed_source *packed;
	const struct perfetto_clocks *clocks;
	const struct packed_class *const *classes; /* of tracks, borrowed */
	struct id_map names;                       /* struct perfetto_text, of what packets refer to by number */
	struct intern texts;                       /* of names */
	struct intern name_keys;                   /* what numbers are of, and they, in place of a key of names */
	struct intern gpu_keys;                    /* whose ids counters of GPUs have */
	struct id_map gpu_descriptors;             /* struct gpu_descriptor, by the number of its key */
	struct id_map gpu_specs, gpu_counters;     /* structures of these names, by a number of a key and an id */
	struct arena memory;
	struct packed_parts args;
	uint64_t without_time; /* readings, which are left out */
	uint64_t without_name; /* descriptions, which are left out as there are too many */
};

/* Whether a packet has readings. */
bool perfetto_readings_are(enum perfetto_data data);

/* Add the processes that a packet is about to `owners`, with the record `mark`.  False: memory runs out. */
bool perfetto_readings_owners(const struct perfetto_packet *packet, struct id_map *owners, void *mark);

/* Read a packet that has readings.  `time` is PACKED_NO_TIME where the packet has none. */
enum histree_status perfetto_readings_read(struct perfetto_readings *readings, struct perfetto_sequence *sequence,
					   const struct perfetto_packet *packet, histree_time time,
					   struct histree_error *error);

/* All packets were read: counters that look back go on to their last samples. */
enum histree_status perfetto_readings_end(struct perfetto_readings *readings, struct histree_error *error);
void perfetto_readings_release(struct perfetto_readings *readings);

#endif
