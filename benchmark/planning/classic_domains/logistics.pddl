; SPDX-License-Identifier: Apache-2.0
; Trucks within cities, aeroplanes between airports, parcels on both.
(define (domain logistics)
 (:requirements :strips :typing)
 (:types vehicle parcel - movable movable place city - object
         truck plane - vehicle airport - place)
 (:predicates (at ?m - movable ?p - place) (loaded ?x - parcel ?v - vehicle)
              (part-of ?p - place ?c - city))
 (:action load
  :parameters (?x - parcel ?v - vehicle ?p - place)
  :precondition (and (at ?x ?p) (at ?v ?p))
  :effect (and (loaded ?x ?v) (not (at ?x ?p))))
 (:action unload
  :parameters (?x - parcel ?v - vehicle ?p - place)
  :precondition (and (loaded ?x ?v) (at ?v ?p))
  :effect (and (at ?x ?p) (not (loaded ?x ?v))))
 (:action drive
  :parameters (?t - truck ?from ?to - place ?c - city)
  :precondition (and (at ?t ?from) (part-of ?from ?c) (part-of ?to ?c))
  :effect (and (at ?t ?to) (not (at ?t ?from))))
 (:action fly
  :parameters (?a - plane ?from ?to - airport)
  :precondition (at ?a ?from)
  :effect (and (at ?a ?to) (not (at ?a ?from)))))
