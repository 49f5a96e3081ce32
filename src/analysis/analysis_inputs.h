/* SPDX-License-Identifier: MIT */
/*
 * analysis_inputs.h - what several analyses of one build read events through, made once for all of them.
 *
 * An input decodes each event once, before its analyses see it, and keeps what all of them need to know, such as
 * which thread runs on each CPU.  An analysis names the kind of its input; a build makes one input of each kind
 * that is named, hands it to `create` of the analyses, and then for each event calls
 *
 *	analysis_inputs_begin(&inputs, &event, &error);
 *	... the analyses ...
 *	analysis_inputs_end(&inputs, &error);
 *
 * So all analyses see an input as it was before the event, and in whichever order they come.
 */
#ifndef ANALYSIS_ANALYSIS_INPUTS_H
#define ANALYSIS_ANALYSIS_INPUTS_H

#include "base/table.h"
#include "event/event.h"
#include "histree/status.h"
#include "symbols/symbol_source.h"

struct analysis_input_kind {
	const char *needs; /* what a trace has that analyses of this input apply to, as the object of "it needs" */

	enum histree_status (*create)(void **input, struct histree_error *error);

	/*
	 * In place of `create`, for kinds of which there are many: each has a struct around it, in which it finds
	 * what is its own.  NULL: it has `create`.
	 */
	enum histree_status (*create_of)(const struct analysis_input_kind *kind, void **input,
					 struct histree_error *error);

	/* Its analyses go by what one of them does, so that they are on one lane, and share one input. */
	bool is_one;

	/* Have what grows with the trace in this space; called before the first event.  NULL: nothing does. */
	void (*use_space)(void *input, struct table_space *tables);

	/*
	 * Sets where names of functions are looked for; called before the first event.  NULL: the input has no
	 * such names.
	 */
	enum histree_status (*use_symbols)(void *input, const struct symbol_places *places,
					   struct histree_error *error);

	/*
	 * Learn from all events that another input of this kind learns from, for its analyses; before the first
	 * event.  NULL: any two learn from the same ones.
	 */
	void (*learn_as)(void *input, const void *other);

	/*
	 * An event or a gap comes next, in the order of the trace.  It passes by if it is of a trace of which the
	 * kind knows nothing.  Negative only for what ends the build: no memory.
	 */
	enum histree_status (*begin)(void *input, const struct event *event, struct histree_error *error);

	/* All analyses have seen the event.  NULL: there is nothing to do then. */
	enum histree_status (*end)(void *input, struct histree_error *error);

	void (*free)(void *input);
};

struct analysis_input {
	const struct analysis_input_kind *kind;
	void *input;
};

/* A zeroed one is empty. */
struct analysis_inputs {
	struct table_space *tables;          /* borrowed: of the build; NULL: memory without a ceiling */
	const struct symbol_places *symbols; /* borrowed likewise; NULL: none are looked for */
	struct analysis_input *all;          /* at most one of a kind */
	size_t count, capacity;
};

/* Get the input of a kind in *input, made if it does not exist yet; NULL for the kind NULL. */
enum histree_status analysis_inputs_get(struct analysis_inputs *inputs, const struct analysis_input_kind *kind,
					void **input, struct histree_error *error);

/*
 * Of inputs that were made for parts of the analyses: have them know what one input for all of them would, by
 * having `inputs` learn as `other` does.
 */
void analysis_inputs_learn_as(const struct analysis_inputs *inputs, const struct analysis_inputs *other);

/* Inline, as a build does it with each event, and there is nearly always one input. */
static inline enum histree_status analysis_inputs_begin(const struct analysis_inputs *inputs,
							const struct event *event, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < inputs->count && status == HISTREE_OK; i++)
		status = inputs->all[i].kind->begin(inputs->all[i].input, event, error);
	return status;
}

static inline enum histree_status analysis_inputs_end(const struct analysis_inputs *inputs,
						      struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < inputs->count && status == HISTREE_OK; i++)
		if (inputs->all[i].kind->end != NULL)
			status = inputs->all[i].kind->end(inputs->all[i].input, error);
	return status;
}

/* The analyses that were created with these inputs are freed before. */
void analysis_inputs_release(struct analysis_inputs *inputs);

#endif
