/* SPDX-License-Identifier: MIT */
/*
 * call_symbols.h - names for the addresses of functions: the mapped binaries of each process come from the state
 * dump of LTTng-UST and its events of dlopen(), the names from symbols/.
 *
 * States have addresses; the names become labels of the history (call_stacks.h), so everything that shows states
 * shows them.
 */
#ifndef ANALYSIS_UST_CALL_SYMBOLS_H
#define ANALYSIS_UST_CALL_SYMBOLS_H

#include "analysis/analysis.h"
#include "base/hash_index.h"
#include "symbols/symbol_source.h"

struct call_module {
	uint64_t base, size;
	const char *path;
	const uint8_t *build_id;
	size_t build_id_size;
};

/* A function that was called. */
struct call_function {
	uint64_t address;
	const char *name; /* NULL: not found, or not yet */
	const char *key;  /* "0x401136 app.c:31", once it has a name */
	uint32_t tried;   /* the modules of its space when it was looked for last, plus 1; 0: never */
	uint32_t program; /* of its space, when it was called */
	uint32_t label;   /* its number among those that are being made */
};

/* Where a call returns to. */
struct call_site {
	const char *text; /* "main app.c:50 > help (inlined) app.h:17"; NULL: not found, or not yet */
	uint32_t tried;   /* as that of a function */
};

/*
 * The addresses of a process.  It may run several programs one after the other, by exec: each is dumped anew, and
 * what was called before has the names of the binaries that there were then.
 */
struct call_space {
	uint64_t pid;
	uint32_t number; /* dense from 0 */
	struct call_module *modules;
	size_t module_count, module_capacity;
	uint32_t changes;                     /* of the modules so far */
	struct id_map functions;              /* struct call_function by address */
	struct id_map sites;                  /* struct call_site by address, of this program */
	struct id_map *before;                /* the same, of the programs that ran before */
	size_t before_count, before_capacity; /* the former is the number of the program, too */
};

struct call_symbols {
	struct symbol_source source;
	bool is_on; /* there are places to look at */
	struct class_table bindings;
	struct id_map spaces; /* struct call_space by pid */
	struct arena records;
	/* Of functions that were looked for at last. */
	uint64_t found, not_found;
	const char *missing_path;   /* of the first binary that there was not; NULL: none */
	bool is_other_build;        /* there is one, of another build */
	const char *missing_before; /* the same, of programs that ran before */
	bool was_other_build;
	bool has_homeless; /* a function is in no binary, though the trace says where some lie */
};

/* Begin to look for names.  Release it also after failure. */
enum histree_status call_symbols_open(struct call_symbols *symbols, const struct symbol_places *places,
				      struct histree_error *error);

/* Take an event that says what lies where; others pass by.  Returns false when memory runs out. */
bool call_symbols_take(struct call_symbols *symbols, const struct event *event);

/* Returns the space of a process, made if it does not exist; NULL when memory runs out. */
struct call_space *call_symbols_space(struct call_symbols *symbols, uint64_t pid);

/* Returns the function at an address, made if it does not exist; NULL when memory runs out. */
struct call_function *call_symbols_function(struct call_symbols *symbols, struct call_space *space,
					    uint64_t address);

/* Look for the name of a function, unless it has one or nothing new has been learnt since the last look. */
enum histree_status call_symbols_name(struct call_symbols *symbols, const struct call_space *space,
				      struct call_function *function, struct histree_error *error);

/*
 * Say where a call was made that returns to an address: in which function, and in which that were inlined there.
 * *text is NULL if that is not known.
 */
enum histree_status call_symbols_site(struct call_symbols *symbols, struct call_space *space, uint64_t address,
				      const char **text, struct histree_error *error);

/* Look for all names, and count what has one and what has not. */
enum histree_status call_symbols_name_all(struct call_symbols *symbols, struct histree_error *error);

/* Writes a sentence about functions without names, or "". */
void call_symbols_missing(const struct call_symbols *symbols, char *text, size_t size);

void call_symbols_release(struct call_symbols *symbols);

#endif
