// SPDX-License-Identifier: MIT
/*
 * registry.c - the table of all analyses: a new one is one line.  Labels and charts of a history come from its
 * file, or else from the analysis that made it.
 */
#include "analysis/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "histree/attributes.h"
#include "state/charts.h"
#include "state/history.h"
#include "state/labels.h"

/* ---- registry ------------------------------------------------------------------------------------------------ */

/* Those that are named here only; analysis.h has the others. */
extern const struct analysis analysis_graph;         /* who waited for whom */
extern const struct analysis analysis_cpu_usage;     /* how long threads ran on each CPU */
extern const struct analysis analysis_io;            /* queues of disks, and bytes read and written */
extern const struct analysis analysis_switches;      /* how often CPUs and threads were switched */
extern const struct analysis analysis_network;       /* bytes over interfaces, and of threads */
extern const struct analysis analysis_kernel_memory; /* what threads had the kernel allocate */
extern const struct segment_analysis segment_analysis_packets;
extern const struct segment_analysis segment_analysis_guest_runs;
extern const struct segment_analysis segment_analysis_locks;
extern const struct segment_analysis segment_analysis_idle_states;
extern const struct segment_analysis segment_analysis_work_queued;
extern const struct segment_analysis segment_analysis_work;
extern const struct segment_analysis segment_analysis_timers;
extern const struct segment_analysis segment_analysis_softirq_raises;
extern const struct segment_analysis segment_analysis_reclaim;
extern const struct segment_analysis segment_analysis_signals;
extern const struct segment_analysis segment_analysis_ipis;
extern const struct segment_analysis segment_analysis_grace_periods;
extern const struct segment_analysis segment_analysis_connections;
extern const struct segment_analysis segment_analysis_handshakes;
extern const struct segment_analysis segment_analysis_file_systems;
extern const struct segment_analysis segment_analysis_track_spans;
extern const struct segment_analysis segment_analysis_track_flows;
extern const struct segment_analysis segment_analysis_track_instants;

/* Kernel analyses besides `kernel`: they apply if the trace has the events that they use. */
#define KERNEL_STATES(SYMBOL, EVENTS)                                                                    \
	{                                                                                                \
		.analysis = &analysis_##SYMBOL, .needs_events = true, .if_any = true, .events = (EVENTS) \
	}
#define KERNEL_SEGMENTS(SYMBOL, EVENTS)                                                                          \
	{                                                                                                        \
		.segments = &segment_analysis_##SYMBOL, .needs_events = true, .if_any = true, .events = (EVENTS) \
	}

/* What a store shows by itself comes first: of its histories, the first is the one that questions are put to. */
const struct registry_entry registry[] = {
	{ .analysis = &analysis_kernel, .needs_events = true },
	{ .analysis = &analysis_kernel_compact, .is_variant = true },
	{ .analysis = &analysis_kernel_tc, .is_variant = true },
	{ .analysis = &analysis_kernel_2016, .is_variant = true },
	{ .analysis = &analysis_ust_calls, .of_declared = EVENT_DECLARES_CALLS },
	{ .analysis = &analysis_ust_memory, .of_declared = EVENT_DECLARES_MEMORY },
	{ .analysis = &analysis_tracks },
	KERNEL_STATES(graph, "sched:*"),
	KERNEL_STATES(cpu_usage, "sched:*"),
	KERNEL_STATES(switches, "sched:*"),
	KERNEL_STATES(io, "block:* and system calls"),
	KERNEL_STATES(network, "net:*"),
	KERNEL_STATES(kernel_memory, "kmem:*"),
	{ .analysis = &analysis_counters, .if_any = true, .events = "contexts perf:cpu:*" },
	KERNEL_SEGMENTS(system_calls, "system calls"),
	KERNEL_SEGMENTS(futex, "system calls"),
	KERNEL_SEGMENTS(irqs, "irq:*"),
	KERNEL_SEGMENTS(softirqs, "irq:*"),
	KERNEL_SEGMENTS(softirq_raises, "irq:*"),
	KERNEL_SEGMENTS(wakeups, "sched:*wak*"),
	KERNEL_SEGMENTS(preemptions, "sched:*"),
	KERNEL_SEGMENTS(block_io, "block:*"),
	KERNEL_SEGMENTS(packets, "net:*"),
	KERNEL_SEGMENTS(guest_runs, "kvm:*"),
	KERNEL_SEGMENTS(locks, "lock:contention_*"),
	KERNEL_SEGMENTS(idle_states, "power:cpu_idle"),
	KERNEL_SEGMENTS(work_queued, "workqueue:*"),
	KERNEL_SEGMENTS(work, "workqueue:*"),
	KERNEL_SEGMENTS(timers, "timer:*"),
	KERNEL_SEGMENTS(reclaim, "vmscan:*"),
	KERNEL_SEGMENTS(signals, "signal:*"),
	KERNEL_SEGMENTS(ipis, "csd:*"),
	KERNEL_SEGMENTS(grace_periods, "rcu:*"),
	KERNEL_SEGMENTS(connections, "sock:*"),
	KERNEL_SEGMENTS(handshakes, "sock:*"),
	KERNEL_SEGMENTS(file_systems, "ext4:*, xfs:*, nfs:* and so on"),
	{ .segments = &segment_analysis_function_calls, .if_any = true, .of_declared = EVENT_DECLARES_CALLS },
	{ .segments = &segment_analysis_allocations, .of_declared = EVENT_DECLARES_MEMORY },
	{ .segments = &segment_analysis_samples },
	{ .segments = &segment_analysis_sample_stacks },
	{ .segments = &segment_analysis_track_spans },
	{ .segments = &segment_analysis_track_flows },
	{ .segments = &segment_analysis_track_instants },
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
	return !entry->is_variant && has_declared && !(entry->needs_events && lacks) &&
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
		if (!entry->is_variant && !entry->if_any && entry->analysis != NULL &&
		    entry->of_declared != EVENT_DECLARES_MEMORY)
			length += (size_t)snprintf(text + length, capacity - length, "%s%s needs %s",
						   length == 0 ? "" : "; ", registry_name(entry),
						   registry_needs(entry));
}

/* Whether a name is on a list. */
static bool is_on(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Append "NAME, NAME (EVENTS)": all on the list that live on the events of an entry.  Returns the new length. */
static size_t put_lacking(const struct registry_entry *of, const char *const *names, size_t count, char *text,
			  size_t capacity, size_t length)
{
	const char *before = length == 0 ? "" : "; ";
	for (const struct registry_entry *entry = of; !is_end(entry) && length < capacity; entry++)
		if (entry->events != NULL && strcmp(entry->events, of->events) == 0 &&
		    is_on(registry_name(entry), names, count)) {
			length += (size_t)snprintf(text + length, capacity - length, "%s%s", before,
						   registry_name(entry));
			before = ", ";
		}
	return length < capacity ? length + (size_t)snprintf(text + length, capacity - length, " (%s)", of->events)
				 : length;
}

void registry_lacking(const char *const *names, size_t count, char *text, size_t capacity)
{
	size_t length = 0;
	text[0] = '\0';
	for (const struct registry_entry *entry = registry; !is_end(entry) && length < capacity; entry++) {
		bool is_first = entry->events != NULL && is_on(registry_name(entry), names, count);
		for (const struct registry_entry *other = registry; other < entry && is_first; other++)
			is_first = other->events == NULL || strcmp(other->events, entry->events) != 0 ||
				   !is_on(registry_name(other), names, count);
		if (is_first)
			length = put_lacking(entry, names, count, text, capacity, length);
	}
}

const struct registry_entry *registry_at(size_t index)
{
	return index < sizeof(registry) / sizeof(*registry) - 1 ? &registry[index] : NULL;
}

/* ---- history labels ------------------------------------------------------------------------------------------ */

static const void *known_labels(const char *provider, size_t *count)
{
	const struct registry_entry *entry = registry_find(provider);
	bool is_known = entry != NULL && entry->analysis != NULL;
	*count = is_known ? entry->analysis->label_table_count : 0;
	return is_known ? entry->analysis->labels : NULL;
}

static const void *known_charts(const char *provider, size_t *count)
{
	const struct registry_entry *entry = registry_find(provider);
	bool is_known = entry != NULL && entry->analysis != NULL;
	*count = is_known ? entry->analysis->chart_count : 0;
	return is_known ? entry->analysis->charts : NULL;
}

static const struct history_told *told_of_one(const struct histree_history *history, enum told_section section)
{
	return told_slots_get(history_told(history), told_kinds[section], history_file(history),
			      histree_history_info(history)->provider,
			      section == TOLD_LABELS ? known_labels : known_charts);
}

static const struct history_told *told_in(const struct histree_history *history, enum told_section section)
{
	size_t count, found = 0;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	if (hosts == NULL)
		return told_of_one(history, section);
	struct told_slots *slots = history_told(history);
	const struct history_told *told = atomic_load_explicit(&slots->of[section].told, memory_order_acquire);
	if (told != NULL)
		return told;
	const struct history_told **of_hosts = calloc(count, sizeof(*of_hosts));
	for (size_t i = 0; of_hosts != NULL && i < count; i++) {
		if (hosts[i].history != NULL)
			of_hosts[found] = told_of_one(hosts[i].history, section);
		found += of_hosts[found] != NULL;
	}
	told = of_hosts != NULL ? told_slots_unite(slots, told_kinds[section], of_hosts, found) : NULL;
	free(of_hosts);
	return told;
}

const struct histree_label_table *histree_labels(const struct histree_history *history, size_t *count)
{
	const struct history_told *labels = told_in(history, TOLD_LABELS);
	*count = labels != NULL ? labels->count : 0;
	return labels != NULL ? labels->tables : NULL;
}

enum histree_labels_origin histree_labels_origin(const struct histree_history *history)
{
	const struct history_told *labels = told_in(history, TOLD_LABELS);
	return labels != NULL ? labels->origin : HISTREE_LABELS_NONE;
}

static inline const struct histree_label_table *table_of(const struct histree_history *history, histree_quark quark)
{
	const struct histree_label_table *table;
	history = history_of_host(history, &quark);
	if (history == NULL) /* the folder of a host */
		return NULL;
	struct told_slots *slots = history_told(history);
	if (labels_known(slots, quark, &table))
		return table;
	const struct history_told *labels = told_of_one(history, TOLD_LABELS);
	return labels != NULL ? labels_look(slots, histree_history_attributes(history), labels, quark) : NULL;
}

const struct histree_label_table *histree_labels_of(const struct histree_history *history, histree_quark quark)
{
	return table_of(history, quark);
}

static const struct histree_label_table *find_meaning(const struct histree_label_table *tables, size_t count,
						      enum histree_meaning meaning)
{
	for (size_t i = count; i-- > 0;)
		if (tables[i].meaning == meaning)
			return &tables[i];
	return NULL;
}

const struct histree_label_table *histree_labels_for(const struct histree_history *history,
						     enum histree_meaning meaning)
{
	size_t count = 0;
	const struct histree_label_table *tables = history != NULL ? histree_labels(history, &count) : NULL;
	const struct histree_label_table *found = find_meaning(tables, count, meaning);
	if (found == NULL && meaning != HISTREE_MEANS_ANYTHING)
		found = find_meaning(analysis_kernel.labels, analysis_kernel.label_table_count, meaning);
	return found;
}

enum histree_meaning histree_meaning_of(const struct histree_history *history, histree_quark quark)
{
	const struct histree_label_table *table = table_of(history, quark);
	return table != NULL ? table->meaning : HISTREE_MEANS_ANYTHING;
}

const char *histree_label_of(const struct histree_history *history, histree_quark quark,
			     const struct histree_value *value)
{
	return histree_label_words(table_of(history, quark), value);
}

/* ---- history charts ------------------------------------------------------------------------------------------ */

const struct histree_chart *histree_charts(const struct histree_history *history, size_t *count)
{
	const struct history_told *charts = told_in(history, TOLD_CHARTS);
	*count = charts != NULL ? charts->count : 0;
	return charts != NULL ? charts->charts : NULL;
}

const struct histree_chart *histree_chart_find(const struct histree_history *history, const char *name)
{
	size_t count;
	const struct histree_chart *charts = histree_charts(history, &count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(charts[i].name, name) == 0)
			return &charts[i];
	return NULL;
}
