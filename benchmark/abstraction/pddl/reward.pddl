; SPDX-License-Identifier: Apache-2.0
; Rewards on a grid with walls.
(define (domain reward)
  (:requirements :strips :typing)
  (:types cell)
  (:predicates (reward ?c - cell) (at ?c - cell) (adjacent ?c ?d - cell) (free ?c - cell) (picked ?c - cell))
  (:action move
    :parameters (?c ?d - cell)
    :precondition (and (at ?c) (adjacent ?c ?d) (free ?d))
    :effect (and (at ?d) (not (at ?c))))
  (:action pick
    :parameters (?c - cell)
    :precondition (and (at ?c) (reward ?c))
    :effect (and (picked ?c) (not (reward ?c)))))
