"""Communities that EOS sends to its neighbors, by the commands of a neighbor and of its group."""

from __future__ import annotations

import pytest

from fabricgen.platforms.eos.reader import read
from fabricgen.platforms.eos.rollout import announces_shutdown

MEMBER, ALONE, PORT = (
    ("neighbor UPPER peer group", "neighbor UPPER remote-as 65001", "neighbor 10.0.0.0 peer group UPPER"),
    ("neighbor 10.0.0.0 remote-as 65001",),
    ("neighbor UPPER peer group", "neighbor interface Et1/1 peer-group UPPER remote-as 65001"),
)
GROUP, OWN = "neighbor UPPER send-community", "neighbor 10.0.0.0 send-community"


@pytest.mark.parametrize(
    ("neighbor", "lines", "announces"),
    [
        (ALONE, [], False),
        (ALONE, [OWN], True),
        (ALONE, [f"{OWN} standard"], True),
        (ALONE, [f"{OWN} standard extended large"], True),
        (ALONE, [f"{OWN} extended large"], False),
        (ALONE, [f"{OWN} link-bandwidth aggregate"], False),
        (ALONE, [f"{OWN} add standard"], True),
        (ALONE, [f"{OWN} add extended"], False),
        (ALONE, [f"{OWN} remove standard"], False),
        (ALONE, [f"no {OWN}"], False),
        (ALONE, ["neighbor default send-community standard"], True),
        (ALONE, ["neighbor default send-community", f"{OWN} extended"], False),
        (PORT, [GROUP], True),
        (PORT, [f"{GROUP} remove standard"], False),
        (MEMBER, [GROUP], True),
        (MEMBER, [f"{GROUP} extended"], False),
        (MEMBER, [f"{GROUP} extended", OWN], True),
        (MEMBER, [f"{GROUP} extended", f"{OWN} add standard"], True),
        (MEMBER, [GROUP, f"{OWN} add extended"], True),
        (MEMBER, [GROUP, f"{OWN} remove extended"], True),
        (MEMBER, [GROUP, f"{OWN} remove standard"], False),
        (MEMBER, [GROUP, f"no {OWN}"], False),
    ],
)
def test_standard_communities_are_sent_by_their_name_or_by_the_bare_command(
    neighbor: tuple[str, ...], lines: list[str], announces: bool
) -> None:
    text = "".join(f"   {line}\n" for line in (*neighbor, *lines))
    assert announces_shutdown(read(f"router bgp 65000\n{text}")) is announces
