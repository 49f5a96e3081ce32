// SPDX-License-Identifier: MIT
/*
 * fuzz_sums.c - eight bytes as the length of a cell, the others as what an attribute did in it: what is read fills
 * the cell at most, and is the same when it is written and read again.
 */
#include "base/bytes.h"
#include "fuzz.h"
#include "state/pyramid_cells.h"

FUZZ_TARGET(bytes, size)
{
	struct state_sum sum, again;
	uint8_t room[STATE_SUM_SIZE_MAX];
	if (size < 8)
		return 0;
	const uint64_t ns = get_le64(bytes);
	if (!state_sum_get(&sum, ns, bytes + 8, size - 8))
		return 0;
	uint64_t left = ns;
	for (uint32_t i = 0; i < sum.count; i++) {
		REQUIRE(sum.parts[i].ns <= left);
		left -= sum.parts[i].ns;
	}
	size_t written = state_sum_put(&sum, room);
	REQUIRE(written <= sizeof(room));
	REQUIRE(state_sum_get(&again, ns, room, written));
	REQUIRE(again.count == sum.count && memcmp(again.parts, sum.parts, sizeof(sum.parts)) == 0);
	/* Values are told apart, so that the same ones need no room. */
	REQUIRE(state_sum_add_sum(&again, &sum) && again.count == sum.count);
	return 0;
}
