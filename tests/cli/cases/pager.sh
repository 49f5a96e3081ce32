# On a terminal, tables go through the pager of PAGER, with their heads in bold letters unless NO_COLOR is set; elsewhere
# there is neither.
cat > on_terminal.py <<'END'
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
said = b""
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    said += piece
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
sys.stdout.write(said.decode().replace("\r\n", "\n").replace("\033", "<ESC>"))
print(f"[{status}]")
END
on_terminal() { python3 on_terminal.py "$@"; }
export TERM=xterm PAGER='sed "s/^/paged: /"'
ask=(histree top "$STORE" --columns thread,name -n 2)
on_terminal "${ask[@]}"
NO_COLOR=1 on_terminal "${ask[@]}"
TERM=dumb on_terminal "${ask[@]}"
PAGER= on_terminal "${ask[@]}"
PAGER=cat NO_COLOR=1 on_terminal "${ask[@]}"
"${ask[@]}" | cat

# LESS is FRX unless it is set, and the pager need not read all of it
PAGER='cat > /dev/null; echo "LESS=$LESS"' on_terminal "${ask[@]}"
LESS=-S PAGER='cat > /dev/null; echo "LESS=$LESS"' on_terminal "${ask[@]}"
NO_COLOR=1 PAGER='head -n 2' on_terminal histree states "$STORE" --columns path | sed '$d'

# what is said goes through it, too, and programs' formats have no bold heads
NO_COLOR=1 on_terminal histree top "$STORE" --columns thread
on_terminal histree states "$STORE" --at +1ms nothing
on_terminal histree top "$STORE" --columns thread,name -n 1 --format tsv
NO_COLOR=1 on_terminal histree help | sed -n 1p

# so does a help text, which elsewhere is the same without it
NO_COLOR=1 on_terminal histree top --help >paged
on_terminal histree draw -h | sed -n 1p
PAGER= on_terminal histree top --help >plain
histree top --help >help
sed 's/^paged: //' paged | cmp - plain && sed '$d' plain | cmp - help && sed -n '1p;$p' paged
PAGER='head -n 1' on_terminal histree top --help
