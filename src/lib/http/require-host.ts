type Handler = (request: Request) => Promise<Response>;

const PROBES = new Set(["/healthz", "/readyz", "/metrics"]);

/**
 * Requests without a Host header have no absolute address, by which handlers are found. Probes are answered all the same:
 * load balancers send them as HTTP/1.0, which needs none. Others get 400 (RFC 9112, section 3.2).
 */
export const requireHost =
  (handle: Handler, basePath = ""): Handler =>
  (request) => {
    const { url, method, headers } = request;
    if (!url.startsWith("/")) return handle(request);
    const [path = ""] = url.split("?");
    if (PROBES.has(path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path))
      return handle(new Request(`http://localhost${url}`, { method, headers }));
    return Promise.resolve(new Response("The request has no Host header.\n", { status: 400 }));
  };
