// SPDX-License-Identifier: MIT
/*
 * kernel_provider.c - an event on its way: what is in doubt is resolved first, then the event says who runs on its
 * CPU and what it knows of its own thread, and its handler comes last.  Besides, what is told of the whole trace
 * at its end, and the functions by which a build cuts a trace in time.
 */
#include "analysis/kernel/kernel_provider.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/kernel/kernel_checkpoint.h"
#include "analysis/kernel/kernel_gap.h"
#include "analysis/kernel/kernel_input.h"
#include "analysis/kernel/kernel_slices.h"
#include "analysis/kernel/kernel_threads.h"
#include "base/error.h"
#include "base/number_text.h"

struct kernel_provider {
	const struct kernel_version *version;
	const struct kernel_input *input; /* borrowed */
	bool has_events;                  /* of which states are made */
	bool has_switches;                /* and some that say who runs */
	struct kernel_model model;
};

enum histree_status kernel_provider_create(const struct kernel_version *version, void *input,
					   struct histree_state_system *system, void **instance,
					   struct histree_error *error)
{
	*instance = NULL;
	struct kernel_provider *provider = calloc(1, sizeof(*provider));
	if (provider == NULL)
		return error_memory(error, "the kernel analysis");
	provider->version = version;
	provider->input = input;
	for (enum kernel_role role = KERNEL_NO_ROLE; role < KERNEL_ROLE_COUNT; role++)
		if (version->handlers[role] != NULL)
			kernel_input_want(input, role);
	kernel_model_init(&provider->model, system, version->places);
	provider->model.has_lives = version->learn != NULL;
	provider->model.corrects_past = version->corrects_past;
	*instance = provider;
	return HISTREE_OK;
}

/* What a trace does not declare it does not have, if it declares its events. */
static void see_trace(struct kernel_model *model, const struct event_trace *trace)
{
	const unsigned declares = (unsigned)trace->declares;
	model->declares_calls = (declares & EVENT_DECLARES_SYSTEM_CALLS) != 0;
	model->may_have_calls = model->declares_calls || (declares & EVENT_DECLARES_ALL) == 0;
}

/* What the trace has, an event shows; most traces have shown all of it with their first switch. */
__attribute__((noinline)) static void learn_what_there_is(struct kernel_provider *provider,
							  const struct kernel_event *event)
{
	/* Records of perf alone tell no states. */
	provider->has_events |= event->role < KERNEL_PERF_FORK || event->role > KERNEL_PERF_THREAD;
	provider->has_switches |= event->role == KERNEL_SWITCH;
	if (!provider->model.may_have_calls)
		see_trace(&provider->model, event->source->class->trace);
}

/* Whether an event says itself who runs on its CPU. */
static bool says_who_runs(const struct kernel_event *event)
{
	return event->own_tid >= 0 && event->role != KERNEL_SWITCH;
}

static void begin_changes(struct kernel_provider *provider, histree_time time)
{
	struct changes *changes = &provider->model.changes;
	bool steps_back = provider->version->is_monotonic && time < changes->time;
	changes_begin(changes, steps_back ? changes->time : time);
}

enum histree_status kernel_provider_event(void *instance, const struct event *source, struct histree_error *error)
{
	struct kernel_provider *provider = instance;
	const struct kernel_version *version = provider->version;
	const struct kernel_event *event = &provider->input->event;
	(void)source;
	if (version->handlers[event->role] == NULL)
		return HISTREE_OK;
	if (!provider->has_switches || !provider->model.may_have_calls)
		learn_what_there_is(provider, event);
	begin_changes(provider, event->time);
	if (provider->model.has_gaps || provider->model.cpus_in_doubt > 0)
		kernel_resolve(&provider->model, event);
	if (version->runs != NULL && says_who_runs(event))
		version->runs(&provider->model, event->cpu, (int32_t)event->own_tid);
	if (event->own_tid > 0 && version->learn != NULL)
		version->learn(&provider->model, event);
	version->handlers[event->role](&provider->model, event);
	return changes_end(&provider->model.changes, error);
}

enum histree_status kernel_provider_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct kernel_provider *provider = instance;
	/* That its system calls come only after the loss does not make it a trace without any. */
	if (gap->trace != NULL && (gap->trace->declares & EVENT_DECLARES_SYSTEM_CALLS) != 0)
		provider->model.has_calls = true;
	begin_changes(provider, gap->begin);
	kernel_begin_gap(&provider->model, gap->cpu, gap->end);
	return changes_end(&provider->model.changes, error);
}

uint64_t kernel_provider_refused(const void *instance)
{
	const struct kernel_provider *provider = instance;
	return provider->model.changes.refused;
}

bool kernel_provider_is_empty(const void *instance)
{
	return !((const struct kernel_provider *)instance)->has_events;
}

void kernel_provider_missing(const void *instance, char *text, size_t size)
{
	const struct kernel_provider *provider = instance;
	if (!provider->has_events)
		snprintf(text, size,
			 "the trace has none of the events that tell states: record sched_switch, "
			 "sched_wakeup, interrupts and system calls (lttng enable-event -k --all, or "
			 "perf record -e 'sched:*,irq:*,raw_syscalls:*')");
	else if (!provider->has_switches)
		snprintf(text, size,
			 "the trace has no switches, so that of the time of threads only what other events tell is "
			 "known, and not when they ran and waited: record sched_switch and sched_wakeup (lttng "
			 "enable-event -k 'sched_*', or perf record -e 'sched:*')");
	else
		conflicts_describe(&provider->model.conflicts, "which threads ran meanwhile is unknown", text,
				   size);
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
	const struct kernel_provider *provider = instance;
	const struct id_entry *entry;
	uint64_t count = 0, unknown = 0;
	for (size_t at = 0; (entry = id_map_next(&provider->model.threads, &at)) != NULL;) {
		const struct kernel_thread *thread = entry->record;
		const bool is_thread = thread->tid > 0 && thread->said != INT64_MIN;
		count += is_thread;
		unknown += is_thread && !thread->was_told;
	}
	text[0] = '\0';
	size_t used = say_of_late_exits(&provider->model, text, size);
	if (unknown > count / FEW && used < size)
		snprintf(text + used, size - used,
			 "%sno event says of which process %" PRIu64 " of %" PRIu64
			 " threads are (ftrace says it with its option record-tgid, LTTng with its state "
			 "dump "
			 "or the contexts tid and pid)",
			 used > 0 ? "; " : "", unknown, count);
}

void kernel_provider_save(void *instance, struct saved_bytes *out)
{
	struct kernel_provider *provider = instance;
	kernel_checkpoint_save(&provider->model, out);
}

enum histree_status kernel_provider_load(void *instance, uint32_t attribute_count, struct byte_reader *reader,
					 struct histree_error *error)
{
	struct kernel_provider *provider = instance;
	return kernel_checkpoint_load(&provider->model, attribute_count, reader, error);
}

/* ---- slices -------------------------------------------------------------------------------------------------- */

static enum histree_status create_slice(const struct analysis *analysis, struct change_log *log, void *input,
					void **instance, struct histree_error *error)
{
	struct kernel_slice *slice = kernel_slice_create(log);
	*instance = NULL;
	if (slice == NULL)
		return error_memory(error, "a slice of the trace");
	enum histree_status status = analysis->create(log->system, input, instance, error);
	if (status != HISTREE_OK) {
		kernel_slice_free(slice);
		return status;
	}
	struct kernel_provider *provider = *instance;
	provider->model.slice = slice;
	provider->model.changes.log = log;
	return HISTREE_OK;
}

static bool hint(void *instance, struct saved_bytes *out)
{
	struct kernel_provider *provider = instance;
	if (out != NULL)
		kernel_slice_hint(&provider->model, out);
	return kernel_slice_can_help(&provider->model);
}

static void guess(void *slice, struct byte_reader *hint)
{
	struct kernel_provider *of_slice = slice;
	if (hint != NULL)
		kernel_slice_take_hint(of_slice->model.slice, hint);
	else
		kernel_slice_guess(of_slice->model.slice, &of_slice->input->event);
}

static void begin_slice(void *slice)
{
	struct kernel_provider *of_slice = slice;
	kernel_slice_begin(&of_slice->model);
}

static enum histree_status commit_slice(void *instance, void *slice, struct histree_error *error)
{
	struct kernel_provider *provider = instance, *of_slice = slice;
	if (of_slice->model.changes.refused > 0)
		return HISTREE_NOT_FOUND;
	enum histree_status status = kernel_slice_commit(&provider->model, &of_slice->model, error);
	if (status == HISTREE_OK) {
		provider->has_events = provider->has_events || of_slice->has_events;
		provider->has_switches = provider->has_switches || of_slice->has_switches;
	}
	return status;
}

static void save_slice(void *slice, struct saved_bytes *out)
{
	struct kernel_provider *of_slice = slice;
	saved_put(out, of_slice->has_events);
	saved_put(out, of_slice->has_switches);
	saved_put(out, of_slice->model.changes.refused);
	kernel_slice_save(&of_slice->model, out);
}

static enum histree_status load_slice(void *slice, struct byte_reader *reader, struct histree_error *error)
{
	struct kernel_provider *of_slice = slice;
	of_slice->has_events = saved_read_below(reader, 2) != 0;
	of_slice->has_switches = saved_read_below(reader, 2) != 0;
	of_slice->model.changes.refused = read_varint(reader);
	return kernel_slice_load(&of_slice->model, reader, error);
}

const struct analysis_slices kernel_provider_slices = {
	.create = create_slice,
	.hint = hint,
	.guess = guess,
	.begin = begin_slice,
	.commit = commit_slice,
	.save = save_slice,
	.load = load_slice,
};

void kernel_provider_free(void *instance)
{
	struct kernel_provider *provider = instance;
	if (provider == NULL)
		return;
	kernel_model_release(&provider->model);
	free(provider);
}
