// SPDX-License-Identifier: MIT
/*
 * fuzz_text.c - bytes as a text of rows, in the format that the first byte chooses.  Whatever they are, reading
 * ends; cells lie within their row and end with a zero; and what is wrong is said with its line.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "text/text_table.h"

static void read_cell(struct text_cell *cell)
{
	int64_t integer;
	double real;
	bool truth;
	char text[64];
	REQUIRE(text_cell_quote(cell, text) != NULL);
	if (cell->kind == TEXT_PLAIN || cell->kind == TEXT_STRING)
		REQUIRE(cell->bytes[cell->size] == '\0');
	size_t size = cell->size;
	if (cell->kind == TEXT_ABSENT || cell->kind == TEXT_NESTED || !text_cell_unescape(cell))
		return;
	REQUIRE(cell->size <= size);
	struct histree_value value = text_cell_value(cell);
	REQUIRE(value.type < HISTREE_TYPE_COUNT && (value.type != HISTREE_STRING || value.size == cell->size));
	if (value.type == HISTREE_INT || value.type == HISTREE_LONG)
		REQUIRE(text_cell_integer(cell, &integer) && text_cell_real(cell, &real));
	if (value.type == HISTREE_DOUBLE)
		REQUIRE(text_cell_real(cell, &real));
	if (value.type == HISTREE_BOOL)
		REQUIRE(text_cell_bool(cell, &truth));
	if (text_cell_hexadecimal(cell))
		REQUIRE(cell->size <= size / 2);
}

static void read_rows(struct text_table *table)
{
	struct histree_error error = { 0 };
	enum histree_status status;
	uint64_t line = 0;
	while ((status = text_table_next(table, &error)) == HISTREE_OK) {
		REQUIRE(table->line > line);
		line = table->line;
		for (size_t i = 0; i < table->column_count; i++)
			read_cell(text_table_cell(table, i));
	}
	REQUIRE(status == HISTREE_END || strstr(error.message, ", line ") != NULL);
}

FUZZ_TARGET(bytes, size)
{
	static const char *const formats[] = { NULL, "tsv", "csv", "json" };
	char path[64];
	struct text_table table;
	struct histree_error error = { 0 };
	if (size == 0)
		return 0;
	int file = memfd_create("text", 0);
	REQUIRE(file >= 0 && write(file, bytes + 1, size - 1) == (ssize_t)(size - 1));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	const char *columns = (bytes[0] & 4) != 0 ? "path,time,value" : NULL;
	if (text_table_open(&table, &io_posix, path, formats[bytes[0] % 4], columns, &error) == HISTREE_OK) {
		read_rows(&table);
		text_table_close(&table);
	} else {
		REQUIRE(error.message[0] != '\0');
	}
	close(file);
	return 0;
}
