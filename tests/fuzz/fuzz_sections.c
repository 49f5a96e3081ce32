// SPDX-License-Identifier: MIT
/*
 * fuzz_sections.c - the first byte chooses a section, the rest is what it holds: TREE, STAT, ATTR, PROV, LIFE,
 * SEGM, FOLD, LABL, CHRT.
 */
#include <string.h>

#include "fuzz.h"
#include "histree/attributes.h"
#include "segment/segment_schema.h"
#include "state/attribute_section.h"
#include "state/charts.h"
#include "state/history.h"
#include "state/history_sections.h"
#include "state/labels.h"
#include "support/memory_io.h"
#include "tree/lifetimes.h"
#include "tree/tree_shape.h"

enum { NODE_SIZE = 4096, ATTRIBUTES_MAX = 300 };

/* A file of one block with this section, opened again. */
static struct block_file *file_with(struct memory_io *memory, uint32_t id, const uint8_t *bytes, size_t size)
{
	static const uint8_t block[NODE_SIZE];
	struct block_file *file;
	REQUIRE(block_file_create(&memory->io, "f", NODE_SIZE, &file, NULL) == HISTREE_OK);
	REQUIRE(block_file_write_part(file, 0, block, file->block_size, NULL) == HISTREE_OK);
	REQUIRE(block_file_section_begin(file, id, NULL) == HISTREE_OK);
	REQUIRE(block_file_section_write(file, bytes, size, NULL) == HISTREE_OK);
	block_file_section_end(file);
	REQUIRE(block_file_complete(file, NULL) == HISTREE_OK);
	block_file_close(file);
	REQUIRE(block_file_open(&memory->io, "f", &file, NULL) == HISTREE_OK);
	return file;
}

static void load_of_tree(uint32_t id, const uint8_t *bytes, size_t size)
{
	struct memory_io memory;
	memory_io_init(&memory);
	struct block_file *file = file_with(&memory, id, bytes, size);
	struct tree_shape shape;
	struct tree_statistics statistics;
	if (id == SECTION_TREE && tree_shape_read(file, &shape, NULL) == HISTREE_OK)
		REQUIRE(shape.root < shape.node_count && shape.start <= shape.end &&
			shape.layout.child_capacity >= 2);
	if (id == SECTION_STATISTICS && tree_statistics_read(file, &statistics, NULL) == HISTREE_OK) {
		REQUIRE(statistics.height_count <= size);
		tree_statistics_release(&statistics);
	}
	block_file_close(file);
	memory_io_release(&memory);
}

/* Each path leads back to its attribute. */
static void find_paths(const struct histree_attributes *attributes)
{
	uint32_t count = histree_attributes_count(attributes);
	for (histree_quark quark = 0; quark < count && quark < ATTRIBUTES_MAX; quark++) {
		size_t size = histree_attributes_path(attributes, quark, NULL, 0);
		char *path = malloc(size + 1);
		histree_quark found;
		REQUIRE(path != NULL);
		REQUIRE(histree_attributes_path(attributes, quark, path, size + 1) == size);
		if (memchr(path, '\0', size) == NULL)
			REQUIRE(histree_attributes_find(attributes, HISTREE_ROOT, path, &found) == HISTREE_OK &&
				found == quark);
		free(path);
	}
}

static void count_fault(void *context, const char *fault)
{
	(void)context;
	REQUIRE(fault[0] != '\0');
}

/* A few bytes can stand for a billion attributes that count up: then the first ones do. */
static void load_attributes(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size + 1);
	struct attribute_view view;
	REQUIRE(copy != NULL);
	memcpy(copy, bytes, size);
	if (attribute_view_open(&view, copy, size, NULL) != HISTREE_OK)
		return;
	if (view.base.count <= ATTRIBUTES_MAX && attributes_verify(&view.base, count_fault, NULL) == 0)
		find_paths(&view.base);
	for (histree_quark quark = 0; quark < view.base.count && quark < ATTRIBUTES_MAX; quark++) {
		histree_quark parent = histree_attributes_parent(&view.base, quark);
		histree_quark child = histree_attributes_first_child(&view.base, quark);
		histree_quark next = histree_attributes_next_sibling(&view.base, quark);
		REQUIRE(parent == HISTREE_ROOT || parent < quark);
		REQUIRE(child == HISTREE_ROOT || histree_attributes_parent(&view.base, child) == quark);
		REQUIRE(next == HISTREE_ROOT ||
			(next > quark && histree_attributes_parent(&view.base, next) == parent));
	}
	attribute_view_release(&view);
}

/* As many keys as the bytes could be of, and one more; each lifetime lies in the history. */
static void load_lifetimes(const uint8_t *bytes, size_t size)
{
	enum { START = -1000, END = 100000 };
	struct memory_io memory;
	memory_io_init(&memory);
	struct block_file *file = file_with(&memory, SECTION_LIFETIMES, bytes, size);
	for (uint32_t key_count = (uint32_t)size * 4 + 2; key_count > 0; key_count = key_count * 4 / 5) {
		struct lifetimes_view lifetimes;
		if (lifetimes_view_open(&lifetimes, key_count, START, END, file, NULL) != HISTREE_OK)
			continue;
		for (uint32_t key = 0; key < key_count; key++) {
			struct lifetime lifetime = lifetimes_view_get(&lifetimes, key), around[LIFETIMES_IN_BLOCK];
			lifetimes_view_get_block(&lifetimes, key - key % LIFETIMES_IN_BLOCK, around);
			REQUIRE(around[key % LIFETIMES_IN_BLOCK].first == lifetime.first &&
				around[key % LIFETIMES_IN_BLOCK].last == lifetime.last);
			struct histree_interval nulls[2];
			unsigned count = lifetime_nulls(lifetime, key, START, END, nulls);
			for (unsigned i = 0; i < count; i++)
				REQUIRE(nulls[i].start >= START && nulls[i].start <= nulls[i].end &&
					nulls[i].end <= END);
		}
		lifetimes_view_release(&lifetimes);
	}
	block_file_close(file);
	memory_io_release(&memory);
}

/* Whatever is read is a schema that a store could have been made with. */
static void load_schema(const uint8_t *bytes, size_t size)
{
	struct memory_io memory;
	struct histree_segment_store_info info = { 0 };
	struct histree_segment_schema copy;
	memory_io_init(&memory);
	struct block_file *file = file_with(&memory, SECTION_SEGMENTS, bytes, size);
	if (segment_schema_read(file, &info, NULL) == HISTREE_OK) {
		REQUIRE(info.schema.provider != NULL && info.schema.field_count <= HISTREE_SEGMENT_FIELDS_MAX);
		REQUIRE(segment_schema_copy(&info.schema, &copy, NULL) == HISTREE_OK);
		REQUIRE(copy.field_count == info.schema.field_count);
		segment_schema_release(&copy);
		segment_schema_release(&info.schema);
	}
	block_file_close(file);
	memory_io_release(&memory);
}

/* Whatever is read is ascending attributes of those that there are. */
static void load_folders(const uint8_t *bytes, size_t size)
{
	enum { ATTRIBUTES = 1000 };
	struct folder_list folders;
	if (folder_section_decode(bytes, size, ATTRIBUTES, &folders, NULL) != HISTREE_OK) {
		REQUIRE(folders.quarks == NULL && folders.count == 0);
		return;
	}
	for (size_t i = 0; i < folders.count; i++) {
		REQUIRE(folders.quarks[i] < ATTRIBUTES && (i == 0 || folders.quarks[i] > folders.quarks[i - 1]));
		REQUIRE(folder_list_has(&folders, folders.quarks[i]));
	}
	REQUIRE(!folder_list_has(&folders, ATTRIBUTES));
	folder_list_release(&folders);
}

/* Whatever is read could have been written, and is written again with the same meaning. */
static void load_labels(const uint8_t *bytes, size_t size)
{
	struct told_list labels, again;
	uint8_t *written;
	size_t written_size;
	if (told_decode(&told_labels, bytes, size, &labels, NULL) != HISTREE_OK) {
		REQUIRE(labels.tables == NULL && labels.count == 0);
		return;
	}
	const struct histree_value values[] = { histree_null(),     histree_unknown(),   histree_int(-1),
						histree_long(3),    histree_bool(true),  histree_double(0.5),
						histree_string(""), histree_string("on") };
	for (size_t i = 0; i < labels.count; i++) {
		const struct histree_label_table *table = &labels.tables[i];
		REQUIRE(label_table_check(table, NULL) == HISTREE_OK && table->patterns[0] != NULL);
		for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
			const struct histree_label *label = histree_label_find(table, &values[k]);
			const struct histree_style *style = histree_style_of(table, &values[k]);
			REQUIRE(label == NULL || label->is_hidden || style == &label->style);
			REQUIRE(style == NULL || (style->key != NULL && style->light <= 0xffffff));
		}
	}
	REQUIRE(told_encode(&told_labels, labels.tables, labels.count, &written, &written_size, NULL) ==
		HISTREE_OK);
	REQUIRE(told_decode(&told_labels, written, written_size, &again, NULL) == HISTREE_OK);
	REQUIRE(again.count == labels.count);
	free(written);
	told_list_release(&again);
	told_list_release(&labels);
}

/* So are charts. */
static void load_charts(const uint8_t *bytes, size_t size)
{
	struct told_list charts, again;
	uint8_t *written;
	size_t written_size;
	if (told_decode(&told_charts, bytes, size, &charts, NULL) != HISTREE_OK) {
		REQUIRE(charts.charts == NULL && charts.count == 0);
		return;
	}
	REQUIRE(charts_check(charts.charts, charts.count, NULL) == HISTREE_OK);
	REQUIRE(told_encode(&told_charts, charts.charts, charts.count, &written, &written_size, NULL) ==
		HISTREE_OK);
	REQUIRE(told_decode(&told_charts, written, written_size, &again, NULL) == HISTREE_OK);
	REQUIRE(again.count == charts.count);
	free(written);
	told_list_release(&again);
	told_list_release(&charts);
}

FUZZ_TARGET(bytes, size)
{
	if (size == 0)
		return 0;
	struct provider provider;
	uint8_t saved[PROVIDER_SECTION_SIZE_MAX];
	switch (bytes[0] % 9) {
	case 0:
		load_of_tree(SECTION_TREE, bytes + 1, size - 1);
		break;
	case 1:
		load_of_tree(SECTION_STATISTICS, bytes + 1, size - 1);
		break;
	case 2:
		load_attributes(bytes + 1, size - 1);
		break;
	case 3:
		if (provider_section_load(&provider, bytes + 1, size - 1, NULL) == HISTREE_OK)
			REQUIRE(provider_section_save(&provider, saved) == size - 1 &&
				memcmp(saved, bytes + 1, size - 1) == 0);
		break;
	case 4:
		load_lifetimes(bytes + 1, size - 1);
		break;
	case 5:
		load_schema(bytes + 1, size - 1);
		break;
	case 6:
		load_folders(bytes + 1, size - 1);
		break;
	case 7:
		load_labels(bytes + 1, size - 1);
		break;
	default:
		load_charts(bytes + 1, size - 1);
	}
	return 0;
}
