// SPDX-License-Identifier: MIT
/*
 * fuzz_numbers.c - eight bytes as a length of time, the others as a summary of numbers: what is read can be of some
 * states, and is the same when it is written and read again.
 */
#include "base/bytes.h"
#include "fuzz.h"
#include "state/pyramid_cells.h"

FUZZ_TARGET(bytes, size)
{
	struct number_summary summary, again;
	uint8_t room[NUMBER_SUMMARY_SIZE_MAX];
	if (size < 8)
		return 0;
	wide_uint ns = (wide_uint)get_le64(bytes) + 1;
	if (!number_summary_get(&summary, ns, bytes + 8, size - 8))
		return 0;
	REQUIRE(summary.number_ns + summary.unknown_ns + summary.other_ns == ns);
	REQUIRE(summary.states == 0 || number_compare(&summary.min, &summary.max) <= 0);
	double mean = number_summary_mean(&summary);
	REQUIRE(summary.states > 0 || mean == 0);
	size_t written = number_summary_put(&summary, room);
	REQUIRE(written <= sizeof(room));
	REQUIRE(number_summary_get(&again, ns, room, written));
	REQUIRE(again.states == summary.states && again.whole == summary.whole);
	REQUIRE(histree_value_equal(&again.min, &summary.min) && histree_value_equal(&again.max, &summary.max));
	REQUIRE(memcmp(&again.real, &summary.real, sizeof(again.real)) == 0);
	/* Adding up what is forged does no harm either. */
	number_summary_add_summary(&again, &summary);
	return 0;
}
