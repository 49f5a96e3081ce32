/* SPDX-License-Identifier: MIT */
/*
 * class_table.h - what an analysis has found out about each event class: its binding.
 *
 * Made when the first event of a class comes; from then on an event costs one look into an array.
 */
#ifndef ANALYSIS_CLASS_TABLE_H
#define ANALYSIS_CLASS_TABLE_H

#include "base/arena.h"
#include "event/event.h"

/* A zeroed one is empty. */
struct class_table {
	const void **bindings; /* by the id of the class; NULL: none yet */
	size_t count, capacity;
	struct arena memory;
};

/* Returns the binding of a class, or NULL. */
static inline const void *class_table_find(const struct class_table *table, const struct event_class *class)
{
	return class->id < table->count ? table->bindings[class->id] : NULL;
}

/* Keep a copy of the binding of a class and return it; NULL when memory is out. */
const void *class_table_add(struct class_table *table, const struct event_class *class, const void *binding,
			    size_t size);

void class_table_release(struct class_table *table);

#endif
