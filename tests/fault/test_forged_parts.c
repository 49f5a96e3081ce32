// SPDX-License-Identifier: MIT
/*
 * test_forged_parts.c - the files of a store beside its histories, changed at random: bits that fell, and forgeries
 * with right checksums (support/forging.h).
 *
 * Each ends within two seconds of processor time and 256 MiB.  Of fallen bits, an answer is right or damage is
 * said. What a forger makes can be a sound file that says something else: so whatever verification finds sound
 * answers all questions alike, as many segments as it says, each within the times that it says.
 *
 *	HISTREE_ROUNDS=100	10,000 of each kind of change, over all kinds of files
 */
#include <time.h>

#include "base/bytes.h"
#include "base/hash_index.h"
#include "event_index/event_index.h"
#include "histree/history.h"
#include "segment/segment_memory.h"
#include "state/history.h"
#include "state/state_file.h"
#include "store_folder/manifest.h"
#include "support/effort.h"
#include "support/faulty_memory.h"
#include "support/forging.h"
#include "support/memory_io.h"
#include "support/segments.h"
#include "support/test.h"
#include "tree/tree_iter.h"
#include "tree/tree_reader.h"

#if defined(__SANITIZE_ADDRESS__)
enum { CPU_SECONDS_MAX = 20 };
#else
enum { CPU_SECONDS_MAX = 2 };
#endif

enum { MEMORY_MAX = 256 << 20, CASES = 100, ORDERS = 10 };

struct answer {
	enum histree_status status;
	uint64_t count, hash, told;
};

struct world {
	struct random random;
	struct memory_io memory;
	struct forged file;
	uint64_t seed;
	const char *kind;
	bool is_sealed;
	struct answer sound[ORDERS];
	uint64_t cases, opened, refused, found_sound;
};

#define wrong(world, ...)                                                                      \
	do {                                                                                   \
		fprintf(stderr, "%s, HISTREE_SEED=%llu, case %llu, %s: ", (world)->kind,       \
			(unsigned long long)(world)->seed, (unsigned long long)(world)->cases, \
			(world)->file.what);                                                   \
		fprintf(stderr, __VA_ARGS__);                                                  \
		fputc('\n', stderr);                                                           \
		fail();                                                                        \
	} while (0)

static void ignore(void *context, const char *fault)
{
	(void)context, (void)fault;
}

static void check_refusal(const struct world *world, enum histree_status status)
{
	if (status != HISTREE_ERR_FORMAT && status != HISTREE_ERR_VERSION && status != HISTREE_ERR_INCOMPLETE &&
	    status != HISTREE_ERR_TOO_LARGE)
		wrong(world, "refused with status %d", status);
}

/* ---- segments ---------------------------------------------------------------------------------------------- */

static void make_segments(struct world *world, size_t count, bool content, bool tables)
{
	const struct segment_kind kind = { "forged", (enum segment_model)random_below(&world->random, 6), count,
					   content };
	struct segments segments;
	struct histree_segment_store *store;
	assert_true(segments_make(&segments, &kind, random_bits(&world->random)));
	const struct histree_segment_store_options options = { .path = "s",
							       .schema = *segments.schema,
							       .node_size = 4096 };
	assert_ok(segment_store_create(&world->memory.io, &options, &store, NULL));
	for (size_t i = 0; i < segments.count; i++)
		assert_ok(histree_segment_store_add(store, &segments.segments[i], NULL));
	assert_ok(histree_segment_store_finish(store, NULL));
	if (tables)
		assert_ok(histree_segment_store_make_table(store, SEGMENT_NAME, NULL));
	histree_segment_store_close(store);
	segments_release(&segments);
}

static uint64_t hash_segment(uint64_t hash, const struct histree_segment *segment, size_t fields)
{
	hash = hash_mix(hash ^ hash_mix((uint64_t)segment->start) ^ (uint64_t)segment->end);
	for (size_t i = 0; i < fields; i++) {
		const struct histree_value *value = &segment->content[i];
		if (value->type == HISTREE_STRING)
			hash = hash_mix(hash ^ hash_bytes(value->bytes, value->size));
		else if (value->type == HISTREE_LONG)
			hash = hash_mix(hash ^ (uint64_t)value->int64);
	}
	return hash;
}

static struct histree_segment_query question(unsigned order, bool has_fields)
{
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.order = order % 5 < HISTREE_SEGMENTS_BY_FIELD || has_fields ? (enum histree_segment_order)(order % 5)
									  : HISTREE_SEGMENTS_BY_START;
	query.field = has_fields ? SEGMENT_NAME : 0;
	query.descending = order >= 5;
	return query;
}

static struct answer ask(const struct world *world, struct histree_segment_store *store, unsigned order)
{
	const struct histree_segment_store_info *info = histree_segment_store_info(store);
	const struct histree_segment_query query = question(order, info->schema.field_count > 0);
	struct answer answer = { 0 };
	struct histree_cursor *iter;
	assert_ok(histree_segments_create(store, &iter, NULL));
	answer.status = histree_segments_start(iter, &query, NULL, NULL);
	while (answer.status == HISTREE_OK && (answer.status = histree_cursor_next(iter, NULL)) == HISTREE_OK) {
		const struct histree_segment segment = *histree_cursor_segment(iter);
		if (segment.end < segment.start)
			wrong(world, "order %u has a segment that ends before it starts", order);
		answer.hash = hash_segment(answer.hash, &segment, info->schema.field_count);
		answer.count++;
	}
	answer.told = histree_cursor_loss(iter).nodes;
	histree_cursor_free(iter);
	if (answer.status != HISTREE_END)
		check_refusal(world, answer.status);
	return answer;
}

static void compare(struct world *world, const struct answer *found, const struct answer *sound, unsigned order)
{
	bool is_whole = found->status == HISTREE_END && found->told == 0;
	if (is_whole && (found->count != sound->count || found->hash != sound->hash))
		wrong(world, "order %u is %llu segments without a word, and not the right %llu", order,
		      (unsigned long long)found->count, (unsigned long long)sound->count);
}

static void ask_segments(struct world *world)
{
	struct histree_segment_store *store;
	const struct histree_segment_open_options options = { .tables = HISTREE_TABLES_AS_THEY_ARE };
	enum histree_status status = segment_store_open(&world->memory.io, "s", &options, &store, NULL);
	if (status != HISTREE_OK) {
		check_refusal(world, status);
		world->refused++;
		return;
	}
	world->opened++;
	const struct histree_segment_store_info *info = histree_segment_store_info(store);
	bool is_sound = world->is_sealed && histree_segment_store_verify(store, ignore, NULL, NULL) == HISTREE_OK;
	world->found_sound += is_sound;
	for (unsigned order = 0; order < ORDERS; order++) {
		struct answer answer = ask(world, store, order);
		if (!world->is_sealed)
			compare(world, &answer, &world->sound[order], order);
		bool is_whole = answer.status == HISTREE_END && answer.told == 0;
		if (is_sound && !is_whole)
			wrong(world, "it is said to be sound, and order %u ends with %d", order, answer.status);
		if (is_whole && answer.count != info->segment_count)
			wrong(world, "order %u has %llu segments without a word, and the store says %llu", order,
			      (unsigned long long)answer.count, (unsigned long long)info->segment_count);
	}
	histree_segment_store_close(store);
}

static void learn_segments(struct world *world)
{
	struct histree_segment_store *store;
	assert_ok(segment_store_open(&world->memory.io, "s", NULL, &store, NULL));
	for (unsigned order = 0; order < ORDERS; order++)
		world->sound[order] = ask(world, store, order);
	histree_segment_store_close(store);
}

static const char *make_store(struct world *world)
{
	make_segments(world, 1 + random_below(&world->random, 2000), random_percent(&world->random, 70), false);
	learn_segments(world);
	return "s";
}

static const char *make_side_table(struct world *world)
{
	static char path[16];
	make_segments(world, 1 + random_below(&world->random, 3000), true, true);
	learn_segments(world);
	snprintf(path, sizeof(path), "s.%d.order", SEGMENT_NAME);
	return path;
}

/* ---- the index of events ----------------------------------------------------------------------------------- */

/* Of two files, with five types. */
static const char *make_index(struct world *world)
{
	enum { FILES = 2, TYPES = 5, EVENTS_MAX = 20000 };
	static uint8_t bytes[64 << 10];
	uint8_t *at = bytes + EVENT_INDEX_HEADER_SIZE;
	uint64_t events = random_below(&world->random, EVENTS_MAX), end = 1000;
	for (unsigned type = 0; type < TYPES; type++) {
		at = put_varint(at, type);
		for (unsigned i = 0; i < type; i++)
			*at++ = (uint8_t) "name"[i];
	}
	for (uint64_t tick = 0; tick < events; tick += EVENTS_PER_TICK) {
		uint64_t step = random_below(&world->random, 100000);
		at = put_varint(at, tick == 0 ? zigzag(1000) : step);
		end += tick == 0 ? 0 : step;
	}
	for (uint64_t first = 0; first < events; first += EVENTS_PER_BLOCK) {
		uint64_t left = events - first < EVENTS_PER_BLOCK ? events - first : EVENTS_PER_BLOCK;
		for (unsigned file = 0; file < FILES; file++)
			at = put_varint(put_varint(at, first / 100), file);
		at = put_varint(put_varint(put_varint(at, 1), first % TYPES), left);
	}
	at = put_varint(put_varint(put_varint(put_varint(put_varint(at, 1), 2), 5), 0), 7); /* a gap */
	memcpy(bytes, EVENT_INDEX_MAGIC, 8);
	put_le32(bytes + 8, EVENT_INDEX_VERSION);
	put_le64(bytes + 16, events);
	put_le64(bytes + 24, end);
	put_le32(bytes + 32, FILES);
	put_le32(bytes + 36, TYPES);
	put_le32(bytes + 12,
		 crc32c(0, bytes + EVENT_INDEX_CHECKED_FROM, (size_t)(at - bytes) - EVENT_INDEX_CHECKED_FROM));
	assert_true(memory_io_put(&world->memory, "s", bytes, (size_t)(at - bytes)));
	return "s";
}

static void ask_index(struct world *world)
{
	struct event_index index;
	enum histree_status status = event_index_read(&world->memory.io, "s", &index, NULL);
	if (status != HISTREE_OK) {
		check_refusal(world, status);
		world->refused++;
		return;
	}
	world->opened++;
	if (!world->is_sealed)
		wrong(world, "it was read");
	double before = 0;
	for (size_t i = 0; i < index.tick_count; i++) {
		double estimate = event_index_estimate(&index, index.ticks[i]);
		if (estimate < before || estimate > (double)index.event_count ||
		    (i > 0 && index.ticks[i] < index.ticks[i - 1]))
			wrong(world, "tick %zu comes after %f of %f events", i, estimate, before);
		before = estimate;
	}
	for (size_t i = 0; i < index.block_count; i++)
		for (uint32_t type = 0; type < index.blocks[i].type_count; type++)
			if (index.blocks[i].types[type] >= index.type_count)
				wrong(world, "block %zu has a type that is none", i);
	event_index_release(&index);
}

/* ---- the manifest ------------------------------------------------------------------------------------------ */

static const char *make_manifest(struct world *world)
{
	static const char *const traces[] = { "/a/trace", "/another" }, *const warnings[] = { "one \"warning\"" };
	static const struct histree_store_history histories[] = { { "kernel", 18, "kernel.sht", 3, 1 },
								  { "ust", 2, "ust.sht", 0, 2 } };
	static const struct histree_store_segments segments[] = { { "system-calls", 1, "system-calls.seg", 1, 2,
								    1 } };
	const struct histree_store_info info = {
		.made_by = "histree",
		.traces = traces,
		.trace_count = 2,
		.histories = histories,
		.history_count = 2,
		.segments = segments,
		.segments_count = 1,
		.complete = random_percent(&world->random, 50),
		.warnings = warnings,
		.warning_count = 1,
		.event_count = 1000,
		.start = -5,
		.end = 1000000,
	};
	assert_ok(manifest_write(&world->memory.io, "s", &info, NULL));
	return "s";
}

static bool is_inside(const char *file)
{
	return strchr(file, '/') == NULL && file[0] != '.';
}

static void ask_manifest(struct world *world)
{
	struct arena arena = { 0 };
	struct histree_store_info info;
	enum histree_status status = manifest_read(&world->memory.io, "s", &arena, &info, NULL);
	if (status != HISTREE_OK) {
		check_refusal(world, status);
		world->refused++;
		arena_release(&arena);
		return;
	}
	world->opened++;
	if (info.start > info.end || info.history_count > 256 || info.segments_count > 256)
		wrong(world, "it cannot be");
	for (size_t i = 0; i < info.history_count; i++)
		for (size_t other = 0; other <= i; other++)
			if (!is_inside(info.histories[i].file) ||
			    (other < i && strcmp(info.histories[i].file, info.histories[other].file) == 0))
				wrong(world, "history %zu is outside, or another's", i);
	arena_release(&arena);
}

/* ---- a tail ------------------------------------------------------------------------------------------------ */

static const char *make_tail(struct world *world)
{
	static const char *const variants[] = { "sht", "esht", "vrsht", "cluster" };
	const struct histree_history_options options = {
		.path = "s",
		.provider = "test",
		.tree = { .variant = variants[random_below(&world->random, 4)], .node_size = 4096, .threads = 1 }
	};
	struct histree_state_system *system;
	histree_time now = 0;
	assert_ok(state_file_create(&world->memory.io, &options, &system, NULL));
	for (uint64_t left = random_below(&world->random, 3000); left > 0; left--) {
		char name[16];
		histree_quark quark;
		snprintf(name, sizeof(name), "%u", random_index(&world->random, 50));
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &quark, NULL));
		now += (histree_time)random_below(&world->random, 100);
		struct histree_value value = histree_int((int32_t)random_below(&world->random, 30));
		assert_ok(histree_state_modify(system, now, quark, value, NULL));
	}
	assert_ok(histree_state_publish(system, now, NULL));
	histree_state_free(system);
	assert_non_null(memory_io_find(&world->memory, "s.tail"));
	return "s.tail";
}

static void ask_tail(struct world *world)
{
	struct block_file *file;
	struct histree_history *history = NULL;
	enum histree_status status = block_file_open(&world->memory.io, "s", &file, NULL);
	if (status == HISTREE_OK)
		status = history_open_file(file, NULL, &history, NULL);
	if (status != HISTREE_OK) {
		check_refusal(world, status);
		world->refused++;
		return;
	}
	world->opened++;
	bool is_sound = histree_history_verify(history, ignore, NULL, NULL) == HISTREE_OK;
	struct tree_reader *reader = history_tree(history);
	struct tree_iter *iter;
	struct histree_interval interval;
	uint64_t count = 0;
	world->found_sound += is_sound;
	assert_ok(tree_iter_create(reader, &iter, NULL));
	tree_iter_start(iter, &(struct histree_region){ .from = reader->shape.start, .to = reader->shape.end });
	while ((status = tree_iter_next(iter, &interval, NULL)) == HISTREE_OK)
		count++;
	if (is_sound && (status != HISTREE_END || count != reader->statistics.interval_count))
		wrong(world, "it is said to be sound, and %llu intervals end with %d", (unsigned long long)count,
		      status);
	if (status != HISTREE_END)
		check_refusal(world, status);
	tree_iter_free(iter);
	histree_history_close(history);
}

/* ---- all --------------------------------------------------------------------------------------------------- */

struct kind {
	const char *name;
	const char *(*make)(struct world *world); /* returns the path of the file to change */
	void (*forge)(struct forged *file);
	void (*ask)(struct world *world);
};

static const struct kind kinds[] = {
	{ "segment store", make_store, forge_blocks, ask_segments },
	{ "side table", make_side_table, forge_blocks, ask_segments },
	{ "index of events", make_index, forge_index, ask_index },
	{ "manifest", make_manifest, forge_json, ask_manifest },
	{ "tail", make_tail, forge_blocks, ask_tail },
};

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

/* Change a copy of the sound bytes, and ask. */
static void try_one(struct world *world, const struct kind *kind, const char *path, const uint8_t *sound,
		    size_t size)
{
	uint8_t *bytes = malloc(2 * size + 4096);
	assert_non_null(bytes);
	memcpy(bytes, sound, size);
	world->file = (struct forged){ .random = &world->random, .bytes = bytes, .size = size };
	world->cases++;
	do /* what is changed back, or is not there, is no change */
		(world->is_sealed ? kind->forge : forge_damage)(&world->file);
	while (world->file.size == size && memcmp(bytes, sound, size) == 0);
	assert_true(memory_io_put(&world->memory, path, bytes, world->file.size));
	free(bytes);
	double begun = cpu_seconds();
	counted_memory_begin(MEMORY_MAX);
	kind->ask(world);
	if (counted_memory_refused())
		wrong(world, "more than %d MiB", MEMORY_MAX >> 20);
	counted_memory_begin(0);
	if (cpu_seconds() - begun > CPU_SECONDS_MAX)
		wrong(world, "%.1f s", cpu_seconds() - begun);
}

static void run(struct world *world, const struct kind *kind)
{
	enum { CASES_PER_FILE = 20 };
	world->kind = kind->name;
	uint64_t cases = test_effort(CASES / (sizeof(kinds) / sizeof(*kinds)), 20);
	for (uint64_t done = 0; done < cases; done += CASES_PER_FILE) {
		memory_io_init(&world->memory);
		const char *path = kind->make(world);
		struct memory_file *file = memory_io_find(&world->memory, path);
		size_t size = file->size;
		uint8_t *sound = malloc(size + 1);
		assert_non_null(sound);
		memcpy(sound, file->bytes, size);
		for (int i = 0; i < CASES_PER_FILE; i++)
			try_one(world, kind, path, sound, size);
		free(sound);
		memory_io_release(&world->memory);
	}
}

static void try_all(bool is_sealed)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct world world = { .is_sealed = is_sealed };
		for (uint64_t round = 0; round < test_rounds(); round++) {
			world.seed = world.random.state = test_seed() + round;
			world.cases = 0;
			run(&world, &kinds[i]);
		}
		printf("%s, %s: %llu opened, %llu refused, %llu found sound\n", kinds[i].name,
		       is_sealed ? "forged" : "damaged", (unsigned long long)world.opened,
		       (unsigned long long)world.refused, (unsigned long long)world.found_sound);
	}
}

TEST(bits_that_fell)
{
	try_all(false);
}

TEST(forgeries)
{
	try_all(true);
}
