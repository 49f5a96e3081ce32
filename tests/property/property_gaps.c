// SPDX-License-Identifier: MIT
/*
 * property_gaps.c - a history of a trace that lacks events says nothing that the whole trace denies.
 *
 * The events of a real trace go to an analysis twice: once as they are, and once without those of random times on
 * random CPUs, each of which is said to be a gap.  Whatever the second history does not call unknown, the first one
 * has too.  Left out is what kernel_gap.h says is kept: names and parents, that a thread is dead, and that an
 * attribute of which nobody heard is null from the beginning.
 */
#include "base/search.h"
#include "driver.h"
#include "losses.h"
#include "state/state_system.h"
#include "support/analysis_feed.h"
#include "support/recorded_history.h"
#include "support/test.h"
#include "support/workload.h"
#include "trace/trace.h"

enum { LOSSY_RUNS = 6 };

struct run {
	const struct analysis *analysis;
	struct histree_state_system *system;
	void *instance;
	struct analysis_inputs inputs;
	struct recorded_history history;
	histree_time end;
};

/* Whether this event is lost. */
static bool is_lost(struct losses *losses, struct run *run, const struct event *event)
{
	bool begins, lost = losses_take(losses, event, &begins);
	const struct event_gap gap = {
		.trace = event->class->trace, .cpu = event->cpu, .begin = event->time, .end = event->time
	};
	const struct event loss = { .time = gap.begin, .cpu = gap.cpu, .gap = &gap };
	if (begins)
		assert_ok(feed_event(&run->inputs, run->analysis, run->instance, &loss, NULL));
	return lost;
}

static void run_trace(struct run *run, const struct analysis *analysis, const char *name, struct losses *losses)
{
	const char *path = losses_trace_path(name);
	struct trace *trace;
	struct event event;
	struct histree_error error = { 0 };
	*run = (struct run){ .analysis = analysis };
	if (trace_open(&path, 1, &trace, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	for (bool first = true; trace_next(trace, &event, &error) == HISTREE_OK; first = false) {
		if (first) {
			struct interval_sink sink = recorded_history_sink(&run->history);
			assert_ok(state_system_create(event.time, &sink, &run->system, &error));
			assert_ok(feed_create(&run->inputs, analysis, run->system, &run->instance, &error));
		}
		run->end = event.time > run->end ? event.time : run->end;
		if (!is_lost(losses, run, &event))
			assert_ok(feed_event(&run->inputs, analysis, run->instance, &event, &error));
	}
	assert_ok(histree_state_close(run->system, run->end, &error));
	analysis->free(run->instance);
	analysis_inputs_release(&run->inputs);
	histree_state_free(run->system);
	trace_close(trace);
}

/* ---- comparing ------------------------------------------------------------------------------------------ */

COMPARE(by_quark_and_start, struct recorded_interval, BY(quark) BY(start))

static bool ends_with(const char *path, const char *name)
{
	size_t size = strlen(path), name_size = strlen(name);
	return size >= name_size && strcmp(path + size - name_size, name) == 0;
}

static bool is_kept(const char *path, const struct recorded_interval *said, histree_time start)
{
	static const char *const names[] = { "/Exec_name", "/PPID", "/PID", "/Min frequency", "/Max frequency" };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (ends_with(path, names[i]))
			return true;
	return said->type == HISTREE_NULL && (strncmp(path, "Threads", 7) == 0 || said->start == start);
}

struct path_entry {
	const char *path;
	histree_quark quark;
};

COMPARE(by_path, struct path_entry, BY_TEXT(path))

/* The quarks of the whole history, by path. */
static struct path_entry *index_paths(const struct recorded_history *history)
{
	struct path_entry *entries = calloc(history->attribute_count + 1, sizeof(*entries));
	assert_non_null(entries);
	for (histree_quark quark = 0; quark < history->attribute_count; quark++)
		entries[quark] = (struct path_entry){ history->paths[quark], quark };
	qsort(entries, history->attribute_count, sizeof(*entries), by_path);
	return entries;
}

/*
 * The next interval of the whole history, from `*place` on, that denies what is said; NULL: there is none.  What it
 * calls unknown itself, because the recording lacks events that nobody told
 * (docs/design/09-kernel-analyses.md), it does not deny.
 */
static const struct recorded_interval *next_denial(const struct recorded_history *whole, histree_quark quark,
						   const struct recorded_interval *said, size_t *place)
{
	while (*place < whole->count) {
		const struct recorded_interval *interval = &whole->intervals[(*place)++];
		if (interval->quark != quark || interval->start > said->end)
			return NULL;
		if (interval->type != HISTREE_UNKNOWN &&
		    (interval->type != said->type || strcmp(interval->value, said->value) != 0))
			return interval;
	}
	return NULL;
}

/* The place of the first interval of an attribute that ends at that time or later. */
static size_t find_place(const struct recorded_history *whole, histree_quark quark, histree_time time)
{
	size_t low = 0, high = whole->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct recorded_interval *interval = &whole->intervals[middle];
		if (interval->quark < quark || (interval->quark == quark && interval->end < time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Whether the whole history has nothing else between the two ends. */
static bool agrees(const struct recorded_history *whole, histree_quark quark, const struct recorded_interval *said)
{
	size_t place = find_place(whole, quark, said->start);
	return next_denial(whole, quark, said, &place) == NULL;
}

static const struct path_entry *find_path(const struct recorded_history *history, const struct path_entry *paths,
					  const char *path)
{
	const struct path_entry wanted = { .path = path };
	return bsearch(&wanted, paths, history->attribute_count, sizeof(*paths), by_path);
}

/* Returns what the whole history has of an attribute at a time; NULL: there is no such attribute. */
static const struct recorded_interval *state_at(const struct recorded_history *whole,
						const struct path_entry *paths, const char *path, histree_time time)
{
	const struct path_entry *known = find_path(whole, paths, path);
	for (size_t i = 0; known != NULL && i < whole->count; i++)
		if (whole->intervals[i].quark == known->quark && whole->intervals[i].end >= time)
			return &whole->intervals[i];
	return NULL;
}

/*
 * Whether it is the mode of a thread, or of the CPU that it runs on, which was in a system call when the trace
 * began: only its exit says so, and that may be lost.  Until it comes the thread is in user mode, as it is in a
 * trace that has no system calls.
 */
static bool is_before_first_exit(const struct recorded_history *whole, const struct path_entry *paths,
				 const char *path, const struct recorded_interval *said)
{
	const struct recorded_interval *call = NULL, *current;
	char text[64];
	if (strncmp(path, "Threads/", 8) == 0) {
		snprintf(text, sizeof(text), "%.*s/System_call", (int)strcspn(path + 8, "/") + 8, path);
		call = state_at(whole, paths, text, said->end);
	} else if (strncmp(path, "CPUs/", 5) == 0) {
		snprintf(text, sizeof(text), "%.40s/Current_thread", path);
		current = state_at(whole, paths, text, said->end);
		snprintf(text, sizeof(text), "Threads/%.20s/System_call", current != NULL ? current->value : "");
		call = state_at(whole, paths, text, said->end);
	}
	bool is_mode = (said->type == HISTREE_INT && strcmp(said->value, "2") == 0) || said->type == HISTREE_NULL;
	return is_mode && call != NULL && call->start == whole->intervals[0].start && call->type != HISTREE_NULL;
}

/*
 * Whether it is the mode of a thread between two softirqs of its CPU, the second of which was raised by then: a
 * thread stays interrupted while a softirq is raised, and the raise may be lost.
 */
static bool is_between_softirqs(const struct recorded_history *whole, const struct path_entry *paths,
				const char *path, const struct recorded_interval *said)
{
	char text[64], name[64];
	if (strncmp(path, "Threads/", 8) != 0)
		return false;
	for (histree_quark quark = 0; quark < whole->attribute_count; quark++) {
		const char *vector = whole->paths[quark];
		if (strncmp(vector, "CPUs/", 5) != 0 || strstr(vector, "/Soft_IRQs/") == NULL)
			continue;
		const int cpu = atoi(vector + 5);
		snprintf(text, sizeof(text), "CPUs/%d/Current_thread", cpu);
		const struct recorded_interval *current = state_at(whole, paths, text, said->end);
		const struct recorded_interval *raised = state_at(whole, paths, vector, said->end);
		if (current == NULL || raised == NULL)
			continue;
		if (strcmp(current->value, "0") == 0)
			snprintf(name, sizeof(name), "Threads/0_%d", cpu);
		else
			snprintf(name, sizeof(name), "Threads/%.40s", current->value);
		if (strcmp(name, path) == 0 && raised->type == HISTREE_INT && strcmp(raised->value, "1") == 0 &&
		    raised->start <= said->start)
			return true;
	}
	return false;
}

/*
 * Whether each piece of it that the whole history denies is one of those two.  They are asked piece by piece, as
 * one state of a CPU may cover turns of several threads.
 */
static bool is_excused(const struct recorded_history *whole, const struct path_entry *paths,
		       const struct path_entry *known, const struct recorded_interval *said)
{
	size_t place = find_place(whole, known->quark, said->start);
	for (const struct recorded_interval *denial;
	     (denial = next_denial(whole, known->quark, said, &place)) != NULL;) {
		struct recorded_interval piece = *said;
		piece.start = denial->start > said->start ? denial->start : said->start;
		piece.end = denial->end < said->end ? denial->end : said->end;
		if (!is_before_first_exit(whole, paths, known->path, &piece) &&
		    !is_between_softirqs(whole, paths, known->path, &piece))
			return false;
	}
	return true;
}

/* An interrupt of which only the end is there has no name: the whole trace has it with one. */
static bool is_of_named(const struct recorded_history *whole, const char *path,
			const struct recorded_interval *said)
{
	const char *group = strstr(path, "IRQs/");
	const size_t size = strlen(path);
	for (histree_quark quark = 0; group != NULL && quark < whole->attribute_count; quark++)
		if (strncmp(whole->paths[quark], path, size) == 0 &&
		    strncmp(whole->paths[quark] + size, "\\/", 2) == 0 && agrees(whole, quark, said))
			return true;
	return false;
}

static uint64_t compare(const struct recorded_history *whole, const struct recorded_history *lossy,
			const struct losses *losses)
{
	struct path_entry *paths = index_paths(whole);
	uint64_t unknown = 0;
	qsort(lossy->intervals, lossy->count, sizeof(*lossy->intervals), by_quark_and_start);
	for (size_t i = 0; i < lossy->count; i++) {
		const struct recorded_interval *said = &lossy->intervals[i];
		const char *path = lossy->paths[said->quark];
		if (said->type == HISTREE_UNKNOWN) {
			unknown++;
			continue;
		}
		const struct path_entry *known = find_path(whole, paths, path);
		if (is_kept(path, said, whole->intervals[0].start) ||
		    (known != NULL && agrees(whole, known->quark, said)))
			continue;
		if (known == NULL && (said->type == HISTREE_NULL || is_of_named(whole, path, said)))
			continue;
		if (known != NULL && is_excused(whole, paths, known, said))
			continue;
		fail_msg("seed %llu, %u of 1000: '%s' is said to be %s '%s' from %lld to %lld, and is not",
			 (unsigned long long)losses->random.state, losses->per_mille, path,
			 histree_type_name(said->type), said->value, (long long)said->start, (long long)said->end);
	}
	free(paths);
	return unknown;
}

struct analysis_kind {
	const char *name;
	const struct analysis *analysis;
	const char *trace;
};

static void check(const struct analysis_kind *kind, const struct recorded_history *whole, uint64_t seed)
{
	struct losses losses = losses_of_seed(seed);
	struct run lossy;
	run_trace(&lossy, kind->analysis, kind->trace, &losses);
	for (uint64_t other = 1; !losses_are_enough(&losses) && other < 32; other++) {
		recorded_history_release(&lossy.history);
		losses = losses_of_seed(seed + other);
		run_trace(&lossy, kind->analysis, kind->trace, &losses);
	}
	uint64_t unknown = compare(whole, &lossy.history, &losses);
	if (losses.gaps == 0 || losses.lost <= losses.gaps || unknown <= losses.gaps)
		fail_msg("%u of 1000: %llu events lost in %llu gaps, and %llu states unknown", losses.per_mille,
			 (unsigned long long)losses.lost, (unsigned long long)losses.gaps,
			 (unsigned long long)unknown);
	recorded_history_release(&lossy.history);
}

static const struct analysis_kind kinds[] = {
	{ "kernel", &analysis_kernel, "scp_dest" },
	{ "kernel, system calls", &analysis_kernel, "many-threads" },
	{ "kernel, by perf", &analysis_kernel, "demo-trace" },
	{ "kernel-2016", &analysis_kernel_2016, "scp_dest" },
	{ NULL, NULL, NULL },
};

static void nothing_is_said_that_the_whole_trace_denies(const void *chosen, uint64_t seed)
{
	const struct analysis_kind *kind = chosen;
	struct run whole;
	char path[DATA_PATH_SIZE];
	/* The trace of the sources is of one program: others have no switches, which are all that 2016 believes. */
	if (kind->analysis == &analysis_kernel_2016 && !losses_has_trace(kind->trace, path))
		return;
	run_trace(&whole, kind->analysis, kind->trace, NULL);
	qsort(whole.history.intervals, whole.history.count, sizeof(*whole.history.intervals), by_quark_and_start);
	for (uint64_t number = 0; number < LOSSY_RUNS; number++)
		check(kind, &whole.history, seed + number);
	recorded_history_release(&whole.history);
}

PROPERTIES({ KINDS(kinds), .rounds = 1, .check = nothing_is_said_that_the_whole_trace_denies })
