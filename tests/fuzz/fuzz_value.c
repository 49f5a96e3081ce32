// SPDX-License-Identifier: MIT
/*
 * fuzz_value.c - bytes as state values, one after the other: what is decoded encodes to the same value again.
 */
#include "fuzz.h"
#include "item/value.h"

FUZZ_TARGET(bytes, size)
{
	struct byte_reader reader = byte_reader(bytes, size);
	while (byte_reader_left(&reader) > 0) {
		struct histree_value value = value_decode(&reader);
		if (reader.failed)
			break;
		size_t encoded_size = value_encoded_size(&value);
		uint8_t *encoded = malloc(encoded_size);
		REQUIRE(encoded != NULL);
		REQUIRE(value_encode(encoded, &value) == encoded + encoded_size);
		struct byte_reader again = byte_reader(encoded, encoded_size);
		struct histree_value same = value_decode(&again);
		REQUIRE(!again.failed && byte_reader_left(&again) == 0 && histree_value_equal(&value, &same));
		REQUIRE(histree_type_name(value.type) != NULL);
		free(encoded);
	}
	return 0;
}
