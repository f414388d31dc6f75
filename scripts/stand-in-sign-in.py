#!/usr/bin/env python3
"""A stand-in for a sign-in service, for scripts/try-proxy: knows one session and answers what the documents say.

    stand-in-sign-in.py PORT

The cookie `session=ann` is signed in: 200 with the headers of Authelia, OAuth2 Proxy and Authentik, more than 4 KiB of them.
`session=nobody` is in no group, and the header is left out. Without a session: 401, as Authentik's and OAuth2 Proxy's endpoints for nginx; Authelia's
forward-auth sends whoever accepts text/html, or anything at all, to the sign-in with 302 and answers others with 401.
OAuth2 Proxy's start sends everybody to the provider; the stand-in says there (`then`) where they would come back to.
"""
import sys
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class SignIn(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def accepts_pages(self):
        kinds = [kind.split(";")[0].strip() for kind in (self.headers["accept"] or "").split(",")]
        return kinds[0] == "*/*" or "text/html" in kinds

    def do_GET(self):
        session = next((c.split("=", 1)[1] for c in (self.headers["cookie"] or "").split("; ") if c.startswith("session=")), None)
        headers = {"content-length": "0"}
        url = urllib.parse.urlsplit(self.path)
        if url.path == "/oauth2/start":
            then = urllib.parse.parse_qs(url.query).get("rd", [self.headers["x-auth-request-redirect"] or "/"])[0]
            self.send_response(302)
            headers["location"] = f"https://provider.example.com/?then={urllib.parse.quote(then, safe='')}"
        elif session is None:
            page = "/authz/" in url.path and self.accepts_pages()
            self.send_response(302 if page else 401)
            if page:
                headers["location"] = "https://auth.example.com/"
        else:
            self.send_response(200)
            headers["Remote-Name"] = ""  # Authelia sends what it does not know as nothing
            headers["X-Authentik-Jwt"] = "e" * 6000  # as long as a token of somebody in many groups
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
