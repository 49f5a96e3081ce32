/* SPDX-License-Identifier: MIT */
/*
 * rust_const.h - constants among the arguments of names of Rust: numbers, letters, truths.
 */
#ifndef SYMBOLS_RUST_CONST_H
#define SYMBOLS_RUST_CONST_H

#include "symbols/rust_reader.h"

/* Texts, tuples and structures, which came to the form later, are a failure. */
void rust_read_const(struct rust_reader *reader);

#endif
