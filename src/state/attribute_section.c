// SPDX-License-Identifier: MIT
#include "state/attribute_section.h"

#include <stdlib.h>

#include "base/array.h"
#include "state/attribute_run.h"
#include "state/run_order.h"
#include "state/run_table.h"
#include "state/text_list.h"

/* ---- runs ------------------------------------------------------------------------------------------ */

struct group {
	histree_quark head;
	uint32_t size, shape;
};

struct cutter {
	const struct attribute_tree *tree;
	struct section_writer *writer;
	struct intern shapes;
	struct group next; /* the one that was cut but is not in a run yet; size 0: none is left */
};

static bool is_number(const struct attribute_tree *tree, histree_quark quark)
{
	return (tree->attributes[quark].name & ATTRIBUTE_IS_NUMBER) != 0;
}

/* As attribute_run.h says. */
static uint32_t coded_name(const struct attribute_tree *tree, histree_quark quark)
{
	uint32_t name = tree->attributes[quark].name;
	return is_number(tree, quark) ? (name - ATTRIBUTE_IS_NUMBER) * 2 : name * 2 + 1;
}

/* Cut the group whose head is the attribute `head`, if there is one. */
static struct group cut_group(struct cutter *cutter, histree_quark head)
{
	const struct attribute_tree *tree = cutter->tree;
	struct group group = { .head = head };
	if (head >= tree->base.count)
		return group;
	/* The number of members comes first, and takes one byte. */
	uint8_t shape[1 + GROUP_SIZE_MAX * 2 * VARINT_SIZE_MAX], *at = shape + 1;
	int64_t name_before = 0;
	histree_quark quark = head + 1;
	for (; quark < tree->base.count && quark - head < GROUP_SIZE_MAX; quark++) {
		histree_quark parent = tree->attributes[quark].parent;
		if (parent == HISTREE_ROOT || parent < head || (parent == head && is_number(tree, quark)))
			break;
		uint32_t name = coded_name(tree, quark);
		at = put_varint(at, parent - head);
		at = put_varint(at, zigzag(name - name_before - 2));
		name_before = name;
	}
	group.size = quark - head;
	shape[0] = (uint8_t)(group.size - 1);
	group.shape = intern_add(&cutter->shapes, shape, (size_t)(at - shape));
	if (group.shape == INTERN_NONE)
		section_writer_no_memory(cutter->writer);
	return group;
}

/* Whether a group goes on with the run, whose last head is `before`. */
static bool continues(const struct attribute_tree *tree, histree_quark before, const struct group *group,
		      uint32_t shape)
{
	if (group->size == 0 || group->shape != shape || !is_number(tree, group->head) || !is_number(tree, before))
		return false;
	const struct attribute *head = &tree->attributes[group->head], *last = &tree->attributes[before];
	return head->parent == last->parent && head->name == last->name + 1;
}

static bool has_late_child(const struct attribute_tree *tree, const struct group *group)
{
	for (histree_quark quark = group->head; quark < group->head + group->size; quark++) {
		histree_quark youngest = tree->attributes[quark].last_child;
		if (youngest != HISTREE_ROOT && youngest >= group->head + group->size)
			return true;
	}
	return false;
}

/* The run that begins with the group that was cut; false if there is none. */
static bool cut_run(struct cutter *cutter, struct run_row *row)
{
	const struct attribute_tree *tree = cutter->tree;
	struct group first = cutter->next;
	if (first.size == 0)
		return false;
	histree_quark last = first.head;
	uint32_t groups = 1;
	bool late = has_late_child(tree, &first);
	cutter->next = cut_group(cutter, last + first.size);
	for (; continues(tree, last, &cutter->next, first.shape); groups++) {
		last = cutter->next.head;
		late = late || has_late_child(tree, &cutter->next);
		cutter->next = cut_group(cutter, last + first.size);
	}
	const struct attribute *head = &tree->attributes[first.head];
	histree_quark sibling = tree->attributes[last].next_sibling;
	*row = (struct run_row){ .columns = {
					 [RUN_FIRST] = first.head,
					 [RUN_GROUPS] = groups - 1,
					 [RUN_PARENT] = head->parent + 1, /* HISTREE_ROOT is the greatest number */
					 [RUN_SHAPE] = first.shape,
					 [RUN_NAME] = coded_name(tree, first.head),
					 [RUN_NEXT] = sibling == HISTREE_ROOT ? 0 : sibling - last,
					 [RUN_LATE] = late,
				 } };
	return true;
}

/* The heads of the first groups of the runs. */
struct heads {
	histree_quark *quarks;
	size_t count, capacity;
};

/* Write the table of runs; the shapes are known after it.  Returns the size of the blocks. */
static uint64_t save_runs(struct cutter *cutter, struct heads *heads)
{
	struct run_table_writer table = run_table_writer(cutter->writer);
	struct run_row row;
	cutter->next = cut_group(cutter, 0);
	while (cutter->writer->status == HISTREE_OK && cut_run(cutter, &row)) {
		if (!array_reserve(&heads->quarks, &heads->capacity, heads->count + 1)) {
			section_writer_no_memory(cutter->writer);
			break;
		}
		heads->quarks[heads->count++] = row.columns[RUN_FIRST];
		run_table_writer_add(&table, &row);
	}
	return run_table_writer_finish(&table);
}

/* ---- the section ------------------------------------------------------------------------------------- */

static void save_order(const struct attribute_tree *tree, const struct heads *heads, struct section_writer *writer)
{
	struct bit_buffer bits = { 0 };
	if (!run_order_pack(tree, heads->quarks, (uint32_t)heads->count, &bits))
		section_writer_no_memory(writer);
	else
		section_writer_put(writer, bits.bytes, (bits.bits + 7) / 8);
	bit_buffer_release(&bits);
}

enum histree_status attribute_section_save(const struct attribute_tree *tree, const struct section_sink *sink,
					   struct histree_error *error)
{
	struct section_writer writer;
	enum histree_status status = section_writer_init(&writer, sink, error);
	if (status != HISTREE_OK)
		return status;
	struct cutter cutter = { .tree = tree, .writer = &writer };
	struct heads heads = { 0 };
	uint8_t footer[ATTRIBUTE_FOOTER_SIZE];
	put_le64(footer + 16, text_list_save(&tree->texts, &writer));
	put_le64(footer + 32, save_runs(&cutter, &heads));
	put_le64(footer + 24, text_list_save(&cutter.shapes, &writer));
	save_order(tree, &heads, &writer);
	put_le32(footer, tree->base.count);
	put_le32(footer + 4, tree->texts.count);
	put_le32(footer + 8, cutter.shapes.count);
	put_le32(footer + 12, (uint32_t)heads.count);
	section_writer_put(&writer, footer, sizeof(footer));
	free(heads.quarks);
	intern_release(&cutter.shapes);
	return section_writer_finish(&writer);
}
