/* SPDX-License-Identifier: MIT */
/*
 * pager.h - what is printed on a terminal goes through a pager, as with git: that of PAGER, or less, which ends by
 * itself where all of it fits on the screen (LESS=FRX, unless LESS is set).  PAGER= and PAGER=cat mean none.
 */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include <stdbool.h>

/*
 * Begins a pager in front of standard output, unless that is no terminal or there is one; what is said on standard
 * error goes through it, too.  The process ends when the reader is done.
 */
void pager_begin(void);

/* Standard output is no terminal of people, whatever it looks like: no pager, and no bold letters, from now on. */
void pager_never(void);

/* Whether people look at standard output, in a terminal that shows bold letters, and want them (NO_COLOR). */
bool pager_shows_bold(void);

#endif
