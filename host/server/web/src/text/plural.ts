// English plurals.

/** `1 move`, `2 moves`. `shown` replaces the number, for example by a formatted one. */
export const plural = (n: number, one: string, many: string, shown: string | number = n) =>
  `${shown} ${n === 1 ? one : many}`;
