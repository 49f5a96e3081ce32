# In the bars of CPUs stands who ran then: a number that is used again has the name of the thread that has it.
histree draw "$STORE" -o x.svg 2>&1 | grep -q 'built without' && exit 77
cat >trace.txt <<'END'
# tracer: nop
          <idle>-0     (-----) [000] d..2. 20.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=tinker next_pid=812 next_prio=120
          tinker-812   (  812) [000] d..2. 20.005000: sched_switch: prev_comm=tinker prev_pid=812 prev_prio=120 prev_state=X ==> next_comm=sh next_pid=30 next_prio=120
              sh-30    (   30) [000] d..2. 20.006000: sched_process_fork: comm=sh pid=30 child_comm=sh child_pid=812
              sh-30    (   30) [000] d..2. 20.010000: sched_switch: prev_comm=sh prev_pid=30 prev_prio=120 prev_state=S ==> next_comm=sh next_pid=812 next_prio=120
           smith-812   (  812) [000] d..2. 20.015000: sched_switch: prev_comm=smith prev_pid=812 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
          <idle>-0     (-----) [000] d..2. 20.040000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=sh next_pid=30 next_prio=120
END
# The same with another number, where no name could be mistaken: colours go by number, and names are equal.
sed -e 's/child_pid=812/child_pid=813/' -e 's/comm=sh next_pid=812/comm=sh next_pid=813/' -e 's/smith-812   (  812)/smith-813   (  813)/' \
	-e 's/comm=smith prev_pid=812/comm=smith prev_pid=813/' trace.txt >other.txt
for name in trace other; do
	histree build -q $name.txt -o $name
	histree draw $name --view resources --title CPUs --size 600 -o $name.svg
	grep href $name.svg >$name.glyphs
done
cmp trace.glyphs other.glyphs && wc -l <trace.glyphs | grep -vc '^0$'
