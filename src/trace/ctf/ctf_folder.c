// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/io.h"
#include "trace/ctf/ctf_metadata.h"

/* "FOLDER/NAME"; NULL when memory is out. */
static char *join(const char *folder, const char *name)
{
	char *path;
	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static char *index_path(const char *folder, const char *name)
{
	char *path;
	return asprintf(&path, "%s/index/%s.idx", folder, name) < 0 ? NULL : path;
}

/* What source.ctf.fs takes for a stream file: a regular file that is neither hidden, empty nor the metadata. */
static bool is_stream_file(const struct ctf_folder *folder, const char *name)
{
	struct stat facts;
	if (name[0] == '.' || strcmp(name, "metadata") == 0)
		return false;
	char *path = join(folder->path, name);
	bool is = path != NULL && stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0;
	free(path);
	return is;
}

static int compare_files(const void *a, const void *b)
{
	return strcmp(((const struct ctf_file *)a)->name, ((const struct ctf_file *)b)->name);
}

static enum histree_status list_files(struct ctf_folder *folder, struct histree_error *error)
{
	DIR *directory = opendir(folder->path);
	if (directory == NULL)
		return error_set(error, HISTREE_ERR_IO, "cannot open the folder: %s", strerror(errno));
	enum histree_status status = HISTREE_OK;
	const struct dirent *entry;
	while (status == HISTREE_OK && (entry = readdir(directory)) != NULL) {
		if (!is_stream_file(folder, entry->d_name))
			continue;
		char *name = strdup(entry->d_name);
		if (name == NULL ||
		    !array_reserve(&folder->files, &folder->file_capacity, folder->file_count + 1)) {
			free(name);
			status = error_memory(error, "the list of stream files");
		} else {
			folder->files[folder->file_count++] = (struct ctf_file){ .name = name };
		}
	}
	closedir(directory);
	if (folder->file_count > 0)
		qsort(folder->files, folder->file_count, sizeof(*folder->files), compare_files);
	return status;
}

static enum histree_status scan_file(struct ctf_folder *folder, struct ctf_file *file, struct trace_notes *notes,
				     struct histree_error *error)
{
	enum histree_status status = HISTREE_ERR_MEMORY;
	char *path = join(folder->path, file->name);
	char *index = index_path(folder->path, file->name);
	if (path == NULL || index == NULL) {
		error_memory(error, "the path of a stream file");
		goto out;
	}
	status = ctf_packets_walk(&folder->layout, path, &file->packets, error);
	if (status == HISTREE_ERR_IO) {
		/* A file that cannot be opened is like one in which nothing can be read. */
		trace_notes_warn(notes, "%s: %s", path, error == NULL ? "cannot be read" : error->message);
		file->damaged = true;
		status = HISTREE_OK;
	} else if (status == HISTREE_OK && file->packets.damage[0] != '\0') {
		trace_notes_warn(notes, "%s: %s; %s", path, file->packets.damage,
				 file->packets.count == 0 ? "nothing of it is read"
							  : "the events before that are read");
		file->damaged = true;
	} else if (status == HISTREE_OK && !ctf_packets_match_index(&file->packets, index)) {
		trace_notes_warn(notes, "%s: says otherwise than its stream file and is not used", index);
		folder->sound = false;
	}
	if (file->damaged) {
		notes->report.damaged_streams++;
		folder->sound = false;
	}
	folder->packet_count += file->packets.count;
	folder->bytes += file->packets.file_size;
out:
	free(path);
	free(index);
	return status;
}

enum histree_status ctf_folder_scan(struct ctf_folder *folder, const char *path, struct trace_notes *notes,
				    struct histree_error *error)
{
	*folder = (struct ctf_folder){ .sound = true };
	folder->path = strdup(path);
	if (folder->path == NULL)
		return error_memory(error, "a path");
	enum histree_status status = ctf_metadata_read(path, &folder->metadata, error);
	if (status != HISTREE_OK)
		return status;
	ctf_layout_read(folder->metadata, &folder->layout);
	ctf_facts_read(folder->metadata, &folder->facts);
	status = list_files(folder, error);
	if (folder->layout.usable)
		for (size_t index = 0; status == HISTREE_OK && index < folder->file_count; index++)
			status = scan_file(folder, &folder->files[index], notes, error);
	return status;
}

/* Give the tracer's version another name of the same length. */
static void hide_version(char *metadata)
{
	static const char key[] = "tracer_major";
	_Static_assert(sizeof(key) == sizeof(CTF_HIDDEN_MAJOR), "the text keeps its length");
	for (char *at = metadata; (at = strstr(at, key)) != NULL; at += sizeof(key) - 1)
		memcpy(at, CTF_HIDDEN_MAJOR, sizeof(key) - 1);
}

static enum histree_status write_metadata(const struct ctf_folder *folder, struct histree_error *error)
{
	/* Each text file of metadata begins so (CTF 1.8, section 7.1); the text that we were given may not. */
	static const char signature[] = "/* CTF 1.8 */\n";
	enum histree_status status = HISTREE_ERR_MEMORY;
	char *path = join(folder->stand_in, "metadata"), *text = NULL;
	int file = -1;
	if (path == NULL || asprintf(&text, "%s%s", signature, folder->metadata) < 0) {
		text = NULL;
		error_memory(error, "the metadata of a trace");
		goto out;
	}
	hide_version(text);
	file = io_posix.open(NULL, path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (file < 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot make \"%s\": %s", path, strerror(errno));
	else
		status = io_write_all(&io_posix, file, text, strlen(text), 0, error);
out:
	if (file >= 0)
		io_posix.close(NULL, file);
	free(path);
	free(text);
	return status;
}

static enum histree_status link_file(const struct ctf_folder *folder, const char *real_folder,
				     const struct ctf_file *file, struct histree_error *error)
{
	/* Not one packet can be begun: source.ctf.fs would refuse it, and us with it. */
	if (folder->layout.usable && file->first_packet >= file->packets.count)
		return HISTREE_OK;
	enum histree_status status = HISTREE_OK;
	char *from = join(folder->stand_in, file->name), *to = join(real_folder, file->name);
	char *index = index_path(folder->stand_in, file->name);
	if (from == NULL || to == NULL || index == NULL)
		status = error_memory(error, "the path of a stream file");
	else if (symlink(to, from) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot make \"%s\": %s", from, strerror(errno));
	else if (folder->layout.usable)
		status = ctf_packets_write_index(&file->packets, file->first_packet, index, error);
	free(from);
	free(to);
	free(index);
	return status;
}

static enum histree_status make_folders(struct ctf_folder *folder, struct histree_error *error)
{
	const char *temporary = getenv("TMPDIR");
	if (temporary == NULL || temporary[0] == '\0')
		temporary = "/tmp";
	char *path = join(temporary, "histree-XXXXXX");
	if (path == NULL)
		return error_memory(error, "a path");
	if (mkdtemp(path) == NULL) {
		enum histree_status status =
			error_set(error, HISTREE_ERR_IO, "cannot make a folder in \"%s\": %s; TMPDIR names another",
				  temporary, strerror(errno));
		free(path);
		return status;
	}
	folder->stand_in = path;
	char *index = join(path, "index");
	enum histree_status status = HISTREE_OK;
	if (index == NULL)
		status = error_memory(error, "a path");
	else if (mkdir(index, 0700) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot make \"%s\": %s", index, strerror(errno));
	free(index);
	return status;
}

enum histree_status ctf_folder_stand_in(struct ctf_folder *folder, struct histree_error *error)
{
	char *real_folder = realpath(folder->path, NULL);
	if (real_folder == NULL)
		return error_set(error, HISTREE_ERR_IO, "cannot resolve \"%s\": %s", folder->path, strerror(errno));
	enum histree_status status = make_folders(folder, error);
	if (status == HISTREE_OK)
		status = write_metadata(folder, error);
	for (size_t index = 0; status == HISTREE_OK && index < folder->file_count; index++)
		status = link_file(folder, real_folder, &folder->files[index], error);
	free(real_folder);
	return status;
}

static void remove_stand_in(const struct ctf_folder *folder)
{
	for (size_t file = 0; file < folder->file_count; file++) {
		char *link = join(folder->stand_in, folder->files[file].name);
		char *index = index_path(folder->stand_in, folder->files[file].name);
		if (link != NULL)
			unlink(link);
		if (index != NULL)
			unlink(index);
		free(link);
		free(index);
	}
	char *metadata = join(folder->stand_in, "metadata"), *index = join(folder->stand_in, "index");
	if (metadata != NULL)
		unlink(metadata);
	if (index != NULL)
		rmdir(index);
	free(metadata);
	free(index);
	rmdir(folder->stand_in);
}

static int compare_name(const void *name, const void *file)
{
	return strcmp(name, ((const struct ctf_file *)file)->name);
}

struct ctf_file *ctf_folder_find(const struct ctf_folder *folder, const char *path)
{
	const char *slash = strrchr(path, '/');
	if (folder->file_count == 0)
		return NULL;
	return bsearch(slash == NULL ? path : slash + 1, folder->files, folder->file_count, sizeof(*folder->files),
		       compare_name);
}

bool ctf_folder_span(const struct ctf_folder *folder, histree_time *begin, histree_time *end)
{
	uint64_t first = UINT64_MAX, last = 0;
	*begin = *end = 0;
	for (size_t file = 0; file < folder->file_count; file++) {
		const struct ctf_packets *packets = &folder->files[file].packets;
		for (size_t i = 0; i < packets->count; i++) {
			const struct ctf_packet *packet = &packets->packets[i];
			if (packet->begin > 0 && packet->begin < first)
				first = packet->begin;
			if (packet->end > last)
				last = packet->end;
		}
	}
	return first <= last && ctf_facts_time(&folder->facts, first, begin) &&
	       ctf_facts_time(&folder->facts, last, end);
}

void ctf_folder_release(struct ctf_folder *folder)
{
	if (folder->stand_in != NULL)
		remove_stand_in(folder);
	for (size_t index = 0; index < folder->file_count; index++) {
		free(folder->files[index].name);
		ctf_packets_release(&folder->files[index].packets);
	}
	free(folder->files);
	free(folder->path);
	free(folder->metadata);
	free(folder->stand_in);
	*folder = (struct ctf_folder){ 0 };
}
