/* SPDX-License-Identifier: MIT */
/*
 * noise.h - how comparisons word that noise may have made a difference.
 */
#ifndef QUERY_NOISE_H
#define QUERY_NOISE_H

#include <stdbool.h>

/* What a comparison says of a difference that is not greater than that between the halves of a side. */
static inline const char *noise_of_halves(double difference, bool says_why)
{
	return !says_why           ? "noise"
	       : difference == 0.0 ? "no difference"
				   : "noise: halves of A, or of B, differ as much";
}

#endif
