; SPDX-License-Identifier: Apache-2.0
(define (problem three-floors)
  (:domain miconic)
  (:objects ann bob - passenger f1 f2 f3 - floor)
  (:init (lift-at f1) (above f2 f1) (above f3 f1) (above f3 f2)
         (starts ann f2) (leaves ann f1) (starts bob f1) (leaves bob f3))
  (:goal (forall (?p - passenger) (served ?p))))
