"""A lab on this machine: namespaces, daemons, and the state they leave."""
