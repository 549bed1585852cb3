// An engine in Go: one function, the next move. sandboard.go is the interface to the host and describes Turn.
package main

var about = About{
	ID:      "go-simple",
	Name:    "Go Simple",
	Author:  "The Sandboard developers",
	Version: "0.1.0",
	Game:    "gomoku",
}

// nextMove returns a move that wins at once, as far as time permits, otherwise a random one. An empty text resigns.
func nextMove(turn *Turn) (string, error) {
	moves, err := turn.Legal("")
	if err != nil || len(moves) == 0 {
		return "", err
	}
	current, err := turn.Look("")
	if err != nil {
		return "", err
	}
	for _, move := range moves {
		if turn.Left() == 0 {
			break
		}
		after, err := turn.Look(move)
		if err != nil {
			return "", err
		}
		if after.WonBy(current.ToMove) {
			turn.Report(Line{Moves: move, Score: 29999, Bound: Exact, Depth: 1})
			return move, nil
		}
	}
	return moves[turn.Random(uint64(len(moves)))], nil
}
