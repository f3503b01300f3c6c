"""The service as a web application: routes, bodies, problems, keys, metrics."""
