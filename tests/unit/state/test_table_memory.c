// SPDX-License-Identifier: MIT
/*
 * test_table_memory.c - a history whose tables are in files has the bytes of one whose tables are in memory, and
 * what walks through such a table leaves few of its pages resident.
 */
#include "base/arena.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "state/attributes.h"
#include "state/history_sections.h"
#include "state/state_file.h"
#include "state/state_system.h"
#include "support/effort.h"
#include "support/memory_io.h"
#include "support/test.h"
#include "tree/lifetimes.h"

enum { THREADS = 12000, MEMBERS = 5, OTHERS = 20000, STATES = 3 };

static void add_states(struct histree_state_system *system, histree_quark quark, histree_time *now)
{
	for (int i = 0; i < STATES; i++)
		assert_ok(histree_state_modify(system, ++*now, quark, histree_int(i), NULL));
}

/* Threads as in a kernel trace, and attributes with texts of their own. */
static void build(const struct io *io, const char *path, const char *variant, struct table_space *tables)
{
	static const char *const members[MEMBERS] = { "Status", "System_call", "PPID", "Prio", "Exec_name" };
	const struct histree_history_options options = {
		.path = path, .provider = "test", .start = 1, .tree = { .variant = variant, .memory_max = 4 << 20 }
	};
	const struct state_shared shared = { .tables = tables };
	struct histree_state_system *system;
	histree_quark quark;
	char name[48];
	histree_time now = 1;
	assert_ok(state_file_create_in(io, &options, &shared, &system, NULL));
	for (int thread = 0; thread < THREADS; thread++) {
		for (int member = 0; member < MEMBERS; member++) {
			snprintf(name, sizeof(name), "Threads/%d/%s", thread, members[member]);
			assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &quark, NULL));
			add_states(system, quark, &now);
		}
		if (thread == THREADS / 2)
			assert_ok(histree_state_publish(system, now - 1, NULL));
	}
	for (int other = 0; other < OTHERS; other++) {
		int size = snprintf(name, sizeof(name), "%llx",
				    (unsigned long long)hash_mix((uint64_t)other) % 100000);
		assert_ok(histree_state_child(system, HISTREE_ROOT, name, (size_t)size, &quark, NULL));
		add_states(system, quark, &now);
	}
	assert_true(tables->memory_max > (64 << 20) || tables->has_maps);
	assert_true(tables->in_memory <= tables->memory_max / 4 * 3 + (1 << 20));
	assert_ok(histree_state_close(system, now, NULL));
	histree_state_free(system);
}

TEST(tables_in_files_make_the_same_history)
{
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

/* ---- walks ----------------------------------------------------------------------------------------------- */

/* Tables of 8 MiB and more, of which 256 KiB may be resident, and what is touched between two looks. */
enum { WALKED = 600000, TABLES_MAX = 1 << 20, RESIDENT_MAX = 6 << 20 };

static enum histree_status no_interval(void *context, const struct histree_interval *interval,
				       struct histree_error *error)
{
	(void)context, (void)interval, (void)error;
	fail_msg("a folder has no interval");
	return HISTREE_OK;
}

/* The ongoing states were walked through before, the attributes are now. */
static enum histree_status finish_folders(void *context, const struct attribute_tree *attributes, histree_time end,
					  struct histree_error *error)
{
	(void)end;
	struct folder_list folders;
	assert_true(table_space_resident(context) <= RESIDENT_MAX);
	assert_ok(folder_list_of(attributes, &folders, error));
	assert_int_equal(folders.count, WALKED);
	folder_list_release(&folders);
	assert_true(table_space_resident(context) <= RESIDENT_MAX);
	return HISTREE_OK;
}

static void release_nothing(void *context)
{
	(void)context;
}

TEST(the_end_of_folders_leaves_few_pages)
{
	if (test_is_quick())
		skip();
	struct table_space space;
	struct histree_state_system *system;
	assert_true(table_space_init(&space, "./t", TABLES_MAX));
	const struct interval_sink sink = { .tables = &space,
					    .add = no_interval,
					    .finish = finish_folders,
					    .free = release_nothing,
					    .context = &space };
	assert_ok(state_system_create(1, &sink, &system, NULL));
	for (int folder = 0; folder < WALKED; folder++) {
		char name[16];
		histree_quark quark;
		int size = snprintf(name, sizeof(name), "%d", folder);
		assert_ok(histree_state_child(system, HISTREE_ROOT, name, (size_t)size, &quark, NULL));
		assert_ok(histree_state_folder(system, quark, NULL));
	}
	assert_ok(histree_state_close(system, 2, NULL));
	histree_state_free(system);
	table_space_release(&space);
}

/* A late attribute is the first that has a lifetime. */
TEST(lifetimes_of_many_keys_leave_few_pages)
{
	struct table_space space;
	assert_true(table_space_init(&space, "./t", TABLES_MAX));
	struct lifetimes lifetimes = { .table.space = &space };
	assert_ok(lifetimes_add(&lifetimes, 2 * WALKED, (struct lifetime){ 1, 2 }));
	assert_true(table_space_resident(&space) <= RESIDENT_MAX);
	lifetimes_release(&lifetimes);
	table_space_release(&space);
}

TEST(a_walk_over_threads_leaves_few_pages)
{
	if (test_is_quick())
		skip();
	struct table_space space;
	assert_true(table_space_init(&space, "./t", TABLES_MAX));
	struct id_map map = { 0 };
	struct arena records = { .space = &space };
	id_map_use_space(&map, &space);
	for (uint64_t id = 0; id < WALKED; id++) {
		uint64_t *record = arena_allocate(&records, 2 * sizeof(*record), _Alignof(uint64_t));
		assert_non_null(record);
		*record = id;
		assert_true(id_map_add(&map, id, record));
	}
	uint64_t walked = 0;
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&map, &at)) != NULL; walked++)
		assert_true(*(uint64_t *)entry->record == walked);
	assert_int_equal(walked, WALKED);
	assert_true(table_space_resident(&space) <= RESIDENT_MAX);
	id_map_release(&map);
	arena_release(&records);
	table_space_release(&space);
}
