"""EOS text through Batfish's own grammar of Arista EOS, as far as that grammar goes."""
