; SPDX-License-Identifier: Apache-2.0
; Satellites turn, power one instrument at a time, calibrate it and take pictures.
(define (domain satellite)
 (:requirements :strips :typing)
 (:types satellite instrument mode target)
 (:predicates (carried ?i - instrument ?s - satellite) (can ?i - instrument ?m - mode)
              (reference ?i - instrument ?t - target) (faces ?s - satellite ?t - target)
              (power-left ?s - satellite) (powered ?i - instrument) (calibrated ?i - instrument)
              (picture ?t - target ?m - mode))
 (:action turn
  :parameters (?s - satellite ?from ?to - target)
  :precondition (faces ?s ?from)
  :effect (and (faces ?s ?to) (not (faces ?s ?from))))
 (:action power-up
  :parameters (?i - instrument ?s - satellite)
  :precondition (and (carried ?i ?s) (power-left ?s))
  :effect (and (powered ?i) (not (calibrated ?i)) (not (power-left ?s))))
 (:action power-down
  :parameters (?i - instrument ?s - satellite)
  :precondition (and (carried ?i ?s) (powered ?i))
  :effect (and (power-left ?s) (not (powered ?i))))
 (:action calibrate
  :parameters (?s - satellite ?i - instrument ?t - target)
  :precondition (and (carried ?i ?s) (reference ?i ?t) (faces ?s ?t) (powered ?i))
  :effect (calibrated ?i))
 (:action shoot
  :parameters (?s - satellite ?t - target ?i - instrument ?m - mode)
  :precondition (and (calibrated ?i) (powered ?i) (carried ?i ?s) (can ?i ?m) (faces ?s ?t))
  :effect (picture ?t ?m)))
