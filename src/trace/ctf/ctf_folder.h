/* SPDX-License-Identifier: MIT */
/*
 * ctf_folder.h - the stream files of one CTF trace, and a stand-in for the folder if they are damaged.
 *
 * source.ctf.fs takes a folder as a whole or not at all.  So a folder with damage is not given to it, but
 * a private one.  The same is done to begin after the start of the trace.  It has
 *
 *	metadata	the text of the original, with the tracer's version hidden: for LTTng before 2.11
 *			source.ctf.fs decodes the last packet of each stream before it begins, to correct
 *			times that we do not use, and gives up on the trace when that packet is damaged
 *	NAME		a symbolic link to each stream file of which something can be read
 *	index/NAME.idx	an index of the packets that are to be read, up to the last one that can be begun
 */
#ifndef TRACE_CTF_CTF_FOLDER_H
#define TRACE_CTF_CTF_FOLDER_H

#include "trace/ctf/ctf_facts.h"
#include "trace/ctf/ctf_packets.h"
#include "trace/trace_notes.h"

struct ctf_file {
	char *name;                 /* inside the folder */
	struct ctf_packets packets; /* empty if the layout is not usable */
	size_t first_packet;        /* to be read; only in a stand-in those before it are left out */
	bool damaged;               /* and said so in the notes */
};

/* A zeroed one is empty. */
struct ctf_folder {
	char *path;
	char *metadata; /* its text */
	struct ctf_layout layout;
	struct ctf_facts facts;
	struct ctf_file *files; /* by name */
	size_t file_count, file_capacity;
	uint64_t bytes, packet_count; /* of all files */
	bool sound;                   /* no file is damaged, and no index says otherwise than its file */
	char *stand_in;               /* NULL: there is none */
};

/* How the environment calls the tracer's version in a stand-in. */
#define CTF_HIDDEN_MAJOR "Tracer_major"

/*
 * Read the metadata, list the stream files and walk their packets.  Damage of stream files is no error: it
 * goes into the notes.  Returns HISTREE_ERR_TRACE if the metadata cannot be read.
 */
enum histree_status ctf_folder_scan(struct ctf_folder *folder, const char *path, struct trace_notes *notes,
				    struct histree_error *error);

/* Make the stand-in, below $TMPDIR or /tmp. */
enum histree_status ctf_folder_stand_in(struct ctf_folder *folder, struct histree_error *error);

/* Returns the file whose name ends this path, NULL if there is none. */
struct ctf_file *ctf_folder_find(const struct ctf_folder *folder, const char *path);

/*
 * Returns whether the packets say when the trace was recorded, and the first and last time that they say.  Packets
 * whose times are 0 say nothing.
 */
bool ctf_folder_span(const struct ctf_folder *folder, histree_time *begin, histree_time *end);

/* This removes the stand-in too. */
void ctf_folder_release(struct ctf_folder *folder);

#endif
