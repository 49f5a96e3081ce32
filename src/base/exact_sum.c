// SPDX-License-Identifier: MIT
/*
 * exact_sum.c - sums of doubles times lengths as wide integers in two's complement, so that nothing is rounded
 * before the mean is made.  The result does not depend on the order of additions.
 */
#include "base/exact_sum.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

/* ---- exact sum ----------------------------------------------------------------------------------------------- */

enum { LIMB_BITS = 64, ONE_BIT = 1074, MANTISSA_BITS = 52, HEAD_SIZE = 4, BYTES = 8 * EXACT_SUM_LIMBS };

/* ---- adding ---------------------------------------------------------------------------------------------- */

static void add_at(struct exact_sum *sum, size_t limb, uint64_t number)
{
	for (; limb < EXACT_SUM_LIMBS && number != 0; limb++) {
		sum->limbs[limb] += number;
		number = sum->limbs[limb] < number;
	}
}

static void subtract_at(struct exact_sum *sum, size_t limb, uint64_t number)
{
	for (; limb < EXACT_SUM_LIMBS && number != 0; limb++) {
		bool borrows = sum->limbs[limb] < number;
		sum->limbs[limb] -= number;
		number = borrows;
	}
}

/* number * 2^bit, with the sign given separately. */
static void add_shifted(struct exact_sum *sum, wide_uint number, unsigned bit, bool is_negative)
{
	void (*add)(struct exact_sum *, size_t, uint64_t) = is_negative ? subtract_at : add_at;
	size_t limb = bit / LIMB_BITS;
	unsigned shift = bit % LIMB_BITS;
	wide_uint low = number << shift;
	add(sum, limb, (uint64_t)low);
	add(sum, limb + 1, (uint64_t)(low >> LIMB_BITS));
	if (shift > 0)
		add(sum, limb + 2, (uint64_t)(number >> LIMB_BITS >> (LIMB_BITS - shift)));
}

void exact_sum_add(struct exact_sum *sum, double number, uint64_t times)
{
	uint64_t bits;
	assert(isfinite(number));
	memcpy(&bits, &number, sizeof(bits));
	unsigned exponent = (unsigned)(bits >> MANTISSA_BITS) & 0x7ff;
	uint64_t mantissa = bits & ((UINT64_C(1) << MANTISSA_BITS) - 1);
	if (exponent > 0)
		mantissa |= UINT64_C(1) << MANTISSA_BITS;
	add_shifted(sum, (wide_uint)mantissa * times, exponent > 0 ? exponent - 1 : 0, bits >> 63 != 0);
}

void exact_sum_add_whole(struct exact_sum *sum, wide_int number)
{
	bool is_negative = number < 0;
	add_shifted(sum, is_negative ? -(wide_uint)number : (wide_uint)number, ONE_BIT, is_negative);
}

void exact_sum_add_sum(struct exact_sum *sum, const struct exact_sum *other)
{
	uint64_t carry = 0;
	for (size_t i = 0; i < EXACT_SUM_LIMBS; i++) {
		wide_uint limb = (wide_uint)sum->limbs[i] + other->limbs[i] + carry;
		sum->limbs[i] = (uint64_t)limb;
		carry = (uint64_t)(limb >> LIMB_BITS);
	}
}

/* ---- the mean -------------------------------------------------------------------------------------------- */

static bool is_negative(const struct exact_sum *sum)
{
	return sum->limbs[EXACT_SUM_LIMBS - 1] >> 63 != 0;
}

static unsigned bits_of(wide_uint number)
{
	uint64_t high = (uint64_t)(number >> LIMB_BITS), low = (uint64_t)number;
	if (high != 0)
		return 128 - (unsigned)__builtin_clzll(high);
	return low != 0 ? 64 - (unsigned)__builtin_clzll(low) : 0;
}

double exact_sum_mean(const struct exact_sum *sum, wide_uint count)
{
	struct exact_sum size = *sum;
	bool negative = is_negative(sum), more;
	size_t top = EXACT_SUM_LIMBS;
	if (negative) {
		uint64_t carry = 1;
		for (size_t i = 0; i < EXACT_SUM_LIMBS; i++) {
			size.limbs[i] = ~size.limbs[i] + carry;
			carry = carry != 0 && size.limbs[i] == 0;
		}
	}
	while (top > 0 && size.limbs[top - 1] == 0)
		top--;
	if (top == 0)
		return 0;
	/* Long division, a limb at a time: what is left is less than the count, which is 2^64 at most. */
	wide_uint quotient = 0, left = 0;
	int exponent = -ONE_BIT + LIMB_BITS * (int)top;
	while (bits_of(quotient) <= LIMB_BITS && exponent > -ONE_BIT - 2 * LIMB_BITS) {
		exponent -= LIMB_BITS;
		uint64_t limb = top > 0 ? size.limbs[--top] : 0;
		wide_uint part = left << LIMB_BITS | limb;
		quotient = quotient << LIMB_BITS | part / count;
		left = part % count;
	}
	more = left != 0;
	while (top > 0 && !more)
		more = size.limbs[--top] != 0;
	/*
	 * number * 2^exponent as a double, a little more if `more` is set.  The least double is worth 2^-1074, so
	 * small ones have fewer bits.
	 */
	unsigned bits = bits_of(quotient);
	int drop = (int)bits - (MANTISSA_BITS + 1);
	if (drop + exponent < -ONE_BIT)
		drop = -ONE_BIT - exponent;
	assert(drop > 0 && drop <= 2 * LIMB_BITS);
	wide_uint half = (wide_uint)1 << (drop - 1), kept = drop < 2 * LIMB_BITS ? quotient >> drop : 0;
	wide_uint rest = quotient & (half | (half - 1));
	if (rest > half || (rest == half && (more || (kept & 1) != 0)))
		kept++;
	double mean = ldexp((double)(uint64_t)kept, exponent + drop);
	return negative ? -mean : mean;
}

/* ---- bytes ----------------------------------------------------------------------------------------------- */

static uint8_t byte_of(const struct exact_sum *sum, size_t at)
{
	return (uint8_t)(sum->limbs[at / 8] >> (at % 8 * 8));
}

size_t exact_sum_put(const struct exact_sum *sum, uint8_t *room)
{
	uint8_t sign = is_negative(sum) ? 0xff : 0;
	size_t first = 0, end = BYTES;
	while (first < BYTES && byte_of(sum, first) == 0)
		first++;
	/* The highest bit written is the sign. */
	while (end > first + 1 && byte_of(sum, end - 1) == sign && (byte_of(sum, end - 2) ^ sign) < 0x80)
		end--;
	if (first == BYTES)
		first = end = 0;
	put_le16(room, (uint16_t)(end - first));
	put_le16(room + 2, (uint16_t)first);
	for (size_t i = first; i < end; i++)
		room[HEAD_SIZE + i - first] = byte_of(sum, i);
	return HEAD_SIZE + end - first;
}

size_t exact_sum_get(struct exact_sum *sum, const uint8_t *bytes, size_t size)
{
	*sum = (struct exact_sum){ 0 };
	if (size < HEAD_SIZE)
		return 0;
	size_t count = get_le16(bytes), first = get_le16(bytes + 2);
	if (count > size - HEAD_SIZE || first > BYTES || count > BYTES - first)
		return 0;
	bool negative = count > 0 && bytes[HEAD_SIZE + count - 1] >= 0x80;
	for (size_t i = first; i < BYTES; i++) {
		uint8_t byte = i - first < count ? bytes[HEAD_SIZE + i - first] : negative ? 0xff : 0;
		sum->limbs[i / 8] |= (uint64_t)byte << (i % 8 * 8);
	}
	return HEAD_SIZE + count;
}
