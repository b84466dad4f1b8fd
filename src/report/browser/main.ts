/** What makes a page answer: charts that can be changed and asked, tips, themes, copying. */
import type { PageData } from '../html-report/types.js';
import { ChartPart } from './chart-part.js';
import { allOf, listen } from './dom.js';
import { copyButtons, themeButton } from './page-parts.js';
import { Tip } from './tip.js';

function start(): void {
  document.documentElement.classList.add('js');
  const tip = new Tip();
  themeButton();
  copyButtons();
  listen(document.body, 'pointerover', (event) => {
    const marked = event.target instanceof Element ? event.target.closest('[data-tip]') : null;
    if (marked) tip.text(marked.getAttribute('data-tip') ?? '', event.pageX, event.pageY);
  });
  listen(document.body, 'pointerout', (event) => {
    if (event.target instanceof Element && event.target.closest('[data-tip]')) tip.hide();
  });
  const text = document.getElementById('data')?.textContent ?? '';
  const { groups = [] } = JSON.parse(text === '' ? '{}' : text) as Partial<PageData>;
  for (const group of groups)
    for (const section of allOf(document, 'section')) if (section.id === group.id) new ChartPart(section, group, tip);
}

start();
