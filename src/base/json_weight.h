/* SPDX-License-Identifier: MIT */
/*
 * json_weight.h - how much memory the values of a JSON text can take, before any of it is asked for.
 *
 * A parser makes an object of two bytes, "{}", and gives it some 250: a text from somebody else is weighed first.
 */
#ifndef BASE_JSON_WEIGHT_H
#define BASE_JSON_WEIGHT_H

#include <stddef.h>

/*
 * Returns at least the bytes that libjansson allocates for the values of a text, whether it is JSON or not.  Takes
 * time proportional to the text, and no memory.
 */
size_t json_weight(const char *text, size_t size);

#endif
