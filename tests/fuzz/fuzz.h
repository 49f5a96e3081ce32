/* SPDX-License-Identifier: MIT */
/*
 * fuzz.h - what each target is: one function of bytes, for libFuzzer, or for corpus_main.c.
 *
 * A target aborts when a promise is broken; sanitizers see the rest.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define REQUIRE(condition)        \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

#endif
