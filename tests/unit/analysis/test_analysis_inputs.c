// SPDX-License-Identifier: MIT
/* Inputs of analyses: one of a kind for a build, and events that are decoded once for all. */
#include "analysis/kernel/kernel_input.h"
#include "analysis/kernel/kernel_sums.h"
#include "analysis/ust/call_stacks.h"
#include "analysis_run.h"
#include "support/analysis_feed.h"
#include "support/test.h"
#include "support/written_events.h"

static const char switch_fields[] =
	"prev_comm=a prev_tid=1 prev_prio=20 prev_state=0 next_comm=b next_tid=2 next_prio=20";

/* ---- the set of inputs ----------------------------------------------------------------------------------- */

TEST(there_is_one_input_of_a_kind)
{
	struct analysis_inputs inputs = { 0 };
	void *first, *second, *other, *none;
	assert_ok(analysis_inputs_get(&inputs, &kernel_input_kind, &first, NULL));
	assert_ok(analysis_inputs_get(&inputs, &kernel_input_kind, &second, NULL));
	assert_ok(analysis_inputs_get(&inputs, &call_stacks_kind, &other, NULL));
	assert_ok(analysis_inputs_get(&inputs, NULL, &none, NULL));
	assert_non_null(first);
	assert_ptr_equal(first, second);
	assert_ptr_not_equal(first, other);
	assert_null(none);
	assert_int_equal(inputs.count, 2);
	analysis_inputs_release(&inputs);
}

/* ---- the kernel's ---------------------------------------------------------------------------------------- */

struct fixture {
	struct analysis_inputs inputs;
	struct kernel_input *input;
	struct written_events events;
};

static unsigned decoded_fields; /* since a test began */

static bool count_int(const struct event *event, uint32_t field, int64_t *out)
{
	decoded_fields++;
	return written_get_int(event, field, out);
}

static void begin_fixture(struct fixture *fixture, const char *tracer)
{
	*fixture = (struct fixture){ 0 };
	written_events_init(&fixture->events, tracer, 2, 8);
	fixture->events.trace.get_int = count_int;
	decoded_fields = 0;
	void *input;
	assert_ok(analysis_inputs_get(&fixture->inputs, &kernel_input_kind, &input, NULL));
	fixture->input = input;
	kernel_input_need_machine(input);
}

/* Returns the role of what the input makes of an event; handlers would see it now, before it ends. */
static enum kernel_role begin_event(struct fixture *fixture, histree_time time, int32_t cpu, const char *name,
				    const char *fields)
{
	struct event event = written_event(&fixture->events, time, cpu, name, fields);
	assert_ok(analysis_inputs_begin(&fixture->inputs, &event, NULL));
	return fixture->input->event.role;
}

static void end_event(struct fixture *fixture)
{
	assert_ok(analysis_inputs_end(&fixture->inputs, NULL));
}

TEST(an_event_that_nobody_wants_is_not_decoded)
{
	struct fixture fixture;
	begin_fixture(&fixture, "lttng-modules");
	assert_int_equal(begin_event(&fixture, 10, 0, "sched_waking", "tid=5 prio=20 target_cpu=1"),
			 KERNEL_NO_ROLE);
	end_event(&fixture);
	assert_int_equal(decoded_fields, 0);
	kernel_input_want(fixture.input, KERNEL_WAKING);
	assert_int_equal(begin_event(&fixture, 11, 0, "sched_waking", "tid=5 prio=20 target_cpu=1"), KERNEL_WAKING);
	end_event(&fixture);
	assert_int_equal(decoded_fields, 3);
	analysis_inputs_release(&fixture.inputs);
}

TEST(all_analyses_see_the_machine_as_it_was_before_the_event)
{
	struct fixture fixture;
	begin_fixture(&fixture, "lttng-modules");
	const struct kernel_event *event = &fixture.input->event;
	assert_int_equal(begin_event(&fixture, 10, 3, "sched_switch", switch_fields), KERNEL_SWITCH);
	assert_int_equal(event->on_cpu->number, 3);
	assert_null(event->on_cpu->thread);
	assert_null(event->in_thread);
	end_event(&fixture);
	assert_int_equal(begin_event(&fixture, 11, 3, "sched_switch", switch_fields), KERNEL_SWITCH);
	assert_int_equal(event->in_thread->tid, 2);
	assert_ptr_equal(event->thread, machine_thread(&fixture.input->machine, event->tid));
	assert_ptr_equal(event->previous, machine_thread(&fixture.input->machine, event->prev_tid));
	assert_int_not_equal(event->thread->place, event->previous->place);
	assert_ptr_equal(event->in_thread->cpu, event->on_cpu);
	assert_memory_equal(machine_thread_name(event->in_thread).bytes, "b", 1);
	end_event(&fixture);
	analysis_inputs_release(&fixture.inputs);
}

/* A sum of threads, as an analysis has it, that does not say whether it needs the machine. */
static void count_thread(struct kernel_sums *sums, const struct kernel_event *event)
{
	const struct machine_thread *thread = kernel_event_thread(event);
	struct kernel_sum_row *row =
		thread != NULL ? kernel_sum_row_of_thread(sums, &sums->tables[0], thread) : NULL;
	if (row != NULL)
		kernel_sum_set(sums, row, 0, 1);
}

static enum histree_status count_two_switches(bool needs_machine, struct histree_error *error)
{
	const struct kernel_sums_kind kind = {
		.what = "switches",
		.tables = { { .folder = "Threads", .names = { "Switches" }, .sum_count = 1 } },
		.roles = { KERNEL_SWITCH },
		.role_count = 1,
		.needs_machine = needs_machine,
		.count = count_thread,
	};
	const struct analysis analysis = { .name = "switches-of", .kind = &kind, KERNEL_SUMS_OF_KERNEL };
	struct analysis_run run;
	run_begin(&run, &analysis, "lttng-modules", 2, 8, 0);
	enum histree_status status = run_try(&run, 10, 0, "sched_switch", switch_fields);
	if (status == HISTREE_OK)
		status = run_try(&run, 11, 0, "sched_switch", switch_fields);
	*error = run.error;
	run_end(&run, 20);
	if (status == HISTREE_OK)
		run_expect(&run, "Threads/2/Switches", "0 null, 11 long 1");
	run_release(&run);
	return status;
}

TEST(who_asks_the_machine_says_so_when_it_is_made)
{
	struct histree_error error = { 0 };
	assert_int_equal(count_two_switches(true, &error), HISTREE_OK);
	assert_int_equal(count_two_switches(false, &error), HISTREE_ERR_INTERNAL);
	assert_non_null(strstr(error.message, "needs_machine"));
	assert_non_null(strstr(error.message, "kernel_input_need_machine()"));
}

TEST(who_runs_on_a_cpu_is_forgotten_in_a_gap)
{
	struct fixture fixture;
	begin_fixture(&fixture, "lttng-modules");
	for (int32_t cpu = 0; cpu < 2; cpu++) {
		begin_event(&fixture, 10, cpu, "sched_switch", switch_fields);
		end_event(&fixture);
	}
	const struct event_gap gap = { .trace = &fixture.events.trace, .cpu = 1, .begin = 20, .end = 30 };
	const struct event loss = { .time = 20, .cpu = 1, .gap = &gap };
	assert_ok(analysis_inputs_begin(&fixture.inputs, &loss, NULL));
	end_event(&fixture);
	assert_null(machine_cpu(&fixture.input->machine, 1)->thread);
	assert_int_equal(machine_thread(&fixture.input->machine, 2)->gap_end, 30);
	/* The gap ends with the next event of its CPU, whatever it is. */
	begin_event(&fixture, 25, 1, "something_else", "x=1");
	end_event(&fixture);
	assert_int_equal(machine_thread(&fixture.input->machine, 2)->gap_end, 24);
	analysis_inputs_release(&fixture.inputs);
}

TEST(other_traces_pass_by)
{
	struct fixture fixture;
	begin_fixture(&fixture, "lttng-ust");
	assert_int_equal(begin_event(&fixture, 10, 0, "sched_switch", switch_fields), KERNEL_NO_ROLE);
	end_event(&fixture);
	const struct event_gap gap = { .trace = &fixture.events.trace, .cpu = -1, .begin = 20, .end = 30 };
	const struct event loss = { .time = 20, .cpu = -1, .gap = &gap };
	assert_ok(analysis_inputs_begin(&fixture.inputs, &loss, NULL));
	end_event(&fixture);
	assert_int_equal(decoded_fields, 0);
	assert_true(fixture.input->machine.gap_end == INT64_MIN);
	analysis_inputs_release(&fixture.inputs);
}

/* ---- several analyses ------------------------------------------------------------------------------------ */

static unsigned count_decoded(size_t analysis_count)
{
	static const struct segment_analysis *const analyses[] = { &segment_analysis_wakeups,
								   &segment_analysis_futex,
								   &segment_analysis_system_calls };
	struct fixture fixture;
	void *instances[3];
	struct histree_segment_store *stores[3];
	begin_fixture(&fixture, "lttng-modules");
	for (size_t i = 0; i < analysis_count; i++) {
		const struct histree_segment_store_options options = {
			.kind = HISTREE_SEGMENTS_LAZY,
			.schema = { .provider = analyses[i]->name,
				    .fields = analyses[i]->fields,
				    .field_count = analyses[i]->field_count },
		};
		assert_ok(histree_segment_store_create(&options, &stores[i], NULL));
		assert_ok(feed_segments_create(&fixture.inputs, analyses[i], stores[i], &instances[i], NULL));
	}
	for (histree_time time = 0; time < 10; time++) {
		struct event event = written_event(&fixture.events, time, 0, "sched_switch", switch_fields);
		assert_ok(feed_segments_event(&fixture.inputs, analyses, instances, analysis_count, &event, NULL));
	}
	for (size_t i = 0; i < analysis_count; i++) {
		analyses[i]->free(instances[i]);
		histree_segment_store_close(stores[i]);
	}
	analysis_inputs_release(&fixture.inputs);
	return decoded_fields;
}

TEST(three_analyses_decode_no_more_than_one)
{
	assert_int_equal(count_decoded(1), 50); /* five numbers of each of ten switches */
	assert_int_equal(count_decoded(3), 50);
}
