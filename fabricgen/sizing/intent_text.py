"""The intent of a sized fabric, as a person would write it: every block says why it is what it is."""

from __future__ import annotations

from fractions import Fraction

from fabricgen.sizing.fabric import FabricSize
from fabricgen.sizing.request import CORE_LINK, HOST_LINK, SPINE_LINK

MANAGEMENT = "192.168.0.0/16"


def write_intent(size: FabricSize, name: str, *, schema: str = "intent.schema.json") -> str:
    """Return the text of ``fabric.yaml``; without a schema there is no line for editors."""
    modeline = f"# yaml-language-server: $schema={schema}\n" if schema else ""
    blocks = [
        _head(size, name),
        _hosts(size),
        _scopes(size),
        _attachment(size),
        _tiers(size),
        _links(size),
        *_weights(size),
        _addressing(),
        _operations(),
        _expect(size),
    ]
    return modeline + "\n".join(blocks)


def ratio_text(ratio: Fraction) -> str:
    """Return a ratio as ``16:15``."""
    return f"{ratio.numerator}:{ratio.denominator}"


def _head(size: FabricSize, name: str) -> str:
    counts = ", ".join(_number(tier.switches, tier.name) for tier in size.tiers)
    planes = f" in {size.request.planes} planes" if size.request.planes > 1 else ""
    why = [f"{size.gpus} GPUs in {_number(size.shape.hosts, 'server')}; {counts}{planes}."]
    why.append("Change any number: fabricgen validate reports what no longer fits.")
    return f"{_comment(why)}fabric: {name}\n"


def _hosts(size: FabricSize) -> str:
    request, shape = size.request, size.shape
    keys = [f"server: {request.server.id}", f"nic: {request.nic.id}", f"per_unit: {_count(shape.per_unit)}"]
    why = [f"Every {request.server.id} has {request.rails} back-end NICs: NIC r of each server is on rail r."]
    if shape.tiers == 1:
        keys[2] = f"per_unit: {{count: {shape.per_unit}, max: {size.growth}}}"
        why.append("max keeps leaf ports free for more servers.")
    if request.server.nvlink_hosts > 1 and shape.per_unit > 1:
        keys.append(f"nvlink_domain: {request.domain}")
        why.append(f"{request.domain} servers share one NVLink domain, and units hold whole domains.")
    spare = shape.hosts - request.hosts
    if spare:
        why.append(
            f"{_number(request.hosts, 'server')} hold the {request.gpus} GPUs asked for; "
            f"equal units make that {shape.hosts}."
        )
    return f"{_comment(why)}hosts: {{{', '.join(keys)}}}\n"


def _scopes(size: FabricSize) -> str:
    shape = size.shape
    if shape.tiers == 1:
        return "# One unit: all servers share the same leaf.\nunits: {count: 1, max: 1}\n"
    if shape.tiers == 2:
        why = [
            f"The servers of a unit share {_number(shape.leafs, 'leaf')}"
            + (" in each plane." if size.request.planes > 1 else "."),
            f"Spines have ports for {_number(size.growth, 'unit')}: max reserves ports, addresses and AS numbers, "
            "so that growth renumbers nothing.",
        ]
        return f"{_comment(why)}units: {{count: {shape.units}, max: {size.growth}}}\n"
    why = [
        f"{_number(shape.units, 'unit')} share the spines of a pod; cores join the pods and have ports "
        f"for {size.growth}.",
        "max reserves ports, addresses and AS numbers, so that growth renumbers nothing.",
    ]
    return f"{_comment(why)}units: {_count(shape.units)}\npods: {{count: {shape.pods}, max: {size.growth}}}\n"


def _attachment(size: FabricSize) -> str:
    request, shape = size.request, size.shape
    keys = ["group: host"] if request.whole_hosts else [f"rails_per_leaf: {shape.rails_per_leaf}"]
    text = ""
    if request.whole_hosts:
        why = ["Top of rack: all NICs of a server meet the leaf of its unit."]
    elif shape.rails_per_leaf == 1:
        why = ["Rail-optimised: the NICs of one rail meet on one leaf per unit, one hop apart."]
    else:
        why = [f"So few servers fill one leaf with {shape.rails_per_leaf} rails each."]
    if request.leafs_per_group > 1:
        keys += [f"leafs_per_group: {request.leafs_per_group}", "bond: routed"]
        why.append("The ports of a NIC form a bond over a pair of leafs: a lost leaf costs bandwidth only.")
    if request.planes > 1:
        text = (
            f"# Each NIC has a port in each of {request.planes} planes, which do not meet above the hosts.\n"
            f"planes: {{count: {request.planes}, host: separate}}\n\n"
        )
    return f"{text}{_comment(why)}attachment: {{{', '.join(keys)}}}\n"


def _tiers(size: FabricSize) -> str:
    shape, platform = size.shape, size.boxes.platform
    rows = [f"  leaf: {{model: {size.tiers[0].model}, platform: {platform}}}"]
    why = ["Leafs are placed by units and rails; upper tiers have a count per scope."]
    if shape.spines:
        per = "pod" if shape.cores else "fabric"
        rows.append(
            f"  spine: {{model: {size.tiers[1].model}, platform: {platform}, per: {per}, "
            f"count: {_count(shape.spines)}}}"
        )
        leaf = size.tiers[0]
        why.append(
            f"A leaf has {leaf.down} x {leaf.down_gbps}G down and {leaf.up} x {leaf.up_gbps}G up, "
            f"{shape.spine_pair} to each spine."
        )
    if shape.cores:
        rows.append(
            f"  core: {{model: {size.tiers[2].model}, platform: {platform}, per: fabric, count: {_count(shape.cores)}}}"
        )
    return _comment(why) + "tiers:\n" + "\n".join(rows) + "\n"


def _links(size: FabricSize) -> str:
    shape, rows = size.shape, []
    pairs = {HOST_LINK: 1, SPINE_LINK: shape.spine_pair, CORE_LINK: shape.core_pair}
    for cable in size.cables:
        keys = [f"speed: {cable.speed_gbps}G"]
        keys += [f"per_pair: {pairs[cable.link]}"] if pairs[cable.link] > 1 else []
        keys += ["pattern: {stripe: index}"] if cable.link == CORE_LINK and shape.core_groups > 1 else []
        keys.append(f"cable: {{media: {cable.cable.media}, length_m: {cable.cable.length_m:g}}}")
        rows.append(f"  {cable.link}: {{{', '.join(keys)}}}")
    why = ["Set length_m to the longest cable of each group: it chooses the PFC headroom."]
    if shape.core_groups > 1:
        why.append("Spine i of every pod meets core group i.")
    return _comment(why) + "links:\n" + "\n".join(rows) + "\n"


def _weights(size: FabricSize) -> list[str]:
    """Return that next hops of parallel links have no weights, where what the ASIC makes of them is not published."""
    parallel = max(size.shape.spine_pair, size.shape.core_pair)
    if parallel < 2 or size.boxes.leaf.asic.weight_sum_max:
        return []
    why = "No public source has what the switches make of weights; after lost links the rest of a pair carries more."
    return [f"{_comment([why])}routing: {{ecmp: {{weights: 'off'}}}}\n"]


def _addressing() -> str:
    return (
        "# Pools that every address is cut from; choose ones that are free at your site.\n"
        "addressing: {loopbacks: 10.255.0.0/16, fabric_links: 10.0.0.0/10, host_links: 172.16.0.0/12, "
        f"management: {MANAGEMENT}}}\n"
    )


def _operations() -> str:
    return (
        "# Replace these with your own. The switches accept SSH from access.management only. TACACS_KEY is a variable\n"
        "# of the environment that render --with-secrets reads.\n"
        "operations:\n"
        "  ntp: [192.168.0.10]\n"
        "  syslog: [192.168.0.11]\n"
        "  tacacs: {servers: [192.168.0.12], key: {secret: env:TACACS_KEY}}\n"
        f"  access: {{management: [{MANAGEMENT}]}}\n"
    )


def _expect(size: FabricSize) -> str:
    ratios = [f'{tier.name}: "{ratio_text(tier.ratio)}"' for tier in size.tiers if tier.ratio is not None]
    keys = [f"gpus: {size.gpus}"] + ([f"oversubscription: {{{', '.join(ratios)}}}"] if ratios else [])
    return f"# Checked against the plan: an edit that breaks one of these is an error.\nexpect: {{{', '.join(keys)}}}\n"


def _count(number: int) -> str:
    """A count that reserves nothing; a power of two does so by itself."""
    return str(number) if number & (number - 1) == 0 else f"{{count: {number}, max: {number}}}"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _comment(sentences: list[str]) -> str:
    """Sentences as comment lines of at most 120 characters."""
    lines: list[str] = []
    for word in " ".join(sentences).split():
        if lines and len(lines[-1]) + 1 + len(word) <= 120:
            lines[-1] += f" {word}"
        else:
            lines.append(f"# {word}")
    return "\n".join(lines) + "\n"
