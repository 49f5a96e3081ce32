// SPDX-License-Identifier: MIT
#include "state/labels_slot.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "state/attribute_pattern.h"
#include "state/label_section.h"

_Static_assert(LABELS_FIRST_TABLE + HISTREE_LABEL_TABLES_MAX <= UINT8_MAX + 1, "an attribute has a byte");

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
	free(atomic_load(&slot->known));
	free(slot->bytes);
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
	if (status == HISTREE_ERR_FORMAT)
		report(context,
		       "section LABL: values have the names that this version knows of the analysis, or none, "
		       "and 'histree repair' makes sums of no others; 'histree rebuild' has all of them again");
	free(bytes);
	return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
}

/* ---- of a history ----------------------------------------------------------------------------------------- */

static enum histree_status read_labels(const struct labels_slot *slot, const struct block_file *file,
				       struct label_tables *out)
{
	uint8_t *bytes;
	size_t size;
	*out = (struct label_tables){ 0 };
	if (file == NULL && (slot->bytes == NULL || slot->size > LABEL_SECTION_SIZE_MAX))
		return HISTREE_NOT_FOUND;
	if (file == NULL)
		return label_section_decode(slot->bytes, slot->size, out, NULL);
	enum histree_status status = read_section(file, out, &bytes, &size, NULL);
	free(bytes);
	return status;
}

static struct history_labels *make_labels(const struct labels_slot *slot, const struct block_file *file,
					  const char *provider, known_labels *known)
{
	struct history_labels *made = calloc(1, sizeof(*made));
	if (made == NULL)
		return NULL;
	enum histree_status status = read_labels(slot, file, &made->of_file);
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
	struct history_labels *made = make_labels(slot, file, provider, known);
	if (made == NULL || atomic_compare_exchange_strong(&slot->labels, &labels, made))
		return made;
	free_labels(made);
	return labels;
}

/* ---- of an attribute -------------------------------------------------------------------------------------- */

static const struct histree_label_table *look_for(const struct histree_attributes *attributes,
						  const struct history_labels *labels, histree_quark quark)
{
	struct attribute_way way;
	if (!attribute_way_find(&way, attributes, quark))
		return NULL;
	for (size_t i = 0; i < labels->count; i++)
		for (const char *const *pattern = labels->tables[i].patterns; *pattern != NULL; pattern++)
			if (attribute_way_matches(&way, *pattern))
				return &labels->tables[i];
	return NULL;
}

/* Returns NULL if memory is out: then each question is answered anew. */
static struct labels_of_quarks *known_of(struct labels_slot *slot, const struct history_labels *labels,
					 uint32_t count)
{
	struct labels_of_quarks *known = atomic_load_explicit(&slot->known, memory_order_acquire);
	if (known != NULL)
		return known;
	struct labels_of_quarks *made = calloc(1, sizeof(*made) + count);
	if (made == NULL)
		return NULL;
	made->tables = labels->tables;
	made->count = count;
	if (atomic_compare_exchange_strong(&slot->known, &known, made))
		return made;
	free(made);
	return known;
}

const struct histree_label_table *labels_slot_look(struct labels_slot *slot,
						   const struct histree_attributes *attributes,
						   const struct history_labels *labels, histree_quark quark)
{
	uint32_t count = attributes->count;
	if (labels->count == 0 || quark >= count)
		return NULL;
	const struct histree_label_table *found = look_for(attributes, labels, quark);
	struct labels_of_quarks *known = known_of(slot, labels, count);
	size_t number = found != NULL ? (size_t)(found - labels->tables) + LABELS_FIRST_TABLE : LABELS_NO_TABLE;
	if (known != NULL)
		atomic_store_explicit(&known->numbers[quark], (uint8_t)number, memory_order_relaxed);
	return found;
}
