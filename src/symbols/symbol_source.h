/* SPDX-License-Identifier: MIT */
/*
 * symbol_source.h - the sources of names of functions: tables of text, and binaries and files with debugging
 * information, which are searched for in folders, or at their paths in the trace.
 */
#ifndef SYMBOLS_SYMBOL_SOURCE_H
#define SYMBOLS_SYMBOL_SOURCE_H

#include "base/arena.h"
#include "histree/status.h"
#include "symbols/demangle.h"
#include "symbols/elf_names.h"

/* What a build was told; the paths are borrowed. */
struct symbol_places {
	const char *const
		*paths; /* of tables, and of folders that stand for the root of the machine that was traced */
	size_t count;
	bool no_binaries; /* of this machine */
};

/* A binary in a process. */
struct symbol_module {
	const char *path;
	uint64_t base; /* where it lies; ELF_BASE_OF_OFFSETS: addresses are offsets in the file */
	const uint8_t *build_id;
	size_t build_id_size; /* 0: not known */
};

enum symbol_answer {
	SYMBOL_FOUND,
	SYMBOL_NONE,        /* the binary has no function there */
	SYMBOL_NO_FILE,     /* there is no binary */
	SYMBOL_OTHER_BUILD, /* there is one of another build only */
	SYMBOL_NO_MEMORY,
};

struct symbol_source {
	const char *const *folders; /* those of the places */
	size_t folder_count;
	bool no_binaries;
	struct name_table table; /* of all tables together */
	struct demangler demangler;
	/* What is known of each binary, by a text of its path and build id. */
	struct intern keys;
	struct symbol_file *files;
	size_t file_count, file_capacity;
};

/*
 * Returns the path of the table of functions, as nm prints it, that lies in the folder of a trace or in the one
 * that holds it, to be freed: the only file there that is called so (.txt, .map or .nm) and has nothing but such
 * lines.  NULL: there is none, there are several, or the trace is no folder.
 */
char *symbol_table_beside(const char *trace);

/*
 * Reads the tables.  Release it also after failure.  Returns HISTREE_ERR_IO with a sentence for a path that cannot
 * be read.
 */
enum histree_status symbol_source_open(struct symbol_source *source, const struct symbol_places *places,
				       struct histree_error *error);

/* Returns the name that a table has for an address, until the next question; NULL if none has. */
const char *symbol_source_in_tables(struct symbol_source *source, uint64_t address);

/*
 * Returns the name in a table of what begins at an address, or last before it, until the next question: where all
 * functions are in tables, as those of a kernel are, it is in that one.  A kernel and programs are kept apart.
 */
const char *symbol_source_near_in_tables(struct symbol_source *source, uint64_t address);

/*
 * Finds the function at an address of a binary, and its line in `line`, which has ELF_LINE_SIZE bytes, "" where
 * nothing is known.  The name lasts until the next question.
 */
enum symbol_answer symbol_source_find(struct symbol_source *source, const struct symbol_module *module,
				      uint64_t address, const char **name, char *line);

/* A function of a chain, and where in it that is, or is gone on from; both last for the call. */
typedef void symbol_visitor(void *context, const char *name, const char *line, bool is_inlined);

/*
 * Finds the functions at an address within code, the outermost first, and hands those that were inlined, too, to
 * `visit`.  For a call it is the address before the one that it returns to.
 */
enum symbol_answer symbol_source_chain(struct symbol_source *source, const struct symbol_module *module,
				       uint64_t address, symbol_visitor *visit, void *context);

void symbol_source_release(struct symbol_source *source);

#endif
