// SPDX-License-Identifier: MIT
#include "cli/bench_model.h"

#include <stdlib.h>

#include "base/error.h"

/* The shuffle of Fisher and Yates; its random numbers depend on the seed alone. */
static void shuffle(histree_quark *quarks, uint32_t count, uint64_t seed)
{
	for (uint32_t i = count; i > 1; i--) {
		uint32_t other = (uint32_t)(hash_mix(seed + i * UINT64_C(0x9e3779b97f4a7c15)) % i);
		histree_quark quark = quarks[i - 1];
		quarks[i - 1] = quarks[other];
		quarks[other] = quark;
	}
}

enum histree_status bench_model_init(struct bench_model *model, uint32_t attributes, uint32_t states, uint64_t seed,
				     struct histree_error *error)
{
	*model = (struct bench_model){
		.attributes = attributes,
		.states = states,
		.length = (histree_time)attributes * BENCH_MODEL_STEP,
		.end = (histree_time)attributes * BENCH_MODEL_STEP * states - 1,
		.quarks = malloc(attributes * sizeof(*model->quarks)),
		.positions = malloc(attributes * sizeof(*model->positions)),
	};
	if (model->quarks == NULL || model->positions == NULL) {
		bench_model_release(model);
		return error_memory(error, "the model");
	}
	for (uint32_t i = 0; i < attributes; i++)
		model->quarks[i] = i;
	shuffle(model->quarks, attributes, seed);
	for (uint32_t position = 0; position < attributes; position++)
		model->positions[model->quarks[position]] = position;
	return HISTREE_OK;
}

void bench_model_release(struct bench_model *model)
{
	free(model->quarks);
	free(model->positions);
	*model = (struct bench_model){ 0 };
}

static uint32_t state_at(const struct bench_model *model, uint32_t position, histree_time t)
{
	histree_time since = t - (histree_time)position * BENCH_MODEL_STEP;
	histree_time state = since < 0 ? 0 : since / model->length;
	return state < model->states ? (uint32_t)state : model->states - 1;
}

/* Adds the states of one attribute that are asked for, each once. */
static void answer_attribute(const struct bench_model *model, histree_quark quark,
			     const struct histree_region *question, struct bench_answer *answer)
{
	uint32_t position = model->positions[quark], next = 0;
	if (question->times == NULL) {
		uint32_t last = state_at(model, position, question->to);
		for (uint32_t state = state_at(model, position, question->from); state <= last; state++) {
			struct histree_interval interval = bench_model_interval(model, position, state);
			bench_answer_add(answer, &interval);
		}
		return;
	}
	for (size_t i = 0; i < question->time_count; i++) {
		uint32_t state = state_at(model, position, question->times[i]);
		if (state < next)
			continue;
		struct histree_interval interval = bench_model_interval(model, position, state);
		bench_answer_add(answer, &interval);
		next = state + 1;
	}
}

static enum histree_status ask(void *self, enum bench_shape shape, const struct histree_region *question,
			       struct bench_answer *answer, struct histree_error *error)
{
	const struct bench_model *model = self;
	(void)shape;
	(void)error;
	if (question->quarks == NULL) {
		for (histree_quark quark = 0; quark < model->attributes; quark++)
			answer_attribute(model, quark, question, answer);
	} else {
		for (size_t i = 0; i < question->quark_count; i++)
			answer_attribute(model, question->quarks[i], question, answer);
	}
	return HISTREE_OK;
}

struct bench_engine bench_model_engine(struct bench_model *model)
{
	return (struct bench_engine){ .name = "model", .ask = ask, .self = model };
}
