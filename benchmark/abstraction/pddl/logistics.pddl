; SPDX-License-Identifier: Apache-2.0
; Trucks within cities, airplanes between airports.
(define (domain logistics)
  (:requirements :strips :typing)
  (:types place city thing - object airport - place vehicle package - thing truck airplane - vehicle)
  (:predicates (in-city ?p - place ?c - city) (at ?x - thing ?p - place) (in ?p - package ?v - vehicle))
  (:action load-truck
    :parameters (?o - package ?t - truck ?p - place)
    :precondition (and (at ?t ?p) (at ?o ?p))
    :effect (and (in ?o ?t) (not (at ?o ?p))))
  (:action load-airplane
    :parameters (?o - package ?a - airplane ?p - place)
    :precondition (and (at ?o ?p) (at ?a ?p))
    :effect (and (in ?o ?a) (not (at ?o ?p))))
  (:action unload-truck
    :parameters (?o - package ?t - truck ?p - place)
    :precondition (and (at ?t ?p) (in ?o ?t))
    :effect (and (at ?o ?p) (not (in ?o ?t))))
  (:action unload-airplane
    :parameters (?o - package ?a - airplane ?p - place)
    :precondition (and (in ?o ?a) (at ?a ?p))
    :effect (and (at ?o ?p) (not (in ?o ?a))))
  (:action drive
    :parameters (?t - truck ?from ?to - place ?c - city)
    :precondition (and (at ?t ?from) (in-city ?from ?c) (in-city ?to ?c))
    :effect (and (at ?t ?to) (not (at ?t ?from))))
  (:action fly
    :parameters (?a - airplane ?from ?to - airport)
    :precondition (at ?a ?from)
    :effect (and (at ?a ?to) (not (at ?a ?from)))))
