; SPDX-License-Identifier: Apache-2.0
; A ferry for one car. `sail` says itself that its places differ.
(define (domain ferry)
  (:requirements :strips :typing :equality)
  (:types car port - object)
  (:predicates (ferry-at ?p - port) (waits-at ?c - car ?p - port) (deck-free) (on-deck ?c - car))
  (:action sail
    :parameters (?from ?to - port)
    :precondition (and (not (= ?from ?to)) (ferry-at ?from))
    :effect (and (ferry-at ?to) (not (ferry-at ?from))))
  (:action board
    :parameters (?c - car ?p - port)
    :precondition (and (waits-at ?c ?p) (ferry-at ?p) (deck-free))
    :effect (and (on-deck ?c) (not (waits-at ?c ?p)) (not (deck-free))))
  (:action disembark
    :parameters (?c - car ?p - port)
    :precondition (and (on-deck ?c) (ferry-at ?p))
    :effect (and (waits-at ?c ?p) (deck-free) (not (on-deck ?c)))))
