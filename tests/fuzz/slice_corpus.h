/* SPDX-License-Identifier: MIT */
/*
 * slice_corpus.h - the first inputs of fuzz_slice: what a rank says of a few events of the demo trace.
 */
#ifndef FUZZ_SLICE_CORPUS_H
#define FUZZ_SLICE_CORPUS_H

#include <stddef.h>
#include <stdint.h>

/* Hands them out one by one: a name, the form (fuzz_slice.c), and the bytes. */
void slice_corpus(void (*put)(const char *name, uint8_t form, const uint8_t *bytes, size_t size));

#endif
