// SPDX-License-Identifier: MIT
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "server/catalogue/catalogue_inside.h"

/* Somebody holds the lock, which can only be the caller; each entry holds its dataset. */
static void catalogue_assert(struct catalogue *catalogue)
{
	assert(pthread_mutex_trylock(&catalogue->lock) == EBUSY);
	for (size_t kind = 0; kind < CATALOGUE_KIND_COUNT; kind++) {
		const struct catalogue_entries *entries = &catalogue->kinds[kind];
		assert(entries->count <= CATALOGUE_ENTRIES_MAX);
		for (size_t i = 0; i < entries->count; i++)
			assert(entries->entries[i]->dataset->holders > 0);
	}
}

void catalogue_entry_free(struct catalogue_entry *entry)
{
	if (entry == NULL)
		return;
	for (size_t i = 0; i < entry->trace_uuid_count; i++)
		free(entry->trace_uuids[i]);
	free(entry->trace_uuids);
	dataset_release(entry->dataset);
	free(entry->name);
	free(entry->path);
	free(entry);
}

const struct allowed_paths *catalogue_readable(const struct catalogue *catalogue)
{
	return catalogue->trusts_stores ? NULL : &catalogue->allowed;
}

struct catalogue_entry *catalogue_entry_create(const char *uuid, const char *name, struct dataset *dataset)
{
	struct catalogue_entry *entry = calloc(1, sizeof(*entry));
	if (entry == NULL) {
		dataset_release(dataset);
		return NULL;
	}
	memcpy(entry->uuid, uuid, UUID_TEXT_SIZE);
	entry->dataset = dataset;
	entry->name = strdup(name);
	if (entry->name != NULL)
		return entry;
	catalogue_entry_free(entry);
	return NULL;
}

size_t catalogue_index(const struct catalogue *catalogue, enum catalogue_kind kind, const char *uuid)
{
	const struct catalogue_entries *entries = &catalogue->kinds[kind];
	size_t i = 0;
	while (i < entries->count && strcmp(entries->entries[i]->uuid, uuid) != 0)
		i++;
	return i;
}

const struct catalogue_entry *catalogue_locked(const struct catalogue *catalogue, enum catalogue_kind kind,
					       const char *uuid)
{
	size_t index = catalogue_index(catalogue, kind, uuid);
	return index < catalogue->kinds[kind].count ? catalogue->kinds[kind].entries[index] : NULL;
}

const struct catalogue_entry *catalogue_find_name(const struct catalogue *catalogue, enum catalogue_kind kind,
						  const char *name)
{
	const struct catalogue_entries *entries = &catalogue->kinds[kind];
	for (size_t i = 0; i < entries->count; i++)
		if (strcmp(entries->entries[i]->name, name) == 0)
			return entries->entries[i];
	return NULL;
}

static bool is_named(const struct catalogue *catalogue, const struct dataset *dataset)
{
	for (size_t kind = 0; kind < CATALOGUE_KIND_COUNT; kind++)
		for (size_t i = 0; i < catalogue->kinds[kind].count; i++)
			if (catalogue->kinds[kind].entries[i]->dataset == dataset)
				return true;
	return false;
}

enum histree_status catalogue_enter(struct catalogue *catalogue, enum catalogue_kind kind,
				    struct catalogue_entry *entry, struct histree_error *error)
{
	struct catalogue_entries *entries = &catalogue->kinds[kind];
	enum histree_status status = HISTREE_OK;
	assert(entry == NULL || catalogue_index(catalogue, kind, entry->uuid) == entries->count);
	if (entry == NULL || !array_reserve(&entries->entries, &entries->capacity, entries->count + 1))
		status = error_memory(error, "a trace");
	else if (entries->count >= CATALOGUE_ENTRIES_MAX)
		status = error_set(error, HISTREE_ERR_TOO_LARGE, "%d traces or experiments are open; close some",
				   CATALOGUE_ENTRIES_MAX);
	if (status == HISTREE_OK)
		entries->entries[entries->count++] = entry;
	else if (entry != NULL && !is_named(catalogue, entry->dataset))
		dataset_cancel(entry->dataset);
	if (status != HISTREE_OK)
		catalogue_entry_free(entry);
	catalogue_assert(catalogue);
	return status;
}

void catalogue_drop(struct catalogue *catalogue, enum catalogue_kind kind, size_t index)
{
	struct catalogue_entries *entries = &catalogue->kinds[kind];
	catalogue_assert(catalogue);
	assert(index < entries->count);
	struct catalogue_entry *entry = entries->entries[index];
	entries->count--;
	memmove(entries->entries + index, entries->entries + index + 1,
		(entries->count - index) * sizeof(*entries->entries));
	if (!is_named(catalogue, entry->dataset))
		dataset_cancel(entry->dataset);
	catalogue_entry_free(entry);
}
