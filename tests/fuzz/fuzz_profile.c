// SPDX-License-Identifier: MIT
/*
 * fuzz_profile.c - any bytes as a profile, as a trace in JSON, which has samples, too, or as spans of requests.
 * Whatever they are, reading ends, events come by their times, and every sample has a node in the tree of stacks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/samples/sample_input.h"
#include "fuzz.h"
#include "trace/formats.h"
#include "trace/trace_list.h"
#include "trace/trace_source.h"

static void take(void *input, const struct event *event)
{
	const struct sample *sample = &((const struct sample_input *)input)->sample;
	const struct stack_tree *tree = &((const struct sample_input *)input)->tree;
	REQUIRE(sample_input_kind.begin(input, event, NULL) == HISTREE_OK);
	if (!sample->is_there)
		return;
	uint32_t node = sample->stack, depth = 0;
	REQUIRE(node < tree->count);
	for (; node != STACK_NONE; node = tree->nodes[node].parent)
		REQUIRE(++depth <= SAMPLE_FRAMES_MAX);
}

static void read_events(struct trace_source *source)
{
	const struct trace_opening opening = { .window_size = 4096 };
	struct histree_error error;
	histree_time last = INT64_MIN;
	void *input;
	if (source->kind->open(source, &opening, &error) != HISTREE_OK)
		return;
	REQUIRE(sample_input_kind.create(&input, NULL) == HISTREE_OK);
	struct trace_stream *stream = source->streams[0];
	while (stream->kind->next(stream, NULL) == HISTREE_OK) {
		REQUIRE(stream->upcoming.time >= last);
		last = stream->upcoming.time;
		take(input, &stream->upcoming);
	}
	sample_input_kind.free(input);
}

FUZZ_TARGET(bytes, size)
{
	char path[64];
	struct trace_notes notes = { 0 };
	struct trace_services services = { .are_alone = size % 2 != 0 };
	struct histree_error error;
	uint32_t class_count = 0;
	int file = memfd_create("trace", 0);
	REQUIRE(file >= 0 && write(file, bytes, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	const struct trace_format_kind *kind = trace_format_of_path(path).kind;
	if (kind == &profile_format || kind == &json_format || kind == &requests_format) {
		struct trace_source *source = trace_source_create(kind, path);
		REQUIRE(source != NULL);
		source->notes = &notes;
		source->class_count = &class_count;
		source->services = &services;
		if (source->kind->scan(source, &error) == HISTREE_OK)
			read_events(source);
		trace_source_free(source);
	}
	trace_notes_release(&notes);
	intern_release(&services.keys);
	intern_release(&services.names);
	free(services.instances);
	close(file);
	return 0;
}
