// SPDX-License-Identifier: MIT
/*
 * test_labels.c - the section LABL: what may stand in it, what becomes of a history when it is damaged, lacking or
 * of another version, and the tables that the analyses declare.
 */
#include <pthread.h>

#include "analysis/registry.h"
#include "histree/history.h"
#include "histree/states.h"
#include "state/attributes.h"
#include "state/history.h"
#include "state/history_copy.h"
#include "state/labels.h"
#include "state/state_file.h"
#include "store/block_file.h"
#include "support/faulty_io.h"
#include "support/memory_io.h"
#include "support/test.h"

#define PATTERNS(...)             \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

static const struct histree_label states[] = {
	{ .first = 7, .last = 7, .is_code = true, .style = { "SEVEN", "is seven", 0x123456, 0x654321, 0.25 } },
	{ .kind = HISTREE_LABEL_OTHERS,
	  .is_code = true,
	  .has_no_colour = true,
	  .style = { "?", "is odd", 0, 0, 1 } },
	{ .first = -3, .last = 5, .is_code = true, .style = { "LOW", "is low", 0xff0000, 0x00ff00, 0.5 } },
	{ .kind = HISTREE_LABEL_TEXT, .text = "on", .style = { "ON", "runs", 1, 2, 0.33 } },
	{ .kind = HISTREE_LABEL_TEXT, .text = "off", .is_hidden = true },
};

static const struct histree_label_table tables[] = {
	{ "machine", HISTREE_MEANS_ANYTHING, PATTERNS("Machines/*", "**/State"), states, 5, true },
	{ "who", HISTREE_MEANS_TID, PATTERNS("CPUs/*/Current_thread"), NULL, 0, true },
};

enum { START = 100, END = 1000, TABLES = sizeof(tables) / sizeof(tables[0]) };

/* ---- refusals --------------------------------------------------------------------------------------------- */

static void assert_refused(const struct histree_label_table *table, const char *why)
{
	struct told_list copy;
	struct histree_error error = { 0 };
	assert_int_equal(label_tables_copy(table, 1, &copy, &error), HISTREE_ERR_ARGUMENT);
	if (strstr(error.message, why) == NULL)
		fail_msg("'%s' does not say '%s'", error.message, why);
	assert_int_equal(copy.count, 0);
	assert_null(copy.tables);
}

static void refuse_labels(const struct histree_label *labels, size_t count, const char *why)
{
	assert_refused(
		&(struct histree_label_table){ "t", HISTREE_MEANS_ANYTHING, PATTERNS("*"), labels, count, true },
		why);
}

TEST(what_makes_no_sense_is_refused)
{
	char longest[HISTREE_LABEL_TEXT_MAX + 2];
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	const struct histree_style style = { "k", "n", 0, 0, 1 }, other = { "k", "m", 0, 0, 1 };
	const struct histree_label good = { .first = 1, .last = 1, .style = style };
	struct histree_label labels[2] = { good, good };
	refuse_labels(labels, 2, "two labels are for the value 1");
	labels[1].first = -5;
	labels[1].last = 1;
	refuse_labels(labels, 2, "two labels are for the value 1");
	labels[1] = (struct histree_label){ .first = 2, .last = 2, .style = other };
	refuse_labels(labels, 2, "have the key 'k'");
	labels[0].kind = labels[1].kind = HISTREE_LABEL_OTHERS;
	labels[1].style = style;
	refuse_labels(labels, 2, "two labels are for all other values");
	labels[0].kind = labels[1].kind = HISTREE_LABEL_TEXT;
	labels[0].text = labels[1].text = "on";
	refuse_labels(labels, 2, "two labels are for the text 'on'");
	labels[0].text = longest;
	refuse_labels(labels, 1, "a text of more than 255 bytes");
	labels[0] = good;
	labels[0].last = 0;
	refuse_labels(labels, 1, "no number is that");
	labels[0] = good;
	labels[0].style.name = "";
	refuse_labels(labels, 1, "needs a key and a name");
	labels[0].style.name = longest;
	refuse_labels(labels, 1, "needs a key and a name");
	labels[0].style = style;
	labels[0].style.dark = 0x1000000;
	refuse_labels(labels, 1, "a colour is 0xRRGGBB");
	labels[0].style = style;
	labels[0].style.height = 1.5;
	refuse_labels(labels, 1, "its height is 1.5");
	refuse_labels(labels, LABELS_MAX + 1, "the most is 32768");
	const struct {
		const char *const *patterns;
		const char *why;
	} odd[] = {
		{ PATTERNS(NULL), "it has no pattern" }, { PATTERNS("a//b"), "empty component" },
		{ PATTERNS("a\\"), "stray backslash" },  { PATTERNS("a/../b"), "has '..'" },
		{ PATTERNS(longest), "1 to 255 bytes" }, { PATTERNS(""), "1 to 255 bytes" },
	};
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		assert_refused(&(struct histree_label_table){ "t", HISTREE_MEANS_ANYTHING, odd[i].patterns, &good,
							      1, true },
			       odd[i].why);
	assert_refused(
		&(struct histree_label_table){ longest, HISTREE_MEANS_ANYTHING, PATTERNS("*"), &good, 1, true },
		"a name of at most 255 bytes");
	/* Two that look alike may share a key. */
	struct told_list copy;
	labels[0] = labels[1] = good;
	labels[1].first = labels[1].last = 9;
	assert_ok(label_tables_copy(
		&(struct histree_label_table){ "t", HISTREE_MEANS_ANYTHING, PATTERNS("*"), labels, 2, true }, 1,
		&copy, NULL));
	told_list_release(&copy);
	assert_int_equal(label_tables_copy(tables, HISTREE_LABEL_TABLES_MAX + 1, &copy, NULL),
			 HISTREE_ERR_ARGUMENT);
}

TEST(a_section_has_a_greatest_size)
{
	enum { MANY = LABEL_SECTION_SIZE_MAX / HISTREE_LABEL_TEXT_MAX + 1 };
	static struct histree_label labels[MANY];
	static char names[MANY][HISTREE_LABEL_TEXT_MAX + 1];
	struct told_list copy;
	struct histree_error error;
	uint8_t *bytes = (uint8_t *)names;
	size_t size = 1;
	for (int i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "%0255d", i);
		labels[i] = (struct histree_label){ .first = i, .last = i, .style = { names[i], "n", 0, 0, 1 } };
	}
	const struct histree_label_table table = { "t", HISTREE_MEANS_ANYTHING, PATTERNS("*"), labels, MANY, true };
	assert_ok(label_tables_copy(&table, 1, &copy, &error));
	assert_int_equal(told_encode(&told_labels, copy.tables, copy.count, &bytes, &size, &error),
			 HISTREE_ERR_ARGUMENT);
	assert_string_equal(error.message, "the labels have more than 4194304 bytes");
	assert_null(bytes);
	told_list_release(&copy);
	assert_int_equal(
		told_decode(&told_labels, (const uint8_t *)names, LABEL_SECTION_SIZE_MAX + 1, &copy, &error),
		HISTREE_ERR_FORMAT);
}

/* ---- bytes ------------------------------------------------------------------------------------------------ */

static uint8_t *make_section(size_t *size)
{
	struct told_list copy;
	uint8_t *bytes;
	assert_ok(label_tables_copy(tables, TABLES, &copy, NULL));
	assert_ok(told_encode(&told_labels, copy.tables, copy.count, &bytes, size, NULL));
	told_list_release(&copy);
	return bytes;
}

/* Whatever the bytes are: labels that could have been written, or none and a sentence. */
static void decode_odd(const uint8_t *bytes, size_t size)
{
	struct told_list found;
	struct histree_error error = { 0 };
	enum histree_status status = told_decode(&told_labels, bytes, size, &found, &error);
	if (status == HISTREE_OK) {
		for (size_t i = 0; i < found.count; i++)
			assert_ok(label_table_check(&found.tables[i], NULL));
	} else {
		assert_true(status == HISTREE_ERR_FORMAT || status == HISTREE_NOT_FOUND);
		assert_int_equal(error.status, status);
		assert_int_not_equal(error.message[0], '\0');
		assert_int_equal(found.count, 0);
	}
	told_list_release(&found);
}

TEST(every_byte_may_be_another)
{
	size_t size;
	uint8_t *bytes = make_section(&size);
	for (size_t at = 0; at < size; at++) {
		uint8_t was = bytes[at];
		for (unsigned value = 0; value < 256; value++) {
			bytes[at] = (uint8_t)value;
			decode_odd(bytes, size);
		}
		bytes[at] = was;
	}
	for (size_t shorter = 0; shorter < size; shorter++) {
		struct told_list found;
		uint8_t *exact = malloc(shorter + 1); /* so that the sanitizer sees a read behind the end */
		memcpy(exact, bytes, shorter);
		assert_int_equal(told_decode(&told_labels, exact, shorter, &found, NULL), HISTREE_ERR_FORMAT);
		free(exact);
	}
	free(bytes);
}

TEST(the_bytes_are_those_of_the_page)
{
	static const struct histree_label labels[] = {
		{ .first = -1, .last = -1, .is_code = true, .style = { "k", "no", 0x010203, 0x040506, 0.5 } },
		{ .first = 2, .last = 300, .has_no_colour = true, .style = { "l", "m", 0, 0, 1 } },
		{ .kind = HISTREE_LABEL_TEXT, .text = "t", .is_hidden = true },
	};
	const struct histree_label_table table = { "n", HISTREE_MEANS_IRQ, PATTERNS("a/*"), labels, 3, true };
	static const uint8_t expected[] = { 1,  1, 1,    'n', 4,   1,   1,  3,   'a', '/', '*', 3,  8,
					    1,  1, 'k',  2,   'n', 'o', 50, 1,   2,   3,   4,   5,  6,
					    36, 4, 0xaa, 2,   1,   'l', 1,  'm', 100, 17,  1,   't' };
	struct told_list copy;
	uint8_t *bytes;
	size_t size;
	assert_ok(label_tables_copy(&table, 1, &copy, NULL));
	assert_ok(told_encode(&told_labels, copy.tables, copy.count, &bytes, &size, NULL));
	assert_int_equal(size, sizeof(expected));
	assert_memory_equal(bytes, expected, size);
	told_list_release(&copy);
	free(bytes);
}

/* ---- histories -------------------------------------------------------------------------------------------- */

static void write_history(struct memory_io *memory, const char *provider, const char *path,
			  const struct histree_label_table *labels, size_t count)
{
	const struct histree_history_options options = {
		.path = path, .provider = provider, .provider_version = 1, .start = START
	};
	struct histree_state_system *system;
	histree_quark quark;
	assert_ok(state_file_create(&memory->io, &options, &system, NULL));
	assert_ok(histree_state_labels(system, labels, count, NULL));
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "Threads/5", &quark, NULL));
	assert_ok(histree_state_modify(system, START, quark, histree_int(5), NULL));
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "Machines/a", &quark, NULL));
	assert_ok(histree_state_modify(system, START, quark, histree_int(7), NULL));
	assert_ok(histree_state_close(system, END, NULL));
	assert_int_equal(histree_state_labels(system, labels, count, NULL), HISTREE_ERR_CLOSED);
	histree_state_free(system);
}

static struct histree_history *open_history(struct memory_io *memory, const char *path)
{
	struct block_file *file;
	struct histree_history *history;
	assert_ok(block_file_open(&memory->io, path, &file, NULL));
	assert_ok(history_open_file(file, NULL, &history, NULL));
	return history;
}

static const char *label_at(struct histree_history *history, const char *path)
{
	histree_quark quark;
	struct histree_cursor *query;
	struct histree_interval interval;
	assert_ok(histree_attributes_find(histree_history_attributes(history), HISTREE_ROOT, path, &quark));
	assert_ok(histree_query_create(history, &query, NULL));
	assert_ok(histree_query_single(query, quark, START, &interval, NULL));
	histree_cursor_free(query);
	return histree_label_of(history, quark, &interval.value);
}

/* Each fault is told of twice: what is wrong, and what that means. */
static void count_fault(void *context, const char *fault)
{
	if (strstr(fault, "LABL") != NULL)
		++*(unsigned *)context;
	else
		fail_msg("%s", fault);
}

static unsigned verify(struct histree_history *history)
{
	unsigned faults = 0;
	enum histree_status status = histree_history_verify(history, count_fault, &faults, NULL);
	assert_int_equal(status, faults == 0 ? HISTREE_OK : HISTREE_ERR_FORMAT);
	return faults;
}

TEST(a_history_has_the_labels_it_was_given)
{
	struct memory_io memory;
	size_t count;
	memory_io_init(&memory);
	write_history(&memory, "mine", "f", tables, TABLES);
	struct histree_history *history = open_history(&memory, "f");
	assert_int_equal(histree_labels_origin(history), HISTREE_LABELS_OF_FILE);
	histree_labels(history, &count);
	assert_int_equal(count, TABLES);
	assert_string_equal(label_at(history, "Machines/a"), "is seven");
	assert_null(label_at(history, "Threads/5"));
	assert_ptr_equal(histree_labels_for(history, HISTREE_MEANS_TID), histree_labels(history, &count) + 1);
	assert_string_equal(histree_labels_for(history, HISTREE_MEANS_CPU_STATUS)->name, "CPU status");
	assert_int_equal(verify(history), 0);
	histree_history_close(history);
	memory_io_release(&memory);
}

/* More than the byte that an attribute of a history has for its table: each is looked for anew. */
TEST(a_union_has_more_tables_than_one_history)
{
	enum { HOSTS = 3, EACH = 100 };
	struct histree_history_part parts[HOSTS];
	struct histree_history *history;
	struct memory_io memory;
	size_t count;
	memory_io_init(&memory);
	for (size_t host = 0; host < HOSTS; host++) {
		static const char *const names[HOSTS] = { "a", "b", "c" };
		struct histree_label_table made[EACH];
		struct histree_label labels[EACH];
		char texts[EACH][3][24];
		for (size_t i = 0; i < EACH; i++) {
			const bool is_last = host + 1 == HOSTS && i + 1 == EACH;
			snprintf(texts[i][0], sizeof(texts[i][0]), "table %zu of %zu", i, host);
			snprintf(texts[i][1], sizeof(texts[i][1]), is_last ? "Threads/*" : "None/%zu", i);
			snprintf(texts[i][2], sizeof(texts[i][2]), "five on %s", names[host]);
			const char **patterns = calloc(2, sizeof(*patterns));
			assert_non_null(patterns);
			patterns[0] = texts[i][1];
			labels[i] = (struct histree_label){ .first = 5,
							    .last = 5,
							    .is_code = true,
							    .style = { "5", texts[i][2], 0x123456, 0x654321, 1 } };
			made[i] = (struct histree_label_table){
				.name = texts[i][0], .patterns = patterns, .labels = &labels[i], .label_count = 1
			};
		}
		write_history(&memory, "mine", names[host], made, EACH);
		parts[host] =
			(struct histree_history_part){ names[host], open_history(&memory, names[host]), NULL };
		for (size_t i = 0; i < EACH; i++)
			free((void *)(uintptr_t)made[i].patterns);
	}
	assert_ok(histree_history_unite(parts, HOSTS, &history, NULL));
	const struct histree_label_table *all = histree_labels(history, &count);
	assert_int_equal(count, HOSTS * EACH);
	assert_string_equal(all[count - 1].name, "table 99 of 2");
	assert_string_equal(all[count - 1].patterns[0], "*/Threads/*");
	struct told_slots *slots = history_told(history);
	const struct histree_attributes *attributes = histree_history_attributes(history);
	const struct history_told *labels = atomic_load(&slots->of[TOLD_LABELS].told);
	for (unsigned again = 0; again < 2; again++) {
		const struct histree_label_table *known;
		histree_quark quark;
		assert_null(label_at(history, "a/Threads/5"));
		assert_string_equal(label_at(history, "c/Threads/5"), "five on c");
		assert_ok(histree_attributes_find(attributes, HISTREE_ROOT, "c/Threads/5", &quark));
		assert_ptr_equal(labels_look(slots, attributes, labels, quark), &all[count - 1]);
		assert_false(labels_known(slots, quark, &known));
		assert_ok(histree_attributes_find(attributes, HISTREE_ROOT, "a/Threads/5", &quark));
		assert_ptr_equal(labels_look(slots, attributes, labels, quark), &all[count - 1]);
	}
	histree_history_close(history);
	memory_io_release(&memory);
}

TEST(a_history_without_has_what_is_known)
{
	struct memory_io memory;
	memory_io_init(&memory);
	write_history(&memory, "kernel", "kernel", NULL, 0);
	write_history(&memory, "mine", "mine", NULL, 0);
	struct histree_history *history = open_history(&memory, "kernel");
	assert_int_equal(histree_labels_origin(history), HISTREE_LABELS_KNOWN);
	assert_string_equal(label_at(history, "Threads/5"), "waits for a CPU");
	assert_null(label_at(history, "Machines/a"));
	histree_history_close(history);
	history = open_history(&memory, "mine");
	assert_int_equal(histree_labels_origin(history), HISTREE_LABELS_NONE);
	assert_null(label_at(history, "Threads/5"));
	histree_history_close(history);
	memory_io_release(&memory);
}

/* The section is there twice: where the table of sections has it, and as a copy in the header. */
static size_t break_bytes(struct memory_file *file, const uint8_t *bytes, size_t size)
{
	size_t broken = 0;
	for (size_t at = 0; at + size <= file->size; at++)
		if (memcmp(file->bytes + at, bytes, size) == 0) {
			file->bytes[at + size / 2] ^= 1;
			broken++;
		}
	return broken;
}

TEST(a_damaged_section_takes_no_state_with_it)
{
	struct memory_io memory;
	size_t size;
	uint8_t *bytes = make_section(&size);
	memory_io_init(&memory);
	write_history(&memory, "kernel", "f", tables, TABLES);
	assert_int_equal(break_bytes(memory_io_find(&memory, "f"), bytes, size), 2);
	struct histree_history *history = open_history(&memory, "f");
	assert_int_equal(histree_labels_origin(history), HISTREE_LABELS_KNOWN);
	assert_string_equal(label_at(history, "Threads/5"), "waits for a CPU");
	assert_null(label_at(history, "Machines/a"));
	assert_int_equal(verify(history), 2);

	/* Its copy is sound, and has none. */
	const struct copy_watch watch = { .lost = NULL };
	assert_ok(history_copy(&memory.io, history, "g", NULL, NULL, &watch, NULL));
	histree_history_close(history);
	history = open_history(&memory, "g");
	assert_int_equal(verify(history), 0);
	assert_int_equal(histree_labels_origin(history), HISTREE_LABELS_KNOWN);
	histree_history_close(history);
	memory_io_release(&memory);
	free(bytes);
}

/* The checksums are right: bytes that someone made up, and those of a version to come. */
TEST(a_section_may_be_no_labels)
{
	static const struct {
		const char *bytes;
		size_t size;
		unsigned faults;
	} sections[] = { { "\1\1", 2, 1 }, { "\2anything", 9, 0 }, { "\1\0", 2, 0 }, { "\1\0\0", 3, 1 } };
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		struct memory_io memory;
		struct interval_sink sink;
		struct attribute_tree attributes;
		const struct histree_history_options options = { .path = "f", .provider = "mine", .start = START };
		memory_io_init(&memory);
		attribute_tree_init(&attributes);
		assert_ok(state_file_sink(&memory.io, &options, NULL, &sink, NULL));
		assert_ok(sink.set_section(sink.context, TOLD_LABELS, sections[i].bytes, sections[i].size, NULL));
		assert_ok(sink.finish(sink.context, &attributes, END, NULL));
		sink.free(sink.context);
		struct histree_history *history = open_history(&memory, "f");
		assert_int_equal(verify(history), 2 * sections[i].faults);
		size_t count;
		histree_labels(history, &count);
		assert_int_equal(count, 0);
		histree_history_close(history);
		attribute_tree_release(&attributes);
		memory_io_release(&memory);
	}
}

TEST(a_copy_has_the_same_labels)
{
	struct memory_io memory;
	const struct copy_watch watch = { .lost = NULL };
	const struct histree_tree_options esht = { .variant = "esht" };
	memory_io_init(&memory);
	write_history(&memory, "mine", "f", tables, TABLES);
	struct histree_history *history = open_history(&memory, "f");
	assert_ok(history_copy(&memory.io, history, "g", &esht, NULL, &watch, NULL));
	histree_history_close(history);
	history = open_history(&memory, "g");
	assert_int_equal(histree_labels_origin(history), HISTREE_LABELS_OF_FILE);
	assert_string_equal(label_at(history, "Machines/a"), "is seven");
	histree_history_close(history);
	memory_io_release(&memory);
}

/* What was published has those that were said by then, and what is said last counts. */
TEST(labels_are_seen_while_a_history_is_built)
{
	struct memory_io memory;
	struct histree_state_system *system;
	struct histree_history *history;
	histree_quark quark;
	const struct histree_history_options options = { .path = "f", .provider = "kernel", .start = START };
	memory_io_init(&memory);
	assert_ok(state_file_create(&memory.io, &options, &system, NULL));
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "Machines/a", &quark, NULL));
	assert_ok(histree_state_modify(system, START, quark, histree_int(-1), NULL));
	assert_ok(histree_state_publish(system, START + 10, NULL));
	history = open_history(&memory, "f");
	assert_null(label_at(history, "Machines/a"));
	histree_history_close(history);
	assert_ok(histree_state_labels(system, tables, TABLES, NULL));
	assert_ok(histree_state_publish(system, START + 20, NULL));
	history = open_history(&memory, "f");
	assert_string_equal(label_at(history, "Machines/a"), "is low");
	histree_history_close(history);
	assert_ok(histree_state_labels(system, NULL, 0, NULL));
	assert_ok(histree_state_close(system, END, NULL));
	histree_state_free(system);
	history = open_history(&memory, "f");
	assert_int_equal(histree_labels_origin(history), HISTREE_LABELS_KNOWN);
	histree_history_close(history);
	memory_io_release(&memory);
}

/* Whichever operation fails, there is no file, or one that has its labels. */
TEST(a_disk_may_fail_at_any_operation)
{
	struct memory_io memory;
	struct faulty_io faulty;
	enum histree_status status = HISTREE_ERR_IO;
	memory_io_init(&memory);
	for (uint64_t fail_at = 1; status != HISTREE_OK; fail_at++) {
		const struct histree_history_options options = { .path = "f", .provider = "mine", .start = START };
		struct histree_state_system *system = NULL;
		struct histree_error error = { 0 };
		faulty_io_init(&faulty, &memory.io);
		faulty.fail_at = fail_at;
		status = state_file_create(&faulty.io, &options, &system, &error);
		if (status == HISTREE_OK)
			status = histree_state_labels(system, tables, TABLES, &error);
		if (status == HISTREE_OK)
			status = histree_state_close(system, END, &error);
		histree_state_free(system);
		if (status != HISTREE_OK) {
			assert_int_equal(status, HISTREE_ERR_IO);
			assert_int_not_equal(error.message[0], '\0');
			assert_null(memory_io_find(&memory, "f"));
		}
	}
	struct histree_history *history = open_history(&memory, "f");
	assert_int_equal(histree_labels_origin(history), HISTREE_LABELS_OF_FILE);
	histree_history_close(history);
	memory_io_release(&memory);
}

enum { THREADS = 4, ROUNDS = 50, MACHINES = 300 };

/* Asks for all, from both ends, and counts what is right. */
static void *ask_for_all(void *context)
{
	const struct histree_history *history = context;
	const struct histree_value low = histree_int(1);
	uintptr_t right = 0;
	for (histree_quark i = 0; i < MACHINES; i++) {
		const histree_quark quark = 1 + (i % 2 == 0 ? i : MACHINES - 1 - i);
		const char *label = histree_label_of(history, quark, &low);
		right += label != NULL && strcmp(label, "is low") == 0;
	}
	return (void *)right;
}

/* Whoever comes first reads the section, and makes the room for what is known. */
TEST(threads_may_ask_at_once)
{
	struct histree_state_system *system;
	histree_quark quark;
	const struct histree_history_options options = { .start = START };
	assert_ok(histree_state_create_in_memory(&options, 0, &system, NULL));
	assert_ok(histree_state_labels(system, tables, TABLES, NULL));
	for (int i = 0; i < MACHINES; i++) {
		char path[32];
		snprintf(path, sizeof(path), "Machines/%d", i);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, path, &quark, NULL));
	}
	assert_ok(histree_state_close(system, END, NULL));
	for (int round = 0; round < ROUNDS; round++) {
		struct histree_history *history;
		pthread_t threads[THREADS];
		assert_ok(histree_state_history(system, END, NULL, &history, NULL));
		for (int i = 0; i < THREADS; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, ask_for_all, history), 0);
		for (int i = 0; i < THREADS; i++) {
			void *right;
			assert_int_equal(pthread_join(threads[i], &right), 0);
			assert_int_equal((uintptr_t)right, MACHINES);
		}
		histree_history_close(history);
	}
	histree_state_free(system);
}

/* ---- what is declared ------------------------------------------------------------------------------------- */

static bool is_same_text(const char *one, const char *other)
{
	return strcmp(one != NULL ? one : "", other != NULL ? other : "") == 0;
}

/* A declaration is read as it is: its labels are in the order that a copy would give them. */
TEST(analyses_declare_labels_in_order)
{
	const struct registry_entry *entry;
	size_t with_labels = 0;
	for (size_t i = 0; (entry = registry_at(i)) != NULL; i++) {
		struct told_list copy;
		if (entry->analysis == NULL || entry->analysis->label_table_count == 0)
			continue;
		const struct histree_label_table *declared = entry->analysis->labels;
		assert_ok(label_tables_copy(declared, entry->analysis->label_table_count, &copy, NULL));
		with_labels++;
		for (size_t k = 0; k < copy.count; k++)
			for (size_t l = 0; l < copy.tables[k].label_count; l++) {
				const struct histree_label *one = &copy.tables[k].labels[l];
				const struct histree_label *other = &declared[k].labels[l];
				assert_int_equal(one->first, other->first);
				assert_int_equal(one->kind, other->kind);
				assert_true(is_same_text(one->style.key, other->style.key));
			}
		told_list_release(&copy);
	}
	assert_int_equal(with_labels, 5);
}

/* The layouts of a kernel history, in which an interrupt and a softirq may be children of one CPU. */
TEST(each_layout_says_what_its_states_mean)
{
	static const struct {
		const char *provider, *path;
		enum histree_meaning meaning;
	} cases[] = {
		{ "kernel", "Threads/0_1", HISTREE_MEANS_THREAD_STATUS },
		{ "kernel", "Threads/42/System_call", HISTREE_MEANS_ANYTHING },
		{ "kernel", "Threads/42/Status", HISTREE_MEANS_ANYTHING },
		{ "kernel-tc", "CPUs/3", HISTREE_MEANS_CPU_STATUS },
		{ "kernel", "CPUs/3/Current_thread", HISTREE_MEANS_TID },
		{ "kernel", "CPUs/3/Frequency", HISTREE_MEANS_FREQUENCY },
		{ "kernel", "CPUs/3/Frequency/Min frequency", HISTREE_MEANS_ANYTHING },
		{ "kernel", "CPUs/3/IRQs/19\\/ahci", HISTREE_MEANS_IRQ },
		{ "kernel", "CPUs/3/Soft_IRQs/9", HISTREE_MEANS_SOFT_IRQ },
		{ "kernel-tc", "IRQs/19\\/ahci", HISTREE_MEANS_IRQ },
		{ "kernel", "Soft_IRQs/9", HISTREE_MEANS_SOFT_IRQ },
		{ "kernel-2016", "Threads/42/Status", HISTREE_MEANS_THREAD_STATUS },
		{ "kernel-2016", "Threads/42", HISTREE_MEANS_ANYTHING },
		{ "kernel-2016", "CPUs/3/Status", HISTREE_MEANS_CPU_STATUS },
		{ "kernel-2016", "CPUs/3/IRQs/19", HISTREE_MEANS_IRQ },
		{ "kernel-compact", "CPUs/3/-9", HISTREE_MEANS_SOFT_IRQ },
		{ "kernel-compact", "CPUs/3/19\\/ahci", HISTREE_MEANS_IRQ },
		{ "kernel-compact", "CPUs/3/19", HISTREE_MEANS_IRQ },
		{ "kernel-compact", "CPUs/3/-19\\/", HISTREE_MEANS_IRQ },
		{ "kernel-compact", "CPUs/3/Current_thread", HISTREE_MEANS_TID },
		{ "kernel-compact", "CPUs/3/Frequency", HISTREE_MEANS_FREQUENCY },
		{ "kernel-compact", "Interrupts/-9", HISTREE_MEANS_SOFT_IRQ },
		{ "kernel-compact", "Interrupts/19\\/ahci", HISTREE_MEANS_IRQ },
		{ "tracks", "Threads/42", HISTREE_MEANS_ANYTHING },
		{ "", "Threads/42", HISTREE_MEANS_ANYTHING },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct histree_history_options options = { .provider = cases[i].provider, .start = START };
		struct histree_state_system *system;
		struct histree_history *history;
		histree_quark quark;
		assert_ok(histree_state_create_in_memory(&options, 0, &system, NULL));
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, cases[i].path, &quark, NULL));
		assert_ok(histree_state_history(system, END, NULL, &history, NULL));
		if (histree_meaning_of(history, quark) != cases[i].meaning)
			fail_msg("%s: '%s' means %d", cases[i].provider, cases[i].path,
				 histree_meaning_of(history, quark));
		histree_history_close(history);
		histree_state_free(system);
	}
}
