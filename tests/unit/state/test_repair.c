// SPDX-License-Identifier: MIT
/*
 * test_repair.c - a history whose names have the right checksum and make no sense: no checksum says so, and repair
 * does without them as it does without damaged ones.
 */
#include "base/search.h"
#include "histree/states.h"
#include "state/attributes.h"
#include "state/history.h"
#include "state/history_copy.h"
#include "state/state_file.h"
#include "support/memory_io.h"
#include "support/test.h"

enum { ATTRIBUTES = 6, STATES = 2000, STEP = 10, END = STATES * STEP - 1 };

/* What is done to the names before they are written. */
typedef void spoil_names(struct attribute_tree *tree);

static void leave_alone(struct attribute_tree *tree)
{
	(void)tree;
}

static void give_two_one_name(struct attribute_tree *tree)
{
	tree->attributes[5].name = tree->attributes[1].name;
}

/* It should be written as a number: nobody finds it, but that it is its name there is no doubt. */
static void write_a_number_as_text(struct attribute_tree *tree)
{
	uint32_t text = intern_add(&tree->texts, "4711", 4);
	assert_int_not_equal(text, INTERN_NONE);
	tree->attributes[5].name = text;
}

static void give_no_name(struct attribute_tree *tree)
{
	uint32_t text = intern_add(&tree->texts, "", 0);
	assert_int_not_equal(text, INTERN_NONE);
	tree->attributes[5].name = text;
}

static int32_t state_of(histree_quark quark, int number)
{
	return (int32_t)(quark * 1000) + number;
}

static void make_names(struct attribute_tree *tree)
{
	static const char *const names[ATTRIBUTES] = { "one", "two", "three", "four", "five", "six" };
	attribute_tree_init(tree);
	for (histree_quark quark = 0; quark < ATTRIBUTES; quark++) {
		histree_quark made;
		assert_ok(attribute_tree_add(tree, HISTREE_ROOT, names[quark], strlen(names[quark]), &made, NULL));
		assert_int_equal(made, quark);
	}
}

static void write_history(struct memory_io *memory, const char *variant, spoil_names *spoil)
{
	const struct histree_history_options options = { .path = "f",
							 .tree = { .variant = variant, .node_size = 4096 } };
	struct interval_sink sink;
	struct attribute_tree tree;
	make_names(&tree);
	spoil(&tree);
	assert_ok(state_file_sink(&memory->io, &options, NULL, &sink, NULL));
	for (int number = 0; number < STATES; number++)
		for (histree_quark quark = 0; quark < ATTRIBUTES; quark++)
			assert_ok(sink.add(sink.context,
					   &(struct histree_interval){
						   .start = number * STEP,
						   .end = number * STEP + STEP - 1,
						   .quark = quark,
						   .value = histree_int(state_of(quark, number)),
					   },
					   NULL));
	assert_ok(sink.finish(sink.context, &tree, END, NULL));
	sink.free(sink.context);
	attribute_tree_release(&tree);
}

static struct histree_history *open_history(struct memory_io *memory, const char *path, bool salvage)
{
	struct block_file *file;
	struct histree_history *history = NULL;
	struct histree_error error;
	if (block_file_open(&memory->io, path, &file, &error) != HISTREE_OK ||
	    history_open_file(file, &(struct histree_open_options){ .salvage = salvage }, &history, &error) !=
		    HISTREE_OK)
		fail_msg("%s", error.message);
	return history;
}

static void count_fault(void *context, const char *fault)
{
	(void)fault;
	++*(int *)context;
}

static void nothing_is_lost(void *context, const struct histree_interval *interval)
{
	(void)context;
	fail_msg("attribute %u is lost", interval->quark);
}

static void assert_states(struct histree_history *history)
{
	struct histree_cursor *query;
	struct histree_interval found;
	assert_ok(histree_query_create(history, &query, NULL));
	for (histree_quark quark = 0; quark < ATTRIBUTES; quark++)
		for (int number = 0; number < STATES; number++) {
			assert_ok(histree_query_single(query, quark, number * STEP, &found, NULL));
			assert_int_equal(found.value.int32, state_of(quark, number));
		}
	histree_cursor_free(query);
}

static void assert_names(struct histree_history *history, bool numbered)
{
	const struct histree_attributes *attributes = histree_history_attributes(history);
	char name[16], expected[16];
	assert_int_equal(histree_attributes_count(attributes), ATTRIBUTES);
	for (histree_quark quark = 0; quark < ATTRIBUTES; quark++) {
		histree_attributes_name(attributes, quark, name, sizeof(name));
		snprintf(expected, sizeof(expected), "?%" PRIu32, quark);
		assert_int_equal(strcmp(name, expected) == 0, numbered);
	}
}

/* Whether verification has something to say, and whether names are lost. */
static void repair(const char *variant, spoil_names *spoil, bool has_fault, bool loses_names)
{
	struct memory_io memory;
	struct histree_history *history;
	int faults = 0;
	memory_io_init(&memory);
	write_history(&memory, variant, spoil);

	/* As it is, it answers, and the fault is found. */
	history = open_history(&memory, "f", false);
	assert_states(history);
	assert_int_equal(histree_history_verify(history, count_fault, &faults, NULL),
			 has_fault ? HISTREE_ERR_FORMAT : HISTREE_OK);
	assert_int_equal(faults > 0, has_fault);
	histree_history_close(history);

	history = open_history(&memory, "f", true);
	assert_names(history, loses_names);
	faults = 0;
	assert_int_equal(histree_history_verify(history, count_fault, &faults, NULL),
			 has_fault ? HISTREE_ERR_FORMAT : HISTREE_OK);
	assert_int_equal(faults > 0, has_fault);
	struct histree_error error;
	if (history_copy(&memory.io, history, "repaired", NULL, NULL,
			 &(struct copy_watch){ .lost = nothing_is_lost }, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	histree_history_close(history);

	history = open_history(&memory, "repaired", false);
	assert_ok(histree_history_verify(history, count_fault, &faults, NULL));
	assert_names(history, loses_names);
	assert_states(history);
	histree_history_close(history);
	if (!has_fault) {
		/* Given again in the order in which an analysis gives them, intervals make the same tree. */
		const struct memory_file *before = memory_io_find(&memory, "f");
		const struct memory_file *after = memory_io_find(&memory, "repaired");
		assert_int_equal(after->size, before->size);
		assert_memory_equal(after->bytes, before->bytes, before->size);
	}
	memory_io_release(&memory);
}

TEST(names_that_contradict_each_other_are_replaced)
{
	static const char *const variants[] = { "cluster", "esht" };
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		repair(variants[i], leave_alone, false, false);
		repair(variants[i], write_a_number_as_text, true, false);
		repair(variants[i], give_two_one_name, true, true);
		repair(variants[i], give_no_name, true, true);
	}
}

/* A null that ends with the history is in no leaf, of the copy neither: both files are the same. */
TEST(nulls_at_the_ends_are_left_out_again)
{
	static const char *const variants[] = { "cluster", "esht" };
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		const struct histree_history_options options = {
			.path = "f",
			.tree = { .variant = variants[i], .node_size = 4096, .nulls = HISTREE_NULLS_LEFT_OUT }
		};
		const struct copy_watch watch = { .lost = nothing_is_lost };
		struct memory_io memory;
		struct interval_sink sink;
		struct attribute_tree tree;
		memory_io_init(&memory);
		make_names(&tree);
		assert_ok(state_file_sink(&memory.io, &options, NULL, &sink, NULL));
		for (histree_quark quark = 0; quark < ATTRIBUTES; quark++) {
			const struct histree_interval first = { .end = STEP,
								.quark = quark,
								.value = histree_int(1) };
			assert_ok(sink.add(sink.context, &first, NULL));
		}
		sink.closing(sink.context, END);
		for (histree_quark quark = 0; quark < ATTRIBUTES; quark++) {
			const struct histree_interval last = { .start = STEP + 1, .end = END, .quark = quark };
			assert_ok(sink.add(sink.context, &last, NULL));
		}
		assert_ok(sink.finish(sink.context, &tree, END, NULL));
		sink.free(sink.context);
		attribute_tree_release(&tree);

		struct histree_history *history = open_history(&memory, "f", false);
		assert_ok(history_copy(&memory.io, history, "copy", &options.tree, NULL, &watch, NULL));
		histree_history_close(history);
		const struct memory_file *before = memory_io_find(&memory, "f");
		const struct memory_file *after = memory_io_find(&memory, "copy");
		assert_int_equal(after->size, before->size);
		assert_memory_equal(after->bytes, before->bytes, before->size);
		memory_io_release(&memory);
	}
}

/* ---- in slices ------------------------------------------------------------------------------------------- */

/* Repair takes a million intervals at a time; what is lost for longer is one loss all the same. */
enum { MANY = 1100000, LONG_FROM = MANY / 4 * STEP, LONG_TO = MANY / 4 * 3 * STEP - 1 };
enum { MANY_END = MANY * STEP - 1, SMALL_NODE = 4096, LOSSES_MAX = 4096 };

static void write_long_history(struct memory_io *memory)
{
	const struct histree_history_options options = { .path = "f",
							 .tree = { .variant = "esht", .node_size = SMALL_NODE } };
	const struct histree_interval of_other[] = {
		{ .start = 0, .end = LONG_FROM - 1, .quark = 1, .value = histree_int(1) },
		{ .start = LONG_FROM, .end = LONG_TO, .quark = 1, .value = histree_int(2) },
		{ .start = LONG_TO + 1, .end = MANY_END, .quark = 1, .value = histree_int(3) },
	};
	struct interval_sink sink;
	struct attribute_tree tree;
	size_t other = 0;
	make_names(&tree);
	assert_ok(state_file_sink(&memory->io, &options, NULL, &sink, NULL));
	for (int number = 0; number < MANY; number++) {
		const struct histree_interval interval = { .start = (histree_time)number * STEP,
							   .end = (histree_time)number * STEP + STEP - 1,
							   .value = histree_int(number) };
		assert_ok(sink.add(sink.context, &interval, NULL));
		if (other < 3 && of_other[other].end == interval.end)
			assert_ok(sink.add(sink.context, &of_other[other++], NULL));
	}
	for (histree_quark quark = 2; quark < ATTRIBUTES; quark++)
		assert_ok(sink.add(
			sink.context,
			&(struct histree_interval){ .end = MANY_END, .quark = quark, .value = histree_int(0) },
			NULL));
	assert_ok(sink.finish(sink.context, &tree, MANY_END, NULL));
	sink.free(sink.context);
	attribute_tree_release(&tree);
}

struct losses {
	struct histree_interval intervals[LOSSES_MAX];
	size_t count;
};

static void remember_loss(void *context, const struct histree_interval *interval)
{
	struct losses *losses = context;
	assert_true(losses->count < LOSSES_MAX);
	losses->intervals[losses->count++] = *interval;
}

COMPARE(by_quark_and_start, struct histree_interval, BY(quark) BY(start))

/* Damage the node, one near the root, that has the long state of attribute 1. */
static void damage_long_state(struct memory_io *memory)
{
	uint8_t *bytes = memory_io_find(memory, "f")->bytes;
	struct histree_history *history = open_history(memory, "f", false);
	uint64_t node = histree_history_info(history)->node_count;
	histree_history_close(history);
	while (node-- > 0) {
		struct histree_cursor *query;
		struct histree_interval found;
		uint8_t *byte = &bytes[BLOCK_FILE_HEADER_SIZE + node * SMALL_NODE + 100];
		*byte ^= 1;
		history = open_history(memory, "f", true);
		assert_ok(histree_query_create(history, &query, NULL));
		assert_ok(histree_query_single(query, 1, MANY_END / 2, &found, NULL));
		histree_cursor_free(query);
		histree_history_close(history);
		if (found.value.type == HISTREE_UNKNOWN)
			return;
		*byte ^= 1;
	}
	fail_msg("no node has the long state");
}

/* What a query of the damaged history says is unknown. */
static void ask_for_losses(struct histree_history *history, struct losses *losses)
{
	struct histree_cursor *query;
	struct histree_interval interval;
	assert_ok(histree_query_create(history, &query, NULL));
	assert_ok(histree_query_start(query, &(struct histree_region){ .to = MANY_END }, NULL));
	while (histree_cursor_next(query, NULL) == HISTREE_OK) {
		interval = *histree_cursor_interval(query);
		if (interval.value.type == HISTREE_UNKNOWN)
			remember_loss(losses, &interval);
	}
	histree_cursor_free(query);
}

TEST(a_loss_over_slices_is_one_loss)
{
	static struct losses told, known;
	struct memory_io memory;
	struct histree_error error;
	memory_io_init(&memory);
	write_long_history(&memory);
	damage_long_state(&memory);
	struct histree_history *history = open_history(&memory, "f", true);
	ask_for_losses(history, &known);
	const struct copy_watch report = { .lost = remember_loss, .context = &told };
	if (history_copy(&memory.io, history, "repaired", NULL, NULL, &report, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	histree_history_close(history);

	qsort(told.intervals, told.count, sizeof(*told.intervals), by_quark_and_start);
	qsort(known.intervals, known.count, sizeof(*known.intervals), by_quark_and_start);
	assert_true(known.count > 0);
	assert_int_equal(told.count, known.count);
	for (size_t i = 0; i < told.count; i++) {
		assert_int_equal(told.intervals[i].quark, known.intervals[i].quark);
		assert_int_equal(told.intervals[i].start, known.intervals[i].start);
		assert_int_equal(told.intervals[i].end, known.intervals[i].end);
	}
	history = open_history(&memory, "repaired", false);
	assert_ok(histree_history_verify(history, count_fault, &(int){ 0 }, NULL));
	histree_history_close(history);
	memory_io_release(&memory);
}
