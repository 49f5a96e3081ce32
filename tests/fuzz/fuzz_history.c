// SPDX-License-Identifier: MIT
/*
 * fuzz_history.c - bytes as a workload: state changes, looks and damage; and a plain array beside it.
 *
 * The first bytes choose the tree, each one behind them is an operation with what follows it:
 *
 *	0-9	the attribute (its low bits) changes, some time later; a byte for the time, one for the value
 *	10	publish, open, and compare with what the array says
 *	11	the builder is gone, and another goes on from the beginning
 *	12	in the end, damage a byte of a node: what is said then is still true, or unknown
 *
 * Every answer of every kind of query is compared.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "fuzz.h"
#include "state/history.h"
#include "state/state_file.h"
#include "support/history_subject.h"
#include "support/memory_io.h"
#include "support/workload.h"
#include "tree/tree_shape.h"

enum { KEYS = 8, CHANGES_MAX = 1024, QUESTIONS = 2, INPUT_MAX = 2000, START = 1000 };

struct fuzzed {
	struct byte_reader *input;
	struct histree_tree_options options;
	struct memory_io memory;
	struct histree_state_system *system;
	struct change changes[CHANGES_MAX];
	struct workload workload; /* what was changed so far */
	bool damages;
};

static uint8_t take(struct fuzzed *fuzzed)
{
	const uint8_t *byte = read_bytes(fuzzed->input, 1);
	return byte != NULL ? *byte : 0;
}

static void begin(struct fuzzed *fuzzed, bool resume)
{
	const struct histree_history_options options = {
		.path = "f", .provider = "fuzz", .start = START, .resume = resume, .tree = fuzzed->options
	};
	REQUIRE(state_file_create(&fuzzed->memory.io, &options, &fuzzed->system, NULL) == HISTREE_OK);
	for (uint32_t key = 0; key < KEYS; key++) {
		char name[] = { (char)('a' + key), '\0' };
		histree_quark quark;
		REQUIRE(histree_state_attribute(fuzzed->system, HISTREE_ROOT, name, &quark, NULL) == HISTREE_OK);
		REQUIRE(quark == key);
	}
}

static void apply(struct fuzzed *fuzzed, const struct change *change)
{
	REQUIRE(histree_state_modify(fuzzed->system, change->at, change->quark, change->value, NULL) == HISTREE_OK);
}

/* An attribute has one type: that of its number. */
static struct histree_value value_of(histree_quark quark, uint8_t byte)
{
	static const char text[] = "abcdefghijklmnopqrstuvwxyz";
	if (byte < 20)
		return histree_null();
	if (byte < 30)
		return histree_unknown();
	switch (quark % 6) {
	case 0:
		return histree_int((int8_t)byte);
	case 1:
		return histree_long((int64_t)(int8_t)byte * (INT64_C(1) << 40));
	case 2:
		return histree_double(byte / 7.0);
	case 3:
		return histree_bool(byte % 2 != 0);
	case 4:
		return histree_string_n(text, byte % sizeof(text));
	default:
		return histree_custom(text, byte % sizeof(text));
	}
}

static void change(struct fuzzed *fuzzed, uint8_t operation)
{
	if (fuzzed->workload.count == CHANGES_MAX)
		return;
	histree_quark quark = operation % KEYS;
	uint8_t step = take(fuzzed);
	histree_time before = histree_state_current_end(fuzzed->system);
	struct change *next = &fuzzed->changes[fuzzed->workload.count];
	*next = (struct change){ .at = before + (step < 200 ? step / 8 : (histree_time)step << 20),
				 .quark = quark,
				 .value = value_of(quark, take(fuzzed)) };
	apply(fuzzed, next);
	fuzzed->workload.count++;
}

/* ---- comparing ------------------------------------------------------------------------------------------ */

static struct histree_history *open_history(struct fuzzed *fuzzed)
{
	struct block_file *file;
	struct histree_history *history;
	REQUIRE(block_file_open(&fuzzed->memory.io, "f", &file, NULL) == HISTREE_OK);
	REQUIRE(history_open_file(file, NULL, &history, NULL) == HISTREE_OK);
	return history;
}

static struct reference expect(struct fuzzed *fuzzed, histree_time end)
{
	struct reference reference;
	size_t count;
	fuzzed->workload.end = end;
	struct histree_interval *intervals = workload_intervals(&fuzzed->workload, &count);
	REQUIRE(intervals != NULL && reference_make(&reference, intervals, count, START, end, KEYS));
	free(intervals);
	return reference;
}

static void compare(struct fuzzed *fuzzed, histree_time end)
{
	char room[512];
	struct reference reference = expect(fuzzed, end);
	struct histree_history *history = open_history(fuzzed);
	const char *fault = history_compare(history, &reference, fuzzed->workload.count, QUESTIONS, room);
	if (fault != NULL)
		fprintf(stderr, "%s\n", fault);
	REQUIRE(fault == NULL);
	histree_history_close(history);
	reference_release(&reference);
}

static void look(struct fuzzed *fuzzed)
{
	histree_time end = histree_state_current_end(fuzzed->system);
	REQUIRE(histree_state_publish(fuzzed->system, end, NULL) == HISTREE_OK);
	compare(fuzzed, end);
}

static void begin_again(struct fuzzed *fuzzed)
{
	histree_state_free(fuzzed->system);
	begin(fuzzed, true);
	for (size_t i = 0; i < fuzzed->workload.count; i++)
		apply(fuzzed, &fuzzed->changes[i]);
}

/* What is not called unknown is so, and everything is covered. */
static void damage(struct fuzzed *fuzzed, histree_time end)
{
	struct memory_file *file = memory_io_find(&fuzzed->memory, "f");
	size_t at = BLOCK_FILE_HEADER_SIZE + (size_t)(take(fuzzed) << 8 | take(fuzzed));
	struct reference reference = expect(fuzzed, end);
	struct block_file *blocks;
	REQUIRE(block_file_open(&fuzzed->memory.io, "f", &blocks, NULL) == HISTREE_OK);
	if (at < BLOCK_FILE_HEADER_SIZE + block_file_block_bytes(blocks))
		file->bytes[at] ^= (uint8_t)(1 << take(fuzzed) % 8);
	block_file_close(blocks);
	struct histree_history *history = open_history(fuzzed);
	struct histree_cursor *query;
	struct histree_interval found;
	uint64_t covered = 0;
	REQUIRE(histree_query_create(history, &query, NULL) == HISTREE_OK);
	REQUIRE(histree_query_start(query, &(struct histree_region){ .from = START, .to = end }, NULL) ==
		HISTREE_OK);
	enum histree_status status;
	while ((status = histree_cursor_next(query, NULL)) == HISTREE_OK) {
		found = *histree_cursor_interval(query);
		const struct histree_interval *known = reference_at(&reference, found.quark, found.start);
		covered += (uint64_t)found.end - (uint64_t)found.start + 1;
		REQUIRE(found.value.type == HISTREE_UNKNOWN ||
			(known != NULL && known->start == found.start && known->end == found.end &&
			 histree_value_equal(&known->value, &found.value)));
	}
	REQUIRE(status == HISTREE_END && covered == KEYS * ((uint64_t)end - START + 1));
	histree_cursor_free(query);
	histree_history_close(history);
	reference_release(&reference);
}

static void choose_tree(struct fuzzed *fuzzed)
{
	static const uint32_t fan_outs[] = { 2, 3, 50, 1000 };
	size_t variants = 0;
	while (tree_variants[variants] != NULL)
		variants++;
	const struct tree_variant *variant = tree_variants[take(fuzzed) % variants];
	fuzzed->options = (struct histree_tree_options){
		.variant = variant->name,
		.r_depth = variant->r_depth_default != 0 ? 2 + take(fuzzed) % 3 : 0,
		.node_size = UINT32_C(4096) << take(fuzzed) % 3,
		.fan_out = fan_outs[take(fuzzed) % 4],
		.memory_max = 1 << 20,
	};
}

FUZZ_TARGET(bytes, size)
{
	struct byte_reader input = byte_reader(bytes, size < INPUT_MAX ? size : INPUT_MAX);
	struct fuzzed *fuzzed = calloc(1, sizeof(*fuzzed));
	REQUIRE(fuzzed != NULL);
	fuzzed->input = &input;
	fuzzed->workload = (struct workload){ .start = START, .key_count = KEYS, .changes = fuzzed->changes };
	memory_io_init(&fuzzed->memory);
	choose_tree(fuzzed);
	begin(fuzzed, false);
	unsigned looks = 0, returns = 0;
	while (byte_reader_left(&input) > 0) {
		uint8_t operation = take(fuzzed) % 64;
		if (operation == 10 && looks++ < 6)
			look(fuzzed);
		else if (operation == 11 && returns++ < 2)
			begin_again(fuzzed);
		else if (operation == 12)
			fuzzed->damages = true;
		else
			change(fuzzed, operation);
	}
	histree_time end = histree_state_current_end(fuzzed->system) + 5;
	REQUIRE(histree_state_close(fuzzed->system, end, NULL) == HISTREE_OK);
	histree_state_free(fuzzed->system);
	compare(fuzzed, end);
	if (fuzzed->damages)
		damage(fuzzed, end);
	memory_io_release(&fuzzed->memory);
	free(fuzzed);
	return 0;
}
