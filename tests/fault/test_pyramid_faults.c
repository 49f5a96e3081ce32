// SPDX-License-Identifier: MIT
/*
 * test_pyramid_faults.c - a pyramid is a help and no more: one that is damaged, of another history, or that memory
 * has no room for costs time, and never an answer; one that was forged with right checksums gives the right
 * answer, or verifying says that it does not.
 *
 * The same for each kind of cells: a history, what is asked of it, and lies that one of its cells may tell.
 */
#include "base/bytes.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "histree/histree.h"
#include "overview/overview_writer.h"
#include "state/attributes.h"
#include "state/ongoing_states.h"
#include "state/pyramid.h"
#include "state/pyramid_cells.h"
#include "state/state_file.h"
#include "support/effort.h"
#include "support/faulty_memory.h"
#include "support/forging.h"
#include "support/overview_file.h"
#include "support/test.h"

enum { RANGES_MAX = 40, NUMBERS_MAX = 8192, NO_LIE = 0 };

/* What was found of all ranges, as numbers; and how much was read for that, if somebody counts. */
struct answer {
	uint64_t numbers[NUMBERS_MAX];
	size_t count;
	uint64_t cost;
};

struct kept {
	struct histree_interval state;
	uint8_t *bytes;
};

struct kind {
	enum pyramid_id id;
	const char *suffix;
	const char *provider; /* of the history */
	overview_verifier *verify;
	struct overview_options options; /* with which only this one is made */
	unsigned ranges, cost_share;     /* an answer costs less than such a part with it; 0: nobody counts */
	unsigned stride;                 /* of allocations that fail, at length */
	void (*build)(struct histree_state_system *system, struct random *random);
	enum histree_status (*ask)(struct histree_history *history, unsigned range, histree_time from,
				   histree_time to, struct answer *out, struct histree_error *error);
	/* Have the first state that can do so tell a lie, or find it for NO_LIE; `by` is from 1 on. */
	bool (*lie)(struct kept *kept, struct kept *next, unsigned lie);
	unsigned lies, impossible; /* those from here on no states can have */
	bool has_no_entries;       /* which attributes there are is seen by who asks */
};

struct asking {
	const struct kind *kind;
	char path[64];
	struct overview_file file;
	struct histree_history_info of;
	histree_time from[RANGES_MAX], to[RANGES_MAX];
	struct answer right, found;
};

static struct asking asking; /* all that is at hand */

static void put(struct answer *answer, uint64_t number)
{
	assert_true(answer->count < NUMBERS_MAX);
	answer->numbers[answer->count++] = number;
}

static histree_quark attribute(struct histree_state_system *system, const char *name)
{
	histree_quark quark;
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &quark, NULL));
	return quark;
}

static void modify(struct histree_state_system *system, histree_time time, histree_quark quark,
		   struct histree_value value)
{
	assert_ok(histree_state_modify(system, time, quark, value, NULL));
}

static struct histree_value unknown_or_null(struct random *random)
{
	return random_percent(random, 50) ? histree_unknown() : histree_null();
}

/* ---- numbers ------------------------------------------------------------------------------------------------- */

static void build_numbers(struct histree_state_system *system, struct random *random)
{
	const histree_quark quarks[2] = { attribute(system, "count"), attribute(system, "share") };
	histree_time now = 100;
	for (unsigned i = 0; i < 3000; i++) {
		now += 1 + (histree_time)random_below(random, 100);
		int64_t number = (int64_t)random_below(random, 2000) - 1000;
		struct histree_value value = i % 2 == 0 ? histree_long(number) : histree_double((double)number / 7);
		modify(system, now, quarks[i % 2], random_percent(random, 5) ? histree_unknown() : value);
	}
	assert_ok(histree_state_close(system, now + 50, NULL));
}

static void put_value(struct answer *out, const struct histree_value *value)
{
	uint64_t bits = 0;
	if (value->type == HISTREE_DOUBLE)
		memcpy(&bits, &value->real, sizeof(bits));
	else if (value->type == HISTREE_LONG)
		bits = (uint64_t)value->int64;
	put(out, value->type);
	put(out, bits);
}

static enum histree_status ask_numbers(struct histree_history *history, unsigned range, histree_time from,
				       histree_time to, struct answer *out, struct histree_error *error)
{
	struct histree_cursor *query;
	struct histree_numbers numbers;
	uint64_t mean;
	enum histree_status status = histree_query_create(history, &query, error);
	if (status != HISTREE_OK)
		return status;
	status = histree_lookup_numbers(query, range % 2, from, to, &numbers, error);
	if (status == HISTREE_OK) {
		memcpy(&mean, &numbers.mean, sizeof(mean));
		put(out, numbers.states);
		put(out, numbers.number_ns);
		put(out, numbers.unknown_ns);
		put(out, numbers.other_ns);
		put(out, mean);
		put_value(out, &numbers.min);
		put_value(out, &numbers.max);
		out->cost += histree_cursor_statistics(query).rows;
	}
	histree_cursor_free(query);
	return status;
}

enum { A_SUM = 1, A_COUNT, A_BORDER, A_TIME, NOT_A_SUMMARY, NUMBER_LIES };

static void put_summary(struct kept *kept, const struct number_summary *summary)
{
	kept->bytes = realloc(kept->bytes, NUMBER_SUMMARY_SIZE_MAX);
	assert_non_null(kept->bytes);
	kept->state.value.size = (uint32_t)number_summary_put(summary, kept->bytes);
}

static bool get_summary(const struct kept *kept, struct number_summary *summary)
{
	const wide_uint ns = number_summary_ns(kept->state.start, kept->state.end);
	return kept->state.value.type == HISTREE_CUSTOM &&
	       number_summary_get(summary, ns, kept->bytes, kept->state.value.size) && summary->states > 0;
}

/* Of a cell in the middle, with the one that follows it. */
static bool lie_of_numbers(struct kept *kept, struct kept *next, unsigned lie)
{
	struct number_summary summary, after;
	if (next == NULL || next->state.quark != kept->state.quark || kept->state.start < 2000 ||
	    !get_summary(kept, &summary) || !get_summary(next, &after) || after.number_ns < 1000)
		return false;
	if (lie == A_SUM)
		after.whole += 12345;
	if (lie == A_COUNT)
		after.states++;
	if (lie == A_TIME)
		after.other_ns += UINT32_MAX; /* more than there is */
	if (lie == A_BORDER) {
		kept->state.end++;
		next->state.start++;
		summary.other_ns++;
		after.number_ns--;
		put_summary(kept, &summary);
	}
	put_summary(next, &after);
	if (lie == NOT_A_SUMMARY)
		memcpy(next->bytes, "\x7f\1\2", 3), next->state.value.size = 3;
	return true;
}

/* ---- sums ---------------------------------------------------------------------------------------------------- */

enum { ATTRIBUTES = 3, VALUES = 4, UNKNOWN_VALUE = VALUES, NULL_VALUE, VALUE_KINDS };

static void build_sums(struct histree_state_system *system, struct random *random)
{
	static const struct histree_label labels[] = {
		{ .first = 0, .last = VALUES - 1, .is_code = true, .style = { "STATUS", "status", 1, 1, 1 } },
	};
	static const char *const patterns[] = { "*", NULL };
	static const struct histree_label_table table = {
		.name = "status", .patterns = patterns, .labels = labels, .label_count = 1
	};
	const histree_quark quarks[ATTRIBUTES] = { attribute(system, "one"), attribute(system, "two"),
						   attribute(system, "three") };
	histree_time now = 100;
	assert_ok(histree_state_labels(system, &table, 1, NULL));
	for (unsigned i = 0; i < 2400; i++) {
		now += 1 + (histree_time)random_below(random, 100);
		const struct histree_value value = histree_int((int32_t)random_below(random, VALUES));
		modify(system, now, quarks[i % ATTRIBUTES],
		       random_percent(random, 10) ? unknown_or_null(random) : value);
	}
	assert_ok(histree_state_close(system, now + 50, NULL));
}

static unsigned kind_of(const struct histree_value *value)
{
	if (value->type == HISTREE_INT && value->int32 >= 0 && value->int32 < VALUES)
		return (unsigned)value->int32;
	return value->type == HISTREE_UNKNOWN ? UNKNOWN_VALUE : NULL_VALUE;
}

static enum histree_status ask_sums(struct histree_history *history, unsigned range, histree_time from,
				    histree_time to, struct answer *out, struct histree_error *error)
{
	static const histree_quark quarks[ATTRIBUTES] = { 0, 1, 2 };
	const struct histree_region region = {
		.quarks = quarks, .quark_count = ATTRIBUTES, .from = from, .to = to
	};
	uint64_t ns[ATTRIBUTES][VALUE_KINDS] = { { 0 } };
	struct histree_cursor *times;
	(void)range;
	enum histree_status status = histree_time_in_state_create(history, &times, error);
	if (status != HISTREE_OK)
		return status;
	status = histree_time_in_state_start(times, &region, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(times, error)) == HISTREE_OK) {
		const struct histree_state_time *part = histree_cursor_state_time(times);
		ns[part->quark][kind_of(&part->value)] += part->ns;
		out->cost++;
	}
	histree_cursor_free(times);
	for (size_t i = 0; i < ATTRIBUTES * VALUE_KINDS && status == HISTREE_END; i++)
		put(out, ns[i / VALUE_KINDS][i % VALUE_KINDS]);
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum { ANOTHER_VALUE = 1, A_NANOSECOND, A_BEGIN, TOO_MUCH, NO_SUM, SUM_LIES };

/* A cell of two values or more, of which one ns is said to be the other's, and so on. */
static bool lie_of_sums(struct kept *kept, struct kept *next, unsigned lie)
{
	struct histree_value *value = &kept->state.value;
	const uint64_t ns = (uint64_t)(kept->state.end - kept->state.start) + 1;
	struct state_sum sum;
	(void)next;
	if (value->type != HISTREE_CUSTOM || value->size < 2 ||
	    !state_sum_get(&sum, ns, kept->bytes, value->size) || sum.count < 2 || sum.parts[0].is_unknown ||
	    sum.parts[0].ns < 2 || sum.parts[1].is_unknown)
		return false;
	if (lie == ANOTHER_VALUE)
		sum.parts[0].value += VALUES;
	if (lie == A_NANOSECOND)
		sum.parts[0].ns--, sum.parts[1].ns++;
	if (lie == A_BEGIN)
		sum.parts[0].begins ^= 1;
	if (lie == TOO_MUCH)
		sum.parts[1].ns += ns;
	kept->bytes = realloc(kept->bytes, STATE_SUM_SIZE_MAX + 1);
	assert_non_null(kept->bytes);
	value->size = (uint32_t)state_sum_put(&sum, kept->bytes) + (lie == NO_SUM); /* a byte too many */
	return true;
}

/* ---- the cube ------------------------------------------------------------------------------------------------ */

enum { THREADS = 6, CPUS = 2 };

static void build_cube(struct histree_state_system *system, struct random *random)
{
	static const char *const parts[3] = { "", "/Current_cpu_rq", "/System_call" };
	static const char *const calls[] = { "read", "write", "futex" };
	histree_quark quarks[THREADS][3], owners[CPUS];
	histree_time now = 100;
	char name[64];
	for (int i = 0; i < THREADS; i++)
		for (int k = 0; k < 3; k++) {
			snprintf(name, sizeof(name), i == 0 ? "Threads/0_%d%s" : "Threads/%d%s", i, parts[k]);
			quarks[i][k] = attribute(system, name);
		}
	for (int i = 0; i < CPUS; i++) {
		snprintf(name, sizeof(name), "CPUs/%d/Current_thread", i);
		owners[i] = attribute(system, name);
	}
	for (unsigned i = 0; i < 3000; i++) {
		const int thread = (int)random_below(random, THREADS), kind = (int)random_below(random, 4);
		struct histree_value value = histree_int((int32_t)random_below(random, 6));
		now += 1 + (histree_time)random_below(random, 100);
		if (kind == 1)
			value = histree_int((int32_t)random_below(random, CPUS));
		if (kind == 2)
			value = histree_string(calls[random_below(random, 3)]);
		modify(system, now, kind < 3 ? quarks[thread][kind] : owners[thread % CPUS],
		       random_percent(random, 10) ? unknown_or_null(random) : value);
	}
	assert_ok(histree_state_close(system, now + 50, NULL));
}

static enum histree_status ask_use(struct histree_history *history, const struct histree_time_use_request *request,
				   struct answer *out, struct histree_error *error)
{
	struct histree_time_use *use;
	size_t count;
	const enum histree_status status = histree_time_use_create(history, request, &use, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_use_row *rows = histree_time_use_rows(use, &count);
	put(out, count);
	for (size_t i = 0; i < count; i++) {
		for (int kind = 0; kind < HISTREE_USE_COUNT; kind++)
			put(out, rows[i].ns[kind]);
		put(out, rows[i].count);
		put(out, (uint64_t)rows[i].life);
		put(out, (uint64_t)rows[i].from);
		put(out, rows[i].name != NULL ? hash_bytes(rows[i].name, strlen(rows[i].name)) : 0);
	}
	histree_time_use_free(use);
	return status;
}

static enum histree_status ask_cube(struct histree_history *history, unsigned range, histree_time from,
				    histree_time to, struct answer *out, struct histree_error *error)
{
	static const unsigned bys[] = { HISTREE_BY(CPU) | HISTREE_BY(STATE), HISTREE_BY(SYSTEM_CALL),
					HISTREE_BY(HAD_BY) };
	enum histree_status status = HISTREE_OK;
	(void)range;
	for (size_t by = 0; by < 3 && status == HISTREE_OK; by++) {
		const struct histree_time_use_request request = { .from = from, .to = to, .by = bys[by] };
		status = ask_use(history, &request, out, error);
	}
	return status;
}

enum { A_PIECE = 1, A_STATE, A_CALL, TOO_MANY, NO_CELL, NO_USE, CUBE_LIES };

/* A cell of two rows or more, of which one ns is said to be the other's, and so on. */
static bool lie_of_cube(struct kept *kept, struct kept *next, unsigned lie)
{
	struct histree_value *value = &kept->state.value;
	const uint64_t ns = (uint64_t)(kept->state.end - kept->state.start) + 1;
	struct cube_cell cell = { 0 };
	struct intern texts = { 0 };
	struct byte_buffer saved = { 0 };
	(void)next;
	const bool is_one =
		value->type == HISTREE_CUSTOM && value->size > 1 &&
		cube_cell_get(&cell, CUBE_OF_CALLS, &texts, ns, THREADS, kept->bytes, value->size) == HISTREE_OK &&
		cell.count > 1 && cell.rows[0].ns > 1 && cell.rows[0].calls + cell.rows[1].calls > 0;
	if (is_one) {
		struct cube_row *rows = cell.rows;
		if (lie == A_PIECE)
			rows[0].ns--, rows[1].ns++;
		if (lie == A_STATE)
			rows[0].begins ^= 1;
		if (lie == A_CALL)
			rows[rows[0].calls == 0].calls--;
		if (lie == TOO_MANY)
			rows[1].ns += THREADS * ns;
		cube_cell_put(&cell, CUBE_OF_CALLS, &texts, &saved);
		byte_buffer_put_number(&saved, 0);
		assert_false(saved.failed);
		free(kept->bytes);
		kept->bytes = saved.bytes;
		value->size = lie == NO_USE ? 1 : (uint32_t)saved.size - (lie != NO_CELL);
		kept->bytes[0] = lie == NO_USE ? 0 : kept->bytes[0];
	}
	cube_cell_release(&cell);
	intern_release(&texts);
	return is_one;
}

/* ---- names --------------------------------------------------------------------------------------------------- */

enum { NAMED = 150 };

/* Threads that live shortly, one after another, and are called something; some of their numbers are used again. */
static void build_names(struct histree_state_system *system, struct random *random)
{
	static const char *const facts[] = { "", "/Exec_name", "/PID", "/PPID" };
	static const char *const programs[] = { "sh", "cc1", "a longer name" };
	histree_quark quarks[NAMED][4];
	histree_time now = 100;
	char name[64];
	for (int i = 0; i < NAMED; i++)
		for (int k = 0; k < 4; k++) {
			snprintf(name, sizeof(name), "Threads/%d%s", 10 + i, facts[k]);
			quarks[i][k] = attribute(system, name);
		}
	for (unsigned life = 0; life < NAMED + NAMED / 2; life++) {
		const histree_quark *thread = quarks[life % NAMED];
		now += 1 + (histree_time)random_below(random, 50);
		modify(system, now, thread[1], histree_string(programs[random_below(random, 3)]));
		modify(system, now, thread[2], histree_int((int32_t)random_below(random, 9)));
		modify(system, now, thread[3], histree_int((int32_t)random_below(random, 9)));
		for (uint64_t state = 2 + random_below(random, 12); state > 0; state--) {
			modify(system, now, thread[0], histree_int((int32_t)random_below(random, 6)));
			now += 1 + (histree_time)random_below(random, 50);
		}
		for (int k = 0; k < 4; k++)
			modify(system, now, thread[k], histree_null());
	}
	assert_ok(histree_state_close(system, now + 50, NULL));
}

static enum histree_status ask_names(struct histree_history *history, unsigned range, histree_time from,
				     histree_time to, struct answer *out, struct histree_error *error)
{
	const struct histree_time_use_request request = {
		.from = from, .to = to, .by = HISTREE_BY(THREAD) | HISTREE_BY(PROCESS), .states_max = 100 + range
	};
	return ask_use(history, &request, out, error);
}

enum { ANOTHER_NAME = 1, ANOTHER_INT, A_LATER_CHANGE, NAME_LIES };

static bool lie_of_names(struct kept *kept, struct kept *next, unsigned lie)
{
	struct histree_interval *state = &kept->state;
	const bool is_name = state->value.type == HISTREE_STRING, is_int = state->value.type == HISTREE_INT;
	if (lie == NO_LIE)
		return true;
	if (lie == ANOTHER_NAME && is_name)
		kept->bytes[0]++;
	if (lie == ANOTHER_INT && is_int)
		state->value.int32++;
	if (lie != A_LATER_CHANGE)
		return lie == ANOTHER_NAME ? is_name : is_int;
	if (!is_int || next == NULL || next->state.quark != state->quark || next->state.start == next->state.end)
		return false;
	state->end++;
	next->state.start++;
	return true;
}

/* ---- kinds --------------------------------------------------------------------------------------------------- */

/* Rows of states, and of the others, have no attribute with enough states. */
#define ALONE .history_states_min = 1, .states_min = UINT32_MAX, .percent_max = 100000, .threads = 1

static struct kind kinds[] = {
	{
		.id = PYRAMID_NUMBERS,
		.suffix = ".numbers",
		.provider = "test",
		.verify = histree_numbers_verify,
		.options = { ALONE, .states_in_window = 500, .numbers_percent_max = 1000, .number_states_min = 8,
			     .number_states_log2 = 3 },
		.ranges = 40,
		.cost_share = 4,
		.stride = 1,
		.build = build_numbers,
		.ask = ask_numbers,
		.lie = lie_of_numbers,
		.lies = NUMBER_LIES,
		.impossible = A_TIME,
	},
	{
		.id = PYRAMID_SUMS,
		.suffix = ".sums",
		.provider = "test",
		.verify = histree_sums_verify,
		.options = { ALONE, .states_in_window = 500, .number_states_min = UINT32_MAX,
			     .sums_percent_max = 50000, .sum_states_min = 8 },
		.ranges = 6,
		.cost_share = 2,
		.stride = 1,
		.build = build_sums,
		.ask = ask_sums,
		.lie = lie_of_sums,
		.lies = SUM_LIES,
		.impossible = TOO_MUCH,
	},
	{
		.id = PYRAMID_CUBE,
		.suffix = ".cube",
		.provider = "kernel",
		.verify = histree_sums_verify,
		.options = { ALONE, .number_states_min = UINT32_MAX, .sum_states_min = UINT32_MAX,
			     .cube_percent_max = 100000 },
		.ranges = 4,
		.stride = 3,
		.build = build_cube,
		.ask = ask_cube,
		.lie = lie_of_cube,
		.lies = CUBE_LIES,
		.impossible = TOO_MANY,
	},
	{
		.id = PYRAMID_NAMES,
		.suffix = ".names",
		.provider = "kernel",
		.verify = histree_sums_verify,
		.options = { ALONE, .number_states_min = UINT32_MAX, .sum_states_min = UINT32_MAX,
			     .cube_percent_max = 1, .names_percent_max = 100000 },
		.ranges = 3,
		.stride = 3,
		.build = build_names,
		.ask = ask_names,
		.lie = lie_of_names,
		.lies = NAME_LIES,
		.impossible = NAME_LIES,
		.has_no_entries = true,
	},
};

static enum histree_status ask(bool no_overviews, struct answer *out, struct histree_error *error)
{
	const struct histree_open_options how = { .no_overviews = no_overviews };
	struct histree_history *history;
	memset(out, 0, sizeof(*out));
	enum histree_status status = histree_history_open(asking.path, &how, &history, error);
	for (unsigned i = 0; i < asking.kind->ranges && status == HISTREE_OK; i++)
		status = asking.kind->ask(history, i, asking.from[i], asking.to[i], out, error);
	histree_history_close(history);
	return status;
}

static bool is_as_found(void)
{
	return asking.found.count == asking.right.count &&
	       memcmp(asking.found.numbers, asking.right.numbers, sizeof(asking.right.numbers)) == 0;
}

static bool is_right(const char *what)
{
	struct histree_error error = { 0 };
	if (ask(false, &asking.found, &error) != HISTREE_OK)
		fail_msg("%s: %s", what, error.message);
	return is_as_found();
}

/* Whether verifying says that it is wrong. */
static bool is_told(void)
{
	return overview_file_is_told(asking.path, asking.kind->verify, asking.kind->suffix);
}

static void choose_ranges(struct random *random)
{
	const uint64_t whole = (uint64_t)(asking.of.end - asking.of.start);
	for (unsigned i = 0; i < asking.kind->ranges; i++) {
		histree_time a = asking.of.start + (histree_time)random_below(random, whole);
		histree_time b = asking.of.start + (histree_time)random_below(random, whole);
		asking.from[i] = i < 2 ? asking.of.start : a < b ? a : b;
		asking.to[i] = i < 2 ? asking.of.end : a < b ? b : a;
	}
}

static int begin(void **state)
{
	const struct kind *kind = *state;
	struct random random = { test_seed() };
	struct histree_state_system *system;
	struct histree_history *history;
	memset(&asking, 0, sizeof(asking));
	asking.kind = kind;
	snprintf(asking.path, sizeof(asking.path), "test_pyramid_faults.%ld.sht", (long)getpid());
	pyramid_path(kind->id, asking.path, 1, asking.file.path);
	unlink(asking.path);
	const struct histree_history_options made = { .path = asking.path,
						      .provider = kind->provider,
						      .start = 100,
						      .tree = { .node_size = 4096, .threads = 1 } };
	assert_ok(histree_state_create(&made, &system, NULL));
	kind->build(system, &random);
	histree_state_free(system);
	assert_ok(histree_history_open(asking.path, NULL, &history, NULL));
	asking.of = *histree_history_info(history);
	histree_history_close(history);
	choose_ranges(&random);
	assert_ok(ask(true, &asking.right, NULL));
	assert_ok(overviews_write(&io_posix, asking.path, &kind->options, NULL));
	assert_int_equal(overview_file_count(asking.path), 1);
	assert_true(is_right("as it was made"));
	assert_true(kind->cost_share == 0 || asking.found.cost < asking.right.cost / kind->cost_share);
	assert_false(is_told());
	overview_file_read(&asking.file);
	return 0;
}

static int end(void **state)
{
	(void)state;
	unlink(asking.path);
	overview_file_end(&asking.file);
	return 0;
}

/* ---- damage and forgery -------------------------------------------------------------------------------------- */

/* Returns how often verifying said so. */
static unsigned write_wrong(unsigned times, void (*spoil)(struct forged *forged), bool is_answer_right)
{
	struct random random = { test_seed() };
	unsigned told = 0;
	for (unsigned i = 0; i < times; i++) {
		uint8_t *copy = malloc(asking.file.size);
		assert_non_null(copy);
		memcpy(copy, asking.file.bytes, asking.file.size);
		struct forged forged = { .random = &random, .bytes = copy, .size = asking.file.size };
		spoil(&forged);
		overview_file_write(&asking.file, copy, forged.size);
		const bool right = is_right(forged.what), said = is_told();
		if (!right && (is_answer_right || !said))
			fail_msg("%s: another answer%s", forged.what, said ? "" : ", and nobody says so");
		told += said;
		free(copy);
	}
	return told;
}

static void damage_costs_no_answer(void **state)
{
	(void)state;
	const unsigned times = (unsigned)test_effort(300, 60);
	assert_true(write_wrong(times, forge_damage, true) > times / 2);
	unlink(asking.file.path);
	assert_true(is_right("none"));
	assert_false(is_told());
}

static void forgery_is_told_or_harmless(void **state)
{
	(void)state;
	assert_true(write_wrong((unsigned)(test_effort(200, 50) * test_rounds()), forge_blocks, false) > 0);
}

/* ---- pyramids by hand ---------------------------------------------------------------------------------------- */

COMPARE(by_end, struct kept, BY(state.end))

COMPARE(by_attribute, struct kept, BY(state.quark) BY(state.start))

static bool has_bytes(const struct histree_interval *state)
{
	return state->value.type == HISTREE_CUSTOM || state->value.type == HISTREE_STRING;
}

static struct kept *keep_all(struct histree_history *pyramid, size_t *count)
{
	const struct histree_region all = { .from = asking.of.start, .to = asking.of.end };
	struct kept *kept = calloc(histree_history_info(pyramid)->interval_count + 64, sizeof(*kept));
	struct histree_cursor *query;
	struct histree_interval state;
	assert_non_null(kept);
	*count = 0;
	assert_ok(histree_query_create(pyramid, &query, NULL));
	assert_ok(histree_query_start(query, &all, NULL));
	while (histree_cursor_next(query, NULL) == HISTREE_OK) {
		state = *histree_cursor_interval(query);
		kept[*count].state = state;
		if (has_bytes(&state)) {
			kept[*count].bytes = malloc(state.value.size + 1);
			assert_non_null(kept[*count].bytes);
			memcpy(kept[*count].bytes, state.value.bytes, state.value.size);
		}
		++*count;
	}
	histree_cursor_free(query);
	qsort(kept, *count, sizeof(*kept), by_attribute);
	return kept;
}

/* The same attributes; with another name for the last one, if there is one. */
static void name_all(struct attribute_tree *attributes, struct histree_history *pyramid, const char *last)
{
	const struct histree_attributes *names = histree_history_attributes(pyramid);
	const uint32_t count = histree_history_info(pyramid)->attribute_count;
	attribute_tree_init(attributes);
	for (histree_quark quark = 0; quark < count; quark++) {
		char name[32];
		histree_quark own, parent = histree_attributes_parent(names, quark);
		size_t size = histree_attributes_name(names, quark, name, sizeof(name));
		if (last != NULL && quark + 1 == count)
			size = (size_t)snprintf(name, sizeof(name), "%s", last);
		assert_ok(attribute_tree_add(attributes, parent, name, size, &own, NULL));
		assert_int_equal(own, quark);
	}
}

/* All states once more, with right checksums, and one of them lies; of what was made, whatever is there. */
static void forge(unsigned lie, const char *provider, uint32_t version, const char *last)
{
	struct histree_history *pyramid;
	struct interval_sink sink;
	struct attribute_tree attributes;
	size_t count;
	bool lied = false;
	overview_file_write(&asking.file, asking.file.bytes, asking.file.size);
	assert_ok(histree_history_open(asking.file.path, NULL, &pyramid, NULL));
	const struct histree_history_options made = {
		.path = asking.file.path,
		.provider = provider,
		.provider_version = version,
		.start = asking.of.start,
		.tree = { .node_size = histree_history_info(pyramid)->node_size },
	};
	struct kept *kept = keep_all(pyramid, &count);
	name_all(&attributes, pyramid, last);
	histree_history_close(pyramid);
	for (size_t i = 0; i < count && !lied; i++)
		lied = asking.kind->lie(&kept[i], i + 1 < count ? &kept[i + 1] : NULL, lie);
	assert_true(lied);
	qsort(kept, count, sizeof(*kept), by_end);
	unlink(asking.file.path);
	assert_ok(state_file_sink(&io_posix, &made, NULL, &sink, NULL));
	for (size_t i = 0; i < count; i++) {
		if (has_bytes(&kept[i].state))
			kept[i].state.value.bytes = (const char *)kept[i].bytes;
		assert_ok(sink.add(sink.context, &kept[i].state, NULL));
		free(kept[i].bytes);
	}
	assert_ok(sink.finish(sink.context, &attributes, asking.of.end, NULL));
	attribute_tree_release(&attributes);
	sink.free(sink.context);
	free(kept);
}

/* By which it says that it is of this history; returns its N. */
static unsigned read_provider(char *provider, size_t size)
{
	struct histree_history *pyramid;
	uint64_t identity;
	unsigned log2;
	assert_ok(histree_history_open(asking.file.path, NULL, &pyramid, NULL));
	snprintf(provider, size, "%s", histree_history_info(pyramid)->provider);
	histree_history_close(pyramid);
	assert_int_equal(sscanf(provider, "%*s of %lx, by 2^%u", &identity, &log2), 2);
	return log2;
}

static void lies_are_told_or_found(void **state)
{
	(void)state;
	const struct kind *kind = asking.kind;
	char provider[sizeof(asking.of.provider)];
	read_provider(provider, sizeof(provider));
	for (unsigned lie = NO_LIE; lie < kind->lies; lie++) {
		forge(lie, provider, pyramid_kinds[kind->id].version, NULL);
		assert_int_equal(overview_file_count(asking.path), 1);
		const bool right = is_right("a lie"), told = is_told();
		if (told != (lie != NO_LIE))
			fail_msg("lie %u is%s told", lie, told ? "" : " not");
		/* What no states can have is found by the question that meets it, and the rest by verifying. */
		if (!right && (lie == NO_LIE || lie >= kind->impossible))
			fail_msg("lie %u has another answer", lie);
	}
}

static void expect_none(const char *provider, uint32_t version, const char *last)
{
	forge(NO_LIE, provider, version, last);
	assert_int_equal(overview_file_count(asking.path), last != NULL && asking.kind->has_no_entries);
	assert_true(is_right("a foreign one"));
	assert_true(is_told());
}

static void foreign_ones_are_none(void **state)
{
	(void)state;
	const enum pyramid_id id = asking.kind->id;
	const uint32_t version = pyramid_kinds[id].version;
	char provider[sizeof(asking.of.provider)], other[sizeof(asking.of.provider)], last[16];
	struct histree_history_info of = asking.of;
	const unsigned log2 = read_provider(provider, sizeof(provider));
	of.identity ^= 1;
	pyramid_provider(id, &of, log2, other, sizeof(other));
	expect_none(other, version, NULL);
	expect_none(provider, version + 1, NULL);
	snprintf(other, sizeof(other), "%s of 12", pyramid_kinds[id].name);
	expect_none(other, version, NULL);
	pyramid_provider(id, &asking.of, pyramid_kinds[id].log2_max + 1, other, sizeof(other));
	expect_none(other, version, NULL);
	snprintf(last, sizeof(last), "%u", asking.of.attribute_count);
	expect_none(provider, version, last);
	/* Cells of another size are of this history, and are not what they should be. */
	for (unsigned other_log2 = 0; other_log2 <= pyramid_kinds[id].log2_max; other_log2 += 3) {
		pyramid_provider(id, &asking.of, other_log2, other, sizeof(other));
		forge(NO_LIE, other, version, NULL);
		assert_true(is_right("other cells") || is_told());
		assert_int_equal(is_told(), other_log2 != log2);
	}
}

/* ---- threads ------------------------------------------------------------------------------------------------- */

/* Of a cube nor do windows: its cells are the same, however they were put together. */
static void threads_make_no_difference(void **state)
{
	(void)state;
	struct overview_file again = asking.file;
	for (uint32_t threads = 1; threads < 5; threads++) {
		struct overview_options other = asking.kind->options;
		other.threads = threads;
		if (asking.kind->id == PYRAMID_CUBE)
			other.states_in_window = 50 * threads;
		assert_ok(overviews_write(&io_posix, asking.path, &other, NULL));
		overview_file_read(&again);
		assert_int_equal(again.size, asking.file.size);
		assert_memory_equal(again.bytes, asking.file.bytes, asking.file.size);
		free(again.bytes);
	}
}

/* ---- no memory ----------------------------------------------------------------------------------------------- */

/* Returns how many allocations there are. */
static uint64_t refuse_each(bool is_making, bool for_ever, uint64_t stride)
{
	uint64_t failures = 0;
	for (bool refused = true; refused;) {
		struct histree_error error = { 0 };
		faulty_memory_begin(failures += stride, for_ever);
		enum histree_status status =
			is_making ? overviews_write(&io_posix, asking.path, &asking.kind->options, &error)
				  : ask(false, &asking.found, &error);
		faulty_memory_end();
		refused = faulty_memory.refused;
		if (status != HISTREE_OK)
			assert_int_equal(status, HISTREE_ERR_MEMORY);
		else if (!is_making)
			assert_true(is_as_found());
		else if (!refused)
			assert_true(is_right("made again") && !is_told());
	}
	return failures;
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	const uint64_t stride = asking.kind->stride == 1 ? 1 : test_effort(asking.kind->stride, 31);
	assert_true(refuse_each(false, false, stride) > 20);
	assert_true(refuse_each(false, true, stride) > 20);
	assert_true(refuse_each(true, false, test_effort(7, 97)) > 100);
}

TEST_SUITE
{
	const struct CMUnitTest each[] = {
		cmocka_unit_test_setup_teardown(damage_costs_no_answer, begin, end),
		cmocka_unit_test_setup_teardown(forgery_is_told_or_harmless, begin, end),
		cmocka_unit_test_setup_teardown(lies_are_told_or_found, begin, end),
		cmocka_unit_test_setup_teardown(foreign_ones_are_none, begin, end),
		cmocka_unit_test_setup_teardown(threads_make_no_difference, begin, end),
		cmocka_unit_test_setup_teardown(every_allocation_may_fail, begin, end),
	};
	int failed = 0;
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++) {
		struct CMUnitTest tests[sizeof(each) / sizeof(*each)];
		memcpy(tests, each, sizeof(tests));
		for (size_t i = 0; i < sizeof(each) / sizeof(*each); i++)
			tests[i].initial_state = &kinds[kind];
		failed += cmocka_run_group_tests_name(kinds[kind].suffix + 1, tests, NULL, NULL);
	}
	return failed;
}
