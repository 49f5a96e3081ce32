// SPDX-License-Identifier: MIT
/*
 * demangle.c - demangles names: libiberty writes the text of a name piece by piece into a callback, which stops it
 * when the text is too long.
 *
 * A callback cannot ask libiberty to stop, so it jumps out.  That leaks nothing as long as libiberty holds no
 * memory of its own: for C++ it works on the stack, for Rust it allocates the letters of an identifier in Punycode
 * and the text of a name of the older form.  The first is refused beforehand if it occurs among references that
 * could make the text long; the second cannot repeat itself, so its text is no longer than its name.
 */
#include "symbols/demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct bounded_text {
	char *bytes;
	size_t used;
	jmp_buf too_long;
};

static void bounded_text_add(const char *piece, size_t size, void *opaque)
{
	struct bounded_text *text = opaque;
	if (size >= DEMANGLED_SIZE_MAX - text->used)
		longjmp(text->too_long, 1);
	if (size > 0) /* else it may come without bytes */
		memcpy(text->bytes + text->used, piece, size);
	text->used += size;
}

/*
 * How many numbers of `digits` digits at least, to the base of 36 or 62 and ended by '_', follow one of the
 * letters.  What looks so within an identifier is counted too.
 */
static size_t count_numbers(const char *name, const char *letters, size_t digits)
{
	size_t count = 0;
	for (const char *at = name; *at != '\0'; at++) {
		size_t size = 1;
		if (strchr(letters, *at) == NULL)
			continue;
		while (isalnum((unsigned char)at[size]))
			size++;
		count += at[size] == '_' && size > digits;
	}
	return count;
}

/* Each reference to what came before doubles the text at most: 4,096 times as much as there would be without. */
enum { REFERENCES_FEW = 12 };

/* libiberty counts lifetimes one by one, also where it writes nothing: 238,328 of them, not 2^64. */
enum { LIFETIME_DIGITS_MAX = 3 };

/* Whether it has an identifier in Punycode, or letters that look so. */
static bool has_punycode(const char *name)
{
	for (const char *at = name; *at != '\0'; at++)
		if (at[0] == 'u' && isdigit((unsigned char)at[1]))
			return true;
	return false;
}

/* Whether a parameter pack is expanded, which may be empty: then work is no longer bounded by the text. */
static bool has_expansion(const char *name)
{
	return strchr(name, 'J') != NULL &&
	       (strstr(name, "Dp") != NULL || strstr(name, "sp") != NULL || strstr(name, "sZ") != NULL);
}

/* The older form of Rust is C++ with a hash at its end; it comes first, as C++ would take it too. */
static bool write_text(const char *name, struct bounded_text *text)
{
	static const int options = DMGL_PARAMS | DMGL_ANSI | DMGL_TYPES;
	if (setjmp(text->too_long) != 0)
		return false;
	if (strncmp(name, "_R", 2) == 0)
		return count_numbers(name, "G", LIFETIME_DIGITS_MAX + 1) == 0 &&
		       (!has_punycode(name) || count_numbers(name, "B", 0) <= REFERENCES_FEW) &&
		       rust_demangle_callback(name, options, bounded_text_add, text) != 0;
	if (rust_demangle_callback(name, options, bounded_text_add, text) != 0)
		return true;
	text->used = 0;
	return (!has_expansion(name) || count_numbers(name, "ST", 0) <= REFERENCES_FEW) &&
	       cplus_demangle_v3_callback(name, options, bounded_text_add, text) != 0;
}

const char *demangle(struct demangler *demangler, const char *name)
{
	if (strncmp(name, "_R", 2) != 0 && strncmp(name, "_Z", 2) != 0)
		return name;
	if (demangler->text == NULL)
		demangler->text = malloc(DEMANGLED_SIZE_MAX);
	struct bounded_text text = { .bytes = demangler->text };
	if (text.bytes == NULL || !write_text(name, &text))
		return name;
	text.bytes[text.used] = '\0';
	return text.bytes;
}

void demangler_release(struct demangler *demangler)
{
	free(demangler->text);
	*demangler = (struct demangler){ .text = NULL };
}
