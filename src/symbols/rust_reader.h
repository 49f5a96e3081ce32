/* SPDX-License-Identifier: MIT */
/*
 * rust_reader.h - the letters of a name of Rust (rust_name.h) and the text that becomes of it: what its grammar is
 * made of, and what is written while it is read.
 *
 * Once something was wrong there are no letters any more, so that all that reads ends.
 */
#ifndef SYMBOLS_RUST_READER_H
#define SYMBOLS_RUST_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rust_reader {
	const char *text; /* after "_R" */
	size_t size, at;
	char *out;
	size_t used, room;
	unsigned depth;
	unsigned silent;    /* above 0: what is read is not written */
	uint64_t lifetimes; /* that are bound around what is read */
	bool has_failed;
};

void rust_fail(struct rust_reader *reader);

/* Begin and end a part that has parts; false if there are too many within each other. */
bool rust_enter(struct rust_reader *reader);
void rust_leave(struct rust_reader *reader);

/* The next letter; 0 at the end, which rust_next() takes for a failure. */
char rust_peek(const struct rust_reader *reader);
char rust_next(struct rust_reader *reader);

/* Takes the letter if it comes next. */
bool rust_eat(struct rust_reader *reader, char letter);

/* Whether a list goes on; takes its end. */
bool rust_has_more(struct rust_reader *reader);

/* A number of base 62, and what tells things of one name from each other: 0 if there is nothing. */
uint64_t rust_read_number(struct rust_reader *reader);
uint64_t rust_read_disambiguator(struct rust_reader *reader);

struct rust_identifier {
	const char *bytes;
	size_t size;
	bool is_punycode;
};

struct rust_identifier rust_read_identifier(struct rust_reader *reader);

/*
 * After the letter B: go to where it points to, and back to where it came from.  False if there is nothing to see:
 * in silence, or after a failure.
 */
bool rust_jump(struct rust_reader *reader, size_t *back);
void rust_come_back(struct rust_reader *reader, size_t back);

void rust_put(struct rust_reader *reader, const char *text);
void rust_put_bytes(struct rust_reader *reader, const char *bytes, size_t size);
void rust_put_number(struct rust_reader *reader, uint64_t number);
void rust_put_identifier(struct rust_reader *reader, const struct rust_identifier *identifier);

#endif
