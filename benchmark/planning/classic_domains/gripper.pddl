; SPDX-License-Identifier: Apache-2.0
; A robot with two grippers carries balls from one room to the other.
(define (domain gripper)
 (:requirements :strips :typing)
 (:types room ball gripper)
 (:predicates (robot-in ?r - room) (ball-in ?b - ball ?r - room) (empty ?g - gripper)
              (carries ?g - gripper ?b - ball))
 (:action move
  :parameters (?from ?to - room)
  :precondition (robot-in ?from)
  :effect (and (robot-in ?to) (not (robot-in ?from))))
 (:action grab
  :parameters (?b - ball ?r - room ?g - gripper)
  :precondition (and (robot-in ?r) (ball-in ?b ?r) (empty ?g))
  :effect (and (carries ?g ?b) (not (ball-in ?b ?r)) (not (empty ?g))))
 (:action release
  :parameters (?b - ball ?r - room ?g - gripper)
  :precondition (and (robot-in ?r) (carries ?g ?b))
  :effect (and (ball-in ?b ?r) (empty ?g) (not (carries ?g ?b)))))
