// SPDX-License-Identifier: MIT
/*
 * registry.c - the analyses that there are.  A new one is one line in the table here.
 */
#include "analysis/registry.h"

#include <stdio.h>
#include <string.h>

const struct registry_entry registry[] = {
	{ .analysis = &analysis_kernel, .by_default = true, .needs_events = true },
	{ .analysis = &analysis_kernel_compact },
	{ .analysis = &analysis_kernel_tc },
	{ .analysis = &analysis_kernel_2016 },
	{ .analysis = &analysis_graph },
	{ .analysis = &analysis_cpu_usage },
	{ .analysis = &analysis_io },
	{ .analysis = &analysis_counters },
	{ .analysis = &analysis_switches },
	{ .analysis = &analysis_kernel_memory },
	{ .analysis = &analysis_network },
	{ .analysis = &analysis_ust_calls, .by_default = true, .of_declared = EVENT_DECLARES_CALLS },
	{ .analysis = &analysis_ust_memory, .by_default = true, .of_declared = EVENT_DECLARES_MEMORY },
	{ .analysis = &analysis_tracks, .by_default = true },
	{ .segments = &segment_analysis_system_calls },
	{ .segments = &segment_analysis_futex },
	{ .segments = &segment_analysis_irqs },
	{ .segments = &segment_analysis_softirqs },
	{ .segments = &segment_analysis_wakeups },
	{ .segments = &segment_analysis_preemptions },
	{ .segments = &segment_analysis_block_io },
	{ .segments = &segment_analysis_packets },
	{ .segments = &segment_analysis_guest_runs, .by_default = true, .needs_events = true, .if_any = true },
	{ .segments = &segment_analysis_locks, .by_default = true, .needs_events = true, .if_any = true },
	{ .segments = &segment_analysis_idle_states, .by_default = true, .needs_events = true, .if_any = true },
	{ .segments = &segment_analysis_work_queued, .by_default = true, .needs_events = true, .if_any = true },
	{ .segments = &segment_analysis_work, .by_default = true, .needs_events = true, .if_any = true },
	{ .segments = &segment_analysis_timers, .by_default = true, .needs_events = true, .if_any = true },
	{ .segments = &segment_analysis_softirq_raises, .by_default = true, .needs_events = true, .if_any = true },
	{ .segments = &segment_analysis_function_calls },
	{ .segments = &segment_analysis_allocations, .by_default = true, .of_declared = EVENT_DECLARES_MEMORY },
	{ .segments = &segment_analysis_samples, .by_default = true },
	{ .segments = &segment_analysis_sample_stacks, .by_default = true },
	{ .segments = &segment_analysis_track_spans, .by_default = true },
	{ .segments = &segment_analysis_track_flows, .by_default = true },
	{ .analysis = NULL },
};

static bool is_end(const struct registry_entry *entry)
{
	return entry->analysis == NULL && entry->segments == NULL;
}

const char *registry_name(const struct registry_entry *entry)
{
	return entry->analysis != NULL ? entry->analysis->name : entry->segments->name;
}

uint32_t registry_version(const struct registry_entry *entry)
{
	return entry->analysis != NULL ? entry->analysis->version : entry->segments->version;
}

const struct analysis_input_kind *registry_input(const struct registry_entry *entry)
{
	return entry->analysis != NULL ? entry->analysis->input : entry->segments->input;
}

const char *registry_needs(const struct registry_entry *entry)
{
	const struct analysis_input_kind *input = registry_input(entry);
	return input != NULL ? input->needs : "a trace of another kind";
}

bool registry_applies(const struct registry_entry *entry, const struct event_trace *trace)
{
	return entry->analysis != NULL ? entry->analysis->applies(trace) : entry->segments->applies(trace);
}

bool registry_is_default(const struct registry_entry *entry, const struct event_trace *trace)
{
	bool lacks = trace->has_only_samples || trace->kernel_words != EVENT_NO_KERNEL;
	unsigned declares = (unsigned)trace->declares & (EVENT_DECLARES_CALLS | EVENT_DECLARES_MEMORY);
	declares = declares != 0 ? declares : EVENT_DECLARES_CALLS;
	bool has_declared = entry->of_declared == 0 || (entry->of_declared & declares) != 0;
	return entry->by_default && has_declared && !(entry->needs_events && lacks) &&
	       registry_applies(entry, trace);
}

const struct registry_entry *registry_find(const char *name)
{
	for (const struct registry_entry *entry = registry; !is_end(entry); entry++)
		if (strcmp(registry_name(entry), name) == 0)
			return entry;
	return NULL;
}

void registry_names(char *text, size_t capacity)
{
	size_t length = 0;
	text[0] = '\0';
	for (const struct registry_entry *entry = registry; !is_end(entry) && length < capacity; entry++)
		length += (size_t)snprintf(text + length, capacity - length, "%s%s", length == 0 ? "" : ", ",
					   registry_name(entry));
}

void registry_default_needs(char *text, size_t capacity)
{
	size_t length = 0;
	text[0] = '\0';
	for (const struct registry_entry *entry = registry; !is_end(entry) && length < capacity; entry++)
		if (entry->by_default && entry->analysis != NULL && entry->of_declared != EVENT_DECLARES_MEMORY)
			length += (size_t)snprintf(text + length, capacity - length, "%s%s needs %s",
						   length == 0 ? "" : "; ", registry_name(entry),
						   registry_needs(entry));
}

const struct registry_entry *registry_at(size_t index)
{
	return index < sizeof(registry) / sizeof(*registry) - 1 ? &registry[index] : NULL;
}
