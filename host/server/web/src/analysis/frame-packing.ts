// Packs many similar drawings of a board: each distinct piece of markup once, each drawing as a list of piece indices.
// Also the script of the exported page, which unpacks them.

export interface PackedFrames {
  pieces: string[];
  /** The indices in `pieces` of each frame. */
  frames: number[][];
}

/** Splits markup before each tag, so that equal cells of a board become equal pieces. */
function splitMarkup(markup: string): string[] {
  return markup.split(/(?=<)/);
}

export function packFrames(frames: string[]): PackedFrames {
  const indices = new Map<string, number>();
  const packed = frames.map((frame) =>
    splitMarkup(frame).map((piece) => {
      const index = indices.get(piece);
      if (index !== undefined) {
        return index;
      }
      indices.set(piece, indices.size);
      return indices.size - 1;
    }),
  );
  return { pieces: [...indices.keys()], frames: packed };
}

export function unpackFrame({ pieces, frames }: PackedFrames, frame: number): string {
  return (frames[frame] ?? []).map((piece) => pieces[piece] ?? '').join('');
}

/** JSON for a script element. Escapes `<`, so that no text in it can end the element. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replace(/</g, '\\u003c')
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
}

/** The script of the exported page. It parses drawings as XML, which cannot run scripts. */
export const PAGE_SCRIPT = `
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
const keys = {
  ArrowLeft: () => show(at - 1),
  ArrowRight: () => show(at + 1),
  Home: () => show(0),
  End: () => show(data.frames.length - 1),
};
addEventListener('keydown', (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
});
show(at);
`;
