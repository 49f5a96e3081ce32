// SPDX-License-Identifier: MIT
/*
 * test_cube_faults.c - a cube that is damaged, forged, of another history, or that memory has no room for: the
 * answer is that of the states, or verifying says what is wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "base/saved_bytes.h"
#include "histree/histree.h"
#include "overview/overview_writer.h"
#include "state/attribute_tree.h"
#include "state/cube_cell.h"
#include "state/interval_sink.h"
#include "state/pyramid.h"
#include "state/state_file.h"
#include "support/effort.h"
#include "support/faulty_memory.h"
#include "support/forging.h"
#include "support/overview_file.h"
#include "support/test.h"

enum { THREADS = 6, CPUS = 2, STATES = 3000, RANGES = 4, BYS = 3, ROWS = 32 };

static const struct overview_options options = {
	.history_states_min = 1,
	.states_min = UINT32_MAX, /* only the cube */
	.number_states_min = UINT32_MAX,
	.sum_states_min = UINT32_MAX,
	.percent_max = 100000,
	.cube_percent_max = 100000,
	.threads = 1,
};

static const unsigned bys[BYS] = { HISTREE_BY(CPU) | HISTREE_BY(STATE), HISTREE_BY(SYSTEM_CALL),
				   HISTREE_BY(HAD_BY) };

struct answer {
	size_t counts[RANGES][BYS];
	uint64_t ns[RANGES][BYS][ROWS][HISTREE_USE_COUNT], begins[RANGES][BYS][ROWS];
};

struct asking {
	char path[64];
	struct overview_file file;
	struct histree_history_info of;
	histree_time from[RANGES], to[RANGES];
	struct answer right;
};

static void build(const char *path)
{
	const struct histree_history_options made = {
		.path = path, .provider = "kernel", .start = 100, .tree = { .node_size = 4096, .threads = 1 }
	};
	static const char *const calls[] = { "read", "write", "futex" };
	struct random random = { test_seed() };
	struct histree_state_system *system;
	histree_quark quarks[THREADS][3], owners[CPUS];
	histree_time now = made.start;
	char name[64];
	assert_int_equal(histree_state_create(&made, &system, NULL), HISTREE_OK);
	for (int i = 0; i < THREADS; i++) {
		static const char *const parts[3] = { "", "/Current_cpu_rq", "/System_call" };
		for (int k = 0; k < 3; k++) {
			snprintf(name, sizeof(name), i == 0 ? "Threads/0_%d%s" : "Threads/%d%s", i, parts[k]);
			assert_int_equal(histree_state_attribute(system, HISTREE_ROOT, name, &quarks[i][k], NULL),
					 HISTREE_OK);
		}
	}
	for (int i = 0; i < CPUS; i++) {
		snprintf(name, sizeof(name), "CPUs/%d/Current_thread", i);
		assert_int_equal(histree_state_attribute(system, HISTREE_ROOT, name, &owners[i], NULL), HISTREE_OK);
	}
	for (unsigned i = 0; i < STATES; i++) {
		const int thread = (int)random_below(&random, THREADS), kind = (int)random_below(&random, 4);
		struct histree_value value = histree_int((int32_t)random_below(&random, 6));
		histree_quark quark = kind < 3 ? quarks[thread][kind] : owners[thread % CPUS];
		now += 1 + (histree_time)random_below(&random, 100);
		if (kind == 1)
			value = histree_int((int32_t)random_below(&random, CPUS));
		if (kind == 2)
			value = histree_string(calls[random_below(&random, 3)]);
		if (random_percent(&random, 10))
			value = random_percent(&random, 50) ? histree_unknown() : histree_null();
		assert_int_equal(histree_state_modify(system, now, quark, value, NULL), HISTREE_OK);
	}
	assert_int_equal(histree_state_close(system, now + 50, NULL), HISTREE_OK);
	histree_state_free(system);
}

static enum histree_status ask_one(const struct asking *asking, struct histree_history *history, int range, int by,
				   struct answer *out, struct histree_error *error)
{
	const struct histree_time_use_request request = { .from = asking->from[range],
							  .to = asking->to[range],
							  .by = bys[by] };
	struct histree_time_use *use;
	enum histree_status status = histree_time_use_create(history, &request, &use, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_use_row *rows = histree_time_use_rows(use, &out->counts[range][by]);
	for (size_t i = 0; i < out->counts[range][by] && i < ROWS; i++) {
		memcpy(out->ns[range][by][i], rows[i].ns, sizeof(rows[i].ns));
		out->begins[range][by][i] = rows[i].count;
	}
	histree_time_use_free(use);
	return HISTREE_OK;
}

static enum histree_status ask(const struct asking *asking, bool no_overviews, struct answer *out,
			       struct histree_error *error)
{
	const struct histree_open_options how = { .no_overviews = no_overviews };
	struct histree_history *history;
	memset(out, 0, sizeof(*out));
	enum histree_status status = histree_history_open(asking->path, &how, &history, error);
	for (int range = 0; range < RANGES && status == HISTREE_OK; range++)
		for (int by = 0; by < BYS && status == HISTREE_OK; by++)
			status = ask_one(asking, history, range, by, out, error);
	histree_history_close(history);
	return status;
}

static bool is_right(const struct asking *asking, const char *what)
{
	static struct answer found;
	struct histree_error error = { 0 };
	if (ask(asking, false, &found, &error) != HISTREE_OK)
		fail_msg("%s: %s", what, error.message);
	return memcmp(&found, &asking->right, sizeof(found)) == 0;
}

/* Whether verifying says that the cube is wrong. */
static bool is_told(const struct asking *asking)
{
	return overview_file_is_told(asking->path, histree_sums_verify, ".cube");
}

static void begin(struct asking *asking)
{
	struct random random = { test_seed() };
	struct histree_history *history;
	memset(asking, 0, sizeof(*asking));
	snprintf(asking->path, sizeof(asking->path), "test_cube_faults.%ld.sht", (long)getpid());
	pyramid_path(PYRAMID_CUBE, asking->path, 1, asking->file.path);
	unlink(asking->path);
	build(asking->path);
	assert_int_equal(histree_history_open(asking->path, NULL, &history, NULL), HISTREE_OK);
	asking->of = *histree_history_info(history);
	histree_history_close(history);
	uint64_t whole = (uint64_t)(asking->of.end - asking->of.start);
	asking->from[0] = asking->of.start, asking->to[0] = asking->of.end;
	for (unsigned i = 1; i < RANGES; i++) {
		histree_time a = asking->of.start + (histree_time)random_below(&random, whole);
		histree_time b = asking->of.start + (histree_time)random_below(&random, whole);
		asking->from[i] = a < b ? a : b;
		asking->to[i] = a < b ? b : a;
	}
	assert_int_equal(ask(asking, true, &asking->right, NULL), HISTREE_OK);
	assert_int_equal(overviews_write(&io_posix, asking->path, &options, NULL), HISTREE_OK);
	assert_int_equal(overview_file_count(asking->path), 1);
	assert_true(is_right(asking, "a cube as it was made"));
	assert_false(is_told(asking));
	overview_file_read(&asking->file);
}

static void end(struct asking *asking)
{
	unlink(asking->path);
	overview_file_end(&asking->file);
}

/* ---- damage and forgery ---------------------------------------------------------------------------------- */

static void damage_costs_no_answer(void **state)
{
	(void)state;
	static struct asking asking;
	struct random random = { test_seed() };
	unsigned told = 0, damages = (unsigned)test_effort(200, 30);
	begin(&asking);
	for (unsigned i = 0; i < damages; i++) {
		uint8_t *copy = malloc(asking.file.size);
		assert_non_null(copy);
		memcpy(copy, asking.file.bytes, asking.file.size);
		struct forged forged = { .random = &random, .bytes = copy, .size = asking.file.size };
		forge_damage(&forged);
		overview_file_write(&asking.file, copy, forged.size);
		if (!is_right(&asking, forged.what))
			fail_msg("%s: another answer", forged.what);
		told += is_told(&asking);
		free(copy);
	}
	assert_true(told > damages / 2);
	unlink(asking.file.path);
	assert_true(is_right(&asking, "no cube"));
	assert_false(is_told(&asking));
	end(&asking);
}

static void forgery_is_told_or_harmless(void **state)
{
	(void)state;
	static struct asking asking;
	struct random random = { test_seed() };
	unsigned told = 0;
	begin(&asking);
	for (uint64_t left = test_effort(200, 30) * test_rounds(); left > 0; left--) {
		uint8_t *copy = malloc(asking.file.size);
		assert_non_null(copy);
		memcpy(copy, asking.file.bytes, asking.file.size);
		struct forged forged = { .random = &random, .bytes = copy, .size = asking.file.size };
		forge_blocks(&forged);
		overview_file_write(&asking.file, copy, forged.size);
		bool right = is_right(&asking, forged.what), said = is_told(&asking);
		if (!right && !said)
			fail_msg("%s: another answer, and nobody says so", forged.what);
		told += said;
		free(copy);
	}
	assert_true(told > 0);
	end(&asking);
}

/* ---- cubes by hand --------------------------------------------------------------------------------------- */

enum lie { NO_LIE, A_NANOSECOND, A_COUNT, A_CALL, TOO_MUCH, NO_CELL, NO_USE, LIES };

struct kept {
	struct histree_interval state;
	uint8_t *bytes;
};

static int by_end(const void *one, const void *other)
{
	const struct kept *a = one, *b = other;
	return (a->state.end > b->state.end) - (a->state.end < b->state.end);
}

/* A cell of two rows or more, of which one ns is said to be the other's, and so on. */
static bool lie_of(struct kept *kept, enum lie lie)
{
	struct histree_value *value = &kept->state.value;
	const uint64_t ns = (uint64_t)(kept->state.end - kept->state.start) + 1;
	struct cube_cell cell = { 0 };
	struct intern texts = { 0 };
	struct saved_bytes saved = { 0 };
	bool is_one =
		value->type == HISTREE_CUSTOM && value->size > 1 &&
		cube_cell_get(&cell, CUBE_OF_CALLS, &texts, ns, THREADS, kept->bytes, value->size) == HISTREE_OK &&
		cell.count > 1 && cell.rows[0].ns > 1 && cell.rows[0].calls + cell.rows[1].calls > 0;
	struct cube_row *with = is_one && cell.rows[0].calls > 0 ? &cell.rows[0] : &cell.rows[1];
	switch (is_one ? lie : NO_LIE) {
	case A_NANOSECOND:
		cell.rows[0].ns--;
		cell.rows[1].ns++;
		break;
	case A_COUNT:
		cell.rows[0].begins ^= 1;
		break;
	case A_CALL:
		with->calls--;
		break;
	case TOO_MUCH:
		cell.rows[1].ns += THREADS * ns;
		break;
	case NO_CELL:
	case NO_USE:
	case NO_LIE:
	case LIES:
		break;
	}
	if (is_one) {
		cube_cell_put(&cell, CUBE_OF_CALLS, &texts, &saved);
		saved_put(&saved, 0);
		assert_false(saved.no_memory);
		free(kept->bytes);
		kept->bytes = saved.bytes;
		value->size = lie == NO_USE ? 1 : (uint32_t)saved.size - (lie != NO_CELL);
		kept->bytes[0] = lie == NO_USE ? 0 : kept->bytes[0];
	}
	cube_cell_release(&cell);
	intern_release(&texts);
	return is_one;
}

/* All states of the cube once more, with right checksums, and one of them lies. */
static void forge(const struct asking *asking, enum lie lie, const char *provider, uint32_t version)
{
	const struct histree_history_options made = { .path = asking->file.path,
						      .provider = provider,
						      .provider_version = version,
						      .start = asking->of.start,
						      .tree = { .node_size = 256 << 10 } };
	const struct histree_region all = { .from = asking->of.start, .to = asking->of.end };
	struct histree_history *cube;
	struct histree_query *query;
	struct histree_interval state;
	struct interval_sink sink;
	struct attribute_tree attributes;
	size_t count = 0, lied = 0;
	assert_int_equal(histree_history_open(asking->file.path, NULL, &cube, NULL), HISTREE_OK);
	struct kept *kept = calloc(histree_history_info(cube)->interval_count + 64, sizeof(*kept));
	assert_non_null(kept);
	assert_int_equal(histree_query_create(cube, &query, NULL), HISTREE_OK);
	assert_int_equal(histree_query_start(query, &all, NULL), HISTREE_OK);
	while (histree_query_next(query, &state, NULL) == HISTREE_OK) {
		kept[count] = (struct kept){ .state = state };
		if (state.value.type == HISTREE_CUSTOM) {
			kept[count].bytes = malloc(state.value.size + 1);
			assert_non_null(kept[count].bytes);
			memcpy(kept[count].bytes, state.value.bytes, state.value.size);
		}
		lied += lied == 0 && lie_of(&kept[count], lie);
		count++;
	}
	assert_int_equal(lied, 1);
	histree_query_free(query);
	qsort(kept, count, sizeof(*kept), by_end);
	attribute_tree_init(&attributes);
	const struct histree_attributes *names = histree_history_attributes(cube);
	for (histree_quark quark = 0; quark < histree_history_info(cube)->attribute_count; quark++) {
		char name[32];
		histree_quark parent = histree_attributes_parent(names, quark), own;
		size_t size = histree_attributes_name(names, quark, name, sizeof(name));
		assert_int_equal(attribute_tree_add(&attributes, parent, name, size, &own, NULL), HISTREE_OK);
		assert_int_equal(own, quark);
	}
	histree_history_close(cube);
	unlink(asking->file.path);
	assert_int_equal(state_file_sink(&io_posix, &made, NULL, &sink, NULL), HISTREE_OK);
	for (size_t i = 0; i < count; i++) {
		if (kept[i].state.value.type == HISTREE_CUSTOM)
			kept[i].state.value.bytes = (const char *)kept[i].bytes;
		assert_int_equal(sink.add(sink.context, &kept[i].state, NULL), HISTREE_OK);
		free(kept[i].bytes);
	}
	assert_int_equal(sink.finish(sink.context, &attributes, asking->of.end, NULL), HISTREE_OK);
	attribute_tree_release(&attributes);
	sink.free(sink.context);
	free(kept);
}

static void lies_are_told_or_found(void **state)
{
	(void)state;
	static struct asking asking;
	char provider[sizeof(asking.of.provider)];
	struct histree_history *cube;
	begin(&asking);
	assert_int_equal(histree_history_open(asking.file.path, NULL, &cube, NULL), HISTREE_OK);
	snprintf(provider, sizeof(provider), "%s", histree_history_info(cube)->provider);
	histree_history_close(cube);
	for (enum lie lie = NO_LIE; lie < LIES; lie++) {
		overview_file_write(&asking.file, asking.file.bytes, asking.file.size);
		forge(&asking, lie, provider, pyramid_kinds[PYRAMID_CUBE].version);
		assert_int_equal(overview_file_count(asking.path), 1);
		bool right = is_right(&asking, "a lie"), told = is_told(&asking);
		assert_int_equal(told, lie != NO_LIE);
		/* What no states can have is found by the question that meets it, and the rest by verifying. */
		if (!right && (lie == NO_LIE || lie >= TOO_MUCH))
			fail_msg("lie %d has another answer", (int)lie);
	}
	end(&asking);
}

static void foreign_ones_are_none(void **state)
{
	(void)state;
	static struct asking asking;
	char provider[sizeof(asking.of.provider)];
	begin(&asking);
	struct histree_history_info of = asking.of;
	pyramid_provider(PYRAMID_CUBE, &of, 9, provider, sizeof(provider));
	of.identity ^= 1;
	char other[sizeof(asking.of.provider)];
	pyramid_provider(PYRAMID_CUBE, &of, 9, other, sizeof(other));
	forge(&asking, NO_LIE, other, pyramid_kinds[PYRAMID_CUBE].version);
	assert_int_equal(overview_file_count(asking.path), 0);
	forge(&asking, NO_LIE, provider, pyramid_kinds[PYRAMID_CUBE].version + 1);
	assert_int_equal(overview_file_count(asking.path), 0);
	pyramid_provider(PYRAMID_CUBE, &asking.of, pyramid_kinds[PYRAMID_CUBE].log2_max + 1, provider,
			 sizeof(provider));
	forge(&asking, NO_LIE, provider, pyramid_kinds[PYRAMID_CUBE].version);
	assert_int_equal(overview_file_count(asking.path), 0);
	assert_true(is_right(&asking, "a foreign cube"));
	assert_true(is_told(&asking));
	/* Cells of another width are of this history, and end where they should not. */
	for (unsigned width = 0; width <= pyramid_kinds[PYRAMID_CUBE].log2_max; width += 3) {
		overview_file_write(&asking.file, asking.file.bytes, asking.file.size);
		pyramid_provider(PYRAMID_CUBE, &asking.of, width, provider, sizeof(provider));
		forge(&asking, NO_LIE, provider, pyramid_kinds[PYRAMID_CUBE].version);
		assert_true(is_right(&asking, "other cells") || is_told(&asking));
	}
	end(&asking);
}

/* ---- threads --------------------------------------------------------------------------------------------- */

/* Nor do windows: a cell is the same, however it was put together. */
static void threads_make_no_difference(void **state)
{
	(void)state;
	static struct asking asking;
	begin(&asking);
	struct overview_file again = asking.file;
	for (uint32_t threads = 1; threads < 5; threads++) {
		struct overview_options other = options;
		other.threads = threads;
		other.states_in_window = 50 * threads;
		assert_int_equal(overviews_write(&io_posix, asking.path, &other, NULL), HISTREE_OK);
		overview_file_read(&again);
		assert_int_equal(again.size, asking.file.size);
		assert_memory_equal(again.bytes, asking.file.bytes, asking.file.size);
		free(again.bytes);
	}
	end(&asking);
}

/* ---- no memory ------------------------------------------------------------------------------------------- */

static void every_allocation_may_fail(void **state)
{
	(void)state;
	static struct asking asking;
	begin(&asking);
	for (int is_making = 0; is_making < 2; is_making++) {
		const uint64_t stride = is_making ? test_effort(7, 97) : test_effort(3, 31);
		uint64_t failures = 0;
		for (bool refused = true; refused;) {
			static struct answer found;
			struct histree_error error = { 0 };
			faulty_memory_begin(failures += stride, false);
			enum histree_status status =
				is_making ? overviews_write(&io_posix, asking.path, &options, &error)
					  : ask(&asking, false, &found, &error);
			faulty_memory_end();
			refused = faulty_memory.refused;
			if (status != HISTREE_OK)
				assert_int_equal(status, HISTREE_ERR_MEMORY);
			else if (!is_making)
				assert_memory_equal(&found, &asking.right, sizeof(found));
			else if (!refused)
				assert_true(is_right(&asking, "made again") && !is_told(&asking));
		}
		assert_true(failures > 100);
	}
	end(&asking);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damage_costs_no_answer),     cmocka_unit_test(forgery_is_told_or_harmless),
		cmocka_unit_test(lies_are_told_or_found),     cmocka_unit_test(foreign_ones_are_none),
		cmocka_unit_test(threads_make_no_difference), cmocka_unit_test(every_allocation_may_fail),
	};
	return cmocka_run_group_tests_name("cube_faults", tests, NULL, NULL);
}
