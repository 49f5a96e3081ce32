# Segments, events and SQL of a store of several hosts, and of one that has lost a host.
cp -r $DATA/demo-trace copy
build="histree build -q -a kernel,system-calls -o two.histree --clock none --host-dir a=$DATA/demo-trace --host-dir b/c=copy"
$build 2>&1 | grep -v warning
histree segments two.histree system-calls --limit 3 --format tsv
histree segments two.histree system-calls --where 'host == "b/c"' --sort duration -r --limit 2 --format tsv
histree segments two.histree system-calls --sort host -r --limit 1 --format tsv
histree segments two.histree system-calls --by host --format tsv | cut -f 1-4
histree segments --histogram two.histree system-calls --by host --format tsv | head -3
echo pairs: $(histree segments --join two.histree system-calls '**' --on tid --format tsv | wc -l) \
	$(histree segments --join two.histree/hosts/a system-calls '**' --on tid --format tsv | wc -l)
histree events two.histree --limit 3 --format tsv | cut -f 1-5
histree events two.histree --where 'host == "b/c" && type matches sys_enter' --limit 2 --format tsv | cut -f 1-5
histree export two.histree -a system-calls --columns start,name,host --format csv | head -3
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
try histree segments --by name two.histree system-calls --where 'host == d && name == read'
try histree top two.histree --where 'host == d'
# What is missing of a host is said, unless nobody asks for it.
mv two.histree/hosts/b%2Fc gone
try histree segments two.histree system-calls --limit 2 --format tsv
try histree segments two.histree system-calls --where 'host == a' --limit 2 --format tsv
try histree segments two.histree system-calls --by host --format tsv | cut -f 1-4
try histree events two.histree --limit 1 --format tsv
try histree sql two.histree 'SELECT host, count(*) FROM system_calls GROUP BY 1' --format tsv
try histree sql two.histree "SELECT count(*) FROM system_calls WHERE host = 'a'" --format tsv
try histree sql two.histree 'SELECT host, count(*) FROM events GROUP BY 1' --format tsv
