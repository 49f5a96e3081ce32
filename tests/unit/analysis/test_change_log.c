// SPDX-License-Identifier: MIT
/*
 * test_change_log.c - what a slice does with an attribute for which there was no memory; all else that logs do is
 * in property_slices.c.
 */
#include "analysis/change_log.h"
#include "support/test.h"

TEST(nothing_is_known_of_what_could_not_be_made)
{
	const struct change_log_frame frame = { .value_size_max = 1000, .bytes_max = 1 << 20 };
	struct change_log log;
	histree_quark quark;
	assert_ok(change_log_init(&log, &frame, NULL));
	assert_ok(histree_state_attribute(log.system, HISTREE_ROOT, "a", &quark, NULL));
	change_log_guess(&log, quark, histree_int(1));
	assert_int_equal(change_log_known(&log, quark), KNOWN_GUESS);
	change_log_guess(&log, HISTREE_ROOT, histree_int(1));
	change_log_set(&log, 1, HISTREE_ROOT, histree_int(1));
	change_log_copy(&log, 1, HISTREE_ROOT, quark);
	change_log_widen(&log, HISTREE_ROOT, true, 1);
	assert_int_equal(change_log_known(&log, HISTREE_ROOT), KNOWN_AS_BEFORE);
	assert_false(change_log_knows(&log, HISTREE_ROOT));
	assert_int_equal(log.known_count, 1);
	assert_true(change_log_has_failed(&log));
	change_log_release(&log);
}
