"""Places of secrets in each platform's configuration, and those where only what looks like a secret is one (``FREE``).

``{t}`` stands for the secret. A line with a section has it before `` > ``.

Source:
    Arista EOS User Manual 4.36: Session Management, AAA, SNMPv3, NTP, OSPF, IS-IS, VRRP, MACsec, BGP, BMP, Email,
    Event Handling; FRR user guide: basic, bgp, ospfd, ospf6d, ripd, isisd, fabricd, eigrpd, nhrpd, ldpd, rpki;
    sonic-net/sonic-buildimage, src/sonic-yang-models; Cumulus Linux 5.16 NVUE reference: aaa, snmp-server, bgp, ospf,
    dot1x, macsec; facebook/fboss, agent_config.thrift and bgp_config.thrift; netplan.io, YAML configuration;
    sysctl documentation of Linux: tcp_fastopen_key, stable_secret; environment.d(5), systemd.exec(5).
"""

EOS = (
    *("enable secret {t}", "enable secret 5 {t}", "enable secret sha512 {t}", "enable password {t}"),
    *("aaa root secret {t}", "aaa root secret sha512 {t}", "boot secret 5 {t}", "boot system scp://u:{t}@192.0.2.1/x"),
    *("username a secret {t}", "username b secret sha512 {t}", "username c privilege 15 role x secret 5 {t}"),
    *("radius-server key {t}", "radius-server key 7 {t}", "radius-server host 192.0.2.1 key {t}"),
    *("radius-server host 192.0.2.2 vrf MGMT auth-port 1812 key 7 {t}",),
    *("radius-server host 192.0.2.3 timeout 5 key {t}",),
    *("tacacs-server key 7 {t}", "tacacs-server host 192.0.2.4 key {t}"),
    *("tacacs-server host 192.0.2.5 vrf MGMT key 7 {t}",),
    *("snmp-server community {t} ro", "snmp-server community {t}", "snmp-server community {t} rw ACL"),
    *("snmp-server user u g v3 auth sha {t} priv aes {t}2", "snmp-server user w g v3 localized 0011 auth md5 {t}"),
    *("snmp-server host 192.0.2.6 version 2c {t}", "snmp-server host 192.0.2.7 vrf MGMT traps version 3 priv {t}"),
    *("ntp authentication-key 1 md5 {t}", "ntp authentication-key 2 sha1 7 {t}", "ldap server host 192.0.2.8 key {t}"),
    *("router bgp > neighbor 192.0.2.9 password {t}", "router bgp > neighbor 192.0.2.10 password 7 {t}"),
    *("router bgp > neighbor GROUP password 8a {t}", "router bgp > neighbor 192.0.2.11 password shared-secret {t}"),
    *("interface Ethernet49/1 > ip ospf authentication-key 7 {t}", "interface Ethernet49/1 > pim key {t}"),
    *("interface Ethernet49/1 > ip ospf message-digest-key 1 md5 7 {t}",),
    *("interface Ethernet49/1 > isis authentication key 7 {t}",),
    "interface Ethernet49/1 > ipv6 ospf authentication ipsec spi 34 md5 passphrase 7 {t}",
    "interface Ethernet49/1 > vrrp 1 peer authentication ietf-md5 key-string 7 {t}",
    *("router ospf 1 > area 0 authentication key {t}", "router isis x > authentication key 0 {t}"),
    *("mac security > profile p key 0a1b 7 {t}", "mac security > key 0a1b 0 {t} fallback"),
    *("ip security > shared-key 7 {t}",),
    *("management security > session shared-secret profile p secret 0 7 {t}", "email > auth username u password 7 {t}"),
    *("daemon d > exec /usr/bin/d --password {t}", "event-handler h > action bash curl -H 'Authorization: {t}'"),
    *("monitor telemetry influx > authentication username u password 7 {t}",),
    *("monitor bmp > authentication-key 7 {t}",),
)
EOS_FREE = (
    *("alias a bash echo {t}", "banner motd {t}", "frobnicate {t}", "{t}", "{t} x", "router {t}"),
    *("{t} > {t}2", "management {t} > shutdown", "aaa {t}", "ntp {t}", "snmp-server {t}", "logging {t}", "no frob {t}"),
    *(
        "qos {t}",
        "ip {t}",
        "router bgp > {t}",
        "router bgp > neighbor 192.0.2.12 frob {t}",
        "interface Vlan4 > ip {t} {t}",
    ),
    "interface Ethernet49/1 > {t}",
)
FRR = (
    *("password {t}", "password 8 {t}", "enable password {t}", "enable password 8 {t}", "username u password {t}"),
    *("key chain k > key-string {t}", "key chain k2 > key 1 key-string {t}"),
    *("router bgp 65001 > neighbor 192.0.2.1 password {t}", "router bgp 65001 > neighbor UPPER password {t}"),
    *("interface eth7 > ip ospf authentication-key {t}", "interface eth7 > ip ospf message-digest-key 1 md5 {t}"),
    "interface eth7 > ipv6 ospf6 authentication key-id 1 hash-algo md5 key {t}",
    *("interface eth7 > isis password md5 {t}", "interface eth7 > ip rip authentication string {t}"),
    *("interface eth7 > ip nhrp authentication {t}", "interface eth7 > openfabric password clear {t}"),
    *("router isis x > area-password md5 {t}", "router isis x > domain-password clear {t}"),
    *("router ospf > area 0 virtual-link 192.0.2.4 authentication-key {t}",),
    *("mpls ldp > neighbor 192.0.2.5 password {t}",),
)
FRR_FREE = (
    *("banner motd line {t}", "agentx {t}", "router bgp 65001 > neighbor 192.0.2.2 shutdown message {t}"),
    *("router bgp 65001 > neighbor 192.0.2.3 frob {t}", "interface eth7 > {t}", "frobnicate {t}", "{t}", "{t} x"),
    *("rpki > rpki cache ssh 192.0.2.6 22 u {t}", "router {t}", "router {t} > {t}2", "log frob {t}", "service {t}"),
    *("zebra {t}", "ip {t}", "bfd > frob {t}"),
)
SONIC = (
    *("TACPLUS > global > passkey", "TACPLUS_SERVER > 192.0.2.1 > passkey", "RADIUS > global > passkey"),
    *("RADIUS_SERVER > 192.0.2.1 > passkey", "SNMP_COMMUNITY > {t} > TYPE"),
    *("SNMP_USER > u > SNMP_USER_AUTH_PASSWORD", "SNMP_USER > u > SNMP_USER_ENCRYPTION_PASSWORD"),
    *("BGP_NEIGHBOR > default|192.0.2.1 > auth_password", "BGP_PEER_GROUP > default|UP > auth_password"),
    *("BGP_NEIGHBOR > 192.0.2.1 > password", "LDAP > global > bind_password", "NTP_KEY > 1 > value"),
    *("MACSEC_PROFILE > p > primary_cak", "MACSEC_PROFILE > p > primary_ckn", "MACSEC_PROFILE > p > fallback_cak"),
    *("MACSEC_PROFILE > p > fallback_ckn", "GRPCCLIENT > certs > client_key", "KUBERNETES_MASTER > SERVER > token"),
    *("SYSLOG_SERVER > 192.0.2.1 > password", "KDUMP > config > ssh_password", "USER > admin > password_hash"),
    *("DEVICE_METADATA > localhost > default_password", "VLAN > Vlan4 > secret"),
)
SONIC_FREE = (
    *("PASSWD > root > hash", "PORT > Ethernet0 > frob", "{t} > row > field", "UNKNOWN > {t} > field"),
    *("UNKNOWN > row > {t}", "UNKNOWN > row > field", "SSH_SERVER > POLICIES > {t}", "ACL_TABLE > ACCESS_T > {t}"),
    "NTP > global > frob",
)
SONIC_TAKEN = (
    *("TACPLUS > global > passkey", "TACPLUS_SERVER > 192.0.2.1 > passkey", "RADIUS > global > passkey"),
    *("SNMP_COMMUNITY > {t} > TYPE", "LDAP > global > bind_password", "BGP_PEER_GROUP > default|UP > auth_password"),
    *("SNMP_USER > u > SNMP_USER_AUTH_PASSWORD", "SNMP_USER > u > SNMP_USER_ENCRYPTION_PASSWORD"),
)
"""Those that the models of the release take, so that a patch is made of them."""
NVUE = (
    *("system > aaa > user > u > hashed-password", "system > aaa > user > u > password"),
    *("system > aaa > tacacs > server > 9 > secret", "system > aaa > radius > server > 192.0.2.1 > secret"),
    *("system > aaa > ldap > bind-password", "system > aaa > ldap > secret"),
    *("system > snmp-server > readonly-community > {t} > access > any",),
    *("system > snmp-server > readonly-community-v6 > {t} > access > any",),
    *("system > snmp-server > username > u > auth-md5",),
    *("system > snmp-server > username > u > auth-sha", "system > snmp-server > username > u > encrypt-aes"),
    *("system > snmp-server > trap-destination > 192.0.2.1 > community-password", "system > ntp > key > 1 > value"),
    *("vrf > default > router > bgp > neighbor > 192.0.2.1 > password",),
    *("vrf > default > router > bgp > peer-group > x > password",),
    *("interface > swp9 > router > ospf > authentication > md5-key", "interface > swp9 > macsec > cak"),
    *("system > dot1x > radius > shared-secret", "system > docker > env > TOKEN", "system > telemetry > token"),
    "router > frob > key",
)
NVUE_FREE = (
    *("system > frob", "{t} > x", "system > {t} > y", "interface > swp9 > frob", "qos > frob > x > y"),
    *("vrf > default > {t}", "acl > a > rule > 1 > frob", "system > global > frob > z", "router > policy > frob > x"),
)
AGENT = ("defaultCommandLineArgs > tls_ticket_key",)
BGP = ("defaultCommandLineArgs > auth_token",)
FLAGS_FREE = ("defaultCommandLineArgs > frob", "defaultCommandLineArgs > {t}")
NETPLAN = (
    *("network > wifis > w > access-points > ssid > password", "network > ethernets > e9 > auth > password"),
    *("network > ethernets > e9 > auth > client-key-password", "network > tunnels > wg > key"),
    *("network > tunnels > wg > keys > private", "network > modems > m > password"),
)
NETPLAN_FREE = ("network > {t} > x > y", "network > ethernets > e9 > frob")
SYSCTL = ("net.ipv4.tcp_fastopen_key = {t}", "net.ipv6.conf.default.stable_secret = {t}")
SETTINGS_FREE = ("frob.x = {t}", "{t} = 1")
NCCL = ("WANDB_API_KEY = {t}", "AWS_SECRET_ACCESS_KEY = {t}", "HTTP_PROXY = http://u:{t}@192.0.2.1")
ENVIRONMENT = ("HF_TOKEN={t}", "PGPASSWORD='{t}'")
SCRIPT = ("curl -H 'Authorization: Bearer {t}' https://192.0.2.1", "export TOKEN={t}")
SCRIPT_FREE = ("{t}", "run {t}", "echo {t} | x")
UNIT = ("Environment=TOKEN={t}", "ExecStart=/bin/x --key {t}", "SetCredential=x:{t}")
RULES = ('SUBSYSTEM=="net", RUN+="/bin/x --token {t}"', 'ENV{{TOKEN}}="{t}"')
RULES_FREE = ("{t}", 'ACTION=="add", RUN+="{t}"')
SERVICES = (
    *("server 192.0.2.1 key {t}", "commandkey {t}"),
    'action(type="ommysql" server="192.0.2.1" db="x" uid="u" pwd="{t}")',
    '*.* action(type="omelasticsearch" server="192.0.2.1" uid="u" pwd="{t}" template="x")',
)
