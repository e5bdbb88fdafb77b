; SPDX-License-Identifier: Apache-2.0
; A lift takes passengers from floor to floor.
(define (domain miconic)
 (:requirements :strips :typing)
 (:types passenger level)
 (:predicates (waits ?p - passenger ?l - level) (wants ?p - passenger ?l - level)
              (below ?low ?high - level) (lift ?l - level) (aboard ?p - passenger)
              (served ?p - passenger))
 (:action board
  :parameters (?l - level ?p - passenger)
  :precondition (and (lift ?l) (waits ?p ?l))
  :effect (and (aboard ?p) (not (waits ?p ?l))))
 (:action leave
  :parameters (?l - level ?p - passenger)
  :precondition (and (lift ?l) (wants ?p ?l) (aboard ?p))
  :effect (and (served ?p) (not (aboard ?p))))
 (:action up
  :parameters (?from ?to - level)
  :precondition (and (lift ?from) (below ?from ?to))
  :effect (and (lift ?to) (not (lift ?from))))
 (:action down
  :parameters (?from ?to - level)
  :precondition (and (lift ?from) (below ?to ?from))
  :effect (and (lift ?to) (not (lift ?from)))))
