import type { JsonObject } from "../../../../src/formats/json.ts";

const notFound = () =>
  Response.json({ error: { message: "No such object", type: "invalid_request_error" } }, { status: 404 });

/**
 * An upstream with OpenAI's files and evals, as https://developers.openai.com/api/reference/resources/evals describes them. A
 * run is under way until `finish`; each key sees its own alone.
 */
export function startEvals(prefix: string) {
  const stored = new Map<string, { key: string; body: JsonObject; content: string }>();
  const requests: string[] = [];
  let count = 0;
  const create = (key: string, kind: string, body: JsonObject, content = "") => {
    count += 1;
    const made = { id: `${kind}${prefix}${count}`, created_at: count, ...body };
    stored.set(made.id, { key, body: made, content });
    return Response.json(made);
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const key = request.headers.get("authorization") ?? request.headers.get("api-key") ?? "";
      const { method } = request;
      const { pathname, search } = new URL(request.url);
      requests.push(`${method} ${pathname}${search}`);
      const [kind, id, part, runId, action, itemId] = pathname.replace(/^\/(?:openai\/)?v1\//, "").split("/");
      const own = (name: string | undefined) => {
        const found = stored.get(name ?? "");
        return found?.key === key ? found : null;
      };
      if (kind === "files" && method === "POST") {
        const form = (await request.formData()) as FormData;
        const file = form.get("file") as File;
        return create(key, "file-", { object: "file", filename: file.name, purpose: "evals" }, await file.text());
      }
      if (kind === "files") {
        const file = own(id);
        return file ? new Response(file.content) : notFound();
      }
      if (!id) return create(key, "eval_", { object: "eval", ...((await request.json()) as JsonObject) });
      const evaluation = own(id);
      if (!evaluation) return notFound();
      if (!part) {
        if (method === "POST") Object.assign(evaluation.body, await request.json());
        if (method !== "DELETE") return Response.json(evaluation.body);
        stored.delete(id);
        return Response.json({ object: "eval.deleted", deleted: true, eval_id: id });
      }
      if (!runId) {
        const json = (await request.json()) as JsonObject;
        return create(key, "run_", { object: "eval.run", eval_id: id, status: "queued", ...json });
      }
      const run = own(runId);
      if (!run) return notFound();
      if (action === "cancel") Object.assign(run.body, { status: "canceled" });
      if (action === "output_items") {
        const item = { id: itemId ?? "item_1", object: "eval.run.output_item", run_id: runId, status: "pass" };
        return Response.json(itemId ? item : { object: "list", data: [item], has_more: false });
      }
      if (method !== "DELETE") return Response.json(run.body);
      stored.delete(runId);
      return Response.json({ object: "eval.run.deleted", deleted: true, run_id: runId });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    /** Ends a run with what each model used. */
    finish: (id: string, usage: readonly object[], status = "completed") =>
      void Object.assign(stored.get(id)?.body ?? {}, { status, per_model_usage: usage }),
    stop: () => server.stop(true),
  };
}
