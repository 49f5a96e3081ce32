// SPDX-License-Identifier: MIT
/*
 * A type is read into its size, its alignment and the locations of the fields of interest in it, so that
 * nothing has to be kept of its members.  Sizes and offsets are in bits here.
 */
#include "trace/ctf/ctf_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/ctf/tsdl.h"

enum { NAMES_MAX = 128, NAME_SIZE_MAX = 96, NESTING_MAX = 16, BITS_MAX = 8 * CTF_PREFIX_SIZE_MAX };

/* The byte order of an integer that names none is that of the trace, which may be stated later. */
enum byte_order { ORDER_NATIVE, ORDER_LITTLE, ORDER_BIG };

struct bits {
	uint32_t offset, size; /* size 0: no such field */
	enum byte_order order;
};

struct type {
	bool known; /* else nothing after it has a known location */
	bool is_integer;
	uint32_t size, align;
	enum byte_order order; /* of an integer */
	struct bits fields[CTF_PACKET_FIELD_COUNT];
};

struct named_type {
	char name[NAME_SIZE_MAX]; /* "uint64_t", "unsigned long", "struct packet_context" */
	struct type type;
};

struct reader {
	struct tsdl tsdl;
	struct named_type names[NAMES_MAX];
	size_t name_count;
	enum byte_order order;
	struct type header;
	bool has_header;
	struct {
		uint64_t id;
		struct type context;
	} streams[CTF_STREAM_CLASSES_MAX];
	size_t stream_count;
	bool failed; /* there is more than we have room for */
};

static const char *const field_names[CTF_PACKET_FIELD_COUNT] = {
	[CTF_MAGIC] = "magic",
	[CTF_STREAM_ID] = "stream_id",
	[CTF_PACKET_SIZE] = "packet_size",
	[CTF_CONTENT_SIZE] = "content_size",
	[CTF_TIMESTAMP_BEGIN] = "timestamp_begin",
	[CTF_TIMESTAMP_END] = "timestamp_end",
	[CTF_EVENTS_DISCARDED] = "events_discarded",
	[CTF_PACKET_SEQ_NUM] = "packet_seq_num",
};

static struct type read_type(struct reader *reader, unsigned depth);

static uint64_t word_number(const struct tsdl *tsdl)
{
	char word[24];
	snprintf(word, sizeof(word), "%.*s", (int)(tsdl->size < 23 ? tsdl->size : 23), tsdl->text);
	return strtoull(word, NULL, 0);
}

static enum byte_order read_order(const struct tsdl *tsdl)
{
	if (tsdl_is(tsdl, "be") || tsdl_is(tsdl, "network"))
		return ORDER_BIG;
	return tsdl_is(tsdl, "le") ? ORDER_LITTLE : ORDER_NATIVE;
}

static uint32_t align_up(uint32_t offset, uint32_t align)
{
	return (offset + align - 1) / align * align;
}

/* Step over "key =" and say whether it was that key. */
static bool accept_key(struct tsdl *tsdl, const char *key)
{
	struct tsdl ahead = *tsdl;
	if (!tsdl_accept(&ahead, key) || !tsdl_accept(&ahead, "="))
		return false;
	*tsdl = ahead;
	return true;
}

/* Reads what follows the word `integer`. */
static struct type read_integer(struct reader *reader)
{
	struct tsdl *tsdl = &reader->tsdl;
	struct type type = { .is_integer = true };
	uint64_t size = 0, align = 0;
	if (!tsdl_accept(tsdl, "{"))
		return (struct type){ 0 };
	while (tsdl->size > 0 && !tsdl_is(tsdl, "}")) {
		if (accept_key(tsdl, "size"))
			size = word_number(tsdl);
		else if (accept_key(tsdl, "align"))
			align = word_number(tsdl);
		else if (accept_key(tsdl, "byte_order"))
			type.order = read_order(tsdl);
		tsdl_skip_past(tsdl, ";");
	}
	tsdl_accept(tsdl, "}");
	if (align == 0)
		align = size % 8 == 0 ? 8 : 1;
	type.known = size > 0 && size <= 64 && align <= BITS_MAX;
	type.size = (uint32_t)size;
	type.align = (uint32_t)align;
	return type;
}

/* "[3]" after a name: so many elements of the type.  A length that is a field makes the size unknown. */
static void read_array_lengths(struct reader *reader, struct type *type)
{
	struct tsdl *tsdl = &reader->tsdl;
	while (tsdl_accept(tsdl, "[")) {
		uint64_t length = word_number(tsdl);
		uint64_t stride = align_up(type->size, type->align == 0 ? 1 : type->align);
		if (length == 0 || length > BITS_MAX || length * stride > BITS_MAX)
			type->known = false;
		else
			type->size = (uint32_t)(length * stride);
		type->is_integer = false;
		tsdl_skip_past(tsdl, "]");
		tsdl_accept(tsdl, "]");
	}
}

/* Put a member after those that `type` has. */
static void add_member(struct type *type, const struct type *member, const struct tsdl *name)
{
	if (!type->known)
		return;
	type->known = member->known;
	if (!member->known)
		return;
	uint32_t offset = align_up(type->size, member->align);
	if (offset + member->size > BITS_MAX) {
		type->known = false;
		return;
	}
	for (int field = 0; field < CTF_PACKET_FIELD_COUNT; field++)
		if (member->is_integer && tsdl_is(name, field_names[field]))
			type->fields[field] =
				(struct bits){ .offset = offset, .size = member->size, .order = member->order };
	type->size = offset + member->size;
	if (type->align < member->align)
		type->align = member->align;
}

/* Reads what follows the "{" of a structure, up to and with "}" and align(N). */
static struct type read_members(struct reader *reader, unsigned depth)
{
	struct tsdl *tsdl = &reader->tsdl;
	struct type type = { .known = true, .align = 1 };
	while (tsdl->size > 0 && !tsdl_is(tsdl, "}")) {
		struct type member = read_type(reader, depth);
		struct tsdl name = *tsdl;
		tsdl_next(tsdl);
		read_array_lengths(reader, &member);
		add_member(&type, &member, &name);
		tsdl_skip_past(tsdl, ";");
	}
	tsdl_accept(tsdl, "}");
	if (tsdl_accept(tsdl, "align") && tsdl_accept(tsdl, "(")) {
		uint64_t align = word_number(tsdl);
		if (align > BITS_MAX)
			type.known = false;
		else if (align > type.align)
			type.align = (uint32_t)align;
		tsdl_skip_past(tsdl, ")");
	}
	return type;
}

static struct type find_name(const struct reader *reader, const char *name)
{
	/* The latest one of a name is the innermost. */
	for (size_t index = reader->name_count; index-- > 0;)
		if (strcmp(reader->names[index].name, name) == 0)
			return reader->names[index].type;
	return (struct type){ 0 };
}

static void add_name(struct reader *reader, const char *name, const struct type *type)
{
	if (reader->name_count == NAMES_MAX) {
		reader->failed = true;
		return;
	}
	struct named_type *named = &reader->names[reader->name_count++];
	snprintf(named->name, sizeof(named->name), "%s", name);
	named->type = *type;
}

/* Words with one blank between them, as long as words follow; the last one is left if `leave_last`. */
static void read_words(struct tsdl *tsdl, bool leave_last, char *out)
{
	size_t used = 0;
	out[0] = '\0';
	while (tsdl_is_word(tsdl)) {
		struct tsdl ahead = *tsdl;
		tsdl_next(&ahead);
		if (leave_last && !tsdl_is_word(&ahead))
			return;
		int added = snprintf(out + used, NAME_SIZE_MAX - used, "%s%.*s", used == 0 ? "" : " ",
				     (int)(tsdl->size < NAME_SIZE_MAX ? tsdl->size : NAME_SIZE_MAX), tsdl->text);
		used += (size_t)added;
		if (used >= NAME_SIZE_MAX)
			used = NAME_SIZE_MAX - 1;
		*tsdl = ahead;
	}
}

/* Reads what follows the word `struct`: a body, a name, or both. */
static struct type read_struct(struct reader *reader, unsigned depth)
{
	struct tsdl *tsdl = &reader->tsdl;
	char name[NAME_SIZE_MAX + 8] = "";
	if (tsdl_is_word(tsdl)) {
		snprintf(name, sizeof(name), "struct %.*s", (int)(tsdl->size < 80 ? tsdl->size : 80), tsdl->text);
		tsdl_next(tsdl);
	}
	if (!tsdl_accept(tsdl, "{"))
		return find_name(reader, name);
	struct type type = read_members(reader, depth + 1);
	if (name[0] != '\0')
		add_name(reader, name, &type);
	return type;
}

/* A type, up to the name that it is given to. */
static struct type read_type(struct reader *reader, unsigned depth)
{
	struct tsdl *tsdl = &reader->tsdl;
	if (depth > NESTING_MAX) {
		reader->failed = true;
		return (struct type){ 0 };
	}
	if (tsdl_accept(tsdl, "integer"))
		return read_integer(reader);
	if (tsdl_accept(tsdl, "struct"))
		return read_struct(reader, depth);
	char name[NAME_SIZE_MAX];
	read_words(tsdl, true, name);
	return find_name(reader, name);
}

/* "typealias TYPE := NAME;" */
static void read_alias(struct reader *reader)
{
	struct tsdl *tsdl = &reader->tsdl;
	struct type type;
	if (tsdl_is(tsdl, "integer") || tsdl_is(tsdl, "struct")) {
		type = read_type(reader, 0);
	} else {
		char name[NAME_SIZE_MAX];
		read_words(tsdl, false, name);
		type = find_name(reader, name);
	}
	if (tsdl_accept(tsdl, ":=")) {
		char name[NAME_SIZE_MAX];
		read_words(tsdl, false, name);
		add_name(reader, name, &type);
	}
	tsdl_skip_past(tsdl, ";");
}

/* The type after "packet.header :=" is a structure or the name of one. */
static struct type read_scope(struct reader *reader)
{
	struct tsdl *tsdl = &reader->tsdl;
	if (tsdl_is(tsdl, "struct"))
		return read_type(reader, 0);
	char name[NAME_SIZE_MAX];
	read_words(tsdl, false, name);
	return find_name(reader, name);
}

static void read_trace(struct reader *reader)
{
	struct tsdl *tsdl = &reader->tsdl;
	tsdl_accept(tsdl, "{");
	while (tsdl->size > 0 && !tsdl_is(tsdl, "}")) {
		if (accept_key(tsdl, "byte_order")) {
			reader->order = read_order(tsdl);
		} else if (tsdl_accept(tsdl, "packet.header")) {
			tsdl_accept(tsdl, ":=");
			reader->header = read_scope(reader);
			reader->has_header = true;
		}
		tsdl_skip_past(tsdl, ";");
	}
	tsdl_accept(tsdl, "}");
}

static void read_stream(struct reader *reader)
{
	struct tsdl *tsdl = &reader->tsdl;
	struct type context = { .known = true, .align = 1 };
	uint64_t id = 0;
	tsdl_accept(tsdl, "{");
	while (tsdl->size > 0 && !tsdl_is(tsdl, "}")) {
		if (accept_key(tsdl, "id")) {
			id = word_number(tsdl);
		} else if (tsdl_accept(tsdl, "packet.context")) {
			tsdl_accept(tsdl, ":=");
			context = read_scope(reader);
		}
		tsdl_skip_past(tsdl, ";");
	}
	tsdl_accept(tsdl, "}");
	if (reader->stream_count == CTF_STREAM_CLASSES_MAX) {
		reader->failed = true;
		return;
	}
	reader->streams[reader->stream_count].id = id;
	reader->streams[reader->stream_count].context = context;
	reader->stream_count++;
}

static void read_metadata(struct reader *reader)
{
	struct tsdl *tsdl = &reader->tsdl;
	while (tsdl->size > 0) {
		if (tsdl_accept(tsdl, "typealias")) {
			read_alias(reader);
			continue;
		}
		if (tsdl_accept(tsdl, "struct"))
			read_struct(reader, 0);
		else if (tsdl_accept(tsdl, "trace"))
			read_trace(reader);
		else if (tsdl_accept(tsdl, "stream"))
			read_stream(reader);
		tsdl_skip_past(tsdl, ";");
		/* A closing bracket that nothing opened: the text is not well formed, but may go on. */
		if (!tsdl_accept(tsdl, "}"))
			tsdl_accept(tsdl, "]");
	}
}

/* Returns false if the field is there but not a whole number of bytes. */
static bool locate(const struct reader *reader, const struct bits *bits, uint32_t base, struct ctf_location *out)
{
	uint32_t offset = base + bits->offset;
	*out = (struct ctf_location){ 0 };
	if (bits->size == 0)
		return true;
	if (offset % 8 != 0 || (bits->size != 8 && bits->size != 16 && bits->size != 32 && bits->size != 64))
		return false;
	enum byte_order order = bits->order == ORDER_NATIVE ? reader->order : bits->order;
	*out = (struct ctf_location){
		.offset = offset / 8,
		.size = (uint8_t)(bits->size / 8),
		.big_endian = order == ORDER_BIG,
	};
	return true;
}

static bool place_stream(const struct reader *reader, size_t index, struct ctf_packet_layout *out)
{
	const struct type *header = &reader->header, *context = &reader->streams[index].context;
	if (!context->known)
		return false;
	uint32_t base = align_up(header->size, context->align);
	out->stream_id = reader->streams[index].id;
	out->size = (base + context->size + 7) / 8;
	if (out->size > CTF_PREFIX_SIZE_MAX)
		return false;
	for (int field = 0; field < CTF_PACKET_FIELD_COUNT; field++) {
		bool in_header = field == CTF_MAGIC || field == CTF_STREAM_ID;
		const struct type *scope = in_header ? header : context;
		if (!locate(reader, &scope->fields[field], in_header ? 0 : base, &out->locations[field]))
			return false;
	}
	return true;
}

void ctf_layout_read(const char *metadata, struct ctf_layout *out)
{
	*out = (struct ctf_layout){ 0 };
	struct reader *reader = calloc(1, sizeof(*reader));
	if (reader == NULL)
		return;
	reader->tsdl = tsdl_begin(metadata);
	reader->header = (struct type){ .known = true, .align = 1 };
	read_metadata(reader);

	/* Without a magic number there is no telling a packet from anything else. */
	const struct type *header = &reader->header;
	if (!reader->has_header || !header->known || header->fields[CTF_MAGIC].size != 32 || reader->failed ||
	    reader->stream_count == 0 || (reader->stream_count > 1 && header->fields[CTF_STREAM_ID].size == 0) ||
	    !locate(reader, &header->fields[CTF_MAGIC], 0, &out->magic) ||
	    !locate(reader, &header->fields[CTF_STREAM_ID], 0, &out->stream_id))
		goto out;
	out->header_size = (header->size + 7) / 8;
	for (; out->stream_count < reader->stream_count; out->stream_count++)
		if (!place_stream(reader, out->stream_count, &out->streams[out->stream_count]))
			goto out;
	out->usable = true;
out:
	free(reader);
}

const struct ctf_packet_layout *ctf_layout_find(const struct ctf_layout *layout, uint64_t stream_id)
{
	for (size_t index = 0; index < layout->stream_count; index++)
		if (layout->streams[index].stream_id == stream_id)
			return &layout->streams[index];
	return NULL;
}

uint64_t ctf_location_read(const struct ctf_location *location, const uint8_t *bytes)
{
	uint64_t number = 0;
	for (uint32_t index = 0; index < location->size; index++) {
		uint32_t byte = location->big_endian ? index : location->size - 1 - index;
		number = number << 8 | bytes[location->offset + byte];
	}
	return number;
}
