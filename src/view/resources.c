// SPDX-License-Identifier: MIT
/*
 * resources.c - the CPUs and interrupts of a history as rows, children in the order of their numbers.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "query/thread_pieces.h"
#include "view/view.h"

/* Longer names of interrupts are cut. */
enum { RESOURCE_NAME_SIZE = 96 };

struct histree_resources {
	struct histree_resource *list;
	size_t count, capacity;
	struct arena names;
};

static const char *softirq_name(int32_t number)
{
	static const char *const names[] = { "hi",       "timer",   "net tx", "net rx",  "block",
					     "irq poll", "tasklet", "sched",  "hrtimer", "rcu" };
	bool known = number >= 0 && (size_t)number < sizeof(names) / sizeof(names[0]);
	return known ? names[number] : "";
}

static enum histree_status resources_add(struct histree_resources *resources, struct histree_resource resource,
					 const char *name, struct histree_error *error)
{
	resource.name = arena_copy(&resources->names, name, strlen(name));
	if (resource.name == NULL || !array_reserve(&resources->list, &resources->capacity, resources->count + 1))
		return error_memory(error, "the resources");
	resources->list[resources->count++] = resource;
	return HISTREE_OK;
}

/* ---- children in the order of their numbers --------------------------------------------------------------- */

/* In `kernel-compact` interrupts are children of their CPU: a softirq's name has a minus, and no slash. */
enum name_sign { ANY_NAME, PLAIN_NAME, MINUS_NAME };

struct numbered {
	int32_t number;
	histree_quark quark;
};

COMPARE(compare_numbers, struct numbered, BY(number) BY(quark))

/* The caller frees *out.  `sign`: which of the names with or without one. */
static enum histree_status numbered_children(const struct histree_attributes *attributes, histree_quark parent,
					     enum name_sign sign, struct numbered **out, size_t *count,
					     struct histree_error *error)
{
	size_t capacity = 0;
	*out = NULL;
	*count = 0;
	for (histree_quark child = histree_attributes_first_child(attributes, parent); child != HISTREE_ROOT;
	     child = histree_attributes_next_sibling(attributes, child)) {
		char name[RESOURCE_NAME_SIZE];
		int32_t number;
		size_t size = histree_attributes_name(attributes, child, name, sizeof(name));
		size = size < sizeof(name) ? size : sizeof(name) - 1; /* longer ones are cut */
		if (leading_number(name, size, &number) == 0)
			continue;
		bool has_minus = size > 0 && name[0] == '-' && memchr(name, '/', size) == NULL;
		if (sign != ANY_NAME && has_minus != (sign == MINUS_NAME))
			continue;
		number = sign == MINUS_NAME ? -number : number;
		if (!array_reserve(out, &capacity, *count + 1)) {
			free(*out);
			*out = NULL;
			return error_memory(error, "the resources");
		}
		(*out)[(*count)++] = (struct numbered){ number, child };
	}
	if (*count > 1)
		qsort(*out, *count, sizeof(**out), compare_numbers);
	return HISTREE_OK;
}

/* ---- what there is ---------------------------------------------------------------------------------------- */

/*
 * The interrupts of `above`, a CPU or all of them together: below its attribute `group`, or its own children, or
 * those of `Interrupts`.
 */
static enum histree_status add_interrupts(struct histree_resources *resources,
					  const struct histree_attributes *attributes, histree_quark above,
					  const char *group, struct histree_resource pattern,
					  struct histree_error *error)
{
	histree_quark parent = above;
	enum name_sign sign = pattern.kind == HISTREE_RESOURCE_SOFT_IRQ ? MINUS_NAME : PLAIN_NAME;
	if (histree_attributes_find(attributes, above, group, &parent) == HISTREE_OK)
		sign = ANY_NAME;
	else if (above != HISTREE_ROOT)
		parent = above;
	else if (histree_attributes_find(attributes, above, "Interrupts", &parent) != HISTREE_OK)
		return HISTREE_OK;

	/* The interrupts that are children of an attribute. */
	struct numbered *children;
	size_t count;
	enum histree_status status = numbered_children(attributes, parent, sign, &children, &count, error);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		char text[RESOURCE_NAME_SIZE], name[RESOURCE_NAME_SIZE];
		size_t size = histree_attributes_name(attributes, children[i].quark, name, sizeof(name));
		size = size < sizeof(name) ? size : sizeof(name) - 1; /* longer ones are cut */
		const char *slash = memchr(name, '/', size);          /* NUMBER/NAME */
		if (pattern.kind == HISTREE_RESOURCE_SOFT_IRQ)
			snprintf(text, sizeof(text), "softirq %d %s", children[i].number,
				 softirq_name(children[i].number));
		else if (slash != NULL)
			snprintf(text, sizeof(text), "IRQ %d %.*s", children[i].number,
				 (int)(name + size - slash - 1), slash + 1);
		else
			snprintf(text, sizeof(text), "IRQ %d", children[i].number);
		pattern.number = children[i].number;
		pattern.quark = children[i].quark;
		status = resources_add(resources, pattern, text, error);
	}
	free(children);
	return status;
}

static enum histree_status add_cpu(struct histree_resources *resources, const struct histree_attributes *attributes,
				   struct numbered node, struct histree_error *error)
{
	static const struct {
		const char *attribute, *name;
		enum histree_resource_kind kind;
	} parts[] = {
		{ "Current_thread", "thread", HISTREE_RESOURCE_CURRENT_THREAD },
		{ "Frequency", "frequency", HISTREE_RESOURCE_FREQUENCY },
	};
	struct histree_resource resource = {
		.kind = HISTREE_RESOURCE_CPU,
		.cpu = node.number,
		.number = -1,
		.quark = node.quark,
		.parent = HISTREE_NO_INDEX,
	};
	char text[RESOURCE_NAME_SIZE];
	histree_quark status_quark;
	if (histree_attributes_find(attributes, node.quark, "Status", &status_quark) == HISTREE_OK)
		resource.quark = status_quark;
	snprintf(text, sizeof(text), "CPU %d", node.number);
	enum histree_status status = resources_add(resources, resource, text, error);
	resource.parent = (uint32_t)resources->count - 1;
	for (int i = 0; i < 2 && status == HISTREE_OK; i++) {
		resource.kind = parts[i].kind;
		if (histree_attributes_find(attributes, node.quark, parts[i].attribute, &resource.quark) !=
		    HISTREE_OK)
			continue;
		snprintf(text, sizeof(text), "CPU %d %s", node.number, parts[i].name);
		status = resources_add(resources, resource, text, error);
	}
	resource.kind = HISTREE_RESOURCE_IRQ;
	if (status == HISTREE_OK)
		status = add_interrupts(resources, attributes, node.quark, "IRQs", resource, error);
	resource.kind = HISTREE_RESOURCE_SOFT_IRQ;
	if (status == HISTREE_OK)
		status = add_interrupts(resources, attributes, node.quark, "Soft_IRQs", resource, error);
	return status;
}

static enum histree_status add_cpus(struct histree_resources *resources,
				    const struct histree_attributes *attributes, struct histree_error *error)
{
	histree_quark group;
	struct numbered *cpus;
	size_t count;
	if (histree_attributes_find(attributes, HISTREE_ROOT, "CPUs", &group) != HISTREE_OK)
		return HISTREE_OK;
	enum histree_status status = numbered_children(attributes, group, ANY_NAME, &cpus, &count, error);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		status = add_cpu(resources, attributes, cpus[i], error);
	free(cpus);
	return status;
}

enum histree_status histree_resources_create(struct histree_history *history, struct histree_resources **out,
					     struct histree_error *error)
{
	*out = NULL;
	const struct histree_attributes *attributes = histree_history_attributes(history);
	struct histree_resources *resources = calloc(1, sizeof(*resources));
	if (resources == NULL)
		return error_memory(error, "the resources");
	struct histree_resource together = { .kind = HISTREE_RESOURCE_IRQ, .cpu = -1, .parent = HISTREE_NO_INDEX };
	enum histree_status status = add_cpus(resources, attributes, error);
	if (status == HISTREE_OK)
		status = add_interrupts(resources, attributes, HISTREE_ROOT, "IRQs", together, error);
	together.kind = HISTREE_RESOURCE_SOFT_IRQ;
	if (status == HISTREE_OK)
		status = add_interrupts(resources, attributes, HISTREE_ROOT, "Soft_IRQs", together, error);
	if (status == HISTREE_OK)
		*out = resources;
	else
		histree_resources_free(resources);
	return status;
}

const struct histree_resource *histree_resources_list(const struct histree_resources *resources, uint32_t *count)
{
	*count = (uint32_t)resources->count;
	return resources->list;
}

void histree_resources_free(struct histree_resources *resources)
{
	if (resources == NULL)
		return;
	free(resources->list);
	arena_release(&resources->names);
	free(resources);
}
