// SPDX-License-Identifier: MIT
/*
 * test_trace_format.c - files that are not read are known by their first bytes; nothing else is guessed.
 */
#include <glob.h>

#include "base/zlib.h"
#include "support/test.h"
#include "trace/formats.h"
#include "trace/trace.h"
#include "trace/trace_list.h"

static const char *name_of(const void *bytes, size_t size)
{
	const char *name = trace_format_of_bytes(bytes, size).name;
	return name != NULL ? name : "";
}

#define PROFILE "a profile of speedscope, V8, Firefox or pprof, or folded stacks"
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
	assert_string_equal(NAME("{\"exporter\": \"speedscope@1.15\""), PROFILE);
	assert_string_equal(NAME("{\"nodes\":[{\"id\":1,\"callFrame\":{"), PROFILE);
	assert_string_equal(NAME("{\"meta\":{\"interval\":1,"), PROFILE);
	assert_string_equal(NAME("{\"label\":\"\",\"duration\":1.5,\"markers\":[{\"end\""), PROFILE);
	assert_string_equal(NAME("{\"linux-perf-json-version\": 1,"), "a trace in JSON");
	assert_string_equal(NAME("main;run it 3\nmain 4.5\nmain;cut"), PROFILE);
	assert_string_equal(NAME("go 1.22 trace\0\0\0"), "an execution trace of Go");
}

/* What stands behind the bytes that were read is nothing of theirs; and a program may be called as a tool is. */
TEST(formats_are_known_by_no_more_than_their_bytes)
{
	static const char frames[] = "main\n\t   55d21 work+0x5 (/usr/bin/app)\n\n";
	static const char whole[] = "what perf script prints of samples without their threads or times";
	assert_string_equal(NAME(frames), whole);
	assert_string_equal(name_of(frames, strlen("main\n\t")), "");
	assert_string_equal(name_of(frames, strlen("main\n\t  ")), "");
	assert_string_equal(name_of(frames, strlen("main\n\t   55d21")), "");
	assert_string_equal(NAME("tracy\0\12\3"), "a trace of Tracy");
	assert_string_equal(NAME("tracy;main;work 5\ntracy;main;other 7\n"), PROFILE);
}

#define REQUESTS "spans of OpenTelemetry, Jaeger or Zipkin"

TEST(spans_of_requests_are_known_and_rows_of_logs_are_none)
{
	assert_string_equal(NAME("{\"resourceSpans\": [{\"resource\": {\"attr"), REQUESTS);
	assert_string_equal(NAME("{\"resource_spans\":[{\"scope_spans\":[{\"spans\":[]}\n"), REQUESTS);
	assert_string_equal(NAME("\xef\xbb\xbf{\"data\":[{\"traceID\":\"1\",\"spans\":["), REQUESTS);
	assert_string_equal(NAME("[{\"traceId\":\"1\",\"id\":\"2\",\"timestamp\":1,\"duration\":3"), REQUESTS);
	assert_string_equal(NAME("[[{\"traceId\":\"1\",\"id\":\"2\",\"localEndpoint\":{\"serviceName\":"),
			    REQUESTS);
	/* A resource with an attribute; a span without one; the first of them behind its size. */
	assert_string_equal(NAME("\x0a\x30\x0a\x12\x0a\x10\x0a\x03key\x12\x09\x0a\x07service"), REQUESTS);
	assert_string_equal(NAME("\x0a\x40\x12\x3e\x12\x3c\x0a\x10"
				 "0123456789abcdef"
				 "\x12\x08"),
			    REQUESTS);
	assert_string_equal(NAME("\0\0\0\x32\x0a\x30\x0a\x12\x0a\x10\x0a\x03key\x12\x09\x0a\x07service"), REQUESTS);
	assert_string_equal(NAME("{\"resourceMetrics\": [{\"resource\": {}}]}"),
			    "JSON, but no trace with \"traceEvents\"");
	assert_string_equal(NAME("{\"timestamp\":\"now\",\"trace_id\":\"1\",\"span_id\":\"2\"}"),
			    "JSON, but no trace with \"traceEvents\"");
	assert_string_equal(NAME("[{\"ph\":\"X\",\"args\":{\"traceId\":\"1\",\"id\":\"2\",\"duration\":1}}"),
			    "a trace in JSON");
	assert_string_equal(NAME("\x0a\x02\x12\x00\x0a\x00"), "a trace of Perfetto");
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
	assert_null(trace_format_of_path("/nothing/is/here").name);
	assert_null(trace_format_of_path("/").name);
}

TEST(a_file_is_asked_once_it_is_opened)
{
	char path[] = "/tmp/histree-format-XXXXXX";
	int file = mkstemp(path);
	assert_true(file >= 0);
	assert_null(trace_format_of_path(path).name);
	assert_int_equal(write(file, "PERFILE2", 8), 8);
	assert_string_equal(trace_format_of_path(path).name, "a recording of perf");
	close(file);
	unlink(path);
}

TEST(a_page_without_events_is_said_to_be_one)
{
	static const char page[] = "<!DOCTYPE html>\n<html><script id=\"viewer-data\">H4sIAAAA</script></html>\n";
	char path[] = "/tmp/histree-format-XXXXXX";
	const char *const paths[] = { path };
	struct trace *trace;
	struct histree_error error;
	int file = mkstemp(path);
	assert_true(file >= 0);
	assert_int_equal(write(file, page, strlen(page)), strlen(page));
	assert_true(trace_open(paths, 1, &trace, &error) < 0);
	assert_non_null(strstr(error.message, "is a page without a text of ftrace; save the trace"));
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
	assert_string_equal(trace_format_of_path(path).name,
			    zlib_is_there() ? "a trace in JSON" : "compressed or an archive");
	close(file);
	unlink(path);
}

#define NAME_OF(name) #name,
#define KIND_OF(name) &name##_format,
static const char *const names[] = { TRACE_FORMATS(NAME_OF) };
static const struct trace_format_kind *const kinds[] = { TRACE_FORMATS(KIND_OF) };

enum { COUNT = sizeof(kinds) / sizeof(kinds[0]) };

/* A format that is not in the table is never asked; one of a folder beside the sources may be beside another. */
static size_t rows_of_file(const char *path)
{
	char *line = NULL, name[64];
	size_t size = 0, found = 0;
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (getline(&line, &size, file) > 0) {
		if (sscanf(line, "const struct trace_format_kind %63[a-z_] = {", name) != 1 ||
		    strcmp(name, "line_in_json_format") == 0 || strcmp(name, "json_in_page_format") == 0)
			continue;
		*strstr(name, "_format") = '\0';
		size_t at = 0;
		while (at < COUNT && strcmp(names[at], name) != 0)
			at++;
		if (at == COUNT)
			fail_msg("%s: '%s' is not in the table of src/trace/meson.build", path, name);
		found++;
	}
	free(line);
	fclose(file);
	return found;
}

TEST(the_table_has_each_format)
{
	char pattern[4096];
	glob_t files;
	size_t found = 0;
	snprintf(pattern, sizeof(pattern), "%s/src/trace/*/*.c", getenv("HISTREE_SOURCE_ROOT"));
	assert_int_equal(glob(pattern, 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++)
		found += rows_of_file(files.gl_pathv[i]);
	globfree(&files);
	assert_int_equal(found, COUNT);
}

/* What stands in for a library that was not there only refuses. */
TEST(each_format_has_what_all_have)
{
	for (size_t i = 0; i < COUNT; i++) {
		const struct trace_format_kind *kind = kinds[i];
		print_message("%s\n", names[i]);
		assert_true(kind->size >= sizeof(struct trace_source));
		assert_non_null(kind->scan);
		assert_true(kind->begins != NULL || kind->is_file != NULL || kind->is_folder != NULL);
		assert_true((kind->begins == NULL) == (kind->name == NULL));
		assert_true(kind->begins != NULL || !kind->may_be_packed);
		assert_true((kind->open == NULL) == (kind->bytes_done == NULL));
		for (size_t other = 0; other < i; other++)
			assert_ptr_not_equal(kind, kinds[other]);
	}
}
