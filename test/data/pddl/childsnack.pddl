; SPDX-License-Identifier: Apache-2.0
; Sandwiches for children, some of whom must not eat gluten.
(define (domain childsnack)
  (:requirements :strips :typing)
  (:types child bread content sandwich tray place)
  (:constants kitchen - place)
  (:predicates (bread-in-kitchen ?b - bread) (content-in-kitchen ?c - content) (sandwich-in-kitchen ?s - sandwich)
    (bread-without-gluten ?b - bread) (content-without-gluten ?c - content) (on-tray ?s - sandwich ?t - tray)
    (sandwich-without-gluten ?s - sandwich) (allergic ?c - child) (not-allergic ?c - child) (served ?c - child)
    (waiting ?c - child ?p - place) (at ?t - tray ?p - place) (not-made ?s - sandwich))
  (:action make-sandwich-without-gluten
    :parameters (?s - sandwich ?b - bread ?c - content)
    :precondition (and (bread-in-kitchen ?b) (content-in-kitchen ?c) (bread-without-gluten ?b)
      (content-without-gluten ?c) (not-made ?s))
    :effect (and (not (bread-in-kitchen ?b)) (not (content-in-kitchen ?c)) (sandwich-in-kitchen ?s)
      (sandwich-without-gluten ?s) (not (not-made ?s))))
  (:action make-sandwich
    :parameters (?s - sandwich ?b - bread ?c - content)
    :precondition (and (bread-in-kitchen ?b) (content-in-kitchen ?c) (not-made ?s))
    :effect (and (not (bread-in-kitchen ?b)) (not (content-in-kitchen ?c)) (sandwich-in-kitchen ?s)
      (not (not-made ?s))))
  (:action put-on-tray
    :parameters (?s - sandwich ?t - tray)
    :precondition (and (sandwich-in-kitchen ?s) (at ?t kitchen))
    :effect (and (not (sandwich-in-kitchen ?s)) (on-tray ?s ?t)))
  (:action serve-without-gluten
    :parameters (?s - sandwich ?c - child ?t - tray ?p - place)
    :precondition (and (allergic ?c) (on-tray ?s ?t) (waiting ?c ?p) (sandwich-without-gluten ?s) (at ?t ?p))
    :effect (and (not (on-tray ?s ?t)) (served ?c)))
  (:action serve
    :parameters (?s - sandwich ?c - child ?t - tray ?p - place)
    :precondition (and (not-allergic ?c) (waiting ?c ?p) (on-tray ?s ?t) (at ?t ?p))
    :effect (and (not (on-tray ?s ?t)) (served ?c)))
  (:action move-tray
    :parameters (?t - tray ?from ?to - place)
    :precondition (at ?t ?from)
    :effect (and (not (at ?t ?from)) (at ?t ?to))))
