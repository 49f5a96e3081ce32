// SPDX-License-Identifier: MIT
/*
 * history_sections.c - small sections of a history: its analysis, and which attributes are folders.
 */
#include "state/history_sections.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/status.h"
#include "histree/value.h"
#include "state/attributes.h"
#include "store/block_file.h"

/* ---- provider section ---------------------------------------------------------------------------------------- */

enum histree_status provider_init(struct provider *provider, const char *name, uint32_t version,
				  struct histree_error *error)
{
	size_t size = name == NULL ? 0 : strlen(name);
	if (size >= PROVIDER_NAME_ROOM)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "the name of the provider '%.80s' is longer than %d bytes", name,
				 PROVIDER_NAME_ROOM - 1);
	*provider = (struct provider){ .version = version };
	if (size > 0)
		memcpy(provider->name, name, size);
	return HISTREE_OK;
}

size_t provider_section_save(const struct provider *provider, uint8_t bytes[PROVIDER_SECTION_SIZE_MAX])
{
	size_t size = strlen(provider->name);
	put_le32(bytes, provider->version);
	memcpy(bytes + 4, provider->name, size);
	return 4 + size;
}

enum histree_status provider_section_load(struct provider *provider, const uint8_t *bytes, size_t size,
					  struct histree_error *error)
{
	if (size < 4 || size > PROVIDER_SECTION_SIZE_MAX)
		return error_set(error, HISTREE_ERR_FORMAT, "%zu bytes; it has 4 to %d", size,
				 PROVIDER_SECTION_SIZE_MAX);
	if (memchr(bytes + 4, '\0', size - 4) != NULL)
		return error_set(error, HISTREE_ERR_FORMAT, "the name of the provider has a zero byte");
	*provider = (struct provider){ .version = get_le32(bytes) };
	memcpy(provider->name, bytes + 4, size - 4);
	return HISTREE_OK;
}

/* ---- folder section ------------------------------------------------------------------------------------------ */

enum { ATTRIBUTES_PER_LOOK = 1 << 14 }; /* at what is resident of their table: 320 KiB */

enum histree_status folder_list_of(const struct attribute_tree *tree, struct folder_list *out,
				   struct histree_error *error)
{
	size_t capacity = 0;
	*out = (struct folder_list){ 0 };
	for (histree_quark quark = 0; quark < tree->base.count; quark++) {
		if (quark % ATTRIBUTES_PER_LOOK == 0)
			table_space_look(tree->table.space);
		if (!tree->attributes[quark].is_folder)
			continue;
		if (!array_reserve(&out->quarks, &capacity, out->count + 1)) {
			folder_list_release(out);
			return error_memory(error, "the folders");
		}
		out->quarks[out->count++] = quark;
	}
	return HISTREE_OK;
}

bool folder_list_has(const struct folder_list *folders, histree_quark quark)
{
	const size_t low = SEARCH(i, 0, folders->count, folders->quarks[i] < quark);
	return low < folders->count && folders->quarks[low] == quark;
}

void folder_list_release(struct folder_list *folders)
{
	free(folders->quarks);
	*folders = (struct folder_list){ 0 };
}

enum histree_status folder_section_save(const struct folder_list *folders, struct block_file *file,
					struct histree_error *error)
{
	if (folders->count == 0)
		return HISTREE_OK;
	uint8_t *bytes = malloc((folders->count + 1) * VARINT_SIZE_MAX);
	if (bytes == NULL)
		return error_memory(error, "the folders");
	uint8_t *at = put_varint(bytes, folders->count);
	histree_quark before = 0;
	for (size_t i = 0; i < folders->count; i++) {
		at = put_varint(at, folders->quarks[i] - before);
		before = folders->quarks[i];
	}
	enum histree_status status =
		block_file_section_put(file, SECTION_FOLDERS, bytes, (size_t)(at - bytes), error);
	free(bytes);
	return status;
}

/* Each is greater than the one before it, and below `count`. */
static bool read_folders(struct byte_reader *reader, uint32_t count, struct folder_list *out)
{
	uint64_t quark = 0;
	for (size_t i = 0; i < out->count; i++) {
		uint64_t step = read_varint(reader);
		if (reader->failed || step >= count - quark || (i > 0 && step == 0))
			return false;
		quark += step;
		out->quarks[i] = (histree_quark)quark;
	}
	return byte_reader_left(reader) == 0;
}

enum histree_status folder_section_decode(const uint8_t *bytes, size_t size, uint32_t count,
					  struct folder_list *out, struct histree_error *error)
{
	struct byte_reader reader = byte_reader(bytes, size);
	uint64_t folders = read_varint(&reader);
	*out = (struct folder_list){ 0 };
	if (reader.failed || folders > byte_reader_left(&reader) || folders > count) /* a byte each, at least */
		return error_set(error, HISTREE_ERR_FORMAT, "%zu bytes are too few for its folders", size);
	out->quarks = malloc((size_t)(folders + 1) * sizeof(*out->quarks));
	if (out->quarks == NULL)
		return error_memory(error, "the folders");
	out->count = (size_t)folders;
	if (read_folders(&reader, count, out))
		return HISTREE_OK;
	folder_list_release(out);
	return error_set(error, HISTREE_ERR_FORMAT, "its folders are not ascending attributes");
}

enum histree_status folder_section_load(const struct block_file *file, uint32_t count, struct folder_list *out,
					struct histree_error *error)
{
	uint8_t *bytes = NULL;
	size_t size;
	*out = (struct folder_list){ 0 };
	if (block_file_section_size(file, SECTION_FOLDERS) == 0)
		return HISTREE_OK;
	enum histree_status status = block_file_section(file, SECTION_FOLDERS, &bytes, &size, error);
	if (status == HISTREE_OK)
		status = folder_section_decode(bytes, size, count, out, error);
	if (status == HISTREE_ERR_FORMAT)
		error_prefix(error, "'%s': section FOLD", file->path);
	free(bytes);
	return status;
}
