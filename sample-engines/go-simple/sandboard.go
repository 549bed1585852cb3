// The interface of Sandboard for engines in Go: it calls the host by the component model's canonical ABI, and gives the
// author a Turn. The host has the legal moves, the position after a line of moves, and the time left. A line of moves is
// move texts separated by single spaces, or the empty text. There is no operating system: no files, no arguments, no
// clock except Left, no random numbers except Random. time.Now hardly advances, and goroutines share one thread. What is
// printed goes to the engine's log, line by line.
package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unsafe"
)

// ---- For authors ----

// About is the description of an engine. It plays every variant of its game, since the host has the rules.
type About struct{ ID, Name, Author, Version, Game string }

// View is a position, with the result if the game is over.
type View struct {
	Position string
	ToMove   int
	Over     bool
	Scores   []int // the result of each seat, in the game's unit; nil if the game is not over
	Reason   string
}

// WonBy reports whether the game ended with a win of this seat: no score is higher, and one is lower.
func (v View) WonBy(seat int) bool {
	return v.Over && v.Scores[seat] == slices.Max(v.Scores) && v.Scores[seat] > slices.Min(v.Scores)
}

// Bound is how a score bounds the true value.
type Bound uint32

const (
	Estimate Bound = iota
	AtLeast
	AtMost
	Exact
)

// Line is a line of moves with its search result. The score is in the game's unit, for the side that chooses.
type Line struct {
	Moves string
	Score int32
	Bound Bound
	Depth uint32
	Nodes uint64
}

// Limits are the limits of one choice beside time; a missing limit is None.
type Limits struct {
	Depth, Nodes uint64
	Lines        int
	DrawOffered  bool
}

// None is a missing limit.
const None = ^uint64(0)

// Level is the level of a log text.
type Level uint32

const (
	Warning Level = iota + 1
	Info
	Debug
)

// Turn is one request for a move.
type Turn struct {
	Limits      Limits
	barred      map[string]bool
	randomState uint64
}

// Left returns the units left for this choice, in the unit of its limits; 0: return now. It is the only clock.
func (t *Turn) Left() uint64 { return hostLeft() }

// Legal returns the legal moves after a line; after the empty line, without the barred ones.
func (t *Turn) Legal(line string) ([]string, error) {
	hostLegal(unsafe.Pointer(unsafe.StringData(line)), uint32(len(line)), area())
	words, err := answer()
	if err != nil || words == "" {
		return nil, err
	}
	moves := strings.Split(words, " ")
	if line != "" || len(t.barred) == 0 {
		return moves, nil
	}
	open := moves[:0]
	for _, move := range moves {
		if !t.barred[move] {
			open = append(open, move)
		}
	}
	return open, nil
}

// Look returns the position after a line. In the current position, ToMove is the seat that chooses.
func (t *Turn) Look(line string) (View, error) {
	hostLook(unsafe.Pointer(unsafe.StringData(line)), uint32(len(line)), area())
	defer freeHostBlocks()
	if byteAt(0) != 0 {
		return View{}, errors.New(textAt(area(), lookError))
	}
	view := View{Position: textAt(area(), lookPosition), ToMove: int(byteAt(lookToMove))}
	if byteAt(lookEnding) != 0 {
		view.Over = true
		scores := at(wordAt(area(), lookEndingScoresAt))
		for i := range wordAt(area(), lookEndingScoresLength) {
			view.Scores = append(view.Scores, int(int32(wordAt(scores, uintptr(i)*4))))
		}
		view.Reason = textAt(area(), lookEndingReason)
	}
	return view, nil
}

// Random returns a random number below end from the game's seed; the same game gives the same numbers (SplitMix64).
func (t *Turn) Random(end uint64) uint64 {
	t.randomState += 0x9e3779b97f4a7c15
	z := t.randomState
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	if end == 0 {
		return 0
	}
	return (z ^ (z >> 31)) % end
}

// Log writes to the engine's log.
func (t *Turn) Log(level Level, words string) {
	hostLog(uint32(level), unsafe.Pointer(unsafe.StringData(words)), uint32(len(words)))
}

// Report reports the best line so far. If time runs out, the host may play the move of the last report.
func (t *Turn) Report(line Line) {
	hostReport(1, 1, line.Score, uint32(line.Bound), line.Depth, line.Nodes, 0,
		unsafe.Pointer(unsafe.StringData(line.Moves)), uint32(len(line.Moves)))
}

// ---- The ABI: records have the layout of engine.wit; a text is a pointer and its length in bytes ----

//go:wasmimport sandboard:engine/host@1.0.0 report
func hostReport(rank, scored uint32, score int32, bound, depth uint32, nodes, spent uint64, moves unsafe.Pointer, bytes uint32)

//go:wasmimport sandboard:engine/host@1.0.0 log
func hostLog(level uint32, text unsafe.Pointer, bytes uint32)

//go:wasmimport sandboard:engine/host@1.0.0 left
func hostLeft() uint64

//go:wasmimport sandboard:engine/host@1.0.0 legal
func hostLegal(line unsafe.Pointer, bytes uint32, out unsafe.Pointer)

//go:wasmimport sandboard:engine/host@1.0.0 look
func hostLook(line unsafe.Pointer, bytes uint32, out unsafe.Pointer)

// syncOutput logs what was printed without a newline to standard output (1) or standard error (2).
//
//go:wasmimport wasi_snapshot_preview1 fd_sync
func syncOutput(descriptor uint32) uint32

// Offsets of fields in the records of engine.wit, in bytes. A list is an address and a length. An option begins with a
// byte that is 1 if there is a value, a result with a byte that is 1 for an error.
const (
	legalValue             = 4
	legalError             = 4
	lookError              = 4
	lookPosition           = 4
	lookToMove             = 12
	lookEnding             = 16
	lookEndingScoresAt     = 20
	lookEndingScoresLength = 24
	lookEndingReason       = 28
	descriptionId          = 0
	descriptionName        = 8
	descriptionAuthor      = 16
	descriptionVersion     = 24
	descriptionGamesAt     = 32
	descriptionGamesLength = 36
	gameSpecGame           = 0
	gameSpecSize           = 16
	setupGame              = 0
	setupMoves             = 24
	setupSeed              = 40
	setupOptionsLength     = 52
	startError             = 4
	limitsDepth            = 64
	limitsDepthValue       = 68
	limitsNodes            = 72
	limitsNodesValue       = 80
	limitsLines            = 88
	limitsDrawOffered      = 100
	barredAt               = 104
	barredLength           = 108
	barredMove             = 0
	barredSize             = 16
	chooseError            = 8
	chooseDecision         = 8
	chooseDecisionPlay     = 12
	chooseSize             = 80
)

var (
	// The area for results of host calls and of the engine's functions; a choice is the largest.
	shared   [chooseSize / 8]uint64
	gameSpec [gameSpecSize / 8]uint64
	// Blocks that the host has allocated, until they are read; and the text handed to the host, until the next call.
	hostBlocks [][]uint64
	resultText string

	started bool
	seed    uint64
	plies   uint64
)

func area() unsafe.Pointer { return unsafe.Pointer(&shared) }

func byteAt(at uintptr) byte { return *(*byte)(unsafe.Add(area(), at)) }

func wordAt(base unsafe.Pointer, at uintptr) uint32 { return *(*uint32)(unsafe.Add(base, at)) }

func longAt(base unsafe.Pointer, at uintptr) uint64 { return *(*uint64)(unsafe.Add(base, at)) }

func at(address uint32) unsafe.Pointer { return unsafe.Add(nil, address) }

// textAt returns a copy of the text whose pointer and length are at this offset.
func textAt(base unsafe.Pointer, offset uintptr) string {
	bytes := wordAt(base, offset+4)
	if bytes == 0 {
		return ""
	}
	return strings.Clone(unsafe.String((*byte)(at(wordAt(base, offset))), bytes))
}

func put(base unsafe.Pointer, offset uintptr, text string) {
	*(*uint32)(unsafe.Add(base, offset)) = uint32(uintptr(unsafe.Pointer(unsafe.StringData(text))))
	*(*uint32)(unsafe.Add(base, offset+4)) = uint32(len(text))
}

func freeHostBlocks() { hostBlocks = hostBlocks[:0] }

// answer reads a result<string, string>.
func answer() (string, error) {
	defer freeHostBlocks()
	if byteAt(0) != 0 {
		return "", errors.New(textAt(area(), legalError))
	}
	return textAt(area(), legalValue), nil
}

// endOutput logs the unfinished line of a call.
func endOutput() {
	syncOutput(1)
	syncOutput(2)
}

func done(reason string) unsafe.Pointer {
	endOutput()
	resultText = reason
	shared[0] = 0
	if reason != "" {
		shared[0] = 1
	}
	put(area(), startError, resultText)
	return area()
}

//go:wasmexport cabi_realloc
func reallocate(old unsafe.Pointer, oldBytes, align, bytes uint32) unsafe.Pointer {
	block := make([]uint64, bytes/8+1)
	hostBlocks = append(hostBlocks, block)
	if oldBytes > 0 {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&block[0])), bytes), unsafe.Slice((*byte)(old), oldBytes))
	}
	return unsafe.Pointer(&block[0])
}

//go:wasmexport sandboard:engine/engine@1.0.0#describe
func describe() unsafe.Pointer {
	clear(shared[:])
	put(area(), descriptionId, about.ID)
	put(area(), descriptionName, about.Name)
	put(area(), descriptionAuthor, about.Author)
	put(area(), descriptionVersion, about.Version)
	// No list of variants means all of them.
	put(unsafe.Pointer(&gameSpec), gameSpecGame, about.Game)
	*(*uint32)(unsafe.Add(area(), descriptionGamesAt)) = uint32(uintptr(unsafe.Pointer(&gameSpec)))
	*(*uint32)(unsafe.Add(area(), descriptionGamesLength)) = 1
	return area()
}

//go:wasmexport sandboard:engine/engine@1.0.0#start
func start(setup unsafe.Pointer) unsafe.Pointer {
	game, moves := textAt(setup, setupGame), textAt(setup, setupMoves)
	options := wordAt(setup, setupOptionsLength)
	seed = longAt(setup, setupSeed)
	freeHostBlocks()
	switch {
	case started:
		return done("started a second time")
	case game != about.Game:
		return done("plays nothing but " + about.Game)
	case options > 0:
		return done("has no options")
	}
	// The host's rules check variant, position and moves, and have the error text.
	if _, err := new(Turn).Look(""); err != nil {
		return done(err.Error())
	}
	started = true
	plies = uint64(len(strings.Fields(moves)))
	return done("")
}

//go:wasmexport sandboard:engine/engine@1.0.0#played
func played(move unsafe.Pointer, bytes uint32) unsafe.Pointer {
	freeHostBlocks()
	plies++
	return done("")
}

//go:wasmexport sandboard:engine/engine@1.0.0#taken-back
func takenBack(count uint32) unsafe.Pointer {
	plies -= uint64(count)
	return done("")
}

//go:wasmexport sandboard:engine/engine@1.0.0#think
func think() unsafe.Pointer { return done("") }

//go:wasmexport sandboard:engine/engine@1.0.0#choose
func choose(block unsafe.Pointer) unsafe.Pointer {
	limits := Limits{Depth: None, Nodes: None}
	if *(*byte)(unsafe.Add(block, limitsDepth)) != 0 {
		limits.Depth = uint64(wordAt(block, limitsDepthValue))
	}
	if *(*byte)(unsafe.Add(block, limitsNodes)) != 0 {
		limits.Nodes = longAt(block, limitsNodesValue)
	}
	limits.Lines = int(*(*uint16)(unsafe.Add(block, limitsLines)))
	limits.DrawOffered = *(*byte)(unsafe.Add(block, limitsDrawOffered)) != 0
	barred := map[string]bool{}
	list := at(wordAt(block, barredAt))
	for i := uint32(0); i < wordAt(block, barredLength); i++ {
		barred[textAt(list, uintptr(barredSize*i+barredMove))] = true
	}
	freeHostBlocks()
	// Seed and ply give the same random numbers again after a move was taken back.
	move, err := guarded(&Turn{limits, barred, seed + plies*0xd1342543de82ef95})
	endOutput()
	clear(shared[:])
	if err != nil {
		resultText = err.Error()
		shared[0] = 1
		put(area(), chooseError, resultText)
		return area()
	}
	resultText = move
	if move == "" {
		*(*byte)(unsafe.Add(area(), chooseDecision)) = 1
	}
	put(area(), chooseDecisionPlay, resultText)
	return area()
}

// guarded calls nextMove and turns a panic into an error with its place.
func guarded(turn *Turn) (move string, err error) {
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("panicked%s: %v", place(), what)
		}
	}()
	if !started {
		return "", errors.New("called before start")
	}
	return nextMove(turn)
}

// place returns the innermost line of the author's code in a panic, for deferred functions.
func place() string {
	var calls [64]uintptr
	frames := runtime.CallersFrames(calls[:runtime.Callers(1, calls[:])])
	for {
		frame, more := frames.Next()
		file := frame.File[strings.LastIndexByte(frame.File, '/')+1:]
		if strings.HasPrefix(frame.Function, "main.") && file != "sandboard.go" {
			return fmt.Sprintf(" at %s:%d", file, frame.Line)
		}
		if !more {
			return ""
		}
	}
}

func main() {}
