// SPDX-License-Identifier: MIT
/*
 * call_stacks.c - the functions that programs of LTTng-UST call, by thread, and the two analyses of them.
 *
 * The names of functions are labels of a history: one table for all processes if they agree on every address, else
 * one for the threads of each.
 *
 * Entries and exits without their partner are counted.
 *
 * The analyses are `ust-calls`, the call stack of each thread as states, and `function-calls`, a segment for each
 * call.
 */
#include "analysis/ust/call_stacks.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/changes.h"
#include "analysis/kernel/kernel_input.h"
#include "analysis/ust/call_symbols.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "event/event.h"
#include "histree/attributes.h"
#include "histree/history.h"
#include "state/labels.h"

/* ---- call stacks --------------------------------------------------------------------------------------------- */

/* Whose thread is in which space; NULL: in none. */
struct call_owner {
	int32_t tid;
	const struct call_space *space;
};

/* ---- call labels --------------------------------------------------------------------------------------------- */

/* The most bytes of a label besides its texts, and of all tables. */
enum { LABEL_BYTES = 40, BYTES_MAX = LABEL_SECTION_SIZE_MAX / 2 };

/* Functions with names, each of an address once. */
struct name_list {
	struct histree_label *labels;
	size_t count, capacity;
	struct id_map known; /* struct call_function by address */
	struct arena texts;
	size_t bytes; /* of the texts of labels */
	bool differ;  /* one address has two names */
	bool joins;   /* then they become one: "main or start" */
};

/* Two programs of one process have different functions at an address: the label says both. */
static bool join(struct name_list *list, struct histree_label *label, const char *name)
{
	char text[HISTREE_LABEL_TEXT_MAX + 1];
	if (!list->joins)
		return true;
	const char *names = label->style.name;
	static const char or [] = " or ";
	const size_t length = strlen(name);
	for (const char *end; names != NULL; names = end != NULL ? end + sizeof(or) - 1 : NULL) {
		end = strstr(names, or);
		if (strncmp(names, name, length) == 0 &&
		    names + length == (end != NULL ? end : names + strlen(names)))
			return true;
	}
	const int size = snprintf(text, sizeof(text), "%s or %s", label->style.name, name);
	if (size >= (int)sizeof(text))
		return true;
	list->bytes += (size_t)size;
	label->style.name = arena_copy(&list->texts, text, (size_t)size);
	return label->style.name != NULL;
}

static bool list_function(struct name_list *list, struct call_function *function)
{
	char text[32];
	const struct call_function *known = id_map_find(&list->known, function->address);
	if (function->name == NULL)
		return true;
	if (known != NULL) {
		const bool differs = strcmp(known->name, function->name) != 0;
		list->differ |= differs;
		return !differs || join(list, &list->labels[known->label], function->name);
	}
	/* What is too much for the labels of a history keeps its address. */
	list->bytes += LABEL_BYTES + 2 * strlen(function->key) + strlen(function->name);
	if (list->count == LABELS_MAX || list->bytes > BYTES_MAX)
		return true;
	const struct histree_value name = histree_string(function->name);
	const struct histree_style *style = histree_style_of(NULL, &name);
	int size = snprintf(text, sizeof(text), "0x%" PRIx64, function->address);
	const char *copy = arena_copy(&list->texts, text, (size_t)size);
	if (copy == NULL || !array_reserve(&list->labels, &list->capacity, list->count + 1) ||
	    !id_map_add(&list->known, function->address, function))
		return false;
	function->label = (uint32_t)list->count;
	/* A function has one colour everywhere: that of its name. */
	list->labels[list->count++] = (struct histree_label){
		.kind = HISTREE_LABEL_TEXT,
		.text = copy,
		.is_code = true,
		.style = { .key = function->key,
			   .name = function->name,
			   .light = style->light,
			   .dark = style->dark,
			   .height = style->height },
	};
	return true;
}

static bool list_functions(struct name_list *list, const struct id_map *functions)
{
	const struct id_entry *function;
	for (size_t i = 0; (function = id_map_next(functions, &i)) != NULL;)
		if (!list_function(list, function->record))
			return false;
	return true;
}

static bool list_space(struct name_list *list, const struct call_space *space)
{
	for (size_t i = 0; i < space->before_count; i++)
		if (!list_functions(list, &space->before[i]))
			return false;
	return list_functions(list, &space->functions);
}

static void release_list(struct name_list *list)
{
	free(list->labels);
	id_map_release(&list->known);
	arena_release(&list->texts);
	*list = (struct name_list){ 0 };
}

struct label_tables_made {
	struct histree_label_table tables[HISTREE_LABEL_TABLES_MAX];
	struct name_list lists[HISTREE_LABEL_TABLES_MAX];
	size_t count;
	struct arena patterns;
};

static const char table_name[] = "function";

/* "Threads/7/CallStack/..." for each thread of a space, or of all of them. */
static const char *const *patterns_of(struct label_tables_made *made, const struct call_owner *owners, size_t count,
				      const struct call_space *space)
{
	size_t used = 0;
	char text[64];
	const char **patterns =
		arena_allocate(&made->patterns, (count + 2) * sizeof(*patterns), alignof(const char *));
	if (patterns == NULL)
		return NULL;
	if (space == NULL)
		patterns[used++] = "Threads/*/CallStack/*";
	for (size_t i = 0; i < count && space != NULL && used < LABEL_PATTERNS_MAX; i++) {
		if (owners[i].space != space)
			continue;
		int size = snprintf(text, sizeof(text), "Threads/%" PRId32 "/CallStack/*", owners[i].tid);
		patterns[used] = arena_copy(&made->patterns, text, (size_t)size);
		if (patterns[used++] == NULL)
			return NULL;
	}
	patterns[used] = NULL;
	return patterns;
}

static bool add_table(struct label_tables_made *made, const struct call_owner *owners, size_t owner_count,
		      const struct call_space *space)
{
	const struct name_list *list = &made->lists[made->count];
	const char *const *patterns = patterns_of(made, owners, owner_count, space);
	if (patterns == NULL)
		return false;
	if (list->count > 0 && patterns[0] != NULL)
		made->tables[made->count++] = (struct histree_label_table){ .name = table_name,
									    .patterns = patterns,
									    .labels = list->labels,
									    .label_count = list->count,
									    .uses_palette = true };
	return true;
}

/* One table for all spaces if they agree; else one for each. */
static bool make_tables(const struct call_symbols *symbols, struct label_tables_made *made,
			const struct call_owner *owners, size_t owner_count)
{
	const struct id_entry *space;
	struct name_list *all = &made->lists[0];
	for (size_t at = 0; (space = id_map_next(&symbols->spaces, &at)) != NULL;)
		if (!list_space(all, space->record))
			return false;
	if (!all->differ)
		return add_table(made, owners, owner_count, NULL);
	release_list(all);
	size_t bytes = 0;
	for (size_t at = 0;
	     made->count < HISTREE_LABEL_TABLES_MAX && (space = id_map_next(&symbols->spaces, &at)) != NULL;) {
		release_list(&made->lists[made->count]);
		made->lists[made->count].bytes = bytes;
		made->lists[made->count].joins = true;
		if (!list_space(&made->lists[made->count], space->record) ||
		    !add_table(made, owners, owner_count, space->record))
			return false;
		bytes = made->lists[made->count > 0 ? made->count - 1 : 0].bytes;
	}
	return true;
}

/* Look for all names, and hand them to a history as labels of the threads' stacks. */
static enum histree_status call_labels_write(struct call_symbols *symbols, struct histree_state_system *system,
					     const struct call_owner *owners, size_t owner_count,
					     struct histree_error *error)
{
	if (!symbols->is_on)
		return HISTREE_OK;
	enum histree_status status = call_symbols_name_all(symbols, error);
	struct label_tables_made *made = calloc(1, sizeof(*made));
	if (status == HISTREE_OK && (made == NULL || !make_tables(symbols, made, owners, owner_count)))
		status = error_memory(error, "names of functions");
	if (status == HISTREE_OK && made->count > 0)
		status = histree_state_labels(system, made->tables, made->count, error);
	for (size_t i = 0; made != NULL && i < HISTREE_LABEL_TABLES_MAX; i++)
		release_list(&made->lists[i]);
	if (made != NULL)
		arena_release(&made->patterns);
	free(made);
	return status;
}

/* ---- cpu gaps ------------------------------------------------------------------------------------------------ */

void cpu_gaps_init(struct cpu_gaps *gaps)
{
	*gaps = (struct cpu_gaps){ .end = INT64_MIN, .end_anywhere = INT64_MIN };
}

void cpu_gaps_release(struct cpu_gaps *gaps)
{
	id_map_release(&gaps->cpus);
	arena_release(&gaps->records);
}

static void widen(histree_time *gap_end, histree_time end)
{
	if (end > *gap_end)
		*gap_end = end;
}

static uint64_t cpu_id(const struct event_trace *trace, int32_t cpu)
{
	return (uint64_t)trace->id << 32 | (uint32_t)cpu;
}

static histree_time *end_of(struct cpu_gaps *gaps, const struct event_gap *gap)
{
	if (gap->cpu < 0)
		return &gaps->end_anywhere;
	uint64_t id = cpu_id(gap->trace, gap->cpu);
	histree_time *end = id_map_find(&gaps->cpus, id);
	if (end != NULL)
		return end;
	end = arena_allocate(&gaps->records, sizeof(*end), alignof(histree_time));
	if (end == NULL || !id_map_add(&gaps->cpus, id, end))
		return &gaps->end_anywhere;
	*end = INT64_MIN;
	return end;
}

void cpu_gaps_begin(struct cpu_gaps *gaps, const struct event_gap *gap)
{
	widen(&gaps->end, gap->end);
	widen(end_of(gaps, gap), gap->end);
}

bool cpu_gaps_meet(struct cpu_gaps *gaps, const struct event *event)
{
	if (event->time <= gaps->end) {
		histree_time *end = id_map_find(&gaps->cpus, cpu_id(event->class->trace, event->cpu));
		if (end != NULL && event->time <= *end && event->time != INT64_MIN) {
			*end = event->time - 1;
			gaps->end = gaps->end_anywhere;
			const struct id_entry *entry;
			for (size_t at = 0; (entry = id_map_next(&gaps->cpus, &at)) != NULL;)
				widen(&gaps->end, *(const histree_time *)entry->record);
		}
	}
	return event->time <= gaps->end;
}

/* ---- call stacks --------------------------------------------------------------------------------------------- */

struct call_binding {
	enum call_role role;
	bool is_of_program; /* not of the kernel */
	bool is_of_switch;  /* a thread leaves its CPU within a call, or comes back */
	uint32_t tid, pid, address, site, name, process, level; /* fields */
};

/* Whether a trace may have such events. */
static bool call_stacks_apply(const struct event_trace *trace)
{
	return strcmp(trace->domain, "ust") == 0 || strcmp(trace->tracer_name, "lttng-ust") == 0;
}

/* Walk over the threads: `*position` is 0 at first; returns NULL after the last one. */
static struct call_thread *call_stacks_next(const struct call_stacks *stacks, size_t *position)
{
	const struct id_entry *entry = id_map_next(&stacks->threads, position);
	return entry == NULL ? NULL : entry->record;
}

const char *call_name(const struct call_frame *frame, char room[static CALL_NAME_SIZE])
{
	if (frame->name != NULL)
		return frame->name;
	snprintf(room, CALL_NAME_SIZE, "0x%" PRIx64, frame->address);
	return room;
}

/* How it is called by people: by the name that the symbols have for its address, if they are known by now. */
static enum histree_status call_symbol(struct call_stacks *stacks, const struct call_thread *thread,
				       const struct call_frame *frame, const char **name,
				       char room[static CALL_NAME_SIZE], struct histree_error *error)
{
	*name = call_name(frame, room);
	if (frame->function == NULL || thread->space == NULL)
		return HISTREE_OK;
	enum histree_status status = call_symbols_name(&stacks->symbols, thread->space, frame->function, error);
	if (frame->function->name != NULL)
		*name = frame->function->name;
	return status;
}

enum histree_status call_site(struct call_stacks *stacks, const struct call_thread *thread,
			      const struct call_frame *frame, const char **site, struct histree_error *error)
{
	*site = NULL;
	/* Of a program that is over there are no binaries any more. */
	if (frame->site == 0 || frame->function == NULL || thread->space == NULL ||
	    frame->function->program != thread->space->before_count)
		return HISTREE_OK;
	return call_symbols_site(&stacks->symbols, thread->space, frame->site, site, error);
}

/* ---- whose event it is, and what it says ----------------------------------------------------------------- */

static struct call_binding bind_class(const struct event_class *class)
{
	static const struct {
		const char *name;
		enum call_role role;
	} rows[] = {
		{ "lttng_ust_cyg_profile:func_entry", CALL_ENTRY },
		{ "lttng_ust_cyg_profile:func_exit", CALL_EXIT },
		{ "lttng_ust_cyg_profile_fast:func_entry", CALL_ENTRY },
		{ "lttng_ust_cyg_profile_fast:func_exit", CALL_EXIT },
		{ "uftrace:func_entry", CALL_ENTRY },
		{ "uftrace:func_exit", CALL_EXIT },
		{ "uftrace:sched_out", CALL_ENTRY },
		{ "uftrace:sched_in", CALL_EXIT },
	};
	struct call_binding binding = { .role = CALL_NONE, .is_of_program = call_stacks_apply(class->trace) };
	for (size_t i = 0; binding.is_of_program && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(class->name, rows[i].name) == 0)
			binding.role = rows[i].role;
	binding.tid = event_class_field(class, "vtid");
	if (binding.tid == EVENT_NO_FIELD)
		binding.tid = event_class_field(class, "tid");
	binding.pid = event_class_context_field(class, "vpid");
	binding.address = event_class_field(class, "addr");
	binding.site = event_class_field(class, "call_site");
	binding.name = event_class_field(class, "name");
	binding.process = event_class_field(class, "procname");
	binding.level = event_class_field(class, "depth");
	static const char of_switches[] = "uftrace:sched_";
	binding.is_of_switch = strncmp(class->name, of_switches, strlen(of_switches)) == 0;
	return binding;
}

/* Returns NULL when memory runs out. */
static const struct call_binding *binding_of(struct call_stacks *stacks, const struct event_class *class)
{
	const struct call_binding *known = class_table_find(&stacks->bindings, class);
	if (known != NULL)
		return known;
	struct call_binding binding = bind_class(class);
	return class_table_add(&stacks->bindings, class, &binding, sizeof(binding));
}

/* Whose event it is: the map that has the process, and its number there. */
static struct id_map *process_map(struct call_stacks *stacks, const struct event *event,
				  const struct call_binding *binding, uint64_t *id)
{
	int64_t pid;
	if (event_int(event, binding->pid, &pid)) {
		*id = (uint64_t)pid;
		return &stacks->by_pid;
	}
	*id = event->class->trace->id;
	return &stacks->by_trace;
}

/* Returns NULL when memory runs out. */
static struct call_process *process_of(struct call_stacks *stacks, const struct event *event,
				       const struct call_binding *binding)
{
	uint64_t id;
	struct id_map *map = process_map(stacks, event, binding, &id);
	struct call_process *process = id_map_find(map, id);
	if (process != NULL)
		return process;
	process = arena_allocate(&stacks->records, sizeof(*process), alignof(struct call_process));
	if (process == NULL || !id_map_add(map, id, process))
		return NULL;
	process->last = event->time;
	return process;
}

/* Returns NULL when memory runs out. */
static struct call_thread *thread_of(struct call_stacks *stacks, int32_t tid)
{
	struct call_thread *thread = id_map_find(&stacks->threads, (uint32_t)tid);
	if (thread != NULL)
		return thread;
	thread = arena_allocate(&stacks->records, sizeof(*thread), alignof(struct call_thread));
	uint32_t number = (uint32_t)stacks->threads.count;
	if (thread == NULL || !id_map_add(&stacks->threads, (uint32_t)tid, thread))
		return NULL;
	*thread = (struct call_thread){ .number = number, .tid = tid, .last = INT64_MIN };
	return thread;
}

/* ---- calls ----------------------------------------------------------------------------------------------- */

static struct call_frame *innermost(struct call_thread *thread)
{
	return thread->depth > 0 ? &thread->frames[thread->depth - 1] : NULL;
}

/* A call that the innermost one made is not known from its beginning to its end. */
static void miss_call(struct call_thread *thread)
{
	if (thread->depth > 0)
		innermost(thread)->is_whole = false;
}

/* Returns how many frames an exit ends.  `address` is NULL if it does not say of which function. */
static size_t count_ended(const struct call_thread *thread, const uint64_t *address)
{
	if (address == NULL)
		return thread->depth > 0;
	for (size_t i = thread->depth; i > 0; i--)
		if (thread->frames[i - 1].address == *address)
			return thread->depth - (i - 1);
	return 0;
}

/*
 * Cut what cannot be there any more if a call inside that many others begins or ends.  What is no exit of the
 * innermost call that is left ends it, too.
 */
static size_t cut_frames(struct call_thread *thread, int64_t level, const uint64_t *exit)
{
	const size_t depth = thread->depth;
	while (thread->depth > 0) {
		const struct call_frame *frame = innermost(thread);
		const bool stays =
			frame->level < level || (exit != NULL && frame->level == level && frame->address == *exit);
		if (level < 0 || stays)
			break;
		thread->depth--;
	}
	if (thread->depth < depth)
		miss_call(thread);
	return depth - thread->depth;
}

static void call_stacks_leave(struct call_thread *thread, const uint64_t *address, struct call_event *out)
{
	if (thread->too_deep > 0) {
		thread->too_deep--;
		out->outcome = CALL_TOO_DEEP;
		return;
	}
	out->ended = count_ended(thread, address);
	out->outcome = out->ended > 0 ? CALL_ENDED : CALL_UNMATCHED;
	if (out->ended == 0) {
		miss_call(thread);
		return;
	}
	thread->depth -= out->ended;
	struct call_frame *ended = &thread->frames[thread->depth], *caller = innermost(thread);
	ended->is_whole = ended->is_whole && out->ended == 1;
	if (caller != NULL)
		caller->inside += (uint64_t)thread->last - (uint64_t)ended->start;
}

/* ---- gaps ------------------------------------------------------------------------------------------------ */

/* ---- events ---------------------------------------------------------------------------------------------- */

/*
 * `frame` is that of an entry; `address` is NULL if an exit does not have one.  Returns false when memory runs out.
 */
static bool call_stacks_take(struct call_stacks *stacks, const struct event *event, struct call_frame frame,
			     const uint64_t *address, struct call_event *out)
{
	struct call_thread *thread = out->thread;
	/* A call must begin before the calls that it makes: where the clock steps back, time stands still. */
	if (thread->last < event->time)
		thread->last = event->time;
	if (event->time <= stacks->gaps.end) {
		thread->in_doubt = true;
		out->outcome = CALL_IN_GAP;
		return true;
	}
	out->is_anew = thread->in_doubt;
	thread->in_doubt = false;
	out->cut = cut_frames(thread, frame.level, out->role == CALL_ENTRY ? NULL : address);
	if (out->role == CALL_ENTRY) {
		if (thread->depth == CALL_DEPTH_MAX) {
			thread->too_deep++;
			miss_call(thread);
			out->outcome = CALL_TOO_DEEP;
			return true;
		}
		if (!array_reserve(&thread->frames, &thread->capacity, thread->depth + 1))
			return false;
		frame.start = thread->last;
		thread->frames[thread->depth++] = frame;
		out->outcome = CALL_BEGAN;
		return true;
	}
	call_stacks_leave(thread, address, out);
	return true;
}

/* The name of the function that an entry is of, if it has one.  Returns false when memory runs out. */
static bool name_frame(struct call_stacks *stacks, const struct event *event, uint32_t field,
		       struct call_frame *frame)
{
	const char *name;
	size_t size;
	if (!event_string(event, field, &name, &size) || size == 0)
		return true;
	uint32_t number = intern_add(&stacks->names, name, size);
	frame->name = number == INTERN_NONE ? NULL : intern_get(&stacks->names, number, &size);
	return number != INTERN_NONE;
}

/* Calls may be open at the end, where no event says the process any more.  Returns false when memory runs out. */
static bool name_process(struct call_stacks *stacks, const struct call_event *event)
{
	size_t size;
	event->thread->name = NULL;
	if (event->process == NULL)
		return true;
	const uint32_t number = intern_add(&stacks->names, event->process, event->process_size);
	event->thread->name = number == INTERN_NONE ? NULL : intern_get(&stacks->names, number, &size);
	return number != INTERN_NONE;
}

/* The function of a frame, where names are looked for.  Returns false when memory runs out. */
static bool find_function(struct call_stacks *stacks, const struct event *event, const struct call_binding *binding,
			  struct call_thread *thread, struct call_frame *frame)
{
	int64_t pid;
	if (!stacks->symbols.is_on || frame->name != NULL)
		return true;
	if (thread->space == NULL)
		thread->space = call_symbols_space(&stacks->symbols,
						   event_int(event, binding->pid, &pid) ? (uint64_t)pid : 0);
	if (thread->space != NULL)
		frame->function = call_symbols_function(&stacks->symbols, thread->space, frame->address);
	return frame->function != NULL;
}

/* Whether the thread of a switch is in a call, and where it comes back, in that switch. */
static bool is_in_call(const struct call_stacks *stacks, const struct event *event,
		       const struct call_binding *binding, uint64_t address)
{
	int64_t tid;
	struct call_thread *thread =
		event_int(event, binding->tid, &tid) ? id_map_find(&stacks->threads, (uint32_t)tid) : NULL;
	if (thread == NULL || thread->depth == 0)
		return false;
	return binding->role == CALL_ENTRY || innermost(thread)->address == address;
}

/* Returns false when memory runs out. */
static bool follow(struct call_stacks *stacks, const struct event *event)
{
	struct call_event *out = &stacks->event;
	const struct call_binding *binding = binding_of(stacks, event->class);
	if (binding == NULL || !call_symbols_take(&stacks->symbols, event))
		return false;
	cpu_gaps_meet(&stacks->gaps, event);
	/* Any event shows that its process is there, if that has calls. */
	uint64_t id;
	if (stacks->threads.count != 0 && binding->is_of_program) {
		const struct id_map *map = process_map(stacks, event, binding, &id);
		struct call_process *process = id_map_find(map, id);
		if (process != NULL && process->last < event->time)
			process->last = event->time;
	}
	int64_t tid, number = 0, site;
	bool has_address = event_int(event, binding->address, &number);
	/* Only entries need one. */
	if (binding->role == CALL_NONE || (binding->role == CALL_ENTRY && !has_address))
		return true;
	/* Outside of all calls, where uftrace has no switches either, they say nothing of calls. */
	if (binding->is_of_switch && !is_in_call(stacks, event, binding, (uint64_t)number))
		return true;
	out->role = binding->role;
	stacks->entries_and_exits++;
	const struct machine_thread *ran = NULL;
	if (!event_int(event, binding->tid, &tid) && (ran = kernel_input_who_ran(stacks->kernel, event)) == NULL) {
		stacks->of_nobody++;
		stacks->is_unnamed = stacks->is_unnamed || binding->process == EVENT_NO_FIELD;
		return true;
	}
	out->thread = thread_of(stacks, ran != NULL ? ran->tid : (int32_t)tid);
	if (out->thread == NULL)
		return false;
	out->thread->process = process_of(stacks, event, binding);
	if (out->thread->process == NULL)
		return false;
	if (!event_string(event, binding->process, &out->process, &out->process_size)) {
		out->process = ran != NULL ? ran->name : NULL;
		out->process_size = ran != NULL ? ran->name_size : 0;
	}
	if (binding->role == CALL_ENTRY && out->thread->depth == 0 && !name_process(stacks, out))
		return false;
	const uint64_t address = has_address ? (uint64_t)number : 0;
	struct call_frame frame = { .address = address, .level = -1, .is_whole = true };
	/* uftrace has ten bits for it. */
	enum { LEVEL_MAX = 1023 };
	if (out->thread->depth < LEVEL_MAX)
		event_int(event, binding->level, &frame.level);
	/* Who enters or leaves a function is back on a CPU: a switch lies deeper than all of them, and is cut. */
	if (binding->is_of_switch)
		frame.level = INT64_MAX;
	if (binding->role == CALL_ENTRY && event_int(event, binding->site, &site))
		frame.site = (uint64_t)site;
	if (binding->role == CALL_ENTRY && (!name_frame(stacks, event, binding->name, &frame) ||
					    !find_function(stacks, event, binding, out->thread, &frame)))
		return false;
	return call_stacks_take(stacks, event, frame, has_address ? &address : NULL, out);
}

/* ---- what the trace lacks -------------------------------------------------------------------------------- */

/*
 * Writes a sentence, lower case, no full stop, if the trace lacks something that calls are made from, and how to
 * record it; else "".
 */
static void call_stacks_missing(const struct call_stacks *stacks, char *text, size_t size)
{
	text[0] = '\0';
	if (stacks->entries_and_exits == 0)
		snprintf(text, size,
			 "the trace has no event lttng_ust_cyg_profile:func_entry or "
			 "lttng_ust_cyg_profile_fast:func_entry; compile the program with "
			 "-finstrument-functions, run it with LD_PRELOAD=liblttng-ust-cyg-profile.so, and record "
			 "with 'lttng enable-event -u -a'");
	else if (stacks->of_nobody > 0)
		snprintf(text, size,
			 "%" PRIu64 " of %" PRIu64 " entries and exits of functions do not say of which thread "
			 "they are%s, and are left out; record with 'lttng add-context -u -t vtid%s'",
			 stacks->of_nobody, stacks->entries_and_exits, kernel_input_lacks(stacks->kernel),
			 stacks->is_unnamed ? " -t procname" : "");
	else
		call_symbols_missing(&stacks->symbols, text, size);
}

/* ---- the input ------------------------------------------------------------------------------------------- */

static enum histree_status create(void **out, struct histree_error *error)
{
	struct call_stacks *stacks = calloc(1, sizeof(*stacks));
	*out = stacks;
	if (stacks == NULL)
		return error_memory(error, "the calls of the trace");
	cpu_gaps_init(&stacks->gaps);
	stacks->latest = INT64_MIN;
	enum histree_status status = kernel_input_create_watch(&stacks->kernel, error);
	if (status != HISTREE_OK) {
		free(stacks);
		*out = NULL;
	}
	return status;
}

static enum histree_status use_symbols(void *input, const struct symbol_places *places, struct histree_error *error)
{
	struct call_stacks *stacks = input;
	return call_symbols_open(&stacks->symbols, places, error);
}

static enum histree_status call_stacks_begin(void *input, const struct event *event, struct histree_error *error)
{
	struct call_stacks *stacks = input;
	stacks->event = (struct call_event){ .role = CALL_NONE, .outcome = CALL_OF_NOBODY };
	if (stacks->latest < event->time)
		stacks->latest = event->time;
	enum histree_status status = kernel_input_watch(stacks->kernel, event, error);
	if (status != HISTREE_OK)
		return status;
	if (event->gap == NULL)
		return follow(stacks, event) ? HISTREE_OK : error_memory(error, "the calls of the trace");
	if (call_stacks_apply(event->gap->trace)) {
		const struct event_gap *gap = event->gap;
		struct call_thread *thread;
		cpu_gaps_begin(&stacks->gaps, gap);
		for (size_t at = 0; (thread = call_stacks_next(stacks, &at)) != NULL;) {
			if (thread->last < gap->begin)
				thread->last = gap->begin;
			thread->in_doubt = true;
			stacks->forgotten += thread->depth;
			thread->depth = 0;
			thread->too_deep = 0;
		}
	}
	return HISTREE_OK;
}

static enum histree_status end(void *input, struct histree_error *error)
{
	return kernel_input_kind.end(((struct call_stacks *)input)->kernel, error);
}

static void free_stacks(void *input)
{
	struct call_stacks *stacks = input;
	struct call_thread *thread;
	for (size_t at = 0; (thread = call_stacks_next(stacks, &at)) != NULL;)
		free(thread->frames);
	class_table_release(&stacks->bindings);
	id_map_release(&stacks->threads);
	id_map_release(&stacks->by_pid);
	id_map_release(&stacks->by_trace);
	cpu_gaps_release(&stacks->gaps);
	arena_release(&stacks->records);
	intern_release(&stacks->names);
	call_symbols_release(&stacks->symbols);
	kernel_input_kind.free(stacks->kernel);
	free(stacks);
}

const struct analysis_input_kind call_stacks_kind = {
	.needs = "a trace by uftrace, or by lttng-ust, of domain \"ust\", with events such as "
		 "lttng_ust_cyg_profile:func_entry",
	.create = create,
	.use_symbols = use_symbols,
	.begin = call_stacks_begin,
	.end = end,
	.free = free_stacks,
};

/* ---- ust calls ----------------------------------------------------------------------------------------------- */

struct ust_thread {
	histree_quark node, stack, name;
};

struct ust_calls {
	struct changes changes;
	histree_quark group;
	struct call_stacks *stacks; /* borrowed */
	struct ust_thread *threads; /* by the numbers of the threads of the stacks */
	size_t thread_count, thread_capacity;
};

static enum histree_status ust_calls_create(const struct analysis *analysis, struct histree_state_system *system,
					    void *input, void **instance, struct histree_error *error)
{
	(void)analysis;
	*instance = NULL;
	struct ust_calls *calls = calloc(1, sizeof(*calls));
	if (calls == NULL)
		return error_memory(error, "the analysis of function calls");
	calls->changes.system = system;
	calls->group = NO_ATTRIBUTE;
	calls->stacks = input;
	*instance = calls;
	return HISTREE_OK;
}

/* Returns the attributes of a thread; NULL when memory runs out, and the event has failed. */
static struct ust_thread *attributes_of(struct ust_calls *calls, const struct call_thread *thread)
{
	if (!array_reserve(&calls->threads, &calls->thread_capacity, (size_t)thread->number + 1)) {
		changes_fail(&calls->changes, HISTREE_ERR_MEMORY, "no memory for the threads of the trace");
		return NULL;
	}
	while (calls->thread_count <= thread->number)
		calls->threads[calls->thread_count++] =
			(struct ust_thread){ NO_ATTRIBUTE, NO_ATTRIBUTE, NO_ATTRIBUTE };
	return &calls->threads[thread->number];
}

static bool has_stack(const struct ust_calls *calls, const struct call_thread *thread)
{
	return thread->number < calls->thread_count && calls->threads[thread->number].stack != NO_ATTRIBUTE;
}

/* Returns false if the thread cannot have attributes. */
static bool name_thread(struct ust_calls *calls, struct ust_thread *thread, int32_t tid)
{
	if (thread->stack != NO_ATTRIBUTE)
		return true;
	char name[16];
	int size = snprintf(name, sizeof(name), "%" PRId32, tid);
	histree_quark parent = changes_child(&calls->changes, &calls->group, HISTREE_ROOT, "Threads", 7);
	changes_child(&calls->changes, &thread->node, parent, name, (size_t)size);
	changes_child(&calls->changes, &thread->stack, thread->node, "CallStack", 9);
	return thread->stack != NO_ATTRIBUTE;
}

static void ust_calls_enter(struct ust_calls *calls, const struct ust_thread *thread,
			    const struct call_thread *stack)
{
	struct changes *changes = &calls->changes;
	if (changes->status != HISTREE_OK)
		return;
	char name[CALL_NAME_SIZE];
	const char *function = call_name(&stack->frames[stack->depth - 1], name);
	changes->status = histree_state_push(changes->system, changes->time, thread->stack,
					     histree_string(function), &changes->error);
}

static void ust_calls_leave(struct ust_calls *calls, const struct ust_thread *thread, size_t count)
{
	struct changes *changes = &calls->changes;
	for (size_t i = 0; i < count && changes->status == HISTREE_OK; i++) {
		enum histree_status status =
			histree_state_pop(changes->system, changes->time, thread->stack, NULL, &changes->error);
		/* An entry that was refused is not there. */
		changes->status = status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
	}
}

/* ---- gaps ------------------------------------------------------------------------------------------------- */

/* A thread and all levels of its stack have this value since the event after `known`. */
static void set_stack(struct ust_calls *calls, const struct ust_thread *thread, histree_time known,
		      struct histree_value value)
{
	struct changes *changes = &calls->changes;
	const struct histree_attributes *attributes = histree_state_attributes(changes->system);
	change_after(changes, thread->stack, known, value);
	for (histree_quark level = histree_attributes_first_child(attributes, thread->stack); level != HISTREE_ROOT;
	     level = histree_attributes_next_sibling(attributes, level))
		change_after(changes, level, known, value);
}

static void doubt_thread(struct ust_calls *calls, const struct ust_thread *thread, histree_time last)
{
	calls->changes.time = last;
	set_stack(calls, thread, last, histree_unknown());
}

static enum histree_status on_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct ust_calls *calls = instance;
	struct call_thread *thread;
	changes_begin(&calls->changes, gap->begin);
	for (size_t at = 0; (thread = call_stacks_next(calls->stacks, &at)) != NULL;) {
		if (has_stack(calls, thread))
			doubt_thread(calls, &calls->threads[thread->number], thread->last);
	}
	return changes_end(&calls->changes, error);
}

/* ---- events ----------------------------------------------------------------------------------------------- */

static enum histree_status ust_calls_on_event(void *instance, const struct event *source,
					      struct histree_error *error)
{
	struct ust_calls *calls = instance;
	const struct call_event *event = &calls->stacks->event;
	(void)source;
	if (event->role == CALL_NONE || event->thread == NULL)
		return HISTREE_OK;
	changes_begin(&calls->changes, event->thread->last);
	struct ust_thread *thread = attributes_of(calls, event->thread);
	if (thread != NULL && name_thread(calls, thread, event->thread->tid)) {
		if (event->process != NULL) {
			changes_child(&calls->changes, &thread->name, thread->node, "Name", 4);
			change(&calls->changes, thread->name,
			       histree_string_n(event->process, event->process_size));
		}
		if (event->is_anew) {
			/*
			 * What a thread was in before the gap is not known any more: its stack begins anew, as at
			 * the beginning of a trace.
			 */
			struct changes *changes = &calls->changes;
			if (changes->status == HISTREE_OK)
				changes->status = histree_state_remove(changes->system, changes->time,
								       thread->stack, &changes->error);
		}
		ust_calls_leave(calls, thread, event->cut);
		switch (event->outcome) {
		case CALL_IN_GAP:
			doubt_thread(calls, thread, event->thread->last);
			break;
		case CALL_BEGAN:
			ust_calls_enter(calls, thread, event->thread);
			break;
		case CALL_ENDED:
			ust_calls_leave(calls, thread, event->ended);
			break;
		case CALL_OF_NOBODY:
		case CALL_TOO_DEEP:
		case CALL_UNMATCHED:
			break;
		}
	}
	return changes_end(&calls->changes, error);
}

/* Calls that never returned go on as long as they are known to, not until events of other processes end. */
static enum histree_status end_calls(struct ust_calls *calls, struct histree_error *error)
{
	struct call_thread *thread;
	changes_begin(&calls->changes, calls->stacks->latest);
	for (size_t at = 0; (thread = call_stacks_next(calls->stacks, &at)) != NULL;) {
		/*
		 * Until when a thread is known to be in its calls.  One that never returned may have been left by
		 * exit() or a kill, which nothing records: what shows it to go on is that its process has events.
		 */
		const histree_time known =
			thread->last > thread->process->last ? thread->last : thread->process->last;
		if (has_stack(calls, thread) && thread->depth > 0 && known < calls->stacks->latest)
			set_stack(calls, &calls->threads[thread->number], known, histree_null());
	}
	return changes_end(&calls->changes, error);
}

/* States stay addresses; what these are called is a label. */
static enum histree_status finish(void *instance, histree_time *end, struct histree_error *error)
{
	struct ust_calls *calls = instance;
	*end = INT64_MIN;
	enum histree_status status = end_calls(calls, error);
	/* Hand the names of all functions to the history of the stacks, as labels. */
	if (status != HISTREE_OK)
		return status;
	struct call_stacks *stacks = calls->stacks;
	struct histree_state_system *system = calls->changes.system;
	size_t count = 0;
	const struct call_thread *thread;
	struct call_owner *owners = malloc((stacks->threads.count + 1) * sizeof(*owners));
	if (owners == NULL)
		return error_memory(error, "names of functions");
	for (size_t at = 0; (thread = call_stacks_next(stacks, &at)) != NULL;)
		owners[count++] = (struct call_owner){ thread->tid, thread->space };
	status = call_labels_write(&stacks->symbols, system, owners, count, error);
	free(owners);
	return status;
}

static uint64_t refused(const void *instance)
{
	const struct ust_calls *calls = instance;
	return calls->changes.refused;
}

static void ust_calls_missing(const void *instance, char *text, size_t size)
{
	const struct ust_calls *calls = instance;
	call_stacks_missing(calls->stacks, text, size);
}

static void free_calls(void *instance)
{
	struct ust_calls *calls = instance;
	if (calls == NULL)
		return;
	free(calls->threads);
	free(calls);
}

const struct analysis analysis_ust_calls = {
	.name = "ust-calls",
	.version = 4,
	.summary = "function calls of instrumented programs (lttng-ust-cyg-profile, uftrace), as a stack a thread",
	.input = &call_stacks_kind,
	.applies = call_stacks_apply,
	.create = ust_calls_create,
	.event = ust_calls_on_event,
	.gap = on_gap,
	.finish = finish,
	.refused = refused,
	.missing = ust_calls_missing,
	.free = free_calls,
};

/* ---- segments function calls --------------------------------------------------------------------------------- */

enum {
	CALL_NAME,
	CALL_TID,
	CALL_PROCESS,
	CALL_DEPTH,
	CALL_SELF,
	CALL_CALLER,
	CALL_SITE,
	CALL_ENDING,
	CALL_FIELD_COUNT
};

static const struct histree_segment_field fields[CALL_FIELD_COUNT] = {
	{ "name", HISTREE_STRING }, { "tid", HISTREE_INT },       { "process", HISTREE_STRING },
	{ "depth", HISTREE_INT },   { "self", HISTREE_LONG },     { "caller", HISTREE_STRING },
	{ "site", HISTREE_STRING }, { "ending", HISTREE_STRING },
};

struct function_calls {
	struct histree_segment_store *store; /* borrowed */
	struct call_stacks *stacks;          /* borrowed */
	struct segment_counts counts;        /* without calls that are open, and those that gaps made forgotten */
};

/* Add a segment for the call of a frame of the thread, whose callers stand before it. */
static enum histree_status add_call(struct function_calls *calls, const struct call_thread *thread,
				    const struct call_frame *frame, histree_time end, uint64_t inside,
				    struct histree_value process, struct histree_value ending,
				    struct histree_error *error)
{
	struct histree_value values[CALL_FIELD_COUNT];
	const struct histree_segment segment = { frame->start, end, values };
	const size_t callers = (size_t)(frame - thread->frames);
	char name_room[CALL_NAME_SIZE], caller_room[CALL_NAME_SIZE];
	const char *name, *site, *caller = NULL;
	enum histree_status status = call_symbol(calls->stacks, thread, frame, &name, name_room, error);
	if (status == HISTREE_OK && callers > 0)
		status = call_symbol(calls->stacks, thread, &frame[-1], &caller, caller_room, error);
	if (status == HISTREE_OK)
		status = call_site(calls->stacks, thread, frame, &site, error);
	if (status != HISTREE_OK)
		return status;
	values[CALL_NAME] = histree_string(name);
	values[CALL_TID] = histree_int(thread->tid);
	values[CALL_PROCESS] = process;
	values[CALL_DEPTH] = histree_int((int32_t)callers + 1);
	const uint64_t self = histree_segment_duration(&segment) - inside;
	values[CALL_SELF] = frame->is_whole && self <= INT64_MAX ? histree_long((int64_t)self) : histree_null();
	values[CALL_CALLER] = caller == NULL ? histree_null() : histree_string(caller);
	values[CALL_SITE] = site == NULL ? histree_null() : histree_string(site);
	values[CALL_ENDING] = ending;
	return histree_segment_store_add(calls->store, &segment, error);
}

static enum histree_status segments_function_calls_on_event(void *instance, const struct event *source,
							    struct histree_error *error)
{
	struct function_calls *calls = instance;
	const struct call_event *event = &calls->stacks->event;
	(void)source;
	calls->counts.without_end += event->role == CALL_NONE ? 0 : event->cut;
	if (event->role == CALL_NONE || event->outcome == CALL_BEGAN)
		return HISTREE_OK;
	if (event->outcome != CALL_ENDED) {
		if (event->role == CALL_ENTRY)
			calls->counts.without_end++;
		else
			calls->counts.without_start++;
		return HISTREE_OK;
	}
	calls->counts.without_end += event->ended - 1;
	const struct call_thread *thread = event->thread;
	const struct call_frame *frame = &thread->frames[thread->depth];
	const struct histree_value process =
		event->process == NULL ? histree_null() : histree_string_n(event->process, event->process_size);
	return add_call(calls, thread, frame, thread->last, frame->inside, process, histree_null(), error);
}

/*
 * Calls without an exit to the end, the innermost first: those of who is killed, or is recorded no longer. A call
 * is known to go on as long as its thread or its process has events (end_calls()).
 */
static enum histree_status add_open_calls(void *instance, histree_time *end, struct histree_error *error)
{
	struct function_calls *calls = instance;
	const struct call_thread *thread;
	enum histree_status status = HISTREE_OK;
	*end = INT64_MIN;
	for (size_t at = 0; (thread = call_stacks_next(calls->stacks, &at)) != NULL;) {
		const histree_time last =
			thread->last > thread->process->last ? thread->last : thread->process->last;
		const struct histree_value process =
			thread->name != NULL ? histree_string(thread->name) : histree_null();
		uint64_t below = 0;
		for (size_t i = thread->depth; status == HISTREE_OK && i > 0; i--) {
			const struct call_frame *frame = &thread->frames[i - 1];
			status = add_call(calls, thread, frame, last, frame->inside + below, process,
					  histree_string("open"), error);
			below = (uint64_t)last - (uint64_t)frame->start;
		}
	}
	return status;
}

static struct segment_counts counts(const void *instance)
{
	const struct function_calls *calls = instance;
	struct segment_counts all = calls->counts;
	const struct call_stacks *stacks = calls->stacks;
	uint64_t count = 0;
	const struct call_thread *thread;
	for (size_t at = 0; (thread = call_stacks_next(stacks, &at)) != NULL;)
		count += thread->depth;
	all.without_end += calls->stacks->forgotten + count;
	return all;
}

static bool segments_function_calls_is_empty(const void *instance)
{
	return ((const struct function_calls *)instance)->stacks->entries_and_exits == 0;
}

static void segments_function_calls_missing(const void *instance, char *text, size_t size)
{
	const struct function_calls *calls = instance;
	call_stacks_missing(calls->stacks, text, size);
}

const struct segment_analysis segment_analysis_function_calls = {
	.name = "function-calls",
	.version = 5,
	.summary = "function calls of instrumented programs (lttng-ust-cyg-profile, uftrace), from entry to exit",
	.fields = fields,
	.field_count = CALL_FIELD_COUNT,
	.input = &call_stacks_kind,
	.applies = call_stacks_apply,
	.size = sizeof(struct function_calls),
	.event = segments_function_calls_on_event,
	.finish = add_open_calls,
	.counts = counts,
	.is_empty = segments_function_calls_is_empty,
	.missing = segments_function_calls_missing,
	.free = free,
};
