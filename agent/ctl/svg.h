/* A picture as SVG in a page: as wide as there is room, with text of the page's
 * normal size, so that it can be read on a phone.
 */
#pragma once

struct html;
struct chart;

void svg_plot(const struct html *page, const struct chart *p);
