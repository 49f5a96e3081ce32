// SPDX-License-Identifier: MIT
#include "state/attribute_view.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "state/attribute_section.h"

static const struct attribute_view *view_of(const struct histree_attributes *attributes)
{
	return (const struct attribute_view *)attributes;
}

/* ---- runs -------------------------------------------------------------------------------------------- */

/* Run `number`; one without attributes if there is none, or it makes no sense. */
static void get_run(const struct attribute_view *view, uint32_t number, struct attribute_run *run)
{
	struct run_row row;
	uint32_t after;
	*run = (struct attribute_run){ 0 };
	if (!run_table_get(&view->runs, number, &row, &after))
		return;
	if (after > view->base.count)
		after = view->base.count;
	struct byte_reader members = text_list_get(&view->shapes, row.columns[RUN_SHAPE]);
	uint64_t size = read_varint(&members) + 1, groups = (uint64_t)row.columns[RUN_GROUPS] + 1;
	uint32_t first = row.columns[RUN_FIRST], name = row.columns[RUN_NAME];
	histree_quark parent = row.columns[RUN_PARENT] - 1;
	if (members.failed || size > GROUP_SIZE_MAX || first + groups * size != after ||
	    (parent != HISTREE_ROOT && parent >= first))
		return;
	/* Names count up as long as they are numbers; there is but one group with a text. */
	if ((name & 1) != 0 ? groups > 1 : groups - 1 > ATTRIBUTE_NUMBER_MAX - name / 2)
		return;
	*run = (struct attribute_run){
		.number = number,
		.first = first,
		.parent = parent,
		.count = (uint32_t)(groups * size),
		.size = (uint32_t)size,
		.name = name,
		.next = row.columns[RUN_NEXT],
		.late = row.columns[RUN_LATE] != 0,
		.members = members,
	};
}

static bool is_in(const struct attribute_run *run, histree_quark quark)
{
	return quark - run->first < run->count;
}

/* Make `near` the run of an attribute; false if no run has it. */
static bool find_run(const struct attribute_view *view, histree_quark quark, struct attribute_run *near)
{
	if (is_in(near, quark))
		return true;
	if (near->count > 0 && quark == near->first + near->count)
		get_run(view, near->number + 1, near);
	if (!is_in(near, quark))
		get_run(view, run_table_find(&view->runs, quark), near);
	return is_in(near, quark);
}

static bool get_member(const struct attribute_run *run, uint32_t number, struct group_member *member)
{
	struct byte_reader members = run->members;
	*member = (struct group_member){ 0 };
	while (member->number < number)
		if (!group_member_next(&members, run->size, member))
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

/* The name that a code of attribute_run.h stands for, or that of a head so many groups after. */
static struct attribute_name coded_name(const struct attribute_view *view, uint32_t name, uint32_t group)
{
	return (name & 1) == 0 ? attribute_name_number(name / 2 + group) : text_name(view, name / 2);
}

/* ---- children in the order of names -------------------------------------------------------------------- */

/* The run at a place of the order; UINT32_MAX if what is there makes no sense. */
static uint32_t row_at(const struct attribute_view *view, uint32_t place, struct run_row *row)
{
	uint64_t number = bits_get(view->order, (size_t)place * view->order_width, view->order_width);
	uint32_t after;
	if (number >= view->runs.count || !run_table_get(&view->runs, (uint32_t)number, row, &after))
		return UINT32_MAX;
	return (uint32_t)number;
}

/* The first place in the order that has a run of this parent, which may be none. */
static uint32_t find_oldest(const struct attribute_view *view, histree_quark parent)
{
	uint32_t low = 0, high = view->runs.count;
	struct run_row row;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (row_at(view, middle, &row) == UINT32_MAX)
			return view->runs.count;
		if (row.columns[RUN_PARENT] < parent + 1)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The last place from `oldest` + 1 on that has a run of this parent which does not begin after the name, or
 * `oldest`.
 */
static uint32_t find_named(const struct attribute_view *view, uint32_t oldest, histree_quark parent,
			   const struct attribute_name *name)
{
	uint32_t low = oldest + 1, high = view->runs.count;
	struct run_row row;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (row_at(view, middle, &row) == UINT32_MAX)
			return oldest;
		struct attribute_name first = coded_name(view, row.columns[RUN_NAME], 0);
		if (row.columns[RUN_PARENT] == parent + 1 && attribute_name_compare(&first, name) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

/* The head with that name in the run at a place of the order, or HISTREE_ROOT. */
static histree_quark head_named(const struct attribute_view *view, uint32_t place, histree_quark parent,
				const struct attribute_name *name)
{
	struct run_row row;
	struct attribute_run run;
	uint32_t number = row_at(view, place, &row);
	if (number == UINT32_MAX || row.columns[RUN_PARENT] != parent + 1)
		return HISTREE_ROOT;
	get_run(view, number, &run);
	struct attribute_name head = coded_name(view, run.name, 0);
	uint32_t group = head.text == NULL && name->text == NULL ? name->number - head.number : 0;
	if (run.count == 0 || group >= run.count / run.size)
		return HISTREE_ROOT;
	head = coded_name(view, run.name, group);
	return attribute_name_compare(&head, name) == 0 ? run.first + group * run.size : HISTREE_ROOT;
}

/* A child that is a head. */
static histree_quark late_child(const struct attribute_view *view, histree_quark parent,
				const struct attribute_name *name)
{
	uint32_t oldest = find_oldest(view, parent);
	if (oldest == view->runs.count)
		return HISTREE_ROOT;
	histree_quark found = head_named(view, oldest, parent, name);
	if (found != HISTREE_ROOT)
		return found;
	uint32_t place = find_named(view, oldest, parent, name);
	return place > oldest ? head_named(view, place, parent, name) : HISTREE_ROOT;
}

/* The oldest child that is a head; `near` is then its run. */
static histree_quark oldest_late_child(const struct attribute_view *view, histree_quark parent,
				       struct attribute_run *near)
{
	struct run_row row;
	uint32_t place = find_oldest(view, parent);
	uint32_t number = place < view->runs.count ? row_at(view, place, &row) : UINT32_MAX;
	if (number == UINT32_MAX || row.columns[RUN_PARENT] != parent + 1)
		return HISTREE_ROOT;
	get_run(view, number, near);
	return near->count > 0 ? near->first : HISTREE_ROOT;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

static histree_quark view_parent(const struct histree_attributes *attributes, histree_quark quark,
				 struct attribute_run *near)
{
	if (!find_run(view_of(attributes), quark, near))
		return HISTREE_ROOT;
	uint32_t place = (quark - near->first) % near->size;
	struct group_member member;
	if (place == 0)
		return near->parent;
	return get_member(near, place, &member) ? quark - place + member.parent : HISTREE_ROOT;
}

static struct attribute_name view_name(const struct histree_attributes *attributes, histree_quark quark,
				       struct attribute_run *near)
{
	const struct attribute_view *view = view_of(attributes);
	struct group_member member;
	if (!find_run(view, quark, near))
		return (struct attribute_name){ .text = "" };
	uint32_t group = (quark - near->first) / near->size, place = (quark - near->first) % near->size;
	if (place == 0)
		return coded_name(view, near->name, group);
	return get_member(near, place, &member) ? coded_name(view, member.name, 0)
						: (struct attribute_name){ .text = "" };
}

/* The next member of the group below the same parent, whose place is given; 0: there is none. */
static uint32_t next_member(const struct attribute_run *run, uint32_t place, uint32_t parent)
{
	struct byte_reader members = run->members;
	struct group_member member = { 0 };
	while (group_member_next(&members, run->size, &member))
		if (member.number > place && member.parent == parent)
			return member.number;
	return 0;
}

static histree_quark view_first_child(const struct histree_attributes *attributes, histree_quark parent,
				      struct attribute_run *near)
{
	const struct attribute_view *view = view_of(attributes);
	if (parent != HISTREE_ROOT && find_run(view, parent, near)) {
		uint32_t place = (parent - near->first) % near->size;
		uint32_t child = next_member(near, place, place);
		if (child != 0 || !near->late)
			return child != 0 ? parent - place + child : HISTREE_ROOT;
	}
	return oldest_late_child(view, parent, near);
}

/* The head after the last one of a run, if it has the same parent. */
static histree_quark next_run_head(const struct attribute_view *view, histree_quark last,
				   struct attribute_run *near)
{
	histree_quark parent = near->parent;
	if (near->next == 0 || near->next >= view->base.count - last)
		return HISTREE_ROOT;
	histree_quark next = last + near->next;
	if (!find_run(view, next, near) || near->first != next || near->parent != parent)
		return HISTREE_ROOT;
	return next;
}

static histree_quark view_next_sibling(const struct histree_attributes *attributes, histree_quark quark,
				       struct attribute_run *near)
{
	const struct attribute_view *view = view_of(attributes);
	struct group_member member;
	if (!find_run(view, quark, near))
		return HISTREE_ROOT;
	uint32_t place = (quark - near->first) % near->size;
	if (place == 0 && quark - near->first + near->size < near->count)
		return quark + near->size;
	if (place == 0)
		return next_run_head(view, quark, near);
	if (!get_member(near, place, &member))
		return HISTREE_ROOT;
	uint32_t next = next_member(near, place, member.parent);
	if (next != 0 || !near->late)
		return next != 0 ? quark - place + next : HISTREE_ROOT;
	return oldest_late_child(view, quark - place + member.parent, near);
}

/* The child in the group of its parent, whose run is given; or HISTREE_ROOT. */
static histree_quark member_named(const struct attribute_view *view, const struct attribute_run *run,
				  histree_quark parent, const struct attribute_name *name)
{
	uint32_t place = (parent - run->first) % run->size;
	struct byte_reader members = run->members;
	struct group_member member = { 0 };
	while (group_member_next(&members, run->size, &member)) {
		if (member.parent != place)
			continue;
		struct attribute_name one = coded_name(view, member.name, 0);
		if (attribute_name_compare(&one, name) == 0)
			return parent - place + member.number;
	}
	return HISTREE_ROOT;
}

static histree_quark view_child(const struct histree_attributes *attributes, histree_quark parent,
				const struct attribute_name *name)
{
	const struct attribute_view *view = view_of(attributes);
	struct attribute_run run = { 0 };
	if (parent != HISTREE_ROOT && find_run(view, parent, &run)) {
		histree_quark child = member_named(view, &run, parent, name);
		if (child != HISTREE_ROOT || !run.late)
			return child;
	}
	return late_child(view, parent, name);
}

static const struct attribute_source view_source = {
	.parent = view_parent,
	.name = view_name,
	.first_child = view_first_child,
	.next_sibling = view_next_sibling,
	.child = view_child,
};

/* ---- opening -------------------------------------------------------------------------------------------- */

void attribute_view_init(struct attribute_view *view)
{
	*view = (struct attribute_view){ .base.source = &view_source };
}

void attribute_view_release(struct attribute_view *view)
{
	free(view->bytes);
	attribute_view_init(view);
}

static bool read_parts(struct attribute_view *view, const uint8_t *footer)
{
	struct byte_reader reader = byte_reader(view->bytes, (size_t)(footer - view->bytes));
	uint32_t run_count = get_le32(footer + 12);
	view->texts = text_list_read(&reader, get_le64(footer + 16), get_le32(footer + 4));
	view->runs = run_table_read(&reader, get_le64(footer + 32), run_count);
	view->shapes = text_list_read(&reader, get_le64(footer + 24), get_le32(footer + 8));
	view->order_width = run_count > 0 ? bits_needed(run_count - 1) : 0;
	view->order = read_bytes(&reader, (size_t)(((uint64_t)run_count * view->order_width + 7) / 8));
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
	else if (!run_table_ascends(&view->runs))
		status = error_set(error, HISTREE_ERR_FORMAT, "its runs are not in the order of their attributes");
	else
		view->base.count = get_le32(bytes + size - ATTRIBUTE_FOOTER_SIZE);
	if (view->base.count > ATTRIBUTE_COUNT_MAX)
		status = error_set(error, HISTREE_ERR_FORMAT, "%" PRIu32 " attributes are too many",
				   view->base.count);
	if (status != HISTREE_OK)
		attribute_view_release(view);
	return status;
}
