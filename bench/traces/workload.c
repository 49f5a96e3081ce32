// SPDX-License-Identifier: MIT
#include "workload.h"

#include <errno.h>
#include <string.h>

/* ---- routines --------------------------------------------------------------------------------------- */

enum action {
	END, /* of a routine: the thread begins its next one */
	ENTER,
	LEAVE,
	FORK,
	JOIN,   /* wait for a child, if it lives */
	SLEEP,  /* until a timer, the disk or the network has something */
	AWAIT,  /* sleep until there is work */
	SUPPLY, /* give work to the one who waits for it */
	DIE,
};

/* A thread computes for about `ns` before it acts. */
struct step {
	enum action action;
	enum system_call call;
	uint32_t ns;
};

static const struct step burn[] = {
	{ LEAVE, CALL_CLONE, 4000 },
	{ ENTER, CALL_SET_ROBUST_LIST, 2000 },
	{ LEAVE, CALL_SET_ROBUST_LIST, 300 },
	{ ENTER, CALL_MADVISE, 200000 },
	{ LEAVE, CALL_MADVISE, 1500 },
	{ ENTER, CALL_EXIT, 600 },
	{ DIE, CALL_EXIT, 8000 },
};

static const struct step burn_and_log[] = {
	{ LEAVE, CALL_CLONE, 4000 },
	{ ENTER, CALL_SET_ROBUST_LIST, 2000 },
	{ LEAVE, CALL_SET_ROBUST_LIST, 300 },
	{ ENTER, CALL_OPEN, 180000 },
	{ LEAVE, CALL_OPEN, 3000 },
	{ ENTER, CALL_WRITE, 1200 },
	{ LEAVE, CALL_WRITE, 2500 },
	{ ENTER, CALL_CLOSE, 500 },
	{ LEAVE, CALL_CLOSE, 700 },
	{ ENTER, CALL_MADVISE, 20000 },
	{ LEAVE, CALL_MADVISE, 1500 },
	{ ENTER, CALL_EXIT, 600 },
	{ DIE, CALL_EXIT, 8000 },
};

static const struct step wait_for_start[] = {
	{ SLEEP, CALL_NANOSLEEP, 900 },
	{ LEAVE, CALL_NANOSLEEP, 1200 },
	{ END, 0, 5000 },
};

/* Until it is time for the next wave. */
static const struct step wait_for_wave[] = {
	{ ENTER, CALL_NANOSLEEP, 3000 },
	{ SLEEP, CALL_NANOSLEEP, 900 },
	{ LEAVE, CALL_NANOSLEEP, 1200 },
	{ END, 0, 5000 },
};

static const struct step start_child[] = {
	{ ENTER, CALL_CLONE, 3000 },
	{ FORK, CALL_CLONE, 9000 },
	{ LEAVE, CALL_CLONE, 1500 },
	{ END, 0, 500 },
};

/* The C library keeps some stacks of dead threads for new ones; now and then it needs another. */
static const struct step start_child_with_stack[] = {
	{ ENTER, CALL_MMAP, 1500 },    { LEAVE, CALL_MMAP, 2000 },
	{ ENTER, CALL_MPROTECT, 600 }, { LEAVE, CALL_MPROTECT, 1800 },
	{ ENTER, CALL_CLONE, 3000 },   { FORK, CALL_CLONE, 9000 },
	{ LEAVE, CALL_CLONE, 1500 },   { END, 0, 500 },
};

static const struct step join_child[] = {
	{ ENTER, CALL_FUTEX, 700 },
	{ JOIN, CALL_FUTEX, 900 },
	{ LEAVE, CALL_FUTEX, 1000 },
	{ END, 0, 500 },
};

static const struct step leave_for_good[] = {
	{ ENTER, CALL_EXIT, 5000 },
	{ DIE, CALL_EXIT, 20000 },
};

static const struct step supply_work[] = {
	{ ENTER, CALL_NANOSLEEP, 8000 },
	{ SLEEP, CALL_NANOSLEEP, 900 },
	{ LEAVE, CALL_NANOSLEEP, 1200 },
	{ ENTER, CALL_FUTEX, 12000 },
	{ SUPPLY, CALL_FUTEX, 600 },
	{ LEAVE, CALL_FUTEX, 500 },
	{ END, 0, 800 },
};

static const struct step do_work[] = {
	{ ENTER, CALL_FUTEX, 900 },
	{ AWAIT, CALL_FUTEX, 700 },
	{ LEAVE, CALL_FUTEX, 1000 },
	{ END, 0, 60000 },
};

static const struct step read_disk[] = {
	{ ENTER, CALL_READ, 15000 },
	{ SLEEP, CALL_READ, 4000 },
	{ LEAVE, CALL_READ, 3000 },
	{ END, 0, 1000 },
};

static const struct step serve_network[] = {
	{ ENTER, CALL_POLL, 5000 },  { SLEEP, CALL_POLL, 1200 }, { LEAVE, CALL_POLL, 1000 },
	{ ENTER, CALL_READ, 600 },   { LEAVE, CALL_READ, 1800 }, { ENTER, CALL_WRITE, 25000 },
	{ LEAVE, CALL_WRITE, 6000 }, { END, 0, 1000 },
};

/* ---- roles ------------------------------------------------------------------------------------------ */

enum role { SUPPLIER, WORKER, READER, SERVER, LONG_LIVED_ROLES, PARENT = LONG_LIVED_ROLES, CHILD };

/* What a role is while it lives, and how the trace finds it: asleep.  `sleep_ns` is the first process's. */
static const struct {
	const char *comm;
	const struct step *routine;
	uint32_t slept_through; /* steps of the routine up to the sleep in which the trace finds the thread */
	enum source source;
	enum task_state state;
	uint32_t sleep_ns;
} roles[] = {
	[SUPPLIER] = { "supplier", supply_work, 2, SOURCE_TIMER, TASK_INTERRUPTIBLE, 4000000 },
	[WORKER] = { "worker", do_work, 2, SOURCE_TIMER, TASK_INTERRUPTIBLE, 0 },
	[READER] = { "reader", read_disk, 2, SOURCE_DISK, TASK_UNINTERRUPTIBLE, 6000000 },
	[SERVER] = { "server", serve_network, 2, SOURCE_NETWORK, TASK_INTERRUPTIBLE, 5000000 },
	[PARENT] = { "burn", wait_for_start, 1, SOURCE_TIMER, TASK_INTERRUPTIBLE, 1000000 },
};

enum {
	LOGGED_PERCENT = 4,
	NEW_STACK_PERCENT = 5,
};

struct actor {
	struct thread thread; /* the first, so that a thread of the machine is its actor */
	enum role role;
	const struct step *step; /* its next */
	uint64_t sleep_ns;       /* on average */
	int64_t result;          /* of the system call that it is in; but for a parent's clone nobody looks at it */
	struct actor *partner;   /* of a supplier its worker, of a child its parent */
	uint32_t work;           /* of a worker, supplied while it did not wait for it */
	uint32_t place;          /* of a child in its wave */
	struct wave *wave;       /* of a parent */
};

struct wave {
	uint32_t size;                    /* children started so far */
	uint32_t joined;                  /* of them, nobody waits for any more */
	uint32_t to_start;                /* in this wave and all later ones */
	bool has_waited;                  /* until it was time for it */
	struct actor *children[CPUS_MAX]; /* NULL: ended */
};

static struct actor *actor_of(struct thread *thread)
{
	return (struct actor *)thread;
}

static void begin_step(struct actor *actor, struct cpu *cpu)
{
	actor->thread.left = cpu_about(cpu, actor->step->ns);
}

/* ---- short-lived threads and their parents ---------------------------------------------------------- */

static struct actor *new_actor(struct workload *workload)
{
	struct actor *actor = workload->unused;
	if (actor != NULL)
		workload->unused = actor->partner;
	else
		actor = arena_allocate(&workload->actors, sizeof(*actor), _Alignof(struct actor));
	if (actor != NULL)
		*actor = (struct actor){ .thread.task.tid = workload->next_tid++ };
	return actor;
}

void workload_freed(void *context, struct thread *thread)
{
	struct workload *workload = context;
	struct actor *actor = actor_of(thread);
	actor->partner = workload->unused;
	workload->unused = actor;
}

static void fork_child(struct workload *workload, struct cpu *cpu, struct actor *parent)
{
	struct actor *child = new_actor(workload);
	if (child == NULL) {
		workload->machine->failure = ENOMEM;
		return;
	}
	int32_t tid = child->thread.task.tid;
	child->thread.task = parent->thread.task;
	child->thread.task.tid = tid;
	child->thread.computes = true;
	child->role = CHILD;
	child->step = random_percent(&cpu->random, LOGGED_PERCENT) ? burn_and_log : burn;
	child->partner = parent;
	child->place = parent->wave->size;
	parent->wave->children[parent->wave->size++] = child;
	parent->wave->to_start--;
	begin_step(child, cpu);
	kernel_sched_process_fork(&cpu->stream, cpu_stamp(cpu), &parent->thread.task, &child->thread.task);
	machine_start(workload->machine, cpu, &child->thread);
	parent->result = tid;
}

/* The waves that are left are spread over the time that is left. */
static bool waits_for_wave(const struct workload *workload, const struct cpu *cpu, struct actor *parent)
{
	const struct wave *wave = parent->wave;
	if (wave->size > 0 || cpu->now >= workload->until)
		return false;
	parent->sleep_ns = (workload->until - cpu->now) / (wave->to_start / workload->machine->cpu_count + 1);
	return true;
}

static const struct step *next_of_parent(struct workload *workload, struct cpu *cpu, struct actor *parent)
{
	struct wave *wave = parent->wave;
	if (wave->size == workload->machine->cpu_count || wave->to_start == 0) {
		while (wave->joined < wave->size && wave->children[wave->joined] == NULL)
			wave->joined++;
		if (wave->joined < wave->size)
			return join_child;
		wave->size = wave->joined = 0;
	}
	if (wave->to_start == 0)
		return leave_for_good;
	wave->has_waited = !wave->has_waited && waits_for_wave(workload, cpu, parent);
	if (wave->has_waited)
		return wait_for_wave;
	return random_percent(&cpu->random, NEW_STACK_PERCENT) ? start_child_with_stack : start_child;
}

static enum task_state join(const struct wave *wave)
{
	return wave->children[wave->joined] == NULL ? TASK_RUNNING : TASK_INTERRUPTIBLE;
}

/* Who waits for a thread is woken before that one's own end is told. */
static enum task_state die(struct workload *workload, struct cpu *cpu, struct actor *actor)
{
	if (actor->role == CHILD) {
		struct actor *parent = actor->partner;
		parent->wave->children[actor->place] = NULL;
		if (parent->thread.sleeps && parent->wave->joined == actor->place)
			machine_wake(workload->machine, cpu, &parent->thread);
	} else {
		workload->living_parents--;
	}
	kernel_sched_process_exit(&cpu->stream, cpu_stamp(cpu), &actor->thread.task);
	return TASK_DEAD;
}

/* ---- long-lived threads ----------------------------------------------------------------------------- */

static enum task_state sleep_for_a_while(struct workload *workload, struct cpu *cpu, struct actor *actor)
{
	machine_wake_later(workload->machine, cpu, &actor->thread, roles[actor->role].source,
			   cpu_about(cpu, actor->sleep_ns));
	return roles[actor->role].state;
}

static enum task_state await(struct actor *worker)
{
	if (worker->work == 0)
		return TASK_INTERRUPTIBLE;
	worker->work--;
	return TASK_RUNNING;
}

static void supply(struct workload *workload, struct cpu *cpu, struct actor *supplier)
{
	struct actor *worker = supplier->partner;
	if (worker == NULL)
		return;
	if (worker->thread.sleeps)
		machine_wake(workload->machine, cpu, &worker->thread);
	else
		worker->work++;
}

/* ---- steps ------------------------------------------------------------------------------------------ */

static const struct step *next_routine(struct workload *workload, struct cpu *cpu, struct actor *actor)
{
	return actor->role == PARENT ? next_of_parent(workload, cpu, actor) : roles[actor->role].routine;
}

static enum task_state act(struct workload *workload, struct cpu *cpu, struct actor *actor)
{
	const struct step *step = actor->step++;
	switch (step->action) {
	case END:
		actor->step = next_routine(workload, cpu, actor);
		break;
	case ENTER:
		kernel_syscall_entry(&cpu->stream, cpu_stamp(cpu), step->call);
		break;
	case LEAVE:
		kernel_syscall_exit(&cpu->stream, cpu_stamp(cpu), step->call, actor->result);
		actor->result = 0;
		break;
	case FORK:
		fork_child(workload, cpu, actor);
		break;
	case JOIN:
		return join(actor->wave);
	case SLEEP:
		return sleep_for_a_while(workload, cpu, actor);
	case AWAIT:
		return await(actor);
	case SUPPLY:
		supply(workload, cpu, actor);
		break;
	case DIE:
		return die(workload, cpu, actor);
	}
	return TASK_RUNNING;
}

enum task_state workload_step(void *context, struct cpu *cpu)
{
	struct actor *actor = actor_of(cpu->current);
	struct workload *workload = context;
	enum task_state state = act(workload, cpu, actor);
	if (state != TASK_DEAD)
		begin_step(actor, cpu);
	if (workload->living_parents == 0 && cpu->now >= workload->until)
		workload->machine->done = true;
	return state;
}

/* ---- the threads that are there before the trace ---------------------------------------------------- */

static struct actor *add_sleeper(struct workload *workload, enum role role, uint64_t times, int32_t pid)
{
	struct actor *actor = new_actor(workload);
	if (actor == NULL)
		return NULL;
	struct cpu *first_cpu = &workload->machine->cpus[0];
	struct thread *thread = &actor->thread;
	thread->task.pid = pid != 0 ? pid : thread->task.tid;
	thread->task.parent = 1;
	thread->task.prio = 20;
	memccpy(thread->task.comm, roles[role].comm, '\0', sizeof(thread->task.comm));
	thread->cpu = (uint32_t)thread->task.tid % workload->machine->cpu_count;
	thread->sleeps = true;
	actor->role = role;
	actor->step = roles[role].routine + roles[role].slept_through;
	actor->sleep_ns = roles[role].sleep_ns * times;
	begin_step(actor, first_cpu);
	kernel_statedump_sleeping(&first_cpu->stream, cpu_stamp(first_cpu), &thread->task);
	if (actor->sleep_ns > 0)
		sleep_for_a_while(workload, first_cpu, actor);
	return actor;
}

static bool add_long_lived(struct workload *workload, uint32_t count)
{
	struct actor *supplier = NULL;
	for (uint32_t i = 0; i < count; i++) {
		enum role role = (enum role)(i % LONG_LIVED_ROLES);
		uint64_t times = i / LONG_LIVED_ROLES + 1;
		int32_t pid = role == SUPPLIER ? 0 : supplier->thread.task.tid;
		struct actor *actor = add_sleeper(workload, role, times, pid);
		if (actor == NULL)
			return false;
		if (role == SUPPLIER)
			supplier = actor;
		else if (role == WORKER)
			supplier->partner = actor;
	}
	return true;
}

static bool add_parents(struct workload *workload, uint32_t thread_count)
{
	for (uint32_t i = 0; i < PARENTS; i++) {
		struct wave *wave = arena_allocate(&workload->actors, sizeof(*wave), _Alignof(struct wave));
		struct actor *parent = add_sleeper(workload, PARENT, 1, 0);
		if (wave == NULL || parent == NULL)
			return false;
		*wave = (struct wave){ .to_start = thread_count / PARENTS + (i < thread_count % PARENTS) };
		parent->wave = wave;
		workload->living_parents++;
	}
	return true;
}

int workload_init(struct workload *workload, struct machine *machine, uint32_t thread_count,
		  uint32_t long_lived_count, uint64_t length_ns)
{
	*workload =
		(struct workload){ .machine = machine, .next_tid = FIRST_TID, .until = MACHINE_START + length_ns };
	struct cpu *first_cpu = &machine->cpus[0];
	kernel_statedump_start(&first_cpu->stream, cpu_stamp(first_cpu));
	if (!add_long_lived(workload, long_lived_count) || !add_parents(workload, thread_count))
		return ENOMEM;
	kernel_statedump_end(&first_cpu->stream, cpu_stamp(first_cpu));
	return 0;
}

void workload_release(struct workload *workload)
{
	arena_release(&workload->actors);
}
