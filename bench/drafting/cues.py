"""How people say what they want of an agent: cues of rules, rejections, corrections, decisions and requests."""

from __future__ import annotations

import re

from bench.keys import Tag

CORRECTION = re.compile(
    r"\b(?:that|this|it|which)(?:'s| is| was) (?:not|wrong|incorrect|actually)\b"
    r"|\b(?:not correct|incorrect|misleading)\b"
    r"|\b(?:is|are|was|were) (?:wrong|off)\b|\byou (?:forgot|missed|misunderstood|broke)\b"
    r"|\bactually\b|\bi (?:\w+ )?meant\b|\bmy mistake\b|\bi messed up\b|\bshould(?:'ve| have) been\b"
    r"|\bthe issue is\b",
    re.IGNORECASE,
)
REJECTION = re.compile(
    r"^(?:no|nope|nah)\b(?! (?:problem|worries|need to worry))"
    r"|\b(?:revert|undo|scrap) (?:this|that|it|them|the)\b"
    r"|\b(?:don'?t|do not|didn'?t) (?:want|need|like)\b|\b(?:doesn'?t|does not|won'?t|will not) work\b"
    r"|\bnot (?:really )?(?:feasible|useful|needed|necessary|worth|an option)\b|\binstead of\b|\brather than\b"
    r"|\b(?:rule[ds]? out|reject(?:ed)?|forget about)\b",
    re.IGNORECASE,
)
RULE = re.compile(
    r"\b(?:always|never|must(?:n'?t)?|make sure|let'?s not|keep in mind|from now on|remember to|ensure that)\b"
    r"|^(?:(?:and|also|but|please)\W+)*(?:do not|don'?t|only|keep|avoid)\b|\b(?:please|so) (?:do not|don'?t)\b"
    r"|\b(?:i|we|i'd) prefer\b|\bwithout (?:any|chang|touch|us|add|break)\w*"
    r"|\bshould(?:n'?t| not| never| always| only)\b|\b(?:has|have|needs) to (?:be|stay|work|keep|match)\b"
    r"|\bnot allowed\b|\bfor backwards? compatib",
    re.IGNORECASE,
)
DECISION = re.compile(
    r"\blet'?s (?:go|use|do|store|keep|implement|put|add|make|just)\b|\bgo with\b|\bput it in\b"
    r"|\bwe (?:\w+ )?(?:deprecated|decided|agreed|dropped|chose)\b"
    r"|^(?:yes|yeah|ok|okay|sure)\b.*\b(?:implement|add|use|do|write|keep|continue)\b"
    r"|\b(?:the )?pattern (?:is|was) to\b",
    re.IGNORECASE,
)
CUES: tuple[tuple[Tag, re.Pattern[str]], ...] = (
    ("correction", CORRECTION),
    ("rejected", REJECTION),
    ("constraint", RULE),
    ("decision", DECISION),
)
"""The first that is found names what a sentence sets."""
ABSOLUTE = re.compile(r"\b(?:not|never|always|only|don'?t)\b", re.IGNORECASE)
"""What makes a rule of a request."""
QUESTION = re.compile(r"[?？]\W*$|\bwonder(?:ing)? (?:if|whether|what|how)\b", re.IGNORECASE)
_LEAD = r"^(?:(?:and|also|so|now|but|then|please|basically|first|btw|by the way|ok(?:ay)?|yes|great|cool)\W+)*"
ASKING = re.compile(
    rf"{_LEAD}(?:(?:can|could|would|will) (?:you|we)\b|how about (?!this|that)\w)|^please\b"
    r"|\bcan you\b|\bi wonder(?:ing)? (?:now )?if (?:we|you)\b|\bwondering if we\b",
    re.IGNORECASE,
)
WISH = re.compile(
    rf"{_LEAD}(?:add|fix|make|use|write|create|implement|update|remove|delete|move|rename|run|change|check|investigate"
    r"|show|copy|propose|document|test|refactor|replace|push|open|commit|set|put|find|review|build|convert|extract|split"
    r"|merge|drop|export|import|raise|lower|increase|go|bump|switch|upgrade|install|configure|allow|support|turn|clean)\b"
    r"|\b(?:i|we)(?: \w+)? (?:want|would want|would like|need)\b(?! to know)"
    r"|\b(?:we|you|it|they|there|this|that|\w+) should\b",
    re.IGNORECASE,
)
PASSING = re.compile(
    r"\b(?:explain|walk me through|tell me|show me|ask me|do you (?:think|understand)|remind|what (?:is|are|does|do)"
    r"|why (?:is|are|do|does|did|would)|how (?:sure|different|confident)|makes? sense|are you|refresh"
    r"|you(?:'ve| have)? (?:can |could )?(?:look|read)|read (?:it|that|agent|the file)|in full|feeling|idiot"
    r"|check (?:the|if|whether)\b.*\b(?:again|numbers?|last|latest|correct)|run (?:git|this)|git status)\b",
    re.IGNORECASE,
)
"""Asked for the moment: what was said in answer may matter, that it was asked does not."""
FRAME = re.compile(r"(?i)\b(?:the )?following (?:issue|task|problem)\b|^here(?:'s| is) the\b|^\w+:$")
"""What frames a task that a harness hands over."""
PASTED = re.compile(r"[;{}]\s*$|\bfor example:|^\W*\w[\w-]*(?:/[\w.-]+)+(?:\s|$)|\) =>|\(\w+\) \w|—\s*$|^Code Review\b")
"""Written by a tool or a reviewer, not typed."""
LAYOUT = re.compile(r"^[^?;{}()]{2,80} ?(?:->|→|=>) ?[\w./~-]{2,60}(?: \([^)]*\))?$")
"""What goes where, one a line: a layout that the person lays down."""
DENIED_FIRST = re.compile(
    r"^(?:\S+ ){0,4}(?:not|never|no|don'?t|doesn'?t|won'?t|cannot|can'?t|isn'?t|shouldn'?t|without)\b", re.IGNORECASE
)
"""A denial at the beginning is what the sentence says; later it may be an aside."""
WITHDRAWN = re.compile(
    r"\b(?:revert|undo|scrap|roll back|remove) (?:that|this|it|those|these|everything)\b", re.IGNORECASE
)
"""How a person takes back what was asked in the turn before."""
TURNED_DOWN = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|uh|um|well|hmm+|err?)\W+)*(?:no|nope|nah|stop|wait|wrong|revert|undo)\b"
    r"|\b(?:revert|undo) (?:that|this|it)\b|\b(?:horrible|terrible|not what i)\b",
    re.IGNORECASE,
)
"""How a person answers a report that does not stand."""
