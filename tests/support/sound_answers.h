/* SPDX-License-Identifier: MIT */
/*
 * sound_answers.h - what is asked of a history that somebody damaged or forged: each answer is true, or says what
 * is unknown, or is refused; and it ends soon.
 */
#ifndef SUPPORT_SOUND_ANSWERS_H
#define SUPPORT_SOUND_ANSWERS_H

#include "histree/history.h"
#include "support/reference.h"

/* What came of the questions. */
struct sound_answers {
	unsigned asked, refused; /* queries, and those that ended with an error */
	uint64_t known, unknown; /* intervals */
	uint64_t intervals_max;  /* given: no answer may have more */
	bool any_truth;          /* given: intervals may be others than those of the reference */
	char fault[512];
};

/*
 * Ask `questions` of every kind, at random.  Returns what is wrong, or NULL: then each answer that was not refused
 * has every attribute at every time that was asked for, exactly once.
 */
const char *sound_answers_ask(struct sound_answers *answers, struct histree_history *history,
			      const struct reference *reference, struct random *random, unsigned questions);

#endif
