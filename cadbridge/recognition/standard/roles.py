"""What names say that a part is made for: to turn, to slide, to be put on or screwed to another.

Names are a witness only: where they are one, is the caller's to say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cadbridge.freedoms import SLIDE, TURN
from cadbridge.recognition.standard.names import split, words

ROLLERS = re.compile(
    r"pulley|roller|sheave|\bcast(e|o)r|\bwheel|umlenkrolle|\brolle\b|poulie|galet|polea|puleggia|滑轮|滚轮|プーリ"
)
"""Wheels, rollers and pulleys, whose purpose is to turn; no idle side of a drive."""
HORNS = re.compile(
    r"servo ?(arm|horn|lever)|\bhorns?\b|ruderhorn|servohebel|palonnier|squadretta|舵盘|舵机臂|サーボホーン"
)
"""What is put on the spline of a servo, to turn."""
IDLERS = re.compile(f"{ROLLERS.pattern}|idler")
"""What turns on its pin, though it looks like a bush."""
SLIDERS = re.compile(
    r"gripper|finger|\bjaws?\b|\bclaws?\b|\bslid(er|e)\b|carriage|plunger|drawer|greifer|schlitten|schublade|\bpince|chariot"
    r"|tiroir|pinza|carrello|carro\b|滑块|夹爪|グリッパ|スライダ"
)
"""What is made to slide, though it looks as if it were put into a tray."""
STILL = re.compile(
    r"\bcaps?\b(?! ?(screw|bolt))|\bend ?cap|\bplugs?\b|\bstoppers?\b|\bgrommet|\bpcb|\bboards?\b"
    r"|\bsensors?\b|arduino|raspberry|openmv|jetson|pixhawk|\besp ?32|\bbatter(y|ies)\b|\bleds?\b"
    r"|\blabels?\b|\bstickers?\b|\blogos?\b|\b(electro)?magnets?\b|stopfen|\bkappe|bouchon|\btap[oó]n\b|tappo|заглушк|堵头|端盖|キャップ"
    r"|buttons?\b(?! ?head)|switch(es)?\b|end ?stops?\b|\bjacks?\b(?! ?screw)"
    r"|\busb\b|\b(o?led|lcd|tft)\b|\bdisplays?\b|buzzer|\bencoders?\b|hot ?end|\be3d|\bnozzles?\b"
    r"|taster|schalter|interrup(teur|tor)|pulsante|кнопк|按钮|开关|显示屏|スイッチ|ボタン"
    r"|\bt[iy]res?\b|\breifen\b|\bpneus?\b|neum[aá]tico|шина|轮胎|タイヤ"
)
"""What closes a hole or is put on or in, a tyre too: it moves with what carries it, however round it is."""
SPACERS = re.compile(r"\bspacers?\b|\bcrush ?blocks?\b|distanzh[uü]lse|abstandsh[uü]lse|distanzst[uü]ck")
"""What keeps two plates apart about the bolt that holds them; on a shaft it turns with it."""
_ASIDE = (
    r"(?: ?v? ?\d+(?: ?x ?\d+)*(?: ?mm)?\b| (?:[a-d]|left|right|lh|rh|front|rear|back|upper|lower|top|bottom|inner"
    r"|outer|mid|middle|cent(?:er|re)|[fr][lr]|links|rechts|mitte|vorn|hinten))*$"
)
"""What may follow the word that says what a part is: counters, versions, sizes and where it is."""
SCREWED_ON = re.compile(
    r"(brackets?|clamps?|covers?|spacers?|extrusions?|framing|panels?|halterung|winkel|abdeckung|abstandshalter|équerre"
    r"|entretoise|escuadra|abrazadera|separador|staffa|distanziale|スペーサー?|ブラケット|支架"
    r"|кронштейн)" + _ASIDE
)
"""What screws hold on another part, whether they are drawn or not. A lid may have a hinge."""
PISTONS = re.compile(r"(plunger|pistons?|kolben|st(ö|oe)(ß|ss)el|pistone|[eé]mbolo|поршень|活塞|ピストン)" + _ASIDE)
"""What slides in a cylinder."""
LINEAR_DRIVES = re.compile(r"linear|actuator|aktuator|cylinder|zylinder|vérin|cilindro|hub(motor|antrieb)")
"""Drives of which a rod may slide out, as of a cylinder: what sticks out of them is no shaft by its looks."""
_TURNS = re.compile(
    r"(levers?|hebel|levier|palanca|alavanca|рычаг|cranks?|kurbel|manivelle|manivela|manovella"
    r"|wheels?|\b(zahn|lauf|hand|antriebs|schwung|stell|vorder|hinter)?rad|\broue|\brueda|\bruota|\broda|колесо|车轮"
    r"|knobs?|drehkn[oö]pfe?|perilla|manopola|旋钮|つまみ"
    r"|propell[eo]rs?|h[eé]lice|(?<!servo )rotors?|impellers?|rocker|wippe|pendulum|pendel|レバー|杠杆|曲柄"
    r"|pulley|idler|sheave|roller|poulie|galet|polea|puleggia|rolle|滑轮|滚轮|プーリ)" + _ASIDE
)
_SLIDES = re.compile(
    r"(\bsliders?|schieber|schlitten|(?<!cam )follower|coulisseau|corredera"
    r"|cursore|ползун|滑块|スライダ)" + _ASIDE
)
_MOTIONS = ((TURN, _TURNS), (SLIDE, _SLIDES), (SLIDE, PISTONS))
"""What is made to turn on what it stands on, or to slide in it. A cam follower is a bearing."""


def called(pattern: re.Pattern[str], names: Sequence[str]) -> bool:
    """Whether names have a word of a pattern of this module."""
    return bool(pattern.search(words(names)))


def called_last(pattern: re.Pattern[str], names: Sequence[str]) -> bool:
    """Whether the last word of a name is one of a pattern that ends there: a cover's screw is no cover."""
    return any(pattern.search(words([split(name)])) for name in names)


def called_to_move(names: Sequence[str]) -> str:
    """How a part is made to move by what it is called: `TURN` (a lever), `SLIDE` (a slider), or "".

    The last word says what a part is, before counters and sides: a lever holder is no lever.
    """
    said = {motion for motion, pattern in _MOTIONS if called_last(pattern, names)}
    return said.pop() if len(said) == 1 else ""
