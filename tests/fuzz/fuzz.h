/* SPDX-License-Identifier: MIT */
/*
 * fuzz.h - what each target is: a function of bytes, for libFuzzer in a program of its own, or for the program
 * `corpus`, which has them all (corpus_main.c).
 *
 * A target aborts when a promise is broken; sanitizers see the rest.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef int fuzz_function(const uint8_t *bytes, size_t size);

struct fuzz_target {
	const char *file; /* .../fuzz_NAME.c */
	fuzz_function *run;
	struct fuzz_target *next;
};

/* Adds the target of a file to its program, before main(). */
void fuzz_target_add(struct fuzz_target *target);

/* Returns the target of fuzz_NAME.c; ends the program if it has no such target. */
fuzz_function *fuzz_target(const char *name);

/* Runs a target on bytes in memory of the very size, so that a read behind the end is seen. */
void fuzz_run(fuzz_function *target, const uint8_t *bytes, size_t size);

/*
 * Calls `load` with the bytes of each file in a folder whose name begins with a prefix; returns how many there are.
 * Ends the program if one cannot be read.
 */
size_t fuzz_load(const char *folder, const char *prefix,
		 void (*load)(void *context, const uint8_t *bytes, size_t size), void *context);

/* Hands out what make_corpus.c makes. */
typedef void corpus_put(void *context, const char *target, const char *name, const uint8_t *bytes, size_t size);
void corpus_make(corpus_put *input, void *context);

/* Random changes of the files in a folder, by what a format is made of; both return what main() returns. */
int json_mutations(const char *folder, const char *prefix);
int wire_mutations(const char *folder);

/* The target of this file; the body of a function that returns 0 follows. */
#ifdef HISTREE_FUZZING
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
#define FUZZ_TARGET(bytes, size) int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
#else
#define FUZZ_TARGET(bytes, size)                                                            \
	static int run_target(const uint8_t *bytes, size_t size);                           \
	__attribute__((constructor)) static void add_target(void)                           \
	{                                                                                   \
		static struct fuzz_target target = { .file = __FILE__, .run = run_target }; \
		fuzz_target_add(&target);                                                   \
	}                                                                                   \
	static int run_target(const uint8_t *bytes, size_t size)
#endif

#define REQUIRE(condition)        \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

#endif
