// The page's colours for pictures on a canvas, which takes none from it.

/** What a variable such as `--ink` stands for where `target` is, as a colour that a canvas knows. */
export function colorOf(target: HTMLElement, variable: string): string {
  target.style.color = `var(${variable})`;
  const { color } = getComputedStyle(target);
  target.style.color = '';
  return color;
}
