// SPDX-License-Identifier: MIT
/*
 * kernel_input.c - looks up names of system calls in libseccomp's tables, once for each number of a trace.
 */
#include "analysis/kernel/kernel_input.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_layout.h"
#include "analysis/kernel/kernel_machine.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/library.h"
#include "event/event.h"

/* ---- system calls -------------------------------------------------------------------------------------------- */

/*
 * The functions of libseccomp, as <seccomp.h> declares them; that header is not needed to build histree.  The token
 * of an architecture is 0 if there is none of this name; the caller frees a name, which may be NULL.
 */
uint32_t seccomp_arch_resolve_name(const char *architecture);

char *seccomp_syscall_resolve_num_arch(uint32_t architecture, int number);

#define SECCOMP_FUNCTIONS(F) F(seccomp_, arch_resolve_name) F(seccomp_, syscall_resolve_num_arch)
static struct {
	SECCOMP_FUNCTIONS(LIBRARY_POINTER)
} lib_seccomp;

static struct library seccomp =
	LIBRARY("libseccomp.so.2", "names of system calls (Debian: libseccomp2)", SECCOMP_FUNCTIONS, lib_seccomp);

/* libseccomp's token for what uname calls the machine; 0 if it has none, or is not there. */
static uint32_t architecture_of(const char *machine)
{
	static const struct {
		const char *machine, *architecture;
	} other_names[] = {
		{ "i386", "x86" },   { "i486", "x86" },   { "i586", "x86" },   { "i686", "x86" },
		{ "armv6l", "arm" }, { "armv7l", "arm" }, { "armv8l", "arm" },
	};
	for (size_t i = 0; i < sizeof(other_names) / sizeof(other_names[0]); i++)
		if (strcmp(machine, other_names[i].machine) == 0)
			machine = other_names[i].architecture;
	return library_load(&seccomp, NULL) == HISTREE_OK ? lib_seccomp.arch_resolve_name(machine) : 0;
}

/*
 * By the machine of the trace.  A number that it does not have, or a machine that is not known, gives
 * "syscall_NUMBER".  The name lives as long as the table; NULL when memory runs out.
 */
static const char *system_calls_name(struct system_calls *calls, const struct event_trace *trace, int32_t number)
{
	uint64_t id = (uint64_t)trace->id << 32 | (uint32_t)number;
	char *name = id_map_find(&calls->names, id);
	if (name != NULL)
		return name;
	uint32_t architecture = architecture_of(trace->machine);
	char *known = NULL;
	if (architecture != 0 && number >= 0)
		known = lib_seccomp.syscall_resolve_num_arch(architecture, number);
	char unknown[32];
	snprintf(unknown, sizeof(unknown), "syscall_%" PRId32, number);
	const char *called = known != NULL ? known : unknown;
	char *copy = arena_copy(&calls->texts, called, strlen(called));
	free(known);
	name = copy;
	return name != NULL && id_map_add(&calls->names, id, name) ? name : NULL;
}

/* ---- kernel input -------------------------------------------------------------------------------------------- */

/* From these the machine learns. */
static const uint64_t teaching =
	UINT64_C(1) << KERNEL_SWITCH | UINT64_C(1) << KERNEL_FORK | UINT64_C(1) << KERNEL_NEW_TASK |
	UINT64_C(1) << KERNEL_PERF_FORK | UINT64_C(1) << KERNEL_FREE | UINT64_C(1) << KERNEL_PROCESS_STATE |
	UINT64_C(1) << KERNEL_RENAME | UINT64_C(1) << KERNEL_EXEC | UINT64_C(1) << KERNEL_PERF_NAME;

static enum histree_status create(void **out, struct histree_error *error)
{
	struct kernel_input *input = calloc(1, sizeof(*input));
	*out = input;
	if (input == NULL)
		return error_memory(error, "the analyses of a kernel trace");
	machine_init(&input->machine);
	input->event.not_kept = &input->machine;
	input->latest = input->start = input->now = INT64_MIN;
	return HISTREE_OK;
}

static void use_space(void *instance, struct table_space *tables)
{
	struct kernel_input *input = instance;
	machine_use_space(&input->machine, tables);
}

bool kernel_input_knows(const struct event_trace *trace)
{
	return kernel_layout_knows(trace);
}

void kernel_input_want(struct kernel_input *input, enum kernel_role role)
{
	input->wanted |= UINT64_C(1) << role;
}

void kernel_input_need_machine(struct kernel_input *input)
{
	assert(!input->has_start && "an analysis says that it needs the machine when it is made");
	input->needs_machine = true;
	input->event.not_kept = NULL;
	input->wanted |= teaching;
}

/* A machine meets threads in events that are decoded for others, and says in the end what was odd about them. */
static void learn_as(void *instance, const void *other)
{
	struct kernel_input *input = instance;
	const struct kernel_input *from = other;
	input->wanted |= from->wanted;
	if (from->needs_machine)
		kernel_input_need_machine(input);
}

static enum histree_status report(const struct kernel_input *input, struct histree_error *error)
{
	switch (input->machine.fault) {
	case MACHINE_IS_WELL:
		return HISTREE_OK;
	case MACHINE_HAS_NO_MEMORY:
		return error_memory(error, "the threads and CPUs of the trace");
	case MACHINE_IS_NOT_DECLARED:
		break;
	}
	return error_set(error, HISTREE_ERR_INTERNAL,
			 "an analysis asks for the thread or the CPU of an event, and has not said so when it was "
			 "made: it needs 'needs_machine' in its kind, or kernel_input_need_machine()");
}

/* Returns NULL when memory runs out. */
static const struct kernel_binding *binding_of(struct kernel_input *input, const struct event_class *class)
{
	const struct kernel_binding *known = class_table_find(&input->bindings, class);
	if (known != NULL)
		return known;
	const struct kernel_binding binding = kernel_layout_bind(class);
	input->has_switches |= binding.role == KERNEL_SWITCH && !binding.is_record;
	return class_table_add(&input->bindings, class, &binding, sizeof(binding));
}

enum kernel_role kernel_input_role(struct kernel_input *input, const struct event_class *class)
{
	const struct kernel_binding *binding = binding_of(input, class);
	return binding != NULL ? binding->role : kernel_layout_role(class);
}

/* The thread that the event names, else the one that runs on its CPU. */
static struct machine_thread *thread_of(struct kernel_input *input, const struct kernel_event *event)
{
	if (machine_is_in_switch(event)) /* even if it has ended by that */
		return event->on_cpu->left;
	if (event->own_tid >= 0)
		return machine_thread_of_event(&input->machine, (int32_t)event->own_tid);
	return event->on_cpu != NULL ? event->on_cpu->thread : NULL;
}

static enum histree_status decode(struct kernel_input *input, const struct kernel_binding *binding,
				  const struct event *source, struct histree_error *error)
{
	struct kernel_event *event = &input->event;
	if (!kernel_event_decode(binding, source, event)) {
		event->role = KERNEL_NO_ROLE;
		return HISTREE_OK;
	}
	if (input->needs_machine) {
		if (event->on_cpu == NULL || event->on_cpu->number != event->cpu)
			event->on_cpu = machine_cpu(&input->machine, event->cpu);
		event->in_thread = thread_of(input, event);
		event->thread = binding->has_tid ? machine_thread(&input->machine, event->tid) : NULL;
		event->previous =
			event->role == KERNEL_SWITCH ? machine_thread_leaving(&input->machine, event) : NULL;
		/* Others do not say who runs. */
		if (event->role == KERNEL_SWITCH || (event->own_tid >= 0 && !machine_is_in_switch(event)))
			machine_meet(&input->machine, event);
	}
	if (binding->has_call_number &&
	    (event->role == KERNEL_SYSCALL_ENTRY || (event->has & HAS_CALL_NUMBER) != 0)) {
		/* A system call that has only a number gets its name, which is then the event's as well. */
		const char *name = system_calls_name(&input->calls, event->source->class->trace, event->number);
		if (name == NULL)
			return error_memory(error, "names of system calls");
		event->event_name = event->name = (struct kernel_text){ name, strlen(name) };
		return HISTREE_OK;
	}
	return HISTREE_OK;
}

/* The order of events decides, not their times, where a clock steps back. */
static inline void see_time(struct kernel_input *input, histree_time time)
{
	if (!input->has_start)
		input->start = input->now = time;
	input->has_start = true;
	input->now = time > input->now ? time : input->now;
}

static enum histree_status begin_event(struct kernel_input *input, const struct event *event,
				       struct histree_error *error)
{
	const struct kernel_binding *binding = binding_of(input, event->class);
	if (binding == NULL)
		return error_memory(error, "classes of events");
	if (!binding->is_kernel)
		return HISTREE_OK;
	see_time(input, event->time);
	machine_end_gap(&input->machine, event->cpu, event->time);
	if ((input->wanted >> binding->role & 1) == 0 || (binding->is_record && input->has_switches))
		return HISTREE_OK;
	return decode(input, binding, event, error);
}

static void begin_gap(struct kernel_input *input, const struct event_gap *gap)
{
	see_time(input, gap->begin);
	machine_begin_gap(&input->machine, gap);
}

static enum histree_status kernel_input_begin(void *instance, const struct event *event,
					      struct histree_error *error)
{
	struct kernel_input *input = instance;
	assert(!input->is_begun);
	input->is_begun = true;
	input->event.role = KERNEL_NO_ROLE;
	enum histree_status status = HISTREE_OK;
	if (event->gap == NULL)
		status = begin_event(input, event, error);
	else if (kernel_layout_knows(event->gap->trace))
		begin_gap(input, event->gap);
	return status == HISTREE_OK ? report(input, error) : status;
}

static enum histree_status end(void *instance, struct histree_error *error)
{
	struct kernel_input *input = instance;
	assert(input->is_begun);
	input->is_begun = false;
	if (input->needs_machine && (teaching >> input->event.role & 1) != 0)
		machine_learn(&input->machine, &input->event);
	return report(input, error);
}

static void free_input(void *instance)
{
	struct kernel_input *input = instance;
	machine_release(&input->machine);
	class_table_release(&input->bindings);
	id_map_release(&input->calls.names);
	arena_release(&input->calls.texts);
	free(input);
}

/* ---- for analyses of programs ------------------------------------------------------------------------------ */

enum histree_status kernel_input_create_watch(struct kernel_input **out, struct histree_error *error)
{
	void *input;
	enum histree_status status = create(&input, error);
	*out = input;
	if (status == HISTREE_OK)
		kernel_input_need_machine(*out);
	return status;
}

enum histree_status kernel_input_watch(struct kernel_input *input, const struct event *event,
				       struct histree_error *error)
{
	enum histree_status status = kernel_input_begin(input, event, error);
	if (status != HISTREE_OK || event->gap != NULL)
		return status;
	const struct kernel_binding *binding = class_table_find(&input->bindings, event->class);
	if (binding != NULL && binding->is_kernel)
		input->latest = event->time;
	return HISTREE_OK;
}

/* Some CPU always has an event now and then; clocks that have nothing in common are far apart. */
static bool is_covered(const struct kernel_input *input, histree_time time)
{
	const uint64_t silence_max = UINT64_C(10000000000);
	return input->latest != INT64_MIN &&
	       (time <= input->latest || (uint64_t)time - (uint64_t)input->latest <= silence_max);
}

const struct machine_thread *kernel_input_who_ran(const struct kernel_input *input, const struct event *event)
{
	const struct machine_cpu *cpu =
		event->cpu >= 0 ? id_map_find(&input->machine.cpus, (uint32_t)event->cpu) : NULL;
	return cpu != NULL && cpu->thread != NULL && cpu->thread->tid > 0 && is_covered(input, event->time)
		       ? cpu->thread
		       : NULL;
}

const char *kernel_input_lacks(const struct kernel_input *input)
{
	return input->latest == INT64_MIN ? "" : ", nor does the kernel's trace know who ran on their CPU then";
}

const struct analysis_input_kind kernel_input_kind = {
	.needs = "a trace by perf or trace-cmd, or of domain \"kernel\" by LTTng, with events such as sched_switch",
	.create = create,
	.use_space = use_space,
	.learn_as = learn_as,
	.begin = kernel_input_begin,
	.end = end,
	.free = free_input,
};
