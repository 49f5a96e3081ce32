# Without --output a store is made here and named after the trace.
cp -r "$DATA/demo-trace" trace.d
histree build -q trace.d/ && ls && rm -r trace.d.histree
histree build -q "$PWD/trace.d" && ls && rm -r trace.d.histree
cd trace.d && histree build -q . && ls -d *.histree && rm -r trace.d.histree
mkdir ../elsewhere && cd ../elsewhere && histree build -q ../trace.d/. && ls
