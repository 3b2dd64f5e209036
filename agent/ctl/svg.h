/* A picture as SVG within a page: as wide as there is room, its texts as large
 * as they are anywhere, so that it can be read on a telephone.
 */
#pragma once

struct html;
struct chart;

void svg_plot(const struct html *page, const struct chart *p);
