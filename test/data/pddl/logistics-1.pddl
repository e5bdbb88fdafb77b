; SPDX-License-Identifier: Apache-2.0
(define (problem two-cities)
  (:domain logistics)
  (:objects gift - parcel van1 van2 - van jet - plane oslo bonn - city
            oslo-port bonn-port - airport oslo-post bonn-post - site)
  (:init (at gift oslo-post) (at van1 oslo-post) (at van2 bonn-port) (at jet bonn-port)
         (of oslo-port oslo) (of oslo-post oslo) (of bonn-port bonn) (of bonn-post bonn))
  (:goal (at gift bonn-post)))
