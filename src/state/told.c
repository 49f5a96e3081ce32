// SPDX-License-Identifier: MIT
/*
 * told.c - a section of a history that describes its values (labels or charts): written, read and checked; and the
 * list that an open history publishes.
 */
#include "state/told.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "store/block_file.h"

void told_list_release(struct told_list *list)
{
	arena_release(&list->memory);
	*list = (struct told_list){ .count = 0 };
}

/* ---- reading ---------------------------------------------------------------------------------------------- */

const char *told_take_text(struct told_reader *reading, size_t most)
{
	uint64_t size = read_varint(&reading->reader);
	reading->reader.failed = reading->reader.failed || size > most;
	const uint8_t *bytes = read_bytes(&reading->reader, (size_t)size);
	if (bytes == NULL || (size > 0 && memchr(bytes, '\0', (size_t)size) != NULL)) {
		reading->reader.failed = true;
		return "";
	}
	const char *text = arena_copy(reading->memory, bytes, (size_t)size);
	reading->no_memory = reading->no_memory || text == NULL;
	return text != NULL ? text : "";
}

size_t told_take_count(struct told_reader *reading, size_t size, size_t max)
{
	uint64_t count = read_varint(&reading->reader);
	bool is_right =
		told_is_sound(reading) && count <= max && count <= byte_reader_left(&reading->reader) / size;
	reading->reader.failed = reading->reader.failed || !is_right;
	return is_right ? (size_t)count : 0;
}

void *told_take_room(struct told_reader *reading, size_t count, size_t size)
{
	void *room = arena_allocate(reading->memory, (count + 1) * size, _Alignof(max_align_t));
	reading->no_memory = reading->no_memory || room == NULL;
	return room;
}

uint8_t told_take_byte(struct told_reader *reading, uint8_t max)
{
	const uint8_t *byte = read_bytes(&reading->reader, 1);
	if (byte != NULL && *byte <= max)
		return *byte;
	reading->reader.failed = true;
	return 0;
}

/* ---- the section ------------------------------------------------------------------------------------------ */

enum histree_status told_encode(const struct told_kind *kind, const void *items, size_t count, uint8_t **out,
				size_t *size, struct histree_error *error)
{
	struct byte_buffer section = { 0 };
	enum histree_status status = HISTREE_OK;
	byte_buffer_put_number(&section, kind->version);
	byte_buffer_put_number(&section, count);
	for (size_t i = 0; i < count && section.size <= kind->size_max; i++)
		kind->put(&section, items, i);
	if (section.failed)
		status = error_memory(error, kind->what);
	else if (section.size > kind->size_max)
		status = error_set(error, HISTREE_ERR_ARGUMENT, "the %s have more than %zu bytes", kind->what,
				   kind->size_max);
	if (status != HISTREE_OK) {
		free(section.bytes);
		section = (struct byte_buffer){ 0 };
	}
	*out = section.bytes;
	*size = section.size;
	return status;
}

static enum histree_status decode(const struct told_kind *kind, struct told_reader *reading, struct told_list *out,
				  struct histree_error *error)
{
	const uint64_t version = read_varint(&reading->reader);
	if (told_is_sound(reading) && version != kind->version)
		return error_set(error, HISTREE_NOT_FOUND,
				 "it is of version %" PRIu64 ", and this histree knows %u", version, kind->version);
	const size_t count = told_take_count(reading, kind->item_bytes_min, kind->count_max);
	out->items = told_take_room(reading, count, kind->item_size);
	for (; out->count < count && told_is_sound(reading); out->count++) {
		enum histree_status status = kind->take(reading, out, error);
		if (status != HISTREE_OK)
			return status;
	}
	if (reading->no_memory)
		return error_memory(error, kind->what);
	if (!told_is_sound(reading) || byte_reader_left(&reading->reader) != 0)
		return error_set(error, HISTREE_ERR_FORMAT, "its bytes are no %s", kind->what);
	return kind->check != NULL ? kind->check(out, error) : HISTREE_OK;
}

enum histree_status told_decode(const struct told_kind *kind, const uint8_t *bytes, size_t size,
				struct told_list *out, struct histree_error *error)
{
	struct told_reader reading = { .reader = byte_reader(bytes, size), .memory = &out->memory };
	*out = (struct told_list){ .count = 0 };
	if (size > kind->size_max)
		return error_set(error, HISTREE_ERR_FORMAT, "%zu bytes; the most is %zu", size, kind->size_max);
	enum histree_status status = decode(kind, &reading, out, error);
	if (status == HISTREE_ERR_ARGUMENT) {
		status = HISTREE_ERR_FORMAT;
		if (error != NULL)
			error->status = status;
	}
	if (status != HISTREE_OK)
		told_list_release(out);
	return status;
}

/* Returns HISTREE_NOT_FOUND if there is no section, or one of another version. */
static enum histree_status read_section(const struct told_kind *kind, const struct block_file *file,
					struct told_list *out, uint8_t **bytes, size_t *size,
					struct histree_error *error)
{
	const uint64_t there = block_file_section_size(file, kind->id);
	*out = (struct told_list){ .count = 0 };
	*bytes = NULL;
	*size = 0;
	if (there == 0)
		return HISTREE_NOT_FOUND;
	if (there > kind->size_max)
		return error_set(error, HISTREE_ERR_FORMAT, "%" PRIu64 " bytes; the most is %zu", there,
				 kind->size_max);
	enum histree_status status = block_file_section(file, kind->id, bytes, size, error);
	return status == HISTREE_OK ? told_decode(kind, *bytes, *size, out, error) : status;
}

enum histree_status told_read_raw(const struct told_kind *kind, const struct block_file *file, uint8_t **bytes,
				  size_t *size, struct histree_error *error)
{
	struct told_list list;
	enum histree_status status = read_section(kind, file, &list, bytes, size, error);
	told_list_release(&list);
	if (status == HISTREE_OK)
		return HISTREE_OK;
	free(*bytes);
	*bytes = NULL;
	*size = 0;
	return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
}

enum histree_status told_verify(const struct told_kind *kind, const struct block_file *file,
				void (*report)(void *context, const char *fault), void *context,
				struct histree_error *error)
{
	struct told_list list;
	struct histree_error damage = { 0 };
	uint8_t *bytes;
	size_t size;
	char fault[sizeof(damage.message) + 64];
	enum histree_status status = read_section(kind, file, &list, &bytes, &size, &damage);
	told_list_release(&list);
	if (status == HISTREE_ERR_MEMORY)
		error_set(error, status, "%s", damage.message);
	if (status == HISTREE_ERR_FORMAT && bytes != NULL) { /* otherwise its checksum was reported before */
		snprintf(fault, sizeof(fault), "section %s: its checksum is right, but %s", kind->tag,
			 damage.message);
		report(context, fault);
	}
	if (status == HISTREE_ERR_FORMAT && kind->consequence != NULL)
		report(context, kind->consequence);
	free(bytes);
	return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
}

/* ---- of an open history ----------------------------------------------------------------------------------- */

struct told_slots *told_slots_create(void)
{
	return calloc(1, sizeof(struct told_slots));
}

static void told_free(struct history_told *told)
{
	if (told == NULL)
		return;
	told_list_release(&told->of_file);
	free(told);
}

void told_slots_free(struct told_slots *slots)
{
	if (slots == NULL)
		return;
	for (unsigned i = 0; i < TOLD_SECTIONS; i++) {
		told_free(atomic_load(&slots->of[i].told));
		free(slots->of[i].bytes);
	}
	free(atomic_load(&slots->known));
	free(slots);
}

/* Returns what is published in the end. */
static const struct history_told *publish(struct told_slots *slots, const struct told_kind *kind,
					  struct history_told *made)
{
	struct history_told *told = NULL;
	if (made == NULL || atomic_compare_exchange_strong(&slots->of[kind->section].told, &told, made))
		return made;
	told_free(made);
	return told;
}

const struct history_told *told_slots_get(struct told_slots *slots, const struct told_kind *kind,
					  const struct block_file *file, const char *provider, told_known *known)
{
	struct history_told *told = atomic_load_explicit(&slots->of[kind->section].told, memory_order_acquire);
	if (told != NULL)
		return told;
	struct history_told *made = calloc(1, sizeof(*made));
	if (made == NULL)
		return NULL;
	uint8_t *own = slots->of[kind->section].bytes, *bytes = NULL;
	size_t size = slots->of[kind->section].size;
	enum histree_status status = HISTREE_NOT_FOUND;
	if (file != NULL)
		status = read_section(kind, file, &made->of_file, &bytes, &size, NULL);
	else if (own != NULL && size <= kind->size_max)
		status = told_decode(kind, own, size, &made->of_file, NULL);
	free(bytes);
	if (status == HISTREE_ERR_MEMORY) {
		free(made);
		return NULL;
	}
	if (status == HISTREE_OK) {
		made->items = made->of_file.items;
		made->count = made->of_file.count;
		made->origin = HISTREE_LABELS_OF_FILE;
	} else {
		made->items = known(provider, &made->count);
		made->origin = made->count > 0 ? HISTREE_LABELS_KNOWN : HISTREE_LABELS_NONE;
	}
	return publish(slots, kind, made);
}

const struct history_told *told_slots_unite(struct told_slots *slots, const struct told_kind *kind,
					    const struct history_told *const *hosts, size_t count)
{
	struct history_told *made = calloc(1, sizeof(*made));
	size_t room = 1;
	for (size_t i = 0; i < count; i++)
		room += hosts[i]->count;
	if (made == NULL)
		return NULL;
	made->origin = HISTREE_LABELS_NONE;
	made->items = made->of_file.items =
		arena_allocate(&made->of_file.memory, room * kind->item_size, _Alignof(max_align_t));
	if (made->items == NULL || !kind->unite(made, hosts, count)) {
		told_free(made);
		return NULL;
	}
	return publish(slots, kind, made);
}
