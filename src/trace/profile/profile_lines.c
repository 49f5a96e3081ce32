// SPDX-License-Identifier: MIT
/*
 * profile_lines.c - stacks as lines of text, without times: folded stacks, as flamegraph.pl reads them, and the
 * stacks that DTrace, bpftrace and the tools of bcc count.
 *
 * 	main;run;read 10		folded: the outermost first
 *
 * 	              genunix`read+0x12	DTrace, of an aggregation with stack(): the innermost first
 * 	              genunix`syscall
 * 	                3
 *
 * 	@stacks[			bpftrace, of a map with kstack or ustack
 * 	    schedule+53
 * 	    read+7
 * 	, bash]: 3
 *
 * 	    schedule			bcc, of profile and offcputime
 * 	    read
 * 	    -                bash (4802)
 * 	        3
 *
 * Samples lie one ns apart, in the order of the file.  A line of any other form is left out, and the first one is
 * reported.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "trace/json/json_text.h"
#include "trace/packed/packed_samples.h"
#include "trace/profile/profile.h"
#include "trace/trace_bytes.h"

/* A longer line is of another form; weights are rounded to these decimals. */
enum { PROFILE_LINE_MAX = 1 << 20, PROFILE_DECIMALS = 3 };

struct line {
	const char *at, *end;
};

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

static struct line trimmed(struct line line)
{
	while (line.at < line.end && is_blank(*line.at))
		line.at++;
	while (line.end > line.at && is_blank(line.end[-1]))
		line.end--;
	return line;
}

static bool is_digits(struct line line)
{
	for (const char *at = line.at; at < line.end; at++)
		if (*at < '0' || *at > '9')
			return false;
	return line.at < line.end;
}

/* ---- what a text is -------------------------------------------------------------------------------------- */

/* "-12.5e+3"; as a count, a negative one is left out, but its line is one of a folded stack. */
static bool is_number(struct line line)
{
	bool has_point = false, has_exponent = false, has_digit = false;
	for (const char *at = line.at; at < line.end; at++) {
		const bool begins = at == line.at || *(at - 1) == 'e' || *(at - 1) == 'E';
		if (*at >= '0' && *at <= '9') {
			has_digit = true;
		} else if ((*at == 'e' || *at == 'E') && has_digit && !has_exponent && at + 1 < line.end) {
			has_exponent = true;
		} else if (*at == '.' && !has_point && !has_exponent) {
			has_point = true;
		} else if ((*at != '-' && *at != '+') || !begins || at + 1 == line.end) {
			return false;
		}
	}
	return has_digit;
}

static bool is_folded_line(struct line line)
{
	line = trimmed(line);
	const char *number = line.end;
	while (number > line.at && !is_blank(number[-1]))
		number--;
	for (const char *at = line.at; at + 1 < number; at++)
		if ((unsigned char)*at < ' ')
			return false;
	return number > line.at + 1 && is_number((struct line){ number, line.end });
}

static bool says_nothing(struct line line)
{
	const struct line text = trimmed(line);
	return text.at == text.end || *text.at == '#' || (text.end - text.at > 1 && memcmp(text.at, "//", 2) == 0);
}

/* "              genunix`read+0x12": what stands before the mark is the name of a module. */
static bool is_dtrace_frame(struct line line)
{
	const struct line text = trimmed(line);
	const char *at = text.at;
	while (at < text.end && !is_blank(*at) && *at != '`')
		at++;
	return text.at > line.at && at < text.end && at > text.at && *at == '`';
}

enum { BCC_INDENT = 4 };

/* "    schedule": what is further in is the count. */
static bool is_bcc_frame(struct line line)
{
	const struct line text = trimmed(line);
	return text.at - line.at == BCC_INDENT && text.at < text.end && memchr(line.at, '\t', BCC_INDENT) == NULL;
}

/* "    -                bash (4802)": whose the stack is.  Returns the name, or nothing. */
static struct line bcc_owner(struct line line)
{
	const struct line text = trimmed(line), none = { line.at, line.at };
	const char *group = memrchr(text.at, '(', (size_t)(text.end - text.at));
	if (!is_bcc_frame(line) || group == NULL || text.end[-1] != ')' ||
	    !is_digits((struct line){ group + 1, text.end - 1 }) || text.at[0] != '-' || !is_blank(text.at[1]))
		return none;
	return trimmed((struct line){ text.at + 1, group });
}

/* "@[", "@stacks[", "@[bash, ": the rest of the key is on the next lines. */
static bool begins_key(struct line line)
{
	const struct line text = trimmed(line);
	const size_t size = (size_t)(text.end - text.at);
	return size > 1 && text.at == line.at && *text.at == '@' && memchr(text.at, '[', size) != NULL &&
	       (text.end[-1] == '[' || text.end[-1] == ',');
}

static bool next_of(const char **at, const char *end, struct line *line)
{
	const char *line_end = *at < end ? memchr(*at, '\n', (size_t)(end - *at)) : NULL;
	*line = (struct line){ *at, line_end != NULL ? line_end : end };
	*at = line_end != NULL ? line_end + 1 : end;
	return line->at < end;
}

/*
 * Most lines of folded stacks end with a number, and some have frames with semicolons between them.  A line of
 * strace does so, too, behind an equals sign.
 */
static bool is_folded(const char *at, const char *end)
{
	bool has_frames = false;
	unsigned good = 0, bad = 0;
	struct line line;
	while (next_of(&at, end, &line)) {
		const size_t size = (size_t)(line.end - line.at);
		if (line.end == end && good > 0) /* it may be cut */
			break;
		if (says_nothing(line))
			continue;
		if (memmem(line.at, size, ") = ", 4) != NULL || memchr(line.at, '\0', size) != NULL)
			return false;
		const bool is = is_folded_line(line);
		good += is;
		bad += !is;
		has_frames |= is && memchr(line.at, ';', size) != NULL;
	}
	return has_frames && good >= 2 * bad;
}

static bool is_counted(const char *at, const char *end)
{
	bool was_frame = false, was_key = false, was_owner = false;
	struct line line;
	while (next_of(&at, end, &line)) {
		const bool is_frame = is_dtrace_frame(line);
		const struct line owner = bcc_owner(line);
		if ((was_frame && (is_frame || is_digits(trimmed(line)))) ||
		    (was_owner && is_digits(trimmed(line)) && !is_bcc_frame(line)) ||
		    (was_key && trimmed(line).at > line.at && trimmed(line).at < line.end))
			return true;
		was_frame = is_frame;
		was_key = begins_key(line);
		was_owner = owner.at < owner.end;
	}
	return false;
}

enum profile_lines profile_lines_look(const void *bytes, size_t size)
{
	const char *at = bytes, *end = at + size;
	if (is_counted(at, end))
		return PROFILE_COUNTED;
	return is_folded(at, end) ? PROFILE_FOLDED : PROFILE_NO_LINES;
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

struct reading {
	struct profile *profile;
	uint64_t number;  /* of the line */
	bool is_too_long; /* it is, and has been passed over */
	bool has_fractions, has_pairs;
	struct histree_error *error;
};

/* Pass over what is left of a line, however long it is. */
static enum histree_status pass_line(const struct reading *reading)
{
	struct trace_bytes *bytes = &reading->profile->packed->content;
	const uint8_t *end = NULL;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && end == NULL) {
		if (bytes->at < bytes->end)
			end = memchr(bytes->at, '\n', (size_t)(bytes->end - bytes->at));
		bytes->at = end != NULL ? end + 1 : bytes->end;
		if (end == NULL)
			status = packed_source_look(reading->profile->packed, reading->error);
		if (end == NULL && status == HISTREE_OK)
			status = trace_bytes_more(bytes, reading->error);
	}
	return status < 0 ? status : HISTREE_OK;
}

/* The next line, without what ends it, and nothing of one that is too long; HISTREE_END behind the last one. */
static enum histree_status next_line(struct reading *reading, struct line *out)
{
	struct trace_bytes *bytes = &reading->profile->packed->content;
	enum histree_status status = HISTREE_OK;
	size_t known = 0;
	const uint8_t *end;
	while ((end = known < (size_t)(bytes->end - bytes->at)
			      ? memchr(bytes->at + known, '\n', (size_t)(bytes->end - bytes->at) - known)
			      : NULL) == NULL &&
	       status == HISTREE_OK && (known = (size_t)(bytes->end - bytes->at)) < PROFILE_LINE_MAX) {
		status = packed_source_look(reading->profile->packed, reading->error);
		if (status == HISTREE_OK)
			status = trace_bytes_more(bytes, reading->error);
	}
	if (status < 0)
		return status;
	if (bytes->at == bytes->end)
		return HISTREE_END;
	reading->number++;
	reading->is_too_long = end == NULL && status == HISTREE_OK;
	if (reading->is_too_long) {
		out->at = out->end = "";
		return pass_line(reading);
	}
	out->at = (const char *)bytes->at;
	out->end = (const char *)(end != NULL ? end : bytes->end);
	bytes->at = (const uint8_t *)out->end + (end != NULL);
	while (out->end > out->at && is_blank(out->end[-1]))
		out->end--;
	return HISTREE_OK;
}

static enum histree_status leave_out(const struct reading *reading)
{
	struct profile *profile = reading->profile;
	if (profile->left_out++ == 0)
		profile->first_left_out = reading->number;
	return HISTREE_OK;
}

static enum histree_status add_stack(const struct reading *reading, uint32_t stack, int64_t weight)
{
	static const struct profile_thread nobody = { .has_pid = false };
	return profile_sample(reading->profile, &nobody, "samples", (histree_time)reading->profile->samples.added,
			      weight, stack, reading->error);
}

/* ---- folded stacks --------------------------------------------------------------------------------------- */

/* Returns where the number at the end of a line begins, or NULL. */
static const char *count_of(const struct reading *reading, struct line line, json_wide *wide)
{
	const int decimals = reading->has_fractions ? PROFILE_DECIMALS : 0;
	const char *number = line.end;
	while (number > line.at && !is_blank(number[-1]))
		number--;
	const bool is = number > line.at + 1 &&
			json_number_scaled(number, (size_t)(line.end - number), decimals, wide) && *wide >= 0 &&
			*wide <= INT64_MAX;
	return is ? number : NULL;
}

static uint32_t stack_of_line(struct packed_samples *samples, const char *at, const char *end)
{
	const struct packed_text none = { "", 0 };
	uint32_t stack = EVENT_NO_STACK;
	for (size_t depth = 0; depth < PACKED_DEEP_MAX && at <= end; depth++) {
		const char *semicolon = memchr(at, ';', (size_t)(end - at));
		const char *frame_end = semicolon != NULL ? semicolon : end;
		const struct packed_text name = { at, (size_t)(frame_end - at) };
		stack = packed_samples_stack(samples, stack, packed_samples_frame(samples, name, none, none));
		if (stack == EVENT_NO_STACK)
			return stack;
		at = frame_end + 1;
	}
	return stack;
}

static enum histree_status take_folded(const struct reading *reading, struct line line)
{
	json_wide weight = 0, other;
	const char *count = count_of(reading, line, &weight);
	if (says_nothing(line))
		return HISTREE_OK;
	if (count == NULL)
		return leave_out(reading);
	const char *first =
		reading->has_pairs ? count_of(reading, trimmed((struct line){ line.at, count }), &other) : NULL;
	const char *end = (first != NULL ? first : count) - 1;
	while (end > line.at && is_blank(end[-1]))
		end--;
	return add_stack(reading, stack_of_line(&reading->profile->samples, line.at, end), (int64_t)weight);
}

/* Walk the file before: do some weights have fractions, and does each line have two, of one profile and another? */
static enum histree_status look_at_weights(struct reading *reading)
{
	struct line line;
	json_wide wide;
	size_t lines = 0, pairs = 0;
	bool has_fractions = false;
	enum histree_status status;
	while ((status = next_line(reading, &line)) == HISTREE_OK) {
		const char *count = says_nothing(line) ? NULL : count_of(reading, line, &wide);
		if (count == NULL)
			continue;
		lines++;
		pairs += count_of(reading, trimmed((struct line){ line.at, count }), &wide) != NULL;
		has_fractions |= memchr(count, '.', (size_t)(line.end - count)) != NULL ||
				 memchr(count, '-', (size_t)(line.end - count)) != NULL;
	}
	reading->has_fractions = has_fractions;
	reading->has_pairs = lines > 1 && pairs == lines;
	reading->number = 0;
	return status != HISTREE_END ? status : packed_source_rewind(reading->profile->packed, reading->error);
}

static enum histree_status read_folded(struct reading *reading)
{
	struct line line;
	const struct packed_source *packed = reading->profile->packed;
	enum histree_status status = look_at_weights(reading);
	if (status == HISTREE_OK && reading->has_fractions)
		trace_notes_warn(packed->base.notes,
				 "%s: folded stacks have fractions: their numbers are in thousandths",
				 packed->base.path);
	if (status == HISTREE_OK && reading->has_pairs)
		trace_notes_warn(packed->base.notes,
				 "%s: folded stacks have two numbers each, of two profiles: the second is taken",
				 packed->base.path);
	while (status == HISTREE_OK && (status = next_line(reading, &line)) == HISTREE_OK)
		status = reading->is_too_long ? leave_out(reading) : take_folded(reading, line);
	return status;
}

/* ---- stacks with counts ---------------------------------------------------------------------------------- */

/* A stack, as far as it was read: the innermost frame first. */
struct counted {
	uint32_t *frames;
	size_t count, capacity; /* up to PACKED_DEEP_MAX: of a deeper one the innermost are kept */
	bool in_key;            /* of bpftrace: what follows belongs to it, up to its bracket */
	size_t in_head;         /* of the frames: other keys in front of the stack */
};

/* What stands behind the last plus, if it is a number, is how far behind the beginning of a function. */
static const char *before_offset(struct line text)
{
	const char *plus = memrchr(text.at, '+', (size_t)(text.end - text.at));
	return plus != NULL && plus > text.at && plus + 1 < text.end && plus[1] >= '0' && plus[1] <= '9' ? plus
													 : text.end;
}

/* "genunix`read+0x12", "schedule+53", "read+7 (/usr/lib/libc.so.6)".  Returns false when memory runs out. */
static bool put_frame(const struct reading *reading, struct counted *counted, struct line text)
{
	const struct packed_text none = { "", 0 };
	struct packed_text binary = none;
	if (counted->count == PACKED_DEEP_MAX)
		return true;
	text = trimmed(text);
	const char *mark = memchr(text.at, '`', (size_t)(text.end - text.at));
	const char *group = memrchr(text.at, '(', (size_t)(text.end - text.at));
	if (mark != NULL && mark > text.at && memchr(text.at, ' ', (size_t)(mark - text.at)) == NULL) {
		binary = (struct packed_text){ text.at, (size_t)(mark - text.at) };
		text.at = mark + 1;
	} else if (counted->in_key && group != NULL && group > text.at + 1 && group[-1] == ' ' &&
		   text.end[-1] == ')') {
		binary = (struct packed_text){ group + 1, (size_t)(text.end - group) - 2 };
		text.end = group - 1;
	}
	text.end = before_offset(text);
	const struct packed_text name = { text.at, (size_t)(text.end - text.at) };
	const uint32_t frame = packed_samples_frame(&reading->profile->samples, name, binary, none);
	if (frame == INTERN_NONE || !array_reserve(&counted->frames, &counted->capacity, counted->count + 1))
		return false;
	counted->frames[counted->count++] = frame;
	return true;
}

/* Where a map has other keys, such as the name of a thread, they are the outermost. */
static bool put_keys(const struct reading *reading, struct counted *counted, struct line text)
{
	text = trimmed(text);
	while (text.at < text.end && (*text.at == ',' || is_blank(*text.at)))
		text.at++;
	while (text.end > text.at && (text.end[-1] == ',' || is_blank(text.end[-1])))
		text.end--;
	return text.at == text.end || put_frame(reading, counted, text);
}

static enum histree_status end_stack(const struct reading *reading, struct counted *counted, struct line number)
{
	struct packed_samples *samples = &reading->profile->samples;
	uint32_t stack = EVENT_NO_STACK;
	int64_t weight;
	const size_t count = counted->count, in_head = counted->in_head;
	number = trimmed(number);
	counted->count = counted->in_head = 0;
	counted->in_key = false;
	if (count == 0 || !json_number_int(number.at, (size_t)(number.end - number.at), &weight) || weight < 0)
		return leave_out(reading);
	for (size_t i = 0; i < count; i++) {
		const size_t at = i < in_head ? i : count - 1 - (i - in_head);
		stack = packed_samples_stack(samples, stack, counted->frames[at]);
		if (stack == EVENT_NO_STACK)
			return error_memory(reading->error, "a profile");
	}
	return add_stack(reading, stack, weight);
}

/* A line of a key that spans lines: a frame, or with its bracket the count. */
static enum histree_status take_in_key(const struct reading *reading, struct counted *counted, struct line line)
{
	const char *end = memmem(line.at, (size_t)(line.end - line.at), "]: ", 3);
	const struct line keys = { line.at, end != NULL ? end : line.end };
	const struct line text = trimmed(keys);
	const bool is_frame = text.at > line.at && text.at < text.end && *text.at != ',';
	const bool is_put = is_frame ? put_frame(reading, counted, keys) : put_keys(reading, counted, keys);
	if (!is_put)
		return error_memory(reading->error, "a profile");
	return end != NULL ? end_stack(reading, counted, (struct line){ end + 3, line.end }) : HISTREE_OK;
}

static enum histree_status take_counted(const struct reading *reading, struct counted *counted, struct line line)
{
	const struct line text = trimmed(line);
	const bool is_indented = text.at > line.at;
	if (counted->in_key)
		return take_in_key(reading, counted, line);
	if (begins_key(line)) {
		const char *bracket = memchr(line.at, '[', (size_t)(line.end - line.at));
		counted->count = 0;
		counted->in_key = true;
		if (!put_keys(reading, counted, (struct line){ bracket + 1, line.end }))
			return error_memory(reading->error, "a profile");
		counted->in_head = counted->count;
		return HISTREE_OK;
	}
	if (text.at == text.end)
		return HISTREE_OK;
	if (is_indented && is_digits(text) && counted->count > 0)
		return end_stack(reading, counted, text);
	const struct line owner = bcc_owner(line);
	if (owner.at < owner.end)
		return put_frame(reading, counted, owner) ? HISTREE_OK : error_memory(reading->error, "a profile");
	if (is_bcc_frame(line) && text.end - text.at == 2 && memcmp(text.at, "--", 2) == 0)
		return HISTREE_OK; /* between the stacks of the kernel and of the program */
	const bool is_address = text.end - text.at > 2 && memcmp(text.at, "0x", 2) == 0;
	if (is_indented && (is_dtrace_frame(line) || is_address || is_bcc_frame(line)))
		return put_frame(reading, counted, text) ? HISTREE_OK : error_memory(reading->error, "a profile");
	/* The head that DTrace prints: which probe wrote what follows. */
	return counted->count == 0 && *text.at != '@' ? HISTREE_OK : leave_out(reading);
}

static enum histree_status read_counted(struct reading *reading)
{
	struct counted counted = { .count = 0 };
	struct line line;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && (status = next_line(reading, &line)) == HISTREE_OK)
		status = reading->is_too_long ? leave_out(reading) : take_counted(reading, &counted, line);
	if (status == HISTREE_END && counted.count > 0)
		leave_out(reading);
	free(counted.frames);
	return status;
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

enum histree_status profile_read_lines(struct profile *profile, enum profile_lines kind,
				       struct histree_error *error)
{
	struct packed_source *packed = profile->packed;
	struct reading reading = { .profile = profile, .error = error };
	enum histree_status status = kind == PROFILE_COUNTED ? read_counted(&reading) : read_folded(&reading);
	if (profile->samples.added > 0)
		trace_notes_warn(packed->base.notes,
				 "%s: %s stacks have no times: they lie one ns apart, in the order of the file",
				 packed->base.path, kind == PROFILE_COUNTED ? "counted" : "folded");
	if (status == HISTREE_END && packed->content.is_cut)
		return packed_source_lose_rest(packed, error);
	return status == HISTREE_END ? HISTREE_OK : status;
}
