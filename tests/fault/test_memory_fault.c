// SPDX-License-Identifier: MIT
/*
 * test_memory_fault.c - each allocation of a build, of opening, of asking and of statistics is refused once, and
 * all after it.
 *
 * Whatever is refused, the call says so, nothing leaks and nothing is used that is not there (AddressSanitizer
 * looks), no answer is wrong, and what was asked again with memory is answered.
 */
#include <errno.h>

#include "base/error.h"
#include "histree/attributes.h"
#include "histree/segment_stats.h"
#include "state/history.h"
#include "state/history_copy.h"
#include "state/state_file.h"
#include "support/effort.h"
#include "support/faulty_memory.h"
#include "support/history_subject.h"
#include "support/memory_io.h"
#include "support/segments.h"
#include "support/test.h"
#include "support/workload.h"
#include "tree/tree_shape.h"

struct fixture {
	const char *variant;
	struct memory_io memory;
	struct workload workload;
	struct reference reference;
};

static void set_up(struct fixture *fixture, const char *variant)
{
	static const struct workload_kind kind = {
		.name = "small", .key_count = 10, .changes = 500, .start = 100, .step_max = 50, .text_size_max = 60
	};
	size_t count;
	*fixture = (struct fixture){ .variant = variant };
	memory_io_init(&fixture->memory);
	assert_true(workload_make(&fixture->workload, &kind, test_seed()));
	struct histree_interval *intervals = workload_intervals(&fixture->workload, &count);
	assert_non_null(intervals);
	assert_true(reference_make(&fixture->reference, intervals, count, fixture->workload.start,
				   fixture->workload.end, fixture->workload.key_count));
	free(intervals);
}

static void tear_down(struct fixture *fixture)
{
	reference_release(&fixture->reference);
	workload_release(&fixture->workload);
	memory_io_release(&fixture->memory);
}

static const struct histree_label five = {
	.first = 5, .last = 5, .is_code = true, .style = { "FIVE", "is five", 0x112233, 0x445566, 1 }
};
static const struct histree_label_table labels = {
	.name = "fives", .patterns = (const char *const[]){ "1", "*", NULL }, .labels = &five, .label_count = 1
};

/* A build that is looked at, publishes, and ends; `published` says whether it came that far. */
static enum histree_status build(struct fixture *fixture, bool *published, struct histree_error *error)
{
	const struct workload *workload = &fixture->workload;
	const struct histree_history_options options = {
		.path = "f",
		.provider = "test",
		.start = workload->start,
		.tree = { .variant = fixture->variant, .node_size = 4096, .fan_out = 4 },
	};
	struct histree_state_system *system;
	enum histree_status status = state_file_create(&fixture->memory.io, &options, &system, error);
	if (status != HISTREE_OK)
		return status;
	status = histree_state_labels(system, &labels, 1, error);
	for (uint32_t key = 0; status == HISTREE_OK && key < workload->key_count; key++) {
		char name[16];
		histree_quark quark;
		snprintf(name, sizeof(name), "%u", key);
		status = histree_state_attribute(system, HISTREE_ROOT, name, &quark, error);
	}
	for (size_t i = 0; status == HISTREE_OK && i < workload->count; i++) {
		status = histree_state_modify(system, workload->changes[i].at, workload->changes[i].quark,
					      workload->changes[i].value, error);
		histree_time end = histree_state_current_end(system);
		if (status != HISTREE_OK || i != workload->count / 2)
			continue;
		struct histree_history *now;
		status = histree_state_history(system, end, NULL, &now, error);
		if (status == HISTREE_OK)
			status = histree_state_publish(system, end, error);
		*published = status == HISTREE_OK;
		histree_history_close(now);
	}
	if (status == HISTREE_OK)
		status = histree_state_close(system, workload->end, error);
	histree_state_free(system);
	return status;
}

static enum histree_status open_history(struct fixture *fixture, struct histree_history **out,
					struct histree_error *error)
{
	struct block_file *file;
	*out = NULL;
	enum histree_status status = block_file_open(&fixture->memory.io, "f", &file, error);
	return status == HISTREE_OK ? history_open_file(file, NULL, out, error) : status;
}

static void assert_is_right(struct fixture *fixture)
{
	struct histree_history *history;
	char room[512];
	assert_ok(open_history(fixture, &history, NULL));
	const char *fault = history_compare(history, &fixture->reference, 1, 8, room);
	if (fault != NULL)
		fail_msg("%s", fault);
	histree_history_close(history);
}

/* Files are in memory too: to them it is a full disk. */
static void assert_says_so(enum histree_status status, const struct histree_error *error)
{
	assert_int_equal(status, error->status);
	if (status == HISTREE_ERR_MEMORY)
		assert_non_null(strstr(error->message, "memory"));
	else
		assert_non_null(strstr(error->message, strerror(ENOSPC)));
}

TEST(every_allocation_of_a_build_may_fail)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++)
		for (int for_ever = 0; for_ever < 2; for_ever++) {
			struct fixture fixture;
			uint64_t failures = 0, kept = 0;
			set_up(&fixture, tree_variants[i]->name);
			for (bool refused = true; refused;) {
				struct histree_error error = { 0 };
				bool published = false;
				faulty_memory_begin(++failures, for_ever != 0);
				enum histree_status status = build(&fixture, &published, &error);
				faulty_memory_end();
				refused = faulty_memory.refused;
				if (status == HISTREE_OK) { /* only a hint was lost, or nothing */
					assert_is_right(&fixture);
				} else {
					assert_says_so(status, &error);
					assert_true(!published || memory_io_find(&fixture.memory, "f") != NULL);
				}
				kept += status != HISTREE_OK && published;
				fixture.memory.io.unlink(&fixture.memory, "f");
				fixture.memory.io.unlink(&fixture.memory, "f.tail");
				assert_null(memory_io_find(&fixture.memory, "f.tail.new"));
			}
			assert_true(failures > 60 && kept > 0);
			tear_down(&fixture);
		}
}

/* ---- asking ----------------------------------------------------------------------------------------------- */

enum question { OPEN, VERIFY, SINGLE, FULL, RANGE, TIMES, SOME, DAMAGED, REPAIR, LABELS, QUESTIONS };

static void ignore(void *context, const char *fault)
{
	(void)context, (void)fault;
}

static void ignore_loss(void *context, const struct histree_interval *interval)
{
	(void)context, (void)interval;
}

/* All of an answer; how many intervals there were. */
static enum histree_status ask(struct histree_history *history, const struct histree_region *region,
			       uint64_t *count, struct histree_error *error)
{
	struct histree_cursor *query;
	*count = 0;
	enum histree_status status = histree_query_create(history, &query, error);
	if (status == HISTREE_OK)
		status = histree_query_start(query, region, error);
	while (status == HISTREE_OK) {
		status = histree_cursor_next(query, error);
		*count += status == HISTREE_OK;
	}
	histree_cursor_free(query);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* How many attributes know what their value is.  Without memory for the labels nobody knows. */
static enum histree_status ask_for_labels(struct histree_history *history, uint64_t *count,
					  struct histree_error *error)
{
	const struct histree_value value = histree_int(5);
	size_t tables;
	*count = 0;
	if (histree_labels(history, &tables) == NULL)
		return error_memory(error, "labels");
	for (histree_quark quark = 0; quark < histree_history_info(history)->attribute_count; quark++) {
		const char *label = histree_label_of(history, quark, &value);
		*count += label != NULL && strcmp(label, "is five") == 0;
	}
	return HISTREE_OK;
}

static enum histree_status ask_question(struct fixture *fixture, struct histree_history *history,
					enum question question, uint64_t *count, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(history);
	const histree_time middle = info->start + (info->end - info->start) / 2;
	const histree_quark some[] = { 1, 4, 7 };
	const histree_time times[] = { info->start, middle, info->end };
	switch (question) {
	case OPEN:
		return HISTREE_OK;
	case VERIFY:
		return histree_history_verify(history, ignore, NULL, error);
	case SINGLE:
		return ask(history, &(struct histree_region){ some, 1, NULL, 0, middle, middle }, count, error);
	case FULL:
		return ask(history, &(struct histree_region){ NULL, 0, NULL, 0, middle, middle }, count, error);
	case RANGE:
	case DAMAGED:
		return ask(history, &(struct histree_region){ NULL, 0, NULL, 0, info->start, info->end }, count,
			   error);
	case TIMES:
		return ask(history, &(struct histree_region){ NULL, 0, times, 3, 0, 0 }, count, error);
	case SOME:
		return ask(history, &(struct histree_region){ some, 3, NULL, 0, info->start, middle }, count,
			   error);
	case REPAIR:
		return history_copy(&fixture->memory.io, history, "repaired", NULL, NULL,
				    &(struct copy_watch){ .lost = ignore_loss }, error);
	case LABELS:
		return ask_for_labels(history, count, error);
	case QUESTIONS:
		break;
	}
	return HISTREE_ERR_INTERNAL;
}

/* Of the first node, and of the root: children are then looked for. */
static void damage(struct fixture *fixture)
{
	struct memory_file *file = memory_io_find(&fixture->memory, "f");
	struct block_file *blocks;
	assert_ok(block_file_open(&fixture->memory.io, "f", &blocks, NULL));
	size_t end = BLOCK_FILE_HEADER_SIZE + (size_t)block_file_block_bytes(blocks);
	block_file_close(blocks);
	file->bytes[BLOCK_FILE_HEADER_SIZE + 60] ^= 1;
	for (size_t at = end - 64; at < end; at++) /* in the last block, whatever of it is used */
		file->bytes[at] ^= 1;
	file->bytes[end - 4096 > BLOCK_FILE_HEADER_SIZE ? end - 4096 : BLOCK_FILE_HEADER_SIZE] ^= 1;
}

TEST(every_allocation_of_an_answer_may_fail)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++)
		for (int question = 0; question < QUESTIONS; question++) {
			struct fixture fixture;
			struct histree_history *history;
			struct histree_error error = { 0 };
			uint64_t expected = 0, count = 0, failures = 0;
			bool published = false;
			set_up(&fixture, tree_variants[i]->name);
			assert_ok(build(&fixture, &published, &error));
			if (question == DAMAGED || question == REPAIR)
				damage(&fixture);
			assert_ok(open_history(&fixture, &history, &error));
			enum histree_status right =
				ask_question(&fixture, history, (enum question)question, &expected, &error);
			assert_ok(right);
			assert_true(question != LABELS || expected > 0);
			histree_history_close(history);
			for (bool refused = true; refused;) {
				fixture.memory.io.unlink(&fixture.memory, "repaired");
				failures++;
				faulty_memory_begin(failures, failures % 2 == 0);
				enum histree_status status = open_history(&fixture, &history, &error);
				if (status == HISTREE_OK)
					status = ask_question(&fixture, history, (enum question)question, &count,
							      &error);
				faulty_memory_end();
				refused = faulty_memory.refused;
				if (status == HISTREE_OK)
					assert_int_equal(count, expected);
				else
					assert_says_so(status, &error);
				/* The same once more, now that there is memory. */
				fixture.memory.io.unlink(&fixture.memory, "repaired");
				if (history != NULL)
					assert_ok(ask_question(&fixture, history, (enum question)question, &count,
							       &error));
				assert_int_equal(count, history != NULL ? expected : count);
				histree_history_close(history);
			}
			assert_true(failures > 10); /* opening a history alone takes so many */
			tear_down(&fixture);
		}
}

/* ---- statistics of segments ------------------------------------------------------------------------------ */

/* How many segments pass a filter, counted twice; -1 where the two do not agree. */
static enum histree_status sum_up(struct histree_segment_store *store, int64_t *count, struct histree_error *error)
{
	const struct histree_density_options options = { .field = SEGMENT_NAME, .group_max = 2 };
	struct histree_segment_filter *filter;
	struct histree_segment_stats *stats = NULL;
	struct histree_segment_density *density = NULL;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	const struct histree_density_group *group;
	enum histree_status status = histree_segment_filter_create(
		&segment_test_schema, "duration > 5 && (name matches '^re' || !result present)", 0, 0, &filter,
		error);
	if (status != HISTREE_OK)
		return status;
	histree_segment_filter_apply(filter, &query);
	status = histree_segment_stats_create(store, &query, SEGMENT_NAME, &stats, error);
	if (status == HISTREE_OK)
		status = histree_segment_density_create(store, &query, &options, &density, error);
	if (status == HISTREE_OK) {
		uint64_t counted = 0;
		for (size_t i = 0; (group = histree_segment_density_group(density, i)) != NULL; i++)
			counted += group->count;
		*count = (int64_t)counted;
		if (counted != histree_segment_stats_all(stats)->count)
			*count = -1;
	}
	histree_segment_density_free(density);
	histree_segment_stats_free(stats);
	histree_segment_filter_free(filter);
	return status;
}

TEST(every_allocation_of_statistics_may_fail)
{
	static const struct segment_kind kind = { "some", SEGMENTS_BY_END, 300, true };
	struct segments segments;
	struct histree_error error = { 0 };
	int64_t expected, count;
	uint64_t failures = 0;
	assert_true(segments_make(&segments, &kind, test_seed()));
	struct histree_segment_store *store = segments_store(&segments);
	assert_non_null(store);
	assert_ok(sum_up(store, &expected, &error));
	assert_true(expected > 0);
	for (bool refused = true; refused;) {
		failures++;
		faulty_memory_begin(failures, failures % 2 == 0);
		enum histree_status status = sum_up(store, &count, &error);
		faulty_memory_end();
		refused = faulty_memory.refused;
		if (status == HISTREE_OK)
			assert_int_equal(count, expected);
		else
			assert_says_so(status, &error);
	}
	assert_true(failures > 10);
	histree_segment_store_close(store);
	segments_release(&segments);
}
