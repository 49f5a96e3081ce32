// SPDX-License-Identifier: MIT
/*
 * attribute_view.c - the attributes of a finished history, searched in the bytes of the section ATTR
 * (attributes.h).  Whatever these bytes say, an answer is below the number of attributes, and a parent is
 * older than its child.
 */
#include "state/attribute_view.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/search.h"
#include "state/attributes.h"

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
static struct attribute_name coded_name(const struct attribute_view *view, uint32_t name, uint32_t group)
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
	struct attribute_name first = coded_name(sought->view, row.columns[RANGE_NAME], 0);
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
	struct attribute_name leader = coded_name(view, range.name, 0);
	uint32_t group = leader.text == NULL && name->text == NULL ? name->number - leader.number : 0;
	if (range.count == 0 || group >= range.count / range.size)
		return HISTREE_ROOT;
	leader = coded_name(view, range.name, group);
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
		return coded_name(view, near->name, group);
	return get_member(near, position, &member) ? coded_name(view, member.name, 0)
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
		struct attribute_name one = coded_name(view, member.name, 0);
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
