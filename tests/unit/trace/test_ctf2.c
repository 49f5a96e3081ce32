// SPDX-License-Identifier: MIT
/*
 * test_ctf2.c - what metadata of CTF 2 are refused and where, what they declare, and texts that are not in UTF-8.
 */
#include "support/test.h"
#include "trace/ctf/ctf2.h"
#include "trace/ctf/ctf_cursor.h"
#include "trace/ctf/ctf_decoder.h"
#include "trace/ctf/ctf_metadata.h"
#include "trace/ctf/ctf_source.h"

#define RS "\x1e"
#define PREAMBLE RS "{\"type\": \"preamble\", \"version\": 2}\n"
#define STREAM RS "{\"type\": \"data-stream-class\"}\n"
#define U8 "{\"type\": \"fixed-length-unsigned-integer\", \"length\": 8, \"byte-order\": \"little-endian\"}"
#define MEMBER(name, class) "{\"name\": \"" name "\", \"field-class\": " class "}"
#define STRUCTURE(members) "{\"type\": \"structure\", \"member-classes\": [" members "]}"
#define EVENT(members) \
	PREAMBLE STREAM RS "{\"type\": \"event-record-class\", \"payload-field-class\": " STRUCTURE(members) "}\n"
#define FIELD(class) EVENT(MEMBER("a", class))
#define ALIAS(name, class) \
	RS "{\"type\": \"field-class-alias\", \"name\": \"" name "\", \"field-class\": " class "}\n"

static void assert_refused(const char *text, const char *where, const char *reason)
{
	struct ctf_schema schema = { 0 };
	struct histree_error error = { 0 };
	assert_int_equal(ctf2_read(&schema, text, &error), HISTREE_ERR_TRACE);
	if (strstr(error.message, reason) == NULL || strstr(error.message, where) != error.message)
		fail_msg("\"%s\" does not say \"%s\" and \"%s\"", error.message, where, reason);
	ctf_schema_release(&schema);
	assert_int_equal(ctf2_read(&schema, text, NULL), HISTREE_ERR_TRACE);
	ctf_schema_release(&schema);
}

#define TYPE_IN_EVENT "fragment 3 of the metadata, payload-field-class.member-classes[0].field-class"

TEST(faults_have_a_fragment_a_path_and_a_reason)
{
	static const char *const cases[][3] = {
		{ RS, "fragment 0 of the metadata: ", "no preamble" },
		{ RS "{", "fragment 1 of the metadata: ", "line 1, column 1: " },
		{ RS "[]", "fragment 1 of the metadata: ", "an object is expected" },
		{ STREAM, "fragment 1 of the metadata: ", "the first fragment is no preamble" },
		{ PREAMBLE, "fragment 1 of the metadata: ", "no data stream class was declared" },
		{ PREAMBLE PREAMBLE, "fragment 2 of the metadata: ", "a second preamble" },
		{ RS "{\"type\": \"preamble\", \"version\": 3}", "fragment 1 of the metadata: ", "this is CTF 3" },
		{ RS "{\"type\": \"preamble\", \"version\": 2, \"uuid\": [1]}",
		  "fragment 1 of the metadata, uuid: ", "16 bytes" },
		{ RS "{\"type\": \"preamble\", \"version\": 2, \"extensions\": {\"x\": {\"y\": 1}}}",
		  "fragment 1 of the metadata, extensions.x: ", "needs the extension \"y\"" },
		{ PREAMBLE RS "{\"type\": \"trace-class\", \"extensions\": {\"x\": {\"y\": 1}}}",
		  "fragment 2 of the metadata, extensions.x: ", "\"y\" is not declared" },
		{ PREAMBLE RS "{\"type\": \"what\"}",
		  "fragment 2 of the metadata, type: ", "no fragment \"what\"" },
		{ PREAMBLE RS "{\"type\": \"trace-class\"}" RS "{\"type\": \"trace-class\"}",
		  "fragment 3 of the metadata: ", "a second trace class" },
		{ PREAMBLE STREAM STREAM, "fragment 3 of the metadata: ", "a data stream class 0 already" },
		{ PREAMBLE STREAM RS "{\"type\": \"event-record-class\", \"data-stream-class-id\": 7}",
		  "fragment 3 of the metadata: ", "no data stream class 7" },
		{ PREAMBLE STREAM RS "{\"type\": \"event-record-class\"}" RS "{\"type\": \"event-record-class\"}",
		  "the metadata declares event 0 of stream 0 twice", "" },
		{ PREAMBLE RS "{\"type\": \"data-stream-class\", \"default-clock-class-id\": \"c\"}",
		  "fragment 2 of the metadata: ", "no clock class \"c\"" },
		{ PREAMBLE RS "{\"type\": \"clock-class\", \"id\": \"c\", \"frequency\": 0}",
		  "fragment 2 of the metadata, frequency: ", "out of range" },
		{ PREAMBLE RS "{\"type\": \"clock-class\", \"id\": \"c\", \"frequency\": 5,"
			      "\"offset-from-origin\": {\"cycles\": 5}}",
		  "fragment 2 of the metadata, offset-from-origin.cycles: ", "from 0 to 4" },
		{ FIELD("7"), TYPE_IN_EVENT ": ", "a field class, or the name" },
		{ FIELD("\"none\""), TYPE_IN_EVENT ": ", "no field class alias \"none\"" },
		{ PREAMBLE ALIAS("x", U8) ALIAS("x", U8), "fragment 3 of the metadata: ", "alias \"x\" already" },
		{ FIELD("{\"type\": \"what\"}"), TYPE_IN_EVENT ".type: ", "no field class \"what\"" },
		{ FIELD("{\"type\": \"fixed-length-boolean\", \"byte-order\": \"little-endian\"}"),
		  TYPE_IN_EVENT ": ", "'length' is missing" },
		{ FIELD("{\"type\": \"fixed-length-boolean\", \"length\": 65, \"byte-order\": \"little-endian\"}"),
		  TYPE_IN_EVENT ".length: ", "from 1 to 64" },
		{ FIELD("{\"type\": \"fixed-length-boolean\", \"length\": 8, \"byte-order\": \"x\"}"),
		  TYPE_IN_EVENT ".byte-order: ", "\"x\" is not known" },
		{ FIELD("{\"type\": \"fixed-length-boolean\", \"length\": 8, \"byte-order\": \"big-endian\","
			"\"alignment\": 3}"),
		  TYPE_IN_EVENT ".alignment: ", "not a power of two" },
		{ FIELD("{\"type\": \"fixed-length-floating-point-number\", \"length\": 48, \"byte-order\": "
			"\"big-endian\"}"),
		  TYPE_IN_EVENT ".length: ", "has 48 bits" },
		{ FIELD("{\"type\": \"fixed-length-bit-map\", \"length\": 8, \"byte-order\": \"big-endian\"}"),
		  TYPE_IN_EVENT ": ", "'flags' is missing" },
		{ FIELD("{\"type\": \"variable-length-unsigned-integer\", \"mappings\": {\"x\": [[2, 1]]}}"),
		  TYPE_IN_EVENT ".mappings.x[0]: ", "ends before it begins" },
		{ FIELD("{\"type\": \"variable-length-unsigned-integer\", \"preferred-display-base\": 7}"),
		  TYPE_IN_EVENT ".preferred-display-base: ", "2, 8, 10 or 16" },
		{ FIELD("{\"type\": \"variable-length-unsigned-integer\", \"roles\": [\"x\"]}"),
		  TYPE_IN_EVENT ".roles[0]: ", "no role \"x\"" },
		{ FIELD("{\"type\": \"null-terminated-string\", \"encoding\": \"latin-1\"}"),
		  TYPE_IN_EVENT ".encoding: ", "\"latin-1\" is not known" },
		{ EVENT(MEMBER("a", U8) "," MEMBER("a", U8)),
		  "fragment 3 of the metadata, payload-field-class: ", "\"a\" is there twice" },
		{ FIELD("{\"type\": \"dynamic-length-blob\", \"length-field-location\": {\"path\": [\"n\"]}}"),
		  TYPE_IN_EVENT ".length-field-location: ", "no integer before" },
		{ FIELD("{\"type\": \"dynamic-length-blob\", \"length-field-location\": {\"path\": [null]}}"),
		  TYPE_IN_EVENT ".length-field-location.path: ", "ends with the name" },
		{ EVENT(MEMBER("n", "{\"type\": \"variable-length-signed-integer\"}") "," MEMBER(
			  "a", "{\"type\": \"dynamic-length-blob\", \"length-field-location\": "
			       "{\"origin\": \"event-record-payload\", \"path\": [\"n\"]}}")),
		  "fragment 3 of the metadata, payload-field-class.member-classes[1].field-class"
		  ".length-field-location: ",
		  "a signed integer" },
		{ EVENT(MEMBER("n", U8) "," MEMBER("a", "{\"type\": \"optional\", \"field-class\": " U8
							", \"selector-field-location\": {\"path\": [\"n\"]}}")),
		  "fragment 3", "'selector-field-ranges' is missing" },
		{ EVENT(MEMBER("n", U8) "," MEMBER(
			  "a",
			  "{\"type\": \"variant\", \"selector-field-location\": {\"path\": [\"n\"]}, \"options\": ["
			  "{\"selector-field-ranges\": [[0, 9]], \"field-class\": " U8 "},"
			  "{\"selector-field-ranges\": [[20, 30], [9, 9]], \"field-class\": " U8 "}]}")),
		  "fragment 3", "two options are for the same number" },
		{ PREAMBLE RS "{\"type\": \"data-stream-class\", \"event-record-header-field-class\": " STRUCTURE(
			  MEMBER("t", "{\"type\": \"variable-length-unsigned-integer\", \"roles\": "
				      "[\"default-clock-timestamp\"]}")) "}",
		  "fragment 2 of the metadata, event-record-header-field-class: ", "no 'default-clock-class-id'" },
		{ PREAMBLE RS "{\"type\": \"trace-class\", \"packet-header-field-class\": " STRUCTURE(
			  MEMBER("u", "{\"type\": \"static-length-blob\", \"length\": 16, \"roles\": "
				      "[\"metadata-stream-uuid\"]}")) "}",
		  "fragment 2 of the metadata, packet-header-field-class: ", "the preamble has none" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(cases[i][0], cases[i][1], cases[i][2]);
}

static char *repeated(const char *before, const char *part, size_t count, const char *after)
{
	size_t size = strlen(part);
	char *text = malloc(strlen(before) + count * size + strlen(after) + 1);
	assert_non_null(text);
	char *at = stpcpy(text, before);
	for (size_t i = 0; i < count; i++)
		at = stpcpy(at, part);
	strcpy(at, after);
	return text;
}

TEST(what_metadata_ask_for_is_bounded)
{
	static const struct {
		const char *before, *part, *after, *reason;
		size_t count;
	} cases[] = {
		{ PREAMBLE RS "{\"a\": ", "[", "", "maximum parsing depth", 100000 },
		{ PREAMBLE RS "{\"type\": \"field-class-alias\", \"name\": \"x\", \"field-class\": ",
		  "{\"type\": \"static-length-array\", \"length\": 1, \"element-field-class\": ", "", "end of file",
		  1000 },
		{ PREAMBLE RS "[", "{},", "{}]", "takes more than 96 MiB", 400000 },
		{ PREAMBLE, RS "{\"type\": \"clock-class\", \"id\": \"\", \"frequency\": 1}", "", "already", 2 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = repeated(cases[i].before, cases[i].part, cases[i].count, cases[i].after);
		assert_refused(text, "fragment ", cases[i].reason);
		free(text);
	}
	/* Nested as deep as JSON is read, and deeper than field classes are. */
	char *nested =
		repeated(PREAMBLE RS "{\"type\": \"field-class-alias\", \"name\": \"x\", \"field-class\": ",
			 "{\"type\": \"static-length-array\", \"length\": 1, \"element-field-class\": ", 70, U8);
	char *text = repeated(nested, "}", 71, "\n" STREAM);
	assert_refused(text, "fragment 2 of the metadata, ...", "nested more than 64 deep");
	free(text);
	free(nested);
	/* Aliases of structures of two aliases: 2^40 members of forty fragments. */
	char doubled[1 << 14];
	size_t used = (size_t)snprintf(doubled, sizeof(doubled), "%s", PREAMBLE ALIAS("s0", U8));
	for (int i = 0; i < 40; i++)
		used += (size_t)snprintf(
			doubled + used, sizeof(doubled) - used,
			RS "{\"type\": \"field-class-alias\", \"name\": \"s%d\", \"field-class\": "
			   "{\"type\": \"structure\", \"member-classes\": [{\"name\": \"a\", "
			   "\"field-class\": \"s%d\"}, {\"name\": \"b\", \"field-class\": \"s%d\"}]}}",
			i + 1, i, i);
	assert_refused(doubled, "the metadata declares more than fits", "");
	/* Each alias is a structure with the one before in it: deeper than one may be that is written so. */
	static char chain[1 << 16];
	used = snprintf(chain, sizeof(chain), PREAMBLE ALIAS("s0", STRUCTURE(MEMBER("a", U8))));
	for (int i = 0; i < 100; i++)
		used += snprintf(chain + used, sizeof(chain) - (size_t)used,
				 RS "{\"type\": \"field-class-alias\", \"name\": \"s%d\", \"field-class\": "
				    "{\"type\": \"structure\", \"member-classes\": [{\"name\": \"a\", "
				    "\"field-class\": \"s%d\"}]}}",
				 i + 1, i);
	snprintf(chain + used, sizeof(chain) - (size_t)used, STREAM);
	assert_refused(chain, "types of the metadata are nested more than 64 deep", "");
}

TEST(what_is_declared_is_in_the_schema)
{
	static const char text[] = RS RS
		"{\"type\": \"preamble\", \"version\": 2, \"uuid\": [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,255],"
		" \"attributes\": {\"x\": 1}, \"extensions\": {\"x\": {}}}\n" RS
		"{\"type\": \"trace-class\", \"uid\": \"the trace\", \"environment\": {\"hostname\": \"h\", \"n\": "
		"-5,"
		" \"most\": 18446744073709551615}}" RS
		"{\"type\": \"clock-class\", \"id\": \"c\", \"uid\": \"boot\", \"frequency\": 18446744073709551615,"
		" \"precision\": 3, \"origin\": {\"name\": \"o\", \"uid\": \"u\"},"
		" \"offset-from-origin\": {\"seconds\": -7, \"cycles\": 9}}" RS
		"{\"type\": \"data-stream-class\", \"id\": 18446744073709551615, \"default-clock-class-id\": "
		"\"c\"}" RS
		"{\"type\": \"event-record-class\", \"id\": 9, \"data-stream-class-id\": 18446744073709551615,"
		" \"name\": \"18446744073709551615\"}\n";
	struct ctf_schema schema = { 0 };
	struct histree_error error = { 0 };
	if (ctf2_read(&schema, text, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	assert_int_equal(schema.version, 2);
	assert_true(schema.has_uuid);
	assert_int_equal(schema.uuid[15], 255);
	assert_string_equal(ctf_schema_environment(&schema, "hostname")->text, "h");
	assert_int_equal(ctf_schema_environment(&schema, "n")->number, -5);
	assert_int_equal(ctf_schema_environment(&schema, "most")->number, -1);
	const struct ctf_clock *clock = schema.streams[0]->clock;
	assert_ptr_equal(clock, &schema.clocks[0]);
	assert_true(clock->frequency == UINT64_MAX && clock->precision == 3 && clock->accuracy == CTF_NOT_SAID);
	assert_true(clock->offset_seconds == -7 && clock->offset_cycles == 9);
	assert_string_equal(clock->origin, "o");
	assert_true(schema.streams[0]->id == UINT64_MAX);
	const struct ctf_event_type *event = schema.streams[0]->events.entries[0].record;
	assert_string_equal(event->name, "18446744073709551615");
	assert_int_equal(event->id, 9);
	struct trace_facts facts;
	ctf_metadata_facts(&schema, &facts);
	assert_string_equal(facts.uuid, "the trace");
	assert_string_equal(facts.hostname, "h");
	ctf_schema_release(&schema);
}

#define UUID "\"uuid\": [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]"
#define BLOB "{\"type\": \"static-length-blob\", \"length\": 16, \"roles\": [\"metadata-stream-uuid\"]}"

/* First of all, behind a number, and in a structure inside of another. */
TEST(the_uuid_of_packets_may_be_anywhere)
{
	static const struct {
		const char *members;
		uint32_t at;
	} cases[] = {
		{ MEMBER("u", BLOB), 0 },
		{ MEMBER("n", U8) "," MEMBER("u", BLOB), 1 },
		{ MEMBER("n", U8) "," MEMBER("o", STRUCTURE(MEMBER("p", STRUCTURE(MEMBER("m", U8))) "," MEMBER(
							  "q", STRUCTURE(MEMBER("u", BLOB))))),
		  2 },
		{ MEMBER("n", "{\"type\": \"variable-length-unsigned-integer\"}") "," MEMBER("u", BLOB),
		  UINT32_MAX },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[2048];
		struct ctf_schema schema = { 0 };
		struct ctf_decoder decoder;
		struct histree_error error = { 0 };
		uint32_t class_count = 0;
		snprintf(text, sizeof(text),
			 RS "{\"type\": \"preamble\", \"version\": 2, " UUID "}" RS
			    "{\"type\": \"trace-class\", \"packet-header-field-class\": {\"type\": \"structure\", "
			    "\"member-classes\": [%s]}}" STREAM,
			 cases[i].members);
		if (ctf2_read(&schema, text, &error) != HISTREE_OK)
			fail_msg("%s", error.message);
		assert_ok(ctf_decoder_init(&decoder, &schema, NULL, &class_count, NULL));
		assert_int_equal(decoder.uuid_at, cases[i].at);
		ctf_decoder_release(&decoder);
		ctf_schema_release(&schema);
	}
}

TEST(texts_become_utf_8)
{
	static const struct {
		enum ctf_encoding encoding;
		const char *bytes;
		size_t size;
		const char *text;
	} cases[] = {
		{ CTF_UTF_16_LITTLE, "a\0\xe9\0\xac\x20", 6, "a\u00e9\u20ac" },
		{ CTF_UTF_16_BIG, "\0a\xd8\x3d\xde\x00", 6, "a\U0001f600" },
		{ CTF_UTF_16_BIG, "\xde\x00\xd8\x3d\0a", 6, "\ufffd\ufffda" }, /* surrogates that are no pair */
		{ CTF_UTF_16_LITTLE, "\x3d\xd8", 2, "\ufffd" },
		{ CTF_UTF_16_LITTLE, "a\0b", 3, "a" }, /* a part of a unit */
		{ CTF_UTF_32_LITTLE, "\xff\xff\x10\0\0\0\x11\0", 8, "\U0010ffff\ufffd" },
		{ CTF_UTF_32_BIG, "\0\x01\xf6\0\0\0\xd8\0", 8, "\U0001f600\ufffd" },
		{ CTF_UTF_32_BIG, "", 0, "" },
	};
	struct ctf_texts texts = { 0 };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int kept = 0; kept < 3; kept++) {
			const char *text = cases[i].bytes;
			size_t size = cases[i].size;
			assert_true(kept > 0 ? ctf_texts_keep(&texts, cases[i].encoding, &text, &size)
					     : ctf_texts_make(&texts, cases[i].encoding, &text, &size));
			assert_int_equal(size, strlen(cases[i].text));
			assert_memory_equal(text, cases[i].text, size);
		}
	ctf_texts_release(&texts);
}
