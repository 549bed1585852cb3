// The paths of marks that several boards draw around a place. Pure.

interface Point {
  x: number;
  y: number;
}

/** The path of four corner marks around a place of this size: the last move. */
export function corners({ x, y }: Point, size: number): string {
  const [out, arm] = [size * 0.48, size * 0.17];
  return [-1, 1]
    .flatMap((side) => [-1, 1].map((up) => `M${x + side * out} ${y + up * (out - arm)}v${up * arm}h${-side * arm}`))
    .join('');
}

/** The path of rays around a circle of this radius: an attacked piece. */
export function rays({ x, y }: Point, r: number): string {
  return Array.from({ length: 16 }, (_, ray) => (ray * Math.PI) / 8)
    .map(
      (angle) =>
        `M${x + Math.cos(angle) * r} ${y + Math.sin(angle) * r}L${x + Math.cos(angle) * r * 1.17} ${y + Math.sin(angle) * r * 1.17}`,
    )
    .join('');
}
