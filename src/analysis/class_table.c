// SPDX-License-Identifier: MIT
#include "analysis/class_table.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"

const void *class_table_add(struct class_table *table, const struct event_class *class, const void *binding,
			    size_t size)
{
	if (!array_reserve(&table->bindings, &table->capacity, (size_t) class->id + 1))
		return NULL;
	while (table->count <= class->id)
		table->bindings[table->count++] = NULL;
	void *copy = arena_allocate(&table->memory, size, alignof(max_align_t));
	if (copy != NULL)
		memcpy(copy, binding, size);
	table->bindings[class->id] = copy;
	return copy;
}

void class_table_release(struct class_table *table)
{
	free((void *)table->bindings);
	arena_release(&table->memory);
	*table = (struct class_table){ 0 };
}
