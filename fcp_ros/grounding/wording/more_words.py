# SPDX-License-Identifier: Apache-2.0
"""English words that nobody judged and that are no whole words of the model, and words of others.

Of a word that it reads in pieces the model still knows much: things of kinds that it was not
trained on are judged nearly as well by rare words as by common ones (docs/grounding.md). Of a word
of another language it knows next to nothing; and letters alone don't tell which of the two it is.
"""

from __future__ import annotations

from fcp_ros.foundation.wording import gather_words

ENGLISH_THINGS = gather_words("""
    anorak bagpipes balustrade bannister bassoon beehive bellows blotter bobbin bodice bollard
    bongo bonsai boomerang brazier brochure bugle bulldozer cabinetry caddy cagoule campervan
    camshaft candelabrum castanets chafing chaise chalice checkers chiffonier chronometer cloche
    cornet coverlet credenza crockpot cruet cubicle culottes cummerbund cymbal dehydrator
    demitasse didgeridoo dinghy doily dominoes dongle drapery dreidel dulcimer escalator
    escritoire ewer fedora firepit foosball galoshes gasket gauntlet gazebo gilet gimlet
    glockenspiel gramophone grommet hasp hookah hovel humidor hydrant hygrometer invoice jacuzzi
    jardiniere jodhpurs jukebox kaftan kazoo kennel kerb kiln knapsack kumquat lectern loom
    louver lute lychee lyre macbook mainframe manhole marimba mezzanine moccasin molcajete moped
    muffler mulch negligee oar ocarina pannier peephole percolator pergola pinafore plotter
    pruners pumice puncher pylon racquet rosebush salamander sconce scourer scullery sextant
    shuttlecock sitar skein skylight sleigh smock snifter snuffer sombrero spindle spinet
    spokeshave sprocket ssd stationery statuette strimmer tagine tajine tallboy tambourine
    terracotta thimble timpani toque torchiere tuner turban turnstile tuxedo ukulele urn valance
    valise veranda vestibule vibraphone vivarium voltmeter votive wainscoting whatnot xylophone
    yoyo zither
    """)
"""Things about the house, in one word, that are rare in text."""
OTHER_LANGUAGES = gather_words(
    "arbol casa copa copas dom glas huis luz maison mesa plato porte regal sal teller vin"
)
"""Words that the tokenizer has whole, but mostly from other languages or from names."""
