// SPDX-License-Identifier: MIT
/*
 * test_calls_faults.c - names of functions, flame graphs and comparisons while memory is out or files cannot be
 * read: each call ends with a sentence that says so, or with what there is; nothing leaks.
 */
#include <link.h>
#include <sys/stat.h>

#include "analysis/ust/call_symbols.h"
#include "base/error.h"
#include "histree/history.h"
#include "histree/segment_stats.h"
#include "histree/states.h"
#include "histree/time_use.h"
#include "state/state_system.h"
#include "support/analysis_feed.h"
#include "support/failing_files.h"
#include "support/faulty_memory.h"
#include "support/test.h"
#include "support/written_events.h"
#include "symbols/symbol_source.h"

enum { REQUESTS_MAX = 5000, FILE_CALLS_MAX = 100, START = 100 };

/* ---- one thing to do, and what fails in it ------------------------------------------------------------------ */

typedef enum histree_status fault_job(struct histree_error *error);

static void check(enum histree_status status, bool failed, bool is_allowed, const struct histree_error *error)
{
	if (!failed)
		assert_ok(status);
	else
		assert_true(status == HISTREE_OK || is_allowed);
	if (status != HISTREE_OK)
		assert_true(error->message[0] != '\0');
}

static void refuse_memory(fault_job *job)
{
	uint64_t fail_at = 1;
	for (bool refused = true; refused; fail_at++) {
		struct histree_error error = { 0 };
		faulty_memory_begin(fail_at, fail_at % 2 == 0);
		const enum histree_status status = job(&error);
		refused = faulty_memory.refused;
		faulty_memory_end();
		check(status, refused, status == HISTREE_ERR_MEMORY, &error);
	}
	assert_in_range(fail_at, 5, REQUESTS_MAX);
}

static void fail_files(fault_job *job)
{
	bool failed = true;
	for (failing_files.fail_at = 1; failed; failing_files.fail_at++) {
		struct histree_error error = { 0 };
		failing_files.count = 0;
		failing_files.failed = false;
		const enum histree_status status = job(&error);
		failed = failing_files.failed;
		check(status, failed, status == HISTREE_ERR_IO || status == HISTREE_ERR_FORMAT, &error);
		assert_true(failing_files.fail_at < FILE_CALLS_MAX);
	}
	assert_true(failing_files.fail_at > 3);
	failing_files.fail_at = 0;
}

/* ---- names of functions ------------------------------------------------------------------------------------- */

static char table_path[64], own_path[4096];
static uint64_t own_base;

static int find_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = info->dlpi_addr;
	return 1;
}

static void see_frame(void *has_seen, const char *name, const char *line, bool is_inlined)
{
	(void)line;
	assert_true(is_inlined || strcmp(name, "find_names") == 0);
	*(bool *)has_seen = true;
}

/* Names of both kinds: of a table, and of this program. */
static enum histree_status find_names(struct histree_error *error)
{
	const char *const paths[] = { table_path, "/" };
	const struct symbol_places places = { .paths = paths, .count = 2 };
	const struct symbol_module module = { .path = own_path, .base = own_base };
	char line[ELF_LINE_SIZE];
	struct symbol_source source;
	enum histree_status status = symbol_source_open(&source, &places, error);
	if (status == HISTREE_OK) {
		const char *name = symbol_source_in_tables(&source, 0x1000);
		if (name != NULL)
			assert_string_equal(name, "one");
		const enum symbol_answer answer =
			symbol_source_find(&source, &module, (uint64_t)(uintptr_t)find_names, &name, line);
		if (answer == SYMBOL_FOUND)
			assert_string_equal(name, "find_names");
		bool has_seen = false;
		const enum symbol_answer chain = symbol_source_chain(
			&source, &module, (uint64_t)(uintptr_t)find_names + 1, see_frame, &has_seen);
		assert_int_equal(has_seen, chain == SYMBOL_FOUND);
		if (answer == SYMBOL_NO_MEMORY || chain == SYMBOL_NO_MEMORY) {
			snprintf(error->message, sizeof(error->message), "no memory");
			status = HISTREE_ERR_MEMORY;
		}
	}
	symbol_source_release(&source);
	return status;
}

TEST(names_of_functions)
{
	refuse_memory(find_names);
	fail_files(find_names);
}

/* ---- calls, and the labels of a history --------------------------------------------------------------------- */

/* Intervals go nowhere. */
static enum histree_status drop(void *context, const struct histree_interval *interval, struct histree_error *error)
{
	(void)context, (void)interval, (void)error;
	return HISTREE_OK;
}

static void nothing(void *context)
{
	(void)context;
}

static struct event call_of(struct written_events *events, int number, const char *path)
{
	char fields[WRITTEN_TEXT_SIZE];
	const char *name = "lttng_ust_cyg_profile:func_entry";
	if (number % 20 == 0) {
		name = "lttng_ust_statedump:start";
		snprintf(fields, sizeof(fields), "x=1 | vpid=4 vtid=4");
	} else if (number % 20 == 1) {
		name = "lttng_ust_statedump:bin_info";
		snprintf(fields, sizeof(fields), "baddr=65536 memsz=16777216 path=%s | vpid=4 vtid=4", path);
	} else {
		if (number % 2 == 1)
			name = "lttng_ust_cyg_profile:func_exit";
		snprintf(fields, sizeof(fields), "addr=%d | vpid=4 vtid=4",
			 number % 2 == 1 ? 0 : 65536 + 64 * number);
	}
	return written_event(events, START + number, 0, name, fields);
}

static char link_path[64]; /* to this program: a short one */

static enum histree_status follow_calls(struct histree_error *error)
{
	const struct analysis *analysis = &analysis_ust_calls;
	const struct interval_sink sink = { .add = drop, .free = nothing, .value_size_max = 1000 };
	const struct symbol_places places = { .count = 0 };
	struct analysis_inputs inputs = { .symbols = &places };
	struct histree_state_system *system = NULL;
	struct written_events events;
	void *instance = NULL;
	histree_time end = INT64_MIN;
	written_events_init(&events, "lttng-ust", 2, 13);
	enum histree_status status = state_system_create(START, &sink, &system, error);
	if (status == HISTREE_OK)
		status = feed_create(&inputs, analysis, system, &instance, error);
	for (int i = 0; i < 100 && status == HISTREE_OK; i++) {
		const struct event event = call_of(&events, i, link_path);
		status = feed_event(&inputs, analysis, instance, &event, error);
	}
	if (status == HISTREE_OK && analysis->finish != NULL)
		status = analysis->finish(instance, &end, error);
	if (instance != NULL)
		analysis->free(instance);
	analysis_inputs_release(&inputs);
	histree_state_free(system);
	return status;
}

TEST(calls)
{
	refuse_memory(follow_calls);
	if (elf_names_can_read()) /* else there are no calls of files */
		fail_files(follow_calls);
}

/* ---- sites of calls ----------------------------------------------------------------------------------------- */

static enum histree_status find_sites(struct histree_error *error)
{
	const struct symbol_places places = { .count = 0 };
	struct call_symbols symbols = { .is_on = false };
	struct written_events events;
	const char *site = NULL;
	written_events_init(&events, "lttng-ust", 2, 13);
	enum histree_status status = call_symbols_open(&symbols, &places, error);
	for (int i = 0; i < 2 && status == HISTREE_OK; i++) {
		const struct event event = call_of(&events, i, link_path);
		if (!call_symbols_take(&symbols, &event))
			status = error_memory(error, "modules");
	}
	struct call_space *space = status == HISTREE_OK ? call_symbols_space(&symbols, 4) : NULL;
	if (status == HISTREE_OK && space == NULL)
		status = error_memory(error, "a space");
	const uint64_t address = (uint64_t)(uintptr_t)find_sites - own_base + 65536;
	/* Twice, and where it begins: what is before that is of another function, or of none. */
	for (int i = 2; i >= 0 && status == HISTREE_OK; i--) {
		status = call_symbols_site(&symbols, space, address + (i > 0), &site, error);
		assert_true(site == NULL || i == 0 || strncmp(site, "find_sites", 10) == 0);
		assert_true(site == NULL || i != 0 || strncmp(site, "find_sites", 10) != 0);
	}
	call_symbols_release(&symbols);
	return status;
}

TEST(sites_of_calls)
{
	refuse_memory(find_sites);
	if (elf_names_can_read()) /* else there are no calls of files */
		fail_files(find_sites);
}

/* ---- flame graphs and comparisons --------------------------------------------------------------------------- */

static struct histree_history *history;
static struct histree_segment_store *store;

static enum histree_status make_flame(struct histree_error *error)
{
	struct histree_flame *flame = NULL;
	uint32_t count;
	enum histree_status status = histree_flame_create(&(struct histree_flame_options){ 0 }, &flame, error);
	for (unsigned side = 0; side < 2 && status == HISTREE_OK; side++)
		status = histree_flame_add_history(flame,
						   &(struct histree_flame_request){ .history = history,
										    .from = START,
										    .to = START + 500,
										    .side = side,
										    .by_thread = true,
										    .states_max = 60 },
						   error);
	if (status == HISTREE_OK)
		status = histree_flame_finish(flame, error);
	if (status == HISTREE_OK)
		assert_true(histree_flame_nodes(flame, &count)->total[0] > 0 && count > 3);
	histree_flame_free(flame);
	return status;
}

static enum histree_status compare_states(struct histree_error *error)
{
	struct histree_selection sides[2];
	struct histree_state_comparison *comparison = NULL;
	for (int i = 0; i < 2; i++) {
		histree_selection_begin(&sides[i], history);
		histree_selection_none(&sides[i]);
	}
	enum histree_status status = HISTREE_OK;
	for (int i = 0; i < 2 && status == HISTREE_OK; i++)
		status = histree_selection_add_pattern(&sides[i], i == 0 ? "Threads/**" : "**", error);
	if (status == HISTREE_OK)
		status = histree_state_comparison_create(&sides[0], &sides[1], (struct histree_work){ 0 },
							 &comparison, error);
	if (status == HISTREE_OK)
		assert_non_null(histree_state_comparison_state(comparison, 0));
	histree_state_comparison_free(comparison);
	for (int i = 0; i < 2; i++)
		histree_selection_release(&sides[i]);
	return status;
}

static enum histree_status compare_segments(struct histree_error *error)
{
	struct histree_segment_comparison *comparison = NULL;
	struct histree_segment_side one = { .store = store, .query = HISTREE_SEGMENTS_ALL, .field = 0 },
				    other = one;
	one.query.from = START;
	one.query.to = START + 200;
	const enum histree_status status = histree_segment_comparison_create(&one, &other, &comparison, error);
	if (status == HISTREE_OK)
		assert_true(histree_segment_comparison_all(comparison)->b.count == 100);
	histree_segment_comparison_free(comparison);
	return status;
}

TEST(flames_and_comparisons)
{
	refuse_memory(make_flame);
	refuse_memory(compare_states);
	refuse_memory(compare_segments);
}

/* ---- what all of them need ---------------------------------------------------------------------------------- */

static void make_history(void)
{
	struct histree_state_system *system;
	assert_ok(histree_state_create_in_memory(&(struct histree_history_options){ .start = START }, 0, &system,
						 NULL));
	for (int thread = 0; thread < 3; thread++)
		for (int level = 1; level <= 4; level++) {
			char path[64], name[16];
			histree_quark quark;
			snprintf(path, sizeof(path), "Threads/%d/CallStack/%d", thread, level);
			assert_ok(histree_state_attribute(system, HISTREE_ROOT, path, &quark, NULL));
			for (int change = 0; change < 20 * level; change++) {
				snprintf(name, sizeof(name), "f%d", (change * 7 + thread) % 9);
				assert_ok(histree_state_modify(
					system, START + change * 20 / level + thread, quark,
					change % 3 == 2 ? histree_null() : histree_string(name), NULL));
			}
		}
	assert_ok(histree_state_close(system, START + 500, NULL));
	assert_ok(histree_state_history(system, START + 500, NULL, &history, NULL));
	histree_state_free(system);
}

static void make_store(void)
{
	static const struct histree_segment_field fields[] = { { "name", HISTREE_STRING } };
	const struct histree_segment_store_options options = { .kind = HISTREE_SEGMENTS_LAZY,
							       .schema = { "test", 1, fields, 1 } };
	assert_ok(histree_segment_store_create(&options, &store, NULL));
	for (int i = 0; i < 100; i++) {
		const struct histree_value name = histree_string(i % 3 == 0 ? "one" : "other");
		const struct histree_segment segment = { .start = START + 4 * i,
							 .end = START + 5 * i,
							 .content = &name };
		assert_ok(histree_segment_store_add(store, &segment, NULL));
	}
	assert_ok(histree_segment_store_finish(store, NULL));
}

static int set_up(void **state)
{
	(void)state;
	snprintf(table_path, sizeof(table_path), "test_calls_faults.%ld.table", (long)getpid());
	FILE *file = fopen(table_path, "w");
	assert_non_null(file);
	fputs("1000 T one\n2000 T _Z3twov\n", file);
	assert_int_equal(fclose(file), 0);
	const ssize_t size = readlink("/proc/self/exe", own_path, sizeof(own_path) - 1);
	assert_true(size > 0);
	own_path[size] = '\0';
	snprintf(link_path, sizeof(link_path), "/tmp/test_calls.%ld", (long)getpid());
	unlink(link_path);
	assert_int_equal(symlink(own_path, link_path), 0);
	dl_iterate_phdr(find_base, &own_base);
	make_history();
	make_store();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(table_path);
	unlink(link_path);
	histree_history_close(history);
	histree_segment_store_close(store);
	return 0;
}

TEST_FILE(set_up, tear_down)
