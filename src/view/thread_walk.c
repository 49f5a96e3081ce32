// SPDX-License-Identifier: MIT
#include "view/thread_walk.h"

#include "query/attribute_names.h"
#include "query/thread_quarks.h"

const char *const thread_fact_names[THREAD_FACT_COUNT] = { "Exec_name", "PID", "PPID", "Process" };

static void find_shape(struct thread_walk *walk, histree_quark node)
{
	const struct histree_attributes *attributes = walk->attributes;
	const struct attribute_source *source = attributes->source;
	struct thread_shape *shape = &walk->shape;
	*shape = (struct thread_shape){ .run = walk->near.number,
					.is_of_run = walk->near.count > 0 && !walk->near.late };
	for (histree_quark child = source->first_child(attributes, node, &walk->near); child != HISTREE_ROOT;
	     child = source->next_sibling(attributes, child, &walk->near)) {
		struct attribute_name name = source->name(attributes, child, &walk->near);
		if (name.text == NULL)
			continue;
		if (attribute_name_is(name.text, name.size, "System_call"))
			shape->system_call = child - node;
		else if (attribute_name_is(name.text, name.size, "Status"))
			shape->status = child - node;
		for (uint32_t fact = 0; fact < THREAD_FACT_COUNT; fact++)
			if (attribute_name_is(name.text, name.size, thread_fact_names[fact]))
				shape->facts[fact] = child - node;
	}
}

void thread_walk_begin(struct thread_walk *walk, const struct histree_attributes *attributes)
{
	histree_quark group;
	*walk = (struct thread_walk){ .attributes = attributes, .node = HISTREE_ROOT };
	if (histree_attributes_find(attributes, HISTREE_ROOT, "Threads", &group) == HISTREE_OK)
		walk->node = attributes->source->first_child(attributes, group, &walk->near);
}

bool thread_walk_next(struct thread_walk *walk, struct histree_thread *out)
{
	const struct attribute_source *source = walk->attributes->source;
	bool is_thread = false;
	while (walk->node != HISTREE_ROOT && !is_thread) {
		const histree_quark node = walk->node;
		const struct attribute_name name = source->name(walk->attributes, node, &walk->near);
		*out = (struct histree_thread){ .name = "",
						.ppid = -1,
						.ppid_since = INT64_MIN,
						.last_status = -1,
						.first = INT64_MAX,
						.last = INT64_MIN,
						.node = node };
		is_thread = thread_name_parse(&name, &out->tid, &out->cpu);
		if (is_thread && (!walk->shape.is_of_run || walk->shape.run != walk->near.number))
			find_shape(walk, node);
		walk->node = source->next_sibling(walk->attributes, node, &walk->near);
	}
	if (!is_thread)
		return false;
	out->pid = out->tid;
	out->status = out->node + walk->shape.status;
	out->system_call = walk->shape.system_call != 0 ? out->node + walk->shape.system_call : HISTREE_ROOT;
	return true;
}
