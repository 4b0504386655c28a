"""Secrets in lines of configuration, of any syntax: what follows a word that announces one, and what looks like one.

Source:
    intentionet/netconan 63be4817, default_pwd_regexes.py (from RANCID): the words and the positions after them;
    crypt(5): prefixes of hashes; RFC 7519, section 3: JSON Web Tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from functools import lru_cache
from typing import NamedTuple

from fabricgen.diagnostics.visible import HIDDEN

_TEXT_COMMAND = re.compile(r"(?:^|\s)(?:description|remark|comment|message|banner \S+) ")
"""Words that a text for people follows."""
_TEXT_KEY = re.compile(
    r"description|remark|comment|message|(?:pre|post)-login|motd|login|logout|(?:system-)?(?:contact|location)",
    re.IGNORECASE,
)
"""Keys of documents that have such a text."""
_BANNER, _BANNER_END = re.compile(r"\s*banner \S+\s*$"), "EOF"
"""Command of EOS whose text stands on the lines below it, and what ends them."""
_ORDINARY = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*[.,;:!?)]*")


def is_free_text(key: str) -> bool:
    """Return whether a key of a document leads to a text for people."""
    return bool(_TEXT_KEY.fullmatch(key))


def find_free_text(line: str) -> int:
    """Return where the text for people begins in a line; its end where it has none."""
    found = _TEXT_COMMAND.search(line)
    return found.end() if found else len(line)


def mark_banners(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines of a text, and whether each is one of a banner."""
    is_inside = False
    for line in text.split("\n"):
        is_inside = is_inside and line.strip() != _BANNER_END
        yield line, is_inside
        is_inside = is_inside or bool(_BANNER.match(line))


def is_prose(between: str, value: str) -> bool:
    """Return whether a word of a text for people is no secret, though the one before it may announce one.

    In ``community site`` or ``your password to`` it is none. There a sign or a further word announces a secret
    (``password: x``, ``password is x``), or it is no ordinary word.
    """
    return not between.strip() and bool(_ORDINARY.fullmatch(value))


REFERENCE = "@fabricgen-secret:"
"""Beginning of references to secrets."""
_REFERENCE = re.compile(rf"{REFERENCE}[\w./#:=,+%\[\]~-]+@")
_STRONG = re.compile(
    r"(?:pas+w(?:or?|ro?)?d|pass(?:phrase|key)|sec(?:re|er)t|psk|(?:key|auth|community)[-_]?string|bearer|credential|token"
    r"|(?:auth\w*|pre-?_?shared|shared|session|digest|access|api|private|command)[-_]?key)[-_]?(?:hash|enc|\d+)?s?$"
    r"|^-*p(?:ass|wd?)$|(?:^|_)c(?:a?k|kn)$|^auth-(?:md5|sha)\w*$|^encrypt-(?:aes|des)\w*$",
    re.IGNORECASE,
)
"""Words that a secret follows."""
_KEY = re.compile(r"(?:^|[-_])keys?(?:-hash)?$", re.IGNORECASE)
"""Words that a secret of three and more characters follows."""
_COMMUNITY = re.compile(r"(?:^|snmp[-_]?|^r[ow]|^read(?:only|write)-)communit(?:y|y-map|y-v6|ies)$|^trap-group$", re.I)
_NEVER = re.compile(r"/.*|(?:allow-)?no-?pas.*|empty-passwords|.*encryption-key|(?:trusted|authorized|ssh|public)-key")
"""Words that only look like one of these."""
_KIND = re.compile(
    r"(?:\d{1,3}|8a|\d+(?=\s+(?:md5|sha))|(?:hmac-|ietf-)?(?:md5|sha)(?:-?\d+)*|3?des|aes(?:-?\d+)*\S{0,8}|hash-algo|key-id|key-string"
    r"|(?:clear|plain)?-?text|clear|hex(?:adecimal)?|ascii(?:-text)?|enc(?:rypted)?|local|remote|level|simple|line|is|inbound"
    r"|shared-secret|outbound|ah|esp)(?=\s+[^\s])",
    re.IGNORECASE,
)
"""Words between one that announces a secret and the secret: how it is encrypted, and for whom it is."""
_TYPE = re.compile(r"\s+(?:[05-9]|8a)\s+(?=\S)", re.IGNORECASE)
_HARMLESS = re.compile(
    r"(?:policy|profile|minimum|encryption(?:-key)?|size|field|chain|hash|address|hostname|algorithm|identity)(?=\s+\S)"
    r"|(?:controller|public-key)(?=\s*$)|\{|--?[a-z]\w*="
)
"""Words of commands in the place of a secret."""
_SET_COMMUNITY = re.compile(
    r"[\d.]+(?::[\d.]+)+|additive|none|no-\w+|internet|local-as|(?i:g\w*-?shut\w*)|community-list"
)
_BEFORE = frozenset(("send", "send-community", "match", "private-vlan", "include", "ip", "bgp", "extended", "large"))
"""Words before ``community`` where it is none of SNMP."""
_PLAIN = re.compile(
    r"(?:file:)?/(?:bin|dev|etc|home|host|mnt|opt|persist|root|run|srv|tmp|usr|var)/[\w./-]*|[\w./-]+\.(?:key|crt|cer|pem)|[A-Z_]+\$\d"
)
_PLACES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"snmp-server host \S+(?: vrf \S+| informs| traps| version (?:1|2c|3 \S+))* (\S+)",
        r"snmp-server user .*? auth (?:(?:md5|sha)\S* )?(?:[0-9] )?(\S+)",
        r"snmp-server user .*? priv (?:(?:3?des|aes)\S* )?(?:\d+ )?(\S+)",
        r"(?:standby|nhrp)\b.*? authentication (?:text )?(?!(?:md5|text)\s+\S)(\S+)",
        r"authentication (?:text|string) (?!rx-disabled|level-)(\S+)",
        r"(?:ppp .*hostname|syscon address \S+) (\S+)",
        r"set session-key \S+ (?:ah|esp) \d+ (?:cipher |authenticator )?(\S+)",
        r"set session-key .*\bauthenticator (\S+)",
        r"neighbor \S+ password (?!shared-secret profile)(?:(?:\d|8a) )?(.+?)\s*$",
        r"(?:(?:tacacs|radius|ldap)[- ]server|hash-algo) .*?\bkey (?:(?:[05-9]|8a) )?(\S+)",
        r'"value"\s*:\s*"([^"]+)"',
        r"://[^/\s:@]*:([^@\s/]+)@",
        r"\bauthorization['\"]?\s*[:=]\s*['\"]?(?:(?:bearer|basic) )?([^'\"\s]+)",
    )
)
"""Positions that more than one word before them tells."""
_HASH = re.compile(
    r"\$(?:1|5|6|7|8|8a|9|14|1c|2[abxy]|y|gy|sha1|apr1|scrypt|argon2\w*|pbkdf2\w*)\$[^\s\"',;<]+|\{\w*(?:SHA|CRYPT)\w*\}\S+"
    r"|\beyJ[\w-]{8,}[\w.-]*"
)
_PUBLIC_KEY = re.compile(r"(AAAA(?:B3NzaC1|C3NzaC1|E2VjZHNh)[\w+/=]*)")
_RUN = re.compile(r"(?<![\w./-])(?:file:)?/[\w./-]+(?=[\s\"',;]|$)|(?P<run>[A-Za-z0-9+/]{8,}=*)")
_MIXED = re.compile(r"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=\D*\d)[A-Za-z0-9+=]{8,}")
_NAME = re.compile(
    r"(?:[A-Za-z]+)?(?:Ethernet|GigE|Channel|Loopback|Management|Vlan|Vxlan|Tunnel|Port)\d+|\d+x\d+G"
    r"|(?:[A-Z]?[a-z]{2,}|[lL]\d)(?:[A-Z][a-z]{2,}|L\d|\d{1,3}(?![a-z])|(?<=\d)[a-z]{3,})*[A-Z]?"
)
"""Interfaces, and names of words and numbers."""
_NAMED = re.compile(
    r"(?:^|\s)(?:hostname|name|session|profile|(?:peer-)?group|route-map|\w+-list|vrf|instance|policy(?:-map)?|class(?:-map)?"
    r"|template|module|interface|vlan|pool|view|role|zone|domain|application|user|username) (\S+)"
)
"""Words that the name of a thing follows."""
_WORD = re.compile(r"[^\s\"'=:,;|<>{}\[\]()@\\]+")
_VALUE = re.compile(r"\"(?:[^\"\\]|\\.)*\"?|'[^']*'?|[^\s\"']\S*?(?=[\"'<>;,}\]\\]*(?:\s|$)|</|\\n(?=.*[\"']))")
_BETWEEN = re.compile(r"[\]})]?[\s=:|>,(]*(?:\\?[\"'](?=\s*[=:]))?[\s=:|>,(\[]*\\?")
Put = Callable[[str, str], str]
"""Stand-in for a secret, by the word that announces it and the secret itself."""


class SecretSpan(NamedTuple):
    """A secret in a line: its span, the word that announces it, and whether it is where secrets are."""

    start: int
    end: int
    name: str
    is_placed: bool


def announces(word: str) -> bool:
    """Return whether a secret follows a word, such as a key of a document."""
    return bool(_STRONG.search(word) or _KEY.search(word) or _COMMUNITY.search(word)) and not _NEVER.fullmatch(word)


def is_reference(text: str) -> bool:
    """Return whether a text is a reference to a secret, and nothing else but its type."""
    return REFERENCE in text and len(_REFERENCE.sub("", text).strip()) <= 2


@lru_cache(maxsize=1 << 16)
def find_secrets(line: str, is_free: bool = False) -> tuple[SecretSpan, ...]:
    """Return every secret in a line, or in one of a text for people; references to secrets are none."""
    taken, found = 0, []
    references = [match.span() for match in _REFERENCE.finditer(line)] if REFERENCE in line else ()
    for each in sorted([*_follow(line, is_free), *_look_alike(line)], key=lambda each: (each.start, -each.is_placed)):
        if each.end > taken and not any(start <= each.start and each.end <= end for start, end in references):
            found.append(each._replace(start=max(each.start, taken)))
            taken = each.end
    return tuple(found)


def hide_secrets(
    text: str, put: Put = lambda *_: HIDDEN, known: Container[str] = (), start: int = 0, is_free: bool = False
) -> str:
    """Return a text from a place in each line on with a stand-in for each secret; known texts may look like one."""
    return "\n".join(_hide(line, put, known, start, is_free or inside) for line, inside in mark_banners(text))


def _hide(line: str, put: Put, known: Container[str], at: int, is_free: bool) -> str:
    parts = []
    for start, end, name, is_placed in find_secrets(line, is_free):
        if end > at and (is_placed or line[start:end] not in known):
            parts += [line[at : max(start, at)], put(name, line[start:end])]
            at = end
    return "".join((*parts, line[at:]))


def _follow(line: str, is_free: bool) -> Iterator[SecretSpan]:
    """Yield what follows words that announce a secret."""
    found = [SecretSpan(*match.span(1), "value", True) for place in _PLACES for match in place.finditer(line)]
    yield from found
    taken, before, free_from = 0, "", 0 if is_free else find_free_text(line)
    for word in _WORD.finditer(line):
        last, before = before.lower(), word[0]
        is_left = word.start() >= taken and not any(each.start <= word.start() < each.end for each in found)
        value = _find_value(line, word, last) if is_left and announces(word[0]) else None
        if value and not (word.start() >= free_from and is_prose(line[word.end() : value.start()], value[0])):
            taken = value.end() if value.start() > _skip(line, word.end()) else taken
            yield SecretSpan(*_bare(value), word[0], True)
            if (kind := _TYPE.match(line, value.end())) and (second := _VALUE.match(line, kind.end())):
                yield SecretSpan(*_bare(second), word[0], True)


def _find_value(line: str, word: re.Match[str], before: str) -> re.Match[str] | None:
    """Return the secret that a word announces; None if none follows. ``before`` is the word before it."""
    is_community, at = bool(_COMMUNITY.search(word[0])), _skip(line, word.end())
    if at == word.end() or (is_community and before in _BEFORE):
        return None
    while not is_community and (kind := _KIND.match(line, at)):
        at = _skip(line, kind.end())
    value = None if _HARMLESS.match(line, at) else _VALUE.match(line, at)
    return value if value and is_secret(value[0].strip("\"'"), word[0], before if is_community else "") else None


def _skip(line: str, at: int) -> int:
    """Return where the next word of a line begins."""
    return next(_BETWEEN.finditer(line, at)).end()


def is_secret(value: str, word: str, before: str = "") -> bool:
    """Return whether the value after a word that announces a secret is one; ``before`` stands before ``community``."""
    if not value or value.startswith(("${", "$(")) or _PLAIN.fullmatch(value) or _PUBLIC_KEY.fullmatch(value):
        return False
    if before == "set" or re.fullmatch(r"\d+(?::\d+)+", value):
        return not _SET_COMMUNITY.fullmatch(value)
    return bool(_STRONG.search(word) or before or _COMMUNITY.search(word)) or len(value) >= 3


def _bare(value: re.Match[str]) -> tuple[int, int]:
    """Return the span of a value without its quotes."""
    sign = value[0][0] if value[0][0] in "\"'" else ""
    return value.start() + len(sign), value.end() - (1 if sign and len(value[0]) > 1 and value[0][-1] == sign else 0)


def _look_alike(line: str) -> Iterator[SecretSpan]:
    """Yield what looks like a secret, wherever it is."""
    yield from (SecretSpan(*match.span(), "value", True) for match in _HASH.finditer(line))
    named = [match.span(1) for pattern in (_NAMED, _PUBLIC_KEY) for match in pattern.finditer(line)]
    for match in _RUN.finditer(line):
        parts = (match["run"] or "").split("/")
        is_name = any(start <= match.start() and match.end() <= end for start, end in named)
        if not is_name and any(_MIXED.fullmatch(part) and not _NAME.fullmatch(part) for part in parts):
            yield SecretSpan(*match.span(), "value", False)


_LINE_MAX = 2048
"""Of longer lines nothing behind is quoted."""


def show_line_of_file(line: str, column: int = 0) -> str:
    """A source line as it may be quoted; what is before a column, counted from 1, keeps its place."""
    parts, at, line = [], 0, line[:_LINE_MAX]
    for found in find_secrets(line):
        placeholder = "…".ljust(found.end - found.start) if found.start + 1 < column else HIDDEN
        parts += [line[at : found.start], placeholder]
        at = found.end
    return "".join((*parts, line[at:]))
