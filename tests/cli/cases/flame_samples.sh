# Samples of perf with their stacks: built by default, added up by thread, process, CPU and event, counted, compared; what is missing.
S=$DATA/perf-samples
if histree build -q -o no.histree $S/samples.data 2>&1 | grep -q "built without lib"; then exit 77; fi
try histree build -q --symbols $S/root --symbols $S/kallsyms -o app.histree $S/samples.data
histree info app.histree | grep -E '^(analysis|segment count|warning)'
try histree flame app.histree
try histree flame app.histree --event page-faults
try histree flame app.histree --event cpu-clock --count --by thread --format tsv
try histree flame app.histree --event cpu-clock --folded --by process --from +1ms --to +2ms
try histree flame app.histree --event cpu-clock --folded --by cpu --where 'thread == drawer'
try histree flame app.histree --event cpu-clock 102 --format json --to +0.5ms
try histree flame app.histree --event cycles
try histree flame app.histree --by-cpu --by-thread
try histree flame app.histree thread
try histree flame "$STORE" --by cpu
try histree compare --flame app.histree app.histree --to +2ms --from-b +2ms --where 'event == cpu-clock'
try histree compare --flame app.histree app.histree --where 'event == cpu-clock || event == page-faults' --to +0ns
try histree segments app.histree samples --where 'name == parse' --format tsv
try histree segments app.histree sample-stacks --format tsv
try histree segments app.histree samples --by name --format csv
histree report app.histree | sed -n '/^Samples/,/flame/p'
# Without the table of the kernel, without names, and without stacks.
try histree build -q --symbols $S/root -o kernel.histree $S/samples.data
histree flame kernel.histree --event cpu-clock --folded --by process | grep shell
try histree build -q --symbols none -o none.histree $S/samples.data
try histree flame none.histree --event cpu-clock --folded
try histree build -q --symbols . -o lacks.histree -a samples $S/samples.data
try histree flame lacks.histree
try histree build -q -a samples -o demo.histree $DATA/demo-trace
try histree segments none.histree samples --where 'start == +1us && cpu == 0' --format json
histree draw "$STORE" -o probe.svg 2>&1 | grep -q 'built without cairo' && exit
histree flame app.histree --event page-faults -o flame.svg
grep -o '<title>[^<]*</title>' flame.svg
histree sql "$STORE" 'SELECT 1' 2>&1 | grep -q 'built without' && exit
histree sql app.histree 'with recursive paths(stack, path) as (select stack, name from sample_stacks where parent is null
	union all select one.stack, path || ";" || name from sample_stacks one join paths on one.parent = paths.stack)
	select path, count(*) from samples join paths using (stack) group by path order by 2 desc limit 2' --format tsv
