// SPDX-License-Identifier: MIT
#include "query/rank_test.h"

#include <math.h>

void rank_test_fold(struct rank_test *test)
{
	double a = (double)test->equal[0], b = (double)test->equal[1], both = a + b;
	test->greater += b * ((double)test->below[0] + a / 2);
	test->ties += both * both * both - both;
	for (int sample = 0; sample < 2; sample++) {
		test->below[sample] += test->equal[sample];
		test->equal[sample] = 0;
	}
}

double rank_test_share(const struct rank_test *test)
{
	double pairs = (double)test->below[0] * (double)test->below[1];
	return pairs > 0 ? test->greater / pairs : 0.5;
}

double rank_test_p(const struct rank_test *test)
{
	double a = (double)test->below[0], b = (double)test->below[1], n = a + b;
	if (a == 0 || b == 0)
		return 1;
	double variance = a * b / 12 * (n + 1 - test->ties / (n * (n - 1)));
	/* The share goes in steps of a half pair: half a step is no difference. */
	double far = fabs(test->greater - a * b / 2) - 0.5;
	return variance > 0 && far > 0 ? erfc(far / sqrt(2 * variance)) : 1;
}

double rank_test_distance(const struct rank_test *test, uint64_t count_a, uint64_t count_b)
{
	return fabs((double)test->below[0] / (double)count_a - (double)test->below[1] / (double)count_b);
}
