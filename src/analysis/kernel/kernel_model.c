// SPDX-License-Identifier: MIT
/*
 * kernel_model.c - the maps and the memory that the records of a model are in.  Both may lie in the table space of
 * a build: a trace has as many threads as it likes.
 */
#include "analysis/kernel/kernel_model.h"

#include <stdalign.h>
#include <string.h>

#include "analysis/kernel/kernel_slice.h"
#include "state/state_system.h"

void kernel_model_init(struct kernel_model *model, struct histree_state_system *system,
		       const struct kernel_places *places)
{
	*model = (struct kernel_model){
		.changes = { .system = system, .time = INT64_MIN },
		.loss_end = INT64_MIN,
		.places = places,
	};
	for (int group = 0; group < GROUP_COUNT; group++)
		model->groups[group] = NO_ATTRIBUTE;
	struct table_space *tables = state_system_tables(system);
	id_map_use_space(&model->threads, tables);
	id_map_use_space(&model->cpus, tables);
	id_map_use_space(&model->softirqs, tables);
	model->records.space = tables;
}

void kernel_model_release(struct kernel_model *model)
{
	id_map_release(&model->threads);
	id_map_release(&model->cpus);
	id_map_release(&model->softirqs);
	arena_release(&model->records);
	kernel_slice_free(model->slice);
	model->slice = NULL;
}

histree_quark kernel_group(struct kernel_model *model, enum kernel_group group)
{
	const char *name = model->places->groups[group];
	histree_quark *known = &model->groups[group];
	return model->places->groups_are_folders
		       ? changes_folder(&model->changes, known, HISTREE_ROOT, name, strlen(name))
		       : changes_child(&model->changes, known, HISTREE_ROOT, name, strlen(name));
}

void *kernel_record(struct kernel_model *model, size_t size)
{
	void *record = arena_allocate(&model->records, size, alignof(max_align_t));
	if (record == NULL)
		changes_fail(&model->changes, HISTREE_ERR_MEMORY,
			     "no memory for the threads and CPUs of the trace");
	else
		memset(record, 0, size);
	return record;
}

void *kernel_record_in(struct kernel_model *model, struct id_map *map, uint64_t id, size_t size)
{
	void *record = kernel_record(model, size);
	if (record != NULL && !id_map_add(map, id, record)) {
		changes_fail(&model->changes, HISTREE_ERR_MEMORY,
			     "no memory for the threads and CPUs of the trace");
		return NULL;
	}
	return record;
}
