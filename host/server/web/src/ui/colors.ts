// The page's colours for canvases, which cannot use CSS variables.

/** The value of a CSS colour variable, such as `--text`, at an element, in a form that a canvas accepts. */
export function resolveColor(target: HTMLElement, variable: string): string {
  target.style.color = `var(${variable})`;
  const { color } = getComputedStyle(target);
  target.style.color = '';
  return color;
}
