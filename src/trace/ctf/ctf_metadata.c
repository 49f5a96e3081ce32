// SPDX-License-Identifier: MIT
/*
 * ctf_metadata.c - the text of a trace's metadata, plain or in packets, and which version of CTF it is; and the
 * field that a length or a tag refers to, found by its location.
 */
#include "trace/ctf/ctf_metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/io.h"
#include "trace/ctf/ctf2.h"
#include "trace/ctf/ctf_facts.h"
#include "trace/ctf/ctf_reference.h"
#include "trace/ctf/ctf_schema.h"
#include "trace/ctf/tsdl.h"

/* ---- ctf location -------------------------------------------------------------------------------------------- */

/*
 * A walk along the names of a location.  `chain` has the structures around the field that needs the location, the
 * outermost first: what is in them is decoded up to the member that leads on to the field.
 */
struct walk {
	const struct ctf_around *chain[2 * CTF_NESTING_MAX];
	size_t chain_count;
	const char *names[2 * CTF_NESTING_MAX];
	size_t name_count;
	uint64_t *searches;
	struct ctf_targets *targets;
};

#define OFF_CHAIN SIZE_MAX
static void add_target(struct walk *walk, struct ctf_member *member)
{
	struct ctf_targets *targets = walk->targets;
	if (targets->count < CTF_TARGETS_MAX)
		targets->members[targets->count++] = member;
	else
		targets->are_too_many = true;
}

static void step(struct walk *walk, const struct ctf_type *structure, size_t level, size_t name);

/* Go on inside of a member that is decoded. */
static void descend(struct walk *walk, struct ctf_member *member, size_t name)
{
	struct ctf_type *type = member->type;
	if (walk->targets->are_too_many || *walk->searches > CTF_SEARCHES_MAX)
		return;
	if (type->kind == CTF_VARIANT) {
		for (size_t i = 0; i < type->member_count; i++)
			descend(walk, &type->members[i], name);
	} else if (type->kind == CTF_STRUCTURE && name < walk->name_count) {
		step(walk, type, OFF_CHAIN, name);
	} else if (ctf_type_is_integer(type) && name == walk->name_count) {
		add_target(walk, member);
	}
}

/* Find a name in a structure, which is one of the chain or is all decoded. */
static void step(struct walk *walk, const struct ctf_type *structure, size_t level, size_t name)
{
	size_t end = level == OFF_CHAIN ? structure->member_count : walk->chain[level]->before + 1;
	*walk->searches += end;
	for (size_t i = 0; i < end && i < structure->member_count; i++) {
		if (strcmp(structure->members[i].name, walk->names[name]) != 0)
			continue;
		if (level == OFF_CHAIN || i < walk->chain[level]->before)
			descend(walk, &structure->members[i], name + 1);
		else if (level + 1 < walk->chain_count && name + 1 < walk->name_count)
			step(walk, walk->chain[level + 1]->structure, level + 1, name + 1);
		return;
	}
}

/* A null goes back from the name before it.  Returns how many go up from where the walk begins. */
static size_t take_names(struct walk *walk, const struct ctf_location *location)
{
	size_t up = 0;
	for (size_t i = 0; i < location->count; i++) {
		if (location->names[i] != NULL && walk->name_count < 2 * CTF_NESTING_MAX)
			walk->names[walk->name_count++] = location->names[i];
		else if (location->names[i] == NULL && walk->name_count > 0)
			walk->name_count--;
		else if (location->names[i] == NULL)
			up++;
	}
	return up;
}

void ctf_location_find(const struct ctf_finder *finder, const struct ctf_location *location,
		       const struct ctf_around *around, struct ctf_targets *out)
{
	struct walk walk = { .searches = &finder->schema->searches, .targets = out };
	size_t up = take_names(&walk, location), depth = 0;
	*out = (struct ctf_targets){ .scope = finder->scope };
	for (const struct ctf_around *at = around; at != NULL; at = at->outer)
		depth++;
	if (depth > 2 * CTF_NESTING_MAX || location->count > 2 * CTF_NESTING_MAX || walk.name_count == 0)
		return;
	walk.chain_count = depth;
	for (const struct ctf_around *at = around; at != NULL; at = at->outer)
		walk.chain[--depth] = at;
	if (location->origin < 0) {
		if (up < walk.chain_count)
			step(&walk, walk.chain[walk.chain_count - 1 - up]->structure, walk.chain_count - 1 - up, 0);
		return;
	}
	out->scope = (enum ctf_scope_kind)location->origin;
	if (up > 0 || out->scope > finder->scope || finder->scopes[out->scope] == NULL)
		return;
	step(&walk, finder->scopes[out->scope], out->scope == finder->scope ? 0 : OFF_CHAIN, 0);
}

/* ---- ctf metadata -------------------------------------------------------------------------------------------- */

/*
 * A packet: magic (32 bits), uuid (16 bytes), checksum, content size, packet size (32 bits each, sizes in
 * bits and with the header), compression, encryption, checksum scheme, major, minor (8 bits each), text.
 * Numbers have the byte order in which the magic number is right.
 */
#define PACKET_MAGIC UINT32_C(0x75d11d57)
enum { PACKET_HEADER_SIZE = 37, CONTENT_SIZE_AT = 24, PACKET_SIZE_AT = 28, SCHEMES_AT = 32, SCHEME_COUNT = 3 };

struct content {
	uint8_t *bytes;
	size_t size;
};

static enum histree_status read_file(const struct io *io, const char *path, struct content *out,
				     struct histree_error *error)
{
	enum histree_status status;
	off_t size = 0;
	*out = (struct content){ 0 };
	int file = io->open(io->context, path, O_RDONLY, 0);
	if (file < 0 || io->size(io->context, file, &size) != 0) {
		status = error_set(error, HISTREE_ERR_TRACE, "cannot open the metadata: %s", strerror(errno));
	} else if (size == 0 || size > CTF_METADATA_SIZE_MAX) {
		status = error_set(error, HISTREE_ERR_TRACE, "the metadata is %s",
				   size == 0 ? "empty" : "larger than 64 MiB");
	} else if ((out->bytes = malloc((size_t)size + 1)) == NULL) {
		status = error_memory(error, "the metadata");
	} else {
		out->size = (size_t)size;
		status = io_read_all(io, file, out->bytes, out->size, 0, error);
	}
	if (file >= 0)
		io->close(io->context, file);
	if (status != HISTREE_OK) {
		free(out->bytes);
		*out = (struct content){ 0 };
	}
	return status;
}

static uint32_t get_number(const uint8_t *at, bool big_endian)
{
	uint32_t number = get_le32(at);
	return big_endian ? __builtin_bswap32(number) : number;
}

bool ctf_metadata_is_packetized(const uint8_t *bytes, size_t size, bool *big_endian)
{
	if (size < 4)
		return false;
	*big_endian = get_number(bytes, true) == PACKET_MAGIC;
	return *big_endian || get_number(bytes, false) == PACKET_MAGIC;
}

/* The sizes of the packet `at` some bytes, of which `left` are there; HISTREE_END if they are too few. */
static enum histree_status check_packet(const uint8_t *at, size_t left, size_t offset, bool big_endian,
					size_t *text_size, size_t *packet_size, struct histree_error *error)
{
	if (left < PACKET_HEADER_SIZE)
		return HISTREE_END;
	if (get_number(at, big_endian) != PACKET_MAGIC)
		return error_set(error, HISTREE_ERR_TRACE, "the metadata is damaged at offset %zu", offset);
	for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
		if (at[SCHEMES_AT + scheme] != 0)
			return error_set(error, HISTREE_ERR_TRACE,
					 "the metadata at offset %zu is compressed, encrypted or has a checksum, "
					 "which histree cannot read",
					 offset);
	uint32_t content_bits = get_number(at + CONTENT_SIZE_AT, big_endian);
	uint32_t packet_bits = get_number(at + PACKET_SIZE_AT, big_endian);
	if (content_bits % 8 != 0 || packet_bits % 8 != 0 || content_bits / 8 < PACKET_HEADER_SIZE ||
	    content_bits > packet_bits)
		return error_set(error, HISTREE_ERR_TRACE, "the metadata is damaged at offset %zu", offset);
	if (packet_bits / 8 > left)
		return HISTREE_END;
	*text_size = content_bits / 8 - PACKET_HEADER_SIZE;
	*packet_size = packet_bits / 8;
	return HISTREE_OK;
}

enum histree_status ctf_metadata_unpack(uint8_t *bytes, size_t size, bool big_endian, size_t *used,
					size_t *text_size, struct histree_error *error)
{
	*used = *text_size = 0;
	while (*used < size) {
		size_t text = 0, packet = 0;
		enum histree_status status =
			check_packet(bytes + *used, size - *used, *used, big_endian, &text, &packet, error);
		if (status != HISTREE_OK)
			return status == HISTREE_END ? HISTREE_OK : status;
		memmove(bytes + *text_size, bytes + *used + PACKET_HEADER_SIZE, text);
		*text_size += text;
		*used += packet;
	}
	return HISTREE_OK;
}

static enum histree_status join_packets(struct content *content, bool big_endian, struct histree_error *error)
{
	size_t used, text_size;
	enum histree_status status =
		ctf_metadata_unpack(content->bytes, content->size, big_endian, &used, &text_size, error);
	if (status == HISTREE_OK && used < content->size)
		return error_set(error, HISTREE_ERR_TRACE, "the metadata is cut short at offset %zu", used);
	content->size = text_size;
	return status;
}

enum histree_status ctf_metadata_read(const struct io *io, const char *folder, char **out,
				      struct histree_error *error)
{
	*out = NULL;
	char *path;
	bool big_endian;
	struct content content = { 0 };
	if (asprintf(&path, "%s/metadata", folder) < 0)
		return error_memory(error, "a path");
	enum histree_status status = read_file(io, path, &content, error);
	if (status == HISTREE_OK && ctf_metadata_is_packetized(content.bytes, content.size, &big_endian))
		status = join_packets(&content, big_endian, error);
	if (status == HISTREE_OK && memchr(content.bytes, '\0', content.size) != NULL)
		status = error_set(error, HISTREE_ERR_TRACE, "the metadata is damaged: it is not text");
	if (status == HISTREE_OK) {
		content.bytes[content.size] = '\0';
		*out = (char *)content.bytes;
	} else {
		free(content.bytes);
	}
	free(path);
	return status;
}

static bool is_ctf_2(const char *text)
{
	return text[0] == CTF2_SEPARATOR;
}

enum histree_status ctf_metadata_schema(const char *text, struct ctf_schema *schema, struct histree_error *error)
{
	return is_ctf_2(text) ? ctf2_read(schema, text, error) : tsdl_read(schema, text, error);
}

void ctf_metadata_facts(const char *text, struct trace_facts *out)
{
	struct ctf_schema schema = { 0 };
	*out = (struct trace_facts){ 0 };
	if (!is_ctf_2(text)) {
		ctf_facts_read(text, out);
		return;
	}
	if (ctf2_read(&schema, text, NULL) == HISTREE_OK)
		ctf_facts_take(&schema, out);
	ctf_schema_release(&schema);
}
