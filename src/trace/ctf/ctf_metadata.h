/* SPDX-License-Identifier: MIT */
/*
 * ctf_metadata.h - the text of a trace's metadata, out of either form of its file.
 *
 * CTF 1.8, section 7: the file is plain text, or packets of text, each after a header, in either byte order.
 */
#ifndef TRACE_CTF_CTF_METADATA_H
#define TRACE_CTF_CTF_METADATA_H

#include "histree/status.h"

/* The caller frees *out.  HISTREE_ERR_TRACE if the file cannot be opened or is not metadata. */
enum histree_status ctf_metadata_read(const char *folder, char **out, struct histree_error *error);

#endif
