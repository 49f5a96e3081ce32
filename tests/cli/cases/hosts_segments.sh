# Segments, events and SQL of a store of several hosts, and of one that has lost a host.
cp -r $DATA/demo-trace copy
build="histree build -q -a kernel,system-calls -o two.histree --clock none --host a=$DATA/demo-trace --host b/c=copy"
$build 2>&1 | grep -v warning
histree segments two.histree system-calls --top 3 --format tsv
histree segments two.histree system-calls --where 'host == "b/c"' --sort duration -r --top 2 --format tsv
histree segments two.histree system-calls --sort host -r --top 1 --format tsv
histree stats two.histree system-calls --by host --format tsv | cut -f 1-4
histree density two.histree system-calls --by host --format tsv | head -3
echo pairs: $(histree join two.histree system-calls '**' --by tid --format tsv | wc -l) \
	$(histree join two.histree/hosts/a system-calls '**' --by tid --format tsv | wc -l)
histree events two.histree --top 3 --format tsv | cut -f 1-5
histree events two.histree --where 'host == "b/c" && type matches sys_enter' --top 2 --format tsv | cut -f 1-5
histree export two.histree --segments system-calls --columns start,name,host --format csv | head -3
histree export two.histree --events --format csv | head -3
try histree export two.histree --format chrome -o two.json
histree sql two.histree 'SELECT host, count(*), max(duration) FROM system_calls GROUP BY 1' --format tsv
histree sql two.histree "SELECT host, count(*), count(DISTINCT name) FROM events GROUP BY 1" --format tsv
histree sql two.histree "SELECT host, path FROM attributes WHERE path GLOB '*CPUs/0'" --format tsv
histree sql two.histree "SELECT * FROM cpu_usage((SELECT value FROM info WHERE name = 'start'),
	(SELECT value FROM info WHERE name = 'end')) LIMIT 3" --format tsv
histree sql two.histree "SELECT host, count(*) FROM states GROUP BY 1" --format tsv
# A host that there is not.
try histree segments two.histree system-calls --where 'host == d'
try histree stats two.histree system-calls --where 'host == d && name == read'
try histree top two.histree --where 'host == d'
# What is missing of a host is said, unless nobody asks for it.
mv two.histree/hosts/b%2Fc gone
try histree segments two.histree system-calls --top 2 --format tsv
try histree segments two.histree system-calls --where 'host == a' --top 2 --format tsv
try histree stats two.histree system-calls --by host --format tsv | cut -f 1-4
try histree events two.histree --top 1 --format tsv
try histree sql two.histree 'SELECT host, count(*) FROM system_calls GROUP BY 1' --format tsv
try histree sql two.histree "SELECT count(*) FROM system_calls WHERE host = 'a'" --format tsv
try histree sql two.histree 'SELECT host, count(*) FROM events GROUP BY 1' --format tsv
