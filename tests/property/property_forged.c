// SPDX-License-Identifier: MIT
/*
 * property_forged.c - histories that were changed at random, by somebody who knows where everything is and makes
 * the checksums right, or by nobody; and histories put together of several.
 *
 * Whatever was changed: opening, every kind of query, verification and the list of nodes end, and the work is
 * bounded by the bytes of the file.  Then, by what was changed:
 *
 *	a byte, without its checksum: answers are true, or unknown, or refused;
 *	a block or a part of another history in place of ours: the same;
 *	fields and bytes, with right checksums: each answer has as much of each attribute's time as was asked for,
 *	or is refused; and none is refused if verification finds nothing, for then it is another history.
 */
#include <sys/resource.h>
#include <time.h>

#include "base/bytes.h"
#include "base/table.h"
#include "driver.h"
#include "node/node.h"
#include "state/history_copy.h"
#include "support/block_parts.h"
#include "support/effort.h"
#include "support/memory_history.h"
#include "support/sound_answers.h"
#include "support/test.h"
#include "tree/tree_shape.h"

enum {
	QUESTIONS = 4,
	READS_PER_QUESTION = 4,
	INTERVALS_PER_BYTE = 128,
	SECONDS_MAX = 2,        /* a finding only where cases are many: HISTREE_ROUNDS */
	MEMORY_MAX = 256 << 10, /* KiB */
};

/* What somebody did. */
enum deed { FLIP, SPLICE, BEHEAD, FORGE };

struct deed_kind {
	const char *name;
	enum deed deed;
	const char *variant;
};

#define OF_ALL_VARIANTS(name, deed)                                                                      \
	{ name ", sht", deed, "sht" }, { name ", osht", deed, "osht" }, { name ", esht", deed, "esht" }, \
		{ name ", rsht", deed, "rsht" }, { name ", vrsht", deed, "vrsht" },                      \
	{                                                                                                \
		name ", cluster", deed, "cluster"                                                        \
	}

static const struct deed_kind deed_kinds[] = {
	OF_ALL_VARIANTS("flipped bits", FLIP),
	OF_ALL_VARIANTS("spliced", SPLICE),
	OF_ALL_VARIANTS("beheaded", BEHEAD),
	OF_ALL_VARIANTS("forged", FORGE),
	{ NULL, FLIP, NULL },
};

/* How often something came of it, over all rounds. */
static struct {
	uint64_t cases, refused_files, refused, known, unknown, found, repaired;
	double seconds_max;
} tally;

struct forged_case {
	const struct deed_kind *kind;
	struct random random;
	struct workload workload;
	struct reference reference;
	struct memory_io memory;
	struct tree_shape shape;
	uint8_t *sound; /* the file as it was made */
	size_t size;
	uint64_t identity;
	char deed[160]; /* what was done, for people */
};

#define wrong(test, ...)                                                       \
	do {                                                                   \
		fprintf(stderr, "%s: %s: ", (test)->kind->name, (test)->deed); \
		fprintf(stderr, __VA_ARGS__);                                  \
		fputc('\n', stderr);                                           \
		fail();                                                        \
	} while (0)

/* ---- making --------------------------------------------------------------------------------------------- */

static void make(struct forged_case *test, uint64_t seed)
{
	static const uint32_t fan_outs[] = { 2, 4, 50 };
	const bool has_r_trees = strstr(test->kind->variant, "rsht") != NULL;
	size_t kinds = 0;
	while (workload_kinds[kinds].name != NULL)
		kinds++;
	const struct histree_tree_options options = {
		.variant = test->kind->variant,
		.node_size = 4096,
		.fan_out = fan_outs[random_below(&test->random, 3)],
		.r_depth = has_r_trees ? 2 : 0,
		.memory_max = 1 << 20,
	};
	struct histree_error error;
	struct block_file *file;
	memory_io_init(&test->memory);
	assert_true(workload_make(&test->workload, &workload_kinds[random_below(&test->random, kinds)], seed));
	if (memory_history_build(&test->memory, &options, &test->workload, &error) != HISTREE_OK)
		wrong(test, "%s", error.message);
	assert_true(memory_history_reference(&test->workload, &test->reference));
	assert_ok(block_file_open(&test->memory.io, "f", &file, NULL));
	assert_ok(tree_shape_read(file, &test->shape, NULL));
	test->identity = block_file_identity(file);
	block_file_close(file);
	test->size = memory_io_find(&test->memory, "f")->size;
	test->sound = array_copy(memory_io_find(&test->memory, "f")->bytes, test->size);
	assert_non_null(test->sound);
}

static void release(struct forged_case *test)
{
	free(test->sound);
	memory_io_release(&test->memory);
	reference_release(&test->reference);
	workload_release(&test->workload);
}

static uint8_t *bytes_of(struct forged_case *test)
{
	return memory_io_find(&test->memory, "f")->bytes;
}

/* ---- deeds ---------------------------------------------------------------------------------------------- */

/* Bits anywhere, and now and then the end is missing. */
static void flip(struct forged_case *test)
{
	uint32_t count = 1 + random_index(&test->random, 4);
	size_t at = 0;
	for (uint32_t i = 0; i < count; i++) {
		at = (size_t)random_below(&test->random, test->size);
		bytes_of(test)[at] ^= (uint8_t)(1u << random_below(&test->random, 8));
	}
	if (random_percent(&test->random, 10))
		memory_io_find(&test->memory, "f")->size = at;
	snprintf(test->deed, sizeof(test->deed), "%u bits, the last at %zu", count, at);
}

/* A block of another history, or all that lies between two places. */
static void splice(struct forged_case *test, const struct forged_case *other)
{
	size_t size, other_size;
	uint32_t number = random_index(&test->random, test->shape.node_count);
	uint8_t *node = block_parts_node(bytes_of(test), test->size, number, &size);
	const uint8_t *foreign = block_parts_node(other->sound, other->size, number, &other_size);
	if (foreign != NULL && other_size <= size && random_percent(&test->random, 70)) {
		memset(node, 0, size);
		memcpy(node, foreign, other_size);
		snprintf(test->deed, sizeof(test->deed), "node %u", number);
		return;
	}
	size_t end = test->size < other->size ? test->size : other->size;
	size_t from = (size_t)random_below(&test->random, end), to = from + random_below(&test->random, end - from);
	/* The identity of a file is in its header: with another one, all of it is another file. */
	from = from < BLOCK_FILE_HEADER_SIZE ? BLOCK_FILE_HEADER_SIZE : from;
	if (to > from)
		memcpy(bytes_of(test) + from, other->sound + from, to - from);
	snprintf(test->deed, sizeof(test->deed), "bytes from %zu to %zu", from, to);
}

/*
 * The first page of another history, or a part of it: the header, the copies of small sections, the identity.  A
 * file is what its header says, so it may then be that one, of which hardly anything is left.
 */
static void behead(struct forged_case *test, const struct forged_case *other)
{
	static const struct {
		const char *name;
		size_t from, to;
	} parts[] = { { "page", 0, BLOCK_FILE_HEADER_SIZE },
		      { "header", 0, 88 },
		      { "copies", 512, 4088 },
		      { "identity", 4088, BLOCK_FILE_HEADER_SIZE } };
	size_t end = test->size < other->size ? test->size : other->size, at = random_index(&test->random, 5);
	size_t from = at < 4 ? parts[at].from : (size_t)random_below(&test->random, BLOCK_FILE_HEADER_SIZE);
	size_t to =
		at < 4 ? parts[at].to : from + (size_t)random_below(&test->random, BLOCK_FILE_HEADER_SIZE - from);
	if (to <= end)
		memcpy(bytes_of(test) + from, other->sound + from, to - from);
	/* The table and the copy of the header, at the end, may be the other's too, as may its length. */
	if (random_percent(&test->random, 50) && other->size <= test->size) {
		size_t tail = 400 < other->size ? 400 : other->size;
		memory_io_find(&test->memory, "f")->size = other->size;
		memcpy(bytes_of(test) + other->size - tail, other->sound + other->size - tail, tail);
	}
	snprintf(test->deed, sizeof(test->deed), "%s from %zu to %zu", at < 4 ? parts[at].name : "bytes", from, to);
}

/* A number that is worth a try in place of another. */
static uint64_t another(struct forged_case *test, uint64_t number)
{
	static const uint64_t edges[] = { 0,         1,          2,         47,         48,
					  63,        64,         4095,      4096,       UINT16_MAX,
					  INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX, (uint64_t)INT64_MIN };
	switch (random_below(&test->random, 5)) {
	case 0:
		return edges[random_below(&test->random, sizeof(edges) / sizeof(edges[0]))];
	case 1:
		return number ^ UINT64_C(1) << random_below(&test->random, 64);
	case 2:
		return random_below(&test->random, test->shape.node_count + 1);
	case 3:
		return number - 1 - random_below(&test->random, 40);
	default:
		return number + 1 + random_below(&test->random, 40);
	}
}

static void change(struct forged_case *test, uint8_t *at, size_t width)
{
	if (width == 8)
		put_le64(at, another(test, get_le64(at)));
	else if (width == 4)
		put_le32(at, (uint32_t)another(test, get_le32(at)));
	else if (width == 2)
		put_le16(at, (uint16_t)another(test, get_le16(at)));
	else
		*at = (uint8_t)another(test, *at);
}

/* A field of the head of a node, of a child, or any bytes of it. */
static void forge_in_node(struct forged_case *test)
{
	static const struct {
		uint8_t offset, width;
	} fields[] = { { 4, 4 },  { 8, 2 },  { 10, 2 }, { 12, 4 }, { 16, 8 }, { 24, 8 },
		       { 32, 4 }, { 36, 4 }, { 40, 4 }, { 44, 4 }, { 48, 4 }, { 52, 4 },
		       { 56, 4 }, { 60, 4 }, { 64, 4 }, { 68, 4 }, { 72, 4 }, { 76, 4 } };
	uint32_t number = random_percent(&test->random, 40) ? test->shape.root
							    : random_index(&test->random, test->shape.node_count);
	size_t size;
	uint8_t *node = block_parts_node(bytes_of(test), test->size, number, &size);
	if (node == NULL)
		return;
	uint32_t children = get_le16(node + 10), child_size = node_child_size(&test->shape.layout);
	uint32_t used = get_le32(node + 40);
	size_t offset = 0, width = 1;
	uint64_t choice = random_below(&test->random, 3);
	if (choice == 0 && children > 0) {
		static const uint8_t widths[] = { 4, 8, 8, 4, 4 }, offsets[] = { 0, 4, 12, 20, 24 };
		uint64_t field = random_below(&test->random, child_size == 12 ? 2 : child_size == 20 ? 3 : 5);
		offset = NODE_HEADER_SIZE + random_below(&test->random, children) * child_size + offsets[field];
		width = widths[field];
	} else if (choice == 1 && used > 1 && used <= size) {
		width = (size_t)1 << random_below(&test->random, 4);
		offset = (size_t)random_below(&test->random, used);
	} else {
		uint64_t field = random_below(&test->random, sizeof(fields) / sizeof(fields[0]));
		offset = fields[field].offset;
		width = fields[field].width;
	}
	if (offset + width <= size)
		change(test, node + offset, width);
	snprintf(test->deed, sizeof(test->deed), "node %u, %zu bytes at %zu", number, width, offset);
}

static void forge_in_section(struct forged_case *test)
{
	static const uint32_t ids[] = { SECTION_TREE,     SECTION_STATISTICS, SECTION_LIFETIMES, SECTION_ATTRIBUTES,
					SECTION_PROVIDER, SECTION_EXTENTS,    SECTION_SUMS };
	uint32_t id = ids[random_below(&test->random, sizeof(ids) / sizeof(ids[0]))];
	size_t size, width = (size_t)1 << random_below(&test->random, 4);
	uint8_t *section = block_parts_section(bytes_of(test), test->size, id, &size);
	if (section == NULL || size < width)
		return;
	size_t offset = (size_t)random_below(&test->random, size - width + 1);
	if (id == SECTION_TREE && random_percent(&test->random, 70)) /* its fields */
		offset -= offset % 4, width = offset >= 20 ? 8 : 4, offset -= offset > 28 ? offset - 28 : 0;
	change(test, section + offset, width);
	snprintf(test->deed, sizeof(test->deed), "section %.4s, %zu bytes at %zu", (const char *)&id, width,
		 offset);
}

/* The header, or the table of sections. */
static void forge_in_directory(struct forged_case *test)
{
	static const uint8_t offsets[] = { 16, 32, 36, 40, 48, 56 }, widths[] = { 8, 4, 4, 8, 4, 8 };
	uint8_t *bytes = bytes_of(test);
	uint64_t table = get_le64(bytes + 40);
	uint32_t count = get_le32(bytes + 48);
	if (random_percent(&test->random, 50) && table <= test->size && count <= (test->size - table) / 24) {
		size_t offset = (size_t)table + random_below(&test->random, count * 3 + 1) * 8;
		if (offset + 8 <= test->size)
			change(test, bytes + offset, 8);
		snprintf(test->deed, sizeof(test->deed), "the table of sections at %zu", offset);
		return;
	}
	uint64_t field = random_below(&test->random, sizeof(offsets));
	change(test, bytes + offsets[field], widths[field]);
	snprintf(test->deed, sizeof(test->deed), "the header at %u", offsets[field]);
}

static void forge(struct forged_case *test)
{
	for (uint64_t count = 1 + random_below(&test->random, 3); count > 0; count--) {
		uint64_t choice = random_below(&test->random, 100);
		if (choice < 70)
			forge_in_node(test);
		else if (choice < 93)
			forge_in_section(test);
		else
			forge_in_directory(test);
	}
	block_parts_seal(bytes_of(test), test->size);
}

/* ---- what is asked -------------------------------------------------------------------------------------- */

static void count_fault(void *context, const char *fault)
{
	(void)fault;
	++*(uint64_t *)context;
}

static bool count_node(void *context, const struct histree_node *node)
{
	(void)node;
	++*(uint64_t *)context;
	return true;
}

/* A history that was changed may be one of other times and attributes. */
static bool is_like(const struct histree_history *history, const struct reference *reference)
{
	const struct histree_history_info *info = histree_history_info(history);
	return info->start == reference->start && info->end == reference->end &&
	       info->attribute_count == reference->key_count;
}

/* Returns what the history must say, which is that of `other` if it is that one, whose header it has. */
static const struct reference *truth_of(const struct forged_case *test, const struct forged_case *other,
					const struct histree_history *history)
{
	bool is_other = test->kind->deed == BEHEAD && histree_history_info(history)->identity == other->identity;
	return is_other ? &other->reference : &test->reference;
}

static void ask(struct forged_case *test, const struct forged_case *other_case, struct histree_history *history)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct sound_answers answers = { .intervals_max = INTERVALS_PER_BYTE * test->size,
					 .any_truth = test->kind->deed == FORGE };
	struct reference other = { 0 };
	const struct reference *reference = truth_of(test, other_case, history);
	if (!is_like(history, reference)) {
		if (!answers.any_truth)
			wrong(test, "it is another history");
		assert_true(reference_make(&other, NULL, 0, info->start, info->end, info->attribute_count));
		reference = &other;
	}
	uint64_t read = test->memory.bytes_read;
	const char *fault = sound_answers_ask(&answers, history, reference, &test->random, QUESTIONS);
	if (fault != NULL)
		wrong(test, "%s", fault);
	if (test->memory.bytes_read - read > (uint64_t)READS_PER_QUESTION * (QUESTIONS + 1) * test->size)
		wrong(test, "%llu bytes read", (unsigned long long)(test->memory.bytes_read - read));
	tally.known += answers.known;
	tally.unknown += answers.unknown;
	tally.refused += answers.refused;
	reference_release(&other);
	uint64_t faults = 0, nodes = 0;
	enum histree_status status = histree_history_verify(history, count_fault, &faults, NULL);
	if (status != HISTREE_OK && status != HISTREE_ERR_FORMAT)
		wrong(test, "verify: status %d", (int)status);
	if (status == HISTREE_OK && answers.refused > 0)
		wrong(test, "nothing is found, and answers are refused");
	if (faults > test->size)
		wrong(test, "%llu faults", (unsigned long long)faults);
	status = histree_history_nodes(history, count_node, &nodes, NULL);
	if ((status != HISTREE_OK && status != HISTREE_ERR_FORMAT) || nodes > test->size / BLOCK_PART_SIZE_MIN)
		wrong(test, "nodes: status %d, %llu of them", (int)status, (unsigned long long)nodes);
	tally.found += faults > 0;
}

static void lose(void *context, const struct histree_interval *interval)
{
	(void)interval;
	++*(uint64_t *)context;
}

/* What is made of a damaged history is sound, whatever was done to that one. */
static void repair(struct forged_case *test, struct histree_history *damaged)
{
	struct histree_history *repaired;
	struct histree_error error;
	uint64_t losses = 0, faults = 0;
	const struct copy_watch report = { .lost = lose, .context = &losses };
	enum histree_status status =
		history_copy(&test->memory.io, damaged, "repaired", NULL, NULL, &report, &error);
	if (status == HISTREE_ERR_FORMAT) /* the file contradicts itself where nobody can say what is true */
		return;
	if (status != HISTREE_OK)
		wrong(test, "repair: status %d: %s", (int)status, error.message);
	if (memory_history_open(&test->memory, "repaired", false, &repaired, &error) != HISTREE_OK)
		wrong(test, "what was repaired does not open: %s", error.message);
	if (histree_history_verify(repaired, count_fault, &faults, &error) != HISTREE_OK)
		wrong(test, "what was repaired is damaged: %s", error.message);
	histree_history_close(repaired);
	test->memory.io.unlink(test->memory.io.context, "repaired");
	tally.repaired++;
}

static void ask_of_file(struct forged_case *test, const struct forged_case *other)
{
	struct histree_history *history;
	struct histree_error error;
	struct timespec before, after;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
	for (int salvage = 0; salvage < 2; salvage++) {
		enum histree_status status =
			memory_history_open(&test->memory, "f", salvage != 0, &history, &error);
		if (status == HISTREE_OK) {
			/* Who salvages takes what cannot be told from ours. */
			if (salvage == 0 || test->kind->deed == FORGE)
				ask(test, other, history);
			if (salvage > 0)
				repair(test, history);
			histree_history_close(history);
		} else if (status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_VERSION ||
			   status == HISTREE_ERR_INCOMPLETE) {
			tally.refused_files++;
		} else {
			wrong(test, "status %d: %s", (int)status, error.message);
		}
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
	double seconds = (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
	if (seconds > tally.seconds_max)
		tally.seconds_max = seconds;
	if (test_rounds() > 1 && seconds > SECONDS_MAX)
		wrong(test, "%.1f s", seconds);
	tally.cases++;
}

static void something_is_changed(const void *kind, uint64_t seed)
{
	const uint64_t changes = test_effort(10, 4);
	struct forged_case test = { .kind = kind, .random = { seed } },
			   other = { .kind = kind, .random = { seed } };
	make(&test, seed);
	bool has_other = test.kind->deed == SPLICE || test.kind->deed == BEHEAD;
	if (has_other) /* the same choices, other changes: the same trace another time */
		make(&other, seed + 1000);
	for (uint64_t i = 0; i < changes && test.shape.node_count > 0; i++) {
		if (test.kind->deed == FLIP)
			flip(&test);
		else if (test.kind->deed == SPLICE)
			splice(&test, &other);
		else if (test.kind->deed == BEHEAD)
			behead(&test, &other);
		else
			forge(&test);
		ask_of_file(&test, &other);
		assert_true(memory_io_put(&test.memory, "f", test.sound, test.size));
	}
	if (has_other)
		release(&other);
	release(&test);
}

/* The last test: what came of all. */
TEST(nothing_took_too_much)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	print_message(
		"%llu cases: %llu files refused, %llu with faults found, %llu repaired; %llu answers refused, %llu "
		"intervals, %llu "
		"unknown; %.3f s at most; %ld KiB\n",
		(unsigned long long)tally.cases, (unsigned long long)tally.refused_files,
		(unsigned long long)tally.found, (unsigned long long)tally.repaired,
		(unsigned long long)tally.refused, (unsigned long long)tally.known,
		(unsigned long long)tally.unknown, tally.seconds_max, usage.ru_maxrss);
#ifndef __SANITIZE_ADDRESS__
	assert_true(usage.ru_maxrss < MEMORY_MAX);
#endif
}

PROPERTIES({ KINDS(deed_kinds), .rounds = (unsigned)test_effort(4, 1), .check = something_is_changed })
