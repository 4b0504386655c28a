"""fabricgen: the intent of an AI back-end RoCE fabric in, the configuration of every switch, NIC and host out."""

__version__ = "0.1.0"
