// SPDX-License-Identifier: MIT
/*
 * segments_pairs.c - pairs: segments that one event begins and another event with the same key ends.
 *
 * An analysis is a table of columns and a table of rows with the events that begin and end; a new analysis adds
 * rows.
 *
 * A key is a field of both events, or empty, within a scope: the thread or the CPU in which they happen, or the
 * machine.  If events were lost within the scope, beginning and end count as unmatched (kernel_segments_end).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/kernel/kernel_layout.h"
#include "analysis/kernel/kernel_segments.h"
#include "base/hash_index.h"
#include "base/words.h"

/* ---- tables -------------------------------------------------------------------------------------------------- */

/* What a number or a text of an event is shown as. */
enum pair_form {
	AS_NUMBER,
	AS_INT,     /* a number of 32 bits */
	AS_TEXT,    /* a number is an address */
	AS_PART,    /* a text; without one, what stands in the event's name where the row's name of it has a star */
	AS_EXIT,    /* why a guest was left */
	AS_LOCK,    /* flags of include/trace/events/lock.h: LCB_F_SPIN and so on */
	AS_IDLE,    /* "C1" */
	AS_SOFTIRQ, /* by number */
	AS_ROW,     /* what the row is about, whatever the event says */
};

enum pair_source { OF_BEGIN, OF_END, OF_THREAD, OF_PROCESS, OF_CPU };

struct pair_column {
	enum pair_source source;
	enum pair_form form;
	const char *field; /* names, with a space between; the first that the event has */
};

/* What a second beginning means while the first one lasts. */
enum pair_again {
	AGAIN_IS_ANOTHER, /* the end of the first is missing */
	AGAIN_IS_THE_SAME,
	AGAIN_ENDS,
};

enum pair_scope { IN_THREAD, ON_CPU, ANYWHERE };

struct pair_row {
	const struct pair_kind *kind;
	const char *what;
	const char *begin, *end; /* names of events, with a space between; one alone may have a star within */
	enum pair_scope scope;
	const char *key; /* names of fields; NULL: the scope is the key */
	/* A field that tells ends from beginnings, where both are one event: it is PWR_EVENT_EXIT, 32 set bits. */
	const char *ends;
	enum pair_again again;
};

enum { COLUMNS_MAX = 7, ROWS_OF_CLASS_MAX = 4 };

struct pair_kind {
	struct kernel_segments_kind segments;    /* which has no handlers */
	struct pair_column columns[COLUMNS_MAX]; /* as the fields of the analysis */
	size_t column_count;
	/*
	 * Its rows behind the first stand in for that one: they count until there is an event of it, and an end of
	 * theirs needs no beginning.
	 */
	bool has_stand_ins;
};

/* An analysis that runs. */
struct pair_segments {
	struct kernel_segments base;
	bool has_first; /* there was an event of the row for which others stand in */
};

static const struct pair_kind guests = {
	.segments.needs =
		"guests: perf record -e 'kvm:*', trace-cmd record -e kvm, or lttng enable-event -k 'kvm_*'",
	.columns = { { OF_END, AS_EXIT, "exit_reason ret" },
		     { OF_BEGIN, AS_NUMBER, "vcpu_id" },
		     { .source = OF_THREAD },
		     { .source = OF_PROCESS },
		     { .source = OF_CPU } },
	.column_count = 5,
};
static const struct pair_kind locks = {
	.segments.needs =
		"waits for locks of the kernel: perf record -e 'lock:contention_*' (Linux 5.19 and later), "
		"or 'lock:*' with lockdep",
	.columns = { { OF_BEGIN, AS_LOCK, "flags name" },
		     { OF_BEGIN, AS_TEXT, "lock_addr lockdep_addr" },
		     { .source = OF_THREAD },
		     { .source = OF_PROCESS },
		     { .source = OF_CPU },
		     { OF_END, AS_NUMBER, "ret" } },
	.column_count = 6,
	.has_stand_ins = true,
};
static const struct pair_kind idle = {
	.segments.needs = "idle states: perf record -e power:cpu_idle, or lttng enable-event -k power_cpu_idle",
	.columns = { { OF_BEGIN, AS_IDLE, "state" },
		     { OF_BEGIN, AS_NUMBER, "state" },
		     { OF_BEGIN, AS_NUMBER, "cpu_id" } },
	.column_count = 3,
};
static const char needs_work[] =
	"work queues: perf record -e 'workqueue:*', or lttng enable-event -k 'workqueue_*'";
static const struct pair_kind queued = {
	.segments.needs = needs_work,
	.columns = { { OF_BEGIN, AS_TEXT, "function" },
		     { OF_BEGIN, AS_TEXT, "work struct" },
		     { OF_BEGIN, AS_TEXT, "workqueue" },
		     { .source = OF_THREAD },
		     { .source = OF_PROCESS },
		     { .source = OF_CPU } },
	.column_count = 6,
};
static const struct pair_kind work = {
	.segments.needs = needs_work,
	.columns = { { OF_BEGIN, AS_TEXT, "function" },
		     { OF_BEGIN, AS_TEXT, "work struct" },
		     { .source = OF_THREAD },
		     { .source = OF_PROCESS },
		     { .source = OF_CPU } },
	.column_count = 5,
};
static const struct pair_kind timers = {
	.segments.needs = "timers that expire: perf record -e 'timer:*', or lttng enable-event -k 'timer_*'",
	.columns = { { OF_BEGIN, AS_TEXT, "function" },
		     { OF_BEGIN, AS_ROW, NULL },
		     { OF_BEGIN, AS_TEXT, "timer hrtimer" },
		     { .source = OF_THREAD },
		     { .source = OF_PROCESS },
		     { .source = OF_CPU } },
	.column_count = 6,
};
static const struct pair_kind raises = {
	.segments.needs =
		"softirqs that are raised: perf record -e 'irq:*', or lttng enable-event -k 'irq_softirq_*'",
	.columns = { { OF_BEGIN, AS_SOFTIRQ, "vec" },
		     { OF_BEGIN, AS_NUMBER, "vec" },
		     { .source = OF_THREAD },
		     { .source = OF_PROCESS },
		     { .source = OF_CPU } },
	.column_count = 5,
};

static const struct pair_kind irqs = {
	.segments.needs = "interrupts: lttng enable-event -k 'irq_handler_*', or perf record -e 'irq:*'",
	.columns = { { OF_BEGIN, AS_PART, "name" }, { OF_BEGIN, AS_INT, "irq vector" }, { .source = OF_CPU } },
	.column_count = 3,
};
static const struct pair_kind softirqs = {
	.segments.needs = "softirqs: lttng enable-event -k 'irq_softirq_*', or perf record -e 'irq:*'",
	.columns = { { OF_BEGIN, AS_SOFTIRQ, "vec" }, { OF_BEGIN, AS_INT, "vec" }, { .source = OF_CPU } },
	.column_count = 3,
};

/*
 * A mutex for which a thread spins before it sleeps has two beginnings and one end (kernel/locking/mutex.c); a
 * softirq that is raised already stays so.
 */
static const struct pair_row rows[] = {
	{ &guests, "guest", "kvm:kvm_entry kvm_x86_entry kvm_entry", "kvm:kvm_exit kvm_x86_exit kvm_exit",
	  IN_THREAD, NULL, NULL, AGAIN_IS_ANOTHER },
	{ &locks, "lock", "lock:contention_begin lock_contention_begin contention_begin",
	  "lock:contention_end lock_contention_end contention_end", IN_THREAD, "lock_addr", NULL,
	  AGAIN_IS_THE_SAME },
	/* Of lockdep (CONFIG_LOCK_STAT): a lock that was free is acquired without having been contended. */
	{ &locks, "lock", "lock:lock_contended lock_contended", "lock:lock_acquired lock_acquired", IN_THREAD,
	  "lockdep_addr", NULL, AGAIN_IS_THE_SAME },
	{ &idle, "idle", "power:cpu_idle power_cpu_idle cpu_idle", "power:cpu_idle power_cpu_idle cpu_idle",
	  ANYWHERE, "cpu_id", "state", AGAIN_ENDS },
	{ &queued, "queued", "workqueue:workqueue_queue_work workqueue_queue_work",
	  "workqueue:workqueue_execute_start workqueue_execute_start", ANYWHERE, "work struct", NULL,
	  AGAIN_IS_ANOTHER },
	{ &work, "work", "workqueue:workqueue_execute_start workqueue_execute_start",
	  "workqueue:workqueue_execute_end workqueue_execute_end", ANYWHERE, "work struct", NULL,
	  AGAIN_IS_ANOTHER },
	{ &timers, "timer", "timer:timer_expire_entry timer_expire_entry",
	  "timer:timer_expire_exit timer_expire_exit", ON_CPU, "timer", NULL, AGAIN_IS_ANOTHER },
	{ &timers, "hrtimer", "timer:hrtimer_expire_entry timer_hrtimer_expire_entry hrtimer_expire_entry",
	  "timer:hrtimer_expire_exit timer_hrtimer_expire_exit hrtimer_expire_exit", ON_CPU, "hrtimer", NULL,
	  AGAIN_IS_ANOTHER },
	{ &raises, "softirq", "irq:softirq_raise irq_softirq_raise softirq_raise",
	  "irq:softirq_entry irq_softirq_entry softirq_entry", ON_CPU, "vec", NULL, AGAIN_IS_THE_SAME },
	{ &softirqs, "handler", "irq:softirq_entry irq_softirq_entry softirq_entry",
	  "irq:softirq_exit irq_softirq_exit softirq_exit", ON_CPU, "vec", NULL, AGAIN_IS_ANOTHER },
	{ &irqs, "line", "irq:irq_handler_entry irq_handler_entry", "irq:irq_handler_exit irq_handler_exit", ON_CPU,
	  "irq", NULL, AGAIN_IS_ANOTHER },
	{ &irqs, "vector", "x86_irq_vectors_*_entry", "x86_irq_vectors_*_exit", ON_CPU, "vector", NULL,
	  AGAIN_IS_ANOTHER },
	{ &irqs, "vector", "irq_vectors:*_entry", "irq_vectors:*_exit", ON_CPU, "vector", NULL, AGAIN_IS_ANOTHER },
};

enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

/* ---- classes of events --------------------------------------------------------------------------------------- */

struct bound_row {
	uint8_t row;
	bool begins, ends;
	uint32_t key, is_end; /* fields */
	uint32_t columns[COLUMNS_MAX];
};

struct bound_class {
	uint32_t own_tid, isa;
	size_t count;
	struct bound_row rows[ROWS_OF_CLASS_MAX];
};

/* Returns what of a name stands for the star of a pattern; an empty text if the name is another one. */
static struct kernel_text part_of(const char *pattern, const char *name)
{
	const size_t before = strcspn(pattern, "*"), size = strlen(name);
	const char *after = pattern[before] == '*' ? pattern + before + 1 : "";
	const size_t around = before + strlen(after);
	if (pattern[before] != '*' || size <= around || strncmp(name, pattern, before) != 0 ||
	    strcmp(name + before + size - around, after) != 0)
		return (struct kernel_text){ 0 };
	return (struct kernel_text){ name + before, size - around };
}

/* An event of CTF 2 may have no name, which is no word. */
static bool has_word(const char *words, const char *word)
{
	if (part_of(words, word).size > 0)
		return true;
	const size_t size = strlen(word);
	for (const char *at = words; size > 0 && (at = strstr(at, word)) != NULL; at += size)
		if ((at == words || at[-1] == ' ') && (at[size] == '\0' || at[size] == ' '))
			return true;
	return false;
}

static uint32_t find_field(const struct event_class *class, const char *words)
{
	for (const char *at = words; at != NULL && *at != '\0';) {
		char name[32];
		const char *end = strchr(at, ' ');
		const int size = (int)(end != NULL ? (size_t)(end - at) : strlen(at));
		snprintf(name, sizeof(name), "%.*s", size, at);
		uint32_t field = event_class_field(class, name);
		if (field != EVENT_NO_FIELD)
			return field;
		at = end != NULL ? end + 1 : NULL;
	}
	return EVENT_NO_FIELD;
}

static const struct pair_kind *kind_of(const struct kernel_segments *segments)
{
	return (const struct pair_kind *)segments->kind;
}

static void bind_row(const struct event_class *class, size_t at, struct bound_class *bound)
{
	const struct pair_row *row = &rows[at];
	struct bound_row *out = &bound->rows[bound->count];
	*out = (struct bound_row){ .row = (uint8_t)at,
				   .begins = has_word(row->begin, class->name),
				   .ends = has_word(row->end, class->name),
				   .key = find_field(class, row->key),
				   .is_end = find_field(class, row->ends) };
	bool lacks = (row->key != NULL && out->key == EVENT_NO_FIELD) ||
		     (row->ends != NULL && out->is_end == EVENT_NO_FIELD);
	if ((!out->begins && !out->ends) || lacks || bound->count == ROWS_OF_CLASS_MAX - 1)
		return;
	for (size_t i = 0; i < row->kind->column_count; i++)
		out->columns[i] = find_field(class, row->kind->columns[i].field);
	bound->count++;
}

static const struct bound_class *bind(struct kernel_segments *segments, const struct event_class *class)
{
	struct bound_class bound = { .own_tid = kernel_layout_own_tid(class),
				     .isa = event_class_field(class, "isa") };
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (rows[i].kind == kind_of(segments))
			bind_row(class, i, &bound);
	return class_table_add(&segments->bindings, class, &bound, sizeof(bound));
}

static bool wants(const void *instance, const struct event_class *class)
{
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (rows[i].kind == kind_of(instance) &&
		    (has_word(rows[i].begin, class->name) || has_word(rows[i].end, class->name)))
			return true;
	return false;
}

/* ---- values -------------------------------------------------------------------------------------------------- */

/* Names of reasons that follow each other. */
struct exit_names {
	uint64_t first;
	const char *names;
};

/* As in arch/x86/include/uapi/asm/vmx.h, without what they begin with. */
static const struct exit_names vmx_exits[] = {
	{ 0, "EXCEPTION_NMI,EXTERNAL_INTERRUPT,TRIPLE_FAULT,INIT_SIGNAL,SIPI_SIGNAL" },
	{ 7, "INTERRUPT_WINDOW,NMI_WINDOW,TASK_SWITCH,CPUID" },
	{ 12, "HLT,INVD,INVLPG,RDPMC,RDTSC" },
	{ 18, "VMCALL,VMCLEAR,VMLAUNCH,VMPTRLD,VMPTRST,VMREAD,VMRESUME,VMWRITE,VMOFF,VMON,CR_ACCESS,"
	      "DR_ACCESS,IO_INSTRUCTION,MSR_READ,MSR_WRITE,INVALID_STATE,MSR_LOAD_FAIL" },
	{ 36, "MWAIT_INSTRUCTION,MONITOR_TRAP_FLAG" },
	{ 39, "MONITOR_INSTRUCTION,PAUSE_INSTRUCTION,MCE_DURING_VMENTRY" },
	{ 43, "TPR_BELOW_THRESHOLD,APIC_ACCESS,EOI_INDUCED,GDTR_IDTR,LDTR_TR,EPT_VIOLATION,"
	      "EPT_MISCONFIG,INVEPT,RDTSCP,PREEMPTION_TIMER,INVVPID,WBINVD,XSETBV,APIC_WRITE,RDRAND,"
	      "INVPCID,VMFUNC,ENCLS,RDSEED,PML_FULL,XSAVES,XRSTORS" },
	{ 67, "UMWAIT,TPAUSE" },
	{ 74, "BUS_LOCK,NOTIFY" },
	{ 0 },
};

/* As the kernel prints them (arch/x86/include/uapi/asm/svm.h): the ones that are often there. */
static const struct exit_names svm_exits[] = {
	{ 0x4e, "PF excp" },   { 0x60, "interrupt,nmi" }, { 0x64, "vintr" },  { 0x6e, "rdtsc" },
	{ 0x72, "cpuid" },     { 0x77, "pause,hlt" },     { 0x7b, "io,msr" }, { 0x7f, "shutdown" },
	{ 0x81, "hypercall" }, { 0x89, "wbinvd" },        { 0x400, "npf" },   { 0 },
};

static struct histree_value text_of(struct kernel_segments *segments, const char *text)
{
	return machine_text(segments->machine, text, strlen(text));
}

static struct histree_value address_of(struct kernel_segments *segments, int64_t number)
{
	char text[24];
	snprintf(text, sizeof(text), "0x%" PRIx64, (uint64_t)number);
	return text_of(segments, text);
}

static struct histree_value exit_of(struct kernel_segments *segments, const struct event *event,
				    const struct bound_class *bound, int64_t number)
{
	enum { VMX = 1, SVM = 2 };
	int64_t isa = VMX;
	char text[32];
	bool says = event_int(event, bound->isa, &isa);
	const uint64_t reason = isa == VMX ? (uint64_t)number & 0xffff : (uint64_t)number;
	for (const struct exit_names *row = isa == SVM ? svm_exits : vmx_exits; says && row->names != NULL; row++) {
		size_t size;
		const char *name = reason >= row->first ? words_at(row->names, reason - row->first, &size) : NULL;
		if (name != NULL)
			return machine_text(segments->machine, name, size);
	}
	snprintf(text, sizeof(text), "exit 0x%" PRIx64, reason);
	return text_of(segments, text);
}

static struct histree_value lock_of(struct kernel_segments *segments, int64_t flags)
{
	static const char *const names[] = { "SPIN", "READ", "WRITE", "RT", "PERCPU", "MUTEX" };
	enum { NAME_COUNT = sizeof(names) / sizeof(names[0]) };
	char text[64] = "";
	for (size_t i = 0; i < NAME_COUNT; i++)
		if ((flags >> i & 1) != 0) {
			size_t size = strlen(text);
			snprintf(text + size, sizeof(text) - size, "%s%s", size > 0 ? "|" : "", names[i]);
		}
	/* Of later kernels. */
	const uint64_t others = (uint64_t)flags >> NAME_COUNT << NAME_COUNT;
	const size_t size = strlen(text);
	if (others != 0)
		snprintf(text + size, sizeof(text) - size, "%s0x%" PRIx64, size > 0 ? "|" : "", others);
	return text_of(segments, text[0] != '\0' ? text : "none");
}

/* By number, as <linux/interrupt.h> has them since Linux 2.6.31; 5 was BLOCK_IOPOLL before 4.5. */
static struct histree_value softirq_of(int32_t number)
{
	static const char *const names[] = { "HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
					     "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU" };
	bool known = number >= 0 && (size_t)number < sizeof(names) / sizeof(names[0]);
	return known ? histree_string(names[number]) : histree_null();
}

static struct histree_value value_of_number(struct kernel_segments *segments, const struct event *event,
					    const struct bound_class *bound, enum pair_form form, int64_t number)
{
	char text[24];
	switch (form) {
	case AS_TEXT:
		return address_of(segments, number);
	case AS_EXIT:
		return exit_of(segments, event, bound, number);
	case AS_LOCK:
		return lock_of(segments, number);
	case AS_IDLE:
		snprintf(text, sizeof(text), "C%" PRId64, number);
		return text_of(segments, text);
	case AS_SOFTIRQ:
		return softirq_of((int32_t)number);
	case AS_INT:
		return histree_int((int32_t)number);
	case AS_NUMBER:
	case AS_PART:
	case AS_ROW:
		break;
	}
	return histree_long(number);
}

static struct histree_value value_of(struct kernel_segments *segments, const struct event *event,
				     const struct bound_class *bound, uint32_t field, enum pair_form form)
{
	int64_t number;
	const char *text;
	size_t size;
	if (event_int(event, field, &number))
		return value_of_number(segments, event, bound, form, number);
	if (form != AS_NUMBER && event_string(event, field, &text, &size))
		return machine_text(segments->machine, text, size);
	return histree_null();
}

/* ---- events -------------------------------------------------------------------------------------------------- */

/* Where an event happens. */
struct pair_place {
	const struct machine_cpu *cpu;
	const struct machine_thread *thread;
};

static bool key_of(const struct event *event, const struct bound_row *bound, const struct pair_place *place,
		   uint64_t *key)
{
	const enum pair_scope scope = rows[bound->row].scope;
	const char *text;
	size_t size;
	int64_t number = 0;
	*key = bound->row;
	if (scope == IN_THREAD && place->thread != NULL && place->thread->tid != 0)
		*key = hash_mix(*key << 32 | (uint32_t)place->thread->tid);
	else if (scope != ANYWHERE && place->cpu != NULL)
		*key = hash_mix((*key | UINT64_C(1) << 16) << 32 | (uint32_t)place->cpu->number);
	else if (scope != ANYWHERE)
		return false;
	if (event_int(event, bound->key, &number))
		*key ^= hash_mix((uint64_t)number);
	else if (event_string(event, bound->key, &text, &size))
		*key ^= hash_bytes(text, size);
	else if (rows[bound->row].key != NULL)
		return false;
	*key = hash_mix(*key);
	return true;
}

static histree_time gap_end_of(const struct kernel_segments *segments, const struct pair_row *row,
			       const struct pair_place *place)
{
	if (row->scope == IN_THREAD && place->thread != NULL)
		return kernel_segments_gap_end(segments, place->thread);
	return row->scope == ON_CPU && place->cpu != NULL ? place->cpu->gap_end : segments->machine->gap_end;
}

/* "x86_irq_vectors_local_timer_entry", "irq_vectors:local_timer_entry": "local_timer". */
static struct histree_value part_in_name(struct kernel_segments *segments, const struct pair_row *row,
					 const char *name)
{
	const struct kernel_text part = part_of(row->begin, name);
	return machine_text(segments->machine, part.bytes, part.size);
}

static void fill(struct kernel_segments *segments, const struct event *event, const struct bound_class *bound,
		 const struct bound_row *row, const struct pair_place *place, enum pair_source at,
		 struct open_segment *segment)
{
	const struct pair_kind *kind = kind_of(segments);
	for (size_t i = 0; i < kind->column_count; i++) {
		const struct pair_column *column = &kind->columns[i];
		struct histree_value *value = &segment->values[i];
		if (column->source == at && column->form == AS_ROW)
			*value = histree_string(rows[row->row].what);
		else if (column->source == at && column->form == AS_PART && row->columns[i] == EVENT_NO_FIELD)
			*value = part_in_name(segments, &rows[row->row], event->class->name);
		else if (column->source == at)
			*value = value_of(segments, event, bound, row->columns[i], column->form);
		else if (at != OF_BEGIN)
			continue;
		else if (column->source == OF_THREAD && place->thread != NULL)
			*value = histree_int(place->thread->tid);
		else if (column->source == OF_PROCESS)
			*value = machine_thread_name(place->thread);
		else if (column->source == OF_CPU && place->cpu != NULL)
			*value = histree_int(place->cpu->number);
	}
}

static void end_pair(struct kernel_segments *segments, const struct event *event, const struct bound_class *bound,
		     const struct bound_row *row, const struct pair_place *place, struct open_segment *segment)
{
	fill(segments, event, bound, row, place, OF_END, segment);
	kernel_segments_end(segments, segment, event->time, gap_end_of(segments, &rows[row->row], place));
}

/* Whether it is of a row that stands in for the one before it. */
static bool is_stand_in(const struct bound_row *row)
{
	return row->row > 0 && rows[row->row].kind->has_stand_ins && rows[row->row - 1].kind == rows[row->row].kind;
}

static void on_row(struct kernel_segments *segments, const struct event *event, const struct bound_class *bound,
		   const struct bound_row *row)
{
	int64_t tid;
	struct pair_place place = { .cpu = machine_cpu(segments->machine, event->cpu) };
	if (event_int(event, bound->own_tid, &tid) && tid >= 0)
		place.thread = machine_thread(segments->machine, (int32_t)tid);
	else if (place.cpu != NULL)
		place.thread = place.cpu->thread;
	uint64_t key;
	if (!key_of(event, row, &place, &key))
		return;
	bool begins = row->begins, ends = row->ends;
	int64_t state;
	if (rows[row->row].ends != NULL) {
		bool is_end = event_int(event, row->is_end, &state) && (uint32_t)state == UINT32_MAX;
		begins = begins && !is_end;
		ends = ends && is_end;
	}
	segments->has_events = true;
	struct pair_segments *pairs = (struct pair_segments *)segments;
	const bool stands_in = is_stand_in(row);
	struct open_segment *segment = ends && stands_in ? open_segments_find(&segments->open, key)
				       : ends            ? kernel_segments_ending(segments, key)
							 : NULL;
	pairs->has_first |= !stands_in;
	if (stands_in && pairs->has_first) {
		if (segment != NULL)
			open_segments_remove(&segments->open, segment);
		return;
	}
	if (segment != NULL)
		end_pair(segments, event, bound, row, &place, segment);
	if (begins) {
		segment = open_segments_find(&segments->open, key);
		const enum pair_again again = rows[row->row].again;
		if (segment != NULL && again == AGAIN_ENDS)
			end_pair(segments, event, bound, row, &place, segment);
		if (segment == NULL || again != AGAIN_IS_THE_SAME)
			segment = kernel_segments_begin(segments, key, event->time);
		if (segment != NULL)
			fill(segments, event, bound, row, &place, OF_BEGIN, segment);
	}
}

static enum histree_status on_event(void *instance, const struct event *event, struct histree_error *error)
{
	struct kernel_segments *segments = instance;
	const struct bound_class *bound = class_table_find(&segments->bindings, event->class);
	if (bound == NULL)
		bound = bind(segments, event->class);
	if (bound == NULL)
		kernel_segments_no_memory(segments);
	for (size_t i = 0; bound != NULL && i < bound->count && segments->status == HISTREE_OK; i++)
		on_row(segments, event, bound, &bound->rows[i]);
	if (segments->status != HISTREE_OK && error != NULL)
		*error = segments->error;
	return segments->status;
}

/*
 * Contradictory switches leave in doubt which thread ran where; pairs with the scope of the machine are not
 * affected.
 */
static void missing(const void *instance, char *text, size_t size)
{
	const struct kernel_segments *segments = instance;
	bool is_of_machine = true;
	for (size_t i = 0; i < ROW_COUNT; i++)
		is_of_machine = is_of_machine && (rows[i].kind != kind_of(segments) || rows[i].scope == ANYWHERE);
	*text = '\0';
	if (!segments->has_events || !is_of_machine)
		kernel_segments_missing(segments, text, size);
}

/* ---- analyses ------------------------------------------------------------------------------------------------ */

#define NAME "name", HISTREE_STRING
#define THREAD                                                 \
	{ "tid", HISTREE_INT }, { "process", HISTREE_STRING }, \
	{                                                      \
		"cpu", HISTREE_INT                             \
	}

/* The analysis NAME_ is of the kind KIND; its fields follow. */
#define PAIRS(KIND, SYMBOL, NAME_, VERSION, SUMMARY, ...)                                      \
	static const struct histree_segment_field KIND##_fields[] = { { NAME }, __VA_ARGS__ }; \
	const struct segment_analysis segment_analysis_##SYMBOL = {                            \
		.name = NAME_,                                                                 \
		.version = VERSION,                                                            \
		.summary = SUMMARY,                                                            \
		.fields = KIND##_fields,                                                       \
		.field_count = sizeof(KIND##_fields) / sizeof(KIND##_fields[0]),               \
		.input = &kernel_input_kind,                                                   \
		.applies = kernel_input_knows,                                                 \
		.kind = &KIND.segments,                                                        \
		.size = sizeof(struct pair_segments),                                          \
		.begin = kernel_segments_start,                                                \
		.wants = wants,                                                                \
		.event = on_event,                                                             \
		.counts = kernel_segments_counts,                                              \
		.is_empty = kernel_segments_is_empty,                                          \
		.missing = missing,                                                            \
		.free = kernel_segments_free,                                                  \
	}

PAIRS(guests, guest_runs, "guest-runs", 1, "how long virtual CPUs ran their guests, and why they left",
      { "vcpu", HISTREE_LONG }, THREAD);
PAIRS(locks, locks, "locks", 2, "how long threads waited for locks of the kernel", { "lock", HISTREE_STRING },
      THREAD, { "return", HISTREE_LONG });
PAIRS(idle, idle_states, "idle-states", 1, "how long CPUs were in each idle state", { "state", HISTREE_LONG },
      { "cpu", HISTREE_LONG });
PAIRS(queued, work_queued, "work-queued", 1, "how long work waited in work queues of the kernel",
      { "work", HISTREE_STRING }, { "workqueue", HISTREE_STRING }, THREAD);
PAIRS(work, work, "work", 1, "work of the kernel's work queues, from its start to its end",
      { "work", HISTREE_STRING }, THREAD);
PAIRS(timers, timers, "timers", 1, "functions of timers that expired, from entry to exit",
      { "kind", HISTREE_STRING }, { "timer", HISTREE_STRING }, THREAD);
PAIRS(raises, softirq_raises, "softirq-raises", 1,
      "how long softirqs waited, from when they were raised to their entry", { "vec", HISTREE_LONG }, THREAD);
PAIRS(irqs, irqs, "irqs", 3, "interrupt handlers, from entry to exit", { "irq", HISTREE_INT },
      { "cpu", HISTREE_INT });
PAIRS(softirqs, softirqs, "softirqs", 3, "softirqs, from entry to exit", { "vec", HISTREE_INT },
      { "cpu", HISTREE_INT });
