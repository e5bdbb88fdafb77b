; SPDX-License-Identifier: Apache-2.0
; A ferry takes one car at a time.
(define (domain ferry)
 (:requirements :strips :typing)
 (:types car harbour)
 (:predicates (ferry-at ?h - harbour) (parked ?c - car ?h - harbour) (deck-free)
              (on-deck ?c - car))
 (:action sail
  :parameters (?from ?to - harbour)
  :precondition (ferry-at ?from)
  :effect (and (ferry-at ?to) (not (ferry-at ?from))))
 (:action drive-on
  :parameters (?c - car ?h - harbour)
  :precondition (and (ferry-at ?h) (parked ?c ?h) (deck-free))
  :effect (and (on-deck ?c) (not (parked ?c ?h)) (not (deck-free))))
 (:action drive-off
  :parameters (?c - car ?h - harbour)
  :precondition (and (ferry-at ?h) (on-deck ?c))
  :effect (and (parked ?c ?h) (deck-free) (not (on-deck ?c)))))
