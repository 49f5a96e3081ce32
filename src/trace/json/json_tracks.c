// SPDX-License-Identifier: MIT
/*
 * json_tracks.c - events of the Trace Event Format, as written, mapped to the words of event.h.
 */
#include "trace/json/json_tracks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/number_text.h"
#include "base/table.h"
#include "trace/json/json_text.h"
#include "trace/packed/packed_markers.h"

enum {
	JSON_TEXT_MAX = 4096,    /* of a name, a category or an id; the rest is cut off */
	JSON_NAMED_MAX = 65536,  /* processes and threads that are no numbers */
	JSON_OWNERS_MAX = 65536, /* of which it is known whether the trace says where they are listed */
};

/* ---- json event ---------------------------------------------------------------------------------------------- */

struct member_name {
	const char *name;
	size_t size;
	enum json_event_member member;
};

#define NAME(text) (text), sizeof(text) - 1
static const struct member_name names[] = {
	{ NAME("name"), MEMBER_NAME },       { NAME("cat"), MEMBER_CATEGORY },
	{ NAME("ph"), MEMBER_PHASE },        { NAME("ts"), MEMBER_TIME },
	{ NAME("pid"), MEMBER_PID },         { NAME("tid"), MEMBER_TID },
	{ NAME("dur"), MEMBER_DURATION },    { NAME("tdur"), MEMBER_THREAD_DURATION },
	{ NAME("id"), MEMBER_ID },           { NAME("scope"), MEMBER_ID_SCOPE },
	{ NAME("s"), MEMBER_INSTANT_SCOPE }, { NAME("bind_id"), MEMBER_BIND_ID },
	{ NAME("flow_in"), MEMBER_FLOW_IN }, { NAME("flow_out"), MEMBER_FLOW_OUT },
	{ NAME("tts"), MEMBER_THREAD_TIME }, { NAME("sf"), MEMBER_STACK_FRAME },
};

static const struct member_name names_of_id[] = {
	{ NAME("local"), MEMBER_ID_LOCAL },
	{ NAME("global"), MEMBER_ID_GLOBAL },
};

static bool is(const struct json_word *word, const char *text)
{
	return strlen(text) == word->size && memcmp(text, word->bytes, word->size) == 0;
}

static enum json_event_member find(const struct member_name *rows, size_t count, const struct json_word *name)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].size == name->size && memcmp(rows[i].name, name->bytes, name->size) == 0)
			return rows[i].member;
	return MEMBER_COUNT;
}

/* {"local": ...} or {"global": ...}; of another kind it says nothing. */
static enum json_result read_id2(struct json_text *text, struct json_event *event)
{
	struct json_word name, other;
	enum json_result result;
	if (!json_scan_space(text))
		return JSON_MORE;
	if (*text->at != '{')
		return json_scan_word(text, &other);
	text->at++;
	while ((result = json_scan_member(text, &name)) == JSON_OK && name.kind != JSON_ABSENT) {
		enum json_event_member member =
			find(names_of_id, sizeof(names_of_id) / sizeof(names_of_id[0]), &name);
		result = json_scan_word(text, member == MEMBER_COUNT ? &other : &event->members[member]);
		if (result != JSON_OK)
			return result;
	}
	return result;
}

static enum json_result read_member(struct json_text *text, struct json_event *event, const struct json_word *name)
{
	struct json_word other;
	enum json_event_member member = find(names, sizeof(names) / sizeof(names[0]), name);
	if (member != MEMBER_COUNT) {
		enum json_result result = json_scan_word(text, &event->members[member]);
		if (event->members[member].kind == JSON_NULL)
			event->members[member].kind = JSON_ABSENT;
		/* A quote is missing: what is inside of the value is another event. */
		bool is_odd = (member == MEMBER_PHASE || member == MEMBER_TIME) && result == JSON_OK &&
			      event->members[member].kind == JSON_NESTED;
		return is_odd ? JSON_BAD : result;
	}
	if (is(name, "args")) {
		packed_parts_clear(&event->args);
		event->has_args = true;
		return json_scan_parts(text, &event->args, NULL, 0);
	}
	return is(name, "id2") ? read_id2(text, event) : json_scan_word(text, &other);
}

enum json_result json_event_read(struct json_text *text, struct json_event *event)
{
	struct json_word name;
	enum json_result result;
	memset(event->members, 0, sizeof(event->members));
	event->has_args = false;
	text->at++;
	while ((result = json_scan_member(text, &name)) == JSON_OK && name.kind != JSON_ABSENT) {
		result = read_member(text, event, &name);
		if (result != JSON_OK)
			return result;
	}
	return result;
}

/* White space around a number in a string does not belong to it. */
static bool json_event_number_of(const struct json_word *word, const char **bytes, size_t *size)
{
	*bytes = word->bytes;
	*size = word->size;
	if (word->kind != JSON_STRING && word->kind != JSON_NUMBER)
		return false;
	for (; *size > 0 && **bytes == ' '; ++*bytes)
		--*size;
	while (*size > 0 && (*bytes)[*size - 1] == ' ')
		--*size;
	/* A text with hexadecimal digits is a name. */
	return *size > 0 && (word->kind == JSON_NUMBER || memchr(*bytes, 'x', *size) == NULL);
}

bool json_word_int(const struct json_word *word, int64_t *out)
{
	const char *bytes;
	size_t size;
	json_wide wide;
	if (!json_event_number_of(word, &bytes, &size))
		return false;
	if (json_number_int(bytes, size, out))
		return true;
	/* 12.0, as tools write it that have only reals. */
	if (!json_number_scaled(bytes, size, 6, &wide) || wide % 1000000 != 0)
		return false;
	wide /= 1000000;
	*out = (int64_t)wide;
	return wide >= INT64_MIN && wide <= INT64_MAX;
}

bool json_word_time(const struct json_word *word, json_wide *out)
{
	const char *bytes;
	size_t size;
	return json_event_number_of(word, &bytes, &size) && json_number_scaled(bytes, size, 12, out);
}

/* A number as a number or a string, or what programs write for one, such as nan. */
static bool json_word_real(const struct json_word *word, double *out)
{
	static const char *const others[] = { "nan", "inf", "infinity" };
	const char *bytes;
	size_t size;
	if (!json_event_number_of(word, &bytes, &size))
		return false;
	if (json_number_is(bytes, size)) {
		*out = json_number_real(bytes, size);
		return true;
	}
	bool is_negative = *bytes == '-', has_sign = is_negative || *bytes == '+';
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		*out = i == 0 ? NAN : is_negative ? -INFINITY : INFINITY;
		if (strlen(others[i]) == size - has_sign &&
		    strncasecmp(bytes + has_sign, others[i], size - has_sign) == 0)
			return true;
	}
	return false;
}

void json_event_release(struct json_event *event)
{
	packed_parts_release(&event->args);
}

/* ---- json tracks --------------------------------------------------------------------------------------------- */

enum histree_status json_tracks_begin(struct json_tracks *tracks, struct packed_source *packed,
				      struct histree_error *error)
{
	tracks->packed = packed;
	tracks->taken = tracks->cut = 0;
	tracks->owner_count = 0;
	hash_index_clear(&tracks->owner_index);
	tracks->last = (struct json_owner){ 0 };
	tracks->has_indexes = false;
	memset(tracks->faults, 0, sizeof(tracks->faults));
	memset(tracks->phases, 0, sizeof(tracks->phases));
	return packed_track_classes(packed, NULL, tracks->classes, error) ? HISTREE_OK : error->status;
}

static void release_owners(struct json_tracks *tracks)
{
	hash_index_release(&tracks->owner_index);
	free(tracks->owners);
	tracks->owners = NULL;
	tracks->owner_count = tracks->owner_capacity = 0;
}

void json_tracks_release(struct json_tracks *tracks)
{
	intern_release(&tracks->named);
	free(tracks->named_numbers);
	free(tracks->negative);
	intern_release(&tracks->states);
	release_owners(tracks);
	free(tracks->texts);
}

/* ---- texts ----------------------------------------------------------------------------------------------- */

/* At most this many bytes, and no part of a character. */
static size_t cut(const char *bytes, size_t size, size_t most)
{
	if (size <= most)
		return size;
	for (size = most; size > 0 && ((unsigned char)bytes[size] & 0xc0) == 0x80;)
		size--;
	return size;
}

/* A text that is too long ends in a hash of all of it, so that it stays another than those that begin like it. */
static struct packed_cell text_of_bytes(struct json_tracks *tracks, const char *bytes, size_t size)
{
	enum { HASH_SIZE = 1 + 16 };
	if (size <= JSON_TEXT_MAX)
		return packed_text(bytes, size);
	char *begin = tracks->texts + tracks->texts_used;
	size_t used = cut(bytes, size, JSON_TEXT_MAX - HASH_SIZE);
	memcpy(begin, bytes, used);
	begin[used++] = '#';
	used += number_format_hex(hash_bytes(bytes, size), begin + used);
	tracks->texts_used += used;
	return packed_text(begin, used);
}

/* A text, or a number as it is written; absent if the word is neither, or empty. */
static struct packed_cell text_of(struct json_tracks *tracks, const struct json_word *word)
{
	if ((word->kind != JSON_STRING && word->kind != JSON_NUMBER) || word->size == 0)
		return (struct packed_cell){ .kind = PACKED_ABSENT };
	return text_of_bytes(tracks, word->bytes, word->size);
}

/* "0x1F", as browsers write their ids. */
static bool hexadecimal_of(const struct json_word *word, uint64_t *out)
{
	enum { DIGITS_MAX = 16 };
	const bool is = (word->kind == JSON_STRING || word->kind == JSON_NUMBER) && word->size > 2 &&
			word->size <= 2 + DIGITS_MAX && word->bytes[0] == '0' && (word->bytes[1] | 0x20) == 'x';
	*out = 0;
	for (size_t i = 2; is && i < word->size; i++) {
		const char *digits = "0123456789abcdef";
		const char *digit = memchr(digits, word->bytes[i] | 0x20, 16);
		if (digit == NULL)
			return false;
		*out = *out << 4 | (uint64_t)(digit - digits);
	}
	return is;
}

/* An id that is a number is that number, however it is written: 16, "16", "0x10", "0x0010"; addresses keep 0x. */
static struct packed_cell id_of(struct json_tracks *tracks, const struct json_word *word)
{
	uint64_t number;
	int64_t decimal = -1;
	if (!hexadecimal_of(word, &number)) {
		if (!json_word_int(word, &decimal) || decimal < 0)
			return text_of(tracks, word);
		number = (uint64_t)decimal;
	}
	char *begin = tracks->texts + tracks->texts_used;
	size_t size;
	if (number <= UINT32_MAX) {
		size = number_format_unsigned(number, begin);
	} else {
		memcpy(begin, "0x", 2);
		size = 2 + number_format_hex(number, begin + 2);
	}
	tracks->texts_used += size;
	return packed_text(begin, size);
}

/* The most texts of an event that are joined, of how many parts each, and that are written for themselves. */
enum { JOINED_MAX = 5, TEXTS_MAX = 5, SINGLE_MAX = 8 };

/* Put texts behind one another, with colons between those that are there; the first may be absent and has one. */
static struct packed_cell join(struct json_tracks *tracks, const struct packed_cell *parts, size_t count)
{
	char *begin = tracks->texts + tracks->texts_used, *at = begin;
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && parts[i].kind == PACKED_ABSENT)
			continue;
		if (i > 0)
			*at++ = ':';
		if (parts[i].size > 0)
			memcpy(at, parts[i].bytes, parts[i].size);
		at += parts[i].size;
	}
	tracks->texts_used = (size_t)(at - tracks->texts);
	return packed_text(begin, (size_t)(at - begin));
}

/* ---- whose it is ----------------------------------------------------------------------------------------- */

static enum histree_status add_name(struct json_tracks *tracks, enum track_class class,
				    const struct packed_cell *pid, const struct packed_cell *tid,
				    const struct packed_cell *name, struct histree_error *error)
{
	struct packed_cell cells[TRACK_FIELD_COUNT] = { [TRACK_PID] = *pid, [TRACK_NAME] = *name };
	if (tid != NULL)
		cells[TRACK_TID] = *tid;
	const struct packed_event event = {
		.time = PACKED_NO_TIME, .cpu = -1, .class = tracks->classes[class], .cells = cells
	};
	return packed_source_add(tracks->packed, &event, error);
}

/*
 * Processes and threads that are named by texts get negative numbers, -1, -2, ..., as numbers of the system are
 * not negative; but programs write some that are.  The first owner of such a number keeps it: a name takes the
 * next free one, and a number that a name has is a name itself.  Numbers below all of these need no table.
 */
enum number_owner { NUMBER_IS_FREE, NUMBER_IS_ITS_OWN, NUMBER_IS_OF_NAME };

enum { NUMBERS_TAKEN_MAX = 4 * JSON_NAMED_MAX };

static bool make_negative(struct json_tracks *tracks)
{
	if (tracks->negative == NULL)
		tracks->negative = calloc(NUMBERS_TAKEN_MAX, sizeof(*tracks->negative));
	return tracks->negative != NULL;
}

/* *is_own: the number stands for itself.  Returns false when memory runs out. */
static bool take_number(struct json_tracks *tracks, int64_t number, bool *is_own)
{
	*is_own = true;
	if (number >= 0 || number < -NUMBERS_TAKEN_MAX)
		return true;
	if (!make_negative(tracks))
		return false;
	uint8_t *owner = &tracks->negative[-1 - number];
	if (*owner == NUMBER_IS_FREE)
		*owner = NUMBER_IS_ITS_OWN;
	*is_own = *owner == NUMBER_IS_ITS_OWN;
	return true;
}

/* Gives a new name a number.  Returns false when memory runs out, or all are taken. */
static bool number_name(struct json_tracks *tracks, uint32_t id)
{
	if (!make_negative(tracks) ||
	    !array_reserve(&tracks->named_numbers, &tracks->named_capacity, (size_t)id + 1))
		return false;
	while (tracks->next_free < NUMBERS_TAKEN_MAX && tracks->negative[tracks->next_free] != NUMBER_IS_FREE)
		tracks->next_free++;
	if (tracks->next_free == NUMBERS_TAKEN_MAX)
		return false;
	tracks->negative[tracks->next_free] = NUMBER_IS_OF_NAME;
	tracks->named_numbers[id] = -1 - (int64_t)tracks->next_free;
	return true;
}

/* A process, or with `pid` a thread, that is named by a text, has a number by that. */
static enum histree_status json_tracks_number_of(struct json_tracks *tracks, const struct json_word *word,
						 const struct packed_cell *pid, struct packed_cell *out,
						 struct histree_error *error)
{
	int64_t number;
	*out = (struct packed_cell){ .kind = PACKED_ABSENT };
	bool is_own = false;
	if (json_word_int(word, &number)) {
		if (!take_number(tracks, number, &is_own))
			return error_memory(error, "the names of processes and threads");
		*out = packed_int(number);
	}
	if (is_own)
		return HISTREE_OK;
	*out = (struct packed_cell){ .kind = PACKED_ABSENT };
	const struct packed_cell name = text_of(tracks, word);
	char owner[32];
	snprintf(owner, sizeof(owner), "%" PRId64, pid != NULL ? pid->integer : 0);
	const struct packed_cell key[] = { packed_text(owner, pid != NULL ? strlen(owner) : 0), name };
	if (name.kind == PACKED_ABSENT)
		return HISTREE_OK;
	const struct packed_cell joined = join(tracks, key, 2);
	uint32_t id = intern_find(&tracks->named, joined.bytes, joined.size);
	bool is_new = id == INTERN_NONE;
	if (is_new && tracks->named.count == JSON_NAMED_MAX)
		return HISTREE_OK;
	if (is_new)
		id = intern_add(&tracks->named, joined.bytes, joined.size);
	if (id == INTERN_NONE || (is_new && !number_name(tracks, id)))
		return error_memory(error, "the names of processes and threads");
	*out = packed_int(tracks->named_numbers[id]);
	if (!is_new)
		return HISTREE_OK;
	return pid == NULL ? add_name(tracks, TRACK_PROCESS_NAME, out, NULL, &name, error)
			   : add_name(tracks, TRACK_THREAD_NAME, pid, out, &name, error);
}

/* ---- whose order is said --------------------------------------------------------------------------------- */

static bool is_same_owner(const void *owners, uint32_t number, const void *key)
{
	const struct json_owner *owner = &((const struct json_owner *)owners)[number], *wanted = key;
	return owner->pid == wanted->pid && owner->has_tid == wanted->has_tid && owner->tid == wanted->tid;
}

static uint64_t hash_of_owner(const void *owners, uint32_t number)
{
	const struct json_owner *owner = &((const struct json_owner *)owners)[number];
	return hash_mix(hash_mix((uint64_t)owner->pid) ^ (uint64_t)owner->tid ^ (uint64_t)owner->has_tid << 63);
}

/* An event is of this owner, or says its index.  Returns false when memory runs out. */
static bool note_owner(struct json_tracks *tracks, struct json_owner owner)
{
	uint64_t hash = hash_of_owner(&owner, 0);
	uint32_t number = hash_index_find(&tracks->owner_index, hash, is_same_owner, tracks->owners, &owner);
	tracks->has_indexes |= owner.has_index;
	if (number != HASH_INDEX_NONE) {
		tracks->owners[number].has_index |= owner.has_index;
		return true;
	}
	if (tracks->owner_count == JSON_OWNERS_MAX)
		return true;
	if (!array_reserve(&tracks->owners, &tracks->owner_capacity, tracks->owner_count + 1) ||
	    !hash_index_reserve(&tracks->owner_index, tracks->owner_count + 1, hash_of_owner, tracks->owners))
		return false;
	tracks->owners[tracks->owner_count] = owner;
	hash_index_add(&tracks->owner_index, hash, (uint32_t)tracks->owner_count++);
	return true;
}

static bool note_owners(struct json_tracks *tracks, const struct packed_cell *pid, const struct packed_cell *tid)
{
	struct json_owner owner = { .pid = pid->integer };
	if (pid->kind != PACKED_INT || !note_owner(tracks, owner))
		return pid->kind != PACKED_INT;
	owner.tid = tid->integer;
	owner.has_tid = tid->kind == PACKED_INT;
	tracks->last = owner;
	return !owner.has_tid || note_owner(tracks, owner);
}

/* ---- one event ------------------------------------------------------------------------------------------- */

/* An event, while it is taken. */
struct taking {
	struct json_tracks *tracks;
	const struct json_event *event;
	histree_time time;
	json_wide exact_time;
	struct packed_cell cells[TRACK_FIELD_COUNT];
	struct histree_error *error;
	enum histree_status status; /* of a visit */
	unsigned values;            /* of a counter so far */
};

static const struct json_word *member_of(const struct taking *taking, enum json_event_member member)
{
	return &taking->event->members[member];
}

static enum histree_status leave_out(struct taking *taking, enum json_fault fault)
{
	taking->tracks->faults[fault]++;
	return HISTREE_OK;
}

static enum histree_status json_tracks_add(struct taking *taking, enum track_class class)
{
	const struct packed_event event = {
		.time = taking->time, .cpu = -1, .class = taking->tracks->classes[class], .cells = taking->cells
	};
	return packed_source_add(taking->tracks->packed, &event, taking->error);
}

static void put_args(struct taking *taking)
{
	if (taking->event->has_args)
		taking->cells[TRACK_ARGS] = packed_value(&taking->event->args);
}

bool json_time_round(json_wide exact, const struct packed_source *packed, histree_time *out)
{
	const json_wide units_per_ns = 1000000000, half = units_per_ns / 2;
	const json_wide ns = (exact + (exact < 0 ? -half : half)) / units_per_ns;
	*out = (histree_time)ns;
	return ns > INT64_MIN && ns < INT64_MAX && packed_time_can_shift(*out, packed->shift);
}

static bool read_time(struct taking *taking)
{
	return json_word_time(member_of(taking, MEMBER_TIME), &taking->exact_time) &&
	       json_time_round(taking->exact_time, taking->tracks->packed, &taking->time);
}

static enum histree_status take_span(struct taking *taking, enum track_class class)
{
	json_wide exact;
	histree_time thread_time;
	if (json_word_time(member_of(taking, MEMBER_THREAD_TIME), &exact) &&
	    json_time_round(exact, taking->tracks->packed, &thread_time))
		taking->cells[TRACK_THREAD_TIME] = packed_int(thread_time);
	put_args(taking);
	return json_tracks_add(taking, class);
}

/*
 * The end is rounded, as the beginning is: so what was nested stays nested.  Recorders put the duration in when the
 * event ends: one without a duration had not ended when recording did.
 */
static enum histree_status take_complete(struct taking *taking)
{
	json_wide duration;
	histree_time end, thread_duration;
	const struct json_word *word = member_of(taking, MEMBER_DURATION);
	if (word->kind == JSON_ABSENT) /* as some viewers have it */
		word = member_of(taking, MEMBER_THREAD_DURATION);
	if (word->kind == JSON_ABSENT)
		return take_span(taking, TRACK_SPAN_BEGIN);
	if (!json_word_time(word, &duration))
		return leave_out(taking, FAULT_TIME);
	int64_t difference;
	if (__builtin_add_overflow(taking->exact_time, duration, &duration) ||
	    !json_time_round(duration, taking->tracks->packed, &end) ||
	    __builtin_sub_overflow(end, taking->time, &difference))
		return leave_out(taking, FAULT_TIME);
	taking->cells[TRACK_DURATION] = packed_int(difference);
	if (json_word_time(member_of(taking, MEMBER_THREAD_DURATION), &duration) &&
	    json_time_round(duration, taking->tracks->packed, &thread_duration))
		taking->cells[TRACK_THREAD_DURATION] = packed_int(thread_duration);
	put_args(taking);
	return json_tracks_add(taking, TRACK_SPAN);
}

static enum histree_status take_instant(struct taking *taking)
{
	const struct json_word *scope = member_of(taking, MEMBER_INSTANT_SCOPE);
	bool is_global = scope->kind == JSON_STRING && scope->size == 1 && scope->bytes[0] == 'g';
	bool is_of_process = scope->kind == JSON_STRING && scope->size == 1 && scope->bytes[0] == 'p';
	if (is_global)
		taking->cells[TRACK_PID].kind = PACKED_ABSENT;
	if (is_global || is_of_process)
		taking->cells[TRACK_TID].kind = PACKED_ABSENT;
	put_args(taking);
	return json_tracks_add(taking, TRACK_INSTANT);
}

/* The text that tells a track or a flow from others: category, name if that matters, and id. */
static bool identify(struct taking *taking, bool with_name, struct packed_cell *out)
{
	struct packed_cell parts[JOINED_MAX] = { taking->cells[TRACK_CATEGORY] };
	char pid[32];
	size_t count = 1;
	if (with_name)
		parts[count++] = taking->cells[TRACK_NAME];
	/* An id that is not global is told from the same id of other processes by the process. */
	struct packed_cell id = id_of(taking->tracks, member_of(taking, MEMBER_ID));
	struct packed_cell local = id_of(taking->tracks, member_of(taking, MEMBER_ID_LOCAL));
	struct packed_cell scope = text_of(taking->tracks, member_of(taking, MEMBER_ID_SCOPE));
	if (scope.kind != PACKED_ABSENT)
		parts[count++] = scope;
	if (local.kind != PACKED_ABSENT) {
		snprintf(pid, sizeof(pid), "%" PRId64, taking->cells[TRACK_PID].integer);
		parts[count++] = packed_text(pid, strlen(pid));
		id = local;
	} else if (id.kind == PACKED_ABSENT) {
		id = id_of(taking->tracks, member_of(taking, MEMBER_ID_GLOBAL));
	}
	parts[count++] = id;
	if (id.kind == PACKED_ABSENT)
		return false;
	*out = join(taking->tracks, parts, count);
	return true;
}

static enum histree_status take_asynchronous(struct taking *taking, enum track_class class, bool is_legacy)
{
	if (!identify(taking, is_legacy, &taking->cells[TRACK_TRACK]))
		return leave_out(taking, FAULT_ID);
	put_args(taking);
	return json_tracks_add(taking, class);
}

static enum histree_status take_flow(struct taking *taking, enum track_class class)
{
	if (!identify(taking, true, &taking->cells[TRACK_ID]))
		return leave_out(taking, FAULT_ID);
	put_args(taking);
	return json_tracks_add(taking, class);
}

/* Numbers of counters may be written as texts.  JSON has one type of numbers: 10 and 10.5 belong to one counter. */
static bool real_of(const struct event_part *part, double *out)
{
	struct json_word word = { JSON_STRING, part->bytes, part->size };
	switch (part->kind) {
	case EVENT_INT:
		*out = (double)part->integer;
		return true;
	case EVENT_UNSIGNED:
		*out = (double)(uint64_t)part->integer;
		return true;
	case EVENT_REAL:
		*out = part->real;
		return true;
	case EVENT_TEXT:
		return json_word_real(&word, out);
	default:
		return false;
	}
}

static bool take_value(void *context, const struct event_part *part)
{
	struct taking *taking = context;
	double real;
	if (part->depth != 1 || part->name == NULL || !real_of(part, &real))
		return true;
	const size_t used = taking->tracks->texts_used;
	taking->cells[TRACK_SERIES] = text_of_bytes(taking->tracks, part->name, strlen(part->name));
	if (strcmp(part->name, "value") == 0)
		taking->cells[TRACK_SERIES].kind = PACKED_ABSENT;
	taking->cells[TRACK_VALUE] = packed_real(real);
	taking->values++;
	taking->status = json_tracks_add(taking, TRACK_COUNTER);
	taking->tracks->texts_used = used;
	return taking->status == HISTREE_OK;
}

/* A counter is identified by its name and, if it has one, its id. */
static enum histree_status take_counter(struct taking *taking)
{
	struct packed_cell id = text_of(taking->tracks, member_of(taking, MEMBER_ID));
	struct packed_cell *name = &taking->cells[TRACK_NAME];
	if (id.kind != PACKED_ABSENT) {
		const struct packed_cell parts[] = { *name, id };
		*name = join(taking->tracks, parts, 2);
	}
	taking->cells[TRACK_TID].kind = PACKED_ABSENT;
	if (taking->event->has_args)
		packed_parts_visit(taking->event->args.bytes, taking->event->args.size, "", take_value, taking);
	return taking->values == 0 ? leave_out(taking, FAULT_VALUE) : taking->status;
}

/* ---- metadata -------------------------------------------------------------------------------------------- */

static bool take_metadatum(void *context, const struct event_part *part)
{
	struct taking *taking = context;
	if (part->depth != 1 || part->name == NULL)
		return true;
	if (strcmp(part->name, "name") == 0 && part->kind == EVENT_TEXT) {
		taking->tracks->texts_used = 0; /* the last of several counts, and nothing else is kept there */
		taking->cells[TRACK_NAME] = text_of_bytes(taking->tracks, part->bytes, part->size);
	}
	double index;
	if (strcmp(part->name, "sort_index") == 0 && part->kind == EVENT_INT)
		taking->cells[TRACK_SORT_INDEX] = packed_int(part->integer);
	else if (strcmp(part->name, "sort_index") == 0 && real_of(part, &index) && fabs(index) < 0x1p62)
		taking->cells[TRACK_SORT_INDEX] = packed_int(llround(index));
	return true;
}

static enum histree_status take_metadata(struct taking *taking)
{
	static const struct {
		const char *name;
		enum track_class class;
	} rows[] = { { "process_name", TRACK_PROCESS_NAME },
		     { "process_sort_index", TRACK_PROCESS_NAME },
		     { "thread_name", TRACK_THREAD_NAME },
		     { "thread_sort_index", TRACK_THREAD_NAME } };
	struct packed_cell *name = &taking->cells[TRACK_NAME];
	enum track_class class = TRACK_CLASS_COUNT;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (name->kind == PACKED_TEXT && name->size == strlen(rows[i].name) &&
		    memcmp(name->bytes, rows[i].name, name->size) == 0)
			class = rows[i].class;
	taking->cells[TRACK_CATEGORY].kind = name->kind = PACKED_ABSENT;
	if (taking->event->has_args)
		packed_parts_visit(taking->event->args.bytes, taking->event->args.size, "", take_metadatum, taking);
	if (class == TRACK_PROCESS_NAME)
		taking->cells[TRACK_TID].kind = PACKED_ABSENT;
	bool says_something = name->kind != PACKED_ABSENT || taking->cells[TRACK_SORT_INDEX].kind != PACKED_ABSENT;
	if (class == TRACK_CLASS_COUNT || !says_something)
		return leave_out(taking, FAULT_METADATA);
	const struct packed_cell *pid = &taking->cells[TRACK_PID], *tid = &taking->cells[TRACK_TID];
	const struct json_owner owner = { pid->integer, tid->kind == PACKED_INT ? tid->integer : 0,
					  tid->kind == PACKED_INT,
					  taking->cells[TRACK_SORT_INDEX].kind != PACKED_ABSENT };
	if (pid->kind == PACKED_INT && !note_owner(taking->tracks, owner))
		return error_memory(taking->error, "the order of processes");
	taking->time = PACKED_NO_TIME;
	return json_tracks_add(taking, class);
}

/* ---- phases ---------------------------------------------------------------------------------------------- */

/* What exporters of schedulers write: the state of a thread for a time. */
static bool is_state(const struct taking *taking)
{
	static const char category[] = "thread_state";
	const struct packed_cell *cell = &taking->cells[TRACK_CATEGORY];
	return cell->kind == PACKED_TEXT && cell->size == strlen(category) &&
	       memcmp(cell->bytes, category, cell->size) == 0 &&
	       member_of(taking, MEMBER_DURATION)->kind != JSON_ABSENT;
}

/* The track has the name of its thread's number, once said. */
static enum histree_status name_states(struct taking *taking, const char *number, size_t size)
{
	struct json_tracks *tracks = taking->tracks;
	const struct packed_cell *track = &taking->cells[TRACK_TRACK];
	if (tracks->states.count >= JSON_NAMED_MAX ||
	    intern_find(&tracks->states, track->bytes, track->size) != INTERN_NONE)
		return HISTREE_OK;
	if (intern_add(&tracks->states, track->bytes, track->size) == INTERN_NONE)
		return error_memory(taking->error, "the states of threads");
	const struct packed_cell parts[] = { packed_text("thread_state", 12), packed_text(number, size) };
	struct packed_cell cells[TRACK_FIELD_COUNT] = {
		[TRACK_PID] = taking->cells[TRACK_PID], [TRACK_TRACK] = *track
	};
	cells[TRACK_NAME] = join(tracks, parts, 2);
	const struct packed_event event = {
		.time = PACKED_NO_TIME, .cpu = -1, .class = tracks->classes[TRACK_TRACK_NAME], .cells = cells
	};
	return packed_source_add(tracks->packed, &event, taking->error);
}

/* States are on a track beside the spans of their thread, with which they need not nest. */
static enum histree_status take_state(struct taking *taking)
{
	const struct packed_cell *pid = &taking->cells[TRACK_PID], *tid = &taking->cells[TRACK_TID];
	char process[24], thread[24];
	int process_size =
		snprintf(process, sizeof(process), "%" PRId64, pid->kind == PACKED_INT ? pid->integer : 0);
	int thread_size = snprintf(thread, sizeof(thread), "%" PRId64, tid->kind == PACKED_INT ? tid->integer : 0);
	const struct packed_cell parts[] = { packed_text("thread_state", 12),
					     packed_text(process, (size_t)process_size),
					     packed_text(thread, (size_t)thread_size) };
	taking->cells[TRACK_TRACK] = join(taking->tracks, parts, 3);
	enum histree_status status = name_states(taking, thread, (size_t)thread_size);
	return status == HISTREE_OK ? take_complete(taking) : status;
}

static enum histree_status take_phase(struct taking *taking, char phase)
{
	switch (phase) {
	case 'B':
		return take_span(taking, TRACK_SPAN_BEGIN);
	case 'E':
		return take_span(taking, TRACK_SPAN_END);
	case 'X':
		return take_complete(taking);
	case 'i':
	case 'I':
	case 'R':
		return take_instant(taking);
	case 'C':
		return take_counter(taking);
	case 'b':
	case 'S':
		return take_asynchronous(taking, TRACK_SPAN_BEGIN, phase == 'S');
	case 'e':
	case 'F':
		return take_asynchronous(taking, TRACK_SPAN_END, phase == 'F');
	case 'T':
		if (is_state(taking))
			return take_state(taking);
		return take_asynchronous(taking, TRACK_INSTANT, true);
	case 'n':
	case 'p':
		return take_asynchronous(taking, TRACK_INSTANT, phase != 'n');
	case 's':
		return take_flow(taking, TRACK_FLOW_BEGIN);
	case 't':
		return take_flow(taking, TRACK_FLOW_STEP);
	case 'f':
		return take_flow(taking, TRACK_FLOW_END);
	default:
		taking->tracks->phases[(unsigned char)phase < 128 ? (unsigned char)phase : 0]++;
		return leave_out(taking, FAULT_PHASE);
	}
}

enum histree_status json_tracks_take(struct json_tracks *tracks, const struct json_event *event,
				     struct histree_error *error)
{
	struct taking taking = { .tracks = tracks, .event = event, .error = error };
	const struct json_word *phase = member_of(&taking, MEMBER_PHASE);
	/* Room for all of them; they last as long as the event. */
	tracks->texts_used = 0;
	if (!array_reserve(&tracks->texts, &tracks->texts_capacity,
			   (size_t)(TEXTS_MAX * JOINED_MAX + SINGLE_MAX) * (JSON_TEXT_MAX + 1)))
		return error_memory(error, "an event");
	char letter = phase->kind == JSON_STRING && phase->size == 1 ? phase->bytes[0] : '\0';
	enum histree_status status = json_tracks_number_of(tracks, member_of(&taking, MEMBER_PID), NULL,
							   &taking.cells[TRACK_PID], error);
	if (status == HISTREE_OK)
		status = json_tracks_number_of(tracks, member_of(&taking, MEMBER_TID), &taking.cells[TRACK_PID],
					       &taking.cells[TRACK_TID], error);
	if (status != HISTREE_OK)
		return status;
	tracks->taken++;
	const struct packed_cell *pid = &taking.cells[TRACK_PID], *tid = &taking.cells[TRACK_TID];
	bool is_last = tracks->last.has_tid && tid->kind == PACKED_INT && pid->kind == PACKED_INT &&
		       tracks->last.pid == pid->integer && tracks->last.tid == tid->integer;
	if (!is_last && !note_owners(tracks, pid, tid))
		return error_memory(error, "the order of processes");
	taking.cells[TRACK_NAME] = text_of(tracks, member_of(&taking, MEMBER_NAME));
	tracks->cut += taking.cells[TRACK_NAME].kind == PACKED_TEXT &&
		       member_of(&taking, MEMBER_NAME)->size > JSON_TEXT_MAX;
	taking.cells[TRACK_CATEGORY] = text_of(tracks, member_of(&taking, MEMBER_CATEGORY));
	if (letter == 'M')
		return take_metadata(&taking);
	if (!read_time(&taking))
		return leave_out(&taking, FAULT_TIME);
	status = take_phase(&taking, letter);
	if (status != HISTREE_OK)
		return status;
	/* An event may be the beginning of a flow, a step of it or its end, besides what it is. */
	const struct packed_cell parts[] = { packed_text("bind", 4),
					     id_of(tracks, member_of(&taking, MEMBER_BIND_ID)) };
	bool is_in = member_of(&taking, MEMBER_FLOW_IN)->kind == JSON_TRUE;
	bool is_out = member_of(&taking, MEMBER_FLOW_OUT)->kind == JSON_TRUE;
	if (parts[1].kind == PACKED_ABSENT || (!is_in && !is_out))
		return HISTREE_OK;
	taking.cells[TRACK_ID] = join(taking.tracks, parts, 2);
	taking.cells[TRACK_DURATION].kind = taking.cells[TRACK_THREAD_DURATION].kind = PACKED_ABSENT;
	taking.cells[TRACK_THREAD_TIME].kind = PACKED_ABSENT;
	taking.cells[TRACK_ARGS].kind = PACKED_ABSENT;
	return json_tracks_add(&taking, is_in && is_out ? TRACK_FLOW_STEP
					: is_in         ? TRACK_FLOW_END
							: TRACK_FLOW_BEGIN);
}

/* ---- what was left out ----------------------------------------------------------------------------------- */

static void note_phases(const struct json_tracks *tracks)
{
	char phases[256] = "";
	size_t length = 0;
	for (size_t i = 0; i < sizeof(tracks->phases) / sizeof(tracks->phases[0]); i++)
		if (tracks->phases[i] > 0 && length < sizeof(phases) - 40)
			length += (size_t)snprintf(phases + length, sizeof(phases) - length,
						   i > ' ' ? "%s%" PRIu64 " '%c'" : "%s%" PRIu64 " none",
						   length > 0 ? ", " : "", tracks->phases[i], (int)i);
	trace_notes_warn(tracks->packed->base.notes, "%s: events of phases that histree does not read: %s",
			 tracks->packed->base.path, phases);
}

enum histree_status json_tracks_end(struct json_tracks *tracks, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	static const char *const sentences[FAULT_COUNT] = {
		[FAULT_TIME] = "have no time, or none that can be",
		[FAULT_ID] = "are asynchronous or of a flow, and have no id",
		[FAULT_VALUE] = "are counters without a number",
	};
	if (tracks->faults[FAULT_PHASE] > 0)
		note_phases(tracks);
	for (int fault = 0; fault < FAULT_COUNT; fault++)
		if (sentences[fault] != NULL && tracks->faults[fault] > 0)
			trace_notes_warn(tracks->packed->base.notes, "%s: events are left out that %s: %" PRIu64,
					 tracks->packed->base.path, sentences[fault], tracks->faults[fault]);
	if (tracks->cut > 0)
		trace_notes_warn(tracks->packed->base.notes,
				 "%s: names of more than %d bytes are cut, of so many events: %" PRIu64,
				 tracks->packed->base.path, JSON_TEXT_MAX, tracks->cut);
	for (size_t i = 0; i < tracks->owner_count && tracks->has_indexes && status == HISTREE_OK; i++)
		if (!tracks->owners[i].has_index) {
			struct packed_cell cells[TRACK_FIELD_COUNT] = {
				[TRACK_PID] = packed_int(tracks->owners[i].pid),
				[TRACK_SORT_INDEX] = packed_int(0),
			};
			if (tracks->owners[i].has_tid)
				cells[TRACK_TID] = packed_int(tracks->owners[i].tid);
			const struct packed_event event = {
				.time = PACKED_NO_TIME,
				.cpu = -1,
				.class = tracks->classes[tracks->owners[i].has_tid ? TRACK_THREAD_NAME
										   : TRACK_PROCESS_NAME],
				.cells = cells,
			};
			status = packed_source_add(tracks->packed, &event, error);
		}
	release_owners(tracks);
	return status;
}
