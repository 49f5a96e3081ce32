// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf_live_metadata.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "trace/ctf/ctf2.h"
#include "trace/ctf/ctf_metadata.h"

uint8_t *live_metadata_room(struct live_metadata *metadata, size_t size)
{
	if (size > CTF_METADATA_SIZE_MAX || metadata->size > CTF_METADATA_SIZE_MAX - size ||
	    !array_reserve(&metadata->bytes, &metadata->capacity, metadata->count + size))
		return NULL;
	return metadata->bytes + metadata->count;
}

/* Returns where the text is behind a byte (CTF 1.8, section C.1: comments and strings as in C). */
static enum live_text step(struct live_metadata *metadata, char byte)
{
	switch (metadata->state) {
	case LIVE_SLASH:
		if (byte == '/' || byte == '*')
			return byte == '/' ? LIVE_LINE_COMMENT : LIVE_COMMENT;
		break;
	case LIVE_LINE_COMMENT:
		return byte == '\n' ? LIVE_TEXT : LIVE_LINE_COMMENT;
	case LIVE_STAR:
		if (byte == '/')
			return LIVE_TEXT;
		/* fall through */
	case LIVE_COMMENT:
		return byte == '*' ? LIVE_STAR : LIVE_COMMENT;
	case LIVE_STRING:
		return byte == '"' ? LIVE_TEXT : byte == '\\' ? LIVE_ESCAPE : LIVE_STRING;
	case LIVE_ESCAPE:
		return LIVE_STRING;
	case LIVE_TEXT:
		break;
	}
	metadata->depth += byte == '{';
	metadata->depth -= byte == '}' && metadata->depth > 0;
	if (byte == ';' && metadata->depth == 0)
		metadata->whole = metadata->seen + 1;
	return byte == '/' ? LIVE_SLASH : byte == '"' ? LIVE_STRING : LIVE_TEXT;
}

/* Read the whole declarations of the text, and keep the rest. */
static enum histree_status read_text(struct live_metadata *metadata, struct histree_error *error)
{
	for (; metadata->seen < metadata->text_count; metadata->seen++)
		metadata->state = step(metadata, metadata->text[metadata->seen]);
	size_t whole = metadata->whole;
	if (whole == 0)
		return HISTREE_OK;
	char behind = metadata->text[whole];
	metadata->text[whole] = '\0';
	enum histree_status status = tsdl_read_more(metadata->reader, metadata->text, error);
	metadata->text[whole] = behind;
	memmove(metadata->text, metadata->text + whole, metadata->text_count - whole);
	metadata->text_count -= whole;
	metadata->seen -= whole;
	metadata->whole = 0;
	return status;
}

/* Move the texts of whole packets, or what is no packet, behind the text. */
static enum histree_status take_text(struct live_metadata *metadata, struct histree_error *error)
{
	size_t used = metadata->count, size = metadata->count;
	enum histree_status status = HISTREE_OK;
	if (metadata->is_packetized)
		status = ctf_metadata_unpack(metadata->bytes, metadata->count, metadata->big_endian, &used, &size,
					     error);
	if (status != HISTREE_OK)
		return status;
	/* One byte more, for the zero behind what is read. */
	if (!array_reserve(&metadata->text, &metadata->text_capacity, metadata->text_count + size + 1))
		return error_memory(error, "the metadata");
	if (size > 0 && memchr(metadata->bytes, '\0', size) != NULL)
		return error_set(error, HISTREE_ERR_TRACE, "the metadata is damaged: it is not text");
	memcpy(metadata->text + metadata->text_count, metadata->bytes, size);
	metadata->text_count += size;
	metadata->count -= used;
	memmove(metadata->bytes, metadata->bytes + used, metadata->count);
	return HISTREE_OK;
}

static enum histree_status begin(struct live_metadata *metadata, struct histree_error *error)
{
	metadata->reader = tsdl_reader_create(&metadata->schema);
	if (metadata->reader == NULL)
		return error_memory(error, "the metadata");
	metadata->is_packetized =
		ctf_metadata_is_packetized(metadata->bytes, metadata->count, &metadata->big_endian);
	metadata->has_form = true;
	return HISTREE_OK;
}

enum histree_status live_metadata_take(struct live_metadata *metadata, size_t size, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	metadata->count += size;
	metadata->size += size;
	if (!metadata->has_form && metadata->count < 4) /* bytes of the magic number of a packet */
		return HISTREE_OK;
	if (!metadata->has_form)
		status = begin(metadata, error);
	if (status == HISTREE_OK)
		status = take_text(metadata, error);
	if (status == HISTREE_OK && metadata->text_count > 0 && metadata->text[0] == CTF2_SEPARATOR)
		return error_set(
			error, HISTREE_ERR_TRACE,
			"it is a session of CTF 2, which histree reads from files only; record it in CTF 1.8");
	return status == HISTREE_OK ? read_text(metadata, error) : status;
}

bool live_metadata_is_begun(const struct live_metadata *metadata)
{
	return metadata->reader != NULL && tsdl_reader_is_begun(metadata->reader);
}

/* Blanks and comments may follow the last declaration. */
bool live_metadata_is_cut(const struct live_metadata *metadata)
{
	size_t at = 0;
	while (at < metadata->text_count && isspace((unsigned char)metadata->text[at]))
		at++;
	return metadata->count > 0 || (at < metadata->text_count && metadata->text[at] != '/');
}

void live_metadata_release(struct live_metadata *metadata)
{
	free(metadata->bytes);
	free(metadata->text);
	free(metadata->reader);
	ctf_schema_release(&metadata->schema);
	*metadata = (struct live_metadata){ 0 };
}
