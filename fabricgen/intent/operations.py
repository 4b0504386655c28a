"""Collective library and operations of the intent."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from fabricgen.intent.exceptions import PortText
from fabricgen.intent.types import PER_DEVICE, Address, HostName, Identifier, Intent, Network, SecretRef, Text
from fabricgen.validation.forms import Form, refuse


def _as_text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class LibraryVariable(Intent):
    """A variable of the collective library that does not follow from the fabric."""

    value: Annotated[
        str,
        BeforeValidator(_as_text, json_schema_input_type=int | str),
        Form(r"^[!-~]{1,1023}$", "a number or a text of at most 1023 characters without blanks"),
        Field(description="Value"),
    ]
    reason: Annotated[Text, Field(description="Why it is set; a comment above it")]


class CollectivesIntent(Intent):
    """The collective communication library the hosts run."""

    library: Annotated[
        Literal["nccl", "rccl", "vccl"] | None,
        Field(description="Which library; NCCL on NVIDIA GPUs and RCCL on AMD ones if left out"),
    ] = None
    qps_per_connection: Annotated[int, Field(ge=1, le=128, description="Queue pairs per connection")] = 4
    split_data_on_qps: Annotated[bool, Field(description="Split each message over the queue pairs")] = False
    timeout_exponent: Annotated[
        int, Field(ge=1, le=31, description="InfiniBand ACK timeout, 4.096 us times two to this power")
    ] = 20
    retry_count: Annotated[int, Field(ge=0, le=7, description="Retransmissions before an error")] = 7
    socket_interface: Annotated[
        Annotated[str, Form(r"^[a-z][a-z0-9._-]{0,14}$", "the name of a Linux interface, at most 15 characters long")]
        | None,
        Field(
            description="Management interface for bootstrap, which every host then has to have; any but "
            "rails, bridges of containers and the loopback if left out"
        ),
    ] = None
    topology_file: Annotated[
        Literal["none", "pci", "rails"],
        Field(
            description="File that tells NCCL where NICs and GPUs sit: none on bare metal, where NCCL sees it; pci in "
            "virtual machines whose PCI tree is flat; rails also tells the rail and the plane of each NIC"
        ),
    ] = "none"
    fault_tolerance: Annotated[
        bool, Field(description="Go on over another NIC (VCCL) or another port of the NIC (NCCL, RCCL) when one fails")
    ] = False
    sm_free: Annotated[
        bool, Field(description="Send between GPUs without their multiprocessors (VCCL's SM-free mode)")
    ] = False
    telemetry: Annotated[
        bool, Field(description="Measure messages: VCCL by itself, NCCL and RCCL by their inspector")
    ] = False
    telemetry_path: Annotated[
        str,
        Form(
            r"^(/[A-Za-z0-9_][A-Za-z0-9_.-]*){1,16}$",
            "a folder from the root: names of letters, digits, dots, hyphens and underscores behind a slash each",
        ),
        Field(description="Folder on the hosts that telemetry goes to"),
    ] = "/var/log/collectives"
    telemetry_window: Annotated[
        int | None, Field(ge=1, le=1000, description="Messages that VCCL takes the mean of; 8 if left out")
    ] = None
    variables: Annotated[
        dict[
            Annotated[
                str, Form(r"^[NR]CCL_[A-Z0-9_]{1,60}$", "a variable of NCCL, VCCL or RCCL, such as NCCL_BUFFSIZE")
            ],
            LibraryVariable,
        ],
        Field(max_length=64, description="Further variables of the library, such as NCCL_MIN_NCHANNELS"),
    ] = {}


_FOLDERS = r"^(/[A-Za-z0-9_-]{1,64}){1,16}"
_Certificate = Annotated[
    str, Form(rf"{_FOLDERS}\.(cer|crt|pem)$", "a path from the root that ends in .cer, .crt or .pem, with no other dot")
]
_PrivateKey = Annotated[
    str, Form(rf"{_FOLDERS}\.(key|pem)$", "a path from the root that ends in .key or .pem, with no other dot")
]
_CommonName = Annotated[
    str, Form(r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$", "the common name of a certificate, such as collector.example.net")
]


class GnmiIntent(Intent):
    """gNMI server of the switches, over TLS at both ends; none runs without this key."""

    port: Annotated[int, Field(ge=1024, le=65535, description="TCP port"), PER_DEVICE] = 8080
    server_crt: Annotated[_Certificate, Field(description="The switch's certificate, a file on the switch")]
    server_key: Annotated[_PrivateKey, Field(description="Private key of that certificate, a file on the switch")]
    ca_crt: Annotated[
        _Certificate, Field(description="Certificate of the authority that signed those of the clients, on the switch")
    ]
    clients: Annotated[
        list[_CommonName], Field(max_length=64, description="Common names of the client certificates that may read")
    ] = []


class Snmp(Intent):
    """SNMP agent of the switches."""

    community: Annotated[SecretRef, Field(description="Read-only community, as a secret reference")]
    location: Annotated[Text | None, Field(description="sysLocation"), PER_DEVICE] = None
    contact: Annotated[Text | None, Field(description="sysContact"), PER_DEVICE] = None


class Tacacs(Intent):
    """TACACS+ servers that log operators in."""

    servers: Annotated[list[Address], Field(min_length=1, max_length=8, description="In order of preference")]
    key: Annotated[SecretRef, Field(description="Shared key, as a secret reference")]


_PublicKey = Annotated[
    str,
    Form(
        r"^(ssh-(rsa|ed25519)|ecdsa-sha2-nistp\d+) [A-Za-z0-9+/=]+( [\w.@-]+)?$",
        "a public key: ssh-ed25519, ssh-rsa or ecdsa-sha2-nistp…, the key, and perhaps a comment",
    ),
]


class UserIntent(Intent):
    """A local login on every switch."""

    name: Annotated[Identifier, Field(description="Login name")]
    ssh_key: Annotated[_PublicKey | None, Field(description="Public key, as in authorized_keys")] = None
    password_hash: Annotated[SecretRef | None, Field(description="crypt(3) hash, as a secret reference")] = None


class Sflow(Intent):
    """Samples of the traffic, sent by the switches."""

    collector: Annotated[Address, Field(description="Who takes the samples, UDP 6343"), PER_DEVICE]
    sampling_rate: Annotated[
        int, Field(ge=256, le=16_777_215, description="One packet of so many, on every port with a link"), PER_DEVICE
    ] = 100_000


class AccessIntent(Intent):
    """Sources that may open connections to the switches themselves."""

    management: Annotated[
        list[Network] | None,
        Field(
            min_length=1,
            max_length=64,
            description="Where SSH, SNMP and gNMI come from; the management pool if left out",
        ),
    ] = None
    acl: Annotated[
        bool, Field(description="Control-plane ACL: what neither management nor the fabric itself needs is dropped")
    ] = True


def _subnet(value: Any) -> Any:
    if value.version != 4 or value.prefixlen > 31:
        raise refuse("is not an IPv4 subnet with two addresses, such as 192.0.2.0/31")
    return value


class GrandmasterIntent(Intent):
    """The port of a switch that is cabled to a PTP grandmaster."""

    port: Annotated[PortText, Field(description="Cage and sub-port; no link of the fabric uses it, now or later")]
    subnet: Annotated[
        Network, AfterValidator(_subnet), Field(description="IPv4 subnet; the switch has its first address")
    ]


class PtpIntent(Intent):
    """Time by PTP: switches are boundary clocks, and the clocks of hosts follow their leafs."""

    domain: Annotated[int, Field(ge=0, le=127, description="PTP domain")] = 0
    grandmasters: Annotated[
        dict[HostName, GrandmasterIntent],
        Field(min_length=1, max_length=64, description="By switch, the port that a grandmaster is cabled to"),
    ]


class Operations(Intent):
    """Management services of the switches."""

    ntp: Annotated[list[Address], Field(max_length=10, description="Time servers"), PER_DEVICE] = []
    syslog: Annotated[list[Address], Field(max_length=8, description="Log collectors"), PER_DEVICE] = []
    dns: Annotated[list[Address], Field(max_length=3, description="Name servers"), PER_DEVICE] = []
    timezone: Annotated[
        Annotated[
            str, Form(r"^[A-Za-z_]+(/[A-Za-z_+-]+[0-9]*)*$", "the name of a time zone, such as UTC or Europe/Berlin")
        ],
        Field(description="Time zone name"),
        PER_DEVICE,
    ] = "UTC"
    access: AccessIntent = Field(default_factory=AccessIntent)
    gnmi: GnmiIntent | None = None
    snmp: Snmp | None = None
    tacacs: Tacacs | None = None
    sflow: Sflow | None = None
    ptp: PtpIntent | None = None
    users: Annotated[list[UserIntent], Field(max_length=256, description="Local logins")] = []
