; SPDX-License-Identifier: Apache-2.0
; Action costs: the way around is cheaper than the toll road.
(define (domain courier)
  (:requirements :strips :typing :action-costs)
  (:types town letter - object)
  (:constants Depot - town)
  (:predicates (road ?a ?b - town) (courier-in ?t - town) (letter-in ?l - letter ?t - town)
               (has ?l - letter))
  (:functions (total-cost) - number (toll ?a ?b - town) - number (stamp ?l - letter) - number)
  (:action ride
    :parameters (?a ?b - town)
    :precondition (and (courier-in ?a) (road ?a ?b))
    :effect (and (courier-in ?b) (not (courier-in ?a)) (increase (total-cost) (toll ?a ?b))))
  (:action fetch
    :parameters (?l - letter)
    :precondition (and (courier-in Depot) (letter-in ?l Depot))
    :effect (and (has ?l) (not (letter-in ?l Depot)) (increase (total-cost) (+ 1 (stamp ?l)))))
  (:action deliver
    :parameters (?l - letter ?t - town)
    :precondition (and (has ?l) (courier-in ?t))
    :effect (and (letter-in ?l ?t) (not (has ?l)))))
