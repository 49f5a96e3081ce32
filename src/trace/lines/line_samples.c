// SPDX-License-Identifier: MIT
/*
 * line_samples.c - samples with their calls, as "perf script" prints them.
 */
#include "trace/lines/line_samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "trace/lines/line_shape.h"
#include "trace/lines/line_text.h"

void line_sample_begin(struct line_sample *sample)
{
	sample->chain_size = 0;
	sample->pid = LINE_NO_THREAD;
	sample->name_size = 0;
}

void line_sample_release(struct line_sample *sample)
{
	free(sample->chain);
	*sample = (struct line_sample){ .chain = NULL };
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

static void trim(const char **begin, const char **end)
{
	while (*begin < *end && line_is_blank(**begin))
		++*begin;
	while (*end > *begin && line_is_blank((*end)[-1]))
		--*end;
}

/* ---- frames ---------------------------------------------------------------------------------------------- */

/* Put text behind the chain; what would end a part of it is a space. */
static bool line_samples_put(struct line_sample *sample, char before, const char *text, size_t size)
{
	if (!array_reserve(&sample->chain, &sample->chain_capacity, sample->chain_size + size + 1))
		return false;
	char *at = sample->chain + sample->chain_size;
	if (before != '\0')
		*at++ = before;
	for (size_t i = 0; i < size; i++)
		*at++ = (unsigned char)text[i] < ' ' ? ' ' : text[i];
	sample->chain_size = (size_t)(at - sample->chain);
	return true;
}

static bool put_frame(struct line_sample *sample, const char *function, const char *function_end,
		      const char *binary, const char *binary_end)
{
	if (sample->chain_size > LINE_CHAIN_MAX) {
		sample->left_out++;
		return true;
	}
	return line_samples_put(sample, sample->chain_size > 0 ? '\n' : '\0', function,
				(size_t)(function_end - function)) &&
	       line_samples_put(sample, '\t', binary, (size_t)(binary_end - binary));
}

/* Returns the parenthesis that the last byte closes, in front of which is a space, or nothing; NULL: none is. */
static const char *last_group(const char *begin, const char *end)
{
	size_t depth = 0;
	if (end == begin || end[-1] != ')')
		return NULL;
	for (const char *at = end; at-- > begin;) {
		depth += *at == ')';
		depth -= *at == '(';
		if (depth == 0)
			return at == begin || line_is_blank(at[-1]) ? at : NULL;
	}
	return NULL;
}

/* "inner+0x10": how far behind its beginning is no part of a name. */
static const char *before_offset(const char *begin, const char *end)
{
	const char *at = end;
	while (at > begin && line_scan_digit(at[-1]) >= 0)
		at--;
	return at < end && at - begin > 3 && memcmp(at - 3, "+0x", 3) == 0 ? at - 3 : end;
}

/* What stands behind the address of a frame: "inner+0x10 (/usr/bin/app)". */
static bool take_frame(struct line_sample *sample, const char *begin, const char *end)
{
	static const char inlined[] = "(inlined)";
	trim(&begin, &end);
	/* "(/bin/app) insn: 48 01 d0", as -F +insn has it. */
	const char *bytes = memmem(begin, (size_t)(end - begin), ") insn: ", 8);
	end = bytes != NULL ? bytes + 1 : end;
	const char *binary = end, *binary_end = end;
	const char *group = last_group(begin, end);
	if (group != NULL && (size_t)(end - group) == strlen(inlined) &&
	    memcmp(group, inlined, strlen(inlined)) == 0) {
		end = group;
		trim(&begin, &end);
		group = last_group(begin, end);
	}
	if (group != NULL) {
		binary = group + 1;
		binary_end = end - 1;
		end = group;
		trim(&begin, &end);
	}
	return put_frame(sample, begin, before_offset(begin, end), binary, binary_end);
}

/* " => inner", " => inner+0x10/0x40 <ffffffff81000000>", "=> inner (ffffffff81000000)". */
static bool take_kernel_frame(struct line_sample *sample, const char *begin, const char *end)
{
	static const char kernel[] = "[kernel]";
	trim(&begin, &end);
	const char *name_end = begin;
	while (name_end < end && *name_end != ' ' && *name_end != '<')
		name_end++;
	const char *slash = memchr(begin, '/', (size_t)(name_end - begin));
	return put_frame(sample, begin, before_offset(begin, slash != NULL ? slash : name_end), kernel,
			 kernel + strlen(kernel));
}

/*
 * A frame whose spaces in front were lost, on its way through a mail or a page: it must look like no word, and like
 * no row of a table, whose first column is a time.
 */
static bool is_bare_frame(const char *begin, const char *end)
{
	enum { DIGITS_MIN = 3, DIGITS_ENOUGH = 6 };
	const char *at = begin;
	while (at < end && line_scan_digit(*at) >= 0)
		at++;
	const ptrdiff_t digits = at - begin;
	if (at < end && *at != ' ')
		return false;
	trim(&at, &end);
	if (last_group(at, end) != NULL)
		return digits >= DIGITS_MIN;
	return digits >= DIGITS_ENOUGH && (at == end || !is_digit(*at));
}

bool line_sample_take(struct line_sample *sample, const char *line, size_t size, bool *is_kept)
{
	struct line_scan scan = { (char *)(uintptr_t)line, (char *)(uintptr_t)line + size };
	*is_kept = true;
	line_scan_spaces(&scan);
	const bool is_indented = scan.at > line;
	if (scan.at == scan.end)
		return false;
	if (is_indented && line_scan_word(&scan, "=> ")) {
		*is_kept = take_kernel_frame(sample, scan.at, scan.end);
		return true;
	}
	const char *begin = scan.at;
	while (scan.at < scan.end && line_scan_digit(*scan.at) >= 0)
		scan.at++;
	if (scan.at > begin && (scan.at == scan.end || line_is_blank(*scan.at)) &&
	    (is_indented || is_bare_frame(begin, scan.end))) {
		*is_kept = take_frame(sample, scan.at, scan.end);
		return true;
	}
	if (sample->chain_size == 0 || !is_indented)
		return false;
	/* " app.c:12", or " inner+16" where no line is known. */
	const char *colon = memrchr(begin, ':', (size_t)(scan.end - begin));
	const bool is_line = colon != NULL && colon + 1 < scan.end && is_digit(colon[1]);
	const char *frame = memrchr(sample->chain, '\n', sample->chain_size);
	const char *tab = memrchr(sample->chain, '\t', sample->chain_size);
	frame = frame != NULL ? frame : sample->chain;
	const bool has_place = memchr(frame, '\t', (size_t)(tab - frame)) != NULL;
	*is_kept = !is_line || has_place || sample->chain_size > LINE_CHAIN_MAX ||
		   line_samples_put(sample, '\t', begin, (size_t)(scan.end - begin));
	return true;
}

/* ---- heads ----------------------------------------------------------------------------------------------- */

/* Letters behind the colon say when it is counted; a tracepoint has words there (perf-list(1)). */
bool line_sample_is_counted(const char *name, size_t size)
{
	const char *colon = memchr(name, ':', size);
	for (const char *at = colon != NULL ? colon + 1 : name + size; at < name + size; at++)
		if (strchr("ukhGHIDpPSeWb:", *at) == NULL)
			return false;
	return true;
}

/* Returns the number of digits of the address that comes next, before a blank or the end; 0: it is no address. */
static ptrdiff_t pass_address(struct line_scan *scan)
{
	line_scan_spaces(scan);
	const char *begin = scan->at;
	while (scan->at < scan->end && line_scan_digit(*scan->at) >= 0)
		scan->at++;
	return scan->at == scan->end || line_is_blank(*scan->at) ? scan->at - begin : 0;
}

/*
 * Of ftrace an event has no colon either: a frame has an address of some digits, and says where it is.  What an
 * event prints of which we know the shape is no frame, though it begins as one (lock:contention_begin).
 */
bool line_sample_take_only(struct line_sample *sample, const struct line_head *head)
{
	enum { DIGITS_MIN = 3 };
	struct line_scan scan = { head->text, head->text + head->text_size };
	ptrdiff_t digits = pass_address(&scan);
	struct line_scan behind = scan;
	/* "0     7f00aa10 main+0x3 (/bin/web)": perf script -F addr,ip,sym has the address of the data in front. */
	if (digits > 0 && scan.at < scan.end && line_has_address(scan.at + 1, (size_t)(scan.end - scan.at) - 1) &&
	    pass_address(&behind) >= DIGITS_MIN) {
		scan = behind;
		digits = DIGITS_MIN;
	}
	const char *at = scan.at, *end = scan.end;
	trim(&at, &end);
	if ((!head->is_frame && (digits < DIGITS_MIN || last_group(at, end) == NULL)) ||
	    shape_row_find(head->name, head->name_size) != NULL ||
	    !line_sample_is_counted(head->name, head->name_size))
		return true;
	return take_frame(sample, at, end);
}

/* With chains, perf begins a line with the name of a thread; ftrace has a column for it, and texts of events. */
bool line_sample_take_none(struct line_sample *sample, const char *line, const struct line_head *head)
{
	static const char unknown[] = "[unknown]";
	const char *end = unknown + strlen(unknown);
	const bool is_sample = head->kind == LINE_EVENT && head->text_size == 0 && head->pid != LINE_NO_THREAD &&
			       *line != ' ' && line_sample_is_counted(head->name, head->name_size);
	return sample->chain_size > 0 || !is_sample || put_frame(sample, unknown, end, end, end);
}

static char *before_blanks(char *begin, char *end)
{
	while (end > begin && line_is_blank(end[-1]))
		end--;
	return end;
}

/* Returns the word in front of `end`, and where it begins. */
static struct line_scan word_before(char *begin, char *end)
{
	end = before_blanks(begin, end);
	char *at = end;
	while (at > begin && !line_is_blank(at[-1]))
		at--;
	return (struct line_scan){ at, end };
}

/* A word of a head: "2120/2121", "2121" or "app-2121". */
static bool is_thread(const char *begin, const char *end, int32_t tid, struct line_sample *sample,
		      const char **name_end)
{
	struct line_scan scan = { (char *)(uintptr_t)begin, (char *)(uintptr_t)end };
	uint64_t pid, number;
	const char *at = end;
	*name_end = begin;
	if (line_scan_number(&scan, &pid) && pid <= INT32_MAX) {
		if (scan.at == scan.end)
			return (int32_t)pid == tid;
		if (line_scan_byte(&scan, '/') && line_scan_number(&scan, &number) && scan.at == scan.end &&
		    number == (uint64_t)tid) {
			sample->pid = (int32_t)pid;
			return true;
		}
	}
	while (at > begin && is_digit(at[-1]))
		at--;
	scan = (struct line_scan){ (char *)(uintptr_t)at, (char *)(uintptr_t)end };
	*name_end = at - 1;
	return at > begin + 1 && at[-1] == '-' && line_scan_number(&scan, &number) && number == (uint64_t)tid;
}

/* The last word in front of the CPU, the time or the event that is the thread. */
void line_sample_whose(struct line_sample *sample, const char *line, size_t size, const struct line_head *head)
{
	const char *end = line + size, *at = line, *name_end;
	sample->pid = LINE_NO_THREAD;
	sample->name = line;
	sample->name_size = 0;
	if (head->is_frame)
		end = head->text;
	if (head->name >= line && head->name < end)
		end = head->name;
	if (head->pid < 0) { /* all that is there is the name, and what it is not of */
		const char *begin = line, *bracket = memchr(line, '[', (size_t)(end - line));
		int words = head->is_bare ? head->has_period + head->has_time : 0;
		for (; words > 0; words--)
			end = word_before((char *)(uintptr_t)line, (char *)(uintptr_t)end).at;
		end = bracket != NULL && bracket < end ? bracket : end;
		trim(&begin, &end);
		sample->name = begin;
		sample->name_size = (size_t)(end - begin);
		return;
	}
	while (at < end) {
		while (at < end && line_is_blank(*at))
			at++;
		const char *word = at;
		while (at < end && !line_is_blank(*at))
			at++;
		if (sample->name_size > 0 && (*word == '[' || at[-1] == ':'))
			break;
		if (word < at && is_thread(word, at, head->pid, sample, &name_end)) {
			const char *begin = line;
			trim(&begin, &name_end);
			sample->name = begin;
			sample->name_size = name_end > begin ? (size_t)(name_end - begin) : 0;
		}
	}
}

static bool is_cpu(struct line_scan word, int32_t *out)
{
	uint64_t cpu;
	bool is = line_scan_byte(&word, '[') && line_scan_number(&word, &cpu) && cpu <= LINE_CPU_MAX &&
		  line_scan_byte(&word, ']') && word.at == word.end;
	if (is)
		*out = (int32_t)cpu;
	return is;
}

/* "2120/2121" or "2121". */
static bool is_pid(struct line_scan word, int32_t *out)
{
	uint64_t number;
	bool is = line_scan_number(&word, &number);
	if (is && word.at < word.end)
		is = line_scan_byte(&word, '/') && line_scan_number(&word, &number);
	is = is && word.at == word.end && number <= INT32_MAX;
	if (is)
		*out = (int32_t)number;
	return is;
}

bool line_sample_is_frame(const char *line, size_t size)
{
	return size > 0 && *line == '\t' && line_has_address(line + 1, size - 1);
}

bool line_sample_is_likely(const char *line, size_t size)
{
	const char *begin = line, *end = line + size;
	trim(&begin, &end);
	return line_has_address(line, size) || line_sample_is_frame(line, size) || is_bare_frame(begin, end);
}

bool line_sample_is_alone(const char *line, size_t size)
{
	return size > 1 && *line == ' ' && (line_has_address(line, size) || line_has_address(line + 1, size - 1));
}

/* "16810.480463:", of the clock of perf. */
static bool is_time(struct line_scan word, histree_time *out)
{
	enum { SECOND = 1000000000 };
	uint64_t seconds, part = 0, unit = SECOND;
	if (!line_scan_number(&word, &seconds) || seconds >= INT64_MAX / SECOND || !line_scan_byte(&word, '.'))
		return false;
	for (; word.at < word.end && is_digit(*word.at) && unit > 1; word.at++) {
		unit /= 10;
		part += (uint64_t)(*word.at - '0') * unit;
	}
	if (unit == SECOND || !line_scan_byte(&word, ':') || word.at < word.end)
		return false;
	*out = (histree_time)(seconds * SECOND + part);
	return true;
}

/*
 * Returns where the frame begins that a head has on its line, "app      7f898f54f645 main", and NULL if it has
 * none.  What has neither an event nor a time in front of it is a frame if nobody would take it for a word.
 */
static char *frame_on_line(char *line, size_t size)
{
	enum { COLUMNS = 16, DIGITS_MIN = 3, DIGITS_ENOUGH = 6 };
	char *end = line + size;
	for (char *at = line; end - at > COLUMNS && (at = memchr(at, ' ', (size_t)(end - at))) != NULL; at++) {
		const char *before = before_blanks(line, at), *digit = at + 1;
		if (before == line || !line_has_address(at + 1, (size_t)(end - at) - 1))
			continue;
		while (*digit == ' ')
			digit++;
		const ptrdiff_t digits = at + 1 + COLUMNS - digit;
		return digits >= (before[-1] == ':' ? DIGITS_MIN : DIGITS_ENOUGH) ? at + 1 : NULL;
	}
	return NULL;
}

bool line_sample_head(char *line, size_t size, struct line_head *out)
{
	enum { PERIOD_COLUMNS = 10 };
	static char samples[] = "samples";
	char *end = line + size;
	*out = (struct line_head){ .pid = LINE_NO_THREAD, .cpu = LINE_NO_CPU, .kind = LINE_OTHER, .is_bare = true };
	if (size > 0 && *line == '#')
		out->kind = LINE_COMMENT;
	char *frame = out->kind == LINE_OTHER ? frame_on_line(line, size) : NULL;
	if (size > 0 && ((frame == NULL && line_is_blank(*line)) || *line == '#'))
		return false;
	out->text = end;
	if (frame != NULL) {
		out->is_frame = true;
		out->text = frame;
		out->text_size = (size_t)(end - frame);
		end = frame;
	}
	struct line_scan word = word_before(line, end);
	out->name = samples;
	out->name_size = strlen(samples);
	out->has_time = is_time(word, &out->time);
	const bool has_event = !out->has_time && word.end - word.at > 1 && word.end[-1] == ':';
	if (has_event) {
		out->name = word.at;
		out->name_size = (size_t)(word.end - word.at) - 1;
		end = word.at;
		word = word_before(line, end);
	}
	struct line_scan before = word_before(line, word.at);
	int32_t ignored;
	histree_time ignored_time;
	/* "app 3 2120 cycles:" does not have it; the column of periods is wide. */
	const bool is_apart = memchr(before.at, '/', (size_t)(before.end - before.at)) != NULL ||
			      word.end - before.end > PERIOD_COLUMNS;
	struct line_scan period = word;
	if (line_scan_number(&period, &out->period) && period.at == period.end &&
	    (is_cpu(before, &ignored) || is_time(before, &ignored_time) ||
	     (is_pid(before, &ignored) && is_apart))) {
		out->has_period = true;
		word = before;
	}
	out->has_time = out->has_time || is_time(word, &out->time);
	if (out->has_time)
		word = word_before(line, word.at);
	if (is_cpu(word, &out->cpu))
		word = word_before(line, word.at);
	bool is_thread = is_pid(word, &out->pid) && word.at > line;
	if (out->name_size > LINE_NAME_MAX)
		return false;
	if (has_event || is_thread || frame != NULL || !is_bare_frame(line, line + size))
		out->kind = has_event ? LINE_EVENT : LINE_SAMPLE;
	return has_event || is_thread || out->has_time;
}
