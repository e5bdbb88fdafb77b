; SPDX-License-Identifier: Apache-2.0
; A lift serves passengers; stopping boards and unboards all who want to, at once.
(define (domain miconic)
  (:requirements :strips :typing :conditional-effects :universal-preconditions)
  (:types passenger floor - object)
  (:predicates (starts ?p - passenger ?f - floor) (leaves ?p - passenger ?f - floor)
               (above ?high ?low - floor) (lift-at ?f - floor)
               (boarded ?p - passenger) (served ?p - passenger))
  (:action up
    :parameters (?from ?to - floor)
    :precondition (and (lift-at ?from) (above ?to ?from))
    :effect (and (lift-at ?to) (not (lift-at ?from))))
  (:action down
    :parameters (?from ?to - floor)
    :precondition (and (lift-at ?from) (above ?from ?to))
    :effect (and (lift-at ?to) (not (lift-at ?from))))
  (:action stop
    :parameters (?f - floor)
    :precondition (lift-at ?f)
    :effect (and
      (forall (?p - passenger)
        (when (and (boarded ?p) (leaves ?p ?f)) (and (served ?p) (not (boarded ?p)))))
      (forall (?p - passenger)
        (when (and (starts ?p ?f) (not (served ?p))) (boarded ?p))))))
