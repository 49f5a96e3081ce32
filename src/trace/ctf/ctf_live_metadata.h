/* SPDX-License-Identifier: MIT */
/*
 * ctf_live_metadata.h - metadata that come in pieces: what a trace declares grows while it is read.
 *
 * A piece may end anywhere, within a packet or within a declaration; what is whole is read, the rest waits.  What
 * was declared before stays where it is, so that classes of events do.  A byte is looked at once, however the
 * bytes are cut.
 */
#ifndef TRACE_CTF_CTF_LIVE_METADATA_H
#define TRACE_CTF_CTF_LIVE_METADATA_H

#include "trace/ctf/ctf_metadata.h"
#include "trace/ctf/tsdl_reader.h"

/* Where the text is, as far as it was looked at. */
enum live_text {
	LIVE_TEXT,
	LIVE_SLASH,
	LIVE_LINE_COMMENT,
	LIVE_COMMENT,
	LIVE_STAR,
	LIVE_STRING,
	LIVE_ESCAPE,
};

/* A zeroed one is empty. */
struct live_metadata {
	struct ctf_schema schema;
	struct tsdl_reader *reader;
	uint64_t size; /* of all pieces */
	bool has_form, is_packetized, big_endian;
	uint8_t *bytes; /* of packets that are not whole */
	size_t count, capacity;
	char *text; /* that was not read */
	size_t text_count, text_capacity;
	size_t seen, whole; /* of the text: looked at, and up to the end of the last whole declaration */
	size_t depth;       /* of braces at `seen` */
	enum live_text state;
};

/* Room for the next bytes of a piece; NULL if memory is out or there are more than 64 MiB in all. */
uint8_t *live_metadata_room(struct live_metadata *metadata, size_t size);

/* Take in so many bytes of that room.  HISTREE_ERR_TRACE, with the place of the fault, ends its use. */
enum histree_status live_metadata_take(struct live_metadata *metadata, size_t size, struct histree_error *error);

/* Returns whether the trace is declared: packets can be read. */
bool live_metadata_is_begun(const struct live_metadata *metadata);

/* Returns whether the last piece ended within a packet or a declaration. */
bool live_metadata_is_cut(const struct live_metadata *metadata);

void live_metadata_release(struct live_metadata *metadata);

#endif
