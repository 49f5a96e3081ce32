// SPDX-License-Identifier: MIT
/*
 * test_thread_list.c - the threads of a narrow range are those of the whole list that had a status in it, and the
 * same is said of them: random lives, names, processes and parents, and a file with damage.  So do lists that are
 * read from the file of names beside a history, fed while this was made or when it was complete, and damaged or
 * not; and what threads did with their time, which is read from there, too.
 */
#include <sys/stat.h>

#include "base/hash_index.h"
#include "histree/history.h"
#include "histree/states.h"
#include "histree/time_use.h"
#include "overview/fact_feed.h"
#include "overview/overview_feed.h"
#include "overview/overview_writer.h"
#include "query/thread_list.h"
#include "state/history.h"
#include "state/pyramid.h"
#include "state/state_file.h"
#include "state/state_system.h"
#include "support/effort.h"
#include "support/history_file.h"
#include "support/test.h"

enum { THREADS = 200, LENGTH = 100000, START = 5000, RANGES = 60 };

struct world {
	histree_time born[THREADS], died[THREADS]; /* inclusive; some live twice, with nothing between */
	histree_time gone[THREADS], back[THREADS]; /* inclusive; gone > back: they live once */
	bool parted[THREADS]; /* between the two they have no name: each is a thread by itself */
	size_t parted_count;
	bool has_pairs; /* parent and process are one attribute */
	struct histree_history *history;
	char path[64];
};

static histree_time some_time(struct random *random, histree_time from, histree_time to)
{
	return from + (histree_time)random_below(random, (uint64_t)(to - from) + 1);
}

static bool lived(const struct world *world, int thread, histree_time from, histree_time to)
{
	histree_time first = world->born[thread] > from ? world->born[thread] : from;
	histree_time last = world->died[thread] < to ? world->died[thread] : to;
	bool is_gone = world->gone[thread] <= first && last <= world->back[thread];
	return first <= last && !is_gone;
}

/* ---- a history ---------------------------------------------------------------------------------------------- */

struct noted {
	histree_time time;
	int thread;
	const char *what; /* "": the status */
	struct histree_value value;
};

struct notes {
	struct noted list[THREADS * 64];
	size_t count;
};

static void note(struct notes *changes, histree_time time, int thread, const char *what, struct histree_value value)
{
	assert_true(changes->count < sizeof(changes->list) / sizeof(*changes->list));
	changes->list[changes->count++] = (struct noted){ time, thread, what, value };
}

static int by_time(const void *one, const void *other)
{
	const struct noted *a = one, *b = other;
	return a->time != b->time ? (a->time > b->time) - (a->time < b->time) : (a > b) - (a < b);
}

static bool is_between(const struct world *world, int thread, histree_time time)
{
	return world->parted[thread] && time >= world->gone[thread] && time <= world->back[thread];
}

/* A fact at a time of the thread, but between two lives. */
static void note_fact(const struct world *world, struct notes *changes, histree_time time, int thread,
		      const char *what, struct histree_value value)
{
	if (!is_between(world, thread, time))
		note(changes, time, thread, what, value);
}

/* Facts change in the life of a thread, and most of them end with it. */
static void live(struct world *world, struct notes *changes, int i, struct random *random)
{
	static const char *const programs[] = { "sh", "cc1", "a name that is longer", "" };
	const histree_time last = START + LENGTH - 1;
	bool is_long = random_percent(random, 20);
	histree_time born = world->born[i] = random_percent(random, 10) ? START : some_time(random, START, last);
	histree_time died = world->died[i] =
		is_long || born > last - 3000 ? last : some_time(random, born, born + 3000);
	histree_time gone = world->gone[i] = some_time(random, born, died), back = gone - 1;
	if (random_percent(random, 30))
		back = some_time(random, gone, died);
	world->back[i] = back;
	for (histree_time at = born; at <= died;
	     at = some_time(random, at + 1 + (died - born) / 20, at + 500 + (died - born) / 10))
		if (at < gone || at > back)
			note(changes, at, i, "", histree_int((int32_t)random_below(random, 6)));
	if (back >= gone) {
		note(changes, gone, i, "", histree_null());
		if (back < died)
			note(changes, back + 1, i, "", histree_int(2));
	}
	if (died < last)
		note(changes, died + 1, i, "", histree_null());
	world->parted[i] = gone > born && back >= gone && back < died && random_percent(random, 50);
	world->parted_count += world->parted[i];
	static const char *const apart[] = { "Exec_name", "PID", "PPID" }, *const pairs[] = { "Exec_name",
											      "Process" };
	const char *const *facts = world->has_pairs ? pairs : apart;
	const size_t fact_count = world->has_pairs ? 2 : 3;
	for (size_t k = 0; k < fact_count && world->parted[i]; k++)
		note(changes, gone, i, facts[k], histree_null());
	if (world->parted[i]) {
		note(changes, born, i, "Exec_name", histree_string("the first one"));
		note(changes, back + 1, i, "Exec_name", histree_string("the second one"));
	}
	for (uint64_t k = random_below(random, 4); k > 0; k--)
		note_fact(world, changes, some_time(random, born, died), i, "Exec_name",
			  histree_string(programs[random_below(random, 4)]));
	static const char *const processes[] = { "7/12", "8/12", "8/13" };
	if (world->has_pairs && random_percent(random, 50))
		note(changes, born, i, "Process", histree_string("7/"));
	for (uint64_t k = random_below(random, 4); k > 0 && world->has_pairs; k--)
		note_fact(world, changes, some_time(random, born, died), i, "Process",
			  histree_string(processes[random_below(random, 3)]));
	for (uint64_t k = random_below(random, 3); k > 0 && !world->has_pairs; k--)
		note_fact(world, changes, some_time(random, born, died), i, "PID",
			  histree_int((int32_t)random_below(random, 50)));
	for (uint64_t k = random_below(random, 3); k > 0 && !world->has_pairs; k--)
		note_fact(world, changes, some_time(random, born, died), i, "PPID",
			  histree_int((int32_t)random_below(random, 50)));
	for (size_t k = 0; k < fact_count; k++)
		if (died < last && random_percent(random, 70))
			note(changes, died + 1, i, facts[k], histree_null());
}

static struct notes changes;

/* Half of it is published. */
static void change_all(struct histree_state_system *system, bool publishes)
{
	for (size_t i = 0; i < changes.count; i++) {
		const struct noted *change = &changes.list[i];
		char path[64];
		histree_quark quark;
		if (publishes && i == changes.count / 2)
			assert_ok(histree_state_publish(system, change->time - 1, NULL));
		snprintf(path, sizeof(path), "Threads/%d%s%s", 100 + change->thread,
			 change->what[0] != '\0' ? "/" : "", change->what);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, path, &quark, NULL));
		assert_ok(histree_state_modify(system, change->time, quark, change->value, NULL));
	}
	assert_ok(histree_state_close(system, START + LENGTH - 1, NULL));
	histree_state_free(system);
}

static struct histree_history_options options_of(const struct world *world)
{
	return (struct histree_history_options){ .path = world->path,
						 .provider = "kernel",
						 .start = START,
						 .tree = { .node_size = 4096, .threads = 1 } };
}

static void make(struct world *world, struct random *random)
{
	struct histree_state_system *system;
	snprintf(world->path, sizeof(world->path), "test_thread_list.%ld.sht", (long)getpid());
	unlink(world->path);
	const struct histree_history_options options = options_of(world);
	assert_ok(histree_state_create(&options, &system, NULL));
	changes.count = 0;
	world->parted_count = 0;
	world->has_pairs = random_percent(random, 50);
	for (int i = 0; i < THREADS; i++)
		live(world, &changes, i, random);
	qsort(changes.list, changes.count, sizeof(*changes.list), by_time);
	change_all(system, false);
	assert_ok(histree_history_open(world->path, NULL, &world->history, NULL));
}

/* ---- lists -------------------------------------------------------------------------------------------------- */

static void assert_same_thread(const struct histree_thread *one, const struct histree_thread *other)
{
	assert_int_equal(one->tid, other->tid);
	assert_string_equal(one->name, other->name);
	assert_int_equal(one->pid, other->pid);
	assert_int_equal(one->ppid, other->ppid);
	assert_int_equal(one->ppid_since, other->ppid_since);
	assert_int_equal(one->last_status, other->last_status);
	assert_int_equal(one->has_changed, other->has_changed);
	assert_int_equal(one->first, other->first);
	assert_int_equal(one->last, other->last);
	assert_int_equal(one->node, other->node);
	assert_int_equal(one->status, other->status);
	assert_int_equal(one->system_call, other->system_call);
	assert_int_equal(one->from, other->from);
	assert_int_equal(one->to, other->to);
}

/* The thread of a list that has this node at a time; NULL: none. */
static const struct histree_thread *find(const struct thread_list *list, histree_quark node, histree_time time)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->threads[i].node == node && list->threads[i].from <= time && time <= list->threads[i].to)
			return &list->threads[i];
	return NULL;
}

/*
 * Returns how many threads the narrow list has: those of the whole list that lived then, and at most the other
 * lives of their numbers.
 */
static size_t compare(struct world *world, const struct thread_list *whole, histree_time from, histree_time to,
		      bool is_damaged)
{
	struct thread_list narrow = { 0 };
	const struct histree_work never = { 0 };
	size_t seen = 0;
	assert_ok(thread_list_read(&narrow, world->history, from, to, never, NULL));
	for (size_t i = 0; i < whole->count; i++) {
		const struct histree_thread *thread = &whole->threads[i];
		const struct histree_thread *there = find(&narrow, thread->node, thread->from);
		const int number = thread->tid - 100;
		const histree_time since = thread->from > from ? thread->from : from;
		const histree_time until = thread->to < to ? thread->to : to;
		if (!is_damaged && since <= until && lived(world, number, since, until))
			assert_non_null(there);
		if (!is_damaged && there != NULL)
			assert_true(lived(world, number, from, to));
		/* Lives are looked for from other places, up to what cannot be read. */
		if (there != NULL && (!is_damaged || (there->from == thread->from && there->to == thread->to)))
			assert_same_thread(there, thread);
		seen += there != NULL;
	}
	if (!is_damaged)
		assert_int_equal(seen, narrow.count);
	seen = narrow.count;
	thread_list_release(&narrow);
	return seen;
}

/* Two lives of a number have times, names and numbers of processes of their own. */
static void check_lives(const struct world *world, const struct thread_list *whole)
{
	assert_int_equal(whole->count, THREADS + world->parted_count);
	for (size_t i = 0; i < THREADS; i++) {
		const struct histree_thread *first = &whole->threads[i];
		const int number = first->tid - 100;
		assert_int_equal(first->life, 0);
		if (!world->parted[number])
			continue;
		const struct histree_thread *second = find(whole, first->node, world->gone[number]);
		assert_int_equal(second->life, 1);
		assert_int_equal(first->to, world->gone[number] - 1);
		assert_int_equal(second->from, world->gone[number]);
		assert_int_equal(first->last, world->gone[number] - 1);
		assert_int_equal(second->first, world->back[number] + 1);
		assert_int_equal(first->last_status, -1);
		assert_string_not_equal(first->name, "the second one");
		assert_string_not_equal(second->name, "the first one");
	}
}

static void check(struct world *world, struct random *random, bool is_damaged)
{
	struct thread_list whole = { 0 };
	size_t some = 0;
	const struct histree_work never = { 0 };
	assert_ok(thread_list_read(&whole, world->history, INT64_MIN, INT64_MAX, never, NULL));
	if (!is_damaged)
		check_lives(world, &whole);
	for (int i = 0; i < RANGES; i++) {
		histree_time length = (histree_time)random_below(random, i % 2 == 0 ? 50 : LENGTH / 16 - 1);
		histree_time from = some_time(random, START, START + LENGTH - 1 - length);
		size_t count = compare(world, &whole, from, from + length, is_damaged);
		some += count > 0 && count < THREADS / 4;
	}
	assert_true(is_damaged || some > RANGES / 2);
	for (size_t i = 0; i < whole.count && !is_damaged; i++) {
		const struct histree_thread *thread = &whole.threads[i];
		const histree_time at = some_time(random, thread->from, thread->to);
		struct intern names = { 0 };
		const char *name;
		bool are_several;
		assert_ok(thread_list_name(world->history, thread->tid, at, thread->to, &names, &name, &are_several,
					   NULL));
		assert_string_equal(name, thread->name);
		assert_false(are_several);
		assert_ok(thread_list_name(world->history, thread->tid, at, INT64_MAX, &names, &name, &are_several,
					   NULL));
		assert_string_equal(name, thread->name);
		assert_int_equal(are_several, thread->to < START + LENGTH - 1);
		intern_release(&names);
	}
	thread_list_release(&whole);
}

TEST(a_narrow_list_is_of_those_who_lived)
{
	static struct world world;
	for (uint64_t round = 0; round < test_effort(20, 6); round++) {
		struct random random = { test_seed() + round };
		make(&world, &random);
		check(&world, &random, false);
		histree_history_close(world.history);
		unlink(world.path);
	}
}

/* A node in the middle is overwritten: what is not known is said of a narrow range as of all. */
TEST(damage_is_told_alike)
{
	static struct world world;
	for (uint64_t round = 0; round < test_effort(20, 6); round++) {
		struct random random = { test_seed() + 1000 + round };
		make(&world, &random);
		histree_history_close(world.history);
		FILE *file = fopen(world.path, "r+b");
		assert_non_null(file);
		assert_int_equal(fseek(file, 0, SEEK_END), 0);
		long size = ftell(file);
		assert_int_equal(fseek(file, (long)random_below(&random, (uint64_t)size / 2) + size / 8, SEEK_SET),
				 0);
		assert_int_equal(fputs("damage", file) >= 0, 1);
		fclose(file);
		if (histree_history_open(world.path, NULL, &world.history, NULL) == HISTREE_OK) {
			check(&world, &random, true);
			histree_history_close(world.history);
		}
		unlink(world.path);
	}
}

TEST(a_thread_that_there_is_not_has_no_name)
{
	static struct world world;
	struct random random = { test_seed() };
	struct intern names = { 0 };
	const char *name;
	bool are_several;
	make(&world, &random);
	assert_ok(thread_list_name(world.history, 7, INT64_MIN, INT64_MAX, &names, &name, &are_several, NULL));
	assert_string_equal(name, "");
	assert_ok(thread_list_name(world.history, -5, INT64_MIN, INT64_MAX, &names, &name, &are_several, NULL));
	assert_string_equal(name, "");
	intern_release(&names);
	histree_history_close(world.history);
	unlink(world.path);
}

/* ---- from the file of names --------------------------------------------------------------------------------- */

enum { NAMES_BYTES_MAX = 1 << 20, FIRST_PAGE = 4096, LAST_BYTES = 1200 };

struct bytes {
	uint8_t bytes[NAMES_BYTES_MAX];
	size_t size;
};

static const char *names_path(const struct world *world)
{
	static char path[96];
	pyramid_path(PYRAMID_NAMES, world->path, 1, path);
	return path;
}

static void read_file(struct bytes *out, const char *path)
{
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	out->size = fread(out->bytes, 1, sizeof(out->bytes), file);
	assert_in_range(out->size, 1, sizeof(out->bytes) - 1);
	fclose(file);
}

static void say(void *context, const char *fault)
{
	++*(size_t *)context;
	(void)fault;
}

static struct overview_options few_options(uint32_t names_percent)
{
	return (struct overview_options){
		.history_states_min = 1,
		.percent_max = 100000,
		.names_percent_max = names_percent,
		.few_states_max = 12, /* so that some have them, and some have not */
		.threads = 1,
	};
}

/* The same history once more, with its overviews fed while it is made. */
static void make_fed(const struct world *world, const struct overview_options *options)
{
	const struct histree_history_options made = options_of(world);
	const struct overview_feed_plan plan = { .provider = "kernel", .start = START, .options = options };
	struct histree_state_system *system;
	struct overview_feed *feed;
	struct interval_sink sink;
	history_files_remove(world->path);
	assert_ok(state_file_sink(&io_posix, &made, NULL, &sink, NULL));
	assert_ok(overview_feed_create(&plan, &feed, NULL));
	overview_feed_stand_before(feed, &sink);
	assert_ok(state_system_create(START, &sink, &system, NULL));
	overview_feed_watch(feed, histree_state_attributes(system), &system->ongoing);
	change_all(system, true);
	assert_non_null(overview_feed_facts(feed));
	assert_ok(overviews_write_fed(&io_posix, world->path, options, feed, NULL));
	overview_feed_free(feed);
}

static void expect_same_list(struct histree_history *one, struct histree_history *other, histree_time from,
			     histree_time to)
{
	const struct histree_work never = { 0 };
	struct thread_list list = { 0 }, second = { 0 };
	assert_ok(thread_list_read(&list, one, from, to, never, NULL));
	assert_ok(thread_list_read(&second, other, from, to, never, NULL));
	assert_int_equal(list.count, second.count);
	assert_int_equal(list.number_count, second.number_count);
	for (size_t i = 0; i < list.count; i++) {
		assert_same_thread(&list.threads[i], &second.threads[i]);
		assert_int_equal(list.threads[i].life, second.threads[i].life);
		assert_int_equal(list.threads[i].has_process, second.threads[i].has_process);
	}
	thread_list_release(&list);
	thread_list_release(&second);
}

/* What each thread did, of windows of any size. */
static void expect_same_use(struct histree_history *one, struct histree_history *other, histree_time from,
			    histree_time to, size_t states_max)
{
	const struct histree_time_use_request request = { .from = from,
							  .to = to,
							  .by = HISTREE_BY(THREAD),
							  .states_max = states_max,
							  .longest = states_max % 2 == 0 };
	struct histree_time_use *use, *second;
	size_t count, count_of_second;
	assert_ok(histree_time_use_create(one, &request, &use, NULL));
	assert_ok(histree_time_use_create(other, &request, &second, NULL));
	const struct histree_use_row *rows = histree_time_use_rows(use, &count);
	const struct histree_use_row *rows_of_second = histree_time_use_rows(second, &count_of_second);
	assert_int_equal(count, count_of_second);
	for (size_t i = 0; i < count; i++) {
		const struct histree_use_row *row = &rows[i], *of_second = &rows_of_second[i];
		assert_int_equal(row->keys[HISTREE_USE_BY_THREAD].int32,
				 of_second->keys[HISTREE_USE_BY_THREAD].int32);
		assert_int_equal(row->life, of_second->life);
		assert_int_equal(row->count, of_second->count);
		assert_memory_equal(row->ns, of_second->ns, sizeof(row->ns));
		assert_int_equal(row->longest_wait.start, of_second->longest_wait.start);
		assert_int_equal(row->longest_block.ns, of_second->longest_block.ns);
	}
	assert_int_equal(histree_time_use_loss(use).nodes, histree_time_use_loss(second).nodes);
	histree_time_use_free(use);
	histree_time_use_free(second);
}

/* Returns whether the file of names was opened. */
static bool expect_same_lists(const struct world *world, struct random *random)
{
	struct histree_history *with, *without;
	assert_ok(histree_history_open(world->path, NULL, &with, NULL));
	assert_ok(histree_history_open(world->path, &(struct histree_open_options){ .no_overviews = true },
				       &without, NULL));
	const bool has_names = history_pyramid(with, PYRAMID_NAMES)->level_count > 0;
	assert_int_equal(history_pyramid(without, PYRAMID_NAMES)->level_count, 0);
	expect_same_list(with, without, INT64_MIN, INT64_MAX);
	expect_same_use(with, without, INT64_MIN, INT64_MAX, 1 + (size_t)random_below(random, 3000));
	expect_same_use(with, without, START + (histree_time)random_below(random, LENGTH / 2), START + LENGTH - 1,
			1 + (size_t)random_below(random, 3000));
	for (int i = 0; i < RANGES / 4; i++) {
		const histree_time length = (histree_time)random_below(random, i % 2 == 0 ? 50 : LENGTH / 8);
		const histree_time from = some_time(random, START, START + LENGTH - 1 - length);
		expect_same_list(with, without, from, from + length);
	}
	histree_history_close(with);
	histree_history_close(without);
	return has_names;
}

static size_t count_faults(const struct world *world)
{
	struct histree_history *history;
	size_t faults = 0;
	assert_ok(histree_history_open(world->path, NULL, &history, NULL));
	const bool is_sound = histree_history_verify(history, say, &faults, NULL) == HISTREE_OK &&
			      histree_sums_verify(history, say, &faults, NULL) == HISTREE_OK;
	assert_true(is_sound == (faults == 0));
	histree_history_close(history);
	return faults;
}

TEST(the_file_of_names_says_what_the_history_does)
{
	static struct world world;
	static struct bytes read, fed;
	for (uint64_t round = 0; round < test_effort(20, 6); round++) {
		struct random random = { test_seed() + 2000 + round };
		const struct overview_options options = few_options(100000);
		make(&world, &random);
		histree_history_close(world.history);
		assert_ok(overviews_write(&io_posix, world.path, &options, NULL));
		assert_true(expect_same_lists(&world, &random));
		assert_int_equal(count_faults(&world), 0);
		read_file(&read, names_path(&world));
		make_fed(&world, &options);
		assert_true(expect_same_lists(&world, &random));
		assert_int_equal(count_faults(&world), 0);
		read_file(&fed, names_path(&world));
		assert_int_equal(fed.size, read.size);
		assert_memory_equal(fed.bytes, read.bytes, read.size);
		history_files_remove(world.path);
	}
}

TEST(a_damaged_file_of_names_is_found_and_changes_no_answer)
{
	static struct world world;
	static struct bytes whole;
	size_t opened = 0;
	for (uint64_t round = 0; round < test_effort(20, 6); round++) {
		struct random random = { test_seed() + 3000 + round };
		const struct overview_options options = few_options(100000);
		make(&world, &random);
		histree_history_close(world.history);
		assert_ok(overviews_write(&io_posix, world.path, &options, NULL));
		read_file(&whole, names_path(&world));
		for (int i = 0; i < 10; i++) {
			FILE *file = fopen(names_path(&world), "wb");
			/* Not in the first page and the last bytes: what both have is read where it is whole. */
			const size_t at = FIRST_PAGE + random_below(&random, whole.size - FIRST_PAGE - LAST_BYTES);
			const uint8_t was = whole.bytes[at];
			assert_non_null(file);
			whole.bytes[at] ^= (uint8_t)(1 + random_below(&random, 255));
			assert_int_equal(fwrite(whole.bytes, 1, whole.size, file), whole.size);
			fclose(file);
			opened += expect_same_lists(&world, &random);
			assert_true(count_faults(&world) > 0);
			whole.bytes[at] = was;
		}
		history_files_remove(world.path);
	}
	assert_true(opened > 0);
}

/* Of a name that no node of the file has room for there is no file, and no error. */
TEST(a_very_long_name_is_in_no_file)
{
	static char name[9000];
	static struct world world;
	const struct overview_options options = few_options(100000);
	struct histree_state_system *system;
	histree_quark quark;
	snprintf(world.path, sizeof(world.path), "test_thread_list.%ld.sht", (long)getpid());
	memset(name, 'n', sizeof(name));
	for (size_t size = 1024; size <= sizeof(name); size += sizeof(name) - 1024) {
		history_files_remove(world.path);
		struct histree_history_options made = options_of(&world);
		made.tree.node_size = 65536;
		assert_ok(histree_state_create(&made, &system, NULL));
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, "Threads/7/Exec_name", &quark, NULL));
		assert_ok(histree_state_modify(system, START, quark, histree_string_n(name, size), NULL));
		assert_ok(histree_state_close(system, START + LENGTH - 1, NULL));
		histree_state_free(system);
		assert_ok(overviews_write(&io_posix, world.path, &options, NULL));
		assert_int_equal(access(names_path(&world), F_OK), size > 1024 ? -1 : 0);
	}
	history_files_remove(world.path);
}

/* Another history's file is not believed, nor is one written that is too large. */
TEST(a_file_of_names_is_of_its_history_and_has_a_bound)
{
	static struct world world;
	static struct bytes other;
	struct random random = { test_seed() + 4000 };
	const struct overview_options options = few_options(100000), none = few_options(1);
	make(&world, &random);
	histree_history_close(world.history);
	assert_ok(overviews_write(&io_posix, world.path, &options, NULL));
	read_file(&other, names_path(&world));
	history_files_remove(world.path);
	make(&world, &random);
	histree_history_close(world.history);
	FILE *file = fopen(names_path(&world), "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(other.bytes, 1, other.size, file), other.size);
	fclose(file);
	assert_false(expect_same_lists(&world, &random));
	assert_true(count_faults(&world) > 0);
	assert_ok(overviews_write(&io_posix, world.path, &none, NULL));
	assert_int_equal(access(names_path(&world), F_OK), -1);
	assert_false(expect_same_lists(&world, &random));
	history_files_remove(world.path);
}

/* ---- statuses ----------------------------------------------------------------------------------------------- */

enum { LITTLE = 7, MUCH = 8, FEW = 300, SIXTEEN = 16 };

/* Two threads, one with as many states of its status as are few, and one with one more; and a name of each. */
static void make_two(struct world *world, const struct overview_options *options)
{
	static const int numbers[] = { LITTLE, MUCH };
	struct histree_state_system *system;
	histree_quark quark;
	char path[64];
	snprintf(world->path, sizeof(world->path), "test_thread_list.%ld.sht", (long)getpid());
	history_files_remove(world->path);
	const struct histree_history_options made = options_of(world);
	assert_ok(histree_state_create(&made, &system, NULL));
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "Threads/%d/Exec_name", numbers[i]);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, path, &quark, NULL));
		assert_ok(histree_state_modify(system, START, quark, histree_string("one"), NULL));
	}
	for (int state = 0; state < FEW + 1; state++)
		for (int i = 0; i < (state < FEW ? 2 : 1); i++) {
			snprintf(path, sizeof(path), "Threads/%d", numbers[1 - i]);
			assert_ok(histree_state_attribute(system, HISTREE_ROOT, path, &quark, NULL));
			assert_ok(histree_state_modify(system, START + SIXTEEN * state, quark,
						       histree_int(state % 2 + 1), NULL));
		}
	assert_ok(histree_state_close(system, START + LENGTH - 1, NULL));
	histree_state_free(system);
	assert_ok(overviews_write(&io_posix, world->path, options, NULL));
}

/* Returns how many attributes the file of names has of those of which it is. */
static uint32_t count_names(const struct world *world)
{
	struct histree_history *file;
	assert_ok(histree_history_open(names_path(world), NULL, &file, NULL));
	const uint32_t count = histree_history_info(file)->attribute_count - 1;
	histree_history_close(file);
	return count;
}

TEST(statuses_of_few_states_are_in_the_file_of_names)
{
	static struct world world;
	struct random random = { test_seed() + 5000 };
	struct overview_options options = few_options(100000);
	options.few_states_max = FEW;
	make_two(&world, &options);
	assert_int_equal(count_names(&world), 3);
	assert_true(expect_same_lists(&world, &random));
	assert_int_equal(count_faults(&world), 0);
	options.few_states_max = FEW - 1;
	make_two(&world, &options);
	assert_int_equal(count_names(&world), 2);
	options.few_states_max = FEW + 1;
	make_two(&world, &options);
	assert_int_equal(count_names(&world), 4);
	assert_true(expect_same_lists(&world, &random));
	assert_int_equal(count_faults(&world), 0);
	history_files_remove(world.path);
}

/* Where there is room for names alone, they are there without statuses. */
TEST(names_are_in_the_file_before_statuses)
{
	static struct world world;
	struct random random = { test_seed() + 6000 };
	struct overview_options options = few_options(100000);
	uint32_t percent = 1;
	make_two(&world, &options);
	assert_int_equal(count_names(&world), 2); /* of 12 states at most */
	options.few_states_max = FEW + 1;
	for (; percent < 1000; percent++) {
		options.names_percent_max = percent;
		make_two(&world, &options);
		if (access(names_path(&world), F_OK) == 0)
			break;
	}
	assert_int_equal(count_names(&world), 2);
	assert_true(expect_same_lists(&world, &random));
	assert_int_equal(count_faults(&world), 0);
	history_files_remove(world.path);
}

/* As in a forged history that goes on to be built, where two attributes have one name, and the walk finds one. */
TEST(what_no_thread_has_is_left_out)
{
	static struct world world;
	static struct bytes whole, again;
	const struct overview_options options = few_options(100000);
	const struct histree_region all = { .from = START, .to = START + LENGTH - 1 };
	struct table_space tables;
	struct fact_feed feed;
	struct histree_history *history;
	struct histree_cursor *query;
	uint64_t bytes;
	make_two(&world, &options);
	read_file(&whole, names_path(&world));
	assert_ok(histree_history_open(world.path, NULL, &history, NULL));
	assert_true(table_space_init(&tables, world.path, SIZE_MAX));
	assert_ok(fact_feed_begin(&feed, "kernel", options.few_states_max, &tables, NULL));
	assert_ok(histree_query_create(history, &query, NULL));
	assert_ok(histree_query_start(query, &all, NULL));
	while (histree_cursor_next(query, NULL) == HISTREE_OK) {
		struct histree_interval ended = *histree_cursor_interval(query);
		const enum thread_fact fact =
			fact_feed_takes(&feed, histree_history_attributes(history), ended.quark);
		if (fact != THREAD_FACT_COUNT)
			assert_true(fact_feed_take(&feed, &ended, fact == THREAD_FACT_STATUS, 1));
		ended.quark += histree_history_info(history)->attribute_count;
		if (fact != THREAD_FACT_COUNT)
			assert_true(fact_feed_take(&feed, &ended, fact == THREAD_FACT_STATUS, 1));
	}
	histree_cursor_free(query);
	unlink(names_path(&world));
	assert_ok(
		fact_feed_write(&feed, &io_posix, names_path(&world), history, &options, UINT64_MAX, &bytes, NULL));
	read_file(&again, names_path(&world));
	assert_int_equal(again.size, whole.size);
	assert_memory_equal(again.bytes, whole.bytes, whole.size);
	fact_feed_release(&feed);
	table_space_release(&tables);
	histree_history_close(history);
	history_files_remove(world.path);
}

static size_t rows_bytes(const struct world *world)
{
	char rows[96];
	struct stat info;
	snprintf(rows, sizeof(rows), "%s.overview1", world->path);
	return stat(rows, &info) == 0 ? (size_t)info.st_size : 0;
}

/* Names have bytes of their own: where there is just enough for rows, it is enough with any number of names. */
TEST(names_take_no_bytes_of_rows)
{
	static struct world world;
	struct overview_options options = few_options(100000);
	options.states_min = options.cells_least = 1;
	options.cost_max_share = 1;
	options.few_states_max = 1;
	size_t alone = 0;
	for (options.percent_max = 1; alone == 0 && options.percent_max < 1000; options.percent_max++) {
		make_two(&world, &options);
		alone = rows_bytes(&world);
	}
	options.percent_max--;
	assert_true(alone > 0 && options.percent_max > 1);
	assert_int_equal(count_names(&world), 2);
	options.few_states_max = FEW + 1;
	make_two(&world, &options);
	assert_int_equal(count_names(&world), 4);
	assert_int_equal(rows_bytes(&world), alone);
	history_files_remove(world.path);
}
