# Traces of two hosts are a store of two; those of one host are one, of the kernel and of user space together.
copy() {
	cp -r "$DATA/$1" "$2"
	chmod -R u+w "$2"
}
copy ctf-calls one
copy ctf-calls other
mkdir both
cp -r one both/one
sed -i 's/"somewhere"/"elsewhere"/' other/metadata
cp -r other both/other
try histree build -q -o x.histree one other
find x.histree | sort
try histree build -o x.histree both
try histree build -q -f -o x.histree both
histree info --attributes x.histree
ls -A
try histree build -q -f -o x.histree one "$DATA/ctf-made" | grep -v warning:
find x.histree | sort

echo "what does not say whose it is may be of any host"
sed -i '/hostname/d' other/metadata
try histree build -q -f -o x.histree one other | grep -v warning:

echo "containers of one machine have names of their own"
copy ctf-calls container
sed -i 's/"somewhere"/"container"/' container/metadata
sed -i 's/name = "monotonic";/&\n\tuuid = "08b6af6c-97a8-449a-8c0b-c5612364a1c7";/' one/metadata container/metadata
try histree build -q -f -o x.histree one container | grep -v warning:

echo "two hosts of one name run at the same time, two starts of one host do not"
copy ctf-calls another
sed -i 's/name = "monotonic";/&\n\tuuid = "18b6af6c-97a8-449a-8c0b-c5612364a1c7";/' another/metadata
try histree build -q -f -o x.histree one another | grep -v warning:
histree info --attributes x.histree '*'
sed -i 's/offset_s = 1000/offset_s = 2000/' another/metadata
try histree build -q -f -o x.histree one another | grep -v warning:
find x.histree | sort

echo "a host need not have what another one has"
cp -r "$DATA/demo-trace" kernel
try histree build -q -f -a kernel,ust-calls,irqs,tracks -o x.histree --host-dir one=one --host-dir two=kernel
find x.histree -name '*.s*' | sort
histree info --attributes x.histree '*'
histree info --attributes -a ust-calls x.histree '*'
histree info x.histree | grep applies
try histree copy --rebuild -q x.histree
find x.histree -name '*.s*' | sort
