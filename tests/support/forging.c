// SPDX-License-Identifier: MIT
#include "support/forging.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "store/block_format.h"

/* Where things are: histree-format(5). */
enum {
	ENTRY_SIZE = 24,
	SECTIONS_MAX = 64,
	NODES_MAX = 4096,
	NODE_HEADER = 48,
	LEAF_HEADER = 96,
	BLOCK_HEADER = 40,
	CHILD_SIZE = 52,
	PAGE_HEADER = 24,
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

struct part {
	size_t at, size;
};

struct parts {
	struct part nodes[NODES_MAX], sections[SECTIONS_MAX];
	size_t node_count, section_count, table;
};

static bool lies_within(uint64_t at, uint64_t size, size_t whole)
{
	return at <= whole && size <= whole - at;
}

/*
 * What is before this offset is not in the file: of a tail, that is in the file that it belongs to.  All offsets
 * are those of both together.
 */
static uint64_t base_of(const uint8_t *bytes)
{
	return (get_le64(bytes + 16) & 2) != 0 ? get_le64(bytes + 68) : BLOCK_FILE_HEADER_SIZE;
}

/* Where in this file something lies; false if it does not. */
static bool find_part(const uint8_t *bytes, size_t size, uint64_t at, uint64_t length, struct part *out)
{
	uint64_t base = base_of(bytes), own = at - base + BLOCK_FILE_HEADER_SIZE;
	if (at < base || !lies_within(own, length, size))
		return false;
	*out = (struct part){ (size_t)own, (size_t)length };
	return true;
}

static void find_sections(const uint8_t *bytes, size_t size, struct parts *out)
{
	uint64_t count = get_le32(bytes + 48);
	struct part table;
	if (count > SECTIONS_MAX || !find_part(bytes, size, get_le64(bytes + 40), count * ENTRY_SIZE, &table))
		return;
	out->table = table.at;
	for (; out->section_count < count; out->section_count++) {
		const uint8_t *entry = bytes + table.at + out->section_count * ENTRY_SIZE;
		find_part(bytes, size, get_le64(entry + 8), get_le64(entry + 16),
			  &out->sections[out->section_count]);
	}
}

static void find_nodes(const uint8_t *bytes, size_t size, struct byte_reader sizes, struct parts *out)
{
	bool differ = (get_le64(bytes + 16) & 1) != 0;
	uint64_t at = BLOCK_FILE_HEADER_SIZE;
	uint32_t count = get_le32(bytes + 36), number = 0;
	for (; number < count && number < NODES_MAX && !sizes.failed; number++) {
		uint64_t node = differ ? read_varint(&sizes) : get_le32(bytes + 32);
		if (node < PAGE_HEADER || node > BLOCK_SIZE_MAX)
			return;
		out->node_count += find_part(bytes, size, at, node, &out->nodes[out->node_count]);
		at += node;
	}
}

/* Sections and nodes, as the file says. */
static void find_parts(const uint8_t *bytes, size_t size, struct parts *out)
{
	struct byte_reader sizes = byte_reader(bytes, 0);
	memset(out, 0, sizeof(*out));
	if (size < BLOCK_FILE_HEADER_SIZE)
		return;
	find_sections(bytes, size, out);
	for (size_t i = 0; i < out->section_count; i++)
		if (get_le32(bytes + out->table + i * ENTRY_SIZE) == SECTION_EXTENTS)
			sizes = byte_reader(bytes + out->sections[i].at, out->sections[i].size);
	find_nodes(bytes, size, sizes, out);
}

/* A page of a side table does not say how much of it is used: its numbers do. */
static size_t used_bytes(const uint8_t *node, size_t size, bool is_table)
{
	if (!is_table)
		return size < NODE_HEADER ? 0 : get_le32(node + 40);
	return PAGE_HEADER + ((uint64_t)get_le32(node + 8) * (node[12] + node[13]) + 7) / 8;
}

static bool has_section(const uint8_t *bytes, const struct parts *parts, uint32_t id)
{
	for (size_t i = 0; i < parts->section_count; i++)
		if (get_le32(bytes + parts->table + i * ENTRY_SIZE) == id)
			return true;
	return false;
}

void forge_seal_blocks(uint8_t *bytes, size_t size)
{
	static struct parts parts;
	find_parts(bytes, size, &parts);
	if (size < BLOCK_FILE_HEADER_SIZE)
		return;
	bool is_table = has_section(bytes, &parts, SECTION_RANKS);
	for (size_t i = 0; i < parts.node_count; i++) {
		uint8_t *node = bytes + parts.nodes[i].at;
		size_t used = used_bytes(node, parts.nodes[i].size, is_table);
		if (used >= 4 && used <= parts.nodes[i].size)
			put_le32(node, crc32c(0, node + 4, used - 4));
	}
	for (size_t i = 0; i < parts.section_count; i++)
		put_le32(bytes + parts.table + i * ENTRY_SIZE + 4,
			 crc32c(0, bytes + parts.sections[i].at, parts.sections[i].size));
	put_le32(bytes + 52, crc32c(0, bytes + parts.table, parts.section_count * ENTRY_SIZE));
	put_le32(bytes + 64, crc32c(0, bytes, 64));
	if ((get_le64(bytes + 16) & 2) != 0) /* a tail */
		put_le32(bytes + 84, crc32c(0, bytes, 84));
}

/* One of `count` things of `size` bytes becomes another one of them. */
static void copy_among(struct forged *file, const char *what, size_t at, uint64_t count, size_t size)
{
	if (count < 2 || !lies_within(at, count * size, file->size))
		return;
	uint64_t from = random_below(file->random, count), to = random_below(file->random, count);
	uint64_t last = random_percent(file->random, 20) ? count - 1 : to; /* or many of them */
	for (uint64_t i = to; i <= last; i++)
		memmove(file->bytes + at + i * size, file->bytes + at + from * size, size);
	note(file, "%s %llu to %llu are %llu; ", what, (unsigned long long)to, (unsigned long long)last,
	     (unsigned long long)from);
}

static void copy_node(struct forged *file, const struct parts *parts)
{
	size_t from = random_below(file->random, parts->node_count),
	       to = random_below(file->random, parts->node_count);
	const struct part *source = &parts->nodes[from], *target = &parts->nodes[to];
	size_t size = source->size < target->size ? source->size : target->size;
	memmove(file->bytes + target->at, file->bytes + source->at, size);
	put_le32(file->bytes + target->at + 4, (uint32_t)to);
	note(file, "node %zu is node %zu; ", to, from);
}

static void change_inside(struct forged *file, const struct part *node)
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

static void change_node(struct forged *file, const struct parts *parts)
{
	const struct part *node = &parts->nodes[random_below(file->random, parts->node_count)];
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

static void change_section(struct forged *file, const struct parts *parts)
{
	size_t index = (size_t)random_below(file->random, parts->section_count);
	const struct part *section = &parts->sections[index];
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
	static struct parts parts;
	for (uint64_t left = 1 + random_below(file->random, 3); left > 0; left--) {
		uint64_t kind = random_below(file->random, 20);
		find_parts(file->bytes, file->size, &parts);
		if (kind == 0 && file->size >= BLOCK_FILE_HEADER_SIZE)
			change_field(file, "header", 0, header_fields, COUNT(header_fields));
		else if (kind < 6 && parts.section_count > 0)
			change_section(file, &parts);
		else if (parts.node_count > 0)
			change_node(file, &parts);
		else if (parts.section_count > 0)
			change_section(file, &parts);
	}
	forge_seal_blocks(file->bytes, file->size);
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
