// SPDX-License-Identifier: MIT
// log_scale.js - positive numbers on a logarithmic axis.

export class LogScale {
	// From `low` to `high`, 0 < low, onto pixels from `begin` to `end`.
	constructor(low, high, begin, end) {
		Object.assign(this, { low: Math.log10(low), begin, end });
		this.width = Math.max(Math.log10(high) - this.low, 1e-9);
	}

	at(number) {
		return this.begin + (Math.log10(Math.max(number, 1e-300)) - this.low) / this.width * (this.end - this.begin);
	}

	numberAt(position) {
		return 10 ** (this.low + (position - this.begin) / (this.end - this.begin) * this.width);
	}

	// Powers of ten; and twos and fives between them, where there is room for 40 pixels each.
	get ticks() {
		const room = Math.abs(this.end - this.begin) / this.width;
		const factors = room > 160 ? [1, 2, 5] : [1];
		const every = Math.max(1, Math.ceil(30 / room));
		const found = [];
		for (let power = Math.floor(this.low); power <= this.low + this.width; power++)
			for (const factor of factors) {
				const tick = factor * 10 ** power, log = Math.log10(tick);
				if (log >= this.low - 1e-9 && log <= this.low + this.width + 1e-9 && power % every === 0)
					found.push(tick);
			}
		return found;
	}
}
