/** One chart of the page: draws it anew when something else is to be shown, and answers the pointer. */
import { PAGE_WIDTH } from '../plot/svg-parts.js';
import type { Drawing, Spot } from '../html-report/chart.js';
import { chosenAt, detailHtml } from '../html-report/detail.js';
import { chartOf, keyOf } from '../html-report/draw.js';
import { usualView } from '../html-report/measures.js';
import { tipHtml } from '../html-report/tip.js';
import type { PageGroup, PagePoint, View } from '../html-report/types.js';
import { allOf, fill, listen, one } from './dom.js';
import type { Tip } from './tip.js';
import { nearest, zoomed } from './spots.js';

const SVG = 'http://www.w3.org/2000/svg';
/** Pixels of a drag that is no click. */
const DRAG = 8;

export class ChartPart {
  readonly #section: HTMLElement;
  readonly #group: PageGroup;
  readonly #tip: Tip;
  readonly #chart: HTMLElement;
  readonly #detail: HTMLElement;
  #view: View;
  #drawing: Drawing;
  #picked: string | undefined;
  #dragFrom: number | undefined;
  #cursor: SVGElement | undefined;
  /** Where the keyboard stands. */
  #at: number | undefined;

  constructor(section: HTMLElement, group: PageGroup, tip: Tip) {
    this.#section = section;
    this.#group = group;
    this.#tip = tip;
    this.#chart = one(section, '.chart');
    this.#detail = one(section, '.detail');
    this.#view = usualView(group);
    this.#drawing = chartOf(group, this.#view);
    this.#listenToControls();
    this.#listenToPointer();
    this.#listenToKeys();
  }

  #change(changes: Partial<View>): void {
    const { zoom, ...view } = { ...this.#view, ...changes };
    this.#view = zoom ? { ...view, zoom } : view;
    this.#drawing = chartOf(this.#group, this.#view);
    this.#cursor = undefined;
    fill(this.#chart, this.#drawing.svg);
    for (const button of allOf(this.#section, '.whole')) button.hidden = zoom === undefined;
    if (this.#picked !== undefined) this.#pick(this.#picked);
  }

  #unzoom(): void {
    const view: View & { zoom?: unknown } = { ...this.#view };
    delete view.zoom;
    this.#view = view;
    this.#change({});
  }

  #listenToControls(): void {
    for (const select of allOf(this.#section, 'select'))
      listen(select, 'change', () => {
        if (select instanceof HTMLSelectElement) this.#change({ measure: select.value });
      });
    for (const box of allOf(this.#section, '.controls input'))
      listen(box, 'change', () => {
        if (box instanceof HTMLInputElement) this.#change({ [box.name]: box.checked });
      });
    for (const button of allOf(this.#section, '.whole')) listen(button, 'click', () => { this.#unzoom(); }); // prettier-ignore
    for (const key of allOf(this.#section, '.legend button')) this.#listenToKey(key);
    for (const row of allOf(this.#section, 'tr.pick'))
      listen(row, 'click', () => { this.#pick(row.dataset['key'] ?? ''); }); // prettier-ignore
  }

  /** A click hides or shows a series; the pointer on it makes the others faint. */
  #listenToKey(key: HTMLElement): void {
    const series = Number(key.dataset['series']);
    listen(key, 'click', () => {
      const { hidden } = this.#view;
      const without = hidden.filter((index) => index !== series);
      const shown = without.length < hidden.length;
      key.setAttribute('aria-pressed', String(shown));
      this.#change({ hidden: shown ? without : [...hidden, series] });
    });
    listen(key, 'pointerenter', () => {
      for (const drawn of allOf(this.#chart, '[data-series]'))
        drawn.classList.toggle('dim', drawn.getAttribute('data-series') !== String(series));
    });
    listen(key, 'pointerleave', () => {
      for (const drawn of allOf(this.#chart, '.dim')) drawn.classList.remove('dim');
    });
  }

  #listenToPointer(): void {
    listen(this.#chart, 'pointermove', (event) => {
      const [x] = this.#placeOf(event);
      if (this.#dragFrom !== undefined) this.#drawBox(this.#dragFrom, x);
      else this.#hover(event);
    });
    listen(this.#chart, 'pointerleave', () => {
      this.#dragFrom = undefined;
      this.#tip.hide();
      this.#mark(undefined);
    });
    listen(this.#chart, 'pointerdown', (event) => {
      if (event.button === 0 && event.pointerType === 'mouse') this.#dragFrom = this.#placeOf(event)[0];
      event.preventDefault();
    });
    listen(this.#chart, 'pointerup', (event) => {
      const from = this.#dragFrom;
      this.#dragFrom = undefined;
      const [x] = this.#placeOf(event);
      if (from !== undefined && Math.abs(x - from) > DRAG) this.#zoomTo(from, x);
      else this.#click(event);
    });
    listen(this.#chart, 'dblclick', () => { this.#unzoom(); }); // prettier-ignore
  }

  /** Arrows go from size to size, Enter shows the samples, Escape all sizes. */
  #listenToKeys(): void {
    listen(this.#chart, 'keydown', (event) => {
      const sizes = [...new Set(this.#drawing.spots.map(({ size }) => size))].sort((a, b) => a - b);
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step !== undefined && sizes.length > 0) {
        const next = this.#at === undefined ? 0 : Math.max(0, sizes.indexOf(this.#at)) + step;
        this.#at = sizes[Math.min(sizes.length - 1, Math.max(0, next))];
        const spot = this.#drawing.spots.find(({ size }) => size === this.#at);
        if (spot) this.#show(spot, ...this.#pageOf(spot));
        event.preventDefault();
      } else if (event.key === 'Enter' && this.#at !== undefined) this.#pick(String(this.#at));
      else if (event.key === 'Escape') this.#unzoom();
    });
    listen(this.#chart, 'blur', () => { this.#tip.hide(); this.#mark(undefined); }); // prettier-ignore
  }

  #hover(event: PointerEvent): void {
    if (event.target instanceof Element && event.target.closest('[data-tip]')) return;
    const spot = nearest(this.#drawing.spots, ...this.#placeOf(event));
    if (spot) this.#show(spot, event.pageX, event.pageY);
  }

  #show(spot: Spot, x: number, y: number): void {
    this.#mark(spot);
    this.#tip.html(tipHtml(this.#group, this.#view, spot.size), x, y);
  }

  #click(event: PointerEvent): void {
    const spot = nearest(this.#drawing.spots, ...this.#placeOf(event));
    if (spot) this.#pick(String(spot.size));
    else this.#pickBar(event.target);
  }

  #pickBar(target: EventTarget | null): void {
    const bar = target instanceof Element ? target.closest('.point') : null;
    const series = bar?.closest('[data-series]')?.getAttribute('data-series');
    const point = this.#group.series[Number(series)]?.points[Number(bar?.getAttribute('data-point'))];
    if (bar && point) this.#pick(keyOf(point));
  }

  /** Shows the samples behind a point, and marks its row. */
  #pick(key: string): void {
    const point = this.#pointOf(key);
    if (!point) return;
    this.#picked = key;
    for (const row of allOf(this.#section, 'tr.pick')) row.classList.toggle('picked', row.dataset['key'] === key);
    fill(this.#detail, detailHtml(this.#group, chosenAt(this.#group, point, this.#view.hidden)));
  }

  #pointOf(key: string): PagePoint | undefined {
    return this.#group.series.flatMap(({ points }) => points).find((point) => keyOf(point) === key);
  }

  #zoomTo(from: number, to: number): void {
    const zoom = zoomed(this.#drawing.spots, from, to);
    if (zoom) this.#change({ zoom });
    else this.#mark(undefined);
  }

  #mark(spot: Spot | undefined): void {
    if (!spot) return this.#replaceCursor(undefined);
    const line = document.createElementNS(SVG, 'path');
    line.setAttribute('class', 'cursor');
    line.setAttribute('d', `M${spot.x} 14V${this.#drawing.height - 52}`);
    return this.#replaceCursor(line);
  }

  #drawBox(from: number, to: number): void {
    const box = document.createElementNS(SVG, 'rect');
    box.setAttribute('class', 'box');
    const area = { x: Math.min(from, to), y: 14, width: Math.abs(to - from), height: this.#drawing.height - 66 };
    for (const [name, value] of Object.entries(area)) box.setAttribute(name, String(value));
    this.#replaceCursor(box);
  }

  #replaceCursor(mark: SVGElement | undefined): void {
    this.#cursor?.remove();
    this.#cursor = mark;
    if (mark) this.#chart.querySelector('svg')?.append(mark);
  }

  /** From the window's to the drawing's lengths. */
  #placeOf({ clientX, clientY }: PointerEvent): readonly [x: number, y: number] {
    const { left, top, width } = this.#chart.getBoundingClientRect();
    const scale = PAGE_WIDTH / Math.max(1, width);
    return [(clientX - left) * scale, (clientY - top) * scale];
  }

  #pageOf({ x, y }: Spot): readonly [x: number, y: number] {
    const { left, top, width } = this.#chart.getBoundingClientRect();
    const scale = width / PAGE_WIDTH;
    return [window.scrollX + left + x * scale, window.scrollY + top + y * scale];
  }
}
