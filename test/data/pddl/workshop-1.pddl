; SPDX-License-Identifier: Apache-2.0
(define (problem one-part)
  (:domain workshop)
  (:objects saw - tool leg - part desk - bench eve tim - person)
  (:init (lies-on saw desk) (needs leg saw) (needs leg vice) (knows tim eve))
  (:goal (and (done leg) (exists (?p - person) (and (holds ?p saw) (knows ?p eve))))))
