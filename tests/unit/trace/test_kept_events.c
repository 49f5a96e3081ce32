// SPDX-License-Identifier: MIT
/*
 * test_kept_events.c - events that are kept say what they said: each field, with all that is inside of it.
 */
#include "support/data.h"
#include "support/test.h"
#include "trace/event_stream.h"
#include "trace/task_states.h"
#include "trace/trace.h"

enum { TEXTS = 4096 };

/* An event in words. */
struct words {
	char *text;
	size_t size;
	FILE *file;
};

static bool say_part(void *context, const struct event_part *part)
{
	FILE *file = context;
	/* Below 2^63 both are the same number. */
	const bool is_plain = part->kind == EVENT_UNSIGNED && part->integer >= 0;
	fprintf(file, " %d@%" PRIu32 ":%s[%" PRIu64 "]", is_plain ? EVENT_INT : (int)part->kind, part->depth,
		part->name != NULL ? part->name : "", part->index);
	if (part->kind == EVENT_INT || part->kind == EVENT_UNSIGNED)
		fprintf(file, "%" PRId64, part->integer);
	else if (part->kind == EVENT_REAL)
		fprintf(file, "%.17g", part->real);
	else if (part->kind == EVENT_TEXT || part->kind == EVENT_BYTES)
		fwrite(part->bytes, 1, part->size, file);
	return true;
}

static char *say(const struct event *event, uint64_t *inside)
{
	struct words words = { 0 };
	words.file = open_memstream(&words.text, &words.size);
	fprintf(words.file, "%" PRId64 " %" PRId32 " %s", event->time, event->cpu, event->class->name);
	for (uint32_t i = 0; i < event->class->field_count; i++) {
		int64_t number;
		const char *text;
		size_t size;
		fprintf(words.file, "\n%s", event->class->fields[i]);
		if (event_int(event, i, &number))
			fprintf(words.file, " %" PRId64, number);
		else if (event_string(event, i, &text, &size))
			fwrite(text, 1, size, words.file);
		else
			++*inside;
		event_visit(event, i, say_part, words.file);
	}
	fclose(words.file);
	return words.text;
}

/* Returns how many fields are neither numbers nor texts. */
static uint64_t keep_all(const char *name)
{
	char path[DATA_PATH_SIZE], *texts[TEXTS];
	struct trace *trace;
	struct event event;
	struct histree_error error = { 0 };
	struct kept_classes classes = { 0 };
	struct kept_events kept = { 0 };
	size_t count = 0;
	uint64_t inside = 0;
	source_path(path, name);
	const char *const paths[] = { path };
	assert_ok(trace_open(paths, 1, &trace, &error));
	while (count < TEXTS && trace_next(trace, &event, &error) == HISTREE_OK) {
		texts[count] = say(&event, &inside);
		if (kept_events_add(&kept, &classes, &event) != KEPT) {
			free(texts[count]);
			break;
		}
		count++;
	}
	assert_true(count > 10);
	assert_int_equal(kept.count, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t again = 0;
		char *text = say(&kept.events[i], &again);
		assert_string_equal(text, texts[i]);
		free(text);
		free(texts[i]);
	}
	kept_events_release(&kept);
	kept_classes_release(&classes);
	trace_close(trace);
	return inside;
}

/* ---- states of tasks ----------------------------------------------------------------------------------------- */

/* What only this trace has: its events are one number. */
struct made_event {
	int64_t guard, number;
};

static bool made_int(const struct event *event, uint32_t field, int64_t *out)
{
	const struct made_event *made = event->handle;
	assert_int_equal(made->guard, -7);
	assert_int_equal(field, 0);
	*out = made->number;
	return true;
}

static bool made_string(const struct event *event, uint32_t field, const char **text, size_t *size)
{
	(void)event, (void)field, (void)text, (void)size;
	return false;
}

static bool see_part(void *context, const struct event_part *part)
{
	*(struct event_part *)context = *part;
	return true;
}

/* A kernel that wrote each state one bit too high: analyses get a state as it was meant, also of what was kept. */
TEST(kept_events_have_states_as_written_and_as_meant)
{
	static const char *const fields[] = { "prev_state" };
	struct event_trace trace = { .path = "made", .get_int = made_int, .get_string = made_string };
	const struct event_class class = {
		.trace = &trace, .name = "sched_switch", .field_count = 1, .payload_count = 1, .fields = fields
	};
	const struct made_event made = { -7, 4 };
	const struct event event = { .class = &class, .handle = &made };
	struct task_state_signs signs = { 0 };
	struct kept_classes classes = { 0 };
	struct kept_events kept = { 0 };
	task_state_signs_see(&signs, 0, 1, 9);
	task_state_signs_see(&signs, 9, 2, 0);
	task_states_decide(&trace, signs);
	assert_int_equal(kept_events_add(&kept, &classes, &event), KEPT);
	const struct event *const both[] = { &event, &kept.events[0] };
	for (size_t i = 0; i < 2; i++) {
		struct event_part part = { 0 };
		int64_t number = 0;
		assert_true(event_int(both[i], 0, &number));
		assert_int_equal(number, 2);
		assert_true(event_visit(both[i], 0, see_part, &part));
		assert_int_equal(part.kind, EVENT_INT);
		assert_int_equal(part.integer, 4);
	}
	kept_events_release(&kept);
	kept_classes_release(&classes);
}

TEST(kept_events_say_what_they_said)
{
	assert_true(keep_all("tests/data/perf-samples/samples.data") > 30); /* call chains, a build id */
	keep_all("tests/data/demo-trace");
	keep_all("tests/data/perf-made/file.data");
}
