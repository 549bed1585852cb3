// Numbers with English words.

/** `1 move`, `2 moves`. */
export const plural = (n: number, one: string, many: string, shown: string | number = n) => `${shown} ${n === 1 ? one : many}`;
