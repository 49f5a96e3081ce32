// SPDX-License-Identifier: MIT
/*
 * test_segment_cases.c FILE - segment analyses on events that are written by hand: each case of the file is a test.
 *
 *	# A remark.
 *	case interrupts_nest
 *	of irqs lttng-modules 2 8                       an analysis and its tracer; it begins a run
 *	10 0 irq_handler_entry irq=19 name=ahci         an event: time, CPU, name and fields (written_events.h)
 *	gap 11 20 0                                     from 11 to 20 events of CPU 0 were lost; -1: of all CPUs
 *	= 10-15 ahci, 19, 0                             a segment that the run makes, by start
 *	alone 1 0                                       one segment lacks its start, none its end
 */
#include "analysis/registry.h"
#include "segment_run.h"

enum { CASES_MAX = 64, TEXT_SIZE = 1 << 16 };

struct segment_case {
	char name[96];
	char *lines; /* up to the next case */
	size_t size;
};

/* A run of an analysis, and what is expected of it so far. */
struct case_run {
	bool is_open;
	char tracer[32]; /* that the events of the run come from */
	struct segment_run run;
	char expected[SEGMENT_RUN_TEXT_SIZE];
	uint64_t without_start, without_end;
};

static const struct segment_analysis *find_analysis(const char *name)
{
	const struct registry_entry *entry = registry_find(name);
	if (entry == NULL || entry->segments == NULL)
		fail_msg("no analysis makes segments '%s'", name);
	return entry->segments;
}

static void end_run(struct case_run *run)
{
	if (run->is_open)
		segment_run_expect(&run->run, run->expected, run->without_start, run->without_end);
	run->is_open = false;
}

static void begin_run(struct case_run *run, const char *line)
{
	char analysis[32];
	int major, minor;
	end_run(run);
	*run = (struct case_run){ .is_open = true };
	assert_int_equal(sscanf(line, "of %31s %31s %d %d", analysis, run->tracer, &major, &minor), 4);
	segment_run_begin(&run->run, find_analysis(analysis), run->tracer, major, minor);
}

static void expect_segment(struct case_run *run, const char *segment)
{
	size_t used = strlen(run->expected);
	snprintf(run->expected + used, sizeof(run->expected) - used, "%s%s", used == 0 ? "" : "; ", segment);
}

static void follow_event(struct case_run *run, const char *line)
{
	char name[64];
	int64_t time;
	int32_t cpu;
	int fields = 0;
	if (sscanf(line, "%" SCNd64 " %" SCNd32 " %63s %n", &time, &cpu, name, &fields) != 3)
		fail_msg("this is no line of a case: %s", line);
	segment_run_event(&run->run, time, cpu, name, line + fields);
}

static void follow_line(struct case_run *run, const char *line)
{
	int64_t begin, end;
	int32_t cpu;
	if (line[0] == '\0' || line[0] == '#')
		return;
	if (strncmp(line, "of ", 3) == 0)
		begin_run(run, line);
	else if (strncmp(line, "= ", 2) == 0)
		expect_segment(run, line + 2);
	else if (sscanf(line, "gap %" SCNd64 " %" SCNd64 " %" SCNd32, &begin, &end, &cpu) == 3)
		segment_run_gap(&run->run, begin, end, cpu);
	else if (sscanf(line, "alone %" SCNu64 " %" SCNu64, &run->without_start, &run->without_end) != 2)
		follow_event(run, line);
}

static void check_case(void **state)
{
	const struct segment_case *test = *state;
	struct case_run run = { .is_open = false };
	char *lines = strndup(test->lines, test->size), *rest = NULL;
	assert_non_null(lines);
	for (char *line = strtok_r(lines, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
		follow_line(&run, line);
	assert_true(run.is_open);
	end_run(&run);
	free(lines);
}

static void read_text(const char *path, char text[static TEXT_SIZE])
{
	FILE *file = fopen(path, "r");
	if (file == NULL) {
		perror(path);
		exit(2);
	}
	text[fread(text, 1, TEXT_SIZE - 1, file)] = '\0';
	fclose(file);
}

/* Returns how many cases there are. */
static size_t find_cases(char *text, struct segment_case *cases)
{
	size_t count = 0;
	for (char *at = strstr(text, "\ncase "); at != NULL && count < CASES_MAX; count++) {
		char *next = strstr(at + 1, "\ncase ");
		sscanf(at, "\ncase %95s", cases[count].name);
		cases[count].lines = strchr(at + 1, '\n');
		cases[count].size = next != NULL ? (size_t)(next - cases[count].lines) : strlen(cases[count].lines);
		at = next;
	}
	return count;
}

int main(int argc, char **argv)
{
	static char text[TEXT_SIZE];
	static struct segment_case cases[CASES_MAX];
	struct CMUnitTest tests[CASES_MAX];
	if (argc != 2)
		return 2;
	read_text(argv[1], text);
	size_t count = find_cases(text, cases);
	for (size_t i = 0; i < count; i++)
		tests[i] = (struct CMUnitTest){ .name = cases[i].name,
						.test_func = check_case,
						.initial_state = &cases[i] };
	bool has_all = count > 0 && count < CASES_MAX && strlen(text) < TEXT_SIZE - 1;
	return has_all ? _cmocka_run_group_tests(argv[1], tests, count, NULL, NULL) : 2;
}
