// SPDX-License-Identifier: MIT
#include "state/attribute_name.h"

#include <string.h>

struct attribute_name attribute_name_number(uint32_t number)
{
	return (struct attribute_name){ .number = number };
}

struct attribute_name attribute_name(const char *text, size_t size)
{
	const struct attribute_name plain = { .text = text, .size = size };
	if (size == 0 || size > ATTRIBUTE_NUMBER_SIZE || (text[0] == '0' && size > 1))
		return plain;
	uint64_t number = 0;
	for (size_t at = 0; at < size; at++) {
		if (text[at] < '0' || text[at] > '9')
			return plain;
		number = number * 10 + (uint64_t)(text[at] - '0');
	}
	return number > ATTRIBUTE_NUMBER_MAX ? plain : attribute_name_number((uint32_t)number);
}

const char *attribute_name_text(const struct attribute_name *name, char room[ATTRIBUTE_NUMBER_SIZE], size_t *size)
{
	if (name->text != NULL) {
		*size = name->size;
		return name->text;
	}
	char *at = room + ATTRIBUTE_NUMBER_SIZE;
	uint32_t number = name->number;
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	*size = (size_t)(room + ATTRIBUTE_NUMBER_SIZE - at);
	return at;
}

int attribute_name_compare(const struct attribute_name *one, const struct attribute_name *other)
{
	if (one->text == NULL || other->text == NULL) {
		if (one->text != NULL || other->text != NULL)
			return one->text == NULL ? -1 : 1;
		return (one->number > other->number) - (one->number < other->number);
	}
	size_t common = one->size < other->size ? one->size : other->size;
	int order = memcmp(one->text, other->text, common);
	return order != 0 ? order : (one->size > other->size) - (one->size < other->size);
}
