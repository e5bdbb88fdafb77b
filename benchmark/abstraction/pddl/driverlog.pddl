; SPDX-License-Identifier: Apache-2.0
; Drivers walk along paths and drive trucks along roads.
(define (domain driverlog)
  (:requirements :strips :typing)
  (:types place locatable - object driver truck package - locatable)
  (:predicates (at ?x - locatable ?p - place) (in ?p - package ?t - truck) (driving ?d - driver ?t - truck)
    (link ?x ?y - place) (path ?x ?y - place) (empty ?t - truck))
  (:action load
    :parameters (?o - package ?t - truck ?p - place)
    :precondition (and (at ?t ?p) (at ?o ?p))
    :effect (and (not (at ?o ?p)) (in ?o ?t)))
  (:action unload
    :parameters (?o - package ?t - truck ?p - place)
    :precondition (and (at ?t ?p) (in ?o ?t))
    :effect (and (not (in ?o ?t)) (at ?o ?p)))
  (:action board
    :parameters (?d - driver ?t - truck ?p - place)
    :precondition (and (at ?t ?p) (at ?d ?p) (empty ?t))
    :effect (and (not (at ?d ?p)) (driving ?d ?t) (not (empty ?t))))
  (:action disembark
    :parameters (?d - driver ?t - truck ?p - place)
    :precondition (and (at ?t ?p) (driving ?d ?t))
    :effect (and (not (driving ?d ?t)) (at ?d ?p) (empty ?t)))
  (:action drive
    :parameters (?t - truck ?from ?to - place ?d - driver)
    :precondition (and (at ?t ?from) (driving ?d ?t) (link ?from ?to))
    :effect (and (not (at ?t ?from)) (at ?t ?to)))
  (:action walk
    :parameters (?d - driver ?from ?to - place)
    :precondition (and (at ?d ?from) (path ?from ?to))
    :effect (and (not (at ?d ?from)) (at ?d ?to))))
