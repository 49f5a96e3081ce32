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
	AS_PART,    /* a text; without one, what the row is about: where its name has a star, what stands there */
	AS_EXIT,    /* why a guest was left */
	AS_LOCK,    /* flags of include/trace/events/lock.h: LCB_F_SPIN and so on */
	AS_IDLE,    /* "C1" */
	AS_SOFTIRQ, /* by number */
	AS_ROW,     /* what the row is about, whatever the event says */
	AS_SIGNAL,  /* by number */
	AS_DEVICE,  /* a number of MKDEV(): "8:1" */
	AS_SYSTEM,  /* what the name of the event begins with: "ext4" */
	AS_STATE,   /* of a connection */
	AS_ADDRESS, /* of a host: "::ffff:10.0.0.1" is "10.0.0.1" */
};

/* Of either event, or where it happens; AT_END: where the end does. */
enum pair_source {
	OF_BEGIN,
	OF_END,
	OF_THREAD,
	OF_PROCESS,
	OF_CPU,
	AT_END = 4,
	OF_END_THREAD,
	OF_END_PROCESS,
	OF_END_CPU
};

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
	/* Names of events, with a space between; one may have a star, and what stands there is of the key. */
	const char *begin, *end;
	enum pair_scope scope;
	const char *key; /* names of fields; NULL: the scope is the key */
	enum pair_again again;
	/*
	 * Which of these events begin and end: "FIELD=VALUE,...", or "FIELD!VALUE,..." for all other values;
	 * several with a space between.  NULL: all.  So does an event without the field, or without a value there.
	 */
	const char *begin_if, *end_if;
	const char *target; /* the field of a beginning that says in which thread the end comes; NULL: the same */
};

enum { COLUMNS_MAX = 9, ROWS_OF_CLASS_MAX = 4, CONDITIONS_MAX = 2 };

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

static const struct pair_kind reclaim = {
	.segments.needs =
		"reclaim of memory: perf record -e 'vmscan:*_reclaim_*,vmscan:*kswapd*' -e 'compaction:*', or "
		"lttng enable-event -k 'mm_vmscan_*'",
	.columns = { { OF_BEGIN, AS_ROW, NULL },
		     { .source = OF_THREAD },
		     { .source = OF_PROCESS },
		     { .source = OF_CPU },
		     { OF_BEGIN, AS_NUMBER, "order" },
		     { OF_BEGIN, AS_NUMBER, "nid" },
		     { OF_END, AS_NUMBER, "nr_reclaimed" } },
	.column_count = 7,
};
static const struct pair_kind signals = {
	.segments.needs = "signals: perf record -e 'signal:*', or lttng enable-event -k 'signal_*'",
	.columns = { { OF_BEGIN, AS_SIGNAL, "sig" },
		     { OF_BEGIN, AS_INT, "sig" },
		     { .source = OF_END_THREAD },
		     { .source = OF_END_PROCESS },
		     { .source = OF_END_CPU },
		     { .source = OF_THREAD },
		     { .source = OF_PROCESS } },
	.column_count = 7,
};
static const struct pair_kind ipis = {
	.segments.needs =
		"interrupts between CPUs: perf record -e 'csd:*' (Linux 6.6 and later), or -e 'ipi:*' on ARM; "
		"those of x86 are in irqs",
	.columns = { { OF_BEGIN, AS_TEXT, "func reason" },
		     { OF_BEGIN, AS_ROW, NULL },
		     { .source = OF_CPU },
		     { .source = OF_END_CPU },
		     { .source = OF_THREAD },
		     { .source = OF_PROCESS } },
	.column_count = 6,
};
static const struct pair_kind grace = {
	.segments.needs = "grace periods of RCU: trace-cmd record -e rcu, or lttng enable-event -k 'rcu_*', with "
			  "CONFIG_RCU_TRACE",
	.columns = { { OF_BEGIN, AS_TEXT, "rcuname" },
		     { OF_BEGIN, AS_ROW, NULL },
		     { OF_BEGIN, AS_NUMBER, "gp_seq gpnum gpseq" } },
	.column_count = 3,
};
static const char needs_connections[] =
	"states of connections, with the addresses of sockets: perf record -e "
	"sock:inet_sock_set_state (Linux 4.16 and later), or trace-cmd record -e sock";
/* A connection is in the state with which it begins, and a handshake is known by the one to which it leads. */
#define CONNECTIONS(of_state)                                                    \
	{                                                                        \
		.segments.needs = needs_connections,                             \
		.columns = { { OF_BEGIN, AS_ADDRESS, "daddr_v6 daddrv6 daddr" }, \
			     { OF_BEGIN, AS_INT, "dport" },                      \
			     { OF_END, AS_ADDRESS, "saddr_v6 saddrv6 saddr" },   \
			     { OF_END, AS_INT, "sport" },                        \
			     { of_state, AS_STATE, "newstate" },                 \
			     { OF_BEGIN, AS_TEXT, "skaddr" },                    \
			     { .source = OF_THREAD },                            \
			     { .source = OF_PROCESS },                           \
			     { .source = OF_CPU } },                             \
		.column_count = 9,                                               \
	}
static const struct pair_kind connections = CONNECTIONS(OF_BEGIN), handshakes = CONNECTIONS(OF_END);
static const struct pair_kind files = {
	.segments.needs =
		"calls of file systems: perf record -e 'ext4:*' -e 'jbd2:*' -e 'writeback:*' (or xfs, f2fs, nfs, "
		"erofs), or lttng enable-event -k 'ext4_*,jbd2_*,writeback_*'",
	.columns = { { OF_BEGIN, AS_PART, NULL },
		     { OF_BEGIN, AS_SYSTEM, NULL },
		     { OF_BEGIN, AS_DEVICE, "dev" },
		     { OF_BEGIN, AS_NUMBER, "ino fileid" },
		     { .source = OF_THREAD },
		     { .source = OF_PROCESS },
		     { .source = OF_CPU },
		     { OF_END, AS_NUMBER, "ret error" } },
	.column_count = 8,
};

/* What power:cpu_idle has where an idle state ends: 32 set bits. */
#define PWR_EVENT_EXIT "4294967295,-1"
#define TCP_IS_NEW "2,3,TCP_SYN_SENT,TCP_SYN_RECV"

/*
 * A mutex for which a thread spins before it sleeps has two beginnings and one end (kernel/locking/mutex.c); a
 * softirq that is raised already stays so.
 */
static const struct pair_row rows[] = {
	{ &guests, "guest", "kvm:kvm_entry kvm_x86_entry kvm_entry", "kvm:kvm_exit kvm_x86_exit kvm_exit",
	  IN_THREAD, NULL, AGAIN_IS_ANOTHER, NULL, NULL, NULL },
	{ &locks, "lock", "lock:contention_begin lock_contention_begin contention_begin",
	  "lock:contention_end lock_contention_end contention_end", IN_THREAD, "lock_addr", AGAIN_IS_THE_SAME, NULL,
	  NULL, NULL },
	/* Of lockdep (CONFIG_LOCK_STAT): a lock that was free is acquired without having been contended. */
	{ &locks, "lock", "lock:lock_contended lock_contended", "lock:lock_acquired lock_acquired", IN_THREAD,
	  "lockdep_addr", AGAIN_IS_THE_SAME, NULL, NULL, NULL },
	{ &idle, "idle", "power:cpu_idle power_cpu_idle cpu_idle", "power:cpu_idle power_cpu_idle cpu_idle",
	  ANYWHERE, "cpu_id", AGAIN_ENDS, "state!" PWR_EVENT_EXIT, "state=" PWR_EVENT_EXIT, NULL },
	{ &queued, "queued", "workqueue:workqueue_queue_work workqueue_queue_work",
	  "workqueue:workqueue_execute_start workqueue_execute_start", ANYWHERE, "work struct", AGAIN_IS_ANOTHER,
	  NULL, NULL, NULL },
	{ &work, "work", "workqueue:workqueue_execute_start workqueue_execute_start",
	  "workqueue:workqueue_execute_end workqueue_execute_end", ANYWHERE, "work struct", AGAIN_IS_ANOTHER, NULL,
	  NULL, NULL },
	{ &timers, "timer", "timer:timer_expire_entry timer_expire_entry",
	  "timer:timer_expire_exit timer_expire_exit", ON_CPU, "timer", AGAIN_IS_ANOTHER, NULL, NULL, NULL },
	{ &timers, "hrtimer", "timer:hrtimer_expire_entry timer_hrtimer_expire_entry hrtimer_expire_entry",
	  "timer:hrtimer_expire_exit timer_hrtimer_expire_exit hrtimer_expire_exit", ON_CPU, "hrtimer",
	  AGAIN_IS_ANOTHER, NULL, NULL, NULL },
	{ &raises, "softirq", "irq:softirq_raise irq_softirq_raise softirq_raise",
	  "irq:softirq_entry irq_softirq_entry softirq_entry", ON_CPU, "vec", AGAIN_IS_THE_SAME, NULL, NULL, NULL },
	{ &softirqs, "handler", "irq:softirq_entry irq_softirq_entry softirq_entry",
	  "irq:softirq_exit irq_softirq_exit softirq_exit", ON_CPU, "vec", AGAIN_IS_ANOTHER, NULL, NULL, NULL },
	{ &irqs, "line", "irq:irq_handler_entry irq_handler_entry", "irq:irq_handler_exit irq_handler_exit", ON_CPU,
	  "irq", AGAIN_IS_ANOTHER, NULL, NULL, NULL },
	{ &irqs, "vector", "x86_irq_vectors_*_entry irq_vectors:*_entry",
	  "x86_irq_vectors_*_exit irq_vectors:*_exit", ON_CPU, "vector", AGAIN_IS_ANOTHER, NULL, NULL, NULL },

	/* The thread of kswapd says before each round that it woke, and that it sleeps once all is done. */
	{ &reclaim, "direct", "vmscan:mm_vmscan_direct_reclaim_begin mm_vmscan_direct_reclaim_begin",
	  "vmscan:mm_vmscan_direct_reclaim_end mm_vmscan_direct_reclaim_end", IN_THREAD, NULL, AGAIN_IS_ANOTHER,
	  NULL, NULL, NULL },
	{ &reclaim, "control group", "vmscan:mm_vmscan_memcg_reclaim_begin mm_vmscan_memcg_reclaim_begin",
	  "vmscan:mm_vmscan_memcg_reclaim_end mm_vmscan_memcg_reclaim_end", IN_THREAD, NULL, AGAIN_IS_ANOTHER, NULL,
	  NULL, NULL },
	{ &reclaim, "control group over its soft limit",
	  "vmscan:mm_vmscan_memcg_softlimit_reclaim_begin mm_vmscan_memcg_softlimit_reclaim_begin",
	  "vmscan:mm_vmscan_memcg_softlimit_reclaim_end mm_vmscan_memcg_softlimit_reclaim_end", IN_THREAD, NULL,
	  AGAIN_IS_ANOTHER, NULL, NULL, NULL },
	{ &reclaim, "node", "vmscan:mm_vmscan_node_reclaim_begin mm_vmscan_node_reclaim_begin",
	  "vmscan:mm_vmscan_node_reclaim_end mm_vmscan_node_reclaim_end", IN_THREAD, NULL, AGAIN_IS_ANOTHER, NULL,
	  NULL, NULL },
	{ &reclaim, "kswapd", "vmscan:mm_vmscan_kswapd_wake mm_vmscan_kswapd_wake",
	  "vmscan:mm_vmscan_kswapd_sleep mm_vmscan_kswapd_sleep", ANYWHERE, "nid", AGAIN_IS_THE_SAME, NULL, NULL,
	  NULL },
	{ &reclaim, "compaction", "compaction:mm_compaction_begin mm_compaction_begin",
	  "compaction:mm_compaction_end mm_compaction_end", IN_THREAD, NULL, AGAIN_IS_ANOTHER, NULL, NULL, NULL },

	/*
	 * The result of a signal that is sent is 0, or 4 if what else was known of it is lost; others are not sent,
	 * or are on their way already (TRACE_SIGNAL_*, include/trace/events/signal.h).  Kernels before 3.4 have no
	 * result.
	 */
	{ &signals, "signal", "signal:signal_generate signal_generate", "signal:signal_deliver signal_deliver",
	  IN_THREAD, "sig", AGAIN_IS_ANOTHER, "result=0,4", NULL, "pid" },

	{ &ipis, "interrupt", "ipi:ipi_entry ipi_entry", "ipi:ipi_exit ipi_exit", ON_CPU, NULL, AGAIN_IS_ANOTHER,
	  NULL, NULL, NULL },
	{ &ipis, "queued call", "csd:csd_queue_cpu csd_queue_cpu", "csd:csd_function_entry csd_function_entry",
	  ANYWHERE, "csd", AGAIN_IS_ANOTHER, NULL, NULL, NULL },
	{ &ipis, "call", "csd:csd_function_entry csd_function_entry", "csd:csd_function_exit csd_function_exit",
	  ON_CPU, "csd", AGAIN_IS_ANOTHER, NULL, NULL, NULL },

	/* Where events have addresses in place of these texts, none begins or ends one. */
	{ &grace, "normal", "rcu:rcu_grace_period rcu_grace_period", "rcu:rcu_grace_period rcu_grace_period",
	  ANYWHERE, "rcuname", AGAIN_IS_ANOTHER, "gpevent=start", "gpevent=end", NULL },
	{ &grace, "expedited", "rcu:rcu_exp_grace_period rcu_exp_grace_period",
	  "rcu:rcu_exp_grace_period rcu_exp_grace_period", ANYWHERE, "rcuname", AGAIN_IS_ANOTHER, "gpevent=start",
	  "gpevent=end", NULL },

	/* The states are TCP_SYN_SENT, TCP_SYN_RECV, TCP_CLOSE, and TCP_LISTEN of what is no connection. */
	{ &connections, "connection", "sock:inet_sock_set_state inet_sock_set_state",
	  "sock:inet_sock_set_state inet_sock_set_state", ANYWHERE, "skaddr", AGAIN_IS_THE_SAME,
	  "newstate=" TCP_IS_NEW, "newstate=7,TCP_CLOSE oldstate!10,TCP_LISTEN", NULL },
	{ &handshakes, "handshake", "sock:inet_sock_set_state inet_sock_set_state",
	  "sock:inet_sock_set_state inet_sock_set_state", ANYWHERE, "skaddr", AGAIN_IS_THE_SAME,
	  "newstate=" TCP_IS_NEW, "oldstate=" TCP_IS_NEW " newstate!" TCP_IS_NEW, NULL },

	/* A thread is in each function once: one begins what the last one left open where it is called again. */
	{ &files, "call",
	  "ext4:ext4_*_enter ext4_*_enter f2fs:f2fs_*_enter f2fs_*_enter nfs:nfs_*_enter nfs_*_enter "
	  "erofs:erofs_*_enter erofs_*_enter",
	  "ext4:ext4_*_exit ext4_*_exit f2fs:f2fs_*_exit f2fs_*_exit nfs:nfs_*_exit nfs_*_exit "
	  "erofs:erofs_*_exit erofs_*_exit",
	  IN_THREAD, NULL, AGAIN_IS_ANOTHER, NULL, NULL, NULL },
	{ &files, "write",
	  "ext4:ext4_da_write_begin ext4_da_write_begin ext4:ext4_write_begin ext4_write_begin "
	  "f2fs:f2fs_write_begin f2fs_write_begin",
	  "ext4:ext4_da_write_end ext4_da_write_end ext4:ext4_write_end ext4_write_end "
	  "ext4:ext4_journalled_write_end ext4_journalled_write_end f2fs:f2fs_write_end f2fs_write_end",
	  IN_THREAD, "ino", AGAIN_IS_ANOTHER, NULL, NULL, NULL },
	{ &files, "writepages", "ext4:ext4_writepages ext4_writepages ext4_da_writepages",
	  "ext4:ext4_writepages_result ext4_writepages_result ext4_da_writepages_result", IN_THREAD, "ino",
	  AGAIN_IS_ANOTHER, NULL, NULL, NULL },
	{ &files, "commit", "jbd2:jbd2_start_commit jbd2_start_commit", "jbd2:jbd2_end_commit jbd2_end_commit",
	  ANYWHERE, "transaction", AGAIN_IS_ANOTHER, NULL, NULL, NULL },
	{ &files, "wait for a buffer", "xfs:xfs_buf_iowait xfs_buf_iowait",
	  "xfs:xfs_buf_iowait_done xfs_buf_iowait_done", IN_THREAD, NULL, AGAIN_IS_ANOTHER, NULL, NULL, NULL },
	{ &files, "lock of a buffer", "xfs:xfs_buf_lock xfs_buf_lock", "xfs:xfs_buf_lock_done xfs_buf_lock_done",
	  IN_THREAD, NULL, AGAIN_IS_ANOTHER, NULL, NULL, NULL },
	{ &files, "wait for the log", "xfs:xfs_log_grant_sleep xfs_log_grant_sleep",
	  "xfs:xfs_log_grant_wake xfs_log_grant_wake", IN_THREAD, NULL, AGAIN_IS_ANOTHER, NULL, NULL, NULL },
	{ &files, "write back", "writeback:writeback_start writeback_start",
	  "writeback:writeback_written writeback_written", IN_THREAD, NULL, AGAIN_IS_THE_SAME, NULL, NULL, NULL },
	{ &files, "write back an inode", "writeback:writeback_single_inode_start writeback_single_inode_start",
	  "writeback:writeback_single_inode writeback_single_inode", IN_THREAD, "ino", AGAIN_IS_ANOTHER, NULL, NULL,
	  NULL },
};

enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

/* ---- classes of events --------------------------------------------------------------------------------------- */

/* A field that must have one of some values, or must have none of them. */
struct bound_condition {
	uint32_t field; /* EVENT_NO_FIELD: it holds */
	bool is_negated;
	struct kernel_text values; /* with a comma between */
};

struct bound_row {
	uint8_t row;
	bool begins, ends;
	uint32_t key, target;    /* fields */
	struct kernel_text part; /* what stands for the star of the row */
	struct bound_condition begin_if[CONDITIONS_MAX], end_if[CONDITIONS_MAX];
	uint32_t columns[COLUMNS_MAX];
};

struct bound_class {
	uint32_t own_tid, isa;
	size_t count;
	struct bound_row rows[ROWS_OF_CLASS_MAX];
};

/* Takes the next word of a text; false: there is none.  An event of CTF 2 may have no name, which is no word. */
static bool next_word(const char **at, char sign, struct kernel_text *word)
{
	if (*at == NULL || **at == '\0')
		return false;
	const char *end = strchrnul(*at, sign);
	*word = (struct kernel_text){ *at, (size_t)(end - *at) };
	*at = *end != '\0' ? end + 1 : end;
	return true;
}

/* Whether a name fits a word, which may have a star, and what stands for that. */
static bool fits(struct kernel_text word, const char *name, struct kernel_text *part)
{
	const size_t size = strlen(name);
	const char *star = memchr(word.bytes, '*', word.size);
	*part = (struct kernel_text){ 0 };
	if (star == NULL)
		return size == word.size && memcmp(name, word.bytes, size) == 0;
	const size_t before = (size_t)(star - word.bytes), behind = word.size - before - 1;
	if (size <= before + behind || memcmp(name, word.bytes, before) != 0 ||
	    memcmp(name + size - behind, star + 1, behind) != 0)
		return false;
	*part = (struct kernel_text){ name + before, size - before - behind };
	return true;
}

static bool has_word(const char *words, const char *name, struct kernel_text *part)
{
	struct kernel_text word;
	while (next_word(&words, ' ', &word))
		if (fits(word, name, part))
			return true;
	return false;
}

static uint32_t find_field(const struct event_class *class, const char *words)
{
	struct kernel_text word;
	while (next_word(&words, ' ', &word)) {
		char name[32];
		snprintf(name, sizeof(name), "%.*s", (int)word.size, word.bytes);
		const uint32_t field = event_class_field(class, name);
		if (field != EVENT_NO_FIELD)
			return field;
	}
	return EVENT_NO_FIELD;
}

static void bind_conditions(const struct event_class *class, const char *words,
			    struct bound_condition out[static CONDITIONS_MAX])
{
	struct kernel_text word = { 0 };
	for (size_t i = 0; i < CONDITIONS_MAX; i++) {
		out[i] = (struct bound_condition){ .field = EVENT_NO_FIELD };
		if (!next_word(&words, ' ', &word))
			continue;
		char name[32];
		size_t size = 0;
		while (word.bytes[size] != '=' && word.bytes[size] != '!')
			size++;
		snprintf(name, sizeof(name), "%.*s", (int)size, word.bytes);
		out[i] = (struct bound_condition){ event_class_field(class, name),
						   word.bytes[size] == '!',
						   { word.bytes + size + 1, word.size - size - 1 } };
	}
}

static const struct pair_kind *kind_of(const struct kernel_segments *segments)
{
	return (const struct pair_kind *)segments->kind;
}

static void bind_row(const struct event_class *class, size_t at, struct bound_class *bound)
{
	const struct pair_row *row = &rows[at];
	struct bound_row *out = &bound->rows[bound->count];
	struct kernel_text begin_part, end_part;
	*out = (struct bound_row){ .row = (uint8_t)at,
				   .begins = has_word(row->begin, class->name, &begin_part),
				   .ends = has_word(row->end, class->name, &end_part),
				   .key = find_field(class, row->key),
				   .target = find_field(class, row->target) };
	const bool lacks = row->key != NULL && out->key == EVENT_NO_FIELD;
	if ((!out->begins && !out->ends) || lacks || bound->count == ROWS_OF_CLASS_MAX - 1)
		return;
	out->part = out->begins ? begin_part : end_part;
	bind_conditions(class, row->begin_if, out->begin_if);
	bind_conditions(class, row->end_if, out->end_if);
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
	struct kernel_text part;
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (rows[i].kind == kind_of(instance) &&
		    (has_word(rows[i].begin, class->name, &part) || has_word(rows[i].end, class->name, &part)))
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

/* By number on most machines; Alpha, MIPS, PA-RISC and SPARC have others. */
static struct histree_value signal_of(struct kernel_segments *segments, int64_t number)
{
	static const char names[] =
		"HUP,INT,QUIT,ILL,TRAP,ABRT,BUS,FPE,KILL,USR1,SEGV,USR2,PIPE,ALRM,TERM,STKFLT,CHLD,CONT,"
		"STOP,TSTP,TTIN,TTOU,URG,XCPU,XFSZ,VTALRM,PROF,WINCH,IO,PWR,SYS";
	char text[32];
	size_t size;
	const char *name = number > 0 ? words_at(names, (uint64_t)number - 1, &size) : NULL;
	if (name != NULL)
		snprintf(text, sizeof(text), "SIG%.*s", (int)size, name);
	else
		snprintf(text, sizeof(text), "signal %" PRId64, number);
	return text_of(segments, text);
}

/* By number, as include/net/tcp_states.h has them. */
static struct histree_value state_of(struct kernel_segments *segments, int64_t number)
{
	static const char names[] =
		"ESTABLISHED,SYN_SENT,SYN_RECV,FIN_WAIT1,FIN_WAIT2,TIME_WAIT,CLOSE,CLOSE_WAIT,LAST_ACK,"
		"LISTEN,CLOSING,NEW_SYN_RECV";
	char text[32];
	size_t size;
	const char *name = number > 0 ? words_at(names, (uint64_t)number - 1, &size) : NULL;
	if (name == NULL)
		return histree_null();
	snprintf(text, sizeof(text), "TCP_%.*s", (int)size, name);
	return text_of(segments, text);
}

static struct histree_value device_of(struct kernel_segments *segments, int64_t number)
{
	char text[KERNEL_DEVICE_SIZE];
	kernel_device_text(number, text);
	return text_of(segments, text);
}

/* Four bytes in the order of the network, read as a number by a processor with low bytes first. */
static struct histree_value host_of(struct kernel_segments *segments, int64_t number)
{
	char text[24];
	snprintf(text, sizeof(text), "%d.%d.%d.%d", (int)(number & 0xff), (int)(number >> 8 & 0xff),
		 (int)(number >> 16 & 0xff), (int)(number >> 24 & 0xff));
	return text_of(segments, text);
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
	case AS_SIGNAL:
		return signal_of(segments, number);
	case AS_DEVICE:
		return device_of(segments, number);
	case AS_ADDRESS:
		return host_of(segments, number);
	case AS_STATE:
		return state_of(segments, number);
	case AS_NUMBER:
	case AS_PART:
	case AS_ROW:
	case AS_SYSTEM:
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
	if (form == AS_NUMBER || !event_string(event, field, &text, &size))
		return histree_null();
	static const char mapped[] = "::ffff:";
	const size_t skipped =
		form == AS_ADDRESS && strncmp(text, mapped, sizeof(mapped) - 1) == 0 ? sizeof(mapped) - 1 : 0;
	return machine_text(segments->machine, text + skipped, size - skipped);
}

/* ---- events -------------------------------------------------------------------------------------------------- */

/* Where an event happens. */
struct pair_place {
	const struct machine_cpu *cpu;
	const struct machine_thread *thread;
};

/* Whether an event begins or ends, as its fields say. */
static bool holds(const struct event *event, const struct bound_condition *condition)
{
	int64_t number;
	struct kernel_text text, word;
	char digits[24];
	if (event_int(event, condition->field, &number)) {
		text.bytes = digits;
		text.size = (size_t)snprintf(digits, sizeof(digits), "%" PRId64, number);
	} else if (!event_string(event, condition->field, &text.bytes, &text.size)) {
		return true;
	}
	const char *at = condition->values.bytes, *end = at + condition->values.size;
	for (bool is_there = false; !is_there; at = word.bytes + word.size + 1) {
		if (at >= end)
			return condition->is_negated;
		const char *comma = memchr(at, ',', (size_t)(end - at));
		word = (struct kernel_text){ at, (size_t)((comma != NULL ? comma : end) - at) };
		is_there = word.size == text.size && memcmp(word.bytes, text.bytes, word.size) == 0;
	}
	return !condition->is_negated;
}

static bool hold(const struct event *event, const struct bound_condition conditions[static CONDITIONS_MAX])
{
	for (size_t i = 0; i < CONDITIONS_MAX; i++)
		if (conditions[i].field != EVENT_NO_FIELD && !holds(event, &conditions[i]))
			return false;
	return true;
}

static bool key_of(const struct event *event, const struct bound_row *bound, const struct pair_place *place,
		   uint64_t *key)
{
	const enum pair_scope scope = rows[bound->row].scope;
	const char *text;
	size_t size;
	int64_t number = 0, target;
	*key = bound->row;
	if (bound->part.size > 0)
		*key = hash_mix(*key ^ hash_bytes(bound->part.bytes, bound->part.size));
	if (scope == IN_THREAD && bound->begins && event_int(event, bound->target, &target))
		*key = hash_mix(*key << 32 | (uint32_t)target);
	else if (scope == IN_THREAD && place->thread != NULL && place->thread->tid != 0)
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
	if (row->scope == IN_THREAD && row->target == NULL && place->thread != NULL)
		return kernel_segments_gap_end(segments, place->thread);
	return row->scope == ON_CPU && place->cpu != NULL ? place->cpu->gap_end : segments->machine->gap_end;
}

/* "ext4:ext4_sync_file_enter", "ext4_sync_file_enter": "ext4". */
static struct histree_value system_of(struct kernel_segments *segments, const char *name)
{
	const char *colon = strchr(name, ':');
	name = colon != NULL ? colon + 1 : name;
	return machine_text(segments->machine, name, strcspn(name, "_"));
}

/* What a column has of where an event happens; null: not known. */
static struct histree_value place_value(const struct pair_place *place, enum pair_source source)
{
	switch (source) {
	case OF_THREAD:
	case OF_END_THREAD:
		return place->thread != NULL ? histree_int(place->thread->tid) : histree_null();
	case OF_PROCESS:
	case OF_END_PROCESS:
		return machine_thread_name(place->thread);
	default:
		return place->cpu != NULL ? histree_int(place->cpu->number) : histree_null();
	}
}

/* `at` is OF_BEGIN or OF_END. */
static void fill(struct kernel_segments *segments, const struct event *event, const struct bound_class *bound,
		 const struct bound_row *row, const struct pair_place *place, enum pair_source at,
		 struct open_segment *segment)
{
	const struct pair_kind *kind = kind_of(segments);
	for (size_t i = 0; i < kind->column_count; i++) {
		const struct pair_column *column = &kind->columns[i];
		struct histree_value *value = &segment->values[i];
		if (column->source > OF_END) {
			if ((column->source > AT_END) == (at == OF_END))
				*value = place_value(place, column->source);
		} else if (column->source != at) {
			continue;
		} else if (column->form == AS_SYSTEM) {
			*value = system_of(segments, event->class->name);
		} else if (row->columns[i] != EVENT_NO_FIELD ||
			   (column->form != AS_ROW && column->form != AS_PART)) {
			*value = value_of(segments, event, bound, row->columns[i], column->form);
		} else if (column->form == AS_PART && row->part.size > 0) {
			*value = machine_text(segments->machine, row->part.bytes, row->part.size);
		} else {
			*value = histree_string(rows[row->row].what);
		}
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
	const bool begins = row->begins && hold(event, row->begin_if), ends = row->ends && hold(event, row->end_if);
	segments->has_events |= begins || ends;
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
PAIRS(reclaim, reclaim, "reclaim", 1,
      "how long threads freed memory themselves, kswapd did, and memory was compacted", THREAD,
      { "order", HISTREE_LONG }, { "node", HISTREE_LONG }, { "reclaimed", HISTREE_LONG });
PAIRS(signals, signals, "signals", 1, "signals, from when they are sent to when the thread takes them",
      { "sig", HISTREE_INT }, THREAD, { "sender", HISTREE_INT }, { "sender_name", HISTREE_STRING });
PAIRS(ipis, ipis, "ipis", 1, "interrupts between CPUs: calls from when they are queued, and how long they ran",
      { "kind", HISTREE_STRING }, { "from_cpu", HISTREE_INT }, { "cpu", HISTREE_INT }, { "tid", HISTREE_INT },
      { "process", HISTREE_STRING });
PAIRS(grace, grace_periods, "grace-periods", 1, "grace periods of RCU, from start to end",
      { "kind", HISTREE_STRING }, { "sequence", HISTREE_LONG });
#define SOCKET                                                                                      \
	{ "dest_port", HISTREE_INT }, { "source", HISTREE_STRING }, { "source_port", HISTREE_INT }, \
		{ "state", HISTREE_STRING },                                                        \
	{                                                                                           \
		"socket", HISTREE_STRING                                                            \
	}
PAIRS(connections, connections, "connections", 1,
      "connections over TCP, from the first packet of the handshake to the end", SOCKET, THREAD);
PAIRS(handshakes, handshakes, "handshakes", 1, "how long connections over TCP took to be established, or to fail",
      SOCKET, THREAD);
PAIRS(files, file_systems, "file-systems", 1,
      "calls of file systems, from entry to exit, and what their journals and caches write",
      { "system", HISTREE_STRING }, { "device", HISTREE_STRING }, { "inode", HISTREE_LONG }, THREAD,
      { "return", HISTREE_LONG });
