// SPDX-License-Identifier: MIT
/*
 * test_symbols.c - names of functions: tables against a search through all lines, this program by its own
 * addresses, and copies of it that are cut, changed or of another build.
 */
#include <link.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include "base/hash_index.h"
#include "support/effort.h"
#include "support/test.h"
#include "symbols/symbol_source.h"

/* ---- tables ------------------------------------------------------------------------------------------------- */

enum { LINES = 60, ADDRESSES = 40 };

/* A line, and which name of its address it gives: of those of one rank the first by its bytes. */
TEST(tables_are_as_their_lines_say)
{
	static const char types[] = "TWtdB";
	struct random random = { test_seed() };
	for (uint64_t round = test_effort(300, 60) * test_rounds(); round > 0; round--) {
		char text[LINES * 64] = "", best[ADDRESSES][16] = { "" };
		int ranks[ADDRESSES];
		for (int i = 0; i < LINES; i++) {
			char name[16], *end = text + strlen(text);
			const unsigned address = (unsigned)random_below(&random, ADDRESSES);
			const unsigned type = (unsigned)random_below(&random, 6);
			snprintf(name, sizeof(name), "f%u", (unsigned)random_below(&random, 50));
			if (type == 5)
				sprintf(end, "%s%x %s\r\n", random_percent(&random, 50) ? "0x" : "  000", address,
					name);
			else
				sprintf(end, "%08x %c  %s\n", address, types[type], name);
			const int rank = type == 5 ? 0 : type < 2 ? (int)type : type == 2 ? 5 : 100;
			const bool is_first = *best[address] == '\0' || rank < ranks[address] ||
					      (rank == ranks[address] && strcmp(name, best[address]) < 0);
			if (rank < 100 && is_first) {
				ranks[address] = rank;
				strcpy(best[address], name);
			}
		}
		strcat(text, "U puts\n zz f\n\n12345678901234567 T long\n13 T\nend");
		struct name_table table = { 0 };
		assert_true(name_table_read(&table, text, strlen(text)));
		name_table_sort(&table);
		for (unsigned address = 0; address < ADDRESSES; address++) {
			const struct named_range *range = name_table_find(&table, address);
			/* "13 T" is a function that is called T. */
			const char *wanted = address == 0x13 && (*best[0x13] == '\0' || ranks[0x13] > 0 ||
								 strcmp("T", best[0x13]) < 0)
						     ? "T"
						     : best[address];
			assert_string_equal(range != NULL ? range->name : "", wanted);
		}
		name_table_release(&table);
	}
}

TEST(ranges_have_what_is_inside)
{
	struct name_table table = { 0 };
	assert_true(name_table_add(&table, (struct named_range){ 100, 10, "a", 0 }, 1));
	assert_true(name_table_add(&table, (struct named_range){ UINT64_MAX - 1, 1, "z", 0 }, 1));
	assert_true(name_table_add(&table, (struct named_range){ 105, 0, "b", 0 }, 1));
	name_table_sort(&table);
	assert_null(name_table_find(&table, 99));
	assert_string_equal(name_table_find(&table, 104)->name, "a");
	assert_string_equal(name_table_find(&table, 105)->name, "b");
	assert_null(name_table_find(&table, 110));
	assert_string_equal(name_table_find(&table, UINT64_MAX - 1)->name, "z");
	assert_null(name_table_find(&table, UINT64_MAX));
	name_table_release(&table);
}

/* ---- names of C++ and Rust ---------------------------------------------------------------------------------- */

/* Each parameter is a template of two of the one before: as much text as one likes. */
static void write_bomb(char *name, size_t size, int count)
{
	size_t at = (size_t)snprintf(name, size, "_Z1f1AIiiE");
	for (int i = 0; i < count && at < size; i++) {
		char before[8];
		snprintf(before, sizeof(before), "S%c_", i < 10 ? '0' + i : 'A' + i - 10);
		at += (size_t)snprintf(name + at, size - at, "S_I%s%sE", before, before);
	}
}

TEST(mangled_names_are_those_of_people)
{
	static const char *const names[][2] = {
		{ "_Z4drawi", "draw(int)" },
		{ "_ZN3app4View4drawERKSs", "app::View::draw(std::string const&)" },
		{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt" },
		{ "_ZN16_$LT$A$u20$B$GT$3get17h0123456789abcdefE", "<A B>::get" },
		{ "_ZN11alloc..boxy3new17h0123456789abcdefE", "alloc::boxy::new" },
		{ "_ZN11alloc..boxy3newE", "alloc..boxy::new" }, /* no hash, no Rust */
		{ "_Z", "_Z" },
		{ "_Z9", "_Z9" },
		{ "main", "main" },
		{ "_RNvC4main5start", "main::start" },
		{ "_RNvC4main", "_RNvC4main" },
	};
	char bomb[1024];
	struct demangler demangler = { .text = NULL };
	if (!elf_names_can_read())
		skip();
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_string_equal(demangle(&demangler, names[i][0]), names[i][1]);
	write_bomb(bomb, sizeof(bomb), 4);
	assert_true(strlen(demangle(&demangler, bomb)) > 100);
	write_bomb(bomb, sizeof(bomb), 30);
	assert_ptr_equal(demangle(&demangler, bomb), bomb);
	demangler_release(&demangler);
}

/* ---- binaries ----------------------------------------------------------------------------------------------- */

static int find_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = info->dlpi_addr;
	return 1; /* the program is the first */
}

static void own_path(char path[4096])
{
	ssize_t size = readlink("/proc/self/exe", path, 4095);
	assert_true(size > 0);
	path[size] = '\0';
}

TEST(this_program_is_known)
{
	char path[4096], line[ELF_LINE_SIZE];
	const char *name;
	struct symbol_source source;
	struct symbol_module module = { .path = path };
	if (!elf_names_can_read())
		skip();
	own_path(path);
	dl_iterate_phdr(find_base, &module.base);
	assert_ok(symbol_source_open(&source, &(struct symbol_places){ 0 }, NULL));
	const uint64_t address = (uint64_t)(uintptr_t)this_program_is_known;
	assert_int_equal(symbol_source_find(&source, &module, address, &name, line), SYMBOL_FOUND);
	assert_string_equal(name, "this_program_is_known");
	assert_true(*line == '\0' || strncmp(line, "test_symbols.c:", 15) == 0);
	assert_int_equal(symbol_source_find(&source, &module, address + 1, &name, line), SYMBOL_FOUND);
	assert_int_equal(symbol_source_find(&source, &module, module.base, &name, line), SYMBOL_NONE);
	const uint8_t id[] = { 1, 2, 3, 4 };
	module.build_id = id;
	module.build_id_size = sizeof(id);
	assert_int_equal(symbol_source_find(&source, &module, address, &name, line), SYMBOL_OTHER_BUILD);
	module.path = "/dev/zero";
	assert_int_equal(symbol_source_find(&source, &module, address, &name, line), SYMBOL_NO_FILE);
	symbol_source_release(&source);
	assert_ok(symbol_source_open(&source, &(struct symbol_places){ .no_binaries = true }, NULL));
	module = (struct symbol_module){ .path = path, .base = module.base };
	assert_int_equal(symbol_source_find(&source, &module, address, &name, line), SYMBOL_NO_FILE);
	symbol_source_release(&source);
}

static __attribute__((noinline)) uint64_t place_of_return(void)
{
	return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

static inline __attribute__((always_inline)) uint64_t in_two_functions(void)
{
	return place_of_return() - 1;
}

struct seen_chain {
	size_t count;
	char first[64], last[64], line[ELF_LINE_SIZE];
	bool is_inlined;
};

static void see_frame(void *context, const char *name, const char *line, bool is_inlined)
{
	struct seen_chain *chain = context;
	assert_int_equal(is_inlined, chain->count > 0);
	if (chain->count++ == 0)
		snprintf(chain->first, sizeof(chain->first), "%s", name);
	snprintf(chain->last, sizeof(chain->last), "%s", name);
	snprintf(chain->line, sizeof(chain->line), "%s", line);
}

TEST(a_call_is_in_what_was_inlined)
{
	char path[4096];
	struct symbol_source source;
	struct symbol_module module = { .path = path };
	struct seen_chain chain = { .count = 0 };
	if (!elf_names_can_read())
		skip();
	own_path(path);
	dl_iterate_phdr(find_base, &module.base);
	assert_ok(symbol_source_open(&source, &(struct symbol_places){ 0 }, NULL));
	const uint64_t address = in_two_functions();
	assert_int_equal(symbol_source_chain(&source, &module, address, see_frame, &chain), SYMBOL_FOUND);
	assert_string_equal(chain.first, "a_call_is_in_what_was_inlined");
	/* Of a release there are symbols only. */
	if (*chain.line != '\0') {
		assert_int_equal(chain.count, 2);
		assert_string_equal(chain.last, "in_two_functions");
		assert_int_equal(strncmp(chain.line, "test_symbols.c:", 15), 0);
	}
	chain.count = 0;
	assert_int_equal(symbol_source_chain(&source, &module, module.base, see_frame, &chain), SYMBOL_NONE);
	assert_int_equal(chain.count, 0);
	module.path = "/dev/zero";
	assert_int_equal(symbol_source_chain(&source, &module, address, see_frame, &chain), SYMBOL_NO_FILE);
	symbol_source_release(&source);
}

/* The first megabytes of this program, where the tables are that say where all others are. */
static uint8_t *read_own(size_t *size)
{
	char path[4096];
	own_path(path);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	uint8_t *bytes = malloc(64 << 20);
	assert_non_null(bytes);
	*size = fread(bytes, 1, 64 << 20, file);
	fclose(file);
	return bytes;
}

static void write_file(const char *path, const uint8_t *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void try_file(const char *path)
{
	struct elf_names *names;
	struct elf_frame frames[ELF_CHAIN_MAX];
	size_t count;
	char line[ELF_LINE_SIZE];
	if (elf_names_open(path, NULL, 0, &names) != ELF_OPENED)
		return;
	for (uint64_t address = 0; address < 1 << 20; address += 4099) {
		elf_names_find(names, 0, address);
		elf_names_line(names, 0, address, line);
		elf_names_chain(names, 0, address, frames, &count);
	}
	elf_names_close(names);
}

TEST(harmed_binaries_do_no_harm)
{
	struct random random = { test_seed() };
	char path[64];
	size_t size;
	if (!elf_names_can_read())
		skip();
	uint8_t *bytes = read_own(&size);
	snprintf(path, sizeof(path), "test_symbols.%ld.elf", (long)getpid());
	for (uint64_t round = test_effort(200, 12); round > 0; round--) {
		const size_t kept = random_percent(&random, 50) ? size : random_below(&random, size);
		uint8_t *copy = malloc(kept + 1);
		assert_non_null(copy);
		memcpy(copy, bytes, kept);
		/* Its header and its table of sections decide what is read. */
		for (int i = 0; i < 8 && kept > 64; i++) {
			size_t at = random_percent(&random, 50) ? random_below(&random, 64)
				    : random_percent(&random, 70)
					    ? kept - 1 - random_below(&random, kept < 4096 ? kept : 4096)
					    : random_below(&random, kept);
			if (at >= 6) /* it stays an ELF file */
				copy[at] = (uint8_t)random_below(&random, 256);
		}
		write_file(path, copy, kept);
		try_file(path);
		free(copy);
	}
	unlink(path);
	free(bytes);
}

TEST(places_that_are_none_are_refused)
{
	struct symbol_source source;
	struct histree_error error = { 0 };
	const char *path = "test_symbols.none";
	const struct symbol_places places = { .paths = &path, .count = 1 };
	unlink(path);
	assert_int_equal(symbol_source_open(&source, &places, &error), HISTREE_ERR_IO);
	symbol_source_release(&source);
	write_file(path, (const uint8_t *)"no table\n", 9);
	assert_int_equal(symbol_source_open(&source, &places, &error), HISTREE_ERR_FORMAT);
	assert_non_null(strstr(error.message, "nm"));
	symbol_source_release(&source);
	write_file(path, (const uint8_t *)"1f T f\n", 7);
	assert_ok(symbol_source_open(&source, &places, &error));
	assert_string_equal(symbol_source_in_tables(&source, 0x1f), "f");
	assert_null(symbol_source_in_tables(&source, 0x20));
	symbol_source_release(&source);
	unlink(path);
}

static void is_beside(const char *trace, const char *wanted)
{
	char *table = symbol_table_beside(trace);
	assert_true((table != NULL) == (wanted != NULL));
	if (table != NULL)
		assert_string_equal(strrchr(table, '/') + 1, wanted);
	free(table);
}

/* In the folder of a trace, or else in the one that holds it; two of them are none. */
TEST(a_table_lies_beside_a_trace)
{
	static const char folder[] = "test_symbols.beside", trace[] = "test_symbols.beside/trace";
	static const char mapping[] = "                 U puts\n0000000000401136 T main\n0000000000402000 b data\n";
	static const struct {
		const char *file, *text, *found;
	} steps[] = {
		{ "/notes.txt", "401136 seconds later\n", NULL },
		{ "/map.txt", "0000000000402000 b data\n", NULL },
		{ "/mapping", mapping, NULL },
		{ "/mapping.txt", mapping, "mapping.txt" },
		{ "/other.map", mapping, NULL },
		{ "/trace/own.nm", mapping, "own.nm" },
	};
	enum { STEPS = sizeof(steps) / sizeof(steps[0]) };
	char paths[STEPS][64];
	assert_int_equal(mkdir(folder, 0777), 0);
	assert_int_equal(mkdir(trace, 0777), 0);
	for (size_t i = 0; i < STEPS; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s%s", folder, steps[i].file);
		write_file(paths[i], (const uint8_t *)steps[i].text, strlen(steps[i].text));
		is_beside(trace, steps[i].found);
	}
	is_beside(paths[STEPS - 1], NULL); /* a file */
	is_beside("test_symbols.nowhere", NULL);
	for (size_t i = 0; i < STEPS; i++)
		unlink(paths[i]);
	rmdir(trace);
	rmdir(folder);
}

/* What a trace calls a binary leads to no file outside of the folder of another machine's. */
TEST(names_do_not_lead_out_of_a_folder)
{
	static const struct {
		const char *path;
		enum symbol_answer answer;
	} cases[] = {
		{ "/lib/program", SYMBOL_NONE },
		{ "/bin/../lib/./program", SYMBOL_NONE },
		{ "/../../lib/program", SYMBOL_NONE },
		{ "/none/program", SYMBOL_NO_FILE },
		{ "/../outside", SYMBOL_NO_FILE },
		{ "/lib/../../outside", SYMBOL_NO_FILE },
		{ "/lib/none/../../../outside", SYMBOL_NO_FILE },
		{ "/..", SYMBOL_NO_FILE },
		{ "../outside", SYMBOL_NO_FILE },
	};
	char path[4096], line[ELF_LINE_SIZE];
	const char *name, *folder = "test_symbols.root";
	const struct symbol_places places = { .paths = &folder, .count = 1 };
	struct symbol_source source;
	if (!elf_names_can_read())
		skip();
	own_path(path);
	mkdir(folder, 0777);
	mkdir("test_symbols.root/lib", 0777);
	unlink("outside");
	unlink("test_symbols.root/lib/program");
	assert_int_equal(symlink(path, "outside"), 0);
	assert_int_equal(symlink(path, "test_symbols.root/lib/program"), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct symbol_module module = { .path = cases[i].path };
		assert_ok(symbol_source_open(&source, &places, NULL));
		if (symbol_source_find(&source, &module, 1, &name, line) != cases[i].answer)
			fail_msg("'%s' was found or not", cases[i].path);
		symbol_source_release(&source);
	}
	unlink("outside");
	unlink("test_symbols.root/lib/program");
	rmdir("test_symbols.root/lib");
	rmdir(folder);
}

/* A pipe is not even opened: whoever waits at its other end would be let go. */
TEST(a_pipe_is_not_opened)
{
	struct elf_names *names;
	char events[4096];
	const char *path = "test_symbols.pipe";
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	const int watch = inotify_init1(IN_NONBLOCK);
	assert_true(watch >= 0 && inotify_add_watch(watch, path, IN_OPEN) >= 0);
	assert_int_equal(elf_names_open(path, NULL, 0, &names), ELF_NOT_THERE);
	assert_int_equal(read(watch, events, sizeof(events)), -1);
	close(watch);
	unlink(path);
}
