; SPDX-License-Identifier: Apache-2.0
(define (problem two-balls)
  (:domain gripper)
  (:objects hall attic red blue left right)
  (:init (room hall) (room attic) (ball red) (ball blue) (hand left) (hand right)
         (robot-in hall) (lies-in red hall) (lies-in blue hall) (empty left) (empty right))
  (:goal (and (lies-in red attic) (lies-in blue attic))))
