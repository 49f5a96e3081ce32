/* SPDX-License-Identifier: MIT */
/*
 * label_section.h - section LABL: what the values of a history mean.
 *
 * All numbers are varints, but where a size is said.  A text is its size and its bytes, none of which is zero.
 *
 *	1, the version of the section
 *	the number of tables, and for each
 *		name (text)
 *		meaning, flags: 1, values without a label have a colour of the palette
 *		the number of patterns, and they (texts)
 *		the number of labels, and for each
 *			flags (1 byte), see enum label_flags
 *			NUMBERS: the first in zigzag, and with LABEL_IS_RANGE last - first; TEXT: it (text)
 *			unless hidden: key, name (texts), height in hundredths (1 byte)
 *			unless hidden or without a colour: light, dark (3 bytes each, red first)
 *
 * A history without labels has no such section.  One with another version is read as if there was none.
 */
#ifndef STATE_LABEL_SECTION_H
#define STATE_LABEL_SECTION_H

#include "state/label_tables.h"

enum {
	LABEL_SECTION_VERSION = 1,
	LABEL_SECTION_SIZE_MAX = 4 << 20,
};

enum label_flags {
	LABEL_KIND_BITS = 3, /* enum histree_label_kind */
	LABEL_IS_RANGE = 4,  /* of more than one number */
	LABEL_IS_CODE = 8,
	LABEL_IS_HIDDEN = 16,
	LABEL_HAS_NO_COLOUR = 32,
	LABEL_FLAGS = 63, /* all of them */
};

/*
 * Returns the bytes of tables that were checked; the caller frees *out.  HISTREE_ERR_ARGUMENT: they are more than
 * such a section has.
 */
enum histree_status label_section_encode(const struct label_tables *tables, uint8_t **out, size_t *size,
					 struct histree_error *error);

/*
 * Returns HISTREE_ERR_FORMAT if they are no such section, HISTREE_NOT_FOUND if it is of another version; *out is
 * empty then.
 */
enum histree_status label_section_decode(const uint8_t *bytes, size_t size, struct label_tables *out,
					 struct histree_error *error);

#endif
