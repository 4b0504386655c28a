"""HTTPS to devices: certificates, requests, answers, eAPI and NVUE. The only place that knows the HTTP library."""
