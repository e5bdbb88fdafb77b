; SPDX-License-Identifier: Apache-2.0
; Rovers sample soil and rock, take images, and send the data to the lander.
(define (domain rovers)
  (:requirements :strips :typing)
  (:types rover waypoint store camera mode lander objective)
  (:predicates (at ?x - rover ?y - waypoint) (at-lander ?x - lander ?y - waypoint)
    (can-traverse ?r - rover ?x ?y - waypoint) (equipped-for-soil ?r - rover) (equipped-for-rock ?r - rover)
    (equipped-for-imaging ?r - rover) (empty ?s - store) (have-rock ?r - rover ?w - waypoint)
    (have-soil ?r - rover ?w - waypoint) (full ?s - store) (calibrated ?c - camera ?r - rover)
    (supports ?c - camera ?m - mode) (visible ?w ?p - waypoint) (have-image ?r - rover ?o - objective ?m - mode)
    (communicated-soil ?w - waypoint) (communicated-rock ?w - waypoint) (communicated-image ?o - objective ?m - mode)
    (at-soil ?w - waypoint) (at-rock ?w - waypoint) (visible-from ?o - objective ?w - waypoint)
    (store-of ?s - store ?r - rover) (calibration-target ?i - camera ?o - objective) (on-board ?i - camera ?r - rover))
  (:action navigate
    :parameters (?x - rover ?y ?z - waypoint)
    :precondition (and (can-traverse ?x ?y ?z) (at ?x ?y) (visible ?y ?z))
    :effect (and (not (at ?x ?y)) (at ?x ?z)))
  (:action sample-soil
    :parameters (?x - rover ?s - store ?p - waypoint)
    :precondition (and (at ?x ?p) (at-soil ?p) (equipped-for-soil ?x) (store-of ?s ?x) (empty ?s))
    :effect (and (not (empty ?s)) (full ?s) (have-soil ?x ?p) (not (at-soil ?p))))
  (:action sample-rock
    :parameters (?x - rover ?s - store ?p - waypoint)
    :precondition (and (at ?x ?p) (at-rock ?p) (equipped-for-rock ?x) (store-of ?s ?x) (empty ?s))
    :effect (and (not (empty ?s)) (full ?s) (have-rock ?x ?p) (not (at-rock ?p))))
  (:action drop
    :parameters (?x - rover ?y - store)
    :precondition (and (store-of ?y ?x) (full ?y))
    :effect (and (not (full ?y)) (empty ?y)))
  (:action calibrate
    :parameters (?r - rover ?i - camera ?t - objective ?w - waypoint)
    :precondition (and (equipped-for-imaging ?r) (calibration-target ?i ?t) (at ?r ?w) (visible-from ?t ?w) (on-board ?i ?r))
    :effect (calibrated ?i ?r))
  (:action take-image
    :parameters (?r - rover ?p - waypoint ?o - objective ?i - camera ?m - mode)
    :precondition (and (calibrated ?i ?r) (on-board ?i ?r) (equipped-for-imaging ?r) (supports ?i ?m)
      (visible-from ?o ?p) (at ?r ?p))
    :effect (and (have-image ?r ?o ?m) (not (calibrated ?i ?r))))
  (:action communicate-soil
    :parameters (?r - rover ?l - lander ?p ?x ?y - waypoint)
    :precondition (and (at ?r ?x) (at-lander ?l ?y) (have-soil ?r ?p) (visible ?x ?y))
    :effect (communicated-soil ?p))
  (:action communicate-rock
    :parameters (?r - rover ?l - lander ?p ?x ?y - waypoint)
    :precondition (and (at ?r ?x) (at-lander ?l ?y) (have-rock ?r ?p) (visible ?x ?y))
    :effect (communicated-rock ?p))
  (:action communicate-image
    :parameters (?r - rover ?l - lander ?o - objective ?m - mode ?x ?y - waypoint)
    :precondition (and (at ?r ?x) (at-lander ?l ?y) (have-image ?r ?o ?m) (visible ?x ?y))
    :effect (communicated-image ?o ?m)))
