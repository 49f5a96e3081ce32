// SPDX-License-Identifier: MIT
/*
 * attribute_section.c - writes the order in which children are searched in the section ATTR: by parent; within a
 * parent the oldest range first, then the others by name.
 *
 * From an attribute tree to bytes, part by part, in the order of the file.
 */
#include "state/attribute_section.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/bytes.h"
#include "base/error.h"
#include "histree/status.h"
#include "state/attributes.h"

/* The leaders of the first groups of the ranges, in the order of these. */
struct range_leaders {
	histree_quark *quarks;
	size_t count, capacity;
	struct table table;
};

/* ---- attribute order ----------------------------------------------------------------------------------------- */

/*
 * Looks are at what is resident of the tables: leaders are read with pages between them, and names compared out of
 * order.
 */
enum { LEADERS_PER_LOOK = 128, COMPARISONS_PER_LOOK = 64, RANGES_PER_LOOK = 1 << 13 };

/* Returns false if memory is out. */
static bool range_leaders_add(struct range_leaders *leaders, histree_quark quark)
{
	if (!table_reserve(&leaders->table, &leaders->quarks, &leaders->capacity, leaders->count + 1))
		return false;
	leaders->quarks[leaders->count++] = quark;
	return true;
}

static void range_leaders_release(struct range_leaders *leaders)
{
	table_release(&leaders->table, leaders->quarks);
	*leaders = (struct range_leaders){ 0 };
}

/* ---- the order ------------------------------------------------------------------------------------------- */

struct ordered_range {
	uint64_t beginning[2]; /* of the name: compares like it as far as it goes */
	uint32_t parent;       /* + 1 */
	uint32_t range;
};

struct ordering {
	const struct attribute_tree *tree;
	const histree_quark *leaders;
	uint64_t names; /* that were compared as a whole */
};

/* Returns `size` bytes of a text from `from` on, with zeros after its end, as a number that compares like them. */
static uint64_t bytes_of(const struct attribute_name *name, size_t from, size_t size)
{
	uint64_t bytes = 0;
	for (size_t at = from; at < from + size; at++)
		bytes = bytes << 8 | (at < name->size ? (uint8_t)name->text[at] : 0);
	return bytes;
}

/* Numbers come before texts, which are ordered by their first fifteen bytes here. */
static void set_beginning(struct ordered_range *range, const struct attribute_name *name)
{
	range->beginning[0] = name->text == NULL ? name->number : UINT64_C(1) << 63 | bytes_of(name, 0, 7);
	range->beginning[1] = name->text == NULL ? 0 : bytes_of(name, 7, 8);
}

static int compare_ranges(const void *one, const void *other, void *context)
{
	const struct ordered_range *a = one, *b = other;
	struct ordering *ordering = context;
	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->beginning[0] != b->beginning[0])
		return a->beginning[0] < b->beginning[0] ? -1 : 1;
	if (a->beginning[1] != b->beginning[1])
		return a->beginning[1] < b->beginning[1] ? -1 : 1;
	if (++ordering->names % COMPARISONS_PER_LOOK == 0)
		table_space_look(ordering->tree->table.space);
	struct attribute_name first = attribute_tree_name(ordering->tree, ordering->leaders[a->range]);
	struct attribute_name second = attribute_tree_name(ordering->tree, ordering->leaders[b->range]);
	return attribute_name_compare(&first, &second);
}

/* Ranges are numbered by age. */
static void move_oldest_to_front(struct ordered_range *ranges, uint32_t count)
{
	uint32_t oldest = 0;
	for (uint32_t i = 1; i < count; i++)
		if (ranges[i].range < ranges[oldest].range)
			oldest = i;
	struct ordered_range moved = ranges[oldest];
	memmove(ranges + 1, ranges, oldest * sizeof(*ranges));
	ranges[0] = moved;
}

static bool sort(struct ordering *ordering, struct ordered_range *ranges, uint32_t count)
{
	const struct attribute_tree *tree = ordering->tree;
	for (uint32_t range = 0; range < count; range++) {
		const histree_quark leader = ordering->leaders[range];
		if (range % LEADERS_PER_LOOK == 0)
			table_space_look(tree->table.space);
		struct attribute_name name = attribute_tree_name(tree, leader);
		ranges[range] =
			(struct ordered_range){ .parent = tree->attributes[leader].parent + 1, .range = range };
		set_beginning(&ranges[range], &name);
	}
	if (!table_sort(tree->table.space, ranges, count, sizeof(*ranges), compare_ranges, ordering))
		return false;
	for (uint32_t first = 0, after; first < count; first = after) {
		for (after = first + 1; after < count && ranges[after].parent == ranges[first].parent; after++)
			if (after % RANGES_PER_LOOK == 0)
				table_space_look(tree->table.space);
		move_oldest_to_front(ranges + first, after - first);
	}
	return true;
}

/* Put the order, as bits, piece by piece.  Returns false if memory is out. */
static bool attribute_order_put(const struct attribute_tree *tree, const struct range_leaders *leaders,
				void (*put)(void *context, const void *bytes, size_t size), void *context)
{
	const uint32_t count = (uint32_t)leaders->count;
	const unsigned width = count > 0 ? bits_needed(count - 1) : 0;
	struct table table = { .space = tree->table.space };
	struct bit_buffer bits = { 0 };
	struct ordering ordering = { .tree = tree, .leaders = leaders->quarks };
	struct ordered_range *ranges = table_allocate(&table, ((size_t)count + 1) * sizeof(*ranges));
	bool is_done = ranges != NULL && bit_buffer_reserve(&bits, (size_t)RANGES_PER_LOOK * width) &&
		       sort(&ordering, ranges, count);
	for (uint32_t i = 0; i < count && is_done; i++) {
		bit_buffer_put(&bits, ranges[i].range, width);
		if ((i + 1) % RANGES_PER_LOOK != 0 && i + 1 != count)
			continue;
		put(context, bits.bytes, (bits.bits + 7) / 8);
		bit_buffer_clear(&bits);
		table_space_look(tree->table.space);
	}
	bit_buffer_release(&bits);
	table_release(&table, ranges);
	return is_done;
}

/* ---- attribute section --------------------------------------------------------------------------------------- */

/* ---- the bytes on their way to the file, gathered to pieces --------------------------------------------- */

/* Looks are at what is resident of the tables. */
enum { PIECE_SIZE = 64 << 10, NAMES_PER_LOOK = 2048 };

/* After the first failure, which is kept, nothing is written any more: so it is enough to ask once, at the end. */
struct section_writer {
	const struct section_sink *sink;
	struct histree_error *error;
	enum histree_status status;
	uint8_t *bytes;
	size_t used;
	uint64_t size; /* of everything so far */
};

static enum histree_status section_writer_init(struct section_writer *writer, const struct section_sink *sink,
					       struct histree_error *error)
{
	*writer = (struct section_writer){ .sink = sink, .error = error, .bytes = malloc(PIECE_SIZE) };
	return writer->bytes == NULL ? error_memory(error, "the attribute section") : HISTREE_OK;
}

static void flush(struct section_writer *writer)
{
	if (writer->status == HISTREE_OK && writer->used > 0)
		writer->status =
			writer->sink->write(writer->sink->context, writer->bytes, writer->used, writer->error);
	writer->used = 0;
}

static void section_writer_put(struct section_writer *writer, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	writer->size += size;
	while (size > 0) {
		if (writer->used == PIECE_SIZE)
			flush(writer);
		size_t room = PIECE_SIZE - writer->used, taken = size < room ? size : room;
		memcpy(writer->bytes + writer->used, at, taken);
		writer->used += taken;
		at += taken;
		size -= taken;
	}
}

static void section_writer_put_varint(struct section_writer *writer, uint64_t number)
{
	uint8_t bytes[VARINT_SIZE_MAX];
	section_writer_put(writer, bytes, (size_t)(put_varint(bytes, number) - bytes));
}

static void section_writer_no_memory(struct section_writer *writer)
{
	if (writer->status == HISTREE_OK)
		writer->status = error_memory(writer->error, "the attribute section");
}

/* Put a directory of the blocks of `size` bytes that were put just before; the offsets are released. */
static void section_writer_put_directory(struct section_writer *writer, struct block_offsets *offsets,
					 uint64_t size)
{
	struct bit_buffer bits = { 0 };
	if (!block_offsets_pack(offsets, size, &bits))
		section_writer_no_memory(writer);
	else
		section_writer_put(writer, bits.bytes, (bits.bits + 7) / 8);
	bit_buffer_release(&bits);
	block_offsets_release(offsets);
}

/* Write what is left, and release everything. */
static enum histree_status section_writer_finish(struct section_writer *writer)
{
	flush(writer);
	free(writer->bytes);
	writer->bytes = NULL;
	return writer->status;
}

/* ---- texts ------------------------------------------------------------------------------------------- */

/* The texts from `first` on; `count` of them, up to TEXTS_IN_BLOCK. */
static bool put_text_block(const struct intern *texts, uint32_t first, uint32_t count,
			   struct section_writer *writer)
{
	size_t sizes[TEXTS_IN_BLOCK], min = SIZE_MAX, max = 0;
	for (uint32_t i = 0; i < count; i++) {
		intern_get(texts, first + i, &sizes[i]);
		min = sizes[i] < min ? sizes[i] : min;
		max = sizes[i] > max ? sizes[i] : max;
	}
	struct bit_buffer bits = { 0 };
	unsigned width = bits_needed(max - min);
	if (!bit_buffer_reserve(&bits, (size_t)count * width))
		return false;
	for (uint32_t i = 0; i < count; i++)
		bit_buffer_put(&bits, sizes[i] - min, width);
	section_writer_put_varint(writer, min);
	section_writer_put(writer, &(uint8_t){ (uint8_t)width }, 1);
	section_writer_put(writer, bits.bytes, (bits.bits + 7) / 8);
	bit_buffer_release(&bits);
	for (uint32_t i = 0; i < count; i++) {
		const char *text = intern_get(texts, first + i, &sizes[i]);
		section_writer_put(writer, text, sizes[i]);
	}
	return true;
}

/* Returns the size of the blocks. */
static uint64_t text_list_save(const struct intern *texts, struct section_writer *writer)
{
	struct block_offsets offsets = { 0 };
	uint64_t start = writer->size;
	for (uint32_t first = 0; first < texts->count && writer->status == HISTREE_OK; first += TEXTS_IN_BLOCK) {
		if (first % NAMES_PER_LOOK == 0)
			table_space_look(texts->table.space);
		uint32_t left = texts->count - first, count = left < TEXTS_IN_BLOCK ? left : TEXTS_IN_BLOCK;
		if (!block_offsets_add(&offsets, writer->size - start) ||
		    !put_text_block(texts, first, count, writer))
			section_writer_no_memory(writer);
	}
	uint64_t size = writer->size - start;
	section_writer_put_directory(writer, &offsets, size);
	return size;
}

/* ---- the table of ranges ------------------------------------------------------------------------------- */

struct range_writer {
	struct section_writer *writer;
	struct range_row rows[RANGES_IN_BLOCK];
	unsigned row_count; /* of those that were not written yet */
	uint64_t start;     /* of the table in the section */
	struct block_offsets offsets;
	struct bit_buffer bits;
};

static struct range_writer range_writer(struct section_writer *writer)
{
	return (struct range_writer){ .writer = writer, .start = writer->size };
}

struct packed_column {
	uint32_t base, step;
	unsigned width;
};

/* The step is the smallest between two rows, or 0. */
static struct packed_column pack_column(const struct range_writer *table, enum range_column which, uint32_t step)
{
	struct packed_column column = { .base = UINT32_MAX, .step = step };
	uint32_t max = 0;
	for (uint32_t row = 0; row < table->row_count; row++) {
		uint32_t number = table->rows[row].columns[which] - row * step;
		column.base = number < column.base ? number : column.base;
		max = number > max ? number : max;
	}
	column.width = bits_needed(max - column.base);
	return column;
}

static uint32_t smallest_step(const struct range_writer *table, enum range_column which)
{
	uint32_t step = UINT32_MAX;
	for (unsigned row = 1; row < table->row_count; row++) {
		uint32_t before = table->rows[row - 1].columns[which], now = table->rows[row].columns[which];
		if (now < before)
			return 0;
		step = now - before < step ? now - before : step;
	}
	return table->row_count > 1 ? step : 0;
}

static void write_columns(struct range_writer *table, const struct packed_column columns[RANGE_COLUMNS])
{
	for (unsigned which = 0; which < RANGE_COLUMNS; which++) {
		const struct packed_column *column = &columns[which];
		for (uint32_t row = 0; row < table->row_count; row++)
			bit_buffer_put(&table->bits,
				       table->rows[row].columns[which] - row * column->step - column->base,
				       column->width);
	}
	section_writer_put(table->writer, table->bits.bytes, (table->bits.bits + 7) / 8);
	bit_buffer_clear(&table->bits);
}

static void write_block(struct range_writer *table)
{
	if (table->row_count == 0)
		return;
	if (!block_offsets_add(&table->offsets, table->writer->size - table->start) ||
	    !bit_buffer_reserve(&table->bits, RANGES_IN_BLOCK * RANGE_COLUMNS * 32)) {
		section_writer_no_memory(table->writer);
		table->row_count = 0;
		return;
	}
	struct packed_column columns[RANGE_COLUMNS];
	for (unsigned which = 0; which < RANGE_COLUMNS; which++) {
		columns[which] = pack_column(table, which, smallest_step(table, which));
		section_writer_put_varint(table->writer, columns[which].base);
		section_writer_put_varint(table->writer, columns[which].step);
	}
	for (unsigned which = 0; which < RANGE_COLUMNS; which++)
		section_writer_put(table->writer, &(uint8_t){ (uint8_t)columns[which].width }, 1);
	write_columns(table, columns);
	table->row_count = 0;
}

static void range_writer_add(struct range_writer *table, const struct range_row *row)
{
	table->rows[table->row_count++] = *row;
	if (table->row_count == RANGES_IN_BLOCK)
		write_block(table);
}

/* Returns the size of the blocks. */
static uint64_t range_writer_finish(struct range_writer *table)
{
	write_block(table);
	uint64_t size = table->writer->size - table->start;
	section_writer_put_directory(table->writer, &table->offsets, size);
	bit_buffer_release(&table->bits);
	return size;
}

/* ---- groups and ranges --------------------------------------------------------------------------------- */

struct group {
	histree_quark leader;
	uint32_t size, shape;
};

struct cutter {
	const struct attribute_tree *tree;
	struct section_writer *writer;
	struct intern shapes;
	uint64_t groups;   /* that were cut */
	struct group next; /* the one that was cut but is not in a range yet; size 0: none is left */
};

static bool is_number(const struct attribute_tree *tree, histree_quark quark)
{
	return (tree->attributes[quark].name & ATTRIBUTE_IS_NUMBER) != 0;
}

/* Returns the name as the format has it. */
static uint32_t coded_name(const struct attribute_tree *tree, histree_quark quark)
{
	uint32_t name = tree->attributes[quark].name;
	return is_number(tree, quark) ? (name - ATTRIBUTE_IS_NUMBER) * 2 : name * 2 + 1;
}

/* Cut the group whose leader is the attribute `leader`, if there is one. */
static struct group cut_group(struct cutter *cutter, histree_quark leader)
{
	const struct attribute_tree *tree = cutter->tree;
	struct group group = { .leader = leader };
	if (leader >= tree->base.count)
		return group;
	if (++cutter->groups % NAMES_PER_LOOK == 0)
		table_space_look(tree->table.space);
	/* The number of members comes first, and takes one byte. */
	uint8_t shape[1 + GROUP_SIZE_MAX * 2 * VARINT_SIZE_MAX], *at = shape + 1;
	int64_t name_before = 0;
	histree_quark quark = leader + 1;
	for (; quark < tree->base.count && quark - leader < GROUP_SIZE_MAX; quark++) {
		histree_quark parent = tree->attributes[quark].parent;
		if (parent == HISTREE_ROOT || parent < leader || (parent == leader && is_number(tree, quark)))
			break;
		uint32_t name = coded_name(tree, quark);
		at = put_varint(at, parent - leader);
		at = put_varint(at, zigzag(name - name_before - 2));
		name_before = name;
	}
	group.size = quark - leader;
	shape[0] = (uint8_t)(group.size - 1);
	group.shape = intern_add(&cutter->shapes, shape, (size_t)(at - shape));
	if (group.shape == INTERN_NONE)
		section_writer_no_memory(cutter->writer);
	return group;
}

/* Whether a group goes on with the range, whose last leader is `before`. */
static bool continues(const struct attribute_tree *tree, histree_quark before, const struct group *group,
		      uint32_t shape)
{
	if (group->size == 0 || group->shape != shape || !is_number(tree, group->leader) ||
	    !is_number(tree, before))
		return false;
	const struct attribute *leader = &tree->attributes[group->leader], *last = &tree->attributes[before];
	return leader->parent == last->parent && leader->name == last->name + 1;
}

static bool has_late_child(const struct attribute_tree *tree, const struct group *group)
{
	for (histree_quark quark = group->leader; quark < group->leader + group->size; quark++) {
		const struct attribute *attribute = &tree->attributes[quark];
		if (attribute->first_child != HISTREE_ROOT && attribute->last_child >= group->leader + group->size)
			return true;
	}
	return false;
}

/* The range that begins with the group that was cut; false if no group is left. */
static bool cut_range(struct cutter *cutter, struct range_row *row)
{
	const struct attribute_tree *tree = cutter->tree;
	struct group first = cutter->next;
	if (first.size == 0)
		return false;
	histree_quark last = first.leader;
	uint32_t groups = 1;
	bool late = has_late_child(tree, &first);
	cutter->next = cut_group(cutter, last + first.size);
	for (; continues(tree, last, &cutter->next, first.shape); groups++) {
		last = cutter->next.leader;
		late = late || has_late_child(tree, &cutter->next);
		cutter->next = cut_group(cutter, last + first.size);
	}
	const struct attribute *leader = &tree->attributes[first.leader];
	histree_quark sibling = tree->attributes[last].next_sibling;
	*row = (struct range_row){ 0 };
	row->columns[RANGE_FIRST] = first.leader;
	row->columns[RANGE_GROUPS] = groups - 1;
	row->columns[RANGE_PARENT] = leader->parent + 1; /* HISTREE_ROOT is the greatest number */
	row->columns[RANGE_SHAPE] = first.shape;
	row->columns[RANGE_NAME] = coded_name(tree, first.leader);
	row->columns[RANGE_NEXT] = sibling == HISTREE_ROOT ? 0 : sibling - last;
	row->columns[RANGE_LATE] = late;
	return true;
}

/* Write the table of ranges; the shapes are known after it.  Returns the size of the blocks. */
static uint64_t save_ranges(struct cutter *cutter, struct range_leaders *leaders)
{
	struct range_writer table = range_writer(cutter->writer);
	struct range_row row;
	cutter->next = cut_group(cutter, 0);
	while (cutter->writer->status == HISTREE_OK && cut_range(cutter, &row)) {
		if (!range_leaders_add(leaders, row.columns[RANGE_FIRST])) {
			section_writer_no_memory(cutter->writer);
			break;
		}
		range_writer_add(&table, &row);
	}
	return range_writer_finish(&table);
}

/* ---- the section ----------------------------------------------------------------------------------------- */

static void put_piece(void *context, const void *bytes, size_t size)
{
	section_writer_put(context, bytes, size);
}

enum histree_status attribute_section_save(const struct attribute_tree *tree, const struct section_sink *sink,
					   struct histree_error *error)
{
	struct section_writer writer;
	enum histree_status status = section_writer_init(&writer, sink, error);
	if (status != HISTREE_OK)
		return status;
	struct cutter cutter = { .tree = tree, .writer = &writer };
	struct range_leaders leaders = { .table.space = tree->table.space };
	uint8_t footer[ATTRIBUTE_FOOTER_SIZE];
	put_le64(footer + 16, text_list_save(&tree->texts, &writer));
	put_le64(footer + 32, save_ranges(&cutter, &leaders));
	put_le64(footer + 24, text_list_save(&cutter.shapes, &writer));
	if (writer.status == HISTREE_OK && !attribute_order_put(tree, &leaders, put_piece, &writer))
		section_writer_no_memory(&writer);
	put_le32(footer, tree->base.count);
	put_le32(footer + 4, tree->texts.count);
	put_le32(footer + 8, cutter.shapes.count);
	put_le32(footer + 12, (uint32_t)leaders.count);
	section_writer_put(&writer, footer, sizeof(footer));
	range_leaders_release(&leaders);
	intern_release(&cutter.shapes);
	return section_writer_finish(&writer);
}
