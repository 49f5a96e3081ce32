/* SPDX-License-Identifier: MIT */
/*
 * perfetto_sequence.h - what the packets of one writer have in common: its clocks, what is understood where they
 * do not say it, and the texts that they refer to by number.
 *
 * All of that but the clocks is valid from a packet that begins it to the next such one, or to a loss.
 */
#ifndef TRACE_PERFETTO_PERFETTO_SEQUENCE_H
#define TRACE_PERFETTO_PERFETTO_SEQUENCE_H

#include "base/id_map.h"
#include "trace/perfetto/perfetto_clocks.h"
#include "trace/perfetto/perfetto_interned.h"
#include "trace/perfetto/perfetto_packet.h"

enum { PERFETTO_COUNTERS_MAX = 8 };

/* Counters that have a value in events which do not say of which. */
struct perfetto_counters {
	uint64_t tracks[PERFETTO_COUNTERS_MAX];
	size_t count;
};

struct perfetto_sequence {
	uint32_t id;
	bool is_met;   /* it had packets */
	bool is_valid; /* its state is */
	bool has_ftrace;
	uint32_t generation; /* of its state */
	struct perfetto_own_clocks clocks;
	struct perfetto_interned interned;

	/* Defaults. */
	uint32_t clock; /* 0: the time since the start of the machine */
	uint64_t track;
	struct perfetto_counters counters, real_counters;

	/* Of old writers, whose events have no times of their own: that of the last one, in us. */
	uint64_t last_us;
	int32_t pid, tid; /* and whose these are; 0: nobody said */

	bool is_losing, has_events; /* events are missing since the last one */
	histree_time last;
};

/* A zeroed one is empty. */
struct perfetto_sequences {
	struct id_map map;
	struct perfetto_budget budget; /* of interned texts, for all of them */
};

/* Returns the sequence of a packet, NULL when memory is out. */
struct perfetto_sequence *perfetto_sequences_of(struct perfetto_sequences *sequences, uint32_t id);

/* Take what a packet says of its sequence, but its clocks.  Returns HISTREE_ERR_MEMORY. */
enum histree_status perfetto_sequence_begin(struct perfetto_sequence *sequence, struct perfetto_budget *budget,
					    const struct perfetto_packet *packet, struct histree_error *error);

/* Returns whether it is known when the packet was written; of an incremental clock that must be asked of each. */
bool perfetto_sequence_time(struct perfetto_sequence *sequence, const struct perfetto_clocks *clocks,
			    const struct perfetto_packet *packet, histree_time *out);

/* The same of an event of old, which has its own time, or how long after the one before it was. */
bool perfetto_sequence_time_of_old(struct perfetto_sequence *sequence, const struct perfetto_clocks *clocks,
				   struct wire_message event, histree_time *out);

/* All of them lost something: what they interned is not valid any more. */
void perfetto_sequences_lose(struct perfetto_sequences *sequences);

void perfetto_sequences_release(struct perfetto_sequences *sequences);

#endif
