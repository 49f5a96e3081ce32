// SPDX-License-Identifier: MIT
/*
 * test_ctf.c - what metadata is refused and why, and what bits mean, where libbabeltrace2 is no judge.
 */
#include "support/test.h"
#include "trace/ctf/ctf_decoder.h"
#include "trace/ctf/tsdl.h"

#define TRACE "trace { major = 1; minor = 8; byte_order = le; };\n"
#define BYTE "integer { size = 8; }"

static void assert_refused(const char *text, const char *reason)
{
	struct ctf_schema schema = { 0 };
	struct histree_error error = { 0 };
	assert_int_equal(tsdl_read(&schema, text, &error), HISTREE_ERR_TRACE);
	if (strstr(error.message, reason) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", error.message, reason);
	ctf_schema_release(&schema);
	assert_int_equal(tsdl_read(&schema, text, NULL), HISTREE_ERR_TRACE);
	ctf_schema_release(&schema);
}

TEST(faults_of_metadata_have_a_line_and_a_reason)
{
	static const char *const cases[][2] = {
		{ "", "has declared no trace" },
		{ "trace { };", "line 1 of the metadata: the trace has no byte order" },
		{ "trace { major = 2; };", "this is CTF 2" },
		{ TRACE "}", "line 2 of the metadata: '}' does not begin a declaration" },
		{ TRACE "\n\nevent { fields := struct { what_t a; }; };",
		  "line 4 of the metadata: there is no type" },
		{ TRACE "event { fields := " BYTE "; };", "a structure is expected" },
		{ TRACE "typealias integer { size = 65; } := a;", "an integer has 1 to 64 bits, not 65" },
		{ TRACE "typealias integer { size = 0; } := a;", "an integer has 1 to 64 bits, not 0" },
		{ TRACE "typealias integer { size = 8; align = 3; } := a;", "not a power of two" },
		{ TRACE "typealias integer { size = 8; align = 99999999; } := a;",
		  "the alignment is out of range" },
		{ TRACE "typealias floating_point { exp_dig = 5; mant_dig = 11; } := a;", "32 or 64 bits, not 16" },
		{ TRACE "clock { freq = 0; };", "a clock of 0 Hz stands still" },
		{ TRACE "struct a { " BYTE " a[18446744073709551616]; };", "a number of at most 64 bits" },
		{ TRACE "struct a { " BYTE " a[3; };", "']' is expected" },
		{ TRACE "event { id = 0; }; event { id = 0; };", "declares event 0 of stream 0 twice" },
		{ TRACE "stream { id = 1; }; stream { id = 1; };", "declares stream 1 twice" },
		{ TRACE "stream { id = 1; }; event { stream_id = 7; name = x; };", "has no stream 7" },
		{ TRACE "event { fields := struct { " BYTE " a[n]; }; };", "no integer \"n\" before the sequence" },
		{ TRACE "event { fields := struct { " BYTE " a[n]; " BYTE " n; }; };", "no integer \"n\" before" },
		{ TRACE "event { fields := struct { integer { size = 8; signed = true; } n; string a[n]; }; };",
		  "is a signed integer" },
		{ TRACE "event { fields := struct { " BYTE " n; variant <n> { string a; } v; }; };",
		  "no enumeration \"n\" before the variant" },
		{ TRACE "event { fields := struct { variant { string a; } v; }; };", "has no tag" },
		{ TRACE "event { fields := struct { integer { size = 8; map = clock.no.value; } a; }; };",
		  "has no clock \"no\"" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(cases[i][0], cases[i][1]);
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

TEST(what_metadata_asks_for_is_bounded)
{
	static const struct {
		const char *before, *part, *after, *reason;
		size_t count;
	} cases[] = {
		{ TRACE "event { fields := ", "struct { ", "", "nested more than 64 deep", 100000 },
		{ TRACE "event { fields := struct { string a", "[2]", "; }; };", "nested more than 64 deep",
		  100000 },
		{ TRACE "typealias struct { string a; } := t;", "typealias struct { t a; t b; } := t;", "",
		  "declares more than fits", 40 },
		{ TRACE "event { fields := struct { " BYTE " n; ", "string a[n];", " }; };", "too many lengths",
		  60000 },
		{ TRACE, "clock { };", "", "more than 64 clocks", 100 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = repeated(cases[i].before, cases[i].part, cases[i].count, cases[i].after);
		assert_refused(text, cases[i].reason);
		free(text);
	}
}

/* ---- bits ------------------------------------------------------------------------------------------------ */

TEST(integers_of_any_size_lie_at_any_bit)
{
	/* The same number, put bit by bit: big endian from the top of each byte, little endian from its bottom. */
	for (uint32_t size = 1; size <= 64; size++)
		for (uint64_t at = 0; at < 24; at++)
			for (int big = 0; big < 2; big++) {
				uint8_t bytes[16] = { 0 };
				uint64_t number = UINT64_C(0x9e3779b97f4a7c15) >> (64 - size);
				for (uint32_t bit = 0; bit < size; bit++) {
					uint64_t to = at + (big ? size - 1 - bit : bit);
					unsigned shift = (unsigned)(big ? 7 - to % 8 : to % 8);
					bytes[to / 8] |= (uint8_t)((number >> bit & 1) << shift);
				}
				struct ctf_integer integer = { .size = size, .is_big = big };
				assert_int_equal(ctf_integer_read(bytes, at, integer), number);
				integer.is_signed = true;
				assert_int_equal(ctf_integer_read(bytes, at, integer),
						 (uint64_t)ctf_sign_extend(number, size));
			}
}

TEST(a_clock_wraps_once)
{
	assert_int_equal(ctf_clock_tick(0x107fffff0, 5, 27), 0x108000005);
	assert_int_equal(ctf_clock_tick(0x100000005, 5, 27), 0x100000005);
	assert_int_equal(ctf_clock_tick(0xffffffff, 0, 32), 0x100000000);
	assert_int_equal(ctf_clock_tick(UINT64_MAX, 3, 64), 3);
	assert_int_equal(ctf_clock_tick(0x100, UINT64_MAX, 8), 0x1ff);
}

/* Times are exact for any frequency, and those that do not fit are none. */
TEST(ticks_are_times)
{
	static const struct {
		uint64_t frequency, ticks;
		int64_t seconds, cycles, time;
		bool fits;
	} cases[] = {
		{ 1000000000, 7, 3, 9, 3000000016, true },
		{ 3, 1, 0, 0, 333333333, true },
		{ 3, 2, 1, -1, 1333333332, true }, /* two thirds, and a second less a third, each rounded down */
		{ 24000000, UINT64_C(24000000) * 3600 * 24 * 365 + 1, 0, 0, INT64_C(31536000000000041), true },
		{ UINT64_MAX, UINT64_MAX - 1, 0, 0, 999999999, true },
		{ 1, UINT64_C(10000000000), 0, 0, 0, false },
		{ 1000000000, 1, INT64_MAX, 0, 0, false },
		{ 1000000000, UINT64_MAX - 1, 0, 0, 0, false },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ctf_schema schema = { 0 };
		struct ctf_decoder decoder;
		uint32_t classes = 0;
		char text[512];
		snprintf(text, sizeof(text),
			 TRACE "clock { name = c; freq = %llu; offset_s = %lld; offset = %lld; };"
			       "stream { event.header := struct { integer { size = 64; } timestamp; }; };",
			 (unsigned long long)cases[i].frequency, (long long)cases[i].seconds,
			 (long long)cases[i].cycles);
		assert_ok(tsdl_read(&schema, text, NULL));
		assert_ok(ctf_decoder_init(&decoder, &schema, NULL, &classes, NULL));
		histree_time time = 0;
		assert_int_equal(ctf_decoder_time(decoder.streams[0], cases[i].ticks, &time), cases[i].fits);
		if (cases[i].fits)
			assert_int_equal(time, cases[i].time);
		ctf_decoder_release(&decoder);
		ctf_schema_release(&schema);
	}
}
