import type { JsonObject } from "../../../../src/formats/json.ts";

type Stored = {
  key: string;
  body: JsonObject;
  parts: Map<string, JsonObject>;
  contents: Map<string, Uint8Array<ArrayBuffer>>;
};

const notFound = (message = "No such object") =>
  Response.json({ error: { message, type: "invalid_request_error", code: "not_found" } }, { status: 404 });

/**
 * An upstream with OpenAI's files, conversations, vector stores, containers and responses, as
 * https://developers.openai.com/api/docs/api-reference describes them; each key sees its own alone. A response refers only
 * to what its key has.
 */
export function startCollections(prefix: string) {
  const stored = new Map<string, Stored>();
  const requests: string[] = [];
  /** Bodies of requests to /v1/responses. */
  const received: JsonObject[] = [];
  let count = 0;
  let beforeAnswer: (path: string) => Promise<void> = async () => {};
  const next = (kind: string) => {
    count += 1;
    return `${kind}${prefix}${count}`;
  };
  const own = (key: string, id: string | undefined) => {
    const found = stored.get(id ?? "");
    return found?.key === key ? found : null;
  };
  const create = (key: string, id: string, body: JsonObject) => {
    const made = { id, created_at: 1, ...body };
    stored.set(id, { key, body: made, parts: new Map(), contents: new Map() });
    return made;
  };
  const listOf = (data: Iterable<JsonObject>) => {
    const all = [...data];
    return { object: "list", data: all, first_id: all[0]?.id, last_id: all.at(-1)?.id, has_more: false };
  };

  const answer = async (request: Request): Promise<Response> => {
    const key = request.headers.get("authorization") ?? "";
    const { method } = request;
    const { pathname, search } = new URL(request.url);
    requests.push(`${method} ${pathname}${search}`);
    await beforeAnswer(pathname);
    const [, , kind, id, part, partId, action] = pathname.split("/");
    const isForm = request.headers.get("content-type")?.startsWith("multipart/form-data") === true;
    const form = isForm ? ((await request.formData()) as FormData) : null;
    const text = form ? "" : await request.text();
    const json = (text === "" ? {} : JSON.parse(text)) as JsonObject;
    const filesOf = (value: unknown) => (Array.isArray(value) ? (value as string[]) : []);
    const isMissing = (ids: readonly string[]) => ids.some((one) => own(key, one) === null);

    if (kind === "responses") return respond(key, json);
    if (kind === "files" && method === "POST") {
      const file = form?.get("file") as File;
      return Response.json(create(key, next("file-"), { object: "file", filename: file.name, bytes: file.size }));
    }
    if (method === "POST" && !id) {
      if (isMissing(filesOf(json.file_ids))) return notFound("No such file");
      const { file_ids, items, ...members } = json;
      if (kind === "conversations") {
        const made = create(key, next("conv_"), { object: "conversation", metadata: json.metadata ?? {} });
        addItems(made.id, items);
        return Response.json(made);
      }
      if (kind === "vector_stores") {
        const file_counts = { total: filesOf(file_ids).length, completed: filesOf(file_ids).length };
        return Response.json(
          create(key, next("vs_"), { object: "vector_store", status: "completed", file_counts, ...members }),
        );
      }
      if (kind === "containers") {
        return Response.json(create(key, next("cntr_"), { object: "container", status: "running", ...members }));
      }
    }
    const object = own(key, id);
    if (!object) return notFound(`${kind} not found`);
    if (!part) {
      if (method === "DELETE") {
        stored.delete(id ?? "");
        // The container's deletion has no described body.
        if (kind === "containers") return new Response("");
        return Response.json({ id, object: `${object.body.object}.deleted`, deleted: true });
      }
      if (method === "POST") Object.assign(object.body, json);
      return Response.json(object.body);
    }
    if (part === "items" && method === "POST") return Response.json(listOf(addItems(id ?? "", json.items)));
    if (part === "search") {
      const data = [{ file_id: "file-1", filename: "a", score: 0.9, attributes: {}, content: [] }];
      return Response.json({ object: "vector_store.search_results.page", search_query: [], data, has_more: false });
    }
    if (method === "POST" && !partId) {
      const ids = json.file_id === undefined ? filesOf(json.file_ids) : [String(json.file_id)];
      if (isMissing(ids)) return notFound("No such file");
      const upload = form?.get("file");
      const name = kind === "containers" ? next("cfile_") : part === "file_batches" ? next("vsfb_") : String(ids[0]);
      const made = { id: name, object: `${object.body.object}.${part}`, status: "completed", bytes: 0 };
      if (upload instanceof File) {
        const bytes = await upload.bytes();
        made.bytes = bytes.length;
        object.contents.set(name, bytes);
      }
      object.parts.set(name, made);
      return Response.json(made);
    }
    if (!partId) return Response.json(listOf(object.parts.values()));
    const found = object.parts.get(partId);
    if (!found) return notFound("No such part");
    if (method === "DELETE") {
      object.parts.delete(partId);
      return Response.json(part === "items" ? object.body : { id: partId, deleted: true });
    }
    if (action === "content") return new Response(object.contents.get(partId) ?? "none");
    if (action === "files") return Response.json(listOf([]));
    if (method === "POST") Object.assign(found, action === "cancel" ? { status: "cancelled" } : json);
    return Response.json(found);
  };

  const addItems = (id: string, items: unknown): JsonObject[] => {
    const made = (Array.isArray(items) ? (items as JsonObject[]) : []).map((item) => ({ id: next("msg_"), ...item }));
    for (const item of made) stored.get(id)?.parts.set(item.id, item);
    return made;
  };

  function respond(key: string, json: JsonObject): Response {
    received.push(json);
    const conversation = json.conversation as { id: string } | string | undefined;
    const named = typeof conversation === "object" ? conversation.id : conversation;
    if (named !== undefined && !own(key, named)) return notFound("No such conversation");
    const output: JsonObject[] = [];
    for (const tool of (json.tools ?? []) as JsonObject[]) {
      if (tool.type === "file_search") {
        const ids = tool.vector_store_ids as string[];
        if (ids.some((one) => !own(key, one))) return notFound("No such vector store");
        output.push({ type: "file_search_call", id: next("fs_"), status: "completed", queries: ["q"], results: null });
      }
      if (tool.type === "code_interpreter") {
        const container = tool.container as string | JsonObject;
        const id = typeof container === "string" ? container : create(key, next("cntr_"), { object: "container" }).id;
        if (!own(key, id)) return notFound("No such container");
        const call = { type: "code_interpreter_call", id: next("ci_"), status: "completed", code: "1", outputs: [] };
        output.push({ ...call, container_id: id });
      }
    }
    const content = [{ type: "output_text", text: "Hi", annotations: [] }];
    output.push({ type: "message", id: next("msg_"), role: "assistant", status: "completed", content });
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
    const body = { id: next("resp_"), object: "response", created_at: 1, status: "completed", model: json.model };
    return Response.json({ ...body, output, usage });
  }

  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    received,
    /** Forgets an object, as when it expires. */
    expire: (id: string) => void stored.delete(id),
    has: (id: string) => stored.has(id),
    /** Runs before each answer. */
    hold: (work: typeof beforeAnswer) => {
      beforeAnswer = work;
    },
    stop: () => server.stop(true),
  };
}
