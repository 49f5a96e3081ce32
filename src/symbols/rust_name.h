/* SPDX-License-Identifier: MIT */
/*
 * rust_name.h - names of Rust in its newer form (_R..., RFC 2603, "v0") as programmers write them:
 * "_RNvMs_Cs4Cv8Wi1oAIB_7mycrateNtB4_7Example3foo" is "<mycrate::Example>::foo".
 *
 * Hashes of crates, the places of impls and the crate that asked for a copy are left out.
 */
#ifndef SYMBOLS_RUST_NAME_H
#define SYMBOLS_RUST_NAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes the name with its 0.  Returns false, and `out` is of no use, if the name is none of these, is longer than
 * `size` for people, or has parts that came to the form later.
 */
bool rust_name_read(const char *name, char *out, size_t size);

#endif
