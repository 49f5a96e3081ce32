// SPDX-License-Identifier: MIT
#include "node/column_view.h"

#include "base/bits.h"
#include "base/bytes.h"
#include "base/error.h"
#include "item/value_codec.h"

/* ---- the leaf ------------------------------------------------------------------------------------- */

static bool area_fits(uint32_t offset, uint64_t size, uint32_t used)
{
	return offset >= COLUMN_HEADER_SIZE && offset <= used && size <= used - offset;
}

static uint32_t head_count(uint32_t times)
{
	return times / TIMES_PER_HEAD + (times % TIMES_PER_HEAD != 0);
}

enum histree_status column_check(const uint8_t *block, uint32_t used, uint32_t node_size,
				 struct histree_error *error)
{
	if (used < COLUMN_HEADER_SIZE || used + BITS_SLACK > node_size)
		return error_set(error, HISTREE_ERR_FORMAT, "a leaf of columns in %u bytes", used);
	uint32_t times = get_le32(block + 52), blocks = get_le32(block + 56), values = get_le32(block + 60);
	if (!area_fits(get_le32(block + 64), (uint64_t)head_count(times) * TIME_HEAD_SIZE, used) ||
	    !area_fits(get_le32(block + 68), (uint64_t)blocks * BLOCK_HEAD_SIZE, used) ||
	    !area_fits(get_le32(block + 72), (uint64_t)values * 4, used))
		return error_set(error, HISTREE_ERR_FORMAT, "%u times, %u blocks and %u values in %u bytes", times,
				 blocks, values, used);
	return HISTREE_OK;
}

struct column_view column_view(const uint8_t *block)
{
	uint64_t length = get_le64(block + 24) - get_le64(block + 16);
	uint32_t times = get_le32(block + 52);
	bool direct = get_le32(block + 48) != 0;
	return (struct column_view){
		.block = block,
		.start = (histree_time)get_le64(block + 16),
		.length = length,
		.last = direct ? length + 1 : times - UINT64_C(1),
		.key_min = get_le32(block + 32),
		.key_max = get_le32(block + 36),
		.used = get_le32(block + 40),
		.direct = direct,
		.time_count = times,
		.block_count = get_le32(block + 56),
		.value_count = get_le32(block + 60),
		.time_heads = block + get_le32(block + 64),
		.block_heads = block + get_le32(block + 68),
		.dictionary = block + get_le32(block + 72),
	};
}

/* A number whose bits must lie in the used part. */
static bool read_bits(const struct column_view *view, size_t at, unsigned width, uint64_t *out)
{
	if (width > 64 || at + width > (size_t)view->used * 8)
		return false;
	*out = bits_get(view->block, at, width);
	return true;
}

/* The time of a moment, above the leaf's start. */
static bool time_of(const struct column_view *view, uint64_t moment, uint64_t *time)
{
	if (view->direct) {
		*time = moment;
		return true;
	}
	if (moment >= view->time_count)
		return false;
	const uint8_t *head = view->time_heads + moment / TIMES_PER_HEAD * TIME_HEAD_SIZE;
	unsigned width = get_le32(head + 12);
	uint64_t beyond;
	if (!read_bits(view, (size_t)get_le32(head + 8) * 8 + moment % TIMES_PER_HEAD * (size_t)width, width,
		       &beyond))
		return false;
	*time = get_le64(head) + beyond;
	return true;
}

/* The first moment whose time is greater than `time`; the number of all if there is none. */
static uint64_t first_moment_behind(const struct column_view *view, uint64_t time)
{
	if (view->direct)
		return time < UINT64_MAX ? time + 1 : time;
	uint32_t low = 0, high = head_count(view->time_count);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (get_le64(view->time_heads + (size_t)middle * TIME_HEAD_SIZE) > time)
			high = middle;
		else
			low = middle + 1;
	}
	if (low == 0)
		return 0;
	uint64_t first = (uint64_t)(low - 1) * TIMES_PER_HEAD, last = first + TIMES_PER_HEAD;
	last = last < view->time_count ? last : view->time_count;
	while (first < last) {
		uint64_t middle = first + (last - first) / 2, found;
		if (time_of(view, middle, &found) && found <= time)
			first = middle + 1;
		else
			last = middle;
	}
	return first;
}

/* An interval ends before its last moment and starts at its first. */
void column_cursor_begin(struct column_cursor *cursor, const struct column_view *view, histree_time from,
			 histree_time to)
{
	cursor->view = view;
	cursor->block = cursor->segment = cursor->segment_count = 0;
	cursor->now.count = cursor->interval = 0;
	cursor->one_key = false;
	cursor->ends_from = cursor->starts_to = 0;
	if (from > view->start)
		cursor->ends_from = first_moment_behind(view, (uint64_t)from - (uint64_t)view->start);
	if (to >= view->start)
		cursor->starts_to = to == from && from > view->start
					    ? cursor->ends_from
					    : first_moment_behind(view, (uint64_t)to - (uint64_t)view->start);
}

/* ---- blocks and segments -------------------------------------------------------------------------- */

static enum histree_status open_block(struct column_cursor *cursor, uint32_t block)
{
	const struct column_view *view = cursor->view;
	uint32_t offset = get_le32(view->block_heads + (size_t)block * BLOCK_HEAD_SIZE + 4);
	if (!area_fits(offset, BLOCK_PREFIX_SIZE, view->used))
		return HISTREE_ERR_FORMAT;
	const uint8_t *prefix = view->block + offset;
	struct byte_reader reader =
		byte_reader(prefix + BLOCK_PREFIX_SIZE, view->used - offset - BLOCK_PREFIX_SIZE);
	uint32_t count = (prefix[0] & ~(unsigned)EDGES) + 1;
	size_t bits = 0;
	cursor->edges = prefix[0] & EDGES;
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++) {
		cursor->widths[c] = prefix[1 + c];
		cursor->columns[c] = bits;
		bits += (size_t)count * cursor->widths[c];
		cursor->least[c] = read_varint(&reader);
		if (cursor->widths[c] > 64)
			return HISTREE_ERR_FORMAT;
	}
	if (reader.failed || count > SEGMENTS_PER_BLOCK || bits > byte_reader_left(&reader) * 8)
		return HISTREE_ERR_FORMAT;
	size_t first = (size_t)(reader.at - view->block) * 8;
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++)
		cursor->columns[c] += first;
	cursor->payload = first + bits;
	cursor->block = block;
	cursor->segment = 0;
	cursor->segment_count = count;
	return HISTREE_OK;
}

/* A field of a segment of the open block, whose columns are known to lie in the node. */
static inline uint64_t field(const struct column_cursor *cursor, enum column column, uint32_t segment)
{
	unsigned width = cursor->widths[column];
	uint64_t least = cursor->least[column];
	return width == 0 ? least
			  : least + bits_get(cursor->view->block, cursor->columns[column] + segment * (size_t)width,
					     width);
}

/* Bits of a segment's payload. */
static inline size_t payload_bits(const struct column_cursor *cursor, uint32_t segment)
{
	uint32_t count = (uint32_t)field(cursor, COLUMN_COUNT, segment) + 1;
	return (size_t)column_step_count(count, cursor->edges) * (field(cursor, COLUMN_STEP_WIDTH, segment) & 127) +
	       (size_t)count * (field(cursor, COLUMN_VALUE_WIDTH, segment) & 127);
}

/* Pass by segments of the open block until `segment` is the next. */
static void skip_to(struct column_cursor *cursor, uint32_t segment)
{
	bool alike = cursor->widths[COLUMN_COUNT] == 0 && cursor->widths[COLUMN_STEP_WIDTH] == 0 &&
		     cursor->widths[COLUMN_VALUE_WIDTH] == 0;
	if (alike && segment > cursor->segment)
		cursor->payload += (segment - cursor->segment) * payload_bits(cursor, 0);
	for (uint32_t s = cursor->segment; !alike && s < segment; s++)
		cursor->payload += payload_bits(cursor, s);
	cursor->segment = segment;
}

/* Make the next segment of the open block the one that is read. */
static enum histree_status open_segment(struct column_cursor *cursor)
{
	uint32_t s = cursor->segment;
	struct column_segment_view *now = &cursor->now;
	now->key = (histree_quark)field(cursor, COLUMN_KEY, s);
	now->count = (uint32_t)field(cursor, COLUMN_COUNT, s) + 1;
	now->start = field(cursor, COLUMN_START, s);
	now->step_min = field(cursor, COLUMN_STEP_MIN, s);
	now->step_width = (unsigned)field(cursor, COLUMN_STEP_WIDTH, s);
	now->kind = (unsigned)field(cursor, COLUMN_KIND, s);
	now->base = field(cursor, COLUMN_BASE, s);
	now->value_width = (unsigned)field(cursor, COLUMN_VALUE_WIDTH, s);
	uint64_t beyond = field(cursor, COLUMN_LAST, s);
	now->first = field(cursor, COLUMN_FIRST, s);
	now->end = cursor->view->last - beyond;
	now->steps = cursor->payload;
	now->values = now->steps + (size_t)column_step_count(now->count, cursor->edges) * now->step_width;
	size_t behind = now->values + (size_t)now->count * now->value_width;
	/* The widths first: with them in range, nothing that begins in the node wraps round behind it. */
	size_t bits = (size_t)cursor->view->used * 8;
	if (now->count > SEGMENT_INTERVALS_MAX || now->step_width > 64 || now->value_width > 64 ||
	    now->kind >= VALUE_KIND_COUNT || now->steps > bits || behind > bits || beyond > cursor->view->last ||
	    now->key < cursor->view->key_min || now->key > cursor->view->key_max) {
		now->count = 0;
		return HISTREE_ERR_FORMAT;
	}
	cursor->payload = behind;
	cursor->segment++;
	cursor->interval = 0;
	cursor->moment = now->start;
	return HISTREE_OK;
}

/* HISTREE_END: there are no more segments. */
static enum histree_status next_segment(struct column_cursor *cursor)
{
	if (cursor->segment == cursor->segment_count) {
		uint32_t block = cursor->segment_count == 0 ? cursor->block : cursor->block + 1;
		if (block >= cursor->view->block_count)
			return HISTREE_END;
		enum histree_status status = open_block(cursor, block);
		if (status != HISTREE_OK)
			return status;
	}
	if (cursor->one_key && (histree_quark)field(cursor, COLUMN_KEY, cursor->segment) != cursor->key)
		return HISTREE_END;
	return open_segment(cursor);
}

/* ---- searching ------------------------------------------------------------------------------------ */

/* Whether a segment begins at or before what is looked for: the last one that does is where to begin. */
static bool begins_before(const struct column_cursor *cursor, uint32_t segment, histree_quark key)
{
	histree_quark its = (histree_quark)field(cursor, COLUMN_KEY, segment);
	/* Its first interval may end exactly where the window begins; hence "before", not "at". */
	return its < key || (its == key && field(cursor, COLUMN_START, segment) < cursor->ends_from);
}

/* The last block that begins before; block 0 if none does. */
static enum histree_status seek_block(struct column_cursor *cursor, histree_quark key)
{
	const struct column_view *view = cursor->view;
	uint32_t low = 0, high = view->block_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		histree_quark first = get_le32(view->block_heads + (size_t)middle * BLOCK_HEAD_SIZE);
		bool before = first < key;
		if (first == key) {
			enum histree_status status = open_block(cursor, middle);
			if (status != HISTREE_OK)
				return status;
			before = begins_before(cursor, 0, key);
		}
		if (before)
			low = middle + 1;
		else
			high = middle;
	}
	return open_block(cursor, low == 0 ? 0 : low - 1);
}

enum histree_status column_cursor_seek(struct column_cursor *cursor, histree_quark key)
{
	cursor->now.count = cursor->interval = 0;
	cursor->one_key = true;
	cursor->key = key;
	if (cursor->view->block_count == 0)
		return HISTREE_OK;
	enum histree_status status = seek_block(cursor, key);
	if (status != HISTREE_OK)
		return status;
	uint32_t low = 0, high = cursor->segment_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (begins_before(cursor, middle, key))
			low = middle + 1;
		else
			high = middle;
	}
	/* The one before may still reach into the window, if it is of this key. */
	bool reaches = low > 0 && (histree_quark)field(cursor, COLUMN_KEY, low - 1) == key;
	skip_to(cursor, reaches ? low - 1 : low);
	return HISTREE_OK;
}

/* ---- reading -------------------------------------------------------------------------------------- */

/* The moment behind an interval that begins at `moment`. */
static inline uint64_t moment_behind(const struct column_cursor *cursor, uint64_t moment, uint32_t interval)
{
	const struct column_segment_view *now = &cursor->now;
	if (cursor->edges != 0) {
		if ((cursor->edges & EDGE_LAST) != 0 && interval + 1 == now->count)
			return now->end;
		if ((cursor->edges & EDGE_FIRST) != 0 && interval-- == 0)
			return moment + now->first;
	}
	if (now->step_width == 0)
		return moment + now->step_min;
	return moment + now->step_min +
	       bits_get(cursor->view->block, now->steps + interval * (size_t)now->step_width, now->step_width);
}

static bool dictionary_value(const struct column_view *view, uint64_t entry, struct histree_value *out)
{
	if (entry >= view->value_count)
		return false;
	uint32_t offset = get_le32(view->dictionary + entry * 4);
	if (offset > view->used)
		return false;
	struct byte_reader reader = byte_reader(view->block + offset, view->used - offset);
	*out = value_decode(&reader);
	return !reader.failed;
}

static int32_t number_above(uint64_t base, uint64_t code)
{
	return (int32_t)(uint32_t)((uint64_t)unzigzag(base) + code);
}

static bool value_of(const struct column_cursor *cursor, uint32_t interval, struct histree_value *out)
{
	const struct column_segment_view *now = &cursor->now;
	uint64_t code = now->value_width == 0
				? 0
				: bits_get(cursor->view->block, now->values + interval * (size_t)now->value_width,
					   now->value_width);
	switch ((enum value_kind)now->kind) {
	case VALUES_INT:
		*out = histree_int(number_above(now->base, code));
		return true;
	case VALUES_INT_OR_NULL:
		*out = code == 0 ? histree_null() : histree_int(number_above(now->base, code - 1));
		return true;
	case VALUES_DICTIONARY:
		return dictionary_value(cursor->view, now->base + code, out);
	case VALUES_NULL:
	case VALUE_KIND_COUNT:
		break;
	}
	*out = histree_null();
	return true;
}

/* The interval at hand, which lies between two moments. */
static enum histree_status make_interval(const struct column_cursor *cursor, uint64_t moment, uint64_t behind,
					 uint32_t interval, struct histree_interval *out)
{
	const struct column_view *view = cursor->view;
	uint64_t start, end;
	if (behind <= moment || !time_of(view, moment, &start) || !time_of(view, behind, &end) || end <= start ||
	    end - 1 > view->length)
		return HISTREE_ERR_FORMAT;
	out->start = (histree_time)((uint64_t)view->start + start);
	out->end = (histree_time)((uint64_t)view->start + end - 1);
	out->quark = cursor->now.key;
	return value_of(cursor, interval, &out->value) ? HISTREE_OK : HISTREE_ERR_FORMAT;
}

enum histree_status column_cursor_next(struct column_cursor *cursor, struct histree_interval *out)
{
	for (;;) {
		while (cursor->interval < cursor->now.count) {
			uint32_t interval = cursor->interval++;
			uint64_t moment = cursor->moment, behind = moment_behind(cursor, moment, interval);
			cursor->moment = behind;
			if (moment >= cursor->starts_to) {
				cursor->interval = cursor->now.count; /* and so do all that follow in it */
				if (cursor->one_key)
					return HISTREE_END;
				break;
			}
			if (behind < cursor->ends_from)
				continue;
			enum histree_status made = make_interval(cursor, moment, behind, interval, out);
			if (made != HISTREE_OK) { /* there it stays: who asks again is not told less */
				cursor->interval = interval;
				cursor->moment = moment;
			}
			return made;
		}
		enum histree_status status = next_segment(cursor);
		if (status != HISTREE_OK)
			return status;
	}
}

/* ---- verification --------------------------------------------------------------------------------- */

static bool times_ascend(const struct column_view *view)
{
	uint64_t before = 0, time;
	for (uint32_t moment = 0; moment < view->time_count; moment++) {
		if (!time_of(view, moment, &time) || (moment > 0 && time <= before))
			return false;
		before = time;
	}
	return true;
}

bool column_is_searchable(const struct column_view *view)
{
	struct column_cursor cursor;
	column_cursor_begin(&cursor, view, INT64_MIN, INT64_MAX);
	for (uint32_t block = 0; block < view->block_count; block++)
		if (open_block(&cursor, block) != HISTREE_OK ||
		    field(&cursor, COLUMN_KEY, 0) != get_le32(view->block_heads + (size_t)block * BLOCK_HEAD_SIZE))
			return false;
	return view->direct || times_ascend(view);
}
