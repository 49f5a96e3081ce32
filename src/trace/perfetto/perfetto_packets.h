/* SPDX-License-Identifier: MIT */
/*
 * perfetto_packets.h - the packets of a trace of Perfetto, in the order of the file, and what each writer has
 * interned.
 *
 * A packet: its properties and its content (protos/perfetto/trace/trace_packet.proto).
 *
 * Texts that packets of a sequence refer to by number
 * (protos/perfetto/trace/interned_data/interned_data.proto).
 *
 * The packets of one writer share its clocks, defaults for what they do not state, and the texts to which they
 * refer by number.
 *
 * All of this except the clocks is valid from a packet that begins the state to the next such packet, or to a loss.
 *
 * The packets of a trace one after another (protos/perfetto/trace/trace.proto), those that the
 * tracing service has compressed included.
 *
 * If the bytes are not a packet, reading continues after the next marker, which the service writes from time to
 * time for this purpose (TracePacket.synchronization_marker).
 */
#ifndef TRACE_PERFETTO_PERFETTO_PACKETS_H
#define TRACE_PERFETTO_PERFETTO_PACKETS_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/zlib.h"
#include "trace/perfetto/wire.h"
#include "trace/trace_bytes.h"

struct perfetto_text {
	const char *bytes;
	size_t size;
};

/* A message whose fields are numbers and texts, by their numbers; of a repeated one the last. */
enum { PERFETTO_FLAT_FIELDS = 23 };

struct perfetto_flat {
	uint32_t has; /* bits of fields */
	uint64_t numbers[PERFETTO_FLAT_FIELDS];
	struct perfetto_text texts[PERFETTO_FLAT_FIELDS]; /* of fields that are no numbers */
};

struct perfetto_flat perfetto_flat(struct wire_message message);

static inline bool perfetto_flat_has(const struct perfetto_flat *message, uint32_t field)
{
	return (message->has >> field & 1) != 0;
}

/* Numbers of fields: what a packet is about. */
enum perfetto_data {
	PERFETTO_NO_DATA = 0,
	PERFETTO_FTRACE_EVENTS = 1,
	PERFETTO_PROCESS_TREE = 2,
	PERFETTO_CLOCK_SNAPSHOT = 6,
	PERFETTO_SYS_STATS = 7,
	PERFETTO_PROCESS_STATS = 9,
	PERFETTO_TRACK_EVENT = 11,
	PERFETTO_FTRACE_STATS = 34,
	PERFETTO_BATTERY = 38,
	PERFETTO_ANDROID_LOG = 39,
	PERFETTO_POWER_RAILS = 40,
	PERFETTO_PROCESS_DESCRIPTOR = 43, /* of old, of the sequence's own process */
	PERFETTO_THREAD_DESCRIPTOR = 44,
	PERFETTO_SYSTEM_INFO = 45,
	PERFETTO_GPU_COUNTERS = 52,
	PERFETTO_GPU_STAGE = 53,
	PERFETTO_STREAMING_PROFILE = 54,
	PERFETTO_TRACK_DESCRIPTOR = 60,
	PERFETTO_PERF_SAMPLE = 66,
	PERFETTO_GPU_MEMORY = 71,
	PERFETTO_FRAME_TIMELINE = 76,
	PERFETTO_ENERGY = 77,
	PERFETTO_TRANSLATION_TABLE = 82,
	PERFETTO_TRACE_UUID = 89,
	PERFETTO_RESIDENCY = 91,
	PERFETTO_TASK_STATE = 117, /* of a kernel that is not Linux, as are the next three */
	PERFETTO_TASK_FREQUENCY = 118,
	PERFETTO_TASK_RENAME = 120,
	PERFETTO_TASK_TREE = 122,
};

struct perfetto_packet {
	enum perfetto_data data;
	struct wire_message content; /* of the data, where there is any */
	struct wire_message interned, defaults;
	bool has_interned, has_defaults; /* else these say nothing, */
	bool has_time, has_clock;        /* nor do `time` and `clock` */
	uint64_t time;
	uint32_t clock;
	uint32_t sequence; /* 0: it is of none */
	bool begins_state; /* what was interned before on its sequence counts no more */
	bool needs_state;
	bool is_behind_loss; /* packets before it on its sequence are missing */
	bool is_first;       /* of its sequence: nothing is missing */
	uint32_t machine;    /* 0: the one that the service runs on */
	uint32_t other;      /* the number of a field that is not read, 0: there is none */
	bool is_damaged;     /* the bytes behind the fields that were read are not a field */
};

/* The data are borrowed as the message is. */
void perfetto_packet_read(struct perfetto_packet *packet, struct wire_message message);

enum perfetto_table {
	PERFETTO_CATEGORIES,
	PERFETTO_EVENT_NAMES,
	PERFETTO_ARGUMENT_NAMES,
	PERFETTO_ARGUMENT_TEXTS,
	PERFETTO_CORRELATIONS,
	PERFETTO_LOG_TEXTS,
	PERFETTO_FUNCTION_NAMES,
	PERFETTO_MAPPING_PATHS,
	PERFETTO_SOURCE_PATHS,
	PERFETTO_KERNEL_SYMBOLS,
	PERFETTO_GPU_SPECIFICATIONS,
	PERFETTO_SOURCE_LOCATIONS, /* messages, from here on */
	PERFETTO_MAPPINGS,
	PERFETTO_FRAMES,
	PERFETTO_CALLSTACKS,
	PERFETTO_GPU_DESCRIPTORS,
	PERFETTO_TABLE_COUNT,
};

/* A zeroed one is empty. */
struct perfetto_interned {
	struct id_map tables[PERFETTO_TABLE_COUNT]; /* struct perfetto_text by number */
	struct arena memory;
	size_t bytes; /* that count */
};

/* What all sequences take together, which has an end. */
struct perfetto_budget {
	size_t bytes;
	uint64_t left_out; /* entries */
};

/* Returns the text with a number, or NULL. */
const struct perfetto_text *perfetto_interned_find(struct perfetto_interned *interned, enum perfetto_table table,
						   uint64_t number);

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
	uint64_t thread_us; /* the same of the time that the thread ran */
	int32_t pid, tid;   /* and their owner; 0: not known */

	bool is_losing, has_events; /* events are missing since the last one */
	histree_time last;
	/* Tracks that its events were on, and counters that they had values of; each with the sequence itself. */
	struct id_map rows, counted;
	bool has_other_rows; /* it is not known which */
};

/* A zeroed one is empty. */
struct perfetto_sequences {
	struct id_map map;
	struct perfetto_budget budget; /* of interned texts, for all of them */
};

/* Returns the sequence of a packet, NULL when memory runs out. */
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

/* A zeroed one is closed. */
struct perfetto_packets {
	struct trace_bytes bytes;
	uint8_t *inner; /* of the last packet that had some inside */
	size_t inner_capacity;
	struct wire_message inside; /* what is left of these */
	bool is_inner_cut;          /* that is not all that there was */
	bool is_in_place;           /* damage was inside of a packet: another follows */
	struct unpack_limit limit;  /* of all packets of packets */
};

/* Returns whether the first bytes of a file are those of a packet. */
bool perfetto_packets_begin(const void *bytes, size_t size);
enum histree_status perfetto_packets_open(struct perfetto_packets *packets, const struct io *io, const char *path,
					  struct histree_error *error);
void perfetto_packets_close(struct perfetto_packets *packets);

/*
 * Get the next packet, borrowed until the next call.  Returns HISTREE_END, HISTREE_ERR_TRACE if there is damage
 * instead of one (perfetto_packets_resume() goes on behind it), HISTREE_ERR_MEMORY.
 */
enum histree_status perfetto_packets_next(struct perfetto_packets *packets, struct wire_message *out,
					  struct histree_error *error);

/* Look for a packet behind damage.  Returns HISTREE_END if no packet follows. */
enum histree_status perfetto_packets_resume(struct perfetto_packets *packets, struct histree_error *error);

#endif
