/* SPDX-License-Identifier: MIT */
/*
 * json_writer.h - JSON (RFC 8259) from left to right into a buffer, with commas where they belong.
 *
 * Writing never fails at the call: when memory runs out the buffer has failed and takes nothing more.
 *
 * 	json_begin_object(json);
 * 	json_int_member(json, "start", start);
 * 	json_end(json);
 *
 * Integers are written with all digits: times are int64 and go beyond 2^53.  A double always has a point or an
 * exponent, and at most fifteen characters, and a value that JSON cannot express is 0: clients of the Trace Server
 * Protocol take a long row of digits for an integer and refuse the model.
 */
#ifndef SERVER_TEXT_JSON_WRITER_H
#define SERVER_TEXT_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/* What an answer gathers before it is sent; a step that writes more than this at once should be two steps. */
enum { PIECE_SIZE = 64 * 1024 };

/* Deeper than any document of ours. */
enum { JSON_DEPTH_MAX = 32 };

/* Zeroed except `out`: at the start of a document. */
struct json_writer {
	struct byte_buffer *out;
	bool comma; /* something stands before, on this level */
	unsigned depth;
	char closing[JSON_DEPTH_MAX]; /* of what is open, outermost first */
};

void json_begin_object(struct json_writer *json);
void json_begin_array(struct json_writer *json);

/* Ends the object or array that was begun last. */
void json_end(struct json_writer *json);

/* Ends all that is open below `depth`. */
void json_end_to(struct json_writer *json, unsigned depth);

/* Writes a key, which is a name of ours in plain ASCII. */
void json_key(struct json_writer *json, const char *name);
void json_put_int(struct json_writer *json, int64_t number);
void json_put_unsigned(struct json_writer *json, uint64_t number);
void json_put_real(struct json_writer *json, double number);
void json_put_known(struct json_writer *json, double number); /* NaN, an unknown number, is null */
void json_put_bool(struct json_writer *json, bool truth);
void json_put_null(struct json_writer *json);
void json_put_string(struct json_writer *json, const char *bytes, size_t size);
void json_put_text(struct json_writer *json, const char *text);

/* Writes a value that is JSON already. */
void json_put_raw(struct json_writer *json, const char *bytes, size_t size);

/* These write a member of an object: key and value, or what the value begins with. */
void json_begin_object_member(struct json_writer *json, const char *name);
void json_begin_array_member(struct json_writer *json, const char *name);
void json_int_member(struct json_writer *json, const char *name, int64_t number);
void json_unsigned_member(struct json_writer *json, const char *name, uint64_t number);
void json_real_member(struct json_writer *json, const char *name, double number);
void json_bool_member(struct json_writer *json, const char *name, bool truth);
void json_text_member(struct json_writer *json, const char *name, const char *text);
void json_string_member(struct json_writer *json, const char *name, const char *bytes, size_t size);

/* Writes a key of any bytes, for objects whose keys are names of the trace. */
void json_key_string(struct json_writer *json, const char *bytes, size_t size);

#endif
