# SPDX-License-Identifier: MIT
# works.sh - the works that are recorded: prepare_NAME, if there is one, then work_NAME for some seconds.
# shellcheck shell=bash

place=/var/work

# A web server under load.
prepare_web() {
	mkdir -p /var/www/html && head -c 20000 /dev/urandom >/var/www/html/page
	nginx
}
work_web() {
	timeout 4 ab -q -c 20 -n 100000 http://127.0.0.1/page
	true
}

# A compile of many small files.
prepare_compile() {
	mkdir -p $place/compile
	local i
	for i in $(seq 16); do
		cat >$place/compile/f"$i".c <<-END
			#include <stdio.h>
			#include <stdlib.h>
			#include <string.h>
			int f$i(int n)
			{
				printf("%d", n);
				return n < 2 ? n : f$i(n - 1) + (int)strlen(getenv("HOME"));
			}
		END
	done
	{
		printf 'objects = '
		seq -f "f%g.o" -s " " 16
		# shellcheck disable=SC2016 # the words are for make
		printf 'all.a: $(objects)\n\tar rcs $@ $^\n'
	} >$place/compile/Makefile
}
work_compile() {
	make -j4 -C $place/compile
}

# A database server and its clients.
prepare_database() {
	mkdir -p $place/database && chown postgres $place/database
	as_postgres initdb --no-sync -D $place/database &&
		as_postgres pg_ctl -w -D $place/database -o '-k /tmp' -l /tmp/database.log start &&
		as_postgres pgbench -h /tmp -i -s 2 postgres
}
work_database() {
	as_postgres pgbench -h /tmp -c 8 -j 2 -T 4 postgres
}
clean_database() {
	as_postgres pg_ctl -D $place/database -m fast stop
}
as_postgres() {
	local program
	program=$(echo /usr/lib/postgresql/*/bin/"$1")
	shift
	setpriv --reuid=postgres --regid=postgres --init-groups "$program" "$@"
}

# A file that is copied through an encrypted connexion, and one that is not.
prepare_copy() {
	mkdir -p /run/sshd /root/.ssh && chmod 700 /root/.ssh
	ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519 &&
		cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
	/usr/sbin/sshd -o PermitRootLogin=yes
	head -c 20M /dev/urandom >$place/copied
}
work_copy() {
	scp -q -o StrictHostKeyChecking=no $place/copied 127.0.0.1:$place/copy
	nc -l -N 127.0.0.1 9000 >$place/copy &
	sleep 0.3
	nc -N 127.0.0.1 9000 <$place/copied
	wait
}

# Writing that waits for the disk.
work_disk() {
	fio --name=disk --directory=$place --rw=randrw --bs=4k --size=32M --numjobs=2 --ioengine=psync --fsync=4 \
		--runtime=3 --time_based --group_reporting
	dd if=/dev/zero of=$place/written bs=256k count=200 conv=fsync
	sync
}

# Shells that start programs as fast as they can.
work_forks() {
	local end=$((SECONDS + 4)) i
	while [ $SECONDS -lt $end ]; do
		for i in 1 2 3 4; do
			sh -c 'i=0; while [ $i -lt 10 ]; do /bin/true; (exit 3); i=$((i + 1)); done' &
		done
		wait
	done
}

# Thousands of threads that wait for one another's locks, with the calls of their functions.
prepare_threads() {
	gcc -O1 -finstrument-functions -pthread -o $place/threads threads.c
}
work_threads() {
	LD_PRELOAD=liblttng-ust-cyg-profile-fast.so $place/threads 3000 40
}

# CPUs that go and come back, under load with priorities of real time.
work_hotplug() {
	stress-ng --quiet --switch 2 --cpu 2 --timer 1 --timeout 5 &
	chrt -f 20 stress-ng --quiet --cpu 1 --cpu-load 40 --timeout 5 &
	local i
	for i in 1 2 3 4; do
		sleep 0.5
		echo 0 >/sys/devices/system/cpu/cpu1/online
		sleep 0.5
		echo 1 >/sys/devices/system/cpu/cpu1/online
	done
	wait
}

# Nearly nothing.
work_idle() {
	sleep 6
}

# More than small buffers can take.
work_lossy() {
	stress-ng --quiet --switch 4 --pipe 2 --timeout 3
	work_forks
}

work_snapshots() {
	stress-ng --quiet --switch 1 --switch-freq 2000 --timeout 2
	lttng snapshot record
	stress-ng --quiet --switch 1 --switch-freq 2000 --timeout 1
	lttng snapshot record
}

work_live() {
	stress-ng --quiet --pipe 1 --pipe-ops 20000 --timeout 4
	work_forks
}
