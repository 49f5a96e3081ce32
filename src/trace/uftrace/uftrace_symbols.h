/* SPDX-License-Identifier: MIT */
/*
 * uftrace_symbols.h - the names of the functions of one program or library, of a file "libc.so.6.sym".
 *
 * A line is "0000000000001030 T main", by addresses in the module; a type "?" is where symbols end.  Newer versions
 * write the size behind the address.
 */
#ifndef TRACE_UFTRACE_UFTRACE_SYMBOLS_H
#define TRACE_UFTRACE_UFTRACE_SYMBOLS_H

#include "base/arena.h"
#include "trace/lines/line_text.h"

struct uftrace_symbol {
	uint64_t address, size; /* 0: up to the next one, without which there is none */
	const char *name;       /* NULL: none is here */
};

/* A zeroed one is empty. */
struct uftrace_symbols {
	struct uftrace_symbol *symbols; /* by address */
	size_t count, capacity;
	struct arena names;
};

/*
 * Read a file if it is of the module with this path and build id, "" being any; `*is_other` says that it is of
 * another one.  A file that is not there has no symbols.  Returns HISTREE_ERR_MEMORY.
 */
enum histree_status uftrace_symbols_read(struct uftrace_symbols *symbols, const struct line_place *place,
					 const char *module, const char *build_id, bool *is_other,
					 struct histree_error *error);

/* Returns the name of the function that an address of the module is in, NULL if it is in none. */
const char *uftrace_symbols_find(const struct uftrace_symbols *symbols, uint64_t address);

void uftrace_symbols_release(struct uftrace_symbols *symbols);

#endif
