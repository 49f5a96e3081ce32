// SPDX-License-Identifier: MIT
/*
 * test_demangle.c - names of Rust: those of a program that was compiled with them, those of the RFC, random names
 * that are made together with their text, and what is none; and of C++, those whose text would have no end.
 */
#include "base/hash_index.h"
#include "support/effort.h"
#include "support/test.h"
#include "symbols/demangle.h"
#include "symbols/elf_names.h"

enum { TEXT_SIZE = 16384 };

static void names_are_those_of_the_source(void **state)
{
	(void)state;
	static const char *const names[][2] = {
		{ "_RNvCsjMaewn57Afh_1t4dynf", "t::dynf" },
		{ "_RINvCsjMaewn57Afh_1t3genAlj3_EB2_", "t::gen::<[i32; 3]>" },
		{ "_RINvCsjMaewn57Afh_1t3genShEB2_", "t::gen::<[u8]>" },
		{ "_RINvCsjMaewn57Afh_1t3genThEEB2_", "t::gen::<(u8,)>" },
		{ "_RINvCsjMaewn57Afh_1t3genThaEEB2_", "t::gen::<(u8, i8)>" },
		{ "_RINvCsjMaewn57Afh_1t3genFUKCPhOlEzEB2_",
		  "t::gen::<unsafe extern \"C\" fn(*const u8, *mut i32) -> !>" },
		{ "_RINvCsjMaewn57Afh_1t3genFG_RL0_hERL0_DNtNtCsgEmfK2I1SDS_4core3fmt5DebugEL0_EB2_",
		  "t::gen::<for<'a> fn(&'a u8) -> &'a dyn core::fmt::Debug + 'a>" },
		{ "_RINvCsjMaewn57Afh_1t3genDNtNtCsgEmfK2I1SDS_4core3fmt5DebugNtNtBr_6marker4SendEL_EB2_",
		  "t::gen::<dyn core::fmt::Debug + core::marker::Send>" },
		{ "_RINvCsjMaewn57Afh_1t3genDG_INtNtNtCsgEmfK2I1SDS_4core3ops8function2FnTRL0_hEEp6OutputtEL_EB2_",
		  "t::gen::<dyn for<'a> core::ops::function::Fn<(&'a u8,), Output = u16>>" },
		{ "_RINvCsjMaewn57Afh_1t3genNCNCNvB2_4mains0_00EB2_",
		  "t::gen::<t::main::{closure#2}::{closure#0}>" },
		{ "_RINvNtNtCsjMaewn57Afh_1tu8gdel_5qa6escher4bachhEB6_", "t::gödel::escher::bach::<u8>" },
		{ "_RNvMCsjMaewn57Afh_1tINtB2_1SKj0_Kca_Kb0_Kxn8000000000000000_E2goB2_",
		  "<t::S<0, '\\n', false, -9223372036854775808>>::go" },
		{ "_RNvMCsjMaewn57Afh_1tINtB2_1SKj3_Kc27_Kb0_Kx7_E2goB2_", "<t::S<3, ''', false, 7>>::go" },
		{ "_RNvMCsjMaewn57Afh_1tINtB2_1SKj3_Kcf6_Kb1_Kx7_E2goB2_", "<t::S<3, '\\u{f6}', true, 7>>::go" },
		/* The RFC, and the compiler's book. */
		{ "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar" },
		{ "_RINvNtC3std3mem8align_ofNtNtC3std3mem12DiscriminantE",
		  "std::mem::align_of::<std::mem::Discriminant>" },
		{ "_RINvNtC3std3mem8align_ofQTReuEE", "std::mem::align_of::<&mut (&str, ())>" },
		{ "_RINvNtC3std3mem8align_ofjEC3foo", "std::mem::align_of::<usize>" },
		{ "_RNvXs2_C7mycrateINtC7mycrate3FoopEINtNtC3std7convert4FrompE4from",
		  "<mycrate::Foo<_> as std::convert::From<_>>::from" },
		{ "_RINvCs1234_7mycrate3fooNvB2_3barNvBl_3bazE",
		  "mycrate::foo::<mycrate::bar, mycrate::bar::baz>" },
		{ "_RINxC3std3fooTNyB2_3BarBc_EBb_E", "std::foo::<(std::Bar, std::Bar), (std::Bar, std::Bar)>" },
		{ "_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3newCs15kBYyAo9fc_7mycrate",
		  "<std::path::PathBuf>::new" },
		{ "_RNvYNtCs15kBYyAo9fc_7mycrate7ExampleNtB4_5Trait7exampleB4_",
		  "<mycrate::Example as mycrate::Trait>::example" },
		{ "_RINvCs7qp2U7fqm6G_7mycrate7exampleFG0_RL1_hRL0_tEuEB2_",
		  "mycrate::example::<for<'a, 'b> fn(&'a u8, &'b u16)>" },
		{ "_RINvC1a1fKo0123456789abcdef0123456789abcdef_KpE",
		  "a::f::<0x123456789abcdef0123456789abcdef_, _>" },
		{ "_RNSC1as_6vtable.llvm.1", "a::{shim:vtable#1}" },
	};
	struct demangler demangler = { .text = NULL };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_string_equal(demangle(&demangler, names[i][0]), names[i][1]);
	demangler_release(&demangler);
}

static void what_is_no_name_is_refused(void **state)
{
	(void)state;
	static const char *const names[] = {
		"",
		"_R",
		"_Rust",
		"main",
		"_R0NvC1a1b",
		"_RNvC1a",
		"_RNvC1a9b",
		"_RB_",
		"_RNvB1_1a",
		"_RINvC1a1flE_",
		"_RINvC1a1fkE",
		"_RINvC1a1fKo123456789abcdef0123456789abcdef_Kp_E",
		"_RNvXINvC1a1fFFGFFFFFFEB6_", /* lifetimes without number, in what is not written */
		"_RINvC1a1fKb2_E",
		"_RINvC1a1fG",
		"_RC99999999999999999999a",
		"_RINvC1a1fKcd800_Kb0_",
		"_RNvC1au3_00",
		"_RC1as",
	};
	struct demangler demangler = { .text = NULL };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (demangle(&demangler, names[i]) != names[i])
			fail_msg("'%s' is '%s'", names[i], demangle(&demangler, names[i]));
	demangler_release(&demangler);
}

/* Each argument is a pair of the one before: twice as much text. */
static void write_rust_bomb(char *name, size_t size, int pairs)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t used = (size_t)snprintf(name, size, "_RIC1aTllE"), pair = 4;
	for (int i = 0; i < pairs; i++) {
		const size_t number = pair - 1; /* 0 is "_", and any other one more than its digits say */
		char text[4] = { 0 };
		if (number < 62)
			text[0] = digits[number];
		else
			snprintf(text, sizeof(text), "%c%c", digits[number / 62], digits[number % 62]);
		pair = used - 2;
		used += (size_t)snprintf(name + used, size - used, "TB%s_B%s_E", text, text);
	}
	snprintf(name + used, size - used, "E");
}

static void names_that_stand_for_too_much_stay(void **state)
{
	(void)state;
	struct demangler demangler = { .text = NULL };
	char name[1024], deep[4096];
	write_rust_bomb(name, sizeof(name), 5);
	assert_true(strlen(demangle(&demangler, name)) > 500);
	write_rust_bomb(name, sizeof(name), 60);
	assert_ptr_equal(demangle(&demangler, name), name);
	memset(deep, 'S', sizeof(deep));
	memcpy(deep, "_RIC1a", 6);
	deep[sizeof(deep) - 1] = '\0';
	assert_ptr_equal(demangle(&demangler, deep), deep);
	demangler_release(&demangler);
}

static void letters_beyond_ascii_are_read(void **state)
{
	(void)state;
	static const char *const words[][2] = {
		{ "_RNvC1au6f_5gaa", "a::føø" },   { "_RNvC1au7___ylb7e", "a::α_ω" },
		{ "_RNvC1au6n84amf", "a::铁锈" },  { "_RNvC1au4fq9h", "a::🤦" },
		{ "_RNvC1au6_2xaedc", "a::ρυστ" },
	};
	struct demangler demangler = { .text = NULL };
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		assert_string_equal(demangle(&demangler, words[i][0]), words[i][1]);
	demangler_release(&demangler);
}

/* ---- random names ------------------------------------------------------------------------------------------- */

/* A name and its text, which grow together. */
struct making {
	struct random random;
	char name[TEXT_SIZE], text[TEXT_SIZE];
	size_t name_size, text_size;
	struct {
		size_t at, text_at, text_end;
	} types[64]; /* that a reference may point to */
	size_t type_count;
	int depth;
};

static void __attribute__((format(printf, 2, 3))) name_add(struct making *making, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	making->name_size += (size_t)vsnprintf(making->name + making->name_size, TEXT_SIZE - making->name_size,
					       format, arguments);
	va_end(arguments);
}

static void __attribute__((format(printf, 2, 3))) text_add(struct making *making, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	making->text_size += (size_t)vsnprintf(making->text + making->text_size, TEXT_SIZE - making->text_size,
					       format, arguments);
	va_end(arguments);
}

static void add_number(struct making *making, uint64_t number)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char text[16];
	size_t at = sizeof(text) - 1;
	text[at] = '\0';
	for (uint64_t left = number > 0 ? number - 1 : 0, first = number > 0; first || left > 0;
	     left /= 62, first = 0)
		text[--at] = digits[left % 62];
	name_add(making, "%s_", text + at);
}

static void add_identifier(struct making *making)
{
	static const char *const words[] = { "a", "main", "_x", "9lives", "read_more", "poll" };
	const char *word = words[random_index(&making->random, 6)];
	if (random_percent(&making->random, 20)) {
		name_add(making, "s");
		add_number(making, random_below(&making->random, 1u << random_below(&making->random, 20)));
	}
	name_add(making, "%zu%s%s", strlen(word), word[0] == '_' || word[0] == '9' ? "_" : "", word);
	text_add(making, "%s", word);
}

static void add_type(struct making *making);

static void add_list(struct making *making, const char *begin, const char *end)
{
	const uint32_t count = random_index(&making->random, 3);
	text_add(making, "%s", begin);
	for (uint32_t i = 0; i < count; i++) {
		text_add(making, "%s", i > 0 ? ", " : "");
		add_type(making);
	}
	name_add(making, "E");
	text_add(making, "%s", end);
}

static void add_path(struct making *making, bool is_value)
{
	const uint32_t kind = ++making->depth > 6 ? 0 : random_index(&making->random, 5);
	if (kind <= 1) {
		name_add(making, "C");
		add_identifier(making);
	} else if (kind == 2) {
		name_add(making, "Nv");
		add_path(making, is_value);
		text_add(making, "::");
		add_identifier(making);
	} else if (kind == 3) {
		name_add(making, "I");
		add_path(making, is_value);
		add_list(making, is_value ? "::<" : "<", ">");
	} else {
		name_add(making, "XC5place");
		text_add(making, "<");
		add_type(making);
		text_add(making, " as ");
		add_path(making, false);
		text_add(making, ">");
	}
	making->depth--;
}

static void add_reference(struct making *making, uint32_t which)
{
	const size_t size = making->types[which].text_end - making->types[which].text_at;
	name_add(making, "B");
	add_number(making, making->types[which].at);
	if (making->text_size + size < TEXT_SIZE) {
		memcpy(making->text + making->text_size, making->text + making->types[which].text_at, size);
		making->text[making->text_size + size] = '\0';
	}
	making->text_size += size;
}

static void add_new_type(struct making *making)
{
	static const char *const before[][2] = {
		{ "R", "&" }, { "Q", "&mut " }, { "P", "*const " }, { "O", "*mut " }
	};
	const uint32_t kind = random_index(&making->random, 10);
	if (kind < 4) {
		name_add(making, "%s", before[kind][0]);
		text_add(making, "%s", before[kind][1]);
		add_type(making);
	} else if (kind < 6) {
		name_add(making, "%s", kind == 4 ? "A" : "S");
		text_add(making, "[");
		add_type(making);
		name_add(making, "%s", kind == 4 ? "j1f_" : "");
		text_add(making, "%s", kind == 4 ? "; 31]" : "]");
	} else if (kind == 6) {
		name_add(making, "F");
		add_list(making, "fn(", ") -> ");
		add_type(making);
	} else {
		add_path(making, false);
	}
}

static void add_type(struct making *making)
{
	static const char *const basic[][2] = { { "l", "i32" }, { "e", "str" }, { "b", "bool" }, { "p", "_" } };
	const size_t at = making->name_size - 2, text_at = making->text_size;
	if (making->type_count > 0 && random_percent(&making->random, 20)) {
		add_reference(making, random_index(&making->random, (uint32_t)making->type_count));
		return;
	}
	if (++making->depth > 6 || random_percent(&making->random, 30)) {
		const uint32_t which = random_index(&making->random, 4);
		name_add(making, "%s", basic[which][0]);
		text_add(making, "%s", basic[which][1]);
	} else {
		add_new_type(making);
		if (making->type_count < 64) {
			making->types[making->type_count].at = at;
			making->types[making->type_count].text_at = text_at;
			making->types[making->type_count++].text_end = making->text_size;
		}
	}
	making->depth--;
}

static void random_names_have_their_texts(void **state)
{
	(void)state;
	struct making *making = malloc(sizeof(*making));
	struct demangler demangler = { .text = NULL };
	assert_non_null(making);
	for (uint64_t round = 0; round < test_effort(20000, 3000); round++) {
		*making = (struct making){ .random = { test_seed() + round } };
		name_add(making, "_R");
		add_path(making, true);
		if (making->name_size >= TEXT_SIZE || making->text_size >= TEXT_SIZE)
			continue;
		if (strcmp(demangle(&demangler, making->name), making->text) != 0)
			fail_msg("seed %llu: '%s' is not '%s'", (unsigned long long)(test_seed() + round),
				 making->name, making->text);
		/* Cut or changed, it may be anything; sanitizers look on. */
		making->name[2 + random_below(&making->random, making->name_size - 2)] =
			(char)(random_percent(&making->random, 30) ? '\0'
								   : '0' + random_below(&making->random, 80));
		demangle(&demangler, making->name);
	}
	demangler_release(&demangler);
	free(making);
}

TEST_SUITE
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_of_the_source),
		cmocka_unit_test(what_is_no_name_is_refused),
		cmocka_unit_test(names_that_stand_for_too_much_stay),
		cmocka_unit_test(letters_beyond_ascii_are_read),
		cmocka_unit_test(random_names_have_their_texts),
	};
	if (!elf_names_can_read())
		return 77; /* a build without names of functions */
	return cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
