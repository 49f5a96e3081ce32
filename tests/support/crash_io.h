/* SPDX-License-Identifier: MIT */
/*
 * crash_io.h - a disk that loses power: what may be left of files in memory when the machine stops at any
 * operation.
 *
 * What was written reaches the disk at a sync of its file at the latest; before that it may be there or not, in any
 * order, and a write that is under way may be torn at any sector.  Names (made, renamed, removed) reach the disk in
 * their order, at a sync of the folder at the latest.  That is what POSIX and the file systems of Linux promise.
 *
 *	crash_io_init(&crash, seed);
 *	crash.stop_at = 17;			// the operation at which the power fails: all others fail too
 *	... build with &crash.io ...
 *	crash_io_leave(&crash, &memory);	// one of the states that the disk may then be in
 */
#ifndef SUPPORT_CRASH_IO_H
#define SUPPORT_CRASH_IO_H

#include "base/hash_index.h"
#include "support/memory_io.h"

enum { CRASH_FILES_MAX = 64 };

struct crash_write {
	uint64_t offset;
	size_t size;
	uint8_t *bytes;
};

/* A file, whatever its name is. */
struct crash_file {
	uint8_t *bytes; /* as it is now */
	size_t size, capacity;
	uint8_t *synced; /* as it is on disk at least */
	size_t synced_size;
	struct crash_write *writes; /* since then */
	size_t write_count, write_capacity;
};

enum crash_name_kind { CRASH_MADE, CRASH_RENAMED, CRASH_REMOVED };

/* What happened to names since the folder was synced. */
struct crash_name {
	enum crash_name_kind kind;
	char from[64], to[64];
	int file;
};

struct crash_entry {
	char name[64];
	int file;
};

struct crash_folder {
	struct crash_entry entries[MEMORY_FILE_COUNT];
	size_t count;
};

struct crash_io {
	struct io io;
	struct random random;
	uint64_t operations; /* that change something, so far */
	uint64_t stop_at;    /* from 1; 0: never */
	struct crash_file files[CRASH_FILES_MAX];
	int file_count;
	struct crash_folder now, synced;
	struct crash_name *names;
	size_t name_count, name_capacity;
};

void crash_io_init(struct crash_io *crash, uint64_t seed);
void crash_io_release(struct crash_io *crash);

/* Fill an empty folder in memory with what a disk may have when the power came back. */
void crash_io_leave(struct crash_io *crash, struct memory_io *memory);

#endif
