// SPDX-License-Identifier: MIT
/*
 * test_segment_queue.c - the monotone queue by itself: what comes out is sorted and complete, with all the memory
 * it wants and with almost none.
 */
#include "base/hash_index.h"
#include "segment_tree/segment_sweep.h"
#include "support/faulty_io.h"
#include "support/memory_io.h"
#include "support/test.h"

enum { ENTRIES = 30000 };

/* How the words of an entry are drawn. */
typedef uint64_t draw_words(struct random *random, unsigned word);

static uint64_t anywhere(struct random *random, unsigned word)
{
	(void)word;
	return random_bits(random);
}

/* Few first bytes: buckets of many entries. */
static uint64_t close_by(struct random *random, unsigned word)
{
	return word == 0 ? random_bits(random) >> 6 : random_bits(random);
}

static uint64_t close_together(struct random *random, unsigned word)
{
	return word < 2 ? (UINT64_C(5) << 60) + random_below(random, 3000) : random_bits(random);
}

static uint64_t all_equal_but_the_last(struct random *random, unsigned word)
{
	return word < 2 ? 7 : random_bits(random) >> random_below(random, 2) * 9;
}

static uint64_t at_the_ends(struct random *random, unsigned word)
{
	return word < 2 ? (random_percent(random, 50) ? 0 : UINT64_MAX) : random_bits(random);
}

static int compare_entries(const void *a, const void *b)
{
	return segment_entry_is_less(a, b) ? -1 : segment_entry_is_less(b, a);
}

/* A random entry that does not come before `floor`; half of them are such that others may follow from. */
static struct segment_entry draw(draw_words *words, struct random *random, const struct segment_entry *floor)
{
	struct segment_entry entry;
	do
		for (unsigned word = 0; word < QUEUE_WORDS; word++)
			entry.words[word] = words(random, word);
	while (random_percent(random, 75) && segment_entry_is_less(&entry, floor));
	if (segment_entry_is_less(&entry, floor))
		entry = (struct segment_entry){ { UINT64_MAX, UINT64_MAX,
						  random_bits(random) | SEGMENT_REF_LAST } };
	return entry;
}

/*
 * Push some, pop some; each that others may follow from is followed by two.  All that was ever pushed has to come
 * out in order.
 */
static void check_sorted(draw_words *words, size_t bytes_max, bool spills)
{
	struct memory_io memory;
	struct segment_queue *queue;
	struct histree_error error;
	struct random random = { 11 };
	struct segment_entry entry, last = { { 0 } };
	struct segment_entry *pushed = malloc((ENTRIES + 2) * sizeof(*pushed));
	struct segment_entry *popped = malloc((ENTRIES + 2) * sizeof(*popped));
	size_t pushes = ENTRIES / 4, pops = 0;
	memory_io_init(&memory);
	assert_true(pushed != NULL && popped != NULL);
	assert_ok(segment_queue_create(&memory.io, "f", bytes_max, &queue, &error));
	for (size_t i = 0; i < pushes; i++)
		pushed[i] = draw(words, &random, &last);
	assert_ok(segment_queue_push(queue, pushed, pushes, &error));
	while (segment_queue_pop(queue, &entry, &error) == HISTREE_OK) {
		assert_false(segment_entry_is_less(&entry, &last));
		last = popped[pops++] = entry;
		if ((entry.words[QUEUE_WORDS - 1] & SEGMENT_REF_LAST) != 0 || pushes >= ENTRIES)
			continue;
		for (unsigned more = 0; more < 2; more++) {
			pushed[pushes] = draw(words, &random, &last);
			assert_ok(segment_queue_push(queue, &pushed[pushes++], 1, &error));
		}
	}
	assert_int_equal(pops, pushes);
	qsort(pushed, pushes, sizeof(*pushed), compare_entries);
	assert_memory_equal(pushed, popped, pushes * sizeof(*pushed));
	assert_true((segment_queue_spilled_bytes(queue) > 0) == spills);
	segment_queue_free(queue);
	for (int i = 0; i < MEMORY_FILE_COUNT; i++)
		assert_null(memory.files[i].bytes); /* nothing of the temporary file is left */
	memory_io_release(&memory);
	free(pushed);
	free(popped);
}

TEST(everything_comes_out_in_order)
{
	check_sorted(anywhere, 16 << 20, false);
	check_sorted(close_together, 16 << 20, false);
	check_sorted(all_equal_but_the_last, 16 << 20, false);
	check_sorted(at_the_ends, 16 << 20, false);
}

TEST(so_it_does_with_little_memory)
{
	check_sorted(close_by, 1, true);
	check_sorted(close_together, 100000, true);
	check_sorted(all_equal_but_the_last, 50000, true);
	check_sorted(at_the_ends, 1, true);
}

/*
 * Four times as many entries as there is room for, of all magnitudes: each is written to the file a few times at
 * most, so that the file costs in proportion to what is sorted.
 */
TEST(spilling_is_in_proportion)
{
	enum { MANY = 1000000, ROOM = MANY / 4 };
	struct memory_io memory;
	struct segment_queue *queue;
	struct segment_entry entry;
	struct random random = { 11 };
	memory_io_init(&memory);
	assert_ok(segment_queue_create(&memory.io, "f", ROOM * sizeof(entry), &queue, NULL));
	for (uint64_t i = 0; i < MANY; i++) {
		uint64_t first = random_bits(&random) >> (20 + random_below(&random, 30));
		entry = (struct segment_entry){ { first, random_bits(&random), i | SEGMENT_REF_LAST } };
		assert_ok(segment_queue_push(queue, &entry, 1, NULL));
	}
	for (uint64_t i = 0; i < MANY; i++)
		assert_ok(segment_queue_pop(queue, &entry, NULL));
	assert_in_range(segment_queue_spilled_bytes(queue), MANY / 2 * sizeof(entry), 4 * MANY * sizeof(entry));
	segment_queue_free(queue);
	memory_io_release(&memory);
}

TEST(a_cleared_queue_is_empty)
{
	struct segment_queue *queue;
	struct segment_entry entry = { { 1, 2, 3 } };
	assert_ok(segment_queue_create(NULL, NULL, 1 << 20, &queue, NULL));
	assert_int_equal(segment_queue_pop(queue, &entry, NULL), HISTREE_END);
	assert_ok(segment_queue_push(queue, &entry, 1, NULL));
	segment_queue_clear(queue);
	assert_int_equal(segment_queue_pop(queue, &entry, NULL), HISTREE_END);
	entry = (struct segment_entry){ { 0, 0, 0 } }; /* the floor is down again */
	assert_ok(segment_queue_push(queue, &entry, 1, NULL));
	assert_ok(segment_queue_pop(queue, &entry, NULL));
	assert_int_equal(entry.words[0], 0);
	segment_queue_free(queue);
}

/* Whatever operation on the temporary file fails is told, and nothing is lost without it. */
TEST(a_spill_that_fails_is_told)
{
	struct memory_io memory;
	struct faulty_io faulty;
	memory_io_init(&memory);
	faulty_io_init(&faulty, &memory.io);
	for (uint64_t fail_at = 1;; fail_at += 1 + fail_at / 10) {
		struct segment_queue *queue;
		struct histree_error error = { 0 };
		struct random random = { 5 };
		struct segment_entry entry;
		size_t pops = 0;
		faulty.operations = 0;
		faulty.fail_at = fail_at;
		assert_ok(segment_queue_create(&faulty.io, "f", 1, &queue, &error));
		enum histree_status status = HISTREE_OK;
		for (unsigned i = 0; status == HISTREE_OK && i < 2000; i++) {
			entry = (struct segment_entry){ { random_bits(&random) >> 6, 0, i | SEGMENT_REF_LAST } };
			status = segment_queue_push(queue, &entry, 1, &error);
		}
		while (status == HISTREE_OK && (status = segment_queue_pop(queue, &entry, &error)) == HISTREE_OK)
			pops++;
		segment_queue_free(queue);
		if (status == HISTREE_END) {
			assert_int_equal(pops, 2000);
			assert_true(fail_at > 10);
			break;
		}
		assert_int_equal(status, HISTREE_ERR_IO);
		assert_non_null(strstr(error.message, "'f"));
	}
	memory_io_release(&memory);
}
