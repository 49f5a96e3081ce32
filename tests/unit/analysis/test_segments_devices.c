// SPDX-License-Identifier: MIT
/*
 * test_segments_devices.c - segments of interrupts, softirqs and block devices in a kernel trace; on events written
 * by hand.
 */
#include "segment_run.h"

static void begin(struct segment_run *run, const struct segment_analysis *analysis)
{
	segment_run_begin(run, analysis, "lttng-modules", 2, 8);
}

static void begin_perf(struct segment_run *run, const struct segment_analysis *analysis)
{
	segment_run_begin(run, analysis, "perf", -1, -1);
}

/* ---- interrupts ------------------------------------------------------------------------------------------ */

static void interrupts_nest(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_irqs);
	segment_run_event(&run, 10, 0, "irq_handler_entry", "irq=19 name=ahci");
	segment_run_event(&run, 11, 0, "x86_irq_vectors_local_timer_entry", "vector=236");
	segment_run_event(&run, 12, 0, "irq_handler_entry", "irq=20 name=eth0");
	segment_run_event(&run, 13, 0, "irq_handler_exit", "irq=20 ret=1");
	segment_run_event(&run, 14, 0, "x86_irq_vectors_local_timer_exit", "vector=236");
	segment_run_event(&run, 15, 0, "irq_handler_exit", "irq=19 ret=1");
	segment_run_expect(&run, "10-15 ahci, 19, 0; 11-14 local_timer, 236, 0; 12-13 eth0, 20, 0", 0, 0);
}

static void lines_and_vectors_and_cpus_are_numbered_apart(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_irqs);
	segment_run_event(&run, 10, 0, "irq_handler_entry", "irq=5 name=a");
	segment_run_event(&run, 11, 1, "irq_handler_entry", "irq=5 name=b");
	segment_run_event(&run, 12, 0, "x86_irq_vectors_reschedule_entry", "vector=5");
	segment_run_event(&run, 20, 0, "irq_handler_exit", "irq=5 ret=1");
	segment_run_event(&run, 21, 0, "x86_irq_vectors_reschedule_exit", "vector=5");
	segment_run_event(&run, 22, 1, "irq_handler_exit", "irq=5 ret=1");
	segment_run_expect(&run, "10-20 a, 5, 0; 11-22 b, 5, 1; 12-21 reschedule, 5, 0", 0, 0);
}

static void handlers_without_counterpart_are_counted(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_irqs);
	segment_run_event(&run, 10, 0, "irq_handler_exit", "irq=5 ret=1");
	segment_run_event(&run, 11, 0, "irq_handler_entry", "irq=5 name=a");
	segment_run_event(&run, 12, 1, "irq_handler_exit", "irq=5 ret=1"); /* another CPU's */
	segment_run_event(&run, 13, 0, "irq_handler_entry", "irq=5 name=a");
	segment_run_event(&run, 13, 0, "irq_handler_exit", "irq=5 ret=1");
	segment_run_event(&run, 14, 0, "irq_handler_entry", "irq=5 name=a");
	segment_run_expect(&run, "13-13 a, 5, 0", 2, 2);
}

/* A gap is of one CPU, or of all where it is not said of which. */
static void a_handler_that_meets_a_gap_of_its_cpu_is_in_doubt(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_irqs);
	segment_run_event(&run, 10, 0, "irq_handler_entry", "irq=5 name=a");
	segment_run_event(&run, 10, 1, "irq_handler_entry", "irq=5 name=b");
	segment_run_gap(&run, 11, 20, 0);
	segment_run_event(&run, 15, 1, "irq_handler_exit", "irq=5 ret=1");
	segment_run_event(&run, 21, 0, "irq_handler_exit", "irq=5 ret=1");
	segment_run_event(&run, 22, 0, "irq_handler_entry", "irq=5 name=a");
	segment_run_event(&run, 23, 0, "irq_handler_exit", "irq=5 ret=1");
	segment_run_event(&run, 24, 1, "irq_handler_entry", "irq=5 name=b");
	segment_run_gap(&run, 25, 30, -1);
	segment_run_event(&run, 26, 1, "irq_handler_exit", "irq=5 ret=1");
	segment_run_event(&run, 26, 2, "irq_handler_entry", "irq=6 name=c");
	segment_run_event(&run, 31, 2, "irq_handler_exit", "irq=6 ret=1");
	segment_run_expect(&run, "10-15 b, 5, 1; 22-23 a, 5, 0", 3, 3);
}

static void interrupts_of_perf(void **state)
{
	(void)state;
	struct segment_run run;
	begin_perf(&run, &segment_analysis_irqs);
	segment_run_event(&run, 10, 3, "irq:irq_handler_entry", "perf_tid=7 irq=19 name=ahci");
	segment_run_event(&run, 12, 3, "irq:irq_handler_exit", "perf_tid=7 irq=19 ret=1");
	segment_run_expect(&run, "10-12 ahci, 19, 3", 0, 0);
}

/* ---- softirqs -------------------------------------------------------------------------------------------- */

static void softirqs_by_number_and_cpu(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_softirqs);
	segment_run_event(&run, 9, 0, "irq_softirq_raise", "vec=1");
	segment_run_event(&run, 10, 0, "irq_softirq_entry", "vec=1");
	segment_run_event(&run, 11, 1, "irq_softirq_entry", "vec=9");
	segment_run_event(&run, 12, 0, "irq_softirq_exit", "vec=1");
	segment_run_event(&run, 13, 0, "irq_softirq_entry", "vec=42");
	segment_run_event(&run, 13, 0, "irq_softirq_exit", "vec=42");
	segment_run_event(&run, 14, 0, "irq_softirq_exit", "vec=9");
	segment_run_expect(&run, "10-12 TIMER, 1, 0; 13-13 null, 42, 0", 1, 1);
}

static void a_softirq_that_meets_a_gap_is_in_doubt(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_softirqs);
	segment_run_event(&run, 10, 0, "irq_softirq_entry", "vec=1");
	segment_run_gap(&run, 11, 20, 0);
	segment_run_event(&run, 21, 0, "irq_softirq_exit", "vec=1");
	segment_run_expect(&run, "", 1, 1);
}

static void softirqs_of_older_tracers_and_perf(void **state)
{
	(void)state;
	struct segment_run run;
	segment_run_begin(&run, &segment_analysis_softirqs, "lttng-modules", 2, 6);
	segment_run_event(&run, 10, 0, "softirq_entry", "vec=3");
	segment_run_event(&run, 11, 0, "softirq_exit", "vec=3");
	segment_run_expect(&run, "10-11 NET_RX, 3, 0", 0, 0);
	begin_perf(&run, &segment_analysis_softirqs);
	segment_run_event(&run, 10, 0, "irq:softirq_entry", "vec=3");
	segment_run_event(&run, 11, 0, "irq:softirq_exit", "vec=3");
	segment_run_expect(&run, "10-11 NET_RX, 3, 0", 0, 0);
}

/* ---- block I/O ------------------------------------------------------------------------------------------- */

static void a_request_lasts_from_the_queue_to_completion(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_block_io);
	segment_run_event(&run, 10, 0, "block_rq_insert", "dev=8388608 sector=100 nr_sector=8 rwbs=1");
	segment_run_event(&run, 11, 0, "block_rq_issue", "dev=8388608 sector=100 nr_sector=8 rwbs=1");
	/* Past the queue; the same sector of another device; and a flush. */
	segment_run_event(&run, 12, 0, "block_rq_issue", "dev=8388609 sector=100 nr_sector=16 rwbs=4");
	segment_run_event(&run, 13, 1, "block_rq_issue", "dev=8388608 sector=0 nr_sector=0 rwbs=8");
	segment_run_event(&run, 14, 1, "block_rq_issue", "dev=8388608 sector=7 nr_sector=1 rwbs=3");
	segment_run_event(&run, 20, 1, "block_rq_complete", "dev=8388609 sector=100 nr_sector=16 rwbs=4 errors=0");
	segment_run_event(&run, 21, 1, "block_rq_complete", "dev=8388608 sector=100 nr_sector=8 rwbs=1 errors=0");
	segment_run_event(&run, 22, 1, "block_rq_complete", "dev=8388608 sector=0 nr_sector=0 rwbs=8 errors=0");
	segment_run_event(&run, 23, 1, "block_rq_complete", "dev=8388608 sector=7 nr_sector=1 rwbs=3 errors=0");
	segment_run_expect(&run,
			   "10-21 write, 8:0, 100, 4096; 12-20 read, 8:1, 100, 8192; 13-22 other, 8:0, 0, 0; "
			   "14-23 discard, 8:0, 7, 512",
			   0, 0);
}

static void requests_without_counterpart_are_counted(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_block_io);
	segment_run_event(&run, 10, 0, "block_rq_complete", "dev=8388608 sector=1 nr_sector=8 rwbs=1");
	segment_run_event(&run, 11, 0, "block_rq_insert", "dev=8388608 sector=1 nr_sector=8 rwbs=1");
	segment_run_event(&run, 12, 0, "block_rq_insert", "dev=8388608 sector=1 nr_sector=8 rwbs=1");
	segment_run_event(&run, 12, 0, "block_rq_complete", "dev=8388608 sector=1 nr_sector=8 rwbs=1");
	segment_run_event(&run, 13, 0, "block_rq_issue", "dev=8388608 sector=2 nr_sector=8 rwbs=1");
	segment_run_expect(&run, "12-12 write, 8:0, 1, 4096", 1, 2);
}

/* Any CPU completes requests: lost events of one put all of them in doubt. */
static void a_request_that_meets_any_gap_is_in_doubt(void **state)
{
	(void)state;
	struct segment_run run;
	begin(&run, &segment_analysis_block_io);
	segment_run_event(&run, 10, 0, "block_rq_issue", "dev=8388608 sector=1 nr_sector=8 rwbs=1");
	segment_run_gap(&run, 11, 20, 1);
	segment_run_event(&run, 12, 0, "block_rq_issue", "dev=8388608 sector=2 nr_sector=8 rwbs=1");
	segment_run_event(&run, 21, 0, "block_rq_issue", "dev=8388608 sector=3 nr_sector=8 rwbs=1");
	segment_run_event(&run, 30, 0, "block_rq_complete", "dev=8388608 sector=1 nr_sector=8 rwbs=1");
	segment_run_event(&run, 31, 0, "block_rq_complete", "dev=8388608 sector=2 nr_sector=8 rwbs=1");
	segment_run_event(&run, 32, 0, "block_rq_complete", "dev=8388608 sector=3 nr_sector=8 rwbs=1");
	segment_run_expect(&run, "21-32 write, 8:0, 3, 4096", 2, 2);
}

static void requests_of_perf_have_letters(void **state)
{
	(void)state;
	struct segment_run run;
	begin_perf(&run, &segment_analysis_block_io);
	segment_run_event(&run, 10, 0, "block:block_rq_issue", "dev=1048577 sector=1 nr_sector=8 rwbs=RA");
	segment_run_event(&run, 11, 0, "block:block_rq_issue", "dev=1048577 sector=2 nr_sector=8 rwbs=WS");
	segment_run_event(&run, 12, 0, "block:block_rq_issue", "dev=1048577 sector=3 nr_sector=8 rwbs=DS");
	segment_run_event(&run, 13, 0, "block:block_rq_issue", "dev=1048577 sector=4 nr_sector=0 rwbs=FF");
	for (int sector = 1; sector <= 4; sector++) {
		char fields[WRITTEN_TEXT_SIZE];
		snprintf(fields, sizeof(fields), "dev=1048577 sector=%d nr_sector=8 rwbs=N error=0", sector);
		segment_run_event(&run, 20 + sector, 0, "block:block_rq_complete", fields);
	}
	segment_run_expect(&run,
			   "10-21 read, 1:1, 1, 4096; 11-22 write, 1:1, 2, 4096; 12-23 discard, 1:1, 3, 4096; "
			   "13-24 other, 1:1, 4, 0",
			   0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interrupts_nest),
		cmocka_unit_test(lines_and_vectors_and_cpus_are_numbered_apart),
		cmocka_unit_test(handlers_without_counterpart_are_counted),
		cmocka_unit_test(a_handler_that_meets_a_gap_of_its_cpu_is_in_doubt),
		cmocka_unit_test(interrupts_of_perf),
		cmocka_unit_test(softirqs_by_number_and_cpu),
		cmocka_unit_test(a_softirq_that_meets_a_gap_is_in_doubt),
		cmocka_unit_test(softirqs_of_older_tracers_and_perf),
		cmocka_unit_test(a_request_lasts_from_the_queue_to_completion),
		cmocka_unit_test(requests_without_counterpart_are_counted),
		cmocka_unit_test(a_request_that_meets_any_gap_is_in_doubt),
		cmocka_unit_test(requests_of_perf_have_letters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
