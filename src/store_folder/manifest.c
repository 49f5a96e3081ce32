// SPDX-License-Identifier: MIT
/*
 * manifest.c - reads and writes manifest.json, with a checksum of its text, and bounds what a damaged or forged
 * one can make the reader do.
 */
#include "store_folder/manifest.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/json_text.h"
#include "store_folder/manifest_json.h"

enum {
	MANIFEST_SIZE_MAX = 16 << 20,    /* of 10,000 traces with the longest of paths, and all their warnings */
	MANIFEST_MEMORY_MAX = 128 << 20, /* of its values as they are read */
};

/* ---- the checksum ---------------------------------------------------------------------------------------- */

/* The last member, for which the bytes before it were counted: so the text stays one that anything can read. */
#define SEAL ",\n  \"checksum\": \"%08" PRIx32 "\"\n}"

enum { SEAL_SIZE = sizeof(",\n  \"checksum\": \"01234567\"\n}") - 1 };

/* Returns the text with its checksum, which the caller frees, and frees that without; NULL if memory is out. */
static char *seal(char *json)
{
	size_t size = json != NULL ? strlen(json) - strlen("\n}") : 0;
	char *sealed = json != NULL ? malloc(size + SEAL_SIZE + 2) : NULL;
	if (sealed != NULL) {
		memcpy(sealed, json, size);
		snprintf(sealed + size, SEAL_SIZE + 2, SEAL "\n", crc32c(0, json, size));
	}
	free(json);
	return sealed;
}

/* `is_sealed`: there is a checksum, which is right.  Older manifests have no checksum. */
static enum histree_status check_seal(const char *path, const char *bytes, size_t size, bool *is_sealed,
				      struct histree_error *error)
{
	char expected[SEAL_SIZE + 1];
	*is_sealed = false;
	while (size > 0 && isspace((unsigned char)bytes[size - 1]))
		size--;
	if (size < SEAL_SIZE)
		return HISTREE_OK;
	const char *found = bytes + size - SEAL_SIZE;
	snprintf(expected, sizeof(expected), SEAL, crc32c(0, bytes, size - SEAL_SIZE));
	size_t name_size = strcspn(expected, ":");
	if (memcmp(found, expected, name_size) != 0)
		return HISTREE_OK;
	*is_sealed = memcmp(found, expected, SEAL_SIZE) == 0;
	return *is_sealed ? HISTREE_OK
			  : manifest_malformed(path,
					       "has another checksum than is right: it is damaged, or was changed",
					       error);
}

/* ---- writing --------------------------------------------------------------------------------------------- */

enum histree_status manifest_write(const struct io *io, const char *path, const struct histree_store_info *info,
				   struct histree_error *error)
{
	char *json = seal(manifest_encode(info));
	if (json == NULL)
		return error_memory(error, "the manifest");
	enum histree_status status = io_replace(io, path, json, strlen(json), error);
	if (status != HISTREE_OK)
		error_prefix(error, "'%s'", path);
	free(json);
	return status;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

static enum histree_status too_large(const char *path, const char *what, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_FORMAT,
			 "'%s' has %s than any manifest; 'histree repair' makes a store of what is beside it", path,
			 what);
}

/* The size comes from the file, so the bytes are looked at before memory of that size is requested. */
static enum histree_status read_bytes_of(const struct io *io, const char *path, int file, char **bytes,
					 size_t *size, struct histree_error *error)
{
	off_t length = 0;
	if (io->size(io->context, file, &length) != 0)
		return error_set(error, HISTREE_ERR_IO, "'%s': cannot tell its size: %s", path, strerror(errno));
	if (length > MANIFEST_SIZE_MAX)
		return too_large(path, "more bytes", error);
	*size = (size_t)length;
	*bytes = malloc(*size + 1);
	if (*bytes == NULL)
		return error_memory(error, "the manifest");
	enum histree_status status = io_read_all(io, file, *bytes, *size, 0, error);
	if (status != HISTREE_OK)
		error_prefix(error, "'%s'", path);
	return status;
}

static enum histree_status parse(const char *path, const char *bytes, size_t size, json_t **root,
				 struct histree_error *error)
{
	json_error_t fault;
	*root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &fault);
	if (*root != NULL)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': line %d: %s", path, fault.line, fault.text);
}

static enum histree_status load(const struct io *io, const char *path, json_t **root, bool *is_sealed,
				struct histree_error *error)
{
	int file = io->open(io->context, path, O_RDONLY, 0);
	if (file < 0)
		return error_set(error, errno == ENOENT || errno == ENOTDIR ? HISTREE_NOT_FOUND : HISTREE_ERR_IO,
				 "cannot open '%s': %s", path, strerror(errno));
	char *bytes = NULL;
	size_t size = 0;
	enum histree_status status = read_bytes_of(io, path, file, &bytes, &size, error);
	io->close(io->context, file);
	if (status == HISTREE_OK && json_weight(bytes, size) > MANIFEST_MEMORY_MAX)
		status = too_large(path, "more in it", error);
	if (status == HISTREE_OK)
		status = check_seal(path, bytes, size, is_sealed, error);
	if (status == HISTREE_OK)
		status = parse(path, bytes, size, root, error);
	free(bytes);
	return status;
}

enum histree_status manifest_read(const struct io *io, const char *path, struct arena *arena,
				  struct histree_store_info *out, struct histree_error *error)
{
	json_t *root = NULL;
	bool is_sealed = false;
	enum histree_status status = load(io, path, &root, &is_sealed, error);
	if (status == HISTREE_OK)
		status = manifest_decode(path, root, arena, out, error);
	if (status == HISTREE_OK && out->manifest_version > 1 && !is_sealed)
		status = manifest_malformed(path, "lacks its checksum", error);
	json_decref(root);
	return status;
}

bool manifest_means_history(const struct histree_store_info *store, const struct histree_store_history *meant,
			    const struct histree_history_info *found)
{
	if (meant->identity == 0 || meant->identity == found->identity)
		return true;
	return !store->complete && found->complete && strcmp(found->provider, meant->analysis) == 0 &&
	       found->provider_version == meant->analysis_version && found->start == store->start;
}
