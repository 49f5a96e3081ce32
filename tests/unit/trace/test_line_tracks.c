// SPDX-License-Identifier: MIT
/*
 * test_line_tracks.c - texts with spans: markers of programs, calls of functions that ftrace drew, states of
 * threads in JSON.  Each case is a text, and the events of tracks that come of it.
 */
#include "event/event.h"
#include "support/scratch_trace.h"
#include "support/test.h"

/* "name=text", or nothing where the event does not have it. */
static void print_field(FILE *out, const struct event *event, const char *field)
{
	uint32_t number = event_class_field(event->class, field);
	const char *text;
	size_t size;
	int64_t integer;
	if (event_string(event, number, &text, &size))
		fprintf(out, " %s=%.*s", field, (int)size, text);
	else if (event_int(event, number, &integer))
		fprintf(out, " %s=%" PRId64, field, integer);
}

static bool print_argument(void *context, const struct event_part *part)
{
	if (part->depth > 0 && part->kind == EVENT_TEXT)
		fprintf((FILE *)context, " %s:%.*s", part->name, (int)part->size, part->bytes);
	return true;
}

static void print_event(FILE *out, const struct event *event)
{
	fprintf(out, "%" PRId64 " %s", event->time, event->class->name);
	for (int field = 0; field < TRACK_FIELD_COUNT; field++)
		if (field != TRACK_ARGS)
			print_field(out, event, track_field_names[field]);
	event_visit(event, event_class_field(event->class, track_field_names[TRACK_ARGS]), print_argument, out);
	fputc('\n', out);
}

/* Returns the events of tracks, a line each, which the caller frees. */
static char *read_tracks(const char *text)
{
	const char *path = scratch;
	struct trace *trace;
	struct event event;
	struct histree_error error;
	char *lines;
	size_t size;
	FILE *out = open_memstream(&lines, &size);
	assert_non_null(out);
	scratch_write(text, strlen(text));
	if (trace_open(&path, 1, &trace, &error) != HISTREE_OK) {
		fprintf(out, "%s\n", error.message);
	} else {
		while (trace_next(trace, &event, NULL) == HISTREE_OK)
			if (strcmp(event.class->trace->domain, TRACK_DOMAIN) == 0)
				print_event(out, &event);
		trace_close(trace);
	}
	assert_int_equal(fclose(out), 0);
	return lines;
}

static void expect(const char *text, const char *expected)
{
	char *lines = read_tracks(text);
	if (strcmp(lines, expected) != 0)
		fail_msg("of\n%s\ncame\n%s\nnot\n%s", text, lines, expected);
	free(lines);
}

/* ---- markers --------------------------------------------------------------------------------------------- */

#define LINE(time, text) "  ui-31 (   30) [002] ...1 " time ": tracing_mark_write: " text "\n"

TEST(spans_nest_on_the_thread_of_the_line)
{
	expect(LINE("0.000001", "B|30|a") LINE("0.000002", "B|30|b|c") LINE("0.000003", "E|30")
		       LINE("0.000004", "E"),
	       "1000 thread_name name=ui pid=30 tid=31\n"
	       "1000 span_begin name=a pid=30 tid=31\n"
	       "2000 span_begin name=b|c pid=30 tid=31\n"
	       "3000 span_end pid=30 tid=31\n"
	       "4000 span_end pid=30 tid=31\n");
}

TEST(a_process_is_called_as_its_first_thread)
{
	expect("  app-30 [002] ...1 0.000001: print: tracing_mark_write: B|30|a\n"
	       "  <...>-44 [002] ...1 0.000002: print: I|30|b\n",
	       "1000 process_name name=app pid=30\n"
	       "1000 thread_name name=app pid=30 tid=30\n"
	       "1000 span_begin name=a pid=30 tid=30\n"
	       "2000 instant name=b pid=30 tid=44\n");
}

/* A kernel that does not know the name of the function that wrote has its address instead. */
TEST(an_address_stands_for_the_function_that_wrote)
{
	expect("  app-30 [002] ...1 0.000001: 0xffffffff810f9cc1: B|30|a\n"
	       "  app-30 [002] ...1 0.000002: ffffffff810f9cc1: E|30\n"
	       "  app-30 [002] ...1 0.000003: print: 0xffffffff810f9cc1: I|30|b: c\n"
	       "  app-30 [002] ...1 0.000004: print: I|30|d: e\n",
	       "1000 process_name name=app pid=30\n"
	       "1000 thread_name name=app pid=30 tid=30\n"
	       "1000 span_begin name=a pid=30 tid=30\n"
	       "2000 span_end pid=30 tid=30\n"
	       "3000 instant name=b: c pid=30 tid=30\n"
	       "4000 instant name=d: e pid=30 tid=30\n");
}

TEST(a_text_that_ends_as_a_marker_does_is_a_text)
{
	expect("  app-30 [002] ...1 0.000001: print: B|30|a\n"
	       "  app-30 [002] ...1 0.000002: print: done: E\n"
	       "  app-30 [002] ...1 0.000003: print: tracing_mark_write: E\n",
	       "1000 process_name name=app pid=30\n"
	       "1000 thread_name name=app pid=30 tid=30\n"
	       "1000 span_begin name=a pid=30 tid=30\n"
	       "3000 span_end pid=30 tid=30\n");
}

TEST(chrome_adds_arguments_and_categories)
{
	expect(LINE("0.000001", "B|30|a|x=1;y=two|cc") LINE("0.000002", "E|30|a||cc")
		       LINE("0.000003", "C|30|n|4|cc") LINE("0.000004", "B|30|b||cc")
			       LINE("0.000005", "E|30|b|ret=-1;z=three|cc"),
	       "1000 thread_name name=ui pid=30 tid=31\n"
	       "1000 span_begin name=a category=cc pid=30 tid=31 x:1 y:two\n"
	       "2000 span_end pid=30 tid=31\n"
	       "3000 counter name=n category=cc pid=30 value=4\n"
	       "4000 span_begin name=b category=cc pid=30 tid=31\n"
	       "5000 span_end pid=30 tid=31 ret:-1 z:three\n");
}

TEST(cookies_tell_asynchronous_spans)
{
	expect(LINE("0.000001", "S|30|a|b|7") LINE("0.000002", "S|30|a|b|-8") LINE("0.000003", "F|30|a|b|7")
		       LINE("0.000004", "G|30|net|get|5") LINE("0.000005", "H|30|net|5")
			       LINE("0.000006", "H|30|net|get|5") LINE("0.000007", "N|30|net|done"),
	       "1000 thread_name name=ui pid=30 tid=31\n"
	       "1000 track_name name=net pid=30 track=30:net:5\n"
	       "1000 track_name name=net pid=30 track=30:net\n"
	       "1000 span_begin name=a|b pid=30 track=30:a|b:7 once=1\n"
	       "2000 span_begin name=a|b pid=30 track=30:a|b:-8 once=1\n"
	       "3000 span_end name=a|b pid=30 track=30:a|b:7\n"
	       "4000 span_begin name=get pid=30 track=30:net:5\n"
	       "5000 span_end pid=30 track=30:net:5\n"
	       "6000 span_end pid=30 track=30:net:5\n"
	       "7000 instant name=done pid=30 track=30:net\n");
}

/* HiTrace of OpenHarmony: no bars in names; levels and categories follow. Cookies once followed a space. */
TEST(hitrace_adds_levels_or_spaces)
{
	expect(LINE("0.000001", "S|30|H:a b|1001|M62|cat|k=v") LINE("0.000002", "F|30|H:a b|1001|M62")
		       LINE("0.000003", "S|30|H:old 7") LINE("0.000004", "C|30|H:n 12")
			       LINE("0.000005", "C|30|H:n|-4|M62") LINE("0.000006", "B|30|H:s|M62|k=v")
				       LINE("0.000007", "S|30|frame-1|id-x"),
	       "1000 thread_name name=ui pid=30 tid=31\n"
	       "1000 span_begin name=H:a b category=k=v pid=30 track=30:H:a b:1001 once=1\n"
	       "2000 span_end name=H:a b category=M62 pid=30 track=30:H:a b:1001\n"
	       "3000 span_begin name=H:old pid=30 track=30:H:old:7 once=1\n"
	       "4000 counter name=H:n pid=30 value=12\n"
	       "5000 counter name=H:n category=M62 pid=30 value=-4\n"
	       "6000 span_begin name=H:s category=M62|k=v pid=30 tid=31\n"
	       "7000 span_begin name=frame-1 pid=30 track=30:frame-1:id-x once=1\n");
}

/* A marker that lacks what it needs is left out, and a text that only looks like one says nothing. */
TEST(what_is_no_marker_says_nothing)
{
	expect(LINE("0.000001", "I|30|x") LINE("0.000002", "C|30|n|many") LINE("0.000003", "S|30|a")
		       LINE("0.000004", "B|x|a") LINE("0.000005", "Bad|30|a") LINE("0.000006", "B|99999999999|a"),
	       "1000 thread_name name=ui pid=30 tid=31\n"
	       "1000 instant name=x pid=30 tid=31\n");
}

TEST(a_text_without_markers_has_no_tracks)
{
	expect("  a-1 [000] .... 0.000001: e: a|b: X|1|c\n  a-1 [000] .... 0.000002: print: hello|world\n", "");
}

/* ---- calls of functions ---------------------------------------------------------------------------------- */

#define GRAPH "# tracer: function_graph\n#\n"

TEST(calls_last_as_long_as_their_ends_say)
{
	expect(GRAPH "  7.000010 |   0)   cat-52  |               |  sys_a() {\n"
		     "  7.000011 |   0)   cat-52  |   1.250 us    |    leaf [mod]();\n"
		     "  7.000015 |   0)   cat-52  |   ==========> |\n"
		     "  7.000015 |   0)   cat-52  |               |  /* sched_waking: comm=x|y */\n"
		     "  7.000080 |   0)   cat-52  | ! 250.500 us  |  } /* sys_a */\n",
	       "7000010000 thread_name name=cat tid=52\n"
	       "7000010000 span_begin name=sys_a tid=52\n"
	       "7000011000 span name=leaf [mod] tid=52 duration=1250\n"
	       "7000260500 span_end tid=52\n");
}

/* What began within a microsecond of the end of another begins behind it, and what is around ends behind it. */
/* With funcgraph-args and funcgraph-retval, in the forms of several kernels. */
TEST(calls_have_arguments_and_what_they_returned)
{
	expect(GRAPH "  7.000010 |   0)   cat-52  |               |  read(fd=3, buf=\"a { b\") {\n"
		     "  7.000012 |   0)   cat-52  |   1.000 us    |    get(x=1); /* get ret=-11 */\n"
		     "  7.000014 |   0)   cat-52  |   1.000 us    |    put(); /* = 0x5 */\n"
		     "  7.000018 |   0)   cat-52  |   8.000 us    |  } /* read = 0x0 */\n"
		     "  7.000020 |   0)   cat-52  |               |  a() {\n"
		     "  7.000022 |   0)   cat-52  |   2.000 us    |  } /* ret=0x7 */\n",
	       "7000010000 thread_name name=cat tid=52\n"
	       "7000010000 span_begin name=read tid=52 args:fd=3, buf=\"a { b\"\n"
	       "7000012000 span name=get tid=52 duration=1000 args:x=1 ret:-11\n"
	       "7000014000 span name=put tid=52 duration=1000 ret:0x5\n"
	       "7000018000 span_end tid=52 ret:0x0\n"
	       "7000020000 span_begin name=a tid=52\n"
	       "7000022000 span_end tid=52 ret:0x7\n");
}

TEST(rounding_crosses_nothing)
{
	expect(GRAPH "  7.000010 |   0)   cat-52  |               |  a() {\n"
		     "  7.000010 |   0)   cat-52  |   0.900 us    |    b();\n"
		     "  7.000010 |   0)   cat-52  |   0.300 us    |    c();\n"
		     "  7.000011 |   0)   cat-52  |   1.100 us    |  }\n",
	       "7000010000 thread_name name=cat tid=52\n"
	       "7000010000 span_begin name=a tid=52\n"
	       "7000010000 span name=b tid=52 duration=900\n"
	       "7000010900 span name=c tid=52 duration=300\n"
	       "7000011200 span_end tid=52\n");
}

/* Without a column for it, the thread is the one that was switched to. */
TEST(a_switch_tells_the_thread)
{
	expect(GRAPH "  7.000010 |   1)               |  a() {\n"
		     " ------------------------------------------\n"
		     "  7.000020 |   1)   cat-52  =>   <idle>-0\n"
		     "   1)   <idle>-0    =>   sh-77\n"
		     " ------------------------------------------\n\n"
		     "  7.000030 |   1)   2.000 us    |  b();\n"
		     "  7.000040 |   1) $ 5000000 us |  } /* old */\n",
	       "2000040000 track_name name=CPU 1 track=CPU 1\n"
	       "2000040000 thread_name name=sh tid=77\n"
	       "2000040000 span name=old tid=77 duration=5000000000\n"
	       "7000010000 span_begin name=a track=CPU 1\n"
	       "7000030000 span name=b tid=77 duration=2000\n");
}

/* A call whose end was lost ends with what is drawn beside it. */
TEST(a_lost_end_ends_nothing_else)
{
	expect(GRAPH "  7.000010 |   0)   cat-52  |               |  a() {\n"
		     "  7.000011 |   0)   cat-52  |               |    b() {\n"
		     "CPU:0 [LOST 5 EVENTS]\n"
		     "  7.000020 |   0)   cat-52  |               |    c() {\n"
		     "  7.000030 |   0)   cat-52  | + 20.000 us   |  }\n",
	       "7000010000 thread_name name=cat tid=52\n"
	       "7000010000 span_begin name=a tid=52\n"
	       "7000011000 span_begin name=b tid=52\n"
	       "7000020000 span_end tid=52\n"
	       "7000020000 span_begin name=c tid=52\n"
	       "7000030000 span_end tid=52\n"
	       "7000030000 span_end tid=52\n");
}

/* As trace-cmd report prints them. */
TEST(calls_may_be_events)
{
	expect("cpus=2\n"
	       "  cat-52  [001]  7.000010: funcgraph_entry:                   |  a() {\n"
	       "  <idle>-0  [000]  7.000010: funcgraph_entry:      # 2079.480 us |  c();\n"
	       "  cat-52  [001]  7.000011: funcgraph_entry:        0.250 us   |    b();\n"
	       "  cat-52  [001]  7.000030: funcgraph_exit:       + 20.500 us  |  }\n",
	       "7000010000 thread_name name=cat tid=52\n"
	       "7000010000 track_name name=CPU 0 track=CPU 0\n"
	       "7000010000 span_begin name=a tid=52\n"
	       "7000010000 span name=c track=CPU 0 duration=2079480\n"
	       "7000011000 span name=b tid=52 duration=250\n"
	       "7000030500 span_end tid=52\n");
}

/* As the tracers of latencies draw them, of ftrace's own documentation; a duration in front is no time. */
TEST(calls_may_be_of_a_latency)
{
	expect("# tracer: irqsoff\n"
	       "#   REL TIME      CPU  TASK/PID       ||||     DURATION                  FUNCTION CALLS\n"
	       "        0 us |   0)   bash-1507    |  d... |   0.000 us    |  _raw_spin_lock_irqsave();\n"
	       "        1 us |   0)   bash-1507    |  d..2 |               |    set_track() {\n"
	       "        4 us |   0)   bash-1507    |  d..2 |   0.278 us    |      __module_text_address();\n"
	       "       21 us |   0)   bash-1507    |  d..2 | + 19.602 us   |    }\n"
	       "bash-1507    0d..1 3792us : <stack trace>\n => free_debug_processing\n",
	       "0 thread_name name=bash tid=1507\n"
	       "0 span name=_raw_spin_lock_irqsave tid=1507 duration=0\n"
	       "1000 span_begin name=set_track tid=1507\n"
	       "4000 span name=__module_text_address tid=1507 duration=278\n"
	       "20602 span_end tid=1507\n");
	char *lines = read_tracks("# tracer: function_graph\n 2000000 us |  a();\n");
	assert_non_null(strstr(lines, "funcgraph-abstime"));
	free(lines);
}

TEST(calls_without_times_are_refused)
{
	char *lines =
		read_tracks(" 0)               |  a() {\n 0)   1.000 us    |    b();\n 0)   2.000 us    |  }\n");
	assert_non_null(strstr(lines, "funcgraph-abstime"));
	free(lines);
}

/* ---- system calls ---------------------------------------------------------------------------------------- */

TEST(calls_are_spans_of_their_threads)
{
	expect("90 1700000000.000001 execve(\"/usr/bin/tool\", [\"tool\"], 0x7f /* 9 vars */) = 0 <0.000002>\n"
	       "90 1700000000.000010 clone3({flags=CLONE_VM|CLONE_THREAD, stack=0x7f}, 88 <unfinished ...>\n"
	       "91 1700000000.000011 write(1, \" = ) <0.5>\", 10) = -1 EBADF (Bad file descriptor) <0.000004>\n"
	       "90 1700000000.000013 <... clone3 resumed> => {parent_tid=[91]}) = 91 <0.000002>\n"
	       "90 1700000000.000020 read(0,  <unfinished ...>\n"
	       "91 1700000000.000021 --- SIGTERM {si_signo=SIGTERM} ---\n"
	       "90 1700000000.000022 <... read resumed>\"\", 1) = 0\n"
	       "91 1700000000.000023 exit(0) = ?\n"
	       "91 1700000000.000024 +++ exited with 0 +++\n",
	       "1700000000000001000 process_name name=tool pid=90\n"
	       "1700000000000001000 thread_name name=tool pid=90 tid=90\n"
	       "1700000000000001000 span name=execve category=syscall pid=90 tid=90 duration=2000"
	       " args:\"/usr/bin/tool\", [\"tool\"], 0x7f /* 9 vars */ ret:0\n"
	       "1700000000000010000 span_begin name=clone3 category=syscall pid=90 tid=90"
	       " args:{flags=CLONE_VM|CLONE_THREAD, stack=0x7f}, 88\n"
	       "1700000000000011000 span name=write category=syscall pid=90 tid=91 duration=4000"
	       " args:1, \" = ) <0.5>\", 10 ret:-1 EBADF (Bad file descriptor)\n"
	       "1700000000000012000 span_end name=clone3 category=syscall pid=90 tid=90"
	       " args:=> {parent_tid=[91]} ret:91\n"
	       "1700000000000020000 span_begin name=read category=syscall pid=90 tid=90 args:0,\n"
	       "1700000000000021000 instant name=SIGTERM category=signal pid=90 tid=91 args:{si_signo=SIGTERM}\n"
	       "1700000000000022000 span_end name=read category=syscall pid=90 tid=90 args:\"\", 1 ret:0\n"
	       "1700000000000023000 instant name=exit category=syscall pid=90 tid=91 args:0 ret:?\n"
	       "1700000000000024000 instant name=exited with 0 category=exit pid=90 tid=91\n");
}

TEST(numbers_of_calls_and_addresses_are_passed_over)
{
	expect("90 1700000000.000001 [  59] [00007f95e191c47b] execve(\"/bin/tool\", [\"tool\"], 0x7f) = 0 "
	       "<0.000002>\n"
	       "90 1700000000.000010 [   0] [????????????????] read(0, \"[1] \", 4) = 4 <0.000001>\n"
	       "90 1700000000.000020 [????????????????] +++ exited with 0 +++\n",
	       "1700000000000001000 process_name name=tool pid=90\n"
	       "1700000000000001000 thread_name name=tool pid=90 tid=90\n"
	       "1700000000000001000 span name=execve category=syscall pid=90 tid=90 duration=2000"
	       " args:\"/bin/tool\", [\"tool\"], 0x7f ret:0\n"
	       "1700000000000010000 span name=read category=syscall pid=90 tid=90 duration=1000 args:0, \"[1] \", "
	       "4 ret:4\n"
	       "1700000000000020000 instant name=exited with 0 category=exit pid=90 tid=90\n");
}

/* What resumes may be interrupted again before strace has written its end, and a thread may be killed there. */
TEST(a_call_that_is_interrupted_twice_is_one_span)
{
	expect("90 1700000000.000010 wait4(-1,  <unfinished ...>\n"
	       "91 1700000000.000012 getpid() = 70 <0.000001>\n"
	       "90 1700000000.000015 <... wait4 resumed> NULL, <unfinished ...>\n"
	       "91 1700000000.000016 getpid() = 70 <0.000001>\n"
	       "90 1700000000.000018 <... wait4 resumed> NULL, 0, NULL) = 91\n"
	       "90 1700000000.000020 pause( <unfinished ...>\n"
	       "90 1700000000.000022 <... pause resumed> <unfinished ...>\n"
	       "90 1700000000.000024 +++ killed by SIGKILL +++\n",
	       "1700000000000010000 span_begin name=wait4 category=syscall pid=90 tid=90 args:-1,\n"
	       "1700000000000012000 span name=getpid category=syscall pid=91 tid=91 duration=1000 ret:70\n"
	       "1700000000000016000 span name=getpid category=syscall pid=91 tid=91 duration=1000 ret:70\n"
	       "1700000000000018000 span_end name=wait4 category=syscall pid=90 tid=90 args:NULL, 0, NULL ret:91\n"
	       "1700000000000020000 span_begin name=pause category=syscall pid=90 tid=90\n"
	       "1700000000000024000 span_end pid=90 tid=90\n"
	       "1700000000000024000 instant name=killed by SIGKILL category=exit pid=90 tid=90\n");
}

/* Lines are without numbers until there are two threads, and strace itself may say something within one. */
TEST(the_first_thread_has_no_number_at_first)
{
	expect("12:00:01.5 getpid() = 70 <0.000001>\n"
	       "12:00:02.5 fork(strace: Process 71 attached\n"
	       ", 1) = 71 <0.000100>\n"
	       "[pid    71] 12:00:03.25 getppid() = 70 <0.000001>\n"
	       "[pid    70] 12:00:04 getpid() = 70 <0.000001>\n",
	       "43201500000000 span name=getpid category=syscall pid=70 tid=70 duration=1000 ret:70\n"
	       "43202500000000 span_begin name=fork category=syscall pid=70 tid=70\n"
	       "43202500100000 span_end category=syscall pid=70 tid=70 args:, 1 ret:71\n"
	       "43203250000000 span name=getppid category=syscall pid=71 tid=71 duration=1000 ret:70\n"
	       "43204000000000 span name=getpid category=syscall pid=70 tid=70 duration=1000 ret:70\n");
}

/* A day later, differences, and calls within one second. */
TEST(times_go_on)
{
	expect("5 23:59:59 a() = 0 <0.75>\n5 23:59:59 b() = 0 <0.75>\n5 00:00:01 c() = 0 <0.5>\n",
	       "86399000000000 span name=a category=syscall pid=5 tid=5 duration=750000000 ret:0\n"
	       "86399750000000 span name=b category=syscall pid=5 tid=5 duration=750000000 ret:0\n"
	       "86401000000000 span name=c category=syscall pid=5 tid=5 duration=500000000 ret:0\n");
	expect("5<cat> 0.000000 a() = 0 <0.000001>\n5<cat> 0.000150 b() = 0\n",
	       "0 thread_name name=cat pid=5 tid=5\n"
	       "0 span name=a category=syscall pid=5 tid=5 duration=1000 ret:0\n"
	       "150000 instant name=b category=syscall pid=5 tid=5 ret:0\n");
}

TEST(calls_without_any_times_are_refused)
{
	char *lines = read_tracks("openat(AT_FDCWD, \"x\", O_RDONLY) = 3\nclose(3)           = 0\n");
	assert_non_null(strstr(lines, "strace -f -ttt -T"));
	free(lines);
}

/* ---- in JSON --------------------------------------------------------------------------------------------- */

/* What a thread did is beside its spans, whatever these are. */
TEST(states_of_threads_have_a_track)
{
	expect("[{\"ph\":\"T\",\"cat\":\"thread_state\",\"name\":\"Runnable\",\"ts\":1,\"dur\":2,\"pid\":3,\"tid\":"
	       "4},\n"
	       "{\"ph\":\"T\",\"cat\":\"thread_state\",\"name\":\"Running\",\"ts\":3,\"dur\":7,\"pid\":3,\"tid\":4}"
	       ",\n"
	       "{\"ph\":\"T\",\"cat\":\"net\",\"name\":\"step\",\"ts\":5,\"id\":1,\"pid\":3,\"tid\":4}]",
	       "1000 track_name name=thread_state:4 pid=3 track=thread_state:3:4\n"
	       "1000 span name=Runnable category=thread_state pid=3 tid=4 track=thread_state:3:4 duration=2000\n"
	       "3000 span name=Running category=thread_state pid=3 tid=4 track=thread_state:3:4 duration=7000\n"
	       "5000 instant name=step category=net pid=3 tid=4 track=net:step:1\n");
}

/* Markers of the text of ftrace in a trace in JSON, whose escapes are read. */
TEST(a_text_in_json_has_markers)
{
	expect("{\"traceEvents\":[{\"ph\":\"I\",\"ts\":1,\"s\":\"g\",\"name\":\"\\\"systemTraceEvents\\\":\\\"x\"}]"
	       ",\n"
	       "\"systemTraceEvents\" : \"# tracer: nop\\n  a-8 [000] .... 0.000002: tracing_mark_write: "
	       "B|8|x\\/\\u0041\\u00e9\\n\"}",
	       "1000 instant name=\"systemTraceEvents\":\"x\n"
	       "2000 process_name name=a pid=8\n"
	       "2000 thread_name name=a pid=8 tid=8\n"
	       "2000 span_begin name=x/A? pid=8 tid=8\n");
}

TEST_FILE(scratch_make, scratch_remove)
