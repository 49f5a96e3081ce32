// SPDX-License-Identifier: MIT
/*
 * property_load.c - what is dumped and loaded again has the same dump and the same answers, whatever the format,
 * the order of the rows and the variant of the tree; and changes that are loaded are those that were made.
 */
#include <fcntl.h>

#include "cli/answer.h"
#include "cli/option.h"
#include "cli/row_writer.h"
#include "driver.h"
#include "histree/build.h"
#include "histree/store.h"
#include "support/data.h"
#include "support/files.h"
#include "support/history_file.h"
#include "support/history_subject.h"
#include "support/test.h"

enum { QUESTIONS = 10 };

static const char *const variants[] = { "cluster", "sht", "osht", "esht", "rsht", "vrsht" };

struct load_case {
	char folder[48], history[64], text[64], again[64], store[64];
	const char *format_name;
	uint64_t seed;
	char fault[512];
};

/* ---- texts --------------------------------------------------------------------------------------------- */

static bool dump(struct histree_history *history, const char *format, const char *path)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct attribute_list list = { 0 };
	struct interval_rows rows;
	struct answer_stats stats;
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	struct output *output = output_create(file);
	bool done = file >= 0 && output != NULL &&
		    attribute_list_match(&list, history, NULL, 0, ATTRIBUTES_WITH_STATES) == CLI_OK;
	if (done) {
		const struct answer_question everything = {
			.history = history, .attributes = &list, .from = info->start, .to = info->end
		};
		const struct cli_question question = { .format = format };
		done = interval_rows_open(&rows, output, &question, history, &list, INTERVAL_STATES) == CLI_OK &&
		       answer(&everything, interval_rows_take, &rows, &stats, NULL) == HISTREE_OK;
		done = interval_rows_close(&rows, CLI_OK) == CLI_OK && done;
	} else {
		output_free(output);
	}
	attribute_list_release(&list);
	close(file);
	return done;
}

static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *bytes = NULL;
	if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
		*size = (size_t)ftell(file);
		rewind(file);
		bytes = malloc(*size + 1);
		if (bytes != NULL && fread(bytes, 1, *size, file) != *size)
			*size = 0;
	}
	if (file != NULL)
		fclose(file);
	return bytes;
}

static bool are_same_files(const char *one, const char *other)
{
	size_t size = 0, other_size = 1;
	char *bytes = read_file(one, &size), *others = read_file(other, &other_size);
	bool same = bytes != NULL && others != NULL && size == other_size && memcmp(bytes, others, size) == 0;
	free(bytes);
	free(others);
	return same;
}

/* Put the lines behind the first in another order.  In TSV and JSON a line is a row. */
static bool shuffle_lines(const char *path, uint64_t seed)
{
	size_t size = 0, count = 0;
	char *bytes = read_file(path, &size);
	char **lines = malloc((size + 1) * sizeof(*lines));
	struct random random = { seed };
	FILE *file = fopen(path, "wb");
	bool done = bytes != NULL && lines != NULL && file != NULL;
	for (char *at = bytes; done && at < bytes + size;) {
		char *end = memchr(at, '\n', (size_t)(bytes + size - at));
		lines[count++] = at;
		at = end != NULL ? end + 1 : bytes + size;
	}
	if (done)
		lines[count] = bytes + size;
	size_t *order = malloc((count + 1) * sizeof(*order));
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	for (size_t i = count; i > 2; i--) {
		size_t other = 1 + random_below(&random, i - 1), moved = order[i - 1];
		order[i - 1] = order[other];
		order[other] = moved;
	}
	for (size_t i = 0; done && i < count; i++) {
		size_t length = (size_t)(lines[order[i] + 1] - lines[order[i]]);
		done = fwrite(lines[order[i]], 1, length, file) == length;
	}
	if (file != NULL)
		done = fclose(file) == 0 && done;
	free(order);
	free(lines);
	free(bytes);
	return done;
}

static bool write_changes(const struct load_case *test, const struct workload *workload)
{
	static const struct row_column columns[] = {
		{ .name = "time" }, { .name = "path" }, { .name = "type" }, { .name = "value" }
	};
	int file = open(test->text, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	struct output *output = output_create(file);
	struct row_writer rows;
	if (file < 0 || output == NULL)
		return false;
	row_writer_begin(&rows, row_format_find(test->format_name), output, columns, 4, ROWS_PLAIN);
	for (size_t i = 0; i < workload->count; i++) {
		const struct change *change = &workload->changes[i];
		char path[64], hexadecimal[16384];
		size_t size = (size_t)snprintf(path, sizeof(path), "Group/%u/%u", change->quark % 7, change->quark);
		row_number(&rows, change->at);
		row_path(&rows, path, size);
		row_text(&rows, histree_type_name(change->value.type));
		if (change->value.type != HISTREE_CUSTOM) {
			row_value(&rows, &change->value);
		} else {
			const unsigned char *bytes = change->value.bytes;
			for (uint32_t k = 0; k < change->value.size && 2 * k + 3 < sizeof(hexadecimal); k++)
				snprintf(hexadecimal + 2 * k, 3, "%02X", bytes[k]);
			row_bytes(&rows, hexadecimal, 2 * change->value.size);
		}
		row_end(&rows);
	}
	row_writer_finish(&rows);
	bool done = output_free(output) == 0;
	close(file);
	return done;
}

/* ---- histories ----------------------------------------------------------------------------------------- */

/* The caller closes the history. */
static enum histree_status load(struct load_case *test, const struct histree_load_options *options,
				struct histree_history **out)
{
	struct histree_error error = { 0 };
	struct histree_store *store = NULL;
	*out = NULL;
	enum histree_status status = histree_load(options, NULL, &error);
	if (status == HISTREE_OK)
		status = histree_store_open(test->store, &store, &error);
	if (status == HISTREE_OK)
		status = histree_store_history(store, "states", false, NULL, out, &error);
	if (store != NULL)
		histree_store_close(store);
	if (status != HISTREE_OK)
		snprintf(test->fault, sizeof(test->fault), "%s", error.message);
	return status;
}

/* Whether a history has the states of the workload, whatever its attributes are numbered. */
static const char *compare(struct load_case *test, struct histree_history *history, const struct workload *workload)
{
	struct reference reference = { 0 };
	histree_quark *quarks = calloc((size_t)workload->key_count + 1, sizeof(*quarks));
	const char *fault = quarks == NULL ? "out of memory" : NULL;
	for (uint32_t key = 0; key < workload->key_count && fault == NULL; key++) {
		char path[64];
		snprintf(path, sizeof(path), "Group/%u/%u", key % 7, key);
		if (histree_attributes_find(histree_history_attributes(history), HISTREE_ROOT, path,
					    &quarks[key]) != HISTREE_OK)
			fault = "an attribute is missing";
	}
	if (fault == NULL)
		fault = history_file_reference(workload, quarks, &reference)
				? history_compare(history, &reference, test->seed, QUESTIONS, test->fault)
				: "out of memory";
	reference_release(&reference);
	free(quarks);
	return fault;
}

static const char *check_again(struct load_case *test, const struct workload *workload, const char *variant,
			       bool has_bytes)
{
	const char *const files[] = { test->text };
	const struct histree_load_options options = {
		.files = files,
		.file_count = 1,
		.store = test->store,
		.force = true,
		.tree = { .variant = variant, .node_size = 8192, .fan_out = 4, .memory_max = 1 << 20 },
	};
	struct histree_history *history;
	const char *fault = NULL;
	if (load(test, &options, &history) != HISTREE_OK)
		return test->fault;
	if (!dump(history, test->format_name, test->again))
		fault = "the second dump failed";
	else if (!are_same_files(test->history, test->again))
		fault = "another dump";
	/* What is no UTF-8 is not in JSON. */
	if (fault == NULL && has_bytes)
		fault = compare(test, history, workload);
	histree_history_close(history);
	return fault;
}

static const char *check_dump(struct load_case *test, const struct workload *workload,
			      struct histree_history *history)
{
	const char *fault = NULL;
	bool is_csv = strcmp(test->format_name, "csv") == 0, is_json = strcmp(test->format_name, "json") == 0;
	if (!dump(history, test->format_name, test->history) || !dump(history, test->format_name, test->text) ||
	    (!is_csv && !is_json && !shuffle_lines(test->text, test->seed)))
		return "the dump failed";
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]) && fault == NULL; i++)
		fault = check_again(test, workload, variants[i], !is_json);
	return fault;
}

static const char *check_changes(struct load_case *test, const struct workload *workload, const char *variant)
{
	const char *const files[] = { test->text };
	struct histree_load_options options = {
		.files = files,
		.file_count = 1,
		.store = test->store,
		.force = true,
		.has_start = true,
		.start = workload->start,
		.has_end = true,
		.end = workload->end,
		.tree = { .variant = variant, .node_size = 8192 },
	};
	struct histree_history *history;
	bool *has_changes = calloc((size_t)workload->key_count + 1, sizeof(*has_changes));
	bool has_all = has_changes != NULL;
	for (size_t i = 0; has_changes != NULL && i < workload->count; i++)
		has_changes[workload->changes[i].quark] = true;
	for (uint32_t key = 0; has_changes != NULL && key < workload->key_count; key++)
		has_all = has_all && has_changes[key];
	free(has_changes);
	/* An attribute without changes is in no row. */
	if (!has_all || workload->count == 0)
		return NULL;
	if (!write_changes(test, workload))
		return "the changes could not be written";
	if (load(test, &options, &history) != HISTREE_OK)
		return test->fault;
	const char *fault = compare(test, history, workload);
	histree_history_close(history);
	return fault;
}

/* ---- the property -------------------------------------------------------------------------------------- */

static const char *check_workload(void *context, const struct workload *workload)
{
	struct load_case *test = context;
	struct histree_error error;
	struct histree_history *history = NULL;
	histree_quark *quarks = calloc((size_t)workload->key_count + 1, sizeof(*quarks));
	char path[64];
	snprintf(path, sizeof(path), "%s/h", test->folder);
	unlink(path);
	const char *fault = NULL;
	if (quarks == NULL)
		return "out of memory";
	enum histree_status status =
		history_file_build(path, &(struct histree_tree_options){ .variant = variants[test->seed % 6] },
				   workload, quarks, &error);
	if (status == HISTREE_OK)
		status = histree_history_open(path, NULL, &history, &error);
	if (status != HISTREE_OK) {
		snprintf(test->fault, sizeof(test->fault), "%s", error.message);
		fault = test->fault;
	} else if (workload->key_count > 0) {
		fault = check_dump(test, workload, history);
	}
	histree_history_close(history);
	if (fault == NULL && strcmp(test->format_name, "json") != 0)
		fault = check_changes(test, workload, variants[test->seed % 6]);
	free(quarks);
	return fault;
}

static void check_kind(const void *kind, uint64_t seed)
{
	struct load_case test = { .seed = seed, .format_name = row_format_names[1 + seed / 6 % 3] };
	struct workload workload;
	scratch_folder(test.folder, sizeof(test.folder));
	snprintf(test.history, sizeof(test.history), "%s/dump", test.folder);
	snprintf(test.text, sizeof(test.text), "%s/text", test.folder);
	snprintf(test.again, sizeof(test.again), "%s/again", test.folder);
	snprintf(test.store, sizeof(test.store), "%s/store", test.folder);
	assert_true(workload_make(&workload, kind, seed));
	const struct workload_check check = { check_workload, &test };
	const char *fault = check_workload(&test, &workload);
	if (fault != NULL)
		property_fail_shrunk(&workload, &check, fault, "format %s", test.format_name);
	workload_release(&workload);
	remove_all("%s", test.folder);
}

PROPERTIES({ KINDS(workload_kinds), .rounds = 3, .check = check_kind })
