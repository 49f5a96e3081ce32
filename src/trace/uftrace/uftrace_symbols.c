// SPDX-License-Identifier: MIT
#include "trace/uftrace/uftrace_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "trace/lines/line_scan.h"

/* "# path name: /usr/bin/true", "# build-id: 3276edfc": what a file says of its module. */
static bool is_of(struct line_scan scan, const char *module, const char *build_id)
{
	const char *expected = NULL;
	if (line_scan_word(&scan, "# path name: "))
		expected = module;
	else if (line_scan_word(&scan, "# build-id: "))
		expected = build_id;
	size_t size = (size_t)(scan.end - scan.at);
	return expected == NULL || *expected == '\0' || size == 0 ||
	       (strlen(expected) == size && memcmp(expected, scan.at, size) == 0);
}

/* Names that only say that the symbols before them end. */
static bool is_end(char type, const struct line_scan *name)
{
	static const char *const ends[] = { "__sym_end", "__dynsym_end", "__func_end" };
	size_t size = (size_t)(name->end - name->at);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strlen(ends[i]) == size && memcmp(ends[i], name->at, size) == 0)
			return true;
	return type == '?';
}

static enum histree_status add(struct uftrace_symbols *symbols, struct line_scan scan, struct histree_error *error)
{
	static const char types[] = "?TtwPKDdvu";
	struct uftrace_symbol symbol = { 0 };
	if (!line_scan_hexadecimal(&scan, &symbol.address) || !line_scan_byte(&scan, ' '))
		return HISTREE_OK;
	if (scan.at < scan.end && *scan.at >= '0' && *scan.at <= '9' &&
	    (!line_scan_hexadecimal(&scan, &symbol.size) || !line_scan_byte(&scan, ' ')))
		return HISTREE_OK;
	char type = scan.at < scan.end ? *scan.at++ : '\0';
	if (type == '\0' || strchr(types, type) == NULL || !line_scan_byte(&scan, ' '))
		return HISTREE_OK;
	char *tab = memchr(scan.at, '\t', (size_t)(scan.end - scan.at)); /* the module of the kernel is behind it */
	scan.end = tab != NULL ? tab : scan.end;
	if (!array_reserve(&symbols->symbols, &symbols->capacity, symbols->count + 1))
		return error_memory(error, "the names of functions");
	if (!is_end(type, &scan)) {
		symbol.name = arena_copy(&symbols->names, scan.at, (size_t)(scan.end - scan.at));
		if (symbol.name == NULL)
			return error_memory(error, "the names of functions");
	}
	symbols->symbols[symbols->count++] = symbol;
	return HISTREE_OK;
}

/* Of several names of an address the one that comes first in the file is it: those after it are for this sort. */
static int compare(const void *a, const void *b)
{
	const struct uftrace_symbol *first = a, *second = b;
	if (first->address != second->address)
		return first->address < second->address ? -1 : 1;
	return (first->name == NULL) - (second->name == NULL);
}

static enum histree_status read_lines(struct uftrace_symbols *symbols, struct line_text *text, const char *module,
				      const char *build_id, bool *is_other, struct histree_error *error)
{
	char *line;
	size_t size;
	enum histree_status status;
	while ((status = line_text_next(text, &line, &size, error)) == HISTREE_OK) {
		const struct line_scan scan = { line, line + size };
		bool is_comment = size > 0 && *line == '#';
		if (is_comment && !is_of(scan, module, build_id)) {
			*is_other = true;
			return HISTREE_OK;
		}
		status = is_comment ? HISTREE_OK : add(symbols, scan, error);
		if (status != HISTREE_OK)
			return status;
	}
	return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
}

enum histree_status uftrace_symbols_read(struct uftrace_symbols *symbols, const struct line_place *place,
					 const char *module, const char *build_id, bool *is_other,
					 struct histree_error *error)
{
	struct line_text text;
	*is_other = false;
	enum histree_status status = line_text_open(&text, place, error);
	if (status != HISTREE_OK)
		return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
	status = read_lines(symbols, &text, module, build_id, is_other, error);
	line_text_close(&text);
	if (symbols->count > 0)
		qsort(symbols->symbols, symbols->count, sizeof(*symbols->symbols), compare);
	return status;
}

const char *uftrace_symbols_find(const struct uftrace_symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->count;
	while (low < high) { /* the first one behind the address */
		size_t middle = low + (high - low) / 2;
		if (symbols->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	const struct uftrace_symbol *symbol = &symbols->symbols[low - 1];
	while (symbol > symbols->symbols && symbol[-1].address == symbol->address)
		symbol--;
	bool is_within = symbol->size > 0 ? address - symbol->address < symbol->size : low < symbols->count;
	return is_within ? symbol->name : NULL;
}

void uftrace_symbols_release(struct uftrace_symbols *symbols)
{
	free(symbols->symbols);
	arena_release(&symbols->names);
	*symbols = (struct uftrace_symbols){ 0 };
}
