// SPDX-License-Identifier: MIT
/*
 * attribute_section.c - the names of a finished history, section ATTR: written, searched in place, and copied into
 * a tree that grows.
 *
 * Children are searched in a separate order, which is stored too: by parent; within a parent the oldest range
 * first, then the others by name.
 *
 * Whatever the bytes of a section say, an answer is below the number of attributes, and a parent is older than its
 * child.
 */
#include "state/attribute_section.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/status.h"
#include "state/attributes.h"
#include "state/history_sections.h"

/* ---- attribute section --------------------------------------------------------------------------------------- */

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

/* Returns false if memory runs out. */
static bool range_leaders_add(struct range_leaders *leaders, histree_quark quark)
{
	if (!table_reserve(&leaders->table, &leaders->quarks, &leaders->capacity, leaders->count + 1))
		return false;
	leaders->quarks[leaders->count++] = quark;
	return true;
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

/* So many are sorted in memory by digits, which takes 56 bytes a range more. */
enum { SORTED_BY_DIGITS_MAX = 1 << 16 };

/* Sort by parent and the first bytes of the name, which is nearly all there is to sort. */
static bool sort_by_digits(struct ordered_range *ranges, uint32_t count)
{
	struct keyed_index *keys = reallocarray(NULL, (size_t)count * 2 + 1, sizeof(*keys));
	struct ordered_range *before = array_copy(ranges, count);
	const bool has_memory = keys != NULL && (before != NULL || count == 0);
	for (uint32_t i = 0; i < count && has_memory; i++)
		keys[i] = (struct keyed_index){ .key = ranges[i].beginning[0], .index = i };
	if (has_memory)
		radix_sort(keys, keys + count, count);
	for (uint32_t i = 0; i < count && has_memory; i++)
		keys[i].key = ranges[keys[i].index].parent;
	if (has_memory)
		radix_sort(keys, keys + count, count);
	for (uint32_t i = 0; i < count && has_memory; i++)
		ranges[i] = before[keys[i].index];
	free(before);
	free(keys);
	return has_memory;
}

static bool are_sorted(struct ordering *ordering, const struct ordered_range *ranges, uint32_t count)
{
	bool are = true;
	for (uint32_t i = 1; i < count && are; i++)
		are = compare_ranges(&ranges[i - 1], &ranges[i], ordering) < 0;
	return are;
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
	if (count <= SORTED_BY_DIGITS_MAX && !sort_by_digits(ranges, count))
		return false;
	if (!are_sorted(ordering, ranges, count) &&
	    !table_sort(tree->table.space, ranges, count, sizeof(*ranges), compare_ranges, ordering))
		return false;
	for (uint32_t first = 0, after; first < count; first = after) {
		for (after = first + 1; after < count && ranges[after].parent == ranges[first].parent; after++)
			if (after % RANGES_PER_LOOK == 0)
				table_space_look(tree->table.space);
		move_oldest_to_front(ranges + first, after - first);
	}
	return true;
}

/* Put the order, as bits, piece by piece.  Returns false if memory runs out. */
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
static uint32_t attribute_section_coded_name(const struct attribute_tree *tree, histree_quark quark)
{
	uint32_t name = tree->attributes[quark].name;
	return is_number(tree, quark) ? (name - ATTRIBUTE_IS_NUMBER) * 2 : name * 2 + 1;
}

/* Returns the number of a shape, which most often is that of the group before; INTERN_NONE if memory is out. */
static uint32_t number_shape(struct cutter *cutter, const uint8_t *shape, size_t size)
{
	if (cutter->next.size > 0) {
		size_t size_before;
		const char *before = intern_get(&cutter->shapes, cutter->next.shape, &size_before);
		if (size == size_before && memcmp(before, shape, size) == 0)
			return cutter->next.shape;
	}
	return intern_add(&cutter->shapes, shape, size);
}

/* Cut the group whose leader is the attribute `leader`, if there is one; `next` is the one before still. */
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
		uint32_t name = attribute_section_coded_name(tree, quark);
		at = put_varint(at, parent - leader);
		at = put_varint(at, zigzag(name - name_before - 2));
		name_before = name;
	}
	group.size = quark - leader;
	shape[0] = (uint8_t)(group.size - 1);
	group.shape = number_shape(cutter, shape, (size_t)(at - shape));
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
	row->columns[RANGE_NAME] = attribute_section_coded_name(tree, first.leader);
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
	write_block(&table);
	uint64_t size = table.writer->size - table.start;
	section_writer_put_directory(table.writer, &table.offsets, size);
	bit_buffer_release(&table.bits);
	return size;
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
	table_release(&leaders.table, leaders.quarks);
	intern_release(&cutter.shapes);
	/* Write what is left, and release everything. */
	flush(&writer);
	free(writer.bytes);
	writer.bytes = NULL;
	return writer.status;
}

/* ---- attribute view ------------------------------------------------------------------------------------------ */

static const struct attribute_view *view_of(const struct histree_attributes *attributes)
{
	return (const struct attribute_view *)attributes;
}

/* ---- ranges -------------------------------------------------------------------------------------------- */

/* Range `number`; an empty range if it does not exist or is invalid. */
static void get_range(const struct attribute_view *view, uint32_t number, struct attribute_range *range)
{
	struct range_row row;
	uint32_t after;
	*range = (struct attribute_range){ 0 };
	if (!range_table_get(&view->ranges, number, &row, &after))
		return;
	if (after > view->base.count)
		after = view->base.count;
	struct byte_reader members = text_list_get(&view->shapes, row.columns[RANGE_SHAPE]);
	uint64_t size = read_varint(&members) + 1, groups = (uint64_t)row.columns[RANGE_GROUPS] + 1;
	uint32_t first = row.columns[RANGE_FIRST], name = row.columns[RANGE_NAME];
	histree_quark parent = row.columns[RANGE_PARENT] - 1;
	if (members.failed || size > GROUP_SIZE_MAX || first + groups * size != after ||
	    (parent != HISTREE_ROOT && parent >= first))
		return;
	/* Names count up as long as they are numbers; there is but one group with a text. */
	if ((name & 1) != 0 ? groups > 1 : groups - 1 > ATTRIBUTE_NUMBER_MAX - name / 2)
		return;
	*range = (struct attribute_range){
		.number = number,
		.first = first,
		.parent = parent,
		.count = (uint32_t)(groups * size),
		.size = (uint32_t)size,
		.name = name,
		.next = row.columns[RANGE_NEXT],
		.late = row.columns[RANGE_LATE] != 0,
		.members = members,
	};
}

static bool is_in(const struct attribute_range *range, histree_quark quark)
{
	return quark - range->first < range->count;
}

/* Make `near` the range of an attribute; false if no range has it. */
static bool find_range(const struct attribute_view *view, histree_quark quark, struct attribute_range *near)
{
	if (is_in(near, quark))
		return true;
	if (near->count > 0 && quark == near->first + near->count)
		get_range(view, near->number + 1, near);
	if (!is_in(near, quark))
		get_range(view, range_table_find(&view->ranges, quark), near);
	return is_in(near, quark);
}

static bool get_member(const struct attribute_range *range, uint32_t number, struct group_member *member)
{
	struct byte_reader members = range->members;
	*member = (struct group_member){ 0 };
	while (member->number < number)
		if (!group_member_next(&members, range->size, member))
			return false;
	return true;
}

static struct attribute_name text_name(const struct attribute_view *view, uint32_t number)
{
	struct byte_reader text = text_list_get(&view->texts, number);
	if (text.failed)
		return (struct attribute_name){ .text = "" };
	return (struct attribute_name){ .text = (const char *)text.at, .size = byte_reader_left(&text) };
}

/* Returns the name for a number of the format, or the name of the leader `ahead` groups after it. */
static struct attribute_name attribute_view_coded_name(const struct attribute_view *view, uint32_t name,
						       uint32_t group)
{
	return (name & 1) == 0 ? attribute_name_number(name / 2 + group) : text_name(view, name / 2);
}

/* ---- children in the order of names -------------------------------------------------------------------- */

/* The range at a position of the order; UINT32_MAX if what is there makes no sense. */
static uint32_t row_at(const struct attribute_view *view, uint32_t position, struct range_row *row)
{
	uint64_t number = bits_get(view->order, (size_t)position * view->order_width, view->order_width);
	uint32_t after;
	if (number >= view->ranges.count || !range_table_get(&view->ranges, (uint32_t)number, row, &after))
		return UINT32_MAX;
	return (uint32_t)number;
}

/* What is looked for in the order. */
struct sought {
	const struct attribute_view *view;
	uint32_t parent; /* + 1 */
	const struct attribute_name *name;
	bool *is_broken; /* a range on the way makes no sense */
};

static bool is_before_parent(const void *context, size_t position)
{
	const struct sought *sought = context;
	struct range_row row;
	if (row_at(sought->view, (uint32_t)position, &row) != UINT32_MAX)
		return row.columns[RANGE_PARENT] < sought->parent;
	*sought->is_broken = true;
	return false;
}

static bool is_not_after_name(const void *context, size_t position)
{
	const struct sought *sought = context;
	struct range_row row;
	*sought->is_broken = *sought->is_broken || row_at(sought->view, (uint32_t)position, &row) == UINT32_MAX;
	if (*sought->is_broken)
		return false;
	struct attribute_name first = attribute_view_coded_name(sought->view, row.columns[RANGE_NAME], 0);
	return row.columns[RANGE_PARENT] == sought->parent && attribute_name_compare(&first, sought->name) <= 0;
}

/* The first position from `low` on that is not before, near *guess if that is not NULL. */
static uint32_t search(const struct sought *sought, uint32_t low, uint32_t *guess, search_before *before)
{
	const size_t high = sought->view->ranges.count;
	if (guess == NULL)
		return (uint32_t)SEARCH(i, low, high, before(sought, i));
	return *guess = (uint32_t)search_first(low, high, *guess, before, sought);
}

/* The first position in the order with a range of this parent; there may be no such range. */
static uint32_t find_oldest(const struct attribute_view *view, histree_quark parent, uint32_t *guess)
{
	bool is_broken = false;
	const struct sought sought = { .view = view, .parent = parent + 1, .is_broken = &is_broken };
	uint32_t position = search(&sought, 0, guess, is_before_parent);
	return is_broken ? view->ranges.count : position;
}

/*
 * The last position from `oldest` + 1 on that has a range of this parent which does not begin after the name, or
 * `oldest`.
 */
static uint32_t find_named(const struct attribute_view *view, uint32_t oldest, histree_quark parent,
			   const struct attribute_name *name, uint32_t *guess)
{
	bool is_broken = false;
	const struct sought sought = { view, parent + 1, name, &is_broken };
	uint32_t position = search(&sought, oldest + 1, guess, is_not_after_name);
	return is_broken ? oldest : position - 1;
}

/* The leader with that name in the range at a position of the order, or HISTREE_ROOT. */
static histree_quark leader_named(const struct attribute_view *view, uint32_t position, histree_quark parent,
				  const struct attribute_name *name)
{
	struct range_row row;
	struct attribute_range range;
	uint32_t number = row_at(view, position, &row);
	if (number == UINT32_MAX || row.columns[RANGE_PARENT] != parent + 1)
		return HISTREE_ROOT;
	get_range(view, number, &range);
	struct attribute_name leader = attribute_view_coded_name(view, range.name, 0);
	uint32_t group = leader.text == NULL && name->text == NULL ? name->number - leader.number : 0;
	if (range.count == 0 || group >= range.count / range.size)
		return HISTREE_ROOT;
	leader = attribute_view_coded_name(view, range.name, group);
	return attribute_name_compare(&leader, name) == 0 ? range.first + group * range.size : HISTREE_ROOT;
}

/* A child that is a leader. */
static histree_quark late_child(const struct attribute_view *view, histree_quark parent,
				const struct attribute_name *name, struct attribute_near *near)
{
	uint32_t oldest = find_oldest(view, parent, near != NULL ? &near->oldest : NULL);
	if (oldest == view->ranges.count)
		return HISTREE_ROOT;
	histree_quark found = leader_named(view, oldest, parent, name);
	if (found != HISTREE_ROOT)
		return found;
	uint32_t position = find_named(view, oldest, parent, name, near != NULL ? &near->named : NULL);
	return position > oldest ? leader_named(view, position, parent, name) : HISTREE_ROOT;
}

/* The oldest child that is a leader; `near` is then its range. */
static histree_quark oldest_late_child(const struct attribute_view *view, histree_quark parent,
				       struct attribute_range *near)
{
	struct range_row row;
	uint32_t position = find_oldest(view, parent, NULL);
	uint32_t number = position < view->ranges.count ? row_at(view, position, &row) : UINT32_MAX;
	if (number == UINT32_MAX || row.columns[RANGE_PARENT] != parent + 1)
		return HISTREE_ROOT;
	get_range(view, number, near);
	return near->count > 0 ? near->first : HISTREE_ROOT;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

static histree_quark view_parent(const struct histree_attributes *attributes, histree_quark quark,
				 struct attribute_range *near)
{
	if (!find_range(view_of(attributes), quark, near))
		return HISTREE_ROOT;
	uint32_t position = (quark - near->first) % near->size;
	struct group_member member;
	if (position == 0)
		return near->parent;
	return get_member(near, position, &member) ? quark - position + member.parent : HISTREE_ROOT;
}

static struct attribute_name view_name(const struct histree_attributes *attributes, histree_quark quark,
				       struct attribute_range *near)
{
	const struct attribute_view *view = view_of(attributes);
	struct group_member member;
	if (!find_range(view, quark, near))
		return (struct attribute_name){ .text = "" };
	uint32_t group = (quark - near->first) / near->size, position = (quark - near->first) % near->size;
	if (position == 0)
		return attribute_view_coded_name(view, near->name, group);
	return get_member(near, position, &member) ? attribute_view_coded_name(view, member.name, 0)
						   : (struct attribute_name){ .text = "" };
}

/* The next member of the group below the same parent, whose position is given; 0: there is no further member. */
static uint32_t next_member(const struct attribute_range *range, uint32_t position, uint32_t parent)
{
	struct byte_reader members = range->members;
	struct group_member member = { 0 };
	while (group_member_next(&members, range->size, &member))
		if (member.number > position && member.parent == parent)
			return member.number;
	return 0;
}

static histree_quark view_first_child(const struct histree_attributes *attributes, histree_quark parent,
				      struct attribute_range *near)
{
	const struct attribute_view *view = view_of(attributes);
	if (parent != HISTREE_ROOT && find_range(view, parent, near)) {
		uint32_t position = (parent - near->first) % near->size;
		uint32_t child = next_member(near, position, position);
		if (child != 0 || !near->late)
			return child != 0 ? parent - position + child : HISTREE_ROOT;
	}
	return oldest_late_child(view, parent, near);
}

/* The leader after the last one of a range, if it has the same parent. */
static histree_quark next_leader(const struct attribute_view *view, histree_quark last,
				 struct attribute_range *near)
{
	histree_quark parent = near->parent;
	if (near->next == 0 || near->next >= view->base.count - last)
		return HISTREE_ROOT;
	histree_quark next = last + near->next;
	if (!find_range(view, next, near) || near->first != next || near->parent != parent)
		return HISTREE_ROOT;
	return next;
}

static histree_quark view_next_sibling(const struct histree_attributes *attributes, histree_quark quark,
				       struct attribute_range *near)
{
	const struct attribute_view *view = view_of(attributes);
	struct group_member member;
	if (!find_range(view, quark, near))
		return HISTREE_ROOT;
	uint32_t position = (quark - near->first) % near->size;
	if (position == 0 && quark - near->first + near->size < near->count)
		return quark + near->size;
	if (position == 0)
		return next_leader(view, quark, near);
	if (!get_member(near, position, &member))
		return HISTREE_ROOT;
	uint32_t next = next_member(near, position, member.parent);
	if (next != 0 || !near->late)
		return next != 0 ? quark - position + next : HISTREE_ROOT;
	return oldest_late_child(view, quark - position + member.parent, near);
}

/* The child in the group of its parent, whose range is given; or HISTREE_ROOT. */
static histree_quark member_named(const struct attribute_view *view, const struct attribute_range *range,
				  histree_quark parent, const struct attribute_name *name)
{
	uint32_t position = (parent - range->first) % range->size;
	struct byte_reader members = range->members;
	struct group_member member = { 0 };
	while (group_member_next(&members, range->size, &member)) {
		if (member.parent != position)
			continue;
		struct attribute_name one = attribute_view_coded_name(view, member.name, 0);
		if (attribute_name_compare(&one, name) == 0)
			return parent - position + member.number;
	}
	return HISTREE_ROOT;
}

static histree_quark view_child(const struct histree_attributes *attributes, histree_quark parent,
				const struct attribute_name *name, struct attribute_near *near)
{
	const struct attribute_view *view = view_of(attributes);
	struct attribute_range any = { 0 }, *range = near != NULL ? &near->parent : &any;
	if (parent != HISTREE_ROOT && find_range(view, parent, range)) {
		histree_quark child = member_named(view, range, parent, name);
		if (child != HISTREE_ROOT || !range->late)
			return child;
	}
	return late_child(view, parent, name, near);
}

static bool view_is_folder(const struct histree_attributes *attributes, histree_quark quark)
{
	return folder_list_has(&view_of(attributes)->folders, quark);
}

static const struct attribute_source view_source = {
	.parent = view_parent,
	.name = view_name,
	.first_child = view_first_child,
	.next_sibling = view_next_sibling,
	.child = view_child,
	.is_folder = view_is_folder,
};

/* ---- opening -------------------------------------------------------------------------------------------- */

void attribute_view_init(struct attribute_view *view)
{
	*view = (struct attribute_view){ .base.source = &view_source };
}

void attribute_view_release(struct attribute_view *view)
{
	free(view->bytes);
	folder_list_release(&view->folders);
	attribute_view_init(view);
}

static bool read_parts(struct attribute_view *view, const uint8_t *footer)
{
	struct byte_reader reader = byte_reader(view->bytes, (size_t)(footer - view->bytes));
	uint32_t range_count = get_le32(footer + 12);
	view->texts = text_list_read(&reader, get_le64(footer + 16), get_le32(footer + 4));
	view->ranges = range_table_read(&reader, get_le64(footer + 32), range_count);
	view->shapes = text_list_read(&reader, get_le64(footer + 24), get_le32(footer + 8));
	view->order_width = range_count > 0 ? bits_needed(range_count - 1) : 0;
	view->order = read_bytes(&reader, (size_t)(((uint64_t)range_count * view->order_width + 7) / 8));
	return !reader.failed && byte_reader_left(&reader) == 0;
}

enum histree_status attribute_view_open(struct attribute_view *view, uint8_t *bytes, size_t size,
					struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	attribute_view_init(view);
	view->bytes = bytes;
	if (size < ATTRIBUTE_FOOTER_SIZE)
		status = error_set(error, HISTREE_ERR_FORMAT, "%zu bytes are too few", size);
	else if (!read_parts(view, bytes + size - ATTRIBUTE_FOOTER_SIZE))
		status = error_set(error, HISTREE_ERR_FORMAT, "its parts do not fit %zu bytes", size);
	else if (!range_table_ascends(&view->ranges))
		status =
			error_set(error, HISTREE_ERR_FORMAT, "its ranges are not in the order of their attributes");
	else
		view->base.count = get_le32(bytes + size - ATTRIBUTE_FOOTER_SIZE);
	if (view->base.count > ATTRIBUTE_COUNT_MAX)
		status = error_set(error, HISTREE_ERR_FORMAT, "%" PRIu32 " attributes are too many",
				   view->base.count);
	if (status != HISTREE_OK)
		attribute_view_release(view);
	return status;
}

/* ---- attribute copy ------------------------------------------------------------------------------------------ */

/* Of all attributes, as all have quarks of their own, the next one gets the next quark. */
static enum histree_status copy_attribute(const struct histree_attributes *attributes, histree_quark quark,
					  bool is_folder, struct attribute_tree *tree, histree_quark *quarks,
					  struct histree_error *error)
{
	char name[ATTRIBUTE_NAME_SIZE_MAX + 1];
	size_t size = histree_attributes_name(attributes, quark, name, sizeof(name));
	const histree_quark parent = histree_attributes_parent(attributes, quark), next = tree->base.count;
	enum histree_status status =
		parent != HISTREE_ROOT && parent >= quark
			? HISTREE_ERR_FORMAT
			: attribute_tree_add(tree, parent != HISTREE_ROOT ? quarks[parent] : HISTREE_ROOT, name,
					     size < sizeof(name) ? size : 0, &quarks[quark], error);
	if (status == HISTREE_OK && quarks[quark] == next) {
		if (is_folder)
			attribute_tree_make_folder(tree, next);
		return HISTREE_OK;
	}
	if (status == HISTREE_ERR_MEMORY)
		return status;
	return error_set(error, HISTREE_ERR_FORMAT, "attribute %" PRIu32 " has no name of its own", quark);
}

enum histree_status attribute_copy_some(const struct histree_attributes *attributes, const bool *wanted,
					struct attribute_tree *tree, histree_quark *quarks,
					struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (histree_quark quark = 0; quark < attributes->count; quark++)
		quarks[quark] = wanted == NULL || wanted[quark] ? 0 : HISTREE_ROOT;
	/* Parents are made before their children. */
	for (histree_quark quark = attributes->count; quark-- > 0;) {
		const histree_quark parent = histree_attributes_parent(attributes, quark);
		if (quarks[quark] != HISTREE_ROOT && parent != HISTREE_ROOT && parent < quark)
			quarks[parent] = 0;
	}
	attribute_tree_init(tree);
	for (histree_quark quark = 0; quark < attributes->count && status == HISTREE_OK; quark++) {
		const bool is_folder =
			(wanted != NULL && !wanted[quark]) || histree_attributes_is_folder(attributes, quark);
		if (quarks[quark] != HISTREE_ROOT)
			status = copy_attribute(attributes, quark, is_folder, tree, quarks, error);
	}
	if (status != HISTREE_OK) {
		attribute_tree_release(tree);
		attribute_tree_init(tree);
	}
	return status;
}

enum histree_status attribute_copy_to_tree(const struct histree_attributes *attributes, struct attribute_tree *tree,
					   struct histree_error *error)
{
	histree_quark *quarks = calloc((size_t)attributes->count + 1, sizeof(*quarks));
	attribute_tree_init(tree);
	const enum histree_status status = quarks != NULL
						   ? attribute_copy_some(attributes, NULL, tree, quarks, error)
						   : error_memory(error, "the names of attributes");
	free(quarks);
	return status;
}

struct section_bytes {
	uint8_t *bytes;
	size_t size, capacity;
};

static enum histree_status gather(void *context, const void *bytes, size_t size, struct histree_error *error)
{
	struct section_bytes *section = context;
	if (!array_reserve(&section->bytes, &section->capacity, section->size + size))
		return error_memory(error, "the names of attributes");
	memcpy(section->bytes + section->size, bytes, size);
	section->size += size;
	return HISTREE_OK;
}

enum histree_status attribute_copy_to_view(const struct attribute_tree *tree, struct attribute_view *view,
					   struct histree_error *error)
{
	struct section_bytes section = { 0 };
	const struct section_sink sink = { .write = gather, .context = &section };
	attribute_view_init(view);
	enum histree_status status = attribute_section_save(tree, &sink, error);
	if (status == HISTREE_OK)
		return attribute_view_open(view, section.bytes, section.size, error);
	free(section.bytes);
	return status;
}
