// SPDX-License-Identifier: MIT
/*
 * number_summary.c - summaries of numbers: least, greatest, weighted sum and time.  Adding is exact, so that
 * summaries can be added in any order with the same result.
 */
#include "state/number_summary.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"

/*
 * The first byte: the types of the least and the greatest number, 0 if there is no number, and which sums follow.
 */
enum { TYPE_MASK = 3, MAX_SHIFT = 2, HAS_REAL = 1 << 4, HAS_LEAST = 1 << 5, HAS_MOST = 1 << 6, FLAGS_END = 1 << 7 };

/* ---- numbers --------------------------------------------------------------------------------------------- */

bool number_summary_takes(const struct histree_value *value)
{
	return value->type == HISTREE_INT || value->type == HISTREE_LONG ||
	       (value->type == HISTREE_DOUBLE && !isnan(value->real));
}

static bool is_whole(const struct histree_value *value)
{
	return value->type != HISTREE_DOUBLE;
}

static int64_t whole_of(const struct histree_value *value)
{
	return value->type == HISTREE_INT ? value->int32 : value->int64;
}

static int compare_whole(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_real(double a, double b)
{
	if (a == 0 && b == 0)
		return (signbit(a) == 0) - (signbit(b) == 0);
	return (a > b) - (a < b);
}

static int compare_mixed(int64_t whole, double real)
{
	const double end = 9223372036854775808.0;
	if (real >= end)
		return -1;
	if (real < -end)
		return 1;
	int64_t truncated = (int64_t)real;
	if (whole != truncated)
		return whole < truncated ? -1 : 1;
	/* What was cut off is exact: there is some only where doubles are finer than 1. */
	double rest = real - (double)truncated;
	return (rest < 0) - (rest > 0);
}

int number_compare(const struct histree_value *a, const struct histree_value *b)
{
	int order;
	if (is_whole(a) && is_whole(b))
		order = compare_whole(whole_of(a), whole_of(b));
	else if (is_whole(a))
		order = compare_mixed(whole_of(a), b->real);
	else if (is_whole(b))
		order = -compare_mixed(whole_of(b), a->real);
	else
		order = compare_real(a->real, b->real);
	return order != 0 ? order : (a->type > b->type) - (a->type < b->type);
}

/* ---- adding ---------------------------------------------------------------------------------------------- */

static void add_real(struct number_summary *summary, double number, wide_uint ns)
{
	summary->has_real = true;
	if (isinf(number)) {
		*(number < 0 ? &summary->has_least : &summary->has_most) = true;
		return;
	}
	uint64_t most = ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
	exact_sum_add(&summary->real, number, most);
	if (ns > most)
		exact_sum_add(&summary->real, number, (uint64_t)(ns - most));
}

/* A forged summary may be of more time than there is. */
static void add_whole(struct number_summary *summary, wide_int sum)
{
	summary->whole = (wide_int)((wide_uint)summary->whole + (wide_uint)sum);
}

static void widen(struct number_summary *summary, const struct histree_value *min, const struct histree_value *max)
{
	if (summary->states == 0 || number_compare(min, &summary->min) < 0)
		summary->min = *min;
	if (summary->states == 0 || number_compare(max, &summary->max) > 0)
		summary->max = *max;
}

/* The common case: an int after ints. */
static bool widen_ints(struct number_summary *summary, const struct histree_value *value)
{
	if (value->type != HISTREE_INT || summary->states == 0 || summary->min.type != HISTREE_INT ||
	    summary->max.type != HISTREE_INT)
		return false;
	if (value->int32 < summary->min.int32)
		summary->min = *value;
	if (value->int32 > summary->max.int32)
		summary->max = *value;
	return true;
}

void number_summary_add(struct number_summary *summary, const struct histree_value *value, wide_uint ns)
{
	if (!number_summary_takes(value)) {
		*(value->type == HISTREE_UNKNOWN ? &summary->unknown_ns : &summary->other_ns) += ns;
		return;
	}
	if (!widen_ints(summary, value))
		widen(summary, value, value);
	summary->states++;
	summary->number_ns += ns;
	if (is_whole(value))
		add_whole(summary, (wide_int)whole_of(value) * (wide_int)ns);
	else
		add_real(summary, value->real, ns);
}

void number_summary_add_summary(struct number_summary *summary, const struct number_summary *other)
{
	summary->unknown_ns += other->unknown_ns;
	summary->other_ns += other->other_ns;
	if (other->states == 0)
		return;
	widen(summary, &other->min, &other->max);
	summary->states += other->states;
	summary->number_ns += other->number_ns;
	add_whole(summary, other->whole);
	if (other->has_real)
		exact_sum_add_sum(&summary->real, &other->real);
	summary->has_real = summary->has_real || other->has_real;
	summary->has_least = summary->has_least || other->has_least;
	summary->has_most = summary->has_most || other->has_most;
}

double number_summary_mean(const struct number_summary *summary)
{
	if (summary->has_least && summary->has_most)
		return NAN;
	if (summary->has_least || summary->has_most)
		return summary->has_most ? INFINITY : -INFINITY;
	if (summary->number_ns == 0)
		return 0;
	struct exact_sum sum = summary->real;
	exact_sum_add_whole(&sum, summary->whole);
	return exact_sum_mean(&sum, summary->number_ns);
}

/* ---- bytes ----------------------------------------------------------------------------------------------- */

/* What the sum of whole numbers is kept as a difference to: nothing less can be, unless doubles are among them. */
static wide_int base_of(const struct number_summary *summary)
{
	if (summary->states == 0 || summary->has_real)
		return 0;
	return (wide_int)whole_of(&summary->min) * (wide_int)summary->number_ns;
}

static uint8_t *put_number(uint8_t *at, const struct histree_value *number)
{
	if (is_whole(number))
		return put_varint(at, zigzag(whole_of(number)));
	uint64_t bits;
	memcpy(&bits, &number->real, sizeof(bits));
	put_le64(at, bits);
	return at + sizeof(bits);
}

static uint8_t *put_wide(uint8_t *at, wide_uint number)
{
	uint8_t *size = at++;
	for (*size = 0; number != 0; number >>= 8, ++*size)
		*at++ = (uint8_t)number;
	return at;
}

size_t number_summary_put(const struct number_summary *summary, uint8_t room[NUMBER_SUMMARY_SIZE_MAX])
{
	uint8_t *at = room;
	assert(summary->unknown_ns <= UINT64_MAX && summary->other_ns <= UINT64_MAX);
	*at++ = (uint8_t)((unsigned)summary->min.type | (unsigned)summary->max.type << MAX_SHIFT |
			  (summary->has_real ? HAS_REAL : 0) | (summary->has_least ? HAS_LEAST : 0) |
			  (summary->has_most ? HAS_MOST : 0));
	at = put_varint(at, (uint64_t)summary->unknown_ns);
	at = put_varint(at, (uint64_t)summary->other_ns);
	if (summary->states == 0)
		return (size_t)(at - room);
	at = put_varint(at, summary->states);
	at = put_number(at, &summary->min);
	if (is_whole(&summary->min) && is_whole(&summary->max))
		at = put_varint(at, (uint64_t)whole_of(&summary->max) - (uint64_t)whole_of(&summary->min));
	else
		at = put_number(at, &summary->max);
	at = put_wide(at, (wide_uint)summary->whole - (wide_uint)base_of(summary));
	if (summary->has_real)
		at += exact_sum_put(&summary->real, at);
	return (size_t)(at - room);
}

static struct histree_value make_whole(unsigned type, int64_t number)
{
	return type == HISTREE_INT ? histree_int((int32_t)number) : histree_long(number);
}

static bool fits(unsigned type, int64_t number)
{
	return type != HISTREE_INT || (number >= INT32_MIN && number <= INT32_MAX);
}

/* `least`: the number is what it is more than that, or NULL. */
static bool get_number(struct byte_reader *reader, unsigned type, const struct histree_value *least,
		       struct histree_value *out)
{
	if (type == HISTREE_DOUBLE) {
		uint64_t bits = read_le64(reader);
		double real;
		memcpy(&real, &bits, sizeof(real));
		*out = histree_double(real);
		return !reader->failed && !isnan(real);
	}
	uint64_t number = read_varint(reader);
	int64_t whole = least != NULL ? (int64_t)((uint64_t)whole_of(least) + number) : unzigzag(number);
	*out = make_whole(type, whole);
	return !reader->failed && fits(type, whole) && (least == NULL || whole >= whole_of(least));
}

static bool get_wide(struct byte_reader *reader, wide_uint *out)
{
	const uint8_t *size = read_bytes(reader, 1);
	const uint8_t *bytes = size != NULL && *size <= sizeof(*out) ? read_bytes(reader, *size) : NULL;
	*out = 0;
	for (size_t i = bytes != NULL ? *size : 0; i-- > 0;)
		*out = *out << 8 | bytes[i];
	return bytes != NULL;
}

static bool get_sums(struct number_summary *summary, struct byte_reader *reader)
{
	wide_uint more;
	if (!get_wide(reader, &more))
		return false;
	if (!summary->has_real) {
		uint64_t span = (uint64_t)whole_of(&summary->max) - (uint64_t)whole_of(&summary->min);
		if (more > (wide_uint)span * summary->number_ns)
			return false;
	}
	summary->whole = (wide_int)((wide_uint)base_of(summary) + more);
	if (!summary->has_real)
		return true;
	size_t size = exact_sum_get(&summary->real, reader->at, byte_reader_left(reader));
	return size > 0 && read_bytes(reader, size) != NULL;
}

/* What must hold for doubles: some are infinite just if the least or the greatest is. */
static bool is_consistent(const struct number_summary *summary)
{
	const struct histree_value *min = &summary->min, *max = &summary->max;
	bool has_real = !is_whole(min) || !is_whole(max);
	bool least = !is_whole(min) && isinf(min->real) && min->real < 0;
	bool most = !is_whole(max) && isinf(max->real) && max->real > 0;
	if ((has_real && !summary->has_real) || least != summary->has_least || most != summary->has_most ||
	    number_compare(min, max) > 0)
		return false;
	return summary->states > 0 && summary->number_ns >= summary->states;
}

bool number_summary_get(struct number_summary *summary, wide_uint ns, const uint8_t *bytes, size_t size)
{
	struct byte_reader reader = byte_reader(bytes, size);
	const uint8_t *flags = read_bytes(&reader, 1);
	*summary = (struct number_summary){ 0 };
	summary->unknown_ns = read_varint(&reader);
	summary->other_ns = read_varint(&reader);
	wide_uint others = summary->unknown_ns + summary->other_ns;
	if (flags == NULL || reader.failed || *flags >= FLAGS_END || others > ns)
		return false;
	summary->number_ns = ns - others;
	unsigned least = *flags & TYPE_MASK, most = *flags >> MAX_SHIFT & TYPE_MASK;
	if (*flags == 0)
		return summary->number_ns == 0 && byte_reader_left(&reader) == 0;
	summary->has_real = (*flags & HAS_REAL) != 0;
	summary->has_least = (*flags & HAS_LEAST) != 0;
	summary->has_most = (*flags & HAS_MOST) != 0;
	if (least == 0 || most == 0)
		return false;
	summary->states = read_varint(&reader);
	if (!get_number(&reader, least, NULL, &summary->min))
		return false;
	bool is_difference = least != HISTREE_DOUBLE && most != HISTREE_DOUBLE;
	return get_number(&reader, most, is_difference ? &summary->min : NULL, &summary->max) &&
	       is_consistent(summary) && get_sums(summary, &reader) && byte_reader_left(&reader) == 0;
}
