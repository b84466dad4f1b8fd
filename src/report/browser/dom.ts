/** Small helpers around the page's elements. */

/** Elements below `root`. */
export function allOf(root: ParentNode, selector: string): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>(selector)];
}

/** The first element below `root`; the page was built with it. */
export function one(root: ParentNode, selector: string): HTMLElement {
  const found = root.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

export function listen<K extends keyof HTMLElementEventMap>(
  target: HTMLElement,
  event: K,
  handle: (event: HTMLElementEventMap[K]) => void,
): void {
  target.addEventListener(event, handle);
}

/** `html` is ours, with all text in it escaped; scripts in it would not run either. */
export function fill(element: Element, html: string): void {
  element.innerHTML = html;
}
