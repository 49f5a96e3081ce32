/* SPDX-License-Identifier: MIT */
/*
 * ctf2_json.h - values in a fragment of CTF 2 metadata, each with its path, and checks of their types.
 *
 * Reading stops at the first fault: a function that returns false or NULL has set the error, which names the
 * fragment and the path in it.
 */
#ifndef TRACE_CTF_CTF2_JSON_H
#define TRACE_CTF_CTF2_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "trace/ctf/ctf_schema.h"

struct ctf2_reader {
	struct ctf_schema *schema;
	struct histree_error *error;
	size_t fragment; /* that is read, from 1 */
	bool has_preamble, has_trace;
	struct intern alias_names;
	struct ctf_type **aliases; /* by the id of the name */
	size_t alias_capacity;
	struct ctf_type *byte;
	struct id_map streams; /* struct ctf_stream_type, by id */
};

/* A value in a fragment, and where it is: a path of keys and places. */
struct ctf2_value {
	json_t *json; /* borrowed; NULL: absent */
	const struct ctf2_value *outer;
	const char *key; /* NULL: `index` says where it is */
	size_t index;
	struct ctf2_reader *reader;
};

/* Write "fragment 3 of the metadata, KEY.KEY[2]"; the beginning of a path that is too long is left out. */
void ctf2_place(const struct ctf2_value *value, char *out, size_t size);

/* Set the error to "fragment 3 of the metadata, KEY.KEY[2]: WHAT"; returns false. */
bool ctf2_fail(const struct ctf2_value *value, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Room in the memory of the schema. */
void *ctf2_allocate(const struct ctf2_value *value, size_t count, size_t size);

/*
 * The JSON text of a fragment, which the caller frees by json_decref(); NULL with the error set.  Integers of more
 * digits than jansson has room for are in it as strings that ctf2_number() understands.
 */
json_t *ctf2_json(struct ctf2_reader *reader, const char *text, size_t size);

/* The value of a key; if the key is absent, its json is NULL. */
struct ctf2_value ctf2_member(const struct ctf2_value *object, const char *key);
struct ctf2_value ctf2_element(const struct ctf2_value *array, size_t index);

/* The value of a key, which must be of a type; there must be one if `is_required`. */
bool ctf2_get(const struct ctf2_value *object, const char *key, json_type type, bool is_required,
	      struct ctf2_value *out);

/* The same for a text, which is kept; NULL: absent. */
bool ctf2_get_text(const struct ctf2_value *object, const char *key, bool is_required, const char **out);

/* An integer from `low` to `high`. */
bool ctf2_number(const struct ctf2_value *value, ctf_wide low, ctf_wide high, ctf_wide *out);

/* The same of a key; *out stays as it is if the key is absent. */
bool ctf2_get_number(const struct ctf2_value *object, const char *key, bool is_required, ctf_wide low,
		     ctf_wide high, ctf_wide *out);

/* One of some words; *out becomes its index, and stays as it is if the key is absent. */
bool ctf2_get_word(const struct ctf2_value *object, const char *key, bool is_required, const char *const *words,
		   size_t count, size_t *out);

/* Read the alignment of a key. */
bool ctf2_get_alignment(const struct ctf2_value *object, const char *key, uint32_t *out);

/* Refuse extensions, which histree does not support (CTF 2, section 5.1). */
bool ctf2_check_extensions(const struct ctf2_value *object);

#endif
