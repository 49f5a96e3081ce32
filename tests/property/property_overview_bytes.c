// SPDX-License-Identifier: MIT
/*
 * property_overview_bytes.c - overviews have 15 % of the bytes of their history at most, whatever it is of.
 */
#include <sys/stat.h>

#include "histree/attributes.h"
#include "histree/history.h"
#include "overview_case.h"
#include "state/history.h"
#include "support/effort.h"
#include "support/history_file.h"
#include "support/test.h"

enum { PERCENT_MAX = 15, ATTRIBUTES_MAX = 400 };

enum content { FEW_VALUES, COUNTERS, DOUBLES, TEXTS, WIDE_DOUBLES, CONTENTS };

struct shape {
	uint32_t attributes, states; /* all together */
	uint64_t step_max;
	bool few_have_most;
};

static struct histree_value some_value(enum content content, int64_t *kept, char text[32], struct random *random)
{
	*kept += (int64_t)random_below(random, 3000) - 1400;
	switch (content) {
	case FEW_VALUES:
		return histree_int((int32_t)random_below(random, 4));
	case COUNTERS:
		return histree_long(*kept);
	case DOUBLES:
		return histree_double((double)*kept / 3);
	case TEXTS:
		snprintf(text, 32, "state %u", (unsigned)random_below(random, 3000));
		return histree_string(text);
	case WIDE_DOUBLES:
	case CONTENTS:
		break;
	}
	uint64_t bits = random_bits(random); /* of all exponents: sums have hundreds of bytes */
	double any;
	memcpy(&any, &bits, sizeof(any));
	return histree_double(any);
}

/* What has few values is a status, of which there are sums as well. */
static const char *const patterns[] = { "*", NULL };
static const struct histree_label labels[] = {
	{ .first = 0, .last = 1, .is_code = true, .style = { "off", "off", 0x99a1ac, 0x79828f, 0.5 } },
	{ .first = 2, .last = 3, .is_code = true, .style = { "on", "on", 0x12936a, 0x35b98c, 1 } },
};
static const struct histree_label_table statuses = {
	.name = "status", .patterns = patterns, .labels = labels, .label_count = 2
};

static void build(const char *path, const struct shape *shape, enum content content, struct random *random)
{
	const struct histree_history_options options = { .path = path, .provider = "test" };
	static int64_t kept[ATTRIBUTES_MAX];
	struct histree_state_system *system;
	histree_time now = 0;
	assert_ok(histree_state_create(&options, &system, NULL));
	for (uint32_t i = 0; i < shape->attributes; i++) {
		char name[16];
		histree_quark quark;
		snprintf(name, sizeof(name), "a%u", i);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &quark, NULL));
	}
	if (content == FEW_VALUES)
		assert_ok(histree_state_labels(system, &statuses, 1, NULL));
	for (uint32_t i = 0; i < shape->states; i++) {
		char text[32];
		bool is_busy = shape->few_have_most && random_percent(random, 95);
		histree_quark quark = (histree_quark)random_below(random, is_busy ? 2 : shape->attributes);
		now += 1 + (histree_time)random_below(random, shape->step_max);
		assert_ok(histree_state_modify(system, now, quark, some_value(content, &kept[quark], text, random),
					       NULL));
	}
	assert_ok(histree_state_close(system, now, NULL));
	histree_state_free(system);
}

TEST(overviews_have_their_share_at_most)
{
	static const struct shape shapes[] = {
		{ 2, 3000, 100, false },       { 2, 40000, 1000, false },     { 3, 300000, 50, true },
		{ 400, 300000, 20000, false }, { 40, 300000, 1 << 30, true },
	};
	static const struct overview_options options[] = {
		{ 0 },
		{ .history_states_min = 1, .number_states_min = 1 },
		/* So many windows that a trial says how many cells are likely to fit. */
		{ .history_states_min = 1, .states_in_window = 4096 },
	};
	struct random random = { test_seed() };
	unsigned with = 0, summed = 0, all = 0;
	char path[64];
	snprintf(path, sizeof(path), "property_overview_bytes.%ld.sht", (long)getpid());
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		for (enum content content = 0; content < CONTENTS; content++) {
			history_files_remove(path);
			build(path, &shapes[i], content, &random);
			for (size_t o = 0; o < sizeof(options) / sizeof(*options); o++) {
				struct histree_history *history;
				assert_ok(overviews_write(&io_posix, path, &options[o], NULL));
				assert_ok(histree_history_open(path, NULL, &history, NULL));
				const struct histree_history_info *info = histree_history_info(history);
				if (info->overview_bytes > info->file_bytes / 100 * PERCENT_MAX)
					fail_msg("shape %u, content %d: %llu bytes of %llu", i, (int)content,
						 (unsigned long long)info->overview_bytes,
						 (unsigned long long)info->file_bytes);
				with += info->overview_count > 0;
				summed += history_pyramid(history, PYRAMID_SUMS)->level_count > 0;
				all++;
				histree_history_close(history);
			}
		}
	history_files_remove(path);
	fprintf(stderr, "%u of %u histories have overviews, %u of sums\n", with, all, summed);
	assert_true(with > all / 4 && summed > 0);
}
