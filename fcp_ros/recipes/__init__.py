# SPDX-License-Identifier: Apache-2.0
"""Recipes with something missing: read, rewritten with what there is, and shown.

Lowest first:

- `knowledge_entries`, `knowledge`: crisp facts about food, tools and substitutes.
- `recipe`: a recipe as a value, codes of what is wrong with it; `measures`: units and quantities.
- `ingredient_lines`, `direction_words`, `food_mentions`, `recipe_files`, `reading`: from a file to
  that value.
- `wishes`: what is missing and ruled out.
- `kitchen_state`: the state (C-set) of the domain `kitchen`, from recipe, facts and wishes.
- `text_editing`, `procedure_changes`, `rewriting`: from a plan back to a recipe.
- `cooking`: the whole; `cook` is the way in.
"""

from fcp_ros.foundation.imports import defer_imports

with defer_imports(__name__):
    from fcp_ros.recipes.cooking import Cooked, CookingOptions, Kitchen, cook
    from fcp_ros.recipes.recipe import Recipe, RecipeCode, RecipeError

__all__ = ["Cooked", "CookingOptions", "Kitchen", "Recipe", "RecipeCode", "RecipeError", "cook"]
