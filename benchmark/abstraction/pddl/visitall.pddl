; SPDX-License-Identifier: Apache-2.0
; A robot that visits places of a grid.
(define (domain visitall)
  (:requirements :strips :typing)
  (:types place)
  (:predicates (connected ?x ?y - place) (at-robot ?x - place) (visited ?x - place))
  (:action move
    :parameters (?from ?to - place)
    :precondition (and (at-robot ?from) (connected ?from ?to))
    :effect (and (at-robot ?to) (visited ?to) (not (at-robot ?from)))))
