type Handler = (request: Request) => Promise<Response>;

const PROBES = new Set(["/healthz", "/readyz", "/metrics"]);

/** The gateway is no proxy: RFC 9110, section 9.3.6. */
const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/**
 * Requests without a Host header have no absolute address, by which handlers are found. Probes are answered all the same:
 * load balancers send them as HTTP/1.0, which needs none. Others get 400, and so do those with two (RFC 9112, section 3.2).
 */
export const requireHost =
  (handle: Handler, basePath = ""): Handler =>
  (request) => {
    const { url, method, headers } = request;
    if (method === "CONNECT") {
      return Promise.resolve(new Response("This server is no proxy.\n", { status: 405, headers: { allow: METHODS } }));
    }
    // Several headers of one name arrive joined by a comma, which no host has.
    if (headers.get("host")?.includes(",")) return Promise.resolve(refuse("The request has several Host headers.\n"));
    if (!url.startsWith("/")) return handle(request);
    const [path = ""] = url.split("?");
    if (PROBES.has(path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path))
      return handle(new Request(`http://localhost${url}`, { method, headers }));
    return Promise.resolve(refuse("The request has no Host header.\n"));
  };

const refuse = (reason: string): Response => new Response(reason, { status: 400 });
