// SPDX-License-Identifier: MIT
#include "server/model/state_text.h"

#include <inttypes.h>

#include "base/number_text.h"

void state_value_text(const struct histree_value *value, struct piece *text)
{
	char number[NUMBER_TEXT_SIZE];
	switch (value->type) {
	case HISTREE_NULL:
		break;
	case HISTREE_UNKNOWN:
		piece_put_text(text, "unknown");
		break;
	case HISTREE_INT:
		piece_put(text, number, number_format_signed(value->int32, number));
		break;
	case HISTREE_LONG:
		piece_put(text, number, number_format_signed(value->int64, number));
		break;
	case HISTREE_DOUBLE:
		piece_put(text, number, number_format_real(value->real, number));
		break;
	case HISTREE_BOOL:
		piece_put_text(text, value->boolean ? "true" : "false");
		break;
	case HISTREE_STRING:
		piece_put(text, value->bytes, value->size);
		break;
	case HISTREE_CUSTOM:
		piece_format(text, "%" PRIu32 " bytes", value->size);
		break;
	}
}

void state_any_text(const void *view, const struct histree_label_table *table, const struct histree_value *value,
		    histree_time at, struct piece *text)
{
	const char *words = histree_label_words(table, value);
	(void)view, (void)at;
	if (words != NULL)
		piece_put_text(text, words);
	else
		state_value_text(value, text);
}

void piece_put_name(const struct histree_attributes *attributes, histree_quark quark, struct piece *name)
{
	name->size = 0;
	size_t size = histree_attributes_name(attributes, quark, NULL, 0);
	char *room = piece_room(name, size + 1);
	if (room != NULL)
		name->size = histree_attributes_name(attributes, quark, room, size + 1);
}
