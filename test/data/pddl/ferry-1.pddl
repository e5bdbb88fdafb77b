; SPDX-License-Identifier: Apache-2.0
(define (problem across)
  (:domain ferry)
  (:objects van jeep - car north south west - port)
  (:init (ferry-at west) (deck-free) (waits-at van north) (waits-at jeep south))
  (:goal (and (waits-at van south) (waits-at jeep north))))
