// SPDX-License-Identifier: MIT
/*
 * json_mutations.c - run a target on files that are cut at each byte, and on random changes of them that know what
 * JSON is: numbers become extremes, strings other strings, parts are left out, copied, or put elsewhere.  A file is
 * metadata, and if there is a zero, a stream behind it.
 *
 * 100,000 changes, a sample of them in a quick run; the seed and the rounds are those of support/effort.h.  An
 * input that takes longer than half a minute ends the program; too much memory is a fault too.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "fuzz.h"
#include "support/effort.h"

enum { FILES_MAX = 64, INPUT_SIZE_MAX = 1 << 20, SECONDS_MAX = 30, MEGABYTES_MAX = 1024 };

struct input {
	uint8_t *bytes;
	size_t size, metadata; /* bytes up to the zero */
};

static struct input inputs[FILES_MAX];
static size_t input_count;
static fuzz_function *target;
static uint64_t runs;

static void run(const uint8_t *bytes, size_t size)
{
	alarm(SECONDS_MAX);
	fuzz_run(target, bytes, size);
	alarm(0);
	runs++;
}

static void load(void *context, const uint8_t *bytes, size_t size)
{
	(void)context;
	REQUIRE(input_count < FILES_MAX);
	struct input *input = &inputs[input_count++];
	input->bytes = malloc(size > 0 ? size : 1);
	REQUIRE(input->bytes != NULL);
	memcpy(input->bytes, bytes, size);
	input->size = size;
	const uint8_t *zero = memchr(bytes, 0, size);
	input->metadata = zero != NULL ? (size_t)(zero - bytes) : size;
}

/* ---- cuts ------------------------------------------------------------------------------------------------ */

static void cut(const struct input *input, size_t step)
{
	uint8_t *bytes = malloc(input->size);
	REQUIRE(bytes != NULL);
	for (size_t end = input->metadata + 1; end < input->size; end += step)
		run(input->bytes, end);
	for (size_t end = 0; end < input->metadata; end += step) {
		size_t rest = input->size - input->metadata;
		memcpy(bytes, input->bytes, end);
		memcpy(bytes + end, input->bytes + input->metadata, rest);
		run(bytes, end + rest);
	}
	free(bytes);
}

/* ---- changes --------------------------------------------------------------------------------------------- */

struct text {
	uint8_t bytes[2 * INPUT_SIZE_MAX];
	size_t size, metadata;
};

static struct text changed;

static uint64_t below(struct random *random, uint64_t limit)
{
	return limit == 0 ? 0 : random_below(random, limit);
}

/* Put other bytes where some are. */
static void replace(size_t at, size_t size, const uint8_t *bytes, size_t count)
{
	if (changed.size - size + count > INPUT_SIZE_MAX || at + size > changed.metadata)
		return;
	uint8_t copy[8192];
	if (count > sizeof(copy))
		count = sizeof(copy);
	if (count > 0)
		memcpy(copy, bytes, count);
	memmove(changed.bytes + at + count, changed.bytes + at + size, changed.size - at - size);
	memcpy(changed.bytes + at, copy, count);
	changed.size = changed.size - size + count;
	changed.metadata = changed.metadata - size + count;
}

/* The token at or behind a place: a string, a number or word, or one byte. */
static size_t token(size_t *at)
{
	const uint8_t *bytes = changed.bytes;
	while (*at < changed.metadata && isspace(bytes[*at]))
		++*at;
	size_t end = *at;
	if (end < changed.metadata && bytes[end] == '"') {
		for (end++; end < changed.metadata && bytes[end] != '"'; end++)
			end += bytes[end] == '\\';
		end++;
	} else if (end < changed.metadata && (isalnum(bytes[end]) || bytes[end] == '-')) {
		while (end < changed.metadata && (isalnum(bytes[end]) || bytes[end] == '-'))
			end++;
	} else {
		end++;
	}
	return (end > changed.metadata ? changed.metadata : end) - *at;
}

/* A place where a token begins: behind a comma, a colon or a bracket. */
static size_t place(struct random *random)
{
	size_t at = below(random, changed.metadata);
	while (at < changed.metadata && strchr(",:[{", changed.bytes[at]) == NULL)
		at++;
	return at < changed.metadata ? at + 1 : 0;
}

static void change_metadata(struct random *random)
{
	static const char *const extremes[] = {
		"0",
		"1",
		"2",
		"7",
		"8",
		"63",
		"64",
		"65",
		"255",
		"4096",
		"65536",
		"1048576",
		"2147483648",
		"4294967296",
		"-1",
		"-9223372036854775808",
		"9223372036854775807",
		"9223372036854775808",
		"18446744073709551615",
		"18446744073709551616",
		"1e3",
		"null",
		"true",
		"[]",
		"{}",
		"[[0,0]]",
		"\"\"",
		"\"structure\"",
		"\"fixed-length-unsigned-integer\"",
		"\"variable-length-signed-integer\"",
		"\"optional\"",
		"\"variant\"",
		"\"dynamic-length-array\"",
		"\"event-record-header\"",
		"\"packet-total-length\"",
		"\"utf-32be\"",
		"\x1e",
	};
	size_t at = place(random), size = token(&at);
	size_t other = place(random), other_size = token(&other);
	const char *extreme = extremes[below(random, sizeof(extremes) / sizeof(extremes[0]))];
	switch (below(random, 6)) {
	case 0:
	case 1:
		replace(at, size, (const uint8_t *)extreme, strlen(extreme));
		break;
	case 2:
		replace(at, size, changed.bytes + other, other_size);
		break;
	case 3:
		replace(at, size, NULL, 0);
		break;
	case 4: /* a part elsewhere */
		replace(at, 0, changed.bytes + other, below(random, changed.metadata - other));
		break;
	default:
		if (at < changed.metadata)
			changed.bytes[at] = (uint8_t)(1 + below(random, 255));
		break;
	}
}

static void change_stream(struct random *random)
{
	size_t count = changed.size - changed.metadata - 1, at = changed.metadata + 1 + below(random, count);
	static const uint8_t bytes[] = { 0, 1, 0x7f, 0x80, 0xff, 8, 64 };
	switch (below(random, 4)) {
	case 0:
		changed.bytes[at] ^= (uint8_t)(1u << below(random, 8));
		break;
	case 1:
		memset(changed.bytes + at, bytes[below(random, sizeof(bytes))],
		       below(random, changed.size - at < 16 ? changed.size - at : 16));
		break;
	case 2:
		changed.bytes[at] = (uint8_t)below(random, 256);
		break;
	default:
		changed.size = below(random, 4) == 0 ? at : changed.size;
		break;
	}
}

static void change(struct random *random)
{
	const struct input *input = &inputs[below(random, input_count)];
	memcpy(changed.bytes, input->bytes, input->size);
	changed.size = input->size;
	changed.metadata = input->metadata;
	uint64_t of_metadata = below(random, 4), of_stream = below(random, 6);
	for (uint64_t i = 0; i < of_metadata; i++)
		change_metadata(random);
	for (uint64_t i = 0; i < of_stream && changed.size > changed.metadata + 1; i++)
		change_stream(random);
	run(changed.bytes, changed.size);
}

int json_mutations(const char *folder, const char *prefix)
{
	struct rusage used;
	target = fuzz_target("ctf_packets");
	fuzz_load(folder, prefix, load, NULL);
	for (size_t i = 0; i < input_count; i++)
		cut(&inputs[i], (size_t)test_effort(5, 61));
	uint64_t cuts = runs;
	for (uint64_t round = 0; round < test_rounds(); round++) {
		struct random random = { .state = test_seed() + round };
		for (uint64_t i = test_effort(25000, 2000); i > 0; i--)
			change(&random);
	}
	for (size_t i = 0; i < input_count; i++)
		free(inputs[i].bytes);
	getrusage(RUSAGE_SELF, &used);
	printf("%llu cuts and %llu changes of %zu traces; %ld MiB at most\n", (unsigned long long)cuts,
	       (unsigned long long)(runs - cuts), input_count, used.ru_maxrss >> 10);
	return input_count == 0 || used.ru_maxrss >> 10 > MEGABYTES_MAX;
}
