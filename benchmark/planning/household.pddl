; SPDX-License-Identifier: Apache-2.0
; The same domain as planning_household.yaml, in the form that suits classical planners best:
; STRIPS with types, positive preconditions only, doorways left out (no action changes them).
(define (domain benchmark-household)
 (:requirements :strips :typing)
 (:types
  location robot item - object
  room place - location
  support container - place
  surface pedestal - support
  cup box key crowbar - item)
 (:predicates
  (at ?r - robot ?l - location)
  (holding ?r - robot ?i - item)
  (handempty ?r - robot)
  (on ?i - item ?s - support)
  (inside ?i - item ?c - container)
  (in-box ?i - item ?b - box)
  (in-room ?p - place ?r - room)
  (connected ?a ?b - room)
  (opens ?k - key ?c - container)
  (is-closed ?c - container)
  (is-open ?c - container)
  (box-closed ?b - box)
  (box-open ?b - box)
  (locked ?c - container)
  (unlocked ?c - container)
  (sealed ?c - container)
  (unsealed ?c - container)
  (free ?p - pedestal))

 (:action go
  :parameters (?r - robot ?from ?to - room)
  :precondition (and (at ?r ?from) (connected ?from ?to))
  :effect (and (not (at ?r ?from)) (at ?r ?to)))

 (:action approach
  :parameters (?r - robot ?room - room ?p - place)
  :precondition (and (at ?r ?room) (in-room ?p ?room))
  :effect (and (not (at ?r ?room)) (at ?r ?p)))

 (:action step-back
  :parameters (?r - robot ?p - place ?room - room)
  :precondition (and (at ?r ?p) (in-room ?p ?room))
  :effect (and (not (at ?r ?p)) (at ?r ?room)))

 (:action open
  :parameters (?r - robot ?c - container)
  :precondition (and (at ?r ?c) (is-closed ?c) (unlocked ?c) (unsealed ?c) (handempty ?r))
  :effect (and (not (is-closed ?c)) (is-open ?c)))

 (:action unlock
  :parameters (?r - robot ?c - container ?k - key)
  :precondition (and (at ?r ?c) (locked ?c) (opens ?k ?c) (holding ?r ?k))
  :effect (and (not (locked ?c)) (unlocked ?c)))

 (:action pry-open
  :parameters (?r - robot ?c - container ?tool - crowbar)
  :precondition (and (at ?r ?c) (sealed ?c) (holding ?r ?tool))
  :effect (and (not (sealed ?c)) (unsealed ?c)))

 (:action open-box
  :parameters (?r - robot ?b - box ?c - container)
  :precondition (and (at ?r ?c) (inside ?b ?c) (is-open ?c) (box-closed ?b) (handempty ?r))
  :effect (and (not (box-closed ?b)) (box-open ?b)))

 (:action pick
  :parameters (?r - robot ?i - item ?s - surface)
  :precondition (and (at ?r ?s) (on ?i ?s) (handempty ?r))
  :effect (and (not (on ?i ?s)) (not (handempty ?r)) (holding ?r ?i)))

 (:action pick-from-pedestal
  :parameters (?r - robot ?i - item ?p - pedestal)
  :precondition (and (at ?r ?p) (on ?i ?p) (handempty ?r))
  :effect (and (not (on ?i ?p)) (free ?p) (not (handempty ?r)) (holding ?r ?i)))

 (:action take-out
  :parameters (?r - robot ?i - item ?c - container)
  :precondition (and (at ?r ?c) (inside ?i ?c) (is-open ?c) (handempty ?r))
  :effect (and (not (inside ?i ?c)) (not (handempty ?r)) (holding ?r ?i)))

 (:action take-from-box
  :parameters (?r - robot ?i - item ?b - box ?c - container)
  :precondition (and (at ?r ?c) (inside ?b ?c) (is-open ?c) (in-box ?i ?b) (box-open ?b)
                     (handempty ?r))
  :effect (and (not (in-box ?i ?b)) (not (handempty ?r)) (holding ?r ?i)))

 (:action put-on
  :parameters (?r - robot ?i - item ?s - surface)
  :precondition (and (at ?r ?s) (holding ?r ?i))
  :effect (and (not (holding ?r ?i)) (handempty ?r) (on ?i ?s)))

 (:action set-on
  :parameters (?r - robot ?i - item ?p - pedestal)
  :precondition (and (at ?r ?p) (holding ?r ?i) (free ?p))
  :effect (and (not (holding ?r ?i)) (handempty ?r) (on ?i ?p) (not (free ?p))))

 (:action put-in
  :parameters (?r - robot ?i - item ?c - container)
  :precondition (and (at ?r ?c) (holding ?r ?i) (is-open ?c))
  :effect (and (not (holding ?r ?i)) (handempty ?r) (inside ?i ?c)))
)
