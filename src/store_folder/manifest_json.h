/* SPDX-License-Identifier: MIT */
/*
 * manifest_json.h - between a manifest and its JSON, for manifest*.c.
 */
#ifndef STORE_FOLDER_MANIFEST_JSON_H
#define STORE_FOLDER_MANIFEST_JSON_H

#include <jansson.h>

#include "base/arena.h"
#include "histree/store.h"

enum {
	MANIFEST_VERSION = 2, /* 1 had neither a checksum nor the identity of every file */
	MANIFEST_OLDEST_READER = 1,
	MANIFEST_VERSION_HOSTS = 3, /* of a store of several hosts, or with a clock: older readers know neither */
	MANIFEST_IDENTITY_DIGITS = 16, /* hexadecimal */
};

/* Returns the text, which the caller frees, as it is without a checksum; NULL if memory is out. */
char *manifest_encode(const struct histree_store_info *info);

/* Take from the text what it says; strings and lists go into the arena. */
enum histree_status manifest_decode(const char *path, json_t *root, struct arena *arena,
				    struct histree_store_info *out, struct histree_error *error);

/* What a store says of its host, its clock and, if it is of several, its hosts; NULL: it says nothing of that. */
json_t *manifest_encode_clock(const struct histree_clock *clock);
json_t *manifest_encode_hosts(const struct histree_store_info *info);

/* Take the members "host", "clock" and "hosts" from a manifest. */
enum histree_status manifest_decode_hosts(const char *path, json_t *root, struct arena *arena,
					  struct histree_store_info *out, struct histree_error *error);

/* Returns HISTREE_ERR_FORMAT, with what is wrong and the way out. */
enum histree_status manifest_malformed(const char *path, const char *what, struct histree_error *error);

#endif
