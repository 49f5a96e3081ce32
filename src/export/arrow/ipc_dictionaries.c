// SPDX-License-Identifier: MIT
#include "export/arrow/ipc_dictionaries.h"

#include <string.h>

#include "base/error.h"

static const struct ipc_type utf8 = { .kind = IPC_UTF8, .zone = "" };

/* ---- comparing ---------------------------------------------------------------------------------------- */

static const int32_t *offsets_of(const struct ArrowArray *texts)
{
	return (const int32_t *)texts->buffers[1] + texts->offset;
}

static bool has_nulls(const struct ArrowArray *texts)
{
	return texts->buffers[0] != NULL && texts->null_count != 0;
}

/* The same memory. */
static bool is_same(const struct ArrowArray *one, const struct ArrowArray *other)
{
	return one->length == other->length && one->offset == other->offset &&
	       one->buffers[0] == other->buffers[0] && one->buffers[1] == other->buffers[1] &&
	       one->buffers[2] == other->buffers[2];
}

bool ipc_dictionary_extends(const struct ArrowArray *dictionary, const struct ArrowArray *before)
{
	int64_t count = before->length;
	if (has_nulls(before) || has_nulls(dictionary))
		return is_same(dictionary, before);
	if (count > dictionary->length)
		return false;
	if (count == 0)
		return true;
	const int32_t *old = offsets_of(before), *new = offsets_of(dictionary);
	const char *old_bytes = before->buffers[2], *new_bytes = dictionary->buffers[2];
	if (old != new)
		for (int64_t i = 1; i <= count; i++)
			if (new[i] - new[0] != old[i] - old[0])
				return false;
	size_t size = (size_t)(old[count] - old[0]);
	return size == 0 || (old_bytes + old[0] == new_bytes + new[0]) ||
	       memcmp(old_bytes + old[0], new_bytes + new[0], size) == 0;
}

enum histree_status ipc_dictionaries_check(const struct ipc_fields *fields, const struct ArrowArray *batch,
					   const struct ArrowArray *before, struct histree_error *error)
{
	for (size_t i = 0; i < fields->count; i++)
		if (fields->fields[i].has_dictionary &&
		    !ipc_dictionary_extends(batch->children[i]->dictionary, before->children[i]->dictionary))
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "the dictionary of column '%s' changes from batch to batch, which a file "
					 "cannot have; write it as a stream",
					 fields->fields[i].name);
	return HISTREE_OK;
}

/* ---- writing ------------------------------------------------------------------------------------------ */

/* Those texts from `first` on. */
static enum histree_status put_texts(struct ipc_output *ipc, struct ipc_body *body, size_t id,
				     const struct ArrowArray *texts, int64_t first, struct ipc_blocks *blocks,
				     struct histree_error *error)
{
	ipc_body_clear(body);
	enum histree_status status = ipc_body_add(body, &utf8, texts, first, texts->length - first, error);
	if (status == HISTREE_OK)
		status = ipc_output_dictionary(ipc, body, texts->length - first, id, first > 0, blocks, error);
	ipc_body_clear(body);
	return status;
}

enum histree_status ipc_dictionaries_stream(struct ipc_output *ipc, const struct ipc_fields *fields,
					    struct ipc_body *body, const struct ArrowArray *batch,
					    const struct ArrowArray *before, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < fields->count && status == HISTREE_OK; i++) {
		const struct ArrowArray *texts = batch->children[i]->dictionary, *old = NULL;
		if (!fields->fields[i].has_dictionary)
			continue;
		if (before != NULL && ipc_dictionary_extends(texts, before->children[i]->dictionary))
			old = before->children[i]->dictionary;
		if (old == NULL || texts->length > old->length)
			status = put_texts(ipc, body, i, texts, old != NULL ? old->length : 0, NULL, error);
	}
	return status;
}

enum histree_status ipc_dictionaries_file(struct ipc_output *ipc, const struct ipc_fields *fields,
					  struct ipc_body *body, const struct ArrowArray *last,
					  struct ipc_blocks *blocks, struct histree_error *error)
{
	static const int32_t no_offsets[1];
	static const void *no_buffers[3] = { NULL, no_offsets, NULL };
	static const struct ArrowArray nothing = { .n_buffers = 3, .buffers = no_buffers };
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < fields->count && status == HISTREE_OK; i++)
		if (fields->fields[i].has_dictionary)
			status = put_texts(ipc, body, i, last != NULL ? last->children[i]->dictionary : &nothing, 0,
					   blocks, error);
	return status;
}
