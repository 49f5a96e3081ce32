// SPDX-License-Identifier: MIT
/*
 * program_values.c - the values of a program's expressions: numbers, texts, and the names of things.  Texts that
 * an expression makes lie in scratch memory.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/program/program.h"
#include "analysis/program/program_run.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "state/state_system.h"

/* ---- program operator ---------------------------------------------------------------------------------------- */

/* ---- memory until the next event ----------------------------------------------------------------------------- */

enum { CHUNK_SIZE = 1 << 16, TEXT_MAX = 1 << 20 };

char *scratch_allocate(struct scratch *scratch, size_t size)
{
	if (size > TEXT_MAX) {
		scratch->failed = true;
		return NULL;
	}
	if (size > CHUNK_SIZE - scratch->used || scratch->chunk_count == 0) {
		size_t next = scratch->chunk_count == 0 ? 0 : scratch->chunk + 1;
		/* A chunk is as large as its first text needs, and at least as large as the others. */
		if (next == scratch->chunk_count &&
		    !array_reserve(&scratch->chunks, &scratch->chunk_capacity, next + 1)) {
			scratch->failed = true;
			return NULL;
		}
		if (next == scratch->chunk_count)
			scratch->chunks[scratch->chunk_count++] = NULL;
		if (scratch->chunks[next] == NULL || size > CHUNK_SIZE) {
			char *grown = realloc(scratch->chunks[next], size > CHUNK_SIZE ? size : CHUNK_SIZE);
			if (grown == NULL) {
				scratch->failed = true;
				return NULL;
			}
			scratch->chunks[next] = grown;
		}
		scratch->chunk = next;
		scratch->used = 0;
	}
	char *bytes = scratch->chunks[scratch->chunk] + scratch->used;
	scratch->used = size > CHUNK_SIZE ? CHUNK_SIZE : scratch->used + size;
	return bytes;
}

struct histree_value scratch_text(struct scratch *scratch, const void *bytes, size_t size)
{
	char *copy = scratch_allocate(scratch, size);
	if (copy == NULL)
		return histree_null();
	memcpy(copy, bytes, size);
	return (struct histree_value){ .type = HISTREE_STRING, .size = (uint32_t)size, .bytes = copy };
}

void scratch_clear(struct scratch *scratch)
{
	scratch->chunk = scratch->used = 0;
}

void scratch_release(struct scratch *scratch)
{
	for (size_t i = 0; i < scratch->chunk_count; i++)
		free(scratch->chunks[i]);
	free(scratch->chunks);
}

/* ---- kinds of values ------------------------------------------------------------------------------------ */

static bool is_integer(const struct histree_value *value)
{
	return value->type == HISTREE_INT || value->type == HISTREE_LONG || value->type == HISTREE_BOOL;
}

static bool is_number(const struct histree_value *value)
{
	return is_integer(value) || value->type == HISTREE_DOUBLE;
}

static int64_t integer_of(const struct histree_value *value)
{
	return value->type == HISTREE_INT    ? value->int32
	       : value->type == HISTREE_BOOL ? value->boolean
					     : value->int64;
}

static double real_of(const struct histree_value *value)
{
	return value->type == HISTREE_DOUBLE ? value->real : (double)integer_of(value);
}

static bool is_text(const struct histree_value *value)
{
	return value->type == HISTREE_STRING;
}

bool value_is_true(const struct histree_value *value)
{
	if (value->type == HISTREE_BOOL)
		return value->boolean;
	if (value->type == HISTREE_DOUBLE)
		return value->real != 0;
	return is_text(value) ? value->size > 0 : is_integer(value) && integer_of(value) != 0;
}

static struct histree_value real_value(double real)
{
	return (struct histree_value){ .type = HISTREE_DOUBLE, .real = real };
}

static struct histree_value bool_value(bool boolean)
{
	return (struct histree_value){ .type = HISTREE_BOOL, .boolean = boolean };
}

/* ---- comparison ---------------------------------------------------------------------------------------------- */

/* Returns false if they have no order; equal ones have. */
static bool compare(const struct histree_value *first, const struct histree_value *second, int *order)
{
	bool has_null = first->type == HISTREE_NULL || second->type == HISTREE_NULL;
	if (has_null) {
		*order = (first->type != HISTREE_NULL) - (second->type != HISTREE_NULL);
		return true;
	}
	if (is_integer(first) && is_integer(second)) {
		int64_t a = integer_of(first), b = integer_of(second);
		*order = (a > b) - (a < b);
		return true;
	}
	if (is_number(first) && is_number(second)) {
		double a = real_of(first), b = real_of(second);
		*order = (a > b) - (a < b);
		return !isnan(a) && !isnan(b);
	}
	*order = is_text(first) && is_text(second)
			 ? bytes_order(first->bytes, first->size, second->bytes, second->size)
			 : 1;
	return is_text(first) && is_text(second);
}

bool values_are_equal(const struct histree_value *first, const struct histree_value *second)
{
	int order;
	return compare(first, second, &order) && order == 0;
}

static bool comparison(enum program_operator operator, const struct histree_value * first,
		       const struct histree_value *second)
{
	int order;
	bool has_order = compare(first, second, &order);
	switch (operator) {
	case PROGRAM_EQUAL:
		return has_order && order == 0;
	case PROGRAM_NOT_EQUAL:
		return !has_order || order != 0;
	case PROGRAM_LESS:
		return has_order && order < 0;
	case PROGRAM_LESS_OR_EQUAL:
		return has_order && order <= 0;
	case PROGRAM_GREATER:
		return has_order && order > 0;
	default:
		return has_order && order >= 0;
	}
}

/* ---- texts of numbers ---------------------------------------------------------------------------------------- */

/*
 * The shortest text that is read as the same number, always with a point: as Java has it where it is not
 * scientific.
 */
static size_t real_name(double real, char text[NUMBER_NAME_SIZE])
{
	if (isnan(real))
		return (size_t)snprintf(text, NUMBER_NAME_SIZE, "NaN");
	if (isinf(real))
		return (size_t)snprintf(text, NUMBER_NAME_SIZE, real > 0 ? "Infinity" : "-Infinity");
	int size = 0;
	for (int digits = 1; digits <= 17; digits++) {
		size = snprintf(text, NUMBER_NAME_SIZE, "%.*g", digits, real);
		if (strtod(text, NULL) == real)
			break;
	}
	if (strpbrk(text, ".e") == NULL)
		size += snprintf(text + size, NUMBER_NAME_SIZE - (size_t)size, ".0");
	return (size_t)size;
}

size_t number_name(const struct histree_value *value, char text[NUMBER_NAME_SIZE])
{
	if (value->type == HISTREE_DOUBLE)
		return real_name(value->real, text);
	if (value->type == HISTREE_BOOL)
		return (size_t)snprintf(text, NUMBER_NAME_SIZE, value->boolean ? "true" : "false");
	char digits[24], *at = digits + sizeof(digits);
	int64_t number = integer_of(value);
	uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
	do
		*--at = (char)('0' + rest % 10);
	while ((rest /= 10) != 0);
	if (number < 0)
		*--at = '-';
	size_t size = (size_t)(digits + sizeof(digits) - at);
	memcpy(text, at, size);
	return size;
}

static struct histree_value as_text(struct histree_value value, struct scratch *scratch)
{
	char text[NUMBER_NAME_SIZE];
	if (is_text(&value) || !is_number(&value))
		return is_text(&value) ? value : histree_null();
	return scratch_text(scratch, text, number_name(&value, text));
}

/* Of a whole text, as a number of C; 0x and leading zeros as strtoll() has them with base 0 only after "0x". */
static bool read_number(const struct histree_value *text, bool wants_real, int64_t *integer, double *real)
{
	char copy[64], *end;
	if (text->size == 0 || text->size >= sizeof(copy) || memchr(text->bytes, '\0', text->size) != NULL)
		return false;
	memcpy(copy, text->bytes, text->size);
	copy[text->size] = '\0';
	if (isspace((unsigned char)copy[0]))
		return false;
	if (wants_real) {
		*real = strtod(copy, &end);
		return *end == '\0';
	}
	const char *digits = copy + (copy[0] == '-' || copy[0] == '+');
	bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	*integer = strtoll(copy, &end, is_hex ? 16 : 10);
	return *end == '\0' && end != copy;
}

struct histree_value value_convert(struct histree_value value, enum histree_type type, struct scratch *scratch)
{
	int64_t integer = 0;
	double real = 0;
	if (value.type == type || value.type == HISTREE_NULL || value.type == HISTREE_UNKNOWN)
		return value;
	if (type == HISTREE_STRING)
		return as_text(value, scratch);
	if (type == HISTREE_BOOL)
		return bool_value(value_is_true(&value));
	bool wants_real = type == HISTREE_DOUBLE;
	if (is_text(&value)) {
		if (!read_number(&value, wants_real, &integer, &real))
			return histree_null();
	} else if (value.type == HISTREE_DOUBLE) {
		if (!wants_real && !(fabs(value.real) < 9.2e18))
			return histree_null();
		integer = wants_real ? 0 : (int64_t)value.real;
		real = value.real;
	} else if (is_integer(&value)) {
		integer = integer_of(&value);
		real = (double)integer;
	} else {
		return histree_null();
	}
	if (wants_real)
		return real_value(real);
	if (type == HISTREE_LONG)
		return histree_long(integer);
	return integer >= INT32_MIN && integer <= INT32_MAX ? histree_int((int32_t)integer) : histree_null();
}

/* ---- arithmetic ---------------------------------------------------------------------------------------------- */

/* An int if it fits and both operands were, else a long. */
static struct histree_value integer_value(int64_t number, bool is_int)
{
	return is_int && number >= INT32_MIN && number <= INT32_MAX ? histree_int((int32_t)number)
								    : histree_long(number);
}

static struct histree_value of_integers(enum program_operator operator, int64_t a, int64_t b, bool is_int)
{
	int64_t out = 0;
	bool overflows = false;
	switch (operator) {
	case PROGRAM_ADD:
		overflows = __builtin_add_overflow(a, b, &out);
		break;
	case PROGRAM_SUBTRACT:
		overflows = __builtin_sub_overflow(a, b, &out);
		break;
	case PROGRAM_MULTIPLY:
		overflows = __builtin_mul_overflow(a, b, &out);
		break;
	case PROGRAM_DIVIDE:
	case PROGRAM_REMAINDER:
		overflows = b == 0 || (a == INT64_MIN && b == -1);
		if (!overflows)
			out = operator== PROGRAM_DIVIDE ? a / b : a % b;
		break;
	case PROGRAM_BIT_AND:
		out = a & b;
		break;
	case PROGRAM_BIT_OR:
		out = a | b;
		break;
	case PROGRAM_BIT_XOR:
		out = a ^ b;
		break;
	case PROGRAM_SHIFT_LEFT:
		overflows = b < 0 || b > 63;
		if (!overflows)
			out = (int64_t)((uint64_t)a << b);
		break;
	case PROGRAM_SHIFT_RIGHT:
		overflows = b < 0 || b > 63;
		if (!overflows)
			out = a < 0 ? ~(~a >> b) : a >> b;
		break;
	default:
		return histree_null();
	}
	return overflows ? histree_null() : integer_value(out, is_int);
}

static struct histree_value of_reals(enum program_operator operator, double a, double b)
{
	switch (operator) {
	case PROGRAM_ADD:
		return real_value(a + b);
	case PROGRAM_SUBTRACT:
		return real_value(a - b);
	case PROGRAM_MULTIPLY:
		return real_value(a * b);
	case PROGRAM_DIVIDE:
		return b != 0 ? real_value(a / b) : histree_null();
	case PROGRAM_REMAINDER:
		return b != 0 ? real_value(fmod(a, b)) : histree_null();
	default:
		return histree_null();
	}
}

static struct histree_value join(struct histree_value first, struct histree_value second, struct scratch *scratch)
{
	first = as_text(first, scratch);
	second = as_text(second, scratch);
	if (!is_text(&first) || !is_text(&second))
		return histree_null();
	char *bytes = scratch_allocate(scratch, (size_t)first.size + second.size);
	if (bytes == NULL)
		return histree_null();
	memcpy(bytes, first.bytes, first.size);
	memcpy(bytes + first.size, second.bytes, second.size);
	return (struct histree_value){ .type = HISTREE_STRING, .size = first.size + second.size, .bytes = bytes };
}

static struct histree_value arithmetic(enum program_operator operator, const struct histree_value * first,
				       const struct histree_value *second, struct scratch *scratch)
{
	if (operator== PROGRAM_ADD &&(is_text(first) || is_text(second)))
		return join(*first, *second, scratch);
	if (is_integer(first) && is_integer(second))
		return of_integers(operator, integer_of(first), integer_of(second),
				   first->type != HISTREE_LONG && second->type != HISTREE_LONG);
	if (is_number(first) && is_number(second))
		return of_reals(operator, real_of(first), real_of(second));
	return histree_null();
}

static struct histree_value negate(enum program_operator operator, const struct histree_value * value)
{
	if (is_integer(value))
		return operator== PROGRAM_NEGATE
			       ? of_integers(PROGRAM_SUBTRACT, 0, integer_of(value), value->type != HISTREE_LONG)
			       : integer_value(~integer_of(value), value->type != HISTREE_LONG);
	return operator== PROGRAM_NEGATE && value->type == HISTREE_DOUBLE ? real_value(-value->real)
									  : histree_null();
}

/* ---- texts --------------------------------------------------------------------------------------------------- */

static struct histree_value part_of_text(const struct histree_value operands[3])
{
	struct histree_value text = operands[0];
	if (!is_text(&text) || !is_number(&operands[1]))
		return histree_null();
	int64_t size = text.size, from = value_convert(operands[1], HISTREE_LONG, NULL).int64, to = size;
	if (operands[2].type != HISTREE_NULL)
		to = is_number(&operands[2]) ? value_convert(operands[2], HISTREE_LONG, NULL).int64 : 0;
	from = from < 0 ? 0 : from > size ? size : from;
	to = to < 0 ? 0 : to > size ? size : to;
	text.bytes = (const char *)text.bytes + (from < to ? from : to);
	text.size = (uint32_t)(from < to ? to - from : from - to);
	return text;
}

static int64_t index_of(const struct histree_value *text, const struct histree_value *part)
{
	const char *at = part->size == 0 ? text->bytes : NULL;
	if (part->size > 0 && text->size >= part->size)
		at = memmem(text->bytes, text->size, part->bytes, part->size);
	return at != NULL ? at - (const char *)text->bytes : -1;
}

static struct histree_value in_case(const struct histree_value *text, int (*of_byte)(int), struct scratch *scratch)
{
	char *bytes = is_text(text) ? scratch_allocate(scratch, text->size) : NULL;
	const unsigned char *from = text->bytes;
	for (uint32_t i = 0; bytes != NULL && i < text->size; i++)
		bytes[i] = (char)(from[i] < 128 ? of_byte(from[i]) : from[i]);
	return bytes != NULL ? (struct histree_value){ .type = HISTREE_STRING, .size = text->size, .bytes = bytes }
			     : histree_null();
}

/* Two pointers and the place of the last star: linear in what the stars try. */
static bool one_fits(const char *pattern, const char *pattern_end, const char *text, const char *text_end)
{
	const char *star = NULL, *from = NULL;
	while (text < text_end) {
		if (pattern < pattern_end && *pattern == '*') {
			star = pattern++;
			from = text;
		} else if (pattern < pattern_end && *pattern == *text) {
			pattern++;
			text++;
		} else if (star != NULL) {
			pattern = star + 1;
			text = ++from;
		} else {
			return false;
		}
	}
	while (pattern < pattern_end && *pattern == '*')
		pattern++;
	return pattern == pattern_end;
}

bool stars_fit(const char *pattern, const char *text, size_t size)
{
	return one_fits(pattern, pattern + strlen(pattern), text, text + size);
}

bool pattern_fits(const char *patterns, const char *text, size_t size)
{
	for (;;) {
		const char *end = strchrnul(patterns, '|');
		if (one_fits(patterns, end, text, text + size))
			return true;
		if (*end == '\0')
			return false;
		patterns = end + 1;
	}
}

static struct histree_value of_texts(enum program_operator operator, const struct histree_value * text,
				     const struct histree_value *other)
{
	if (!is_text(text) || !is_text(other))
		return histree_null();
	const char *bytes = text->bytes;
	bool has_room = other->size <= text->size;
	switch (operator) {
	case PROGRAM_INDEX_OF:
		return histree_int((int32_t)index_of(text, other));
	case PROGRAM_STARTS_WITH:
		return bool_value(has_room && memcmp(bytes, other->bytes, other->size) == 0);
	case PROGRAM_ENDS_WITH:
		return bool_value(has_room &&
				  memcmp(bytes + text->size - other->size, other->bytes, other->size) == 0);
	default:
		return bool_value(one_fits(other->bytes, (const char *)other->bytes + other->size, bytes,
					   bytes + text->size));
	}
}

/* ---- all of them --------------------------------------------------------------------------------------------- */

struct histree_value operator_apply(enum program_operator operator, const struct histree_value operands[3],
				    struct scratch *scratch)
{
	for (unsigned i = 0; i < program_operands(operator); i++)
		if (operands[i].type == HISTREE_UNKNOWN)
			return histree_unknown();
	switch (operator) {
	case PROGRAM_EQUAL:
	case PROGRAM_NOT_EQUAL:
	case PROGRAM_LESS:
	case PROGRAM_LESS_OR_EQUAL:
	case PROGRAM_GREATER:
	case PROGRAM_GREATER_OR_EQUAL:
		return bool_value(comparison(operator, & operands[0], &operands[1]));
	case PROGRAM_NOT:
		return bool_value(!value_is_true(&operands[0]));
	case PROGRAM_NEGATE:
	case PROGRAM_BIT_NOT:
		return negate(operator, & operands[0]);
	case PROGRAM_SUBSTRING:
		return part_of_text(operands);
	case PROGRAM_LENGTH:
		return is_text(&operands[0]) ? histree_int((int32_t)operands[0].size) : histree_null();
	case PROGRAM_INDEX_OF:
	case PROGRAM_STARTS_WITH:
	case PROGRAM_ENDS_WITH:
	case PROGRAM_MATCHES:
		return of_texts(operator, & operands[0], &operands[1]);
	case PROGRAM_LOWER_CASE:
		return in_case(&operands[0], tolower, scratch);
	case PROGRAM_UPPER_CASE:
		return in_case(&operands[0], toupper, scratch);
	default:
		return arithmetic(operator, & operands[0], &operands[1], scratch);
	}
}

/* ---- program values ------------------------------------------------------------------------------------------ */

/* ---- fields ----------------------------------------------------------------------------------------------- */

static struct histree_value of_part(struct program_run *run, const struct event_part *part)
{
	switch (part->kind) {
	case EVENT_INT:
	case EVENT_UNSIGNED:
		return histree_long(part->integer);
	case EVENT_REAL:
		return (struct histree_value){ .type = HISTREE_DOUBLE, .real = part->real };
	case EVENT_TEXT:
		return scratch_text(&run->scratch, part->bytes, part->size);
	default:
		return histree_null();
	}
}

/* The first part is all that is wanted. */
static bool take_part(void *context, const struct event_part *part)
{
	*(struct event_part *)context = *part;
	return false;
}

static struct histree_value decode(struct program_run *run, uint32_t number)
{
	const struct event *event = run->event;
	uint32_t field = run->binding->fields[number];
	struct event_part part = { .kind = EVENT_NOTHING };
	int64_t integer;
	const char *text;
	size_t size;
	if (field == EVENT_NO_FIELD)
		return histree_null();
	if (field == FIELD_INSIDE) {
		const char *name = intern_get(&run->program->fields, number, NULL);
		return event_find(event, name, &part) ? of_part(run, &part) : histree_null();
	}
	if (event_int(event, field, &integer))
		return histree_long(integer);
	if (event_string(event, field, &text, &size))
		return scratch_text(&run->scratch, text, size);
	event_visit(event, field, take_part, &part);
	return of_part(run, &part);
}

static struct histree_value field_value(struct program_run *run, uint32_t number)
{
	struct decoded_field *field = &run->fields[number];
	if (field->event != run->number) {
		field->value = decode(run, number);
		field->event = run->number;
	}
	return field->value;
}

/* ---- facts ------------------------------------------------------------------------------------------------ */

static struct histree_value trace_name(const struct event_trace *trace)
{
	const char *slash = strrchr(trace->path, '/');
	return histree_string(slash != NULL ? slash + 1 : trace->path);
}

static struct histree_value host_name(const struct event_trace *trace)
{
	return trace->hostname[0] != '\0' ? histree_string(trace->hostname) : trace_name(trace);
}

static struct histree_value fact_value(struct program_run *run, enum program_fact fact)
{
	const struct event *event = run->event;
	int64_t elapsed;
	switch (fact) {
	case PROGRAM_EVENT_NAME:
		return histree_string(event->class->name);
	case PROGRAM_TIME:
		return histree_long(event->time);
	case PROGRAM_CPU:
		return event->cpu >= 0 ? histree_int(event->cpu) : histree_null();
	case PROGRAM_HOST:
		return host_name(event->class->trace);
	case PROGRAM_TRACE:
		return trace_name(event->class->trace);
	case PROGRAM_TID:
		return run_tid(run);
	case PROGRAM_PID:
		return run_pid(run);
	case PROGRAM_ELAPSED:
		return run->step_began != INT64_MIN &&
				       !__builtin_sub_overflow(run->changes.time, run->step_began, &elapsed)
			       ? histree_long(elapsed)
			       : histree_null();
	}
	return histree_null();
}

/* ---- states ----------------------------------------------------------------------------------------------- */

static struct histree_value look_up(struct program_run *run, const struct value_row *row)
{
	struct changes *changes = &run->changes;
	struct histree_value value = histree_null();
	histree_quark quark = run_path(run, row->first, row->creates);
	if (quark == NO_ATTRIBUTE || changes->status != HISTREE_OK)
		return value;
	if (row->detail == PROGRAM_TOP) {
		enum histree_status status = histree_state_top(changes->system, quark, &value, &changes->error);
		return status == HISTREE_OK ? value : histree_null();
	}
	const struct ongoing_states *ongoing = &changes->system->ongoing;
	return row->detail == PROGRAM_SINCE ? histree_long(ongoing->states[quark].since)
					    : ongoing_states_value(ongoing, quark);
}

/* ---- values ----------------------------------------------------------------------------------------------- */

static struct histree_value mapped(struct program_run *run, const struct value_row *row)
{
	struct histree_value value = run_value(run, row->first);
	const struct program_pair *pairs = &run->program->pairs[row->second];
	for (uint32_t i = 0; i < row->third; i++)
		if (value.type != HISTREE_UNKNOWN && values_are_equal(&value, &pairs[i].from))
			return pairs[i].to;
	return value;
}

static struct histree_value operation(struct program_run *run, const struct value_row *row)
{
	enum program_operator operator=(enum program_operator) row->detail;
	if (operator== PROGRAM_AND || operator== PROGRAM_OR) {
		/* The second operand is looked at only if the first leaves it open. */
		bool decides = row->detail == PROGRAM_OR;
		struct histree_value first = run_value(run, row->first);
		if (first.type != HISTREE_UNKNOWN && value_is_true(&first) == decides)
			return (struct histree_value){ .type = HISTREE_BOOL, .boolean = decides };
		struct histree_value second = run_value(run, row->second);
		if (second.type != HISTREE_UNKNOWN && value_is_true(&second) == decides)
			return (struct histree_value){ .type = HISTREE_BOOL, .boolean = decides };
		if (first.type == HISTREE_UNKNOWN || second.type == HISTREE_UNKNOWN)
			return histree_unknown();
		return (struct histree_value){ .type = HISTREE_BOOL, .boolean = !decides };
	}
	if (operator== PROGRAM_CHOOSE) {
		struct histree_value condition = run_value(run, row->first);
		if (condition.type == HISTREE_UNKNOWN)
			return condition;
		return run_value(run, value_is_true(&condition) ? row->second : row->third);
	}
	struct histree_value operands[3] = { run_value(run, row->first) };
	if (row->operands > 1)
		operands[1] = run_value(run, row->second);
	if (row->operands > 2)
		operands[2] = run_value(run, row->third);
	return operator_apply(operator, operands, &run->scratch);
}

struct histree_value run_value(struct program_run *run, program_value value)
{
	if (value == PROGRAM_NOTHING)
		return histree_null();
	const struct value_row *row = &run->program->values[value];
	switch ((enum program_value_kind)row->kind) {
	case VALUE_CONSTANT:
		return row->constant;
	case VALUE_FIELD:
		if (row->second != 0 && run->binding->fields[row->first] == EVENT_NO_FIELD)
			return run_value(run, row->second - 1);
		return field_value(run, row->first);
	case VALUE_FACT:
		return fact_value(run, (enum program_fact)row->detail);
	case VALUE_LOOK_UP:
		return look_up(run, row);
	case VALUE_CONVERT:
		return value_convert(run_value(run, row->first), (enum histree_type)row->detail, &run->scratch);
	case VALUE_MAP:
		return mapped(run, row);
	case VALUE_OPERATION:
		return operation(run, row);
	}
	return histree_null();
}

bool run_is_true(struct program_run *run, program_value condition)
{
	if (condition == PROGRAM_NOTHING)
		return true;
	const struct value_row *row = &run->program->values[condition];
	bool is_and = row->kind == VALUE_OPERATION && row->detail == PROGRAM_AND;
	if (is_and) /* what is unknown is not true, and the second is not looked at if the first is false */ {
		struct histree_value first = run_value(run, row->first);
		bool is_open = first.type == HISTREE_UNKNOWN;
		if (!is_open && !value_is_true(&first))
			return false;
		return run_is_true(run, row->second) && !is_open;
	}
	struct histree_value value = run_value(run, condition);
	return value.type != HISTREE_UNKNOWN && value_is_true(&value);
}

/* ---- paths ------------------------------------------------------------------------------------------------ */

histree_quark run_child(struct program_run *run, histree_quark parent, const char *name, size_t size)
{
	histree_quark quark = NO_ATTRIBUTE;
	return changes_child(&run->changes, &quark, parent, name, size);
}

histree_quark run_child_of_number(struct program_run *run, histree_quark parent, uint32_t number)
{
	char text[NUMBER_NAME_SIZE];
	struct histree_value value = histree_long(number);
	return run_child(run, parent, text, number_name(&value, text));
}

static histree_quark find_child(struct program_run *run, histree_quark parent, const char *name, size_t size,
				bool creates)
{
	histree_quark quark = NO_ATTRIBUTE;
	if (size == 0 || size > UINT16_MAX || run->changes.status != HISTREE_OK)
		return NO_ATTRIBUTE;
	if (creates)
		return run_child(run, parent, name, size);
	const struct histree_attributes *attributes = histree_state_attributes(run->changes.system);
	return histree_attributes_child(attributes, parent, name, size, &quark) == HISTREE_OK ? quark
											      : NO_ATTRIBUTE;
}

/* Of a text, by what it has: two may have one hash. */
static bool is_called(const struct program_run *run, histree_quark quark, const struct histree_value *text)
{
	struct attribute_name name = attribute_tree_name(&run->changes.system->attributes, quark);
	return name.text != NULL && name.size == text->size && memcmp(name.text, text->bytes, name.size) == 0;
}

/* What a step remembers a child by. */
static uint64_t key_of(const struct program_run *run, const struct value_row *name,
		       const struct histree_value *value)
{
	if (value->type == HISTREE_INT)
		return (uint64_t)(int64_t)value->int32;
	if (value->type == HISTREE_LONG)
		return (uint64_t)value->int64;
	if (name->kind == VALUE_CONSTANT)
		return 0;
	return name->kind == VALUE_FACT ? run->event->class->id : hash_bytes(value->bytes, value->size);
}

static histree_quark find_step(struct program_run *run, histree_quark parent, const struct histree_value *value,
			       bool creates)
{
	char text[NUMBER_NAME_SIZE];
	if (value->type == HISTREE_STRING)
		return find_child(run, parent, value->bytes, value->size, creates);
	if (value->type == HISTREE_NULL || value->type == HISTREE_UNKNOWN || value->type == HISTREE_CUSTOM)
		return NO_ATTRIBUTE;
	return find_child(run, parent, text, number_name(value, text), creates);
}

/* The child with the value as its name.  Those of whole numbers and of texts are remembered. */
static histree_quark step(struct program_run *run, uint32_t number, histree_quark parent, bool creates)
{
	program_value named = run->program->steps[number].name;
	const struct value_row *name = &run->program->values[named];
	struct histree_value value = run_value(run, named);
	if (value.type != HISTREE_INT && value.type != HISTREE_LONG && value.type != HISTREE_STRING)
		return find_step(run, parent, &value, creates);
	/* Constants and names of classes are themselves what they are remembered by. */
	bool is_fixed =
		name->kind == VALUE_CONSTANT || (name->kind == VALUE_FACT && name->detail == PROGRAM_EVENT_NAME);
	bool is_text = value.type == HISTREE_STRING && !is_fixed;
	uint64_t key = key_of(run, name, &value);
	uint64_t slot = (key * 0x9e3779b97f4a7c15u) ^ ((uint64_t)parent * 0xc2b2ae3d27d4eb4fu);
	struct known_child *known = &run->known[number][slot >> 32 & (STEP_CACHE_SIZE - 1)];
	if (known->child != NO_ATTRIBUTE && known->parent == parent && known->key == key &&
	    known->is_text == is_text && (!is_text || is_called(run, known->child, &value)))
		return known->child;
	histree_quark child = find_step(run, parent, &value, creates);
	*known = (struct known_child){ .parent = parent, .child = child, .key = key, .is_text = is_text };
	return child;
}

/* ---- pools ---------------------------------------------------------------------------------------------- */

bool free_numbers_give(struct free_numbers *free, uint32_t number)
{
	if (free->first > 32 && free->first * 2 > free->count) {
		free->count -= free->first;
		memmove(free->numbers, free->numbers + free->first, free->count * sizeof(*free->numbers));
		free->first = 0;
	}
	if (!array_reserve(&free->numbers, &free->capacity, free->count + 1))
		return false;
	free->numbers[free->count++] = number;
	return true;
}

static void fail_pools(struct program_run *run)
{
	changes_fail(&run->changes, HISTREE_ERR_MEMORY, "no memory for scenarios");
}

static bool pool_has_parent(const void *elements, uint32_t number, const void *key)
{
	return ((const struct number_pool *)elements)[number].parent == *(const histree_quark *)key;
}

static uint64_t hash_of_pool(const void *elements, uint32_t number)
{
	return hash_mix(((const struct number_pool *)elements)[number].parent);
}

static struct number_pool *pool_of(struct program_run *run, histree_quark parent)
{
	uint32_t found = hash_index_find(&run->pool_index, hash_mix(parent), pool_has_parent, run->pools, &parent);
	if (found != HASH_INDEX_NONE)
		return &run->pools[found];
	if (!array_reserve(&run->pools, &run->pool_capacity, run->pool_count + 1) ||
	    !hash_index_reserve(&run->pool_index, run->pool_count + 1, hash_of_pool, run->pools)) {
		fail_pools(run);
		return NULL;
	}
	run->pools[run->pool_count] = (struct number_pool){ .parent = parent };
	hash_index_add(&run->pool_index, hash_mix(parent), (uint32_t)run->pool_count);
	return &run->pools[run->pool_count++];
}

/* Few are free at a time. */
static histree_quark take_lowest(struct number_pool *pool)
{
	struct free_numbers *free = &pool->free;
	size_t lowest = free->first;
	for (size_t i = lowest + 1; i < free->count; i++)
		if (free->numbers[i] < free->numbers[lowest])
			lowest = i;
	histree_quark quark = free->numbers[lowest];
	free->numbers[lowest] = free->numbers[free->first++];
	return quark;
}

static bool note_use(struct program_run *run, histree_quark parent, histree_quark quark)
{
	uint32_t use = run->free_use;
	if (use != PROGRAM_NOTHING) {
		run->free_use = run->uses[use].next;
	} else {
		if (!array_reserve(&run->uses, &run->use_capacity, run->use_count + 1))
			return false;
		use = (uint32_t)run->use_count++;
	}
	run->uses[use] = (struct pool_use){ parent, quark, run->scenario->first_use };
	run->scenario->first_use = use;
	return true;
}

/* Returns the attribute of a pool below another one for the current scenario, or NO_ATTRIBUTE. */
static histree_quark pool_attribute(struct program_run *run, histree_quark parent)
{
	if (run->scenario == NULL || run->scenario->is_over || run->changes.status != HISTREE_OK)
		return NO_ATTRIBUTE;
	for (uint32_t use = run->scenario->first_use; use != PROGRAM_NOTHING; use = run->uses[use].next)
		if (run->uses[use].parent == parent)
			return run->uses[use].quark;
	struct number_pool *pool = pool_of(run, parent);
	if (pool == NULL)
		return NO_ATTRIBUTE;
	histree_quark quark =
		free_numbers_has(&pool->free) ? take_lowest(pool) : run_child_of_number(run, parent, pool->given++);
	if (quark != NO_ATTRIBUTE && !note_use(run, parent, quark))
		fail_pools(run);
	return quark;
}

void run_pools_return(struct program_run *run, struct scenario *scenario)
{
	uint32_t next;
	for (uint32_t use = scenario->first_use; use != PROGRAM_NOTHING; use = next) {
		struct number_pool *pool = pool_of(run, run->uses[use].parent);
		if (pool != NULL && !free_numbers_give(&pool->free, run->uses[use].quark))
			fail_pools(run);
		next = run->uses[use].next;
		run->uses[use].next = run->free_use;
		run->free_use = use;
	}
	scenario->first_use = PROGRAM_NOTHING;
}

static histree_quark find_path(struct program_run *run, const struct path_row *row, bool creates)
{
	histree_quark quark = row->base == PROGRAM_SCENARIO ? run->scenario->quark : HISTREE_ROOT;
	for (uint32_t i = row->first; i != PROGRAM_NOTHING; i = run->program->steps[i].next) {
		quark = run->program->steps[i].name == PROGRAM_NOTHING ? pool_attribute(run, quark)
								       : step(run, i, quark, creates);
		if (quark == NO_ATTRIBUTE)
			return NO_ATTRIBUTE;
	}
	return quark;
}

histree_quark run_path(struct program_run *run, program_path path, bool creates)
{
	const struct path_row *row = &run->program->paths[path];
	if (row->base == PROGRAM_SCENARIO && run->scenario == NULL)
		return NO_ATTRIBUTE;
	if (row->fixed == PROGRAM_NOTHING)
		return find_path(run, row, creates);
	histree_quark *known = &run->scenario->fixed[row->fixed];
	if (*known == NO_ATTRIBUTE)
		*known = find_path(run, row, creates);
	return *known;
}
