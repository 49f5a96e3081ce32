/* SPDX-License-Identifier: MIT */
/*
 * bench_model.h - the intervals on which the papers compare their trees (thesis figure 4.6): A attributes, each
 * with I states of equal length, from one attribute to the next T / (A I) later, in shuffled order.
 *
 * The attribute at position p, 0 <= p < A, has state 0 from time 0, and state i, 0 < i < I, from (i A + p) STEP
 * on; the last one reaches the end.  So the first and the last states of an attribute are longer and shorter
 * than the others, which the papers neglect.  The value of state i is the int i modulo 16, so that neighbours
 * differ.  Everything is known in closed form: the model is itself an engine, and the judge of the others.
 */
#ifndef CLI_BENCH_MODEL_H
#define CLI_BENCH_MODEL_H

#include <assert.h>

#include "cli/bench_engine.h"

enum {
	BENCH_MODEL_STEP = 1000, /* ns between two state changes: a million of them a second */
	BENCH_MODEL_VALUES = 16,
};

struct bench_model {
	uint32_t attributes, states;
	histree_time length;   /* of an inner state */
	histree_time end;      /* inclusive; the start is 0 */
	histree_quark *quarks; /* by position */
	uint32_t *positions;   /* by quark */
};

/* Fails with HISTREE_ERR_MEMORY only, and then there is nothing to release. */
enum histree_status bench_model_init(struct bench_model *model, uint32_t attributes, uint32_t states, uint64_t seed,
				     struct histree_error *error);
void bench_model_release(struct bench_model *model);

static inline histree_time bench_model_start_of(const struct bench_model *model, uint32_t position, uint32_t state)
{
	return state == 0 ? 0 : model->length * state + (histree_time)position * BENCH_MODEL_STEP;
}

/*
 * Returns state number `state` of the attribute at `position`.  With the states in the outer loop and the positions
 * in the inner one they come by non-decreasing start, and by non-decreasing end.
 */
static inline struct histree_interval bench_model_interval(const struct bench_model *model, uint32_t position,
							   uint32_t state)
{
	assert(position < model->attributes && state < model->states);
	return (struct histree_interval){
		.start = bench_model_start_of(model, position, state),
		.end = state + 1 == model->states ? model->end
						  : bench_model_start_of(model, position, state + 1) - 1,
		.quark = model->quarks[position],
		.value = histree_int((int32_t)(state % BENCH_MODEL_VALUES)),
	};
}

struct bench_engine bench_model_engine(struct bench_model *model);

#endif
