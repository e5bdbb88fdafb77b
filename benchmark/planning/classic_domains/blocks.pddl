; SPDX-License-Identifier: Apache-2.0
; One hand builds towers on a table.
(define (domain blocks)
 (:requirements :strips :typing)
 (:types block)
 (:predicates (over ?a ?b - block) (on-table ?a - block) (top ?a - block) (held ?a - block)
              (hand-free))
 (:action lift
  :parameters (?a - block)
  :precondition (and (on-table ?a) (top ?a) (hand-free))
  :effect (and (held ?a) (not (on-table ?a)) (not (top ?a)) (not (hand-free))))
 (:action lower
  :parameters (?a - block)
  :precondition (held ?a)
  :effect (and (on-table ?a) (top ?a) (hand-free) (not (held ?a))))
 (:action stack
  :parameters (?a ?b - block)
  :precondition (and (held ?a) (top ?b))
  :effect (and (over ?a ?b) (top ?a) (hand-free) (not (held ?a)) (not (top ?b))))
 (:action unstack
  :parameters (?a ?b - block)
  :precondition (and (over ?a ?b) (top ?a) (hand-free))
  :effect (and (held ?a) (top ?b) (not (over ?a ?b)) (not (top ?a)) (not (hand-free)))))
