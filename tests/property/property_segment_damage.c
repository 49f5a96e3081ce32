// SPDX-License-Identifier: MIT
/*
 * property_segment_damage.c - a damaged node of a segment store costs its own segments, exactly those, and whoever
 * asks is told.
 *
 * Some nodes are damaged, after what they held was written down.  Then every answer is the array's without just
 * that, in every order; and before a segment is handed out, each one that is missing before it lies within a loss
 * that was told.
 */
#include "driver.h"
#include "node/node_view.h"
#include "node/segment_node.h"
#include "segment/segment_memory.h"
#include "support/memory_io.h"
#include "support/segments.h"
#include "support/test.h"
#include "support/workload.h"
#include "tree/tree_shape.h"

enum { QUESTIONS = 30, LOSSES_MAX = 64 };

/* Large enough for core nodes above core nodes; or not. */
static const struct segment_kind kinds[] = {
	{ "one leaf", SEGMENTS_BY_END, 20, true },
	{ "by end", SEGMENTS_BY_END, 600, true },
	{ "by end, deep", SEGMENTS_BY_END, 6000, true },
	{ "scattered", SEGMENTS_SCATTERED, 700, true },
	{ "extreme", SEGMENTS_EXTREME, 600, true },
	{ "few values", SEGMENTS_FEW_VALUES, 800, true },
	{ NULL, SEGMENTS_NOISY, 0, false },
};

struct damage_case {
	const char *kind;
	uint64_t seed;
	struct random random;
	struct segments segments;
	struct memory_io memory;
	struct histree_segment_store *store;
	struct histree_cursor *iter;
	uint32_t node_count;
	bool *damaged;     /* by node */
	uint64_t *lost_of; /* by node: segments that it held */
	bool *lost;        /* by index of the segments */
	uint64_t lost_count;
	size_t *expected; /* room for a query's answer */
	bool *seen;

	/* Of a question. */
	struct histree_loss told[LOSSES_MAX];
	size_t told_count;
};

#define wrong(test, ...)                                                                                       \
	do {                                                                                                   \
		fprintf(stderr, "segments '%s', seed %llu: ", (test)->kind, (unsigned long long)(test)->seed); \
		fprintf(stderr, __VA_ARGS__);                                                                  \
		fputc('\n', stderr);                                                                           \
		fail();                                                                                        \
	} while (0)

/* ---- damage -------------------------------------------------------------------------------------- */

static void write_down(struct damage_case *test, const uint8_t *leaf, uint32_t number)
{
	const struct histree_segment_schema *schema = test->segments.schema;
	struct histree_value content[HISTREE_SEGMENT_FIELDS_MAX];
	for (uint32_t index = 0; index < segment_leaf_block_count(leaf); index++) {
		struct segment_block block = segment_block(leaf, index);
		for (uint32_t i = 0; i < block.count; i++) {
			assert_ok(segment_block_content(&block, i, schema->fields, schema->field_count,
							schema->field_count, content));
			test->lost[content[SEGMENT_ID].int64] = true;
			test->lost_of[number]++;
			test->lost_count++;
		}
	}
}

static void damage_node(struct damage_case *test, const struct block_file *block_file,
			const struct node_layout *layout, uint32_t number)
{
	struct memory_file *file = memory_io_find(&test->memory, "s");
	uint8_t *block = malloc(layout->node_size);
	assert_non_null(block);
	assert_ok(block_file_read(block_file, number, block, NULL));
	struct node_view view = node_view(layout, block);
	if (view.height == 0)
		write_down(test, block, number);
	uint8_t *place = memmem(file->bytes, file->size, block, view.used);
	assert_non_null(place);
	place[4 + random_below(&test->random, view.used - 4)] ^= (uint8_t)(1 << random_below(&test->random, 8));
	test->damaged[number] = true;
	free(block);
}

static void damage_some(struct damage_case *test)
{
	struct block_file *file;
	struct tree_shape shape;
	assert_ok(block_file_open(&test->memory.io, "s", &file, NULL));
	assert_ok(tree_shape_read(file, &shape, NULL));
	test->node_count = shape.node_count;
	test->damaged = calloc(shape.node_count, sizeof(*test->damaged));
	test->lost_of = calloc(shape.node_count, sizeof(*test->lost_of));
	assert_true(test->damaged != NULL && test->lost_of != NULL);
	/* The youngest nodes are those above the others. */
	uint32_t wanted = (uint32_t)random_below(&test->random, random_percent(&test->random, 50) ? 3 : 10);
	uint32_t youngest = shape.node_count < 4 ? shape.node_count : 4;
	for (uint32_t i = 0; i < wanted; i++) {
		uint32_t number = random_percent(&test->random, 30)
					  ? shape.root - (uint32_t)random_below(&test->random, youngest)
					  : (uint32_t)random_below(&test->random, shape.node_count);
		if (!test->damaged[number])
			damage_node(test, file, &shape.layout, number);
	}
	block_file_close(file);
}

/* ---- answers ------------------------------------------------------------------------------------- */

static void take_loss(struct damage_case *test, struct histree_loss loss)
{
	if (loss.node >= test->node_count || !test->damaged[loss.node])
		wrong(test, "a loss of node %u, which is sound", loss.node);
	if (loss.rows_max < test->lost_of[loss.node] || loss.rows_max > test->lost_count)
		wrong(test, "node %u: %llu lost at most, but it held %llu of %llu", loss.node,
		      (unsigned long long)loss.rows_max, (unsigned long long)test->lost_of[loss.node],
		      (unsigned long long)test->lost_count);
	assert_true(test->told_count < LOSSES_MAX);
	test->told[test->told_count++] = loss;
}

static bool is_told(const struct damage_case *test, const struct histree_segment *segment)
{
	for (size_t i = 0; i < test->told_count; i++)
		if (segment->start >= test->told[i].from && segment->end <= test->told[i].to)
			return true;
	return false;
}

static bool same_times(const struct histree_segment *a, const struct histree_segment *b)
{
	return a->start == b->start && a->end == b->end;
}

/* Those that are missing among the expected from *at on; up to one that is not lost, or the end. */
static void pass_missing(struct damage_case *test, size_t *at, size_t count, const struct histree_segment *next)
{
	const struct histree_segment *all = test->segments.segments;
	for (; *at < count && test->lost[test->expected[*at]]; (*at)++) {
		const struct histree_segment *missing = &all[test->expected[*at]];
		/* Which of equal ones comes first is the store's affair. */
		if ((next == NULL || !same_times(missing, next)) && !is_told(test, missing))
			wrong(test, "segment %lld to %lld is missing and nobody was told",
			      (long long)missing->start, (long long)missing->end);
	}
}

static void check_segment(struct damage_case *test, const struct histree_segment_query *query,
			  const struct histree_segment *segment, const struct histree_segment *expected)
{
	const struct histree_segment *all = test->segments.segments;
	int64_t id = segment->content[SEGMENT_ID].int64;
	if (id < 0 || (size_t)id >= test->segments.count || test->seen[id] || test->lost[id])
		wrong(test, "id %lld, once more, lost or unknown", (long long)id);
	test->seen[id] = true;
	if (!same_times(segment, &all[id]) || !segments_content_equal(&test->segments, segment, &all[id]))
		wrong(test, "id %lld is not what was added", (long long)id);
	if (query->order != HISTREE_SEGMENTS_UNSORTED && !same_times(segment, expected))
		wrong(test, "%lld to %lld instead of %lld to %lld", (long long)segment->start,
		      (long long)segment->end, (long long)expected->start, (long long)expected->end);
}

/* From the token on, up to `stop_at` segments in all. */
static void read_part(struct damage_case *test, const struct histree_segment_query *query,
		      struct histree_segment_token *token, size_t *at, size_t count, uint64_t stop_at)
{
	const struct histree_segment *all = test->segments.segments;
	bool sorted = query->order != HISTREE_SEGMENTS_UNSORTED;
	struct histree_error error = { 0 };
	struct histree_segment segment;
	size_t heard = 0;
	if (histree_segments_start(test->iter, query, token, &error) != HISTREE_OK)
		wrong(test, "%s", error.message);
	while (token->given < stop_at) {
		enum histree_status status = histree_cursor_next(test->iter, &error);
		size_t lost;
		const struct histree_loss *losses = histree_cursor_losses(test->iter, &lost);
		for (; heard < lost; heard++)
			take_loss(test, losses[heard]);
		if (status == HISTREE_OK)
			segment = *histree_cursor_segment(test->iter);
		if (status == HISTREE_END)
			break;
		if (status != HISTREE_OK)
			wrong(test, "%s", error.message);
		if (sorted)
			pass_missing(test, at, count, &segment);
		else
			while (*at < count && test->lost[test->expected[*at]])
				(*at)++;
		if (*at == count)
			wrong(test, "more segments than there are");
		check_segment(test, query, &segment, &all[test->expected[(*at)++]]);
		*token = histree_segments_token(test->iter);
	}
}

static void check_query(struct damage_case *test, const struct histree_segment_query *query)
{
	struct histree_segment_query unlimited = *query;
	unlimited.limit = 0;
	size_t count = segments_answer(&test->segments, &unlimited, test->expected), at = 0, known = 0;
	struct histree_segment_token token = { 0 };
	for (size_t i = 0; i < count; i++)
		known += !test->lost[test->expected[i]];
	memset(test->seen, 0, test->segments.count * sizeof(*test->seen));
	test->told_count = 0;
	if (random_percent(&test->random, 40))
		read_part(test, query, &token, &at, count, random_below(&test->random, known + 1));
	read_part(test, query, &token, &at, count, UINT64_MAX);
	if (token.given != (query->limit > 0 && query->limit < known ? query->limit : known))
		wrong(test, "%llu segments instead of %zu", (unsigned long long)token.given, known);
	/* An answer that ends because it is as long as was asked for says nothing of what would have come. */
	bool is_to_the_end = query->limit == 0 || query->limit > known;
	for (at = 0; is_to_the_end && at < count; at++)
		pass_missing(test, &at, count, NULL);
	if (test->lost_count == 0 && test->told_count > 0)
		wrong(test, "a loss, but nothing is lost");
}

static histree_time any_time(struct damage_case *test)
{
	const struct histree_segment *segment =
		&test->segments.segments[random_below(&test->random, test->segments.count)];
	return random_percent(&test->random, 50) ? segment->start : segment->end;
}

static void ask(struct damage_case *test)
{
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	if (random_percent(&test->random, 50)) {
		histree_time a = any_time(test), b = any_time(test);
		query.from = a < b ? a : b;
		query.to = a < b ? b : a;
	}
	query.order = (enum histree_segment_order)random_below(&test->random, HISTREE_SEGMENTS_BY_FIELD + 1);
	query.field = random_below(&test->random, SEGMENT_TEST_FIELDS);
	query.descending = random_percent(&test->random, 50);
	if (query.order != HISTREE_SEGMENTS_UNSORTED && random_percent(&test->random, 30))
		query.limit = 1 + random_below(&test->random, 50);
	check_query(test, &query);
}

/* ---- stores --------------------------------------------------------------------------------------- */

static void build(struct damage_case *test, struct histree_error *error)
{
	const struct histree_segment_store_options options = {
		.path = "s", .schema = *test->segments.schema, .node_size = 4096, .memory_max = 40000
	};
	assert_ok(segment_store_create(&test->memory.io, &options, &test->store, error));
	for (size_t i = 0; i < test->segments.count; i++)
		assert_ok(histree_segment_store_add(test->store, &test->segments.segments[i], error));
	assert_ok(histree_segment_store_finish(test->store, error));
	if (random_percent(&test->random, 50))
		for (size_t field = 0; field < SEGMENT_TEST_FIELDS; field++)
			assert_ok(histree_segment_store_make_table(test->store, field, error));
	histree_segment_store_close(test->store);
}

static void count_fault(void *context, const char *fault)
{
	(void)fault;
	++*(unsigned *)context;
}

static void costs_its_own_segments(const void *chosen, uint64_t seed)
{
	const struct segment_kind *kind = chosen;
	struct damage_case test = { .kind = kind->name, .seed = seed, .random = { seed } };
	struct histree_error error;
	assert_true(segments_make(&test.segments, kind, seed));
	size_t room = test.segments.count + 1;
	test.lost = calloc(room, sizeof(*test.lost));
	test.seen = calloc(room, sizeof(*test.seen));
	test.expected = calloc(room, sizeof(*test.expected));
	assert_true(test.lost != NULL && test.seen != NULL && test.expected != NULL);
	memory_io_init(&test.memory);
	build(&test, &error);
	damage_some(&test);
	const struct histree_segment_open_options options = { .cache_bytes = 1, .queue_bytes = 20000 };
	assert_ok(segment_store_open(&test.memory.io, "s", &options, &test.store, &error));
	assert_ok(histree_segments_create(test.store, &test.iter, &error));
	for (unsigned i = 0; i < QUESTIONS; i++)
		ask(&test);
	histree_cursor_free(test.iter);
	if (test.lost_count > 0) /* a table of what is left would be taken for one of all */
		assert_int_equal(histree_segment_store_make_table(test.store, SEGMENT_NAME, &error),
				 HISTREE_ERR_FORMAT);
	unsigned faults = 0;
	bool sound = histree_segment_store_verify(test.store, count_fault, &faults, &error) == HISTREE_OK;
	bool any = false;
	for (uint32_t node = 0; node < test.node_count; node++)
		any = any || test.damaged[node];
	if (sound == any || (faults > 0) != any)
		wrong(&test, "verify says %u faults", faults);
	histree_segment_store_close(test.store);
	memory_io_release(&test.memory);
	segments_release(&test.segments);
	free(test.lost);
	free(test.seen);
	free(test.expected);
	free(test.damaged);
	free(test.lost_of);
}

/* The root and a node below it are damaged: orphans are leaves and a core node, which comes before one of them. */
TEST(scans_of_orphans_are_resumed)
{
	const struct segment_kind *kind = &kinds[2];
	assert_string_equal(kind->name, "by end, deep");
	costs_its_own_segments(kind, 5);
}

PROPERTIES({ KINDS(kinds), .rounds = 8, .check = costs_its_own_segments })
