# Host group gpu, fabric conformance. Written by fabricgen.
set -a
. /etc/environment.d/60-fabricgen-rdma.conf
set +a
