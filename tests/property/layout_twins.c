// SPDX-License-Identifier: MIT
#include "layout_twins.h"

#include "state/state_system.h"
#include "support/test.h"

static void begin(struct layout_twin *twin, const struct analysis *analysis, histree_time start)
{
	*twin = (struct layout_twin){ .analysis = analysis };
	struct interval_sink sink = recorded_history_sink(&twin->history);
	assert_ok(state_system_create(start, &sink, &twin->system, NULL));
	assert_ok(feed_create(&twin->inputs, analysis, twin->system, &twin->instance, NULL));
}

void layout_twins_begin(struct layout_twins *twins, histree_time start)
{
	begin(&twins->plain, &analysis_kernel, start);
	begin(&twins->compact, &analysis_kernel_compact, start);
}

static void take(struct layout_twin *twin, const struct event *event)
{
	assert_ok(feed_event(&twin->inputs, twin->analysis, twin->instance, event, NULL));
}

void layout_twins_take(struct layout_twins *twins, const struct event *event)
{
	take(&twins->plain, event);
	take(&twins->compact, event);
}

/* ---- states of one attribute -------------------------------------------------------------------------------- */

struct states {
	struct recorded_interval *list;
	size_t count, capacity;
};

static struct states states_of(const struct recorded_history *history, const char *path)
{
	struct states states = { 0 };
	histree_quark quark = recorded_history_find(history, path);
	for (size_t i = 0; quark != HISTREE_ROOT && i < history->count; i++) {
		if (history->intervals[i].quark != quark)
			continue;
		assert_true(array_reserve(&states.list, &states.capacity, states.count + 1));
		states.list[states.count++] = history->intervals[i];
	}
	return states;
}

/* As text: a number, a string, "-" for null, "?" for unknown; `part` 1 or 2 is a half of a pair. */
static void say(const struct recorded_interval *state, int part, char text[static 64])
{
	const char *value = state->type == HISTREE_NULL ? "-" : state->type == HISTREE_UNKNOWN ? "?" : state->value;
	const char *slash = part != 0 && state->type == HISTREE_STRING ? strchr(value, '/') : NULL;
	if (slash == NULL)
		snprintf(text, 64, "%s", value);
	else if (part == 1)
		snprintf(text, 64, "%.*s", (int)(slash - value), value);
	else
		snprintf(text, 64, "%s", slash + 1);
}

/* Null throughout is the same as not there. */
static void compare(const struct layout_twins *twins, const char *path, const char *compact_path, int part)
{
	struct states plain = states_of(&twins->plain.history, path);
	struct states compact = states_of(&twins->compact.history, compact_path);
	const struct recorded_interval null = { .start = INT64_MIN, .end = INT64_MAX, .type = HISTREE_NULL };
	bool has_compact = compact.count > 0;
	for (size_t i = 0, j = 0; i < plain.count;) {
		const struct recorded_interval *one = &plain.list[i],
					       *other = has_compact ? &compact.list[j] : &null;
		char said[64], also[64];
		say(one, 0, said);
		say(other, part, also);
		/* Until the pair goes on with another state: from then on it is unknown. */
		bool is_known_longer = part != 0 && strcmp(said, "?") == 0 && other->end <= one->end &&
				       other->end < plain.list[plain.count - 1].end;
		if (strcmp(said, also) != 0 && !is_known_longer)
			fail_msg("'%s' is %s from %lld to %lld, '%s' is %s from %lld to %lld", path, said,
				 (long long)one->start, (long long)one->end, compact_path, also,
				 (long long)other->start, (long long)other->end);
		histree_time end = one->end < other->end ? one->end : other->end;
		i += one->end == end;
		j += other->end == end && has_compact;
		assert_true(!has_compact || j < compact.count || i == plain.count);
	}
	free(plain.list);
	free(compact.list);
}

static void compare_path(const struct layout_twins *twins, const char *path)
{
	static const struct {
		const char *name, *pair;
		int part;
	} halves[] = { { "PPID", "Process", 1 },
		       { "PID", "Process", 2 },
		       { "Current_cpu_rq", "Scheduling", 1 },
		       { "Prio", "Scheduling", 2 } };
	const char *name = strrchr(path, '/');
	bool is_interrupt = strstr(path, "IRQs") != NULL; /* check_layouts.py compares them */
	char compact_path[256];
	if (name == NULL || is_interrupt)
		return;
	for (size_t i = 0; i < sizeof(halves) / sizeof(halves[0]); i++)
		if (strcmp(name + 1, halves[i].name) == 0 && strncmp(path, "Threads/", 8) == 0) {
			snprintf(compact_path, sizeof(compact_path), "%.*s/%s", (int)(name - path), path,
				 halves[i].pair);
			compare(twins, path, compact_path, halves[i].part);
			return;
		}
	compare(twins, path, path, 0);
}

static void end(struct layout_twin *twin, histree_time end)
{
	assert_ok(histree_state_close(twin->system, end, NULL));
	twin->analysis->free(twin->instance);
	analysis_inputs_release(&twin->inputs);
	histree_state_free(twin->system);
}

void layout_twins_end(struct layout_twins *twins, histree_time time)
{
	end(&twins->plain, time);
	end(&twins->compact, time);
	for (histree_quark quark = 0; quark < twins->plain.history.attribute_count; quark++)
		compare_path(twins, twins->plain.history.paths[quark]);
	recorded_history_release(&twins->plain.history);
	recorded_history_release(&twins->compact.history);
}
