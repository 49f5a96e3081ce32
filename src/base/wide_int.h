/* SPDX-License-Identifier: MIT */
/*
 * wide_int.h - integers of 128 bits, in which products of two int64 are exact.
 */
#ifndef BASE_WIDE_INT_H
#define BASE_WIDE_INT_H

__extension__ typedef __int128 wide_int;
__extension__ typedef unsigned __int128 wide_uint;

#endif
