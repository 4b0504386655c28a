"""One example per key of the language: a document that is laid over the inventory ``quickstart``.

The reference shows them, and a test validates each; a key without an example fails it. A key is written as the
reference writes it: ``<name>`` stands for a name of the user's own, ``[]`` for an item of a list.
"""

from __future__ import annotations

from collections.abc import Mapping

_GROUP = "hosts:\n  "
_LEAF = "tiers:\n  leaf: "
_SPINE = "tiers:\n  spine: "
_PER_POD = "\ntiers: {spine: {per: pod}}"
_EOS_LEAF = "tiers: {leaf: {model: arista_7060x6_64pe, platform: eos}}"
_SPECTRUM_X = """hosts: {nic: bluefield3_400g}
tiers:
  leaf: {model: nvidia_sn5600, platform: cumulus_nvue}
  spine: {model: nvidia_sn5600, platform: cumulus_nvue}"""
_FBOSS = """tiers:
  leaf: {model: meta_minipack3, platform: fboss, board_data: boards/sample_minipack3.yaml}
  spine: {model: meta_minipack3, platform: fboss, board_data: boards/sample_minipack3.yaml}"""
_LINK = "links:\n  leaf-spine: "
_CLASSES = "lossless:\n  classes:\n    roce: "
_REST = """
    cnp: {dscp: 46, priority: 6, strict: true}
    control: {dscp: [48, 56], priority: 7, strict: true}
    default: {priority: 0, weight_pct: 5}"""
_ROCE = "{dscp: 26, priority: 3, lossless: true, weight_pct: 95}"
_EXCEPTION = "exceptions:\n  - "
_GNMI = """operations:
  gnmi:
    server_crt: /etc/sonic/telemetry/switch.cer
    server_key: /etc/sonic/telemetry/switch.key
    ca_crt: /etc/sonic/telemetry/collectors.cer
    clients: [collector.example.net]
"""
_SNMP = "operations:\n  snmp: "
_USER = "operations:\n  users:\n    - "
_SECRET = "{secret: env:SNMP_COMMUNITY}"  # noqa: S105 - a reference
_DUAL_STACK = """tiers: {leaf: {platform: frr}, spine: {platform: frr}}
addressing:
  families: [ipv4, ipv6]
  loopbacks: {ipv4: 10.254.0.0/16, ipv6: "fd3a:91c4:7e02:ff::/64"}
  fabric_links: {ipv4: 10.16.0.0/12, ipv6: "fd3a:91c4:7e02:1::/64"}
  host_links: {ipv4: 100.64.0.0/12, ipv6: "fd3a:91c4:7e02:2::/64"}"""
_SSH = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ netops@example.net"


def _ecmp(head: str, tail: str) -> Mapping[str, str]:
    """Examples of multipath settings, for all tiers or one."""
    return {
        "hash": f"{head}{{hash: [five_tuple, ingress_port]}}{tail}",
        "decorrelate": f"{head}{{decorrelate: 'off'}}{tail}",
        "max_paths": f"{head}{{max_paths: 64}}{tail}",
        "load_balancing": f"{head}{{load_balancing: static}}{tail}",
        "resilient": f"{head}{{resilient: true}}{tail}",
        "flowlet_gap_us": f"{head}{{flowlet_gap_us: auto}}{tail}",
    }


EXAMPLES: Mapping[str, str] = {
    "fabric": "fabric: hall-7",
    "hosts": "hosts: {server: dgx_h100_8, nic: connectx7_400g, per_unit: 4}",
    "units": "units: {name: rack, count: 4, max: 8}",
    "pods": "pods: 2" + _PER_POD,
    "zones": "zones: 1",
    "planes": "planes: 1",
    "attachment": "attachment: {rails_per_leaf: 4}",
    "tiers": f"{_SPINE}{{model: dell_z9864f, platform: sonic, per: fabric, count: 2}}",
    "links": f"{_LINK}{{speed: 400G, per_pair: 4, cable: {{media: smf, length_m: 30}}}}",
    "addressing": "addressing: {loopbacks: 10.254.0.0/16}",
    "routing": "routing: {bfd: 'on'}",
    "lossless": "lossless: {watchdog: {action: forward}}",
    "collectives": "collectives: {qps_per_connection: 8}",
    "operations": "operations: {ntp: [192.168.0.10], syslog: [192.168.0.11]}",
    "assets": "assets: assets.csv",
    "workload": "workload: workloads/llama3-70b.yaml",
    "expect": "expect: {gpus: 64, failures: {spine: 1}}",
    "rollout": "rollout: {floor: 0.5, out_max: {tier: 1/2}}",
    "exceptions": f'{_EXCEPTION}{{device: spine-02, state: drained, reason: "optics RMA"}}',
    "hosts.server": f"{_GROUP}server: dgx_h100_8",
    "hosts.nic": f"{_GROUP}nic: connectx7_400g",
    "hosts.per_unit": f"{_GROUP}per_unit: 4",
    "hosts.backup_per_unit": f"{_GROUP}backup_per_unit: 1",
    "hosts.units": f'{_GROUP}units: "1-2"',
    "hosts.attachment": f"{_GROUP}attachment: {{rails_per_leaf: 4}}",
    "hosts.nvlink_domain": f"{_GROUP}server: gb200_tray_4\n  nvlink_domain: 4",
    "hosts.os": f"{_GROUP}os: ubuntu",
    "hosts.name": f'{_GROUP}name: "{{group}}{{unit:03}}n{{host:02}}"',
    "hosts.per_unit.count": f"{_GROUP}per_unit: {{count: 2}}",
    "hosts.per_unit.max": f"{_GROUP}per_unit: {{count: 2, max: 4}}",
    "units.count": "units: {count: 6}",
    "units.max": "units: {max: 4}",
    "units.name": "units: {name: segment}",
    "pods.count": "pods: {count: 2}" + _PER_POD,
    "pods.max": "pods: {count: 2, max: 2}" + _PER_POD,
    "pods.name": "pods: {count: 2, name: ai_zone}" + _PER_POD,
    "zones.count": "zones: {count: 1}",
    "zones.max": "zones: {count: 1, max: 1}",
    "zones.name": "zones: {count: 1, name: building}",
    "planes.count": "planes: {count: 1}",
    "planes.max": "planes: {count: 1, max: 1}",
    "planes.host": "planes: {count: 1, host: separate}",
    "attachment.group": "attachment: {group: rail}",
    "attachment.rails_per_leaf": "attachment: {rails_per_leaf: 4}",
    "attachment.leafs_per_group": "attachment: {leafs_per_group: 1}",
    "attachment.bond": "attachment: {bond: none}",
    "tiers.<name>.model": f"{_LEAF}{{model: dell_z9864f}}",
    "tiers.<name>.platform": f"{_LEAF}{{platform: sonic}}",
    "tiers.<name>.release": f'{_LEAF}{{release: "202605"}}',
    "tiers.<name>.per": f"{_SPINE}{{per: fabric}}",
    "tiers.<name>.count": f"{_SPINE}{{count: {{count: 2, max: 2}}}}",
    "tiers.<name>.name": f'{_SPINE}{{name: "sp{{index:02}}"}}',
    "tiers.<name>.ecmp": f"{_LEAF}{{ecmp: {{max_paths: 32}}}}",
    **{f"tiers.<name>.ecmp.{key}": text for key, text in _ecmp(f"{_LEAF}{{ecmp: ", "}").items()},
    "links.<name>.speed": f"{_LINK}{{speed: 400G}}",
    "links.<name>.cable": f"{_LINK}{{cable: {{media: mmf, length_m: 30}}}}",
    "links.<name>.per_pair": f"{_LINK}{{per_pair: 4}}",
    "links.<name>.pattern": f"{_LINK}{{pattern: mesh}}",
    "links.<name>.mtu": f"{_LINK}{{mtu: 9216}}",
    "links.<name>.cable.media": f"{_LINK}{{cable: {{media: aoc}}}}",
    "links.<name>.cable.length_m": f"{_LINK}{{cable: {{length_m: 38}}}}",
    "links.<name>.pattern.stripe": f"{_LINK}{{pattern: {{stripe: index}}}}",
    "addressing.families": "addressing: {families: [ipv4]}",
    "addressing.loopbacks": "addressing: {loopbacks: 10.254.0.0/16}",
    "addressing.loopbacks.ipv4": "addressing: {loopbacks: {ipv4: 10.254.0.0/16}}",
    "addressing.loopbacks.ipv6": _DUAL_STACK,
    "addressing.fabric_links": "addressing: {fabric_links: 10.16.0.0/12}",
    "addressing.host_links": "addressing: {host_links: 100.64.0.0/12}",
    "addressing.management": "addressing: {management: 192.168.128.0/17}",
    "addressing.management.pool": "addressing: {management: {pool: 192.168.128.0/17}}",
    "addressing.management.gateway": "addressing: {management: {pool: 192.168.128.0/17, gateway: last}}",
    "routing.asn": "routing: {asn: {base: 4200001000}}",
    "routing.bfd": "routing: {bfd: 'off'}",
    "routing.security": "routing: {security: {ttl: 'on'}}",
    "routing.security.key": "routing: {security: {key: {secret: env:BGP_KEY}}}",
    "routing.security.key.secret": "routing: {security: {key: {secret: sops:secrets.yaml#bgp}}}",
    "routing.security.ttl": "routing: {security: {ttl: 'off'}}",
    "routing.hosts": "routing: {hosts: bgp}",
    "routing.ecmp": "routing: {ecmp: {hash: [five_tuple]}}",
    "routing.ecmp.weights": "routing: {ecmp: {weights: 'off'}}",
    "routing.asn.scheme": "routing: {asn: {scheme: rfc7938}}",
    "routing.asn.base": "routing: {asn: {base: 64512}}",
    **{f"routing.ecmp.{key}": text for key, text in _ecmp("routing: {ecmp: ", "}").items()},
    "routing.ecmp.load_balancing": f"{_SPECTRUM_X}\nrouting: {{ecmp: {{load_balancing: adaptive}}}}",
    "routing.ecmp.flowlet_gap_us": f"{_FBOSS}\nrouting: {{ecmp: {{load_balancing: flowlet, flowlet_gap_us: 64}}}}",
    "lossless.mode": 'lossless: {mode: pfc_only, reason: "receiver-driven admission in the library"}',
    "lossless.mark_unmarked": f"{_EOS_LEAF}\nlossless: {{mark_unmarked: true}}",
    "lossless.reason": 'lossless: {mode: pfc_only, reason: "DCQCN off at 400G"}',
    "lossless.classes": f"{_CLASSES}{_ROCE}{_REST}",
    "lossless.ecn": "lossless: {ecn: computed}",
    "lossless.rtt_us": "lossless: {rtt_us: 12}",
    "lossless.dcqcn": "lossless: {dcqcn: {rpg_ai_rate: 10}}",
    "lossless.headroom": "lossless: {headroom: {pool_oversubscription_max: 8.0}}",
    "lossless.watchdog": "lossless: {watchdog: {detection_ms: 300}}",
    "lossless.classes.<name>.dscp": f"{_CLASSES}{_ROCE.replace('26', '[26, 27]')}{_REST}",
    "lossless.classes.<name>.mark": f"{_CLASSES}{_ROCE.replace('26', '[26, 27], mark: 27')}{_REST}",
    "lossless.classes.<name>.priority": f"{_CLASSES}{_ROCE.replace('priority: 3', 'priority: 4')}{_REST}",
    "lossless.classes.<name>.lossless": f"{_CLASSES}{_ROCE}{_REST}",
    "lossless.classes.<name>.strict": f"{_CLASSES}{_ROCE}{_REST}",
    "lossless.classes.<name>.weight_pct": (
        f"{_CLASSES}{_ROCE.replace('95', '90')}{_REST.replace('weight_pct: 5', 'weight_pct: 10')}"
    ),
    "lossless.ecn.kmin_bytes": "lossless: {ecn: {kmin_bytes: 1000000, kmax_bytes: 2000000, pmax_pct: 20}}",
    "lossless.ecn.kmax_bytes": "lossless: {ecn: {kmin_bytes: 1000000, kmax_bytes: 2000000, pmax_pct: 20}}",
    "lossless.ecn.pmax_pct": "lossless: {ecn: {kmin_bytes: 1000000, kmax_bytes: 2000000, pmax_pct: 5}}",
    "lossless.headroom.pool_oversubscription_max": "lossless: {headroom: {pool_oversubscription_max: 8.0}}",
    "lossless.watchdog.detection_ms": "lossless: {watchdog: {detection_ms: 400}}",
    "lossless.watchdog.restoration_ms": "lossless: {watchdog: {restoration_ms: 800}}",
    "lossless.watchdog.action": "lossless: {watchdog: {action: forward}}",
    "collectives.library": "collectives: {library: nccl}",
    "collectives.qps_per_connection": "collectives: {qps_per_connection: 16}",
    "collectives.split_data_on_qps": "collectives: {split_data_on_qps: true}",
    "collectives.timeout_exponent": "collectives: {timeout_exponent: 22}",
    "collectives.retry_count": "collectives: {retry_count: 7}",
    "collectives.socket_interface": "collectives: {socket_interface: enp1s0}",
    "collectives.topology_file": "collectives: {topology_file: rails}",
    "collectives.sm_free": "collectives: {library: vccl, sm_free: true}",
    "collectives.fault_tolerance": "collectives: {library: vccl, fault_tolerance: true, timeout_exponent: 18}",
    "collectives.telemetry": "collectives: {telemetry: true}",
    "collectives.telemetry_path": "collectives: {telemetry: true, telemetry_path: /srv/collectives}",
    "operations.ntp": "operations: {ntp: [192.168.0.10]}",
    "operations.syslog": "operations: {syslog: [192.168.0.11]}",
    "operations.dns": "operations: {dns: [192.168.0.12]}",
    "operations.timezone": "operations: {timezone: Europe/Berlin}",
    "operations.access": "operations: {access: {management: [192.168.0.0/16, 10.200.0.0/24]}}",
    "operations.access.management": "operations: {access: {management: [192.168.0.0/16, 10.200.0.0/24]}}",
    "operations.access.acl": "operations: {access: {acl: true}}",
    "operations.gnmi": _GNMI,
    "operations.snmp": f"{_SNMP}{{community: {_SECRET}}}",
    "operations.tacacs": "operations: {tacacs: {servers: [192.168.0.13], key: {secret: file:secrets/tacacs}}}",
    "operations.sflow": "operations: {sflow: {collector: 192.168.0.14}}",
    "operations.users": f'{_USER}{{name: netops, ssh_key: "{_SSH}"}}',
    "operations.gnmi.port": f"{_GNMI}    port: 9339\n",
    "operations.gnmi.server_crt": _GNMI,
    "operations.gnmi.server_key": _GNMI,
    "operations.gnmi.ca_crt": _GNMI,
    "operations.gnmi.clients": _GNMI,
    "operations.snmp.community": f"{_SNMP}{{community: {_SECRET}}}",
    "operations.snmp.location": f'{_SNMP}{{community: {_SECRET}, location: "hall 1"}}',
    "operations.snmp.contact": f"{_SNMP}{{community: {_SECRET}, contact: netops@example.net}}",
    "operations.tacacs.servers": "operations: {tacacs: {servers: [192.168.0.13], key: {secret: env:TACACS_KEY}}}",
    "operations.tacacs.key": "operations: {tacacs: {servers: [192.168.0.13], key: {secret: env:TACACS_KEY}}}",
    "operations.sflow.collector": "operations: {sflow: {collector: 192.168.0.14}}",
    "operations.sflow.sampling_rate": "operations: {sflow: {collector: 192.168.0.14, sampling_rate: 65536}}",
    "operations.users[].name": f'{_USER}{{name: netops, ssh_key: "{_SSH}"}}',
    "operations.users[].ssh_key": f'{_USER}{{name: netops, ssh_key: "{_SSH}"}}',
    "operations.users[].password_hash": f"{_USER}{{name: netops, password_hash: {{secret: env:NETOPS_HASH}}}}",
    "expect.gpus": "expect: {gpus: 64}",
    "expect.oversubscription": 'expect: {oversubscription: {leaf: "1:1"}}',
    "expect.paths": "expect: {paths: {leaf: 16}}",
    "expect.failures": "expect: {failures: {spine: 1}}",
    "expect.bandwidth": "expect: {bandwidth: {after_one: {spine: 0.8}}}",
    "expect.bandwidth.after_one": "expect: {bandwidth: {after_one: {spine: 0.875}}}",
    "rollout.floor": "rollout: {floor: 0.5}",
    "rollout.scheduler_group": "rollout: {scheduler_group: unit}",
    "rollout.out_max": "rollout: {out_max: {tier: 1/2, rail: 50%}}",
    "rollout.out_max.tier": "rollout: {out_max: {tier: 0.5}}",
    "rollout.out_max.plane": "rollout: {out_max: {plane: 1/4}}",
    "rollout.out_max.rail": "rollout: {out_max: {rail: 50%}}",
    "rollout.out_max.pod": "rollout: {out_max: {pod: 1/4}}",
    "exceptions[].device": f'{_EXCEPTION}{{device: spine-02, state: drained, reason: "optics RMA"}}',
    "exceptions[].host": f'{_EXCEPTION}{{host: gpu-u002-h04, state: drained, reason: "burn-in"}}',
    "exceptions[].link": f'{_EXCEPTION}{{link: [leaf-u001-r0, spine-01], state: drained, reason: "bit errors"}}',
    "exceptions[].n": f'{_EXCEPTION}{{link: [leaf-u001-r0, spine-01], n: 2, state: absent, reason: "fibre cut"}}',
    "exceptions[].state": f'{_EXCEPTION}{{device: leaf-u001-r0, state: drained, reason: "optics RMA"}}',
    "exceptions[].ports": (
        f'{_EXCEPTION}{{link: [leaf-u001-r0, spine-01], n: 2, ports: {{leaf-u001-r0: 47/1}}, reason: "dead cage"}}'
    ),
    "exceptions[].to": f'{_EXCEPTION}{{link: [leaf-u001-r0, spine-01], n: 3, to: spine-02, reason: "cabled so"}}',
    "exceptions[].cable": (
        f'{_EXCEPTION}{{link: [leaf-u001-r0, spine-01], n: 1, cable: {{length_m: 80}}, reason: "detour"}}'
    ),
    "exceptions[].set": (
        f'{_EXCEPTION}{{device: spine-01, set: {{operations.syslog: [192.168.0.21]}}, reason: "collector migration"}}'
    ),
    "exceptions[].raw": (
        f'{_EXCEPTION}{{device: spine-01, raw: {{sonic: snippets/spine-01.json}}, reason: "case 1234"}}'
    ),
    "exceptions[].reason": f'{_EXCEPTION}{{device: spine-01, state: drained, reason: "until Friday"}}',
    "exceptions[].cable.length_m": (
        f'{_EXCEPTION}{{link: [leaf-u001-r0, spine-01], n: 1, cable: {{length_m: 5}}, reason: "same rack"}}'
    ),
    "exceptions[].cable.media": (
        f'{_EXCEPTION}{{link: [leaf-u001-r0, spine-01], n: 1, cable: {{media: aoc}}, reason: "no optics left"}}'
    ),
    "exceptions[].raw.<name>[].file": (
        f'{_EXCEPTION}{{device: spine-01, raw: {{sonic: [{{file: snippets/spine-01.json}}]}}, reason: "case 1234"}}'
    ),
    "exceptions[].raw.<name>[].overrides": (
        f"{_EXCEPTION}device: spine-01\n"
        "    raw: {sonic: [{file: snippets/timezone.json, overrides: [DEVICE_METADATA > localhost > timezone]}]}\n"
        '    reason: "another hall"'
    ),
    **dict.fromkeys(
        ("exceptions[].raw.<name>[].owner", "exceptions[].raw.<name>[].expires"),
        f"{_EXCEPTION}device: spine-01\n"
        "    raw: {sonic: [{file: snippets/alpha.json, overrides: [BUFFER_PROFILE > pg_lossless_400000_40m_profile > "
        "dynamic_th],\n                   owner: netops, expires: 2027-03-31}]}\n"
        '    reason: "case 1234"',
    ),
    "tiers.<name>.board_data": f"{_LEAF}{{board_data: board.yaml}}",
}
"""Key to example."""

WORKLOAD_EXAMPLE = """\
name: mixture-236b                            # 21 of 236 billion parameters take part in each token
hosts: [gpu]
model:
  parameters_billion: 236
  layers: 60
  hidden: 5120
  key_value_hidden: 5120
  value_bytes: 2
  experts: {per_token: 6, layers: 59, parameters_billion: 223}
parallelism:
  {gpus: 64, tensor: 1, context: 1, pipeline: 4, data: 16, expert: 8, sharded: false, order: [data, tensor, pipeline]}
step: {sequences: 2304, sequence_tokens: 4096, seconds: 20, overlap_seconds: 8}
run: {epoch_sequences: 2000000000, epoch_tokens: 8100000000000, epochs: 1}
placement: placements/two-jobs.yaml           # hosts of this job, and of others at the same time
messages:
  - {name: checks, collective: all_reduce, over: data, payload_bytes: 4096, times: 100}
link_use_max_pct: 75
"""
"""A workload file with every key."""

PLACEMENT_EXAMPLE = """\
jobs:
  - hosts: [gpu-u001-*, gpu-u002-h01]   # the job of the workload file that names this file
  - {workload: workloads/other.yaml, hosts: [gpu-u003-*]}
  - {workload: workloads/third.yaml}            # on the first hosts that no job has
"""
"""A placement file with every key."""
