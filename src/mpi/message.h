/* SPDX-License-Identifier: MIT */
/*
 * message.h - what ranks send each other: numbers and texts, one after the other, in bytes that grow.
 *
 * Reading is that of base/bytes.h, with what a text needs besides.  Another rank is as foreign as a file: each
 * number is checked before it is used.
 */
#ifndef MPI_MESSAGE_H
#define MPI_MESSAGE_H

#include "base/bytes.h"

/* A zeroed one is empty.  Without memory, what is added is lost, which `no_memory` remembers. */
struct message {
	uint8_t *bytes;
	size_t size, capacity;
	bool no_memory;
};

/* The texts that a message has, borrowed from it. */
struct message_text {
	const char *bytes; /* not terminated */
	size_t size;
};

void message_byte(struct message *message, uint8_t byte);
void message_number(struct message *message, uint64_t number);
void message_signed(struct message *message, int64_t number);
void message_bytes(struct message *message, const void *bytes, size_t size);

/* Its size, and its bytes. */
void message_text(struct message *message, const void *text, size_t size);
void message_string(struct message *message, const char *text);

/* Bytes that are filled in later; returns where they begin. */
size_t message_room(struct message *message, size_t size);

/* Forgets what is in it, and keeps the memory. */
void message_clear(struct message *message);
void message_release(struct message *message);

uint8_t read_byte(struct byte_reader *reader);
int64_t read_signed(struct byte_reader *reader);
struct message_text read_text(struct byte_reader *reader);

/* Returns a terminated copy, to be freed; NULL without memory. */
char *message_text_copy(struct message_text text);

/* Copies a text with a terminating zero, cut to what there is room for. */
void read_text_into(struct byte_reader *reader, char *text, size_t size);

#endif
