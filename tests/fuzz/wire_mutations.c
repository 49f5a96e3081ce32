// SPDX-License-Identifier: MIT
/*
 * wire_mutations.c - run a target on messages of protocol buffers that are cut at each byte, and on random
 * changes of them that know what a field is: sizes and numbers become extremes, fields are left out, copied, put
 * into others, and what is around them may keep its size or be made to fit.
 *
 * 100,000 changes, a sample of them in a quick run.  An input that takes longer than half a minute ends the
 * program.
 */
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/hash_index.h"
#include "fuzz.h"
#include "support/effort.h"
#include "trace/perfetto/wire.h"

enum { INPUTS_MAX = 64, SIZE_MAX_OF_INPUT = 1 << 16, SECONDS_MAX = 30, DEPTH_MAX = 8, CHANGES = 100000 };

struct input {
	uint8_t bytes[2 * SIZE_MAX_OF_INPUT];
	size_t size;
};

static struct input inputs[INPUTS_MAX], changed;
static size_t input_count;
static fuzz_function *target;

static void run(const uint8_t *bytes, size_t size)
{
	alarm(SECONDS_MAX);
	fuzz_run(target, bytes, size);
	alarm(0);
}

/* Fields on the way to one inside of others: where they begin, their content, and where they end. */
struct step {
	size_t begin, content, end;
};

struct way {
	struct step steps[DEPTH_MAX];
	size_t depth;
};

static bool choose_field(struct random *random, size_t from, size_t to, struct step *out, bool *is_bytes)
{
	struct wire_message message = wire_message(changed.bytes + from, to - from);
	struct wire_field field;
	uint64_t met = 0;
	const uint8_t *begin = message.at;
	for (; wire_next(&message, &field); begin = message.at) {
		if (random_below(random, ++met) != 0)
			continue;
		out->begin = (size_t)(begin - changed.bytes);
		out->end = (size_t)(message.at - changed.bytes);
		*is_bytes = field.bytes != NULL;
		out->content = field.bytes != NULL ? (size_t)(field.bytes - changed.bytes) : out->begin + 1;
	}
	return met > 0;
}

static struct way choose_way(struct random *random)
{
	struct way way = { .depth = 0 };
	size_t from = 0, to = changed.size;
	bool is_bytes = true;
	while (way.depth < DEPTH_MAX && is_bytes && from < to && random_below(random, 8) != 0) {
		struct step *step = &way.steps[way.depth];
		if (!choose_field(random, from, to, step, &is_bytes))
			break;
		way.depth++;
		from = step->content;
		to = step->end;
	}
	return way;
}

static void replace(size_t from, size_t to, const uint8_t *bytes, size_t size)
{
	static uint8_t copy[SIZE_MAX_OF_INPUT];
	if (changed.size - (to - from) + size > SIZE_MAX_OF_INPUT || size > sizeof(copy))
		return;
	if (size > 0)
		memcpy(copy, bytes, size);
	memmove(changed.bytes + from + size, changed.bytes + to, changed.size - to);
	memcpy(changed.bytes + from, copy, size);
	changed.size = changed.size - (to - from) + size;
}

/* Give the fields around a change the sizes that they have now, from the inside out. */
static void fit(const struct way *way, int64_t grown)
{
	for (size_t i = way->depth; i-- > 1;) {
		const struct step *step = &way->steps[i - 1];
		uint8_t head[2 * VARINT_SIZE_MAX], *at = head;
		struct wire_message message =
			wire_message(changed.bytes + step->begin, step->content - step->begin);
		const uint8_t *tag = get_varint(message.at, message.end, &(uint64_t){ 0 });
		if (tag == NULL)
			return;
		memcpy(at, message.at, (size_t)(tag - message.at));
		at = put_varint(at + (tag - message.at), (uint64_t)((int64_t)(step->end - step->content) + grown));
		replace(step->begin, step->content, head, (size_t)(at - head));
		grown += (at - head) - (int64_t)(step->content - step->begin);
	}
}

static void change(struct random *random)
{
	static const uint64_t extremes[] = { 0,          1,         2,        3,          63,        64,
					     127,        128,       255,      4096,       65535,     65536,
					     UINT32_MAX, INT32_MAX, 1U << 31, 1ULL << 32, INT64_MAX, 1ULL << 63,
					     UINT64_MAX, 67108863,  67108864, 1U << 28,   6,         1 << 20 };
	struct way way = choose_way(random), other = choose_way(random);
	uint8_t number[VARINT_SIZE_MAX];
	size_t before = changed.size;
	if (way.depth == 0 || other.depth == 0)
		return;
	const struct step *step = &way.steps[way.depth - 1], *from = &other.steps[other.depth - 1];
	uint64_t extreme = extremes[random_below(random, sizeof(extremes) / sizeof(extremes[0]))];
	size_t size = (size_t)(put_varint(number, extreme) - number);
	switch (random_below(random, 7)) {
	case 0: /* a number, or a size */
		replace(step->begin + 1, step->content > step->begin + 1 ? step->content : step->end, number, size);
		break;
	case 1: /* what kind of field it is */
		changed.bytes[step->begin] = (uint8_t)random_bits(random);
		break;
	case 2:
		replace(step->begin, step->end, NULL, 0);
		break;
	case 3: /* another field before it, or instead of it */
		replace(step->begin, random_below(random, 2) ? step->begin : step->end, changed.bytes + from->begin,
			from->end - from->begin);
		break;
	case 4: /* into it */
		replace(step->content, step->content, changed.bytes + from->begin, from->end - from->begin);
		if (random_below(random, 4) != 0)
			way.depth = way.depth < DEPTH_MAX ? way.depth + 1 : way.depth;
		break;
	default:
		changed.bytes[step->begin + random_below(random, step->end - step->begin)] ^=
			(uint8_t)(1U << random_below(random, 8));
		break;
	}
	if (random_below(random, 4) != 0)
		fit(&way, (int64_t)changed.size - (int64_t)before);
}

static void load(void *context, const uint8_t *bytes, size_t size)
{
	(void)context;
	REQUIRE(input_count < INPUTS_MAX);
	struct input *input = &inputs[input_count++];
	input->size = size < SIZE_MAX_OF_INPUT ? size : SIZE_MAX_OF_INPUT;
	memcpy(input->bytes, bytes, input->size);
}

int wire_mutations(const char *folder)
{
	struct random random = { .state = test_seed() };
	uint64_t step = test_effort(5, 29), changes = test_effort(CHANGES / 5, CHANGES / 200) * test_rounds();
	target = fuzz_target("perfetto");
	REQUIRE(fuzz_load(folder, "", load, NULL) > 0);
	for (size_t i = 0; i < input_count; i++)
		for (size_t size = 0; size <= inputs[i].size; size += (size_t)step)
			run(inputs[i].bytes, size);
	for (uint64_t i = 0; i < changes; i++) {
		changed = inputs[random_below(&random, input_count)];
		for (uint64_t more = 1 + random_below(&random, 4); more > 0; more--)
			change(&random);
		run(changed.bytes, changed.size);
	}
	return 0;
}
