// SPDX-License-Identifier: MIT
// cells.js - rectangles by the hundred thousand: written as pixels, for a path of so many takes a second.

const isLittle = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

// A colour of a pixel, from red, green, blue and how opaque it is, 0 to 255 each.
export function pixelColour(red, green, blue, opaque = 255) {
	const bytes = isLittle ? [opaque, blue, green, red] : [red, green, blue, opaque];
	return bytes.reduce((all, byte) => (all << 8 | byte) >>> 0, 0);
}

export class Cells {
	#canvas = document.createElement("canvas");
	#isEmpty = true;

	// Begin a picture of a canvas that fit() has made ready.
	begin({ width, height }, ratio) {
		this.ratio = ratio;
		if (!this.image || this.image.width !== width || this.image.height !== height) {
			Object.assign(this.#canvas, { width, height });
			this.image = new ImageData(width, height);
			this.pixels = new Uint32Array(this.image.data.buffer);
		} else if (!this.#isEmpty) {
			this.pixels.fill(0);
		}
		this.#isEmpty = true;
	}

	// In CSS pixels; what lies outside is cut off, and nothing is narrower than a pixel.
	add(x, y, width, height, colour) {
		const { ratio, image, pixels } = this;
		const left = Math.round(x * ratio), top = Math.round(y * ratio);
		const right = Math.min(Math.max(Math.round((x + width) * ratio), left + 1), image.width);
		const bottom = Math.min(Math.max(Math.round((y + height) * ratio), top + 1), image.height);
		for (let row = Math.max(top, 0); row < bottom; row++)
			for (let at = row * image.width + Math.max(left, 0); at < row * image.width + right; at++)
				pixels[at] = colour;
		this.#isEmpty = false;
	}

	paint(context) {
		if (this.#isEmpty)
			return;
		this.#canvas.getContext("2d").putImageData(this.image, 0, 0);
		context.save();
		context.resetTransform();
		context.drawImage(this.#canvas, 0, 0);
		context.restore();
	}
}
