// SPDX-License-Identifier: MIT
// tip.js - a few words next to the pointer.

const tip = document.getElementById("tip");

// Rows of (what, value) below a title; `colour` of its swatch may be absent.
export function showTip(event, title, rows, colour) {
	const head = document.createElement("b");
	if (colour)
		head.append(Object.assign(document.createElement("i"), { style: `background: ${colour}` }));
	head.append(title);
	const table = document.createElement("table");
	for (const [what, value] of rows) {
		const row = table.insertRow();
		row.append(Object.assign(document.createElement("th"), { textContent: what }));
		row.insertCell().textContent = value;
	}
	tip.replaceChildren(head, table);
	tip.hidden = false;
	const { offsetWidth: width, offsetHeight: height } = tip;
	tip.style.left = `${Math.min(event.clientX + 14, innerWidth - width - 8)}px`;
	tip.style.top = `${event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18}px`;
}

export function hideTip() {
	tip.hidden = true;
}
