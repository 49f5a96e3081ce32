// SPDX-License-Identifier: MIT
/*
 * test_overview_faults.c - overviews are a help and no more: making them fails at each file call, at each
 * allocation and when it is cancelled, and leaves a history as it was; damaged or foreign ones cost time, and never
 * an answer.
 */
#include "base/hash_index.h"
#include "histree/attributes.h"
#include "histree/states.h"
#include "overview/overview_writer.h"
#include "state/pyramid.h"
#include "state/state_file.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/faulty_memory.h"
#include "support/forging.h"
#include "support/history_file.h"
#include "support/memory_io.h"
#include "support/overview_file.h"
#include "support/test.h"
#include "support/workload.h"
#include "view/view.h"

enum { CPUS = 3, STATES = 3000, END = 165000, PIXELS = 10, NAME_SIZE = 96 };

static const struct overview_options small = {
	.history_states_min = 1,
	.states_min = 8,
	.states_in_cell = 4,
	.states_in_window = 400,
	.cells_min = 8,
	.cost_max_share = 1,
	.cells_least = 1,
	.percent_max = 100000,
	.numbers_percent_max = 50000,
	.number_states_min = 8,
	.number_states_log2 = 3,
	.sums_percent_max = 50000,
	.sum_states_min = 8,
	.threads = 1,
};

/* What the CPUs do, of which there are sums. */
static const struct histree_label status_labels[] = {
	{ .first = 0, .last = 4, .is_code = true, .style = { "STATUS", "status", 1, 1, 1 } },
};
static const char *const status_patterns[] = { "CPUs/*", NULL };
static const struct histree_label_table status_table = {
	.name = "status", .patterns = status_patterns, .labels = status_labels, .label_count = 1
};

static void build(const struct io *io, const char *path, uint64_t seed)
{
	const struct histree_history_options options = {
		.path = path, .provider = "test", .start = 100, .tree = { .node_size = 4096, .threads = 1 }
	};
	struct random random = { seed };
	struct histree_state_system *system;
	histree_quark quarks[CPUS], statuses[CPUS];
	histree_time now = options.start;
	assert_ok(state_file_create(io, &options, &system, NULL));
	assert_ok(histree_state_labels(system, &status_table, 1, NULL));
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		char name[32];
		snprintf(name, sizeof(name), "CPUs/%u/Current_thread", cpu);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &quarks[cpu], NULL));
		snprintf(name, sizeof(name), "CPUs/%u", cpu);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &statuses[cpu], NULL));
	}
	for (unsigned i = 0; i < STATES; i++) {
		now += (histree_time)random_below(&random, 100);
		struct histree_value value = histree_int((int32_t)random_below(&random, 30));
		assert_ok(histree_state_modify(system, now, quarks[i % CPUS], value, NULL));
		if (i % 5 == 0)
			assert_ok(histree_state_modify(system, now, statuses[i % CPUS],
						       histree_int((int32_t)random_below(&random, 5)), NULL));
	}
	/* All of them are as long: it is not by that that one is told from another. */
	assert_true(now < END);
	assert_ok(histree_state_close(system, END, NULL));
	histree_state_free(system);
}

/* ---- making them ------------------------------------------------------------------------------------------ */

struct making {
	struct memory_io memory;
	struct faulty_io faulty;
	uint8_t *bytes; /* of the history, before */
	size_t size;
};

static void begin_making(struct making *making)
{
	memory_io_init(&making->memory);
	faulty_io_init(&making->faulty, &making->memory.io);
	build(&making->memory.io, "f", test_seed());
	const struct memory_file *file = memory_io_find(&making->memory, "f");
	making->size = file->size;
	making->bytes = malloc(file->size);
	assert_non_null(making->bytes);
	memcpy(making->bytes, file->bytes, file->size);
}

static void end_making(struct making *making)
{
	free(making->bytes);
	memory_io_release(&making->memory);
}

static unsigned count_overviews(struct making *making)
{
	unsigned count = 0;
	for (uint32_t number = 1; number <= PYRAMID_LEVELS_MAX; number++) {
		char name[NAME_SIZE];
		pyramid_path(PYRAMID_ROWS, "f", number, name);
		count += memory_io_find(&making->memory, name) != NULL;
	}
	count += memory_io_find(&making->memory, "f.numbers") != NULL;
	count += memory_io_find(&making->memory, "f.sums") != NULL;
	return count;
}

/* A call that failed said so and changed nothing. */
static void assert_nothing_left(struct making *making, enum histree_status status, enum histree_status expected,
				const struct histree_error *error)
{
	const struct memory_file *file = memory_io_find(&making->memory, "f");
	assert_int_equal(status, expected);
	assert_int_equal(error->status, expected);
	assert_true(error->message[0] != '\0');
	assert_int_equal(count_overviews(making), 0);
	assert_int_equal(file->size, making->size);
	assert_memory_equal(file->bytes, making->bytes, making->size);
}

TEST(every_file_call_may_fail)
{
	uint64_t stride = test_effort(2, 17);
	for (int for_ever = 0; for_ever < 2; for_ever++) {
		struct making making;
		uint64_t failures = 0;
		begin_making(&making);
		making.faulty.for_ever = for_ever != 0;
		for (;;) {
			struct histree_error error = { 0 };
			making.faulty.operations = 0;
			making.faulty.fail_at = failures += stride;
			enum histree_status status = overviews_write(&making.faulty.io, "f", &small, &error);
			if (status == HISTREE_OK && making.faulty.operations < failures)
				break;
			/* Labels that cannot be read are none, and without labels there are no sums. */
			if (status == HISTREE_OK && memory_io_find(&making.memory, "f.sums") == NULL)
				continue;
			assert_nothing_left(&making, status, HISTREE_ERR_IO, &error);
		}
		assert_true(failures > 50);
		assert_true(count_overviews(&making) > 1);
		assert_non_null(memory_io_find(&making.memory, "f.sums"));
		end_making(&making);
	}
}

TEST(every_allocation_may_fail)
{
	uint64_t stride = test_effort(3, 29);
	for (int for_ever = 0; for_ever < 2; for_ever++) {
		struct making making;
		uint64_t failures = 0;
		begin_making(&making);
		for (bool refused = true; refused;) {
			struct histree_error error = { 0 };
			faulty_memory_begin(failures += stride, for_ever != 0);
			enum histree_status status = overviews_write(&making.memory.io, "f", &small, &error);
			faulty_memory_end();
			refused = faulty_memory.refused;
			if (status == HISTREE_OK) /* only a hint was lost, or nothing */
				assert_true(count_overviews(&making) > 1);
			else /* files are in memory too: to them it is a full disk */
				assert_nothing_left(&making, status,
						    status == HISTREE_ERR_IO ? status : HISTREE_ERR_MEMORY, &error);
		}
		assert_true(failures > 50);
		end_making(&making);
	}
}

struct questions {
	uint64_t left; /* that are answered with yes */
	double share;  /* what the last one said of the work that is done */
};

static bool count_down(void *context, double share)
{
	struct questions *questions = context;
	assert_true(share >= questions->share && share <= 1);
	questions->share = share;
	return questions->left > 0 && questions->left-- > 0;
}

TEST(cancelled_at_every_question)
{
	struct making making;
	enum histree_status status = HISTREE_ERR_CANCELLED;
	uint64_t questions = 0;
	begin_making(&making);
	for (; status != HISTREE_OK; questions++) {
		struct histree_error error = { 0 };
		struct overview_options options = small;
		struct questions asked = { .left = questions };
		options.go_on = count_down;
		options.context = &asked;
		status = overviews_write(&making.memory.io, "f", &options, &error);
		if (status != HISTREE_OK)
			assert_nothing_left(&making, status, HISTREE_ERR_CANCELLED, &error);
		else
			assert_true(asked.share > 0.5);
	}
	assert_true(questions > 10);
	end_making(&making);
}

/* ---- using them ------------------------------------------------------------------------------------------- */

/* All that is asked of a history, as numbers. */
struct picture {
	int32_t cells[CPUS][PIXELS][2];
	double usage[PIXELS];
	uint32_t overview_count;
};

static int32_t number_of(const struct histree_cursor *rows, uint32_t index)
{
	struct histree_value value = histree_rows_value(rows, index);
	if (index == HISTREE_NO_VALUE || index == HISTREE_UNKNOWN_VALUE)
		return -2;
	return value.type == HISTREE_INT ? value.int32 : -1;
}

static enum histree_status draw_rows(struct histree_history *history, struct picture *picture,
				     struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(history);
	histree_quark quarks[CPUS];
	struct histree_cursor *rows;
	struct histree_row row;
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		char name[32];
		snprintf(name, sizeof(name), "CPUs/%u/Current_thread", cpu);
		enum histree_status found = histree_attributes_find(histree_history_attributes(history),
								    HISTREE_ROOT, name, &quarks[cpu]);
		if (found != HISTREE_OK)
			return found;
	}
	const struct histree_rows_request request = {
		.quarks = quarks, .quark_count = CPUS, .from = info->start, .to = info->end, .pixels = PIXELS
	};
	enum histree_status status = histree_rows_create(history, &rows, error);
	if (status == HISTREE_OK)
		status = histree_rows_start(rows, &request, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(rows, error)) == HISTREE_OK) {
		row = *histree_cursor_row(rows);
		for (unsigned pixel = 0; pixel < PIXELS; pixel++) {
			picture->cells[row.index][pixel][0] = number_of(rows, row.cells[pixel].value);
			picture->cells[row.index][pixel][1] = number_of(rows, row.cells[pixel].other);
		}
	}
	histree_cursor_free(rows);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status draw(const char *path, bool no_overviews, struct picture *picture,
				struct histree_error *error)
{
	const struct histree_open_options options = { .no_overviews = no_overviews };
	struct histree_history *history;
	struct histree_cpu_usage *usage = NULL;
	memset(picture, 0, sizeof(*picture));
	enum histree_status status = histree_history_open(path, &options, &history, error);
	if (status == HISTREE_OK)
		status = draw_rows(history, picture, error);
	if (status == HISTREE_OK) {
		const struct histree_history_info *info = histree_history_info(history);
		const struct histree_cpu_usage_request request = {
			.from = info->start, .to = info->end, .pixels = PIXELS, .no_times = true
		};
		status = histree_cpu_usage_create(history, &request, &usage, error);
	}
	if (status == HISTREE_OK)
		memcpy(picture->usage, histree_cpu_usage_curve(usage, 0), sizeof(picture->usage));
	histree_cpu_usage_free(usage);
	histree_history_close(history);
	return status;
}

/* With so many overviews, as many as there are pictures. */
struct drawn {
	char path[NAME_SIZE / 2];
	struct overview_file file; /* the one that was named last */
	struct picture pictures[PYRAMID_LEVELS_MAX + 1];
	uint32_t overview_count;
};

static void name_overview(struct drawn *drawn, uint32_t number)
{
	pyramid_path(PYRAMID_ROWS, drawn->path, number, drawn->file.path);
}

static void begin_drawing(struct drawn *drawn)
{
	memset(drawn, 0, sizeof(*drawn));
	snprintf(drawn->path, sizeof(drawn->path), "test_overview_faults.%ld.sht", (long)getpid());
	unlink(drawn->path);
	build(&io_posix, drawn->path, test_seed());
	assert_ok(draw(drawn->path, true, &drawn->pictures[0], NULL));
	assert_ok(overviews_write(&io_posix, drawn->path, &small, NULL));
	/* Neither rows nor the usage are made of these: test_pyramid_faults. */
	pyramid_path(PYRAMID_NUMBERS, drawn->path, 1, drawn->file.path);
	assert_int_equal(unlink(drawn->file.path), 0);
	pyramid_path(PYRAMID_SUMS, drawn->path, 1, drawn->file.path);
	assert_int_equal(unlink(drawn->file.path), 0);
	for (name_overview(drawn, 1); access(drawn->file.path, R_OK) == 0;
	     name_overview(drawn, drawn->overview_count + 1))
		drawn->overview_count++;
	assert_true(drawn->overview_count > 1);
	char kept[NAME_SIZE + 8];
	for (uint32_t number = drawn->overview_count + 1; number-- > 0;) {
		assert_ok(draw(drawn->path, false, &drawn->pictures[number], NULL));
		name_overview(drawn, number);
		snprintf(kept, sizeof(kept), "%s.kept", drawn->file.path);
		if (number > 0)
			assert_int_equal(rename(drawn->file.path, kept), 0);
	}
	for (uint32_t number = 1; number <= drawn->overview_count; number++) {
		name_overview(drawn, number);
		snprintf(kept, sizeof(kept), "%s.kept", drawn->file.path);
		assert_int_equal(rename(kept, drawn->file.path), 0);
	}
	assert_memory_not_equal(&drawn->pictures[drawn->overview_count], &drawn->pictures[0],
				sizeof(struct picture)); /* they are used */
}

static void end_drawing(struct drawn *drawn)
{
	history_files_remove(drawn->path);
}

/* Rows and curves are each made of the history, or of as many overviews as are whole. */
static void assert_is_right(struct drawn *drawn, const char *what)
{
	struct picture picture;
	struct histree_error error = { 0 };
	if (draw(drawn->path, false, &picture, &error) != HISTREE_OK)
		fail_msg("%s: %s", what, error.message);
	bool has_rows = false, has_usage = false;
	for (uint32_t i = 0; i <= drawn->overview_count; i++) {
		const struct picture *known = &drawn->pictures[i];
		has_rows = has_rows || memcmp(picture.cells, known->cells, sizeof(known->cells)) == 0;
		has_usage = has_usage || memcmp(picture.usage, known->usage, sizeof(known->usage)) == 0;
	}
	if (!has_rows || !has_usage)
		fail_msg("%s: %s", what, has_rows ? "another usage of CPUs" : "other rows");
}

struct told {
	const char *path; /* each sentence names it, and the way out */
	unsigned faults;
};

static void hear(void *context, const char *fault)
{
	struct told *told = context;
	told->faults++;
	if (strstr(fault, told->path) == NULL || strstr(fault, "histree copy --repair") == NULL)
		fail_msg("a fault of '%s': %s", told->path, fault);
}

/* Whether verifying says that an overview is damaged, the one that was named last. */
static bool is_told(struct drawn *drawn)
{
	struct told told = { .path = drawn->file.path };
	struct histree_history *history;
	assert_ok(histree_history_open(drawn->path, NULL, &history, NULL));
	enum histree_status status = histree_history_verify(history, hear, &told, NULL);
	assert_int_equal(status, told.faults > 0 ? HISTREE_ERR_FORMAT : HISTREE_OK);
	histree_history_close(history);
	return told.faults > 0;
}

TEST(damaged_overviews_cost_no_answer)
{
	struct drawn drawn;
	struct random random = { test_seed() };
	int told = 0, damages = (int)test_effort(400, 60);
	begin_drawing(&drawn);
	for (int i = 0; i < damages; i++) {
		char what[128];
		uint32_t number = 1 + (uint32_t)random_below(&random, drawn.overview_count);
		name_overview(&drawn, number);
		overview_file_read(&drawn.file);
		const size_t size = drawn.file.size;
		uint8_t *damaged = malloc(size);
		assert_non_null(damaged);
		memcpy(damaged, drawn.file.bytes, size);
		bool is_cut = random_percent(&random, 25);
		size_t left = is_cut ? random_below(&random, size) : size, at = 0;
		for (uint64_t flips = is_cut ? 0 : 1 + random_below(&random, 4); flips > 0; flips--) {
			at = random_below(&random, size);
			damaged[at] ^= (uint8_t)(1 << random_below(&random, 8));
		}
		snprintf(what, sizeof(what), "damage %d: overview %u of %zu bytes, %s %zu", i, number, size,
			 is_cut ? "cut to" : "flipped at", is_cut ? left : at);
		overview_file_write(&drawn.file, damaged, left);
		assert_is_right(&drawn, what);
		bool is_said = is_told(&drawn);
		assert_true(is_said || !is_cut); /* a block may have bytes behind its last that nobody reads */
		told += is_said;
		overview_file_write(&drawn.file, drawn.file.bytes, size);
		free(drawn.file.bytes);
		free(damaged);
	}
	assert_true(told > damages / 2);
	assert_false(is_told(&drawn));
	end_drawing(&drawn);
}

/* What is forged with right checksums may say what it likes, but no answer fails for it, or ends late. */
TEST(forged_overviews_cost_no_view)
{
	struct drawn drawn;
	struct random random = { test_seed() };
	begin_drawing(&drawn);
	for (uint64_t left = test_effort(100, 30) * test_rounds(); left > 0; left--) {
		struct picture picture;
		struct histree_error error = { 0 };
		name_overview(&drawn, 1 + (uint32_t)random_below(&random, drawn.overview_count));
		overview_file_read(&drawn.file);
		uint8_t *copy = malloc(drawn.file.size);
		assert_non_null(copy);
		memcpy(copy, drawn.file.bytes, drawn.file.size);
		struct forged forged = { .random = &random, .bytes = copy, .size = drawn.file.size };
		forge_blocks(&forged);
		overview_file_write(&drawn.file, copy, forged.size);
		if (draw(drawn.path, false, &picture, &error) != HISTREE_OK)
			fail_msg("%s: %s%s", drawn.file.path, forged.what, error.message);
		is_told(&drawn);
		overview_file_write(&drawn.file, drawn.file.bytes, drawn.file.size);
		free(drawn.file.bytes);
		free(copy);
	}
	end_drawing(&drawn);
}

TEST(a_history_says_how_many_it_has)
{
	struct drawn drawn;
	struct histree_history *history;
	uint64_t bytes = 0;
	begin_drawing(&drawn);
	for (uint32_t number = 1; number <= drawn.overview_count; number++) {
		name_overview(&drawn, number);
		overview_file_read(&drawn.file);
		free(drawn.file.bytes);
		bytes += drawn.file.size;
	}
	for (int no_overviews = 0; no_overviews < 2; no_overviews++) {
		const struct histree_open_options options = { .no_overviews = no_overviews != 0 };
		assert_ok(histree_history_open(drawn.path, &options, &history, NULL));
		const struct histree_history_info *info = histree_history_info(history);
		assert_int_equal(info->overview_count, no_overviews ? 0 : drawn.overview_count);
		assert_int_equal(info->overview_bytes, no_overviews ? 0 : bytes);
		histree_history_close(history);
	}
	end_drawing(&drawn);
}

TEST(overviews_of_another_history_are_none)
{
	struct drawn drawn;
	struct picture picture;
	struct overview_file history = { .bytes = NULL };
	begin_drawing(&drawn);
	unlink(drawn.path);
	build(&io_posix, drawn.path, test_seed() + 1);
	assert_ok(draw(drawn.path, true, &drawn.pictures[0], NULL));
	assert_ok(draw(drawn.path, false, &picture, NULL));
	assert_memory_equal(&picture, &drawn.pictures[0], sizeof(picture));
	/* Nor is a history its own overview. */
	snprintf(history.path, sizeof(history.path), "%s", drawn.path);
	overview_file_read(&history);
	name_overview(&drawn, 1);
	overview_file_write(&drawn.file, history.bytes, history.size);
	free(history.bytes);
	assert_ok(draw(drawn.path, false, &picture, NULL));
	assert_memory_equal(&picture, &drawn.pictures[0], sizeof(picture));
	end_drawing(&drawn);
}

/* One that says that it is of this history, with some names and a value that the history does not have. */
static void forge_as(struct drawn *drawn, const struct histree_history_info *of, const char *provider,
		     uint32_t version, const char *const *names)
{
	struct histree_state_system *system;
	name_overview(drawn, 1);
	unlink(drawn->file.path);
	const struct histree_history_options options = {
		.path = drawn->file.path,
		.provider = provider,
		.provider_version = version,
		.start = of->start,
	};
	assert_ok(histree_state_create(&options, &system, NULL));
	for (; *names != NULL; names++) {
		histree_quark quark;
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, *names, &quark, NULL));
		assert_ok(histree_state_modify(system, of->start, quark, histree_int(77), NULL));
	}
	assert_ok(histree_state_close(system, of->end, NULL));
	histree_state_free(system);
}

static void forge(struct drawn *drawn, const struct histree_history_info *of, const char *const *names)
{
	char provider[sizeof(of->provider)];
	pyramid_provider(PYRAMID_ROWS, of, 0, provider, sizeof(provider));
	forge_as(drawn, of, provider, pyramid_kinds[PYRAMID_ROWS].version, names);
}

/* Whose it is, an overview says by the identity of its history; older ones by how much that has. */
TEST(overviews_of_another_identity_are_none)
{
	static const char *const names[] = { "5/2", NULL };
	struct drawn drawn;
	struct histree_history *history;
	begin_drawing(&drawn);
	assert_ok(histree_history_open(drawn.path, NULL, &history, NULL));
	struct histree_history_info of = *histree_history_info(history);
	histree_history_close(history);
	for (uint32_t number = 1; number <= drawn.overview_count; number++) {
		name_overview(&drawn, number);
		unlink(drawn.file.path);
	}
	for (int which = 0; which < 6; which++) {
		struct histree_history_info other = of;
		char provider[sizeof(of.provider)], older[sizeof(of.provider)];
		other.identity ^= which == 1;
		pyramid_provider(PYRAMID_ROWS, &other, 0, provider, sizeof(provider));
		snprintf(older, sizeof(older), "digest of %llu states, %llu bytes",
			 (unsigned long long)of.interval_count + (which == 4), (unsigned long long)of.file_bytes);
		bool is_old = which >= 3;
		forge_as(&drawn, &of, is_old ? older : provider,
			 which == 2   ? pyramid_kinds[PYRAMID_ROWS].version + 1
			 : which == 5 ? pyramid_kinds[PYRAMID_ROWS].version
			 : is_old     ? 1
				      : pyramid_kinds[PYRAMID_ROWS].version,
			 names);
		assert_ok(histree_history_open(drawn.path, NULL, &history, NULL));
		uint32_t count = histree_history_info(history)->overview_count;
		if (count != (which == 0 || which == 3))
			fail_msg("case %d: %u overviews", which, count);
		histree_history_close(history);
	}
	end_drawing(&drawn);
}

TEST(overviews_of_other_names_are_none)
{
	/* Of the quarks that there are, 0 is "CPUs", then come "0" and its Current_thread. */
	static const char *const lists[][4] = {
		{ "5/2", NULL }, /* as it should be: the forgery can be seen */
		{ "70/2", NULL },       { "wide/2", NULL },     { "5/two", NULL },
		{ "5/2/4", NULL },      { "5/7", NULL },        { "5/4000000000", NULL },
		{ "5/4", "5/2", NULL }, { "5/2", "6/2", NULL }, { "5", NULL },
	};
	struct drawn drawn;
	struct picture picture;
	struct histree_history *history;
	begin_drawing(&drawn);
	assert_ok(histree_history_open(drawn.path, NULL, &history, NULL));
	struct histree_history_info of = *histree_history_info(history);
	histree_history_close(history);
	for (uint32_t number = 1; number <= drawn.overview_count; number++) {
		name_overview(&drawn, number);
		unlink(drawn.file.path);
	}
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		forge(&drawn, &of, lists[i]);
		assert_ok(draw(drawn.path, false, &picture, NULL));
		bool is_same = memcmp(&picture, &drawn.pictures[0], sizeof(picture)) == 0;
		if (is_same != (i > 0))
			fail_msg("an overview with '%s' is %s", lists[i][0], is_same ? "not read" : "read");
	}
	end_drawing(&drawn);
}

TEST(every_allocation_of_an_answer_may_fail)
{
	struct drawn drawn;
	begin_drawing(&drawn);
	for (int for_ever = 0; for_ever < 2; for_ever++) {
		uint64_t failures = 0;
		for (bool refused = true; refused;) {
			struct picture picture;
			struct histree_error error = { 0 };
			faulty_memory_begin(++failures, for_ever != 0);
			enum histree_status status = draw(drawn.path, false, &picture, &error);
			faulty_memory_end();
			refused = faulty_memory.refused;
			if (status != HISTREE_OK)
				assert_int_equal(status, HISTREE_ERR_MEMORY);
		}
		assert_true(failures > 50);
	}
	assert_is_right(&drawn, "after all");
	end_drawing(&drawn);
}
