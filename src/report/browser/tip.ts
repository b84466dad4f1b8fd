/** The box that follows the pointer. */
import { fill } from './dom.js';

const AWAY = 16;

export class Tip {
  readonly #box = document.createElement('div');

  constructor() {
    this.#box.className = 'tip';
    this.#box.hidden = true;
    this.#box.setAttribute('role', 'status');
    document.body.append(this.#box);
  }

  text(text: string, x: number, y: number): void {
    this.#box.textContent = text;
    this.#place(x, y);
  }

  /** `html`: with all text in it escaped. */
  html(html: string, x: number, y: number): void {
    fill(this.#box, html);
    this.#place(x, y);
  }

  hide(): void {
    this.#box.hidden = true;
  }

  /** Beside the pointer, on the side that has room. */
  #place(x: number, y: number): void {
    this.#box.hidden = false;
    const { width, height } = this.#box.getBoundingClientRect();
    const right = window.scrollX + document.documentElement.clientWidth;
    const bottom = window.scrollY + document.documentElement.clientHeight;
    const left = x + AWAY + width > right ? Math.max(window.scrollX, x - AWAY - width) : x + AWAY;
    const top = y + AWAY + height > bottom ? Math.max(window.scrollY, y - AWAY - height) : y + AWAY;
    this.#box.style.left = `${left}px`;
    this.#box.style.top = `${top}px`;
  }
}
