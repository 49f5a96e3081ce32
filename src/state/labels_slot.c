// SPDX-License-Identifier: MIT
#include "state/labels_slot.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "state/attribute_pattern.h"
#include "state/label_section.h"

/* Of an attribute: not looked for yet, or no table, or table n - FIRST_TABLE. */
enum { NOT_KNOWN, NO_TABLE, FIRST_TABLE };
_Static_assert(FIRST_TABLE + HISTREE_LABEL_TABLES_MAX <= UINT8_MAX + 1, "an attribute has a byte");

struct table_of_quark {
	_Atomic uint8_t number;
};

struct labels_slot {
	struct history_labels *_Atomic labels;
	struct table_of_quark *_Atomic tables;
};

struct labels_slot *labels_slot_create(void)
{
	return calloc(1, sizeof(struct labels_slot));
}

static void free_labels(struct history_labels *labels)
{
	if (labels == NULL)
		return;
	label_tables_release(&labels->of_file);
	free(labels);
}

void labels_slot_free(struct labels_slot *slot)
{
	if (slot == NULL)
		return;
	free_labels(atomic_load(&slot->labels));
	free(atomic_load(&slot->tables));
	free(slot);
}

/* ---- the section ------------------------------------------------------------------------------------------ */

/* HISTREE_NOT_FOUND: there is none, or of another version. */
static enum histree_status read_section(const struct block_file *file, struct label_tables *out, uint8_t **bytes,
					size_t *size, struct histree_error *error)
{
	*out = (struct label_tables){ 0 };
	*bytes = NULL;
	*size = 0;
	uint64_t there = block_file_section_size(file, SECTION_LABELS);
	if (there == 0)
		return HISTREE_NOT_FOUND;
	if (there > LABEL_SECTION_SIZE_MAX)
		return error_set(error, HISTREE_ERR_FORMAT, "%llu bytes; the most is %d", (unsigned long long)there,
				 LABEL_SECTION_SIZE_MAX);
	enum histree_status status = block_file_section(file, SECTION_LABELS, bytes, size, error);
	return status == HISTREE_OK ? label_section_decode(*bytes, *size, out, error) : status;
}

enum histree_status labels_read_raw(const struct block_file *file, uint8_t **bytes, size_t *size,
				    struct histree_error *error)
{
	struct label_tables tables;
	enum histree_status status = read_section(file, &tables, bytes, size, error);
	label_tables_release(&tables);
	if (status == HISTREE_OK)
		return HISTREE_OK;
	free(*bytes);
	*bytes = NULL;
	*size = 0;
	return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
}

enum histree_status labels_verify(const struct block_file *file, void (*report)(void *context, const char *fault),
				  void *context, struct histree_error *error)
{
	struct label_tables tables;
	struct histree_error damage = { 0 };
	uint8_t *bytes;
	size_t size;
	char fault[sizeof(damage.message) + 64];
	enum histree_status status = read_section(file, &tables, &bytes, &size, &damage);
	label_tables_release(&tables);
	if (status == HISTREE_ERR_MEMORY)
		status = error_set(error, status, "%s", damage.message);
	else if (status == HISTREE_ERR_FORMAT && bytes != NULL) { /* else its checksum was told of */
		snprintf(fault, sizeof(fault), "section LABL: its checksum is right, but %s", damage.message);
		report(context, fault);
	}
	free(bytes);
	return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
}

/* ---- of a history ----------------------------------------------------------------------------------------- */

static struct history_labels *make_labels(const struct block_file *file, const char *provider, known_labels *known)
{
	struct history_labels *made = calloc(1, sizeof(*made));
	uint8_t *bytes;
	size_t size;
	if (made == NULL)
		return NULL;
	enum histree_status status = read_section(file, &made->of_file, &bytes, &size, NULL);
	free(bytes);
	if (status == HISTREE_ERR_MEMORY) {
		free(made);
		return NULL;
	}
	if (status == HISTREE_OK) {
		made->tables = made->of_file.tables;
		made->count = made->of_file.count;
		made->origin = HISTREE_LABELS_OF_FILE;
		return made;
	}
	made->tables = known(provider, &made->count);
	made->origin = made->count > 0 ? HISTREE_LABELS_KNOWN : HISTREE_LABELS_NONE;
	return made;
}

const struct history_labels *labels_slot_get(struct labels_slot *slot, const struct block_file *file,
					     const char *provider, known_labels *known)
{
	struct history_labels *labels = atomic_load_explicit(&slot->labels, memory_order_acquire);
	if (labels != NULL)
		return labels;
	struct history_labels *made = make_labels(file, provider, known);
	if (made == NULL || atomic_compare_exchange_strong(&slot->labels, &labels, made))
		return made;
	free_labels(made);
	return labels;
}

/* ---- of an attribute -------------------------------------------------------------------------------------- */

static size_t look_for(const struct histree_attributes *attributes, const struct history_labels *labels,
		       histree_quark quark)
{
	struct attribute_way way;
	if (!attribute_way_find(&way, attributes, quark))
		return labels->count;
	for (size_t i = 0; i < labels->count; i++)
		for (const char *const *pattern = labels->tables[i].patterns; *pattern != NULL; pattern++)
			if (attribute_way_matches(&way, *pattern))
				return i;
	return labels->count;
}

/* Returns NULL if memory is out: then each question is answered anew. */
static struct table_of_quark *tables_of(struct labels_slot *slot, uint32_t count)
{
	struct table_of_quark *tables = atomic_load_explicit(&slot->tables, memory_order_acquire);
	if (tables != NULL)
		return tables;
	struct table_of_quark *made = calloc((size_t)count + 1, sizeof(*made));
	if (made == NULL || atomic_compare_exchange_strong(&slot->tables, &tables, made))
		return made;
	free(made);
	return tables;
}

size_t labels_slot_table(struct labels_slot *slot, const struct histree_attributes *attributes,
			 const struct history_labels *labels, histree_quark quark)
{
	uint32_t count = attributes->count;
	if (labels->count == 0 || quark >= count)
		return labels->count;
	struct table_of_quark *tables = tables_of(slot, count);
	uint8_t known =
		tables != NULL ? atomic_load_explicit(&tables[quark].number, memory_order_relaxed) : NOT_KNOWN;
	if (known == NO_TABLE)
		return labels->count;
	if (known != NOT_KNOWN)
		return known - FIRST_TABLE;
	size_t found = look_for(attributes, labels, quark);
	if (tables != NULL)
		atomic_store_explicit(&tables[quark].number,
				      found == labels->count ? NO_TABLE : (uint8_t)(FIRST_TABLE + found),
				      memory_order_relaxed);
	return found;
}
