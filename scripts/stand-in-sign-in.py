#!/usr/bin/env python3
"""A stand-in for a sign-in service, for scripts/try-proxy: knows one session and answers what the documents say.

    stand-in-sign-in.py PORT

The cookie `session=ann` is signed in: 200 with the headers of Authelia, OAuth2 Proxy and Authentik (no group for
`session=nobody`). Without it: 401, as Authentik's and OAuth2 Proxy's endpoints for nginx; Authelia's forward-auth
sends a page (Accept: text/html) to the sign-in with 302 and answers anything else with 401.
"""
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class SignIn(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        session = next((c.split("=", 1)[1] for c in (self.headers["cookie"] or "").split("; ") if c.startswith("session=")), None)
        headers = {"content-length": "0"}
        if session is None:
            page = "/authz/" in self.path and "text/html" in (self.headers["accept"] or "")
            self.send_response(302 if page else 401)
            if page:
                headers["location"] = "https://auth.example.com/"
        else:
            self.send_response(200)
            for prefix in ("Remote-{}", "X-Auth-Request-{}", "X-Authentik-{}"):
                user = {"Remote-{}": "User", "X-Auth-Request-{}": "User", "X-Authentik-{}": "Username"}[prefix]
                headers[prefix.format(user)] = session
                headers[prefix.format("Email")] = f"{session}@example.com"
                if session != "nobody":
                    headers[prefix.format("Groups")] = "team"
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    do_HEAD = do_GET


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), SignIn).serve_forever()
