// SPDX-License-Identifier: MIT
/*
 * attributes.c - attributes: their public functions, which call the table of functions of their source; the bytes
 * of the finished section; and the tree that grows.
 *
 * In the tree attributes are never removed, quarks are dense and in the order of creation, and a hash index finds
 * a child by parent and name.
 */
#include "state/attributes.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "histree/attributes.h"
#include "histree/status.h"
#include "histree/value.h"

/* ---- texts ------------------------------------------------------------------------------------------- */

struct text_list text_list_read(struct byte_reader *reader, uint64_t size, uint32_t count)
{
	uint64_t block_count = ((uint64_t)count + TEXTS_IN_BLOCK - 1) / TEXTS_IN_BLOCK;
	return (struct text_list){ .blocks = block_directory_read(reader, size, block_count), .count = count };
}

struct byte_reader text_list_get(const struct text_list *list, uint64_t number)
{
	const struct byte_reader none = { .failed = true };
	if (number >= list->count)
		return none;
	uint64_t first = number / TEXTS_IN_BLOCK * TEXTS_IN_BLOCK;
	size_t count = list->count - first < TEXTS_IN_BLOCK ? (size_t)(list->count - first) : TEXTS_IN_BLOCK;
	struct byte_reader reader = block_directory_at(&list->blocks, number / TEXTS_IN_BLOCK);
	uint64_t min = read_varint(&reader);
	const uint8_t *width = read_bytes(&reader, 1);
	if (width == NULL || *width > 32 || min > UINT32_MAX)
		return none;
	const uint8_t *sizes = read_bytes(&reader, (count * *width + 7) / 8);
	if (sizes == NULL)
		return none;
	uint64_t before = (number - first) * min;
	for (size_t i = 0; *width > 0 && i < number - first; i++)
		before += bits_get(sizes, i * *width, *width);
	uint64_t size = min + bits_get(sizes, (size_t)(number - first) * *width, *width);
	read_bytes(&reader, (size_t)before);
	const uint8_t *text = read_bytes(&reader, (size_t)size);
	return text == NULL ? none : byte_reader(text, (size_t)size);
}

/* ---- ranges ------------------------------------------------------------------------------------------ */

struct range_table range_table_read(struct byte_reader *reader, uint64_t size, uint32_t count)
{
	uint64_t block_count = ((uint64_t)count + RANGES_IN_BLOCK - 1) / RANGES_IN_BLOCK;
	return (struct range_table){ .blocks = block_directory_read(reader, size, block_count), .count = count };
}

struct range_block {
	uint64_t base[RANGE_COLUMNS], step[RANGE_COLUMNS];
	const uint8_t *widths, *bits;
	unsigned rows;
};

static bool read_block(const struct range_table *table, uint32_t number, struct range_block *block)
{
	struct byte_reader reader = block_directory_at(&table->blocks, number);
	uint32_t left = table->count - number * RANGES_IN_BLOCK;
	block->rows = left < RANGES_IN_BLOCK ? left : RANGES_IN_BLOCK;
	for (unsigned column = 0; column < RANGE_COLUMNS; column++) {
		block->base[column] = read_varint(&reader);
		block->step[column] = read_varint(&reader);
	}
	block->widths = read_bytes(&reader, RANGE_COLUMNS);
	if (block->widths == NULL)
		return false;
	size_t width = 0;
	for (unsigned column = 0; column < RANGE_COLUMNS; column++) {
		if (block->widths[column] > 32 || block->base[column] > UINT32_MAX ||
		    block->step[column] > UINT32_MAX)
			return false;
		width += block->widths[column];
	}
	block->bits = read_bytes(&reader, (width * block->rows + 7) / 8);
	return block->bits != NULL;
}

/* The number in the column that begins at bit `at`; UINT64_MAX stands for no number. */
static uint64_t get_number(const struct range_block *block, enum range_column column, size_t at, unsigned row)
{
	unsigned width = block->widths[column];
	uint64_t number = block->base[column] + row * block->step[column] +
			  bits_get(block->bits, at + (size_t)row * width, width);
	return number <= UINT32_MAX ? number : UINT64_MAX;
}

/* The smallest `first` of a block, which is that of its first row. */
static uint64_t block_first(const struct range_table *table, uint32_t number)
{
	struct byte_reader reader = block_directory_at(&table->blocks, number);
	return read_varint(&reader);
}

bool range_table_get(const struct range_table *table, uint32_t number, struct range_row *row, uint32_t *after)
{
	struct range_block block;
	if (number >= table->count || !read_block(table, number / RANGES_IN_BLOCK, &block))
		return false;
	unsigned next = number % RANGES_IN_BLOCK + 1;
	if (next < block.rows)
		*after = (uint32_t)get_number(&block, RANGE_FIRST, 0, next);
	else
		*after = number + 1 == table->count ? UINT32_MAX
						    : (uint32_t)block_first(table, number / RANGES_IN_BLOCK + 1);
	size_t at = 0;
	for (unsigned column = 0; column < RANGE_COLUMNS; column++) {
		uint64_t value = get_number(&block, column, at, number % RANGES_IN_BLOCK);
		if (value == UINT64_MAX)
			return false;
		row->columns[column] = (uint32_t)value;
		at += (size_t)block.widths[column] * block.rows;
	}
	return true;
}

bool range_table_ascends(const struct range_table *table)
{
	uint64_t min = 0; /* that the next may be */
	for (uint32_t number = 0; number < table->count; number += RANGES_IN_BLOCK) {
		struct range_block block;
		if (!read_block(table, number / RANGES_IN_BLOCK, &block))
			return false;
		for (unsigned row = 0; row < block.rows; row++) {
			uint64_t first = get_number(&block, RANGE_FIRST, 0, row);
			if (first == UINT64_MAX || first < min || (min == 0 && first > 0))
				return false;
			min = first + 1;
		}
	}
	return true;
}

uint32_t range_table_find(const struct range_table *table, uint32_t quark)
{
	/* The first block that begins after it; likewise in the block. */
	const size_t blocks = ((size_t)table->count + RANGES_IN_BLOCK - 1) / RANGES_IN_BLOCK;
	const uint32_t low = (uint32_t)SEARCH(i, 0, blocks, block_first(table, (uint32_t)i) <= quark);
	struct range_block block;
	if (low == 0 || !read_block(table, low - 1, &block))
		return table->count;
	const uint32_t first =
		(uint32_t)SEARCH(i, 0, block.rows, get_number(&block, RANGE_FIRST, 0, (unsigned)i) <= quark);
	return first == 0 ? table->count : (low - 1) * RANGES_IN_BLOCK + first - 1;
}

/* ---- groups ------------------------------------------------------------------------------------------ */

bool group_member_next(struct byte_reader *members, uint32_t group_size, struct group_member *member)
{
	if (member->number + 1 >= group_size)
		return false;
	uint64_t parent = read_varint(members);
	uint64_t name = (uint64_t)member->name + 2 + (uint64_t)unzigzag(read_varint(members));
	if (members->failed || parent > member->number || name > UINT32_MAX)
		return false;
	*member = (struct group_member){ .number = member->number + 1,
					 .parent = (uint32_t)parent,
					 .name = (uint32_t)name };
	return true;
}

/* ---- attribute name ------------------------------------------------------------------------------------------ */

struct attribute_name attribute_name_number(uint32_t number)
{
	return (struct attribute_name){ .number = number };
}

struct attribute_name attribute_name(const char *text, size_t size)
{
	const struct attribute_name plain = { .text = text, .size = size };
	if (size == 0 || size > ATTRIBUTE_NUMBER_SIZE || (text[0] == '0' && size > 1))
		return plain;
	uint64_t number = 0;
	for (size_t at = 0; at < size; at++) {
		if (text[at] < '0' || text[at] > '9')
			return plain;
		number = number * 10 + (uint64_t)(text[at] - '0');
	}
	return number > ATTRIBUTE_NUMBER_MAX ? plain : attribute_name_number((uint32_t)number);
}

const char *attribute_name_text(const struct attribute_name *name, char room[ATTRIBUTE_NUMBER_SIZE], size_t *size)
{
	if (name->text != NULL) {
		*size = name->size;
		return name->text;
	}
	char *at = room + ATTRIBUTE_NUMBER_SIZE;
	uint32_t number = name->number;
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	*size = (size_t)(room + ATTRIBUTE_NUMBER_SIZE - at);
	return at;
}

int attribute_name_compare(const struct attribute_name *one, const struct attribute_name *other)
{
	if (one->text == NULL || other->text == NULL) {
		if (one->text != NULL || other->text != NULL)
			return one->text == NULL ? -1 : 1;
		return (one->number > other->number) - (one->number < other->number);
	}
	return bytes_order(one->text, one->size, other->text, other->size);
}

/* ---- attribute path ------------------------------------------------------------------------------------------ */

bool path_cut(const char **rest, struct path_component *component)
{
	const char *at = *rest;
	if (at == NULL)
		return false;
	bool escaped = false;
	for (; *at != '\0' && *at != '/'; at++) {
		if (*at != '\\')
			continue;
		escaped = true;
		if (at[1] != '\0')
			at++;
	}
	*component = (struct path_component){ .text = *rest, .size = (size_t)(at - *rest), .escaped = escaped };
	*rest = *at == '/' ? at + 1 : NULL;
	return true;
}

/*
 * Get the name that a component writes: inside the path if nothing is escaped there, else in `room`.  Returns
 * false if it is empty, too long, or has a backslash before anything but '/' and '\'.
 */
static bool path_component_name(const struct path_component *component, char room[ATTRIBUTE_NAME_SIZE_MAX],
				const char **name, size_t *size)
{
	if (component->escaped) {
		*name = room;
		const char *at = component->text;
		const char *end = at + component->size;
		for (*size = 0; at < end; (*size)++) {
			if (*size == ATTRIBUTE_NAME_SIZE_MAX)
				return false;
			if (*at == '\\') {
				at++;
				if (at == end || (*at != '/' && *at != '\\'))
					return false;
			}
			room[*size] = *at++;
		}
		return true;
	}
	*name = component->text;
	*size = component->size;
	return *size > 0 && *size <= ATTRIBUTE_NAME_SIZE_MAX;
}

enum histree_status path_check(const char *path, size_t *component_count, struct histree_error *error)
{
	char room[ATTRIBUTE_NAME_SIZE_MAX];
	struct path_component component;
	const char *name;
	size_t size;
	*component_count = 0;
	for (const char *rest = path; path_cut(&rest, &component); (*component_count)++) {
		if (path_component_name(&component, room, &name, &size))
			continue;
		if (component.size == 0)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "the path '%.200s' has an empty component; write 'A/B' for B below A",
					 path);
		if (component.size > ATTRIBUTE_NAME_SIZE_MAX)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "a component of the path '%.200s' has %zu bytes, the most is %d", path,
					 component.size, ATTRIBUTE_NAME_SIZE_MAX);
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "the path '%.200s' has a stray backslash; a slash inside a name is '\\/' and a "
				 "backslash '\\\\'",
				 path);
	}
	return HISTREE_OK;
}

/* ---- attributes ---------------------------------------------------------------------------------------------- */

static bool known(const struct histree_attributes *attributes, histree_quark quark)
{
	return quark < attributes->count;
}

uint32_t histree_attributes_count(const struct histree_attributes *attributes)
{
	return attributes->count;
}

/* ---- looking up ---------------------------------------------------------------------------------- */

enum histree_status histree_attributes_child(const struct histree_attributes *attributes, histree_quark parent,
					     const char *name, size_t name_size, histree_quark *out)
{
	*out = HISTREE_ROOT;
	if (parent != HISTREE_ROOT && !known(attributes, parent))
		return HISTREE_ERR_QUARK;
	struct attribute_name wanted = attribute_name(name, name_size);
	*out = attributes->source->child(attributes, parent, &wanted, NULL);
	return *out == HISTREE_ROOT ? HISTREE_NOT_FOUND : HISTREE_OK;
}

histree_quark attributes_child_near(const struct histree_attributes *attributes, histree_quark parent,
				    const char *name, size_t name_size, struct attribute_near *near)
{
	const struct attribute_name wanted = attribute_name(name, name_size);
	if (parent != HISTREE_ROOT && !known(attributes, parent))
		return HISTREE_ROOT;
	return attributes->source->child(attributes, parent, &wanted, near);
}

/* Apart, so that the look-up of a plain name has no room on its stack. */
static __attribute__((noinline)) enum histree_status escaped_child(const struct histree_attributes *attributes,
								   histree_quark parent,
								   const struct path_component *component,
								   histree_quark *out)
{
	char room[ATTRIBUTE_NAME_SIZE_MAX];
	const char *name;
	size_t size;
	if (!path_component_name(component, room, &name, &size))
		return HISTREE_ERR_ARGUMENT;
	return histree_attributes_child(attributes, parent, name, size, out);
}

enum histree_status histree_attributes_find(const struct histree_attributes *attributes, histree_quark from,
					    const char *path, histree_quark *out)
{
	*out = HISTREE_ROOT;
	histree_quark quark = from;
	struct path_component component;
	const char *rest = path;
	while (path_cut(&rest, &component)) {
		enum histree_status status;
		if (component.size == 0)
			return HISTREE_ERR_ARGUMENT;
		if (component.escaped)
			status = escaped_child(attributes, quark, &component, &quark);
		else
			status =
				histree_attributes_child(attributes, quark, component.text, component.size, &quark);
		if (status != HISTREE_OK)
			return status;
	}
	*out = quark;
	return HISTREE_OK;
}

bool histree_attributes_is_folder(const struct histree_attributes *attributes, histree_quark quark)
{
	return known(attributes, quark) && attributes->source->is_folder(attributes, quark);
}

/* ---- links ------------------------------------------------------------------------------------------- */

histree_quark histree_attributes_parent(const struct histree_attributes *attributes, histree_quark quark)
{
	struct attribute_range near = { 0 };
	return known(attributes, quark) ? attributes->source->parent(attributes, quark, &near) : HISTREE_ROOT;
}

static bool is_called(const struct histree_attributes *attributes, histree_quark quark, const char *name)
{
	char own[16];
	const size_t size = histree_attributes_name(attributes, quark, own, sizeof(own));
	return size == strlen(name) && memcmp(own, name, size) == 0;
}

/* Of "614", and of "614 (life 1)", where each thread that had the number has a row; else 0. */
static int32_t thread_number(const struct histree_attributes *attributes, histree_quark quark)
{
	static const char life[] = " (life ";
	char name[48], *end;
	const size_t size = histree_attributes_name(attributes, quark, name, sizeof(name));
	if (size == 0 || size >= sizeof(name) || name[0] < '1' || name[0] > '9')
		return 0;
	const long tid = strtol(name, &end, 10);
	return tid <= INT32_MAX && (*end == '\0' || strncmp(end, life, sizeof(life) - 1) == 0) ? (int32_t)tid : 0;
}

/* In a trace of spans, who has a name in the place of a number is -1, -2, ...; else 0. */
static int32_t number_of_spans(const struct histree_attributes *attributes, histree_quark quark)
{
	char name[16], *end;
	const size_t size = histree_attributes_name(attributes, quark, name, sizeof(name));
	if (size == 0 || size >= sizeof(name) || strspn(name, "-0123456789") != size)
		return 0;
	const long number = strtol(name, &end, 10);
	return *end == '\0' && number >= INT32_MIN && number <= INT32_MAX ? (int32_t)number : 0;
}

int32_t histree_attributes_thread(const struct histree_attributes *attributes, histree_quark quark)
{
	histree_quark folder = histree_attributes_parent(attributes, quark);
	int32_t tid = 0;
	while (folder != HISTREE_ROOT && tid == 0) {
		const histree_quark above = histree_attributes_parent(attributes, folder);
		if (is_called(attributes, folder, "Threads") ||
		    (above != HISTREE_ROOT && is_called(attributes, above, "CPUs")))
			tid = thread_number(attributes, quark);
		else if (above != HISTREE_ROOT && is_called(attributes, above, "Processes"))
			tid = number_of_spans(attributes, quark);
		quark = folder;
		folder = above;
	}
	return tid;
}

int32_t attributes_process(const struct histree_attributes *attributes, histree_quark quark)
{
	for (histree_quark above; quark != HISTREE_ROOT; quark = above) {
		above = histree_attributes_parent(attributes, quark);
		if (above != HISTREE_ROOT && is_called(attributes, above, "Processes"))
			return number_of_spans(attributes, quark);
	}
	return 0;
}

histree_quark histree_attributes_first_child(const struct histree_attributes *attributes, histree_quark parent)
{
	struct attribute_range near = { 0 };
	if (parent != HISTREE_ROOT && !known(attributes, parent))
		return HISTREE_ROOT;
	return attributes->source->first_child(attributes, parent, &near);
}

histree_quark histree_attributes_next_sibling(const struct histree_attributes *attributes, histree_quark quark)
{
	struct attribute_range near = { 0 };
	return known(attributes, quark) ? attributes->source->next_sibling(attributes, quark, &near) : HISTREE_ROOT;
}

histree_quark histree_attributes_next_below(const struct histree_attributes *attributes, histree_quark top,
					    histree_quark quark)
{
	histree_quark next = histree_attributes_first_child(attributes, quark);
	while (next == HISTREE_ROOT && quark != top) {
		next = histree_attributes_next_sibling(attributes, quark);
		quark = histree_attributes_parent(attributes, quark);
	}
	return next;
}

size_t histree_attributes_children(const struct histree_attributes *attributes, histree_quark parent,
				   histree_quark after, histree_quark *children, size_t room)
{
	const struct attribute_source *source = attributes->source;
	struct attribute_range near = { 0 };
	histree_quark child = HISTREE_ROOT;
	size_t count = 0;
	if (known(attributes, after) && source->parent(attributes, after, &near) == parent)
		child = source->next_sibling(attributes, after, &near);
	else if (after == HISTREE_ROOT && (parent == HISTREE_ROOT || known(attributes, parent)))
		child = source->first_child(attributes, parent, &near);
	for (; child != HISTREE_ROOT && count < room; child = source->next_sibling(attributes, child, &near))
		children[count++] = child;
	return count;
}

histree_quark attributes_next(const struct histree_attributes *attributes, histree_quark top, histree_quark quark,
			      struct attribute_range *near)
{
	const struct attribute_source *source = attributes->source;
	histree_quark child = source->first_child(attributes, quark, near);
	if (child != HISTREE_ROOT)
		return child;
	for (; quark != top; quark = source->parent(attributes, quark, near)) {
		histree_quark sibling = source->next_sibling(attributes, quark, near);
		if (sibling != HISTREE_ROOT)
			return sibling;
	}
	return HISTREE_ROOT;
}

/* ---- names and paths ----------------------------------------------------------------------------------- */

size_t histree_attributes_name(const struct histree_attributes *attributes, histree_quark quark, char *buffer,
			       size_t capacity)
{
	struct attribute_range near = { 0 };
	struct attribute_name name = { .text = "" };
	if (known(attributes, quark))
		name = attributes->source->name(attributes, quark, &near);
	char room[ATTRIBUTE_NUMBER_SIZE];
	size_t size;
	const char *text = attribute_name_text(&name, room, &size);
	if (capacity > 0) {
		size_t fits = size < capacity ? size : capacity - 1;
		memcpy(buffer, text, fits);
		buffer[fits] = '\0';
	}
	return size;
}

static bool needs_escape(char character)
{
	return character == '/' || character == '\\';
}

static size_t escaped_size(const char *name, size_t size)
{
	size_t escaped = size;
	for (size_t at = 0; at < size; at++)
		escaped += needs_escape(name[at]);
	return escaped;
}

/* A text that is written from its end to its start, of which only the first `room` bytes are kept. */
struct backward_text {
	char *buffer;
	size_t at, room;
};

static void put_before(struct backward_text *text, char character)
{
	if (--text->at < text->room)
		text->buffer[text->at] = character;
}

static void put_name_before(struct backward_text *text, const char *name, size_t size)
{
	while (size-- > 0) {
		put_before(text, name[size]);
		if (needs_escape(name[size]))
			put_before(text, '\\');
	}
}

size_t histree_attributes_path(const struct histree_attributes *attributes, histree_quark quark, char *buffer,
			       size_t capacity)
{
	const struct attribute_source *source = attributes->source;
	struct attribute_range near = { 0 };
	char room[ATTRIBUTE_NUMBER_SIZE];
	size_t length = 0, size;
	for (histree_quark at = quark; known(attributes, at); at = source->parent(attributes, at, &near)) {
		struct attribute_name name = source->name(attributes, at, &near);
		const char *text = attribute_name_text(&name, room, &size);
		length += escaped_size(text, size) + (at != quark);
	}
	if (capacity == 0)
		return length;

	struct backward_text text = { .buffer = buffer, .at = length, .room = capacity - 1 };
	for (histree_quark at = quark; known(attributes, at); at = source->parent(attributes, at, &near)) {
		struct attribute_name name = source->name(attributes, at, &near);
		const char *component = attribute_name_text(&name, room, &size);
		if (at != quark)
			put_before(&text, '/');
		put_name_before(&text, component, size);
	}
	buffer[length < capacity ? length : capacity - 1] = '\0';
	return length;
}

/* ---- errors ------------------------------------------------------------------------------------------- */

enum histree_status attributes_check(const struct histree_attributes *attributes, histree_quark quark,
				     struct histree_error *error)
{
	if (known(attributes, quark))
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_QUARK, "no attribute has the quark %u; there are %u", quark,
			 attributes->count);
}

void attributes_prefix(const struct histree_attributes *attributes, histree_quark quark,
		       struct histree_error *error)
{
	char path[160];
	if (error == NULL)
		return;
	size_t length = histree_attributes_path(attributes, quark, path, sizeof(path));
	error_prefix(error, "attribute '%s%s'", path, length < sizeof(path) ? "" : "...");
}

/* ---- attribute tree ------------------------------------------------------------------------------------------ */

static_assert(HISTREE_ROOT == HASH_INDEX_NONE, "what the index does not find is no attribute");

/* So many children are found by going through them: they are near one another in memory, as a rule. */
enum { FAMILY_MAX = 8, ATTRIBUTES_PER_LOOK = 2048 };

static const struct attribute no_attribute = {
	.parent = HISTREE_ROOT,
	.name = INTERN_NONE,
	.first_child = HISTREE_ROOT,
	.next_sibling = HISTREE_ROOT,
};

/* ---- reading --------------------------------------------------------------------------------------- */

static const struct attribute_tree *tree_of(const struct histree_attributes *attributes)
{
	return (const struct attribute_tree *)attributes;
}

static histree_quark tree_parent(const struct histree_attributes *attributes, histree_quark quark,
				 struct attribute_range *near)
{
	(void)near;
	assert(quark < tree_of(attributes)->base.count);
	assert(tree_of(attributes)->attributes[quark].parent == HISTREE_ROOT ||
	       tree_of(attributes)->attributes[quark].parent < quark);
	return tree_of(attributes)->attributes[quark].parent;
}

struct attribute_name attribute_tree_name(const struct attribute_tree *tree, histree_quark quark)
{
	assert(quark < tree->base.count);
	uint32_t name = tree->attributes[quark].name;
	if ((name & ATTRIBUTE_IS_NUMBER) != 0)
		return attribute_name_number(name - ATTRIBUTE_IS_NUMBER);
	struct attribute_name text;
	text.text = intern_get(&tree->texts, name, &text.size);
	text.number = 0;
	return text;
}

static struct attribute_name tree_name(const struct histree_attributes *attributes, histree_quark quark,
				       struct attribute_range *near)
{
	(void)near;
	return attribute_tree_name(tree_of(attributes), quark);
}

static histree_quark tree_first_child(const struct histree_attributes *attributes, histree_quark parent,
				      struct attribute_range *near)
{
	(void)near;
	const struct attribute_tree *tree = tree_of(attributes);
	return parent == HISTREE_ROOT ? tree->root.first_child : tree->attributes[parent].first_child;
}

static histree_quark tree_next_sibling(const struct histree_attributes *attributes, histree_quark quark,
				       struct attribute_range *near)
{
	(void)near;
	assert(quark < tree_of(attributes)->base.count);
	return tree_of(attributes)->attributes[quark].next_sibling;
}

struct child_key {
	histree_quark parent;
	uint32_t name;
};

static bool is_child(const void *attributes, uint32_t quark, const void *key)
{
	const struct attribute *attribute = (const struct attribute *)attributes + quark;
	const struct child_key *child = key;
	return attribute->parent == child->parent && attribute->name == child->name;
}

static uint64_t hash_of_child(histree_quark parent, uint32_t name)
{
	return hash_mix((uint64_t)parent << 32 | name);
}

static uint64_t hash_of_attribute(const void *attributes, uint32_t quark)
{
	const struct attribute *attribute = (const struct attribute *)attributes + quark;
	return hash_of_child(attribute->parent, attribute->name);
}

/* Returns the child with that name, or HISTREE_ROOT. */
static histree_quark find_child(const struct attribute_tree *tree, histree_quark parent, uint32_t name)
{
	const struct attribute *above = parent == HISTREE_ROOT ? &tree->root : &tree->attributes[parent];
	if (above->is_indexed) {
		uint64_t hash = hash_of_child(parent, name);
		return hash_index_find(&tree->children, hash, is_child, tree->attributes,
				       &(struct child_key){ parent, name });
	}
	histree_quark child = above->first_child;
	while (child != HISTREE_ROOT && tree->attributes[child].name != name)
		child = tree->attributes[child].next_sibling;
	return child;
}

static uint32_t find_name(const struct attribute_tree *tree, const struct attribute_name *name)
{
	return name->text == NULL ? name->number | ATTRIBUTE_IS_NUMBER
				  : intern_find(&tree->texts, name->text, name->size);
}

static histree_quark tree_child(const struct histree_attributes *attributes, histree_quark parent,
				const struct attribute_name *name, struct attribute_near *near)
{
	(void)near;
	const struct attribute_tree *tree = tree_of(attributes);
	uint32_t known_name = find_name(tree, name);
	return known_name == INTERN_NONE ? HISTREE_ROOT : find_child(tree, parent, known_name);
}

static bool tree_is_folder(const struct histree_attributes *attributes, histree_quark quark)
{
	return tree_of(attributes)->attributes[quark].is_folder;
}

static const struct attribute_source tree_source = {
	.parent = tree_parent,
	.name = tree_name,
	.first_child = tree_first_child,
	.next_sibling = tree_next_sibling,
	.child = tree_child,
	.is_folder = tree_is_folder,
};

void attribute_tree_make_folder(struct attribute_tree *tree, histree_quark quark)
{
	assert(quark < tree->base.count);
	tree->attributes[quark].is_folder = true;
}

void attribute_tree_init(struct attribute_tree *tree)
{
	*tree = (struct attribute_tree){ .base.source = &tree_source, .root = no_attribute };
}

void attribute_tree_use_space(struct attribute_tree *tree, struct table_space *space)
{
	tree->table.space = tree->children.table.space = space;
	intern_use_space(&tree->texts, space);
}

void attribute_tree_release(struct attribute_tree *tree)
{
	intern_release(&tree->texts);
	table_release(&tree->table, tree->attributes);
	hash_index_release(&tree->children);
	attribute_tree_init(tree);
}

/* ---- growing --------------------------------------------------------------------------------------- */

/* Room for `more` attributes. */
static enum histree_status reserve(struct attribute_tree *tree, size_t more, struct histree_error *error)
{
	if (more > ATTRIBUTE_COUNT_MAX - tree->base.count)
		return error_set(error, HISTREE_ERR_TOO_LARGE, "a history has %d attributes at most",
				 ATTRIBUTE_COUNT_MAX);
	/* Each of them may be the one that makes a family large. */
	size_t indexed = tree->children.count + more * (FAMILY_MAX + 1);
	if (!table_reserve(&tree->table, &tree->attributes, &tree->capacity, tree->base.count + more) ||
	    !hash_index_reserve(&tree->children, indexed, hash_of_attribute, tree->attributes))
		return error_memory(error, "the attribute tree");
	return HISTREE_OK;
}

static void index_attribute(struct attribute_tree *tree, histree_quark quark)
{
	hash_index_add(&tree->children, hash_of_attribute(tree->attributes, quark), quark);
}

/* ---- families that are counted ----------------------------------------------------------------------- */

/* Returns NULL if the children of `parent` are not counted. */
static struct counted_family *attribute_tree_counted_family(struct attribute_tree *tree, histree_quark parent)
{
	for (unsigned i = 0; i < tree->counted_count; i++)
		if (tree->counted[i].parent == parent)
			return &tree->counted[i];
	return NULL;
}

static inline void count_child(struct counted_family *family, uint32_t name)
{
	if ((name & ATTRIBUTE_IS_NUMBER) != 0 && name > family->greatest)
		family->greatest = name;
}

static void count_children(struct attribute_tree *tree, histree_quark parent, histree_quark first)
{
	if (tree->counted_count == COUNTED_FAMILIES)
		return;
	struct counted_family *family = &tree->counted[tree->counted_count++];
	*family = (struct counted_family){ .parent = parent };
	for (histree_quark child = first; child != HISTREE_ROOT; child = tree->attributes[child].next_sibling)
		count_child(family, tree->attributes[child].name);
}

/* ------------------------------------------------------------------------------------------------------- */

/* A child was added to a family that is not in the index. */
static void index_if_many(struct attribute_tree *tree, histree_quark parent, struct attribute *above)
{
	unsigned count = 0;
	for (histree_quark child = above->first_child; child != HISTREE_ROOT;
	     child = tree->attributes[child].next_sibling)
		count++;
	if (count <= FAMILY_MAX)
		return;
	assert(!above->is_indexed && above->first_child != HISTREE_ROOT);
	above->is_indexed = true;
	count_children(tree, parent, above->first_child);
	for (histree_quark child = above->first_child; child != HISTREE_ROOT;
	     child = tree->attributes[child].next_sibling)
		index_attribute(tree, child);
}

/* The attribute with that name; if it is new, its room was reserved. */
static histree_quark find_or_append(struct attribute_tree *tree, histree_quark parent, uint32_t name)
{
	assert(parent == HISTREE_ROOT || parent < tree->base.count);
	assert(name != INTERN_NONE);
	struct counted_family *family = attribute_tree_counted_family(tree, parent);
	bool is_beyond = family != NULL && (name & ATTRIBUTE_IS_NUMBER) != 0 && name > family->greatest;
	histree_quark known = is_beyond ? HISTREE_ROOT : find_child(tree, parent, name);
	if (known != HISTREE_ROOT)
		return known;
	if (family != NULL)
		count_child(family, name);
	assert(tree->base.count < tree->capacity); /* a caller reserved it */
	histree_quark quark = tree->base.count++;
	tree->attributes[quark] = no_attribute;
	tree->attributes[quark].parent = parent;
	tree->attributes[quark].name = name;

	struct attribute *above = parent == HISTREE_ROOT ? &tree->root : &tree->attributes[parent];
	assert(above->first_child == HISTREE_ROOT || tree->attributes[above->last_child].parent == parent);
	if (above->first_child == HISTREE_ROOT)
		above->first_child = quark;
	else
		tree->attributes[above->last_child].next_sibling = quark;
	above->last_child = quark & (ATTRIBUTE_COUNT_MAX - 1); /* which it is below */
	if (above->is_indexed)
		index_attribute(tree, quark);
	else
		index_if_many(tree, parent, above);
	if (quark % ATTRIBUTES_PER_LOOK == 0)
		table_space_look(tree->table.space);
	return quark;
}

/* INTERN_NONE when memory runs out. */
static uint32_t add_name(struct attribute_tree *tree, const struct attribute_name *name)
{
	return name->text == NULL ? name->number | ATTRIBUTE_IS_NUMBER
				  : intern_add(&tree->texts, name->text, name->size);
}

static enum histree_status check_parent(const struct attribute_tree *tree, histree_quark parent,
					struct histree_error *error)
{
	return parent == HISTREE_ROOT ? HISTREE_OK : attributes_check(&tree->base, parent, error);
}

enum histree_status attribute_tree_add(struct attribute_tree *tree, histree_quark parent, const char *name,
				       size_t name_size, histree_quark *out, struct histree_error *error)
{
	*out = HISTREE_ROOT;
	enum histree_status status = check_parent(tree, parent, error);
	if (status != HISTREE_OK)
		return status;
	if (name_size == 0 || name_size > ATTRIBUTE_NAME_SIZE_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a name of %zu bytes; an attribute's has 1 to %d",
				 name_size, ATTRIBUTE_NAME_SIZE_MAX);
	status = reserve(tree, 1, error);
	if (status != HISTREE_OK)
		return status;
	struct attribute_name wanted = attribute_name(name, name_size);
	uint32_t added = add_name(tree, &wanted);
	if (added == INTERN_NONE)
		return error_memory(error, "the name of an attribute");
	*out = find_or_append(tree, parent, added);
	return HISTREE_OK;
}

enum histree_status attribute_tree_add_path(struct attribute_tree *tree, histree_quark from, const char *path,
					    histree_quark *out, struct histree_error *error)
{
	char room[ATTRIBUTE_NAME_SIZE_MAX];
	struct path_component component;
	const char *text;
	size_t size, component_count;

	*out = HISTREE_ROOT;
	enum histree_status status = check_parent(tree, from, error);
	if (status == HISTREE_OK)
		status = path_check(path, &component_count, error);
	if (status == HISTREE_OK)
		status = reserve(tree, component_count, error);
	if (status != HISTREE_OK)
		return status;

	/* All that can fail comes before the first attribute of the path is made. */
	for (const char *rest = path; path_cut(&rest, &component);) {
		bool understood = path_component_name(&component, room, &text, &size);
		struct attribute_name name = attribute_name(text, size);
		if (!understood || add_name(tree, &name) == INTERN_NONE)
			return error_memory(error, "the name of an attribute");
	}
	histree_quark quark = from;
	for (const char *rest = path; path_cut(&rest, &component);)
		if (path_component_name(&component, room, &text, &size)) {
			struct attribute_name name = attribute_name(text, size);
			quark = find_or_append(tree, quark, find_name(tree, &name));
		}
	*out = quark;
	return HISTREE_OK;
}
