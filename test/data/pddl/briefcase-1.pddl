; SPDX-License-Identifier: Apache-2.0
(define (problem to-work)
  (:domain briefcase)
  (:objects home office - place pen lamp - item)
  (:init (case-at office) (at pen home) (at lamp office) (packed lamp))
  (:goal (and (at pen office) (at lamp home) (forall (?i - item) (not (packed ?i))))))
