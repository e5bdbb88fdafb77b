; SPDX-License-Identifier: Apache-2.0
(define (problem drawn) (:domain childsnack)
  (:objects child1 - child
    tray1 - tray
    place1 - place
    bread1 - bread
    content1 - content
    sandwich1 - sandwich)
  (:init (at tray1 kitchen)
    (bread-in-kitchen bread1)
    (content-in-kitchen content1)
    (not-made sandwich1)
    (not-allergic child1)
    (waiting child1 place1))
  (:goal (and (served child1))))
