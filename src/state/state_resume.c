// SPDX-License-Identifier: MIT
#include "state/state_resume.h"

#include "base/error.h"
#include "state/state_system.h"

enum histree_status state_resume(histree_time start, const struct attribute_tree *names,
				 const struct interval_sink *sink, struct histree_state_system **out,
				 struct histree_error *error)
{
	enum histree_status status = state_system_create(start, sink, out, error);
	if (status != HISTREE_OK)
		return status;
	struct histree_state_system *system = *out;
	struct ongoing_states *ongoing = &system->ongoing;
	system->attributes = *names;
	system->shares_names = true;
	if (!ongoing_states_reserve(ongoing, names->base.count)) {
		system->sink.free = NULL;
		histree_state_free(system);
		*out = NULL;
		return error_memory(error, "ongoing states");
	}
	ongoing_states_extend(ongoing, names->base.count, start);
	for (histree_quark quark = 0; quark < names->base.count; quark++)
		if (names->attributes[quark].is_folder)
			ongoing->states[quark].fixed_type = ONGOING_FOLDER;
	return HISTREE_OK;
}

bool state_resume_state(struct histree_state_system *system, histree_quark quark, histree_time since,
			const struct histree_value *value)
{
	struct held_value held;
	if (!ongoing_states_hold(&system->ongoing, value, &held))
		return false;
	ongoing_states_set(&system->ongoing, quark, since, &held);
	return true;
}

void state_resume_type(struct histree_state_system *system, histree_quark quark, uint8_t fixed_type)
{
	system->ongoing.states[quark].fixed_type = fixed_type;
}

void state_resume_options(struct histree_state_system *system, histree_time time, bool null_empty_stacks)
{
	system->current_end = time;
	system->null_empty_stacks = null_empty_stacks;
}
