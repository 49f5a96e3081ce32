// SPDX-License-Identifier: MIT
/*
 * output.c - output of the command to a file descriptor: texts without control characters, words for a shell, texts
 * for a browser; and lines of input.
 */
#include "cli/output.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_text.h"
#include "base/table.h"
#include "cli/line_editor.h"
#include "cli/pager.h"

/* ---- output -------------------------------------------------------------------------------------------------- */

struct output *output_create(int file)
{
	struct output *output = malloc(sizeof(*output));
	if (output == NULL)
		return NULL;
	output->file = file;
	output->failure = 0;
	output->used = 0;
	return output;
}

struct output *output_create_paged(void)
{
	pager_begin();
	return output_create(STDOUT_FILENO);
}

static void write_all(struct output *output, const char *bytes, size_t size)
{
	while (size > 0 && output->failure == 0) {
		ssize_t written = write(output->file, bytes, size);
		if (written >= 0) {
			bytes += written;
			size -= (size_t)written;
		} else if (errno != EINTR) {
			output->failure = errno;
		}
	}
}

void output_flush(struct output *output)
{
	write_all(output, output->bytes, output->used);
	output->used = 0;
}

char *output_room(struct output *output, size_t size)
{
	assert(size <= OUTPUT_SIZE && output->used <= OUTPUT_SIZE);
	if (size > OUTPUT_SIZE - output->used)
		output_flush(output);
	return output->bytes + output->used;
}

void output_bytes(struct output *output, const char *bytes, size_t size)
{
	if (size > OUTPUT_SIZE) {
		output_flush(output);
		write_all(output, bytes, size);
	} else if (size > 0) {
		memcpy(output_room(output, size), bytes, size);
		output->used += size;
	}
}

void output_spaces(struct output *output, size_t count)
{
	while (count > 0) {
		const size_t now = count < OUTPUT_SIZE ? count : OUTPUT_SIZE;
		memset(output_room(output, now), ' ', now);
		output->used += now;
		count -= now;
	}
}

void output_format(struct output *output, const char *format, ...)
{
	enum { SIZE_MAX_OF_CALL = 4096 };
	char *at = output_room(output, SIZE_MAX_OF_CALL);
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(at, SIZE_MAX_OF_CALL, format, arguments);
	va_end(arguments);
	if (length > 0)
		output->used += length < SIZE_MAX_OF_CALL ? (size_t)length : SIZE_MAX_OF_CALL - 1;
}

int output_free(struct output *output)
{
	if (output == NULL)
		return 0;
	output_flush(output);
	int failure = output->failure;
	free(output);
	return failure;
}

/* ---- control text -------------------------------------------------------------------------------------------- */

/* U+0080 to U+009F are two bytes in UTF-8: 0xc2 and the number. */
static bool is_high_control(unsigned char first, unsigned char second)
{
	return first == 0xc2 && second >= 0x80 && second < 0xa0;
}

/*
 * U+202A to U+202E (E2 80 AA..AE) and U+2066 to U+2069 (E2 81 A6..A9), which order what follows anew: a name could
 * be shown as another one, or draw the rest of its line into it.
 */
static bool is_direction(const unsigned char bytes[3])
{
	return bytes[0] == 0xe2 && ((bytes[1] == 0x80 && bytes[2] >= 0xaa && bytes[2] <= 0xae) ||
				    (bytes[1] == 0x81 && bytes[2] >= 0xa6 && bytes[2] <= 0xa9));
}

/* Whether the byte at `at` is any of the three of one. */
static bool is_of_direction(const unsigned char *bytes, size_t size, size_t at)
{
	for (size_t first = at >= 2 ? at - 2 : 0; first <= at && first + 3 <= size; first++)
		if (is_direction(bytes + first))
			return true;
	return false;
}

bool control_text_beyond_ascii(const char *bytes, size_t size, size_t at)
{
	unsigned char c = (unsigned char)bytes[at];
	if (c < 0x20 || c == 0x7f)
		return true;
	if (is_of_direction((const unsigned char *)bytes, size, at))
		return true;
	return (at + 1 < size && is_high_control(c, (unsigned char)bytes[at + 1])) ||
	       (at > 0 && is_high_control((unsigned char)bytes[at - 1], c));
}

size_t control_text_escape(char c, char escape[CONTROL_ESCAPE_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	static const char named[] = "\tt\nn\rr";
	unsigned char code = (unsigned char)c;
	escape[0] = '\\';
	for (size_t i = 0; i < sizeof(named) - 1; i += 2) {
		if (named[i] == c) {
			escape[1] = named[i + 1];
			return 2;
		}
	}
	escape[1] = 'x';
	escape[2] = digits[code >> 4];
	escape[3] = digits[code & 15];
	return 4;
}

void control_text_copy(const char *text, char *room, size_t size)
{
	size_t length = strlen(text), used = 0;
	for (size_t i = 0; i < length; i++) {
		char escape[CONTROL_ESCAPE_SIZE] = { text[i] };
		size_t count = control_text_at(text, length, i) ? control_text_escape(text[i], escape) : 1;
		if (count >= size - used)
			break;
		memcpy(room + used, escape, count);
		used += count;
	}
	room[used] = '\0';
}

/* ---- words for a shell, and texts for a browser -------------------------------------------------------------- */

void shell_word_put(FILE *stream, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=,.:/@%";
	if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
		fputs(text, stream);
		return;
	}
	fputc('\'', stream);
	for (; *text != '\0'; text++)
		if (*text == '\'')
			fputs("'\\''", stream);
		else
			fputc(*text, stream);
	fputc('\'', stream);
}

void shell_word_copy(char *word, size_t size, const char *text)
{
	FILE *stream = fmemopen(word, size, "w");
	word[0] = '\0';
	if (stream == NULL)
		return;
	shell_word_put(stream, text);
	long length = ftell(stream);
	fclose(stream);
	if (length < 0 || (size_t)length >= size)
		word[0] = '\0';
}

static const char *entity_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	default:
		return NULL;
	}
}

void html_text(struct output *output, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size;) {
		size_t length = utf8_character_size((const unsigned char *)bytes + i, size - i);
		const char *entity = entity_of(bytes[i]);
		bool is_control = length == 1 && ((unsigned char)bytes[i] < 0x20 || bytes[i] == 0x7f);
		if (entity != NULL)
			output_text(output, entity);
		else if (length == 0 || is_control)
			output_text(output, UTF8_REPLACEMENT);
		else
			output_bytes(output, bytes + i, length);
		i += length > 0 ? length : 1;
	}
}

static bool is_plain_in_data(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' || c == '=' ||
	       c == '/' || c == '.' || c == ',' || c == '-' || c == ':' || c == ';' || c == '(' || c == ')';
}

void html_data(struct output *output, const char *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < size; i++) {
		if (is_plain_in_data(bytes[i])) {
			output_char(output, bytes[i]);
			continue;
		}
		output_char(output, '%');
		output_char(output, digits[(unsigned char)bytes[i] >> 4]);
		output_char(output, digits[(unsigned char)bytes[i] & 15]);
	}
}

/* ---- line plain ---------------------------------------------------------------------------------------------- */

enum { BYTES_AT_ONCE = 4096 };

/* Returns false if no line can come any more. */
static bool read_some(struct line_plain *plain)
{
	/* And a zero at its end. */
	if (!array_reserve(&plain->bytes, &plain->capacity, plain->used + BYTES_AT_ONCE + 1))
		return false;
	ssize_t size = read(STDIN_FILENO, plain->bytes + plain->used, BYTES_AT_ONCE);
	plain->used += size > 0 ? (size_t)size : 0;
	return size > 0 || (size < 0 && (errno == EINTR || errno == EAGAIN));
}

/* SIGINT is blocked, though not by `open`. */
static enum line_kind wait_for_line(struct line_plain *plain, const sigset_t *open)
{
	struct pollfd terminal = { .fd = STDIN_FILENO, .events = POLLIN };
	while (plain->used == 0 || memchr(plain->bytes, '\n', plain->used) == NULL) {
		bool is_interrupted = ppoll(&terminal, 1, NULL, open) < 0 && errno == EINTR;
		/* It may have come together with a line, which is one that was typed after it. */
		const struct timespec now = { 0 };
		sigset_t interrupt;
		sigemptyset(&interrupt);
		sigaddset(&interrupt, SIGINT);
		if (sigtimedwait(&interrupt, NULL, &now) == SIGINT || is_interrupted) {
			plain->used = 0;
			return LINE_ABANDONED;
		}
		if (!read_some(plain))
			return plain->used == 0 ? LINE_END : LINE_READ;
	}
	return LINE_READ;
}

static void hand_out(struct line_plain *plain)
{
	const char *end = memchr(plain->bytes, '\n', plain->used);
	size_t size = end == NULL ? plain->used : (size_t)(end - plain->bytes);
	plain->taken = end == NULL ? size : size + 1;
	plain->bytes[size] = '\0';
}

enum line_kind line_plain_read(struct line_plain *plain, const char *prompt, const char **line)
{
	sigset_t interrupt, open;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	pthread_sigmask(SIG_BLOCK, &interrupt, &open);
	plain->used -= plain->taken;
	if (plain->used > 0)
		memmove(plain->bytes, plain->bytes + plain->taken, plain->used);
	plain->taken = 0;
	fputs(prompt, stderr);
	enum line_kind kind = wait_for_line(plain, &open);
	pthread_sigmask(SIG_SETMASK, &open, NULL);
	if (kind == LINE_READ)
		hand_out(plain);
	else if (kind == LINE_ABANDONED)
		fputc('\n', stderr);
	*line = plain->bytes;
	return kind;
}
