// SPDX-License-Identifier: MIT
/*
 * test_analysis_cases.c FILE - analyses on events that are written by hand: each case of the file is a test.
 *
 *	case interrupts_nest
 *	of irqs lttng-modules 2 8                       an analysis and its tracer; it begins a run
 *	10 0 irq_handler_entry irq=19 name=ahci         an event: time, CPU, name and fields (written_events.h)
 *	gap 11 20 0                                     from 11 to 20 events of CPU 0 were lost; -1: of all CPUs
 *
 * If the analysis makes segments, each of them is expected, by start:
 *
 *	= 10-15 ahci, 19, 0                             from 10 to 15, with these values
 *	alone 1 0                                       one segment lacks its start, none its end
 *
 * If it makes states, those of the attributes that the case is about are expected, each from time 0 to the end.  No
 * event may be refused.
 *
 *	machine i686                                    it comes from this machine; -: from nobody knows which
 *	linux 4.14.0                                    and of this kernel, whose states of tasks it has
 *	end 60                                          the history ends at 60
 *	= Threads/5: 0 null, 10 int 5, 20 int 2         null until 9, 5 until 19, 2 until 60
 *	no Threads/0                                    there is no such attribute
 *	nothing                                         there is no attribute at all
 */
#include "case_file.h"
#include "case_kind.h"
#include "support/test.h"

struct case_run {
	const struct text_case *test;
	size_t line;                  /* the index of the line that is followed */
	const struct case_kind *kind; /* NULL: no analysis runs */
	void *run;
	char tracer[32];
};

/* The case that runs: it is left where it fails, and say_where() finds it there. */
static struct case_run current;

static void end_run(void)
{
	if (current.kind != NULL)
		current.kind->end(current.run);
	current.kind = NULL;
}

static void begin_run(const char *line)
{
	char analysis[32];
	int major, minor;
	if (sscanf(line, "of %31s %31s %d %d", analysis, current.tracer, &major, &minor) != 4)
		fail_msg("this is no analysis, tracer and version: %s", line);
	const struct registry_entry *entry = registry_find(analysis);
	if (entry == NULL)
		fail_msg("there is no analysis '%s'", analysis);
	current.kind = entry->analysis != NULL ? &state_case : &segment_case;
	current.run = current.kind->begin(entry, current.tracer, major, minor);
}

static void follow_event(const char *line)
{
	char name[64];
	histree_time time;
	int32_t cpu;
	int fields = 0;
	if (sscanf(line, "%" SCNd64 " %" SCNd32 " %63s %n", &time, &cpu, name, &fields) != 3)
		fail_msg("this is no line of a case: %s", line);
	current.kind->event(current.run, time, cpu, name, line + fields);
}

/* Follows a line within a run. */
static void follow_run(const char *line)
{
	histree_time begin, end;
	int32_t cpu;
	if (current.kind == NULL)
		fail_msg("no analysis runs yet: %s", line);
	else if (sscanf(line, "gap %" SCNd64 " %" SCNd64 " %" SCNd32, &begin, &end, &cpu) == 3)
		current.kind->gap(current.run, begin, end, cpu);
	else if (!current.kind->line(current.run, line))
		follow_event(line);
}

static void follow_line(size_t index)
{
	const char *line = current.test->file->lines[index];
	bool is_begin = strncmp(line, "of ", 3) == 0;
	if (is_begin)
		end_run(); /* where it fails is the last line of that run */
	current.line = index;
	if (is_begin)
		begin_run(line);
	else
		follow_run(line);
}

static void check_case(void **state)
{
	const struct text_case *test = *state;
	current = (struct case_run){ .test = test, .line = test->first };
	for (size_t index = test->first; index < test->end; index++)
		if (!case_line_is_remark(test->file->lines[index]))
			follow_line(index);
	assert_non_null(current.kind);
	end_run();
	current.test = NULL;
}

/* Tells which line failed, if one did. */
static int say_where(void **state)
{
	(void)state;
	if (current.test == NULL)
		return 0;
	print_error("%s:%zu: in the case %s\n", current.test->file->path, current.line + 1, current.test->name);
	return 0;
}

int main(int argc, char **argv)
{
	static struct case_file file;
	struct CMUnitTest tests[CASES_MAX];
	if (argc != 2 || !case_file_read(&file, argv[1]))
		return 2;
	for (size_t i = 0; i < file.case_count; i++)
		tests[i] = (struct CMUnitTest){ .name = file.cases[i].name,
						.test_func = check_case,
						.teardown_func = say_where,
						.initial_state = &file.cases[i] };
	return _cmocka_run_group_tests(argv[1], tests, file.case_count, NULL, NULL);
}
