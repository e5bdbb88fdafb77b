; SPDX-License-Identifier: Apache-2.0
; A truck on a grid carries one package at a time.
(define (domain courier-grid)
  (:requirements :strips :typing)
  (:types cell locatable - object truck package - locatable)
  (:predicates (adjacent ?c ?d - cell) (at ?x - locatable ?c - cell) (carrying ?t - truck ?p - package) (empty ?t - truck))
  (:action move
    :parameters (?t - truck ?c ?d - cell)
    :precondition (and (at ?t ?c) (adjacent ?c ?d))
    :effect (and (at ?t ?d) (not (at ?t ?c))))
  (:action pick
    :parameters (?t - truck ?p - package ?c - cell)
    :precondition (and (at ?p ?c) (at ?t ?c) (empty ?t))
    :effect (and (carrying ?t ?p) (not (at ?p ?c)) (not (empty ?t))))
  (:action drop
    :parameters (?t - truck ?p - package ?c - cell)
    :precondition (and (carrying ?t ?p) (at ?t ?c))
    :effect (and (at ?p ?c) (empty ?t) (not (carrying ?t ?p)))))
