// SPDX-License-Identifier: MIT
/*
 * test_exact_sum.c - sums of doubles against an addition bit by bit, and means against what "nearest" means.
 */
#include <math.h>

#include "base/exact_sum.h"
#include "base/hash_index.h"
#include "support/effort.h"
#include "support/test.h"

enum { BITS = 64 * EXACT_SUM_LIMBS, ONE_BIT = 1074 };

/* One bit an element, in two's complement. */
struct plain {
	uint8_t bits[BITS];
};

static void add_bit(struct plain *plain, unsigned at)
{
	while (at < BITS && plain->bits[at] == 1)
		plain->bits[at++] = 0;
	if (at < BITS)
		plain->bits[at] = 1;
}

static void subtract_bit(struct plain *plain, unsigned at)
{
	while (at < BITS && plain->bits[at] == 0)
		plain->bits[at++] = 1;
	if (at < BITS)
		plain->bits[at] = 0;
}

/* 2^at * mantissa * times, by the bits of both. */
static void add_plain(struct plain *plain, double number, uint64_t times)
{
	int exponent;
	double mantissa = frexp(fabs(number), &exponent);
	uint64_t whole = (uint64_t)ldexp(mantissa, 53);
	int at = exponent - 53 + ONE_BIT;
	for (; at < 0; at++) {
		assert_true(whole % 2 == 0);
		whole /= 2;
	}
	for (unsigned i = 0; i < 53; i++)
		for (unsigned k = 0; k < 64; k++)
			if ((whole >> i & 1) != 0 && (times >> k & 1) != 0) {
				if (number < 0)
					subtract_bit(plain, (unsigned)at + i + k);
				else
					add_bit(plain, (unsigned)at + i + k);
			}
}

static void assert_same(const struct exact_sum *sum, const struct plain *plain)
{
	for (unsigned i = 0; i < BITS; i++)
		assert_int_equal(sum->limbs[i / 64] >> (i % 64) & 1, plain->bits[i]);
}

static double some_number(struct random *random)
{
	static const double edges[] = { 0,         -0.0,     0x1p-1074, -0x1p-1074,
					0x1p-1022, 0x1p1023, -0x1p1023, 0x1.fffffffffffffp1023,
					1,         -1 };
	uint64_t bits = random_bits(random);
	double any;
	if (random_percent(random, 20))
		return edges[random_below(random, 10)];
	if (random_percent(random, 50))
		return ldexp((double)(int64_t)bits, -(int)random_below(random, 80));
	memcpy(&any, &bits, sizeof(any));
	return isfinite(any) ? any : 1;
}

static uint64_t some_times(struct random *random)
{
	return random_percent(random, 10) ? UINT64_MAX : random_bits(random) >> random_below(random, 64);
}

TEST(sums_are_those_of_single_bits)
{
	struct random random = { test_seed() };
	for (uint64_t round = 0; round < test_effort(200, 40); round++) {
		static struct plain plain;
		struct exact_sum sum = { 0 }, halves[2] = { 0 };
		memset(&plain, 0, sizeof(plain));
		for (unsigned i = 0; i < 12; i++) {
			double number = some_number(&random) / 16; /* so that there is room */
			uint64_t times = some_times(&random);
			exact_sum_add(&sum, number, times);
			exact_sum_add(&halves[i % 2], number, times);
			add_plain(&plain, number, times);
		}
		assert_same(&sum, &plain);
		exact_sum_add_sum(&halves[0], &halves[1]);
		assert_memory_equal(&halves[0], &sum, sizeof(sum));
	}
}

TEST(whole_numbers_are_doubles_times_one)
{
	static const int64_t numbers[] = { 0, 1, -1, 1 << 20, -(INT64_C(1) << 52), INT64_MIN };
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct exact_sum one = { 0 }, other = { 0 };
		exact_sum_add_whole(&one, (wide_int)numbers[i] * ((wide_int)1 << 40));
		exact_sum_add(&other, (double)numbers[i], UINT64_C(1) << 40);
		assert_memory_equal(&one, &other, sizeof(one));
	}
}

/* 1: the sum is positive, -1: negative. */
static int sign_of(const struct exact_sum *sum)
{
	static const struct exact_sum zero;
	if (memcmp(sum, &zero, sizeof(zero)) == 0)
		return 0;
	return sum->limbs[EXACT_SUM_LIMBS - 1] >> 63 != 0 ? -1 : 1;
}

/* Whether twice what lies between the sum and `mean` is no more than `step`, both times `count`. */
static bool is_near(const struct exact_sum *sum, double mean, double step, uint64_t count)
{
	for (int side = -1; side <= 1; side += 2) {
		struct exact_sum off = *sum;
		exact_sum_add(&off, -mean, count);
		struct exact_sum twice = off;
		exact_sum_add_sum(&twice, &off);
		exact_sum_add(&twice, side * step, count);
		if (sign_of(&twice) == -side)
			return false;
	}
	return true;
}

TEST(means_are_the_nearest_doubles)
{
	struct random random = { test_seed() };
	for (uint64_t round = 0; round < test_effort(20000, 4000); round++) {
		struct exact_sum sum = { 0 };
		uint64_t count = 0, size = 1 + random_below(&random, 5);
		double most = 0;
		for (uint64_t i = 0; i < size; i++) {
			uint64_t times = 1 + (some_times(&random) >> 4);
			double number = some_number(&random) / 4;
			exact_sum_add(&sum, number, times);
			count += times;
			most = fabs(number) > most ? fabs(number) : most;
		}
		double mean = exact_sum_mean(&sum, count);
		assert_true(fabs(mean) <= most);
		/* The gaps on both sides of a power of two differ; the nearer one is tested where it is. */
		double step = nextafter(fabs(mean), INFINITY) - fabs(mean);
		assert_true(is_near(&sum, mean, step, count));
	}
}

TEST(means_of_halves_are_even)
{
	struct exact_sum sum = { 0 };
	exact_sum_add(&sum, 0x1.0000000000001p0, 1);
	exact_sum_add(&sum, 0x1.0000000000002p0, 1);
	assert_true(exact_sum_mean(&sum, 2) == 0x1.0000000000002p0);
	sum = (struct exact_sum){ 0 };
	exact_sum_add(&sum, 0x1p-1074, 1);
	assert_true(exact_sum_mean(&sum, 2) == 0);
	assert_true(exact_sum_mean(&sum, 1) == 0x1p-1074);
	exact_sum_add(&sum, 0x1p-1074, 2);
	assert_true(exact_sum_mean(&sum, 2) == 0x1p-1073);
	assert_true(exact_sum_mean(&sum, (wide_uint)1 << 64) == 0);
	sum = (struct exact_sum){ 0 };
	exact_sum_add_whole(&sum, (wide_int)INT64_MIN * ((wide_int)1 << 64));
	assert_true(exact_sum_mean(&sum, (wide_uint)1 << 64) == (double)INT64_MIN);
}

TEST(bytes_come_back)
{
	struct random random = { test_seed() };
	for (uint64_t round = 0; round < test_effort(5000, 1000); round++) {
		struct exact_sum sum = { 0 }, back;
		uint8_t room[EXACT_SUM_SIZE_MAX];
		for (uint64_t i = random_below(&random, 4); i > 0; i--)
			exact_sum_add(&sum, some_number(&random), some_times(&random));
		size_t size = exact_sum_put(&sum, room);
		assert_in_range(size, 1, EXACT_SUM_SIZE_MAX);
		assert_int_equal(exact_sum_get(&back, room, size), size);
		assert_memory_equal(&back, &sum, sizeof(sum));
		assert_int_equal(exact_sum_get(&back, room, size - 1), 0);
	}
}
