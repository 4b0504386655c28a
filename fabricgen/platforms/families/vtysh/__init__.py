"""FRR's configuration language, as vtysh speaks it; shared by every platform that routes with FRR."""
