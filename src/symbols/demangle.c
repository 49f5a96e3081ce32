// SPDX-License-Identifier: MIT
#include "symbols/demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/rust_name.h"

#define LIBRARY "libstdc++.so.6"
static const uint64_t SIZE_BOUND = (uint64_t)256 << 20;
enum { RUST_TEXT_SIZE = 16384 };
enum { BYTES_OF_LETTER = 24 }; /* "Sd" is std::basic_iostream<char, std::char_traits<char> > */

/*
 * Whether the text may be longer than the bound.  Each reference to what came before, S_ or T12_, doubles it at
 * most, and each expansion of a pack repeats it less often than the name has letters.  Letters within identifiers
 * that look so are counted too: a bound is all that is asked for.
 */
static bool may_be_too_long(const char *name)
{
	const uint64_t letters = strlen(name);
	uint64_t bound = letters * BYTES_OF_LETTER;
	for (const char *at = name; *at != '\0' && bound <= SIZE_BOUND; at++) {
		size_t size = 1;
		if ((at[0] == 'D' && at[1] == 'p') || (at[0] == 's' && (at[1] == 'p' || at[1] == 'Z')))
			bound *= letters;
		if (*at != 'S' && *at != 'T')
			continue;
		while (isdigit((unsigned char)at[size]) || isupper((unsigned char)at[size]))
			size++;
		if (at[size] == '_')
			bound *= 2;
	}
	return bound > SIZE_BOUND;
}

static void load(struct demangler *demangler)
{
	demangler->is_tried = true;
	demangler->library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	void *found = demangler->library != NULL ? dlsym(demangler->library, "__cxa_demangle") : NULL;
	if (found != NULL)
		memcpy(&demangler->demangle, &found, sizeof(found)); /* as POSIX has it: ISO C has no such cast */
}

/* ---- Rust, in its older form --------------------------------------------------------------------------------- */

/* Returns where the hash begins that ends such a name, "::h0123456789abcdef"; NULL: it is of C++. */
static char *find_hash(char *text)
{
	const size_t size = strlen(text);
	if (size < 19 || memcmp(text + size - 19, "::h", 3) != 0)
		return NULL;
	for (const char *at = text + size - 16; *at != '\0'; at++)
		if (!isdigit((unsigned char)*at) && (*at < 'a' || *at > 'f'))
			return NULL;
	return text + size - 19;
}

/* What Rust writes for characters that identifiers of C have not; returns the size of the code, 0 if it is none. */
static size_t read_code(const char *at, char *out)
{
	static const struct {
		const char *code;
		char letter;
	} codes[] = { { "$SP$", '@' }, { "$BP$", '*' }, { "$RF$", '&' }, { "$LT$", '<' }, { "$GT$", '>' },
		      { "$LP$", '(' }, { "$RP$", ')' }, { "$C$", ',' },  { "..", ':' } };
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (strncmp(at, codes[i].code, strlen(codes[i].code)) == 0) {
			*out = codes[i].letter;
			return strlen(codes[i].code);
		}
	char *end;
	if (at[0] != '$' || at[1] != 'u' || !isxdigit((unsigned char)at[2]))
		return 0;
	const unsigned long letter = strtoul(at + 2, &end, 16);
	if (*end != '$' || letter < ' ' || letter > '~')
		return 0;
	*out = (char)letter;
	return (size_t)(end + 1 - at);
}

/* In place: no code is shorter than what it stands for. */
static void make_rust(char *text, char *hash)
{
	char *out = text;
	*hash = '\0';
	for (const char *at = text; *at != '\0';) {
		char letter;
		const bool begins = at == text || at[-1] == ':';
		const size_t size = read_code(at, &letter);
		if (begins && at[0] == '_' && at[1] == '$') {
			at++; /* an identifier that begins with a code has this before it */
			continue;
		}
		*out++ = size > 0 ? letter : *at;
		if (size > 0 && letter == ':')
			*out++ = ':';
		at += size > 0 ? size : 1;
	}
	*out = '\0';
}

/* ------------------------------------------------------------------------------------------------------------- */

static const char *demangle_rust(struct demangler *demangler, const char *name)
{
	if (demangler->rust_text == NULL)
		demangler->rust_text = malloc(RUST_TEXT_SIZE);
	return demangler->rust_text != NULL && rust_name_read(name, demangler->rust_text, RUST_TEXT_SIZE)
		       ? demangler->rust_text
		       : name;
}

const char *demangle(struct demangler *demangler, const char *name)
{
	int status = 0;
	if (strncmp(name, "_R", 2) == 0)
		return demangle_rust(demangler, name);
	if (strncmp(name, "_Z", 2) != 0 || may_be_too_long(name))
		return name;
	if (!demangler->is_tried)
		load(demangler);
	if (demangler->demangle == NULL)
		return name;
	char *text = demangler->demangle(name, NULL, NULL, &status);
	if (text == NULL)
		return name;
	free(demangler->text);
	demangler->text = text;
	char *hash = find_hash(text);
	if (hash != NULL)
		make_rust(text, hash);
	return text;
}

void demangler_release(struct demangler *demangler)
{
	free(demangler->text);
	free(demangler->rust_text);
	if (demangler->library != NULL)
		dlclose(demangler->library);
	*demangler = (struct demangler){ .library = NULL };
}
