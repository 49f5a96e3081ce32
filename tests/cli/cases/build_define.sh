# Analyses in a file of XML: a history and segments of them, in one pass with others; what is wrong says where.
mkdir definitions
cat >definitions/busy.xml <<'XML'
<tmfxml>
<timeGraphView id="busy.view">
	<head><analysis id="busy" /></head>
	<definedValue name="at work" value="1" color="#118811" />
	<entry path="CPUs/*"><display type="self" /></entry>
</timeGraphView>
<pattern id="busy" version="1">
	<head><label value="Who works" /></head>
	<patternHandler>
		<action id="begin"><stateChange>
			<stateAttribute type="constant" value="CPUs" /><stateAttribute type="eventField" value="cpu" />
			<stateValue type="int" value="1" />
		</stateChange></action>
		<action id="end">
			<stateChange>
				<stateAttribute type="constant" value="CPUs" /><stateAttribute type="eventField" value="cpu" />
				<stateValue type="null" />
			</stateChange>
			<segment>
				<segType><segName><stateValue type="eventField" value="what" /></segName></segType>
				<segContent><segField name="cpu" type="int"><stateValue type="eventField" value="cpu" /></segField></segContent>
			</segment>
		</action>
		<fsm id="work">
			<state id="idle"><transition event="begin" target="busy" action="begin" /></state>
			<state id="busy"><transition event="end" target="done" action="end" /></state>
			<final id="done" />
		</fsm>
	</patternHandler>
</pattern>
</tmfxml>
XML
cat >trace.xml <<'XML'
<trace>
<event timestamp="10" name="begin"><field name="cpu" type="int" value="2" /></event>
<event timestamp="25" name="end"><field name="cpu" type="int" value="2" /><field name="what" type="string" value="sums" /></event>
<event timestamp="30" name="begin"><field name="cpu" type="int" value="0" /></event>
<event timestamp="31" name="other"><field name="cpu" type="int" value="0" /></event>
</trace>
XML
try histree build -q -x definitions -o store trace.xml
histree states store -a busy --format tsv | grep CPUs
histree segments store busy --format tsv
histree states store --at 12 CPUs/2
histree verify store >report && echo verified
sed 's/event="end"/event="end" when="now"/' definitions/busy.xml >wrong.xml
try histree build -q -x wrong.xml -o none trace.xml
try histree build -q -x nothing.xml -o none trace.xml
mkdir empty
try histree build -q -x empty -o none trace.xml
[ ! -e none ]
