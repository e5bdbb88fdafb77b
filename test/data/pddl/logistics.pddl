; SPDX-License-Identifier: Apache-2.0
; Parcels go by van within a city and by plane between airports.
(define (domain logistics)
  (:requirements :strips :typing)
  (:types vehicle parcel - thing thing site city - object van plane - vehicle airport - site)
  (:predicates (at ?t - thing ?s - site) (inside ?p - parcel ?v - vehicle) (of ?s - site ?c - city))
  (:action load
    :parameters (?p - parcel ?v - vehicle ?s - site)
    :precondition (and (at ?p ?s) (at ?v ?s))
    :effect (and (inside ?p ?v) (not (at ?p ?s))))
  (:action unload
    :parameters (?p - parcel ?v - vehicle ?s - site)
    :precondition (and (inside ?p ?v) (at ?v ?s))
    :effect (and (at ?p ?s) (not (inside ?p ?v))))
  (:action drive
    :parameters (?v - van ?from ?to - site ?c - city)
    :precondition (and (at ?v ?from) (of ?from ?c) (of ?to ?c))
    :effect (and (at ?v ?to) (not (at ?v ?from))))
  (:action fly
    :parameters (?v - plane ?from ?to - airport)
    :precondition (at ?v ?from)
    :effect (and (at ?v ?to) (not (at ?v ?from)))))
