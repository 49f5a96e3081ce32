# A state machine of XML begins with its <initialState>, whatever its attribute and its <initial> say.
machine() {
	cat > $1.xml <<END
<?xml version="1.0" encoding="UTF-8"?>
<tmfxml><pattern version="1" id="$1"><head><traceType id="org.eclipse.linuxtools.lttng2.kernel.tracetype"/>
<label value="$1"/></head><patternHandler>
<test id="is-switch"><if><condition><field name="prev_pid"/><stateValue type="int" value="0"/></condition></if></test>
<action id="mark"><stateChange><stateAttribute type="constant" value="began"/>
<stateValue type="string" value="$1"/></stateChange></action>
<fsm id="m" multiple="false" $2>$3<state id="other"><transition event="*" target="other"/></state></fsm>
</patternHandler></pattern></tmfxml>
END
}
ready='<initialState><transition event="*" target="other" action="mark"/></initialState>'
machine alone "" "$ready"
machine attribute 'initial="other"' "$ready"
machine element "" "<initial><transition target=\"other\"/></initial>$ready"
machine none 'initial="other"' ""
for name in alone attribute element none; do
	try histree build -q -x $name.xml -o $name.store "$DATA/demo-trace"
	try histree states $name.store -a $name --at +20ms began
done
