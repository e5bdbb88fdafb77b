# SPDX-License-Identifier: Apache-2.0
"""Features of states: a language of concepts, counts and distances, its values, pools of it.

- `expressions`: concepts and roles as values.
- `feature`: flags, counts and distances made of them.
- `parser`: their text, with errors that point at the character.
- `evaluation`, `nodes`: values in one state after the other, computed again as far as it changed.
- `enumeration`: pools of features that tell given states apart, simplest first.
- `role_pool`: the roles that their concepts are made of.
- `state_batch`: concepts and roles over many states at once, as arrays of bitsets.
"""

from fcp_ros.abstraction.features.enumeration import FeaturePool, PoolLimits, enumerate_features
from fcp_ros.abstraction.features.evaluation import FeatureEvaluator
from fcp_ros.abstraction.features.expressions import (
    AllConcept,
    AndConcept,
    AndRole,
    ChainRole,
    ClosureRole,
    ConceptExpression,
    DifferenceRole,
    InverseRole,
    NamedConcept,
    NamedRole,
    NotConcept,
    RestrictRole,
    RoleExpression,
    SameConcept,
    SomeConcept,
    Top,
)
from fcp_ros.abstraction.features.feature import (
    AnyFeature,
    CountFeature,
    DistanceFeature,
    Feature,
    FlagFeature,
)
from fcp_ros.abstraction.features.parser import (
    ExpressionReader,
    FeatureSyntaxError,
    parse_concept,
    parse_feature,
    parse_role,
)

__all__ = [
    "AllConcept",
    "AndConcept",
    "AndRole",
    "AnyFeature",
    "ChainRole",
    "ClosureRole",
    "ConceptExpression",
    "CountFeature",
    "DifferenceRole",
    "DistanceFeature",
    "ExpressionReader",
    "Feature",
    "FeatureEvaluator",
    "FeaturePool",
    "FeatureSyntaxError",
    "FlagFeature",
    "InverseRole",
    "NamedConcept",
    "NamedRole",
    "NotConcept",
    "PoolLimits",
    "RestrictRole",
    "RoleExpression",
    "SameConcept",
    "SomeConcept",
    "Top",
    "enumerate_features",
    "parse_concept",
    "parse_feature",
    "parse_role",
]
