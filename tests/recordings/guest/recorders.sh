# SPDX-License-Identifier: MIT
# recorders.sh - the tracers of the guest.  All that record one work have one clock, CLOCK_MONOTONIC.
# shellcheck shell=bash

out=/var/recordings
kernel_events='sched_*,irq_*,timer_*,block_*,net_*,lttng_statedump_*'
perf_events='sched:*,raw_syscalls:*,irq:*'

# kernel_session WORK [OPTION]...: a session of LTTng.  Each CPU has $buffers of $buffer_size.
kernel_session() {
	local work=$1
	shift
	lttng create "$work" "$@" &&
		lttng enable-channel --kernel --subbuf-size="${buffer_size:-2M}" --num-subbuf="${buffers:-8}" kernel &&
		lttng enable-event --kernel --channel=kernel --syscall --all &&
		lttng enable-event --kernel --channel=kernel "$kernel_events"
}

# programs_too: the session records instrumented programs as well.
programs_too() {
	lttng enable-channel --userspace --subbuf-size=1M --num-subbuf=8 programs &&
		lttng enable-event --userspace --channel=programs --all &&
		lttng add-context --userspace --channel=programs --type=vtid --type=vpid --type=procname
}

# under_perf WORK: do it while perf records, with $pages of buffer for each CPU.
under_perf() {
	perf record --quiet --all-cpus --clockid mono --mmap-pages "${pages:-1024}" --event "$perf_events" \
		--output "$out/$1/perf.data" bash -c ". ./works.sh; work_$1"
}

# under_ftrace WORK: while trace-cmd records too.
under_ftrace() {
	trace-cmd record -q -C mono -b 8192 -e sched -e raw_syscalls -e irq -o "$out/$1/trace.dat" \
		bash -c ". ./recorders.sh; under_perf $1"
}

# record WORK: by LTTng and perf at once, which is how most works are recorded.
record() {
	kernel_session "$1" --output="$out/$1/lttng" && lttng start && "${recorder:-under_perf}" "$1"
	lttng stop
	lttng destroy "$1"
}

record_idle() {
	recorder=under_ftrace record idle
}

record_forks() {
	recorder=under_ftrace record forks
}

# With user space: a program whose calls are recorded too.
record_threads() {
	kernel_session threads --output="$out/threads/lttng" && programs_too && lttng start && under_perf threads
	lttng stop
	lttng destroy threads
}

# Buffers that are much too small: both recorders lose events.
record_lossy() {
	buffer_size=4K buffers=2 pages=1 record lossy
}

# Two snapshots of the same buffers, of which the second has most of the first.
record_snapshots() {
	kernel_session snapshots --snapshot --output="$out/snapshots/lttng" && lttng start && under_perf snapshots
	lttng stop
	lttng destroy snapshots
}

# A live session, which histree reads while it is recorded; the relay daemon keeps what it passed on.
record_live() {
	lttng-relayd --daemonize --output="$out/live/lttng"
	buffer_size=256K kernel_session live --live=200000 --set-url=net://127.0.0.1 && lttng start || return
	./histree/run build --publish 200ms -o "$out/live/live.histree" "net://127.0.0.1/host/$(hostname)/live" &
	local build=$!
	under_perf live
	lttng stop
	lttng destroy live
	wait "$build"
	echo "histree: exit $?"
}
