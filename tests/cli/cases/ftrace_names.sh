# A thread that no switch names has the name that stands in its lines, if one does.
cat >irq.txt <<'EOT'
# tracer: nop
          <idle>-0       [000] d.h1.    1.000000: irq_handler_entry: irq=5 name=disk
          <idle>-0       [000] d.h1.    1.000100: irq_handler_exit: irq=5 ret=handled
       my prog-42        [001] d.h1.    1.000200: irq_handler_entry: irq=5 name=disk
       my prog-42        [001] d.h1.    1.000300: irq_handler_exit: irq=5 ret=handled
           <...>-43      [002] ..s1.    1.000400: softirq_entry: vec=1 [action=TIMER]
           <...>-43      [002] ..s1.    1.000500: softirq_exit: vec=1 [action=TIMER]
            last-44      [003] ..s1.    1.000600: softirq_entry: vec=1 [action=TIMER]
            last-44      [003] ..s1.    1.000700: softirq_exit: vec=1 [action=TIMER]
            last-44      [003] d..2.    1.000800: sched_switch: prev_comm=first prev_pid=44 prev_prio=120 prev_state=S ==> next_comm=swapper/3 next_pid=0 next_prio=120
EOT
histree build -q irq.txt -o irq
histree states irq --format tsv | grep -E '^Threads/[0-9]+(/Exec_name)?	'
