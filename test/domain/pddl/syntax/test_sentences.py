# SPDX-License-Identifier: Apache-2.0
"""The sentences about spoilt files: each word of a sound task is lost, doubled, swapped, replaced.

What a sentence says, `test_refusals` looks at; here it is to be a sentence.
"""

from __future__ import annotations

import re
from random import Random

import pytest

from fcp_ros.domain.pddl import PddlError, parse_pddl

DOMAIN = """(define (domain d) (:requirements :adl :action-costs :derived-predicates :preferences)
(:types truck - vehicle place thing - object) (:constants depot - place)
(:predicates (at ?v - vehicle ?p - place) (road ?a ?b - place) (in ?t - thing ?v - vehicle)
  (lies ?t - thing ?p - place) (reach ?v - vehicle ?p - place) (busy))
(:functions (total-cost) - number (far ?a ?b - place) (weight ?t - thing))
(:derived (reach ?v ?p)
  (or (at ?v ?p) (exists (?q - place) (and (reach ?v ?q) (road ?q ?p)))))
(:constraints (forall (?t - thing) (always (not (lies ?t depot)))))
(:action go :parameters (?v - vehicle ?a ?b - place)
  :precondition (and (at ?v ?a) (road ?a ?b) (not (= ?a ?b)) (preference calm (not (busy))))
  :effect (and (at ?v ?b) (not (at ?v ?a)) (increase (total-cost) (+ 2 (far ?a ?b)))))
(:action load :parameters (?t - thing ?v - vehicle ?p - place)
  :precondition (and (lies ?t ?p) (at ?v ?p) (imply (busy) (reach ?v depot)))
  :effect (and (in ?t ?v) (not (lies ?t ?p)) (increase (total-cost) 1)
    (forall (?o - thing) (when (and (in ?o ?v) (not (= ?o ?t))) (busy))))))"""
PROBLEM = """(define (problem p) (:domain d)
(:objects t1 t2 - truck a b c - place x y - thing)
(:init (at t1 a) (at t2 b) (road a b) (road b c) (road c depot) (= (far a b) 2)
  (= (far b c) 3.5) (= (far c depot) 1) (= (total-cost) 0) (lies x c) (lies y a))
(:goal (and (in x t1) (preference near (reach t1 depot)) (preference (busy))
  (exists (?t - thing) (in ?t t2))))
(:constraints (and (sometime (busy)) (preference often (at-most-once (busy)))))
(:metric minimize (+ (total-cost) (* 5 (is-violated near)) (is-violated calm))))"""
WORDS = """( ) - ?x 7 -3 x at and forall when (total-cost) either object :action (far) oneof ()
1e999 (at 5 (busy)) (decrease (total-cost) 1) (< (far a b) 3) ((busy)) (within 5 (busy))
(is-violated nix) (increase (total-cost) -2) (increase (weight x) 1) (not (reach t1 b))
(- 3 (total-cost)) (fare a b) (forall (?z - thing) (increase (total-cost) 1))
(when (busy) (increase (total-cost) 1))
(:derived (busy) (not (busy))) (= (total-cost) 4) (* (total-cost) (total-cost))"""
INSERTED = re.findall(r"\([^()]+(?:\([^()]*\)[^()]*)*(?:\([^()]*\([^()]*\)[^()]*\))*\)|\S+", WORDS)
TOKENS = re.compile(r"\(|\)|[^\s()]+")
SENTENCE = re.compile(r"(domain|problem)(:\d+){2}: [^\n]+[^\s,.:?]\. Fix: [^\n]+[^\s,:](\.|\?)")
WRONG = re.compile(
    r"[,?]\.|[^.]\.\.[^.]|, ,|are ,|  |\b1 (arguments|parts)\b|is_a|\(\)\.$|None|\bsupported: not\b"
)


def spoil(text, draw):
    """Lose, replace, insert, swap or repeat a word."""
    words = TOKENS.findall(text)
    place = draw.randrange(len(words))
    way = draw.randrange(5)
    if way == 0:
        del words[place]
    elif way == 1:
        words[place] = draw.choice(INSERTED)
    elif way == 2:
        words.insert(place, draw.choice(INSERTED))
    elif way == 3:
        words[place], words[place - 1] = words[place - 1], words[place]
    else:
        words[place] = draw.choice(words)
    return " ".join(words)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_said_about_spoilt_files_are_sentences(seed):
    draw = Random(seed)
    said = set()
    for _ in range(60):
        texts = [DOMAIN, PROBLEM]
        which = draw.randrange(2)
        texts[which] = spoil(texts[which], draw)
        try:
            parse_pddl(*texts)
        except PddlError as error:
            said.add(str(error))
    assert len(said) > 20
    for sentence in said:
        assert SENTENCE.fullmatch(sentence), sentence
        assert not WRONG.search(sentence), sentence
