// SPDX-License-Identifier: MIT
/*
 * fuzz_ctf_metadata.c - bytes as the text of metadata, TSDL or that of CTF 2 by the first byte: refused with a
 * sentence, or a schema of which every class of events has its procedure.
 */
#include <string.h>

#include "fuzz.h"
#include "trace/ctf/ctf_decoder.h"
#include "trace/ctf/ctf_metadata.h"
#include "trace/ctf/ctf_source.h"

static void make_classes(struct ctf_decoder *decoder)
{
	for (size_t i = 0; i < decoder->schema->stream_count; i++) {
		struct ctf_stream_decoder *stream = decoder->streams[i];
		for (size_t event = 0; event < stream->type->events.count && event < 100; event++) {
			struct ctf_class *class;
			REQUIRE(ctf_decoder_class(decoder, stream, stream->type->events.entries[event].id, &class,
						  NULL) == HISTREE_OK);
			REQUIRE(class != NULL && class->class.payload_count <= class->class.field_count);
		}
	}
}

FUZZ_TARGET(bytes, size)
{
	struct ctf_schema schema = { 0 };
	struct ctf_decoder decoder;
	struct trace_facts facts;
	struct histree_error error = { 0 };
	uint32_t class_count = 0;
	char *text = malloc(size + 1);
	REQUIRE(text != NULL);
	memcpy(text, bytes, size);
	text[size] = '\0';
	enum histree_status status = ctf_metadata_schema(text, &schema, &error);
	REQUIRE(status == HISTREE_OK || (status == HISTREE_ERR_TRACE && error.message[0] != '\0'));
	if (status == HISTREE_OK) {
		REQUIRE(ctf_decoder_init(&decoder, &schema, NULL, &class_count, NULL) == HISTREE_OK);
		make_classes(&decoder);
		ctf_decoder_release(&decoder);
		ctf_metadata_facts(&schema, &facts);
	}
	ctf_schema_release(&schema);
	free(text);
	return 0;
}
