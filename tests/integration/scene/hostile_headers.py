"""Headers with which a client may try to evade a denial behind any proxy."""

GRPC_TYPES = ["application/grpc", "application/grpc+proto", "application/grpc; charset=utf-8",
              "application/grpc-web", "application/grpc-web+proto", "APPLICATION/GRPC"]
OTHER_TYPES = ["application/json", "application/problem+json", "text/plain", "text/html", "*/*", "",
               "multipart/form-data; boundary=b", "application/x-www-form-urlencoded",
               "application/connect+proto", "application/proto", "application/octet-stream"]

SINGLE = [
    *(("Content-Type", value) for value in GRPC_TYPES + OTHER_TYPES),
    ("TE", "trailers"), ("TE", "gzip, trailers;q=0.5"),
    ("Trailer", "grpc-status"), ("Trailer", "Content-Length"),
    ("Upgrade", "h2c"), ("Upgrade", "websocket"), ("Upgrade", "TLS/1.0"),
    ("HTTP2-Settings", "AAMAAABkAAQAAP__"),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ("Expect", "100-continue"), ("Expect", "something-else"),
    *(("X-HTTP-Method-Override", method) for method in ("GET", "POST", "OPTIONS", "CONNECT")),
    ("X-HTTP-Method", "OPTIONS"), ("X-Method-Override", "OPTIONS"),
    ("grpc-timeout", "1n"), ("grpc-timeout", "0S"), ("grpc-timeout", "never"),
    ("grpc-encoding", "gzip"), ("grpc-status", "0"), ("grpc-message", "OK"),
    ("x-envoy-upstream-rq-timeout-ms", "1"), ("x-envoy-original-path", "/v1/other"),
    ("x-envoy-retry-on", "5xx"), ("x-envoy-expected-rq-timeout-ms", "1"),
    ("Keep-Alive", "timeout=0"), ("Proxy-Connection", "close"),
    ("Proxy-Authorization", "Basic eA=="),
    ("Authorization", "Bearer anything-at-all"), ("Authorization", ""),
    ("Cookie", "a=b"), ("Cookie", "; ".join(f"c{i}=v" for i in range(300))),
    ("X-Forwarded-For", "127.0.0.1"), ("X-Forwarded-For", "unknown"), ("X-Forwarded-For", ","),
    ("X-Forwarded-Uri", "/v1/other"), ("X-Forwarded-Uri", ""), ("X-Forwarded-Path", "/v1/other"),
    ("X-Forwarded-Prefix", "/v1/other"), ("X-Forwarded-Method", "OPTIONS"),
    ("X-Forwarded-Host", "other"), ("X-Forwarded-Proto", "grpc"), ("X-Forwarded-Port", "0"),
    ("X-Original-URI", "/v1/other"), ("X-Original-URL", "/v1/other"),
    ("X-Rewrite-URL", "/v1/other"),
    ("X-Original-Method", "OPTIONS"), ("X-Original-Host", "other"), ("X-Real-IP", "127.0.0.1"),
    ("Forwarded", "for=127.0.0.1;host=other"), ("Forwarded", "for=\""), ("Via", "1.1 127.0.0.1"),
    ("X-RateLimit-Status", "200"), ("X-RateLimit-Limit", "1000"), ("RateLimit", "\"a\";r=9"),
    ("Status", "200"), (":status", "200"), (":path", "/v1/other"), (":method", "OPTIONS"),
    ("Range", "bytes=0-0"), ("If-None-Match", "*"), ("If-Match", "\"x\""), ("If-Range", "\"x\""),
    ("If-Modified-Since", "Thu, 01 Jan 2099 00:00:00 GMT"),
    ("If-Unmodified-Since", "Thu, 01 Jan 1970 00:00:00 GMT"),
    ("Origin", "http://other.example"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site"),
    ("Access-Control-Request-Method", "GET"), ("Access-Control-Request-Headers", "content-type"),
    ("Accept", "application/grpc"), ("Accept-Encoding", "gzip;q=0"), ("Max-Forwards", "0"),
    ("Cache-Control", "only-if-cached"), ("Pragma", "no-cache"), ("Early-Data", "1"),
    ("Host", "other"), ("User-Agent", ""), ("X-Accel-Redirect", "/v1/other"),
    ("X-Sendfile", "/etc/hostname"), ("\u00e9", "x"), ("X-Bytes", "\u00ff\u00fe"),
]

# Connection may list these names as hop-by-hop: a proxy must not drop the headers it adds itself.
HOP_NAMES = ["X-Original-URI", "X-Original-Method", "X-Forwarded-For", "X-Forwarded-Uri",
             "X-Forwarded-Method", "X-Forwarded-Host", "Host", "Content-Length", "TE", "Upgrade"]

HEADS = {f"{name}: {value}"[:60]: [(name, value)] for name, value in SINGLE}
HEADS.update({f"Connection: {name}": [("Connection", name)] for name in HOP_NAMES})
HEADS.update({
    "an upgrade to HTTP/2": [("Connection", "Upgrade, HTTP2-Settings"), ("Upgrade", "h2c"),
                             ("HTTP2-Settings", "AAMAAABkAAQAAP__")],
    "an upgrade to WebSocket": [("Connection", "Upgrade"), ("Upgrade", "websocket"),
                                ("Sec-WebSocket-Version", "13"),
                                ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")],
    "a whole gRPC call": [("Content-Type", "application/grpc"), ("TE", "trailers"),
                          ("grpc-timeout", "1S"), ("grpc-accept-encoding", "identity")],
    "two content types": [("Content-Type", "text/plain"), ("Content-Type", "application/grpc")],
    "a length of no body": [("Content-Length", "0")],
    "two lengths": [("Content-Length", "0"), ("Content-Length", "1")],
    "a length and chunks": [("Content-Length", "5"), ("Transfer-Encoding", "chunked")],
    "an unknown coding": [("Transfer-Encoding", "gzip, chunked")],
    "a coding that is not the last": [("Transfer-Encoding", "chunked, identity")],
    "all at once": [pair for pair in SINGLE
                    if pair[0] not in ("Host", ":status", ":path", ":method", "\u00e9", "X-Bytes",
                                       "Expect", "Upgrade")],
})
# Proxies copy as many headers as they can, and both they and Sluice have bounds.
HEADS.update({f"{count} headers": [(f"X-H{i}", "v") for i in range(count)]
              for count in (50, 90, 95, 96, 97, 98, 99, 100, 101, 110, 200, 1000, 5000)})
HEADS.update({f"a header of {size} bytes": [("X-Long", "v" * size)]
              for size in (4000, 8000, 12000, 15000, 16000, 30000, 60000, 200_000, 2_000_000)})
HEADS.update({f"{count} user agents": [("User-Agent", f"agent {i}") for i in range(count)]
              for count in (2, 50, 99, 200)})
HEADS.update({f"a {name} of {size} bytes": [(name, "v" * size)]
              for name in ("User-Agent", "Cookie", "Authorization", "X-Forwarded-For")
              for size in (4000, 7900, 15000, 30000)})

# A chunked body, followed by trailers.
CHUNKED = [("Transfer-Encoding", "chunked"), ("Trailer", "grpc-status, x-original-uri")]
TRAILERS = (b"3\r\nabc\r\n0\r\ngrpc-status: 0\r\nX-Original-URI: /v1/other\r\n"
            b"Content-Type: application/grpc\r\n\r\n")

METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND", "get",
           "X" * 31, "X" * 33, "X" * 200]

PATH_SIZES = (4000, 7000, 8000, 12000, 15000, 16000, 30000, 59000, 100_000)


def head(method, path, headers):
    """Encodes the head of a request with any headers; adds Host unless they have one."""
    host = [] if any(name == "Host" for name, _ in headers) else [("Host", "edge.example")]
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in host + headers)]
    return "".join(line + "\r\n" for line in lines).encode("latin-1")
