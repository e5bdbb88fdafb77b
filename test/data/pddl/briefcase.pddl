; SPDX-License-Identifier: Apache-2.0
; What is in the briefcase moves with it: conditional and universal effects.
(define (domain briefcase)
  (:requirements :adl)
  (:types place item - object)
  (:predicates (case-at ?p - place) (at ?i - item ?p - place) (packed ?i - item))
  (:action carry
    :parameters (?from ?to - place)
    :precondition (case-at ?from)
    :effect (and (case-at ?to) (not (case-at ?from))
                 (forall (?i - item)
                   (when (and (packed ?i) (at ?i ?from)) (and (at ?i ?to) (not (at ?i ?from)))))))
  (:action pack
    :parameters (?i - item ?p - place)
    :precondition (and (at ?i ?p) (case-at ?p))
    :effect (packed ?i))
  (:action unpack
    :parameters (?i - item)
    :precondition (packed ?i)
    :effect (not (packed ?i)))
  (:action empty
    :parameters ()
    :precondition (exists (?i - item) (packed ?i))
    :effect (forall (?i - item) (not (packed ?i)))))
