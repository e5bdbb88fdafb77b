; SPDX-License-Identifier: Apache-2.0
; Vehicles with limited room on a network of roads.
(define (domain transport)
  (:requirements :strips :typing)
  (:types place locatable size - object vehicle package - locatable)
  (:predicates (road ?x ?y - place) (at ?x - locatable ?p - place) (in ?p - package ?v - vehicle)
    (capacity ?v - vehicle ?s - size) (next ?s1 ?s2 - size))
  (:action drive
    :parameters (?v - vehicle ?from ?to - place)
    :precondition (and (at ?v ?from) (road ?from ?to))
    :effect (and (not (at ?v ?from)) (at ?v ?to)))
  (:action pick-up
    :parameters (?v - vehicle ?l - place ?p - package ?s1 ?s2 - size)
    :precondition (and (at ?v ?l) (at ?p ?l) (next ?s1 ?s2) (capacity ?v ?s2))
    :effect (and (not (at ?p ?l)) (in ?p ?v) (capacity ?v ?s1) (not (capacity ?v ?s2))))
  (:action drop
    :parameters (?v - vehicle ?l - place ?p - package ?s1 ?s2 - size)
    :precondition (and (at ?v ?l) (in ?p ?v) (next ?s1 ?s2) (capacity ?v ?s1))
    :effect (and (not (in ?p ?v)) (at ?p ?l) (capacity ?v ?s2) (not (capacity ?v ?s1)))))
