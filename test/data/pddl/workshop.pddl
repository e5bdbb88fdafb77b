; SPDX-License-Identifier: Apache-2.0
; Disjunctive, negative, quantified preconditions, equality, `imply` and `either`.
(define (domain workshop)
  (:requirements :adl)
  (:types tool part - thing thing bench person - object)
  (:constants vice - tool)
  (:predicates (lies-on ?t - (either tool part) ?b - bench) (holds ?p - person ?t - thing)
               (sharp ?t - tool) (needs ?x - part ?t - tool) (done ?x - part) (knows ?a ?b - person))
  (:action grab
    :parameters (?p - person ?t - tool ?b - bench)
    :precondition (and (lies-on ?t ?b) (not (= ?t vice))
                       (forall (?x - thing) (not (holds ?p ?x))))
    :effect (and (holds ?p ?t) (not (lies-on ?t ?b))))
  (:action lay
    :parameters (?p - person ?t - (either part tool) ?b - bench)
    :precondition (holds ?p ?t)
    :effect (and (lies-on ?t ?b) (not (holds ?p ?t))))
  (:action work
    :parameters (?x - part)
    :precondition (and (not (done ?x))
                       (forall (?t - tool) (imply (needs ?x ?t)
                         (and (sharp ?t) (or (exists (?p - person) (holds ?p ?t)) (= ?t vice))))))
    :effect (done ?x))
  (:action hand-over
    :parameters (?a ?b - person ?t - tool)
    :precondition (and (holds ?a ?t) (or (knows ?a ?b) (knows ?b ?a)) (not (exists (?x - thing) (holds ?b ?x))))
    :effect (and (holds ?b ?t) (not (holds ?a ?t))))
  (:action sharpen
    :parameters (?t - tool ?p - person)
    :precondition (or (holds ?p ?t) (= ?t vice))
    :effect (sharp ?t)))
