// SPDX-License-Identifier: MIT
/*
 * kernel_provider.c - an instance of a kernel analysis: how it lives, and its model at a checkpoint as bytes.
 *
 * At a checkpoint, the model of a thread is mostly implied by its attributes and states; only exceptions are
 * written, and threads without one are skipped by their number.
 *
 * For each event, states in doubt are resolved first; then the event shows which thread runs on its CPU and what it
 * implies for its own thread; its handler comes last.  This file also has what is reported for the whole trace at
 * its end, and the functions with which a build cuts a trace in time.
 */
#include "analysis/kernel/kernel_provider.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_gap.h"
#include "analysis/kernel/kernel_input.h"
#include "analysis/kernel/kernel_interrupts.h"
#include "analysis/kernel/kernel_layout.h"
#include "analysis/kernel/kernel_threads.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/number_text.h"
#include "histree/attributes.h"

/* ---- kernel checkpoint --------------------------------------------------------------------------------------- */

/* Of the model. */
enum { HAD_GAPS = 1, ALL_OPEN = 2, HAD_CALLS = 4, DOUBTED_CALLS = 8, HAD_WAKINGS = 16, HAD_EARLY_NAMES = 32 };

/* Of a CPU; above its doubts.  CPU_RAISED is a number (enum cpu_raised). */
enum {
	CPU_LOSES = 4,
	CPU_HAD_GAPS = 8,
	CPU_NAMELESS = 16,
	CPU_RUNS_THREAD = 32,
	CPU_IS_WAKING = 64,
	CPU_RAISED = 128,
	CPU_HAD_IRQ = 512,
	CPU_STEPPED = 1024,
	CPU_IN_SWITCH = 2048,
};

/* What is said of a thread, because it is not what one expects. */
enum {
	SAYS_ASKED = 1,
	SAYS_SAID = 2,
	SAYS_RUN_QUEUE = 4,
	SAYS_PRIO = 8,
	SAYS_WOKEN = 16,
	SAYS_UNSEEN = 32,
	SAYS_CALL = 64,
	SAYS_STEP = 128,
	SAYS_UNDECIDED = 256,
};

static histree_time state_since(const struct kernel_model *model, histree_quark quark)
{
	histree_time since = INT64_MIN;
	if (quark != NO_ATTRIBUTE &&
	    histree_state_ongoing(model->changes.system, quark, NULL, &since, NULL) != HISTREE_OK)
		since = INT64_MIN;
	return since;
}

/* ---- threads ------------------------------------------------------------------------------------------------- */

/* Whether the attribute is there: made for the thread, or for the other half of a pair. */
static bool is_made(const struct kernel_model *model, const struct kernel_thread *thread,
		    enum thread_attribute attribute)
{
	const struct thread_place *place = &model->places->threads[attribute];
	return thread->attributes[attribute] != NO_ATTRIBUTE ||
	       (place->part != HISTREE_WHOLE && thread->attributes[place->partner] != NO_ATTRIBUTE);
}

/*
 * What threads with the same attributes were asked for last, by these: in a layout of known states they are asked
 * for more than they have, one as the other.
 */
struct habits {
	uint8_t asked[256];
};

static struct habits no_habits(void)
{
	struct habits habits;
	for (unsigned made = 0; made < sizeof(habits.asked); made++)
		habits.asked[made] = (uint8_t)made;
	return habits;
}

/* What a thread is expected to be, by its attributes and states. */
struct expected_thread {
	uint8_t made, asked;
	histree_time said, run_queue_since, prio_since;
	enum kernel_progress call;
};

static histree_quark quark_of(const struct kernel_model *model, const struct kernel_thread *thread,
			      enum thread_attribute attribute)
{
	const struct thread_place *place = &model->places->threads[attribute];
	histree_quark own = thread->attributes[attribute];
	return own != NO_ATTRIBUTE || place->part == HISTREE_WHOLE ? own : thread->attributes[place->partner];
}

/*
 * The last evidence that a thread is in no system call is the exit of its last call.  It is used only for threads
 * that are in no call (kernel_gap.h).
 */
static enum kernel_progress expect_call(const struct kernel_model *model, const struct kernel_thread *thread)
{
	histree_time since;
	struct histree_value call;
	histree_quark quark = thread->attributes[THREAD_SYSTEM_CALL];
	if (quark == NO_ATTRIBUTE ||
	    histree_state_ongoing(model->changes.system, quark, &call, &since, NULL) != HISTREE_OK)
		return PROGRESS_UNKNOWN;
	if (call.type == HISTREE_NULL)
		return since > histree_state_start(model->changes.system) ? PROGRESS_OUTSIDE : PROGRESS_UNKNOWN;
	return call.type == HISTREE_UNKNOWN ? PROGRESS_UNKNOWN : PROGRESS_INSIDE;
}

static struct expected_thread expect(const struct kernel_model *model, const struct kernel_thread *thread,
				     const struct habits *habits)
{
	struct expected_thread expected = { .run_queue_since = INT64_MIN, .prio_since = INT64_MIN };
	for (int attribute = 0; attribute < THREAD_ATTRIBUTE_COUNT; attribute++)
		if (is_made(model, thread, attribute))
			expected.made |= (uint8_t)(1U << attribute);
	expected.asked = habits->asked[expected.made];
	expected.said = state_since(model, quark_of(model, thread, THREAD_STATUS));
	expected.call = expect_call(model, thread);
	if (model->places->threads[THREAD_RUN_QUEUE].part != HISTREE_WHOLE)
		expected.run_queue_since = expected.prio_since =
			state_since(model, quark_of(model, thread, THREAD_RUN_QUEUE));
	return expected;
}

/*
 * The time of a thread's last event, and since when the halves of pairs have their values, are needed only for a
 * thread that lives, or should be running.
 */
static bool is_gone(struct kernel_model *model, const struct kernel_thread *thread)
{
	histree_quark status = thread->attributes[THREAD_STATUS];
	return thread->runs_on == NULL &&
	       (status == NO_ATTRIBUTE || changes_value(&model->changes, status).type == HISTREE_NULL);
}

static void save_thread(struct kernel_model *model, const struct kernel_thread *thread, struct habits *habits,
			uint64_t *passed, struct byte_buffer *out)
{
	const struct expected_thread expected = expect(model, thread, habits);
	bool has_times = !is_gone(model, thread);
	bool is_open = thread->call == PROGRESS_UNKNOWN && expected.call != PROGRESS_INSIDE;
	uint32_t undecided = is_open ? thread_count_undecided(model, thread) : 0;
	unsigned says = (thread->asked != expected.asked ? SAYS_ASKED : 0) |
			(thread->said != expected.said && has_times ? SAYS_SAID : 0) |
			(thread->run_queue_since != expected.run_queue_since && has_times ? SAYS_RUN_QUEUE : 0) |
			(thread->prio_since != expected.prio_since && has_times ? SAYS_PRIO : 0) |
			(thread->is_woken_leaving ? SAYS_WOKEN : 0) |
			(thread->unseen_until != INT64_MIN && is_open && has_times ? SAYS_UNSEEN : 0) |
			(thread->call != expected.call && expected.call != PROGRESS_INSIDE ? SAYS_CALL : 0) |
			((thread->first_step != STEP_NONE) != (expected.call != PROGRESS_UNKNOWN) ? SAYS_STEP : 0) |
			(undecided > 0 ? SAYS_UNDECIDED : 0);
	++*passed;
	habits->asked[expected.made] = thread->asked;
	if (says == 0)
		return;
	byte_buffer_put_number(out, *passed);
	byte_buffer_put_number(out, says);
	if ((says & SAYS_ASKED) != 0)
		byte_buffer_put_number(out, thread->asked);
	if ((says & SAYS_SAID) != 0)
		byte_buffer_put_time(out, thread->said, expected.said);
	if ((says & SAYS_RUN_QUEUE) != 0)
		byte_buffer_put_time(out, thread->run_queue_since, expected.run_queue_since);
	if ((says & SAYS_PRIO) != 0)
		byte_buffer_put_time(out, thread->prio_since, expected.prio_since);
	if ((says & SAYS_UNSEEN) != 0)
		byte_buffer_put_time(out, thread->unseen_until, expected.said);
	if ((says & SAYS_CALL) != 0)
		byte_buffer_put_number(out, thread->call);
	if ((says & SAYS_UNDECIDED) != 0)
		byte_buffer_put_number(out, undecided);
	*passed = 0;
}

/* Idle threads are in the upper half, by CPU (kernel_threads.c).  Returns false for what is no name of a thread. */
static bool read_name(const char *name, uint64_t *id, int32_t *tid)
{
	char *end;
	errno = 0;
	long number = strtol(name, &end, 10);
	*tid = (int32_t)number;
	*id = (uint32_t)*tid;
	if (end == name || errno != 0 || number != *tid)
		return false;
	if (number != 0)
		return *end == '\0';
	if (*end != '_')
		return false;
	long cpu = strtol(end + 1, &end, 10);
	*id = UINT64_C(1) << 32 | (uint32_t)cpu;
	return *end == '\0' && errno == 0 && cpu >= 0 && cpu <= INT32_MAX;
}

/* Threads in the order of their attributes, whichever was heard of first. */
struct thread_walk {
	const struct histree_attributes *attributes;
	histree_quark at, end; /* quarks from `end` on were not there */
};

static struct thread_walk walk_threads(const struct kernel_model *model, uint32_t attribute_count)
{
	const struct histree_attributes *attributes = histree_state_attributes(model->changes.system);
	const char *group = model->places->groups[GROUP_THREADS];
	struct thread_walk walk = { .attributes = attributes, .at = HISTREE_ROOT, .end = attribute_count };
	histree_quark parent;
	if (histree_attributes_child(attributes, HISTREE_ROOT, group, strlen(group), &parent) == HISTREE_OK &&
	    parent < attribute_count)
		walk.at = histree_attributes_first_child(attributes, parent);
	return walk;
}

/* Get the next one.  Returns false after the last one. */
static bool next_thread(struct thread_walk *walk, histree_quark *node, uint64_t *id, int32_t *tid)
{
	while (walk->at != HISTREE_ROOT && walk->at < walk->end) {
		char name[32];
		*node = walk->at;
		walk->at = histree_attributes_next_sibling(walk->attributes, walk->at);
		if (histree_attributes_name(walk->attributes, *node, name, sizeof(name)) < sizeof(name) &&
		    read_name(name, id, tid))
			return true;
	}
	return false;
}

static void find_attributes(const struct kernel_model *model, uint32_t attribute_count,
			    struct kernel_thread *thread)
{
	const struct histree_attributes *attributes = histree_state_attributes(model->changes.system);
	for (int attribute = 0; attribute < THREAD_ATTRIBUTE_COUNT; attribute++) {
		const char *name = model->places->threads[attribute].name;
		histree_quark found;
		if (histree_attributes_child(attributes, thread->node, name, strlen(name), &found) == HISTREE_OK &&
		    found < attribute_count)
			thread->attributes[attribute] = found;
	}
	if (model->places->status_on_node)
		thread->attributes[THREAD_STATUS] = thread->node;
}

static void learn_kind(struct kernel_model *model, struct kernel_thread *thread)
{
	histree_quark quark = thread->attributes[THREAD_EXEC_NAME];
	const struct histree_value name =
		quark != NO_ATTRIBUTE ? changes_value(&model->changes, quark) : histree_null();
	thread_tell_kind(model, thread);
	if (name.type == HISTREE_STRING)
		thread_learn_kind(model, thread, (struct kernel_text){ name.bytes, name.size });
}

static void load_thread(struct kernel_model *model, struct kernel_thread *thread, struct habits *habits,
			struct byte_reader *reader, bool has_exception)
{
	const struct expected_thread expected = expect(model, thread, habits);
	thread->asked = expected.asked;
	thread->said = expected.said;
	thread->has_ended = is_gone(model, thread) && expected.said > histree_state_start(model->changes.system);
	thread->cloned = expected.said;
	thread->run_queue_since = expected.run_queue_since;
	thread->prio_since = expected.prio_since;
	thread->call = expected.call;
	thread->first_step = expected.call != PROGRESS_UNKNOWN ? STEP_BEGAN : STEP_NONE;
	if (!has_exception)
		return;
	uint64_t says = read_varint(reader);
	thread->is_woken_leaving = (says & SAYS_WOKEN) != 0;
	if ((says & SAYS_ASKED) != 0)
		thread->asked = (uint8_t)read_varint(reader);
	habits->asked[expected.made] = thread->asked;
	if ((says & SAYS_SAID) != 0)
		thread->said = byte_reader_time(reader, expected.said);
	if ((says & SAYS_RUN_QUEUE) != 0)
		thread->run_queue_since = byte_reader_time(reader, expected.run_queue_since);
	if ((says & SAYS_PRIO) != 0)
		thread->prio_since = byte_reader_time(reader, expected.prio_since);
	if ((says & SAYS_UNSEEN) != 0)
		thread->unseen_until = byte_reader_time(reader, expected.said);
	if ((says & SAYS_STEP) != 0)
		thread->first_step = thread->first_step == STEP_NONE ? STEP_BEGAN : STEP_NONE;
	if ((says & SAYS_CALL) != 0)
		thread->call = (enum kernel_progress)byte_reader_below(reader, PROGRESS_INSIDE + 1);
	if ((says & SAYS_UNDECIDED) != 0 && !reader->failed)
		reader->failed = !thread_resume_undecided(model, thread,
							  (uint32_t)byte_reader_below(reader, UNDECIDED_MAX + 1));
}

static void load_threads(struct kernel_model *model, uint32_t attribute_count, struct byte_reader *reader)
{
	struct thread_walk walk = walk_threads(model, attribute_count);
	struct habits habits = no_habits();
	histree_quark node;
	uint64_t id,
		/* number of threads to skip up to the next with an entry; 0: there is none */
		left = read_varint(reader);
	int32_t tid;
	while (!reader->failed && next_thread(&walk, &node, &id, &tid)) {
		if (id_map_find(&model->threads, id) != NULL) {
			reader->failed = true;
			return;
		}
		struct kernel_thread *thread = kernel_thread_load(model, id, tid, node);
		if (thread == NULL)
			return;
		find_attributes(model, attribute_count, thread);
		load_thread(model, thread, &habits, reader, left == 1);
		left = left == 1 ? read_varint(reader) : left - (left > 0);
	}
	reader->failed = reader->failed || left > 0;
	/* Whether thread 2 makes those of the kernel, its name says. */
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&model->threads, &at)) != NULL;)
		learn_kind(model, entry->record);
}

/* ---- CPUs ---------------------------------------------------------------------------------------------------- */

/* A wake-up that began long ago says nothing any more: it is forgotten. */
static void save_cpu(const struct kernel_cpu *cpu, histree_time now, histree_time end, struct byte_buffer *out)
{
	const bool is_waking = kernel_is_leaving_soon(cpu->waking, now);
	byte_buffer_put_number(out, (uint64_t)cpu->number);
	byte_buffer_put_number(
		out, cpu->in_doubt | (cpu->is_losing ? CPU_LOSES : 0) | (cpu->has_gaps ? CPU_HAD_GAPS : 0) |
			     (cpu->is_nameless ? CPU_NAMELESS : 0) | (cpu->runs != NULL ? CPU_RUNS_THREAD : 0) |
			     (is_waking ? CPU_IS_WAKING : 0) | (uint64_t)cpu->raised * CPU_RAISED |
			     (cpu->had_irq ? CPU_HAD_IRQ : 0) | (cpu->stepped != INT64_MIN ? CPU_STEPPED : 0) |
			     (cpu->turn == TURN_BEGAN ? CPU_IN_SWITCH : 0));
	if (is_waking)
		byte_buffer_put_signed(out, cpu->waking);
	if (cpu->runs != NULL)
		byte_buffer_put_signed(out, cpu->runs->tid);
	if (cpu->in_doubt != 0)
		byte_buffer_put_time(out, cpu->in_doubt_since, end);
	if (cpu->stepped != INT64_MIN)
		byte_buffer_put_time(out, cpu->stepped, end);
	interrupts_save(cpu, out);
}

static void load_runs(struct kernel_model *model, struct kernel_cpu *cpu, struct byte_reader *reader)
{
	int64_t tid = byte_reader_signed(reader);
	uint64_t id = tid == 0 ? UINT64_C(1) << 32 | (uint32_t)cpu->number : (uint32_t)tid;
	struct kernel_thread *thread = id_map_find(&model->threads, id);
	if (thread == NULL || thread->runs_on != NULL) {
		reader->failed = true;
		return;
	}
	cpu->runs = thread;
	thread->runs_on = cpu;
}

static void load_cpu(struct kernel_model *model, uint32_t attribute_count, struct byte_reader *reader)
{
	uint64_t number = read_varint(reader), flags = read_varint(reader);
	if (reader->failed || number > INT32_MAX || id_map_find(&model->cpus, number) != NULL) {
		reader->failed = true;
		return;
	}
	struct kernel_cpu *cpu = kernel_cpu(model, (int32_t)number);
	if (cpu == NULL || cpu->node >= attribute_count) {
		reader->failed = true;
		return;
	}
	const struct histree_attributes *attributes = histree_state_attributes(model->changes.system);
	for (int attribute = 0; attribute < CPU_ATTRIBUTE_COUNT; attribute++) {
		const char *name = cpu_attribute_name(attribute);
		histree_quark found;
		if (histree_attributes_child(attributes, cpu->node, name, strlen(name), &found) == HISTREE_OK &&
		    found < attribute_count)
			cpu->attributes[attribute] = found;
	}
	if (model->places->status_on_node)
		cpu->attributes[CPU_STATUS] = cpu->node;
	model->cpus_in_doubt -= cpu->in_doubt != 0; /* as it is where a CPU is new */
	cpu->in_doubt = flags & (DOUBT_IRQS | DOUBT_SOFTIRQS);
	model->cpus_in_doubt += cpu->in_doubt != 0;
	cpu->is_losing = (flags & CPU_LOSES) != 0;
	cpu->has_gaps = (flags & CPU_HAD_GAPS) != 0;
	cpu->is_nameless = (flags & CPU_NAMELESS) != 0;
	cpu->had_irq = (flags & CPU_HAD_IRQ) != 0;
	cpu->turn = (flags & CPU_IN_SWITCH) != 0 ? TURN_BEGAN : TURN_GOES_ON;
	cpu->raised = (enum cpu_raised)(flags / CPU_RAISED % (CPU_HAD_IRQ / CPU_RAISED));
	reader->failed = reader->failed || cpu->raised > RAISED_UNSEEN_END;
	if ((flags & CPU_IS_WAKING) != 0)
		cpu->waking = byte_reader_signed(reader);
	model->open_gaps += cpu->is_losing;
	model->nameless_cpus += cpu->is_nameless;
	if ((flags & CPU_RUNS_THREAD) != 0)
		load_runs(model, cpu, reader);
	if (cpu->in_doubt != 0)
		cpu->in_doubt_since = byte_reader_time(reader, histree_state_current_end(model->changes.system));
	if ((flags & CPU_STEPPED) != 0)
		cpu->stepped = byte_reader_time(reader, histree_state_current_end(model->changes.system));
	interrupts_load(model, cpu, attribute_count, reader);
}

/* ---- all of it ----------------------------------------------------------------------------------------------- */

void kernel_provider_save(void *instance, struct byte_buffer *out)
{
	struct kernel_model *model = instance;
	histree_time end = histree_state_current_end(model->changes.system);
	model->changes.status = HISTREE_OK; /* no event is being handled */
	byte_buffer_put_number(out, (model->has_gaps ? HAD_GAPS : 0) | (model->all_open ? ALL_OPEN : 0) |
					    (model->has_calls ? HAD_CALLS : 0) |
					    (model->doubts_calls ? DOUBTED_CALLS : 0) |
					    (model->has_wakings ? HAD_WAKINGS : 0) |
					    (model->has_early_names ? HAD_EARLY_NAMES : 0));
	byte_buffer_put_time(out, model->changes.time, end);
	byte_buffer_put_time(out, model->all_open ? model->all_end : end, end);
	byte_buffer_put_time(out, model->loss_end, end);
	const struct histree_attributes *attributes = histree_state_attributes(model->changes.system);
	struct thread_walk walk = walk_threads(model, histree_attributes_count(attributes));
	histree_quark node;
	uint64_t id, passed = 0;
	struct habits habits = no_habits();
	int32_t tid;
	while (next_thread(&walk, &node, &id, &tid)) {
		const struct kernel_thread *thread = id_map_find(&model->threads, id);
		assert(thread != NULL && thread->node == node);
		if (thread != NULL)
			save_thread(model, thread, &habits, &passed, out);
	}
	byte_buffer_put_number(out, 0);
	byte_buffer_put_number(out, model->cpus.count);
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&model->cpus, &at)) != NULL;)
		save_cpu(entry->record, model->changes.time, end, out);
}

enum histree_status kernel_provider_load(void *instance, uint32_t attribute_count, struct byte_reader *reader,
					 struct histree_error *error)
{
	struct kernel_model *model = instance;
	histree_time end = histree_state_current_end(model->changes.system);
	uint64_t flags = read_varint(reader);
	histree_time time = byte_reader_time(reader, end);
	model->has_gaps = (flags & HAD_GAPS) != 0;
	model->all_open = (flags & ALL_OPEN) != 0;
	model->has_calls = (flags & HAD_CALLS) != 0;
	model->doubts_calls = (flags & DOUBTED_CALLS) != 0;
	model->has_wakings = (flags & HAD_WAKINGS) != 0;
	model->has_early_names = (flags & HAD_EARLY_NAMES) != 0;
	model->all_end = byte_reader_time(reader, end);
	model->loss_end = byte_reader_time(reader, end);
	changes_begin(&model->changes, time);
	load_threads(model, attribute_count, reader);
	uint64_t cpus = read_varint(reader);
	for (uint64_t i = 0; i < cpus && !reader->failed && model->changes.status == HISTREE_OK; i++)
		load_cpu(model, attribute_count, reader);
	if (model->changes.status == HISTREE_ERR_MEMORY)
		return error_memory(error, "the threads and CPUs of the trace");
	if (reader->failed || model->changes.status != HISTREE_OK)
		return error_set(error, HISTREE_ERR_FORMAT,
				 "what the kernel analysis knew at a checkpoint makes no sense");
	return HISTREE_OK;
}

/* ---- kernel provider ----------------------------------------------------------------------------------------- */

enum histree_status kernel_provider_create(const struct analysis *analysis, struct histree_state_system *system,
					   void *input, void **instance, struct histree_error *error)
{
	const struct kernel_version *version = analysis->kind;
	*instance = NULL;
	struct kernel_model *model = calloc(1, sizeof(*model));
	if (model == NULL)
		return error_memory(error, "the kernel analysis");
	kernel_model_init(model, system, version->places);
	model->version = version;
	model->input = input;
	for (enum kernel_role role = KERNEL_NO_ROLE; role < KERNEL_ROLE_COUNT; role++)
		if (version->handlers[role] != NULL)
			kernel_input_want(input, role);
	model->has_lives = version->learn != NULL;
	model->corrects_past = version->corrects_past;
	*instance = model;
	return HISTREE_OK;
}

/* What the trace has, an event shows; most traces have shown all of it with their first switch. */
__attribute__((noinline)) static void learn_what_there_is(struct kernel_model *model,
							  const struct kernel_event *event)
{
	/* Records of perf alone tell no states. */
	model->has_events |= event->role < KERNEL_PERF_FORK || event->role > KERNEL_PERF_THREAD;
	model->has_switches |=
		event->role == KERNEL_SWITCH || event->role == KERNEL_LEAVE || event->role == KERNEL_TASK_STATE;
	if (!model->may_have_calls) {
		/* What a trace does not declare it does not have, if it declares its events. */
		const unsigned declares = (unsigned)event->source->class->trace->declares;
		model->declares_calls = (declares & EVENT_DECLARES_SYSTEM_CALLS) != 0;
		model->may_have_calls = model->declares_calls || (declares & EVENT_DECLARES_ALL) == 0;
	}
}

static void begin_changes(struct kernel_model *model, histree_time time)
{
	struct changes *changes = &model->changes;
	bool steps_back = model->version->is_monotonic && time < changes->time;
	changes_begin(changes, steps_back ? changes->time : time);
}

enum histree_status kernel_provider_event(void *instance, const struct event *source, struct histree_error *error)
{
	struct kernel_model *model = instance;
	const struct kernel_version *version = model->version;
	const struct kernel_event *event = &model->input->event;
	(void)source;
	if (version->handlers[event->role] == NULL)
		return HISTREE_OK;
	if (!model->has_switches || !model->may_have_calls)
		learn_what_there_is(model, event);
	begin_changes(model, event->time);
	if (model->has_gaps || model->cpus_in_doubt > 0)
		kernel_resolve(model, event);
	if (version->runs != NULL && event->own_tid >= 0 && event->role != KERNEL_SWITCH &&
	    !occupancy_is_in_switch(model, event))
		version->runs(model, event->cpu, (int32_t)event->own_tid);
	if (event->own_tid > 0 && version->learn != NULL)
		version->learn(model, event);
	version->handlers[event->role](model, event);
	return changes_end(&model->changes, error);
}

enum histree_status kernel_provider_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct kernel_model *model = instance;
	/* That its system calls come only after the loss does not make it a trace without any. */
	if (gap->trace != NULL && (gap->trace->declares & EVENT_DECLARES_SYSTEM_CALLS) != 0)
		model->has_calls = true;
	begin_changes(model, gap->begin);
	kernel_begin_gap(model, gap->cpu, gap->end);
	return changes_end(&model->changes, error);
}

uint64_t kernel_provider_refused(const void *instance)
{
	const struct kernel_model *model = instance;
	return model->changes.refused;
}

bool kernel_provider_is_empty(const void *instance)
{
	return !((const struct kernel_model *)instance)->has_events;
}

void kernel_provider_missing(const void *instance, char *text, size_t size)
{
	const struct kernel_model *model = instance;
	if (!model->has_events)
		snprintf(text, size,
			 "the trace has none of the events that tell states: record sched_switch, "
			 "sched_wakeup, interrupts and system calls (lttng enable-event -k --all, or "
			 "perf record -e 'sched:*,irq:*,raw_syscalls:*')");
	else if (!model->has_switches)
		snprintf(text, size,
			 "the trace has no switches, so that of the time of threads only what other events tell is "
			 "known, and not when they ran and waited: record sched_switch and sched_wakeup (lttng "
			 "enable-event -k 'sched_*', or perf record -e 'sched:*')");
	else
		conflicts_describe(&model->conflicts, "which threads ran meanwhile is unknown", text, size);
}

/* Returns the size of what is said of turns that exits came too late for. */
static size_t say_of_late_exits(const struct kernel_model *model, char *text, size_t size)
{
	char time[TIME_TEXT_SIZE];
	if (model->late_exits == 0)
		return 0;
	time_format_duration(model->late_ns, time);
	const int length =
		snprintf(text, size,
			 "the exit of a system call that had begun before the trace or a loss came too late for "
			 "%" PRIu64 " thread%s, as only so many turns on CPUs are kept back: up to then, %s in all "
			 "at most, some of what ran counts as user mode",
			 model->late_exits, model->late_exits > 1 ? "s" : "", time);
	return length > 0 ? (size_t)length : 0;
}

/* Of some threads no trace says it: of those that were seen once, at its end. */
void kernel_provider_unsure(const void *instance, char *text, size_t size)
{
	enum { FEW = 10 /* of all */ };
	const struct kernel_model *model = instance;
	const struct id_entry *entry;
	uint64_t count = 0, unknown = 0;
	for (size_t at = 0; (entry = id_map_next(&model->threads, &at)) != NULL;) {
		const struct kernel_thread *thread = entry->record;
		const bool is_thread = thread->tid > 0 && thread->said != INT64_MIN;
		count += is_thread;
		unknown += is_thread && !thread->was_told;
	}
	text[0] = '\0';
	size_t used = say_of_late_exits(model, text, size);
	if (unknown > count / FEW && used < size)
		snprintf(text + used, size - used,
			 "%sno event says of which process %" PRIu64 " of %" PRIu64
			 " threads are (ftrace says it with its option record-tgid, LTTng with its state "
			 "dump "
			 "or the contexts tid and pid)",
			 used > 0 ? "; " : "", unknown, count);
}

void kernel_provider_free(void *instance)
{
	struct kernel_model *model = instance;
	if (model == NULL)
		return;
	kernel_model_release(model);
	free(model);
}
