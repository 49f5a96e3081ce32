// SPDX-License-Identifier: MIT
#include "state/attribute_section.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "state/attribute_path.h"

/* ---- saving ---------------------------------------------------------------------------------------- */

/* A piece has room for any one name, and for the numbers of any one attribute. */
enum { PIECE_SIZE = 64 << 10, PIECE_ROOM = PIECE_SIZE + VARINT_SIZE_MAX };

struct piece {
	const struct section_sink *sink;
	uint8_t *bytes;
	size_t used;
};

static enum histree_status flush(struct piece *piece, struct histree_error *error)
{
	enum histree_status status = piece->sink->write(piece->sink->context, piece->bytes, piece->used, error);
	piece->used = 0;
	return status;
}

static enum histree_status make_room(struct piece *piece, size_t size, struct histree_error *error)
{
	return size <= PIECE_ROOM - piece->used ? HISTREE_OK : flush(piece, error);
}

static void put_number(struct piece *piece, uint64_t number)
{
	piece->used = (size_t)(put_varint(piece->bytes + piece->used, number) - piece->bytes);
}

static enum histree_status save_names(struct piece *piece, const struct intern *names, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t id = 0; id < names->count && status == HISTREE_OK; id++) {
		size_t size;
		const char *name = intern_get(names, id, &size);
		status = make_room(piece, VARINT_SIZE_MAX + size, error);
		if (status != HISTREE_OK)
			break;
		put_number(piece, size);
		memcpy(piece->bytes + piece->used, name, size);
		piece->used += size;
	}
	return status;
}

static enum histree_status save_attributes(struct piece *piece, const struct histree_attributes *tree,
					   struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	uint32_t new_name = 0;
	for (histree_quark quark = 0; quark < tree->count && status == HISTREE_OK; quark++) {
		const struct attribute *attribute = &tree->attributes[quark];
		status = make_room(piece, 2 * VARINT_SIZE_MAX, error);
		if (status != HISTREE_OK)
			break;
		put_number(piece, attribute->parent == HISTREE_ROOT ? 0 : quark - attribute->parent);
		put_number(piece, attribute->name == new_name ? 0 : (uint64_t)attribute->name + 1);
		if (attribute->name >= new_name)
			new_name = attribute->name + 1;
	}
	return status;
}

enum histree_status attribute_section_save(const struct histree_attributes *tree, const struct section_sink *sink,
					   struct histree_error *error)
{
	struct piece piece = { .sink = sink, .bytes = malloc(PIECE_ROOM) };
	if (piece.bytes == NULL)
		return error_memory(error, "the attribute section");
	put_number(&piece, tree->count);
	put_number(&piece, tree->names.count);
	enum histree_status status = save_names(&piece, &tree->names, error);
	if (status == HISTREE_OK)
		status = save_attributes(&piece, tree, error);
	if (status == HISTREE_OK)
		status = flush(&piece, error);
	free(piece.bytes);
	return status;
}

/* ---- loading ---------------------------------------------------------------------------------------- */

static enum histree_status load_names(struct histree_attributes *tree, uint64_t count, struct byte_reader *reader,
				      struct histree_error *error)
{
	for (uint32_t id = 0; id < count; id++) {
		uint64_t size = read_varint(reader);
		if (size == 0 || size > ATTRIBUTE_NAME_SIZE_MAX || size > byte_reader_left(reader))
			return error_set(error, HISTREE_ERR_FORMAT,
					 "name %" PRIu32 " of %" PRIu64 " has the size %" PRIu64, id, count, size);
		const uint8_t *name = read_bytes(reader, (size_t)size);
		uint32_t added = intern_add(&tree->names, name, (size_t)size);
		if (added == INTERN_NONE)
			return error_memory(error, "the names of attributes");
		if (added != id)
			return error_set(error, HISTREE_ERR_FORMAT,
					 "the names %" PRIu32 " and %" PRIu32 " are equal", added, id);
	}
	return HISTREE_OK;
}

static enum histree_status load_attribute(struct histree_attributes *tree, uint32_t *new_name,
					  struct byte_reader *reader, struct histree_error *error)
{
	histree_quark quark = tree->count;
	uint64_t distance = read_varint(reader);
	uint64_t name = read_varint(reader);
	name = name == 0 ? *new_name : name - 1;
	if (reader->failed)
		return error_set(error, HISTREE_ERR_FORMAT, "attribute %" PRIu32 " is cut off or malformed", quark);
	if (distance > quark)
		return error_set(error, HISTREE_ERR_FORMAT, "the parent of attribute %" PRIu32 " comes before all",
				 quark);
	if (name >= tree->names.count)
		return error_set(error, HISTREE_ERR_FORMAT,
				 "attribute %" PRIu32 " has the name %" PRIu64 ", but there are %" PRIu32, quark,
				 name, tree->names.count);
	histree_quark parent = distance == 0 ? HISTREE_ROOT : (histree_quark)(quark - distance);
	histree_quark same;
	if (!attribute_tree_append(tree, parent, (uint32_t)name, &same))
		return error_set(error, HISTREE_ERR_FORMAT,
				 "the attributes %" PRIu32 " and %" PRIu32 " have the same path", same, quark);
	if (name >= *new_name)
		*new_name = (uint32_t)name + 1;
	return HISTREE_OK;
}

static enum histree_status load(struct histree_attributes *tree, struct byte_reader *reader,
				struct histree_error *error)
{
	uint64_t count = read_varint(reader);
	uint64_t name_count = read_varint(reader);
	/* Each takes two bytes at least, so that nothing is allocated on the word of a damaged number. */
	size_t left = byte_reader_left(reader);
	if (reader->failed || count > left / 2 || name_count > (left - 2 * count) / 2 ||
	    count > ATTRIBUTE_COUNT_MAX)
		return error_set(error, HISTREE_ERR_FORMAT,
				 "%" PRIu64 " attributes and %" PRIu64 " names do not fit %zu bytes", count,
				 name_count, left);
	enum histree_status status = attribute_tree_reserve(tree, (size_t)count, error);
	if (status == HISTREE_OK)
		status = load_names(tree, name_count, reader, error);
	uint32_t new_name = 0;
	while (status == HISTREE_OK && tree->count < count)
		status = load_attribute(tree, &new_name, reader, error);
	if (status == HISTREE_OK && byte_reader_left(reader) > 0)
		status = error_set(error, HISTREE_ERR_FORMAT, "%zu bytes follow the last attribute",
				   byte_reader_left(reader));
	return status;
}

enum histree_status attribute_section_load(struct histree_attributes *tree, const uint8_t *bytes, size_t size,
					   struct histree_error *error)
{
	struct byte_reader reader = byte_reader(bytes, size);
	enum histree_status status = load(tree, &reader, error);
	if (status != HISTREE_OK)
		attribute_tree_release(tree);
	return status;
}
