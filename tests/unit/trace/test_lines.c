// SPDX-License-Identifier: MIT
/*
 * test_lines.c - texts of traces: what a line is, shapes, the order of lines against a sort, places, losses, and
 * texts that are cut or changed.
 */
#include "base/hash_index.h"
#include "base/search.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/scratch_trace.h"
#include "support/test.h"
#include "trace/lines/line_head.h"
#include "trace/lines/line_samples.h"
#include "trace/lines/line_shape.h"

/* ---- lines ----------------------------------------------------------------------------------------------- */

#define EVENT(line, pid, cpu, time, name, text)              \
	{                                                    \
		line, LINE_EVENT, pid, cpu, time, name, text \
	}
#define NONE(kind, line)                                               \
	{                                                              \
		line, kind, LINE_NO_THREAD, LINE_NO_CPU, 0, NULL, NULL \
	}

static const struct {
	const char *line;
	enum line_kind kind;
	int32_t pid, cpu;
	histree_time time;
	const char *name, *text;
} lines[] = {
	EVENT("  bash-1042 [003] d..2.  12.567890: sched_waking: comm=x", 1042, 3, 12567890000, "sched_waking",
	      "comm=x"),
	EVENT("  bash-1042 (   42) [003] d..2.  12.5: e: x", 1042, 3, 12500000000, "e", "x"),
	EVENT("  bash-1042 (-----) [003] 12.5: e:", 1042, 3, 12500000000, "e", ""),
	EVENT("  <idle>-0 [000] 0.000000001: e: x", 0, 0, 1, "e", "x"),
	EVENT("  a b: [1] (2) c-3-7 [000] .... 1.0: e: x", 7, 0, 1000000000, "e", "x"),
	EVENT("  a [000] 9.9: b: c-7 [001] .... 1.0: e: x", 7, 1, 1000000000, "e", "x"),
	EVENT("bash  1042 [003]   12.5:  sched:e: a: b", 1042, 3, 12500000000, "sched:e", "a: b"),
	EVENT("bash  42/1042 [003]   12.5:  sched:e: x", 1042, 3, 12500000000, "sched:e", "x"),
	EVENT("kworker/0:1-ev  9/12 [003] 12.5: e: x", 12, 3, 12500000000, "e", "x"),
	EVENT("bash  1042   12.5:  250000 cycles:u: 7fff f+0x1 (/x)", 1042, -1, 12500000000, "cycles:u",
	      "7fff f+0x1 (/x)"),
	EVENT("1042 [003]   12.5:  e: x", 1042, 3, 12500000000, "e", "x"),
	EVENT(":-1    -1 [003]   12.5:  e: x", LINE_NO_THREAD, 3, 12500000000, "e", "x"),
	EVENT("bash  1042 [003] U   12.5:  e: x", 1042, 3, 12500000000, "e", "x"),
	EVENT("a-1 [000] .... 1.0: sys_read(fd: 3, count: ff)", 1, 0, 1000000000, "sys_enter_read",
	      "fd: 3, count: ff"),
	EVENT("a-1 [000] .... 1.0: sys_read -> 0x5", 1, 0, 1000000000, "sys_exit_read", "0x5"),
	EVENT("a-1 [000] .... 1.0: vfs_read <-ksys_read", 1, 0, 1000000000, "function", "vfs_read <-ksys_read"),
	EVENT("a-1 [000] .... 1.0: vfs_read(n=5) <-ksys_read", 1, 0, 1000000000, "function",
	      "vfs_read(n=5) <-ksys_read"),
	EVENT("a-1 [000] .... 123456: e: x", 1, 0, 0, "e", "x"), /* a clock that counts */
	/* with how long after the line before; of simpleperf; of a processor's events */
	EVENT("  bash-1042 [003] 12.5: (+16200) e: x", 1042, 3, 12500000000, "e", "x"),
	EVENT("  bash-1042 [003] 12.5: (+1) sys_read -> 0x5", 1042, 3, 12500000000, "sys_exit_read", "0x5"),
	NONE(LINE_OTHER, "  bash-1042 [003] 12.5: (+x) e: x"),
	EVENT("bash\t1042 [003] 12.5:\t\t1000 task-clock:u:", 1042, 3, 12500000000, "task-clock:u", ""),
	EVENT("41/1042 12.5: 50 cpu/event=0xc0,umask=1/u: ", 1042, -1, 12500000000, "cpu/event=0xc0,umask=1/u", ""),
	/* flags that touch the time */
	EVENT("  bash-1042 [003] d..2100.500000: e: x", 1042, 3, 100500000000, "e", "x"),
	EVENT("  bash-1042 [003] d.h3.99.5: e: x", 1042, 3, 99500000000, "e", "x"),
	EVENT("  bash-1042 (   42) [003] .N.17.25: e: x", 1042, 3, 7250000000, "e", "x"),
	NONE(LINE_OTHER, "  bash-1042 [003] d.2100.500000: e: x"),
	/* names that look like a line */
	EVENT("  job-12 [003] x-77    [001] d..2   1.5: e: x", 77, 1, 1500000000, "e", "x"),
	EVENT(" b-12 [003] 1.0:-77    [001] d..2   1.5: e: x", 77, 1, 1500000000, "e", "x"),
	EVENT(" c-9 [2] 1.0: z:    77 [001]   1.5:  e: x", 77, 1, 1500000000, "e", "x"),
	EVENT("  kworker/u16:1-654321  [003] d..2   1.5: e: a-1 [000] 2.0: y: x", 654321, 3, 1500000000, "e",
	      "a-1 [000] 2.0: y: x"),
	/* the format for latencies, of trace-cmd report, of ftrace, and of a dump with the times of the log */
	EVENT("  bash-1042    3d..2.  12.567890: e: x", 1042, 3, 12567890000, "e", "x"),
	EVENT("  bash-1042   12dNh5  12.5: e: x", 1042, 12, 12500000000, "e", "x"),
	EVENT("  <idle>-0       0d..2.  1500us : e: x", 0, 0, 1500000, "e", "x"),
	EVENT("  a b-1 7-77   1.... 12us!: e: x", 77, 1, 12000, "e", "x"),
	EVENT("[  81.250000]   bash-1042    3d..2. 4us+: e: x", 1042, 3, 4000, "e", "x"),
	EVENT("  <idle>-0       1dN.h3.. 2563695122us : e: x", 0, 1, 2563695122000, "e", "x"), /* for real time */
	NONE(LINE_OTHER, "  bash 1042   3d..2. x 12.5: e: x"),
	/* the same with the option verbose: the clock is in brackets, since the buffer began behind them */
	EVENT("   bash    1042   3 1 00000002 0000000a [7064dbf7b] 12.659ms (+0.052ms): e: x", 1042, 3,
	      30170529659000, "e", "x"),
	EVENT("   a 7 [1]   77  12 0 00000000 00000000 [00000010] 0.016ms (+10.000ms): e: 1.5ms (+2)", 77, 12,
	      16000, "e", "1.5ms (+2)"),
	NONE(LINE_OTHER, "   bash    1042   3 1 00000002 [7064dbf7b] 12.659ms (+0.052ms): e: x"),
	NONE(LINE_OTHER, "   bash    1042   3 1 00000002 0000000a [7064dbf7g] 12.659ms (+0.052ms): e: x"),
	/* of atrace */
	NONE(LINE_COMMENT, "TRACE:"),
	NONE(LINE_COMMENT, "capturing trace... done"),
	NONE(LINE_COMMENT, ""),
	NONE(LINE_COMMENT, "   "),
	NONE(LINE_COMMENT, "# tracer: nop"),
	NONE(LINE_COMMENT, "cpus=2"),
	NONE(LINE_COMMENT, "CPU 1 is empty"),
	NONE(LINE_OTHER, "CPU:1 [FOUND 3 EVENTS]"),
	NONE(LINE_OTHER, "what is this"),
	NONE(LINE_OTHER, "a-1 [000] .... 1.0: no name"),
	NONE(LINE_OTHER, "a-1 [000] .... 99999999999.0: e: x"),
	NONE(LINE_OTHER, "a-1 [70000] .... 1.0: e: x"),
	NONE(LINE_OTHER, "12.5: e: x"),
	NONE(LINE_CHAIN, "\tffffffff821f8298 __schedule+0x618 ([kernel])"),
	NONE(LINE_CHAIN, " => __schedule"),
};

TEST(a_line_is_what_it_is)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char line[256];
		struct line_head head;
		snprintf(line, sizeof(line), "%s", lines[i].line);
		line_head_read(line, strlen(line), 0, &head);
		if (head.kind != lines[i].kind || head.pid != lines[i].pid || head.cpu != lines[i].cpu ||
		    head.time != lines[i].time)
			fail_msg("'%s': kind %d, thread %d, CPU %d, time %lld", lines[i].line, (int)head.kind,
				 (int)head.pid, (int)head.cpu, (long long)head.time);
		if (head.kind != LINE_EVENT)
			continue;
		assert_int_equal(head.name_size, strlen(lines[i].name));
		assert_memory_equal(head.name, lines[i].name, head.name_size);
		assert_int_equal(head.text_size, strlen(lines[i].text));
		assert_memory_equal(head.text, lines[i].text, head.text_size);
	}
}

/* What may be a period, and is none, is the thread. */
TEST(the_head_of_a_sample_without_a_time_says_its_thread)
{
	static const struct {
		const char *line;
		int32_t pid;
		uint64_t period;
	} heads[] = {
		{ "node-v20 31912 cpu-clock: ", 31912, 0 },
		{ "node-v20 31912 [003] cpu-clock: ", 31912, 0 },
		{ "app 2120/2121 250000 cycles: ", 2121, 250000 },
		{ "app 2121     250000 cycles: ", 2121, 250000 },
		{ "app 2121 [000]     250000 cycles: ", 2121, 250000 },
		{ "app 3 2121 cycles: ", 2121, 0 },
	};
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		char line[64];
		struct line_head head;
		snprintf(line, sizeof(line), "%s", heads[i].line);
		if (!line_sample_head(line, strlen(line), &head) || head.pid != heads[i].pid ||
		    head.has_period != (heads[i].period > 0) || (head.has_period && head.period != heads[i].period))
			fail_msg("'%s': thread %d, period %llu", heads[i].line, (int)head.pid,
				 (unsigned long long)head.period);
	}
}

/* A digit between flags and time is a flag where the other lines have so many. */
TEST(flags_that_touch_the_time_are_as_many_as_in_other_lines)
{
	static const struct {
		const char *line;
		unsigned columns, flags;
		histree_time time;
	} cases[] = {
		{ "  bash-1042 [003] d..21100.500000: e: x", 0, 0, 1100500000000 },
		{ "  bash-1042 [003] d..21100.500000: e: x", 4, 0, 1100500000000 },
		{ "  bash-1042 [003] d..21100.500000: e: x", 5, 0, 100500000000 },
		{ "  bash-1042 [003] d..20100.500000: e: x", 0, 0, 100500000000 },
		{ "  bash-1042 [003] d..2.100.500000: e: x", 4, 0, 100500000000 },
		{ "  bash-1042 [003] d..2.100.500000: e: x", 5, 0, 100500000000 },
		{ "  bash-1042 [003] dN.h3..100.500000: e: x", 7, 0, 100500000000 },
		{ "  bash-1042 [003] d..21 100.500000: e: x", 0, 5, 100500000000 },
		{ "  bash-1042 [003] d..2 100.500000: e: x", 0, 4, 100500000000 },
		{ "  bash-1042 [003] 100.500000: e: x", 0, 0, 100500000000 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[128];
		struct line_head head;
		snprintf(line, sizeof(line), "%s", cases[i].line);
		line_head_read(line, strlen(line), cases[i].columns, &head);
		if (head.kind != LINE_EVENT || head.time != cases[i].time || head.flags != cases[i].flags)
			fail_msg("'%s': time %lld, %u flags", cases[i].line, (long long)head.time, head.flags);
	}
}

/* By the legend, or by a line whose flags stand alone. */
TEST(how_many_flags_there_are_the_text_says)
{
	static const char touching[] = "  bash-1042 [003] d..21100.500000: e: x\n";
	static const char *const beginnings[] = {
		"#                 _-----=> irqs-off/BH-disabled\n#                / _----=> need-resched\n"
		"#               | / _---=> hardirq/softirq\n#               || / _--=> preempt-depth\n"
		"#               ||| / _-=> migrate-disable\n#               |||| /     delay\n",
		"  bash-1042 [003] d..2. 99.500000: e: x\n",
	};
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
		char text[1024];
		struct event event;
		snprintf(text, sizeof(text), "# tracer: nop\n#\n%s%s", beginnings[i], touching);
		scratch_write(text, strlen(text));
		struct trace *trace = trace_must_open(scratch);
		histree_time last = 0;
		while (trace_next(trace, &event, NULL) == HISTREE_OK)
			last = event.time;
		assert_int_equal(last, 100500000000);
		trace_close(trace);
	}
}

/*
 * The column of the process, by ftrace, where it stood behind the CPU at first, and by perf; a name may end as such
 * a column does.
 */
TEST(a_line_says_whose_its_thread_is)
{
	static const struct {
		const char *line;
		int32_t pid, process;
		bool has_process;
	} cases[] = {
		{ "  pump-1042  (  977) [003] d..2.  12.5: e: x", 1042, 977, true },
		{ "  pump-1042  (977) [003]  12.5: e: x", 1042, 977, true },
		{ "  pump-1042  (-------) [003]  12.5: e: x", 1042, LINE_NO_PROCESS, true },
		{ "  pump-1042  [003] (  977) d..2 12.5: e: x", 1042, 977, true },
		{ "  pump-1042  [003] (-----) d..2 12.5: e: x", 1042, LINE_NO_PROCESS, true },
		{ "  pump-1042  [003] (  977) 12.5: e: x", 1042, 977, true },
		{ "  pump (x)-1042 [003]  12.5: e: x", 1042, LINE_NO_PROCESS, false },
		{ "  (12)-1042 [003]  12.5: e: x", 1042, LINE_NO_PROCESS, false },
		{ "pump  977/1042 [003]  12.5:  e: x", 1042, 977, true },
		{ "pump  977/1042   12.5:  e: x", 1042, 977, true },
		{ "pump  1042 [003]  12.5:  e: x", 1042, LINE_NO_PROCESS, false },
		{ "  pump-1042 (99999999999) [003]  12.5: e: x", 1042, LINE_NO_PROCESS, true },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[128];
		struct line_head head;
		snprintf(line, sizeof(line), "%s", cases[i].line);
		line_head_read(line, strlen(line), 0, &head);
		if (head.kind != LINE_EVENT || head.pid != cases[i].pid || head.process != cases[i].process ||
		    head.has_process != cases[i].has_process)
			fail_msg("'%s': thread %d of process %d", cases[i].line, (int)head.pid, (int)head.process);
	}
}

TEST(losses_have_a_cpu_and_a_count)
{
	static const struct {
		const char *line;
		enum line_kind kind;
		int32_t cpu;
		uint64_t lost;
	} cases[] = {
		{ "CPU:3 [LOST 15 EVENTS]", LINE_LOSS, 3, 15 },
		{ "CPU:3 [LOST EVENTS]", LINE_LOSS, 3, 0 },
		{ "CPU:3 [15 EVENTS DROPPED]", LINE_LOSS, 3, 15 },
		{ "CPU:3 [EVENTS DROPPED]", LINE_LOSS, 3, 0 },
		{ "[10611.835048] CPU:1 [LOST 167 EVENTS]", LINE_LOSS, 1, 167 },
		{ "##### CPU 2 buffer started ####", LINE_BEGIN, 2, 0 },
		{ "perf 12 [001] 1.5: PERF_RECORD_LOST lost 7", LINE_LOSS, 1, 7 },
		{ "perf 12 [001] 1.5: PERF_RECORD_LOST_SAMPLES lost 7", LINE_LOSS, 1, 7 },
		{ "perf 12 [001] 1.5: PERF_RECORD_COMM exec: a:1/1", LINE_RECORD, 1, 0 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[128];
		struct line_head head;
		snprintf(line, sizeof(line), "%s", cases[i].line);
		line_head_read(line, strlen(line), 0, &head);
		assert_int_equal(head.kind, cases[i].kind);
		assert_int_equal(head.cpu, cases[i].cpu);
		assert_int_equal(head.lost, cases[i].lost);
	}
}

/* ---- shapes ---------------------------------------------------------------------------------------------- */

/* The fields of a text as "name=value" with commas between them, ""; where the shape does not fit. */
static void read_shape(const char *words, const char *text, char *out, size_t room)
{
	struct arena memory = { 0 };
	struct line_shape shape;
	struct text_cell cells[SHAPE_FIELDS_MAX];
	char copy[256];
	snprintf(copy, sizeof(copy), "%s", text);
	assert_true(line_shape_make(&shape, words, &memory));
	bool fits = line_shape_match(&shape, copy, strlen(copy), cells);
	*out = '\0';
	for (size_t i = 0, length = 0; fits && i < shape.field_count; i++) {
		const struct text_cell *cell = &cells[i];
		length +=
			(size_t)snprintf(out + length, room - length, "%s%s=", i == 0 ? "" : ",", shape.fields[i]);
		if (cell->kind == TEXT_INTEGER)
			length += (size_t)snprintf(out + length, room - length, "%lld", (long long)cell->integer);
		else
			length +=
				(size_t)snprintf(out + length, room - length, "%.*s", (int)cell->size, cell->bytes);
	}
	arena_release(&memory);
}

TEST(a_shape_fits_or_not)
{
	static const char *const cases[][3] = {
		{ "pid={pid}", "pid=12", "pid=12" },
		{ "pid={pid}", "pid=-12", "pid=-12" },
		{ "pid={pid}", "pid=0x1f", "pid=31" },
		{ "pid={pid}", "pid=18446744073709551615", "pid=-1" },
		{ "pid={pid}", "pid=18446744073709551616", "" },
		{ "pid={pid}", "pid=x", "" },
		{ "pid={pid}", "pid=", "" },
		{ "pid={pid} [{:text}]", "pid=3 [what]", "pid=3" },
		{ "pid={pid} [{:text}]", "pid=3 [what", "" },
		{ "pid={pid}", "pid=3 and more", "pid=3" },
		{ "a={a:hex} b={b}", "a=ff   b=1", "a=255,b=1" },
		{ "comm={comm:text} pid={pid}", "comm=a pid= pid=b pid=3", "comm=a pid= pid=b,pid=3" },
		{ "comm={comm:text} pid={pid}", "comm= pid=3", "comm=,pid=3" },
		{ "comm={comm:text} pid={pid}", "comm=abc", "" },
		{ "{a:text} ==> {b:text}", "x ==> y ==> z  ", "a=x,b=y ==> z" },
		{ "{s:state} ==>", "S ==>", "s=1" },
		{ "{s:state} ==>", "R+ ==>", "s=256" },
		{ "{s:state} ==>", "D|K ==>", "s=2" },
		{ "{s:state} ==>", "D|W ==>", "s=2" },
		{ "{s:state} ==>", "T|K ==>", "s=4" },
		{ "{s:state} ==>", "D|N ==>", "s=2" },
		{ "{s:state} ==>", "S|0x800 ==>", "s=1" },
		{ "{s:state} ==>", "S+ ==>", "s=257" },
		{ "{s:state} ==>", "x ==>", "s=16" },
		{ "{s:state} ==>", "X ==>", "s=16" },
		{ "{s:state} ==>", "Z ==>", "s=32" },
		{ "{s:state} ==>", "P ==>", "s=64" },
		{ "{s:state} ==>", "K ==>", "s=2" },
		{ "{s:state} ==>", "W ==>", "s=512" },
		{ "{s:state} ==>", "N ==>", "s=1026" },
		{ "{s:state} ==>", "I ==>", "s=128" },
		{ "{s:state} ==>", "Q ==>", "" },
		{ "{s:state} ==>", "0 ==>", "s=0" },
		{ "{s:state} ==>", "0x1 ==>", "s=1" },
		{ "{s:state} ==>", "2 ==>", "s=2" },
		{ "{s:state} ==>", "256 ==>", "s=256" },
		{ "{s:state} ==>", "0x800 ==>", "s=0" },
		{ "{s:state} ==>", "S| ==>", "" },
		{ "{s:state} ==>", "DK ==>", "s=2" },
		{ "{s:state} ==>", "RQ ==>", "" },
		{ "{s:bits} ==>", "D|W ==>", "s=2" },
		{ "{s:bits} ==>", "W ==>", "s=128" },
		{ "{s:bits} ==>", "x ==>", "s=16" },
		{ "{s:bits} ==>", "P ==>", "s=64" },
		{ "{s:bits} ==>", "I ==>", "s=128" },
		{ "{d:device} {x:text}", "254,3 WS", "d=266338307,x=WS" },
		{ "{d:device} {x:text}", "4096,0 WS", "" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char out[256];
		read_shape(cases[i][0], cases[i][1], out, sizeof(out));
		if (strcmp(out, cases[i][2]) != 0)
			fail_msg("'%s' of '%s': '%s', not '%s'", cases[i][1], cases[i][0], out, cases[i][2]);
	}
}

/* Each row of the table can be read, and those of one event follow one another. */
TEST(the_table_is_whole)
{
	static const char *const events[] = { "sched:sched_switch", "sched_switch", "sys_enter", "ftrace:print" };
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		assert_non_null(shape_row_find(events[i], strlen(events[i])));
	assert_null(shape_row_find("sched_switch:", 13));
	assert_null(shape_row_find("sched_switchy", 13));
	const struct shape_row *first = shape_row_find("sched_switch", 12);
	const struct shape_row *last = shape_row_next(shape_row_next(first));
	assert_non_null(last);
	assert_null(shape_row_next(last));
}

/* ---- where a text is in a file ---------------------------------------------------------------------------- */

#define TEXT_LINES "# tracer: nop\n  a-1 [000] .... 1.000001: e: n=1\n  b-2 [001] .... 1.000002: e: n=2\n"

/* How many events a file has, and that each is known by its number. */
static uint32_t count_numbered(const void *bytes, size_t size)
{
	struct event event;
	uint32_t count = 0;
	scratch_write(bytes, size);
	struct trace *trace = trace_must_open(scratch);
	while (trace_next(trace, &event, NULL) == HISTREE_OK) {
		int64_t number;
		assert_true(event_int(&event, event_class_field(event.class, "n"), &number));
		assert_int_equal(number, ++count);
	}
	assert_int_equal(trace_report(trace).warning_count, 0);
	trace_close(trace);
	return count;
}

/* The script of a page goes on for longer than anybody looks for a text. */
TEST(a_text_is_found_in_a_page)
{
	enum { HEAD_LINES = 20000 };
	char *page;
	size_t size;
	FILE *file = open_memstream(&page, &size);
	assert_non_null(file);
	fputs("\n<!DOCTYPE HTML>\r\n<html><head><script>\n", file);
	for (unsigned i = 0; i < HEAD_LINES; i++)
		fprintf(file, "var v%u = 'x-1 [000] 1.0: e: n=7';\n", i);
	fputs("</script></head><body>\n<script class=\"trace-data\" type=\"application/text\">\n" TEXT_LINES
	      "</script>\n<script>\nx-1 [000] 9.0: e: n=9\n</script>\n"
	      "<script class=\"trace-data\">\n  c-3 [000] .... 1.000003: e: n=3\n</script></body></html>\n",
	      file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(count_numbered(page, size), 3);
	free(page);
}

TEST(a_text_is_found_in_a_script_of_old)
{
	static const char page[] = "<html>\n<script>\n  var linuxPerfData = \"\\\n# tracer: nop\\n\\\n"
				   "  a-1 [000] .... 1.000001: e: n=1\\n\\\n\";\n</script></html>\n";
	assert_int_equal(count_numbered(page, sizeof(page) - 1), 1);
	/* The string may end in the line of the last event, whose field would else be no number. */
	static const char last[] = "<html>\n<script>\n  var linuxPerfData = \"\\\n# tracer: nop\\n\\\n"
				   "  a-1 [000] .... 1.000001: e: n=1\\n\\\n"
				   "  b-2 [000] .... 1.000002: e: n=2\\n\";\n  b-2 [000] .... 1.000003: e: n=3\n"
				   "</script></html>\n";
	assert_int_equal(count_numbered(last, sizeof(last) - 1), 2);
}

TEST(a_mark_of_the_order_of_bytes_is_no_text)
{
	static const char text[] = "\xef\xbb\xbf" TEXT_LINES;
	assert_int_equal(count_numbered(text, sizeof(text) - 1), 2);
}

/* As "atrace -z" writes it: stored, and behind what it says meanwhile (RFC 1950, RFC 1951). */
TEST(a_text_is_unpacked_behind_its_mark)
{
	static const char text[] = TEXT_LINES;
	enum { SIZE = sizeof(text) - 1, ADLER = 65521 };
	uint32_t a = 1, b = 0;
	for (size_t i = 0; i < SIZE; i++) {
		a = (a + (unsigned char)text[i]) % ADLER;
		b = (b + a) % ADLER;
	}
	const uint8_t header[] = { 0x78, 0x01, 1, SIZE & 0xff, SIZE >> 8, ~SIZE & 0xff, ~SIZE >> 8 & 0xff };
	const uint8_t check[] = { (uint8_t)(b >> 8), (uint8_t)b, (uint8_t)(a >> 8), (uint8_t)a };
	char *bytes;
	size_t size;
	FILE *file = open_memstream(&bytes, &size);
	assert_non_null(file);
	fputs("capturing trace... done\nTRACE:\n", file);
	fwrite(header, 1, sizeof(header), file);
	fwrite(text, 1, SIZE, file);
	fwrite(check, 1, sizeof(check), file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(count_numbered(bytes, size), 2);
	free(bytes);
}

/* ---- CPUs that are not printed --------------------------------------------------------------------------- */

/* The CPU is handed on from switch to switch since one with a thread that is called by it. */
TEST(switches_tell_the_cpu)
{
	static const struct {
		const char *line;
		int32_t cpu;
	} rows[] = {
		{ "a 7 1.1: sched:sched_switch: a:7 [120] S ==> b:8 [120]", LINE_NO_CPU },
		{ "b 8 1.2: sched:sched_waking: c:9 [120] CPU:001", LINE_NO_CPU },
		{ "b 8 1.3: sched:sched_switch: b:8 [120] S ==> swapper/2:0 [120]", 2 },
		{ "swapper 0 1.4: sched:sched_switch: swapper/5:0 [120] R ==> c:9 [120]", 5 },
		{ "swapper 0 1.5: sched:sched_switch: swapper/2:0 [120] R ==> a:7 [120]", 2 },
		{ "c 9 1.6: sched:sched_waking: b:8 [120] CPU:001", 5 },
		{ "a 7 1.7: sched:sched_switch: a:7 [120] R ==> c:9 [120]", 2 },
		{ "c 9 1.8: sched:sched_waking: b:8 [120] CPU:001", 2 },
		{ "c 9 1.9: sched:sched_switch: c:9 [120] S ==> swapper/3:0 [120]", 3 }, /* it says what it is */
		{ "swapper 0 2.0: irq:irq_handler_entry: irq=4 name=x", LINE_NO_CPU },
	};
	FILE *file = fopen(scratch, "w");
	assert_non_null(file);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		fprintf(file, "%s\n", rows[i].line);
	assert_int_equal(fclose(file), 0);
	struct trace *trace = trace_must_open(scratch);
	struct event event;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_ok(trace_next(trace, &event, NULL));
		if (event.cpu != rows[i].cpu)
			fail_msg("'%s' is of CPU %d", rows[i].line, (int)event.cpu);
	}
	assert_int_equal(trace_next(trace, &event, NULL), HISTREE_END);
	assert_int_equal(trace_report(trace).warning_count, 1);
	trace_close(trace);
}

/* ---- order ----------------------------------------------------------------------------------------------- */

enum { DISORDER = 3000, ROWS = 20000 };

struct row {
	uint64_t key, time; /* where it stands in the text, and its time in us */
	uint32_t number;
};

COMPARE(compare_keys, struct row, BY(key))

COMPARE(compare_times, struct row, BY(time) BY(number))

static void write_rows(const struct row *rows, size_t count)
{
	FILE *file = fopen(scratch, "w");
	assert_non_null(file);
	for (size_t i = 0; i < count; i++)
		fprintf(file, "  a-%u [%03u] ..... %llu.%06llu: e: n=%u\n", rows[i].number, rows[i].number % 4,
			(unsigned long long)rows[i].time / 1000000, (unsigned long long)rows[i].time % 1000000,
			rows[i].number);
	assert_int_equal(fclose(file), 0);
}

static struct row *make_rows(struct random *random)
{
	struct row *rows = calloc(ROWS, sizeof(*rows));
	assert_non_null(rows);
	for (size_t i = 0; i < ROWS; i++)
		rows[i] = (struct row){ .key = i + random_below(random, DISORDER), .time = i / 3 };
	qsort(rows, ROWS, sizeof(*rows), compare_keys);
	for (uint32_t i = 0; i < ROWS; i++)
		rows[i].number = i;
	return rows;
}

static uint32_t number_of(const struct event *event)
{
	int64_t number;
	assert_true(event_int(event, event_class_field(event->class, "n"), &number));
	return (uint32_t)number;
}

TEST(lines_come_by_their_times)
{
	struct random random = { test_seed() };
	struct row *rows = make_rows(&random);
	write_rows(rows, ROWS);
	qsort(rows, ROWS, sizeof(*rows), compare_times);
	struct trace *trace = trace_must_open(scratch);
	struct event event;
	for (size_t i = 0; i < ROWS; i++) {
		assert_ok(trace_next(trace, &event, NULL));
		assert_int_equal(number_of(&event), rows[i].number);
		assert_int_equal(event.cpu, rows[i].number % 4);
	}
	assert_int_equal(trace_next(trace, &event, NULL), HISTREE_END);
	assert_int_equal(trace_report(trace).clock_steps_back, 0);
	trace_close(trace);
	free(rows);
}

/* A text behind another that was later: first the one, then the other. */
TEST(a_clock_that_steps_back_begins_anew)
{
	struct row *rows = calloc(ROWS, sizeof(*rows));
	assert_non_null(rows);
	for (uint32_t i = 0; i < ROWS; i++)
		rows[i] = (struct row){ .time = i < ROWS / 2 ? 500000 + i : i, .number = i };
	write_rows(rows, ROWS);
	struct trace *trace = trace_must_open(scratch);
	struct trace_position places[ROWS / 100];
	struct event event;
	for (uint32_t i = 0; i < ROWS; i++) {
		assert_ok(trace_next(trace, &event, NULL));
		assert_int_equal(number_of(&event), i);
		if (i % 100 == 0)
			trace_positions(trace, &places[i / 100]);
	}
	assert_int_equal(trace_report(trace).clock_steps_back, 1);
	trace_close(trace);
	const char *path = scratch;
	for (uint32_t i = 0; i < ROWS; i += (uint32_t)test_effort(100, 1000)) {
		assert_ok(trace_open_at(&path, 1, &places[i / 100], 1, &trace, NULL));
		for (uint32_t next = i; next < i + 200 && next < ROWS; next++) {
			assert_ok(trace_next(trace, &event, NULL));
			assert_int_equal(number_of(&event), next);
		}
		trace_close(trace);
	}
	free(rows);
}

TEST(from_each_place_the_same_comes)
{
	struct random random = { test_seed() };
	struct row *rows = make_rows(&random);
	write_rows(rows, ROWS);
	qsort(rows, ROWS, sizeof(*rows), compare_times);
	struct trace *trace = trace_must_open(scratch), *other;
	struct event event, again;
	const char *path = scratch;
	for (size_t i = 0; i < ROWS; i++) {
		struct trace_position place;
		assert_ok(trace_next(trace, &event, NULL));
		if (random_below(&random, test_effort(200, 2000)) != 0)
			continue;
		trace_positions(trace, &place);
		assert_ok(trace_open_at(&path, 1, &place, 1, &other, NULL));
		for (size_t next = i; next < i + 300 && next < ROWS; next++) {
			assert_ok(trace_next(other, &again, NULL));
			assert_int_equal(number_of(&again), rows[next].number);
		}
		trace_close(other);
	}
	trace_close(trace);
	free(rows);
}

/* ---- losses ---------------------------------------------------------------------------------------------- */

TEST(a_gap_begins_behind_the_last_event_of_its_cpu)
{
	static const char text[] = "a-1 [000] 1.0: e: x\n"
				   "a-2 [001] 1.5: e: x\n"
				   "##### CPU 2 buffer started ####\n"
				   "a-3 [002] 1.6: e: x\n"
				   "a-2 [001] 1.7: e: x\n"
				   "a-2 [001] 1.8: e: x\n"
				   "CPU:0 [LOST 15 EVENTS]\n"
				   "a-1 [000] 2.0: e: x\n"
				   "CPU:3 [LOST 2 EVENTS]\n"
				   "CPU:1 [LOST EVENTS]\n";
	static const struct {
		int32_t cpu;
		histree_time begin, end;
		uint64_t events;
	} expected[] = {
		{ 0, 1000000001, 2000000000, 15 },
		{ 2, 1000000001, 1600000000, 0 },
		{ 1, 1800000001, INT64_MAX, 0 },
	};
	scratch_write(text, sizeof(text) - 1);
	struct trace *trace = trace_must_open(scratch);
	struct event event;
	size_t gaps = 0, events = 0;
	histree_time last = INT64_MIN;
	trace_want_gaps(trace);
	while (trace_next(trace, &event, NULL) == HISTREE_OK) {
		assert_true(event.time >= last);
		last = event.time;
		events += event.gap == NULL;
		if (event.gap == NULL)
			continue;
		assert_true(gaps < 3);
		assert_int_equal(event.gap->cpu, expected[gaps].cpu);
		assert_int_equal(event.gap->begin, expected[gaps].begin);
		assert_int_equal(event.gap->end, expected[gaps].end);
		assert_int_equal(event.gap->events, expected[gaps].events);
		gaps++;
	}
	assert_int_equal(gaps, 3);
	assert_int_equal(events, 6);
	assert_int_equal(trace_report(trace).discarded_events, 17);
	trace_close(trace);
}

/* ---- what is cut or changed ------------------------------------------------------------------------------- */

/* Returns how many events of the kernel the scratch has, if it is a trace; those of tracks are read as well. */
static size_t count_events(void)
{
	const char *path = scratch;
	struct trace *trace;
	struct event event;
	size_t count = 0;
	if (trace_open(&path, 1, &trace, NULL) != HISTREE_OK)
		return 0;
	trace_want_gaps(trace);
	while (trace_next(trace, &event, NULL) == HISTREE_OK)
		for (uint32_t field = 0; event.gap == NULL && field < event.class->field_count; field++) {
			const char *text;
			size_t size;
			int64_t number;
			event_int(&event, field, &number);
			event_string(&event, field, &text, &size);
			count += field == 0 && strcmp(event.class->trace->domain, "kernel") == 0;
		}
	trace_close(trace);
	return count;
}

TEST(a_cut_text_has_what_is_there)
{
	char bytes[8192];
	size_t size = source_read("tests/data/lines-made/trace.txt", bytes, sizeof(bytes)), last = 0;
	for (size_t cut = 0; cut <= size; cut++) {
		scratch_write(bytes, cut);
		size_t count = count_events();
		assert_true(count >= last && count <= last + 1);
		last = count;
	}
	assert_int_equal(last, 13);
}

TEST(a_changed_text_does_no_harm)
{
	char bytes[8192], changed[8192];
	size_t size = source_read("tests/data/lines-made/trace.txt", bytes, sizeof(bytes));
	struct random random = { test_seed() };
	for (uint64_t round = 0; round < test_effort(5000, 200); round++) {
		memcpy(changed, bytes, size);
		for (uint64_t count = 1 + random_below(&random, 8); count > 0; count--)
			changed[random_below(&random, size)] = (char)random_below(&random, 256);
		scratch_write(changed, size);
		assert_true(count_events() < 64);
	}
}

TEST(a_line_that_is_too_long_is_passed_over)
{
	FILE *file = fopen(scratch, "w");
	assert_non_null(file);
	fprintf(file, "a-1 [000] 1.0: e: n=1\n");
	for (unsigned i = 0; i < 1000000; i++)
		fputc('x', file);
	fprintf(file, "\na-1 [000] 1.5: e: n=2\n");
	assert_int_equal(fclose(file), 0);
	assert_int_equal(count_events(), 2);
}

TEST_FILE(scratch_make, scratch_remove)
