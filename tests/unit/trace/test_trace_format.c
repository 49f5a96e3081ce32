// SPDX-License-Identifier: MIT
/*
 * test_trace_format.c - files that are not read are known by their first bytes; nothing else is guessed.
 */
#include "base/zlib.h"
#include "support/test.h"
#include "trace/trace_list.h"

static const char *name_of(const void *bytes, size_t size)
{
	const struct trace_format *format = trace_format_of_bytes(bytes, size);
	return format != NULL ? format->name : "";
}

#define NAME(text) name_of(text, sizeof(text) - 1)

TEST(formats_are_known_by_their_first_bytes)
{
	char tar[512] = "folder/";
	memcpy(tar + 257, "ustar", 5);
	assert_string_equal(NAME("PERFILE2rest"), "a recording of perf");
	assert_string_equal(NAME("2ELIFREPrest"), "a recording of perf");
	assert_string_equal(NAME("\x17\x08\x44tracing6"), "a recording of trace-cmd");
	assert_string_equal(NAME("\x1f\x8b\x08"), "compressed or an archive");
	assert_string_equal(NAME("\xfd\x37zXZ"), "compressed by xz");
	assert_string_equal(name_of(tar, sizeof(tar)), "a tar archive");
	assert_string_equal(NAME("\xc1\x1f\xfc\xc1"), "a file of a CTF trace");
	assert_string_equal(NAME("/* CTF 1.8 */"), "a file of a CTF trace");
	assert_string_equal(NAME("\n  {\"traceEvents\": []}"), "a trace in JSON");
	assert_string_equal(NAME("\xef\xbb\xbf{\"metadata\": {\"x\": [1, 2"), "a trace in JSON");
	assert_string_equal(NAME("[\r\n{\"ph\": \"B\""), "a trace in JSON");
	assert_string_equal(NAME("[]"), "a trace in JSON");
	assert_string_equal(NAME("{\"time\": 12, \"name\": \"x\"}\n{\"time\""),
			    "JSON, but no trace with \"traceEvents\"");
	assert_string_equal(NAME("[1, 2]"), "JSON, but no trace with \"traceEvents\"");
	assert_string_equal(NAME("\x0a\x02xy\x0a\x01z"), "a trace of Perfetto");
	assert_string_equal(NAME("\x89histre\n"), "a file of a store of histree");
	assert_string_equal(NAME("{\"exporter\": \"speedscope@1.15\""), "a profile of speedscope, V8 or Firefox");
	assert_string_equal(NAME("{\"nodes\":[{\"id\":1,\"callFrame\":{"),
			    "a profile of speedscope, V8 or Firefox");
	assert_string_equal(NAME("{\"meta\":{\"interval\":1,"), "a profile of speedscope, V8 or Firefox");
	assert_string_equal(NAME("{\"linux-perf-json-version\": 1,"), "a trace in JSON");
	assert_string_equal(NAME("main;run it 3\nmain 4.5\nmain;cut"), "folded stacks");
}

TEST(nothing_is_guessed)
{
	assert_string_equal(NAME(""), "");
	assert_string_equal(NAME("PERFILE"), "");
	assert_string_equal(NAME("hello"), "");
	assert_string_equal(NAME("\n\nhello, with two new lines before it"), "");
	assert_string_equal(NAME("\x0a\xff\xff\xff\xff\xff\xff\xff\xff"), "");
	assert_string_equal(NAME("   "), "");
	assert_string_equal(NAME("{hello}"), "");
	assert_string_equal(NAME("main 3\nrun 4\n"), "");
	assert_string_equal(NAME("a;b 3\nno number\n"), "");
	assert_string_equal(NAME("{\"meta\":{\"total\":1}}"), "JSON, but no trace with \"traceEvents\"");
	assert_null(trace_format_of_path("/nothing/is/here"));
	assert_null(trace_format_of_path("/"));
}

TEST(a_file_is_asked_once_it_is_opened)
{
	char path[] = "/tmp/histree-format-XXXXXX";
	int file = mkstemp(path);
	assert_true(file >= 0);
	assert_null(trace_format_of_path(path));
	assert_int_equal(write(file, "PERFILE2", 8), 8);
	assert_string_equal(trace_format_of_path(path)->name, "a recording of perf");
	close(file);
	unlink(path);
}

/* gzip of '[{"ph":"B"}]', as RFC 1952 has it. */
static const unsigned char packed_json[] = {
	0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x8b, 0xae, 0x56, 0x2a, 0xc8, 0x50,
	0xb2, 0x52, 0x72, 0x52, 0xaa, 0x8d, 0x05, 0x00, 0x3c, 0x1e, 0x67, 0x90, 0x0c, 0x00, 0x00, 0x00,
};

TEST(what_is_packed_is_looked_into)
{
	char path[] = "/tmp/histree-format-XXXXXX";
	int file = mkstemp(path);
	assert_true(file >= 0);
	assert_int_equal(write(file, packed_json, sizeof(packed_json)), sizeof(packed_json));
	assert_string_equal(trace_format_of_path(path)->name,
			    zlib_is_there() ? "a trace in JSON" : "compressed or an archive");
	close(file);
	unlink(path);
}
