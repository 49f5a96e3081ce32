// SPDX-License-Identifier: MIT
#include "analysis/kernel/kernel_provider.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/class_table.h"
#include "analysis/kernel/kernel_gap.h"
#include "analysis/kernel/kernel_layout.h"
#include "analysis/kernel/system_calls.h"
#include "base/error.h"

struct kernel_provider {
	const struct kernel_version *version;
	struct kernel_model model;
	struct system_calls calls;
	struct class_table bindings; /* struct provider_binding */
};

struct provider_binding {
	struct kernel_binding kernel;
	/* Field; EVENT_NO_FIELD also for LTTng's events, of which Trace Compass does not ask for it. */
	uint32_t own_tid;
};

bool kernel_provider_applies(const struct event_trace *trace)
{
	return kernel_layout_knows(trace);
}

enum histree_status kernel_provider_create(const struct kernel_version *version,
					   struct histree_state_system *system, void **instance,
					   struct histree_error *error)
{
	*instance = NULL;
	struct kernel_provider *provider = calloc(1, sizeof(*provider));
	if (provider == NULL)
		return error_memory(error, "the kernel analysis");
	provider->version = version;
	kernel_model_init(&provider->model, system, version->status_on_node);
	*instance = provider;
	return HISTREE_OK;
}

/* NULL when memory is out. */
static const struct provider_binding *binding_of(struct kernel_provider *provider, const struct event_class *class)
{
	const struct provider_binding *known = class_table_find(&provider->bindings, class);
	if (known != NULL)
		return known;
	struct provider_binding binding = { .kernel = kernel_layout_bind(class), .own_tid = EVENT_NO_FIELD };
	if (provider->version->runs != NULL && kernel_layout_is_perf(class->trace))
		binding.own_tid = kernel_layout_own_tid(class);
	return class_table_add(&provider->bindings, class, &binding, sizeof(binding));
}

/* A system call that has only a number gets its name, which then stands for the event's as well. */
static enum histree_status name_call(struct kernel_provider *provider, const struct event_trace *trace,
				     struct kernel_event *event, struct histree_error *error)
{
	const char *name = system_calls_name(&provider->calls, trace, event->number);
	if (name == NULL)
		return error_memory(error, "names of system calls");
	event->name = (struct kernel_text){ name, strlen(name) };
	event->event_name = event->name;
	return HISTREE_OK;
}

enum histree_status kernel_provider_event(void *instance, const struct event *event, struct histree_error *error)
{
	struct kernel_provider *provider = instance;
	const struct provider_binding *binding = binding_of(provider, event->class);
	if (binding == NULL)
		return error_memory(error, "classes of events");
	enum kernel_role role = binding->kernel.role;
	struct kernel_event kernel_event;
	if (provider->version->handlers[role] == NULL ||
	    !kernel_event_decode(&binding->kernel, event, &kernel_event))
		return HISTREE_OK;
	if (role == KERNEL_SYSCALL_ENTRY && kernel_event.name.bytes == NULL) {
		enum histree_status status = name_call(provider, event->class->trace, &kernel_event, error);
		if (status != HISTREE_OK)
			return status;
	}
	int64_t own_tid;
	changes_begin(&provider->model.changes, event->time);
	if (provider->model.has_gaps)
		kernel_settle(&provider->model, kernel_event.cpu, role);
	/* A switch says it itself. */
	if (role != KERNEL_SWITCH && event_int(event, binding->own_tid, &own_tid) && own_tid >= 0)
		provider->version->runs(&provider->model, kernel_event.cpu, (int32_t)own_tid);
	provider->version->handlers[role](&provider->model, &kernel_event);
	return changes_end(&provider->model.changes, error);
}

enum histree_status kernel_provider_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct kernel_provider *provider = instance;
	changes_begin(&provider->model.changes, gap->begin);
	kernel_begin_gap(&provider->model, gap->cpu, gap->end);
	return changes_end(&provider->model.changes, error);
}

uint64_t kernel_provider_refused(const void *instance)
{
	const struct kernel_provider *provider = instance;
	return provider->model.changes.refused;
}

void kernel_provider_free(void *instance)
{
	struct kernel_provider *provider = instance;
	if (provider == NULL)
		return;
	kernel_model_release(&provider->model);
	system_calls_release(&provider->calls);
	class_table_release(&provider->bindings);
	free(provider);
}
