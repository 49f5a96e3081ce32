// SPDX-License-Identifier: MIT
#include "support/foreign_stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"

int foreign_batches;

enum { COLUMNS = 18, COLUMNS_MORE = COLUMNS + 1, LENGTH_MAX = 60, OFFSET_MAX = 11, TEXT_MAX = 16 };

/* With a dictionary of utf8 where `is_word`. */
static const struct {
	const char *name, *format;
	size_t size;
	bool is_word;
} columns[COLUMNS] = {
	{ "i8", "c", 1, false },       { "u8", "C", 1, false },       { "i16", "s", 2, false },
	{ "u16", "S", 2, false },      { "i32", "i", 4, false },      { "u32", "I", 4, false },
	{ "i64", "l", 8, false },      { "u64", "L", 8, false },      { "f32", "f", 4, false },
	{ "f64", "g", 8, false },      { "bool", "b", 0, false },     { "utf8", "u", 0, false },
	{ "s", "tss:", 8, false },     { "ms", "tsm:UTC", 8, false }, { "us", "tsu:Europe/Berlin", 8, false },
	{ "ns", "tsn:UTC", 8, false }, { "word8", "c", 1, true },     { "word16", "S", 2, true },
};

struct foreign {
	struct foreign_options options;
	struct random random;
	unsigned batch;
	char sentence[64];
};

static void *must(void *memory)
{
	if (memory == NULL)
		abort();
	return memory;
}

/* ---- schemas ------------------------------------------------------------------------------------------ */

static void release_schema(struct ArrowSchema *schema)
{
	for (int64_t i = 0; i < schema->n_children; i++) {
		schema->children[i]->release(schema->children[i]);
		free(schema->children[i]);
	}
	free(schema->children);
	free(schema->dictionary);
	schema->release = NULL;
}

static struct ArrowSchema *new_schema(const char *name, const char *format, bool is_word)
{
	struct ArrowSchema *schema = must(calloc(1, sizeof(*schema)));
	*schema = (struct ArrowSchema){
		.name = name, .format = format, .flags = ARROW_FLAG_NULLABLE, .release = release_schema
	};
	if (is_word) {
		schema->dictionary = must(calloc(1, sizeof(*schema)));
		*schema->dictionary = (struct ArrowSchema){ .format = "u", .release = release_schema };
	}
	return schema;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
	const struct foreign *self = stream->private_data;
	*out = (struct ArrowSchema){ .format = "+s", .release = release_schema };
	out->children = must(calloc(COLUMNS_MORE, sizeof(struct ArrowSchema *)));
	for (int i = 0; i < COLUMNS; i++)
		out->children[out->n_children++] =
			new_schema(columns[i].name, columns[i].format, columns[i].is_word);
	if (self->options.format != NULL)
		out->children[out->n_children++] = new_schema("more", self->options.format, false);
	return 0;
}

/* ---- arrays ------------------------------------------------------------------------------------------- */

static void release_array(struct ArrowArray *array)
{
	for (int64_t i = 0; i < array->n_children; i++) {
		array->children[i]->release(array->children[i]);
		free(array->children[i]);
	}
	free(array->children);
	if (array->dictionary != NULL) {
		array->dictionary->release(array->dictionary);
		free(array->dictionary);
	}
	for (int64_t i = 0; i < array->n_buffers; i++)
		free((void *)(uintptr_t)array->buffers[i]);
	free(array->buffers);
	if (array->private_data != NULL)
		foreign_batches--;
	array->release = NULL;
}

static struct ArrowArray new_array(int64_t length, int64_t offset, int64_t buffers)
{
	struct ArrowArray array = {
		.length = length, .offset = offset, .n_buffers = buffers, .null_count = -1, .release = release_array
	};
	array.buffers = must(calloc((size_t)buffers, sizeof(void *)));
	return array;
}

static void *random_bytes(struct random *random, size_t size)
{
	uint8_t *bytes = must(malloc(size + 1));
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)random_bits(random);
	return bytes;
}

/* Texts `first` to `first + count - 1` of all that there are. */
static struct ArrowArray texts_array(int64_t count, int64_t offset, unsigned first)
{
	struct ArrowArray array = new_array(count - offset, offset, 3);
	int32_t *offsets = must(calloc((size_t)count + 1, sizeof(*offsets)));
	char *bytes = must(calloc((size_t)count + 1, TEXT_MAX));
	for (int64_t i = 0; i < count; i++) {
		char text[TEXT_MAX];
		unsigned number = first + (unsigned)i;
		int size = number % 7 == 3 ? 0 : snprintf(text, sizeof(text), "\xc3\xbc%u", number * number);
		memcpy(bytes + offsets[i], text, (size_t)size);
		offsets[i + 1] = offsets[i] + size;
	}
	array.null_count = 0;
	array.buffers[1] = offsets;
	array.buffers[2] = bytes;
	return array;
}

static struct ArrowArray column_array(struct foreign *self, int column, int64_t length)
{
	struct random *random = &self->random;
	int64_t offset = random_index(random, OFFSET_MAX), count = offset + length;
	struct ArrowArray array;
	if (strcmp(columns[column].format, "u") == 0) {
		array = texts_array(count, offset, random_index(random, 1000));
		array.null_count = -1;
	} else {
		size_t size =
			columns[column].size != 0 ? (size_t)count * columns[column].size : (size_t)count / 8 + 1;
		array = new_array(length, offset, 2);
		array.buffers[1] = random_bytes(random, size);
	}
	if (random_percent(random, 70))
		array.buffers[0] = random_bytes(random, (size_t)count / 8 + 1);
	if (columns[column].is_word) {
		unsigned entries = 5 + 3 * self->batch, slice = random_index(random, 3);
		for (int64_t i = 0; i < count; i++) {
			uint16_t index = (uint16_t)random_index(random, entries);
			if (columns[column].size == 1)
				((uint8_t *)(uintptr_t)array.buffers[1])[i] = (uint8_t)index;
			else
				((uint16_t *)(uintptr_t)array.buffers[1])[i] = index;
		}
		array.dictionary = must(malloc(sizeof(array)));
		*array.dictionary = texts_array(entries + slice, slice,
						self->options.replaces ? 100 * self->batch : 1000 - slice);
	}
	return array;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct foreign *self = stream->private_data;
	*out = (struct ArrowArray){ 0 };
	if (self->batch == self->options.batches)
		return 0;
	self->batch++;
	if (self->batch == self->options.fail_at) {
		snprintf(self->sentence, sizeof(self->sentence), "the well is dry");
		return EIO;
	}
	int64_t offset = random_index(&self->random, 4), length = random_index(&self->random, LENGTH_MAX);
	*out = new_array(length, offset, 1);
	out->null_count = 0;
	out->private_data = self; /* it counts */
	foreign_batches++;
	if (self->options.has_null_rows) {
		out->buffers[0] = must(calloc(1, LENGTH_MAX));
		out->null_count = length;
	}
	out->children = must(calloc(COLUMNS_MORE, sizeof(struct ArrowArray *)));
	for (int i = 0; i < COLUMNS; i++) {
		out->children[out->n_children] = must(malloc(sizeof(struct ArrowArray)));
		*out->children[out->n_children++] = column_array(self, i, offset + length);
	}
	if (self->options.loses_column && self->batch == self->options.batches) {
		struct ArrowArray *lost = out->children[--out->n_children];
		lost->release(lost);
		free(lost);
	}
	return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
	const struct foreign *self = stream->private_data;
	return self->sentence[0] != '\0' ? self->sentence : NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
	free(stream->private_data);
	stream->release = NULL;
}

struct ArrowArrayStream foreign_stream(const struct foreign_options *options)
{
	struct foreign *self = must(calloc(1, sizeof(*self)));
	self->options = *options;
	self->random.state = options->seed;
	return (struct ArrowArrayStream){
		.get_schema = get_schema,
		.get_next = get_next,
		.get_last_error = get_last_error,
		.release = release_stream,
		.private_data = self,
	};
}
