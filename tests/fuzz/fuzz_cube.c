// SPDX-License-Identifier: MIT
/*
 * fuzz_cube.c - a byte says which part of a cube a cell is of, eight bytes its length, the others what it says:
 * what is read is no more than its threads can do, and is the same when it is written and read again.
 */
#include "base/bytes.h"
#include "fuzz.h"
#include "state/pyramid_cells.h"

enum { THREADS = 5 };

FUZZ_TARGET(bytes, size)
{
	struct cube_cell cell = { 0 }, again = { 0 };
	struct intern texts = { 0 };
	struct byte_buffer one = { 0 }, other = { 0 };
	if (size < 9)
		return 0;
	const enum cube_part part = bytes[0] % 2 != 0 ? CUBE_OF_OWNERS : CUBE_OF_CALLS;
	const uint64_t ns = get_le64(bytes + 1) >> 8;
	if (cube_cell_get(&cell, part, &texts, ns, THREADS, bytes + 9, size - 9) == HISTREE_OK) {
		uint64_t left = ns * THREADS;
		for (size_t i = 0; i < cell.count; i++) {
			REQUIRE(cell.rows[i].ns <= left && cell.rows[i].begins <= cell.rows[i].ns);
			left -= cell.rows[i].ns;
		}
		cube_cell_put(&cell, part, &texts, &one);
		REQUIRE(!one.failed);
		REQUIRE(cube_cell_get(&again, part, &texts, ns, THREADS, one.bytes, one.size) == HISTREE_OK);
		REQUIRE(again.count == cell.count);
		cube_cell_put(&again, part, &texts, &other);
		REQUIRE(one.size == other.size && memcmp(one.bytes, other.bytes, one.size) == 0);
	}
	byte_buffer_release(&one);
	byte_buffer_release(&other);
	cube_cell_release(&cell);
	cube_cell_release(&again);
	intern_release(&texts);
	return 0;
}
