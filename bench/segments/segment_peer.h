/* SPDX-License-Identifier: MIT */
/*
 * segment_peer.h - what keeps segments and hands them out by a key of time: our stores, and what they are compared
 * with.
 *
 * All calls but `free` return false when they fail, with a sentence on stderr.
 */
#ifndef SEGMENTS_SEGMENT_PEER_H
#define SEGMENTS_SEGMENT_PEER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum segment_peer_order { PEER_UNSORTED, PEER_BY_START, PEER_BY_END, PEER_BY_DURATION, PEER_ORDERS };

struct segment_peer {
	const char *name;
	uint64_t count_max;        /* of segments: more would take too long, or too much memory */
	uint64_t random_count_max; /* the same, where starts are random */
	bool (*create)(const char *path, void **out);
	bool (*add)(void *body, int64_t start, int64_t end);
	bool (*finish)(void *body, uint64_t *bytes_on_disk);
	bool (*begin)(void *body, enum segment_peer_order order);
	bool (*next)(void *body, int64_t *start, int64_t *end); /* false: the end */
	void (*free)(void *body);
};

extern const struct segment_peer segment_peer_disk, segment_peer_disk_by_start, segment_peer_disk_by_duration;
extern const struct segment_peer segment_peer_array, segment_peer_lazy, segment_peer_map;
extern const struct segment_peer segment_peer_vector, segment_peer_multimap;
extern const struct segment_peer segment_peer_sqlite, segment_peer_duckdb;

#ifdef __cplusplus
}
#endif

#endif
