/* SPDX-License-Identifier: MIT */
/*
 * told_bytes.h - the bytes of the sections in which a history says what its states mean: varints, texts, counts.
 *
 * Writing and reading never fail by themselves: once something is wrong the rest does nothing, and who writes or
 * reads asks at the end.
 */
#ifndef STATE_TOLD_BYTES_H
#define STATE_TOLD_BYTES_H

#include "base/arena.h"
#include "base/bytes.h"

/* A zeroed one is empty; `bytes` are malloc'd. */
struct told_writer {
	uint8_t *bytes;
	size_t size, capacity;
	bool failed; /* memory is out */
};

void told_put_number(struct told_writer *out, uint64_t number);
void told_put_bytes(struct told_writer *out, const void *bytes, size_t size);
void told_put_text(struct told_writer *out, const char *text);

struct told_reader {
	struct byte_reader reader;
	struct arena *memory; /* of texts and arrays */
	bool no_memory;
};

static inline bool told_is_sound(const struct told_reader *reading)
{
	return !reading->reader.failed && !reading->no_memory;
}

/* Returns "" once something was wrong, as with a text that is longer than `most` or has a zero. */
const char *told_take_text(struct told_reader *reading, size_t most);

/* A number of things that have `size` bytes each at least; 0 if something is wrong. */
size_t told_take_count(struct told_reader *reading, size_t size, size_t max);

/* Room for one more than `count`; NULL if memory is out. */
void *told_take_room(struct told_reader *reading, size_t count, size_t size);

uint8_t told_take_byte(struct told_reader *reading, uint8_t max);

#endif
