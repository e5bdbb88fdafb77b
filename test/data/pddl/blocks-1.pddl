; SPDX-License-Identifier: Apache-2.0
(define (problem swap)
  (:domain blocks)
  (:objects A B C - block)
  (:init (hand-free) (on A B) (on-table B) (on-table C) (clear A) (clear C))
  (:goal (and (on B A) (on A C))))
