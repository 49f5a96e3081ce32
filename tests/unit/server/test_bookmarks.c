// SPDX-License-Identifier: MIT
/*
 * Bookmarks and their file: restarts, files that are none, a disk that fails, and several servers in one folder.
 */
#include <pthread.h>

#include "server/catalogue/bookmarks.h"
#include "support/faulty_io.h"
#include "support/memory_io.h"
#include "support/test.h"

#define EXPERIMENT "0f0e0d0c-0b0a-8908-8706-050403020100"
#define OTHER "ffffffff-0b0a-8908-8706-050403020100"

enum { CLIENTS = 8, EACH = 12 };

static const char path[] = "stores/" BOOKMARKS_FILE;

static void keep(void *context, const struct bookmark *bookmark)
{
	*(struct bookmark *)context = *bookmark;
}

static enum histree_status add(struct bookmarks *bookmarks, const char *name, histree_time start,
			       struct bookmark *out, struct histree_error *error)
{
	return bookmarks_add(bookmarks, EXPERIMENT, name, start, start + 5, keep, out, error);
}

static struct bookmarks *open_in(const struct io *io, const char *folder)
{
	struct bookmarks *bookmarks;
	assert_ok(bookmarks_create(io, folder, &bookmarks, NULL));
	return bookmarks;
}

/* Their names, one after the other. */
static void add_name(void *context, const struct bookmark *bookmark)
{
	strcat(context, bookmark->name);
}

static void check_names(struct bookmarks *bookmarks, const char *experiment, const char *expected)
{
	char names[4096] = "";
	bookmarks_each(bookmarks, experiment, add_name, names);
	assert_string_equal(names, expected);
}

/* ---- one server ------------------------------------------------------------------------------------------ */

TEST(they_are_there_after_a_restart)
{
	struct memory_io memory;
	struct bookmark a, b, c, found;
	memory_io_init(&memory);
	struct bookmarks *bookmarks = open_in(&memory.io, "stores");
	assert_ok(bookmarks_check(bookmarks, NULL));
	assert_null(memory_io_find(&memory, path)); /* nothing is written until there is something to keep */
	assert_ok(add(bookmarks, "a", 20, &a, NULL));
	assert_ok(add(bookmarks, "b\"\xc3\xa9", 10, &b, NULL));
	assert_ok(bookmarks_add(bookmarks, OTHER, "c", INT64_MIN, INT64_MAX, keep, &c, NULL));
	bookmarks_free(bookmarks);

	bookmarks = open_in(&memory.io, "stores");
	check_names(bookmarks, EXPERIMENT,
		    "b\"\xc3\xa9"
		    "a");
	check_names(bookmarks, OTHER, "c");
	assert_ok(bookmarks_find(bookmarks, OTHER, c.uuid, keep, &found));
	assert_true(found.start == INT64_MIN && found.end == INT64_MAX);
	assert_ok(bookmarks_change(bookmarks, EXPERIMENT, b.uuid, "z", 30, 31, keep, &found, NULL));
	assert_ok(bookmarks_remove(bookmarks, EXPERIMENT, a.uuid, keep, &found, NULL));
	assert_string_equal(found.name, "a");
	bookmarks_free(bookmarks);

	bookmarks = open_in(&memory.io, "stores");
	check_names(bookmarks, EXPERIMENT, "z");
	/* No UUID comes again, also of one that was removed before the restart. */
	assert_ok(add(bookmarks, "a", 20, &found, NULL));
	assert_string_not_equal(found.uuid, a.uuid);
	assert_string_not_equal(found.uuid, b.uuid);
	bookmarks_free(bookmarks);
	memory_io_release(&memory);
}

TEST(what_is_no_file_of_bookmarks_is_kept)
{
#define HEAD "{\"format\":\"histree bookmarks\",\"version\":1,\"made\":1,\"bookmarks\":["
#define IDS "\"uuid\":\"" OTHER "\",\"experiment\":\"" OTHER "\","
	static const char *const files[] = {
		"",
		"\n",
		"{}",
		"[]",
		"a letter to my aunt",
		"{\"format\":\"histree store\",\"version\":1,\"made\":1,\"bookmarks\":[]}",
		"{\"format\":\"histree bookmarks\",\"version\":2,\"made\":1,\"bookmarks\":[]}",
		"{\"format\":\"histree bookmarks\",\"version\":1,\"bookmarks\":[]}",
		"{\"format\":\"histree bookmarks\",\"version\":1,\"made\":-1,\"bookmarks\":[]}",
		"{\"format\":\"histree bookmarks\",\"version\":1,\"made\":9223372036854775807,\"bookmarks\":[]}",
		"{\"format\":\"histree bookmarks\",\"version\":1,\"made\":1,\"bookmarks\":{}}",
		HEAD,
		HEAD "]} and more",
		HEAD "1]}",
		HEAD "{" IDS "\"name\":\"x\",\"start\":1}]}",
		HEAD "{" IDS "\"name\":\"\",\"start\":1,\"end\":2}]}",
		HEAD "{" IDS "\"name\":\"x\",\"start\":3,\"end\":2}]}",
		HEAD "{" IDS "\"name\":\"x\",\"start\":1.5,\"end\":2}]}",
		HEAD "{\"uuid\":\"1\",\"experiment\":\"" OTHER "\",\"name\":\"x\",\"start\":1,\"end\":2}]}",
	};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct memory_io memory;
		struct histree_error error = { 0 };
		struct bookmark made;
		memory_io_init(&memory);
		assert_true(memory_io_put(&memory, path, files[i], strlen(files[i])));
		struct bookmarks *bookmarks = open_in(&memory.io, "stores");
		assert_int_equal(bookmarks_check(bookmarks, &error), HISTREE_ERR_FORMAT);
		assert_non_null(strstr(error.message, path));
		check_names(bookmarks, EXPERIMENT, "");
		error = (struct histree_error){ 0 };
		assert_int_equal(add(bookmarks, "a", 1, &made, &error), HISTREE_ERR_FORMAT);
		assert_int_equal(error.status, HISTREE_ERR_FORMAT);
		assert_non_null(strstr(error.message, "move it away"));
		const struct memory_file *file = memory_io_find(&memory, path);
		assert_int_equal(file->size, strlen(files[i]));
		assert_memory_equal(file->bytes, files[i], file->size);
		/* As soon as it is gone, all is well. */
		memory.io.unlink(memory.io.context, path);
		assert_ok(add(bookmarks, "a", 1, &made, NULL));
		check_names(bookmarks, EXPERIMENT, "a");
		bookmarks_free(bookmarks);
		memory_io_release(&memory);
	}
}

TEST(the_file_is_bounded)
{
	struct memory_io memory;
	struct byte_buffer text = { 0 };
	struct bookmark_list list = { 0 }, read;
	struct bookmark made, widest = { .uuid = OTHER, .experiment = EXPERIMENT, .start = INT64_MIN };
	memset(widest.name, 1, BOOKMARK_NAME_MAX); /* six bytes of JSON each */
	list.bookmarks = calloc(BOOKMARKS_MAX + 1, sizeof(*list.bookmarks));
	assert_non_null(list.bookmarks);
	while (list.count < BOOKMARKS_MAX)
		bookmark_list_insert(&list, &widest);
	bookmark_list_encode(&list, &text);
	assert_true(!text.failed && text.size <= BOOKMARKS_SIZE_MAX);
	assert_ok(bookmark_list_decode(&read, byte_buffer_chars(&text), text.size, NULL));
	assert_int_equal(read.count, BOOKMARKS_MAX);
	bookmark_list_release(&read);

	memory_io_init(&memory);
	assert_true(memory_io_put(&memory, path, text.bytes, text.size));
	struct bookmarks *bookmarks = open_in(&memory.io, "stores");
	assert_int_equal(add(bookmarks, "one too many", 1, &made, NULL), HISTREE_ERR_TOO_LARGE);
	assert_ok(bookmarks_remove(bookmarks, EXPERIMENT, OTHER, keep, &made, NULL));
	assert_ok(add(bookmarks, "the last one", 1, &made, NULL));

	text.size = 0;
	bookmark_list_insert(&list, &widest);
	bookmark_list_encode(&list, &text);
	assert_int_equal(bookmark_list_decode(&read, byte_buffer_chars(&text), text.size, NULL),
			 HISTREE_ERR_FORMAT);
	bookmarks_free(bookmarks);
	memory_io_release(&memory);
	bookmark_list_release(&list);
	byte_buffer_release(&text);
}

/* ---- a disk that fails ----------------------------------------------------------------------------------- */

/*
 * Whatever fails, and for how long: the file is whole, and holds what was there before if the change was refused.
 */
static void check_failure(uint64_t fail_at, bool for_ever, bool short_transfers, bool *done)
{
	struct memory_io memory;
	struct faulty_io faulty;
	struct bookmark made;
	struct histree_error error = { 0 };
	memory_io_init(&memory);
	faulty_io_init(&faulty, &memory.io);
	struct bookmarks *bookmarks = open_in(&faulty.io, "stores");
	assert_ok(add(bookmarks, "a", 1, &made, NULL));
	uint64_t before = faulty.operations;
	faulty.fail_at = before + fail_at;
	faulty.for_ever = for_ever;
	faulty.short_transfers = short_transfers;
	enum histree_status status = add(bookmarks, "b", 2, &made, &error);
	uint64_t last = faulty.operations;
	*done = last < before + fail_at;
	assert_true(*done ? status == HISTREE_OK : status < 0 && strstr(error.message, path) != NULL);
	faulty.fail_at = 0;
	faulty.for_ever = false;

	struct bookmarks *anew = open_in(&memory.io, "stores");
	char names[8] = "";
	bookmarks_each(anew, EXPERIMENT, add_name, names);
	/* After the rename only the folder's sync is left. */
	bool is_renamed = strcmp(names, "ab") == 0;
	assert_true(is_renamed || (status != HISTREE_OK && strcmp(names, "a") == 0));
	check_names(bookmarks, EXPERIMENT, names);
	/* And it goes on as if nothing had been. */
	assert_ok(add(bookmarks, "c", 3, &made, NULL));
	check_names(anew, EXPERIMENT, is_renamed ? "abc" : "ac");
	bookmarks_free(anew);
	bookmarks_free(bookmarks);
	memory_io_release(&memory);
}

TEST(a_failing_disk_leaves_the_old_file)
{
	for (int kind = 0; kind < 4; kind++) {
		bool done = false;
		uint64_t fail_at = 1;
		for (; !done; fail_at++)
			check_failure(fail_at, kind & 1, kind & 2, &done);
		assert_true(fail_at > 6); /* to open, read, open, write, sync, rename, open, sync */
	}
}

/* ---- several servers ------------------------------------------------------------------------------------- */

struct client {
	struct bookmarks *bookmarks;
	int number;
	pthread_t thread;
};

static void *add_many(void *context)
{
	struct client *client = context;
	struct bookmark made;
	for (int i = 0; i < EACH; i++) {
		char name[16];
		snprintf(name, sizeof(name), "%d-%d", client->number, i);
		if (add(client->bookmarks, name, i, &made, NULL) != HISTREE_OK)
			return client;
	}
	return NULL;
}

static void count_one(void *context, const struct bookmark *bookmark)
{
	(void)bookmark;
	++*(int *)context;
}

/* Clients of two servers, which share nothing but the folder: no bookmark is lost, and both have all. */
TEST(servers_share_a_folder)
{
	char folder[] = "/tmp/histree-bookmarks-XXXXXX", file[sizeof(folder) + sizeof(BOOKMARKS_FILE)];
	assert_non_null(mkdtemp(folder));
	struct bookmarks *servers[2] = { open_in(&io_posix, folder), open_in(&io_posix, folder) };
	struct client clients[CLIENTS];
	for (int i = 0; i < CLIENTS; i++) {
		clients[i] = (struct client){ .bookmarks = servers[i % 2], .number = i };
		assert_int_equal(pthread_create(&clients[i].thread, NULL, add_many, &clients[i]), 0);
	}
	for (int i = 0; i < CLIENTS; i++) {
		void *failed;
		assert_int_equal(pthread_join(clients[i].thread, &failed), 0);
		assert_null(failed);
	}
	for (int i = 0; i < 2; i++) {
		int count = 0;
		bookmarks_each(servers[i], EXPERIMENT, count_one, &count);
		assert_int_equal(count, CLIENTS * EACH);
		bookmarks_free(servers[i]);
	}
	snprintf(file, sizeof(file), "%s/" BOOKMARKS_FILE, folder);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(folder), 0); /* nothing else is left */
}
