/** Figures of rows that no line joins: one bar each. */
import { seriesColour } from './colours.js';
import { shortNumber } from './numbers.js';
import { sizeText } from './panels.js';
import { label, MARGIN, PAGE_WIDTH, textWidth, unitText, type Block } from './svg-parts.js';
import type { Panel } from './types.js';
import { element } from './xml.js';

const TITLE_HEIGHT = 34;
const ROW_HEIGHT = 26;
const BAR_HEIGHT = 16;
const FONT = 12;
/** Room for the value behind the longest bar. */
const VALUE_WIDTH = 110;

export function barsBlock({ title, unit, series, ordinal }: Panel): Block {
  const bars = series.flatMap(({ name, points }, index) =>
    points.map(({ size, value }) => ({
      name: size === null ? name : `${sizeText(size)}: ${name}`,
      value,
      colour: seriesColour(index, series.length, ordinal),
    })),
  );
  const most = Math.max(...bars.map(({ value }) => value));
  const left = MARGIN + Math.max(...bars.map(({ name }) => textWidth(name, FONT))) + 12;
  const room = Math.max(100, PAGE_WIDTH - MARGIN - left - VALUE_WIDTH);
  const heading = title === unit ? title : `${title} (${unitText(unit)})`;
  const content = bars.map(({ name, value, colour }, index) => {
    const top = TITLE_HEIGHT + index * ROW_HEIGHT;
    const width = most > 0 ? Math.max(0, (value / most) * room) : 0;
    const base = top + BAR_HEIGHT - 4;
    return [
      label(left - 8, base, name, { anchor: 'end', size: FONT }),
      element('rect', { x: left, y: top, width, height: BAR_HEIGHT, fill: colour }),
      label(left + width + 6, base, `${shortNumber(value)} ${unitText(unit)}`, { size: FONT }),
    ].join('');
  });
  return {
    height: TITLE_HEIGHT + bars.length * ROW_HEIGHT + 24,
    content: label(MARGIN, 18, heading, { size: 16, bold: true }) + content.join(''),
  };
}
