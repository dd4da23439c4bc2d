/**
 * A handler that passes every request on to the server at `base` and its answer back, streams included. While the
 * server restarts it answers 503, so that the console shows its own message instead of a broken connection.
 */
export function createProxy(base: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.delete("accept-encoding");
    try {
      const reply = await fetch(base + pathname + search, {
        method: request.method,
        headers,
        body: request.body,
        redirect: "manual",
      });
      return new Response(reply.body, { status: reply.status, headers: reply.headers });
    } catch (error) {
      const message = `the development server is not ready: ${error instanceof Error ? error.message : error}`;
      return Response.json({ success: false, message, data: null }, { status: 503 });
    }
  };
}
