"""English words whose forms no stemmer brings together: went and go, children and child.

Forms that are more often a word of their own (bore, ground, rose, wound) are left out.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType

_FORMS = """
be was were been; become became; begin began begun; bend bent; bite bitten; blow blew blown; break broke broken;
breed bred; bring brought; build built; burn burnt; buy bought; catch caught; choose chose chosen; come came; creep
crept; deal dealt; dig dug; do did done; draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat
ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found; flee fled; fly flew flown; forbid
forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten; give gave
given; go went gone; grow grew grown; hang hung; have had; hear heard; hide hid hidden; hold held; keep kept; kneel
knelt; know knew known; lay laid; lead led; lean leant; learn learnt; leave left; lend lent; light lit; lose lost;
make made; mean meant; meet met; pay paid; ride rode ridden; ring rang rung; rise risen; run ran; say said; see saw
seen; seek sought; sell sold; send sent; shake shook shaken; shine shone; shoot shot; show shown; shrink shrank
shrunk; sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken; spend spent; spin
spun; stand stood; steal stole stolen; stick stuck; sting stung; strike struck; swear swore sworn; sweep swept; swim
swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told; think thought; throw threw thrown;
understand understood; wake woke woken; wear wore worn; weave wove woven; weep wept; win won; write wrote written;
child children; person people; man men; woman women; foot feet; tooth teeth; mouse mice; goose geese; ox oxen; life
lives; wife wives; knife knives; leaf leaves; wolf wolves; shelf shelves; loaf loaves; thief thieves; half halves;
good better best; bad worse worst; far farther further
"""


@functools.cache
def irregular_forms() -> Mapping[str, str]:
    """Form -> the word it is a form of, both casefolded."""
    table: dict[str, str] = {}
    for entry in _FORMS.replace("\n", " ").split(";"):
        word, *forms = entry.split()
        table |= dict.fromkeys(forms, word)
    return MappingProxyType(table)
