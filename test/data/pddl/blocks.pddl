; SPDX-License-Identifier: Apache-2.0
; One hand moves blocks, one at a time.
(define (domain blocks)
  (:requirements :strips :typing)
  (:types block)
  (:predicates (on ?top ?below - block) (on-table ?b - block) (clear ?b - block)
               (holding ?b - block) (hand-free))
  (:action lift
    :parameters (?b - block)
    :precondition (and (on-table ?b) (clear ?b) (hand-free))
    :effect (and (holding ?b) (not (on-table ?b)) (not (clear ?b)) (not (hand-free))))
  (:action drop
    :parameters (?b - block)
    :precondition (holding ?b)
    :effect (and (on-table ?b) (clear ?b) (hand-free) (not (holding ?b))))
  (:action unstack
    :parameters (?b ?below - block)
    :precondition (and (on ?b ?below) (clear ?b) (hand-free))
    :effect (and (holding ?b) (clear ?below) (not (on ?b ?below)) (not (clear ?b)) (not (hand-free))))
  (:action stack
    :parameters (?b ?below - block)
    :precondition (and (holding ?b) (clear ?below))
    :effect (and (on ?b ?below) (clear ?b) (hand-free) (not (holding ?b)) (not (clear ?below)))))
