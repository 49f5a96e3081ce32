// SPDX-License-Identifier: MIT
#include "draw/flame_svg.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "draw/picture_text.h"

/* A letter of labels, which are monospaced so that their width is known without a font. */
static const double LETTER = 6.05;
enum { LABEL_SIZE = 10, LABEL_MARGIN = 3 };

static void flush(struct flame_svg *svg)
{
	svg->has_failed = svg->has_failed || !svg->write(svg->context, svg->bytes, svg->used);
	svg->used = 0;
}

static void put(struct flame_svg *svg, const char *text, size_t size)
{
	if (svg->used + size > sizeof(svg->bytes))
		flush(svg);
	memcpy(svg->bytes + svg->used, text, size);
	svg->used += size;
}

__attribute__((format(printf, 2, 3))) static void put_format(struct flame_svg *svg, const char *format, ...)
{
	char text[512];
	va_list arguments;
	va_start(arguments, format);
	int size = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	put(svg, text, size < (int)sizeof(text) ? (size_t)size : sizeof(text) - 1);
}

/* Clean text, in which nothing is markup. */
static void put_text(struct flame_svg *svg, const char *text)
{
	for (; *text != '\0'; text++)
		switch (*text) {
		case '<':
			put(svg, "&lt;", 4);
			break;
		case '>':
			put(svg, "&gt;", 4);
			break;
		case '&':
			put(svg, "&amp;", 5);
			break;
		default:
			put(svg, text, 1);
		}
}

void flame_svg_begin(struct flame_svg *svg, uint32_t width, uint32_t height)
{
	put_format(svg,
		   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\">\n",
		   width, height, width, height);
	put_format(svg, "<style>text{font:%dpx monospace} rect:hover{stroke:#%06x;stroke-width:1.5}</style>\n",
		   LABEL_SIZE, svg->theme->text);
	put_format(svg, "<rect width=\"%u\" height=\"%u\" fill=\"#%06x\"/>\n", width, height, svg->theme->ground);
}

static size_t count_characters(const char *text)
{
	size_t count = 0;
	for (; *text != '\0'; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

static void put_label(struct flame_svg *svg, const struct flame_box *box)
{
	char label[CLEAN_TEXT_SIZE];
	const double room = (box->width - 2 * LABEL_MARGIN) / LETTER;
	clean_text(label, box->label);
	size_t characters = count_characters(label), length = strlen(label);
	if (room < 3 || characters == 0)
		return;
	const bool is_cut = (double)characters > room;
	for (; is_cut && (double)characters > room - 1; characters--)
		length = clean_text_cut(label, length);
	label[length] = '\0';
	put_format(svg, "<text x=\"%.2f\" y=\"%.2f\" fill=\"#%06x\" pointer-events=\"none\">",
		   box->x + LABEL_MARGIN, box->y + box->height / 2 + 3.5, readable_on(box->colour));
	put_text(svg, label);
	put_format(svg, "%s</text>", is_cut ? "\u2026" : "");
}

void flame_svg_box(struct flame_svg *svg, const struct flame_box *box)
{
	char title[CLEAN_TEXT_SIZE];
	clean_text(title, box->title);
	put_format(svg, "<g><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\"/><title>",
		   box->x, box->y, box->width, box->height, box->colour);
	put_text(svg, title);
	put_format(svg, "</title>");
	put_label(svg, box);
	put_format(svg, "</g>\n");
}

void flame_svg_text(struct flame_svg *svg, enum canvas_font font, double x, double y, const char *text)
{
	char clean[CLEAN_TEXT_SIZE];
	clean_text(clean, text);
	put_format(svg, "<text x=\"%.2f\" y=\"%.2f\" fill=\"#%06x\" style=\"font:%s sans-serif\">", x, y,
		   font == FONT_TITLE ? svg->theme->text : svg->theme->soft_text,
		   font == FONT_TITLE ? "bold 15px" : "10.5px");
	put_text(svg, clean);
	put_format(svg, "</text>\n");
}

bool flame_svg_end(struct flame_svg *svg)
{
	put_format(svg, "</svg>\n");
	flush(svg);
	return !svg->has_failed;
}
