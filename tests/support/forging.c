// SPDX-License-Identifier: MIT
#include "support/forging.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "store/block_file.h"
#include "support/block_parts.h"

/* Where things are: histree-format(5). */
enum {
	ENTRY_SIZE = SECTION_ENTRY_SIZE,
	NODE_HEADER = 48,
	LEAF_HEADER = 96,
	BLOCK_HEADER = 40,
	CHILD_SIZE = 52,
	INDEX_CHECKED_FROM = 16,
};

struct field {
	unsigned at, size;
};

static const struct field header_fields[] = { { 16, 8 }, { 24, 8 }, { 32, 4 }, { 36, 4 }, { 40, 8 },
					      { 48, 4 }, { 56, 8 }, { 68, 8 }, { 76, 8 } };
static const struct field entry_fields[] = { { 0, 4 }, { 8, 8 }, { 16, 8 } };
static const struct field node_fields[] = { { 4, 4 },  { 8, 2 },  { 10, 2 }, { 12, 4 }, { 16, 8 }, { 24, 8 },
					    { 32, 4 }, { 36, 4 }, { 40, 4 }, { 44, 4 }, { 48, 8 }, { 56, 8 },
					    { 64, 8 }, { 72, 8 }, { 80, 4 }, { 84, 4 }, { 88, 4 }, { 92, 4 } };
static const struct field block_fields[] = { { 0, 4 }, { 4, 1 },  { 5, 1 },  { 6, 1 }, { 7, 1 },
					     { 8, 8 }, { 16, 8 }, { 24, 8 }, { 32, 8 } };
static const struct field child_fields[] = { { 0, 4 },  { 4, 8 },  { 12, 8 }, { 20, 8 },
					     { 28, 8 }, { 36, 8 }, { 44, 8 } };
static const struct field index_fields[] = { { 8, 4 }, { 16, 8 }, { 24, 8 }, { 32, 4 }, { 36, 4 } };

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

__attribute__((format(printf, 2, 3))) static void note(struct forged *file, const char *format, ...)
{
	size_t used = strlen(file->what);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(file->what + used, sizeof(file->what) - used, format, arguments);
	va_end(arguments);
}

/* ---- numbers ----------------------------------------------------------------------------------------------- */

static uint64_t get(const uint8_t *at, unsigned size)
{
	uint64_t number = 0;
	for (unsigned i = size; i-- > 0;)
		number = number << 8 | at[i];
	return number;
}

static void put(uint8_t *at, unsigned size, uint64_t number)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(number >> 8 * i);
}

/* What a number had better not be: at the ends of its range, beside what it was, far from it. */
static uint64_t odd_number(struct random *random, uint64_t was)
{
	static const uint64_t ends[] = { 0,
					 1,
					 2,
					 63,
					 64,
					 127,
					 128,
					 255,
					 4095,
					 4096,
					 UINT16_MAX,
					 1 << 20,
					 INT32_MAX,
					 UINT32_MAX,
					 UINT64_C(1) << 32,
					 UINT64_C(1) << 62,
					 INT64_MAX,
					 UINT64_C(1) << 63,
					 UINT64_MAX };
	switch (random_below(random, 6)) {
	case 0:
		return was + 1;
	case 1:
		return was - 1;
	case 2:
		return was * 2;
	case 3:
		return was ^ UINT64_C(1) << random_below(random, 64);
	case 4:
		return random_bits(random) >> random_below(random, 64);
	default:
		return ends[random_below(random, COUNT(ends))];
	}
}

static void change(struct forged *file, const char *where, size_t at, unsigned size)
{
	if (at > file->size || size > file->size - at)
		return;
	uint64_t was = get(file->bytes + at, size), number = odd_number(file->random, was);
	put(file->bytes + at, size, number);
	note(file, "%s at %zu: %llu for %llu; ", where, at, (unsigned long long)get(file->bytes + at, size),
	     (unsigned long long)was);
}

static void change_field(struct forged *file, const char *where, size_t at, const struct field *fields,
			 size_t count)
{
	const struct field *field = &fields[random_below(file->random, count)];
	change(file, where, at + field->at, field->size);
}

/* ---- any bytes --------------------------------------------------------------------------------------------- */

void forge_damage(struct forged *file)
{
	if (file->size > 0 && random_percent(file->random, 10)) {
		file->size = (size_t)random_below(file->random, file->size);
		note(file, "cut to %zu bytes; ", file->size);
		return;
	}
	for (uint64_t left = 1 + random_below(file->random, 4); file->size > 0 && left > 0; left--) {
		size_t at = (size_t)random_below(file->random, file->size);
		unsigned bit = (unsigned)random_below(file->random, 8);
		file->bytes[at] ^= (uint8_t)(1U << bit);
		note(file, "bit %u of byte %zu; ", bit, at);
	}
}

/* ---- a file of blocks -------------------------------------------------------------------------------------- */

/* One of `count` things of `size` bytes becomes another one of them. */
static void copy_among(struct forged *file, const char *what, size_t at, uint64_t count, size_t size)
{
	if (count < 2 || at > file->size || count * size > file->size - at)
		return;
	uint64_t from = random_below(file->random, count), to = random_below(file->random, count);
	uint64_t last = random_percent(file->random, 20) ? count - 1 : to; /* or many of them */
	for (uint64_t i = to; i <= last; i++)
		memmove(file->bytes + at + i * size, file->bytes + at + from * size, size);
	note(file, "%s %llu to %llu are %llu; ", what, (unsigned long long)to, (unsigned long long)last,
	     (unsigned long long)from);
}

static void copy_node(struct forged *file, const struct block_parts *parts)
{
	size_t from = random_below(file->random, parts->node_count),
	       to = random_below(file->random, parts->node_count);
	const struct block_part *source = &parts->nodes[from], *target = &parts->nodes[to];
	size_t size = source->size < target->size ? source->size : target->size;
	memmove(file->bytes + target->at, file->bytes + source->at, size);
	put_le32(file->bytes + target->at + 4, (uint32_t)to);
	note(file, "node %zu is node %zu; ", to, from);
}

static void change_inside(struct forged *file, const struct block_part *node)
{
	uint32_t height = get_le16(file->bytes + node->at + 8), children = get_le16(file->bytes + node->at + 10);
	uint32_t blocks = node->size > LEAF_HEADER ? get_le32(file->bytes + node->at + 80) : 0;
	size_t list = node->at + (height > 0 ? NODE_HEADER : LEAF_HEADER);
	uint32_t count = height > 0 ? children : blocks;
	size_t size = height > 0 ? CHILD_SIZE : BLOCK_HEADER;
	const char *what = height > 0 ? "child" : "block";
	if (count == 0 || (uint64_t)count * size > node->size)
		change(file, "byte", node->at + (size_t)random_below(file->random, node->size), 1);
	else if (random_percent(file->random, 30))
		copy_among(file, what, list, count, size);
	else if (height > 0)
		change_field(file, what, list + random_below(file->random, count) * size, child_fields,
			     COUNT(child_fields));
	else
		change_field(file, what, list + random_below(file->random, count) * size, block_fields,
			     COUNT(block_fields));
}

static void change_node(struct forged *file, const struct block_parts *parts)
{
	const struct block_part *node = &parts->nodes[random_below(file->random, parts->node_count)];
	switch (random_below(file->random, 8)) {
	case 0:
		copy_node(file, parts);
		break;
	case 1:
	case 2:
		change_field(file, "node", node->at, node_fields, COUNT(node_fields));
		break;
	case 3:
		change(file, "byte", node->at + (size_t)random_below(file->random, node->size), 1);
		break;
	case 4:
		change(file, "word", node->at + (size_t)random_below(file->random, node->size), 4);
		break;
	default:
		if (node->size >= LEAF_HEADER)
			change_inside(file, node);
	}
}

static void change_section(struct forged *file, const struct block_parts *parts)
{
	size_t index = (size_t)random_below(file->random, parts->section_count);
	const struct block_part *section = &parts->sections[index];
	size_t entry = parts->table + index * ENTRY_SIZE;
	if (random_percent(file->random, 20))
		change_field(file, "entry of a section", entry, entry_fields, COUNT(entry_fields));
	else if (random_percent(file->random, 10))
		copy_among(file, "entry", parts->table, parts->section_count, ENTRY_SIZE);
	else if (section->size > 0)
		change(file, "section", section->at + (size_t)random_below(file->random, section->size),
		       1U << random_below(file->random, 4));
}

void forge_blocks(struct forged *file)
{
	static struct block_parts parts;
	for (uint64_t left = 1 + random_below(file->random, 3); left > 0; left--) {
		uint64_t kind = random_below(file->random, 20);
		block_parts_find(file->bytes, file->size, &parts);
		if (kind == 0 && file->size >= BLOCK_FILE_HEADER_SIZE)
			change_field(file, "header", 0, header_fields, COUNT(header_fields));
		else if (kind < 6 && parts.section_count > 0)
			change_section(file, &parts);
		else if (parts.node_count > 0)
			change_node(file, &parts);
		else if (parts.section_count > 0)
			change_section(file, &parts);
	}
	block_parts_seal(file->bytes, file->size);
}

/* ---- other files ------------------------------------------------------------------------------------------- */

void forge_index(struct forged *file)
{
	for (uint64_t left = 1 + random_below(file->random, 3); left > 0 && file->size > 40; left--) {
		if (random_percent(file->random, 30))
			change_field(file, "header", 0, index_fields, COUNT(index_fields));
		else
			change(file, "byte", 40 + (size_t)random_below(file->random, file->size - 40), 1);
	}
	if (random_percent(file->random, 5))
		file->size -= (size_t)random_below(file->random, file->size);
	if (file->size > INDEX_CHECKED_FROM)
		put_le32(file->bytes + 12,
			 crc32c(0, file->bytes + INDEX_CHECKED_FROM, file->size - INDEX_CHECKED_FROM));
}

/* Put a text in the place of some bytes. */
static void replace(struct forged *file, size_t at, size_t size, const char *text)
{
	size_t length = strlen(text);
	memmove(file->bytes + at + length, file->bytes + at + size, file->size - at - size);
	memcpy(file->bytes + at, text, length);
	file->size += length - size;
	note(file, "%zu bytes at %zu are %.20s; ", size, at, text);
}

static bool is_of_token(uint8_t c)
{
	return c == '-' || c == '.' || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

/* The checksum in the last line is of what is before it. */
static void seal_json(struct forged *file)
{
	static const char seal[] = ",\n  \"checksum\": \"";
	const size_t size = sizeof(seal) - 1 + 8 + 3; /* its digits, and the end of the text */
	size_t end = file->size > 0 && file->bytes[file->size - 1] == '\n' ? file->size - 1 : file->size;
	if (end < size || memcmp(file->bytes + end - size, seal, sizeof(seal) - 1) != 0)
		return;
	char digits[9];
	snprintf(digits, sizeof(digits), "%08x", crc32c(0, file->bytes, end - size));
	memcpy(file->bytes + end - size + sizeof(seal) - 1, digits, 8);
}

void forge_json(struct forged *file)
{
	static const char *const tokens[] = { "0",
					      "-1",
					      "9223372036854775807",
					      "-9223372036854775808",
					      "1e300",
					      "null",
					      "{}",
					      "[]",
					      "[[[[",
					      "\"\"",
					      "true",
					      "4294967296",
					      "\"..\"",
					      "\"a/b\"",
					      "\"\\u0000\"",
					      "kernel" };
	for (uint64_t left = 1 + random_below(file->random, 3); left > 0 && file->size > 0; left--) {
		size_t at = 0, size = 0;
		/* Numbers and what else stands for itself, rather than the names of members. */
		for (unsigned tries = 0; tries < 30; tries++) {
			at = (size_t)random_below(file->random, file->size);
			if (at > 0 && file->bytes[at - 1] == ' ' && is_of_token(file->bytes[at]))
				break;
		}
		while (at > 0 && is_of_token(file->bytes[at - 1]))
			at--;
		while (at + size < file->size && is_of_token(file->bytes[at + size]))
			size++;
		replace(file, at, size, tokens[random_below(file->random, COUNT(tokens))]);
	}
	seal_json(file);
}
