// SPDX-License-Identifier: MIT
/*
 * test_text_table.c - rows of text: what programs write is read, what nobody would have meant is refused with its
 * place, and neither long lines nor short reads change anything.
 */
#include "support/faulty_io.h"
#include "support/test.h"
#include "text/text_table.h"

struct world {
	char path[64];
	struct text_table table;
	struct histree_error error;
};

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	snprintf(world->path, sizeof(world->path), "/tmp/histree-text-XXXXXX");
	int file = mkstemp(world->path);
	assert_true(file >= 0);
	close(file);
	world->table.input.file = -1;
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;
	text_table_close(&world->table);
	unlink(world->path);
	free(world);
	return 0;
}

static void write_text(struct world *world, const char *text, size_t size)
{
	FILE *file = fopen(world->path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void open_text(struct world *world, const char *text, const char *columns)
{
	write_text(world, text, strlen(text));
	text_table_close(&world->table);
	if (text_table_open(&world->table, &io_posix, world->path, NULL, columns, &world->error) != HISTREE_OK)
		fail_msg("%s", world->error.message);
}

static void next_row(struct world *world)
{
	if (text_table_next(&world->table, &world->error) != HISTREE_OK)
		fail_msg("%s", world->error.message);
}

static void check_end(struct world *world)
{
	assert_int_equal(text_table_next(&world->table, &world->error), HISTREE_END);
}

static void check_text(struct world *world, const char *column, const char *expected)
{
	struct text_cell *cell = text_table_cell(&world->table, text_table_column(&world->table, column));
	assert_true(text_cell_unescape(cell));
	assert_int_equal(cell->size, strlen(expected));
	assert_memory_equal(cell->bytes, expected, cell->size + 1);
}

static void check_integer(struct world *world, const char *column, int64_t expected)
{
	int64_t number;
	assert_true(text_cell_integer(text_table_cell(&world->table, text_table_column(&world->table, column)),
				      &number));
	assert_int_equal(number, expected);
}

TEST_WITH(tabs_and_escapes, set_up, tear_down)
{
	struct world *world = *state;
	open_text(world, "a\tb\n\n1\tx\\ty\\\\n\\n\n2\t\r\na\tb\n-3\tz", NULL);
	next_row(world);
	check_integer(world, "a", 1);
	check_text(world, "b", "x\ty\\n\n");
	assert_int_equal(world->table.line, 3);
	next_row(world);
	check_text(world, "b", "");
	assert_true(text_cell_is_empty(text_table_cell(&world->table, 1)));
	next_row(world);
	check_integer(world, "a", -3);
	check_text(world, "b", "z");
	assert_int_equal(world->table.line, 6);
	assert_int_equal(text_table_cell(&world->table, text_table_column(&world->table, "c"))->kind, TEXT_ABSENT);
	check_end(world);
	check_end(world);
}

TEST_WITH(commas_and_quotes, set_up, tear_down)
{
	struct world *world = *state;
	open_text(world,
		  "\xef\xbb\xbf"
		  "a,\"b, c\"\r\n\"x, \"\"y\"\"\r\nz\",1\r\n,\"\"\r\n\"\"\"\",5\r\n",
		  NULL);
	next_row(world);
	check_text(world, "a", "x, \"y\"\r\nz");
	check_integer(world, "b, c", 1);
	assert_int_equal(world->table.line, 2);
	next_row(world);
	assert_int_equal(world->table.line, 4);
	check_text(world, "a", "");
	next_row(world);
	check_text(world, "a", "\"");
	check_end(world);
}

TEST_WITH(objects, set_up, tear_down)
{
	struct world *world = *state;
	open_text(world, "[\n{\"a\":1,\"b\":\"x\\u0000\"},\n{\"c\":2.5,\"a\":null}, \n{\"d\":[1],\"b\":true}]\n",
		  NULL);
	next_row(world);
	check_integer(world, "a", 1);
	assert_int_equal(text_table_cell(&world->table, 1)->size, 2);
	next_row(world);
	assert_int_equal(text_table_cell(&world->table, text_table_column(&world->table, "a"))->kind, TEXT_NULL);
	assert_int_equal(text_table_cell(&world->table, text_table_column(&world->table, "b"))->kind, TEXT_ABSENT);
	assert_int_equal(text_table_cell(&world->table, text_table_column(&world->table, "c"))->kind, TEXT_REAL);
	next_row(world);
	assert_int_equal(text_table_cell(&world->table, text_table_column(&world->table, "d"))->kind, TEXT_NESTED);
	check_end(world);
}

TEST(what_a_cell_says_by_itself)
{
	static const struct {
		const char *text;
		enum histree_type type;
	} cases[] = {
		{ "", HISTREE_NULL },
		{ "0", HISTREE_INT },
		{ "-12", HISTREE_INT },
		{ "2147483648", HISTREE_LONG },
		{ "007", HISTREE_STRING },
		{ "+5", HISTREE_STRING },
		{ "1.5", HISTREE_DOUBLE },
		{ "-2e9", HISTREE_DOUBLE },
		{ "1e400", HISTREE_STRING },
		{ "nan", HISTREE_DOUBLE },
		{ "-inf", HISTREE_DOUBLE },
		{ ".5", HISTREE_STRING },
		{ "true", HISTREE_BOOL },
		{ "True", HISTREE_STRING },
		{ "9223372036854775808", HISTREE_STRING },
		{ "1.2.3", HISTREE_STRING },
		{ "0x10", HISTREE_STRING },
		{ "e", HISTREE_STRING },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[64];
		snprintf(text, sizeof(text), "%s", cases[i].text);
		const struct text_cell cell = { .kind = TEXT_PLAIN, .bytes = text, .size = strlen(text) };
		if (text_cell_value(&cell).type != cases[i].type)
			fail_msg("'%s' is of type %s", text, histree_type_name(text_cell_value(&cell).type));
	}
	const struct text_cell zero = { .kind = TEXT_PLAIN, .bytes = (char[]){ "1\0002" }, .size = 3 };
	assert_int_equal(text_cell_value(&zero).type, HISTREE_STRING);
}

TEST_WITH(names_of_the_caller, set_up, tear_down)
{
	struct world *world = *state;
	open_text(world, "1\t2\n3\t4\n", "a,b");
	next_row(world);
	check_integer(world, "b", 2);
	next_row(world);
	check_integer(world, "a", 3);
	check_end(world);
}

TEST_WITH(a_row_can_be_gone_to, set_up, tear_down)
{
	struct world *world = *state;
	open_text(world, "a,b\n1,2\n\"3\n\",4\n5,6\n", NULL);
	uint64_t places[3];
	for (int i = 0; i < 3; i++) {
		next_row(world);
		places[i] = world->table.row_at;
	}
	for (int i = 2; i >= 0; i--) {
		assert_ok(text_table_seek(&world->table, places[i], &world->error));
		next_row(world);
		check_integer(world, "b", 2 + 2 * i);
	}
	assert_int_equal(text_table_seek(&world->table, 1000, &world->error), HISTREE_ERR_FORMAT);
}

/* A long line is read whole, a longer one refused, and both without much more memory than the line. */
TEST_WITH(long_lines, set_up, tear_down)
{
	struct world *world = *state;
	size_t size = TEXT_LINE_MAX + (1 << 20);
	char *text = malloc(size);
	assert_non_null(text);
	memset(text, 'x', size);
	memcpy(text, "a,b\n1,", 6);
	text[5000000] = '\n';
	memcpy(text + 5000001, "2,", 2);
	write_text(world, text, 5000010);
	assert_ok(text_table_open(&world->table, &io_posix, world->path, NULL, NULL, &world->error));
	next_row(world);
	assert_int_equal(text_table_cell(&world->table, 1)->size, 5000000 - 6);
	next_row(world);
	check_text(world, "b", "xxxxxxx");
	check_end(world);
	text_table_close(&world->table);
	text[5000000] = text[5000001] = text[5000002] = 'x';
	write_text(world, text, size);
	assert_ok(text_table_open(&world->table, &io_posix, world->path, NULL, NULL, &world->error));
	assert_int_equal(text_table_next(&world->table, &world->error), HISTREE_ERR_FORMAT);
	assert_non_null(strstr(world->error.message, "line 2: is longer than 16 MiB"));
	assert_true(world->table.capacity < 4 * (size_t)TEXT_LINE_MAX);
	free(text);
}

TEST_WITH(reads_that_are_short_or_fail, set_up, tear_down)
{
	struct world *world = *state;
	struct faulty_io faulty;
	const char *text = "a,b\n1,\"2\n\"\n3,4\n";
	write_text(world, text, strlen(text));
	faulty_io_init(&faulty, &io_posix);
	faulty.short_transfers = true;
	assert_ok(text_table_open(&world->table, &faulty.io, world->path, NULL, NULL, &world->error));
	next_row(world);
	check_text(world, "b", "2\n");
	next_row(world);
	check_integer(world, "b", 4);
	check_end(world);
	text_table_close(&world->table);
	enum histree_status status = HISTREE_ERR_IO;
	for (uint64_t at = 1; status == HISTREE_ERR_IO; at++) {
		faulty_io_init(&faulty, &io_posix);
		faulty.fail_at = at;
		status = text_table_open(&world->table, &faulty.io, world->path, NULL, NULL, &world->error);
		while (status == HISTREE_OK)
			status = text_table_next(&world->table, &world->error);
		text_table_close(&world->table);
		assert_true(at > 1 || status == HISTREE_ERR_IO);
	}
	assert_int_equal(status, HISTREE_END);
}
