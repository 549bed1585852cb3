// Many drawings of a board that differ little, packed: each piece of markup once, each drawing as a list of numbers.
// And the script of the exported page, which unpacks them.

export interface Packed {
  pieces: string[];
  frames: number[][];
}

/** Cuts markup before each tag, so that equal cells of a board become equal pieces. */
function piecesOf(markup: string): string[] {
  return markup.split(/(?=<)/);
}

export function packFrames(frames: string[]): Packed {
  const numbers = new Map<string, number>();
  const packed = frames.map((frame) =>
    piecesOf(frame).map((piece) => {
      const known = numbers.get(piece);
      if (known !== undefined) {
        return known;
      }
      numbers.set(piece, numbers.size);
      return numbers.size - 1;
    }),
  );
  return { pieces: [...numbers.keys()], frames: packed };
}

export function unpackFrame({ pieces, frames }: Packed, n: number): string {
  return (frames[n] ?? []).map((piece) => pieces[piece] ?? '').join('');
}

/** JSON that no text in it can end: a `<` is written as its number. */
export function scriptText(value: unknown): string {
  return JSON.stringify(value).replace(/</g, '\\u003c').replace(/\u2028/g, '\\u2028').replace(/\u2029/g, '\\u2029');
}

/** What runs in the exported page. Drawings are parsed as XML, which runs nothing. */
export const PLAYER_SCRIPT = `
const data = JSON.parse(document.getElementById('frames').textContent);
const board = document.getElementById('board');
const items = [...document.querySelectorAll('#moves button')];
let at = data.frames.length - 1;
function show(n) {
  at = Math.max(0, Math.min(data.frames.length - 1, n));
  const text = data.frames[at].map((piece) => data.pieces[piece]).join('');
  const drawing = new DOMParser().parseFromString(text, 'application/xhtml+xml').documentElement;
  board.replaceChildren(document.importNode(drawing, true));
  document.getElementById('where').textContent = at + ' / ' + (data.frames.length - 1);
  items.forEach((item, i) => i + 1 === at ? item.setAttribute('aria-current', 'step') : item.removeAttribute('aria-current'));
}
document.getElementById('first').onclick = () => show(0);
document.getElementById('back').onclick = () => show(at - 1);
document.getElementById('forward').onclick = () => show(at + 1);
document.getElementById('last').onclick = () => show(data.frames.length - 1);
items.forEach((item) => item.onclick = () => show(Number(item.dataset.ply)));
addEventListener('keydown', (event) => {
  if (event.key === 'ArrowLeft') show(at - 1);
  if (event.key === 'ArrowRight') show(at + 1);
});
show(at);
`;
