// SPDX-License-Identifier: MIT
#include "query/thread_walk.h"

#include <string.h>

#include "query/attribute_names.h"

const char *thread_fact_name(enum thread_fact fact)
{
	static const char *const names[THREAD_FACT_COUNT] = { "Exec_name",      "PID",       "PPID",
							      "Process",        "Status",    "System_call",
							      "Current_cpu_rq", "Scheduling" };
	return names[fact];
}

/* "42", "-1", and "0_3" for the idle loop of CPU 3. */
static bool parse_name(const struct attribute_name *name, int32_t *tid, int32_t *cpu)
{
	*cpu = -1;
	*tid = (int32_t)name->number;
	if (name->text == NULL)
		return true;
	size_t rest = leading_number(name->text, name->size, tid);
	if (rest == 0)
		return false;
	if (rest == name->size)
		return true;
	const char *after = name->text + rest + 1;
	size_t size = name->size - rest - 1;
	return *tid == 0 && name->text[rest] == '_' && size > 0 && leading_number(after, size, cpu) == size;
}

static void find_offsets(struct thread_walk *walk, histree_quark node)
{
	const struct attribute_source *source = walk->attributes->source;
	memset(walk->offsets, 0, sizeof(walk->offsets));
	walk->run = walk->near.number;
	walk->is_of_run = walk->near.count > 0 && !walk->near.late;
	for (histree_quark child = source->first_child(walk->attributes, node, &walk->near); child != HISTREE_ROOT;
	     child = source->next_sibling(walk->attributes, child, &walk->near)) {
		struct attribute_name name = source->name(walk->attributes, child, &walk->near);
		for (uint32_t fact = 0; name.text != NULL && fact < THREAD_FACT_COUNT; fact++)
			if (attribute_name_is(name.text, name.size, thread_fact_name(fact)))
				walk->offsets[fact] = child - node;
	}
}

void thread_walk_begin(struct thread_walk *walk, const struct histree_attributes *attributes)
{
	*walk = (struct thread_walk){ .attributes = attributes, .above = HISTREE_ROOT, .next = HISTREE_ROOT };
	if (histree_attributes_find(attributes, HISTREE_ROOT, "Threads", &walk->above) == HISTREE_OK)
		walk->next = attributes->source->first_child(attributes, walk->above, &walk->near);
}

bool thread_walk_next(struct thread_walk *walk)
{
	const struct attribute_source *source = walk->attributes->source;
	bool is_thread = false;
	while (walk->next != HISTREE_ROOT && !is_thread) {
		walk->node = walk->next;
		const struct attribute_name name = source->name(walk->attributes, walk->node, &walk->near);
		is_thread = parse_name(&name, &walk->tid, &walk->cpu);
		if (is_thread && (!walk->is_of_run || walk->run != walk->near.number))
			find_offsets(walk, walk->node);
		walk->next = source->next_sibling(walk->attributes, walk->node, &walk->near);
	}
	return is_thread;
}
