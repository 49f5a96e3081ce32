/* SPDX-License-Identifier: MIT */
/*
 * codec.h - values that become bytes, or are read from them: a function that codes something says both.
 *
 * What is saved is handed through; what is loaded is returned in place of it, and fails the reader if it makes no
 * sense.  A loop over what is loaded ends with the reader, too.
 */
#ifndef BASE_CODEC_H
#define BASE_CODEC_H

#include "base/bytes.h"

struct codec {
	struct byte_buffer *out; /* NULL: it is loaded */
	struct byte_reader *in;
	void *of; /* of whoever codes */
};

static inline bool codec_loads(const struct codec *codec)
{
	return codec->out == NULL;
}

/* Whether nothing is wrong with what is loaded. */
static inline bool codec_goes_on(const struct codec *codec)
{
	return codec->out != NULL || !codec->in->failed;
}

static inline void codec_require(struct codec *codec, bool is_so)
{
	if (codec->out == NULL && !is_so)
		codec->in->failed = true;
}

static inline uint64_t code_number(struct codec *codec, uint64_t number)
{
	if (codec->out == NULL)
		return read_varint(codec->in);
	byte_buffer_put_number(codec->out, number);
	return number;
}

static inline uint64_t code_below(struct codec *codec, uint64_t number, uint64_t limit)
{
	if (codec->out == NULL)
		return byte_reader_below(codec->in, limit);
	byte_buffer_put_number(codec->out, number);
	return number;
}

/* Of things that take at least `bytes_each` bytes each. */
static inline size_t code_count(struct codec *codec, size_t count, size_t bytes_each)
{
	if (codec->out == NULL)
		return byte_reader_count(codec->in, bytes_each);
	byte_buffer_put_number(codec->out, count);
	return count;
}

static inline int64_t code_signed(struct codec *codec, int64_t number)
{
	if (codec->out == NULL)
		return byte_reader_signed(codec->in);
	byte_buffer_put_signed(codec->out, number);
	return number;
}

static inline int32_t code_int32(struct codec *codec, int32_t number)
{
	if (codec->out == NULL)
		return byte_reader_int32(codec->in);
	byte_buffer_put_signed(codec->out, number);
	return number;
}

static inline int64_t code_time(struct codec *codec, int64_t time, int64_t base)
{
	if (codec->out == NULL)
		return byte_reader_time(codec->in, base);
	byte_buffer_put_time(codec->out, time, base);
	return time;
}

/* What is loaded is borrowed from the reader. */
static inline void code_text(struct codec *codec, const char **text, size_t *size)
{
	if (codec->out == NULL)
		*text = byte_reader_text(codec->in, size);
	else
		byte_buffer_put_text(codec->out, *text, *size);
}

static inline void code_flags(struct codec *codec, size_t count, bool *const *flags)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < count; i++)
		bits |= (uint64_t)*flags[i] << i;
	bits = code_below(codec, bits, UINT64_C(1) << count);
	for (size_t i = 0; i < count; i++)
		*flags[i] = (bits >> i & 1) != 0;
}

#define CODE_FLAGS(codec, ...) \
	code_flags(codec, sizeof((bool *[]){ __VA_ARGS__ }) / sizeof(bool *), (bool *[]){ __VA_ARGS__ })

#endif
