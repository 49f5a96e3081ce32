# A state machine whose scenarios never end has a limit: each event would be shown to all of them.
histree info --analyses -x /dev/null 2>&1 | grep -q expat && exit 77
machine() {
	cat <<XML
<tmfxml><pattern id="crates" version="1"><patternHandler>
<fsm id="crate" initial="empty" multiple="true" consuming="false">
	<state id="empty"><transition event="packed" target="full" /></state>
	<state id="full"><transition event="$1" target="gone" /></state>
	<final id="gone" />
</fsm>
</patternHandler></pattern></tmfxml>
XML
}
machine never >endless.xml
machine packed >fleeting.xml
{
	echo '<trace>'
	seq -f '<event timestamp="%.0f" name="packed"><field name="cpu" type="int" value="0" /></event>' 1 10100
	echo '</trace>'
} >trace.xml
try histree build -q --publish 1h -x endless.xml -o endless.histree trace.xml
try histree build -q --publish 1h -x fleeting.xml -o fleeting.histree trace.xml
histree verify fleeting.histree
