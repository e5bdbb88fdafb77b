; SPDX-License-Identifier: Apache-2.0
; A robot with several hands carries balls between rooms. Untyped: kinds are predicates.
(define (domain gripper)
  (:requirements :strips)
  (:predicates (room ?r) (ball ?b) (hand ?h) (robot-in ?r) (lies-in ?b ?r) (empty ?h) (carries ?h ?b))
  (:action go
    :parameters (?from ?to)
    :precondition (and (room ?from) (room ?to) (robot-in ?from))
    :effect (and (robot-in ?to) (not (robot-in ?from))))
  (:action take
    :parameters (?b ?r ?h)
    :precondition (and (ball ?b) (room ?r) (hand ?h) (lies-in ?b ?r) (robot-in ?r) (empty ?h))
    :effect (and (carries ?h ?b) (not (lies-in ?b ?r)) (not (empty ?h))))
  (:action leave
    :parameters (?b ?r ?h)
    :precondition (and (ball ?b) (room ?r) (hand ?h) (carries ?h ?b) (robot-in ?r))
    :effect (and (lies-in ?b ?r) (empty ?h) (not (carries ?h ?b)))))
