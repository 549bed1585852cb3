"""Plays random games with OpenSpiel, for `open_spiel.rs`. A line of standard input has the number
of games, how they are played, the game, and the actions before the position that all begin with.
The answer has CPU seconds, and the mean result of player 0.

`evaluator` is the fastest loop that Python can start: a tree search of one simulation lets the
evaluator play all games in C++ from its root. `bots` lets two bots play in C++, with a call from
Python for each game. It can begin with chance, which the evaluator cannot.
"""

import sys
import time

import pyspiel

SEED = 1


def evaluator(game, root, games):
    rollouts = pyspiel.RandomRolloutEvaluator(games, SEED)
    # Without exploration, with one simulation, 1 MB, no solver, no output.
    bot = pyspiel.MCTSBot(game, rollouts, 0.0, 1, 1, False, SEED, False)
    return lambda: bot.mcts_search(root).total_reward


def bots(game, root, games):
    # With equal seeds their choices would depend on each other.
    players = [pyspiel.make_uniform_random_bot(player, SEED + player) for player in range(2)]

    def play():
        results = (pyspiel.evaluate_bots(root.clone(), players, seed) for seed in range(games))
        return sum(result[0] for result in results) / games

    return play


for line in sys.stdin:
    games, how, name, *actions = line.split()
    game = pyspiel.load_game(name)
    root = game.new_initial_state()
    for action in actions:
        root.apply_action(int(action))
    play = {"evaluator": evaluator, "bots": bots}[how](game, root, int(games))
    before = time.process_time()
    result = play()
    print(time.process_time() - before, result, flush=True)
