/* SPDX-License-Identifier: MIT */
/*
 * piece.h - bytes that grow at their end: the part of an answer that is at hand.
 *
 * Writing never fails at the call: when memory is out the piece is `failed` and takes nothing more.
 */
#ifndef SERVER_TEXT_PIECE_H
#define SERVER_TEXT_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* What an answer gathers before it is sent; a step that writes more than this at once should be two steps. */
enum { PIECE_SIZE = 64 * 1024 };

/* A zeroed struct piece is an empty one. */
struct piece {
	char *bytes;
	size_t size, capacity;
	bool failed;
};

/* Returns where `size` bytes can be put, which the caller then adds to piece->size; NULL if memory is out. */
char *piece_room(struct piece *piece, size_t size);

void piece_put(struct piece *piece, const void *bytes, size_t size);

static inline void piece_put_char(struct piece *piece, char c)
{
	piece_put(piece, &c, 1);
}

static inline void piece_put_text(struct piece *piece, const char *text)
{
	piece_put(piece, text, strlen(text));
}

/* Adds what printf() would print, for what is short. */
void piece_format(struct piece *piece, const char *format, ...) __attribute__((format(printf, 2, 3)));

void piece_release(struct piece *piece);

#endif
