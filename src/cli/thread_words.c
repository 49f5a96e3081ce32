// SPDX-License-Identifier: MIT
#include "cli/thread_words.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/number_text.h"
#include "base/search.h"
#include "base/table.h"
#include "cli/progress.h"
#include "cli/thread_lives.h"
#include "histree/attributes.h"
#include "histree/critical_path.h"
#include "histree/time_use.h"

/* ---- a word -------------------------------------------------------------------------------------------------- */

/* A part of the text of a word. */
struct piece {
	const char *text;
	size_t size;
};

enum { PIECE_MAX = 256 };

static bool is_number(struct piece piece, int32_t *number)
{
	char text[16], *end;
	if (piece.size == 0 || piece.size >= sizeof(text) || isspace((unsigned char)piece.text[0]))
		return false;
	memcpy(text, piece.text, piece.size);
	text[piece.size] = '\0';
	const long long value = strtoll(text, &end, 10);
	*number = (int32_t)value;
	return *end == '\0' && value >= HISTREE_KERNEL_TID && value <= INT32_MAX;
}

/* A name may have the signs of patterns: it is one of itself. */
static bool is_called(struct piece piece, const char *name)
{
	char pattern[PIECE_MAX];
	if (strlen(name) == piece.size && memcmp(name, piece.text, piece.size) == 0)
		return true;
	if (piece.size >= sizeof(pattern) || memchr(piece.text, '*', piece.size) == NULL)
		return false;
	memcpy(pattern, piece.text, piece.size);
	pattern[piece.size] = '\0';
	return fnmatch(pattern, name, FNM_NOESCAPE) == 0;
}

/* What a word without commas asks for. */
struct wanted {
	long host; /* THREAD_ANY_HOST: any */
	struct piece process, thread;
	bool is_of_process; /* there is a colon */
};

static bool piece_skip(struct piece *piece, const char *text, size_t size)
{
	if (piece->size <= size || memcmp(piece->text, text, size) != 0 || piece->text[size] != '/')
		return false;
	*piece = (struct piece){ piece->text + size + 1, piece->size - size - 1 };
	return true;
}

/* HOST/, where there are hosts, and Threads/ or Processes/<pid>/ before the rest. */
static struct wanted wanted_of(struct piece piece, const struct histree_history *history)
{
	struct wanted wanted = { .host = THREAD_ANY_HOST };
	size_t count = 0;
	const struct histree_history_host *hosts = history != NULL ? histree_history_hosts(history, &count) : NULL;
	for (size_t i = 0; hosts != NULL && i < count && wanted.host == THREAD_ANY_HOST; i++)
		if (piece_skip(&piece, hosts[i].name, strlen(hosts[i].name)))
			wanted.host = (long)i;
	const char *slash;
	if (!piece_skip(&piece, "Threads", strlen("Threads")) &&
	    piece_skip(&piece, "Processes", strlen("Processes"))) {
		slash = memchr(piece.text, '/', piece.size);
		wanted.is_of_process = true;
		wanted.process = piece;
		if (slash != NULL)
			wanted.process.size = (size_t)(slash - piece.text);
		piece = (struct piece){ slash != NULL ? slash + 1 : "",
					slash != NULL ? piece.size - wanted.process.size - 1 : 0 };
	}
	wanted.thread = piece;
	return wanted;
}

/* ---- the threads of a store ---------------------------------------------------------------------------------- */

static enum cli_exit named_thread_add(struct thread_words *words, struct named_thread named)
{
	if (!array_reserve(&words->threads, &words->capacity, words->count + 1))
		return report_no_memory();
	words->threads[words->count++] = named;
	return CLI_OK;
}

static bool are_of_spans(const struct histree_history *history)
{
	return history != NULL && strcmp(histree_history_info(history)->provider, "tracks") == 0;
}

static bool has_names(const struct histree_history *history)
{
	return thread_lives_are_of(history) || are_of_spans(history);
}

/* The history that is asked about, or the store's of the kernel.  Returns NULL if there is none. */
static struct histree_history *find_kernel(struct thread_words *words, const struct target *target,
					   struct histree_history *history)
{
	struct histree_error error = { 0 };
	if (has_names(history))
		return history;
	if (target == NULL || target_history(target, NULL, true, &words->opened, &error) != HISTREE_OK)
		return NULL;
	return has_names(words->opened) ? words->opened : NULL;
}

/* Returns CLI_NOTHING, and no message, where no history has threads with names. */
static enum cli_exit read_flows(struct thread_words *words, const struct target *target,
				struct histree_history *history)
{
	struct histree_error error = { 0 };
	const struct histree_work work = { .go_on = progress_goes_on };
	size_t count = 0;
	if (words->flows != NULL)
		return CLI_OK;
	words->kernel = find_kernel(words, target, history);
	if (words->kernel == NULL)
		return CLI_NOTHING;
	const struct histree_history_host *hosts = histree_history_hosts(words->kernel, &count);
	words->flow_count = hosts != NULL ? count : 1;
	words->flows = calloc(words->flow_count + 1, sizeof(struct histree_control_flow *));
	if (words->flows == NULL)
		return report_no_memory();
	for (size_t i = 0; i < words->flow_count; i++) {
		struct histree_history *of = hosts != NULL ? hosts[i].history : words->kernel;
		if (of == NULL)
			continue;
		const enum histree_status status = histree_control_flow_create(of, work, &words->flows[i], &error);
		if (status == HISTREE_ERR_MEMORY || status == HISTREE_ERR_CANCELLED)
			return report_error(&error);
	}
	return CLI_OK;
}

static struct histree_history *history_of_host(const struct thread_words *words, size_t host)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(words->kernel, &count);
	return hosts != NULL ? hosts[host].history : words->kernel;
}

/* In a trace of spans, what a process is called is its last state. */
static bool read_process_name(struct thread_words *words, size_t host, histree_quark node, char name[PIECE_MAX])
{
	struct histree_interval interval;
	struct histree_error ignored;
	struct histree_history *of = history_of_host(words, host);
	if (words->query != NULL && words->query_host != host) {
		histree_cursor_free(words->query);
		words->query = NULL;
	}
	words->query_host = host;
	if (words->query == NULL && histree_query_create(of, &words->query, &ignored) != HISTREE_OK)
		return false;
	if (histree_query_single(words->query, node, histree_history_info(of)->end, &interval, &ignored) !=
		    HISTREE_OK ||
	    interval.value.type != HISTREE_STRING)
		return false;
	snprintf(name, PIECE_MAX, "%.*s", (int)interval.value.size, (const char *)interval.value.bytes);
	return true;
}

static bool is_of_process(struct thread_words *words, struct piece process, size_t host,
			  const struct histree_thread *thread)
{
	int32_t pid;
	uint32_t count;
	const struct histree_control_flow *flow = words->flows[host];
	if (is_number(process, &pid))
		return thread->pid == pid;
	if (are_of_spans(words->kernel)) {
		char name[PIECE_MAX];
		const struct histree_attributes *attributes =
			histree_history_attributes(history_of_host(words, host));
		return read_process_name(words, host, histree_attributes_parent(attributes, thread->node), name) &&
		       is_called(process, name);
	}
	const struct histree_thread *threads = histree_control_flow_threads(flow, &count);
	const uint32_t first = histree_control_flow_find_at(flow, thread->pid, -1, thread->from);
	return first != HISTREE_NO_INDEX && is_called(process, threads[first].name);
}

/* What runs where no thread does is named by its number alone. */
static bool is_wanted(struct thread_words *words, const struct wanted *wanted, size_t host,
		      const struct histree_thread *thread)
{
	int32_t tid;
	if (thread->tid <= 0 && !are_of_spans(words->kernel))
		return false;
	if (wanted->is_of_process && !is_of_process(words, wanted->process, host, thread))
		return false;
	if (wanted->is_of_process && wanted->thread.size == 0)
		return true;
	return is_number(wanted->thread, &tid) ? thread->tid == tid : is_called(wanted->thread, thread->name);
}

/* What is on asynchronous tracks is no thread's: it is found by what its process is called, or by PROCESS: */
static bool is_process_wanted(struct thread_words *words, const struct wanted *wanted, size_t host,
			      histree_quark node, int32_t pid)
{
	char name[PIECE_MAX];
	int32_t number;
	const bool has_name = read_process_name(words, host, node, name);
	if (!wanted->is_of_process)
		return has_name && is_called(wanted->thread, name);
	if (wanted->thread.size > 0 && !is_called(wanted->thread, ""))
		return false;
	return is_number(wanted->process, &number) ? number == pid : has_name && is_called(wanted->process, name);
}

/* Calls `visit` for each process of a trace of spans that has asynchronous tracks, until it returns false. */
static void visit_processes(struct thread_words *words, size_t host,
			    bool (*visit)(void *context, size_t host, histree_quark node, int32_t pid),
			    void *context)
{
	struct histree_history *of = history_of_host(words, host);
	const struct histree_attributes *attributes = of != NULL ? histree_history_attributes(of) : NULL;
	histree_quark top, async;
	if (attributes == NULL || !are_of_spans(words->kernel) ||
	    histree_attributes_find(attributes, HISTREE_ROOT, "Processes", &top) != HISTREE_OK)
		return;
	for (histree_quark node = histree_attributes_first_child(attributes, top); node != HISTREE_ROOT;
	     node = histree_attributes_next_sibling(attributes, node)) {
		int32_t pid;
		char number[16];
		histree_attributes_name(attributes, node, number, sizeof(number));
		if (is_number((struct piece){ number, strlen(number) }, &pid) &&
		    histree_attributes_find(attributes, node, "Async", &async) == HISTREE_OK &&
		    !visit(context, host, node, pid))
			return;
	}
}

struct adding {
	struct thread_words *words;
	const struct wanted *wanted;
	enum cli_exit code;
};

static bool add_process(void *context, size_t host, histree_quark node, int32_t pid)
{
	struct adding *adding = context;
	if (is_process_wanted(adding->words, adding->wanted, host, node, pid))
		adding->code =
			named_thread_add(adding->words, (struct named_thread){ (long)host, pid, THREAD_OF_NO_NUMBER,
									       INT64_MIN, INT64_MAX, NULL });
	return adding->code == CLI_OK;
}

static enum cli_exit add_wanted(struct thread_words *words, const struct wanted *wanted)
{
	const size_t before = words->count;
	enum cli_exit code = CLI_OK;
	for (size_t host = 0; host < words->flow_count; host++) {
		const struct histree_control_flow *flow = words->flows[host];
		uint32_t count;
		if (flow == NULL || (wanted->host != THREAD_ANY_HOST && (size_t)wanted->host != host))
			continue;
		const struct histree_thread *threads = histree_control_flow_threads(flow, &count);
		for (uint32_t i = 0; i < count && code == CLI_OK; i++)
			if (is_wanted(words, wanted, host, &threads[i]))
				code = named_thread_add(
					words,
					(struct named_thread){
						(long)host, are_of_spans(words->kernel) ? threads[i].pid : 0,
						threads[i].tid, threads[i].from, threads[i].to, &threads[i] });
		struct adding adding = { words, wanted, code };
		if (code == CLI_OK)
			visit_processes(words, host, add_process, &adding);
		code = adding.code;
	}
	return code == CLI_OK && words->count == before ? CLI_NOTHING : code;
}

/* A word without commas: as a number, a whole name, then as PROCESS:THREAD. */
static enum cli_exit read_piece(struct thread_words *words, struct piece piece, const struct target *target,
				struct histree_history *history)
{
	int32_t tid;
	struct wanted wanted = wanted_of(piece, history);
	if (!wanted.is_of_process && is_number(wanted.thread, &tid))
		return named_thread_add(words,
					(struct named_thread){ wanted.host, 0, tid, INT64_MIN, INT64_MAX, NULL });
	enum cli_exit code =
		wanted.thread.size > 0 || wanted.is_of_process ? read_flows(words, target, history) : CLI_NOTHING;
	if (code == CLI_OK && history == NULL)
		wanted = wanted_of(piece, words->kernel);
	if (code == CLI_OK)
		code = add_wanted(words, &wanted);
	const char *colon = memchr(wanted.thread.text, ':', wanted.thread.size);
	if (code != CLI_NOTHING || words->flows == NULL || colon == NULL)
		return code;
	const size_t size = (size_t)(colon - wanted.thread.text);
	wanted.is_of_process = true;
	wanted.process = (struct piece){ wanted.thread.text, size };
	wanted.thread = (struct piece){ colon + 1, wanted.thread.size - size - 1 };
	return add_wanted(words, &wanted);
}

COMPARE(by_thread, struct named_thread, BY(host) BY(pid) BY(tid) BY(from))

static void threads_sort(struct thread_words *words)
{
	size_t kept = 0;
	if (words->count > 0)
		qsort(words->threads, words->count, sizeof(*words->threads), by_thread);
	for (size_t i = 0; i < words->count; i++)
		if (kept == 0 || by_thread(&words->threads[kept - 1], &words->threads[i]) != 0)
			words->threads[kept++] = words->threads[i];
	words->count = kept;
}

/* *fault becomes the piece that names no thread. */
static enum cli_exit read_word(struct thread_words *words, const char *text, const struct target *target,
			       struct histree_history *history, struct piece *fault)
{
	*fault = (struct piece){ text, strlen(text) };
	enum cli_exit code = read_piece(words, *fault, target, history);
	if (code == CLI_OK)
		threads_sort(words);
	if (code != CLI_NOTHING || strchr(text, ',') == NULL)
		return code;
	for (const char *at = text, *end; *at != '\0'; at = end + (*end == ',')) {
		end = strchrnul(at, ',');
		*fault = (struct piece){ at, (size_t)(end - at) };
		code = read_piece(words, *fault, target, history);
		if (code != CLI_OK)
			return code;
	}
	threads_sort(words);
	return words->count > 0 ? CLI_OK : CLI_NOTHING;
}

struct offering {
	struct thread_words *words;
	struct nearest *nearest;
	char best[PIECE_MAX];
};

static bool offer_process(void *context, size_t host, histree_quark node, int32_t pid)
{
	struct offering *offering = context;
	char name[PIECE_MAX];
	(void)pid;
	if (!read_process_name(offering->words, host, node, name))
		return true;
	nearest_offer(offering->nearest, name);
	if (offering->nearest->word == name) {
		snprintf(offering->best, sizeof(offering->best), "%s", name);
		offering->nearest->word = offering->best;
	}
	return true;
}

static enum cli_exit report_nobody(struct thread_words *words, struct piece fault,
				   const struct histree_history *history)
{
	char typed[PIECE_MAX];
	int32_t tid;
	size_t count = 0;
	snprintf(typed, sizeof(typed), "%.*s", (int)fault.size, fault.text);
	const struct histree_history_host *hosts = history != NULL ? histree_history_hosts(history, &count) : NULL;
	const char *slash = strrchr(typed, '/');
	if (hosts != NULL && slash != NULL && is_number((struct piece){ slash + 1, strlen(slash + 1) }, &tid))
		return report_exit(CLI_NOTHING, "'%s': there is no such host; 'histree info' lists them", typed);
	if (words->flows == NULL)
		return report_exit(CLI_USAGE,
				   "'%s' is not the number of a thread, such as 42 or HOST/42; names of threads "
				   "are in the states of the kernel, which are missing here",
				   typed);
	struct nearest nearest = nearest_begin(typed);
	struct offering offering = { words, &nearest, "" };
	for (size_t host = 0; host < words->flow_count; host++) {
		uint32_t thread_count = 0;
		const struct histree_thread *threads =
			words->flows[host] != NULL ? histree_control_flow_threads(words->flows[host], &thread_count)
						   : NULL;
		for (uint32_t i = 0; i < thread_count; i++)
			nearest_offer(&nearest, threads[i].name);
		visit_processes(words, host, offer_process, &offering);
	}
	if (nearest.word != NULL)
		return report_exit(CLI_NOTHING, "no thread is called '%s'; the nearest is '%s'", typed,
				   nearest.word);
	return report_exit(
		CLI_NOTHING,
		"no thread is called '%s'; threads are named as 42, 'name', 'name*', 'PROCESS:THREAD' or "
		"Threads/42",
		typed);
}

enum cli_exit thread_words_read(struct thread_words *words, const char *text, const struct target *target,
				struct histree_history *history)
{
	struct piece fault;
	const enum cli_exit code = read_word(words, text, target, history, &fault);
	return code == CLI_NOTHING ? report_nobody(words, fault, history) : code;
}

void thread_words_release(struct thread_words *words)
{
	for (size_t i = 0; i < words->flow_count && words->flows != NULL; i++)
		histree_control_flow_free(words->flows[i]);
	free(words->flows);
	free(words->threads);
	histree_cursor_free(words->query);
	histree_history_close(words->opened);
	*words = (struct thread_words){ 0 };
}

/* Those of any host come first, then those of each, by number and time. */
static const struct named_thread *named_thread_find(const struct thread_words *words, long host, int32_t pid,
						    int32_t tid, histree_time time)
{
	const struct named_thread wanted = { .host = host, .pid = pid, .tid = tid, .from = time };
	const size_t first = SEARCH(i, 0, words->count, by_thread(&words->threads[i], &wanted) <= 0);
	const struct named_thread *named = first > 0 ? &words->threads[first - 1] : NULL;
	return named != NULL && named->host == host && named->pid == pid && named->tid == tid && named->to >= time
		       ? named
		       : NULL;
}

bool thread_words_have(const struct thread_words *words, size_t host, int32_t pid, int32_t tid, histree_time time)
{
	return named_thread_find(words, THREAD_ANY_HOST, 0, tid, time) != NULL ||
	       named_thread_find(words, (long)host, 0, tid, time) != NULL ||
	       named_thread_find(words, (long)host, pid, tid, time) != NULL;
}

enum { CONDITIONS_MAX = 60 }; /* an expression may have 64 comparisons */

/* By what conditions name threads. */
enum condition { BY_NUMBER, BY_NAME, BY_PROCESS };

/* Those of one name or process come as one. */
static bool is_said(const struct thread_words *words, size_t index, enum condition by)
{
	const struct named_thread *named = &words->threads[index];
	for (size_t i = 0; i < index && named->thread != NULL && by != BY_NUMBER; i++) {
		const struct named_thread *before = &words->threads[i];
		if (before->thread != NULL && before->host == named->host &&
		    (by == BY_NAME ? strcmp(before->thread->name, named->thread->name) == 0
				   : before->thread->pid == named->thread->pid))
			return true;
	}
	return false;
}

static void put_condition(FILE *stream, const struct named_thread *named, const struct histree_history *history,
			  enum condition by)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	char *host = hosts != NULL && named->host != THREAD_ANY_HOST ? host_part_condition(hosts[named->host].name)
								     : NULL;
	fprintf(stream, "(%s%s", host != NULL ? host : "", host != NULL ? " && " : "");
	free(host);
	if (by == BY_NUMBER || named->thread == NULL) {
		if (named->pid != 0)
			fprintf(stream, "process == %" PRId32, named->pid);
		if (named->tid != THREAD_OF_NO_NUMBER)
			fprintf(stream, "%sthread == %" PRId32, named->pid != 0 ? " && " : "", named->tid);
		fputs(")", stream);
	} else if (by == BY_PROCESS) {
		fprintf(stream, "process == %" PRId32 ")", named->thread->pid);
	} else {
		fputs("name == \"", stream);
		for (const char *at = named->thread->name; *at != '\0'; at++)
			fprintf(stream, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
		fputs("\")", stream);
	}
}

/*
 * Writes the condition that a state is of one of the threads that a text named: by their names, their process or
 * their numbers.
 */
static enum cli_exit thread_words_condition(const struct thread_words *words, const char *text,
					    const struct histree_history *history, char **out)
{
	size_t size, conditions = 0;
	const char *colon = strchr(text, ':');
	const enum condition by = colon == NULL ? BY_NAME : colon[1] == '\0' ? BY_PROCESS : BY_NUMBER;
	FILE *stream = open_memstream(out, &size);
	if (stream == NULL)
		return report_no_memory();
	for (size_t i = 0; i < words->count && conditions <= CONDITIONS_MAX; i++) {
		if (is_said(words, i, by))
			continue;
		fputs(conditions++ > 0 ? " || " : "(", stream);
		put_condition(stream, &words->threads[i], history, by);
	}
	fputs(")", stream);
	if (fclose(stream) != 0)
		return report_no_memory();
	if (conditions <= CONDITIONS_MAX)
		return CLI_OK;
	free(*out);
	*out = NULL;
	return report_exit(CLI_USAGE,
			   "'--thread': these are %zu threads, more than can be asked for at once here; '--where' "
			   "with a name or process has no such limit",
			   words->count);
}

enum cli_exit thread_words_where(const struct cli_question *question, const struct target *target,
				 struct histree_history *history, char **out)
{
	struct thread_words words = { 0 };
	char *threads = NULL, *both = NULL;
	enum cli_exit code = CLI_OK;
	if (question->thread != NULL) {
		code = thread_words_read(&words, question->thread, target, history);
		if (code == CLI_OK)
			code = thread_words_condition(&words, question->thread, history, &threads);
		if (code == CLI_OK && asprintf(&both, "%s%s%s%s", threads, question->where != NULL ? " && (" : "",
					       question->where != NULL ? question->where : "",
					       question->where != NULL ? ")" : "") < 0)
			code = report_no_memory();
	}
	if (code == CLI_OK && question->host != NULL) {
		*out = host_part_where(question->host, both != NULL ? both : question->where);
		code = *out != NULL ? CLI_OK : report_no_memory();
		free(both);
	} else {
		*out = both;
	}
	thread_words_release(&words);
	free(threads);
	return code;
}

/* ---- patterns ------------------------------------------------------------------------------------------------ */

/* Patterns, and the paths of threads in the place of those that are none; zeroed, it is empty. */
struct pattern_list {
	char **patterns; /* its own */
	size_t count, capacity;
};

static bool add_pattern(struct pattern_list *list, const char *pattern)
{
	char *copy = strdup(pattern);
	if (copy == NULL || !array_reserve(&list->patterns, &list->capacity, list->count + 1)) {
		free(copy);
		return false;
	}
	list->patterns[list->count++] = copy;
	return true;
}

static void release_patterns(struct pattern_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->patterns[i]);
	free(list->patterns);
}

static bool stop_at_first(void *context, histree_quark quark)
{
	*(histree_quark *)context = quark;
	return false;
}

static bool is_path(struct histree_history *history, const char *pattern, histree_quark *first)
{
	struct histree_error error;
	return histree_attributes_match(histree_history_attributes(history), HISTREE_ROOT, pattern, stop_at_first,
					first, &error) != HISTREE_NOT_FOUND;
}

/*
 * The states of a thread are at its number, or below it where that is a folder; in a trace of spans they are both,
 * its name and its stack.  Returns false without memory.
 */
static bool add_paths(struct pattern_list *list, struct histree_history *history, const struct named_thread *named)
{
	static const char *const places[] = { "Threads/", "CPUs/*/", "Processes/*/" };
	enum { PROCESSES = 2 };
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	const struct histree_attributes *attributes = histree_history_attributes(history);
	for (size_t host = 0; host < (hosts != NULL ? count : 1); host++)
		for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
			char pattern[PIECE_MAX + 32];
			histree_quark first = HISTREE_ROOT;
			if (hosts != NULL && named->host != THREAD_ANY_HOST && (size_t)named->host != host)
				continue;
			if (named->tid == THREAD_OF_NO_NUMBER && i != PROCESSES)
				continue;
			char place[32];
			snprintf(place, sizeof(place), "%s", places[i]);
			if (i == PROCESSES && named->pid != 0)
				snprintf(place, sizeof(place), "Processes/%" PRId32 "/", named->pid);
			char number[16] = "Async";
			if (named->tid != THREAD_OF_NO_NUMBER)
				snprintf(number, sizeof(number), "%" PRId32, named->tid);
			snprintf(pattern, sizeof(pattern), "%s%s%s%s", hosts != NULL ? hosts[host].name : "",
				 hosts != NULL ? "/" : "", place, number);
			if (!is_path(history, pattern, &first))
				continue;
			if (i == PROCESSES || histree_attributes_is_folder(attributes, first))
				strcat(pattern, "/**");
			if (!add_pattern(list, pattern))
				return false;
		}
	return true;
}

/* A pattern that is neither stays as it is, and is reported as a pattern. */
static enum cli_exit expand(struct pattern_list *list, const struct target *target, struct histree_history *history,
			    const char *pattern)
{
	struct thread_words words = { 0 };
	struct piece fault;
	histree_quark first;
	const size_t before = list->count;
	bool has_memory = true;
	enum cli_exit code = CLI_NOTHING;
	if (!is_path(history, pattern, &first))
		code = read_word(&words, pattern, target, history, &fault);
	for (size_t i = 0; i < words.count && code == CLI_OK && has_memory; i++)
		has_memory = add_paths(list, history, &words.threads[i]);
	if ((code == CLI_OK || code == CLI_NOTHING) && has_memory && list->count == before)
		has_memory = add_pattern(list, pattern);
	thread_words_release(&words);
	if (!has_memory)
		return report_no_memory();
	return code == CLI_NOTHING ? CLI_OK : code;
}

enum cli_exit thread_words_match(struct attribute_list *list, const struct target *target,
				 struct histree_history *history, char *const *patterns, size_t pattern_count,
				 enum attribute_kinds kinds)
{
	struct pattern_list expanded = { 0 };
	enum cli_exit code = CLI_OK;
	for (size_t i = 0; i < pattern_count && code == CLI_OK; i++)
		code = expand(&expanded, target, history, patterns[i]);
	if (code == CLI_OK)
		code = attribute_list_match(list, history, expanded.patterns, expanded.count, kinds);
	release_patterns(&expanded);
	return code;
}

/* ---- one thread ---------------------------------------------------------------------------------------------- */

static bool has_thread(const struct histree_history_host *host, int32_t tid)
{
	histree_quark found;
	char path[32];
	snprintf(path, sizeof(path), "Threads/%" PRId32, tid);
	return host->history != NULL && histree_attributes_find(histree_history_attributes(host->history),
								HISTREE_ROOT, path, &found) == HISTREE_OK;
}

enum cli_exit thread_words_host(const struct named_thread *named, struct histree_history *history, size_t *host)
{
	size_t having = 0, count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	*host = named->host != THREAD_ANY_HOST ? (size_t)named->host : 0;
	if (hosts == NULL)
		return CLI_OK;
	if (named->host != THREAD_ANY_HOST)
		return hosts[*host].history != NULL || hosts[*host].why == NULL
			       ? CLI_OK
			       : report_exit(CLI_INPUT, "'%s/%" PRId32 "': the host is missing: %s",
					     hosts[*host].name, named->tid, hosts[*host].why);
	for (size_t i = count; i-- > 0;) {
		if (!has_thread(&hosts[i], named->tid))
			continue;
		*host = i;
		having++;
	}
	if (having > 1)
		return report_exit(CLI_USAGE, "%zu hosts have a thread %" PRId32 ": say which, as in %s/%" PRId32,
				   having, named->tid, hosts[*host].name, named->tid);
	if (having == 0)
		host_part_missing(history);
	return having == 1 ? CLI_OK : report_exit(CLI_NOTHING, "no host has a thread %" PRId32, named->tid);
}

/* Returns the place of the one that ran longest; without an answer, the first. */
static size_t find_busiest(const struct thread_words *words, histree_time from, histree_time to)
{
	const struct histree_time_use_request request = {
		.from = from, .to = to, .by = HISTREE_BY(THREAD), .work = { .go_on = progress_goes_on }
	};
	struct histree_error error = { 0 };
	struct histree_time_use *use = NULL;
	size_t count, found = 0;
	if (histree_time_use_create(words->kernel, &request, &use, &error) != HISTREE_OK)
		return 0;
	const struct histree_use_row *rows = histree_time_use_rows(use, &count); /* what ran longest comes first */
	for (size_t i = 0, is_found = 0; i < count && !is_found; i++)
		for (size_t k = 0; k < words->count && !is_found; k++) {
			const struct named_thread *named = &words->threads[k];
			is_found = named->host == (long)rows[i].host && named->from == rows[i].from &&
				   named->tid == rows[i].keys[HISTREE_USE_BY_THREAD].int32;
			found = is_found ? k : found;
		}
	histree_time_use_free(use);
	return found;
}

static void say_which(const struct thread_words *words, const char *text, size_t chosen)
{
	enum { NAMED = 8 };
	char numbers[256] = "";
	for (size_t i = 0; i < words->count && i < NAMED; i++) {
		char number[16];
		snprintf(number, sizeof(number), "%" PRId32, words->threads[i].tid);
		name_list_add(numbers, sizeof(numbers), number);
	}
	report("'%s' is %zu threads: %s%s; this is %" PRId32 ", which ran longest", text, words->count, numbers,
	       words->count > NAMED ? ", ..." : "", words->threads[chosen].tid);
}

enum cli_exit thread_words_one(const char *text, const struct target *target, struct histree_history *history,
			       histree_time from, histree_time to, struct named_thread *out)
{
	struct thread_words words = { 0 };
	size_t host = 0, chosen = 0;
	enum cli_exit code = thread_words_read(&words, text, target, history);
	if (code == CLI_OK && words.count > 1 && words.kernel == NULL)
		code = report_exit(CLI_USAGE, "'%s' names several threads, but only one can be asked about", text);
	if (code == CLI_OK && words.count > 1) {
		chosen = find_busiest(&words, from, to);
		say_which(&words, text, chosen);
	}
	if (code == CLI_OK) {
		*out = words.threads[chosen];
		out->thread = NULL; /* it ends with the words */
		code = thread_words_host(out, history, &host);
		out->host = (long)host;
	}
	thread_words_release(&words);
	return code;
}
