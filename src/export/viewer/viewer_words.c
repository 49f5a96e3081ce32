// SPDX-License-Identifier: MIT
#include "export/viewer/viewer_words.h"

struct viewer_text viewer_value_text(const struct histree_value *value, char room[VIEWER_WORDS_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *bytes;
	size_t size = 0;
	switch (value->type) {
	case HISTREE_NULL:
		return viewer_text("null");
	case HISTREE_UNKNOWN:
		return viewer_text("unknown");
	case HISTREE_INT:
		size = number_format_signed(value->int32, room);
		break;
	case HISTREE_LONG:
		size = value->size == HISTREE_UNSIGNED ? number_format_unsigned((uint64_t)value->int64, room)
						       : number_format_signed(value->int64, room);
		break;
	case HISTREE_DOUBLE:
		size = number_format_real(value->real, room);
		break;
	case HISTREE_BOOL:
		return viewer_text(value->boolean ? "true" : "false");
	case HISTREE_STRING:
		return (struct viewer_text){ value->bytes, value->size };
	case HISTREE_CUSTOM:
		bytes = value->bytes;
		for (size_t i = 0; i < value->size && size + 2 <= VIEWER_WORDS_SIZE; i++) {
			room[size++] = digits[bytes[i] >> 4];
			room[size++] = digits[bytes[i] & 15];
		}
		break;
	}
	return (struct viewer_text){ room, size };
}

struct viewer_text viewer_words(const struct viewer_rows *rows, const struct viewer_row *row,
				const struct histree_value *value, char room[VIEWER_WORDS_SIZE], bool *says_value)
{
	const char *words = histree_label_words(row->labels, value);
	*says_value = words == NULL;
	if (words != NULL)
		return viewer_text(words);
	if (row->meaning == HISTREE_MEANS_TID && value->type == HISTREE_INT) {
		*says_value = false;
		return (struct viewer_text){ room, viewer_threads_words(&rows->threads, value->int32, room,
									VIEWER_WORDS_SIZE) };
	}
	if (row->meaning == HISTREE_MEANS_IRQ && value->type == HISTREE_INT) {
		*says_value = false;
		return (struct viewer_text){ row->track->name, row->track->name_size };
	}
	return viewer_value_text(value, room);
}
