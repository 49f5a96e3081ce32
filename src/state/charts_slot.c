// SPDX-License-Identifier: MIT
#include "state/charts_slot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct charts_slot *charts_slot_create(void)
{
	return calloc(1, sizeof(struct charts_slot));
}

static void free_charts(struct history_charts *charts)
{
	if (charts == NULL)
		return;
	chart_list_release(&charts->of_file);
	free(charts);
}

void charts_slot_free(struct charts_slot *slot)
{
	if (slot == NULL)
		return;
	free_charts(atomic_load(&slot->charts));
	free(slot->bytes);
	free(slot);
}

/* ---- the section ------------------------------------------------------------------------------------------ */

/* HISTREE_NOT_FOUND: there is none, or of another version. */
static enum histree_status read_section(const struct block_file *file, struct chart_list *out, uint8_t **bytes,
					size_t *size, struct histree_error *error)
{
	*out = (struct chart_list){ 0 };
	*bytes = NULL;
	*size = 0;
	uint64_t there = block_file_section_size(file, SECTION_CHARTS);
	if (there == 0)
		return HISTREE_NOT_FOUND;
	if (there > CHART_SECTION_SIZE_MAX)
		return error_set(error, HISTREE_ERR_FORMAT, "%llu bytes; the most is %d", (unsigned long long)there,
				 CHART_SECTION_SIZE_MAX);
	enum histree_status status = block_file_section(file, SECTION_CHARTS, bytes, size, error);
	return status == HISTREE_OK ? chart_section_decode(*bytes, *size, out, error) : status;
}

enum histree_status charts_read_raw(const struct block_file *file, uint8_t **bytes, size_t *size,
				    struct histree_error *error)
{
	struct chart_list charts;
	enum histree_status status = read_section(file, &charts, bytes, size, error);
	chart_list_release(&charts);
	if (status == HISTREE_OK)
		return HISTREE_OK;
	free(*bytes);
	*bytes = NULL;
	*size = 0;
	return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
}

enum histree_status charts_verify(const struct block_file *file, void (*report)(void *context, const char *fault),
				  void *context, struct histree_error *error)
{
	struct chart_list charts;
	struct histree_error damage = { 0 };
	uint8_t *bytes;
	size_t size;
	char fault[sizeof(damage.message) + 64];
	enum histree_status status = read_section(file, &charts, &bytes, &size, &damage);
	chart_list_release(&charts);
	if (status == HISTREE_ERR_MEMORY)
		status = error_set(error, status, "%s", damage.message);
	else if (status == HISTREE_ERR_FORMAT && bytes != NULL) { /* else its checksum was told of */
		snprintf(fault, sizeof(fault), "section CHRT: its checksum is right, but %s", damage.message);
		report(context, fault);
	}
	free(bytes);
	return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
}

/* ---- of a history ----------------------------------------------------------------------------------------- */

static enum histree_status read_charts(const struct charts_slot *slot, const struct block_file *file,
				       struct chart_list *out)
{
	uint8_t *bytes;
	size_t size;
	*out = (struct chart_list){ 0 };
	if (file == NULL && (slot->bytes == NULL || slot->size > CHART_SECTION_SIZE_MAX))
		return HISTREE_NOT_FOUND;
	if (file == NULL)
		return chart_section_decode(slot->bytes, slot->size, out, NULL);
	enum histree_status status = read_section(file, out, &bytes, &size, NULL);
	free(bytes);
	return status;
}

static struct history_charts *make_charts(const struct charts_slot *slot, const struct block_file *file,
					  const char *provider, known_charts *known)
{
	struct history_charts *made = calloc(1, sizeof(*made));
	if (made == NULL)
		return NULL;
	enum histree_status status = read_charts(slot, file, &made->of_file);
	if (status == HISTREE_ERR_MEMORY) {
		free(made);
		return NULL;
	}
	if (status == HISTREE_OK) {
		made->charts = made->of_file.charts;
		made->count = made->of_file.count;
	} else {
		made->charts = known(provider, &made->count);
	}
	return made;
}

/* Returns what is published in the end. */
static const struct history_charts *publish(struct charts_slot *slot, struct history_charts *made)
{
	struct history_charts *charts = NULL;
	if (made == NULL || atomic_compare_exchange_strong(&slot->charts, &charts, made))
		return made;
	free_charts(made);
	return charts;
}

const struct history_charts *charts_slot_get(struct charts_slot *slot, const struct block_file *file,
					     const char *provider, known_charts *known)
{
	struct history_charts *charts = atomic_load_explicit(&slot->charts, memory_order_acquire);
	return charts != NULL ? charts : publish(slot, make_charts(slot, file, provider, known));
}

const struct history_charts *charts_slot_unite(struct charts_slot *slot, const struct history_charts *const *hosts,
					       size_t count)
{
	struct history_charts *charts = atomic_load_explicit(&slot->charts, memory_order_acquire);
	if (charts != NULL)
		return charts;
	size_t room = 1;
	for (size_t i = 0; i < count; i++)
		room += hosts[i]->count;
	struct history_charts *made = calloc(1, sizeof(*made));
	struct histree_chart *list = made != NULL ? arena_allocate(&made->of_file.memory, room * sizeof(*list),
								   _Alignof(struct histree_chart))
						  : NULL;
	if (list == NULL) {
		free(made);
		return NULL;
	}
	made->charts = made->of_file.charts = list;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < hosts[i]->count; k++) {
			size_t known = 0;
			while (known < made->count && strcmp(list[known].name, hosts[i]->charts[k].name) != 0)
				known++;
			if (known == made->count)
				list[made->count++] = hosts[i]->charts[k];
		}
	return publish(slot, made);
}
