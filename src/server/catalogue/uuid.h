/* SPDX-License-Identifier: MIT */
/*
 * uuid.h - names of things for clients (RFC 9562), always the same for the same content.
 *
 * A client finds its trace again after the server was started anew, because the UUID of a trace follows from its
 * name and path, and that of an experiment from its name and traces.
 */
#ifndef SERVER_CATALOGUE_UUID_H
#define SERVER_CATALOGUE_UUID_H

#include <stddef.h>
#include <stdint.h>

enum { UUID_TEXT_SIZE = 37 };

/* Gathers what a UUID is made of. */
struct uuid_maker {
	uint64_t high, low;
};

struct uuid_maker uuid_begin(const char *kind);

/* Texts do not run together: "ab", "c" is another content than "a", "bc". */
void uuid_add(struct uuid_maker *maker, const char *text);

void uuid_end(const struct uuid_maker *maker, char text[UUID_TEXT_SIZE]);

#endif
