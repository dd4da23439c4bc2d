/** A call of a batch, as a line of its input. */
export const line = (custom_id: string, body: object) =>
  JSON.stringify({ custom_id, method: "POST", url: "/v1/chat/completions", body });
/** An answer of a batch, as a line of its output. */
export const answer = (id: string, model: string, prompt: number, completion: number) =>
  JSON.stringify({
    custom_id: id,
    response: {
      status_code: 200,
      body: {
        model,
        usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
      },
    },
  });

/** An upstream that keeps files and batches as OpenAI does; each key sees its own alone. */
export function startKeeper(prefix: string) {
  const contents = new Map<string, { key: string; content: string; filename: string }>();
  const batches = new Map<string, Record<string, unknown>>();
  /** They run when they are made, and are done when somebody asks. */
  const jobs = new Map<string, Record<string, unknown>>();
  const requests: string[] = [];
  let count = 0;
  let refusing = false;
  const next = () => {
    count += 1;
    return count;
  };
  const notFound = () =>
    Response.json({ error: { message: "No such object", type: "invalid_request_error" } }, { status: 404 });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const key = request.headers.get("authorization") ?? request.headers.get("api-key") ?? "";
      const { pathname, search } = new URL(request.url);
      requests.push(`${request.method} ${pathname}${search}`);
      const [, , kind, id, part] = pathname.split("/");
      const fileObject = (of: string) => ({
        id: of,
        object: "file",
        bytes: 1,
        filename: contents.get(of)?.filename,
        purpose: "batch",
      });
      if (kind === "files" && request.method === "POST") {
        const form = (await request.formData()) as FormData;
        const file = form.get("file") as File;
        const made = `file-${prefix}${next()}`;
        contents.set(made, { key, content: await file.text(), filename: file.name });
        return Response.json(fileObject(made));
      }
      if (kind === "files" && id) {
        const file = contents.get(id);
        if (file?.key !== key) return notFound();
        if (part === "content") return new Response(file.content, { headers: { "content-type": "application/jsonl" } });
        if (request.method === "DELETE") contents.delete(id);
        return Response.json(request.method === "DELETE" ? { id, object: "file", deleted: true } : fileObject(id));
      }
      if (kind === "batches" && request.method === "POST" && !id) {
        const { input_file_id } = (await request.json()) as { input_file_id: string };
        if (contents.get(input_file_id)?.key !== key) return notFound();
        if (refusing) return Response.json({ error: { message: "Too many batches" } }, { status: 400 });
        const batch = { id: `batch_${prefix}${next()}`, object: "batch", status: "in_progress", input_file_id };
        batches.set(batch.id, batch);
        return Response.json(batch);
      }
      if (kind === "batches" && id) return batches.has(id) ? Response.json(batches.get(id)) : notFound();
      if (kind === "fine_tuning") {
        if (request.method === "GET") return Response.json(jobs.get(part ?? ""));
        if (refusing) return Response.json({ error: { message: "Too many jobs" } }, { status: 400 });
        const { model } = (await request.json()) as { model: string };
        const job = { id: `ftjob-${prefix}${next()}`, object: "fine_tuning.job", model, status: "running" };
        jobs.set(job.id, { ...job, status: "succeeded", trained_tokens: 5_000, result_files: [] });
        return Response.json(job);
      }
      return notFound();
    },
  });
  /** Ends a batch; without content it has no output. */
  const finish = (id: string, content: string | null, status = "completed") => {
    const batch = batches.get(id);
    const key = contents.get(String(batch?.input_file_id))?.key ?? "";
    if (content !== null) contents.set(`file-out-${id}`, { key, content, filename: "out.jsonl" });
    batches.set(id, { ...batch, status, output_file_id: content === null ? null : `file-out-${id}` });
  };
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    finish,
    forget: (id: string) => void batches.delete(id),
    endJob: (id: string, changes: object) => void jobs.set(id, { ...jobs.get(id), ...changes }),
    /** Batches and jobs. */
    refuse: (now: boolean) => {
      refusing = now;
    },
    stop: () => server.stop(true),
  };
}
