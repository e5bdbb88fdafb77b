# SPDX-License-Identifier: Apache-2.0
"""Sliding-tile puzzles as PDDL: square ones that are scrambled by moves, and small random ones."""

import random

DOMAIN = """(define (domain tiles) (:requirements :strips :typing)
(:types tile cell)
(:predicates (at ?t - tile ?c - cell) (free ?c - cell) (adjacent ?a ?b - cell))
(:action slide :parameters (?t - tile ?a ?b - cell)
 :precondition (and (at ?t ?a) (free ?b) (adjacent ?a ?b))
 :effect (and (at ?t ?b) (free ?a) (not (at ?t ?a)) (not (free ?b)))))
"""

SWAPPING_DOMAIN = (
    DOMAIN.rstrip()[:-1]
    + """
(:action swap :parameters (?t ?u - tile ?a ?b - cell)
 :precondition (and (at ?t ?a) (at ?u ?b) (adjacent ?a ?b))
 :effect (and (at ?t ?b) (at ?u ?a) (not (at ?t ?a)) (not (at ?u ?b))))
(:action push-off :parameters (?t ?u - tile ?a ?b - cell)
 :precondition (and (at ?t ?a) (at ?u ?b) (adjacent ?a ?b))
 :effect (and (at ?t ?b) (free ?a) (not (at ?t ?a)) (not (at ?u ?b)))))
"""
)
"""Tiles may also change places, or push one another off the board."""


def write_square_puzzle(size: int, seed: int, moves: int) -> str:
    """A puzzle of `size` times `size` cells, scrambled by random moves."""
    draw = random.Random(seed)
    board = [*range(1, size * size), 0]
    at, last = size * size - 1, -1
    for _ in range(moves):
        to = draw.choice([cell for cell in _neighbours(at, size) if cell != last])
        board[at], board[to] = board[to], 0
        last, at = at, to
    edges = [(a, b) for a in range(size * size) for b in _neighbours(a, size)]
    placed = {tile: cell for cell, tile in enumerate(board) if tile}
    goal = [f"(at t{tile} c{tile - 1})" for tile in placed]
    return _write_problem(size * size, placed, edges, goal)


def write_random_puzzle(seed: int) -> str:
    """Some tiles on a connected graph of 3 to 7 cells; at times a cell is to be free."""
    draw = random.Random(seed)
    cells = draw.randint(3, 7)
    tiles = draw.randint(1, cells - 1)
    edges = {(cell, draw.randrange(cell)) for cell in range(1, cells)}
    edges |= {tuple(draw.sample(range(cells), 2)) for _ in range(draw.randint(0, 4))}
    edges |= {(b, a) for a, b in edges}
    placed = dict(enumerate(draw.sample(range(cells), tiles)))
    wanted = list(enumerate(draw.sample(range(cells), tiles)))
    goal = [f"(at t{tile} c{cell})" for tile, cell in draw.sample(wanted, draw.randint(1, tiles))]
    if draw.random() < 0.4:
        goal.append(f"(free c{draw.randrange(cells)})")
    return _write_problem(cells, placed, sorted(edges), goal)


def _neighbours(cell: int, size: int) -> list[int]:
    row, column = divmod(cell, size)
    around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [r * size + c for r, c in around if 0 <= r < size and 0 <= c < size]


def _write_problem(cells, placed, edges, goal) -> str:
    facts = [f"(at t{tile} c{cell})" for tile, cell in placed.items()]
    facts += [f"(free c{cell})" for cell in range(cells) if cell not in placed.values()]
    facts += [f"(adjacent c{a} c{b})" for a, b in edges]
    return (
        f"(define (problem puzzle) (:domain tiles) (:objects {' '.join(f't{t}' for t in placed)}"
        f" - tile {' '.join(f'c{c}' for c in range(cells))} - cell)"
        f" (:init {' '.join(facts)}) (:goal (and {' '.join(goal)})))"
    )
