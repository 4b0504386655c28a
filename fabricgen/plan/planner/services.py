"""Services and collectives: carried over from the intent into plain records."""

from __future__ import annotations

from fabricgen.intent.fabric import FabricIntent
from fabricgen.plan.model.contract import Access, Collectives, Contract, Gnmi, Ptp, Services, User


def build_services(intent: FabricIntent) -> Services:
    """Management services as text; secrets stay tokens."""
    ops = intent.operations
    return Services(
        ntp=tuple(map(str, ops.ntp)),
        syslog=tuple(map(str, ops.syslog)),
        dns=tuple(map(str, ops.dns)),
        snmp_community=ops.snmp.community.token if ops.snmp else "",
        snmp_location=(ops.snmp.location or "") if ops.snmp else "",
        snmp_contact=(ops.snmp.contact or "") if ops.snmp else "",
        tacacs=tuple(map(str, ops.tacacs.servers)) if ops.tacacs else (),
        tacacs_key=ops.tacacs.key.token if ops.tacacs else "",
        users=tuple(
            User(u.name, u.ssh_key or "", u.password_hash.token if u.password_hash else "")
            for u in sorted(ops.users, key=lambda user: user.name)
        ),
        timezone=ops.timezone,
        sflow_collector=str(ops.sflow.collector) if ops.sflow else "",
        sflow_rate=ops.sflow.sampling_rate if ops.sflow else 0,
        access=_build_access(intent),
        gnmi=_build_gnmi(intent),
        ptp=Ptp(ops.ptp.domain) if ops.ptp else None,
    )


def _build_gnmi(intent: FabricIntent) -> Gnmi | None:
    """The gNMI server, where the intent asks for one."""
    gnmi = intent.operations.gnmi
    if gnmi is None:
        return None
    clients = tuple(sorted({*gnmi.clients}))
    return Gnmi(gnmi.port, gnmi.server_crt, gnmi.server_key, gnmi.ca_crt, clients)


def _build_access(intent: FabricIntent) -> Access:
    """Return who may open connections; from where management works, unless the intent says where that is."""
    access = intent.operations.access
    prefixes = sorted({*(access.management or [intent.addressing.management.pool])})
    management = tuple(str(prefix) for prefix in prefixes if prefix.version == 4)
    management6 = tuple(str(prefix) for prefix in prefixes if prefix.version == 6)
    return Access(acl=access.acl, management=management, management6=management6)


TELEMETRY_WINDOW = 8
"""Messages: the balance of VCCL's authors between accuracy and sensitivity; sii-research/VCCL, VCCL.pdf, section 4."""
RINGS = {"NCCL_CROSS_NIC": ("0", "")}
"""A ring remains on its rail unless the intent has another value."""


def build_collectives(intent: FabricIntent, contract: Contract, dcqcn: tuple[tuple[str, int, int], ...]) -> Collectives:
    """Return the settings of the collective library; its traffic class follows the first lossless class."""
    c = intent.collectives
    cts = contract.by_name("cts")
    own = {name: (variable.value, variable.reason) for name, variable in c.variables.items()}
    return Collectives(
        qps_per_connection=c.qps_per_connection,
        split_data_on_qps=c.split_data_on_qps,
        timeout_exponent=c.timeout_exponent,
        retry_count=c.retry_count,
        socket_interface=c.socket_interface or "",
        data_dscp=max(contract.data_dscp, 0),
        credit_dscp=cts.mark if cts else -1,
        fault_tolerance=c.fault_tolerance,
        sm_free=c.sm_free,
        topology_file=c.topology_file,
        telemetry_path=c.telemetry_path if c.telemetry else "",
        telemetry_window=c.telemetry_window or TELEMETRY_WINDOW,
        variables=tuple((name, *found) for name, found in sorted((RINGS | own).items())),
        dcqcn=tuple((name, intent.lossless.dcqcn.get(name, value)) for name, value, _ in dcqcn),
        dcqcn_by_rate=tuple((name, rate) for name, _, rate in dcqcn if rate and name not in intent.lossless.dcqcn),
    )
