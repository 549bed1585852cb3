// Zen mode: a page with a board shows the board, the clocks, the moves and the actions, and nothing else.

export const zen = $state({ isOn: false });
