// SPDX-License-Identifier: MIT
#include "tree/tree_inserter.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool insert(void *context);

struct tree_inserter *tree_inserter_create(struct crew *crew, tree_insert insert_into, void *context)
{
	struct tree_inserter *inserter = calloc(1, sizeof(*inserter));
	if (inserter == NULL)
		return NULL;
	inserter->crew = crew;
	inserter->task = (struct crew_task){ .step = insert, .context = inserter };
	inserter->insert = insert_into;
	inserter->context = context;
	for (unsigned i = 0; i < 2; i++)
		inserter->blocks[i].intervals = calloc(INSERTER_INTERVALS, sizeof(struct histree_interval));
	if (inserter->blocks[0].intervals != NULL && inserter->blocks[1].intervals != NULL)
		return inserter;
	for (unsigned i = 0; i < 2; i++)
		free(inserter->blocks[i].intervals);
	free(inserter);
	return NULL;
}

/* ---- handing over ------------------------------------------------------------------------------------------ */

/* The block that is not being filled.  After an error blocks go by. */
static bool insert(void *context)
{
	struct tree_inserter *inserter = context;
	struct inserter_block *block = &inserter->blocks[1 - inserter->filling];
	if (inserter->status == HISTREE_OK)
		inserter->status =
			inserter->insert(inserter->context, block->intervals, block->count, &inserter->error);
	block->count = block->used = 0;
	return false;
}

static enum histree_status wait(struct tree_inserter *inserter, struct histree_error *error)
{
	crew_finish(inserter->crew, &inserter->task);
	if (inserter->status == HISTREE_OK)
		return HISTREE_OK;
	return error_set(error, inserter->status, "%s", inserter->error.message);
}

static enum histree_status hand_over(struct tree_inserter *inserter, struct histree_error *error)
{
	enum histree_status status = wait(inserter, error);
	inserter->filling = 1 - inserter->filling;
	crew_start(inserter->crew, &inserter->task);
	return status;
}

/* ---- adding ------------------------------------------------------------------------------------------------ */

static inline bool has_bytes(const struct histree_interval *interval)
{
	return interval->value.type == HISTREE_STRING || interval->value.type == HISTREE_CUSTOM;
}

/* Returns whether the block has room for the bytes of a value; it may get more while it has none. */
static bool has_room(struct inserter_block *block, size_t size, bool *no_memory)
{
	if (size <= block->room - block->used)
		return true;
	if (block->used > 0)
		return false;
	size_t room = size > INSERTER_BYTES ? size : INSERTER_BYTES;
	uint8_t *bytes = realloc(block->bytes, room);
	*no_memory = bytes == NULL;
	if (bytes == NULL)
		return false;
	block->bytes = bytes;
	block->room = room;
	return true;
}

static enum histree_status add_with_bytes(struct tree_inserter *inserter, const struct histree_interval *interval,
					  struct histree_error *error)
{
	struct inserter_block *block = &inserter->blocks[inserter->filling];
	enum histree_status status = HISTREE_OK;
	bool no_memory = false;
	while (status == HISTREE_OK && !has_room(block, interval->value.size, &no_memory)) {
		if (no_memory)
			return error_memory(error, "a value");
		status = hand_over(inserter, error);
		block = &inserter->blocks[inserter->filling];
	}
	if (status != HISTREE_OK)
		return status;
	struct histree_interval *copy = &block->intervals[block->count++];
	*copy = *interval;
	copy->value.bytes = block->bytes + block->used;
	if (interval->value.size > 0)
		memcpy(block->bytes + block->used, interval->value.bytes, interval->value.size);
	block->used += interval->value.size;
	return HISTREE_OK;
}

enum histree_status tree_inserter_add(struct tree_inserter *inserter, const struct histree_interval *intervals,
				      size_t count, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		struct inserter_block *block = &inserter->blocks[inserter->filling];
		if (!has_bytes(&intervals[i]))
			block->intervals[block->count++] = intervals[i];
		else
			status = add_with_bytes(inserter, &intervals[i], error);
		block = &inserter->blocks[inserter->filling];
		if (status == HISTREE_OK && block->count == INSERTER_INTERVALS)
			status = hand_over(inserter, error);
	}
	return status;
}

enum histree_status tree_inserter_wait(struct tree_inserter *inserter, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (inserter->blocks[inserter->filling].count > 0)
		status = hand_over(inserter, error);
	enum histree_status rest = wait(inserter, error);
	return status != HISTREE_OK ? status : rest;
}

void tree_inserter_free(struct tree_inserter *inserter)
{
	if (inserter == NULL)
		return;
	crew_finish(inserter->crew, &inserter->task);
	for (unsigned i = 0; i < 2; i++) {
		free(inserter->blocks[i].intervals);
		free(inserter->blocks[i].bytes);
	}
	free(inserter);
}
