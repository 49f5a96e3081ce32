// SPDX-License-Identifier: MIT
/*
 * line_head.c - the head of a line in the text of a kernel trace: thread, CPU, flags, time and the name of the
 * event.
 */
#include "trace/lines/line_head.h"

#include <string.h>

#include "trace/lines/line_text.h"

static const struct line_head no_head = {
	.pid = LINE_NO_THREAD,
	.cpu = LINE_NO_CPU,
	.process = LINE_NO_PROCESS,
};

/* Whatever was found; what is known of the file stays. */
static void forget(struct line_head *out)
{
	const unsigned columns = out->columns;
	*out = no_head;
	out->columns = columns;
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* ---- times ----------------------------------------------------------------------------------------------- */

/*
 * "1234.567890:", of up to nine decimals; "1234567:", of a clock that counts; "1234us!:", of the format for
 * latencies: since the buffer began, with a mark for how long after the line before (trace_print_lat_context() of
 * kernel/trace/trace_output.c).
 */
static bool read_time(struct line_scan *scan, struct line_head *out)
{
	struct line_scan at = *scan;
	uint64_t seconds, part = 0, unit = 1000000000;
	if (!line_scan_number(&at, &seconds))
		return false;
	bool is_micro = line_scan_word(&at, "us");
	bool has_point = !is_micro && line_scan_byte(&at, '.');
	while (has_point && at.at < at.end && is_digit(*at.at) && unit > 1) {
		unit /= 10;
		part += (uint64_t)(*at.at++ - '0') * unit;
	}
	if (is_micro && at.at < at.end && *at.at != ':')
		at.at++;
	if (!line_scan_byte(&at, ':') || (at.at < at.end && !line_is_blank(*at.at)))
		return false;
	out->is_count = !has_point && !is_micro;
	uint64_t ns;
	if (out->is_count)
		ns = 0;
	else if (__builtin_mul_overflow(seconds, UINT64_C(1000000000) / (is_micro ? 1000000 : 1), &ns) ||
		 __builtin_add_overflow(ns, part, &ns) || ns > (uint64_t)INT64_MAX)
		return false;
	out->time = (histree_time)ns;
	out->has_time = !out->is_count;
	*scan = at;
	return true;
}

/* "d..2.", "dN.1", "U", "LZ-off": of ftrace's letters and digits, or of perf's. */
static bool is_flag_byte(char byte)
{
	/* A bit for each of the first 128: "!#+.", digits, and letters. */
	static const uint64_t bits[] = { UINT64_C(0x03ff480a00000000), UINT64_C(0x07fffffe07fffffe) };
	const unsigned char at = (unsigned char)byte;
	return at < 128 && (bits[at >> 6] >> (at & 63) & 1) != 0;
}

/*
 * "d.h2": interrupts are off, nothing is to be scheduled, and a hard interrupt goes on.  Kernels for real time have
 * a second letter for scheduling before the third one (trace_print_lat_fmt() in kernel/trace/trace_output.c).
 */
static void read_context(const char *flags, size_t count, struct line_head *out)
{
	enum {
		IRQS_OFF = 0x01,
		LAZY = 0x02, /* since 6.13 */
		RESCHEDULE = 0x04,
		HARD = 0x08,
		SOFT = 0x10,
		PREEMPTION = 0x20,
		NMI = 0x40,
		SOFT_OFF = 0x80
	};
	static const struct {
		char letter;
		uint8_t first, bits;
	} letters[] = {
		{ 'd', 0, IRQS_OFF },
		{ 'b', 0, SOFT_OFF },
		{ 'D', 0, IRQS_OFF | SOFT_OFF },
		{ 'N', 1, RESCHEDULE | PREEMPTION },
		{ 'n', 1, RESCHEDULE },
		{ 'p', 1, PREEMPTION },
		{ 'B', 1, RESCHEDULE | LAZY | PREEMPTION },
		{ 'b', 1, RESCHEDULE | LAZY },
		{ 'L', 1, LAZY | PREEMPTION },
		{ 'l', 1, LAZY },
		{ 'h', 2, HARD },
		{ 's', 2, SOFT },
		{ 'H', 2, HARD | SOFT },
		{ 'z', 2, NMI },
		{ 'Z', 2, NMI | HARD },
	};
	enum { FTRACE_MIN = 4, LETTERS = 4 };
	if (count < FTRACE_MIN || out->has_context)
		return;
	out->has_context = true;
	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++) {
		const size_t last = letters[i].first == 2 ? LETTERS : letters[i].first + 1;
		for (size_t at = letters[i].first; at < last; at++)
			out->context |= flags[at] == letters[i].letter ? letters[i].bits : 0;
	}
}

/* So many bytes of flags, and at once the time. */
static bool read_touching(struct line_scan *scan, const char *begin, unsigned flags, struct line_head *out)
{
	enum { LETTERS = 3 };
	struct line_scan at = { (char *)(uintptr_t)begin, scan->end };
	if ((size_t)(at.end - at.at) <= flags)
		return false;
	for (unsigned i = 0; i < flags; i++)
		if (!is_flag_byte(at.at[i]) || (i < LETTERS && is_digit(at.at[i])))
			return false;
	read_context(begin, flags, out);
	at.at += flags;
	bool is_padded = at.end - at.at > 1 && at.at[0] == '0' && at.at[1] != '.'; /* which no tool does */
	if (is_padded || !read_time(&at, out))
		return false;
	*scan = at;
	return true;
}

/* Columns of flags may stand in front of the time: "d..2.", "dN.1 U". */
static bool read_flags_and_time(struct line_scan *scan, struct line_head *out)
{
	enum { FLAG_COLUMNS_MAX = 3, FLAGS_MAX = 12 };
	for (unsigned column = 0; column <= FLAG_COLUMNS_MAX; column++) {
		line_scan_spaces(scan);
		if (read_time(scan, out))
			return true;
		const char *begin = scan->at;
		out->flags = 0;
		while (scan->at < scan->end && is_flag_byte(*scan->at))
			scan->at++;
		if (scan->at < scan->end && !line_is_blank(*scan->at)) {
			/*
			 * Where the digits of the time have no room in front of them, the flags of ftrace touch
			 * it: "d..2100.000000:". They are four, five since Linux 5.12, of which the last one is
			 * how often migration was forbidden, a point or a digit, and more of kernels for real
			 * time. So many as the other lines have say where the time begins.
			 */
			enum { FLAGS = 4 };
			if (out->columns > FLAGS && read_touching(scan, begin, out->columns, out))
				return true;
			if (scan->end - begin > FLAGS && begin[FLAGS] == '.')
				return read_touching(scan, begin, FLAGS + 1, out);
			return read_touching(scan, begin, FLAGS, out) || read_touching(scan, begin, FLAGS + 1, out);
		}
		if (scan->at == begin || scan->at - begin > FLAGS_MAX)
			return false;
		out->flags = (unsigned)(scan->at - begin);
		read_context(begin, out->flags, out);
	}
	return false;
}

/* ---- threads --------------------------------------------------------------------------------------------- */

/* Returns where the digits begin that end at `end`; `end` itself if there are no digits. */
static const char *digits_before(const char *begin, const char *end)
{
	while (end > begin && is_digit(end[-1]))
		end--;
	return end;
}

static void take_process(const char *begin, const char *end, struct line_head *out)
{
	struct line_scan scan = { (char *)(uintptr_t)begin, (char *)(uintptr_t)end };
	uint64_t process;
	line_scan_spaces(&scan);
	out->has_process = true;
	if (line_scan_number(&scan, &process) && process <= INT32_MAX)
		out->process = (int32_t)process;
}

/* "( 1042)" or "(-----)", the id of the process, which ftrace writes with the option record-tgid. */
static const char *read_process(const char *begin, const char *end, struct line_head *out)
{
	const char *at = end;
	if (at == begin || at[-1] != ')')
		return end;
	for (at--; at > begin && (is_digit(at[-1]) || at[-1] == '-' || at[-1] == ' '); at--)
		;
	if (at == begin || at[-1] != '(')
		return end;
	take_process(at, end - 1, out);
	return at - 1;
}

/* The same column, behind the CPU: kernels from Linux 4.13 on, before it came to stand in front of the CPU. */
static void pass_process(struct line_scan *scan, struct line_head *out)
{
	struct line_scan at = *scan;
	line_scan_spaces(&at);
	char *end = at.at < at.end && *at.at == '(' ? memchr(at.at, ')', (size_t)(at.end - at.at)) : NULL;
	if (end == NULL || read_process(at.at - 1, end + 1, out) != at.at)
		return;
	scan->at = end + 1;
}

static const char *before_spaces(const char *begin, const char *end)
{
	while (end > begin && line_is_blank(end[-1]))
		end--;
	return end;
}

/*
 * The text before the CPU or the time: "bash-1042", "bash  1042", or "bash 1042/1042", where the second number is
 * the thread.  A thread that perf no longer knows is -1. *digits becomes the place where the number of the thread
 * begins.
 */
static bool read_number(const char *begin, const char *end, struct line_head *out, const char **digits)
{
	end = before_spaces(begin, end);
	end = before_spaces(begin, read_process(begin, end, out));
	const char *at = *digits = digits_before(begin, end);
	struct line_scan scan = { (char *)(uintptr_t)at, (char *)(uintptr_t)end };
	uint64_t pid;
	if (!line_scan_number(&scan, &pid) || pid > INT32_MAX)
		return false;
	out->pid = (int32_t)pid;
	if (at > begin && at[-1] == '/') { /* its process is a number too, or it is the name: kworker/1 */
		*digits = digits_before(begin, at - 1);
		if (*digits == at - 1 || (*digits > begin && !line_is_blank((*digits)[-1])))
			return false;
		take_process(*digits, at - 1, out);
		return true;
	}
	if (at == begin || line_is_blank(at[-1]))
		return true;
	if (at[-1] != '-')
		return false;
	if (pid == 1 && at - 1 > begin && at[-2] == ' ')
		out->pid = LINE_NO_THREAD;
	return true;
}

/* The same, and the name of the thread; "<...>" stands for a name that is not known. */
static bool read_thread(const char *begin, const char *end, struct line_head *out, const char **digits)
{
	static const char none[] = "<...>";
	if (!read_number(begin, end, out, digits))
		return false;
	struct line_scan name = { (char *)(uintptr_t)begin, (char *)(uintptr_t)*digits };
	if (name.end > name.at && name.end[-1] == '-')
		name.end--;
	name.end = (char *)(uintptr_t)before_spaces(name.at, name.end);
	line_scan_spaces(&name);
	const size_t size = (size_t)(name.end - name.at);
	const bool is_none = name.at >= name.end || *name.at == ':' ||
			     (size == strlen(none) && memcmp(name.at, none, size) == 0);
	out->comm = is_none ? NULL : name.at;
	out->comm_size = is_none ? 0 : size;
	return true;
}

/* ---- events ---------------------------------------------------------------------------------------------- */

static bool is_name_byte(char byte)
{
	return (unsigned char)byte > ' ' && byte != '(' && byte != '<' && byte != '=';
}

static bool take_name(struct line_head *out, char *name, size_t size, const struct line_scan *rest)
{
	if (size == 0 || size > LINE_NAME_MAX)
		return false;
	out->name = name;
	out->name_size = size;
	out->text = rest->at;
	out->text_size = (size_t)(rest->end - rest->at);
	out->kind = LINE_EVENT;
	return true;
}

/*
 * "sched_waking: ", "sched:sched_waking: ": the colon that ends it is in front of a space, or of nothing.  Behind
 * the slash of one that a processor counts are its terms: "cpu/event=0xc0,umask=1/u:".
 */
static bool read_name(struct line_scan scan, struct line_head *out)
{
	char *begin = scan.at;
	bool has_terms = false;
	while (scan.at < scan.end && (is_name_byte(*scan.at) || (has_terms && *scan.at == '='))) {
		has_terms |= *scan.at == '/';
		scan.at++;
	}
	if (scan.at == begin || scan.at[-1] != ':')
		return false;
	size_t size = (size_t)(scan.at - begin) - 1;
	out->is_frame = line_has_frame(scan.at, (size_t)(scan.end - scan.at));
	line_scan_spaces(&scan);
	return take_name(out, begin, size, &scan);
}

/*
 * System calls as ftrace writes them if it knows their arguments: "sys_read(fd: 3, buf: 7ffd, count: 10)", and then
 * "sys_read -> 0x10" (kernel/trace/trace_syscalls.c).  The events are sys_enter_read and sys_exit_read: the prefix
 * is written over the text before it, the end of the time.
 */
static bool read_call(struct line_scan scan, struct line_head *out)
{
	static const char prefix[] = "sys_", enter[] = "sys_enter_", exit_[] = "sys_exit_";
	char *begin = scan.at;
	if (!line_scan_word(&scan, prefix))
		return false;
	while (scan.at < scan.end && is_name_byte(*scan.at))
		scan.at++;
	size_t size = (size_t)(scan.at - begin);
	bool is_entry = line_scan_byte(&scan, '(');
	if (!is_entry && !line_scan_word(&scan, " -> "))
		return false;
	if (is_entry && scan.end > scan.at && scan.end[-1] == ')')
		scan.end--;
	const char *whole = is_entry ? enter : exit_;
	size_t more = strlen(whole) - strlen(prefix);
	memcpy(begin - more, whole, strlen(whole));
	return take_name(out, begin - more, size + more, &scan);
}

/* "vfs_read <-ksys_read", "vfs_read(count=5) <-ksys_read", as the tracer of functions has it. */
static bool read_function(struct line_scan scan, struct line_head *out)
{
	static char name[] = "function";
	struct line_scan whole = scan;
	while (scan.at < scan.end && is_name_byte(*scan.at))
		scan.at++;
	char *arrow = scan.at > whole.at && scan.at < scan.end && *scan.at == '('
			      ? memmem(scan.at, (size_t)(scan.end - scan.at), ") <-", 4)
			      : NULL;
	scan.at = arrow != NULL ? arrow + 1 : scan.at;
	return scan.at > whole.at && line_scan_word(&scan, " <-") && take_name(out, name, strlen(name), &whole);
}

/*
 * "SWITCH_CPU_WIDE OUT preempt  next pid/tid:    12/34", "SWITCH IN", as perf script --show-switch-events has
 * them. The latter is of one thread, and says nothing of its CPU.
 */
static bool read_switch(struct line_scan scan, struct line_head *out)
{
	static char whole[] = "perf_switch", leave[] = "perf_leave", come[] = "perf_come";
	int64_t process, thread = -1;
	if (!line_scan_word(&scan, "SWITCH"))
		return false;
	const bool is_wide = line_scan_word(&scan, "_CPU_WIDE");
	line_scan_spaces(&scan);
	const bool is_out = line_scan_word(&scan, "OUT");
	if (!is_out && !line_scan_word(&scan, "IN"))
		return false;
	line_scan_spaces(&scan);
	const bool could_run = line_scan_word(&scan, "preempt");
	line_scan_spaces(&scan);
	if (line_scan_word(&scan, "next pid/tid:") || line_scan_word(&scan, "prev pid/tid:")) {
		line_scan_spaces(&scan);
		if (!line_scan_integer(&scan, &process) || !line_scan_byte(&scan, '/') ||
		    !line_scan_integer(&scan, &thread))
			return false;
	}
	const bool has_next = is_wide && is_out && thread >= 0 && thread <= INT32_MAX;
	char *name = has_next ? whole : is_out ? leave : come;
	const struct line_scan nothing = { scan.end, scan.end };
	out->cpu = is_wide ? out->cpu : LINE_NO_CPU;
	out->has_turn = out->is_record = true;
	out->turn = (struct switch_record){ .cpu = out->cpu,
					    .tid = out->pid >= 0 ? out->pid : -1,
					    .next = has_next ? (int32_t)thread : -1,
					    .is_out = is_out,
					    .could_run = could_run };
	return take_name(out, name, strlen(name), &nothing);
}

/* perf's own records, if it was told to show them. */
static bool read_record(struct line_scan scan, struct line_head *out)
{
	uint64_t count;
	if (!line_scan_word(&scan, "PERF_RECORD_"))
		return false;
	if (read_switch(scan, out))
		return true;
	/*
	 * Those records that say whose a thread is: "FORK(12:13):(1:1)", "COMM exec: bash:12/12", "MMAP2 12/12:
	 * [...".
	 */
	static char made[] = "perf_fork", ended[] = "perf_exit", named[] = "perf_comm", mapped[] = "perf_mmap",
		    mapped2[] = "perf_mmap2";
	static const struct {
		const char *word;
		char *name;
	} rows[] = {
		{ "FORK(", made },        { "EXIT(", ended },    { "COMM: ", named },
		{ "COMM exec: ", named }, { "MMAP2 ", mapped2 }, { "MMAP ", mapped },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && out->name_size == 0; i++) {
		struct line_scan rest = scan;
		if (!line_scan_word(&rest, rows[i].word))
			continue;
		const size_t length = strlen(rows[i].word);
		if (rows[i].word[length - 1] == '(')
			rest.at--;
		take_name(out, rows[i].name, strlen(rows[i].name), &rest);
	}
	out->kind = LINE_RECORD;
	if (!line_scan_word(&scan, "LOST"))
		return true;
	line_scan_word(&scan, "_SAMPLES");
	line_scan_spaces(&scan);
	if (line_scan_word(&scan, "lost ") && line_scan_number(&scan, &count) && count > 0) {
		out->kind = LINE_LOSS;
		out->lost = count;
	}
	return true;
}

/* "(+16200)", how long after the line before, as "trace-cmd report --ts-diff" writes behind the time. */
static void pass_difference(struct line_scan *scan)
{
	struct line_scan at = *scan;
	uint64_t unused;
	line_scan_spaces(&at);
	if (line_scan_word(&at, "(+") && line_scan_number(&at, &unused) && line_scan_byte(&at, ')'))
		*scan = at;
}

/* Whether a line ends here, or in the frame of a sample, as of perf script -F comm,tid,time,ip,sym. */
static bool is_sample(struct line_scan scan)
{
	const bool is_frame = line_has_frame(scan.at, (size_t)(scan.end - scan.at));
	line_scan_spaces(&scan);
	return is_frame || scan.at == scan.end;
}

static bool take_sample(struct line_scan scan, struct line_head *out)
{
	static char samples[] = "samples";
	out->is_frame = line_has_frame(scan.at, (size_t)(scan.end - scan.at));
	line_scan_spaces(&scan);
	take_name(out, samples, strlen(samples), &scan);
	out->kind = LINE_SAMPLE;
	return true;
}

/* What follows the time. */
static bool read_event(struct line_scan scan, struct line_head *out)
{
	pass_difference(&scan);
	if (is_sample(scan))
		return take_sample(scan, out);
	struct line_scan behind = scan;
	line_scan_spaces(&behind);
	/* perf script -F comm,tid,time,period,ip,sym has a period without an event. */
	if (line_scan_number(&behind, &out->period) && (behind.at == behind.end || is_sample(behind))) {
		out->has_period = true;
		return take_sample(behind, out);
	}
	line_scan_spaces(&scan);
	behind = scan;
	if (line_scan_number(&behind, &out->period) && behind.at < behind.end && line_is_blank(*behind.at)) {
		line_scan_spaces(&behind);
		out->has_period = read_name(behind, out);
		if (out->has_period)
			return true;
	}
	if (read_record(scan, out) || read_name(scan, out) || read_call(scan, out) || read_function(scan, out))
		return true;
	if (line_scan_word(&scan, "<stack trace>")) {
		out->kind = LINE_CHAIN;
		return true;
	}
	return false;
}

/* Where the number of a thread stands in a line whose columns are as wide as the tools write them. */
enum { NAME_COLUMNS = 16 };

/* Returns whether the number of the thread begins there, behind a dash or, as perf writes it, in a column. */
static bool is_at_column(const char *begin, const char *digits)
{
	if (digits <= begin + NAME_COLUMNS)
		return false;
	const char *at = begin + NAME_COLUMNS;
	return (*at == '-' && digits == at + 1) || before_spaces(begin, digits) <= at;
}

size_t line_file(const char *line, size_t size, const char **name)
{
	static const char suffix[] = ".dat";
	const size_t suffix_size = strlen(suffix);
	struct line_scan scan = { (char *)(uintptr_t)line, (char *)(uintptr_t)line + size };
	line_scan_spaces(&scan);
	const char *colon = memchr(scan.at, ':', (size_t)(scan.end - scan.at));
	*name = scan.at;
	if (colon == NULL || colon + 1 == scan.end || !line_is_blank(colon[1]) ||
	    (size_t)(colon - scan.at) <= suffix_size || memcmp(colon - suffix_size, suffix, suffix_size) != 0 ||
	    memchr(scan.at, ' ', (size_t)(colon - scan.at)) != NULL)
		return 0;
	return (size_t)(colon - scan.at);
}

/* The next "[003]" with what belongs to it on both sides.  `scan` moves behind it, *rest behind the time. */
static bool find_cpu(const struct line_scan *line, struct line_scan *scan, struct line_head *out,
		     struct line_scan *rest, const char **thread)
{
	uint64_t cpu = 0;
	while (scan->at < scan->end && (scan->at = memchr(scan->at, '[', (size_t)(scan->end - scan->at))) != NULL) {
		const char *bracket = scan->at++;
		*rest = *scan;
		const bool is_none = line_scan_word(rest, "-01"); /* perf does not know it */
		if ((!is_none && (!line_scan_number(rest, &cpu) || cpu > LINE_CPU_MAX)) ||
		    !line_scan_byte(rest, ']') || !line_scan_byte(rest, ' '))
			continue;
		out->cpu = is_none ? LINE_NO_CPU : (int32_t)cpu;
		pass_process(rest, out);
		if (read_flags_and_time(rest, out) && read_thread(line->at, bracket, out, thread))
			return true;
		forget(out);
	}
	scan->at = scan->end;
	return false;
}

/*
 * By the number of its CPU.  The name of a thread may hold what looks like a line, "a-1 [000] 1.0: b", and so may
 * the text of an event: a line whose name is as wide as that column is one.
 */
static bool read_at_cpu(const struct line_scan *line, struct line_head *out)
{
	enum { COLUMNS_MAX = 3 * NAME_COLUMNS }; /* before the CPU, if the name is so wide */
	struct line_scan scan = *line, rest;
	const char *thread;
	if (!find_cpu(line, &scan, out, &rest, &thread))
		return false;
	struct line_scan near = { scan.at, scan.end - line->at > COLUMNS_MAX ? line->at + COLUMNS_MAX : scan.end };
	if (!is_at_column(line->at, thread) && near.at < near.end &&
	    memchr(near.at, '[', (size_t)(near.end - near.at)) != NULL) {
		struct line_head wide = no_head;
		wide.columns = out->columns;
		struct line_scan wide_rest;
		if (find_cpu(line, &scan, &wide, &wide_rest, &thread) && is_at_column(line->at, thread)) {
			*out = wide;
			rest = wide_rest;
		}
	}
	return read_event(rest, out);
}

/*
 * "  bash-1042    3d..2.": the CPU and the flags of the format for latencies, without a space between them
 * (trace_print_lat_fmt() of the kernel, "trace-cmd report -l").
 */
static bool read_latency_columns(const char *begin, const char *end, struct line_head *out)
{
	enum { FLAGS_MIN = 3, FLAGS_MAX = 8 }; /* kernels for real time have seven */
	const char *at = end, *thread;
	while (at > begin && at[-1] != ' ')
		at--;
	struct line_scan scan = { (char *)(uintptr_t)at, (char *)(uintptr_t)end };
	uint64_t cpu;
	if (!line_scan_number(&scan, &cpu))
		return false;
	for (const char *flag = scan.at; flag < end; flag++)
		if (!is_flag_byte(*flag))
			return false;
	if (end - scan.at < FLAGS_MIN || end - scan.at > FLAGS_MAX || cpu > LINE_CPU_MAX ||
	    !read_thread(begin, at, out, &thread) || thread == begin || thread[-1] != '-')
		return false;
	out->cpu = (int32_t)cpu;
	read_context(scan.at, (size_t)(end - scan.at), out);
	return true;
}

/* Returns where the column begins that ends before `end`, which moves to what stands in front of it. */
static const char *column_before(const char *begin, const char **end)
{
	const char *at = *end = before_spaces(begin, *end);
	while (at > begin && !line_is_blank(at[-1]))
		at--;
	*end = at;
	return at;
}

/*
 * "            bash    1042   3 1 00000002 0000000a [7064dbf7b] 30170529.659ms (+0.052ms): ", the format for
 * latencies with the option verbose: thread and CPU, two columns of flags, the number of the line, the time in
 * microseconds, that since the buffer began, and that to the next line (lat_print_timestamp() of the kernel).
 */
static bool read_verbose(const struct line_scan *line, struct line_head *out)
{
	enum { FLAG_COLUMNS = 3 };
	static const char middle[] = "ms (+";
	const char *ms = memmem(line->at, (size_t)(line->end - line->at), middle, strlen(middle)), *thread;
	const char *bracket = ms != NULL ? memrchr(line->at, '[', (size_t)(ms - line->at)) : NULL;
	if (bracket == NULL)
		return false;
	struct line_scan scan = { (char *)(uintptr_t)bracket + 1, line->end };
	uint64_t cpu, us, unused;
	if (!line_scan_hexadecimal(&scan, &us) || !line_scan_word(&scan, "] ") ||
	    __builtin_mul_overflow(us, UINT64_C(1000), &us) || us > INT64_MAX)
		return false;
	scan.at = (char *)(uintptr_t)ms + strlen(middle);
	if (!line_scan_number(&scan, &unused) || !line_scan_byte(&scan, '.') || !line_scan_number(&scan, &unused) ||
	    !line_scan_word(&scan, "ms):"))
		return false;
	for (int i = 0; i < FLAG_COLUMNS; i++)
		column_before(line->at, &bracket);
	const char *cpu_end = before_spaces(line->at, bracket);
	struct line_scan number = { (char *)(uintptr_t)column_before(line->at, &bracket), line->end };
	if (!line_scan_number(&number, &cpu) || number.at != cpu_end || cpu > LINE_CPU_MAX)
		return false;
	forget(out);
	if (!read_thread(line->at, bracket, out, &thread))
		return false;
	out->cpu = (int32_t)cpu;
	out->time = (histree_time)us;
	out->has_time = true;
	return read_event(scan, out);
}

/* "app 101 K    ": what perf script -F +misc has behind the thread says nothing of whose it is. */
static const char *before_misc(const char *begin, const char *end)
{
	enum { MISC_MAX = 5 };
	const char *at = end = before_spaces(begin, end);
	while (at > begin && strchr("KUHGgMESsPp", at[-1]) != NULL)
		at--;
	const char *before = before_spaces(begin, at);
	const bool is_misc =
		at < end && end - at <= MISC_MAX && before < at && before > begin && is_digit(before[-1]);
	return is_misc ? before : end;
}

/* By its time: of perf script where no CPU was recorded, and of the format for latencies. */
static bool read_at_time(const struct line_scan *line, struct line_head *out)
{
	const char *thread;
	struct line_scan scan = *line;
	while ((scan.at = memchr(scan.at, ' ', (size_t)(scan.end - scan.at))) != NULL) {
		const char *space = scan.at;
		line_scan_spaces(&scan);
		forget(out);
		if (read_time(&scan, out) && out->has_time &&
		    (read_latency_columns(line->at, space, out) ||
		     read_thread(line->at, before_misc(line->at, space), out, &thread)))
			return read_event(scan, out);
	}
	return false;
}

/* ---- other lines ----------------------------------------------------------------------------------------- */

/* "CPU:3 [LOST 15 EVENTS]", "CPU:3 [15 EVENTS DROPPED]", also without a number, and behind a time of the log. */
static bool read_loss(struct line_scan scan, struct line_head *out)
{
	uint64_t cpu;
	char *log =
		scan.at < scan.end && *scan.at == '[' ? memchr(scan.at, ']', (size_t)(scan.end - scan.at)) : NULL;
	if (log != NULL) {
		scan.at = log + 1;
		line_scan_spaces(&scan);
	}
	if (!line_scan_word(&scan, "CPU:") || !line_scan_number(&scan, &cpu) || cpu > LINE_CPU_MAX ||
	    !line_scan_word(&scan, " ["))
		return false;
	bool is_loss = line_scan_word(&scan, "LOST ");
	if (line_scan_number(&scan, &out->lost))
		line_scan_byte(&scan, ' ');
	if (!line_scan_word(&scan, "EVENTS") || (!is_loss && !line_scan_word(&scan, " DROPPED")))
		return false;
	out->kind = LINE_LOSS;
	out->cpu = (int32_t)cpu;
	return true;
}

/* "##### CPU 2 buffer started ####" */
static bool read_begin(struct line_scan scan, struct line_head *out)
{
	uint64_t cpu;
	if (!line_scan_word(&scan, "##### CPU ") || !line_scan_number(&scan, &cpu) || cpu > LINE_CPU_MAX ||
	    !line_scan_word(&scan, " buffer started"))
		return false;
	out->kind = LINE_BEGIN;
	out->cpu = (int32_t)cpu;
	return true;
}

/* What trace-cmd report says before the events: "version = 6", "cpus=2", "CPU 1 is empty"; and what atrace does. */
static bool is_preamble(const struct line_scan *line)
{
	static const char *const words[] = { "#",      "version = ",        "cpus=", "CPU ", "trace-cmd: ",
					     "TRACE:", "capturing trace..." };
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct line_scan scan = *line;
		if (line_scan_word(&scan, words[i]))
			return true;
	}
	return false;
}

/* "	ffffffff821f8298 __schedule+0x618 ([kernel.kallsyms])", " => schedule", "=> schedule (ffffffff821f8298)". */
static bool is_chain(struct line_scan scan)
{
	const char *begin = scan.at;
	line_scan_spaces(&scan);
	if (line_scan_word(&scan, "=> "))
		return true;
	if (scan.at == begin)
		return false;
	begin = scan.at;
	while (scan.at < scan.end && line_scan_digit(*scan.at) >= 0)
		scan.at++;
	return scan.at > begin && (scan.at == scan.end || line_is_blank(*scan.at));
}

bool line_begins_dump(const char *line, size_t size)
{
	static const char first[] = "PROCESS DUMP";
	return size == strlen(first) && memcmp(line, first, size) == 0;
}

bool line_dump_read(char *line, size_t size, struct line_head *out)
{
	static char name[] = "process_dump";
	struct line_scan scan = { line, line + size };
	uint64_t number;
	while (scan.at < scan.end && !line_is_blank(*scan.at))
		scan.at++;
	for (int i = 0; i < 2; i++) {
		line_scan_spaces(&scan);
		if (!line_scan_number(&scan, &number) || scan.at == scan.end || !line_is_blank(*scan.at))
			return false;
	}
	line_scan_spaces(&scan);
	struct line_scan rest = scan;
	/* The line of a process has a size here. */
	if (scan.at == scan.end || (line_scan_number(&rest, &number) && rest.at < rest.end))
		return false;
	const struct line_scan whole = { line, line + size };
	*out = no_head;
	return take_name(out, name, strlen(name), &whole);
}

void line_head_read(char *line, size_t size, unsigned columns, struct line_head *out)
{
	struct line_scan whole = { line, line + size }, begin = whole;
	out->columns = columns;
	forget(out);
	line_scan_spaces(&begin);
	if (begin.at == begin.end) {
		out->kind = LINE_COMMENT;
		return;
	}
	if (read_loss(whole, out) || read_begin(whole, out))
		return;
	if (*line != '#' && (read_at_cpu(&whole, out) || read_verbose(&whole, out) || read_at_time(&whole, out)))
		return;
	*out = no_head;
	if (is_preamble(&whole))
		out->kind = LINE_COMMENT;
	else if (is_chain(whole))
		out->kind = LINE_CHAIN;
}
