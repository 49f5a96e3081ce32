/* SPDX-License-Identifier: MIT */
/*
 * perf_source.h - a recording of perf as a source: its records as events in the order of time, with what was lost.
 *
 * Records are read one after the other, those inside compressed ones in their place.  Where a record is damaged,
 * all up to the next end of a round is lost: an end of a round is 8 bytes that nothing else looks like.
 *
 * Order: perf writes in rounds: in each it empties the buffers of all CPUs, one after the other, and then says
 * so. Within a buffer events are in order.  When round n was written, everything that happened before the reading
 * of round n - 1 ended had been written or was in a buffer that round n emptied: so no later round has an event
 * before the greatest time of round n - 1.
 *
 * 	Once round n is there, the entries of rounds up to n that are not later than the greatest time of round
 * 	n - 1 are handed out.
 *
 * An entry of round n is therefore handed out by the time that round n + 1 is there, and what is handed out
 * depends on two rounds before: that makes each round a place to read on from (perf_rounds_base()).  Entries of
 * the same time come by CPU, then in the order of the file.
 *
 * Losses are found before the events are read.  Where the buffer of a CPU was full, a record (LOST) says so as
 * soon as the CPU has something to write again, which may be many rounds later; the missing events came after the
 * event before it of the same CPU, and those of the other CPUs have long been handed out by then.  So the records
 * are walked once before.  perf also counts lost samples when it ends (LOST_SAMPLES): what exceeds the other
 * records was lost behind the last event.
 *
 * `perf record` writes one file, which is one stream; of a folder (--threads) the file "data" is the recording,
 * and each file a stream.
 *
 * Without libtraceevent, perf_format says how to do without.
 */
#ifndef TRACE_PERF_PERF_SOURCE_H
#define TRACE_PERF_PERF_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/zlib.h"
#include "base/zstd.h"
#include "histree/value.h"
#include "trace/perf/perf_class.h"
#include "trace/perf/perf_file.h"
#include "trace/trace_source.h"

struct perf_records {
	struct perf_part *part;
	size_t window_size;
	uint64_t at;   /* in the file, of the record that comes next */
	uint64_t last; /* in the file, of the record that came last, or that it was in */

	struct zstd_stream *unpack; /* NULL: nothing compressed was met */
	uint8_t *packed;            /* a compressed record */
	size_t packed_size, packed_used;
	struct unpack_limit limit;
	uint8_t *plain; /* records out of it */
	size_t plain_at, plain_size;
};

/* Of rounds that are alive, and of those that are remembered; powers of two. */
enum { PERF_ROUNDS_ALIVE = 2, PERF_ROUNDS_KNOWN = 4, PERF_ROUND_SIZE_MAX = 32 << 20 };

struct perf_entry {
	histree_time time;
	uint32_t place; /* of its record: the round in the upper bits, then the offset in units of 8 bytes */
	uint16_t cpu;   /* any number: of entries of one time the lower comes first */
	uint16_t kind;  /* means something to the caller only */
};

struct perf_round {
	uint64_t offset;         /* in the file */
	uint64_t count, emitted; /* of its entries that are counted, and of these handed out */
	histree_time latest;
	bool has_latest;
};

/* A zeroed one is empty. */
struct perf_rounds {
	struct perf_round known[PERF_ROUNDS_KNOWN]; /* by the number of the round */
	struct {
		uint8_t *bytes;
		size_t size, capacity;
	} alive[PERF_ROUNDS_ALIVE];
	uint64_t begun; /* number of rounds begun */

	struct perf_entry *pending; /* those from `next` on, in order */
	size_t next, count, capacity;
	struct perf_entry *added; /* of the round that is being read */
	size_t added_count, added_capacity;
	struct perf_entry *scratch;
	size_t scratch_capacity;
	bool has_limit;
	histree_time limit;
};

/* Begin the next round, whose records begin at an offset of the file.  All entries up to the limit were taken. */
void perf_rounds_begin(struct perf_rounds *rounds, uint64_t offset);

/* Add a record to the round; `counts` says whether its entry is one.  Returns false when memory is out. */
bool perf_rounds_add(struct perf_rounds *rounds, struct perf_entry entry, const void *record, size_t size,
		     bool counts);

/* The round is there; if it is the last, nothing is waited for any more.  Returns false when memory is out. */
bool perf_rounds_end(struct perf_rounds *rounds, bool is_last);

/* Returns the next entry that can be handed out, NULL if another round is needed. */
const struct perf_entry *perf_rounds_peek(const struct perf_rounds *rounds);

/* It is handed out. */
void perf_rounds_take(struct perf_rounds *rounds, bool counts);

/* Returns the record of an entry; valid until the next round begins. */
static inline const uint8_t *perf_rounds_record(const struct perf_rounds *rounds, const struct perf_entry *entry)
{
	return rounds->alive[entry->place >> 30].bytes + 8 * (size_t)(entry->place & UINT32_C(0x3fffffff));
}

/*
 * Returns the offset of the round from which reading has to begin to hand out the same from here on, and how many
 * counted entries it hands out before what comes next.
 */
uint64_t perf_rounds_base(const struct perf_rounds *rounds, uint64_t *before);
void perf_rounds_release(struct perf_rounds *rounds);

/* What is counted over all parts of a recording, one after the other. */
struct perf_loss_count {
	uint64_t by_records,
		by_perf; /* LOST; LOST_SAMPLES, which is among what perf says itself: in the last part */
	bool has_latest;
	bool has_compared, counts_otherwise; /* numbers of threads, perf's own and the kernel's, in one sample */
	histree_time earliest, latest;       /* of the samples */
};

/* A zeroed one is empty. */
struct perf_losses {
	struct event_gap *gaps; /* by their beginnings */
	size_t count, capacity;
	size_t next; /* the next to hand out */
};

/* What is known of a CPU. */
struct perf_cpu {
	histree_time last; /* of its events that were read, in the order of the file */
	bool is_fresh;     /* it had events since the last damage */
};

struct perf_stream {
	struct trace_stream base;
	struct perf_file *file;
	struct perf_part *part; /* with its records */
	struct perf_loss_count *loss_count;
	uint32_t *class_count;
	size_t window_size;
	size_t round_size;           /* rounds are taken together until they are of this size */
	bool lacks_rounds;           /* events are nearly in order: this size is a round */
	struct perf_class **classes; /* of attributes; then of enum perf_side; NULL: not met yet */
	struct perf_records records;
	struct perf_rounds rounds;
	struct perf_losses losses;
	struct perf_event current;
	struct perf_cpu *cpus; /* by number */
	size_t cpu_count, cpu_capacity;
	uint16_t *fresh; /* the CPUs that are */
	size_t fresh_count, fresh_capacity;
	histree_time handed_out; /* the latest time of what was */
	uint64_t unknown;        /* records that were left out as they belong to no event */
	bool is_damaged, is_done, is_cut_round, has_read_all;
};

/*
 * Begin at an offset of the part, NULL: at its first record, and with what was lost.  What is above `records` is
 * set, but the classes.
 */
enum histree_status perf_stream_init(struct perf_stream *stream, const uint64_t *at, struct histree_error *error);
enum histree_status perf_stream_next(struct perf_stream *stream, struct histree_error *error);
void perf_stream_release(struct perf_stream *stream);

/* How its files are told, also where they cannot be read: tools/perf/util/header.c of Linux. */
static inline bool perf_begins(const void *bytes, size_t size)
{
	return size >= 8 && (memcmp(bytes, "PERFILE2", 8) == 0 || memcmp(bytes, "2ELIFREP", 8) == 0);
}

#define PERF_NAME "a recording of perf"

/* perf keeps a recording of several threads in a folder, and in this file what it says of itself. */
#define PERF_INSIDE "data"

#endif
