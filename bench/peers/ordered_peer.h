/* SPDX-License-Identifier: MIT */
/*
 * ordered_peer.h - queries on anything that keeps intervals sorted by attribute and then by end.
 *
 * The state of an attribute at t is the first interval of it that ends at t or later; its further states
 * follow.  So a seek and some steps answer every kind of query, and a full query is a seek an attribute.
 */
#ifndef BENCH_ORDERED_PEER_H
#define BENCH_ORDERED_PEER_H

#include "cli/bench.h"

struct ordered_peer {
	/*
	 * The first interval at (quark, end) or after it; the one after that.  Its bytes are borrowed until the
	 * next call; HISTREE_END: none, or one of a later attribute.
	 */
	enum histree_status (*seek)(void *self, histree_quark quark, histree_time end, struct histree_interval *out,
				    struct histree_error *error);
	enum histree_status (*next)(void *self, struct histree_interval *out, struct histree_error *error);
	uint32_t attribute_count;
};

enum histree_status ordered_peer_ask(const struct ordered_peer *ordered, void *self,
				     const struct histree_region *question, struct bench_answer *answer,
				     struct histree_error *error);

/* An interval as a key that sorts by bytes, and a record: what a store of keys and values keeps. */
enum {
	ORDERED_KEY_SIZE = 12,
	ORDERED_RECORD_HEADER = 9, /* start and type; the bytes of the value follow */
};

void ordered_key(uint8_t key[ORDERED_KEY_SIZE], histree_quark quark, histree_time end);

/* Start and type, then the value; `*value_size` bytes of it at `*value`, which lives as long as `interval`. */
void ordered_record_header(uint8_t header[ORDERED_RECORD_HEADER], const struct histree_interval *interval,
			   const void **value, size_t *value_size);

/* The value borrows from the record. */
void ordered_interval(const uint8_t *key, const uint8_t *record, size_t record_size, struct histree_interval *out);

#endif
