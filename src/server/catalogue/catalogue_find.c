// SPDX-License-Identifier: MIT
#include <string.h>

#include "server/catalogue/catalogue_inside.h"

/* ---- looking ----------------------------------------------------------------------------------------- */

void catalogue_each(struct catalogue *catalogue, enum catalogue_kind kind, catalogue_visit *visit, void *context)
{
	pthread_mutex_lock(&catalogue->lock);
	for (size_t i = 0; i < catalogue->kinds[kind].count; i++)
		visit(context, catalogue, catalogue->kinds[kind].entries[i]);
	pthread_mutex_unlock(&catalogue->lock);
}

bool catalogue_find(struct catalogue *catalogue, enum catalogue_kind kind, const char *uuid, catalogue_visit *visit,
		    void *context)
{
	pthread_mutex_lock(&catalogue->lock);
	const struct catalogue_entry *entry = catalogue_locked(catalogue, kind, uuid);
	if (entry != NULL)
		visit(context, catalogue, entry);
	pthread_mutex_unlock(&catalogue->lock);
	return entry != NULL;
}

struct dataset *catalogue_dataset(struct catalogue *catalogue, const char *uuid)
{
	pthread_mutex_lock(&catalogue->lock);
	const struct catalogue_entry *entry = catalogue_locked(catalogue, CATALOGUE_EXPERIMENTS, uuid);
	struct dataset *dataset = entry != NULL ? dataset_hold(entry->dataset) : NULL;
	pthread_mutex_unlock(&catalogue->lock);
	return dataset;
}

/* ---- removing ---------------------------------------------------------------------------------------- */

static bool is_in_experiment(const struct catalogue *catalogue, const char *trace_uuid)
{
	const struct catalogue_entries *experiments = &catalogue->kinds[CATALOGUE_EXPERIMENTS];
	for (size_t i = 0; i < experiments->count; i++)
		for (size_t k = 0; k < experiments->entries[i]->trace_uuid_count; k++)
			if (strcmp(experiments->entries[i]->trace_uuids[k], trace_uuid) == 0)
				return true;
	return false;
}

enum catalogue_result catalogue_remove(struct catalogue *catalogue, enum catalogue_kind kind, const char *uuid,
				       catalogue_visit *visit, void *context)
{
	enum catalogue_result result = CATALOGUE_OK;
	pthread_mutex_lock(&catalogue->lock);
	size_t index = catalogue_index(catalogue, kind, uuid);
	if (index == catalogue->kinds[kind].count)
		result = CATALOGUE_UNKNOWN;
	else if (kind == CATALOGUE_TRACES && is_in_experiment(catalogue, uuid))
		result = CATALOGUE_IN_USE;
	if (result != CATALOGUE_UNKNOWN)
		visit(context, catalogue, catalogue->kinds[kind].entries[index]);
	if (result == CATALOGUE_OK)
		catalogue_drop(catalogue, kind, index);
	pthread_mutex_unlock(&catalogue->lock);
	return result;
}
