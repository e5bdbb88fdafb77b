; SPDX-License-Identifier: Apache-2.0
; Rovers take samples and pictures and send what they found to a lander.
(define (domain rovers)
 (:requirements :strips :typing)
 (:types rover waypoint objective)
 (:predicates (at ?r - rover ?w - waypoint) (passable ?r - rover ?a ?b - waypoint)
              (in-sight ?a ?b - waypoint) (lander-at ?w - waypoint)
              (soil-at ?w - waypoint) (rock-at ?w - waypoint)
              (digs ?r - rover) (drills ?r - rover) (sees ?r - rover)
              (store-free ?r - rover) (store-full ?r - rover)
              (has-soil ?r - rover ?w - waypoint) (has-rock ?r - rover ?w - waypoint)
              (visible-from ?o - objective ?w - waypoint)
              (camera-ready ?r - rover) (has-picture ?r - rover ?o - objective)
              (soil-sent ?w - waypoint) (rock-sent ?w - waypoint) (picture-sent ?o - objective))
 (:action drive
  :parameters (?r - rover ?from ?to - waypoint)
  :precondition (and (at ?r ?from) (passable ?r ?from ?to))
  :effect (and (at ?r ?to) (not (at ?r ?from))))
 (:action dig
  :parameters (?r - rover ?w - waypoint)
  :precondition (and (at ?r ?w) (soil-at ?w) (digs ?r) (store-free ?r))
  :effect (and (has-soil ?r ?w) (store-full ?r) (not (store-free ?r)) (not (soil-at ?w))))
 (:action drill
  :parameters (?r - rover ?w - waypoint)
  :precondition (and (at ?r ?w) (rock-at ?w) (drills ?r) (store-free ?r))
  :effect (and (has-rock ?r ?w) (store-full ?r) (not (store-free ?r)) (not (rock-at ?w))))
 (:action empty-store
  :parameters (?r - rover)
  :precondition (store-full ?r)
  :effect (and (store-free ?r) (not (store-full ?r))))
 (:action adjust-camera
  :parameters (?r - rover ?o - objective ?w - waypoint)
  :precondition (and (at ?r ?w) (sees ?r) (visible-from ?o ?w))
  :effect (camera-ready ?r))
 (:action photograph
  :parameters (?r - rover ?o - objective ?w - waypoint)
  :precondition (and (at ?r ?w) (camera-ready ?r) (visible-from ?o ?w))
  :effect (and (has-picture ?r ?o) (not (camera-ready ?r))))
 (:action send-soil
  :parameters (?r - rover ?w ?here ?there - waypoint)
  :precondition (and (at ?r ?here) (lander-at ?there) (in-sight ?here ?there) (has-soil ?r ?w))
  :effect (soil-sent ?w))
 (:action send-rock
  :parameters (?r - rover ?w ?here ?there - waypoint)
  :precondition (and (at ?r ?here) (lander-at ?there) (in-sight ?here ?there) (has-rock ?r ?w))
  :effect (rock-sent ?w))
 (:action send-picture
  :parameters (?r - rover ?o - objective ?here ?there - waypoint)
  :precondition (and (at ?r ?here) (lander-at ?there) (in-sight ?here ?there)
                     (has-picture ?r ?o))
  :effect (picture-sent ?o)))
