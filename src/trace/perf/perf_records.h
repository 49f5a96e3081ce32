/* SPDX-License-Identifier: MIT */
/*
 * perf_records.h - the records of a part of a recording of perf, and their entries in the order of time.
 *
 * Records are read one after the other, including those inside compressed records.  If a record is damaged,
 * everything up to the next end of a round is lost: the end of a round is 8 bytes that nothing else looks like.
 *
 * Order: perf writes in rounds: in each it empties the buffers of all CPUs, one after the other, and then says
 * so. Within a buffer events are in order.  When round n was written, everything that happened before the reading
 * of round n - 1 ended had been written or was in a buffer that round n emptied: so no later round has an event
 * before the greatest time of round n - 1.
 *
 * 	Once round n is there, the entries of rounds up to n that are not later than the greatest time of round
 * 	n - 1 are handed out.
 *
 * An entry of round n is therefore handed out by the time that round n + 1 is there, and what is handed out depends
 * only on the two rounds before: so reading can continue from each round (perf_rounds_base()).  Entries of the same
 * time come by CPU, then in the order of the file.
 */
#ifndef TRACE_PERF_PERF_RECORDS_H
#define TRACE_PERF_PERF_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/zlib.h"
#include "base/zstd.h"
#include "histree/value.h"
#include "trace/perf/perf_file.h"

struct perf_record {
	const uint8_t *bytes; /* valid until the next call */
	size_t size;          /* of them: head and rest */
	uint32_t type;
};

enum { PERF_NO_CPU = 65535 };

struct perf_stamp {
	bool has_time; /* records of the time before perf began have no time */
	histree_time time;
	uint16_t cpu;       /* or PERF_NO_CPU */
	uint16_t attribute; /* of a sample */
	int32_t pid, tid;   /* of a record that is not a sample; -1: it does not say, or the thread is dead */
};

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

/* Add a record to the round; `counts` says whether its entry is one.  Returns false when memory runs out. */
bool perf_rounds_add(struct perf_rounds *rounds, struct perf_entry entry, const void *record, size_t size,
		     bool counts);

/* The round is there; if it is the last, nothing is waited for any more.  Returns false when memory runs out. */
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

/* Returns false if the sample is of no attribute of the file, or shorter than its parts. */
bool perf_stamp_of_sample(const struct perf_file *file, const struct perf_record *record, struct perf_stamp *out);

/* What stands at the end of a record that is no sample. */
struct perf_stamp perf_stamp_of_side(const struct perf_file *file, const struct perf_record *record);

/*
 * Begin at an offset of the part that is the beginning of a record.  Returns HISTREE_ERR_TRACE, HISTREE_ERR_MEMORY.
 */
enum histree_status perf_records_init(struct perf_records *records, struct perf_part *part, size_t window_size,
				      uint64_t at, struct histree_error *error);
void perf_records_release(struct perf_records *records);

/*
 * Returns HISTREE_END behind the last record; HISTREE_ERR_TRACE, with the reason, if what comes next is no record;
 * HISTREE_ERR_IO, likewise, if it cannot be read; HISTREE_ERR_MEMORY.
 */
enum histree_status perf_records_next(struct perf_records *records, struct perf_record *out,
				      struct histree_error *error);

/* perf writes records at multiples of 8. */
enum histree_status perf_records_resume(struct perf_records *records, struct histree_error *error);

/* Returns how many bytes the round takes that is being read. */
size_t perf_rounds_size(const struct perf_rounds *rounds);

#endif
