// SPDX-License-Identifier: MIT
/*
 * fuzz_partial.c - the first byte chooses: the section PART of a partial history, or what a kernel analysis has
 * saved at a checkpoint, loaded where some threads and CPUs are.
 */
#include <string.h>

#include "analysis/analysis.h"
#include "fuzz.h"
#include "histree/history.h"
#include "state/partial_section.h"

enum { ATTRIBUTES = 100, START = -50 };

/* What is read is in order, and is read back from what is written of it. */
static void check_section(const struct partial_section *section)
{
	histree_time time = START;
	uint32_t attributes = 0;
	REQUIRE(section->checkpoint_count > 0);
	for (size_t i = 0; i < section->checkpoint_count; i++) {
		const struct partial_checkpoint *checkpoint = &section->checkpoints[i];
		REQUIRE(checkpoint->time >= time && checkpoint->attribute_count >= attributes);
		REQUIRE(checkpoint->attribute_count <= ATTRIBUTES);
		time = checkpoint->time;
		attributes = checkpoint->attribute_count;
	}
	for (size_t i = 0; i < section->exception_count; i++) {
		const struct partial_exception *exception = &section->exceptions[i];
		REQUIRE(exception->quark < ATTRIBUTES && exception->since >= START);
		REQUIRE(exception->first <= exception->last && exception->last < section->checkpoint_count);
	}
}

static void load_section(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size + 1);
	struct partial_section section, again;
	REQUIRE(copy != NULL);
	memcpy(copy, bytes, size);
	if (partial_section_decode(copy, size, START, ATTRIBUTES, &section, NULL) != HISTREE_OK)
		return;
	check_section(&section);
	copy = partial_section_encode(&section, START, &size);
	REQUIRE(copy != NULL);
	REQUIRE(partial_section_decode(copy, size, START, ATTRIBUTES, &again, NULL) == HISTREE_OK);
	REQUIRE(again.checkpoint_count == section.checkpoint_count &&
		again.exception_count == section.exception_count && again.origin_size == section.origin_size);
	partial_section_release(&again);
	partial_section_release(&section);
}

static void load_analysis(const struct analysis *analysis, const uint8_t *bytes, size_t size)
{
	static const char *const names[] = {
		"CPUs/0/Current_thread", "CPUs/0/IRQs/5\\/five",  "CPUs/0/Soft_IRQs/3", "CPUs/1",
		"Threads/7/Prio",        "Threads/0_0",           "Threads/-1",         "IRQs/5\\/five",
		"Soft_IRQs/3",           "Threads/7/System_call",
	};
	struct histree_state_system *system;
	struct analysis_inputs inputs = { 0 };
	struct byte_reader reader = byte_reader(bytes, size);
	void *input, *instance;
	REQUIRE(histree_state_create_for(NULL, 0, &system, NULL) == HISTREE_OK);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		histree_quark quark;
		REQUIRE(histree_state_attribute(system, HISTREE_ROOT, names[i], &quark, NULL) == HISTREE_OK);
	}
	REQUIRE(analysis_inputs_get(&inputs, analysis->input, &input, NULL) == HISTREE_OK);
	REQUIRE(analysis->create(analysis, system, input, &instance, NULL) == HISTREE_OK);
	enum histree_status status = analysis->load(instance, 19, &reader, NULL);
	REQUIRE(status == HISTREE_OK || status == HISTREE_ERR_FORMAT);
	analysis->free(instance);
	analysis_inputs_release(&inputs);
	histree_state_free(system);
}

FUZZ_TARGET(bytes, size)
{
	if (size == 0)
		return 0;
	if (bytes[0] % 3 == 0)
		load_section(bytes + 1, size - 1);
	else
		load_analysis(bytes[0] % 3 == 1 ? &analysis_kernel : &analysis_kernel_compact, bytes + 1, size - 1);
	return 0;
}
