// SPDX-License-Identifier: MIT
/*
 * line_shape.c - a table of the shapes in which the kernel prints its events, and the matching of a text with a
 * shape.
 *
 * The table has the events whose fields cannot be found from "name=value" alone: events with texts that may contain
 * spaces, and events whose text differs from their fields.  If an event has several shapes, the first that matches
 * is used; "trace-cmd report" and perf print some events in the shape of a plugin of libtraceevent.
 */
#include "trace/lines/line_shape.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "text/text_table.h"
#include "trace/lines/line_text.h"

/* ---- line shape ---------------------------------------------------------------------------------------------- */

/* ---- words to steps -------------------------------------------------------------------------------------- */

static enum shape_kind kind_of(const char *word, size_t size)
{
	static const struct {
		const char *word;
		enum shape_kind kind;
	} kinds[] = { { "", SHAPE_NUMBER },     { "hex", SHAPE_HEX },   { "text", SHAPE_TEXT },
		      { "state", SHAPE_STATE }, { "bits", SHAPE_BITS }, { "device", SHAPE_DEVICE } };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i].word) == size && memcmp(kinds[i].word, word, size) == 0)
			return kinds[i].kind;
	return SHAPE_END;
}

bool line_shape_make(struct line_shape *shape, const char *words, struct arena *memory)
{
	struct shape_step *step = shape->steps;
	const char *at = words, *open;
	*shape = (struct line_shape){ 0 };
	for (; (open = strchr(at, '{')) != NULL; step++) {
		const char *close = strchr(open, '}');
		const char *colon = memchr(open, ':', (size_t)(close - open));
		const char *name_end = colon != NULL ? colon : close, *kind = colon != NULL ? colon + 1 : close;
		size_t name_size = (size_t)(name_end - open) - 1;
		assert(step < shape->steps + SHAPE_FIELDS_MAX);
		*step = (struct shape_step){ at, (size_t)(open - at), kind_of(kind, (size_t)(close - kind)), -1 };
		assert(step->kind != SHAPE_END);
		if (name_size > 0) {
			const char *name = arena_copy(memory, open + 1, name_size);
			if (name == NULL)
				return false;
			step->column = shape->field_count;
			shape->fields[shape->field_count] = name;
			shape->sizes[shape->field_count++] = name_size;
		}
		at = close + 1;
	}
	*step = (struct shape_step){ at, strlen(at), SHAPE_END, -1 };
	return true;
}

/* ---- values ---------------------------------------------------------------------------------------------- */

/*
 * The letters of task states as bits of Linux 4.14 and later: those of TASK_REPORT in include/linux/sched.h, and
 * TASK_WAKING and TASK_NOLOAD, which occur only with a sleep state.  A modifier says how the thread sleeps, "D|K";
 * it counts as a state only if it is alone.
 */
struct state_letter {
	char letter;
	bool is_modifier;
	int64_t bits;
};

/*
 * What the kernel prints.  Before 4.14: x for TASK_DEAD, K for TASK_WAKEKILL (W, before 3.9), W for TASK_WAKING, N
 * for TASK_NOLOAD and n for TASK_NEW.
 */
static const struct state_letter kernel_letters[] = {
	{ 'R', false, 0 },    { 'S', false, 0x01 }, { 'D', false, 0x02 }, { 'T', false, 0x04 },
	{ 't', false, 0x08 }, { 'X', false, 0x10 }, { 'x', false, 0x10 }, { 'Z', false, 0x20 },
	{ 'P', false, 0x40 }, { 'I', false, 0x80 }, { 'K', true, 0x02 },  { 'W', true, 0x200 },
	{ 'N', true, 0x402 }, { 'n', true, 0 },     { 0, false, 0 },
};

/*
 * libtraceevent has a letter for each of the lowest eight bits, "SDTtZXxW" at first, whichever kernel it was, and
 * "SDTtXZPI" by now: its W is TASK_WAKEKILL, which is never alone, or what idles.
 */
static const struct state_letter plugin_letters[] = {
	{ 'R', false, 0 },    { 'S', false, 0x01 }, { 'D', false, 0x02 }, { 'T', false, 0x04 },
	{ 't', false, 0x08 }, { 'X', false, 0x10 }, { 'x', false, 0x10 }, { 'Z', false, 0x20 },
	{ 'P', false, 0x40 }, { 'I', false, 0x80 }, { 'W', true, 0x80 },  { 0, false, 0 },
};

/*
 * A letter; the number itself, as raw fields are printed; or what a kernel had no letter for, "0x800", which is
 * nothing that is known.
 */
static bool read_letter(struct line_scan *scan, const struct state_letter *letters, int64_t *states, int64_t *alone)
{
	enum { KNOWN = 0x1ff };
	int64_t number;
	if (scan->at == scan->end)
		return false;
	for (; letters->letter != 0; letters++)
		if (letters->letter == *scan->at) {
			*(letters->is_modifier ? alone : states) |= letters->bits;
			scan->at++;
			return true;
		}
	if (!line_scan_integer(scan, &number))
		return false;
	*states |= (number & ~KNOWN) == 0 ? number : 0;
	return true;
}

static bool is_letter(char byte)
{
	return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

static bool read_state(struct line_scan *scan, const struct state_letter *letters, int64_t *out)
{
	enum { PREEMPTED = 0x100 };
	struct line_scan at = *scan;
	int64_t states = 0, alone = 0;
	do {
		if (!read_letter(&at, letters, &states, &alone))
			return false;
	} while (line_scan_byte(&at, '|') || (at.at < at.end && is_letter(*at.at))); /* "D|K", "DK" */
	*out = states != 0 ? states : alone;
	if (line_scan_byte(&at, '+'))
		*out |= PREEMPTED;
	*scan = at;
	return true;
}

static bool read_device(struct line_scan *scan, int64_t *out)
{
	enum { MINOR_BITS = 20 };
	struct line_scan at = *scan;
	uint64_t major, minor;
	if (!line_scan_number(&at, &major) || !line_scan_byte(&at, ',') || !line_scan_number(&at, &minor) ||
	    major >= 1U << (32 - MINOR_BITS) || minor >= 1U << MINOR_BITS)
		return false;
	*out = (int64_t)(major << MINOR_BITS | minor);
	*scan = at;
	return true;
}

/* A value that is no text. */
static bool read_value(struct line_scan *scan, enum shape_kind kind, struct text_cell *cell)
{
	uint64_t number = 0;
	bool is = false;
	*cell = (struct text_cell){ .kind = TEXT_INTEGER };
	switch (kind) {
	case SHAPE_NUMBER:
		is = line_scan_integer(scan, &cell->integer);
		break;
	case SHAPE_HEX:
		line_scan_word(scan, "0x");
		is = line_scan_hexadecimal(scan, &number);
		cell->integer = (int64_t)number;
		break;
	case SHAPE_STATE:
		is = read_state(scan, kernel_letters, &cell->integer);
		break;
	case SHAPE_BITS:
		is = read_state(scan, plugin_letters, &cell->integer);
		break;
	case SHAPE_DEVICE:
		is = read_device(scan, &cell->integer);
		break;
	case SHAPE_TEXT:
	case SHAPE_END:
		break;
	}
	return is;
}

/* ---- matching -------------------------------------------------------------------------------------------- */

/* Match steps up to the next text, or the end.  Returns that step, NULL if they do not fit. */
static const struct shape_step *match_run(const struct shape_step *step, struct line_scan *scan,
					  struct text_cell *cells)
{
	for (;; step++) {
		struct text_cell unused;
		struct line_scan at = *scan;
		for (size_t i = 0; i < step->before_size; i++) {
			if (step->before[i] == ' ') {
				if (at.at < at.end && *at.at != ' ')
					return NULL;
				line_scan_spaces(&at);
			} else if (!line_scan_byte(&at, step->before[i])) {
				return NULL;
			}
		}
		*scan = at;
		if (step->kind == SHAPE_TEXT || step->kind == SHAPE_END)
			return step;
		if (!read_value(scan, step->kind, step->column < 0 ? &unused : &cells[step->column]))
			return NULL;
	}
}

/* A text ends where what follows it fits; the last one at the end of the line. */
static const struct shape_step *match_text(const struct shape_step *step, struct line_scan *scan,
					   struct text_cell *cells)
{
	const struct shape_step *behind = step + 1;
	bool is_last = behind->kind == SHAPE_END && behind->before_size == 0;
	for (char *end = is_last ? scan->end : scan->at; end <= scan->end; end++) {
		struct line_scan rest = { end, scan->end };
		const struct shape_step *next = match_run(behind, &rest, cells);
		if (next == NULL)
			continue;
		if (step->column >= 0)
			cells[step->column] = (struct text_cell){ .kind = TEXT_STRING,
								  .bytes = scan->at,
								  .size = (size_t)(end - scan->at) };
		*scan = rest;
		return next;
	}
	return NULL;
}

bool line_shape_match(const struct line_shape *shape, char *text, size_t size, struct text_cell *cells)
{
	struct line_scan scan = { text, text + size };
	while (scan.end > scan.at && scan.end[-1] == ' ')
		scan.end--;
	const struct shape_step *step = match_run(shape->steps, &scan, cells);
	while (step != NULL && step->kind == SHAPE_TEXT)
		step = match_text(step, &scan, cells);
	return step != NULL;
}

/* ---- shape table --------------------------------------------------------------------------------------------- */

#define THREAD "comm={comm:text} pid={pid} prio={prio}"
#define REQUEST "{sector} + {nr_sector}"
#define ENTERED "({reason:text})"
#define ALLOCATED                                                                                   \
	"call_site={call_site:text} ptr={ptr:hex} bytes_req={bytes_req} bytes_alloc={bytes_alloc} " \
	"gfp_flags={gfp_flags:text}"
#define FREED "call_site={call_site:text} ptr={ptr:hex}"
#define PACKET "dev={name:text} skbaddr={skbaddr:hex} len={len}"
#define VECTOR(name)                                           \
	{ "irq_vectors:" name "_entry", "vector={vector}" },   \
	{                                                      \
		"irq_vectors:" name "_exit", "vector={vector}" \
	}
/* Those that begin with "task", and handlers and actions without brackets, are of kernels before 2.6.35. */
static const struct shape_row rows[] = {
	{ "sched:sched_switch", "prev_comm={prev_comm:text} prev_pid={prev_pid} prev_prio={prev_prio} "
				"prev_state={prev_state:state} ==> "
				"next_comm={next_comm:text} next_pid={next_pid} next_prio={next_prio}" },
	{ "sched:sched_switch", "{prev_comm:text}:{prev_pid} [{prev_prio}] {prev_state:bits} ==> "
				"{next_comm:text}:{next_pid} [{next_prio}]" },
	{ "sched:sched_switch", "task {prev_comm:text}:{prev_pid} [{prev_prio}] ({prev_state:state}) ==> "
				"{next_comm:text}:{next_pid} [{next_prio}]" },
	{ "sched:sched_wakeup", THREAD " target_cpu={target_cpu}" },
	{ "sched:sched_wakeup", THREAD " success={success} target_cpu={target_cpu}" },
	{ "sched:sched_wakeup", "{comm:text}:{pid} [{prio}] success={success} CPU:{target_cpu}" },
	{ "sched:sched_wakeup", "{comm:text}:{pid} [{prio}] CPU:{target_cpu}" },
	{ "sched:sched_wakeup", "{comm:text}:{pid} [{prio}]<CANT FIND FIELD success> CPU:{target_cpu}" },
	{ "sched:sched_wakeup", "task {comm:text}:{pid} [{prio}] success={success} [{target_cpu}]" },
	{ "sched:sched_wakeup_new", THREAD " target_cpu={target_cpu}" },
	{ "sched:sched_wakeup_new", THREAD " success={success} target_cpu={target_cpu}" },
	{ "sched:sched_wakeup_new", "{comm:text}:{pid} [{prio}] success={success} CPU:{target_cpu}" },
	{ "sched:sched_wakeup_new", "{comm:text}:{pid} [{prio}] CPU:{target_cpu}" },
	{ "sched:sched_wakeup_new", "{comm:text}:{pid} [{prio}]<CANT FIND FIELD success> CPU:{target_cpu}" },
	{ "sched:sched_wakeup_new", "task {comm:text}:{pid} [{prio}] success={success} [{target_cpu}]" },
	{ "sched:sched_waking", THREAD " target_cpu={target_cpu}" },
	{ "sched:sched_waking", THREAD " success={success} target_cpu={target_cpu}" },
	{ "sched:sched_waking", "{comm:text}:{pid} [{prio}] success={success} CPU:{target_cpu}" },
	{ "sched:sched_waking", "{comm:text}:{pid} [{prio}] CPU:{target_cpu}" },
	{ "sched:sched_waking", "{comm:text}:{pid} [{prio}]<CANT FIND FIELD success> CPU:{target_cpu}" },
	{ "sched:sched_migrate_task", THREAD " orig_cpu={orig_cpu} dest_cpu={dest_cpu}" },
	{ "sched:sched_migrate_task", "task {comm:text}:{pid} [{prio}] from: {orig_cpu} to: {dest_cpu}" },
	{ "sched:sched_pi_setprio", "comm={comm:text} pid={pid} oldprio={oldprio} newprio={newprio}" },
	{ "sched:sched_process_fork", "comm={parent_comm:text} pid={parent_pid} "
				      "child_comm={child_comm:text} child_pid={child_pid}" },
	{ "sched:sched_process_fork",
	  "parent {parent_comm:text}:{parent_pid} child {child_comm:text}:{child_pid}" },
	{ "sched:sched_process_exec", "filename={filename:text} pid={pid} old_pid={old_pid}" },
	{ "sched:sched_process_exit", THREAD " group_dead={group_dead:text}" },
	{ "sched:sched_process_exit", THREAD },
	{ "sched:sched_process_exit", "task {comm:text}:{pid} [{prio}]" },
	{ "sched:sched_process_free", THREAD },
	{ "sched:sched_process_wait", THREAD },
	{ "sched:sched_wait_task", THREAD },
	{ "sched:sched_process_hang", "comm={comm:text} pid={pid}" },
	{ "sched:sched_kthread_stop", "comm={comm:text} pid={pid}" },
	{ "sched:sched_stat_runtime",
	  "comm={comm:text} pid={pid} runtime={runtime} [ns] vruntime={vruntime} [ns]" },
	{ "sched:sched_stat_runtime", "comm={comm:text} pid={pid} runtime={runtime} [ns]" },
	{ "sched:sched_stat_wait", "comm={comm:text} pid={pid} delay={delay} [ns]" },
	{ "sched:sched_stat_sleep", "comm={comm:text} pid={pid} delay={delay} [ns]" },
	{ "sched:sched_stat_iowait", "comm={comm:text} pid={pid} delay={delay} [ns]" },
	{ "sched:sched_stat_blocked", "comm={comm:text} pid={pid} delay={delay} [ns]" },
	{ "sched:sched_prepare_exec", "interp={interp:text} filename={filename:text} pid={pid} comm={comm:text}" },

	{ "irq:irq_handler_entry", "irq={irq} name={name:text}" },
	{ "irq:irq_handler_entry", "irq={irq} handler={name:text}" },
	{ "irq:irq_handler_exit", "irq={irq} ret={ret:text}" },
	{ "irq:irq_handler_exit", "irq={irq} return={ret:text}" },
	{ "irq:softirq_raise", "vec={vec} [action={:text}]" },
	{ "irq:softirq_entry", "vec={vec} [action={:text}]" },
	{ "irq:softirq_entry", "softirq={vec} action={:text}" },
	{ "irq:softirq_exit", "vec={vec} [action={:text}]" },
	{ "irq:softirq_exit", "softirq={vec} action={:text}" },
	VECTOR("local_timer"),
	VECTOR("reschedule"),
	VECTOR("call_function"),
	VECTOR("call_function_single"),
	VECTOR("irq_work"),
	VECTOR("x86_platform_ipi"),
	VECTOR("thermal_apic"),
	VECTOR("threshold_apic"),
	VECTOR("deferred_error_apic"),
	VECTOR("error_apic"),
	VECTOR("spurious_apic"),
	{ "irq:tasklet_entry", "tasklet={tasklet} function={func:text}" },
	{ "irq:tasklet_exit", "tasklet={tasklet} function={func:text}" },

	{ "power:cpu_frequency", "state={state} cpu_id={cpu_id}" },
	{ "power:cpu_idle", "state={state} cpu_id={cpu_id}" },

	{ "raw_syscalls:sys_enter", "NR {id} ({args:text})" },
	{ "raw_syscalls:sys_exit", "NR {id} = {ret}" },

	{ "block:block_rq_insert", "{dev:device} {rwbs:text} {bytes} ({cmd:text}) " REQUEST },
	{ "block:block_rq_issue", "{dev:device} {rwbs:text} {bytes} ({cmd:text}) " REQUEST },
	{ "block:block_rq_merge", "{dev:device} {rwbs:text} {bytes} ({cmd:text}) " REQUEST },
	{ "block:block_io_start", "{dev:device} {rwbs:text} {bytes} ({cmd:text}) " REQUEST },
	{ "block:block_io_done", "{dev:device} {rwbs:text} {bytes} ({cmd:text}) " REQUEST },
	{ "block:block_rq_complete", "{dev:device} {rwbs:text} ({cmd:text}) " REQUEST " [{error}]" },
	{ "block:block_rq_complete", "{dev:device} {rwbs:text} ({cmd:text}) " REQUEST " {:text} [{error}]" },
	{ "block:block_rq_requeue", "{dev:device} {rwbs:text} ({cmd:text}) " REQUEST },
	{ "block:block_rq_error", "{dev:device} {rwbs:text} ({cmd:text}) " REQUEST },
	{ "block:block_bio_queue", "{dev:device} {rwbs:text} " REQUEST " [{comm:text}]" },
	{ "block:block_bio_complete", "{dev:device} {rwbs:text} " REQUEST " [{error}]" },
	{ "block:block_bio_backmerge", "{dev:device} {rwbs:text} " REQUEST " [{comm:text}]" },
	{ "block:block_bio_frontmerge", "{dev:device} {rwbs:text} " REQUEST " [{comm:text}]" },
	{ "block:block_getrq", "{dev:device} {rwbs:text} " REQUEST " [{comm:text}]" },
	{ "block:block_split", "{dev:device} {rwbs:text} {sector} / {new_sector} [{comm:text}]" },
	{ "block:block_touch_buffer", "{dev:device} sector={sector} size={size}" },
	{ "block:block_dirty_buffer", "{dev:device} sector={sector} size={size}" },
	{ "block:block_plug", "[{comm:text}]" },
	{ "block:block_unplug", "[{comm:text}] {nr_rq}" },

	{ "block:block_bio_remap", "{dev:device} {rwbs:text} " REQUEST " <- ({old_dev:device}) {old_sector}" },
	{ "block:block_rq_remap",
	  "{dev:device} {rwbs:text} " REQUEST " <- ({old_dev:device}) {old_sector} {nr_bios}" },

	{ "kmem:kmalloc", ALLOCATED " node={node} accounted={accounted:text}" },
	{ "kmem:kmalloc", ALLOCATED },
	{ "kmem:kmalloc_node", ALLOCATED " node={node}" },
	{ "kmem:kmem_cache_alloc", ALLOCATED " node={node} accounted={accounted:text}" },
	{ "kmem:kmem_cache_alloc", ALLOCATED },
	{ "kmem:kmem_cache_alloc_node", ALLOCATED " node={node}" },
	{ "kmem:kfree", FREED },
	{ "kmem:kmem_cache_free", FREED " name={name:text}" },
	{ "kmem:kmem_cache_free", FREED },
	{ "kmem:mm_page_alloc", "page={page:hex} pfn={pfn} order={order} migratetype={migratetype} "
				"gfp_flags={gfp_flags:text}" },
	{ "kmem:mm_page_free", "page={page:hex} pfn={pfn} order={order}" },
	{ "kmem:mm_page_free_batched", "page={page:hex} pfn={pfn} order={order}" },

	{ "net:net_dev_queue", PACKET },
	{ "net:net_dev_xmit", PACKET " rc={rc}" },
	{ "net:netif_receive_skb", PACKET },
	{ "net:netif_rx", PACKET },
	{ "skb:kfree_skb", "skbaddr={skbaddr:hex} rx_sk={rx_sk:hex} protocol={protocol} location={location:text} "
			   "reason: {reason:text}" },
	{ "skb:kfree_skb",
	  "skbaddr={skbaddr:hex} protocol={protocol} location={location:text} reason: {reason:text}" },
	{ "skb:kfree_skb", "skbaddr={skbaddr:hex} protocol={protocol} location={location:text}" },
	{ "skb:consume_skb", "skbaddr={skbaddr:hex} location={location:text}" },
	{ "skb:consume_skb", "skbaddr={skbaddr:hex}" },
	{ "skb:skb_copy_datagram_iovec", "skbaddr={skbaddr:hex} len={len}" },

	{ "ipi:ipi_entry", ENTERED },
	{ "ipi:ipi_exit", ENTERED },
	{ "ipi:ipi_raise", "target_mask={target_cpus:text} ({reason:text})" },

	{ "workqueue:workqueue_queue_work",
	  "work struct={work:hex} function={function:text} workqueue={workqueue:text} "
	  "req_cpu={req_cpu} cpu={cpu}" },
	{ "workqueue:workqueue_activate_work", "work struct {work:hex} function={function:text}" },
	{ "workqueue:workqueue_activate_work", "work struct {work:hex}" },
	{ "workqueue:workqueue_execute_start", "work struct {work:hex}: function {function:text}" },
	{ "workqueue:workqueue_execute_end", "work struct {work:hex}: function {function:text}" },
	{ "workqueue:workqueue_execute_end", "work struct {work:hex}" },

	{ "timer:timer_start", "timer={timer:hex} function={function:text} expires={expires} [timeout={:text}]" },
	{ "timer:timer_expire_entry", "timer={timer:hex} function={function:text} now={now} baseclk={baseclk}" },
	{ "timer:timer_expire_entry", "timer={timer:hex} function={function:text} now={now}" },
	{ "timer:timer_expire_entry", "timer={timer:hex} now={now}" },
	{ "timer:timer_expire_exit", "timer={timer:hex}" },
	{ "timer:timer_cancel", "timer={timer:hex}" },
	{ "timer:hrtimer_expire_entry", "hrtimer={hrtimer:hex} function={function:text} now={now}" },
	{ "timer:hrtimer_expire_entry", "hrtimer={hrtimer:hex} now={now}" },
	{ "timer:hrtimer_expire_exit", "hrtimer={hrtimer:hex}" },
	{ "timer:hrtimer_cancel", "hrtimer={hrtimer:hex}" },
	{ "timer:hrtimer_start", "hrtimer={hrtimer:hex} function={function:text} expires={expires} "
				 "softexpires={softexpires} mode={mode:text}" },

	{ "kvm:kvm_entry", "vcpu {vcpu_id}, rip {rip}" },
	{ "kvm:kvm_entry", "vcpu {vcpu_id}" },
	{ "kvm:kvm_entry", "PC: {vcpu_pc}" },
	{ "kvm:kvm_exit", "vcpu {vcpu_id} reason {exit_reason:text} rip {guest_rip}" },
	{ "kvm:kvm_exit", "reason {exit_reason:text} rip {guest_rip}" },
	{ "kvm:kvm_exit", "reason {exit_reason:text}" },
	{ "kvm:kvm_exit", "{exit_reason:text}: HSR_EC: {esr_ec} ({:text}), PC: {vcpu_pc}" },
	{ "kvm:kvm_exit", "SEPC:{guest_rip}, SCAUSE:{exit_reason:text}, STVAL:{stval}" },

	{ "lock:contention_begin", "{lock_addr:hex} (flags={flags:text})" },
	{ "lock:contention_end", "{lock_addr:hex} (ret={ret})" },
	{ "lock:lock_contended", "{lockdep_addr:hex} {name:text}" },
	{ "lock:lock_acquired", "{lockdep_addr:hex} {name:text}" },
	{ "lock:lock_release", "{lockdep_addr:hex} {name:text}" },

	{ "signal:signal_generate", "sig={sig} errno={errno} code={code} comm={comm:text} pid={pid} grp={group} "
				    "res={result}" },
	{ "signal:signal_deliver", "sig={sig} errno={errno} code={code} sa_handler={sa_handler:hex} "
				   "sa_flags={sa_flags:hex}" },
	{ "filemap:mm_filemap_add_to_page_cache",
	  "dev {s_dev:text} ino {i_ino:hex} pfn={pfn:hex} ofs={ofs} order={order}" },
	{ "filemap:mm_filemap_add_to_page_cache",
	  "dev {s_dev:text} ino {i_ino:hex} page={:text} pfn={pfn} ofs={ofs}" },
	{ "filemap:mm_filemap_delete_from_page_cache",
	  "dev {s_dev:text} ino {i_ino:hex} pfn={pfn:hex} ofs={ofs} order={order}" },
	{ "filemap:mm_filemap_delete_from_page_cache",
	  "dev {s_dev:text} ino {i_ino:hex} page={:text} pfn={pfn} ofs={ofs}" },
	{ "filemap:mm_filemap_fault", "dev={s_dev:text} ino={i_ino:hex} ofs={ofs}" },
	{ "rcu:rcu_grace_period", "{rcuname:text} {gp_seq} {gpevent:text}" },
	{ "rcu:rcu_exp_grace_period", "{rcuname:text} {gpseq} {gpevent:text}" },
	{ "jbd2:jbd2_start_commit", "dev {dev:device} transaction {transaction} sync {sync_commit}" },
	{ "jbd2:jbd2_end_commit", "dev {dev:device} transaction {transaction} sync {sync_commit} head {head}" },
	{ "ext4:ext4_sync_file_enter", "dev {dev:device} ino {ino} parent {parent} datasync {datasync}" },
	{ "ext4:ext4_sync_file_exit", "dev {dev:device} ino {ino} ret {ret}" },
	{ "ext4:ext4_unlink_enter", "dev {dev:device} ino {ino} size {size} parent {parent}" },
	{ "ext4:ext4_unlink_exit", "dev {dev:device} ino {ino} ret {ret}" },
	{ "ext4:ext4_write_begin", "dev {dev:device} ino {ino} pos {pos} len {len}" },
	{ "ext4:ext4_write_end", "dev {dev:device} ino {ino} pos {pos} len {len} copied {copied}" },
	{ "ext4:ext4_journalled_write_end", "dev {dev:device} ino {ino} pos {pos} len {len} copied {copied}" },
	{ "ext4:ext4_da_write_begin", "dev {dev:device} ino {ino} pos {pos} len {len}" },
	{ "ext4:ext4_da_write_end", "dev {dev:device} ino {ino} pos {pos} len {len} copied {copied}" },
	{ "ext4:ext4_writepages", "dev {dev:device} ino {ino} nr_to_write {nr_to_write}" },
	{ "ext4:ext4_writepages_result", "dev {dev:device} ino {ino} ret {ret} pages_written {pages_written}" },
	{ "task:task_newtask", "pid={pid} comm={comm:text} clone_flags={clone_flags:hex} "
			       "oom_score_adj={oom_score_adj}" },
	{ "task:task_rename", "pid={pid} oldcomm={oldcomm:text} newcomm={newcomm:text} "
			      "oom_score_adj={oom_score_adj}" },
	/* Since Linux 6.14, of the thread itself. */
	{ "task:task_rename", "oldcomm={oldcomm:text} newcomm={newcomm:text} oom_score_adj={oom_score_adj}" },

	{ "perf_fork", "({pid}:{tid}):({ppid}:{ptid})" },
	{ "perf_thread", "({pid}:{tid}):({ppid}:{ptid})" },
	{ "perf_exit", "({pid}:{tid}):({ppid}:{ptid})" },
	{ "perf_comm", "{comm:text}:{pid}/{tid}" },
	{ "process_dump", "{:text} {pid} {tid} {comm:text}" },
	{ "perf_mmap", "{pid}/{tid}: [{start}({len}) @ {pgoff}]: {:text} {filename:text}" },
	{ "perf_mmap2", "{pid}/{tid}: [{start}({len})" },

	{ "ftrace:function", "{ip:text} <-- {parent_ip:text}" },
	{ "ftrace:function", "{ip:text} <-{parent_ip:text}" },
	{ "ftrace:print", "{buf:text}" },
	{ "ftrace:tracing_mark_write", "{buf:text}" },
};

enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

const struct shape_row *shape_row_find(const char *event, size_t size)
{
	bool is_whole = memchr(event, ':', size) != NULL;
	for (size_t i = 0; i < ROW_COUNT; i++) {
		const char *colon = strchr(rows[i].event, ':');
		const char *name = is_whole || colon == NULL ? rows[i].event : colon + 1;
		if (strlen(name) == size && memcmp(name, event, size) == 0)
			return &rows[i];
	}
	return NULL;
}

const struct shape_row *shape_row_next(const struct shape_row *row)
{
	const struct shape_row *next = row + 1;
	return next < rows + ROW_COUNT && strcmp(next->event, row->event) == 0 ? next : NULL;
}
