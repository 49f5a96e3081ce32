// SPDX-License-Identifier: MIT
/*
 * test_table_memory.c - a history whose tables are in files has the bytes of one whose tables are in memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/table.h"
#include "state/state_file.h"
#include "state/state_system.h"
#include "support/memory_io.h"

enum { THREADS = 12000, MEMBERS = 5, OTHERS = 20000, STATES = 3 };

static void add_states(struct histree_state_system *system, histree_quark quark, histree_time *now)
{
	for (int i = 0; i < STATES; i++)
		assert_int_equal(histree_state_modify(system, ++*now, quark, histree_int(i), NULL), HISTREE_OK);
}

/* Threads as in a kernel trace, and attributes with texts of their own. */
static void build(const struct io *io, const char *path, const char *variant, struct table_space *tables)
{
	static const char *const members[MEMBERS] = { "Status", "System_call", "PPID", "Prio", "Exec_name" };
	const struct histree_history_options options = {
		.path = path, .provider = "test", .start = 1, .tree = { .variant = variant, .memory_max = 4 << 20 }
	};
	struct histree_state_system *system;
	histree_quark quark;
	char name[48];
	histree_time now = 1;
	assert_int_equal(state_file_create_in(io, &options, tables, &system, NULL), HISTREE_OK);
	for (int thread = 0; thread < THREADS; thread++) {
		for (int member = 0; member < MEMBERS; member++) {
			snprintf(name, sizeof(name), "Threads/%d/%s", thread, members[member]);
			assert_int_equal(histree_state_attribute(system, HISTREE_ROOT, name, &quark, NULL),
					 HISTREE_OK);
			add_states(system, quark, &now);
		}
		if (thread == THREADS / 2)
			assert_int_equal(histree_state_publish(system, now - 1, NULL), HISTREE_OK);
	}
	for (int other = 0; other < OTHERS; other++) {
		int size = snprintf(name, sizeof(name), "%llx",
				    (unsigned long long)hash_mix((uint64_t)other) % 100000);
		assert_int_equal(histree_state_child(system, HISTREE_ROOT, name, (size_t)size, &quark, NULL),
				 HISTREE_OK);
		add_states(system, quark, &now);
	}
	assert_true(tables->memory_max > (64 << 20) || tables->has_maps);
	assert_true(tables->in_memory <= tables->memory_max / 4 * 3 + (1 << 20));
	assert_int_equal(histree_state_close(system, now, NULL), HISTREE_OK);
	histree_state_free(system);
}

static void tables_in_files_make_the_same_history(void **state)
{
	(void)state;
	static const char *const variants[] = { "cluster", "esht" };
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct memory_io memory;
		struct table_space roomy, narrow;
		memory_io_init(&memory);
		assert_true(table_space_init(&roomy, "./t", (size_t)256 << 20));
		assert_true(table_space_init(&narrow, "./t", 1 << 20));
		build(&memory.io, "roomy", variants[i], &roomy);
		build(&memory.io, "narrow", variants[i], &narrow);
		const struct memory_file *one = memory_io_find(&memory, "roomy");
		const struct memory_file *other = memory_io_find(&memory, "narrow");
		assert_int_equal(one->size, other->size);
		assert_memory_equal(one->bytes, other->bytes, one->size);
		table_space_release(&roomy);
		table_space_release(&narrow);
		memory_io_release(&memory);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_in_files_make_the_same_history),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
