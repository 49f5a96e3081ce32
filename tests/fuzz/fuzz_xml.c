// SPDX-License-Identifier: MIT
/*
 * fuzz_xml.c - bytes as a file of XML analyses.  What is refused is said with the file; what is not runs: on some
 * events with fields of all kinds, and a gap between them, into a history in memory.
 */
#include <string.h>

#include "analysis/program/program_analysis.h"
#include "analysis/xml/xml_definitions.h"
#include "fuzz.h"
#include "histree/history.h"

static bool get_int(const struct event *event, uint32_t field, int64_t *out)
{
	*out = event->time * 3 + field;
	return field % 2 == 0;
}

static bool get_string(const struct event *event, uint32_t field, const char **text, size_t *size)
{
	(void)event;
	*text = "text";
	*size = 4;
	return field % 2 == 1;
}

static const char *const fields[] = { "tid", "name", "cpu", "op", "next_tid" };
static const struct event_trace trace = { .path = "folder/trace",
					  .domain = "kernel",
					  .tracer_name = "",
					  .hostname = "",
					  .machine = "",
					  .get_int = get_int,
					  .get_string = get_string };
static const struct event_class classes[] = {
	{ &trace, 0, "entry", 4, fields, 4 },
	{ &trace, 1, "exit", 2, fields, 2 },
	{ &trace, 2, "sched_switch", 5, fields, 3 },
};

static void run(const struct analysis *analysis)
{
	static const struct histree_error none;
	struct histree_error error = none;
	struct histree_state_system *system;
	void *input, *instance;
	histree_time end = INT64_MIN;
	REQUIRE(histree_state_create_in_memory(
			&(struct histree_history_options){ .provider = "xml", .provider_version = 1 }, 1 << 24,
			&system, &error) == HISTREE_OK);
	REQUIRE(analysis->input->create_of(analysis->input, &input, &error) == HISTREE_OK);
	REQUIRE(analysis->create(analysis, system, input, &instance, &error) == HISTREE_OK);
	enum histree_status status = HISTREE_OK;
	for (int i = 0; i < 24 && status == HISTREE_OK; i++) {
		const struct event event = { .time = i / 2, .cpu = i % 3 - 1, .class = &classes[i % 3] };
		const struct event_gap gap = { .trace = &trace, .cpu = -1, .begin = 6, .end = 7 };
		status =
			i == 13 ? analysis->gap(instance, &gap, &error) : analysis->event(instance, &event, &error);
	}
	if (status == HISTREE_OK)
		status = analysis->finish(instance, &end, &error);
	REQUIRE(status == HISTREE_OK || status == HISTREE_ERR_MEMORY || status == HISTREE_ERR_TOO_LARGE);
	analysis->free(instance);
	analysis->input->free(input);
	histree_state_free(system);
}

FUZZ_TARGET(bytes, size)
{
	struct definitions definitions = { 0 };
	struct histree_error error = { 0 };
	char *text = malloc(size + 1);
	REQUIRE(text != NULL);
	memcpy(text, bytes, size);
	text[size] = '\0';
	enum histree_status status = xml_definitions_read("f.xml", text, size, &definitions, &error);
	free(text);
	if (status != HISTREE_OK)
		REQUIRE(strncmp(error.message, "f.xml:", 6) == 0 || status == HISTREE_ERR_MEMORY);
	for (size_t i = 0; i < definitions.count; i++) {
		size_t count;
		const struct registry_entry *entries = program_analysis_entries(definitions.analyses[i], &count);
		if (entries[0].analysis != NULL)
			run(entries[0].analysis);
	}
	definitions_release(&definitions);
	return 0;
}
